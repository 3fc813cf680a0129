"""The game of minesweeper: its first click against its law, and every move against a game in plain Python."""

import itertools
import math
import time

import numpy as np
import pytest
from numba import config
from reference import power
from scipy import stats

from gridlab import mines
from gridlab.mines import FLAG, HIDDEN, HIT, MINE, WRONG, Game

SLOW = config.DISABLE_JIT
ALPHA = 1e-6
SEED = 20261130


# ---- the first click


def sets(boards):
    """Each board as the tuple of its mined cells."""
    return [tuple(np.flatnonzero(board).tolist()) for board in boards]


def relocated(board, cell):
    """What Windows' game makes of a board when `cell` is clicked: a mine there goes to the first free cell."""
    board = board.copy()
    if board.flat[cell]:
        first = int(np.flatnonzero(~board)[0])
        board.flat[cell], board.flat[first] = False, True
    return board


CLICKS = [((3, 3), 3, 1, False), ((2, 4), 3, 5, False), ((1, 6), 2, 0, False), ((3, 4), 3, 4, True)]


@pytest.mark.parametrize(("shape", "n_mines", "cell", "opening"), CLICKS)
def test_the_board_is_uniform_given_the_click(shape, n_mines, cell, opening):
    safe = np.flatnonzero(mines.opening_mask(shape, cell)) if opening else [cell]
    allowed = list(itertools.combinations(sorted({*range(math.prod(shape))} - {*map(int, safe)}), n_mines))
    rng = np.random.default_rng(SEED)
    counts = dict.fromkeys(allowed, 0)
    n = (25 if SLOW else 150) * len(allowed)
    for _ in range(n):
        game = Game(shape, n_mines, opening=opening, rng=rng)
        assert game.reveal(cell)
        counts[sets([game.board])[0]] += 1
    assert len(counts) == len(allowed), "a board the click does not allow"
    assert stats.chisquare(list(counts.values())).pvalue > ALPHA


def test_a_mine_moved_out_of_the_way_has_another_law():
    """The control: with as many games as above the same test refuses it."""
    shape, n_mines, cell, _ = CLICKS[0]
    every = list(itertools.combinations(range(9), n_mines))
    law = dict.fromkeys(itertools.combinations(sorted({*range(9)} - {cell}), n_mines), 0.0)
    for mined in every:
        board = np.isin(np.arange(9), mined).reshape(shape)
        law[sets([relocated(board, cell)])[0]] += 1 / len(every)
    n = (25 if SLOW else 150) * len(law)
    fair = [1 / len(law)] * len(law)
    assert power(list(law.values()), fair, n, ALPHA) > 0.999
    counts = dict.fromkeys(law, 0)
    for mined in sets(relocated(board, cell) for board in mines.floyd(shape, n_mines, size=n, rng=SEED)):
        counts[mined] += 1
    assert stats.chisquare(list(counts.values())).pvalue < ALPHA


def test_the_board_is_that_of_floyd():
    for opening, safe in ((False, [(2, 3)]), (True, mines.opening_mask((16, 30), (2, 3)))):
        game = Game((16, 30), 99, opening=opening, rng=7)
        game.reveal((2, 3))
        assert (game.board == mines.floyd((16, 30), 99, safe=safe, rng=7)).all()


@pytest.mark.parametrize("opening", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (2, 1), (1, 9), (9, 1), (2, 2), (2, 7), (3, 3), (4, 5)])
def test_first_click_is_safe_with_every_number_of_mines(shape, opening):
    n = math.prod(shape)
    most = n - min(shape[0], 3) * min(shape[1], 3) if opening else n - 1
    for n_mines in {0, 1, most // 2, most} & {*range(most + 1)}:
        for cell in range(n):
            game = Game(shape, n_mines, opening=opening, rng=cell)
            assert game.reveal(cell)
            assert not game.lost
            assert game.board.sum() == game.n_mines == n_mines
            assert game.first == cell
            if opening:
                assert game.shown.flat[cell] == 0
            if n_mines in (0, n - 1):
                assert game.won
    for wrong in (most + 1, -1):
        with pytest.raises(ValueError, match=rf"n_mines must be from 0 to {most} on .*, got {wrong}$"):
            Game(shape, wrong, opening=opening)


@pytest.mark.parametrize("name", mines.LEVELS)
def test_levels(name):
    (rows, cols), n_mines = mines.LEVELS[name]
    game = Game((rows, cols), n_mines, rng=1)
    assert game.shown.shape == (rows, cols)
    assert game.remaining == n_mines == {"beginner": 10, "intermediate": 40, "expert": 99}[name]


# ---- the moves


class Plain:
    """The game as one would tell it: sets of cells."""

    def __init__(self, board):
        self.rows, self.cols = board.shape
        self.mines = {(int(r), int(c)) for r, c in np.argwhere(board)}
        self.free = {(r, c) for r in range(self.rows) for c in range(self.cols)} - self.mines
        self.open, self.flagged = set(), set()

    def around(self, cell):
        ring = {(cell[0] + r, cell[1] + c) for r in (-1, 0, 1) for c in (-1, 0, 1)} - {cell}
        return ring & (self.free | self.mines)

    def number(self, cell):
        return len(self.around(cell) & self.mines)

    @property
    def lost(self):
        return bool(self.open & self.mines)

    @property
    def won(self):
        return bool(self.open) and self.free <= self.open and not self.lost

    def uncover(self, cell):
        seen, waiting = {cell}, [cell]
        while waiting:
            here = waiting.pop()
            if here in self.free and self.number(here) == 0:
                waiting += self.around(here) - seen
                seen |= self.around(here)
        self.open |= seen - self.flagged

    def move(self, name, cell):
        before = len(self.open), len(self.flagged)
        if not (self.won or self.lost):
            if name == "flag" and cell not in self.open:
                self.flagged ^= {cell}
            if name == "reveal" and cell not in self.open | self.flagged:
                self.uncover(cell)
            if name == "chord" and cell in self.open:
                hidden = self.around(cell) - self.open
                if len(hidden & self.flagged) == self.number(cell):
                    for other in hidden - self.flagged:
                        self.uncover(other)
        changed = before != (len(self.open), len(self.flagged))
        if self.won:
            self.flagged = set(self.mines)
        return changed

    def shows(self, cell):
        if self.lost and cell in self.mines and cell in self.open:
            return HIT
        if cell in self.flagged:
            return WRONG if self.lost and cell in self.free else FLAG
        if self.lost and cell in self.mines:
            return MINE
        return self.number(cell) if cell in self.open else HIDDEN

    @property
    def shown(self):
        return np.array([[self.shows((r, c)) for c in range(self.cols)] for r in range(self.rows)])


SHAPES = [(1, 1), (1, 7), (7, 1), (2, 2), (4, 5), (6, 6)]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_move_against_the_game_in_plain_python(shape):
    rng = np.random.default_rng(SEED)
    ends, changes = set(), set()
    for trial in range(100 if SLOW else 400):
        board = rng.random(shape) < (0, 0.1, 0.2, 0.4, 1)[trial % 5]
        game, plain = Game.of(board), Plain(board)
        assert game.n_mines == board.sum()
        for _ in range(40):
            name = str(rng.choice(["reveal", "flag", "chord"], p=[0.3, 0.3, 0.4]))
            cell = int(rng.integers(board.size))
            # a player who flags mines and opens free cells, mostly, gets further
            if rng.random() < 0.8 and name != "chord":
                name = "flag" if board.flat[cell] else "reveal"
                if name == "flag" and game.flagged.flat[cell]:
                    continue
            changed = getattr(game, name)(cell if rng.random() < 0.5 else divmod(cell, shape[1]))
            assert changed is plain.move(name, divmod(cell, shape[1]))
            assert (game.shown == plain.shown).all()
            assert (game.won, game.lost, game.over) == (plain.won, plain.lost, plain.won or plain.lost)
            assert game.remaining == len(plain.mines) - len(plain.flagged)
            assert {tuple(c) for c in np.argwhere(game.open).tolist()} == plain.open
            assert {tuple(c) for c in np.argwhere(game.flagged).tolist()} == plain.flagged
            assert (game.hidden == ~game.open).all()
            assert game.started is bool(plain.open)
            if changed:
                changes.add(name)
        ends.add((game.won, game.lost))
    assert (True, False) in ends
    assert (False, True) in ends
    if shape == (6, 6):
        assert ends == {(True, False), (False, True), (False, False)}
        assert changes == {"reveal", "flag", "chord"}


def test_same_seed_and_same_moves_same_game():
    moves = [(name, int(cell)) for name, cell in zip(["flag", "reveal", "reveal"] * 5, np.arange(15) * 5)]
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    games = [Game((9, 9), 20, rng=SEED) for _ in range(2)]
    for name, cell in moves:
        assert getattr(games[0], name)(cell) is getattr(games[1], name)(cell)
    assert (games[0].shown == games[1].shown).all()
    assert (games[0].board == games[1].board).all()
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    other = Game((9, 9), 20, rng=SEED + 1)
    other.reveal(5)
    assert (other.board != games[0].board).any()


def test_flags_before_the_first_click():
    game = Game((4, 4), 15, rng=1)
    assert game.flag(3)
    assert game.flag((0, 0))
    assert game.flag((0, 0))
    assert not game.started
    assert game.board is None
    assert not game.reveal(3), "a flag protects its cell, and draws no board"
    assert game.board is None
    assert not game.chord(0)
    assert game.reveal(5)
    assert game.won
    assert game.remaining == 0


def test_chord_on_a_wrong_flag_loses():
    #  1 2 1   a flag on the free cell between two mines
    #  * . *
    game = Game.of([[0, 0, 0], [1, 0, 1]])
    assert game.reveal((0, 0))
    assert not game.chord((0, 0)), "no flag"
    assert game.flag((1, 1))
    assert game.chord((0, 0))
    assert game.lost
    assert str(game) == "12#\n!x*"
    assert not game.flag((0, 2))
    assert not game.reveal((0, 2))
    assert not game.chord((0, 0))


def test_chord_opens_regions_and_wins():
    game = Game.of([[1, 0, 0, 0, 0]])
    assert game.reveal(1)
    assert game.flag(0)
    assert game.chord(1)
    assert game.won
    assert str(game) == "F1..."


def test_what_a_game_shows_cannot_change_it():
    game = Game((3, 3), 1, rng=1)
    game.reveal(0)
    for array in (game.open, game.flagged, game.hidden, game.shown):
        array[:] = 1
    assert not game.flagged.any()
    assert not game.open.all()
    board = np.array([[False, True]])
    game = Game.of(board)
    board[:] = False
    assert game.board.tolist() == [[False, True]]
    for game in (Game.of(board), Game((3, 3), 1, rng=1)):
        game.reveal(0)
        with pytest.raises(ValueError, match="read-only"):
            game.board[:] = True  # the numbers would no longer be those of the mines


def test_a_million_cells_without_a_mine():
    game = Game((50, 50) if SLOW else (1000, 1000), 0)
    start = time.perf_counter()
    assert game.reveal(0)
    assert game.won
    assert time.perf_counter() - start < 60, "it hangs"


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (((0, 3), 1), ValueError, "rows of the grid's shape must be at least 1, got 0"),
        ((9, 1), TypeError, "shape must be a pair"),
        (((3, 3), 9), ValueError, "n_mines must be from 0 to 8 on 3x3 cells with a safe first click, got 9"),
        (((3, 3), 1.0), TypeError, "n_mines must be an integer"),
    ],
)
def test_what_is_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        Game(*arguments)


def test_more_that_is_refused():
    with pytest.raises(TypeError, match="opening must be True or False, got 1"):
        Game((3, 3), 1, opening=1)
    with pytest.raises(TypeError, match="rng must be"):
        Game((3, 3), 1, rng="x")
    with pytest.raises(ValueError, match="from 0 to 7 on 4x4 cells with a free opening at any first click, got 8"):
        Game((4, 4), 8, opening=True)
    with pytest.raises(ValueError, match="board must have 2 axes, got 3"):
        Game.of(np.zeros((1, 2, 2), bool))
    with pytest.raises(ValueError, match="board must hold only 0 and 1"):
        Game.of([[2]])
    game = Game((3, 3), 1)
    for move in (game.reveal, game.flag, game.chord):
        for cell, error in ((9, ValueError), ((3, 0), ValueError), ((0, -1), ValueError), ("a", TypeError)):
            with pytest.raises(error, match="cell"):
                move(cell)
    assert not game.started


def test_a_game_shows_itself():
    game = Game.of([[0, 0, 1]])
    game.reveal(1)
    assert repr(game) == "<Game: 1x3 cells, 1 mines>\n#1#"
