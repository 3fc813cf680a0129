"""Exact laws of the growers: the chance of every region of a small area, as a fraction.

A grower adds one cell after another, and what it does next depends on the cells it has
and sometimes on the order in which they came. So its law is a sum over all ways to grow,
and the ways that lead to one *state* are added up before they go on::

    eden, eden_sites, eden_bonds   the cells
    dfs                            the cells, and in order the visited ones with an empty neighbour
    frontier                       the same
    walk                           the cells, and which is the last

Each law is on a grid, open or periodic, as the generators of `regions` have it, or on the
infinite lattice (``shape=None``), where a region is a *fixed polyomino*: cells up to
translation. All laws of one area on one grid list the same regions in the same order, also those a
grower cannot make, so that two of them are compared by their chances alone.

How it is done: cells are bits of an integer, and on the lattice a set of cells is kept moved
to the top left corner. A step shares out a whole number, of which every number of things to
choose from is a divisor: so nothing but whole numbers is multiplied and added, and
`fractions.Fraction` comes in at the end.
"""

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .. import grid, topology

__all__ = [
    "GROWERS",
    "Law",
    "dfs",
    "distance",
    "eden",
    "eden_bonds",
    "eden_sites",
    "frontier",
    "table",
    "uniform",
    "walk",
]


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """The chance of every region of one area.

    Parameters
    ----------
    regions : ndarray of bool, shape (n, rows, cols)
        All regions there are, in the order of their cells read row by row, filled before
        empty. On the infinite lattice each is in the top left corner of a square of `area` cells a side.
    chances : tuple of Fraction
        The chance of each; the sum is 1. Some may be 0.
    shape : tuple of int or None
        Rows and columns of the grid, None on the infinite lattice.
    """

    regions: np.ndarray
    chances: tuple
    shape: tuple | None


def eden(area, shape=None, *, periodic=False):
    """Compute the law of Eden's model C, as in `regions.eden`.

    Parameters
    ----------
    area : int
        Cells of a region: on the lattice from 1 to 12, for `frontier` to 10. On a grid, where
        all regions count and not only their shapes, to fewer: 8 on 10x10, and on 4x4 all 16
        (`dfs` and `walk` 10, `frontier` 8).
    shape : tuple of int, optional
        Rows and columns of the grid; by default the infinite lattice.
    periodic : bool
        Whether opposite sides of the grid are joined.

    Returns
    -------
    Law
        Every region and its chance. Holes are allowed (from 7 cells on there are some); the laws
        of simply connected growth are not to be had here.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range, or the law would take too long.

    Notes
    -----
    About 1 µs for each way from a state to the next. On the lattice time grows by a factor
    of 4 to 5 a cell: 0.6 s for area 10; 12 s and 0.6 GB for area 12.

    What may have more than 600000 states, or regions with more than 10**8 cells of the grid in
    all, is refused. The bound for regions is the number of fixed polyominoes in all places or, if that
    is less, of all sets of cells; for `dfs` and `walk` there are up to 4 * 3**(area - 2) states from
    each first cell, for `frontier` (area - 1)!.

    References
    ----------
    .. [1] R. Jullien and R. Botet, "Scaling properties of the surface of the Eden model
       in d = 2, 3, 4", J. Phys. A 18 (1985), 2279-2287 (models A, B and C).

    Examples
    --------
    >>> law = eden(4)
    >>> len(law.regions), max(law.chances), round(float(distance(law)), 4)
    (19, Fraction(4, 27), 0.2183)
    """
    place = _place("eden", area, shape, periodic)
    return _grown(place, _eden, _first(place, ordered=False))


def _eden(place, mask, order):
    """Draw a cell with an empty neighbour, then one of these."""
    options = [empty for cell in _cells(mask) if (empty := place.near[cell] & ~mask)]
    for empty in options:
        share = place.whole // (len(options) * empty.bit_count())
        for other in _cells(empty):
            yield other, order, share


def eden_sites(area, shape=None, *, periodic=False):
    """Compute the law of Eden's model A, as in `regions.eden_sites`.

    Parameters
    ----------
    area, shape, periodic
        As in `eden`.

    Returns
    -------
    Law
        Every region and its chance.

    Raises
    ------
    TypeError, ValueError
        As in `eden`.

    Notes
    -----
    As in `eden`.

    References
    ----------
    .. [1] M. Eden, "A two-dimensional growth process", Proc. 4th Berkeley Symposium on
       Mathematical Statistics and Probability 4 (1961), 223-239.

    Examples
    --------
    >>> law = eden_sites(3, (1, 4))
    >>> [(grid.text(region), str(chance)) for region, chance in zip(law.regions, law.chances)]
    [('xxx.', '1/2'), ('.xxx', '1/2')]
    """
    place = _place("eden_sites", area, shape, periodic)
    return _grown(place, _eden_sites, _first(place, ordered=False))


def _eden_sites(place, mask, order):
    """Draw an empty cell that touches the region."""
    empty = place.around(mask)
    for other in _cells(empty):
        yield other, order, place.whole // empty.bit_count()


def eden_bonds(area, shape=None, *, periodic=False):
    """Compute the law of Eden's model B, as in `regions.eden_bonds`.

    Parameters
    ----------
    area, shape, periodic
        As in `eden`.

    Returns
    -------
    Law
        Every region and its chance.

    Raises
    ------
    TypeError, ValueError
        As in `eden`.

    Notes
    -----
    As in `eden`.

    References
    ----------
    .. [1] R. Jullien and R. Botet, "Scaling properties of the surface of the Eden model
       in d = 2, 3, 4", J. Phys. A 18 (1985), 2279-2287.

    Examples
    --------
    >>> law = eden_bonds(4)
    >>> str(max(law.chances)), str(min(law.chances))  # the square, and the straight ones
    ('1/6', '1/24')
    """
    place = _place("eden_bonds", area, shape, periodic)
    return _grown(place, _eden_bonds, _first(place, ordered=False))


def _eden_bonds(place, mask, order):
    """Draw an edge between the region and an empty cell."""
    bonds = [(other, (place.near[other] & mask).bit_count()) for other in _cells(place.around(mask))]
    n_bonds = sum(n for _, n in bonds)
    for other, n in bonds:
        yield other, order, n * (place.whole // n_bonds)


def dfs(area, shape=None, *, periodic=False):
    """Compute the law of a depth-first search, as in `regions.dfs`.

    Parameters
    ----------
    area, shape, periodic
        As in `eden`.

    Returns
    -------
    Law
        Every region and its chance.

    Raises
    ------
    TypeError, ValueError
        As in `eden`.

    Notes
    -----
    As in `eden`; states grow by a factor of about 3 a cell, and most of the time is spent on the list
    of regions: 0.3 s for area 10; 6 s and 0.4 GB for area 12.

    Examples
    --------
    >>> law = dfs(4)
    >>> str(law.chances[law.regions.any(axis=1).sum(axis=1).argmax()])  # four in a row
    '1/18'
    """
    place = _place("dfs", area, shape, periodic)
    return _grown(place, _dfs, _first(place))


def _dfs(place, mask, order):
    """Draw an empty neighbour of the last cell that has one: to this cell the search goes back."""
    empty = place.near[order[-1]] & ~mask
    for other in _cells(empty):
        yield other, place.still_open(mask | 1 << other, (*order, other)), place.whole // empty.bit_count()


def walk(area, shape=None, *, periodic=False):
    """Compute the law of a self-avoiding walk with backtracking, as in `regions.walk`.

    Parameters
    ----------
    area, shape, periodic
        As in `eden`.

    Returns
    -------
    Law
        Every region and its chance; 0 where no walk leads through all its cells.

    Raises
    ------
    TypeError, ValueError
        As in `eden`.

    Notes
    -----
    First all states are found, then from the last to the first those that can be completed; the
    search with backtracking takes uniformly one of the steps that lead to these.
    Time and memory are those of `dfs`.

    Examples
    --------
    >>> law = walk(4)
    >>> sum(chance == 0 for chance in law.chances)  # T, in four directions
    4
    """
    place = _place("walk", area, shape, periodic)
    steps = [set(_first(place))]
    while len(steps) < place.area:
        steps.append({state for before in steps[-1] for state in _walked(place, before).values()})
    completed = steps.pop()  # and those that can be: their cells tell the steps apart
    while steps:
        completed |= {state for state in steps.pop() if not completed.isdisjoint(_walked(place, state).values())}

    def draws(place, mask, order):
        good = [cell for cell, state in _walked(place, (mask, order)).items() if state in completed]
        for cell in good:
            yield cell, (cell,), place.whole // len(good)

    return _grown(place, draws, {state: 1 for state in _first(place) if state in completed})


def _walked(place, state):
    """Return the states a walk can step to, by the cell of the step."""
    mask, (last,) = state
    return {other: place.settled(mask | 1 << other, (other,)) for other in _cells(place.near[last] & ~mask)}


def frontier(area, shape=None, *, periodic=False):
    """Compute the law of the published loop, as in `published.frontier`.

    Parameters
    ----------
    area, shape, periodic
        As in `eden`.

    Returns
    -------
    Law
        Every region and its chance; 0 for most.

    Raises
    ------
    TypeError, ValueError
        As in `eden`.

    Notes
    -----
    On the infinite lattice there is no first row or column; the draws of boundary cells have
    their ends at half weight there, too. (Their weights do not matter to the distance from
    uniform: each shape the loop can make has more than its share, whatever they are.)
    States grow by a factor of 7 a cell: 1.1 s for area 10.

    Examples
    --------
    >>> law = frontier(4)
    >>> sum(chance > 0 for chance in law.chances), len(law.chances), str(distance(law))
    (2, 19, '17/19')
    """
    place = _place("frontier", area, shape, periodic)
    return _grown(place, _frontier, _first(place, rounded=True))


def _frontier(place, mask, order):
    """Draw a cell that has an empty neighbour, by `_rounded`; take the first: right, left, down, up."""
    shares = _rounded(len(order))
    for cell, share in zip(order, shares):
        other = next(other for other in place.neighbours[cell] if not mask >> other & 1)
        yield other, place.still_open(mask | 1 << other, (*order, other)), share * (place.whole // sum(shares))


def uniform(area, shape=None, *, periodic=False):
    """List all regions of an area, or all fixed polyominoes, with equal chances.

    Parameters
    ----------
    area, shape, periodic
        As in `eden`.

    Returns
    -------
    Law
        Every region, each with the same chance.

    Raises
    ------
    TypeError, ValueError
        As in `eden`.

    Notes
    -----
    0.4 s for the 36446 fixed polyominoes of area 10; 9 s and 0.5 GB for the 505861 of area 12.

    References
    ----------
    .. [1] OEIS A001168, fixed polyominoes with n cells.

    Examples
    --------
    >>> [len(uniform(area).regions) for area in range(1, 7)]
    [1, 2, 6, 19, 63, 216]
    """
    place = _place("uniform", area, shape, periodic)
    found = _everywhere(place)
    return _law(place, dict.fromkeys(found, 1), len(found))


#: The growers by name, as in `regions.GENERATORS`, and the published loop.
GROWERS = {f.__name__: f for f in (eden, eden_bonds, eden_sites, dfs, walk, frontier)}


def distance(law, other=None):
    """Measure how far a law is from another one, or from uniform, by the total variation distance.

    It is the largest difference of the chances the two give to any set of regions.

    Parameters
    ----------
    law : Law
        A law.
    other : Law, optional
        A law of the same area on the same grid; by default the uniform one.

    Returns
    -------
    Fraction
        From 0 (the same law) to 1 (no region in common).

    Raises
    ------
    TypeError
        If one is not a law.
    ValueError
        If they are not of the same regions.

    Notes
    -----
    Regions that a grower cannot make count: they are listed with chance 0.

    Examples
    --------
    >>> distance(dfs(4)), distance(dfs(4), eden(4))
    (Fraction(4, 19), Fraction(1, 3))
    """
    for name, value in (("law", law), ("other", other)):
        if not isinstance(value, Law) and not (name == "other" and value is None):
            raise TypeError(f"{name} must be a Law, got {value!r}")
    if other is None:
        chances = (Fraction(1, len(law.chances)),) * len(law.chances)
    elif law.shape == other.shape and np.array_equal(law.regions, other.regions):
        chances = other.chances
    else:
        raise ValueError(f"other must be of the same regions as law, {_name(law)}, got {_name(other)}")
    return sum((abs(p - q) for p, q in zip(law.chances, chances)), start=Fraction(0)) / 2


def _name(law):
    """Name a law's regions, for messages."""
    area = int(law.regions[0].sum())
    return f"{len(law.regions)} of area {area} on {'the lattice' if law.shape is None else law.shape}"


def table(law):
    """Write a law as a table, a row a region.

    Parameters
    ----------
    law : Law
        A law.

    Returns
    -------
    pandas.DataFrame
        In the order of the law: `region`, a picture that `grid.parse` reads, on the lattice
        without its margin; `chance`; `fraction`, the same as an exact text; `ratio`, the
        chance over that of the uniform law.

    Raises
    ------
    TypeError
        If it is not a law.

    Examples
    --------
    >>> table(eden_sites(4)).head(3)
       region    chance fraction     ratio
    0     xxxx  0.041667     1/24  0.791667
    1  xxx/x..  0.044643    5/112  0.848214
    2  xxx/.x.  0.068452   23/336  1.300595
    """
    if not isinstance(law, Law):
        raise TypeError(f"law must be a Law, got {law!r}")
    import pandas as pd  # here: no law needs it, nor what uses laws

    pictures = [
        grid.text(region if law.shape else region[np.ix_(region.any(1), region.any(0))]).replace("\n", "/")
        for region in law.regions
    ]
    chances = [float(chance) for chance in law.chances]
    return pd.DataFrame(
        {
            "region": pictures,
            "chance": chances,
            "fraction": [str(chance) for chance in law.chances],
            "ratio": [chance * len(chances) for chance in chances],
        }
    )


#: Fixed polyominoes by area, from 1 to the first area that is too large on the lattice.
POLYOMINOES = (1, 2, 6, 19, 63, 216, 760, 2725, 9910, 36446, 135268, 505861, 1903890)

#: Orders in which cells may come from one first cell, a bound: a walk, also one that goes back to where it can go
#: on, has four first steps and then up to three; the loop adds one of as many cells as it has.
ORDERS = {
    "dfs": lambda area: 4 * 3 ** (area - 2),
    "walk": lambda area: 4 * 3 ** (area - 2),
    "frontier": lambda area: math.factorial(area - 1),
}

#: Above so many states a law would take too long, above so many cells of all its regions too much memory.
MOST_STATES, MOST_CELLS = 600_000, 10**8


class _Place:
    """A grid or the lattice with cells as bits: neighbours, and where a set of cells is kept."""

    def __init__(self, area, shape, periodic):
        self.area, self.shape = area, shape
        # The lattice is a square with a margin of one cell, into which a region grows; then it is moved.
        self.rows, self.cols = shape or (area + 2, area + 2)
        near = grid.neighbours((self.rows, self.cols), periodic=periodic)[:, [0, 2, 1, 3]]
        self.neighbours = [[cell for cell in cells if cell >= 0] for cells in near.tolist()]
        self.near = [sum(1 << cell for cell in cells) for cells in self.neighbours]
        self.starts = range(self.rows * self.cols) if shape else (self.cols + 1,)
        self.top = 0 if shape else (1 << self.cols) - 1
        self.left = 0 if shape else sum(1 << row * self.cols for row in range(self.rows))
        # Divisible by the product of any two numbers of things drawn from in a step: up to 2 area + 2 empty
        # cells or edges, of which a cell has up to 4; 2 (area - 1) halves in the published draw of a cell.
        self.whole = 12 * math.lcm(*range(1, 2 * area + 3))

    def around(self, mask):
        """Return the empty cells that touch a region."""
        near = 0
        for cell in _cells(mask):
            near |= self.near[cell]
        return near & ~mask

    def still_open(self, mask, order):
        """Return the cells in order, without those whose neighbours are all filled: nothing will change that."""
        return tuple(cell for cell in order if self.near[cell] & ~mask)

    def settled(self, mask, order=()):
        """Return a state where it is kept: on the lattice, one cell from the top and from the left."""
        shift = (self.cols if mask & self.top else 0) + (1 if mask & self.left else 0)
        if shift == 0:
            return mask, order
        return mask << shift, tuple(cell + shift for cell in order)


def _cells(mask):
    """Yield the cells of a mask."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def _first(place, *, ordered=True, rounded=False):
    """Return the states of one cell with their weights: all alike, or as the published program draws them."""
    rows, cols = (_rounded(side) if rounded and place.shape else [1] * side for side in (place.rows, place.cols))
    return {
        (1 << cell, (cell,) if ordered else ()): rows[cell // place.cols] * cols[cell % place.cols]
        for cell in place.starts
    }


def _rounded(n):
    """Return the weights of ``round((n - 1) * u)`` for uniform u: the ends have half the chance of the others."""
    return [1] if n == 1 else [1, *[2] * (n - 2), 1]


def _grown(place, draws, ways):
    """Compute a law from the states of one cell and what is drawn in one step.

    The ways to a state count in units of one over their sum, and each step multiplies that by `place.whole`.
    """
    total = sum(ways.values()) * place.whole ** (place.area - 1)
    for _ in range(place.area - 1):
        longer = defaultdict(int)
        for (mask, order), n in ways.items():
            for cell, following, share in draws(place, mask, order):
                longer[place.settled(mask | 1 << cell, following)] += n * share
        ways = longer
    by_region = defaultdict(int)
    for (mask, _), n in ways.items():
        by_region[mask] += n
    return _law(place, by_region, total)


def _everywhere(place):
    """Return all regions as masks."""
    found = {1 << cell for cell in place.starts}
    for _ in range(place.area - 1):
        found = {place.settled(mask | 1 << cell)[0] for mask in found for cell in _cells(place.around(mask))}
    return found


def _law(place, ways, total):
    """Make a law from the ways to each region: list all regions, in order, with their chances."""
    masks = list(_everywhere(place))
    n_cells = place.rows * place.cols
    n_bytes = (n_cells + 7) // 8
    packed = np.frombuffer(b"".join(mask.to_bytes(n_bytes, "little") for mask in masks), np.uint8)
    flat = np.unpackbits(packed.reshape(len(masks), n_bytes), axis=1, count=n_cells, bitorder="little")
    order = np.argsort(np.packbits(flat, axis=1).view(f"S{n_bytes}").ravel())[::-1]
    regions = flat[order].astype(bool).reshape(-1, place.rows, place.cols)
    regions = regions if place.shape else regions[:, 1:-1, 1:-1].copy()
    return Law(regions, tuple(Fraction(ways.get(masks[i], 0), total) for i in order), place.shape)


def _place(name, area, shape, periodic):
    """Check the arguments of a law and make its place."""
    if shape is None:
        if periodic is not False:
            raise ValueError(f"periodic must be False on the infinite lattice (shape=None), got {periodic!r}")
        n_cells, where = None, "the infinite lattice"
    else:
        shape = grid.as_shape(shape, periodic)
        n_cells, where = shape[0] * shape[1], topology.describe(shape, periodic, 0)
        if n_cells**2 > MOST_CELLS:
            raise ValueError(f"shape must have at most {math.isqrt(MOST_CELLS)} cells, got {shape[0]}x{shape[1]}")
    high = 1
    while high != n_cells and _is_small(name, high + 1, n_cells):
        high += 1
    return _Place(grid.as_int("area", area, 1, high, where=f" for {name} on {where}"), shape, periodic)


def _is_small(name, area, n_cells):
    """Tell whether the states and the list of regions are surely within the limits; `n_cells` of a grid, or None."""
    n_regions = (n_cells or 1) * POLYOMINOES[min(area, len(POLYOMINOES)) - 1]
    if n_cells:
        n_regions = min(n_regions, math.comb(n_cells, area))
    n_orders = (n_cells or 1) * ORDERS[name](area) if name in ORDERS else 0
    return max(n_regions, n_orders) <= MOST_STATES and n_regions * (n_cells or (area + 2) ** 2) <= MOST_CELLS
