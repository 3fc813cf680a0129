"""The published programs do what is said of them, and the tests see what is wrong with it."""

from collections import Counter
from fractions import Fraction

import naive
import naive_published
import numba
import numpy as np
import pytest
import reference
from scipy import stats

from gridlab import grid, published, topology

ALPHA = 1e-6  # per test: the chance that a correct program fails on a new stream
SEED = 20261130
N = 4_000 if numba.config.DISABLE_JIT else 100_000


def chi_square(regions, law):
    """Test draws against an exact law in which each expected count is at least 20."""
    seen = Counter(map(naive.cells_of, regions))
    assert set(seen) <= set(law)
    expected = np.array([float(p) for p in law.values()]) * len(regions)
    assert expected.min() > 20
    return stats.chisquare([seen[region] for region in law], expected).pvalue


# ---- the frontier loop


@pytest.mark.parametrize(
    ("shape", "area", "periodic"),
    [((1, 5), 3, False)]
    + [((3, 3), area, False) for area in (1, 2, 3, 4, 6)]
    + [((3, 4), area, False) for area in (2, 3, 4)]
    + [((3, 3), 5, True), ((3, 4), 3, True)],
)
def test_frontier_follows_its_exact_law(shape, area, periodic):
    law = naive_published.frontier(shape, area, periodic)
    n = max(N, int(150 / min(law.values()))) if not numba.config.DISABLE_JIT else int(25 / min(law.values())) + 1
    if numba.config.DISABLE_JIT and n > 5_000:
        pytest.skip("the same kernel as in smaller cases")
    assert chi_square(published.frontier(shape, area, periodic=periodic, size=n, rng=SEED), law) > ALPHA


@pytest.mark.parametrize("periodic", [False, True])
def test_two_cells_lie_side_by_side(periodic):
    """Never one above the other, unless there is one column."""
    pairs = published.frontier((5, 4), 2, periodic=periodic, size=500, rng=SEED)
    assert (pairs.any(axis=-1).sum(axis=-1) == 1).all()
    assert (published.frontier((5, 1), 2, size=50, rng=SEED).sum(axis=(1, 2)) == 2).all()


def test_the_start_has_half_the_chance_at_the_sides():
    """Row 0 of 10 has 1/18; and draws from a start that is uniform would be told from it."""
    first = published.frontier((10, 10), 1, size=N, rng=SEED)
    chances = np.array([1, *[2] * 8, 1]) / 18
    uniform = np.full(10, 1 / 10)
    assert reference.power(chances, uniform, N, ALPHA) > 0.999
    assert reference.power(uniform, chances, N, ALPHA) > 0.999
    for axis in (1, 2):
        counts = first.any(axis=axis).sum(axis=0)
        assert stats.chisquare(counts, N * chances).pvalue > ALPHA
        assert stats.chisquare(counts).pvalue < ALPHA


def test_frontier_is_told_from_growth_without_faults():
    """The law of `regions.eden` must be refuted: here on the shapes both can make."""
    shape, area = (3, 3), 3
    law = naive_published.frontier(shape, area)
    eden = naive.law(lambda choose: naive.eden(choose, shape, area))
    assert reference.power([law.get(region, 0) for region in eden], list(eden.values()), N, ALPHA) > 0.999
    assert chi_square(published.frontier(shape, area, size=N, rng=SEED), eden) < ALPHA


@pytest.mark.parametrize(("area", "n_seen", "n", "distance"), [(4, 2, 19, 0.8947), (5, 5, 63, 0.9206)])
def test_distance_of_frontier_from_uniform_on_the_infinite_lattice(area, n_seen, n, distance):
    wide = 2 * area + 1
    law = naive_published.frontier((wide, wide), area, start=(area, area))
    shapes = Counter()
    for region, chance in law.items():
        shapes[naive_published.at_origin(region)] += chance
    assert len(naive_published.polyominoes(area)) == n
    assert len(shapes) == n_seen
    exact = naive_published.from_uniform(shapes.values(), n)
    assert exact == Fraction(n - n_seen, n)  # each shape it can make has too much
    assert round(float(exact), 4) == distance
    # the program makes these shapes where it is not at a side
    drawn = published.frontier((wide, wide), area, periodic=True, size=200, rng=SEED)
    drawn = [region for region in drawn if not (region[0].any() or region[:, 0].any())]
    assert len(drawn) > 20
    assert {naive_published.at_origin(naive.cells_of(region)) for region in drawn} <= set(shapes)


# ---- the rule


@pytest.mark.parametrize(("prose", "pictures"), [(False, naive_published.CODE), (True, naive_published.PROSE)])
def test_the_rule_is_that_of_its_pictures(prose, pictures):
    rule = naive_published.refuses(pictures)
    assert published.would_break(prose=prose).tolist() == [rule(ring) for ring in naive_published.all_rings()]


def test_codes_of_rings_are_those_of_topology():
    """A picture's code is what `topology.rings` gives for the cell in its middle."""
    for code, ring in enumerate(naive_published.all_rings()):
        picture = "/".join(ring.replace("o", ".")[row : row + 3] for row in (0, 3, 6))
        assert topology.rings(grid.parse(picture))[1, 1] == code


def test_what_the_rule_gets_wrong():
    """Its prose is exact beside a hole-free (4) region; its code refuses every cell with three neighbours."""
    codes = np.arange(256)
    n_filled = sum(codes >> bit & 1 for bit in (0, 2, 4, 6))
    beside = (n_filled > 0) & (n_filled < 4)  # 4: the cell is a hole of the region
    simple = topology.simple_cells(4)
    assert ((published.would_break(prose=True) == ~simple) == beside).all()
    assert (published.would_break()[beside] == (~simple | (n_filled == 3))[beside]).all()
    assert simple[n_filled == 3].all()
    assert not published.would_break()[~beside].any()


@pytest.mark.parametrize(("shape", "area", "periodic"), [((3, 3), 5, False), ((3, 3), 7, False), ((3, 4), 6, True)])
def test_frontier_under_the_rule_follows_its_exact_law(shape, area, periodic):
    """Also the chance to get stuck; and what it delivers is simply connected."""
    rule = naive_published.refuses(naive_published.CODE)
    law = naive_published.frontier(shape, area, periodic, rule)
    assert all(region is None or naive.is_simply_connected(region, shape, periodic, 4) for region in law)
    rng = np.random.default_rng(SEED)
    n = 2_500 if numba.config.DISABLE_JIT else 10_000
    n_stuck, drawn = 0, Counter()
    for _ in range(n):
        try:
            region = published.frontier(shape, area, periodic=periodic, simply_connected=True, rng=rng)
            drawn[naive.cells_of(region)] += 1
        except RuntimeError:
            n_stuck += 1
    assert set(drawn) <= set(law)
    stuck = float(law.pop(None, 0))
    assert stats.binomtest(n_stuck, n, stuck).pvalue > ALPHA
    # regions that are rare, and runs that got stuck, are put together with the last region
    *common, _ = [region for region, p in law.items() if p * n > 100]
    seen = [drawn[region] for region in common]
    expected = [float(law[region]) * n for region in common]
    assert len(common) > 3
    seen, expected = [*seen, n - sum(seen)], [*expected, n - sum(expected)]
    assert stats.chisquare(seen, expected).pvalue > ALPHA


def test_the_rule_gets_stuck():
    """To fill the whole grid it would have to go without pockets all the way: it never does."""
    for seed in range(20):
        with pytest.raises(RuntimeError, match=r"stuck with [3-6]\d of 64 cells on a 8x8 grid.*regions\.eden"):
            published.frontier((8, 8), 64, simply_connected=4, rng=[SEED, seed])


# ---- the chain of moves that succeed


@pytest.mark.parametrize(
    ("shape", "area", "moves", "periodic"),
    [((1, 6), 2, 4, False), ((3, 3), 3, 4, False), ((3, 3), 4, 12, False), ((2, 4), 5, 6, False), ((3, 3), 3, 3, True)],
)
def test_single_moves_follow_their_exact_law(shape, area, moves, periodic):
    law = naive_published.after_moves(shape, area, moves, periodic)
    n = int((25 if numba.config.DISABLE_JIT else 150) / min(law.values())) + 1
    regions = published.single_moves(shape, area, moves=moves, periodic=periodic, size=n, rng=SEED)
    assert chi_square(regions, law) > ALPHA


def test_single_moves_are_not_uniform():
    """Their law tends to a share proportional to the number of moves that succeed, and a test tells it from uniform."""
    shape, area = (3, 3), 4
    near = lambda cell: naive.around(cell, shape, False)  # noqa: E731
    degree = {region: len(naive_published.successful_moves(region, near)) for region in naive.all_regions(shape, area)}
    stationary = {region: Fraction(d, sum(degree.values())) for region, d in degree.items()}
    law = naive_published.after_moves(shape, area, 30)
    assert law.keys() == stationary.keys()
    assert max(abs(law[region] - stationary[region]) for region in law) < 1e-6
    n = 2_000 if numba.config.DISABLE_JIT else N
    uniform = dict.fromkeys(law, Fraction(1, len(law)))
    assert reference.power(list(law.values()), list(uniform.values()), n, ALPHA) > 0.999
    regions = published.single_moves(shape, area, moves=30, size=n, rng=SEED)
    assert chi_square(regions, law) > ALPHA
    assert chi_square(regions, uniform) < ALPHA


@pytest.mark.parametrize(("area", "distance"), [(4, 0.0747), (5, 0.0906), (6, 0.0886)])
def test_distance_of_single_moves_from_uniform_on_the_infinite_lattice(area, distance):
    """The chain on shapes keeps the law proportional to the degree, to which the published figures belong."""
    moves = {p: naive_published.successful_moves(p, naive_published.beside) for p in naive_published.polyominoes(area)}
    total = sum(map(len, moves.values()))
    law = {p: Fraction(len(results), total) for p, results in moves.items()}
    after = Counter()
    for p, results in moves.items():
        for result in results:
            after[naive_published.at_origin(result)] += law[p] / len(results)
    assert after == law
    assert round(float(naive_published.from_uniform(law.values(), len(law))), 4) == distance


def test_single_moves_keep_the_area_and_hold_together():
    for periodic in (False, True):
        regions = published.single_moves((5, 6), 11, moves=60, periodic=periodic, size=50, rng=SEED)
        assert (regions.sum(axis=(1, 2)) == 11).all()
        assert topology.is_connected(regions, periodic=periodic).all()
    assert published.single_moves((2, 3), 6, moves=5, rng=SEED).all()
    assert grid.text(published.single_moves((2, 3), 4, moves=0, rng=SEED)) == "xxx\nx.."


# ---- both


PROGRAMS = {
    "frontier": published.frontier,
    "single_moves": lambda *place, moves=20, **options: published.single_moves(*place, moves=moves, **options),
}


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_same_seed_same_regions(f):
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    regions = f((5, 6), 9, size=20, rng=SEED)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    assert (f((5, 6), 9, size=20, rng=np.random.default_rng(SEED)) == regions).all()
    assert (f((5, 6), 9, rng=SEED) == regions[0]).all()
    assert (f((5, 6), 9, size=20, rng=SEED + 1) != regions).any()
    assert f((5, 6), 9, size=0).shape == (0, 5, 6)
    assert regions.dtype == bool


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize(
    ("place", "options", "error", "message"),
    [
        (((0, 3), 1), {}, ValueError, "rows of the grid's shape must be at least 1, got 0"),
        (((2, 3), 1), {"periodic": True}, ValueError, "rows of a periodic grid's shape must be at least 3, got 2"),
        ((5, 1), {}, TypeError, r"shape must be a pair \(rows, cols\), got 5"),
        (((3, 3), 0), {}, ValueError, "area must be from 1 to 9 on a 3x3 grid, got 0"),
        (((3, 3), 10), {}, ValueError, "area must be from 1 to 9 on a 3x3 grid, got 10"),
        (((3, 3), 2.0), {}, TypeError, "area must be an integer"),
        (((3, 3), 2), {"size": -1}, ValueError, "size must be at least 0, got -1"),
        (((3, 3), 2), {"rng": "x"}, TypeError, "rng must be a numpy Generator"),
        (((3, 3), 2), {"periodic": 1}, TypeError, "periodic must be True or False, got 1"),
    ],
)
def test_bad_input(f, place, options, error, message):
    with pytest.raises(error, match=message):
        f(*place, **options)


def test_bad_input_of_one():
    with pytest.raises(ValueError, match=r"simply_connected must be False, True or 4, .*, got 8"):
        published.frontier((3, 3), 2, simply_connected=8)
    with pytest.raises(ValueError, match="simply_connected must be False, True, 4 or 8, got 5"):
        published.frontier((3, 3), 2, simply_connected=5)
    with pytest.raises(ValueError, match=r"area must be from 1 to 4 on a periodic 3x3 grid .*, got 5"):
        published.frontier((3, 3), 5, periodic=True, simply_connected=True)
    with pytest.raises(ValueError, match="moves must be from 0 to 4611686018427387904, got -1"):
        published.single_moves((3, 3), 2, moves=-1)
    with pytest.raises(TypeError, match="prose must be True or False, got 1"):
        published.would_break(prose=1)
