"""Tests of `gridlab.shapes`: hand values, naive versions, shapely, scikit-image, invariance, bad input."""

import math

import naive_shapes
import numba
import numpy as np
import pandas as pd
import pytest
import shapely
from skimage import measure as skimage_measure

from gridlab import grid, shapes

SLOW = bool(numba.config.DISABLE_JIT)
PI = math.pi
#: Columns that the naive version leaves to shapely.
SHAPELY = ["solidity", "reock"]
#: Columns that depend on where the bounding box begins.
ORIENTED = ["box_dimension", "box_dimension_se"]

PLUS = ".x. / xxx / .x."
RING = "xxx / x.x / xxx"
OPEN_RING = ".xx / x.x / xxx"
#: A path that covers every row and column of a torus and meets itself at a corner only.
HELIX = "xx..... / .xx.... / ..xx... / ...xx.. / ....xx. / .....xx"


def grown(shape, area, periodic, rng, *, thin=False):
    """Grow a region cell by cell; a thin one takes only cells with a single neighbour while it can."""
    cells = {(int(rng.integers(shape[0])), int(rng.integers(shape[1])))}
    while len(cells) < area:
        frontier = [
            (row, col)
            for cell in cells
            for row, col in naive_shapes.around(cell, shape, periodic)
            if 0 <= row < shape[0] and 0 <= col < shape[1] and (row, col) not in cells
        ]
        single = [cell for cell in frontier if frontier.count(cell) == 1]
        frontier = sorted(single if thin and single else frontier)
        cells.add(frontier[int(rng.integers(len(frontier)))])
    mask = np.zeros(shape, bool)
    mask[tuple(np.array(sorted(cells)).T)] = True
    return mask


def samples(shape, n, rng):
    """Masks of all kinds: random sites, thin and fat regions, complements of regions."""
    most = shape[0] * shape[1]
    for k in range(n):
        kind = k % 4
        if kind == 0:
            yield rng.random(shape) < rng.choice([0.2, 0.4, 0.6, 0.75, 0.9])
        else:
            area = int(rng.integers(1, min(most, 60) + 1))
            mask = grown(shape, area, bool(k % 8 < 4), rng, thin=kind == 1)
            yield ~mask if kind == 3 else mask


def squares(places):
    """Return the union of unit squares."""
    return shapely.union_all([shapely.box(col, row, col + 1, row + 1) for row, col in places])


def check(mask, periodic):
    """Compare all columns with the naive ones and shapely's."""
    row = shapes.measure(mask, periodic=periodic).iloc[0].to_dict()
    want = naive_shapes.measure(mask, periodic)
    places = want.pop("places")
    want |= dict.fromkeys(SHAPELY, math.nan)
    if places:
        union = squares(places)
        want["solidity"] = len(places) / union.convex_hull.area
        want["reock"] = len(places) / (PI * shapely.minimum_bounding_radius(union) ** 2)
        if not periodic:
            assert union.length == want["perimeter"]
    assert set(row) == set(want) == set(shapes.COLUMNS)
    for name in shapes.COLUMNS:
        near = want[name] if name in shapes.INTEGERS else pytest.approx(want[name], rel=1e-9, abs=1e-9, nan_ok=True)
        assert row[name] == near, (name, periodic, grid.text(mask))


@pytest.mark.parametrize(
    ("picture", "values"),
    [
        (
            "x",
            dict(area=1, perimeter=4, outer_perimeter=4, euler=1, holes_8=0, holes_4=0, compactness=PI / 4)
            | dict(lattice_compactness=1, radius_of_gyration=0, normalised_inertia=6 / (2 * PI), elongation=1)
            | dict(bbox_fill=1, bbox_aspect=1, solidity=1, reock=2 / PI, tips=0, branches=0, boundary_cells=1)
            | dict(perimeter_sites=4, thickness=1, diameter=0),
        ),
        (
            "xx / xx",
            dict(area=4, perimeter=8, outer_perimeter=8, euler=1, holes_8=0, holes_4=0, compactness=PI / 4)
            | dict(lattice_compactness=1, radius_of_gyration=math.sqrt(1 / 2), elongation=1, bbox_fill=1)
            | dict(bbox_aspect=1, solidity=1, reock=2 / PI, tips=0, branches=0, boundary_cells=4)
            | dict(perimeter_sites=8, thickness=1, diameter=2),
        ),
        (
            PLUS,
            dict(area=5, perimeter=12, outer_perimeter=12, euler=1, holes_8=0, holes_4=0, compactness=5 * PI / 36)
            | dict(lattice_compactness=10 / 12, radius_of_gyration=math.sqrt(4 / 5), elongation=1, bbox_fill=5 / 9)
            | dict(bbox_aspect=1, solidity=5 / 7, tips=4, branches=1, boundary_cells=4, perimeter_sites=8)
            | dict(thickness=1, diameter=2),
        ),
        (
            RING,
            dict(area=8, perimeter=16, outer_perimeter=12, euler=0, holes_8=1, holes_4=1, compactness=PI / 8)
            | dict(lattice_compactness=12 / 16, radius_of_gyration=math.sqrt(12 / 8), elongation=1, bbox_fill=8 / 9)
            | dict(bbox_aspect=1, solidity=8 / 9, tips=0, branches=0, boundary_cells=8, perimeter_sites=13)
            | dict(thickness=1, diameter=4),
        ),
        (OPEN_RING, dict(euler=1, holes_8=0, holes_4=1, perimeter=16, outer_perimeter=16, tips=2, diameter=6)),
        ("xxxxx / xxxxx / xxxxx / xxxxx / xxxxx", dict(thickness=3, boundary_cells=16, diameter=8, branches=21)),
    ],
)
def test_hand_values(picture, values):
    """Exactly, wherever the region lies and whatever the grid."""
    mask = grid.parse(picture)
    framed = np.pad(mask, 2)
    for found in (
        shapes.measure(mask),
        shapes.measure(framed),
        shapes.measure(framed, periodic=True),
        shapes.measure(np.roll(framed, (3, 4), (0, 1)), periodic=True),
    ):
        assert found.loc[0, list(values)].to_dict() == values
        assert found.winding[0] == 0


@pytest.mark.parametrize("n", [1, 2, 3, 7, 61, 62, 63, 64, 65, 66, 127, 128, 200])
@pytest.mark.parametrize("tall", [False, True])
def test_hand_values_of_lines(n, tall):
    mask = np.ones((n, 1) if tall else (1, n), bool)
    want = (
        dict(area=n, perimeter=2 * n + 2, outer_perimeter=2 * n + 2, euler=1, holes_8=0, holes_4=0, winding=0)
        | dict(compactness=PI * n / (n + 1) ** 2, radius_of_gyration=math.sqrt((n * n - 1) / 12), elongation=1 / n)
        | dict(bbox_fill=1, bbox_aspect=1 / n, solidity=1, tips=2 if n > 1 else 0, branches=0, boundary_cells=n)
        | dict(perimeter_sites=2 * n + 2, thickness=1, diameter=n - 1)
    )
    assert shapes.measure(mask).loc[0, list(want)].to_dict() == want
    if n & (n - 1) == 0 and n > 2:
        assert shapes.measure(mask).loc[0, ORIENTED].tolist() == [1, 0]


def test_box_dimension_of_squares():
    """A full square of side 2**k is two-dimensional without error; a box of fewer than three scales has none."""
    assert shapes.measure(np.ones((32, 32), bool)).loc[0, ORIENTED].tolist() == [2, 0]
    assert shapes.measure(np.ones((3, 3), bool))[ORIENTED].isna().to_numpy().all()


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("shape", [(3, 3)] if SLOW else [(3, 3), (3, 4)])
def test_masks_of_a_small_grid(shape, periodic):
    """All of a 3x3 grid, every third of a larger one."""
    n = shape[0] * shape[1]
    for code in range(0, 2**n, 3 if n > 9 or SLOW else 1):
        check(np.array([code >> i & 1 for i in range(n)], bool).reshape(shape), periodic)


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize(
    "shape", [(4, 4), (7, 5), (3, 12), (10, 10), (12, 3), (4, 61), (3, 62), (4, 63), (3, 64), (5, 65), (3, 130)]
)
def test_random_masks(shape, periodic):
    rng = np.random.default_rng([*shape, periodic])
    for mask in samples(shape, 4 if SLOW else 40, rng):
        check(mask, periodic)


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (6, 1), (2, 2), (2, 70), (70, 2)])
def test_narrow_grids(shape):
    rng = np.random.default_rng(shape)
    check(np.ones(shape, bool), False)
    for _ in range(2 if SLOW else 10):
        check(rng.random(shape) < 0.6, False)


def test_region_across_all_rows_and_columns():
    """Unwrapping follows the region, for no row or column of the torus is empty."""
    mask = grid.parse(HELIX)
    assert mask.any(0).all()
    assert mask.any(1).all()
    for shift in np.ndindex(mask.shape):
        moved = np.roll(mask, shift, (0, 1))
        check(moved, True)
        found = shapes.measure(moved, periodic=True).loc[0]
        assert found.winding == 0
        assert found.radius_of_gyration == shapes.measure(mask).radius_of_gyration[0]


def test_region_longer_than_the_torus():
    """A path that passes the seam again and again without meeting itself."""
    mask, plain = np.zeros((12, 12), bool), np.zeros((11, 34), bool)
    for row, first in enumerate(range(0, 33, 3)):  # a lap is twelve columns, so four rows, further on
        for col in range(first, first + 4):
            plain[row, col] = mask[row, col % 12] = True
    wrapped = shapes.measure(mask, periodic=True)
    assert mask.sum() == plain.sum() == 44
    assert wrapped.bbox_aspect[0] == shapes.measure(plain).bbox_aspect[0] == 11 / 34
    pd.testing.assert_frame_equal(
        wrapped.drop(columns="lattice_compactness"), shapes.measure(plain).drop(columns="lattice_compactness")
    )
    check(mask, True)


def test_windings():
    """Rank 0, 1 and 2, a diagonal band, two bands, and a region that winds at corners only."""
    cases = {
        "xx. / xx. / ...": 0,
        "xxx / ... / ...": 1,
        "x.. / x.. / x..": 1,
        "xx.. / .xx. / ..xx / x..x": 1,
        "xxxx / .... / xxxx / ....": 1,
        "xxx / x.. / x..": 2,
        "x.. / .x. / ..x": 0,
    }
    for picture, winding in cases.items():
        found = shapes.measure(grid.parse(picture), periodic=True)
        assert found.winding[0] == winding, picture
        assert found.radius_of_gyration.isna()[0] == (winding > 0 or picture == "x.. / .x. / ..x"), picture
        check(grid.parse(picture), True)


def test_holes_of_a_torus():
    """One minus the Euler number where nothing winds, minus the Euler number where something does."""
    full = np.ones((5, 6), bool)
    full[2, 2] = False
    found = shapes.measure(full, periodic=True).loc[0]
    assert (found.winding, found.euler, found.holes_8, found.holes_4) == (2, -1, 1, 1)
    assert (found.perimeter, found.outer_perimeter) == (4, 0)
    band = np.zeros((5, 6), bool)
    band[1:4] = True
    band[2, 2] = False
    found = shapes.measure(band, periodic=True).loc[0]
    assert (found.winding, found.euler, found.holes_8, found.holes_4) == (1, -1, 1, 1)
    assert (found.perimeter, found.outer_perimeter) == (16, 12)


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("shape", [(3, 4)] if SLOW else [(3, 4), (4, 4), (3, 5)])
def test_lattice_compactness_is_one_at_best(shape, periodic):
    """Over all connected regions of a small grid, for every area that fits: the least perimeter is reached."""
    n = shape[0] * shape[1]
    masks = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool).reshape(-1, *shape)
    table = shapes.measure(masks, periodic=periodic, columns=["area", "perimeter", "lattice_compactness", "diameter"])
    table = table[table.diameter.notna()]  # the connected ones
    best = table.groupby("area").lattice_compactness.max()
    if periodic:
        assert best.drop(n).eq(1).all()
        assert math.isnan(best[n])
    else:
        # narrow grids: a polyomino of least perimeter needs not fit, but is never beaten
        assert best.le(1).all()
        assert best[: shape[0] ** 2].eq(1).all()


@pytest.mark.parametrize("periodic", [False, True])
def test_shifted_round_the_torus(periodic):
    """All columns are the same, to the last bit, when a torus is rolled or an open grid is larger."""
    rng = np.random.default_rng(8)
    for mask in samples((8, 9), 8 if SLOW else 60, rng):
        want = shapes.measure(mask, periodic=periodic)
        if periodic:
            moved = np.roll(mask, rng.integers(0, 9, 2), (0, 1))
        else:
            moved = np.pad(mask, rng.integers(0, 70, (2, 2)))
        pd.testing.assert_frame_equal(shapes.measure(moved, periodic=periodic), want, check_exact=True)


@pytest.mark.parametrize("periodic", [False, True])
def test_turned_and_mirrored(periodic):
    rng = np.random.default_rng(9)
    for mask in samples((8, 8), 8 if SLOW else 60, rng):
        columns = [name for name in shapes.COLUMNS if name not in ORIENTED]
        want = shapes.measure(mask, periodic=periodic, columns=columns)
        for turned in (np.rot90(mask), np.rot90(mask, 2), mask.T, mask[:, ::-1], mask[::-1]):
            pd.testing.assert_frame_equal(
                shapes.measure(turned, periodic=periodic, columns=columns), want, check_exact=False, rtol=1e-12
            )


def test_against_scikit_image():
    rng = np.random.default_rng(10)
    for mask in samples((9, 11), 8 if SLOW else 60, rng):
        if not mask.any():
            continue
        found = shapes.measure(mask).loc[0]
        (peer,) = skimage_measure.regionprops(mask.astype(np.uint8))
        top, left, end, after = peer.bbox
        sides = end - top, after - left
        assert found.area == peer.area
        assert found.bbox_fill == peer.extent
        assert found.bbox_aspect == min(sides) / max(sides)
        assert found.euler == skimage_measure.euler_number(mask, connectivity=1)
        parts_8 = skimage_measure.label(mask, connectivity=2).max()
        assert found.holes_4 == parts_8 - skimage_measure.euler_number(mask, connectivity=2)


def test_no_cell():
    """Counts are 0, all else is NaN."""
    for periodic in (False, True):
        found = shapes.measure(np.zeros((4, 5), bool), periodic=periodic)
        assert found[list(shapes.INTEGERS)].eq(0).to_numpy().all()
        assert found[list(shapes.FLOATS)].isna().to_numpy().all()


def test_full_torus():
    found = shapes.measure(np.ones((4, 5), bool), periodic=True).loc[0]
    assert (found.area, found.perimeter, found.euler, found.holes_8, found.holes_4, found.winding) == (
        20,
        0,
        0,
        0,
        0,
        2,
    )
    assert (found.perimeter_sites, found.boundary_cells, found.branches, found.diameter) == (0, 0, 20, 4)
    assert math.isnan(found.compactness)
    assert math.isnan(found.lattice_compactness)
    assert math.isnan(found.thickness)


def test_regions_of_several_parts():
    mask = grid.parse("xx..x / xx..x / .....")
    found = shapes.measure(mask).loc[0]
    assert (found.euler, found.holes_8, found.perimeter, found.bbox_fill) == (2, 0, 14, 6 / 10)
    assert math.isnan(found.diameter)
    across = shapes.measure(np.pad(mask, 2), periodic=True).loc[0]
    assert (across.euler, across.holes_8, across.perimeter) == (2, 0, 14)
    assert math.isnan(across.radius_of_gyration)


def test_island_in_a_lake():
    """The edges of the lake are the shore and the island's."""
    mask = np.ones((7, 7), bool)
    mask[1:6, 1:6] = False
    mask[3, 3] = True
    found = shapes.measure(mask).loc[0]
    assert (found.holes_8, found.perimeter, found.outer_perimeter) == (1, 28 + 20 + 4, 28)


@pytest.mark.skipif(SLOW, reason="large")
def test_large_regions():
    """Closed forms where the naive version is too slow; sums stay exact far beyond 32 bits."""
    side = 900
    found = shapes.measure(np.ones((side, side), bool)).loc[0]
    assert found.radius_of_gyration == pytest.approx(math.sqrt((side**2 - 1) / 6), rel=1e-14)
    assert (found.elongation, found.solidity, found.thickness, found.diameter) == (1, 1, side // 2, 2 * side - 2)
    assert found.reock == pytest.approx(2 / PI, rel=1e-14)
    ring = np.ones((1100, 1100), bool)
    ring[1:-1, 1:-1] = False
    found = shapes.measure(ring).loc[0]
    assert (found.holes_8, found.outer_perimeter, found.perimeter) == (1, 4400, 8 * 1099)
    assert found.diameter == 2 * 1099
    line = np.ones((1, 2**21), bool)
    found = shapes.measure(line, columns=["radius_of_gyration", "elongation"]).loc[0]
    assert found.radius_of_gyration == pytest.approx(2**21 / math.sqrt(12), rel=1e-12)
    assert found.elongation == pytest.approx(2**-21, rel=1e-9)


@pytest.mark.skipif(SLOW, reason="large")
@pytest.mark.parametrize("periodic", [False, True])
def test_large_random_masks(periodic):
    """Against shapely and scikit-image on 70x80 sites near the percolation threshold, all holes and parts."""
    rng = np.random.default_rng(11)
    for density in (0.55, 0.6, 0.8):
        mask = rng.random((70, 80)) < density
        found = shapes.measure(mask, periodic=periodic, columns=shapes.FAST).loc[0]
        shape, cells = mask.shape, set(map(tuple, np.argwhere(mask).tolist()))
        cut_off = naive_shapes.holes(cells, shape, periodic, naive_shapes.EDGES + naive_shapes.CORNERS)
        assert found.holes_8 == len(cut_off)
        assert found.holes_4 == len(naive_shapes.holes(cells, shape, periodic, naive_shapes.EDGES))
        inner = sum(naive_shapes.edges(cells, hole, shape, periodic) for hole in cut_off)
        assert found.outer_perimeter == found.perimeter - inner
        if not periodic:
            assert found.perimeter == squares(cells).length
            assert found.euler == skimage_measure.euler_number(mask, connectivity=1)


def table_of_masks():
    """Return a batch of masks."""
    return np.random.default_rng(12).random((2, 3, 6, 7)) < 0.6


def test_batches():
    """A row a region in row-major order, as if measured alone."""
    masks = table_of_masks()
    found = shapes.measure(masks)
    assert found.index.equals(pd.RangeIndex(6))
    for i in range(6):
        alone = shapes.measure(masks[np.unravel_index(i, (2, 3))])
        pd.testing.assert_frame_equal(found.iloc[[i]].reset_index(drop=True), alone, check_exact=True)


def test_chunks(monkeypatch):
    """Nothing depends on how many regions are measured at a time."""
    masks = table_of_masks()
    want = shapes.measure(masks, periodic=True)
    for size in (0, 200, 300):
        monkeypatch.setattr(shapes, "CHUNK", size)
        pd.testing.assert_frame_equal(shapes.measure(masks, periodic=True), want, check_exact=True)
        pd.testing.assert_frame_equal(
            shapes.measure(masks[:, :, :1, :]), shapes.measure(masks.copy()[:, :, :1, :].copy()), check_exact=True
        )


def test_memory_layouts():
    masks = table_of_masks()
    want = shapes.measure(masks)
    frozen = masks.copy()
    frozen.setflags(write=False)
    spread = np.zeros((4, 3, 6, 14), bool)
    spread[::2, :, :, ::2] = masks
    unaligned = np.zeros(masks.size + 1, bool)[1:].reshape(masks.shape)
    unaligned[:] = masks
    for same in (
        np.asfortranarray(masks),
        frozen,
        spread[::2, :, :, ::2],
        masks[::-1][::-1],
        unaligned,
        masks.astype(int),
        masks.astype(np.uint8),
        masks.tolist(),
    ):
        pd.testing.assert_frame_equal(shapes.measure(same), want, check_exact=True)
    assert (frozen == masks).all()


@pytest.mark.parametrize("shape", [(0, 4, 5), (2, 0, 4, 5)])
def test_no_region(shape):
    found = shapes.measure(np.zeros(shape, bool))
    assert found.shape == (0, len(shapes.COLUMNS))
    assert found.dtypes.to_dict() == shapes.measure(np.ones((4, 5), bool)).dtypes.to_dict()


def test_dtypes():
    found = shapes.measure(np.ones((4, 5), bool))
    assert tuple(found.columns) == shapes.COLUMNS
    assert (found.dtypes[list(shapes.INTEGERS)] == np.int64).all()
    assert (found.dtypes[list(shapes.FLOATS)] == np.float64).all()
    assert set(shapes.COLUMNS) - set(shapes.FAST) == {"reock", "thickness", "diameter", *ORIENTED}


@pytest.mark.parametrize("periodic", [False, True])
def test_columns(periodic):
    """Every column alone is the column of the whole table, and the order is the one asked for."""
    masks = table_of_masks()
    want = shapes.measure(masks, periodic=periodic)
    for name in shapes.COLUMNS:
        pd.testing.assert_frame_equal(
            shapes.measure(masks, periodic=periodic, columns=[name]), want[[name]], check_exact=True
        )
    names = ["solidity", "area", "holes_4"]
    pd.testing.assert_frame_equal(shapes.measure(masks, periodic=periodic, columns=iter(names)), want[names])
    assert shapes.measure(masks, columns=[]).shape == (6, 0)


@pytest.mark.parametrize(
    ("regions", "options", "error", "message"),
    [
        (np.ones((3, 3)), {}, TypeError, "regions must be a bool array .* got dtype float64"),
        (np.full((3, 3), np.nan), {}, TypeError, "regions must be a bool array .* got dtype float64"),
        (np.full((3, 3), 2), {}, ValueError, "regions must hold only 0 and 1, got values from 2 to 2"),
        (np.ones(3, bool), {}, ValueError, r"regions must have shape \(..., rows, cols\) .* got \(3,\)"),
        (np.ones((3, 0), bool), {}, ValueError, r"sides of at least 1, got \(3, 0\)"),
        (np.ones((2, 5), bool), {"periodic": True}, ValueError, "rows of a periodic grid's shape must be at least 3"),
        (np.ones((3, 3), bool), {"periodic": 1}, TypeError, "periodic must be True or False, got 1"),
        (np.ones((3, 3), bool), {"columns": "area"}, TypeError, "columns must be a sequence of names, got .* 'area'"),
        (np.ones((3, 3), bool), {"columns": 3}, TypeError, "columns must be a sequence of names, got 3"),
        (np.ones((3, 3), bool), {"columns": ["size"]}, ValueError, "columns must be names among area, .*; got 'size'"),
        (np.ones((3, 3), bool), {"columns": ["area"] * 2}, ValueError, "each column once, got 'area' 2 times"),
    ],
)
def test_refuses(regions, options, error, message):
    with pytest.raises(error, match=message):
        shapes.measure(regions, **options)
