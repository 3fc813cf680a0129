"""Cascades: what clears is taken away, the rest falls, new cells come from above, until nothing clears any more.

One *step* of a cascade, by lines of three; here no new cells come::

    b a b     b a b     . . .     Row 1 clears. What is above it falls, and now
    c c c     . . .     b a b     the first column is a line: the next step.
    b a a     b a a     b a a
    b c a     b c a     b c a
"""

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from .. import grid
from . import rules

__all__ = ["Cascade", "Stage", "cascade", "clear", "fall", "refill", "stages"]

#: Cells looked at in one call of a kernel, some 50 ms: between two calls an interrupt gets through.
WORK = 2**24

#: Steps noted in one call of a kernel.
LOG = 2**16

#: The most steps that may be asked for.
MOST = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Cascade:
    """Where cascades ended, and how they came there.

    Attributes
    ----------
    boards : ndarray of int8, shape (..., rows, cols)
        The boards at the end.
    steps : ndarray of int32, shape (...)
        The steps of each; 0 for one on which nothing cleared.
    cleared : ndarray of int32, shape (..., most steps)
        The cells cleared in each step, 0 after the last.
    score : ndarray of int64, shape (...)
        The cells cleared in the first step, twice those in the second, and so on.
    settled : ndarray of bool, shape (...)
        Whether nothing clears at the end; False where the limit came first.
    """

    boards: np.ndarray = field(repr=False)
    steps: np.ndarray
    cleared: np.ndarray = field(repr=False)
    score: np.ndarray
    settled: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """One step of a cascade on one board.

    Attributes
    ----------
    board : ndarray of int8, shape (rows, cols)
        The board before.
    labels : ndarray of int32, shape (rows, cols)
        What clears, as in `gridlab.match3.matches`.
    cleared, fallen, refilled : ndarray of int8, shape (rows, cols)
        The board without it, after the fall, and with new cells. The last is the board of the next stage.
    """

    board: np.ndarray = field(repr=False)
    labels: np.ndarray
    cleared: np.ndarray = field(repr=False)
    fallen: np.ndarray = field(repr=False)
    refilled: np.ndarray = field(repr=False)


def clear(boards, cells):
    """Empty some cells.

    Parameters
    ----------
    boards : array_like of int, shape (..., rows, cols)
        Colours from 0 to 126, -1 on empty cells.
    cells : array_like of int or bool, shape (..., rows, cols)
        A mask, or labels as of `gridlab.match3.matches`: all cells but those with 0 are emptied.

    Returns
    -------
    ndarray of int8, shape (..., rows, cols)
        The boards, with -1 on these cells.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range, or shapes differ.

    Examples
    --------
    >>> board = [[0, 0, 0], [1, 2, 1]]
    >>> clear(board, rules.matches(board))
    array([[-1, -1, -1],
           [ 1,  2,  1]], dtype=int8)
    """
    boards = rules._as_boards("boards", boards)
    try:
        cells = np.asarray(cells)
    except ValueError:  # numpy's own words do not say of what
        raise ValueError(f"cells must have the boards' shape {boards.shape}, got rows of different lengths") from None
    if cells.dtype.kind not in "biu":
        raise TypeError(f"cells must be a mask or labels, got dtype {cells.dtype}")
    if cells.shape != boards.shape:
        raise ValueError(f"cells must have the boards' shape {boards.shape}, got {cells.shape}")
    return np.where(cells != 0, np.int8(-1), boards)


def fall(boards):
    """Let all cells fall, each column in its order, so that empty ones are on top.

    Parameters
    ----------
    boards : array_like of int, shape (..., rows, cols)
        Colours from 0 to 126, -1 on empty cells.

    Returns
    -------
    ndarray of int8, shape (..., rows, cols)
        The boards after the fall.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Examples
    --------
    >>> fall([[0, 1], [-1, 2], [1, -1]])
    array([[-1, -1],
           [ 0,  1],
           [ 1,  2]], dtype=int8)
    """
    fallen = rules._as_boards("boards", boards).copy()
    batch = grid.batch(fallen)
    for some in grid.pieces(batch, rules.PIECE):
        _fall_all(batch[some])
    return fallen


@njit(cache=True)
def _fall_all(boards):
    """Let the cells of all boards fall."""
    for board in boards:
        _fall(board)


@njit(cache=True)
def _fall(board):
    """Let the cells of a board fall, column by column from the bottom."""
    rows, cols = board.shape
    for col in range(cols):
        free = rows - 1
        for row in range(rows - 1, -1, -1):
            colour = board[row, col]
            if colour >= 0:
                board[row, col] = -1
                board[free, col] = colour
                free -= 1


def refill(boards, n_colours, *, rng=None):
    """Give the empty cells colours.

    Colours are independent and uniform.

    Parameters
    ----------
    boards : array_like of int, shape (..., rows, cols)
        Colours from 0 to 126, -1 on empty cells.
    n_colours : int
        Number of colours of the new cells, from 1 to 127.
    rng : `numpy.random.Generator` or seed, optional
        Anything `numpy.random.default_rng` accepts.

    Returns
    -------
    ndarray of int8, shape (..., rows, cols)
        The boards without an empty cell.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Notes
    -----
    One ``rng.random()`` an empty cell, board after board in row-major order; the colour is the whole part of
    ``n_colours`` times it.

    Examples
    --------
    >>> refill([[-1, -1, 0], [1, -1, 2]], 3, rng=1)
    array([[1, 2, 0],
           [1, 0, 2]], dtype=int8)
    """
    filled = rules._as_boards("boards", boards).copy()
    n_colours = _as_n_colours(n_colours)
    rng = grid.as_rng(rng)
    batch = grid.batch(filled)
    for some in grid.pieces(batch, rules.PIECE):
        _refill_all(batch[some], n_colours, rng)
    return filled


@njit(cache=True)
def _refill_all(boards, n_colours, rng):
    """Give the empty cells of all boards colours."""
    for board in boards:
        _refill(board, n_colours, rng)


@njit(cache=True)
def _refill(board, n_colours, rng):
    """Give the empty cells of a board colours."""
    rows, cols = board.shape
    for row in range(rows):
        for col in range(cols):
            if board[row, col] < 0:
                board[row, col] = int(rng.random() * n_colours)


def cascade(boards, n_colours=None, *, rule="lines", length=3, limit=1000, rng=None):
    """Let boards clear, fall and refill, step by step until nothing clears any more.

    Parameters
    ----------
    boards : array_like of int, shape (..., rows, cols)
        Colours from 0 to 126, -1 on empty cells.
    n_colours : int, optional
        Number of colours of the new cells, from 1 to 127, independent and uniform. By default no new ones come.
    rule : {"lines", "groups"}
        Whether runs of equal cells in a row or column clear, or groups joined by edges.
    length : int
        Cells of the shortest run, or of the smallest group, that clears, from 2 on.
    limit : int
        The most steps, from 0 on. By groups of two or three colours a cascade may practically never end.
    rng : `numpy.random.Generator` or seed, optional
        Anything `numpy.random.default_rng` accepts.

    Returns
    -------
    Cascade
        With the boards at the end, steps, cells cleared, score, and which are settled.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    See Also
    --------
    stages : Every step on one board, to look at.

    Notes
    -----
    A step clears all that `gridlab.match3.matches` labels, at once; then `fall`; then `refill`. A board on
    which nothing clears stays as it is, also where it has holes, and takes no random number. Boards are played
    one after another, each to its end, with the random numbers as in `refill`: what becomes of a board does
    not depend on later ones. Some 0.7 µs a step of 9 x 9 cells by lines, 2 µs by groups; takes 5 bytes a board
    and step of the longest cascade, and 4 a step of all.

    Examples
    --------
    >>> board = [[1, 0, 1], [2, 2, 2], [1, 0, 0], [1, 2, 0]]
    >>> end = cascade(board)
    >>> end.boards
    array([[-1, -1, -1],
           [-1,  0,  1],
           [-1,  0,  0],
           [-1,  2,  0]], dtype=int8)
    >>> end.cleared, int(end.score), bool(end.settled)
    (array([3, 3], dtype=int32), 9, True)
    """
    ends = rules._as_boards("boards", boards).copy()
    n_colours = 0 if n_colours is None else _as_n_colours(n_colours)
    groups, length = rules._as_rule(rule, length)
    limit = grid.as_int("limit", limit, 0, MOST)
    rng = grid.as_rng(rng)

    batch = grid.batch(ends)
    steps, score, settled = np.zeros(len(batch), np.int32), np.zeros(len(batch), np.int64), np.zeros(len(batch), bool)
    marks, stack = np.empty((1, *batch.shape[1:]), np.uint8), np.empty(batch.shape[1] * batch.shape[2], np.int32)
    index, log, logs = 0, np.empty(LOG, np.int32), []
    while index < len(batch):
        index, n = _cascade(
            batch, index, steps, score, settled, groups, length, n_colours, limit, log, marks, stack, WORK, rng
        )
        logs.append(log[:n].copy())

    cleared = np.zeros((len(batch), steps.max(initial=0)), np.int32)
    if logs:
        cleared[np.arange(cleared.shape[1]) < steps[:, None]] = np.concatenate(logs)
    ahead = ends.shape[:-2]
    return Cascade(
        ends,
        steps.reshape(ahead)[()],
        cleared.reshape(*ahead, cleared.shape[1]),
        score.reshape(ahead)[()],
        settled.reshape(ahead)[()],
    )


@njit(cache=True)
def _cascade(boards, index, steps, score, settled, groups, length, n_colours, limit, log, marks, stack, work, rng):
    """Go on with the board `index` until all are at an end, the log is full, or `work` cells were looked at.

    Give the board to go on with, and how many steps are in the log.
    """
    n_logged, seen = 0, 0
    while index < len(boards):
        board = boards[index]
        while True:
            if n_logged == len(log) or seen >= work:
                return index, n_logged
            n_marked = rules._marks(boards[index : index + 1], groups, length, marks, stack)
            seen += marks.size
            settled[index] = n_marked == 0
            if n_marked == 0 or steps[index] == limit:
                break
            for row in range(board.shape[0]):
                for col in range(board.shape[1]):
                    if marks[0, row, col]:
                        board[row, col] = -1
            _fall(board)
            if n_colours > 0:
                _refill(board, n_colours, rng)
            log[n_logged] = n_marked
            n_logged += 1
            steps[index] += 1
            score[index] += np.int64(steps[index]) * n_marked
        index += 1
    return index, n_logged


def stages(board, n_colours=None, *, rule="lines", length=3, limit=1000, rng=None):
    """List every step of the cascade of one board.

    Parameters
    ----------
    board : array_like of int, shape (rows, cols)
        Colours from 0 to 126, -1 on empty cells.
    n_colours, rule, length, limit, rng
        As in `cascade`.

    Returns
    -------
    list of Stage
        With the board before, what clears, and the board without it, after the fall and with new cells.

    Raises
    ------
    TypeError, ValueError
        As in `cascade`, or if there is more than one board.

    See Also
    --------
    cascade : The same for many boards, fast. With the same `rng` it ends in the same board.

    Examples
    --------
    >>> steps = stages([[1, 0, 1], [2, 2, 2], [1, 0, 0], [1, 2, 0]])
    >>> steps[0].fallen
    array([[-1, -1, -1],
           [ 1,  0,  1],
           [ 1,  0,  0],
           [ 1,  2,  0]], dtype=int8)
    >>> steps[1].labels
    array([[0, 0, 0],
           [1, 0, 0],
           [1, 0, 0],
           [1, 0, 0]], dtype=int32)
    """
    board = rules._as_boards("board", board)
    if board.ndim != 2:
        raise ValueError(f"board must have shape (rows, cols), got {board.shape}")
    n_colours = None if n_colours is None else _as_n_colours(n_colours)
    limit = grid.as_int("limit", limit, 0, MOST)
    rng = grid.as_rng(rng)
    found, labels = [], rules.matches(board, rule=rule, length=length)
    while len(found) < limit and labels.any():
        cleared = clear(board, labels)
        fallen = fall(cleared)
        refilled = fallen if n_colours is None else refill(fallen, n_colours, rng=rng)
        found.append(Stage(board, labels, cleared, fallen, refilled))
        board = refilled
        labels = rules.matches(board, rule=rule, length=length)
    return found


def _as_n_colours(n_colours):
    """Return a number of colours, or say what is wrong with it."""
    return grid.as_int("n_colours", n_colours, 1, rules.HIGHEST + 1)
