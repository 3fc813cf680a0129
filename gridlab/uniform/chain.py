"""Uniform regions by a Markov chain, where no table reaches.

A step takes a uniformly drawn cell x off the region R, which leaves S, and adds a uniformly
drawn empty neighbour y of S; x is one of them. The step is as likely to lead from R to
R' = S + y as from R' to R: x is one of `area` cells either way, and the number of empty
neighbours is that of S. So the uniform law stays what it is whatever steps are refused, as
long as a step and its reverse are refused alike. A refused step counts. Refused are

- steps to what is no region of the kind asked for;
- steps of which the rings of x and y alone cannot tell that, unless this can cut off
  regions: with holes allowed, and for meaning 8 on a torus, one in `SEARCHED` of these
  steps is looked into. R' must have the right Euler number, which the rings do tell, and
  hang together, which takes floods from the neighbours of x. They advance in turn, so that
  the cost is that of the smaller parts.

Two more moves keep the uniform law. They let a region forget its shape and its place sooner:

- a branch move, where `area` is less than both sides: if a randomly drawn edge between
  two cells is all that joins two parts, the smaller one is turned or reflected at random
  and joined to the larger one at a random place, by one of its cells, again along one edge;
- before a region is kept, it is shifted to a random one of the places that it has room for.
"""

import math
import os
import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import numpy as np
from numba import njit

from .. import grid, topology

__all__ = ["BURN_IN", "markov", "mixing_steps"]

#: Chains that share a batch, at most.
CHAINS = 4

#: Steps of a chain before its first region, in units of `mixing_steps` or of the steps asked for, if more.
BURN_IN = 5

#: Of the steps that rings do not decide, one in so many is looked into.
SEARCHED = 32

#: Single-cell steps for one branch move, where there are branch moves.
SINGLES = 15

#: Places that a branch move tries.
TRIES = 64

#: Steps that growth may take where it is stuck, for each cell of the area.
MOVES = 10_000

#: Steps, floods counted in, after which a kernel returns, about a tenth of a second: then an interrupt gets through.
BATCH = 2**21


def markov(shape, area, *, periodic=False, simply_connected=False, steps=None, size=None, rng=None):
    """Draw regions, each of that area as likely, by a Markov chain.

    A chain starts from a region grown cell by cell, and makes steps (`help(gridlab.uniform.chain)`
    defines them) that keep the uniform law and, with time, lead to it from any start. So the
    law of a draw is uniform but for what the start has left, which vanishes
    exponentially with `steps`; draws of one chain are nearly independent for the same reason.
    `gridlab.uniform.diagnose` tells how nearly.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    area : int
        Cells of the region, from 1 to `topology.largest`; less than that on a periodic grid
        with `simply_connected`, for there the chain does not reach every region.
    periodic : bool
        Whether opposite sides of the grid are joined.
    simply_connected : {False, True, 4, 8}
        Whether the region must be hole-free (and, on a periodic grid, must not wind round
        it), and how empty cells are joined; True is 4.
    steps : int, optional
        Steps between two regions of a chain; `mixing_steps` by default. Before the first one
        a chain makes `BURN_IN` (5) times as many, and at least `BURN_IN` times `mixing_steps`.
    size : int, optional
        Number of regions; one, without a leading axis, by default.
    rng : `numpy.random.Generator` or seed, optional
        Anything `numpy.random.default_rng` accepts.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on the cells of the region. A batch comes from four chains (fewer where `size`
        is less), one part after the other as `numpy.array_split` cuts them, each in the order
        of its chain.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range or of a wrong type.
    MemoryError
        If the regions do not fit into memory.
    RuntimeError
        On a periodic grid, if no simply connected region was found to start from (`area` near
        `topology.largest`).

    See Also
    --------
    gridlab.uniform.exact : Exactly uniform and independent draws, where a table fits into memory.
    gridlab.uniform.diagnose : How long the chain takes to forget.

    Notes
    -----
    Each chain has a generator of its own, seeded by `rng`, and chains run in as many threads as
    there are processors: what is drawn does not depend on how many that is.

    A step costs O(1): about 40 ns for simply connected regions, whatever the area, and 100 to
    400 ns with holes allowed or with branch moves, where floods grow with the area, about
    as its square root. O(``rows * cols``) to set up a chain, O(`area`) for each region kept.

    Every region can be reached from every other with holes allowed, on any grid: as long as
    two regions differ, take a cell of the first that holds nothing together and is not in a
    part C common to both, and add a cell of the second beside C. (If they have no cell in
    common, let the first creep towards the second.) For simply connected regions that is
    not proven, but checked by enumeration: on open grids up to 5x5, for all areas; on tori
    up to 5x5, 4x6 and 3x7, for all areas but the largest, where it fails for
    meaning 4 on each of them and for meaning 8 on the 4x4 torus.

    References
    ----------
    .. [1] N. Madras and G. Slade, "The Self-Avoiding Walk", Birkhäuser (1993), chapter 9.
    .. [2] E. J. Janse van Rensburg and N. Madras, "A nonlocal Monte Carlo algorithm for
       lattice trees", J. Phys. A 25 (1992), 303-333.

    Examples
    --------
    >>> print(grid.text(markov((4, 6), 9, rng=3)))
    xx.x..
    .xxx..
    ...x..
    ..xx..
    """
    job = _Job(shape, area, periodic, simply_connected, steps, rng)
    masks = grid.empty(job.shape, size)
    parts = [part for part in np.array_split(masks, CHAINS) if len(part)]

    def fill(chain, stop, part):
        chain.start(job.burn_in, stop)
        chain.fill(part, job.steps, stop)

    _in_threads(fill, job.chains(len(parts)), parts)
    return masks[0] if size is None else masks


def mixing_steps(shape, area, *, periodic=False, simply_connected=False):
    """Say after how many steps a region of the chain is nearly independent of where it came from.

    Parameters
    ----------
    shape, area, periodic, simply_connected
        As in `markov`, and up to `topology.largest`.

    Returns
    -------
    int
        Steps of the chain.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range or of a wrong type.

    Notes
    -----
    With N cells of the grid, and F = ``area**1.75 / 4``, it is `area` times

    - min(F, 5 ``area**0.5``) where `area` is less than both sides, with branch moves;
    - else min(F, N) on open grids, or with holes allowed;
    - else, on a torus, min(2 F, 10 N) for meaning 8 and 2 F for meaning 4, where the empty
      cells take long to find another way round it;

    and 1 for a single cell or a full grid. The rule is one of experience: at least twice the
    longest integrated autocorrelation time of perimeter and radius of gyration wherever that
    was measured. Below, that time in steps, to about a tenth, and the steps of the rule over it.

    ====================== =============== =============== ===============
    grid / area            holes allowed   meaning 8       meaning 4
    ====================== =============== =============== ===============
    10x10 / 6              12, 2.9         10, 3.6         10, 3.6
    10x10 / 50             440, 11         520, 9.6        620, 8.0
    10x10 / 90             320, 28         330, 27         320, 28
    20x20 / 200            3 900, 20       9 500, 8.4      17 000, 4.8
    50x50 / 100            14 000, 5.6     17 000, 4.7     18 000, 4.5
    50x50 / 300            100 000, 7.5    180 000, 4.1    190 000, 4.0
    50x50 / 800            150 000, 13     170 000, 12     160 000, 13
    torus 5x5 / 15         37*, 10         100, 8.4        68, 13
    torus 10x10 / 50       210*, 23        1 400, 17       3 800, 6.2
    torus 20x20 / 200      2 600*, 30      28 000, 28      310 000, 3.4
    torus 50x50 / 800      130 000*, 16    1 400 000, 14   9 600 000, 5.0
    torus 1001x1001 / 10   36, 3.9         29, 4.8         27, 5.2
    torus 1001x1001 / 100  1 000, 4.9      980, 5.1        1 200, 4.1
    torus 1001x1001 / 300  5 600, 4.7      5 600, 4.6      6 200, 4.2
    torus 1001x1001 / 1000 43 000, 3.7     34 000, 4.6     45 000, 3.5
    ====================== =============== =============== ===============

    (*) Of the perimeter alone: there are regions that wind.

    Examples
    --------
    >>> mixing_steps((10, 10), 50)
    5000
    """
    shape = grid.as_shape(shape, periodic)
    meaning = topology.as_meaning(simply_connected)
    area = topology.as_area(area, shape, periodic, meaning)
    if area == 1 or area == shape[0] * shape[1]:
        return 1  # a step draws the one cell anew; there is but one region
    free = area**1.75 / 4
    if area < min(shape):  # branch moves help
        factor = min(free, 5 * area**0.5)
    elif not periodic or not meaning:
        factor = min(free, shape[0] * shape[1])
    elif meaning == 8:
        factor = min(2 * free, 10 * shape[0] * shape[1])
    else:
        factor = 2 * free
    return math.ceil(area * factor)


class _Job:
    """A call, checked: the grid and the rule as kernels see them."""

    def __init__(self, shape, area, periodic, simply_connected, steps, rng):
        self.shape = grid.as_shape(shape, periodic)
        self.periodic = bool(periodic)
        self.meaning = topology.as_meaning(simply_connected)
        self.name = topology.describe(self.shape, periodic, self.meaning)
        self.area = topology.as_area(area, self.shape, periodic, self.meaning)
        high = topology.largest(self.shape, periodic=periodic, simply_connected=simply_connected)
        if periodic and self.meaning and self.area == high:
            raise ValueError(
                f"area must be from 1 to {high - 1} for the chain on {self.name}, got {high}: it cannot reach every "
                "region of the largest area; ask for a smaller one (uniform.exact serves tori of up to 25 cells)"
            )
        mixing = mixing_steps(self.shape, self.area, periodic=periodic, simply_connected=simply_connected)
        self.steps = mixing if steps is None else grid.as_int("steps", steps, 1, 2**40)
        self.burn_in = BURN_IN * max(mixing, self.steps)
        if self.burn_in > 2**62:
            raise ValueError(
                f"area must be smaller on {self.name}, for a chain of at most 2**62 steps, got {self.area}, "
                f"which takes {self.burn_in}"
            )
        self.rng = grid.as_rng(rng)
        self.home, self.ring = grid.padded(self.shape, periodic=periodic)

    def chains(self, n):
        """Make chains, each with a generator of its own, seeded by four words of the one given."""
        return [_Chain(self, np.random.default_rng(self.rng.integers(2**32, size=4).tolist())) for _ in range(n)]


class _Chain:
    """A chain: its region as kernels see it, and its own generator."""

    def __init__(self, job, rng):
        self.job = job
        rows, cols = job.shape
        n = len(job.home)
        self.counts = np.zeros(5, np.int64)
        self.lists = (
            np.zeros(job.area, np.int32),
            np.zeros(min(rows * cols, 2 * job.area + 2), np.int32),  # n cells have at most 2n + 2 neighbours
            np.zeros(n, np.int32),
        )
        self.grid = np.zeros(n, np.uint16), job.home, job.ring
        runs = topology.gaps(4)[::-1, ::2].copy()  # the filled ring cells are the empty ones of the opposite code
        if job.meaning:
            addable, removable = (topology.simple_cells(job.meaning, removal=removal) for removal in (False, True))
        else:
            addable = removable = runs.max(axis=1) == 0
        self.rule = np.where(addable, ADDABLE, 0).astype(np.uint8) | np.where(removable, REMOVABLE, 0).astype(np.uint8)
        # numba compiles a kernel anew where an argument is None, without the parts that need it
        self.search = self.branch = None
        front, queue = np.zeros(n, np.int8), None
        if not job.meaning or (job.periodic and job.meaning == 8):
            queue = np.zeros((4, job.area), np.int32)
            self.search = _euler_changes(job.meaning), runs, front, queue, np.zeros((4, 4), np.int64), SEARCHED
        if job.area < min(rows, cols):
            queue = np.zeros((3, job.area), np.int32) if queue is None else queue
            self.branch = front, queue, np.zeros(job.area, np.int32), job.periodic, job.meaning == 4, TRIES
        self.rng = rng

    def start(self, burn_in, stop):
        """Grow a region, and set the steps to go before the first one is kept."""
        job = self.job
        rows, cols = job.shape
        moves = MOVES * job.area
        while self.counts[CELLS] < job.area and not stop.is_set():
            stuck = _grow(*self.lists, *self.grid, self.rule, self.counts, rows, cols, BATCH // 8, self.rng)
            if not stuck:
                continue
            if moves <= 0:
                raise RuntimeError(
                    f"growth was stuck short of {job.area} cells on {job.name}, though {MOVES * job.area} steps of "
                    "the chain were made to find a way on: ask for a smaller area, or use another of "
                    "regions.GENERATORS"
                )
            self.counts[LEFT] = 10 * self.counts[CELLS]
            moves -= self.counts[LEFT]
            self.move()
        self.counts[LEFT] = burn_in
        self.counts[STEPS] = self.counts[CHANGED] = 0

    def move(self):
        """Make the steps that are left, as many as there is time for."""
        rows, cols = self.job.shape
        arrays = *self.lists, *self.grid, self.rule, self.counts
        _move(*arrays, self.search, self.branch, rows, cols, BATCH, self.rng)

    def fill(self, masks, steps, stop):
        """Write a region to each of `masks`, so many steps apart, in as many calls as it takes."""
        first = 0
        arrays = *self.lists, *self.grid, self.rule, self.counts
        while first < len(masks) and not stop.is_set():
            first += _fill(masks[first:], *arrays, self.search, self.branch, self.job.periodic, steps, BATCH, self.rng)


def _euler_changes(meaning):
    """Give for all rings how filling the middle changes the Euler number; 0 where holes are allowed."""
    if not meaning:
        return np.zeros(256, np.int8)
    ring = np.arange(256) >> np.arange(8)[:, None] & 1
    blocks = ring & np.roll(ring, -1, axis=0) & np.roll(ring, -2, axis=0)
    return (1 - ring[::2].sum(axis=0) + blocks[::2].sum(axis=0)).astype(np.int8)


def _in_threads(work, chains, parts):
    """Do the work of every chain, as many at a time as there are processors; an interrupt stops them all."""
    if not chains:
        return
    stop = threading.Event()
    with ThreadPoolExecutor(min(len(chains), os.cpu_count() or 1)) as pool:
        try:
            running = [pool.submit(work, chain, stop, part) for chain, part in zip(chains, parts)]
            while running:
                done, running = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)  # an interrupt waits no longer
                for future in done:
                    future.result()
        except BaseException:
            stop.set()
            raise


# What the rule says of a ring: the cell in the middle may be added, or removed, and nothing is to be looked into.
ADDABLE, REMOVABLE = 1 << 0, 1 << 1

# The code of a cell says, beside which cells of its ring are filled (bits 0 to 7):
TAKEN = 1 << 8  # it is filled

# What a chain counts: cells, their empty neighbours, steps until a region is kept, all steps, those that changed it.
CELLS, NEAR, LEFT, STEPS, CHANGED = range(5)

NOWHERE = np.int64(-1)  # not -1: numba compiles a kernel for a literal and once more for other numbers


@njit(cache=True, nogil=True)
def _fill(masks, cells, near, where, code, home, steps, rule, counts, search, branch, periodic, n_steps, most, rng):
    """Write a region to each of `masks`, `n_steps` apart; return how many there was time for.

    `cells` and `near` list the region and its empty neighbours, `where` says at what place.
    """
    n_masks, rows, cols = masks.shape
    work = 0
    for k in range(n_masks):
        while counts[LEFT] > 0:
            if work >= most:
                return k
            work += _move(
                cells, near, where, code, home, steps, rule, counts, search, branch, rows, cols, most - work, rng
            )
        _shift(cells, near, where, code, home, steps, counts, periodic, rows, cols, rng)
        for cell in cells:
            masks[k, cell // (cols + 2) - 1, cell % (cols + 2) - 1] = True
        work += len(cells) + rows * cols // 64
        counts[LEFT] = n_steps
    return n_masks


@njit(cache=True, nogil=True)
def _shift(cells, near, where, code, home, steps, counts, periodic, rows, cols, rng):
    """Shift the region to a random one of the places that it has room for."""
    n_near = counts[NEAR]
    width = cols + 2
    if periodic:
        down, right = int(rng.random() * rows), int(rng.random() * cols)
    else:
        top, left, low, far = rows, cols, 0, 0
        for cell in cells:
            row, col = cell // width - 1, cell % width - 1
            top, low = min(top, row), max(low, row)
            left, far = min(left, col), max(far, col)
        down = int(rng.random() * (rows - low + top)) - top
        right = int(rng.random() * (cols - far + left)) - left
    if down == 0 and right == 0:
        return
    for cell in cells:
        n_near = _empty(cell, near, where, code, home, steps, n_near)
    for k in range(len(cells)):
        row, col = (cells[k] // width - 1 + down) % rows, (cells[k] % width - 1 + right) % cols
        cells[k] = (row + 1) * width + col + 1
        n_near = _add(cells[k], near, where, code, home, steps, n_near)
        where[cells[k]] = k
    counts[NEAR] = n_near


@njit(cache=True, nogil=True)
def _grow(cells, near, where, code, home, steps, rule, counts, rows, cols, most, rng):
    """Add random empty neighbours, until there are all cells or time is up; return whether none may be added.

    Or none was found in so many draws that there is hardly one.
    """
    n_cells, n_near = counts[CELLS], counts[NEAR]
    failed = 0
    for _ in range(most):
        if n_cells == len(cells) or failed > 8 * n_near:
            break
        if n_cells == 0:
            cell = _first(rows, cols, rng)
        else:
            cell = near[int(rng.random() * n_near)]
            if not rule[code[cell]] & ADDABLE:
                failed += 1
                continue
        failed = 0
        n_near = _add(cell, near, where, code, home, steps, n_near)
        cells[n_cells] = cell
        where[cell] = n_cells
        n_cells += 1
    counts[CELLS], counts[NEAR] = n_cells, n_near
    return n_cells < len(cells) and failed > 8 * n_near


@njit(cache=True, nogil=True)
def _first(rows, cols, rng):
    """Draw a cell of the grid."""
    first = int(rng.random() * (rows * cols))
    return (first // cols + 1) * (cols + 2) + first % cols + 1


@njit(cache=True, nogil=True)
def _move(cells, near, where, code, home, steps, rule, counts, search, branch, rows, cols, most, rng):
    """Make the steps that are left, or as many as there is time for; return what they cost."""
    area, n_near = counts[CELLS], counts[NEAR]
    if area == rows * cols:  # there is but one region
        counts[STEPS] += counts[LEFT]
        counts[LEFT] = 0
        return 1
    if area == 1:  # S has no cell, and so no neighbours: y is any cell. One such step is as good as many
        n_near = _empty(cells[0], near, where, code, home, steps, n_near)
        cells[0] = _first(rows, cols, rng)
        counts[NEAR] = _add(cells[0], near, where, code, home, steps, n_near)
        where[cells[0]] = 0
        counts[STEPS] += counts[LEFT]
        counts[CHANGED] += counts[LEFT]
        counts[LEFT] = 0
        return 1
    n_picks = area if branch is None else area + (area + SINGLES - 1) // SINGLES
    left = counts[LEFT]
    changed = work = 0
    while left > 0 and work < most:
        left -= 1
        work += 1
        pick = int(rng.random() * n_picks)
        if branch is not None:
            if pick >= area:
                counts[NEAR] = n_near
                cost = _branch(cells, near, where, code, home, steps, counts, branch, rows, cols, rng)
                n_near = counts[NEAR]
                changed += cost > 0
                work += abs(cost)
                continue
        x = cells[pick]
        ring_x = code[x] ^ TAKEN
        removable = rule[ring_x] & REMOVABLE
        if search is None and not removable:
            continue

        toward = NOWHERE  # where x lies in the ring of y
        while True:
            other = int(rng.random() * (n_near + 1))
            if other == n_near:
                break  # y is x
            y = near[other]
            ring_y = code[y]
            toward = NOWHERE
            for i in range(8):
                if home[y + steps[i]] == x:
                    toward = i
            if toward >= 0:
                ring_y ^= 1 << toward
            if ring_y & topology.EDGES:
                break
            # an empty neighbour of R that touches nothing but x is none of S: draw again
        if other == n_near:
            continue
        if not (removable and rule[ring_y] & ADDABLE):
            if search is None:
                continue
            change = search[0]
            if change[ring_x] != change[ring_y] or rng.random() * search[5] >= 1:
                continue
            cost = _hangs_together(x, y, ring_x, ring_y, toward, code, home, steps, search)
            work += abs(cost)
            if cost < 0:
                continue
        changed += 1
        n_near = _empty(x, near, where, code, home, steps, n_near)
        n_near = _add(y, near, where, code, home, steps, n_near)
        cells[pick] = y
        where[y] = pick
    counts[NEAR] = n_near
    counts[STEPS] += counts[LEFT] - left
    counts[CHANGED] += changed
    counts[LEFT] = left
    return work


# Where all the work is, and so written into the kernels that call them: to hand over arrays takes longer than this.


@njit(cache=True, nogil=True, inline="always")
def _add(cell, near, where, code, home, steps, n_near):
    """Fill a cell; return how many empty neighbours there are then."""
    if code[cell] & topology.EDGES:
        n_near -= 1
        near[where[cell]] = near[n_near]
        where[near[n_near]] = where[cell]
    code[cell] |= TAKEN
    for i in range(8):
        other = home[cell + steps[i]]
        before = code[other]
        code[other] = before ^ (1 << (i ^ 4))  # i ^ 4 is the direction opposite to i
        if i % 2 == 0 and not before & (TAKEN | topology.EDGES) and other != grid.WALL:
            near[n_near] = other
            where[other] = n_near
            n_near += 1
    return n_near


@njit(cache=True, nogil=True, inline="always")
def _empty(cell, near, where, code, home, steps, n_near):
    """Empty a cell; return how many empty neighbours there are then."""
    code[cell] ^= TAKEN
    for i in range(8):
        other = home[cell + steps[i]]
        after = code[other] ^ (1 << (i ^ 4))
        code[other] = after
        if i % 2 == 0 and not after & (TAKEN | topology.EDGES) and other != grid.WALL:
            n_near -= 1
            near[where[other]] = near[n_near]
            where[near[n_near]] = where[other]
    if code[cell] & topology.EDGES:
        near[n_near] = cell
        where[cell] = n_near
        n_near += 1
    return n_near


@njit(cache=True, nogil=True)
def _hangs_together(x, y, ring_x, ring_y, toward, code, home, steps, search):
    """Tell whether the region without x and with y is connected: what that cost, or less than 0.

    It is when the runs of filled cells in the ring of x hang together, for every other cell hung on x or
    on one of them. Floods from the runs advance in turn until all have met, or some have come to their end.
    """
    _, runs, front, queue, floods, _ = search
    run_of = runs[ring_x if toward < 0 else ring_x | 1 << (toward ^ 4)]
    n_parts = 0
    for run in run_of:
        n_parts = max(n_parts, run + 1)
    if n_parts < 2:
        return 1
    _swap(x, y, ring_x, ring_y, toward, code, home, steps)
    first, last = floods[0], floods[1]  # of each flood: the next cell to look around, in its queue, and its end
    part = floods[2]  # floods that have met are of one part
    growing = floods[3]  # floods of a part that have not come to their end
    for f in range(4):
        first[f], last[f], part[f], growing[f] = 0, 1, f, 1
    n_floods = 0
    for i in range(4):
        if run_of[i] == n_floods:
            cell = home[x + steps[2 * i]]
            queue[n_floods, 0] = cell
            n_floods += 1
            front[cell] = n_floods
    cost = 0
    f = n_floods - 1
    while n_parts > 1:
        f = (f + 1) % n_floods
        if first[f] == last[f]:
            continue
        cell = queue[f, first[f]]
        first[f] += 1
        cost += 1
        for i in range(0, 8, 2):
            if not code[cell] >> i & 1:
                continue
            other = home[cell + steps[i]]
            met = front[other] - 1
            if met < 0:
                front[other] = f + 1
                queue[f, last[f]] = other
                last[f] += 1
            elif part[met] != part[f]:
                n_parts -= 1
                gone = part[met]
                growing[part[f]] += growing[gone]
                for g in range(n_floods):
                    if part[g] == gone:
                        part[g] = part[f]
        if first[f] == last[f]:
            growing[part[f]] -= 1
            if growing[part[f]] == 0:
                break
    for f in range(n_floods):
        for k in range(last[f]):
            front[queue[f, k]] = 0
    _swap(x, y, ring_x, ring_y, toward, code, home, steps)
    return cost if n_parts == 1 else -cost


@njit(cache=True, nogil=True)
def _swap(x, y, ring_x, ring_y, toward, code, home, steps):
    """Tell the neighbours of x and y, and y itself, that x was emptied and y filled, or take that back."""
    for i in range(0, 8, 2):
        if ring_x >> i & 1:
            code[home[x + steps[i]]] ^= 1 << (i ^ 4)
        if ring_y >> i & 1:
            code[home[y + steps[i]]] ^= 1 << (i ^ 4)
    if toward >= 0:
        code[y] ^= 1 << toward


@njit(cache=True, nogil=True)
def _branch(cells, near, where, code, home, steps, counts, branch, rows, cols, rng):
    """Try to move a branch, so many times: what that cost, or less than 0 where it stayed.

    The region is A and B, B not the larger one, and hangs together by one edge alone, from u in A to v in B. A
    try maps B so that a random cell of it comes to `at`, beside a random cell `base` of A. The reverse moves take as
    many draws with the same chances: the edge is drawn by either end (by that in A only, if A and B are
    equally large), A and B are what they were, and the mapping is undone by one of the eight. So whatever may be
    refused must be so in reverse. To see soon what is likely to fail, `at` must be empty and touch `base`
    only, in the whole region; so the same is asked of v when B has left.
    """
    front, queue, image, periodic, corners, tries = branch
    u = cells[int(rng.random() * len(cells))]
    i = 2 * int(rng.random() * 4)
    if not code[u] >> i & 1:
        return -1
    v = home[u + steps[i]]

    # flood from v and u in turn, without the edge, until one side comes to its end, or they meet
    code[u] ^= 1 << i
    code[v] ^= 1 << (i ^ 4)
    queue[0, 0], queue[1, 0] = v, u
    front[v], front[u] = 1, 2
    last = np.ones(2, np.int64)
    small = -1
    met = False
    cost = 0
    while small < 0 and not met:
        f = cost % 2
        cell = queue[f, cost // 2]
        for e in range(0, 8, 2):
            if code[cell] >> e & 1:
                other = home[cell + steps[e]]
                if front[other] == 0:
                    front[other] = f + 1
                    queue[f, last[f]] = other
                    last[f] += 1
                elif front[other] != f + 1:
                    met = True
        cost += 1
        if last[f] == (cost + 1) // 2:
            small = f
    code[u] ^= 1 << i
    code[v] ^= 1 << (i ^ 4)

    moved = False
    if not met:
        mark = small + 1
        b, places = queue[small, : last[small]], queue[2]
        for k in range(len(b)):
            places[k] = where[b[k]]
        if small == 1:
            v = u
        for _ in range(tries):
            base = cells[int(rng.random() * len(cells))]
            j = 2 * int(rng.random() * 4)
            at = home[base + steps[j]]
            if front[base] == mark or at == grid.WALL or code[at] & (TAKEN | topology.EDGES) != 1 << (j ^ 4):
                continue
            mapping = b[int(rng.random() * len(b))], int(rng.random() * 8)
            edge = v, base, at
            mapped = _map(image, b, mapping, edge, mark, front, code, home, steps, periodic, corners, rows, cols)
            cost += mapped
            if mapped < len(b):
                continue
            n_near = counts[NEAR]
            for cell in b:
                front[cell] = 0
                n_near = _empty(cell, near, where, code, home, steps, n_near)
            for k in range(len(b)):
                cell = image[k]
                b[k] = cell
                front[cell] = mark
                n_near = _add(cell, near, where, code, home, steps, n_near)
                cells[places[k]] = cell
                where[cell] = places[k]
            counts[NEAR] = n_near
            v = at
            moved = True
    for f in range(2):
        for k in range(last[f]):
            front[queue[f, k]] = 0
    return cost if moved else -cost


@njit(cache=True, nogil=True)
def _map(image, b, mapping, edge, mark, front, code, home, steps, periodic, corners, rows, cols):
    """Map the branch b to `image`, as long as it fits; return how many cells of it do.

    They must be on the grid, empty once b has left, and not beside what is left but for the edge. Where empty
    cells are joined by edges (`corners`) they must not touch it at a corner either, but for the ends of the edge.
    """
    root, turn = mapping
    v, base, at = edge
    width = cols + 2
    for k in range(len(b)):
        row, col = b[k] // width - root // width, b[k] % width - root % width
        if periodic:  # the shorter way round: a branch is shorter than half the grid
            row = (row + rows + rows // 2) % rows - rows // 2
            col = (col + cols + cols // 2) % cols - cols // 2
        if turn & 1:
            row = -row
        if turn & 2:
            col = -col
        if turn & 4:
            row, col = col, row
        row += at // width - 1
        col += at % width - 1
        if periodic:
            row, col = row % rows, col % cols
        elif row < 0 or row >= rows or col < 0 or col >= cols:
            return k
        cell = (row + 1) * width + col + 1
        if cell == v or (code[cell] & TAKEN and front[cell] != mark):
            return k
        for i in range(8):
            other = home[cell + steps[i]]
            if i % 2 == 0 and other == v:
                return k
            if not code[cell] >> i & 1 or front[other] == mark or (cell == at and other == base):
                continue
            if i % 2 == 0:
                return k
            if corners:
                ends = False  # does the corner of `cell` and `other` lie on the edge of `at` and `base`?
                for j in range(0, 8, 2):
                    ends |= cell == at and home[base + steps[j]] == other
                    ends |= other == base and home[at + steps[j]] == cell
                if not ends:
                    return k
        image[k] = cell
    return len(b)
