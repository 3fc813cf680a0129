"""The game of minesweeper as pure state: what is open, what is flagged, and the three moves.

A first click that is safe is a condition on the board, not a repair of it: the board is
drawn when the first cell is clicked, uniformly over the boards that the click allows. A
game that lays the board first and moves a mine out of the click's way has another law.
"""

import numpy as np

from .. import grid
from . import clues, placers

__all__ = ["FLAG", "HIDDEN", "HIT", "LEVELS", "WRONG", "Game"]

#: What `Game.shown` has besides the numbers 0 to 8 and `MINE`: a cell not yet open, one with a flag,
#: and of a lost game a flag on a free cell and the mine that was hit.
HIDDEN, FLAG, WRONG, HIT = 10, 11, 12, 13

#: Shape and number of mines of the three classic levels.
LEVELS = {"beginner": ((9, 9), 10), "intermediate": ((16, 16), 40), "expert": ((16, 30), 99)}

#: How a game is written as text, one sign for each value of `Game.shown`.
SIGNS = ".12345678*#Fx!"


class Game:
    """A game of minesweeper: hidden, open and flagged cells, and what a move makes of them.

    The first click is safe. The board is drawn by it, uniformly over all boards with
    `n_mines` mines that leave free the cell clicked, or with ``opening=True`` the cell
    and its up to eight neighbours. The same seed and the same moves give the same game.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the board.
    n_mines : int
        Number of mines, at most what leaves the safe cells of every possible first click
        free: all cells but one, or with ``opening=True`` all but those of a whole opening,
        nine on a board of at least 3 x 3.
    opening : bool
        Whether the first click opens a region: it shows a 0.
    rng : `numpy.random.Generator` or seed, optional
        The source of randomness, used once, by the first click.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns.
    n_mines : int
        Number of mines.
    opening : bool
        As given.
    first : int or None
        Flat index of the first cell that was opened by a move.
    board : ndarray of bool, shape (rows, cols), or None
        The mines, not to be written to; None until the board is drawn.
    won, lost : bool
        Whether the game has ended, and how.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Notes
    -----
    A cell is a flat index or a pair (row, col). A flag protects its cell: it is not opened
    until the flag is taken off, neither by a click nor with the region around it. A move
    that means nothing, such as opening a flagged cell or any move after the end, changes
    nothing; every move returns whether it changed something. A game is won when all free
    cells are open; then all mines get their flags. The moves cost O(cells).

    Examples
    --------
    >>> game = Game((4, 6), 3, rng=7)
    >>> game.reveal((3, 0))
    True
    >>> game.won or game.lost, game.remaining
    (False, 3)
    """

    def __init__(self, shape, n_mines, *, opening=False, rng=None):
        rows, cols = self.shape = grid.as_shape(shape)
        if not isinstance(opening, bool | np.bool_):
            raise TypeError(f"opening must be True or False, got {opening!r}")
        self.opening = bool(opening)
        safe = min(rows, 3) * min(cols, 3) if self.opening else 1
        click = "with a free opening at any first click" if self.opening else "with a safe first click"
        self.n_mines = grid.as_int("n_mines", n_mines, 0, rows * cols - safe, where=f" on {rows}x{cols} cells {click}")
        self._rng = grid.as_rng(rng)
        self.board = self.first = self._numbers = None
        self.won = self.lost = False
        self._open, self._flagged = np.zeros(self.shape, bool), np.zeros(self.shape, bool)

    @classmethod
    def of(cls, board):
        """Make a game of a given board, whose first click is as it lies.

        Parameters
        ----------
        board : array_like of bool, shape (rows, cols)
            The mines, any number of them: the first click may hit one.

        Returns
        -------
        Game
            A game in which nothing is open yet.

        Raises
        ------
        TypeError, ValueError
            If `board` is not one mask.

        Examples
        --------
        >>> game = Game.of([[0, 0, 0, 1]])
        >>> game.reveal(0), game.won
        (True, True)
        >>> print(game)
        ..1F
        """
        board = grid.as_masks("board", board)
        if board.ndim != 2:
            raise ValueError(f"board must have 2 axes, got {board.ndim}")
        game = cls(board.shape, 0)
        game.n_mines = int(board.sum())
        game._lay(board.copy())
        return game

    def __repr__(self):
        """Say what the game is, and show it."""
        rows, cols = self.shape
        return f"<Game: {rows}x{cols} cells, {self.n_mines} mines>\n{self}"

    def __str__(self):
        """Write what a player sees: digits and ``.``, ``#`` hidden, ``F`` flag, ``*`` mine, ``!`` hit, ``x`` wrong."""
        return "\n".join("".join(SIGNS[value] for value in row) for row in self.shown.tolist())

    @property
    def open(self):
        """The open cells, a bool array (rows, cols): a copy."""
        return self._open.copy()

    @property
    def flagged(self):
        """The cells with a flag, a bool array (rows, cols): a copy."""
        return self._flagged.copy()

    @property
    def hidden(self):
        """The cells that are not open, flagged or not, a bool array (rows, cols): a copy."""
        return ~self._open

    @property
    def started(self):
        """Whether a cell has been opened."""
        return self.first is not None

    @property
    def over(self):
        """Whether the game is won or lost."""
        return self.won or self.lost

    @property
    def remaining(self):
        """Mines minus flags: below 0 if there are too many flags."""
        return self.n_mines - int(self._flagged.sum())

    @property
    def shown(self):
        """What a player sees, a uint8 array (rows, cols).

        0 to 8 are the numbers of open cells, `HIDDEN` and `FLAG` the others. When the game
        is lost `HIT` is a mine that was opened, `MINE` one that had no flag, and `WRONG` a
        flag on a free cell.
        """
        seen = np.full(self.shape, HIDDEN, np.uint8)
        if self.started:
            seen[self._open] = self._numbers[self._open]
        seen[self._flagged] = FLAG
        if self.lost:
            seen[self.board & ~self._flagged] = clues.MINE
            seen[self._flagged & ~self.board] = WRONG
            seen[self.board & self._open] = HIT
        return seen

    def reveal(self, cell):
        """Open a cell, and where it shows 0 the region of it.

        Parameters
        ----------
        cell : int or tuple of int
            A flat index or a pair (row, col).

        Returns
        -------
        bool
            Whether the move changed anything: not on a flagged or open cell, nor after the end.

        Raises
        ------
        TypeError, ValueError
            If `cell` is no cell of the board.

        Notes
        -----
        The first of these moves draws the board, unless the game was made `of` one.

        Examples
        --------
        >>> game = Game((1, 1), 0)
        >>> game.reveal(0), game.won, game.reveal(0)
        (True, True, False)
        """
        cell = placers.as_cell(self.shape, cell)
        if self.over or self._open.flat[cell] or self._flagged.flat[cell]:
            return False
        if self.board is None:
            safe = placers.opening_mask(self.shape, cell) if self.opening else [cell]
            self._lay(placers.floyd(self.shape, self.n_mines, safe=safe, rng=self._rng))
        if self.first is None:
            self.first = cell
        self._uncover([cell])
        return True

    def flag(self, cell):
        """Put a flag on a hidden cell, or take it off.

        Parameters
        ----------
        cell : int or tuple of int
            A flat index or a pair (row, col).

        Returns
        -------
        bool
            Whether the move changed anything: not on an open cell, nor after the end.

        Raises
        ------
        TypeError, ValueError
            If `cell` is no cell of the board.

        Notes
        -----
        A flag before the first click says nothing about the board that the click draws.

        Examples
        --------
        >>> game = Game((2, 2), 1)
        >>> game.flag((0, 1)), game.remaining
        (True, 0)
        """
        cell = placers.as_cell(self.shape, cell)
        if self.over or self._open.flat[cell]:
            return False
        self._flagged.flat[cell] ^= True
        return True

    def chord(self, cell):
        """Open all cells around an open number that has as many flags around it as it says.

        Parameters
        ----------
        cell : int or tuple of int
            A flat index or a pair (row, col).

        Returns
        -------
        bool
            Whether the move changed anything: not on a hidden cell, where the flags are
            not as many, where there is nothing left to open, nor after the end.

        Raises
        ------
        TypeError, ValueError
            If `cell` is no cell of the board.

        Notes
        -----
        A wrong flag makes it open a mine, which loses the game.

        Examples
        --------
        >>> game = Game.of([[0, 1, 0]])
        >>> game.reveal(0), game.flag(1), game.chord(0)
        (True, True, False)
        """
        cell = placers.as_cell(self.shape, cell)
        if self.over or not self._open.flat[cell]:
            return False
        around = placers.opening_mask(self.shape, cell) & ~self._open
        if (around & self._flagged).sum() != self._numbers.flat[cell]:
            return False
        cells = np.flatnonzero(around & ~self._flagged)
        self._uncover(cells.tolist())
        return cells.size > 0

    def _lay(self, board):
        """Take a board as the one that is played."""
        self.board, self._numbers = board, clues.numbers(board)
        board.flags.writeable = False  # its numbers would no longer be true

    def _uncover(self, cells):
        """Open hidden cells without a flag, each with its region, and see whether that ends the game."""
        for cell in cells:
            if not self._open.flat[cell]:
                self._open |= clues.reveal(self.board, cell) & ~self._flagged
        self.lost = bool((self._open & self.board).any())
        self.won = not self.lost and bool((self._open | self.board).all())
        if self.won:
            self._flagged = self.board.copy()
