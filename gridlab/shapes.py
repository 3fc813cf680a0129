"""Measures of regions: size, border, holes, spread, hull and thickness, as a table.

A region is a mask; its cells are unit squares, joined by edges. Its measures do not depend
on where it lies: on an open grid the cells beyond the border count as empty, on a periodic
grid a region across the seam measures the same as shifted to the middle.

=================== ===================================================================
column              definition
=================== ===================================================================
area                cells
perimeter           unit edges between a cell of the region and one outside it
outer_perimeter     the same without the edges of the holes that `holes_8` counts
euler               cells - adjacencies + full 2x2 blocks
holes_8             parts of the complement, joined by edges and corners, that do not
                    reach the outside; on a torus, that do not wind round it
holes_4             the same where the complement is joined by edges only
winding             in how many independent directions the region winds round the torus:
                    0, 1 or 2; 0 on an open grid
compactness         4 pi area / perimeter**2 (Polsby-Popper)
lattice_compactness least perimeter of any region of that area, over its perimeter
radius_of_gyration  root mean square distance of the cells' centres to their centroid
normalised_inertia  area / (2 pi (radius_of_gyration**2 + 1/6)), the squares' own spread
                    included: 1 for a disc
elongation          short over long axis of the ellipse with the squares' covariance
bbox_fill           area over area of the bounding box
bbox_aspect         short side over long side of the bounding box
solidity            area over area of the convex hull of the squares
reock               area over area of the smallest circle round the squares
tips                cells with exactly one neighbour in the region
branches            cells with three or four
boundary_cells      cells with an outside neighbour
perimeter_sites     empty cells with a neighbour in the region, beyond the border too
thickness           largest chessboard distance of a cell to the outside
diameter            longest shortest path inside the region, in steps
box_dimension       slope of log boxes against -log side
box_dimension_se    its standard error
=================== ===================================================================

Where a measure has no meaning it is NaN:

- an empty mask: every float column;
- perimeter 0, the full torus: `compactness`, `lattice_compactness`, `thickness`;
- a region that winds round a torus has no place in the plane, and one of several parts on
  a torus no one place: `radius_of_gyration` to `reock`, `box_dimension` and its error;
- several parts, on any grid: `diameter`, for no path joins them;
- fewer than three scales: `box_dimension` and its error.

All other columns mean for a region of several parts what they say: `euler` adds up over
the parts, a hole may be cut off by all of them together, `winding` is of any part, hull and
circle go round all of them, `thickness` is that of the thickest.

How it is done: the grid is packed into words of 64 cells, and everything that depends on a
cell's neighbours only is counted on whole words. The rest works on the runs of filled cells
of each row: `holes_8` is the number of parts that do not wind less the Euler number, and
parts and windings come from a union-find over runs which keeps the lap in which a run lies.
"""

import numpy as np
import pandas as pd
from numba import njit

from . import grid

__all__ = ["COLUMNS", "FAST", "measure"]

INTEGERS = (
    "area",
    "perimeter",
    "outer_perimeter",
    "euler",
    "holes_8",
    "holes_4",
    "winding",
    "tips",
    "branches",
    "boundary_cells",
    "perimeter_sites",
)
FLOATS = (
    "compactness",
    "lattice_compactness",
    "radius_of_gyration",
    "normalised_inertia",
    "elongation",
    "bbox_fill",
    "bbox_aspect",
    "solidity",
    "reock",
    "thickness",
    "diameter",
    "box_dimension",
    "box_dimension_se",
)

#: All columns, in the order of the table above.
COLUMNS = INTEGERS[:7] + FLOATS[:9] + INTEGERS[7:] + FLOATS[9:]

#: The columns that cost next to nothing.
FAST = tuple(
    name for name in COLUMNS if name not in ("reock", "thickness", "diameter", "box_dimension", "box_dimension_se")
)

#: What the kernel may skip, and the columns that need it.
STEPS = (
    ("outer_perimeter", "holes_8", "holes_4", "winding", "diameter"),
    ("radius_of_gyration", "normalised_inertia", "elongation"),
    ("outer_perimeter",),
    ("bbox_fill", "bbox_aspect", "box_dimension", "box_dimension_se"),
    ("solidity", "reock"),
    ("reock",),
    ("thickness",),
    ("diameter",),
    ("box_dimension", "box_dimension_se"),
)
PARTS, MOMENTS, OUTER, BOX, HULL, CIRCLE, THICKNESS, DIAMETER, DIMENSION = range(len(STEPS))

#: Up to this area `diameter` is exact whatever it costs, above it only within so many searches.
EXACT_AREA, MOST_SEARCHES = 4096, 64

#: Cells to be measured at a time.
CHUNK = 2**22

# A lap round the torus is one number: rows times LAP plus columns.
LAP = 2**32

# Numbers with a type: numba compiles a kernel for a literal, and once more for other numbers.
NONE = EDGES = np.int64(0)
CORNERS = np.int64(1)
ALL = np.uint64(2**64 - 1)

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(63)
PAIRS, FOURS, EIGHTS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
BYTES, TOP = np.uint64(0x0101010101010101), np.uint64(56)
TWO, FOUR = np.uint64(2), np.uint64(4)


def measure(regions, *, periodic=False, columns=None):
    """Measure regions; the head of the module defines every column.

    Parameters
    ----------
    regions : array_like of bool, shape (..., rows, cols)
        Masks; integers are taken when they are all 0 or 1. They need not be connected.
    periodic : bool
        Whether opposite sides of the grid are joined.
    columns : sequence of str, optional
        Names from `COLUMNS`, in the order wanted; all by default. What only other columns
        need is not computed.

    Returns
    -------
    pandas.DataFrame
        One row a region, counted from 0 in row-major order of the leading axes: row i is
        the region at ``np.unravel_index(i, regions.shape[:-2])``. Columns are int64, or
        float64 where they are not whole or may be NaN, as `thickness` and `diameter`.

    Raises
    ------
    TypeError
        If `regions` is neither bool nor integer, or `columns` is not a sequence of names.
    ValueError
        If `regions` has other values than 0 and 1 or a side is too short, or a column is
        unknown or asked for twice.

    Notes
    -----
    The columns in `FAST` take O(``rows * cols`` / 64) operations on words and O(runs) on
    the runs of filled cells. Of the others, `reock` is O(hull corners) a step and takes a
    few steps; `thickness` is O(``rows * cols`` / 64) a unit of thickness; `box_dimension`
    is O(runs); `diameter` is O(area) a search.

    `diameter` is exact up to 4096 cells. It starts from the lower bound of a sweep to and
    fro and searches on from the cells farthest from the middle until none can do better
    [1]_: a few searches for most shapes, one for every second cell of a ring. Above 4096
    cells it is exact if 64 such searches are enough, else the longest path they met, which
    is a lower bound.

    The least perimeter of an area is that of a polyomino [2]_; on a torus also that of a
    band round it and of the complement of a polyomino.

    `box_dimension` counts boxes of sides 1, 2, 4, ... up to the longer side of the bounding
    box, whose top left corner is a corner of a box; the line is fitted by least squares.

    Memory is that of 2**22 cells or one region at a time, and a copy of `regions` where they are not
    contiguous.

    References
    ----------
    .. [1] P. Crescenzi, R. Grossi, M. Habib, L. Lanzi, A. Marino, "On computing the
       diameter of real-world undirected graphs", Theoretical Computer Science 514 (2013),
       84-95.
    .. [2] F. Harary, H. Harborth, "Extremal animals", Journal of Combinatorics, Information
       and System Sciences 1 (1976), 1-8.

    Examples
    --------
    >>> ring = grid.parse("xxx / x.x / xxx")
    >>> measure(ring, columns=["area", "perimeter", "outer_perimeter", "holes_8", "diameter"])
       area  perimeter  outer_perimeter  holes_8  diameter
    0     8         16               12        1       4.0
    """
    columns = _as_columns(columns)
    regions = grid.as_masks("regions", regions)
    rows, cols = grid.as_shape(regions.shape[-2:], periodic)
    regions = regions.reshape(-1, rows, cols)
    asked = np.array([any(name in columns for name in names) for names in STEPS])
    # numba compiles the kernel anew for None, in half the time: without the steps that only `more` asks for
    more = asked if asked[OUTER:].any() else None
    integers = np.empty((len(INTEGERS), len(regions)), np.int64)
    floats = np.empty((len(FLOATS), len(regions)))
    # about 0.1 s at a time, after which an interrupt is heard
    size = max(1, CHUNK // (16 if asked[DIAMETER] else 1) // (rows * cols + 64))
    for first in range(0, len(regions), size):
        part = slice(first, first + size)
        with np.errstate(all="ignore"):  # words overflow by design, which only the uncompiled kernel minds
            _measure(
                _packed(regions[part]),
                _scratch(rows, cols, _most_runs(regions[part]), asked),
                rows,
                cols,
                bool(periodic),
                asked,
                more,
                integers[:, part].T,
                floats[:, part].T,
            )
    found = dict(zip(INTEGERS + FLOATS, [*integers, *floats]))
    return pd.DataFrame({name: found[name] for name in columns}, index=pd.RangeIndex(len(regions)), copy=False)


def _as_columns(columns):
    """Return the names of columns as a list, or say what is wrong with them."""
    if columns is None:
        return list(COLUMNS)
    if isinstance(columns, str):
        raise TypeError(f"columns must be a sequence of names, got the single string {columns!r}")
    try:
        columns = list(columns)
    except TypeError:
        raise TypeError(f"columns must be a sequence of names, got {columns!r}") from None
    for name in columns:
        if name not in COLUMNS:
            raise ValueError(f"columns must be names among {', '.join(COLUMNS)}; got {name!r}")
        if columns.count(name) > 1:
            raise ValueError(f"columns must name each column once, got {name!r} {columns.count(name)} times")
    return columns


def _most_runs(regions):
    """Bound the runs of filled cells in a region, and of empty ones with a frame."""
    rows, cols = regions.shape[1:]
    bound = (rows + 2) * ((cols + 3) // 2)
    if bound <= CHUNK:
        return bound
    return int((regions[:, :, 1:] != regions[:, :, :-1]).sum((1, 2)).max()) // 2 + 2 * (rows + 2)


def _packed(regions):
    """Pack regions into one stream of bits, the first in bit 64, with a word to spare at the end."""
    packed = np.packbits(regions, bitorder="little")
    stream = np.zeros(len(packed) // 8 + 5, "<u8")
    stream.view(np.uint8)[8 : 8 + len(packed)] = packed
    return stream


def _scratch(rows, cols, most, asked):
    """Return arrays for a kernel to work on: made there, each kind would add a tenth of a second to compile."""
    stride = (cols + 3 + 63) // 64 + 2  # column c is bit c + 1, and two columns of frame are bits 0, cols + 1
    n_words = (rows + 4) * stride  # with a word of zeros on either side of a row, so that shifts find what is next
    return (
        np.zeros(n_words, np.uint64),  # row r is r + 2: two rows of frame on either side
        np.zeros(n_words if asked[THICKNESS] else 0, np.uint64),
        np.zeros((2, stride), np.uint64),
        np.full((rows + 2) * (cols + 2) if asked[DIAMETER] else 0, -1, np.int32),
        np.zeros(rows + 3, np.int64),
        np.empty((6, most), np.int64),
        # the left and right end of each line between rows, then the hull's corners, left and right
        np.empty((4, 2 * most + 2), np.int64),
    )


@njit(cache=True, error_model="numpy")
def _measure(stream, scratch, rows, cols, periodic, asked, more, integers, floats):
    """Fill a row of `integers` and of `floats` for each region of `stream`; columns not asked for may stay unset.

    `scratch` is that of `_scratch`, where no region has more than `most` runs of filled cells or, with a frame, of
    empty ones. `more` is `asked`, or None where no step from OUTER on is.
    """
    bits, spare, masks, ids, first, runs, sides = scratch
    stride = masks.shape[1]
    inner = masks[0]  # the columns of the grid
    outer = masks[1]  # where an empty cell counts: beyond the border, too, if there is one
    for bit in range(cols + 2):
        mark = ONE << np.uint64(bit % 64)
        if 1 <= bit <= cols:
            inner[1 + bit // 64] |= mark
        if not periodic or 1 <= bit <= cols:
            outer[1 + bit // 64] |= mark
    row, start, stop, parent, lap, wound = runs[0], runs[1], runs[2], runs[3], runs[4], runs[5]
    for k in range(len(integers)):
        top, end = _load(stream, k, rows, cols, periodic, bits, stride, inner)
        area, across, down, blocks, touching, tips, branches, rim, sites = _tally(
            bits, stride, inner, outer, top, end, rows, periodic
        )
        perimeter = 4 * area - 2 * (across + down)
        euler = area - across - down + blocks
        n_runs = 0
        placed = area > 0
        wraps = periodic and end - top == rows

        if asked[PARTS] or asked[MOMENTS] or asked[BOX] or asked[HULL]:
            n_runs = _runs(bits, stride, inner, top, end, ZERO, row, start, stop, first)
        if asked[PARTS] or (periodic and (asked[MOMENTS] or asked[BOX] or asked[HULL])):
            _single(parent, lap, wound, n_runs)
            joined, winding = _join(first, end - top, wraps, start, stop, parent, lap, wound, cols, periodic, EDGES)
            parts = n_runs - joined
            still = parts - (_wound(parent, wound, n_runs) if winding > 0 else 0)  # parts that do not wind
            holes_8 = still - euler
            integers[k, 4] = holes_8
            if touching > 0 and (periodic or parts > 1):
                # further on in place: joining parts at corners leaves a run's lap within its part as it was
                _join(first, end - top, wraps, start, stop, parent, lap, wound, cols, periodic, CORNERS)
                still = _roots(parent, n_runs) - (_wound(parent, wound, n_runs) if periodic else 0)
            integers[k, 5] = still - (euler - touching)
            integers[k, 6] = winding
            if more is not None:
                if more[DIAMETER]:
                    floats[k, 10] = np.nan
                    if parts == 1:
                        floats[k, 10] = _diameter(ids, row, start, stop, n_runs, area, rows, cols, periodic)
            if periodic:
                placed = parts == 1 and winding == 0
                if placed:
                    _unwrap(row, start, stop, parent, lap, n_runs, rows, cols)

        integers[k, 0] = area
        integers[k, 1] = perimeter
        integers[k, 3] = euler
        integers[k, 7] = tips
        integers[k, 8] = branches
        integers[k, 9] = rim
        integers[k, 10] = sites
        if perimeter > 0:
            floats[k, 0] = 4 * np.pi * area / (float(perimeter) * perimeter)
            floats[k, 1] = _least_perimeter(area, rows, cols, periodic) / perimeter
        else:
            floats[k, 0] = np.nan
            floats[k, 1] = np.nan

        if not placed:
            floats[k, 2:9] = np.nan
            floats[k, 11:13] = np.nan
        else:
            if asked[MOMENTS]:
                floats[k, 2], floats[k, 3], floats[k, 4] = _moments(row, start, stop, n_runs, area)
            if more is not None:
                if more[BOX] or more[HULL]:
                    low, high, left, right = _box(row, start, stop, n_runs)
                    height, length = high - low, right - left
                    floats[k, 5] = area / (float(height) * length)
                    floats[k, 6] = min(height, length) / max(height, length)
                if more[HULL]:
                    twice, n_left, n_right = _hull(row, start, stop, n_runs, low, height, sides)
                    floats[k, 7] = 2 * area / twice
                    if more[CIRCLE]:
                        floats[k, 8] = area / (np.pi * _circle(sides, n_left, n_right))
                if more[DIMENSION]:
                    floats[k, 11], floats[k, 12] = _dimension(
                        row, start, stop, n_runs, low, left, height, max(height, length)
                    )
        if more is not None:
            if more[OUTER]:
                integers[k, 2] = perimeter
                if holes_8 > 0:
                    integers[k, 2] -= _hole_edges(
                        bits, stride, outer, top, end, rows, cols, periodic, row, start, stop, parent, lap, wound, first
                    )
            if more[THICKNESS]:  # last, as it uses up the bits
                floats[k, 9] = np.nan
                if perimeter > 0:
                    floats[k, 9] = _thickness(bits, spare, stride, top, end, rows, cols, periodic)


@njit(cache=True)
def _count(word):
    """Count the bits of a word."""
    word = word - ((word >> ONE) & PAIRS)
    word = (word & FOURS) + ((word >> TWO) & FOURS)
    word = (word + (word >> FOUR)) & EIGHTS
    return np.int64((word * BYTES) >> TOP)  # the compiler knows this idiom: one instruction


@njit(cache=True)
def _load(stream, k, rows, cols, periodic, bits, stride, inner):
    """Spread region k over framed rows of words; return its first row and the one after its last."""
    top, end = rows, 0
    for r in range(rows):
        at = 63 + (k * rows + r) * cols  # one bit before the row, for the frame
        word, shift = at >> 6, np.uint64(at & 63)
        line = (r + 2) * stride + 1
        seen = ZERO
        for i in range(stride - 2):
            value = (stream[word + i] >> shift) | ((stream[word + i + 1] << (WORD - shift)) << ONE)
            value &= inner[1 + i]
            bits[line + i] = value
            seen |= value
        if seen != ZERO:
            top = min(top, r)
            end = r + 1
    if periodic:
        _wrap(bits, stride, rows, cols)
    return min(top, end), end


@njit(cache=True)
def _wrap(bits, stride, rows, cols):
    """Copy the far side of a torus into the frame."""
    last, after = cols // 64, (cols + 1) // 64
    for r in range(rows):
        line = (r + 2) * stride + 1
        left = (bits[line + last] >> np.uint64(cols % 64)) & ONE
        right = (bits[line] >> ONE) & ONE
        keep = ~(ONE << np.uint64((cols + 1) % 64))
        bits[line] = (bits[line] & ~ONE) | left
        bits[line + after] = (bits[line + after] & keep) | (right << np.uint64((cols + 1) % 64))
    for i in range(stride):
        bits[stride + i] = bits[(rows + 1) * stride + i]
        bits[(rows + 2) * stride + i] = bits[2 * stride + i]


@njit(cache=True)
def _tally(bits, stride, inner, outer, top, end, rows, periodic):
    """Count, 64 cells at a time, all that depends on a cell and the cells around it."""
    area = across = down = blocks = touching = tips = branches = rim = sites = 0
    low, high = top - 1, end + 1  # the rows next to the region have sites
    if periodic and (low < 0 or high > rows):
        low, high = 0, rows
    if top == end:
        low = high = 0
    for r in range(low, high):
        line = (r + 2) * stride
        for i in range(1, stride - 1):
            at = line + i
            here, up, under = bits[at], bits[at - stride], bits[at + stride]
            left = (here << ONE) | (bits[at - 1] >> WORD)
            right = (here >> ONE) | (bits[at + 1] << WORD)
            aslant = (under >> ONE) | (bits[at + 1 + stride] << WORD)
            cells = here & inner[i]
            area += _count(cells)
            across += _count(cells & right)
            down += _count(cells & under)
            blocks += _count(cells & right & under & aslant)
            touching += _count(((here & aslant & ~right & ~under) | (right & under & ~here & ~aslant)) & inner[i])
            both, one = left & right, left ^ right
            both_up, one_up = up & under, up ^ under
            tips += _count(cells & (one ^ one_up) & ~(both | both_up))
            branches += _count(cells & ((both & (one_up | both_up)) | (both_up & (one | both))))
            rim += _count(cells & ~(both & both_up))
            sites += _count(~here & outer[i] & (one | both | one_up | both_up))
    return area, across, down, blocks, touching, tips, branches, rim, sites


@njit(cache=True)
def _runs(bits, stride, mask, top, end, flip, row, start, stop, first):
    """List the runs of filled cells within `mask` row by row; row top + i has those from first[i].

    With `flip` ALL instead of ZERO those of empty cells, the gaps.
    """
    n = 0  # ends of runs so far: each run has two
    for r in range(top, end):
        first[r - top] = n // 2
        line = (r + 2) * stride
        before = ZERO
        for i in range(1, stride - 1):
            word = (bits[line + i] ^ flip) & mask[i]
            ends = word ^ ((word << ONE) | before)
            before = word >> WORD
            while ends != ZERO:
                col = 64 * (i - 1) + _count(~ends & (ends - ONE))
                ends &= ends - ONE
                if n % 2 == 0:
                    row[n // 2] = r
                    start[n // 2] = col
                else:
                    stop[n // 2] = col
                n += 1
    first[end - top] = n // 2
    return n // 2


@njit(cache=True)
def _find(parent, lap, run):
    """Return the root of a run and the lap of the run relative to it; halve the path."""
    laps = 0
    while parent[run] != run:
        above = parent[run]
        lap[run] += lap[above]  # nothing where `above` is the root
        laps += lap[run]
        parent[run] = parent[above]
        run = parent[run]
    return run, laps


@njit(cache=True)
def _unite(parent, lap, wound, one, other, laps, loop):
    """Join two runs, the other `laps` further on; return how many parts that saves, and the first loop found.

    `loop` is the loop found earlier and the rank so far.
    """
    root, here = _find(parent, lap, one)
    second, there = _find(parent, lap, other)
    laps += here - there
    if root != second:
        if root > second:
            root, second, laps = second, root, -laps
        parent[second] = root
        lap[second] = laps
        wound[root] |= wound[second]
        return 1, loop
    if laps == 0:
        return 0, loop
    wound[root] = 1
    known, rank = loop
    if rank == 0:
        return 0, (laps, 1)
    # two loops wind independently if their laps, as vectors, are not parallel
    cols, cols_known = (laps + LAP // 2) % LAP - LAP // 2, (known + LAP // 2) % LAP - LAP // 2
    rows, rows_known = (laps - cols) // LAP, (known - cols_known) // LAP
    return 0, (known, 2 if rank == 2 or rows * cols_known != cols * rows_known else 1)


@njit(cache=True)
def _single(parent, lap, wound, n_runs):
    """Make every run a part of its own."""
    for i in range(n_runs):
        parent[i] = i
        lap[i] = 0
        wound[i] = 0


@njit(cache=True)
def _join(first, n_rows, wraps, start, stop, parent, lap, wound, cols, periodic, corner):
    """Join the runs that touch along EDGES, or also at CORNERS, as `corner` says.

    Return how many parts were joined to others, and the rank of the windings met.
    """
    joined = 0
    loop = (NONE, NONE)
    for r in range(n_rows):
        a, a_end = first[r], first[r + 1]
        if a == a_end:
            continue
        laps, b, b_end = NONE, a_end, a_end
        if periodic and start[a] == 1 and stop[a_end - 1] == cols + 1:
            new, loop = _unite(parent, lap, wound, a_end - 1, a, laps + 1, loop)
            joined += new
        if r + 1 < n_rows:
            b_end = first[r + 2]
        elif wraps:
            laps, b, b_end = LAP, first[0], first[1]
        if b == b_end:
            continue
        if periodic and corner == CORNERS:
            if start[b] == 1 and stop[a_end - 1] == cols + 1:
                new, loop = _unite(parent, lap, wound, a_end - 1, b, laps + 1, loop)
                joined += new
            if start[a] == 1 and stop[b_end - 1] == cols + 1:
                new, loop = _unite(parent, lap, wound, a, b_end - 1, laps - 1, loop)
                joined += new
        while a < a_end and b < b_end:
            if start[a] < stop[b] + corner and start[b] < stop[a] + corner:
                new, loop = _unite(parent, lap, wound, a, b, laps, loop)
                joined += new
            if stop[a] < stop[b]:
                a += 1
            else:
                b += 1
    return joined, loop[1]


@njit(cache=True)
def _roots(parent, n_runs):
    """Count the parts."""
    n = 0
    for i in range(n_runs):
        n += parent[i] == i
    return n


@njit(cache=True)
def _wound(parent, wound, n_runs):
    """Count the parts that wind round the torus."""
    n = 0
    for i in range(n_runs):
        n += parent[i] == i and wound[i] == 1
    return n


@njit(cache=True)
def _unwrap(row, start, stop, parent, lap, n_runs, rows, cols):
    """Move every run of a part that does not wind to the lap it lies in."""
    for i in range(n_runs):
        _, laps = _find(parent, lap, i)
        across = (laps + LAP // 2) % LAP - LAP // 2
        row[i] += (laps - across) // LAP * rows
        start[i] += across * cols
        stop[i] += across * cols


@njit(cache=True)
def _hole_edges(bits, stride, outer, top, end, rows, cols, periodic, row, start, stop, parent, lap, wound, first):
    """Count the edges of the holes: of the gaps, joined at corners too, that neither reach the outside nor wind."""
    full = periodic and end - top > rows - 2  # else an empty row above and one below bound what matters
    low, high = (0, rows) if full else (top - 1, end + 1)
    n_gaps = _runs(bits, stride, outer, low, high, ALL, row, start, stop, first)
    _single(parent, lap, wound, n_gaps)
    _join(first, high - low, full, start, stop, parent, lap, wound, cols, periodic, CORNERS)
    if not periodic:
        wound[0] = 1  # the gap above the region, a root as it comes first, is the outside
    edges = 0
    for r in range(high - low):
        for a in range(first[r], first[r + 1]):
            root, _ = _find(parent, lap, a)
            if wound[root] == 1:
                continue
            # the gap's ends, then what of its length lies against cells of the region, above and below
            edges += 2 + 2 * (stop[a] - start[a])
            if periodic and stop[a] == cols + 1 and start[first[r]] == 1:
                edges -= 2
            under = r + 1
            if under == high - low:
                if not full:
                    continue
                under = 0
            edges -= 2 * _overlap(start, stop, start[a], stop[a], first[under], first[under + 1])
    return edges


@njit(cache=True)
def _overlap(start, stop, left, right, b, b_end):
    """Count the columns from `left` to before `right` that runs from b to before b_end cover."""
    # the first run that ends after `left`, by bisection
    low, high = b, b_end
    while low < high:
        middle = (low + high) // 2
        if stop[middle] > left:
            high = middle
        else:
            low = middle + 1
    covered = 0
    while low < b_end and start[low] < right:
        covered += min(stop[low], right) - max(start[low], left)
        low += 1
    return covered


@njit(cache=True)
def _least_perimeter(area, rows, cols, periodic):
    """Return the least perimeter of a region of that area."""
    least = 2 * _ceil_root(4 * area)
    if periodic:
        for side in (rows, cols):
            least = min(least, 2 * side if area % side == 0 else 2 * side + 2)
        least = min(least, 2 * _ceil_root(4 * (rows * cols - area)))
    return least


@njit(cache=True)
def _ceil_root(n):
    """Return the least integer whose square is at least n."""
    root = int(np.sqrt(n))
    while root * root < n:
        root += 1
    while root > 0 and (root - 1) * (root - 1) >= n:
        root -= 1
    return root


@njit(cache=True, error_model="numpy")
def _moments(row, start, stop, n_runs, area):
    """Return radius of gyration, normalised inertia and elongation.

    All sums are of integers, and exact while they are below 2**53: twelve times the sum of
    x**2 over a run of n cells with ends a and b is n (3 (a + b)**2 + n**2 - 1).
    """
    y0, x0 = row[0], start[0]
    sx = sy = sxx = syy = sxy = 0.0  # 2, 1, 12, 1 and 2 times the sums, from the first cell
    for i in range(n_runs):
        y = float(row[i] - y0)
        n = float(stop[i] - start[i])
        ends = float(start[i] + stop[i] - 1 - 2 * x0)
        sx += n * ends
        sy += n * y
        sxx += n * (3 * ends * ends + n * n - 1)
        syy += n * y * y
        sxy += n * ends * y
    # 12 area**2 times the squares' covariance; 1/12 on the diagonal is that of a square
    a = float(area)
    xx = a * sxx - 3 * sx * sx + a * a
    yy = 12 * (a * syy - sy * sy) + a * a
    xy = 6 * (a * sxy - sx * sy)
    gyration = np.sqrt((xx + yy - 2 * a * a) / (12 * a * a))
    inertia = 6 * a * a * a / (np.pi * (xx + yy))
    spread = np.sqrt((xx - yy) * (xx - yy) + 4 * xy * xy)
    elongation = np.sqrt(max((xx + yy - spread) / 2, a * a)) / np.sqrt((xx + yy + spread) / 2)
    return gyration, inertia, elongation


@njit(cache=True)
def _box(row, start, stop, n_runs):
    """Return the bounding box of runs: rows from and to before, columns from and to before."""
    low = high = row[0]
    left, right = start[0], stop[0]
    for i in range(n_runs):
        low = min(low, row[i])
        high = max(high, row[i])
        left = min(left, start[i])
        right = max(right, stop[i])
    return low, high + 1, left, right


@njit(cache=True)
def _hull(row, start, stop, n_runs, low, height, sides):
    """Return twice the hull's area; leave its corners in rows 2 and 3 of `sides`, the left ones first.

    Only the outermost corners of squares on each line between rows matter, and they come
    in order, so that one pass of the monotone chain does for each side.
    """
    left, right, xs, ys = sides[0], sides[1], sides[2], sides[3]
    none = np.iinfo(np.int64).max
    for y in range(height + 1):
        left[y] = none
    for i in range(n_runs):
        y = row[i] - low
        if left[y] == none:
            left[y], right[y] = start[i], stop[i]
        left[y] = min(left[y], start[i])
        right[y] = max(right[y], stop[i])
    for y in range(height, 0, -1):  # from rows to the lines above and below them
        if left[y - 1] != none:
            if left[y] == none:
                left[y], right[y] = left[y - 1], right[y - 1]
            left[y] = min(left[y], left[y - 1])
            right[y] = max(right[y], right[y - 1])
    n = 0
    twice = 0
    n_left = 0
    for sign in (1, -1):
        bottom = n
        for y in range(height + 1):
            if left[y] == none:
                continue
            x = left[y] if sign == 1 else right[y]
            while n - bottom > 1:
                turn = (xs[n - 1] - xs[n - 2]) * (y - ys[n - 2]) - (ys[n - 1] - ys[n - 2]) * (x - xs[n - 2])
                if sign * turn < 0:
                    break
                n -= 1
            xs[n] = x
            ys[n] = y
            n += 1
        for i in range(bottom + 1, n):
            twice -= sign * (xs[i - 1] + xs[i]) * (ys[i] - ys[i - 1])
        if sign == 1:
            n_left = n
    return twice, n_left, n - n_left


@njit(cache=True, error_model="numpy")
def _circle(sides, n_left, n_right):
    """Return the squared radius of the smallest circle round the hull, by the Chrystal-Peirce method.

    From a side of the hull: the corner that sees it at the smallest angle spans the circle with
    it, unless the triangle is obtuse; then the side opposite the obtuse angle is next.
    """
    xs, ys = sides[2], sides[3]
    n = n_left + n_right
    p, q = 0, n_left  # the top side
    square = 0.0
    for _ in range(n * n):  # the circle grows at every turn, so that far fewer do
        best, corner = -np.inf, p
        for v in range(n):
            if v != p and v != q:
                cross = abs((xs[p] - xs[v]) * (ys[q] - ys[v]) - (ys[p] - ys[v]) * (xs[q] - xs[v]))
                dot = (xs[p] - xs[v]) * (xs[q] - xs[v]) + (ys[p] - ys[v]) * (ys[q] - ys[v])
                if dot / cross > best:
                    best, corner = dot / cross, v
        v = corner
        pq = float((xs[p] - xs[q]) ** 2 + (ys[p] - ys[q]) ** 2)
        if best <= 0:
            return pq / 4
        pv = float((xs[p] - xs[v]) ** 2 + (ys[p] - ys[v]) ** 2)
        qv = float((xs[q] - xs[v]) ** 2 + (ys[q] - ys[v]) ** 2)
        cross = float(abs((xs[p] - xs[v]) * (ys[q] - ys[v]) - (ys[p] - ys[v]) * (xs[q] - xs[v])))
        square = pq / 4 * (pv / cross) * (qv / cross)
        if pq + pv < qv:
            p = v
        elif pq + qv < pv:
            q = v
        else:
            break
    return square


@njit(cache=True)
def _thickness(bits, spare, stride, top, end, rows, cols, periodic):
    """Count how often the region can be eroded by a 3x3 square until nothing is left; uses `bits` up.

    Erosion only takes bits away, so that a frame once empty stays empty.
    """
    if periodic:
        top, end = 0, rows
    times = 0
    while True:
        left = ZERO
        for i in range((top + 2) * stride + 1, (end + 2) * stride - 1):  # the words between rows are 0
            here = bits[i]
            left |= here
            spare[i] = here & ((here << ONE) | (bits[i - 1] >> WORD)) & ((here >> ONE) | (bits[i + 1] << WORD))
        if left == ZERO:
            return times
        times += 1
        for i in range(stride):  # next to the region lies the outside, or the far side of the torus
            spare[(top + 1) * stride + i] = spare[(end + 1) * stride + i] if periodic else ZERO
            spare[(end + 2) * stride + i] = spare[(top + 2) * stride + i] if periodic else ZERO
        for i in range((top + 2) * stride + 1, (end + 2) * stride - 1):
            bits[i] = spare[i - stride] & spare[i] & spare[i + stride]
        if periodic:
            _wrap(bits, stride, rows, cols)
        else:
            top, end = top + 1, end - 1


@njit(cache=True)
def _diameter(ids, row, start, stop, n_runs, area, rows, cols, periodic):
    """Return the longest shortest path of a connected region; `ids` is -1 everywhere, and is left so."""
    width = cols + 2
    near = np.empty((area, 4), np.int32)
    n = NONE
    for i in range(n_runs):
        for col in range(start[i], stop[i]):
            _mark(ids, row[i], col, n, rows, cols, periodic)
            n += 1
    n = 0
    for i in range(n_runs):
        for at in range((row[i] + 1) * width + start[i], (row[i] + 1) * width + stop[i]):
            near[n, 0], near[n, 1], near[n, 2], near[n, 3] = ids[at + 1], ids[at + width], ids[at - 1], ids[at - width]
            n += 1
    for i in range(n_runs):
        for col in range(start[i], stop[i]):
            _mark(ids, row[i], col, NONE - 1, rows, cols, periodic)

    order = np.empty(area, np.int32)
    steps = np.empty(area, np.int32)
    levels = np.empty(area, np.int32)
    # sweeps to the farthest cell from the one before, until that gets no farther
    _search(near, np.int32(0), order, steps)
    longest = steps[order[area - 1]]
    while True:
        _search(near, order[area - 1], order, levels)
        steps, levels = levels, steps
        if steps[order[area - 1]] == longest:
            break
        longest = steps[order[area - 1]]
    # of the cells half way on a shortest path between the last two, listed in order along the front, the middle one
    _search(near, order[area - 1], order, levels)
    halfway = np.empty(area, np.int32)
    n = 0
    for cell in order:
        if levels[cell] == longest // 2 and steps[cell] == longest - longest // 2:
            halfway[n] = cell
            n += 1
    cell = halfway[n // 2]
    _search(near, cell, order, levels)
    far = order.copy()
    searches = 0
    for i in range(area - 1, -1, -1):
        # the cells left are no farther than this level from the middle, so no farther than twice that from each other
        if longest >= 2 * levels[far[i]] or (area > EXACT_AREA and searches == MOST_SEARCHES):
            break
        _search(near, far[i], order, steps)
        searches += 1
        longest = max(longest, steps[order[area - 1]])
    return longest


@njit(cache=True)
def _mark(ids, row, col, mark, rows, cols, periodic):
    """Write a mark at a cell, and on a torus where the frame repeats the cell."""
    width = cols + 2
    at = (row + 1) * width + col
    ids[at] = mark
    if periodic:
        if row == 0:
            ids[(rows + 1) * width + col] = mark
        elif row == rows - 1:
            ids[col] = mark
        if col == 1:
            ids[at + cols] = mark
        elif col == cols:
            ids[at - cols] = mark


@njit(cache=True)
def _search(near, source, order, steps):
    """List all cells by their distance from one, breadth first."""
    steps[:] = -1
    order[0] = source
    steps[source] = 0
    n = 1
    for done in range(len(order)):
        cell = order[done]
        for way in range(4):
            other = near[cell, way]
            if other >= 0 and steps[other] < 0:
                steps[other] = steps[cell] + 1
                order[n] = other
                n += 1


@njit(cache=True, error_model="numpy")
def _dimension(row, start, stop, n_runs, low, left, height, longer):
    """Return the box dimension and its standard error.

    Runs of boxes of one size become those of the next by merging pairs of rows of boxes.
    """
    lines, froms, tos = np.empty(n_runs, np.int64), np.empty(n_runs, np.int64), np.empty(n_runs, np.int64)
    new_lines, new_froms, new_tos = np.empty(n_runs, np.int64), np.empty(n_runs, np.int64), np.empty(n_runs, np.int64)
    # unwrapped runs are in no order: count them into their rows, where each sinks to its place
    places = np.zeros(height + 1, np.int64)
    for i in range(n_runs):
        places[row[i] - low + 1] += 1
        lines[i] = -1
    for y in range(height):
        places[y + 1] += places[y]
    for i in range(n_runs):
        y = row[i] - low
        at = places[y]
        places[y] += 1
        while at > 0 and lines[at - 1] == y and froms[at - 1] > start[i] - left:
            lines[at], froms[at], tos[at] = y, froms[at - 1], tos[at - 1]
            at -= 1
        lines[at], froms[at], tos[at] = y, start[i] - left, stop[i] - left
    logs = np.empty(32)
    n_scales = 0
    n = n_runs
    side = 1
    while side <= longer:
        boxes = 0
        for i in range(n):
            boxes += tos[i] - froms[i]
        logs[n_scales] = np.log2(boxes)
        n_scales += 1
        side *= 2
        n_new = 0
        a = 0
        while a < n:
            line = lines[a] // 2
            b = a
            while b < n and lines[b] == 2 * line:
                b += 1
            a_end = b
            b_end = b
            while b_end < n and lines[b_end] == 2 * line + 1:
                b_end += 1
            opened = n_new
            while a < a_end or b < b_end:
                if b == b_end or (a < a_end and froms[a] < froms[b]):
                    here = a
                    a += 1
                else:
                    here = b
                    b += 1
                begin, close = froms[here] // 2, (tos[here] + 1) // 2
                if n_new > opened and begin <= new_tos[n_new - 1]:
                    new_tos[n_new - 1] = max(new_tos[n_new - 1], close)
                else:
                    new_lines[n_new], new_froms[n_new], new_tos[n_new] = line, begin, close
                    n_new += 1
            a = b_end
        lines, new_lines = new_lines, lines
        froms, new_froms = new_froms, froms
        tos, new_tos = new_tos, tos
        n = n_new
    if n_scales < 3:
        return np.nan, np.nan
    # least squares over x = -log2 of the sides, which are evenly spaced
    middle, mean = (n_scales - 1) / 2, 0.0
    for k in range(n_scales):
        mean += logs[k]
    mean /= n_scales
    xx = xy = left_over = 0.0
    for k in range(n_scales):
        xx += (middle - k) ** 2
        xy += (middle - k) * (logs[k] - mean)
    for k in range(n_scales):
        left_over += (logs[k] - mean - xy / xx * (middle - k)) ** 2
    return xy / xx, np.sqrt(left_over / (n_scales - 2) / xx)
