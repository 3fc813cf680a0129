"""Exact laws: against the programs run through all their choices, known values, and the generators' draws."""

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache, partial

import naive
import naive_published
import numba
import numpy as np
import pytest
import reference
from scipy import stats

from gridlab import grid, laws, published, regions
from gridlab.uniform import transfer

ALPHA = 1e-6  # per test: the chance that a correct program fails on a new stream
SEED = 20261130
SLOW = bool(numba.config.DISABLE_JIT)  # the generators as plain Python: fewer draws
POLYOMINOES = [1, 2, 6, 19, 63, 216, 760, 2725]  # OEIS A001168
GENERATORS = {name: f for name, f in regions.GENERATORS.items() if name in laws.GROWERS}
GENERATORS["frontier"] = published.frontier


def chances(law):
    """What a grower can make, as {frozenset of cells: Fraction}."""
    return {naive.cells_of(region): p for region, p in zip(law.regions, law.chances, strict=True) if p}


@cache
def naive_law(name, shape, area, periodic=False):
    """The same by running the program."""
    if name == "frontier":
        return naive_published.frontier(shape, area, periodic)
    return naive.law(lambda choose: getattr(naive, name)(choose, shape, area, periodic))


def test_every_grower_has_a_law():
    assert set(laws.GROWERS) == {"eden", "eden_sites", "eden_bonds", "dfs", "walk", "frontier"}
    assert set(GENERATORS) == set(laws.GROWERS)
    assert all(f.__name__ == name for name, f in laws.GROWERS.items())


# ---- on grids


CASES = [
    *[((1, 6), area, False) for area in (1, 3, 6)],
    *[((2, 3), area, False) for area in range(1, 7)],
    *[((3, 3), area, False) for area in (1, 2, 3, 4, 5)],
    *[((3, 3), area, True) for area in (1, 2, 3, 4)],
    ((3, 4), 3, True),
    ((2, 5), 4, False),
]


@pytest.mark.parametrize(("shape", "area", "periodic"), CASES)
@pytest.mark.parametrize("name", laws.GROWERS)
def test_law_is_that_of_the_program(name, shape, area, periodic):
    law = laws.GROWERS[name](area, shape, periodic=periodic)
    assert chances(law) == naive_law(name, shape, area, periodic)
    assert sum(law.chances) == 1
    assert law.shape == shape
    assert law.regions.shape == (len(law.chances), *shape)
    assert law.regions.dtype == bool


@pytest.mark.parametrize("area", range(6, 9))
def test_walk_where_few_can_be_completed(area):
    """Most steps lead to a dead end, and most regions have no walk through them."""
    assert chances(laws.walk(area, (3, 3))) == naive_law("walk", (3, 3), area)


@pytest.mark.parametrize(("shape", "periodic"), [((3, 3), False), ((3, 4), False), ((3, 3), True), ((3, 4), True)])
def test_all_regions_are_listed(shape, periodic):
    """In the order of their cells, the same for each law."""
    for area in range(1, shape[0] * shape[1] + 1):
        law = laws.uniform(area, shape, periodic=periodic)
        listed = [sorted(naive.cells_of(region)) for region in law.regions]
        assert listed == sorted(sorted(region) for region in naive.all_regions(shape, area, periodic))
        assert set(law.chances) == {Fraction(1, len(listed))}
        if area < 6:
            for f in laws.GROWERS.values():
                assert (f(area, shape, periodic=periodic).regions == law.regions).all()


def test_symmetric():
    """Growers that favour no direction give a region and its 8 images the same chance; the loop does not."""
    for name, f in laws.GROWERS.items():
        for shape, periodic in ((None, False), ((4, 4), False), ((3, 3), True)):
            law = chances(f(5, shape, periodic=periodic))
            side = 5 if shape is None else shape[0]
            place = naive_published.at_origin if shape is None else frozenset
            images = [
                {place({(col, row) for row, col in region}): p for region, p in law.items()},
                {place({(row, side - 1 - col) for row, col in region}): p for region, p in law.items()},
            ]
            assert (images == [law, law]) == (name != "frontier")


# ---- on the infinite lattice


DISTANCES = {
    "eden_sites": (0.1059, 0.1960),
    "eden_bonds": (0.1535, 0.2821),
    "eden": (0.2183, 0.3298),
    "dfs": (0.2105, 0.3333),
    "frontier": (0.8947, 0.9206),
}


@pytest.mark.parametrize("name", DISTANCES)
def test_known_distances_from_uniform(name):
    for area, known in zip((4, 5), DISTANCES[name], strict=True):
        law = laws.GROWERS[name](area)
        exact = laws.distance(law)
        assert isinstance(exact, Fraction)
        assert round(float(exact), 4) == known
        assert laws.distance(law, laws.uniform(area)) == exact
        assert exact == naive_published.from_uniform(chances(law).values(), len(law.chances))
    made = [sum(p > 0 for p in laws.GROWERS[name](area).chances) for area in (4, 5)]
    assert name != "frontier" or made == [2, 5]


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("eden_sites", "1/24 2/21 23/336 1/21 5/112"),
        ("eden_bonds", "1/24 1/6 1/16 1/24 1/24"),
        ("eden", "1/27 4/27 1/12 1/27 1/27"),
    ],
)
def test_known_chances_of_tetrominoes(name, known):
    """I, O, T, S, L in any orientation: 2, 1, 4, 4 and 8 of them."""
    law = chances(laws.GROWERS[name](4))
    tiles = ["xxxx", "xx/xx", "xxx/.x.", "xx./.xx", "xxx/x.."]
    seen = Counter()
    for tile, chance, n in zip(tiles, known.split(), (2, 1, 4, 4, 8), strict=True):
        mask = grid.parse(tile)
        images = {naive.cells_of(np.rot90(side, turns)) for side in (mask, mask.T) for turns in range(4)}
        assert [law[image] for image in images] == [Fraction(chance)] * n
        seen.update(images)
    assert seen.keys() == law.keys()


def test_numbers_of_polyominoes():
    for area, n in enumerate(POLYOMINOES, 1):
        law = laws.uniform(area)
        assert len(law.chances) == n
        assert law.shape is None
        assert law.regions.shape == (n, area, area)
        if area < 6:
            listed = [sorted(naive.cells_of(region)) for region in law.regions]
            assert listed == sorted(sorted(region) for region in naive_published.polyominoes(area))
    n = 8 if SLOW else len(laws.POLYOMINOES)
    assert list(laws.POLYOMINOES[:n]) == [transfer.polyominoes(area) for area in range(1, n + 1)]


@pytest.mark.parametrize("name", laws.GROWERS)
def test_lattice_is_a_torus_that_is_large_enough(name):
    """With one row and column more than cells; the loop's first cell is not uniform, but that does not show."""
    for area in range(1, 6):
        shapes = defaultdict(Fraction)
        for region, p in chances(laws.GROWERS[name](area, (area + 2, area + 2), periodic=True)).items():
            shapes[unrolled(region, area + 2)] += p
        assert shapes == chances(laws.GROWERS[name](area))


def unrolled(region, side):
    """A region of a torus with an empty row and column, moved to the top left."""
    rows, cols = ({cell[axis] for cell in region} for axis in (0, 1))
    top, left = (next(k for k in seen if (k - 1) % side not in seen) for seen in (rows, cols))
    return frozenset(((row - top) % side, (col - left) % side) for row, col in region)


def test_larger_areas():
    """Sums, and what one sees from 9 cells on: walks that cannot be completed."""
    for name, f in laws.GROWERS.items():
        assert sum(f(8).chances) == 1, name
    assert laws.dfs(8).chances == laws.walk(8).chances
    assert 0 < laws.distance(laws.dfs(9), laws.walk(9)) < Fraction(1, 100)
    assert laws.dfs(1).chances == (1,)


# ---- draws


SAMPLES = [((3, 3), 4, False), ((3, 4), 3, True)]


def tally(name, shape, area, periodic, n):
    """Counts of draws in the order of the laws."""
    law = laws.uniform(area, shape, periodic=periodic)
    index = {region.tobytes(): i for i, region in enumerate(law.regions)}
    drawn = GENERATORS[name](shape, area, periodic=periodic, size=n, rng=SEED)
    return np.bincount([index[region.tobytes()] for region in drawn], minlength=len(index))


def chi_square(counts, law):
    """The p-value of counts against a law; none is allowed where the chance is 0."""
    chances = np.array(law.chances, float)
    if counts[chances == 0].any():
        return 0.0
    expected = chances[chances > 0] * counts.sum()
    assert expected.min() >= (20 if SLOW else 100)
    return stats.chisquare(counts[chances > 0], expected).pvalue


def power(law, other, n):
    """The chance that n draws of one law refute the other."""
    p, q = np.array(law.chances, float), np.array(other.chances, float)
    if (p[q == 0] > 0).any():
        return 1 - (1 - p[q == 0].sum()) ** n
    return reference.power(p[q > 0], q[q > 0], n, ALPHA)


@pytest.mark.parametrize(("shape", "area", "periodic"), SAMPLES)
@pytest.mark.parametrize("name", laws.GROWERS)
def test_generators_follow_their_laws_and_no_other(name, shape, area, periodic):
    every = {other: f(area, shape, periodic=periodic) for other, f in laws.GROWERS.items()}
    every["uniform"] = laws.uniform(area, shape, periodic=periodic)
    n = 4_000 if SLOW else 60_000
    counts = tally(name, shape, area, periodic, n)
    assert chi_square(counts, every[name]) > ALPHA
    refuted = {other for other, law in every.items() if power(every[name], law, n) > 0.999}
    for other in refuted:
        assert chi_square(counts, every[other]) < ALPHA, other
    # some are alike for few cells, and on a torus of that size all regions of 3 cells but the loop's
    assert "frontier" in refuted | {name}
    assert len(refuted) >= (5 if not periodic and not SLOW else 1)


# ---- tables, bad input


def test_table():
    law = laws.dfs(4)
    table = laws.table(law)
    assert list(table.columns) == ["region", "chance", "fraction", "ratio"]
    assert [Fraction(text) for text in table.fraction] == list(law.chances)
    assert table.chance.tolist() == [float(p) for p in law.chances]
    assert np.allclose(table.ratio, table.chance * 19)
    for picture, region in zip(table.region, law.regions, strict=True):
        tile = grid.parse(picture)
        assert tile.any(0).all()
        assert tile.any(1).all()
        assert (region[: tile.shape[0], : tile.shape[1]] == tile).all()
        assert tile.sum() == region.sum() == 4
    on_grid = laws.eden(2, (2, 3))
    pictures = laws.table(on_grid).region
    assert all((grid.parse(picture) == region).all() for picture, region in zip(pictures, on_grid.regions))


def test_distance_is_half_the_sum_of_differences():
    one, other = laws.eden(4, (3, 3)), laws.walk(4, (3, 3))
    mine, theirs = chances(one), chances(other)
    half = sum(abs(mine.get(region, 0) - theirs.get(region, 0)) for region in mine.keys() | theirs.keys()) / 2
    assert laws.distance(one, other) == laws.distance(other, one) == half > 0
    assert laws.distance(one, one) == 0


EVERY = {**laws.GROWERS, "uniform": laws.uniform}


@pytest.mark.parametrize("name", EVERY)
def test_areas_too_large_are_refused_before_work(name):
    f = EVERY[name]
    most = 10 if name == "frontier" else 12
    with pytest.raises(ValueError, match=f"area must be from 1 to {most} for {name} on the infinite lattice, got 13"):
        f(13)
    with pytest.raises(ValueError, match=f"area must be from 1 to 8 for {name} on a periodic 10x10 grid, got 20"):
        f(20, (10, 10), periodic=True)
    with pytest.raises(ValueError, match=r"shape must have at most 10000 cells, got 101x100"):
        f(1, (101, 100))
    with pytest.raises(ValueError, match=f"area must be from 1 to 9 for {name} on a 3x3 grid, got 10"):
        f(10, (3, 3))


@pytest.mark.parametrize("f", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0,), ValueError, "area must be from 1 to 1[02] for .* got 0"),
        ((2.0,), TypeError, "area must be an integer, from 1 to 1[02] for .* got 2.0"),
        ((True,), TypeError, "area must be an integer"),
        ((2, 3), TypeError, r"shape must be a pair \(rows, cols\), got 3"),
        ((2, (0, 3)), ValueError, "rows of the grid's shape must be at least 1, got 0"),
        ((2, (3, 2), True), ValueError, "cols of a periodic grid's shape must be at least 3, got 2"),
        ((2, (3, 3), 1), TypeError, "periodic must be True or False, got 1"),
        ((2, None, True), ValueError, r"periodic must be False on the infinite lattice \(shape=None\), got True"),
    ],
)
def test_bad_input(f, arguments, error, message):
    call = partial(f, *arguments[:2], **({"periodic": arguments[2]} if len(arguments) > 2 else {}))
    with pytest.raises(error, match=message):
        call()


def test_bad_laws():
    law = laws.eden(3)
    with pytest.raises(TypeError, match="law must be a Law, got 3"):
        laws.distance(3)
    with pytest.raises(TypeError, match="law must be a Law, got None"):
        laws.distance(None, law)
    with pytest.raises(TypeError, match="law must be a Law, got 'eden'"):
        laws.table("eden")
    with pytest.raises(TypeError, match="other must be a Law, got 3"):
        laws.distance(law, 3)
    with pytest.raises(
        ValueError, match=r"other must be of the same regions as law, 6 of area 3 .*, got 19 of area 4 on"
    ):
        laws.distance(law, laws.eden(4))
    with pytest.raises(
        ValueError, match=r"other must be of .*, 6 of area 3 on the lattice, got 22 of area 3 on \(3, 3\)"
    ):
        laws.distance(law, laws.eden(3, (3, 3)))
