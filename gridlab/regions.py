"""Random connected regions of a given area: the growers, and the law of each.

Every generator has the signature ``f(shape, area, *, periodic=False,
simply_connected=False, size=None, rng=None)``, so that notebooks and tests compare them
by looping over `GENERATORS`. Each delivers exactly `area` cells, joined by edges, and
hole-free where asked, or says why it cannot.

All but `walk` grow a region from one uniformly drawn cell, in bursts (`_grow`): a burst
starts at a uniformly drawn *boundary cell* (a cell of the region with an empty neighbour
that may be added), and adds one empty neighbour after another, either of a random cell
of the burst, which makes it fat, or of its last one, which makes it thin. Eden growth is
the case of bursts of one cell, depth-first search that of one burst for the whole area.

Which empty cells may be added is a table over their ring codes (`topology.simple_cells`),
so that kernels know neither the rule nor the grid they work on.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from . import grid, topology

__all__ = ["GENERATORS", "alternating", "dfs", "eden", "eden_bonds", "eden_sites", "largest", "mixed", "walk"]


def eden(shape, area, *, periodic=False, simply_connected=False, fill_holes=False, size=None, rng=None):
    """Grow a region by Eden's model C: a random boundary cell, then a random neighbour of it.

    The first cell is uniform on the grid. Then, until `area` is reached, a region cell that
    still has an empty neighbour is drawn uniformly, and one of its empty neighbours
    uniformly. Not uniform over regions: compact ones can be grown in more orders.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    area : int
        Cells of the region, from 1 to `largest`.
    periodic : bool
        Whether opposite sides of the grid are joined.
    simply_connected : {False, True, 4, 8}
        Whether the region must be hole-free (and, on a periodic grid, must not wind round
        it), and how empty cells are joined; True is 4. Then only empty neighbours
        that are simple (`topology.simple_cells`) count, in both draws.
    fill_holes : bool
        With `simply_connected`: an empty neighbour that would close off holes is
        taken with all their cells when they fit into what is left of `area`; else it
        is passed over in this step. Makes fat regions, without the maze look.
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
        On a periodic grid, if a simply connected region has no cell left to add, and
        moving its cells about opened none within 1000 moves a cell (`area` near `largest`).

    See Also
    --------
    eden_sites, eden_bonds : Eden's models A and B.

    Notes
    -----
    O(``rows * cols``) to set up a batch, O(`area`) for each region.

    References
    ----------
    .. [1] M. Eden, "A two-dimensional growth process", Proc. 4th Berkeley Symposium on
       Mathematical Statistics and Probability 4 (1961), 223-239.
    .. [2] R. Jullien and R. Botet, "Scaling properties of the surface of the Eden model
       in d = 2, 3, 4", J. Phys. A 18 (1985), 2279-2287 (models A, B and C).

    Examples
    --------
    >>> print(grid.text(eden((4, 6), 9, rng=2)))
    xx....
    xxx...
    xx....
    xx....
    """
    plan = _Plan(model=EDEN_C, core=1)
    return _grown(plan, shape, area, periodic, simply_connected, fill_holes, size, rng)


def eden_sites(shape, area, *, periodic=False, simply_connected=False, size=None, rng=None):
    """Grow a region by Eden's model A: a random empty cell that touches it.

    The first cell is uniform on the grid; each later one is uniform on the empty cells
    that touch the region along an edge. Not uniform over regions.

    Parameters
    ----------
    shape, area, periodic, simply_connected, size, rng
        As in `eden`.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on the cells of the region.

    Raises
    ------
    ValueError, TypeError, RuntimeError
        As in `eden`.

    Notes
    -----
    O(``rows * cols``) to set up a batch, O(`area`) for each region.

    References
    ----------
    .. [1] M. Eden, "A two-dimensional growth process", Proc. 4th Berkeley Symposium on
       Mathematical Statistics and Probability 4 (1961), 223-239.

    Examples
    --------
    >>> int(eden_sites((4, 6), 9, rng=1).sum())
    9
    """
    plan = _Plan(model=EDEN_A, core=1)
    return _grown(plan, shape, area, periodic, simply_connected, False, size, rng)


def eden_bonds(shape, area, *, periodic=False, simply_connected=False, size=None, rng=None):
    """Grow a region by Eden's model B: a random edge between it and an empty cell.

    The first cell is uniform on the grid; each later one is the empty end of an edge drawn
    uniformly among those that join the region to an empty cell. Not uniform over regions.

    Parameters
    ----------
    shape, area, periodic, simply_connected, size, rng
        As in `eden`.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on the cells of the region.

    Raises
    ------
    ValueError, TypeError, RuntimeError
        As in `eden`.

    Notes
    -----
    O(``rows * cols``) to set up a batch, O(`area`) for each region.

    References
    ----------
    .. [1] R. Jullien and R. Botet, "Scaling properties of the surface of the Eden model
       in d = 2, 3, 4", J. Phys. A 18 (1985), 2279-2287.

    Examples
    --------
    >>> int(eden_bonds((4, 6), 9, rng=1).sum())
    9
    """
    plan = _Plan(model=EDEN_B, core=1)
    return _grown(plan, shape, area, periodic, simply_connected, False, size, rng)


def dfs(shape, area, *, periodic=False, simply_connected=False, size=None, rng=None):
    """Take the first cells that a randomised depth-first search visits.

    The search starts at a uniformly drawn cell, goes from the last cell it visited to a
    uniformly drawn empty neighbour, and back along its way where there is none. Thin, winding
    regions; not uniform over regions.

    Parameters
    ----------
    shape, area, periodic, size, rng
        As in `eden`.
    simply_connected : {False, True, 4, 8}
        As in `eden`. A search that has come back to its start, and left cells that
        only now may be added, starts anew from a random boundary cell.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on the cells of the region.

    Raises
    ------
    ValueError, TypeError, RuntimeError
        As in `eden`.

    Notes
    -----
    O(``rows * cols``) to set up a batch, O(`area`) for each region. An explicit stack: no recursion.

    References
    ----------
    .. [1] R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1
       (1972), 146-160.

    Examples
    --------
    >>> print(grid.text(dfs((4, 6), 9, rng=2)))
    xxx...
    xxx...
    .xxx..
    ......
    """
    plan = _Plan(thin_burst=1, whole=True)
    return _grown(plan, shape, area, periodic, simply_connected, False, size, rng)


def mixed(shape, area, *, fat=0.5, periodic=False, simply_connected=False, fill_holes=False, size=None, rng=None):
    """Grow a fat core by `eden`, then thin arms by bursts of depth-first search.

    The first ``round(fat * area)`` cells (at least one) are those of `eden`. Then bursts of
    depth-first search follow, each from a uniformly drawn empty neighbour of a uniformly
    drawn boundary cell, each of a length uniform on 1 to the number of cells left.
    Not uniform over regions.

    Parameters
    ----------
    shape, area, periodic, simply_connected, fill_holes, size, rng
        As in `eden`.
    fat : float
        Share of the area that is grown by `eden`, from 0 to 1.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on the cells of the region.

    Raises
    ------
    ValueError, TypeError, RuntimeError
        As in `eden`.

    Notes
    -----
    A burst that comes back to its boundary cell and finds no empty neighbour ends early.
    O(``rows * cols``) to set up a batch, O(`area`) for each region.

    Examples
    --------
    >>> print(grid.text(mixed((4, 6), 9, rng=2)))
    xx....
    xxx...
    xxx...
    .x....
    """
    plan = _Plan(core=_as_share("fat", fat, 0), thin_burst=1)
    return _grown(plan, shape, area, periodic, simply_connected, fill_holes, size, rng)


def alternating(
    shape,
    area,
    *,
    fat_burst=1 / 4,
    thin_burst=1 / 10,
    periodic=False,
    simply_connected=False,
    fill_holes=False,
    size=None,
    rng=None,
):
    """Grow a region by fat and thin bursts in turn.

    Each burst starts at a uniformly drawn boundary cell and adds empty neighbours of its
    own cells: of a uniformly drawn one in a fat burst, of the last one, with
    backtracking, in a thin one. Its length is uniform on 1 to a share of the area, or to
    what is left. Not uniform over regions.

    Parameters
    ----------
    shape, area, periodic, simply_connected, fill_holes, size, rng
        As in `eden`.
    fat_burst, thin_burst : float
        Longest burst of either kind as a share of the area, above 0 and up to 1. At least one
        cell, whatever the share.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on the cells of the region.

    Raises
    ------
    ValueError, TypeError, RuntimeError
        As in `eden`.

    Notes
    -----
    A burst whose cells have no empty neighbour left ends early.
    O(``rows * cols``) to set up a batch, O(`area`) for each region.

    Examples
    --------
    >>> print(grid.text(alternating((4, 6), 9, rng=1)))
    x.....
    xx....
    xxx...
    xxx...
    """
    plan = _Plan(fat_burst=_as_share("fat_burst", fat_burst), thin_burst=_as_share("thin_burst", thin_burst))
    return _grown(plan, shape, area, periodic, simply_connected, fill_holes, size, rng)


def walk(shape, area, *, budget=10_000_000, periodic=False, simply_connected=False, size=None, rng=None):
    """Draw the trace of a self-avoiding walk by depth-first search with backtracking.

    From a uniformly drawn first cell the walk steps to its four neighbours in random order;
    at a dead end it takes its last cell back. The region is the walk when it has `area`
    cells. So the walk's law is this: the first cell is uniform on the cells from which a
    walk of that many cells exists, and each step on the neighbours from which the walk can
    still be completed. Uniform neither over walks nor over regions. Parts of the walk may
    lie side by side, and holes are possible.

    Parameters
    ----------
    shape, area, periodic, size, rng
        As in `eden`.
    budget : int
        Most steps for one region. Backtracking takes exponential time when `area`
        nears the size of the grid.
    simply_connected : {False, True, 4, 8}
        As in `eden`: steps that would close off a hole are dead ends, too.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on the cells of the region.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range or of a wrong type.
    RuntimeError
        If no such walk exists, or none was found within the budget.

    Notes
    -----
    About 10 ns a step. O(``rows * cols``) to set up a batch.

    References
    ----------
    .. [1] N. Madras and G. Slade, "The Self-Avoiding Walk", Birkhäuser (1993).

    Examples
    --------
    >>> print(grid.text(walk((4, 6), 9, rng=5)))
    xxx...
    xxx...
    xx....
    .x....
    """
    shape, area, meaning, n_regions, rng = _checked(shape, area, periodic, simply_connected, size, rng)
    budget = grid.as_int("budget", budget, 1)
    state = _state(shape, periodic, meaning, False)
    regions = np.zeros((n_regions, *shape), bool)
    starts = state.home.reshape(shape[0] + 2, shape[1] + 2)[1:-1, 1:-1].ravel()
    for batch in _batches(regions, area):
        outcome = _walk(batch, state, starts, area, budget, rng)
        if outcome == NO_WALK:
            raise RuntimeError(
                f"no walk of {area} cells exists on this {_name(shape, periodic, meaning)}: "
                "ask for a smaller area, or use dfs, which is thin too and is never stuck"
            )
        if outcome == NO_BUDGET:
            raise RuntimeError(
                f"no walk of {area} cells was found within budget={budget} steps on this "
                f"{_name(shape, periodic, meaning)}: raise budget, ask for a smaller area, or use dfs, "
                "which is thin too and is never stuck"
            )
    return regions[0] if size is None else regions


GENERATORS = {f.__name__: f for f in (walk, dfs, eden, eden_sites, eden_bonds, mixed, alternating)}


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
    meaning = topology.as_meaning(simply_connected)
    if not periodic or not meaning:
        return rows * cols
    if meaning == 4:
        return rows * cols - (rows + cols - 1)
    return rows * cols - (max(shape) + (min(shape) + 1) // 2 - 1)


# How a cell is drawn next to the region: an empty cell, an edge, or a boundary cell first.
EDEN_A, EDEN_B, EDEN_C = range(3)

#: What `_grow` and `_walk` return.
DONE, NO_BUDGET, NO_WALK = range(3)

#: Moves a cell of the region, before a simply connected region that is stuck on a torus is given up.
MOVES = 1000

#: A generator as `_grow` sees it. `core`: the share of the area grown by bursts of one cell; then
#: bursts alternate, each of at most a share of the area (0: no bursts of the kind); `whole`: thin
#: bursts are as long as they can be, not of a random length.
_Plan = namedtuple("_Plan", "model core fat_burst thin_burst whole", defaults=(EDEN_C, 0, 0, 0, False))

# Beside its ring (bits 0 to 7), the code of a cell says:
TAKEN = 1 << 8  # it is filled, or the wall
BAGGED = 1 << 9  # it is in the bag
BLOCKED = 1 << 10  # it was refused in this step

#: A region as it grows, all arrays over the cells of the padded grid but for the last lines.
_State = namedtuple(
    "_State",
    "code "  # ring, TAKEN, BAGGED, BLOCKED
    "home steps stride "  # the grid (see `grid.padded`); 2 where rings need not be kept at corners
    "cells bag blocked n "  # lists: the region; boundary cells; refused cells; their lengths, in that order
    "addable simple removable "  # by code: may be drawn; need not be checked for holes; may be taken back
    "gaps joined link front offset",  # closing of holes: see `_close`
)
CELLS, BAG, REFUSED = range(3)


def _as_share(name, value, low=None):
    """Return a share as a float above 0 (or from `low`) to 1."""
    allowed = "above 0 and up to 1" if low is None else f"from {low} to 1"
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name} must be a number {allowed}, got {value!r}")
    if not (0 < value <= 1 or value == low):
        raise ValueError(f"{name} must be {allowed}, got {value}")
    return float(value)


def _name(shape, periodic, meaning):
    """Say in words which grid, and which regions on it, an error is about."""
    rule = f" for a simply connected ({meaning}) region" if meaning else ""
    return f"{'periodic ' if periodic else ''}{shape[0]}x{shape[1]} grid{rule}"


def _checked(shape, area, periodic, simply_connected, size, rng):
    """Check what all generators take, before any work."""
    shape = grid.as_shape(shape, periodic)
    meaning = topology.as_meaning(simply_connected)
    high = largest(shape, periodic=periodic, simply_connected=simply_connected)
    area = grid.as_int("area", area, 1, high, where=f" on a {_name(shape, periodic, meaning)}")
    n_regions = 1 if size is None else grid.as_int("size", size, 0)
    return shape, area, meaning, n_regions, grid.as_rng(rng)


def _grown(plan, shape, area, periodic, simply_connected, fill_holes, size, rng):
    """Grow regions by a plan: what the growers share."""
    shape, area, meaning, n_regions, rng = _checked(shape, area, periodic, simply_connected, size, rng)
    if not isinstance(fill_holes, bool | np.bool_):
        raise TypeError(f"fill_holes must be True or False, got {fill_holes!r}")
    if fill_holes and not meaning:
        raise ValueError("fill_holes must be False where simply_connected is False, got True: holes are allowed there")
    state = _state(shape, periodic, meaning, fill_holes)
    core = round(plan.core * area)
    fat, thin = (max(int(share * area), share > 0) for share in (plan.fat_burst, plan.thin_burst))
    regions = np.zeros((n_regions, *shape), bool)
    for batch in _batches(regions, area):
        if _grow(batch, state, area, plan.model, core, fat, thin, plan.whole, rng) != DONE:
            raise RuntimeError(
                f"no cell could be added to a region within {MOVES} moves a cell, short of {area} cells, on this "
                f"{_name(shape, periodic, meaning)}: try another rng or a smaller area"
            )
    return regions[0] if size is None else regions


def _batches(regions, area):
    """Cut regions into batches of about a tenth of a second, between which an interrupt gets through."""
    n = max(1, 2**20 // area)
    return (regions[k : k + n] for k in range(0, len(regions), n))


def _state(shape, periodic, meaning, fill_holes):
    """Make the arrays in which regions grow: an empty grid."""
    home, steps = grid.padded(shape, periodic=periodic)
    n_cells = shape[0] * shape[1]
    code = np.zeros(len(home), np.uint16)
    code[grid.WALL] = TAKEN | BAGGED
    simple, addable, removable = np.zeros((3, 2 * BLOCKED), bool)
    simple[:256] = topology.simple_cells(meaning)
    addable[:256] = topology.simple_cells(0 if fill_holes else meaning)
    if meaning:
        removable[:256] = topology.simple_cells(meaning, removal=True)
    n_closing = len(home) if fill_holes else 0
    return _State(
        code=code,
        home=home,
        steps=steps,
        stride=1 if meaning else 2,
        cells=np.empty(n_cells, np.int32),
        bag=np.empty(n_cells, np.int32),
        blocked=np.empty(n_cells if fill_holes else 0, np.int32),
        n=np.zeros(3, np.int64),
        addable=addable,
        simple=simple,
        removable=removable,
        gaps=topology.gaps(meaning or 4),
        joined=8 // (meaning or 4),
        link=np.empty(n_closing, np.int32),
        front=np.full(n_closing, -1, np.int8),
        offset=np.empty(n_closing, np.int64),
    )


@njit(cache=True)
def _grow(regions, s, area, model, core, fat_burst, thin_burst, whole, rng):
    """Grow each of `regions`, from an empty state to an empty state."""
    n_regions, rows, cols = regions.shape
    active = np.empty(area + 1, np.int32)  # the cells of the burst
    for k in range(n_regions):
        first = int(rng.random() * (rows * cols))
        _add(s, (first // cols + 1) * (cols + 2) + first % cols + 1)
        fat = fat_burst > 0
        moves = 0
        while s.n[CELLS] < area:
            cell, other = _draw(s, model, rng)
            if cell < 0:  # stuck: take a cell back, so that another one may open a way
                moves += 1
                if moves > MOVES * area:
                    _clear(s)
                    return NO_BUDGET
                _take_back(s, rng)
                continue
            room = area - s.n[CELLS]
            longest = min(room, fat_burst if fat else thin_burst)
            if s.n[CELLS] < core:
                left = 1
            elif whole:
                left = longest
            else:
                left = 1 + int(rng.random() * longest)
            gain = _enter(s, other, room)
            if gain == 0:
                continue
            left -= gain
            active[0] = cell
            active[1] = other
            n_active = 2
            while left > 0 and n_active > 0:
                pick = int(rng.random() * n_active) if fat else n_active - 1
                other = _neighbour(s, active[pick], rng)
                if other < 0:
                    n_active -= 1
                    active[pick] = active[n_active]
                    continue
                gain = _enter(s, other, area - s.n[CELLS])
                if gain > 0:
                    left -= gain
                    active[n_active] = other
                    n_active += 1
            if s.n[CELLS] > core and fat_burst > 0:
                fat = not fat
        _write(regions[k], s)
        _clear(s)
    return DONE


@njit(cache=True)
def _draw(s, model, rng):
    """Draw a boundary cell and an empty neighbour that may be added, or -1, -1 when there is none.

    The bag holds every boundary cell, and cells that were: these go when they are met.
    """
    while s.n[BAG] > 0:
        pick = int(rng.random() * s.n[BAG])
        cell = s.bag[pick]
        if model == EDEN_C:
            other = _neighbour(s, cell, rng)
            if other >= 0:
                return cell, other
        else:
            # a pair of a cell and a direction, each as likely as every other: an edge; and for
            # model A one of the edges of an empty cell for all of them
            other = s.home[cell + s.steps[2 * int(rng.random() * 4)]]
            if s.addable[s.code[other]]:
                if model == EDEN_B or rng.random() * _contacts(s.code[other]) < 1:
                    return cell, other
                continue
            if _neighbour(s, cell, rng) >= 0:
                continue
        s.code[cell] ^= BAGGED
        s.n[BAG] -= 1
        s.bag[pick] = s.bag[s.n[BAG]]
    return -1, -1


@njit(cache=True)
def _neighbour(s, cell, rng):
    """Draw one of the empty neighbours of `cell` that may be added, or -1 when there is none."""
    n_open = 0
    which = 0
    for i in range(0, 8, 2):
        if s.addable[s.code[s.home[cell + s.steps[i]]]]:
            n_open += 1
            which |= 1 << i
    if n_open == 0:
        return -1
    skip = int(rng.random() * n_open) if n_open > 1 else 0
    for i in range(0, 8, 2):
        if which >> i & 1:
            if skip == 0:
                return s.home[cell + s.steps[i]]
            skip -= 1
    return -1


@njit(cache=True)
def _contacts(code):
    """Count the filled edge neighbours of a cell."""
    return (code & 1) + (code >> 2 & 1) + (code >> 4 & 1) + (code >> 6 & 1)


@njit(cache=True)
def _enter(s, cell, room):
    """Fill `cell`, and the holes it closes off if they fit in `room`; return the cells gained, 0 if refused."""
    if s.simple[s.code[cell]]:
        _add(s, cell)
        gain = 1
    else:
        gain = _close(s, cell, room)
        if gain == 0:
            s.code[cell] ^= BLOCKED
            s.blocked[s.n[REFUSED]] = cell
            s.n[REFUSED] += 1
            return 0
    _unblock(s)
    return gain


@njit(cache=True)
def _add(s, cell):
    """Fill `cell`."""
    s.code[cell] |= TAKEN | BAGGED
    s.cells[s.n[CELLS]] = cell
    s.n[CELLS] += 1
    s.bag[s.n[BAG]] = cell
    s.n[BAG] += 1
    _turn(s, cell)


@njit(cache=True)
def _take_back(s, rng):
    """Empty a random cell of a region that holds together without it; the bag is empty."""
    pick = int(rng.random() * s.n[CELLS])
    while not s.removable[s.code[s.cells[pick]] & 255]:
        pick = int(rng.random() * s.n[CELLS])
    cell = s.cells[pick]
    s.n[CELLS] -= 1
    s.cells[pick] = s.cells[s.n[CELLS]]
    s.code[cell] ^= TAKEN
    _turn(s, cell)
    _bag_around(s, cell)
    _unblock(s)


@njit(cache=True)
def _turn(s, cell):
    """Tell the ring of `cell` that it was filled or emptied, and bag the cells that can be drawn again."""
    for i in range(0, 8, s.stride):
        other = s.home[cell + s.steps[i]]
        before = s.code[other]
        after = before ^ (1 << (i ^ 4))  # i ^ 4 is the opposite direction
        s.code[other] = after
        if s.addable[after] and not s.addable[before] and before & topology.EDGES:
            _bag_around(s, other)


@njit(cache=True)
def _bag_around(s, cell):
    """Put the filled edge neighbours of an empty cell in the bag."""
    for i in range(0, 8, 2):
        other = s.home[cell + s.steps[i]]
        if s.code[other] & (TAKEN | BAGGED) == TAKEN:
            s.code[other] ^= BAGGED
            s.bag[s.n[BAG]] = other
            s.n[BAG] += 1


@njit(cache=True)
def _unblock(s):
    """Let the cells that were refused be drawn again."""
    for k in range(s.n[REFUSED]):
        s.code[s.blocked[k]] ^= BLOCKED
        _bag_around(s, s.blocked[k])
    s.n[REFUSED] = 0


@njit(cache=True)
def _close(s, cell, room):
    """Fill `cell` and all holes that it closes off, if together they have at most `room` cells.

    Return their number, or 0. Filling `cell` parts the empty cells around it into gaps. The floods
    of the gaps advance in turn, so the cost is that of all but the largest. What they find:

    - Two gaps meet: the region would wind. For each gap beyond the first is a cycle through
      `cell`, which cuts the gaps off from each other unless it leads round the torus.
    - A gap reaches the wall, or meets itself on another turn round the torus (`offset`, as in
      `topology._holes`): it is the outside. So it is when all others came to their end.
    - Any other gap is a hole.
    """
    gaps = s.gaps[s.code[cell] & 255]
    n_gaps = gaps.max() + 1
    head = np.zeros(4, np.int32)  # the first cell of each flood, the next to look around, the last
    next_ = np.zeros(4, np.int32)
    tail = np.zeros(4, np.int32)
    size = np.zeros(4, np.int64)
    growing = np.zeros(4, np.bool_)
    outside = -1
    refused = False
    for gap in range(n_gaps):
        i = 0
        while gaps[i] != gap or i % s.joined:
            i += 1
        other = s.home[cell + s.steps[i]]
        if other == grid.WALL:
            refused = refused or outside >= 0
            outside = gap
            continue
        s.offset[other] = cell + s.steps[i] - other
        s.front[other] = gap
        s.link[other] = -1
        head[gap] = next_[gap] = tail[gap] = other
        size[gap] = 1
        growing[gap] = True
    while not refused:
        if outside < 0 and growing.sum() == 1:
            outside = np.argmax(growing)
            growing[outside] = False
        needed = 1 + size.sum()
        if outside >= 0:
            needed -= size[outside]
        else:
            needed -= size.max()
        refused = needed > room
        if refused or not growing.any():
            break
        for gap in range(n_gaps):
            if not growing[gap]:
                continue
            here = next_[gap]
            if here < 0:
                growing[gap] = False
                continue
            found = False
            for i in range(0, 8, s.joined):
                other = s.home[here + s.steps[i]]
                if other == grid.WALL:
                    found = True
                    continue
                if s.code[other] & TAKEN or other == cell:
                    continue
                place = s.offset[here] + here + s.steps[i] - other
                if s.front[other] < 0:
                    s.front[other] = gap
                    s.offset[other] = place
                    s.link[other] = -1
                    s.link[tail[gap]] = other
                    tail[gap] = other
                    size[gap] += 1
                elif s.front[other] != gap:
                    refused = True
                elif s.offset[other] != place:
                    found = True
            next_[gap] = s.link[here]
            if found:
                refused = refused or outside >= 0
                outside = gap
                growing[gap] = False
    if not refused:
        _add(s, cell)
    for gap in range(n_gaps):
        other = head[gap] if size[gap] > 0 else -1
        while other >= 0:
            s.front[other] = -1
            if not refused and gap != outside:
                _add(s, other)
            other = s.link[other]
    return 0 if refused else needed


@njit(cache=True)
def _write(region, s):
    """Copy the cells to a mask of the grid without its frame."""
    width = region.shape[1] + 2
    for k in range(s.n[CELLS]):
        row = s.cells[k] // width
        region[row - 1, s.cells[k] - row * width - 1] = True


@njit(cache=True)
def _clear(s):
    """Empty the grid: all of it, or around the cells when they are few."""
    if 8 * s.n[CELLS] > len(s.code):
        s.code[:] = 0
    else:
        for k in range(s.n[CELLS]):
            s.code[s.cells[k]] = 0
            for step in s.steps:
                s.code[s.home[s.cells[k] + step]] = 0
    s.code[grid.WALL] = TAKEN | BAGGED
    s.n[:] = 0


@njit(cache=True)
def _walk(regions, s, starts, area, budget, rng):
    """Draw the trace of a walk on each of `regions`, from an empty state to an empty state."""
    untried = np.empty(area, np.uint8)  # the directions left at each cell of the walk, a bit each
    for k in range(len(regions)):
        n_tried = 0
        n_steps = 0
        while s.n[CELLS] < area:
            if s.n[CELLS] == 0:
                if n_tried == len(starts):
                    return NO_WALK
                pick = n_tried + int(rng.random() * (len(starts) - n_tried))
                starts[n_tried], starts[pick] = starts[pick], starts[n_tried]
                other = starts[n_tried]
                n_tried += 1
            else:
                top = s.n[CELLS] - 1
                cell = s.cells[top]
                other = -1
                while untried[top] and other < 0:
                    i = 2 * int(rng.random() * 4)
                    if untried[top] >> i & 1:
                        untried[top] ^= 1 << i
                        if s.addable[s.code[s.home[cell + s.steps[i]]]]:
                            other = s.home[cell + s.steps[i]]
                if other < 0:
                    s.code[cell] ^= TAKEN | BAGGED
                    s.n[CELLS] -= 1
                    _turn(s, cell)
                    continue
                n_steps += 1
                if n_steps > budget:
                    _clear(s)
                    return NO_BUDGET
            s.code[other] ^= TAKEN | BAGGED  # a walk has no use for the bag: it counts as full
            s.cells[s.n[CELLS]] = other
            untried[s.n[CELLS]] = topology.EDGES
            s.n[CELLS] += 1
            _turn(s, other)
        _write(regions[k], s)
        _clear(s)
    return DONE
