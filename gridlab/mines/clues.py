"""What a board shows: its numbers, what a click opens, and how many clicks it takes.

The *number* of a free cell is that of the mines among its up to 8 neighbours. A click on a free
cell with the number 0 opens all zeros that can be reached from it over edges and corners,
and their *rim*, the numbered cells around them. Zeros and rim together are an
*opening*; two openings may share cells of their rims. Numbered cells that belong to no opening must be
clicked one by one. A group of them that holds together over edges and corners is
an *island*. Here are a board, with dots for zeros, and the same with the cells of islands
replaced by letters; there is one opening, and the two cells ``a`` meet at a corner::

    * 2 1 . . . . .      * a 1 . . . . .
    2 * 1 . . 1 1 1      a * 1 . . 1 1 1
    1 1 1 . 1 2 * 1      1 1 1 . 1 2 * b
    . . . . 1 * 2 1      . . . . 1 * b b

The least number of left clicks that open all free cells is the board's *3BV*
(Bechtel's board benchmark value): one for each opening and one for each cell of an island, 6 here.

The kernel that gives numbers does not care what it counts: of a board's zeros instead of its mines, it
is 9 on them, above 0 on their rims, and 0 on the cells of islands and on mines.
"""

import numpy as np
from numba import njit

from .. import grid
from .placers import as_cell

__all__ = ["MINE", "bbbv", "islands", "numbers", "openings", "reveal"]

#: What `numbers` says of a mine. No free cell has more than 8.
MINE = 9

#: Cells of a batch that are looked at in one go: what is computed on the way stays in the processor's cache.
PIECE = 2**18

#: Cells of a board in a band: its sums, its mines and its numbers fit into the fastest cache.
BAND = 3 * 2**12


def numbers(boards, *, periodic=False):
    """Count the mines around each cell.

    Parameters
    ----------
    boards : array_like of bool, shape (..., rows, cols)
        True on mines.
    periodic : bool
        Whether opposite sides of the board are joined; then sides are at least 3.

    Returns
    -------
    ndarray of uint8, shape (..., rows, cols)
        The number of mines among the 8 neighbours, and `MINE` on a mine.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Notes
    -----
    O(``rows * cols``) a board: about 0.1 ns a cell on a large board, 0.4 ns in a batch of expert boards,
    1 ns on periodic ones. Takes no memory beyond the result but some rows, or periodic boards of 2**18 cells.

    Examples
    --------
    >>> numbers([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    array([[9, 2, 1, 0],
           [2, 9, 1, 0],
           [1, 1, 1, 0]], dtype=uint8)
    """
    boards = grid.as_masks("boards", boards)
    if periodic is not False:
        grid.as_shape(boards.shape[-2:], periodic)
    shown = np.empty(boards.shape, np.uint8)
    batch, counts = grid.batch(boards), grid.batch(shown)
    for some in grid.pieces(batch, PIECE):
        _count(counts[some], batch[some], periodic)
    return shown


def _count(shown, marks, periodic):
    """Fill in the numbers of a batch, on a periodic grid as the inside of a larger open one."""
    if periodic:
        framed = np.pad(marks, [(0, 0), (1, 1), (1, 1)], mode="wrap")
        around = np.empty(framed.shape, np.uint8)
        _count(around, framed, False)
        shown[:] = around[:, 1:-1, 1:-1]
    else:
        _numbers(shown, grid.plain(marks).view(np.uint8), min(max(1, BAND // marks.shape[2]), marks.shape[1]))


@njit(cache=True)
def _numbers(numbers, marks, height):
    """Add up threes down, then across, in bands of `height` rows, at most all. Both arrays are contiguous.

    Loops run over the cells of whole bands, so that short rows cost little more than long ones, and all
    is uint8, so that one instruction adds some tens of cells. The price is that sums across reach round
    the ends of rows: that is taken back afterwards.
    """
    n_boards, rows, cols = marks.shape
    marks, numbers = marks.reshape(-1), numbers.reshape(-1)
    framed = np.empty((height + 2) * cols, np.uint8)
    left = np.zeros(height * cols + 2, np.uint8)
    middle, right = left[1:], left[2:]
    for k in range(n_boards):
        for top in range(0, rows, height):
            bottom = min(top + height, rows)
            start, stop = (k * rows + top) * cols, (k * rows + bottom) * cols
            here, out = marks[start:stop], numbers[start:stop]
            n = stop - start

            if top > 0 and bottom < rows:
                above, below = marks[start - cols :], marks[start + cols :]
            else:  # a copy, with a row of zeros where the board ends
                framed[:] = 0
                first, last = max(top - 1, 0), min(bottom + 1, rows)
                near = marks[(k * rows + first) * cols : (k * rows + last) * cols]
                inside = framed[(first - top + 1) * cols :]
                for i in range(len(near)):
                    inside[i] = near[i]
                above, below = framed, framed[2 * cols :]

            for i in range(n):
                middle[i] = above[i] + here[i] + below[i]
            middle[n] = 0
            for i in range(n):
                total = left[i] + middle[i] + right[i]
                out[i] = MINE if here[i] else total
            for i in range(cols, n, cols):  # where a row begins
                if not here[i]:
                    out[i] -= left[i]
                if not here[i - 1]:
                    out[i - 1] -= right[i - 1]


def reveal(board, cell, *, periodic=False):
    """Mark the cells that a click opens.

    Parameters
    ----------
    board : array_like of bool, shape (rows, cols)
        True on mines.
    cell : int or tuple of int
        Where the click is: a flat index, or (row, col).
    periodic : bool
        Whether opposite sides of the board are joined; then sides are at least 3.

    Returns
    -------
    ndarray of bool, shape (rows, cols)
        The cell alone where it is a mine or shows a number from 1; else its whole opening.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Notes
    -----
    O(``rows * cols``), without recursion: some 15 ms for a million cells without a mine.

    Examples
    --------
    >>> board = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    >>> reveal(board, (1, 3)).astype(int)
    array([[0, 0, 1, 1],
           [0, 0, 1, 1],
           [0, 0, 1, 1]])
    >>> int(reveal(board, (0, 1)).sum())
    1
    """
    board = grid.as_masks("board", board)
    if board.ndim != 2:
        raise ValueError(f"board must have 2 axes, got {board.ndim}")
    cell = as_cell(board.shape, cell)
    shown = numbers(board, periodic=periodic)
    if shown.flat[cell] != 0:
        opened = np.zeros(board.shape, bool)
        opened.flat[cell] = True
        return opened
    home, steps = grid.padded(board.shape, periodic=periodic)
    zeros = np.pad(shown == 0, 1)
    left = zeros.copy()
    row, col = divmod(cell, board.shape[1])
    _take(left.reshape(-1), (row + 1) * left.shape[1] + col + 1, home, steps, np.empty(board.size, np.int32))
    region = (zeros & ~left)[1:-1, 1:-1]
    return numbers(region, periodic=periodic) > 0  # the rim are the cells that would show a number, were zeros mines


@njit(cache=True)
def _take(left, start, home, steps, stack):
    """Take the part of the marked cell `start` out of `left`, a framed grid as in `grid.padded`.

    `stack` has room for all marked cells. Nothing is marked on the frame.
    """
    left[start] = False
    stack[0] = start
    n_stack = 1
    while n_stack > 0:
        n_stack -= 1
        cell = stack[n_stack]
        for step in steps:
            other = home[cell + step]
            if left[other]:
                left[other] = False
                stack[n_stack] = other
                n_stack += 1


def openings(boards, *, periodic=False):
    """Count the openings: connected groups of zeros, each opened by one click.

    Parameters
    ----------
    boards : array_like of bool, shape (..., rows, cols)
        True on mines.
    periodic : bool
        Whether opposite sides of the board are joined; then sides are at least 3.

    Returns
    -------
    ndarray of int64, shape (...)
        Openings of each board; of a single board a scalar.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    See Also
    --------
    islands : What is left of the numbered cells.

    Notes
    -----
    O(``rows * cols``) a board.

    Examples
    --------
    >>> int(openings(grid.parse("x....... / .x...... / ......x. / .....x..")))
    1
    """
    return _figure(boards, periodic, lambda alone, zeros, around: _n_parts(zeros, around))


def islands(boards, *, periodic=False):
    """Count the islands: connected groups of the numbered cells in no opening.

    Such cells hold together over edges and corners, as zeros do: there is a drawing in
    `gridlab.mines.clues`. Each cell of an island takes a click of its own.

    Parameters
    ----------
    boards : array_like of bool, shape (..., rows, cols)
        True on mines.
    periodic : bool
        Whether opposite sides of the board are joined; then sides are at least 3.

    Returns
    -------
    ndarray of int64, shape (...)
        Islands of each board; of a single board a scalar.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    See Also
    --------
    openings : The groups of zeros.

    Notes
    -----
    O(``rows * cols``) a board.

    Examples
    --------
    >>> int(islands(grid.parse("x....... / .x...... / ......x. / .....x..")))
    2
    """
    return _figure(boards, periodic, lambda alone, zeros, around: _n_parts(alone, around))


def bbbv(boards, *, periodic=False):
    """Count the least left clicks that open all free cells: Bechtel's board benchmark value, 3BV.

    It is the number of openings, plus the number of free cells in no opening. Flags, and
    the chords that they allow, do not count.

    Parameters
    ----------
    boards : array_like of bool, shape (..., rows, cols)
        True on mines.
    periodic : bool
        Whether opposite sides of the board are joined; then sides are at least 3.

    Returns
    -------
    ndarray of int64, shape (...)
        Clicks for each board; of a single board a scalar.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    See Also
    --------
    openings : The clicks on zeros.

    Notes
    -----
    O(``rows * cols``) a board; about 2 µs for an expert board in a batch.

    References
    ----------
    .. [1] "3BV", MinesweeperWiki, https://minesweepergame.com/wiki/3BV.

    Examples
    --------
    >>> int(bbbv(grid.parse("x....... / .x...... / ......x. / .....x..")))
    6
    """
    return _figure(boards, periodic, lambda alone, zeros, around: _n_parts(zeros, around) + alone.sum((1, 2)))


def _figure(boards, periodic, figure):
    """Work out a figure of each board from its cells in no opening, its zeros, and the grid."""
    boards = grid.as_masks("boards", boards)
    around = grid.padded(boards.shape[-2:], periodic=periodic)
    batch = grid.batch(boards)
    figures = np.zeros(len(batch), np.int64)
    for some in grid.pieces(batch, PIECE):
        mines = batch[some]
        shown = np.empty(mines.shape, np.uint8)
        _count(shown, mines, periodic)
        zeros = shown == 0
        _count(shown, zeros, periodic)
        figures[some] = figure((shown == 0) & ~mines, zeros, around)
    return figures.reshape(boards.shape[:-2])[()]


def _n_parts(marks, around):
    """Count the parts, joined over edges and corners, of the marked cells of each board."""
    counts = np.zeros(len(marks), np.int64)
    _parts(counts, marks, *around)
    return counts


@njit(cache=True)
def _parts(counts, marks, home, steps):
    """Take out one part after another, each from the first of its cells, and count them."""
    n_boards, rows, cols = marks.shape
    width = cols + 2
    left = np.zeros(len(home), np.bool_)
    stack = np.empty(rows * cols, np.int32)
    for k in range(n_boards):
        for row in range(rows):
            inside, marked = left[(row + 1) * width + 1 :], marks[k, row]
            for col in range(cols):
                inside[col] = marked[col]
        for start in range(width, len(left) - width):
            if left[start]:
                counts[k] += 1
                _take(left, start, home, steps, stack)
