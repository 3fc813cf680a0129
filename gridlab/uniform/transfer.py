"""Count regions and draw them with equal chances, by a transfer matrix over a boundary line.

A strip of the grid is visited cell by cell, row by row. What the cells seen mean to those
to come is the *boundary line*, the last cell seen in each column, and the *corner*::

    . c u . x      The next cell, ?, has left before it, up above it, and the corner between
    x l ? . .      these two. The line is x l u . x: for each column the component of its
                   cell, from 1 in order of appearance, or 0 where it is empty.

The next cell is left empty or filled, which joins the components of left and up. To leave
it empty is wrong where that cuts a component off from the line. Where holes are not
allowed, to fill it is wrong when left and up are of one component and the corner is empty,
for a hole would be closed. For meaning 4 one choice is wrong, too, where left and up are both
filled or both empty, and the corner is not as they are: with the next cell unlike them
two cells would meet at a corner only.

The regions counted so *span* the strip: they have a cell in each of its rows. For each number
of cells to come, state, and number of them still to be filled, the number of ways to go on
is the sum of two for one cell less. From one such table, which serves any number of rows,
all else follows: how many regions have a bounding box of so many rows and columns, how
often they fit into a grid, and with which chance the next cell of a random one is filled.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numba import njit

from .. import grid, topology

__all__ = ["MEMORY", "count", "exact", "forget", "method", "polyominoes"]

#: Bytes that tables may take.
MEMORY = 2**30


def count(shape, area=None, *, periodic=False, simply_connected=False, memory=MEMORY):
    """Count the regions of a grid.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    area : int, optional
        Cells of the region; all areas by default.
    periodic : bool
        Whether opposite sides of the grid are joined.
    simply_connected : {False, True, 4, 8}
        Whether holes are refused (and, on a periodic grid, regions that wind round it), and
        how empty cells are joined; True is 4.
    memory : int
        Bytes that the count may take.

    Returns
    -------
    int or list of int
        The exact number of connected sets of `area` cells, however large; for all areas
        a list that begins with that of area 0, which has none.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range, or the count would take more
        than `memory`, or a periodic grid has too many sets of cells to try them all.

    See Also
    --------
    polyominoes : The same on the infinite lattice.

    Notes
    -----
    On an open grid by a transfer matrix along the longer side. Its states are about 1.5
    times the Motzkin number of the shorter one, which grows threefold from one side to the
    next: all areas of 12×12 take some seconds. An area whose regions fit in boxes smaller than
    the grid takes a transfer matrix of half its width, whatever the grid, also on a
    periodic one that the region cannot wind round (`area` less than both sides). On other
    periodic grids all sets of cells with a given one among them are tried.

    Counts are exact: residues modulo numbers up to 2**52, which floats add without error,
    are put together by the Chinese remainder theorem.

    References
    ----------
    .. [1] I. Jensen, "Enumerations of lattice animals and trees", J. Stat. Phys. 102 (2001),
       865-881.
    .. [2] A. R. Conway, "Enumerating 2D percolation series by the finite-lattice method:
       theory", J. Phys. A 28 (1995), 335-349.

    Examples
    --------
    >>> count((3, 3))
    [0, 9, 12, 22, 36, 49, 48, 32, 9, 1]
    >>> count((4, 40), 80, simply_connected=4)
    11620334153617930533736459556395406
    """
    shape = grid.as_shape(shape, periodic)
    meaning = topology.as_meaning(simply_connected)
    if area is not None:
        area = topology.as_area(area, shape, periodic, meaning)
    memory = grid.as_int("memory", memory, 0)
    if obstacle := _obstacle(shape, area, periodic, meaning, memory, drawing=False):
        raise ValueError(f"{obstacle}; count a smaller area or grid")
    if area is not None:
        parts = _parts(shape, area, periodic)
        if not parts:
            return len(_tried(*shape, area, meaning)) * shape[0] * shape[1] // area
        return sum(n for part in parts for n in _numbers(part, area, meaning))
    if periodic:
        high = topology.largest(shape, periodic=True, simply_connected=simply_connected)
        return [0] + [
            count(shape, k, periodic=True, simply_connected=simply_connected, memory=memory) for k in range(1, high + 1)
        ]
    rows, cols = max(shape), min(shape)
    spanning = _spanning(cols, rows, rows * cols, meaning)
    return sum((rows - height + 1) * spanning[height] for height in range(1, rows + 1)).tolist()


def polyominoes(area, *, simply_connected=False, memory=MEMORY):
    """Count the fixed polyominoes of an area: regions of the infinite lattice, up to translation.

    Parameters
    ----------
    area : int
        Cells of the polyomino.
    simply_connected : {False, True, 4, 8}
        Whether holes are refused, and how empty cells are joined; True is 4.
    memory : int
        Bytes that the count may take.

    Returns
    -------
    int
        The exact number.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range, or the count would take more
        than `memory`.

    Notes
    -----
    The sum over bounding boxes, whose shorter side is at most half of ``area + 1``. Time and
    memory grow by about 1.8 for each cell: 24 takes some seconds, 30 some minutes.

    References
    ----------
    .. [1] I. Jensen, "Counting polyominoes: a parallel implementation for cluster computing",
       Lecture Notes in Computer Science 2659 (2003), 203-212.
    .. [2] The On-Line Encyclopedia of Integer Sequences, A001168 (all) and A006724 (4).

    Examples
    --------
    >>> [polyominoes(area) for area in range(1, 9)]
    [1, 2, 6, 19, 63, 216, 760, 2725]
    """
    area = grid.as_int("area", area, 1)
    meaning = topology.as_meaning(simply_connected)
    memory = grid.as_int("memory", memory, 0)
    width = (area + 1) // 2
    if width > WIDEST or _count_bytes(width, area, area, meaning) > memory:
        high = _most(lambda n: _count_bytes((n + 1) // 2, n, n, meaning), memory)
        raise ValueError(
            f"area must be from 1 to {high}, to count polyominoes within memory={memory} bytes, got {area}"
        )
    boxes = _boxes(width, area, area, meaning)
    return sum(boxes[h, w] * (1 + (h > w)) for h in range(1, area + 1) for w in range(1, min(h, width) + 1))


def exact(shape, area, *, periodic=False, simply_connected=False, memory=MEMORY, size=None, rng=None):
    """Draw a region, each one of that area with the same chance.

    Uniform over all connected sets of `area` cells of the grid, or over the simply connected
    ones: in place and in shape. Draws are independent. The chances are equal up to the
    rounding of floats, 1e-13 of each.

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
        it), and how empty cells are joined; True is 4.
    memory : int
        Bytes that the table of chances may take.
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
    TypeError, ValueError
        If an argument is of a wrong type or out of its range, or there is no exact method
        within `memory`.
    MemoryError
        If the regions do not fit into memory.

    See Also
    --------
    markov : A chain for all other grids and areas.
    method : Which of the two serves a grid and an area.

    Notes
    -----
    On an open grid the number of rows that the region spans is drawn first, then cell by
    cell whether it is filled, with the chance that follows from the numbers of ways to go
    on. Where all regions fit in boxes smaller than the grid, those at least as high as wide
    are drawn in this way, and the others lying; a draw is kept with the chance that makes up
    for how often its box fits into the grid. On a periodic grid that the region could wind
    round there is no such method, but on small ones all sets of cells can be tried.

    The last table is kept for the next call; `forget` gives its memory back.

    References
    ----------
    .. [1] A. Nijenhuis and H. S. Wilf, "Combinatorial Algorithms", 2nd ed., Academic Press (1978).

    Examples
    --------
    >>> print(grid.text(exact((4, 6), 9, rng=10)))
    xxxxx.
    ....xx
    .....x
    .....x
    """
    shape = grid.as_shape(shape, periodic)
    meaning = topology.as_meaning(simply_connected)
    area = topology.as_area(area, shape, periodic, meaning)
    memory = grid.as_int("memory", memory, 0)
    rng = grid.as_rng(rng)
    if obstacle := _obstacle(shape, area, periodic, meaning, memory):
        largest = periodic and meaning and area == topology.largest(shape, periodic=True, simply_connected=meaning)
        advice = "ask for a smaller area" if largest else "use uniform.markov, which needs no table"
        raise ValueError(f"{obstacle}; {advice}")
    masks = grid.empty(shape, size)
    if len(masks) == 0:
        return masks
    parts = _parts(shape, area, periodic)
    if parts:
        kinds = _kinds(parts, area, meaning)
        table = _table(parts[0].width, min(area, max(shape)), area, meaning)
        kernel = _exact
    else:
        kernel, kinds, table = _shifted, (), (_tried(*shape, area, meaning),)
    n = max(1, BATCH // masks[0].size)
    for k in range(0, len(masks), n):
        kernel(masks[k : k + n], *kinds, *table, area, rng)
    return masks[0] if size is None else masks


@njit(cache=True)
def _exact(masks, kinds, heights, transposed, accepted, tori, follow, share, first, low, span, area, rng):
    """Draw what kind of region comes, its cells in a strip until they are accepted, and their place in the grid."""
    width = len(follow)
    filled = np.empty(area, np.int64)
    for k in range(len(masks)):
        drawn = rng.random()
        kind, end = 0, len(kinds)
        while kind < end:  # by bisection, the first above: np.searchsorted would take half a second to compile
            middle = (kind + end) // 2
            if kinds[middle] > drawn:
                end = middle
            else:
                kind = middle + 1
        height = heights[kind]
        while True:
            cell = state = n = right = 0
            left = width
            while n < area:
                to_come = height * width - cell
                col = cell % width
                fill = rng.random() < share[first[to_come] + state * span[to_come] + area - n - low[to_come]]
                state = follow[col, state, int(fill)]
                if fill:
                    filled[n] = cell
                    n += 1
                    left, right = min(left, col), max(right, col)
                cell += 1
            if rng.random() < accepted[kind, right - left + 1]:
                break
        rows, cols = masks.shape[1:]
        if transposed[kind]:
            rows, cols = cols, rows
        down = int(rng.random() * (rows if tori[kind] else rows - height + 1))
        across = int(rng.random() * (cols if tori[kind] else cols - (right - left)))
        for cell in filled:
            row, col = (cell // width + down) % rows, (cell % width - left + across) % cols
            if transposed[kind]:
                row, col = col, row
            masks[k, row, col] = True


def forget():
    """Give back the memory of the tables that `exact` and `count` keep for the next call.

    See Also
    --------
    exact : Makes the largest of them, up to its `memory`.

    Examples
    --------
    >>> region = exact((4, 6), 9, rng=10)
    >>> forget()
    """
    _TABLES.clear()
    for kept in (_boxes, _states, _tried):
        kept.cache_clear()


def method(shape, area, *, periodic=False, simply_connected=False, memory=MEMORY):
    """Name the function that serves a grid and an area: `exact` where it can, else `markov`.

    Parameters
    ----------
    shape, area, periodic, simply_connected, memory
        As in `exact`.

    Returns
    -------
    {"exact", "markov"}
        The function's name.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Examples
    --------
    >>> method((10, 10), 50), method((50, 50), 12), method((50, 50), 800)
    ('exact', 'exact', 'markov')
    """
    shape = grid.as_shape(shape, periodic)
    meaning = topology.as_meaning(simply_connected)
    area = topology.as_area(area, shape, periodic, meaning)
    memory = grid.as_int("memory", memory, 0)
    return "markov" if _obstacle(shape, area, periodic, meaning, memory) else "exact"


# What it takes

#: Columns of a strip: a boundary line is written with four bits for each.
WIDEST = 15

#: Cells of a strip from whose table is drawn: 2**1023 is the last power of two that a float holds.
LONGEST = 1023

#: Cells of a periodic grid whose sets are written as bits, and most sets that are tried.
MOST_CELLS, MOST_SETS = 62, 2**23

#: Cells of masks drawn in one go: between two an interrupt gets through.
BATCH = 2**20

#: States of a strip's column for each Motzkin number: a little more than was counted up to 13 columns.
STATES = {0: 1.32, 8: 1.41, 4: 1.54}


def _obstacle(shape, area, periodic, meaning, memory, *, drawing=True):
    """Say why regions cannot be drawn, or counted (of all areas: None), within `memory`; None when they can."""
    cells = shape[0] * shape[1]
    what = f"to {'draw' if drawing else 'count'} regions of {'all areas' if area is None else f'{area} cells'}"
    what += f" on {topology.describe(shape, periodic, meaning)}"
    parts = _parts(shape, area or cells, periodic)
    if not parts:
        if cells <= MOST_CELLS and math.comb(cells - 1, (area or (cells + 1) // 2) - 1) <= MOST_SETS:
            return None
        return (
            f"area must be from 1 to {min(shape) - 1}, less than both sides of a periodic grid of more than "
            f"about 25 cells, so that no region can wind round it, {what}, got {area}"
        )

    def needed(area):
        width, height = _parts(shape, area, periodic)[0].width, min(area, max(shape))
        return (_table_bytes if drawing else _count_bytes)(width, height, area, meaning)

    width, height = parts[0].width, min(area or cells, max(shape))
    if width > WIDEST:
        return f"shape must have a side of at most {WIDEST}, or area be from 1 to {_most(needed, memory)}, {what}"
    if drawing and width * height > LONGEST:
        high = max(2 * min(shape) - 2, LONGEST // min(shape))
        return f"shape must have at most {LONGEST} cells, or area be from 1 to {high}, {what}"
    if (bytes_needed := needed(area or cells)) > memory:
        return f"memory must be at least {bytes_needed} bytes ({bytes_needed / 2**30:.3g} GiB) {what}, got {memory}"
    return None


def _most(needed, memory):
    """Give the largest area of small boxes that memory suffices for."""
    return max((area for area in range(1, 2 * WIDEST + 1) if needed(area) <= memory), default=0)


def _n_states(width, meaning):
    """Estimate the number of states for one column of a strip."""
    motzkin = [1, 1]
    for n in range(2, width + 2):
        motzkin.append(((2 * n + 1) * motzkin[-1] + (3 * n - 3) * motzkin[-2]) // (n + 2))
    return int(STATES[meaning] * motzkin[-1]) + 2


def _sweep_bytes(width, area, meaning):
    """Estimate the memory of a sweep: the states of all columns, and ways from those of two."""
    return _n_states(width, meaning) * (16 * width + 16 * (area + 1) + 100)


def _count_bytes(width, height, area, meaning):
    """Estimate the memory it takes to count: a sweep, and numbers by rows and cells, of so many bits."""
    bits = min(width * height, 3 * area + width)
    return _sweep_bytes(width, area, meaning) + (height + 1) * (area + 1) * (60 + bits // 16)


def _table_bytes(width, height, area, meaning):
    """Estimate the memory it takes to draw: the chances in addition."""
    low, high = _spans(width * height, area)
    return _count_bytes(width, height, area, meaning) + 8 * _n_states(width, meaning) * int((high - low + 1).sum())


# Strips and grids


@dataclass(frozen=True, slots=True)
class _Part:
    """Regions of a grid that are drawn in strips: of all its columns, or only of regions that are small in it.

    The grid may be transposed. `taller` is the least by which the regions are higher than wide.
    """

    rows: int
    cols: int
    width: int
    transposed: bool
    taller: int
    periodic: bool

    def places(self, height, width):
        """Count the places of a box in the grid."""
        if self.periodic:
            return self.rows * self.cols
        return (self.rows - height + 1) * (self.cols - width + 1)


def _parts(shape, area, periodic):
    """Divide the regions into parts that strips serve; there is none where a region could wind round the torus."""
    rows, cols = shape
    width = (area + 1) // 2  # the shorter side of a box has at most so many cells
    if periodic and area >= min(shape):
        return ()
    if width < min(shape):
        return _Part(rows, cols, width, False, 0, periodic), _Part(cols, rows, width, True, 1, periodic)
    return (_Part(max(shape), min(shape), min(shape), rows < cols, -cols - rows, False),)


def _numbers(part, area, meaning):
    """Count the regions of a part by the rows that they span, from 0."""
    height = min(area, part.rows)
    boxes = _boxes(part.width, height, area, meaning)
    return [
        sum(boxes[h, w] * part.places(h, w) for w in range(1, min(part.width, h - part.taller) + 1))
        for h in range(height + 1)
    ]


def _kinds(parts, area, meaning):
    """Prepare the drawing of a part and a number of rows.

    A strip holds a region as often as its box has places in it, places(strip), and the grid as often as the
    box has places there: a draw must be kept with a chance proportional to places(grid) / places(strip).
    """
    numbers = [_numbers(part, area, meaning) for part in parts]
    total = sum(map(sum, numbers))
    kinds = [(part, h, n) for part, row in zip(parts, numbers) for h, n in enumerate(row) if n]
    accepted = np.zeros((len(kinds), parts[0].width + 1))
    for k, (part, h, _) in enumerate(kinds):
        for w in range(1, min(part.width, h - part.taller, area - h + 1) + 1):
            if h * w >= area:
                accepted[k, w] = part.places(h, w) / (part.width - w + 1)
    accepted /= accepted.max(axis=1, keepdims=True)
    cumulative = np.array([float(Fraction(n, total)) for _, _, n in kinds]).cumsum()
    cumulative[-1] = 1
    return (
        cumulative,
        np.array([h for _, h, _ in kinds]),
        np.array([part.transposed for part, _, _ in kinds]),
        accepted,
        np.array([part.periodic for part, _, _ in kinds]),
    )


@lru_cache(maxsize=16)
def _boxes(width, height, area, meaning):
    """Count the fixed polyominoes with a bounding box of so many rows and columns, up to `height` and `width`.

    A strip of w columns holds those of v columns w - v + 1 times: the second difference in w leaves those of w.
    """
    boxes = np.zeros((height + 1, width + 1), object)
    spanning = np.zeros((height + 1, width + 1), object)
    for w in range(1, width + 1):
        h = min(height, area - w + 1)
        spanning[: h + 1, w] = _spanning(w, h, area, meaning)[:, area]
        boxes[: h + 1, w] = spanning[: h + 1, w] - 2 * spanning[: h + 1, w - 1]
        if w > 1:
            boxes[: h + 1, w] += spanning[: h + 1, w - 2]
    return boxes


def _spanning(cols, height, area, meaning):
    """Count the regions that span a strip, exactly, by rows from 0 to `height` and cells from 0 to `area`."""
    bound = min(2 ** (cols * height), cols * 7**area)  # there are fewer than 6.75**area fixed polyominoes (Eden 1961)
    total, product, modulus = np.zeros((height + 1, area + 1), object), 1, 2**52
    while product <= bound:
        if math.gcd(product, modulus) == 1:
            ways = enumerate(_sweeps(cols, height, area, meaning, float(modulus)))
            residues = np.array(
                [ways[0].astype(np.int64).tolist() for to_come, ways in ways if to_come % cols == 0], object
            )
            total += product * ((residues - total) * pow(product, -1, modulus) % modulus)
            product *= modulus
        modulus -= 1
    return total


# The transfer matrix


def _sweeps(cols, height, area, meaning, modulus):
    """Yield the numbers of ways to go on, [state, cells still to be filled], for 0, 1, ... cells to come.

    An array that was yielded holds until the next but one.
    """
    follow, n_states, ends = _states(cols, meaning)
    last, ways = np.zeros((2, max(n_states) + 1, area + 1))  # the last row stays 0: there the index -1 leads
    ways[ends, 0] = 1
    yield ways
    for to_come in range(1, cols * height + 1):
        last, ways = ways, last
        col = -to_come % cols
        _sweep(follow[col, : n_states[col]], last, ways, min(area, to_come), modulus)
        yield ways


@njit(cache=True)
def _sweep(follow, last, ways, high, modulus):
    """Add up the ways to go on with the next cell empty and filled, in numbers below the modulus."""
    for state in range(len(follow)):
        empty, filled = last[follow[state, 0]], last[follow[state, 1]]
        ways[state, 0] = empty[0]
        for n in range(1, high + 1):
            both = empty[n] + filled[n - 1]
            ways[state, n] = both - modulus if both >= modulus else both


#: The last table and what it is of. The old one must go before a new one is made, or there is memory for two.
_TABLES = {}


def _table(*key):
    """Give a table of chances: the last one, or a new one."""
    if key not in _TABLES:
        _TABLES.clear()
        _TABLES[key] = _tabulated(*key)
    return _TABLES[key]


def _tabulated(cols, height, area, meaning):
    """Tabulate the chance that the next cell is filled, by cells to come, state, and cells still to be filled."""
    follow, n_states, _ = _states(cols, meaning)
    low, high = _spans(cols * height, area)
    span = high - low + 1
    to_come = np.arange(len(span))
    first = np.concatenate([[0], np.cumsum(span * n_states[-to_come % cols])])
    share = np.empty(first[-1])
    last = None
    for k, ways in enumerate(_sweeps(cols, height, area, meaning, np.inf)):
        if k > 0:
            _shares(follow[-k % cols], last, ways, low[k], share[first[k] : first[k + 1]].reshape(-1, span[k]))
        last = ways
    share[: first[1]] = 0
    return follow, share, first, low, span


@njit(cache=True)
def _shares(follow, last, ways, low, share):
    """Compute the chances, from the numbers of ways before and after the cell."""
    for state in range(len(share)):
        filled = last[follow[state, 1]]
        for k in range(share.shape[1]):
            n = low + k
            possible = n > 0 and ways[state, n] > 0
            share[state, k] = filled[n - 1] / ways[state, n] if possible else 0


def _spans(cells, area):
    """Give the least and the most cells that may still have to be filled, by the number of cells to come."""
    to_come = np.arange(cells + 1)
    return np.maximum(0, area - (cells - to_come)), np.minimum(area, to_come)


@lru_cache(maxsize=2)
def _states(cols, meaning):
    """Find all states of a strip and what follows on them.

    Returns the index of the state that follows, [column, state, next cell filled], -1 where that is wrong; the
    number of states by column; and the states between two rows whose cells are all of one component. State 0 is
    the empty line, from which a region begins, in the first row only.
    """
    known = [np.zeros(0, np.int64)] * cols
    fresh = [np.zeros(1, np.int64), *known[1:]]
    while any(map(len, fresh)):
        for col in range(cols):
            new, fresh[col] = fresh[col], fresh[col][:0]
            known[col] = np.union1d(known[col], new)
            after = (col + 1) % cols
            met = np.unique(_following(new, col, cols, meaning))
            met = np.setdiff1d(met[met >= 0], known[after], assume_unique=True)
            fresh[after] = np.union1d(fresh[after], met)
    n_states = np.array([len(codes) for codes in known])
    follow = np.full((cols, n_states.max(), 2), -1, np.int32)
    for col, codes in enumerate(known):
        met = _following(codes, col, cols, meaning)
        follow[col, : len(codes)] = np.where(met >= 0, np.searchsorted(known[(col + 1) % cols], met), -1)
    ends = np.flatnonzero((known[0] > 0) & (known[0] & 0xEEEEEEEEEEEEEEE == 0))
    return follow, n_states, ends


def _following(codes, col, cols, meaning):
    """Give what follows on each line when the next cell is left empty, and filled; -1 where that is wrong."""
    followed = np.full((len(codes), 2), -1, np.int64)
    _follow(followed, codes, col, cols, meaning, np.empty(cols, np.int64), np.empty(16, np.int64))
    return followed


@njit(cache=True)
def _follow(followed, codes, col, cols, meaning, line, names):
    """Fill in what follows where that is not wrong; `line` and `names` are room to work in.

    A line is written with four bits a column, and one above for the corner where it matters.
    """
    for k in range(len(codes)):
        for filled in range(2):
            for c in range(cols):
                line[c] = codes[k] >> 4 * c & 15
            corner = codes[k] >> 60 == 1
            up = line[col]
            left = line[col - 1] if col > 0 else 0
            if meaning == 4 and (left > 0) == (up > 0) and (up > 0) != corner and (up > 0) != filled:
                continue
            if filled:
                if meaning > 0 and up > 0 and left == up and not corner:
                    continue
                name = 15 if left == 0 and up == 0 else max(left, up)
                for c in range(cols):
                    if line[c] > 0 and (line[c] == left or line[c] == up):
                        line[c] = name
                line[col] = name
            else:
                line[col] = 0
                goes_on = up == 0
                for c in range(cols):
                    goes_on |= line[c] == up and up > 0
                if not goes_on or (codes[k] == 0 and col == cols - 1):
                    continue

            names[:] = 0
            n = code = 0
            for c in range(cols):
                if line[c] > 0:
                    if names[line[c]] == 0:
                        n += 1
                        names[line[c]] = n
                    code |= names[line[c]] << 4 * c
            if up > 0 and col + 1 < cols:  # the corner of the column to come
                left, up = line[col], line[col + 1]
                if (meaning == 4 and (left > 0) == (up > 0)) or (meaning == 8 and left == up and up > 0):
                    code |= 1 << 60
            followed[k, filled] = code


# Small tori


@lru_cache(maxsize=8)
def _tried(rows, cols, area, meaning):
    """List the regions of a torus that contain cell 0, as bits of the flat index, by trying all sets of cells."""
    if area == 1:
        return np.ones(1, np.int64)
    chosen = np.empty(math.comb(rows * cols - 1, area - 1), np.int64)
    return chosen[: _try(chosen, rows, cols, area, meaning)].copy()


@njit(cache=True)
def _try(chosen, rows, cols, area, meaning):
    """Write those of all sets of cells that are regions; return their number."""
    cells = rows * cols
    everything = (1 << cells) - 1
    first_col = 0
    for row in range(rows):
        first_col |= 1 << row * cols
    last_col = first_col << cols - 1
    n = 0
    others = (1 << area - 1) - 1  # the cells beside cell 0, from bit 0
    while others < 1 << cells - 1:
        mask = others << 1 | 1
        part, more = 0, 1
        while more != part:  # fill up the part that cell 0 is in
            part = more
            more |= (part & ~last_col) << 1 | (part & last_col) >> cols - 1
            more |= (part & ~first_col) >> 1 | (part & first_col) << cols - 1
            more |= part << cols & everything | part >> cells - cols | part >> cols | part << cells - cols & everything
            more &= mask
        good = part == mask
        if good and meaning > 0:  # the Euler number must be 1
            right = (mask & ~last_col) << 1 | (mask & last_col) >> cols - 1
            down = mask << cols & everything | mask >> cells - cols
            both = right << cols & everything | right >> cells - cols
            if meaning == 8:
                euler = area - _bits(mask & right) - _bits(mask & down) + _bits(mask & right & down & both)
            else:
                euler = area - _bits(mask | right) - _bits(mask | down) + _bits(mask | right | down | both)
            good = euler == 1
        if good:
            chosen[n] = mask
            n += 1
        lowest = others & -others  # the next larger number with as many bits (Gosper)
        ripple = others + lowest
        others = ripple | ((others ^ ripple) // lowest >> 2)
    return n


@njit(cache=True)
def _bits(mask):
    """Count the bits of a mask."""
    n = 0
    while mask:
        mask &= mask - 1
        n += 1
    return n


@njit(cache=True)
def _shifted(masks, sets, area, rng):
    """Draw sets of cells, and shift each to a place of the torus: each region has its chance from each of its cells."""
    n_regions, rows, cols = masks.shape
    for k in range(n_regions):
        mask = sets[int(rng.random() * len(sets))]
        down, across = int(rng.random() * rows), int(rng.random() * cols)
        for cell in range(rows * cols):
            if mask >> cell & 1:
                masks[k, (cell // cols + down) % rows, (cell % cols + across) % cols] = True
