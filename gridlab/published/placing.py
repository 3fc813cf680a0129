"""Published programs that place mines, and do not draw every set of cells with the same chance.

Every placer has the signature of those of `gridlab.mines`, ``f(shape, n_mines, *, safe=None, size=None,
rng=None)``. The procedure works on the list of the cells that are not safe, row by row;
only `relocate` works on all. `gridlab.laws.PLACERS` has their exact laws.
"""

import numpy as np
from numba import njit

from .. import grid
from ..mines import placers
from ..mines.placers import _below
from .shuffles import _PROCEDURES, SHUFFLES

__all__ = ["PLACERS", "insert_short", "probe_right", "relocate"]


def insert_short(shape, n_mines, *, safe=None, size=None, rng=None):
    """Begin with a list of the free cells, and insert each mine at ``floor(u * length)``.

    A list of k cells has k + 1 gaps, but the last, behind the last cell, is never drawn. So that cell is never
    mined, unless all are. All sets of the other cells are equally likely.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the board.
    n_mines : int
        Mines, from 0 to the number of cells that are not safe.
    safe : array_like of bool, shape (rows, cols), or list of cells, optional
        Cells that stay free, as in `gridlab.mines.collide`.
    size : int, optional
        Number of boards; one, without a leading axis, by default.
    rng : `numpy.random.Generator` or seed, optional
        Anything `numpy.random.default_rng` accepts.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on exactly `n_mines` cells.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.
    MemoryError
        If the boards do not fit into memory.

    See Also
    --------
    gridlab.mines.insert : What it was to be.

    Notes
    -----
    O(n·m) on n cells with m mines: an insertion moves half the list on average.

    Examples
    --------
    >>> insert_short((2, 2), 2, size=6000, rng=0).sum(0)
    array([[3928, 4051],
           [4021,    0]])
    """
    job = placers._Job(shape, n_mines, safe, size, rng)
    return job.run(placers._insert, job.n_mines, 0, cost=lambda mined: 1 + job.n_cells // 256)


def probe_right(shape, n_mines, *, safe=None, size=None, rng=None):
    """Mine uniformly drawn cells, and where one is mined already, the next free cell to the right of it.

    From the end of a row it goes on with the next row, and from the last cell with the first: as in a
    hash table with linear probing. Each cell is mined equally often, but mines come in
    rows: next to a mine in such a row there is one more often than elsewhere.

    Parameters
    ----------
    shape, n_mines, safe, size, rng
        As in `insert_short`.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on exactly `n_mines` cells.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As in `insert_short`.

    Notes
    -----
    m draws on n cells with m mines, and n/(2(n − m + 1)) + 1/2 probes or fewer each on average; to
    mine all cells takes some n√n probes.

    References
    ----------
    .. [1] D. E. Knuth, "The Art of Computer Programming", vol. 3, 2nd ed. (1998), 6.4.

    Examples
    --------
    >>> boards = probe_right((1, 4), 2, size=16_000, rng=0)[:, 0]
    >>> [int((boards == board).all(1).sum()) for board in ([1, 1, 0, 0], [1, 0, 1, 0])]  # 3, 2 of 16
    [3022, 1953]
    """
    job = placers._Job(shape, n_mines, safe, size, rng)
    # Up to half the squared ratio of cells to free cells, and to half of all cells.
    return job.run(
        _probe_right,
        job.n_mines,
        cost=lambda mined: 1 + min(job.n_cells, (job.n_cells // (job.n_cells - mined)) ** 2) // 2,
    )


@njit(cache=True)
def _probe_right(rows, n_mines, first, last, words):
    """Mine a cell in each of the steps from `first` to before `last`, on each row."""
    for row in rows:
        for _ in range(first, last):
            cell, words = _below(len(row), words)
            while row[cell]:
                cell = cell + 1 if cell + 1 < len(row) else 0
            row[cell] = True
    return words


def relocate(shape, n_mines, *, safe=None, size=None, rng=None):
    """Draw a uniform board, and move mines off the safe cells to the first free ones from the top left.

    What Minesweeper for Windows does when the first click hits a mine: `safe` is the cell clicked, or several. Each
    mine on one of them goes to the first cell, row by row, that is neither mined nor safe. Without
    safe cells boards are uniform. With s of them, and the first r of the other cells mined, but
    not the next, a board has C(r + s, s) times the chance of one with r = 0.

    Parameters
    ----------
    shape, n_mines, safe, size, rng
        As in `insert_short`.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on exactly `n_mines` cells.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As in `insert_short`.

    Notes
    -----
    O(m) a board of m mines, as `gridlab.mines.floyd`, with which it begins, and the way to the
    cells mines move to.

    Examples
    --------
    >>> relocate((2, 2), 1, safe=[(1, 1)], size=4000, rng=0).sum(0)
    array([[2006,  968],
           [1026,    0]])
    """
    n_mines = placers._Job(shape, n_mines, safe, 0, None).n_mines  # checked as by the other placers
    boards = placers.floyd(shape, n_mines, size=size, rng=rng)
    if safe is not None:
        safe = placers.as_safe(boards.shape[-2:], safe)
        _relocate(boards.reshape(-1, safe.size), np.flatnonzero(safe), np.flatnonzero(~safe))
    return boards


@njit(cache=True)
def _relocate(rows, safe, others):
    """Move the mines of each row from the `safe` cells to the first free ones of the `others`."""
    for row in rows:
        here = 0
        for cell in safe:
            if row[cell]:
                row[cell] = False
                while row[others[here]]:
                    here += 1
                row[others[here]] = True


def _placer(name):
    """Make a placer of a shuffle: mines are the first items of the list, and go where the order puts them."""
    do = _PROCEDURES[name]

    def place(shape, n_mines, *, safe=None, size=None, rng=None):
        job = placers._Job(shape, n_mines, safe, size, rng)
        grid.as_int("number of cells that are not safe", job.n_cells, 0, do.most, where=f" for {name}")
        return job.run(do.kernel, do.steps(job.n_cells), cost=lambda step: do.cost(job.n_cells))

    place.__name__ = place.__qualname__ = name
    place.__doc__ = f"""Begin with all mines in the first cells, and shuffle the cells by `gridlab.published.{name}`.

    Parameters, results and errors are those of `insert_short`.
    """
    return place


#: The wrong placers by name: of each of `SHUFFLES`, and those that are wrong in a way of their own.
PLACERS = {name: _placer(name) for name in SHUFFLES} | {f.__name__: f for f in (insert_short, probe_right, relocate)}
