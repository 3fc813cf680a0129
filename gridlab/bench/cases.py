"""What is timed beside other software: one row a work, with everyone who does it.

To add a row is to add a `Work` to `WORKS`: words for it, the sizes, a function that makes the input, gridlab's way
to do it and those of its peers. A way is a `Contender`, whose ``call(given, items)`` does so many items of the input;
that of a package that gridlab does not require has the imported module in front, ``call(module, given, items)``, since
it may not be there. The answers of all ways are compared before any is timed. The command line, notebook 10 and the
tests loop over the table, and `tiny` sizes are for the tests: they must take next to no time, uncompiled too.

Where it pleases a peer, its input is made ready for it outside the clock, by `prepare`. What is left out of
the comparison is said in a note.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import numpy as np
import scipy  # its modules load on first use

from .. import grid, mines, regions, shapes, topology, uniform

__all__ = ["WORKS", "Contender", "Work"]


@dataclass(frozen=True, slots=True, eq=False)
class Contender:
    """A way to do a work.

    Attributes
    ----------
    package : str
        The distribution that does it, as the package index has it, or "Python".
    how : str
        By which function, in words that follow the package's name.
    items : int
        Items of one timed call.
    call : callable
        ``call(given, items)`` does that many; ``call(module, given, items)`` where there is a `module`.
    module : str
        What to import, of a package that gridlab does not require.
    prepare : callable, optional
        ``prepare(given, items)``, or with the module in front, makes the input for `call`, outside the clock.
    answer : callable, optional
        Of what `call` returns, what must be the same for all, an item each; None if nothing must.
    reach : float, optional
        Of a peer: gridlab shall be so many times as fast.
    note : str
        What to know when reading the ratio.
    """

    package: str
    how: str
    items: int
    call: Callable
    module: str = ""
    prepare: Callable | None = None
    answer: Callable | None = np.asarray
    reach: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """Something to be done, by gridlab and by its peers.

    Attributes
    ----------
    what : str
        The work in words, with the sizes as fields to be filled in.
    unit : str
        What is counted, in the plural.
    make : callable
        ``make(rng, items, **sizes)`` gives the input, enough for so many items.
    sizes, tiny : dict of str to int
        The sizes, and some for the tests.
    ours : Contender
        How gridlab does it.
    peers : tuple of Contender
        How others do it, or gridlab on another input.
    full : dict of str to int, optional
        The sizes of the longer version, if there is one.
    reach : float, optional
        Items a second that gridlab shall do.
    note : str
        What to know when reading the rate.
    """

    what: str
    unit: str
    make: Callable
    sizes: dict
    tiny: dict
    ours: Contender
    peers: tuple = ()
    full: dict = field(default_factory=dict)
    reach: float | None = None
    note: str = ""


# ---- inputs


class _Request(NamedTuple):
    """What is to be drawn: grids of a shape with so many cells filled."""

    shape: tuple
    count: int
    rng: np.random.Generator


def _request(rng, items, *, rows, cols, count):
    return _Request((rows, cols), count, rng)


def _grown(rng, items, *, rows, cols, count):
    """Grow regions."""
    return regions.eden((rows, cols), count, size=items, rng=rng)


def _cut(rng, items, *, rows, cols, count):
    """Grow regions and empty one cell of each, so that some fall apart and some get a hole."""
    grown = regions.mixed((rows, cols), count, size=items, rng=rng)
    cells = grown.reshape(items, -1)
    cells[np.arange(items), (cells * rng.random(cells.shape)).argmax(1)] = False
    return grown


def _boards(rng, items, *, rows, cols, count):
    """Place mines on boards."""
    return mines.floyd((rows, cols), count, size=items, rng=rng)


# ---- what answers have in common


def _filled(grids):
    """Count the cells of each drawn grid."""
    return [int(np.count_nonzero(one)) for one in grids]


def _chosen(draws):
    """Count the different cells of each list of cells."""
    return [len(np.unique(np.asarray(cells))) for cells in draws]


def _measured(table):
    """Pick the measures that mean the same in scikit-image: cells, and their share of the bounding box."""
    return table[["area", "bbox_fill"]].to_numpy()


# ---- gridlab's ways


def _draw(f, **options):
    """Draw a batch with a generator of regions or a placer of mines."""
    return lambda asked, items: f(asked.shape, asked.count, size=items, rng=asked.rng, **options)


def _of(f, **options):
    """Give the first of the grids to a function that takes a batch."""
    return lambda grids, items: f(grids[:items], **options)


def _one_by_one(f):
    """Draw one grid a call."""
    return lambda asked, items: [f(asked.shape, asked.count, rng=asked.rng) for _ in range(items)]


def _tables(asked, items):
    """Make the tables for exact draws anew, and draw once."""
    drawn = []
    for _ in range(items):
        uniform.forget()
        drawn.append(uniform.exact(asked.shape, asked.count, rng=asked.rng))
    return drawn


def _reveal(boards, items):
    """Click in the middle of each board."""
    return [mines.reveal(board, (board.shape[0] // 2, board.shape[1] // 2)) for board in boards[:items]]


def _play(asked, items):
    """Place mines beside a first click, work out all numbers, and count the clicks that a board takes."""
    boards = mines.floyd(asked.shape, asked.count, safe=[(0, 0)], size=items, rng=asked.rng)
    return list(zip(mines.numbers(boards), mines.bbbv(boards)))


def _play_one_by_one(asked, items):
    """Do the same with one board a call."""
    return [_play(asked, 1)[0] for _ in range(items)]


def _played(results):
    """Count the mines of each board that was played."""
    return [int(np.count_nonzero(np.isin(shown, (-1, mines.MINE)))) for shown, _ in results]


# ---- the obvious ways, in Python and numpy


def _frontier(asked, items):
    """Grow by Eden's model C, with a set of cells and a list of those that may have an empty neighbour."""
    (rows, cols), rng = asked.shape, asked.rng
    drawn = np.zeros((items, rows, cols), bool)
    for mask in drawn:
        region = {(int(rng.random() * rows), int(rng.random() * cols))}
        border = list(region)
        while len(region) < asked.count:
            k = int(rng.random() * len(border))
            row, col = border[k]
            near = [(row, col + 1), (row + 1, col), (row, col - 1), (row - 1, col)]
            near = [(r, c) for r, c in near if 0 <= r < rows and 0 <= c < cols and (r, c) not in region]
            if near:
                cell = near[int(rng.random() * len(near))]
                region.add(cell)
                border.append(cell)
            else:
                border[k] = border[-1]
                border.pop()
        mask[tuple(zip(*region))] = True
    return drawn


def _sorted_boards(asked, items):
    """Give boards whose mines come first, to be permuted."""
    boards = np.zeros((items, asked.shape[0] * asked.shape[1]), bool)
    boards[:, : asked.count] = True
    return asked.rng, boards


def _permute(given, items):
    rng, boards = given
    return rng.permuted(boards[:items], axis=1)


def _choose(**options):
    """Draw cells without replacement; they are not yet on a board."""
    return lambda asked, items: [
        asked.rng.choice(asked.shape[0] * asked.shape[1], asked.count, replace=False, **options) for _ in range(items)
    ]


def _sorted_row(asked, items):
    """Give one board as `numpy.random.Generator.shuffle` likes it: bytes, the mines first."""
    return asked.rng, _sorted_boards(asked, 1)[1][0].view(np.uint8)


def _shuffle(given, items):
    rng, cells = given
    for _ in range(items):
        rng.shuffle(cells)
    return [cells] * items


def _bytes(boards, items):
    """Give boards as bytes, in which scipy can count."""
    return boards[:items].astype(np.uint8)


def _convolve(boards, items):
    """Count the mines around each cell; a mine itself counts 16, so that it can be told."""
    kernel = np.array([[1, 1, 1], [1, 16, 1], [1, 1, 1]], np.uint8)
    return [scipy.ndimage.convolve(board, kernel, mode="constant") for board in boards[:items]]


def _convolved(counts):
    """Turn such counts into numbers."""
    return [np.where(count < 16, count, mines.MINE) for count in counts]


def _shifted(boards, items):
    """Add up the eight shifted copies of all boards."""
    boards = boards[:items]
    n, rows, cols = boards.shape
    framed = np.zeros((n, rows + 2, cols + 2), np.uint8)
    framed[:, 1:-1, 1:-1] = boards
    shown = np.zeros(boards.shape, np.uint8)
    for down, across in ((0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2)):
        shown += framed[:, down : down + rows, across : across + cols]
    shown[boards] = mines.MINE
    return shown


# ---- parts, counted by labelling them

_CORNERS = np.ones((3, 3), int)


def _zeros(boards, items):
    """Give the cells without a mine on or around them, by gridlab's numbers."""
    return mines.numbers(boards[:items]) == 0


def _label(corners):
    """Count the parts of each mask, one call a mask."""
    structure = _CORNERS if corners else None
    return lambda masks, items: [scipy.ndimage.label(mask, structure)[1] for mask in masks[:items]]


def _cc3d(corners):
    return lambda cc3d, masks, items: [
        cc3d.connected_components(mask, connectivity=8 if corners else 4, return_N=True)[1] for mask in masks[:items]
    ]


def _stacked(masks, label):
    """Count the parts of each mask by one call: masks one below the other, a row between; labels come in order."""
    tall = np.pad(masks, [(0, 0), (0, 1), (0, 0)]).reshape(-1, masks.shape[2])
    last = np.maximum.accumulate(label(tall).reshape(len(masks), -1).max(1)).astype(np.int64)
    return np.diff(last, prepend=0)


def _label_stacked(corners):
    structure = _CORNERS if corners else None
    return lambda masks, items: _stacked(masks[:items], lambda tall: scipy.ndimage.label(tall, structure)[0])


def _cc3d_stacked(corners):
    connectivity = 8 if corners else 4
    return lambda cc3d, masks, items: _stacked(
        masks[:items], lambda tall: cc3d.connected_components(tall, connectivity=connectivity)
    )


def _one_part(counts):
    """Tell where there is one part."""
    return np.asarray(counts) == 1


def _label_reveal(boards, items):
    """Find the part of the zeros around the middle by labelling all, and its rim by dilation."""
    opened = []
    for board in boards[:items]:
        zeros = scipy.ndimage.convolve(board, _CORNERS.astype(np.uint8), mode="constant") == 0
        labels, _ = scipy.ndimage.label(zeros, _CORNERS)
        middle = labels[board.shape[0] // 2, board.shape[1] // 2]
        opened.append(scipy.ndimage.binary_dilation(labels == middle, _CORNERS))
    return opened


# ---- other packages


def _nlmpy(nlmpy, asked, items):
    with np.errstate(invalid="ignore"):  # of a map that is one cluster it makes 0/0
        return [nlmpy.randomClusterNN(*asked.shape, 0.4) for _ in range(items)]


def _euler_number(measure, masks, items):
    return [measure.euler_number(mask, connectivity=1) for mask in masks[:items]]


def _regionprops(measure, masks, items):
    """Measure one region a call: about the columns that gridlab gives."""
    properties = "area perimeter euler_number bbox centroid extent solidity inertia_tensor".split()
    properties += ["axis_major_length", "axis_minor_length"]
    return [measure.regionprops_table(mask, properties=properties) for mask in masks[:items]]


def _regionprops_of(tables):
    """Pick from these what means the same in gridlab."""
    return [[float(table[name][0]) for name in ("area", "extent")] for table in tables]


def _ms_lists(ms_toollib, boards, items):
    """Give boards as that package has them: lists of numbers, -1 on mines."""
    return [np.where(shown == mines.MINE, -1, shown.astype(int)).tolist() for shown in mines.numbers(boards[:items])]


def _ms_openings(ms_toollib, boards, items):
    return [ms_toollib.cal_op(board) for board in boards[:items]]


def _ms_bbbv(ms_toollib, boards, items):
    return [ms_toollib.cal_bbbv(board) for board in boards[:items]]


def _ms_play(ms_toollib, asked, items):
    """Place mines, with all numbers, beside a first click, and count the clicks that a board takes."""
    boards = [ms_toollib.laymine(*asked.shape, asked.count, 0, 0) for _ in range(items)]
    return [(board, ms_toollib.cal_bbbv(board)) for board in boards]


def _graphillion_regions(graphillion, asked, items):
    """Build the set of all regions of an area, as sets of cells, with the grid's edges row by row."""
    near = grid.neighbours(asked.shape).tolist()
    edges = [(cell, other) for cell, others in enumerate(near) for other in others if other > cell]
    graphillion.GraphSet.omp_set_num_threads(1)
    graphillion.Universe.set_universe(edges, traversal="as-is")
    return graphillion.GraphSet.weighted_induced_graphs(lower=asked.count, upper=asked.count).to_vertexsetset()


def _graphillion_draw(graphillion, found, items):
    return list(islice(found.rand_iter(), items))


def _graphillion_tables(graphillion, asked, items):
    """Build it anew, and draw once."""
    return [next(_graphillion_regions(graphillion, asked, 1).rand_iter()) for _ in range(items)]


def _sizes_of(draws):
    """Count the cells of sets of cells."""
    return [len(cells) for cells in draws]


# ---- the table


def _sizes(rows, cols, count):
    return {"rows": rows, "cols": cols, "count": count}


_REGION, _SMALL, _LARGE = _sizes(50, 50, 800), _sizes(10, 10, 50), _sizes(1000, 1000, 300_000)
_TINY = _sizes(6, 7, 12)
_EXPERT, _BEGINNER, _MILLION = _sizes(16, 30, 99), _sizes(9, 9, 10), _sizes(1000, 1000, 200_000)
_TINY_BOARD = _sizes(6, 7, 9)

_ELSEWHERE = "the reach is a rate of another machine"
_NODE = f"{_ELSEWHERE}, where the published programs, in JavaScript, made"
_FRONTIER = Contender("Python", "the same growth, in plain Python", 3, _frontier, answer=_filled)
_READY = "the zeros are given"
_NLMPY = Contender(
    "nlmpy",
    "randomClusterNN",
    20,
    _nlmpy,
    module="nlmpy.nlmpy",
    answer=None,
    note="another law: a map of clusters, not one region of a given area",
)


def _ours(how, items, call, answer=np.asarray):
    return Contender("gridlab", how, items, call, answer=answer)


def _drawn(how, items, f, **options):
    return _ours(how, items, _draw(f, **options), _filled)


def _hole_free(meaning):
    """Compare growth without holes, in one of its meanings, with growth that may leave holes."""
    return Work(
        f"eden, simply_connected={meaning}, {{rows}}×{{cols}} cells, area {{count}}",
        "regions",
        _request,
        _REGION,
        _TINY,
        _drawn(f"eden, simply_connected={meaning}", 300, regions.eden, simply_connected=meaning),
        (
            Contender(
                "gridlab",
                "eden, holes allowed",
                300,
                _draw(regions.eden),
                answer=_filled,
                reach=1 / 2.5,
                note="the reach is within 2.5 times of the time with holes",
            ),
        ),
        note="flsgen, in Java, made 31 a second on another machine",
    )


def _periodic(f):
    """Compare growth on a periodic grid with growth on an open one."""
    return Work(
        f"{f.__name__}, periodic, {{rows}}×{{cols}} cells, area {{count}}",
        "regions",
        _request,
        _REGION,
        _TINY,
        _drawn(f"{f.__name__}, periodic", 300, f, periodic=True),
        (
            Contender(
                "gridlab",
                f"{f.__name__}, open",
                300,
                _draw(f),
                answer=_filled,
                reach=1 / 1.2,
                note="the reach is within 1.2 times of the time on an open grid",
            ),
        ),
    )


#: What is timed, by name: the part of gridlab, a dot, and a word.
WORKS = {
    "regions.eden": Work(
        "eden, {rows}×{cols} cells, area {count}",
        "regions",
        _request,
        _REGION,
        _TINY,
        _drawn("eden", 300, regions.eden),
        (_FRONTIER, _NLMPY),
        reach=20_000,
        note=f"{_NODE} 105 a second, and flsgen, in Java, 1,740",
    ),
    "regions.dfs": Work(
        "dfs, {rows}×{cols} cells, area {count}",
        "regions",
        _request,
        _REGION,
        _TINY,
        _drawn("dfs", 500, regions.dfs),
        reach=30_000,
        note=f"{_NODE} 6,010 a second",
    ),
    "regions.small": Work(
        "eden, {rows}×{cols} cells, area {count}",
        "regions",
        _request,
        _SMALL,
        _TINY,
        _drawn("eden", 5000, regions.eden),
        (_FRONTIER,),
        reach=300_000,
        note=f"{_NODE} 6,940 a second, and flsgen, in Java, 30,300",
    ),
    "regions.one": Work(
        "eden, {rows}×{cols} cells, area {count}, one a call",
        "regions",
        _request,
        _SMALL,
        _TINY,
        _ours("eden", 20, _one_by_one(regions.eden), _filled),
        (_FRONTIER,),
    ),
    "regions.large": Work(
        "eden, {rows}×{cols} cells, area {count:,}",
        "regions",
        _request,
        _LARGE,
        _TINY,
        _drawn("eden", 1, regions.eden),
        reach=40,
        note=f"{_NODE} 0.036 a second",
    ),
    "regions.hole_free_4": _hole_free(4),
    "regions.hole_free_8": _hole_free(8),
    "regions.periodic_eden": _periodic(regions.eden),
    "regions.periodic_dfs": _periodic(regions.dfs),
    "uniform.few": Work(
        "exact draws, {rows}×{cols} cells, area {count}",
        "regions",
        _request,
        _sizes(10, 10, 6),
        _sizes(4, 4, 4),
        _drawn("exact", 20_000, uniform.exact),
        reach=200_000,
    ),
    "uniform.few_tables": Work(
        "tables and the first exact draw, {rows}×{cols} cells, area {count}",
        "times",
        _request,
        _sizes(10, 10, 6),
        _sizes(4, 4, 4),
        _ours("exact", 1, _tables, _filled),
        reach=1,
        note="that is, within 1 s",
    ),
    "uniform.half": Work(
        "exact draws, {rows}×{cols} cells, area {count}",
        "regions",
        _request,
        _SMALL,
        _sizes(4, 4, 8),
        _drawn("exact", 1000, uniform.exact),
        reach=20_000,
        note="a program in C++, made for comparison, did 22,000 a second on another machine",
    ),
    "uniform.half_tables": Work(
        "tables and the first exact draw, {rows}×{cols} cells, area {count}",
        "times",
        _request,
        _SMALL,
        _sizes(4, 4, 8),
        _ours("exact", 1, _tables, _filled),
        reach=0.5,
        note="that is, within 2 s; the table takes 148 MB, of 500 allowed",
    ),
    "uniform.peer": Work(
        "exact draws, {rows}×{cols} cells, area {count}",
        "regions",
        _request,
        _sizes(7, 7, 7),
        _sizes(4, 4, 4),
        _drawn("exact", 20_000, uniform.exact),
        (
            Contender(
                "graphillion",
                "rand_iter",
                200,
                _graphillion_draw,
                module="graphillion",
                prepare=_graphillion_regions,
                answer=_sizes_of,
                note="in its favour: never one region twice, and no arrays",
            ),
        ),
        full=_sizes(10, 10, 6),
    ),
    "uniform.peer_tables": Work(
        "tables and the first exact draw, {rows}×{cols} cells, area {count}",
        "times",
        _request,
        _sizes(7, 7, 7),
        _sizes(4, 4, 4),
        _ours("exact", 1, _tables, _filled),
        (
            Contender(
                "graphillion",
                "weighted_induced_graphs",
                1,
                _graphillion_tables,
                module="graphillion",
                answer=_sizes_of,
                note="in its favour: it keeps part of its work from one time to the next",
            ),
        ),
        full=_sizes(8, 8, 8),
    ),
    "topology.connected": Work(
        "connected or not, regions of {count} cells on {rows}×{cols}",
        "regions",
        _cut,
        _REGION,
        _TINY,
        _ours("is_connected", 1000, _of(topology.is_connected)),
        (
            Contender("scipy", "ndimage.label, region by region", 50, _label(False), answer=_one_part),
            Contender("scipy", "ndimage.label, all in one image", 500, _label_stacked(False), answer=_one_part),
            Contender(
                "connected-components-3d",
                "region by region",
                100,
                _cc3d(False),
                module="cc3d",
                answer=_one_part,
            ),
            Contender(
                "connected-components-3d",
                "all in one image",
                1000,
                _cc3d_stacked(False),
                module="cc3d",
                answer=_one_part,
            ),
        ),
    ),
    "topology.euler": Work(
        "Euler number, regions of {count} cells on {rows}×{cols}",
        "regions",
        _cut,
        _REGION,
        _TINY,
        _ours("euler", 1000, _of(topology.euler)),
        (Contender("scikit-image", "measure.euler_number", 50, _euler_number, module="skimage.measure"),),
    ),
    "shapes.batch": Work(
        "measures, regions of {count} cells on {rows}×{cols}",
        "regions",
        _grown,
        _sizes(50, 50, 50),
        _TINY,
        _ours("measure", 10_000, _of(shapes.measure, columns=shapes.FAST), _measured),
        (
            Contender(
                "scikit-image",
                "measure.regionprops_table",
                10,
                _regionprops,
                module="skimage.measure",
                prepare=lambda measure, masks, items: _bytes(masks, items),
                answer=_regionprops_of,
                reach=1000,
                note="ten properties of its own, against 18 columns; the reach presumes 300 calls a second",
            ),
        ),
        reach=300_000,
    ),
    "shapes.large": Work(
        "measures, a region of {count:,} cells on {rows}×{cols}",
        "regions",
        _grown,
        _LARGE,
        _TINY,
        _ours("measure", 1, _of(shapes.measure, columns=shapes.FAST), _measured),
        (
            Contender(
                "scikit-image",
                "measure.regionprops_table",
                1,
                _regionprops,
                module="skimage.measure",
                prepare=lambda measure, masks, items: _bytes(masks, items),
                answer=_regionprops_of,
                note="ten properties of its own, against 18 columns",
            ),
        ),
        reach=500,
        note="that is, within 2 ms",
    ),
    "mines.expert": Work(
        "boards placed, {rows}×{cols} cells, {count} mines",
        "boards",
        _request,
        _EXPERT,
        _TINY_BOARD,
        _drawn("partial_shuffle", 10_000, mines.partial_shuffle),
        (Contender("numpy", "permuted(axis=1)", 1000, _permute, prepare=_sorted_boards, answer=_filled, reach=12),),
    ),
    "mines.beginner": Work(
        "boards placed, {rows}×{cols} cells, {count} mines",
        "boards",
        _request,
        _BEGINNER,
        _TINY_BOARD,
        _drawn("partial_shuffle", 50_000, mines.partial_shuffle),
        (Contender("numpy", "permuted(axis=1)", 5000, _permute, prepare=_sorted_boards, answer=_filled, reach=20),),
    ),
    "mines.large": Work(
        "boards placed, {rows}×{cols} cells, {count:,} mines",
        "boards",
        _request,
        _MILLION,
        _TINY_BOARD,
        _drawn("floyd", 5, mines.floyd),
        (
            Contender("numpy", "choice(replace=False)", 2, _choose(), answer=_chosen, reach=2.5),
            Contender("numpy", "choice(replace=False, shuffle=False)", 2, _choose(shuffle=False), answer=_chosen),
        ),
    ),
    "mines.shuffle": Work(
        "Fisher–Yates shuffle, {rows}×{cols} cells",
        "boards",
        _request,
        _MILLION,
        _TINY_BOARD,
        _drawn("shuffle", 2, mines.shuffle),
        (
            Contender(
                "numpy",
                "shuffle, of bytes",
                1,
                _shuffle,
                prepare=_sorted_row,
                answer=_filled,
                reach=2,
                note="a loop in JavaScript took 22 ms on another machine, where this took 14 ms",
            ),
        ),
    ),
    "mines.numbers": Work(
        "numbers, {rows}×{cols} cells",
        "boards",
        _boards,
        _MILLION,
        _TINY_BOARD,
        _ours("numbers", 1, _of(mines.numbers)),
        (
            Contender(
                "scipy",
                "ndimage.convolve",
                1,
                _convolve,
                prepare=_bytes,
                answer=_convolved,
                reach=80,
                note="gridlab's time is twice that of a copy of the board, and grows when others use the cache",
            ),
        ),
    ),
    "mines.numbers_batch": Work(
        "numbers, {rows}×{cols} cells, in batch",
        "boards",
        _boards,
        _EXPERT,
        _TINY_BOARD,
        _ours("numbers", 5000, _of(mines.numbers)),
        (Contender("numpy", "sums of eight shifted copies", 5000, _shifted, reach=3),),
    ),
    "mines.play": Work(
        "mines, numbers and 3BV, {rows}×{cols} cells, {count} mines",
        "boards",
        _request,
        _EXPERT,
        _TINY_BOARD,
        _ours("floyd, numbers, bbbv", 2000, _play, _played),
        (Contender("ms-toollib", "laymine, cal_bbbv", 200, _ms_play, module="ms_toollib", answer=_played, reach=9),),
    ),
    "mines.play_one": Work(
        "mines, numbers and 3BV, {rows}×{cols} cells, {count} mines, one board a call",
        "boards",
        _request,
        _BEGINNER,
        _TINY_BOARD,
        _ours("floyd, numbers, bbbv", 20, _play_one_by_one, _played),
        (Contender("ms-toollib", "laymine, cal_bbbv", 200, _ms_play, module="ms_toollib", answer=_played),),
    ),
    "mines.bbbv": Work(
        "3BV, {rows}×{cols} cells",
        "boards",
        _boards,
        _EXPERT,
        _TINY_BOARD,
        _ours("bbbv", 2000, _of(mines.bbbv)),
        (
            Contender(
                "ms-toollib",
                "cal_bbbv",
                200,
                _ms_bbbv,
                module="ms_toollib",
                prepare=_ms_lists,
                note="in its favour: the numbers are given",
            ),
        ),
    ),
    "mines.openings": Work(
        "openings, {rows}×{cols} cells",
        "boards",
        _boards,
        _EXPERT,
        _TINY_BOARD,
        _ours("openings", 2000, _of(mines.openings)),
        (
            Contender(
                "ms-toollib",
                "cal_op",
                200,
                _ms_openings,
                module="ms_toollib",
                prepare=_ms_lists,
                note="in its favour: the numbers are given",
            ),
            Contender(
                "scipy",
                "ndimage.label, all in one image",
                2000,
                _label_stacked(True),
                prepare=_zeros,
                note=f"in its favour: {_READY}",
            ),
            Contender(
                "connected-components-3d",
                "board by board",
                200,
                _cc3d(True),
                module="cc3d",
                prepare=lambda cc3d, boards, items: _zeros(boards, items),
                note=f"in its favour: {_READY}",
            ),
            Contender(
                "connected-components-3d",
                "all in one image",
                2000,
                _cc3d_stacked(True),
                module="cc3d",
                prepare=lambda cc3d, boards, items: _zeros(boards, items),
                note=f"in its favour: {_READY}",
            ),
        ),
    ),
    "mines.reveal": Work(
        "a click that opens a board without mines, {rows}×{cols} cells",
        "clicks",
        lambda rng, items, **sizes: np.zeros((items, sizes["rows"], sizes["cols"]), bool),
        _sizes(1000, 1000, 0),
        _sizes(6, 7, 0),
        _ours("reveal", 1, _reveal),
        (
            Contender(
                "scipy",
                "ndimage.convolve, label, binary_dilation",
                1,
                _label_reveal,
                prepare=_bytes,
            ),
        ),
    ),
}
