"""Random connected regions of a given area: growers, a fair draw, and the law of each.

Every generator has the signature ``f(shape, area, *, periodic=False,
simply_connected=False, size=None, rng=None)``, so that notebooks and tests compare them
by looping over `GENERATORS`. Each delivers exactly `area` cells, joined by edges, and
hole-free where asked, or says why it cannot.

Most grow a region from one uniformly drawn cell in bursts (`_bursts`): a burst starts at
a uniformly drawn *boundary cell* (a cell of the region with an empty neighbour that may
be added), and adds one empty neighbour after another, either of a random cell of the
burst, which makes it fat, or of its last one, which makes it thin. Eden's model C is the
case of bursts of one cell, depth-first search that of one burst for the whole area.

Which empty cells may be added is a table over their ring codes (`topology.simple_cells`),
so that kernels know neither the rule nor the grid they work on.
"""

import numpy as np
from numba import njit

from . import grid, topology

__all__ = ["GENERATORS", "alternating", "dfs", "eden", "eden_bonds", "eden_sites", "mixed", "uniform", "walk"]


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
        Cells of the region, from 1 to `topology.largest`.
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
    MemoryError
        If the regions do not fit into memory.
    RuntimeError
        On a periodic grid, if growth of a simply connected region is stuck time and again (`area`
        near `topology.largest`).

    See Also
    --------
    eden_sites, eden_bonds : Eden's models A and B.

    Notes
    -----
    O(``rows * cols``) to set up a batch, O(`area`) for each region.

    On an open grid a simply connected region can always grow, up to the whole grid. On a
    periodic one it can be stuck: then random cells are taken back and growth goes on, or
    begins anew after 100 times its area, in single cells as here and with twice the
    patience each time. What is drawn near `topology.largest` depends on that, too.

    References
    ----------
    .. [1] M. Eden, "A two-dimensional growth process", Proc. 4th Berkeley Symposium on
       Mathematical Statistics and Probability 4 (1961), 223-239.
    .. [2] R. Jullien and R. Botet, "Scaling properties of the surface of the Eden model
       in d = 2, 3, 4", J. Phys. A 18 (1985), 2279-2287 (models A, B and C).

    Examples
    --------
    >>> print(grid.text(eden((4, 6), 9, rng=1)))
    xx....
    xxx...
    xxx...
    .x....
    """
    return _bursts(_Job(shape, area, periodic, simply_connected, fill_holes, size, rng), core=1)


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
    ValueError, TypeError, MemoryError, RuntimeError
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
    return _sites(_Job(shape, area, periodic, simply_connected, False, size, rng), by_bonds=False)


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
    ValueError, TypeError, MemoryError, RuntimeError
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
    return _sites(_Job(shape, area, periodic, simply_connected, False, size, rng), by_bonds=True)


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
    ValueError, TypeError, MemoryError, RuntimeError
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
    xx....
    xx....
    .xxxx.
    ....x.
    """
    return _bursts(_Job(shape, area, periodic, simply_connected, False, size, rng), thin_burst=1, whole=True)


def mixed(shape, area, *, fat=0.5, periodic=False, simply_connected=False, fill_holes=False, size=None, rng=None):
    """Grow a fat core by `eden`, then thin arms by bursts of depth-first search.

    The first ``round(fat * area)`` cells (at least one) are those of `eden`. Then bursts of
    depth-first search follow, each from a uniformly drawn empty neighbour of a uniformly
    drawn boundary cell, each of a length uniform on 1 to the number of cells left. At a
    dead end a burst goes back along its own way. Not uniform over regions.

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
    ValueError, TypeError, MemoryError, RuntimeError
        As in `eden`.

    Notes
    -----
    A burst that comes back to its boundary cell and finds no empty neighbour ends early.
    O(``rows * cols``) to set up a batch, O(`area`) for each region.

    Examples
    --------
    >>> print(grid.text(mixed((4, 6), 9, rng=1)))
    x.....
    xxx...
    xxx...
    .xx...
    """
    fat = _as_share("fat", fat, 0)
    return _bursts(_Job(shape, area, periodic, simply_connected, fill_holes, size, rng), core=fat, thin_burst=1)


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
    """Grow a region by fat and thin bursts in turn, the first of them fat.

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
    ValueError, TypeError, MemoryError, RuntimeError
        As in `eden`.

    Notes
    -----
    A burst whose cells have no empty neighbour left ends early.
    O(``rows * cols``) to set up a batch, O(`area`) for each region.

    Examples
    --------
    >>> print(grid.text(alternating((4, 6), 9, rng=2)))
    xxx...
    xxx...
    .xx...
    .x....
    """
    fat_burst, thin_burst = _as_share("fat_burst", fat_burst), _as_share("thin_burst", thin_burst)
    job = _Job(shape, area, periodic, simply_connected, fill_holes, size, rng)
    return _bursts(job, fat_burst=fat_burst, thin_burst=thin_burst)


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
    budget = grid.as_int("budget", budget, 1, 2**63 - 1)
    job = _Job(shape, area, periodic, simply_connected, False, size, rng)
    starts = job.home.reshape(job.shape[0] + 2, job.shape[1] + 2)[1:-1, 1:-1].flatten()  # a copy, to be shuffled
    gaps = topology.gaps(4).max(axis=1) + 1
    outcome = job.fill(_walk, starts, gaps, job.area, budget)
    if outcome == NO_WALK:
        raise RuntimeError(f"no walk of {job.area} cells exists on {job.name}: {WALK_ADVICE}")
    if outcome == NO_BUDGET:
        raise RuntimeError(
            f"no walk of {job.area} cells was found within budget={budget} steps on {job.name}: "
            f"raise budget, {WALK_ADVICE}"
        )
    return job.result()


def uniform(shape, area, *, budget=10**10, periodic=False, simply_connected=False, size=None, rng=None):
    """Draw a region, each one of that area with the same chance: uniform in place and in shape.

    By `gridlab.uniform.exact` where its tables fit into memory: then the draws are
    independent and exactly uniform. Elsewhere by the Markov chain `gridlab.uniform.markov`,
    whose law tends to uniform, with the number of steps that `gridlab.uniform.mixing_steps`
    says; its draws are nearly independent. ``gridlab.uniform.method(shape, area, ...)``
    says which of the two it is.

    Parameters
    ----------
    shape, area, periodic, size, rng
        As in `eden`.
    budget : int
        Most steps that a chain may take before its first region.
    simply_connected : {False, True, 4, 8}
        Whether the region must be hole-free (and, on a periodic grid, must not wind round
        it), and how empty cells are joined; True is 4. Uniform over these regions then.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on the cells of the region.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `gridlab.uniform.exact` and `gridlab.uniform.markov`.
    RuntimeError
        If the chain would take more steps than `budget`, before it takes any.

    See Also
    --------
    gridlab.uniform.count : How many regions there are.
    gridlab.uniform.diagnose : How well the chain mixes.

    Notes
    -----
    Exact are open grids whose shorter side is up to about 11, areas up to about 20 on any
    larger grid (periodic: less than both sides), and periodic grids of up to 25 cells. The
    chain takes a second for 800 cells on an open 50x50 grid, and about as long for a polyomino of 1000
    cells on the periodic 1001x1001 grid, which no region of that area can wind round. It
    takes longest for simply connected regions that fill much of a periodic grid: ten seconds
    for 800 cells on 50x50.

    Examples
    --------
    >>> print(grid.text(uniform((4, 6), 9, rng=10)))
    xxxxx.
    ....xx
    .....x
    .....x
    """
    from . import uniform as fair  # here: it loads statistics, which no grower needs

    budget = grid.as_int("budget", budget, 1)
    options = {"periodic": periodic, "simply_connected": simply_connected}
    if fair.method(shape, area, **options) == "exact":
        return fair.exact(shape, area, size=size, rng=rng, **options)
    needed = fair.BURN_IN * fair.mixing_steps(shape, area, **options)
    if needed > budget:
        where = topology.describe(grid.as_shape(shape), periodic, topology.as_meaning(simply_connected))
        raise RuntimeError(
            f"a uniform region of {area} cells on {where} takes {needed} steps of a chain, more than budget={budget}: "
            "raise budget (a second makes 5 to 25 million steps), ask for a smaller area or grid, or use a grower"
        )
    return fair.markov(shape, area, size=size, rng=rng, **options)


#: All of them by name, the growers from fat to thin.
GENERATORS = {f.__name__: f for f in (eden, eden_bonds, eden_sites, alternating, mixed, dfs, walk, uniform)}


#: What kernels return where they cannot go on; else how many regions they filled.
NO_BUDGET, NO_WALK = -1, -2

# A region that is stuck on a torus takes cells back, at most so many for each cell of its area, before it begins
# anew with twice the patience; and it is given up when that passes the second number.
PATIENCE, MOVES = 100, 5000

#: Steps after which a kernel returns when it has filled the region at hand, about a tenth of a second: between two
#: calls an interrupt gets through.
BATCH = 2**20

#: What a cell taken back counts for in these steps: the search for another way takes much longer than growing a cell.
MOVE = 64

WALK_ADVICE = "ask for a smaller area, or use dfs, which is thin too and takes no cell back"

# The code of a cell says, beside which cells of its ring are filled (bits 0 to 7, kept only where a rule asks):
TAKEN = 1 << 8  # it is filled, or the wall
BAGGED = 1 << 9  # it is in the bag from which is drawn, or the wall
BLOCKED = 1 << 10  # it was refused in this step

# What the rule says of a code. Nothing, when there is more to it than the ring.
ADDABLE = 1 << 0  # may be drawn
SIMPLE = 1 << 1  # closes off no hole
REMOVABLE = 1 << 2  # holds nothing together
TOUCHING = 1 << 3  # lies beside a filled cell

CELLS, BAG, PENDING = range(3)  # lists of cells: the region; what is drawn from; what is filled next


class _Job:
    """A call of a generator, checked: the grid and the rule as kernels see them, and the regions to fill."""

    def __init__(self, shape, area, periodic, simply_connected, fill_holes, size, rng):
        self.shape = rows, cols = grid.as_shape(shape, periodic)
        meaning = topology.as_meaning(simply_connected)
        self.name = topology.describe(self.shape, periodic, meaning)
        self.area = topology.as_area(area, self.shape, periodic, meaning)
        if not isinstance(fill_holes, bool | np.bool_):
            raise TypeError(f"fill_holes must be True or False, got {fill_holes!r}")
        if fill_holes and not meaning:
            raise ValueError("fill_holes must be False where simply_connected is False, and holes allowed, got True")
        self.size = size
        self.rng = grid.as_rng(rng)

        self.regions = grid.empty(shape, size)
        self.home, self.steps = grid.padded(shape, periodic=periodic)
        self.code = np.zeros(len(self.home), np.uint16)
        self.code[grid.WALL] = TAKEN | BAGGED
        self.lists = np.empty((3, rows * cols), np.int32)
        self.rule = np.zeros(2 * BLOCKED, np.uint8)
        # numba compiles a kernel anew where an argument is None, without the parts that need it
        self.ring = self.holes = None
        if meaning:
            self.ring = self.steps
            touching, simple = topology.simple_cells(0), topology.simple_cells(meaning)
            self.rule[:256] |= np.where(touching if fill_holes else simple, ADDABLE, 0).astype(np.uint8)
            self.rule[:256] |= np.where(touching, TOUCHING, 0).astype(np.uint8)
            self.rule[:256] |= np.where(simple, SIMPLE, 0).astype(np.uint8)
            self.rule[:256] |= np.where(topology.simple_cells(meaning, removal=True), REMOVABLE, 0).astype(np.uint8)
        else:
            self.rule[:256] = ADDABLE  # only neighbours of the region are asked for, and any of them will do
        if fill_holes:
            n = len(self.home)
            flood = np.empty(n, np.int32), np.full(n, -1, np.int8), np.empty(n, np.int64), np.zeros(n, np.int64)
            self.holes = (topology.gaps(meaning), 8 // meaning, *flood)

    def fill(self, kernel, *arguments):
        """Let a kernel fill all regions, in as many calls as it takes; return 0, or why it could not."""
        first = 0
        while first < len(self.regions):
            rest = self.regions[first:]
            filled = kernel(rest, self.code, self.home, self.steps, self.rule, self.lists, *arguments, BATCH, self.rng)
            if filled < 0:
                return filled
            first += filled
        return 0

    def result(self):
        """Return the regions, without a leading axis when one was asked for."""
        return self.regions[0] if self.size is None else self.regions

    def stuck(self):
        """Say that growth found no way on."""
        return RuntimeError(
            f"growth was stuck short of {self.area} cells on {self.name}, though up to {MOVES} times its area were "
            "taken back: ask for a smaller area"
        )


def _as_share(name, value, low=None):
    """Return a share as a float above 0 (or from `low`) to 1."""
    allowed = "above 0 and up to 1" if low is None else f"from {low} to 1"
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name} must be a number {allowed}, got {value!r}")
    if not (0 < value <= 1 or value == low):
        raise ValueError(f"{name} must be {allowed}, got {value}")
    return float(value)


def _bursts(job, *, core=0, fat_burst=0, thin_burst=0, whole=False):
    """Grow regions in bursts.

    A share `core` of the area by bursts of one cell, then fat and thin bursts in turn, each of at
    most its share of the area (0: none of the kind), of a random length or as long as it can (`whole`).
    """
    n_core = round(core * job.area)
    longest_fat, longest_thin = (max(int(share * job.area), share > 0) for share in (fat_burst, thin_burst))
    if job.fill(_grow, job.ring, job.holes, job.area, n_core, longest_fat, longest_thin, whole):
        raise job.stuck()
    return job.result()


@njit(cache=True)
def _grow(
    regions, code, home, steps, rule, lists, ring, holes, area, core, longest_fat, longest_thin, whole, most, rng
):
    """Grow each of `regions`, from an empty grid to an empty grid; the bag holds boundary cells.

    It may hold cells that are none any more: these leave it when they are drawn.
    """
    n_regions, rows, cols = regions.shape
    cells, bag, pending = lists[CELLS], lists[BAG], lists[PENDING]
    active = np.empty(area + 1, np.int32)  # the cells of the burst
    options = np.empty(4, np.int32)
    refused = np.empty(0 if holes is None else rows * cols, np.int32)
    spent = 0
    for k in range(n_regions):
        other = _first(rows, cols, rng)
        n_cells = n_bag = n_active = n_pending = n_refused = 0
        left = moves = 0  # cells the burst still has to add; cells taken back
        patience = PATIENCE * area
        singles = core
        fat = False  # the next burst is fat, if there are fat bursts
        while True:
            code[other] |= TAKEN | BAGGED
            cells[n_cells] = bag[n_bag] = other
            n_cells += 1
            n_bag += 1
            if ring is not None:
                for i in range(8):
                    near = home[other + ring[i]]
                    before = code[near]
                    after = before ^ (1 << (i ^ 4))  # i ^ 4 is the direction opposite to i
                    code[near] = after
                    # it may be added again: so it could be when only `other` touches it
                    if rule[after] & ~rule[before] & rule[before] >> 3 & ADDABLE:
                        n_bag = _bag_around(near, code, home, steps, bag, n_bag)
            if n_cells == area:
                break
            if left > 0:
                active[n_active] = other
                n_active += 1
                left -= 1
            if n_pending > 0:
                n_pending -= 1
                other = pending[n_pending]
                continue

            other = -1
            while other < 0:
                bursting = left > 0 and n_active > 0
                if bursting:
                    pick = int(rng.random() * n_active) if fat else n_active - 1
                    cell = active[pick]
                elif n_bag > 0:
                    pick = int(rng.random() * n_bag)
                    cell = bag[pick]
                elif ring is None:  # where any neighbour will do, growth is never stuck: the rest is not compiled
                    return NO_BUDGET
                elif moves >= patience:  # caught among regions with no way on: begin anew, as `eden`, with patience
                    singles = area
                    patience *= 2
                    if patience > MOVES * area:
                        return NO_BUDGET
                    _clear(code, home, steps, cells, n_cells)
                    other = _first(rows, cols, rng)
                    n_cells = n_refused = left = moves = 0
                    break
                else:  # stuck, on a torus: one cell less, and another one may open a way
                    moves += 1
                    spent += MOVE
                    cell = _take_back(code, home, steps, rule, cells, n_cells, rng)
                    n_cells -= 1
                    n_bag = _bag_around(cell, code, home, steps, bag, n_bag)
                    for i in range(8):
                        if rule[code[home[cell + steps[i]]]] & ADDABLE:
                            n_bag = _bag_around(home[cell + steps[i]], code, home, steps, bag, n_bag)
                    n_bag = _unblock(refused[:n_refused], code, home, steps, bag, n_bag)
                    n_refused = 0
                    left = 0
                    continue
                n_open = 0
                for i in range(0, 8, 2):
                    options[n_open] = near = home[cell + steps[i]]
                    n_open += rule[code[near]] & ADDABLE
                if n_open == 0:
                    if bursting:
                        n_active -= 1
                        active[pick] = active[n_active]
                    else:
                        code[cell] ^= BAGGED
                        n_bag -= 1
                        bag[pick] = bag[n_bag]
                    continue
                other = options[int(rng.random() * n_open)]
                if holes is not None:
                    turn = holes[-1]
                    turn[other] = turn[cell]
                    for i in range(0, 8, 2):
                        if home[cell + steps[i]] == other:
                            turn[other] += cell + steps[i] - other
                    if not rule[code[other]] & SIMPLE:
                        n_pending = _holes(other, area - n_cells - 1, code, home, steps, holes, pending)
                        if n_pending < 0:
                            n_pending = 0
                            code[other] ^= BLOCKED
                            refused[n_refused] = other
                            n_refused += 1
                            other = -1
                            continue
                    n_bag = _unblock(refused[:n_refused], code, home, steps, bag, n_bag)
                    n_refused = 0
                if not bursting and n_cells >= singles:
                    if longest_fat > 0:
                        fat = not fat
                    left = min(area - n_cells, longest_fat if fat else longest_thin)
                    if not whole:
                        left = 1 + int(rng.random() * left)
                    active[0] = cell
                    n_active = 1
        _write(regions[k], cells, area)
        _clear(code, home, steps, cells, area)
        spent += area + rows * cols // 4
        if spent > most:
            break
    return k + 1


def _sites(job, *, by_bonds):
    """Grow regions from their empty neighbours: each as likely, or each edge to one."""
    if job.fill(_grow_sites, job.ring, job.area, by_bonds):
        raise job.stuck()
    return job.result()


@njit(cache=True)
def _grow_sites(regions, code, home, steps, rule, lists, ring, area, by_bonds, most, rng):
    """Grow each of `regions`, from an empty grid to an empty grid; the bag holds empty neighbours.

    It may hold some that may not be added any more: these leave it when they are drawn.
    """
    n_regions, rows, cols = regions.shape
    cells, bag = lists[CELLS], lists[BAG]
    spent = 0
    for k in range(n_regions):
        other = _first(rows, cols, rng)
        n_cells = n_bag = moves = 0
        patience = PATIENCE * area
        while True:
            code[other] |= TAKEN | BAGGED
            cells[n_cells] = other
            n_cells += 1
            if ring is None:
                for i in range(0, 8, 2):
                    near = home[other + steps[i]]
                    if code[near] == 0:
                        code[near] = BAGGED
                        bag[n_bag] = near
                        n_bag += 1
            else:
                for i in range(8):
                    near = home[other + ring[i]]
                    code[near] ^= 1 << (i ^ 4)
                    if rule[code[near]] & ADDABLE:
                        code[near] |= BAGGED
                        bag[n_bag] = near
                        n_bag += 1
            if n_cells == area:
                break

            other = -1
            while other < 0:
                if n_bag == 0 and moves >= patience:  # as in `_grow`
                    patience *= 2
                    if patience > MOVES * area:
                        return NO_BUDGET
                    _clear(code, home, steps, cells, n_cells)
                    other = _first(rows, cols, rng)
                    n_cells = moves = 0
                    continue
                if n_bag == 0:
                    moves += 1
                    spent += MOVE
                    cell = _take_back(code, home, steps, rule, cells, n_cells, rng)
                    n_cells -= 1
                    bag[0] = cell
                    n_bag = 1
                    for i in range(8):
                        near = home[cell + steps[i]]
                        if rule[code[near]] & ADDABLE:
                            code[near] |= BAGGED
                            bag[n_bag] = near
                            n_bag += 1
                pick = int(rng.random() * n_bag)
                near = bag[pick]
                addable = rule[code[near] & 255] & ADDABLE
                if addable and by_bonds:
                    n_bonds = 0
                    for i in range(0, 8, 2):
                        cell = home[near + steps[i]]
                        n_bonds += cell != grid.WALL and code[cell] & TAKEN > 0
                    if rng.random() * 4 >= n_bonds:
                        continue
                n_bag -= 1
                bag[pick] = bag[n_bag]
                if addable:
                    other = near
                else:
                    code[near] ^= BAGGED
        _write(regions[k], cells, area)
        _clear(code, home, steps, cells, area)
        for j in range(n_bag):
            code[bag[j]] = 0
        spent += area + rows * cols // 4
        if spent > most:
            break
    return k + 1


@njit(cache=True)
def _first(rows, cols, rng):
    """Draw a cell of the grid."""
    first = int(rng.random() * (rows * cols))
    return (first // cols + 1) * (cols + 2) + first % cols + 1


@njit(cache=True)
def _bag_around(cell, code, home, steps, bag, n_bag):
    """Put the filled edge neighbours of an empty cell in the bag; return how many cells are in it."""
    for i in range(0, 8, 2):
        near = home[cell + steps[i]]
        if code[near] & (TAKEN | BAGGED) == TAKEN:
            code[near] ^= BAGGED
            bag[n_bag] = near
            n_bag += 1
    return n_bag


@njit(cache=True)
def _unblock(refused, code, home, steps, bag, n_bag):
    """Let the cells that were refused be drawn again; return how many cells are in the bag."""
    for cell in refused:
        code[cell] ^= BLOCKED
        n_bag = _bag_around(cell, code, home, steps, bag, n_bag)
    return n_bag


@njit(cache=True)
def _take_back(code, home, steps, rule, cells, n_cells, rng):
    """Empty a random cell of a region that holds together without it, and return the cell."""
    pick = int(rng.random() * n_cells)
    while not rule[code[cells[pick]] & 255] & REMOVABLE:
        pick = int(rng.random() * n_cells)
    cell = cells[pick]
    cells[pick] = cells[n_cells - 1]
    code[cell] ^= TAKEN
    _turn(cell, code, home, steps)
    return cell


@njit(cache=True)
def _turn(cell, code, home, steps):
    """Tell the ring of a cell that it was filled or emptied."""
    for i in range(8):
        code[home[cell + steps[i]]] ^= 1 << (i ^ 4)


@njit(cache=True)
def _holes(cell, room, code, home, steps, holes, pending):
    """List in `pending` the cells of the holes that filling `cell` closes off, and return their number.

    Or -1, when they are more than `room`, or the region would wind: when it touches `cell` on two turns
    round the torus. `turn` says on which turn a cell of the region lies, as `offset` does for the floods
    (and in `topology._holes`). Else filling the cell parts the empty cells around it into gaps that do not
    meet: each gap beyond the first closes a cycle through `cell`, which cuts it off from the others. Their
    floods advance in turn, so that the cost is that of all but the largest. A gap that reaches the wall, or
    meets itself on another turn, is the outside. So it is when all others came to their end. Any other gap
    is a hole.
    """
    gaps, stride, link, front, offset, turn = holes  # stride: 2 where empty cells are joined by edges only
    for i in range(0, 8, 3 - stride):  # then filled ones touch at corners, too
        other = home[cell + steps[i]]
        if other != grid.WALL and code[other] & TAKEN and turn[other] + other - steps[i] - cell != turn[cell]:
            return -1
    gap_of = gaps[code[cell] & 255]
    n_gaps = gap_of.max() + 1
    first = np.empty(4, np.int32)  # each flood is a list by `link`: its first cell, the next to look around, the last
    here = np.full(4, -1, np.int32)
    last = np.empty(4, np.int32)
    size = np.zeros(4, np.int64)
    outside = -1
    for gap in range(n_gaps):
        i = 0
        while gap_of[i] != gap or i % stride > 0:
            i += 1
        other = home[cell + steps[i]]
        if other == grid.WALL:
            outside = gap
            continue
        offset[other] = cell + steps[i] - other
        front[other] = gap
        link[other] = -1
        first[gap] = here[gap] = last[gap] = other
        size[gap] = 1
    while True:
        n_growing = (here >= 0).sum()
        if outside < 0 and n_growing == 1:
            outside = np.argmax(here >= 0)
            here[outside] = -1
        n_cells = size.sum() - (size[outside] if outside >= 0 else size.max())
        if n_cells > room or not (here >= 0).any():
            break
        for gap in range(n_gaps):
            if here[gap] < 0:
                continue
            found = False
            for i in range(0, 8, stride):
                place = here[gap] + steps[i]
                other = home[place]
                if other == grid.WALL:
                    found = True
                elif not code[other] & TAKEN and other != cell:
                    place += offset[here[gap]] - other
                    if front[other] < 0:
                        front[other] = gap
                        offset[other] = place
                        link[other] = -1
                        link[last[gap]] = other
                        last[gap] = other
                        size[gap] += 1
                    elif offset[other] != place:
                        found = True
            here[gap] = link[here[gap]]
            if found:
                outside = gap
                here[gap] = -1
    n_pending = 0
    fits = n_cells <= room
    for gap in range(n_gaps):
        other = first[gap] if size[gap] > 0 else -1
        while other >= 0:
            front[other] = -1
            if fits and gap != outside:
                turn[other] = turn[cell] + offset[other]
                pending[n_pending] = other
                n_pending += 1
            other = link[other]
    return n_pending if fits else -1


@njit(cache=True)
def _write(region, cells, n_cells):
    """Copy the cells to a mask of the grid without its frame."""
    width = region.shape[1] + 2
    inverse = 1 / width  # exact enough: a cell's middle is 0.5 / width > 2**-31 from the next row
    for k in range(n_cells):
        row = int((cells[k] + 0.5) * inverse)
        region[row - 1, cells[k] - row * width - 1] = True


@njit(cache=True)
def _clear(code, home, steps, cells, n_cells):
    """Empty the grid: all of it, or around the cells when they are few."""
    if 32 * n_cells > len(code):
        for cell in range(len(code)):
            code[cell] = 0
    else:
        for k in range(n_cells):
            code[cells[k]] = 0
            for i in range(8):
                code[home[cells[k] + steps[i]]] = 0
    code[grid.WALL] = TAKEN | BAGGED


@njit(cache=True)
def _walk(regions, code, home, steps, rule, lists, starts, gaps, area, budget, most, rng):
    """Draw the trace of a walk on each of `regions`, from an empty grid to an empty grid."""
    walk, queue, seen_at = lists[CELLS], lists[BAG], np.zeros(len(code), np.int64)
    untried = np.empty(area, np.uint8)  # the directions left at each cell of the walk, a bit each
    n_floods = spent = 0
    for k in range(len(regions)):
        length = n_tried = work = 0
        while length < area:
            if length == 0:
                if n_tried == len(starts):
                    return NO_WALK
                pick = n_tried + int(rng.random() * (len(starts) - n_tried))
                starts[n_tried], starts[pick] = starts[pick], starts[n_tried]
                other = starts[n_tried]
                n_tried += 1
            else:
                cell = walk[length - 1]
                other = -1
                while untried[length - 1] > 0 and other < 0:
                    i = 2 * int(rng.random() * 4)
                    if untried[length - 1] >> i & 1:
                        untried[length - 1] ^= 1 << i
                        if rule[code[home[cell + steps[i]]]] & ADDABLE:
                            other = home[cell + steps[i]]
                if other < 0:
                    length -= 1
                    code[cell] ^= TAKEN
                    _turn(cell, code, home, steps)
                    continue
            work += 1
            if work > budget:
                return NO_BUDGET
            walk[length] = other
            untried[length] = topology.EDGES
            length += 1
            code[other] ^= TAKEN
            _turn(other, code, home, steps)

            # Where the step parts the empty cells, the walk can end up in a part too small for it. To see
            # that at once saves the vain search through all ways in that part, and changes nothing else.
            ring = 0
            for i in range(8):
                ring |= (code[home[other + steps[i]]] >> 8 & 1) << i
            if gaps[ring] < 2:
                continue
            n_floods += 1
            seen_at[other] = n_floods
            queue[0] = other
            n_queue = 1
            done = 0
            while done < n_queue and n_queue <= area - length:
                for i in range(0, 8, 2):
                    near = home[queue[done] + steps[i]]
                    if not code[near] & TAKEN and seen_at[near] < n_floods:
                        seen_at[near] = n_floods
                        queue[n_queue] = near
                        n_queue += 1
                done += 1
            work += done
            if n_queue <= area - length:
                untried[length - 1] = 0
        _write(regions[k], walk, area)
        _clear(code, home, steps, walk, area)
        spent += work + len(code) // 4
        if spent > most:
            break
    return k + 1
