"""Connected, hole-free, simple: what the shape of a region is, cell by cell and as a whole.

Regions are joined by edges. Of holes there are two meanings, and the number says how the
*empty* cells are joined: by edges only (4), or also by corners (8). The smallest region
on which they differ::

    x x x        Cut off from the outside for steps over edges, so a hole (4); not for
    x . x        steps over corners (8).
    x x .

On an open grid the outside counts as empty and joined to every border cell. On a periodic
grid the region must moreover not wind: no closed path in it leads round the torus (for
4, where filled cells that share a corner touch there, no such path over corners either).

What a cell means to its region is decided by its ring, the eight cells around it, written
as a code from 0 to 255: bit i is set when the i-th cell of `grid.RING` (clockwise from
the right) is filled. The empty ring cells, joined in the same way as all empty cells,
fall into gaps, and filling the cell closes off every gap from the others.
"""

from functools import cache

import numpy as np
from numba import njit

from . import grid

__all__ = [
    "as_area",
    "as_meaning",
    "describe",
    "euler",
    "gaps",
    "holes",
    "is_connected",
    "is_simply_connected",
    "largest",
    "rings",
    "simple_cells",
]

#: The bits of the ring that lie across an edge.
EDGES = 0b01010101

#: Cells of a batch that are looked at in one go.
PIECE = 2**22


def as_meaning(simply_connected):
    """Return 0, 4 or 8 for the option `simply_connected`, or say what is wrong with it.

    Parameters
    ----------
    simply_connected : {False, True, 4, 8}
        Whether holes are refused, and how the empty cells are joined; True is 4.

    Returns
    -------
    int
        0 where holes are allowed.

    Raises
    ------
    ValueError
        If it is anything else.

    Examples
    --------
    >>> as_meaning(True)
    4
    """
    if isinstance(simply_connected, bool | np.bool_):
        return 4 * int(simply_connected)
    if isinstance(simply_connected, int | np.integer) and simply_connected in (4, 8):
        return int(simply_connected)
    raise ValueError(f"simply_connected must be False, True, 4 or 8, got {simply_connected!r}")


def largest(shape, *, periodic=False, simply_connected=False):
    """Give the largest area of a region.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    periodic : bool
        Whether opposite sides of the grid are joined.
    simply_connected : {False, True, 4, 8}
        Whether the region must be hole-free, and how empty cells are joined; True is 4.

    Returns
    -------
    int
        Every area from 1 up to it has a region.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Notes
    -----
    On an open grid, and where holes are allowed, the whole grid is a region. A simply
    connected region of a torus leaves empty a connected set that winds round it in two
    independent ways. Take a least such set, joined by the fewest steps: as a graph it
    has two independent cycles, so one step more than cells. Joined by edges it needs
    C steps across and R down to pass every line of the grid: R + C - 1 cells, and the
    complement of a full row and column attains it. Joined by corners too, with R >= C:
    the graph is two cycles that meet in at most a point, or three paths with common
    ends. A cycle that winds (a, b) times takes max(abs(a) R, abs(b) C) steps or more. Two
    cycles need R + C; three paths half of what their three cycles need together, and as
    only one of the three can have a = 0, that is half of R + R + C.

    Examples
    --------
    >>> [largest((5, 5), periodic=True, simply_connected=rule) for rule in (False, 4, 8)]
    [25, 16, 18]
    """
    rows, cols = grid.as_shape(shape, periodic)
    meaning = as_meaning(simply_connected)
    if not periodic or not meaning:
        return rows * cols
    if meaning == 4:
        return rows * cols - (rows + cols - 1)
    return rows * cols - (max(rows, cols) + (min(rows, cols) + 1) // 2 - 1)


def describe(shape, periodic, meaning):
    """Name a grid and what is asked of a region on it, for messages.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    periodic : bool
        Whether opposite sides of the grid are joined.
    meaning : {0, 4, 8}
        How the empty cells of a hole-free region are joined; 0 where holes are allowed.

    Returns
    -------
    str
        A noun with its article.

    Examples
    --------
    >>> describe((4, 5), True, 8)
    'a periodic 4x5 grid for a simply connected (8) region'
    """
    name = f"{'a periodic' if periodic else 'a'} {shape[0]}x{shape[1]} grid"
    return f"{name} for a simply connected ({meaning}) region" if meaning else name


def as_area(area, shape, periodic, meaning):
    """Return `area` as an int if a region of that area exists, or say what is wrong with it.

    Parameters
    ----------
    area : int
        Cells of the region, from 1 to `largest`.
    shape, periodic, meaning
        As in `describe`.

    Returns
    -------
    int
        The area.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Examples
    --------
    >>> as_area(17, (5, 5), True, 4)
    Traceback (most recent call last):
    ...
    ValueError: area must be from 1 to 16 on a periodic 5x5 grid for a simply connected (4) region, got 17
    """
    high = largest(shape, periodic=periodic, simply_connected=meaning or False)
    return grid.as_int("area", area, 1, high, where=f" on {describe(shape, periodic, meaning)}")


def gaps(meaning):
    """Name the gap in which each ring cell lies, for all 256 rings.

    Parameters
    ----------
    meaning : {4, 8}
        How empty cells are joined. Gaps that touch the cell in the middle at a corner
        only do not count for 4.

    Returns
    -------
    ndarray of int8, shape (256, 8)
        Gaps from 0 in order of first cells, -1 for a cell in none.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Examples
    --------
    >>> ring = 0b10010000  # filled: left, and up to the right
    >>> gaps(8)[ring], gaps(4)[ring]  # the corner parts two gaps for steps over edges
    (array([ 0,  0,  0,  0, -1,  0,  0, -1], dtype=int8), array([ 0,  0,  0,  0, -1,  1,  1, -1], dtype=int8))
    """
    if meaning not in (4, 8):
        raise ValueError(f"meaning must be 4 or 8, got {meaning!r}")
    return _gaps(int(meaning)).copy()


@cache
def _gaps(meaning):
    """Flood the empty cells of every ring, once for all calls."""
    table = np.full((256, 8), -1, np.int8)
    for code in range(256):
        empty = [i for i in range(8) if not code >> i & 1]
        n_gaps = 0
        for first in empty:
            if table[code, first] >= 0:
                continue
            gap, todo = {first}, [first]
            while todo:
                i = todo.pop()
                # along the ring; edge cells that share a corner also meet there
                around = {(i + 1) % 8, (i - 1) % 8}
                if meaning == 8 and i % 2 == 0:
                    around |= {(i + 2) % 8, (i - 2) % 8}
                new = (around & set(empty)) - gap
                gap |= new
                todo += new
            if meaning == 8 or any(i % 2 == 0 for i in gap):
                table[code, list(gap)] = n_gaps
                n_gaps += 1
    return table


def simple_cells(meaning, *, removal=False):
    """Tell for all 256 rings whether the cell in the middle is simple.

    Filling a simple cell leaves a connected, hole-free region connected and hole-free;
    emptying one does, too. Because the Euler number is a sum of local terms, the
    same table is right on a periodic grid.

    Parameters
    ----------
    meaning : {0, 4, 8}
        How empty cells are joined; 0 for a region that may have holes, where any cell
        that touches it along an edge will do.
    removal : bool
        Whether the cell is to be emptied. Differs for 4 only: its neighbours must then
        hold together by edges without it. There is no such table for 0, where the
        ring does not decide.

    Returns
    -------
    ndarray of bool, shape (256,)
        True for the codes of rings in which the middle is simple.

    Raises
    ------
    ValueError
        If `meaning` is none of these.

    Notes
    -----
    A cell is simple when the region touches it along an edge and its empty ring cells
    form exactly one gap (`gaps`): with none it would fill a hole, with two it would
    close one off, or join the region round a torus.

    References
    ----------
    .. [1] A. Rosenfeld, "Connectivity in digital pictures", J. ACM 17 (1970), 146-160.
    .. [2] T. Y. Kong and A. Rosenfeld, "Digital topology: introduction and survey",
       Computer Vision, Graphics, and Image Processing 48 (1989), 357-393.

    Examples
    --------
    >>> int(simple_cells(4).sum()), int(simple_cells(8).sum())
    (112, 116)
    """
    if meaning not in (0, 4, 8) or meaning is False:
        raise ValueError(f"meaning must be 0, 4 or 8, got {meaning!r}")
    if removal and not meaning:
        raise ValueError(f"meaning must be 4 or 8 for a removal, got {meaning}")
    codes = np.arange(256)
    touches = codes & EDGES > 0
    if not meaning:
        return touches
    simple = touches & (_gaps(int(meaning)).max(axis=1) == 0)
    if meaning == 4 and removal:
        simple &= simple_cells(8)  # one run of filled cells, joined by edges
    return simple


def rings(regions, *, periodic=False):
    """Give the code of every cell's ring.

    Parameters
    ----------
    regions : array_like of bool, shape (..., rows, cols)
        The filled cells.
    periodic : bool
        Whether opposite sides of the grid are joined.

    Returns
    -------
    ndarray of uint8, shape (..., rows, cols)
        Bit i is set when the i-th cell of `grid.RING` is filled.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Examples
    --------
    >>> rings(grid.parse("xx / .."))
    array([[ 1, 16],
           [192,  96]], dtype=uint8)
    """
    regions = grid.as_masks("regions", regions)
    framed = _framed(regions, periodic)
    rows, cols = regions.shape[-2:]
    codes = np.zeros(regions.shape, np.uint8)
    for bit, (row, col) in enumerate(grid.RING):
        codes |= framed[..., 1 + row : 1 + row + rows, 1 + col : 1 + col + cols].astype(np.uint8) << np.uint8(bit)
    return codes


def euler(regions, meaning=8, *, periodic=False):
    """Count the Euler number, parts minus holes, as a sum of local terms.

    Parameters
    ----------
    regions : array_like of bool, shape (..., rows, cols)
        The filled cells.
    meaning : {4, 8}
        How empty cells are joined. For 8 filled cells are joined by edges: cells minus
        adjacencies plus full 2x2 blocks. For 4 they are closed squares, which also meet
        at corners: vertices minus edges plus cells.
    periodic : bool
        Whether opposite sides of the grid are joined.

    Returns
    -------
    ndarray of int64, shape (...)
        The Euler number of each region; 0 for the whole torus.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Examples
    --------
    >>> region = grid.parse("xxx / x.x / xx.")
    >>> int(euler(region, 8)), int(euler(region, 4))
    (1, 0)
    """
    if meaning not in (4, 8):
        raise ValueError(f"meaning must be 4 or 8, got {meaning!r}")
    regions = grid.as_masks("regions", regions)
    grid.as_shape(regions.shape[-2:], periodic)
    batch = grid.batch(regions)
    numbers = np.zeros(len(batch), np.int64)
    for some in grid.pieces(batch, PIECE):
        numbers[some] = _euler(_framed(batch[some], periodic), meaning, periodic)
    return numbers.reshape(regions.shape[:-2])[()]


def _euler(cell, meaning, periodic):
    """Sum cells, edges and vertices of framed regions."""
    join = np.logical_and if meaning == 8 else np.logical_or
    # a frame on both sides of an open grid has a place for every edge and vertex; on a torus one side repeats
    first = 1 if periodic else 0
    across = join(cell[..., :, :-1], cell[..., :, 1:])[..., :, first:]
    down = join(cell[..., :-1, :], cell[..., 1:, :])[..., first:, :]
    corner = join(across[..., :-1, :], across[..., 1:, :])[..., first:, :]
    n_cells = cell[..., 1:-1, 1:-1].sum((-2, -1))
    n_edges = across[..., 1:-1, :].sum((-2, -1)) + down[..., :, 1:-1].sum((-2, -1))
    return n_cells - n_edges + corner.sum((-2, -1))


def is_connected(regions, *, periodic=False):
    """Tell whether a region is one part, joined by edges.

    Parameters
    ----------
    regions : array_like of bool, shape (..., rows, cols)
        The filled cells.
    periodic : bool
        Whether opposite sides of the grid are joined.

    Returns
    -------
    ndarray of bool, shape (...)
        False also where there is no cell at all.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Notes
    -----
    O(``rows * cols``) a region.

    Examples
    --------
    >>> is_connected([[[1, 1, 0]], [[1, 0, 1]]])
    array([ True, False])
    """
    regions = grid.as_masks("regions", regions)
    home, steps = grid.padded(regions.shape[-2:], periodic=periodic)
    batch = grid.batch(regions)
    connected = np.zeros(len(batch), bool)
    for some in grid.pieces(batch, PIECE):
        _is_connected(connected[some], grid.plain(batch[some]), home, steps[::2].copy())
    return connected.reshape(regions.shape[:-2])[()]


@njit(cache=True)
def _is_connected(connected, regions, home, steps):
    """Flood each region from its first cell and see whether that was all of it."""
    n_regions, rows, cols = regions.shape
    filled = np.zeros(len(home), np.bool_)
    stack = np.empty(rows * cols, np.int32)
    for k in range(n_regions):
        area = 0
        first = 0
        for row in range(rows):
            for col in range(cols):
                cell = (row + 1) * (cols + 2) + col + 1
                filled[cell] = regions[k, row, col]
                if filled[cell]:
                    area += 1
                    first = cell
        if area == 0:
            continue
        filled[first] = False
        stack[0] = first
        n_stack = 1
        while n_stack > 0:
            n_stack -= 1
            area -= 1
            cell = stack[n_stack]
            for step in steps:
                other = home[cell + step]
                if filled[other]:
                    filled[other] = False
                    stack[n_stack] = other
                    n_stack += 1
        connected[k] = area == 0


def is_simply_connected(regions, meaning=4, *, periodic=False):
    """Tell whether a region is one part without holes that does not wind round the torus.

    Parameters
    ----------
    regions : array_like of bool, shape (..., rows, cols)
        The filled cells.
    meaning : {4, 8}
        How empty cells are joined.
    periodic : bool
        Whether opposite sides of the grid are joined.

    Returns
    -------
    ndarray of bool, shape (...)
        False also where there is no cell at all.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Notes
    -----
    A connected set is simply connected exactly when its Euler number is 1: each hole,
    and each independent way round the torus, takes one off, and the whole torus has 0.

    Examples
    --------
    >>> row = [[0, 0, 0], [1, 1, 1], [0, 0, 0]]
    >>> bool(is_simply_connected(row)), bool(is_simply_connected(row, periodic=True))
    (True, False)
    """
    return is_connected(regions, periodic=periodic) & (euler(regions, meaning, periodic=periodic) == 1)


def holes(regions, meaning=4, *, periodic=False):
    """Mark the holes: empty parts that the region cuts off.

    Parameters
    ----------
    regions : array_like of bool, shape (..., rows, cols)
        The filled cells.
    meaning : {4, 8}
        How empty cells are joined.
    periodic : bool
        Whether opposite sides of the grid are joined. A hole of a torus is an empty part
        in which no closed path leads round it.

    Returns
    -------
    ndarray of bool, shape (..., rows, cols)
        True on the cells of holes.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Notes
    -----
    O(``rows * cols``) a region.

    Examples
    --------
    >>> holes(grid.parse("xxx / x.x / xx.")).astype(int)
    array([[0, 0, 0],
           [0, 1, 0],
           [0, 0, 0]])
    """
    regions = grid.as_masks("regions", regions)
    if meaning not in (4, 8):
        raise ValueError(f"meaning must be 4 or 8, got {meaning!r}")
    home, steps = grid.padded(regions.shape[-2:], periodic=periodic)
    batch = grid.batch(regions)
    marks = np.zeros(batch.shape, bool)
    _holes(marks, grid.plain(batch), home, steps[:: 8 // int(meaning)].copy())
    return marks.reshape(regions.shape)


@njit(cache=True)
def _holes(marks, regions, home, steps):
    """Flood each empty part, with its place on the unrolled torus, and mark it unless it is outside.

    `offset` is how far the place where the flood met a cell lies from the cell itself: a sum of
    a(rows)(cols + 2) + b(cols) for a turns down and b turns to the right. A part winds when a cell
    is met at two places. Then some cycle without repeated cells has (a, b) not (0, 0), which takes at
    least |b| cols of the rows * cols cells, so |b| <= rows, and the sum cannot vanish by chance.
    """
    n_regions, rows, cols = regions.shape
    width = cols + 2
    seen = np.zeros(len(home), np.bool_)
    offset = np.zeros(len(home), np.int64)
    queue = np.empty(rows * cols, np.int32)
    for k in range(n_regions):
        for row in range(rows):
            for col in range(cols):
                seen[(row + 1) * width + col + 1] = regions[k, row, col]
        for start in range(width, len(home) - width):
            if home[start] != start or seen[start]:
                continue
            seen[start] = True
            offset[start] = 0
            queue[0] = start
            n_queue = 1
            done = 0
            outside = False
            while done < n_queue:
                cell = queue[done]
                done += 1
                for step in steps:
                    other = home[cell + step]
                    if other == 0:
                        outside = True
                        continue
                    place = offset[cell] + cell + step - other
                    if not seen[other]:
                        seen[other] = True
                        offset[other] = place
                        queue[n_queue] = other
                        n_queue += 1
                    elif offset[other] != place and not regions[k, other // width - 1, other % width - 1]:
                        outside = True
            if not outside:
                for cell in queue[:n_queue]:
                    marks[k, cell // width - 1, cell % width - 1] = True


def _framed(regions, periodic):
    """Add a frame of one cell: empty, or the opposite side."""
    grid.as_shape(regions.shape[-2:], periodic)
    return np.pad(regions, [(0, 0)] * (regions.ndim - 2) + [(1, 1)] * 2, mode="wrap" if periodic else "constant")
