"""The game of match-3: every turn against rules in plain Python, its first board against its law."""

import collections
import copy
import itertools
import pickle

import numpy as np
import pytest
from numba import config
from scipy import stats

from gridlab import match3
from gridlab.match3 import Game

SLOW = config.DISABLE_JIT
ALPHA = 1e-6
SEED = 20261130


# ---- the rules in plain Python: boards as dicts of their cells that are not empty


def cells(board):
    return {(row, col): colour for (row, col), colour in np.ndenumerate(np.asarray(board)) if colour >= 0}


def group(board, cell):
    """Return the cells of a group, as a set."""
    found, waiting = {cell}, [cell]
    while waiting:
        row, col = waiting.pop()
        for one in ((row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)):
            if one not in found and board.get(one) == board[cell]:
                found.add(one)
                waiting.append(one)
    return found


def clearing(board, rule, length):
    """Return the cells that clear, as a set."""
    if rule == "groups":
        return {cell for cell in board if len(group(board, cell)) >= length}
    found = set()
    for row, col in board:
        for down, right in ((0, 1), (1, 0)):
            run = [(row + k * down, col + k * right) for k in range(length)]
            if {board.get(cell) for cell in run} == {board[row, col]}:
                found.update(run)
    return found


def is_move(board, cell, other, length):
    """Say whether a swap of neighbours makes a line through one of them."""
    if cell not in board or other not in board or board[cell] == board[other]:
        return False
    swapped = board | {cell: board[other], other: board[cell]}
    return bool({cell, other} & clearing(swapped, "lines", length))


def neighbours(shape):
    for row, col in np.ndindex(shape):
        if col + 1 < shape[1]:
            yield (row, col), (row, col + 1)
        if row + 1 < shape[0]:
            yield (row, col), (row + 1, col)


def fallen(board, rows):
    """Let every column fall."""
    columns = collections.defaultdict(list)
    for row, col in sorted(board, reverse=True):
        columns[col].append(board[row, col])
    return {(rows - 1 - k, col): colour for col, stack in columns.items() for k, colour in enumerate(stack)}


def check(game, start, stages, gone=None):
    """Hold every stage of a turn that began with the board `start`."""
    score = 0
    for step, stage in enumerate(stages, 1):
        assert cells(stage.board) == start
        gone = gone or clearing(start, game.rule, game.length)
        assert set(map(tuple, np.argwhere(stage.labels))) == gone
        rest = {cell: colour for cell, colour in start.items() if cell not in gone}
        assert cells(stage.cleared) == rest
        down = fallen(rest, game.shape[0])
        assert cells(stage.fallen) == down
        start = cells(stage.refilled)
        if game.refill:
            assert len(start) == game.board.size or (np.asarray(stage.board) < 0).any()
            assert set(start.values()) <= set(range(game.n_colours))
            assert down.items() <= start.items()
        else:
            assert start == down
        score += step * len(gone)
        gone = None
    assert cells(game.board) == start
    assert all(one is other for one, other in zip(game.stages, stages, strict=True))
    return score


def state(game):
    return game.board.tobytes(), game.score, game.turns, len(game.stages), game.n_moves, game.hints.tobytes()


# ---- turns


@pytest.mark.parametrize("refill", [True, False])
@pytest.mark.parametrize(("shape", "n_colours", "length"), [((5, 6), 4, 3), ((6, 4), 3, 4), ((4, 5), 3, 2)])
def test_every_swap(shape, n_colours, length, refill):
    """All pairs of cells: what is no move changes nothing, and every step of what is one is right."""
    if length == 2:
        n_colours = 6
    game = Game(shape, n_colours, length=length, refill=refill, rng=SEED)
    rng = np.random.default_rng(SEED)
    for _ in range(3 if SLOW else 8):
        board, before = cells(game.board), state(game)
        assert not clearing(board, "lines", length)
        moves = [pair for pair in neighbours(shape) if is_move(board, *pair, length)]
        assert game.n_moves == len(moves)
        assert game.over == (not moves)
        assert {
            (tuple(pair[0]), tuple(pair[1]))
            for pair in (((r, c), (r + k, c + 1 - k)) for r, c, k in np.argwhere(game.hints).tolist())
        } == set(moves)
        for pair in itertools.product(np.ndindex(shape), repeat=2):
            if pair not in moves and pair[::-1] not in moves:
                assert game.swap(*pair) == []
        assert state(game) == before
        if not moves:
            break
        cell, other = moves[rng.integers(len(moves))]
        swapped = board | {cell: board[other], other: board[cell]}
        flat = np.ravel_multi_index(other, shape)
        stages = game.swap(flat, cell)  # in any order, and as flat indices or pairs
        assert game.score == before[1] + check(game, swapped, stages)
        assert game.turns == before[2] + 1
        assert game.settled
    assert game.turns


@pytest.mark.parametrize("shape", [(1, 8), (8, 1), (2, 4)])
def test_boards_of_one_row_or_column(shape):
    """A row's end and the next row's start are no neighbours, though their flat indices are."""
    board = np.array([0, 0, 1, 0, 0, 2, 2, 1]).reshape(shape)
    moves = {pair for pair in neighbours(shape) if is_move(cells(board), *pair, 3)}
    for pair in itertools.product(range(8), repeat=2):
        game = Game.of(board, rng=1)
        there = tuple(tuple(map(int, np.unravel_index(cell, shape))) for cell in sorted(pair))
        assert bool(game.swap(*pair)) == (there in moves), pair


@pytest.mark.parametrize("refill", [True, False])
@pytest.mark.parametrize(("shape", "n_colours", "length"), [((5, 6), 3, 3), ((4, 4), 2, 5), ((3, 7), 4, 2)])
def test_every_group(shape, n_colours, length, refill):
    game = Game(shape, n_colours, rule="groups", length=length, refill=refill, rng=SEED)
    rng = np.random.default_rng(SEED)
    for _ in range(4 if SLOW else 20):
        board, before = cells(game.board), state(game)
        takable = clearing(board, "groups", length)
        assert set(map(tuple, np.argwhere(game.hints))) == takable
        assert game.n_moves == len({frozenset(group(board, cell)) for cell in takable})
        assert game.over == (not takable)
        assert game.settled, "nothing clears by itself"
        for cell in np.ndindex(shape):
            if cell not in takable:
                assert game.pop(cell) == []
        assert state(game) == before
        if not takable:
            break
        cell = sorted(takable)[rng.integers(len(takable))]
        stages = game.pop(cell)
        assert len(stages) == 1
        assert game.score == before[1] + check(game, board, stages, group(board, cell))
        assert game.turns == before[2] + 1
    assert game.turns


def test_without_refill_there_is_an_end():
    rng = np.random.default_rng(SEED)
    for n in range(3 if SLOW else 20):
        game = Game((5, 5), 3, rule="groups", refill=False, rng=rng)
        left = 25
        while not game.over:
            game.pop(int(rng.choice(np.flatnonzero(game.hints))))
            left -= int((game.stages[0].labels > 0).sum())
        assert (game.board >= 0).sum() == left == 25 - game.score, n


def test_a_cascade_that_is_cut_goes_on():
    """With two colours it seldom ends: after `limit` steps the turn is over, and the rest clears with the next one."""
    cut = 0
    for seed in range(30):
        game = Game((6, 6), 2, limit=2, rng=seed)
        for _ in range(3):
            if game.over:
                break
            board, settled = cells(game.board), game.settled
            row, col, below = np.argwhere(game.hints)[0].tolist()
            cell, other = (row, col), (row + below, col + 1 - below)
            score = game.score
            stages = game.swap(cell, other)
            assert 1 <= len(stages) <= 2
            assert game.score == score + check(game, board | {cell: board[other], other: board[cell]}, stages)
            assert game.settled == (not clearing(cells(game.board), "lines", 3))
            assert game.settled or len(stages) == 2
            cut += not settled
    assert cut > 10, "turns that began where the last one was cut"


# ---- the first board


def test_the_first_board_of_groups_is_uniform_among_those_that_have_one():
    every = [np.reshape(colours, (2, 3)) for colours in itertools.product(range(2), repeat=6)]
    allowed = [board.tobytes() for board in every if clearing(cells(board), "groups", 4)]
    rng = np.random.default_rng(SEED)
    n = 100 * len(allowed)
    drawn = collections.Counter(
        Game((2, 3), 2, rule="groups", length=4, rng=rng).board.astype(np.int64).tobytes() for _ in range(n)
    )
    assert set(drawn) == set(allowed)
    assert len(allowed) < 64
    assert stats.chisquare([drawn[board] for board in allowed]).pvalue > ALPHA


def test_a_group_put_on_the_board_has_another_law():
    """The control: independent colours, and if there is no group a group of four made at the left. Its power is 1."""
    every = [np.reshape(colours, (2, 3)) for colours in itertools.product(range(2), repeat=6)]
    allowed = {board.tobytes(): 0.0 for board in every if clearing(cells(board), "groups", 4)}
    for board in every:
        if board.tobytes() not in allowed:
            board[:, :2] = board[0, 0]
        allowed[board.tobytes()] += 1 / 64
    n, k = 100 * len(allowed), len(allowed)
    shift = n * sum((chance - 1 / k) ** 2 * k for chance in allowed.values())
    assert stats.ncx2.sf(stats.chi2.isf(ALPHA, k - 1), k - 1, shift) > 0.999


def test_the_first_board_of_lines_is_that_of_boards():
    for seed in range(5):
        game = Game((6, 7), 5, length=4, rng=seed)
        board = match3.board((6, 7), 5, length=4, settled=True, movable=True, rng=seed)
        assert np.array_equal(game.board, board)
        assert not game.over
        assert game.settled


def test_new_cells_are_uniform():
    rng = np.random.default_rng(SEED)
    n = 27 * (25 if SLOW else 150)
    seen = collections.Counter()
    for _ in range(n):
        game = Game.of([[0, 0, 0]], 3, rule="groups", rng=rng)
        game.pop(0)
        seen[game.board.tobytes()] += 1
    assert len(seen) == 27
    assert stats.chisquare(list(seen.values())).pvalue > ALPHA


def play(game, turns, rng):
    """Take turns at random, and return the boards."""
    boards = [game.board]
    for _ in range(turns):
        if game.over:
            break
        if game.rule == "groups":
            game.pop(int(rng.choice(np.flatnonzero(game.hints))))
        else:
            row, col, below = rng.choice(np.argwhere(game.hints)).tolist()
            game.swap((row, col), (row + below, col + 1 - below))
        boards.append(game.board)
    return boards


@pytest.mark.parametrize("rule", ["lines", "groups"])
def test_same_seed_and_turns_same_game(rule):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    games = [Game((6, 6), 4, rule=rule, rng=SEED) for _ in range(2)]
    first, second = (play(game, 5, np.random.default_rng(1)) for game in games)
    assert len(first) == 6
    assert all(map(np.array_equal, first, second))
    assert games[0].score == games[1].score
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002
    other = Game((6, 6), 4, rule=rule, rng=SEED + 1)
    assert not np.array_equal(other.board, first[0])
    rng = np.random.default_rng(SEED)
    game = Game((6, 6), 4, rule=rule, rng=rng)
    left = rng.bit_generator.state
    assert all(map(np.array_equal, play(game, 5, np.random.default_rng(1)), first))
    game.undo()
    assert rng.bit_generator.state == left, "the game has a generator of its own"


# ---- back, and anew


@pytest.mark.parametrize("rule", ["lines", "groups"])
def test_undo_all_and_play_again(rule):
    game = Game((6, 6), 4, rule=rule, rng=SEED)
    assert not game.undo()
    states = []
    for _ in range(4):
        states.append(state(game))
        assert len(play(game, 1, np.random.default_rng(2))) == 2
    states.append(state(game))
    game.reshuffle()
    for expected in states[::-1]:
        assert game.undo()
        assert state(game) == expected
        if expected == states[0]:
            break
    assert not game.undo()
    for expected in states[1:]:
        play(game, 1, np.random.default_rng(2))
        assert state(game) == expected


def latin():
    """Return a board that has no move."""
    return [[0, 1, 2], [2, 0, 1], [1, 2, 0]]


@pytest.mark.parametrize("rule", ["lines", "groups"])
def test_reshuffle_keeps_the_cells(rule):
    for seed in range(5):
        game = Game.of(latin(), rule=rule, rng=seed)
        assert game.over
        assert game.reshuffle()
        assert not game.over
        assert np.bincount(game.board.ravel()).tolist() == [3, 3, 3]
        assert game.rule == "groups" or not clearing(cells(game.board), "lines", 3)
        assert game.turns == game.score == 0
        assert game.undo()
        assert game.board.tolist() == latin()


@pytest.mark.parametrize("rule", ["lines", "groups"])
def test_cells_that_admit_no_move_give_a_new_board(rule):
    board = np.arange(9).reshape(3, 3)
    game = Game.of(board, rule=rule, rng=1)
    assert game.over
    assert not game.reshuffle()
    assert not game.over
    assert game.undo()
    assert game.board.tolist() == board.tolist()


def test_a_reshuffled_board_of_groups_is_uniform():
    """Two rows of three with four of one colour: of the 15 arrangements those with a group of four."""
    every = [np.isin(np.arange(6), ones).astype(np.int8).reshape(2, 3) for ones in itertools.combinations(range(6), 4)]
    allowed = [board.tobytes() for board in every if clearing(cells(board), "groups", 4)]
    assert 5 < len(allowed) < 15
    rng, seen = np.random.default_rng(SEED), collections.Counter()
    for _ in range(150 * len(allowed)):
        game = Game.of(every[0], rule="groups", length=4, rng=rng)
        assert game.reshuffle()
        seen[game.board.tobytes()] += 1
    assert set(seen) == set(allowed)
    assert stats.chisquare(list(seen.values())).pvalue > ALPHA


def test_where_no_board_can_be_drawn_reshuffle_changes_nothing():
    game = Game.of([[0, 1]], rng=1)
    before = state(game)
    with pytest.raises(ValueError, match=r"1x2|shape|length"):
        game.reshuffle()
    assert state(game) == before
    assert not game.undo()


# ---- what is refused


def test_what_cannot_be_changed_from_outside():
    game = Game((5, 5), 4, rng=1)
    with pytest.raises(ValueError, match="read-only"):
        game.board[0, 0] = 1
    game.hints[:] = False
    assert game.hints.any()
    board = np.array(latin())
    game = Game.of(board)
    board[0, 0] = 2
    assert game.board[0, 0] == 0


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"shape": (0, 3)}, ValueError, "rows"),
        ({"shape": 3}, TypeError, "shape"),
        ({"n_colours": 0}, ValueError, "n_colours must be from 1 to 127, got 0"),
        ({"n_colours": 128}, ValueError, "n_colours must be from 1 to 127, got 128"),
        ({"n_colours": 2.0}, TypeError, "n_colours must be an integer"),
        ({"rule": "rows"}, ValueError, "rule must be .*got 'rows'"),
        ({"length": 1}, ValueError, "length must be at least 2.*got 1"),
        ({"refill": 1}, TypeError, "refill must be True or False, got 1"),
        ({"limit": 0}, ValueError, "limit must be from 1 to .*, got 0"),
        ({"rng": "seven"}, TypeError, "rng"),
        ({"n_colours": 1}, ValueError, "colour"),
        ({"shape": (1, 2)}, ValueError, "shape|cells|length"),
        ({"rule": "groups", "length": 31}, ValueError, "length must be at most 30, the cells of the board, got 31"),
        ({"rule": "groups", "length": 30}, ValueError, "with 4 colours, got 30: no board of thousands had one"),
    ],
)
def test_errors(arguments, error, words):
    arguments = {"shape": (5, 6), "n_colours": 4} | arguments
    with pytest.raises(error, match=words):
        Game(arguments.pop("shape"), arguments.pop("n_colours"), **arguments)


def test_errors_of_turns_and_boards():
    lines, groups = Game.of(latin()), Game.of(latin(), rule="groups", refill=False)
    with pytest.raises(ValueError, match="swap needs a game of rule 'lines', got one of 'groups': use pop"):
        groups.swap(0, 1)
    with pytest.raises(ValueError, match="pop needs a game of rule 'groups', got one of 'lines': use swap"):
        lines.pop(0)
    with pytest.raises(ValueError, match="cell must be from 0 to 8 on a board of 3x3, got 9"):
        groups.pop(9)
    with pytest.raises(ValueError, match="col of cell must be from 0 to 2"):
        lines.swap(0, (0, 3))
    with pytest.raises(TypeError, match="cell"):
        lines.swap(0, None)
    with pytest.raises(ValueError, match="reshuffle needs a game with refill=True"):
        groups.reshuffle()
    with pytest.raises(ValueError, match="board must have 2 axes, got 3"):
        Game.of([latin()])
    with pytest.raises(ValueError, match="n_colours must be from 3 to 127, got 2"):
        Game.of(latin(), 2)


def test_one_colour_by_groups():
    game = Game((2, 3), 1, rule="groups", rng=1)
    assert (game.board == 0).all()
    game.pop(0)
    assert (game.board == 0).all()
    assert game.score == 6
    game = Game((2, 3), 1, rule="groups", refill=False)
    game.pop(5)
    assert (game.board == -1).all()
    assert game.over
    assert str(game) == ". . .\n. . ."


@pytest.mark.parametrize("rule", ["lines", "groups"])
def test_what_a_game_shows_cannot_change_it(rule):
    game = Game((5, 5), 4, rule=rule, rng=SEED)
    for one in (game, copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        cell = int(one.hints.any(axis=tuple(range(2, one.hints.ndim))).argmax())
        with pytest.raises(ValueError, match="read-only"):
            one.board[0, 0] = 3
        right = rule == "groups" or one.hints[(*divmod(cell, 5), 0)]
        stages = one.pop(cell) if rule == "groups" else one.swap(cell, cell + (1 if right else 5))
        stages.clear(), one.stages.clear()
        assert len(one.stages) > 0
        assert one.undo()
        assert np.array_equal(one.board, game.board)
