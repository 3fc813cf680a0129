"""Shapes of samples: counted right, against the right law, with p-values and intervals that hold."""

from collections import Counter

import naive
import naive_published
import numba
import numpy as np
import pytest
import reference
from scipy import stats

from gridlab import compare, grid, laws, mines, published, regions

ALPHA = 1e-6  # per test: the chance that a correct program fails on a new stream
SEED = 20261130
SLOW = bool(numba.config.DISABLE_JIT)  # the kernel as plain Python: fewer and smaller samples


def mask(region, shape):
    """A set of cells as an array."""
    array = np.zeros(shape, bool)
    array[tuple(zip(*region))] = True
    return array


def shape_of(region, shape, periodic):
    """The polyomino of a region; on a torus that of its cells on the universal cover."""
    if not periodic:
        return naive_published.at_origin(region)
    start = min(region)
    lifts, todo = {start: start}, [start]
    while todo:
        here = todo.pop()
        for row, col in naive.EDGE_STEPS:
            there = here[0] + row, here[1] + col
            cell = there[0] % shape[0], there[1] % shape[1]
            if cell in region and cell not in lifts:
                lifts[cell] = there
                todo.append(there)
    return naive_published.at_origin(lifts.values())


def counts(law):
    """The counts of a result, as {polyomino: count}, without those never seen."""
    seen = law.table[law.table["count"] > 0]
    return {naive.cells_of(grid.parse(picture)): n for picture, n in zip(seen["shape"], seen["count"])}


# ---- counting


CASES = [((1, 6), 3, False), ((2, 5), 4, False), ((3, 3), 5, False), ((3, 4), 6, False), ((4, 4), 7, False)]
CASES += [((3, 3), 1, True), ((3, 3), 2, True), ((3, 4), 3, True), ((4, 4), 4, True), ((4, 5), 5, True)]
CASES += [((4, 4), 6, True), ((3, 6), 6, True)]


@pytest.mark.parametrize(("shape", "area", "periodic"), CASES)
def test_all_regions_of_a_grid_follow_the_uniform_law_exactly(shape, area, periodic):
    """Each region once: every shape is as frequent as expected, and no shape is missed or impossible."""
    every = naive.all_regions(shape, area, periodic)
    if periodic:
        every = [region for region in every if not naive.winds(region, shape, naive.EDGE_STEPS)]
    found = compare.shape_law([mask(region, shape) for region in every], area, periodic=periodic)
    assert counts(found) == Counter(shape_of(region, shape, periodic) for region in every)
    assert found.n_seen == found.n_shapes == len(found.table) == found.dof + 1
    assert np.allclose(found.table["expected"], found.table["count"], rtol=1e-12)
    assert np.allclose(found.table["ratio"], 1, rtol=1e-12)
    assert np.allclose(found.table["residual"], 0, atol=1e-9)
    assert found.statistic < 1e-9
    assert found.n_draws == len(every)
    assert found.distance == found.low == 0
    assert np.isnan(found.pvalue) or found.pvalue > 1 - 1e-9


@pytest.mark.parametrize(("area", "periodic"), [(2, False), (6, True), (8, True), (9, False)])
def test_counts_of_random_regions(area, periodic):
    """Also where a shape takes two words."""
    shape = (7, 9) if periodic else (9, 11)
    drawn = regions.dfs(shape, area, periodic=periodic, size=200, rng=SEED)
    if periodic:
        drawn = [region for region in drawn if not naive.winds(naive.cells_of(region), shape, naive.EDGE_STEPS)]
    found = compare.shape_law(drawn, periodic=periodic)
    assert counts(found) == Counter(shape_of(naive.cells_of(region), shape, periodic) for region in drawn)
    assert found.n_seen == len(counts(found))


def test_the_seam_does_not_show():
    """Shapes that are in every row of a torus, or in all but one, and do not wind: in all places."""
    stairs = grid.parse("xx... / .xx.. / ..xx. / ...xx / .....")
    snake = grid.parse("xx.. / .x.. / .xx. / ..x.")
    for tile in (stairs, snake, snake.T):
        rows, cols = tile.shape
        everywhere = [np.roll(tile, (row, col), (0, 1)) for row in range(rows) for col in range(cols)]
        found = compare.shape_law(everywhere, periodic=True)
        assert counts(found) == {naive_published.at_origin(naive.cells_of(tile)): rows * cols}


def test_large_batches_are_cut(monkeypatch):
    drawn = regions.eden((6, 6), 5, size=50, rng=SEED)
    whole = compare.shape_law(drawn)
    monkeypatch.setattr(compare, "PIECE", 100)
    assert compare.shape_law(drawn.reshape(5, 10, 6, 6)).table.equals(whole.table)


# ---- statistics


def on_torus(law):
    """The regions of a lattice law, on a torus they cannot wind round."""
    return np.pad(law.regions, ((0, 0), (0, 2), (0, 2)))


def samples(all_regions, chances, n, n_samples):
    """Samples from a law."""
    rng = np.random.default_rng(SEED)
    for _ in range(n_samples):
        yield all_regions[rng.choice(len(all_regions), n, p=np.array(chances, float))]


@pytest.mark.parametrize(
    ("shape", "area", "n"),
    [
        ((4, 5), 4, 1000),  # on an open grid, where shapes differ in their number of places
        ((5, 5), 6, 600),  # fewer than 5 draws expected for all shapes, and far fewer for some
        (None, 5, 1000),
        (None, 7, 700),
    ],
)
def test_pvalues_are_uniform_under_the_uniform_law(shape, area, n):
    law = laws.uniform(area, shape)
    every = law.regions if shape else on_torus(law)
    pvalues = []
    for sample in samples(every, law.chances, n, 15 if SLOW else 150):
        found = compare.shape_law(sample, periodic=shape is None)
        pvalues.append(found.pvalue)
        assert found.table["count"].sum() == n
        assert np.isclose(found.table["expected"].sum(), n)
    assert stats.kstest(pvalues, "uniform").pvalue > ALPHA


def test_mean_and_variance_of_the_statistic(monkeypatch):
    """The p-value's law has those of the statistic, by all outcomes of 4 draws of 3 shapes."""
    monkeypatch.setattr(compare, "COMMON_PAIRS", 0)
    n, chances = 4, np.array([0.05, 0.35, 0.6])
    outcomes = np.array([(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)])
    weights = stats.multinomial.pmf(outcomes, n, chances)
    statistics = ((outcomes - n * chances) ** 2 / (n * chances)).sum(1)
    mean = weights @ statistics
    variance = weights @ (statistics - mean) ** 2
    assert not np.isclose(variance, 2 * mean, rtol=0.1)  # as the plain test would have it
    law = stats.gamma(mean**2 / variance, scale=variance / mean)  # a scaled chi-square law
    for statistic in statistics:
        assert np.isclose(compare._pvalue(statistic, n, chances), law.sf(statistic), rtol=1e-9)


def test_placements_matter():
    """On an open grid equal chances for all shapes would be refuted by uniform regions."""
    law = laws.uniform(4, (4, 4))
    n = 4_000 if SLOW else 20_000
    (sample,) = samples(law.regions, law.chances, n, 1)
    found = compare.shape_law(sample)
    assert found.pvalue > ALPHA
    expected = found.table["expected"] / n
    assert reference.power(expected, 1 / 19, n, ALPHA) > 0.999
    assert stats.chisquare(found.table["count"]).pvalue < ALPHA


LEVEL = 0.8


@pytest.mark.parametrize(("name", "area", "n"), [("uniform", 5, 500), ("uniform", 7, 700), ("frontier", 5, 200)])
@pytest.mark.parametrize("mixed", [False, True])
def test_intervals_cover(name, area, n, mixed):
    """Neither side misses more often than it may, for laws at, near and far from uniform."""
    check_intervals(name, area, n, mixed)


@pytest.mark.parametrize("name", ["eden", "eden_sites", "dfs"])
@pytest.mark.parametrize(("area", "n"), [(4, 300), (4, 10_000), (6, 1000)])
def test_intervals_cover_laws_of_growers(name, area, n):
    if SLOW and n > 1000:
        pytest.skip("minutes without the compiler")
    check_intervals(name, area, n, False)


def check_intervals(name, area, n, mixed):
    law = getattr(laws, name)(area)
    chances = np.array(law.chances, float)
    if mixed:
        chances = chances * 0.1 + 0.9 * np.array(laws.eden(area).chances, float)
    exact = np.abs(chances - 1 / len(chances)).sum() / 2
    n_samples = 12 if SLOW else 100
    found = [compare.shape_law(s, periodic=True, level=LEVEL) for s in samples(on_torus(law), chances, n, n_samples)]
    for n_missed in (sum(f.low > exact for f in found), sum(f.high < exact for f in found)):
        assert stats.binom.sf(n_missed - 1, n_samples, (1 - LEVEL) / 2) > ALPHA
    assert all(f.low <= f.distance <= f.high for f in found)
    # never too large on average, but for values below 0, which are taken as 0
    error = np.std([f.distance for f in found]) / np.sqrt(n_samples)
    assert exact < 0.02 or np.mean([f.distance for f in found]) < exact + 5 * error + 1e-9


@pytest.mark.skipif(SLOW, reason="a rate takes many samples")
def test_intervals_are_not_too_wide():
    """Where chance no longer blurs the excess, an interval misses about as often as it may.

    Where it does, the distance of the observed shares is too large by far more than the estimate.
    """
    law = laws.eden(4)
    exact = float(laws.distance(law))
    found = [compare.shape_law(s, periodic=True, level=0.5) for s in samples(on_torus(law), law.chances, 20_000, 200)]
    missed = np.mean([not f.low < exact < f.high for f in found])
    assert 0.3 < missed < 0.67  # five standard errors about 0.48
    law = laws.uniform(6)
    found = [compare.shape_law(s, periodic=True) for s in samples(on_torus(law), law.chances, 1000, 100)]
    plug_in = np.mean([np.abs(f.table["count"] - f.table["expected"]).sum() / 2 / 1000 for f in found])
    assert plug_in > 0.15
    assert np.mean([f.distance for f in found]) < 0.02


@pytest.mark.parametrize("name", ["eden", "eden_bonds", "eden_sites", "dfs", "walk"])
def test_generators_have_the_distances_of_their_laws(name):
    """The draws refute the uniform law, follow their own, and the interval holds the exact distance."""
    area, n = 4, 3_000 if SLOW else 100_000
    law = laws.GROWERS[name](area)
    drawn = regions.GENERATORS[name]((6, 7), area, periodic=True, size=n, rng=SEED)
    found = compare.shape_law(drawn, periodic=True, level=1 - ALPHA)
    chances = np.array(law.chances, float)
    if not SLOW or name != "eden_sites":
        assert reference.power(chances, 1 / 19, n, ALPHA) > 0.999
        assert found.pvalue < ALPHA
    assert found.low < laws.distance(law) < found.high
    seen = counts(found)
    own = np.array([seen.get(naive.cells_of(region), 0) for region in law.regions])
    assert not own[chances == 0].any()
    assert (chances[chances > 0] * n).min() > 100
    assert stats.chisquare(own[chances > 0], chances[chances > 0] * n).pvalue > ALPHA
    assert found.n_shapes == 19
    assert found.n_seen == (chances > 0).sum()
    # most favoured first, and those never seen last
    best = law.regions[chances.argmax()]
    assert naive.cells_of(grid.parse(found.table["shape"][0])) == naive.cells_of(best)
    assert found.table["ratio"].is_monotonic_decreasing
    assert found.table["count"].iloc[-1] == own.min()


def test_few_draws():
    """No p-value where too few draws have their shape in common; an interval that says nothing; but a table."""
    found = compare.shape_law(regions.eden((6, 6), 5, size=20, rng=SEED))
    assert np.isnan(found.pvalue)
    assert (found.n_draws, found.n_shapes) == (20, 63)
    assert len(found.table) == 63
    assert found.low < 0.2
    assert found.high > 0.8
    one = compare.shape_law(grid.parse("xx. / .x."))
    assert (one.n_draws, one.n_seen, one.table["count"].sum()) == (1, 1, 1)
    assert one.table["shape"][0] == "xx/.x"


def test_one_shape_only():
    """Nothing to refute."""
    found = compare.shape_law(regions.eden((4, 4), 1, size=1000, rng=SEED))
    assert (found.n_shapes, found.dof, found.statistic) == (1, 0, 0)
    assert np.isnan(found.pvalue)
    assert found.distance == found.low == 0
    assert found.table[["ratio", "residual"]].to_numpy().tolist() == [[1, 0]]
    assert list(found.table.columns) == ["shape", "count", "expected", "ratio", "residual"]


# ---- bad input


GOOD = grid.parse("xx. / .x. / ...")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"regions": np.zeros((0, 3, 3), bool)}, ValueError, "regions must hold at least one region, got none"),
        ({"regions": np.zeros((3, 3), bool)}, ValueError, "area must be from 1 to 9, to list its polyominoes, got 0"),
        ({"regions": [GOOD, GOOD.T, ~GOOD]}, ValueError, "regions must all have area 3, got 6 for region 2"),
        ({"area": 4}, ValueError, "regions must all have area 4, got 3 for region 0"),
        ({"area": 0}, ValueError, "area must be from 1 to 9, to list its polyominoes, got 0"),
        ({"area": 3.0}, TypeError, "area must be an integer, from 1 to 9, to list its polyominoes, got 3.0"),
        ({"regions": np.ones((4, 4), bool)}, ValueError, "area must be from 1 to 12, to list its polyominoes, got 16"),
        ({"regions": [GOOD, grid.parse("xx. / ... / x..")]}, ValueError, "be connected, got several parts in region 1"),
        ({"regions": grid.parse("xx. / ..x / ..."), "periodic": True}, ValueError, "be connected, .* region 0"),
        ({"regions": grid.parse("xxx / ... / ..."), "periodic": True}, ValueError, "not wind .* as does region 0"),
        (
            {"regions": [GOOD, grid.parse(".x. / .x. / .x.")], "periodic": True},
            ValueError,
            "regions must not wind round the torus, as does region 1",
        ),
        ({"regions": GOOD[:2], "periodic": True}, ValueError, "rows of a periodic grid's shape must be at least 3"),
        ({"regions": GOOD * 2}, ValueError, "regions must hold only 0 and 1, got values from 0 to 2"),
        ({"regions": GOOD * 1.0}, TypeError, "regions must be a bool array"),
        ({"periodic": 1}, TypeError, "periodic must be True or False, got 1"),
        ({"level": 1}, ValueError, "level must be above 0 and below 1, got 1"),
        ({"level": float("nan")}, ValueError, "level must be above 0 and below 1, got nan"),
        ({"level": "high"}, TypeError, "level must be a number above 0 and below 1, got 'high'"),
    ],
)
def test_bad_input(arguments, error, message):
    with pytest.raises(error, match=message):
        compare.shape_law(**({"regions": GOOD} | arguments))


# fit


def test_fit_counts_every_outcome_and_is_pearsons_chi_square():
    law = laws.PLACERS["probe_right"]((2, 3), 3)
    boards = published.probe_right((2, 3), 3, size=4000, rng=SEED)
    found = compare.fit(boards.reshape(40, 100, 2, 3), law)
    counts = [sum(np.array_equal(board, other) for board in boards) for other in law.regions]
    assert found.counts.tolist() == counts
    pearson = stats.chisquare(counts, 4000 * np.array(law.chances, float))
    assert np.isclose(found.statistic, pearson.statistic)
    assert found.dof == 19
    # the exact variance differs from that of chi-square by a little
    assert abs(found.pvalue - pearson.pvalue) < 0.01
    assert found.pvalue > ALPHA
    fair = laws.PLACERS["floyd"]((2, 3), 3)
    assert reference.power(law.chances, fair.chances, 4000, ALPHA) > 0.999
    assert compare.fit(boards, fair).pvalue < ALPHA


def test_fit_holds_where_few_outcomes_are_drawn():
    """On 4x4 cells 1820 sets of four mines, and 400 boards: p-values are still uniform, and their controls fail."""
    n = 30 if numba.config.DISABLE_JIT else 300
    law = laws.PLACERS["floyd"]((4, 4), 4)
    rng = np.random.default_rng(SEED)
    pvalues = [compare.fit(mines.floyd((4, 4), 4, size=1000, rng=rng), law).pvalue for _ in range(n)]
    assert stats.kstest(pvalues, "uniform").pvalue > ALPHA
    assert compare.fit(mines.swap((4, 4), 4, swaps=8, size=1000, rng=rng), law).pvalue < ALPHA


def test_fit_knows_what_cannot_be():
    fair, short = laws.PLACERS["floyd"]((2, 2), 2), laws.PLACERS["insert_short"]((2, 2), 2)
    boards = mines.floyd((2, 2), 2, size=1000, rng=SEED)
    assert compare.fit(boards, fair).pvalue > ALPHA
    found = compare.fit(boards, short)
    assert (found.statistic, found.pvalue, found.dof) == (np.inf, 0, 2)
    with pytest.raises(ValueError, match=r"drawn must be outcomes of the law, .* for draw 2:\nxx\nx\."):
        compare.fit([[[1, 1], [0, 0]], [[1, 0], [0, 1]], [[1, 1], [1, 0]]], fair)
    with pytest.raises(ValueError, match=r"law must be one of grids of shape \(2, 2\), got one of \(2, 3\)"):
        compare.fit(boards, laws.PLACERS["floyd"]((2, 3), 2))
    with pytest.raises(ValueError, match="got one of the infinite lattice"):
        compare.fit(boards, laws.eden(2))
    with pytest.raises(ValueError, match="drawn must hold at least one draw, got none"):
        compare.fit(boards[:0], fair)
    with pytest.raises(TypeError, match="law must be a Law, got 'fair'"):
        compare.fit(boards, "fair")
    with pytest.raises(TypeError, match="drawn must be a bool array"):
        compare.fit(boards * 0.5, fair)
