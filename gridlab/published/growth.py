"""Published programs that grow regions."""

import numpy as np
from numba import njit

from .. import grid, topology

__all__ = ["frontier", "single_moves", "would_break"]


def frontier(shape, area, *, periodic=False, simply_connected=False, size=None, rng=None):
    """Grow a region by a published "frontier" loop, which is far from what it set out to be.

    It was to draw a first cell uniformly, and then, until `area` is reached, a boundary cell
    (a region cell with an empty neighbour) and one of its empty neighbours. But a number
    from 0 to n is drawn as ``round(n * u)``, so that 0 and n have half the chance of the
    others, and the last draw always yields 0. So the law is this: the row and the column of
    the first cell, and the place of the boundary cell in the order in which the cells came,
    are drawn with their ends at half weight; the cell added is the first empty neighbour to
    the right, left, below, above. Uniform in no respect: two cells lie side by side
    wherever there is room.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    area : int
        Cells of the region, from 1 to `topology.largest`.
    periodic : bool
        Whether opposite sides of the grid are joined.
    simply_connected : {False, True, 4}
        Whether cells are refused that, by the published rule's code, would break
        simple connectivity (`would_break`). Such a cell does not count as an empty
        neighbour. The rule knows no other meaning than 4.
    size : int, optional
        Number of regions; one, without a leading axis, by default.
    rng : `numpy.random.Generator` or seed, optional
        Anything `numpy.random.default_rng` accepts.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on the cells of the region.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range or of a wrong type.
    RuntimeError
        If the rule refuses every cell that is left, before a region has `area` cells. The
        published program has no way out of that either.

    See Also
    --------
    gridlab.regions.eden : What the loop was to be.

    Notes
    -----
    O(``rows * cols``) to set up a batch, O(``area**2``) for each region.

    Whatever the rule lets through beside a simply connected (4) region leaves it one, also
    on a periodic grid. Its fault is what it refuses: any cell with three filled neighbours.

    Examples
    --------
    >>> print(grid.text(frontier((4, 6), 7, rng=25)))
    xxx...
    xxx...
    .x....
    ......
    """
    rows, cols = grid.as_shape(shape, periodic)
    meaning = topology.as_meaning(simply_connected)
    if meaning == 8:
        raise ValueError("simply_connected must be False, True or 4, as the published rule has no other meaning, got 8")
    area = topology.as_area(area, (rows, cols), periodic, meaning)
    rng = grid.as_rng(rng)
    masks = grid.empty((rows, cols), size)
    home, steps = grid.padded(shape, periodic=periodic)
    refused = would_break() if meaning else np.zeros(256, bool)
    n = max(1, 2**20 // area**2)  # regions between which an interrupt gets through
    for k in range(0, len(masks), n):
        reached = _frontier(masks[k : k + n], home, steps, refused, area, rng)
        if reached < area:
            where = topology.describe((rows, cols), periodic, meaning)
            raise RuntimeError(
                f"the published rule refuses every cell that is left: a region got stuck with {reached} of {area} "
                f"cells on {where}; try another rng or a smaller area, or use regions.eden, which does not get stuck"
            )
    return masks[0] if size is None else masks


@njit(cache=True)
def _frontier(masks, home, steps, refused, area, rng):
    """Grow each of `masks` to `area` cells; return how many the last one has, fewer where it got stuck.

    A cell is refused by the code of its ring. The wall is not empty, but does not show in a ring.
    """
    n_masks, rows, cols = masks.shape
    filled = np.zeros(len(home), np.bool_)
    cells = np.empty(area, np.int32)  # in the order in which they came
    boundary = np.empty(area, np.int32)  # the first empty neighbour of each cell that has one, in the same order
    for k in range(n_masks):
        row = int(rng.random() * (rows - 1) + 0.5)
        col = int(rng.random() * (cols - 1) + 0.5)
        other = (row + 1) * (cols + 2) + col + 1
        n_cells = 0
        while True:
            filled[other] = True
            cells[n_cells] = other
            n_cells += 1
            if n_cells == area:
                break
            n_boundary = 0
            for cell in cells[:n_cells]:
                for i in (0, 4, 2, 6):  # right, left, down, up
                    near = home[cell + steps[i]]
                    if near == grid.WALL or filled[near]:
                        continue
                    ring = 0
                    for bit in range(8):
                        ring |= filled[home[near + steps[bit]]] << bit
                    if not refused[ring]:
                        boundary[n_boundary] = near
                        n_boundary += 1
                        break
            if n_boundary == 0:
                return n_cells
            other = boundary[int(rng.random() * (n_boundary - 1) + 0.5)]
        for cell in cells:
            filled[cell] = False
            masks[k, cell // (cols + 2) - 1, cell % (cols + 2) - 1] = True
    return area


def would_break(*, prose=False):
    """Tell for all 256 rings whether the published rule refuses the cell in the middle.

    The rule is to say whether filling an empty cell would break the simple connectivity (4)
    of a region. Three cases are refused::

        ? . ?        . ? x        ? x ?        x filled, . empty, ? either; likewise
        x o x        x o .        x o .        turned and reflected; the second with
        ? . ?        . ? ?        ? . x        o's upper and lower neighbours empty

    The published prose has them so; in the published code the first is: left and right
    filled or above and below filled, but not both, whatever else is.

    Parameters
    ----------
    prose : bool
        Whether to follow the rule's description instead of its code.

    Returns
    -------
    ndarray of bool, shape (256,)
        True for the codes of rings (`topology.rings`) in which the middle is refused.

    See Also
    --------
    gridlab.topology.simple_cells : The exact tables.

    Notes
    -----
    The prose refuses exactly what must be, for any ring that can lie around an empty
    neighbour of a hole-free (4) region. The code refuses moreover the 64 rings with three
    filled neighbours, all of them simple; 16 of these can lie around an empty neighbour of
    a hole-free region.

    Examples
    --------
    >>> pocket = 0b01010001  # filled: right, left, above
    >>> bool(would_break()[pocket]), bool(would_break(prose=True)[pocket]), bool(topology.simple_cells(4)[pocket])
    (True, False, True)
    """
    if not isinstance(prose, bool | np.bool_):
        raise TypeError(f"prose must be True or False, got {prose!r}")
    # in the order of `grid.RING`
    right, lower_right, down, lower_left, left, upper_left, up, upper_right = (
        np.arange(256) >> np.arange(8)[:, None] & 1
    )
    n_filled = right + down + left + up
    if prose:
        opposite = (n_filled == 2) & (left == right)
    else:
        opposite = (left & right) ^ (up & down) == 1
    far = (
        left & (upper_right | lower_right)
        | right & (upper_left | lower_left)
        | up & (lower_left | lower_right)
        | down & (upper_left | upper_right)
    )
    across = left & up & lower_right | up & right & lower_left | right & down & upper_left | down & left & upper_right
    return opposite | (n_filled == 1) & (far == 1) | (n_filled == 2) & (across == 1)


def single_moves(shape, area, *, moves, periodic=False, size=None, rng=None):
    """Draw regions by a published chain of single-cell moves that counts only those that succeed.

    A move empties a uniformly drawn cell of the region and fills a uniformly drawn empty
    neighbour of it, and succeeds when the result is connected; otherwise it is taken back,
    and does not count. Claimed to be uniform after enough moves, it is not: each counted
    move is uniform on the moves that succeed, and so a region's chance tends to a share
    proportional to the number of such moves that it has.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    area : int
        Cells of the region.
    moves : int
        Moves that count. The chain starts from the first `area` cells of the grid, row by row.
    periodic : bool
        Whether opposite sides of the grid are joined.
    size : int, optional
        Number of regions, each from a chain of its own; one, without a leading axis, by default.
    rng : `numpy.random.Generator` or seed, optional
        Anything `numpy.random.default_rng` accepts.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on the cells of the region.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range or of a wrong type.

    Notes
    -----
    For every move that succeeds its reverse does, too. So the chain watched at its counted
    moves is a random walk on a graph, whose stationary law is proportional to the degree;
    where the graph is bipartite (a single cell, or one row) it never settles. Some move
    always succeeds unless the region is the whole grid, which stays as it is: a region with one
    of its empty neighbours is connected, and so has two cells that hold nothing together.
    On the infinite lattice the total variation distance from uniform is 0.0747, 0.0906, 0.0886
    for areas 4, 5, 6. O(`area`) for each move tried.

    Examples
    --------
    >>> print(grid.text(single_moves((4, 6), 9, moves=1000, rng=5)))
    xxx...
    ..xx..
    ..xxx.
    ....x.
    """
    rows, cols = grid.as_shape(shape, periodic)
    area = topology.as_area(area, (rows, cols), periodic, 0)
    moves = grid.as_int("moves", moves, 0, 2**62)
    rng = grid.as_rng(rng)
    masks = grid.empty((rows, cols), size)
    home, steps = grid.padded(shape, periodic=periodic)
    n = max(1, 2**18 // (area * (moves + 1)))  # regions between which an interrupt gets through
    for k in range(0, len(masks), n):
        _single_moves(masks[k : k + n], home, steps[::2].copy(), area, moves, rng)
    return masks[0] if size is None else masks


@njit(cache=True)
def _single_moves(masks, home, steps, area, moves, rng):
    """Move the first `area` cells of a grid about until `moves` moves succeeded, for each of `masks`."""
    n_masks, rows, cols = masks.shape
    filled = np.zeros(len(home), np.bool_)
    listed = np.zeros(len(home), np.bool_)
    cells = np.empty(area, np.int32)
    near = np.empty(rows * cols, np.int32)  # the region's empty neighbours
    queue = np.empty(area, np.int32)
    for k in range(n_masks):
        for i in range(area):
            cells[i] = (i // cols + 1) * (cols + 2) + i % cols + 1
            filled[cells[i]] = True
        n_moves = moves if area == rows * cols else 0
        n_near = 0
        while True:
            for cell in near[:n_near]:
                listed[cell] = False
            n_near = 0
            for cell in cells:
                for step in steps:
                    other = home[cell + step]
                    if other != grid.WALL and not filled[other] and not listed[other]:
                        listed[other] = True
                        near[n_near] = other
                        n_near += 1
            if n_moves == moves:
                break
            n_queue = 0
            while n_queue < area:
                pick = int(rng.random() * area)
                other = near[int(rng.random() * n_near)]
                filled[cells[pick]] = False
                filled[other] = True
                # flood the result from the new cell; what is found is emptied, and filled again afterwards
                queue[0] = other
                filled[other] = False
                n_queue = 1
                done = 0
                while done < n_queue:
                    for step in steps:
                        found = home[queue[done] + step]
                        if filled[found]:
                            filled[found] = False
                            queue[n_queue] = found
                            n_queue += 1
                    done += 1
                for cell in queue[:n_queue]:
                    filled[cell] = True
                if n_queue < area:
                    filled[other] = False
                    filled[cells[pick]] = True
            cells[pick] = other
            n_moves += 1
        for cell in near[:n_near]:
            listed[cell] = False
        for cell in cells:
            filled[cell] = False
            masks[k, cell // (cols + 2) - 1, cell % (cols + 2) - 1] = True
