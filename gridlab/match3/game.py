"""The game of match-3 as pure state: a board, a score, and the turns, which can be taken back.

A turn is played to its end at once. Whoever wants to watch it takes the stages it returns.
"""

import numpy as np

from .. import grid
from . import arrangements, boards, cascades, rules

__all__ = ["Game"]

#: The most boards that are drawn to find one with a group, and the most cells in all of them, and of a batch.
TRIES, CELLS, BATCH = 10_000, 2**27, 2**20


class Game:
    """A game of match-3: neighbours are swapped to make lines, or groups are taken.

    By ``rule="lines"`` a turn swaps two neighbours. It is a move if a run of at least
    `length` equal cells comes of it through one of them; then what matches clears, the
    rest falls, and the holes are refilled with uniform colours, until nothing matches.
    The first board is uniform over the boards that are settled and have a move.

    By ``rule="groups"`` a turn takes a group of at least `length` equal cells joined by
    edges. It clears, the rest falls, and the holes are refilled; nothing clears by
    itself. The first board is uniform over the boards that have such a group.

    The same seed and the same turns give the same game.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the board.
    n_colours : int
        Number of colours, from 1 to 127.
    rule : {"lines", "groups"}
        What clears.
    length : int
        The least cells of a run or a group that clears, at least 2.
    refill : bool
        Whether holes are refilled. If not they stay, and the game has an end.
    limit : int
        The most steps of one turn, at least 1. With few colours a cascade may go on for
        thousands: what it cuts short goes on with the next turn.
    rng : `numpy.random.Generator` or seed, optional
        The source of randomness. The board is drawn with it, and then the seed of a
        generator of the game's own, which `undo` can turn back.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns.
    n_colours, rule, length, refill, limit
        As given.
    board : ndarray of int8, shape (rows, cols)
        The colours, -1 on an empty cell; not to be written to.
    score : int
        The sum over all steps of all turns: the step's number in its turn times the cells cleared in it.
    turns : int
        Number of turns.
    stages : list of Stage
        Every step of the last turn.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range, or no board meets the conditions.

    Notes
    -----
    A cell is a flat index or a pair (row, col). What is no move changes nothing, and
    returns an empty list. By ``rule="groups"`` boards are drawn until one has a group:
    where that is so rare that 10,000 had none the request is refused. A turn costs
    O(cells) a step, and O(cells) memory, as long as it can be taken back. A program that
    tries turns and takes them back sees the colours that will come in: to judge a turn
    without, play it with `stages` or `cascade` and a generator of its own.

    See Also
    --------
    cascade : Plays a batch of boards to their ends.

    Examples
    --------
    >>> game = Game((4, 5), 3, rule="groups", refill=False, rng=3)
    >>> while not game.over:
    ...     stages = game.pop(int(game.hints.argmax()))
    >>> game.score, int((game.board < 0).sum())
    (16, 16)
    """

    def __init__(self, shape, n_colours, *, rule="lines", length=3, refill=True, limit=100, rng=None):
        shape = self._check(shape, n_colours, rule, length, refill, limit)
        rng = grid.as_rng(rng)
        self._begin(self._draw(shape, rng), rng)

    @classmethod
    def of(cls, board, n_colours=None, *, rule="lines", length=3, refill=True, limit=100, rng=None):
        """Make a game of a given board.

        Parameters
        ----------
        board : array_like of int, shape (rows, cols)
            Colours from 0 on, -1 on an empty cell. It need not be settled: what matches
            clears with the first turn.
        n_colours : int, optional
            The colours to refill with; by default the highest on the board and those below it.
        rule, length, refill, limit, rng
            As in `Game`.

        Returns
        -------
        Game
            A game without a turn yet.

        Raises
        ------
        TypeError, ValueError
            If an argument is of a wrong type or out of its range.

        Examples
        --------
        >>> game = Game.of([[0, 0, 1, 0]], refill=False)
        >>> [stage.board.tolist() for stage in game.swap((0, 2), (0, 3))]
        [[[0, 0, 0, 1]]]
        >>> print(game)
        . . . 1
        """
        board = rules._as_boards("board", board)
        if board.ndim != 2:
            raise ValueError(f"board must have 2 axes, got {board.ndim}")
        least = max(1, int(board.max()) + 1)
        n_colours = least if n_colours is None else grid.as_int("n_colours", n_colours, least, rules.HIGHEST + 1)
        game = cls.__new__(cls)
        game._check(board.shape, n_colours, rule, length, refill, limit)
        game._begin(board.copy(), grid.as_rng(rng))
        return game

    def _check(self, shape, n_colours, rule, length, refill, limit):
        """Check and keep what the game is."""
        shape = grid.as_shape(shape)
        self.n_colours = cascades._as_n_colours(n_colours)
        _, self.length = rules._as_rule(rule, length)
        self.rule = rule
        if not isinstance(refill, bool | np.bool_):
            raise TypeError(f"refill must be True or False, got {refill!r}")
        self.refill = bool(refill)
        self.limit = grid.as_int("limit", limit, 1, cascades.MOST)
        return shape

    def _begin(self, board, rng):
        """Start with a board, and with a generator that nobody else uses."""
        self._rng = np.random.default_rng(rng.integers(2**32, size=4, dtype=np.uint32))
        self.score = self.turns = 0
        self._stages, self._past = [], []
        self._lay(board)

    @property
    def board(self):
        """The colours, -1 on an empty cell: a view, not to be written to."""
        board = self._board.view()
        board.flags.writeable = False  # what can be done would no longer be true
        return board

    @property
    def stages(self):
        """Every step of the last turn, a list of Stage."""
        return list(self._stages)

    def __repr__(self):
        """Say what the game is, and show it."""
        rows, cols = self.shape
        return f"<Game: {rows}x{cols} cells, {self.n_colours} colours, {self.rule} of {self.length}>\n{self}"

    def __str__(self):
        """Write the colours as numbers, ``.`` an empty cell."""
        wide = len(str(self.n_colours - 1))
        return "\n".join(
            " ".join(f"{'.' if cell < 0 else cell:>{wide}}" for cell in row) for row in self.board.tolist()
        )

    @property
    def shape(self):
        """Rows and columns."""
        return self.board.shape

    @property
    def hints(self):
        """What can be done, a bool array: a copy.

        By lines it is (rows, cols, 2): entry 0 is a swap with the right neighbour, 1 with
        the one below. By groups it is (rows, cols): the cells that can be taken.
        """
        return self._hints.copy()

    @property
    def n_moves(self):
        """Number of different turns there are: swaps, or groups."""
        return self._n_moves

    @property
    def over(self):
        """Whether nothing can be done, but to reshuffle or to take a turn back."""
        return self._n_moves == 0

    @property
    def settled(self):
        """Whether nothing on the board clears by itself: by lines False only after a cascade cut by the limit."""
        return self.rule == "groups" or bool(rules.is_settled(self.board, rule=self.rule, length=self.length))

    def swap(self, cell, other):
        """Swap two neighbours, if a line comes of it, and let the cascade run.

        Parameters
        ----------
        cell, other : int or tuple of int
            Flat indices or pairs (row, col).

        Returns
        -------
        list of Stage
            Every step of the cascade; none if it is no move, which changes nothing.

        Raises
        ------
        TypeError, ValueError
            If one of them is no cell of the board, or the game is not one of lines.

        Examples
        --------
        >>> game = Game.of([[1, 0, 0], [0, 1, 1]], rng=1)
        >>> game.swap((0, 0), (0, 1))
        []
        >>> stages = game.swap((1, 0), (0, 0))
        >>> stages[0].board.tolist(), game.score >= 6, game.turns
        ([[0, 0, 0], [1, 1, 1]], True, 1)
        """
        if self.rule != "lines":
            raise ValueError(f"swap needs a game of rule 'lines', got one of {self.rule!r}: use pop")
        first, second = sorted(grid.as_cell(self.shape, one) for one in (cell, other))
        cols = self.shape[1]
        right, below = second - first == 1 and second % cols > 0, second - first == cols
        # on a board of one column both steps are one cell on: right is False there
        if not (right or below) or not self._hints.reshape(-1, 2)[first, 0 if right else 1]:
            return []
        board = self.board.copy()
        board.flat[[first, second]] = board.flat[[second, first]]
        self._past.append(self._state())
        self._play(
            cascades.stages(
                board,
                self.n_colours if self.refill else None,
                rule=self.rule,
                length=self.length,
                limit=self.limit,
                rng=self._rng,
            )
        )
        return self.stages

    def pop(self, cell):
        """Take the group a cell is in, if it is large enough.

        Parameters
        ----------
        cell : int or tuple of int
            A flat index or a pair (row, col).

        Returns
        -------
        list of Stage
            The one step there is; none if it is no move, which changes nothing.

        Raises
        ------
        TypeError, ValueError
            If it is no cell of the board, or the game is not one of groups.

        Examples
        --------
        >>> game = Game.of([[1, 0], [0, 0], [1, 1]], rule="groups", refill=False)
        >>> game.pop((2, 0))
        []
        >>> game.pop((1, 1))[0].fallen.tolist(), game.score, game.over
        ([[-1, -1], [1, -1], [1, 1]], 3, False)
        """
        if self.rule != "groups":
            raise ValueError(f"pop needs a game of rule 'groups', got one of {self.rule!r}: use swap")
        cell = grid.as_cell(self.shape, cell)
        if not self._hints.flat[cell]:
            return []
        self._past.append(self._state())
        labels = (self._groups == self._groups.flat[cell]).astype(np.int32)
        cleared = cascades.clear(self.board, labels)
        fallen = cascades.fall(cleared)
        refilled = cascades.refill(fallen, self.n_colours, rng=self._rng) if self.refill else fallen
        self._play([cascades.Stage(self.board, labels, cleared, fallen, refilled)])
        return self.stages

    def reshuffle(self):
        """Put the same cells on the board in another way, such that there is a move.

        Returns
        -------
        bool
            True if these are the same cells, uniformly arranged among the arrangements
            that a game can begin with. False if there is none, or none was found: then
            it is a new board.

        Raises
        ------
        ValueError
            If holes are not refilled: such a game has an end. Or if no board of this shape could be begun with.

        Notes
        -----
        It is no turn, but it can be taken back like one.

        Examples
        --------
        >>> game = Game.of([[0, 1, 2], [2, 0, 1], [1, 2, 0]], rng=1)
        >>> game.over, game.reshuffle(), game.over
        (True, True, False)
        >>> game = Game.of([[0, 1], [2, 3], [0, 1]], 4, rng=1)  # no three are equal
        >>> game.reshuffle(), game.over
        (False, False)
        """
        if not self.refill:
            raise ValueError("reshuffle needs a game with refill=True, got False: without it the game has an end")
        past = self._state()
        board = self._arrange()
        new = self._draw(self.shape, self._rng) if board is None else board
        self._past.append(past)
        self._stages = []
        self._lay(new)
        return board is not None

    def undo(self):
        """Take back the last turn or reshuffle, and with it the colours that came in.

        Returns
        -------
        bool
            Whether there was one.

        Notes
        -----
        The same turn played again gives the same game.

        Examples
        --------
        >>> game = Game((5, 5), 4, rule="groups", rng=1)
        >>> before, cell = game.board, int(game.hints.argmax())
        >>> after = game.pop(cell)[0].refilled
        >>> game.undo(), bool((game.board == before).all()), game.score
        (True, True, 0)
        >>> bool((game.pop(cell)[0].refilled == after).all())
        True
        """
        if not self._past:
            return False
        board, self.score, self.turns, self._stages, self._rng.bit_generator.state = self._past.pop()
        self._lay(board)
        return True

    def _state(self):
        """Return what undo goes back to."""
        return self.board, self.score, self.turns, self._stages, self._rng.bit_generator.state

    def _play(self, stages):
        """Take the stages of a turn as played."""
        self.turns += 1
        self.score += sum(step * int(np.count_nonzero(stage.labels)) for step, stage in enumerate(stages, 1))
        self._stages = list(stages)
        self._lay(stages[-1].refilled)

    def _lay(self, board):
        """Take a board as the one that is played, and see what can be done on it."""
        self._board = board
        if self.rule == "lines":
            self._hints = rules.moves(board, rule=self.rule, length=self.length)
            self._n_moves = int(np.count_nonzero(self._hints))
        else:
            self._groups = rules.matches(board, rule=self.rule, length=self.length)
            self._hints = self._groups > 0
            self._n_moves = int(self._groups.max())

    def _draw(self, shape, rng):
        """Draw a board to begin with."""
        if self.rule == "lines":
            return boards.board(shape, self.n_colours, rule=self.rule, length=self.length, movable=True, rng=rng)
        rows, cols = shape
        where = f" on a board of {rows}x{cols}"
        if self.length > rows * cols:
            raise ValueError(f"length must be at most {rows * cols}, the cells of the board, got {self.length}")
        board = self._first_with_group(
            shape, lambda n: rng.integers(self.n_colours, size=(n, rows, cols), dtype=np.int8)
        )
        if board is None:
            raise ValueError(
                f"length must be such that groups of it are not too rare{where} with {self.n_colours} colours, "
                f"got {self.length}: no board of thousands had one, take a smaller length or fewer colours"
            )
        return board

    def _arrange(self):
        """Arrange the cells of the board such that a game can begin with it, or return None."""
        if self.rule == "lines":
            try:
                return arrangements.reshuffle(self.board, rule=self.rule, length=self.length, rng=self._rng)
            except ValueError:  # no arrangement of them is settled and has a move
                return None
        filled = self.board >= 0
        cells = self.board[filled]
        if np.bincount(cells, minlength=1).max() < self.length:
            return None

        def draw(n):
            arranged = np.tile(self.board, (n, 1, 1))
            arranged[:, filled] = self._rng.permuted(np.tile(cells, (n, 1)), axis=1)
            return arranged

        return self._first_with_group(self.shape, draw)

    def _first_with_group(self, shape, draw):
        """Return the first of the boards that ``draw(n)`` gives that has a group, or None if that is too rare."""
        cells = shape[0] * shape[1]
        left = max(1, min(TRIES, CELLS // cells))
        n = 1
        while left > 0:
            drawn = draw(n)
            found = ~rules.is_settled(drawn, rule=self.rule, length=self.length)
            if found.any():
                return drawn[found.argmax()].copy()
            left -= n
            n = min(4 * n, left, max(1, BATCH // cells))
        return None
