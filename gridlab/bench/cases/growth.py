"""Works on regions: drawn, drawn exactly, told apart, measured."""

from itertools import islice

import numpy as np

from ... import grid, regions, shapes, topology, uniform
from . import common
from .kinds import Contender, Work

__all__ = ["WORKS"]


def _grown(rng, items, *, rows, cols, count):
    """Grow regions."""
    return regions.eden((rows, cols), count, size=items, rng=rng)


def _cut(rng, items, *, rows, cols, count):
    """Grow regions and empty one cell of each, so that some fall apart and some get a hole."""
    grown = regions.mixed((rows, cols), count, size=items, rng=rng)
    cells = grown.reshape(items, -1)
    cells[np.arange(items), (cells * rng.random(cells.shape)).argmax(1)] = False
    return grown


def _measured(table):
    """Pick the measures that mean the same in scikit-image: cells, and their share of the bounding box."""
    return table[["area", "bbox_fill"]].to_numpy()


def _tables(asked, items):
    """Make the tables for exact draws anew, and draw once."""
    drawn = []
    for _ in range(items):
        uniform.forget()
        drawn.append(uniform.exact(asked.shape, asked.count, rng=asked.rng))
    return drawn


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


def _one_part(counts):
    """Tell where there is one part."""
    return np.asarray(counts) == 1


def _nlmpy(nlmpy, asked, items):
    with np.errstate(invalid="ignore"):  # of a map that is one cluster it makes 0/0
        return [nlmpy.randomClusterNN(*asked.shape, 0.4) for _ in range(items)]


def _euler_number(measure, masks, items):
    return [measure.euler_number(mask, connectivity=1) for mask in masks[:items]]


def _euler_slices(masks, items):
    """Count cells, pairs of neighbours and full blocks by slices of the batch."""
    masks = masks[:items]
    down, across = masks[:, 1:] & masks[:, :-1], masks[:, :, 1:] & masks[:, :, :-1]
    blocks = down[:, :, 1:] & down[:, :, :-1]
    cells, *others = (np.count_nonzero(part, axis=(1, 2)) for part in (masks, down, across, blocks))
    return cells - others[0] - others[1] + others[2]


def _regionprops(measure, masks, items):
    """Measure one region a call: about the columns that gridlab gives."""
    return [measure.regionprops_table(mask, properties=_PROPERTIES) for mask in masks[:items]]


def _labelled(measure, masks, items):
    """Give regions one below the other in one image, each with a number of its own."""
    numbers = np.arange(1, items + 1, dtype=np.int32)[:, None, None]
    return (masks[:items] * numbers).reshape(-1, masks.shape[2])


def _regionprops_stacked(measure, image, items):
    """Measure all regions of an image in one call."""
    return measure.regionprops_table(image, properties=_PROPERTIES)


def _regionprops_stacked_of(table):
    """Pick from this what means the same in gridlab."""
    return np.transpose([table["area"], table["extent"]])


_PROPERTIES = (
    "area",
    "perimeter",
    "euler_number",
    "bbox",
    "centroid",
    "extent",
    "solidity",
    "inertia_tensor",
    "axis_major_length",
    "axis_minor_length",
)


def _regionprops_of(tables):
    """Pick from these what means the same in gridlab."""
    return [[float(table[name][0]) for name in ("area", "extent")] for table in tables]


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


_REGION, _SMALL, _LARGE = common._sizes(50, 50, 800), common._sizes(10, 10, 50), common._sizes(1000, 1000, 300_000)
_NODE = f"{common._ELSEWHERE}, where the published programs, in JavaScript, made"
_FRONTIER = Contender("Python", "loop, the same growth", 3, _frontier, answer=common._filled)
_NLMPY = Contender(
    "nlmpy",
    "randomClusterNN",
    20,
    _nlmpy,
    module="nlmpy.nlmpy",
    answer=None,
    note="another law: a map of clusters, not one region of a given area",
)


def _hole_free(meaning):
    """Compare growth without holes, in one of its meanings, with growth that may leave holes."""
    return Work(
        f"eden, simply_connected={meaning}, {{rows}}×{{cols}} cells, area {{count}}",
        "regions",
        common._request,
        _REGION,
        common._TINY,
        common._drawn(f"eden, simply_connected={meaning}", 300, regions.eden, simply_connected=meaning),
        (
            Contender(
                "gridlab",
                "eden, holes allowed",
                300,
                common._draw(regions.eden),
                answer=common._filled,
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
        common._request,
        _REGION,
        common._TINY,
        common._drawn(f"{f.__name__}, periodic", 300, f, periodic=True),
        (
            Contender(
                "gridlab",
                f"{f.__name__}, open",
                300,
                common._draw(f),
                answer=common._filled,
                reach=1 / 1.2,
                note="the reach is within 1.2 times of the time on an open grid",
            ),
        ),
    )


#: The works by name: the part of gridlab, a dot, and a word.
WORKS = {
    "regions.eden": Work(
        "eden, {rows}×{cols} cells, area {count}",
        "regions",
        common._request,
        _REGION,
        common._TINY,
        common._drawn("eden", 300, regions.eden),
        (_FRONTIER, _NLMPY),
        reach=20_000,
        note=f"{_NODE} 105 a second, and flsgen, in Java, 1,740",
    ),
    "regions.dfs": Work(
        "dfs, {rows}×{cols} cells, area {count}",
        "regions",
        common._request,
        _REGION,
        common._TINY,
        common._drawn("dfs", 500, regions.dfs),
        reach=30_000,
        note=f"{_NODE} 6,010 a second",
    ),
    "regions.small": Work(
        "eden, {rows}×{cols} cells, area {count}",
        "regions",
        common._request,
        _SMALL,
        common._TINY,
        common._drawn("eden", 5000, regions.eden),
        (_FRONTIER,),
        reach=300_000,
        note=f"{_NODE} 6,940 a second, and flsgen, in Java, 30,300",
    ),
    "regions.one": Work(
        "eden, {rows}×{cols} cells, area {count}, one a call",
        "regions",
        common._request,
        _SMALL,
        common._TINY,
        common._ours("eden", 20, common._one_by_one(regions.eden), common._filled),
        (_FRONTIER,),
    ),
    "regions.large": Work(
        "eden, {rows}×{cols} cells, area {count:,}",
        "regions",
        common._request,
        _LARGE,
        common._TINY,
        common._drawn("eden", 1, regions.eden),
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
        common._request,
        common._sizes(10, 10, 6),
        common._sizes(4, 4, 4),
        common._drawn("exact", 20_000, uniform.exact),
        reach=200_000,
    ),
    "uniform.few_tables": Work(
        "tables and the first exact draw, {rows}×{cols} cells, area {count}",
        "times",
        common._request,
        common._sizes(10, 10, 6),
        common._sizes(4, 4, 4),
        common._ours("exact", 1, _tables, common._filled),
        reach=1,
        note="that is, within 1 s",
    ),
    "uniform.half": Work(
        "exact draws, {rows}×{cols} cells, area {count}",
        "regions",
        common._request,
        _SMALL,
        common._sizes(4, 4, 8),
        common._drawn("exact", 1000, uniform.exact),
        reach=20_000,
        note="a program in C++, made for comparison, did 22,000 a second on another machine",
    ),
    "uniform.half_tables": Work(
        "tables and the first exact draw, {rows}×{cols} cells, area {count}",
        "times",
        common._request,
        _SMALL,
        common._sizes(4, 4, 8),
        common._ours("exact", 1, _tables, common._filled),
        reach=0.5,
        note="that is, within 2 s; the table takes 148 MB, of 500 allowed",
    ),
    "uniform.peer": Work(
        "exact draws, {rows}×{cols} cells, area {count}",
        "regions",
        common._request,
        common._sizes(7, 7, 7),
        common._sizes(4, 4, 4),
        common._drawn("exact", 20_000, uniform.exact),
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
        full=common._sizes(10, 10, 6),
    ),
    "uniform.peer_tables": Work(
        "tables and the first exact draw, {rows}×{cols} cells, area {count}",
        "times",
        common._request,
        common._sizes(7, 7, 7),
        common._sizes(4, 4, 4),
        common._ours("exact", 1, _tables, common._filled),
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
        full=common._sizes(8, 8, 8),
    ),
    "topology.connected": Work(
        "connected or not, regions of {count} cells on {rows}×{cols}",
        "regions",
        _cut,
        _REGION,
        common._TINY,
        common._ours("is_connected", 1000, common._of(topology.is_connected)),
        (
            Contender("scipy", "ndimage.label, region by region", 50, common._label(False), answer=_one_part),
            Contender("scipy", "ndimage.label, all in one image", 500, common._label_stacked(False), answer=_one_part),
            Contender(
                "connected-components-3d",
                "region by region",
                100,
                common._cc3d(False),
                module="cc3d",
                answer=_one_part,
            ),
            Contender(
                "connected-components-3d",
                "all in one image",
                1000,
                common._cc3d_stacked(False),
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
        common._TINY,
        common._ours("euler", 1000, common._of(topology.euler)),
        (
            Contender("scikit-image", "measure.euler_number", 50, _euler_number, module="skimage.measure"),
            Contender("numpy", "counts of slices", 1000, _euler_slices),
        ),
    ),
    "shapes.batch": Work(
        "measures, regions of {count} cells on {rows}×{cols}",
        "regions",
        _grown,
        common._sizes(50, 50, 50),
        common._TINY,
        common._ours("measure", 10_000, common._of(shapes.measure, columns=shapes.FAST), _measured),
        (
            Contender(
                "scikit-image",
                "measure.regionprops_table",
                10,
                _regionprops,
                module="skimage.measure",
                prepare=lambda measure, masks, items: common._bytes(masks, items),
                answer=_regionprops_of,
                reach=1000,
                note="ten properties of its own, against 18 columns; the reach presumes 300 calls a second",
            ),
            Contender(
                "scikit-image",
                "measure.regionprops_table, all in one image",
                200,
                _regionprops_stacked,
                module="skimage.measure",
                prepare=_labelled,
                answer=_regionprops_stacked_of,
                note="ten properties of its own, against 18 columns; in its favour: the regions are numbered",
            ),
        ),
        reach=300_000,
    ),
    "shapes.large": Work(
        "measures, a region of {count:,} cells on {rows}×{cols}",
        "regions",
        _grown,
        _LARGE,
        common._TINY,
        common._ours("measure", 1, common._of(shapes.measure, columns=shapes.FAST), _measured),
        (
            Contender(
                "scikit-image",
                "measure.regionprops_table",
                1,
                _regionprops,
                module="skimage.measure",
                prepare=lambda measure, masks, items: common._bytes(masks, items),
                answer=_regionprops_of,
                note="ten properties of its own, against 18 columns",
            ),
        ),
        reach=500,
        note="that is, within 2 ms",
    ),
}
