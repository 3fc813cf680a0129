"""Tests of uniformity: exact moments, the null law, what each test sees, streams, refusals."""

import itertools
import math
import re
import tracemalloc
from fractions import Fraction

import naive
import naive_uniformity as plain
import numpy as np
import pandas as pd
import pytest
from numba import config
from scipy import stats

from gridlab import mines, published, uniformity
from gridlab.uniformity import linear, moments, quadratic, reports, results
from gridlab.uniformity import sums as passing

SLOW = bool(config.DISABLE_JIT)  # placers and sums as plain Python: fewer boards
ALPHA = 1e-6  # per test: the chance that a correct program fails on a new stream
SEED = 20261130
EXPERT, INTERMEDIATE, BEGINNER = ((16, 30), 99), ((16, 16), 40), ((9, 9), 10)

# shape, mines: to enumerate
BOARDS = [((3, 3), 4), ((3, 4), 3), ((3, 4), 9), ((2, 5), 5), ((1, 6), 2), ((2, 2), 2), ((4, 4), 5), ((5, 2), 7)]
TORI = [((3, 3), 4), ((3, 4), 5), ((4, 4), 4)]
GRIDS = [(shape, m, False) for shape, m in BOARDS] + [(shape, m, True) for shape, m in TORI]
EVERY = ["cells", "pairs", "subsets", "joins_4", "joins_8", "runs", "numbers", "start_region"]


def array(boards, shape):
    """Boards of frozensets as one array."""
    return np.array([naive.mask_of(board, shape) for board in boards])


def gathered(boards, n_mines, periodic=False):
    """All sums over an array of boards."""
    sums = passing._Sums(boards.shape[1:], n_mines, {"cells", "pairs", "joint", "numbers", "subsets"}, periodic)
    sums.add(boards)
    return sums


def test_of(name):
    """The judge of a name in the report."""
    judges = {
        "cells": quadratic._CELLS,
        "pairs": quadratic._PAIRS,
        "subsets": quadratic._SUBSETS,
        "runs": linear._RUNS,
        "numbers": linear._NUMBERS,
        "start_region": linear._START,
    }
    return judges[name] if name in judges else linear._joins_test(int(name[-1]))


test_of.__test__ = False
RUN = {name: getattr(uniformity, name.split("_4")[0].split("_8")[0]) for name in EVERY}


def run(name, boards, **options):
    """Run the test of a name in the report."""
    if name.startswith("joins"):
        options["connectivity"] = int(name[-1])
    return RUN[name](boards, **options)


# ---- exact moments, by all boards


@pytest.mark.parametrize(("shape", "m", "periodic"), GRIDS)
@pytest.mark.parametrize("connectivity", [4, 8])
def test_moments_of_joins(shape, m, periodic, connectivity):
    found = [plain.joins(board, shape, connectivity, periodic) for board in plain.all_boards(shape, m)]
    degrees = moments._degrees(shape, connectivity, periodic)
    near = [
        len(list(naive.around(cell, shape, periodic, naive.STEPS[connectivity]))) for cell in naive.grid_cells(shape)
    ]
    assert degrees.ravel().tolist() == near
    expected = plain.mean(found), plain.covariance(found, found)
    assert moments._joins_moments(degrees, math.prod(shape), m) == expected


@pytest.mark.parametrize(("shape", "m"), BOARDS)
def test_moments_of_runs_and_of_the_start_region(shape, m):
    for one, of in ((plain.runs, moments._runs_moments), (plain.start, moments._start_moments)):
        found = [one(board, shape) for board in plain.all_boards(shape, m)]
        assert of(math.prod(shape), m) == (plain.mean(found), plain.covariance(found, found))


@pytest.mark.parametrize(
    ("shape", "m", "periodic"), [*GRIDS, ((4, 4), 8, False), ((3, 3), 1, False), ((1, 1), 0, False)]
)
def test_means_and_covariances_of_numbers(shape, m, periodic):
    found = np.array([plain.numbers(board, shape, periodic) for board in plain.all_boards(shape, m)], object).T
    mean, covariance = moments._numbers_moments(shape, m, periodic)
    n_boards = found.shape[1]
    assert mean == [Fraction(int(row.sum()), n_boards) for row in found]
    second = found @ found.T
    assert covariance == [[Fraction(second[k, j], n_boards) - mean[k] * mean[j] for j in range(9)] for k in range(9)]


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("side", [3, 8, 9, 12, 13, 25])
def test_kinds_of_pairs_of_lines(side, periodic):
    """Those of a long side follow from those of short ones."""
    counts = dict.fromkeys(moments._lines(side, periodic), 0)
    window = [{line} | {cell[0] for cell in naive.around((line, 0), (side, 1), periodic)} for line in range(side)]
    for i, j in itertools.product(range(side), repeat=2):
        counts[i == j, j in window[i], len(window[i]), len(window[j]), len(window[i] & window[j])] += 1
    assert moments._lines(side, periodic) == counts


def test_means_of_numbers_are_hypergeometric():
    (rows, cols), m = EXPERT
    mean, covariance = moments._numbers_floats((rows, cols), m, False)
    n, k = rows * cols, np.arange(9)
    cells = {3: 4, 5: 2 * (rows + cols - 4), 8: (rows - 2) * (cols - 2)}
    expected = sum(c * (1 - m / n) * stats.hypergeom(n - 1, m, d).pmf(k) for d, c in cells.items())
    assert np.allclose(mean, expected, rtol=1e-12)
    assert np.allclose(covariance.sum(axis=0), 0, atol=1e-9)  # free cells are as many on every board


@pytest.mark.parametrize(
    ("shape", "m", "t"), [((2, 2), 2, 2), ((2, 2), 2, 4), ((1, 5), 2, 3), ((2, 3), 3, 3), ((2, 3), 2, 2)]
)
def test_moments_of_quadratic_statistics(shape, m, t):
    """Over all batches of t boards; what cells and pairs say is uncorrelated."""
    boards = plain.all_boards(shape, m)
    n, n_sets = math.prod(shape), len(boards)
    kinds = {
        plain.cochran: (n - 1, moments._cells_third(n, m)),
        plain.pairs: (n * (n - 3) // 2, moments._pairs_third(n, m)),
        plain.subsets: (n_sets - 1, moments._subsets_third(n_sets)),
    }
    found = {}
    for f, (dof, third) in kinds.items():
        batches = itertools.combinations_with_replacement(boards, t)
        values = [(f(batch, shape), ways(batch)) for batch in batches]
        assert sum(w for _, w in values) == n_sets**t
        mean = sum(v * w for v, w in values) / Fraction(n_sets**t)
        central = [sum((v - mean) ** k * w for v, w in values) / n_sets**t for k in (2, 3)]
        expected = moments._quadratic_moments(dof, t, third)
        assert mean == dof
        assert central[0] == 2 * dof * (1 - Fraction(1, t))
        assert float(central[0]) == pytest.approx(expected[1], rel=1e-12)
        assert float(central[1]) == pytest.approx(expected[2], rel=1e-9)
        found[f] = values
    both = zip(found[plain.cochran], found[plain.pairs])
    assert sum(v * other * w for (v, w), (other, _) in both) / Fraction(n_sets**t) == (n - 1) * n * (n - 3) // 2


def ways(batch):
    """In how many orders a batch can be drawn."""
    return math.factorial(len(batch)) // math.prod(math.factorial(batch.count(board)) for board in set(batch))


# ---- statistics and residuals


@pytest.mark.parametrize(("shape", "m", "periodic"), GRIDS)
def test_statistics_by_definition(shape, m, periodic):
    n, everything = math.prod(shape), plain.all_boards(shape, m)
    rng = np.random.default_rng(SEED)
    for t in (2, 3, 40):
        boards = [everything[k] for k in rng.integers(len(everything), size=t)]
        sums = gathered(array(boards, shape), m, periodic)
        assert quadratic._cells_statistic(sums) == pytest.approx(float(plain.cochran(boards, shape)), rel=1e-9)
        assert quadratic._subsets_statistic(sums) == pytest.approx(float(plain.subsets(boards, shape)), rel=1e-9)
        of_pairs = float(plain.pairs(boards, shape))
        assert quadratic._pairs_statistic(sums) == pytest.approx(of_pairs, rel=1e-9)
        assert quadratic._pairs_of_boards(array(boards, shape)) == pytest.approx(of_pairs, rel=1e-9)
        assert (
            sums.numbers.tolist()
            == np.sum([plain.numbers(board, shape, periodic) for board in boards], axis=0).tolist()
        )
        if 2 * m <= n:
            assert sums.subsets.tolist() == plain.colex(boards, shape)
        else:
            free = [frozenset(naive.grid_cells(shape)) - board for board in boards]
            assert sums.subsets.tolist() == plain.colex(free, shape)
        for step, connectivity in ((2, 4), (1, 8)):
            total = sum(plain.joins(board, shape, connectivity, periodic) for board in boards)
            assert sums.joint[:, :4:step].sum() == total
        assert t + linear._changes(sums).sum() == sum(plain.runs(board, shape) for board in boards)
        assert sums.cells[:m].sum() == sum(plain.start(board, shape) for board in boards)


@pytest.mark.parametrize(("shape", "m"), [((3, 4), 3), ((2, 5), 5), ((1, 6), 2), ((4, 3), 9)])
def test_residuals_of_pairs_by_definition(shape, m):
    (rows, cols), boards = shape, plain.all_boards(shape, m)[:7]
    found = quadratic._pairs_map(gathered(array(boards, shape), m))
    assert (found == found[::-1, ::-1]).all()
    found *= np.sqrt(7 * float(plain.theta(shape, m)) * moments._displacement_norms(shape))
    for (row, col), value in plain.displacements(boards, shape).items():
        assert found[rows - 1 + row, cols - 1 + col] == pytest.approx(float(value), abs=1e-9)


@pytest.mark.parametrize(("shape", "m", "periodic"), GRIDS)
def test_residuals_are_standardised(shape, m, periodic):
    """Over all boards, each alone, every residual has mean 0 and variance 1, or is 0 where nothing can vary."""
    degrees = {c: moments._degrees(shape, c, periodic) for c in (4, 8)}
    maps = {
        "cells": results._cells_map,
        "pairs": quadratic._pairs_map,
        "joins_4": lambda sums: linear._joins_map(sums, degrees[4], 2),
        "joins_8": lambda sums: linear._joins_map(sums, degrees[8], 1),
        "runs": linear._runs_map,
        "numbers": linear._numbers_residuals,
    }
    each = [gathered(board[None], m, periodic) for board in array(plain.all_boards(shape, m), shape)]
    for name, f in maps.items():
        values = np.array([f(sums) for sums in each])
        varies = (values != 0).any(axis=0)
        assert np.allclose(values.mean(axis=0), 0, atol=1e-9), name
        assert np.allclose(values.var(axis=0)[varies], 1), name
        if name == "runs":
            assert varies.sum() == math.prod(shape) - 1
        elif name == "numbers":
            assert varies.any() == (linear._no_numbers(shape, m, periodic) is None)
        else:
            assert varies.all() or name == "pairs"


# ---- laws


def lattice(chances, t):
    """The law of the sum of t independent whole numbers, each with these chances from 0 on."""
    law, power = np.ones(1), np.array(chances, float)
    while t:
        if t % 2:
            law = np.convolve(law, power)
        power, t = np.convolve(power, power), t // 2
    return law


def of_one_board(name, shape, m):
    """The law of what a test counts on one board, exactly, with mean and variance."""
    n = math.prod(shape)
    if name == "start_region":
        law, (mean, variance) = stats.hypergeom(n, m, m).pmf(np.arange(m + 1)), moments._start_moments(n, m)
    else:
        f, of = {
            "runs": (lambda board: plain.runs(board, shape), moments._runs_moments(n, m)),
            "joins_4": (
                lambda board: plain.joins(board, shape, 4),
                moments._joins_moments(moments._degrees(shape, 4, False), n, m),
            ),
            "joins_8": (
                lambda board: plain.joins(board, shape, 8),
                moments._joins_moments(moments._degrees(shape, 8, False), n, m),
            ),
        }[name]
        found = [f(board) for board in plain.all_boards(shape, m)]
        law, (mean, variance) = np.bincount(found) / len(found), of
    return law, float(mean), float(variance)


NORMAL = ["start_region", "runs", "joins_4", "joins_8"]
CASES = [(name, (3, 4), 4) for name in NORMAL] + [(name, (4, 4), 3) for name in NORMAL]
CASES += [("start_region", *BEGINNER), ("start_region", *EXPERT), ("start_region", (9, 9), 3)]


@pytest.mark.once
@pytest.mark.parametrize(("name", "shape", "m"), CASES)
def test_the_law_of_a_sum_holds_from_where_it_is_used(name, shape, m):
    """By the exact law of the sum: at worst, just where Monte Carlo ends, a test at 5 % has the size 5 % ± 1 %.

    At 0.1 % it is off by up to a third, from the steps of the sum. By the normal law the start region would be by 1.7.
    """
    law, mean, variance = of_one_board(name, shape, m)
    for factor in (1, 1.3, 1.7, 4, 10):
        t = math.ceil(factor * results.VARIANCE / variance)
        chances = lattice(law, t)
        z = (np.arange(len(chances)) - t * mean) / math.sqrt(t * variance)
        if name == "start_region":
            skewness = moments._start_skewness(math.prod(shape), m) / math.sqrt(t)
            third = (chances * z**3).sum()
            assert skewness == pytest.approx(third, abs=1e-9)
            pvalues = np.array([moments._gamma_tails(x, skewness)[1] for x in z])
            assert chances[pvalues <= 0.001].sum() == pytest.approx(0.001, abs=0.00034)
        else:
            pvalues = 2 * stats.norm.sf(abs(z))
        assert chances[pvalues <= 0.05].sum() == pytest.approx(0.05, abs=0.01)
        assert chances[pvalues <= 0.01].sum() == pytest.approx(0.01, abs=0.004)


@pytest.mark.parametrize(("shape", "m"), [((16, 30), 99), ((30, 40), 600), ((9, 9), 40)])
def test_the_law_of_cells_holds_for_two_boards(shape, m):
    """By their exact law: Q is linear in the mines they share. Its steps are all that is left of an error."""
    n = math.prod(shape)
    h = np.arange(max(0, 2 * m - n), m + 1)
    chances = stats.hypergeom(n, m, m).pmf(h)
    statistic = n - 1 + (h - m * m / n) / moments._cells_scale(n, m)
    tails = np.array([moments._quadratic_tails(q, n - 1, 2, moments._cells_third(n, m)) for q in statistic])
    below, above = np.cumsum(chances), np.cumsum(chances[::-1])[::-1]
    assert np.allclose(tails[:, 0], below - chances / 2, atol=0.01)  # in the middle of each step
    assert np.allclose(tails[:, 1], above - chances / 2, atol=0.01)


@pytest.mark.once
@pytest.mark.parametrize(
    ("name", "shape", "m", "t"),
    [
        ("cells", (1, 2), 1, 29),
        ("cells", (2, 2), 2, 25),
        ("pairs", (1, 5), 2, 64),
        ("pairs", (3, 3), 4, 35),
        ("subsets", (1, 2), 1, 29),
        ("subsets", (2, 3), 3, 66),
    ],
)
def test_the_law_of_squares_on_tiny_boards_holds_from_where_it_is_used(name, shape, m, t):
    """With one board less it is by Monte Carlo. A test at 1 % has the size 1 % ± 0.4 %, by 100,000 batches.

    It was 2.3 % on two cells with ten boards, where the law had been used.
    """
    boards = mines.floyd(shape, m, size=t, rng=SEED)
    assert run(name, boards[1:], rng=1).note == results.MONTE_CARLO
    assert run(name, boards, rng=1).note == ""
    n, sets = math.prod(shape), array(plain.all_boards(shape, m), shape)
    shared = np.einsum("aij,bij->ab", *[sets.astype(float)] * 2)
    if name == "cells":
        kernel, dof, third = (shared - m * m / n) / moments._cells_scale(n, m), n - 1, moments._cells_third(n, m)
    elif name == "pairs":
        kernel, dof, third = moments._pairs_kernel(shared, n, m), n * (n - 3) // 2, moments._pairs_third(n, m)
    else:
        kernel, dof, third = len(sets) * np.eye(len(sets)) - 1, len(sets) - 1, moments._subsets_third(len(sets))
    counts = np.random.default_rng(SEED).multinomial(t, np.full(len(sets), 1 / len(sets)), size=100_000).astype(float)
    values, times = np.unique(((counts @ kernel) * counts).sum(axis=1).round(6) / t, return_counts=True)
    tails = [moments._quadratic_tails(value, dof, t, third) for value in values]
    pvalues = np.array([quadratic._two_sided(*both) if name == "pairs" else both[1] for both in tails])
    for level, slack in ((0.05, 0.0125), (0.01, 0.004)):
        low, high = count_bounds(100_000, level, slack, ALPHA)
        assert times[pvalues <= level].sum() <= high
        assert name == "pairs" or low <= times[pvalues <= level].sum()


@pytest.mark.skipif(SLOW, reason="draws 30 million cells")
def test_numbers_of_sparse_boards_are_drawn_again():
    """One mine on each of three boards of a hundred by a hundred: one at the edge has a chance of 11 %.

    By chi-square it had the p-value 0.6 %, as if edges had no more to say than what the variance is.
    """
    boards = np.zeros((3, 100, 100), bool)
    boards[0, 0, 50] = boards[1:, 50, 50] = True
    assert 0.05 < uniformity.numbers(boards, rng=1).pvalue < 0.2
    assert uniformity.numbers(mines.floyd((100, 100), 320, size=1, rng=1)).note == ""
    boards = mines.floyd((1000, 1100), 300, size=1, rng=1)
    with pytest.raises(ValueError, match="boards must be at least 123, got 1: too few for the law"):
        uniformity.numbers(boards)


def test_large_boards_are_not_drawn_again():
    """They have as many cells as Monte Carlo may draw, and the law holds."""
    boards = np.zeros((3, 1000, 1000), bool)
    boards[:, :, 300::10] = True
    boards[0] = np.roll(boards[0], 5, axis=1)
    result = uniformity.cells(boards)
    assert result.note == ""
    assert result.pvalue < ALPHA  # two of them are the same


# The null law by simulation. A p-value of a continuous statistic is uniform; those of z have steps.
REPLICATES = 60 if SLOW else 400
NULLS = [(*BEGINNER, 200), (*INTERMEDIATE, 200), (*EXPERT, 200), ((4, 4), 5, 1000), ((9, 9), 4, 5)]


def count_bounds(n, chance, slack, alpha):
    """The least and the most successes in n of a chance, up to some slack, but for a chance of alpha in all."""
    low, high = max(chance - slack, 0), chance + slack
    return stats.binom.ppf(alpha / 2, n, low), stats.binom.isf(alpha / 2, n, high)


@pytest.mark.parametrize(("shape", "m", "t"), NULLS[:1] if SLOW else NULLS)
def test_pvalues_of_fair_boards_are_uniform(shape, m, t):
    """On all boards of `NULLS`, a false alarm has at most the chance ALPHA: each of 2 checks of 8 tests a sixteenth.

    The checks see a test whose size at 5 % is 12 %, as Pearson's of the numbers, with the power below.
    """
    rng = np.random.default_rng(SEED)
    n = REPLICATES if t >= 200 else REPLICATES // 16  # those by Monte Carlo take longer
    tables = [uniformity.report(mines.floyd(shape, m, size=t, rng=rng), rng=rng) for _ in range(n)]
    pvalues = pd.DataFrame([table["pvalue"] for table in tables]).set_axis(tables[0]["test"], axis=1)
    assert (pvalues.pop("count") == 1).all()
    can_run = pvalues.columns[pvalues.notna().all()]
    assert can_run.tolist() == [name for name in EVERY if name != "subsets" or math.comb(math.prod(shape), m) <= 10**6]
    for name in can_run:
        values = pvalues[name].to_numpy()
        low, high = count_bounds(n, 0.05, 0.01, ALPHA / 16)
        assert low <= (values <= 0.05).sum() <= high, name
        # steps of the sum move the law of the p-value by at most half a step, 0.4 / √VARIANCE; Monte Carlo's by ties
        step = 0.4 / math.sqrt(results.VARIANCE) if t >= 200 else 0.25
        excess = stats.kstest(values, "uniform").statistic - step
        assert excess < 0 or stats.kstwo.sf(excess, n) > ALPHA / 16, name


def test_pearson_of_the_numbers_rejects_too_often():
    """The control: by the same bounds a test of 11 % or more is seen, and that of the pooled numbers is."""
    (shape, m), t, n = EXPERT, 20, 60 if SLOW else 1000
    low, high = count_bounds(n, 0.05, 0.01, ALPHA)
    mean, _ = moments._numbers_floats(shape, m, False)
    pearson, wald = [], []
    rng = np.random.default_rng(SEED)
    for _ in range(n):
        sums = passing._Sums(shape, m, {"numbers"})
        sums.add(mines.floyd(shape, m, size=t, rng=rng))
        classes = linear._classes(sums)
        pearson.append(stats.chisquare(classes @ sums.numbers, classes @ mean * t).pvalue)
        wald.append(stats.chi2.sf(*linear._numbers_statistic(sums)))
    assert low <= (np.array(wald) <= 0.05).sum() <= high
    if not SLOW:
        assert stats.binom.sf(high, n, 0.13) > 0.99
        assert (np.array(pearson) <= 0.05).sum() > high


def test_the_common_chi_square_of_cells_never_rejects():
    """It is Cochran's Q times (n − m)/(n − 1). With a fifth mined it is a fifth too small, and Q is not."""
    (shape, m), t, n = EXPERT, 100, 20 if SLOW else 200
    rng = np.random.default_rng(SEED)
    common, right = [], []
    for _ in range(n):
        boards = mines.floyd(shape, m, size=t, rng=rng)
        found = stats.chisquare(boards.sum(axis=0).ravel())
        result = uniformity.cells(boards)
        assert found.statistic == pytest.approx(result.statistic * (480 - m) / 479, rel=1e-12)
        common.append(found.pvalue)
        right.append(result.pvalue)
    limit = stats.chi2.isf(0.05, 479) * 479 / (480 - m)  # 6 standard deviations of Q
    assert n * moments._quadratic_tails(limit, 479, t, moments._cells_third(480, m))[1] < 10 * ALPHA
    assert min(common) > 0.05
    low, high = count_bounds(n, 0.05, 0.01, ALPHA)
    assert low <= (np.array(right) <= 0.05).sum() <= high


def test_monte_carlo_pvalues_are_shares_of_the_exact_law():
    """Of all batches of 3 boards: the exact tail, which the share of 999 draws meets but for a chance of ALPHA."""
    shape, m, t = (2, 3), 2, 3
    everything = plain.all_boards(shape, m)
    batches = list(itertools.combinations_with_replacement(everything, t))
    weights = np.array([ways(batch) for batch in batches]) / len(everything) ** t
    exact = {
        "cells": [float(plain.cochran(batch, shape)) for batch in batches],
        "pairs": [float(plain.pairs(batch, shape)) for batch in batches],
        "subsets": [float(plain.subsets(batch, shape)) for batch in batches],
        "runs": [abs(sum(plain.runs(board, shape) for board in batch) - t * plain_mean(shape, m)) for batch in batches],
        "start_region": [sum(plain.start(board, shape) for board in batch) for batch in batches],
    }
    for k in (0, 40, len(batches) // 2):
        boards = array(batches[k], shape)
        for name, values in exact.items():
            values = np.array(values, float)
            high = weights[values >= values[k] - 1e-9].sum()
            low = weights[values <= values[k] + 1e-9].sum()
            result = run(name, boards, rng=SEED)
            assert result.note == results.MONTE_CARLO
            assert run(name, boards, rng=SEED).pvalue == result.pvalue
            tails = [low, high] if name == "pairs" else [high]
            share = result.pvalue * 1000 / len(tails) - 1
            allowed = [count_bounds(999, min(tail, 1), 0, ALPHA / 15) for tail in tails]
            assert any(least <= share <= most for least, most in allowed) or result.pvalue == 1, name


def plain_mean(shape, m):
    """The mean number of runs."""
    return plain.mean(plain.runs(board, shape) for board in plain.all_boards(shape, m))


# ---- what is seen, and what is not


def adjusted(boards, **options):
    """Adjusted p-values of a report, by test."""
    return uniformity.report(boards, rng=SEED, **options).set_index("test")["adjusted"]


BATCH = 200 if SLOW else 1000


def test_colliding_fails_the_count():
    table = uniformity.report(mines.collide(*EXPERT, size=BATCH, rng=SEED), 99)
    assert table["pvalue"][0] == 0
    assert table["pvalue"][1:].isna().all()
    assert "got" in table["note"][1]
    assert "count" in table["note"][1]


def test_a_hundred_swaps_fail_every_test_but_the_count():
    """One mine in four has not been moved."""
    found = adjusted(mines.swap(*EXPERT, swaps=100, size=BATCH, rng=SEED))
    assert found["count"] == 1
    assert (found.drop(["count", "subsets"]) < ALPHA).all()
    assert uniformity.subsets(mines.swap((4, 4), 4, swaps=5, size=2000, rng=SEED)).pvalue < ALPHA


@pytest.mark.skipif(SLOW, reason="ten million swaps, and a few batches say nothing")
def test_a_thousand_swaps_are_seen_as_often_as_computed():
    """By the start region always, by Cochran's Q in four of five: what `power` is derived from."""
    (shape, m), swaps, t, n = EXPERT, 1000, BATCH, 60
    left = (1 - 2 / 480) ** swaps
    chances = m / 480 * (1 - left) + left * (np.arange(480).reshape(shape) < m)
    each = uniformity.power(chances).set_index("test")["noncentrality"]
    power = stats.ncx2.sf(stats.chi2.isf(0.01, 479), 479, (t - 1) * each["cells"])
    assert 0.8 < power < 0.9
    rng = np.random.default_rng(SEED)
    found = []
    for _ in range(n):
        boards = mines.swap(shape, m, swaps=swaps, size=t, rng=rng)
        found.append((uniformity.cells(boards).pvalue < 0.01, uniformity.start_region(boards).pvalue < 0.01))
    by_cells, by_start = np.sum(found, axis=0)
    low, high = count_bounds(n, power, 0.02, ALPHA)
    assert low <= by_cells <= high
    assert by_start == n
    assert stats.norm.cdf(math.sqrt(t * each["start_region"]) - stats.norm.isf(0.01)) ** n > 1 - ALPHA


def test_probing_to_the_right_is_seen_by_pairs_and_not_by_cells():
    boards = published.probe_right(*EXPERT, size=BATCH, rng=SEED)
    assert uniformity.cells(boards).pvalue > ALPHA
    result = uniformity.pairs(boards)
    assert SLOW or result.pvalue < ALPHA
    rows, cols = boards.shape[1:]
    where = np.unravel_index(result.residuals.argmax(), result.residuals.shape)
    assert where in [(rows - 1, cols - 2), (rows - 1, cols)]  # one to the right, or to the left
    assert result.residuals.max() > (10 if SLOW else 30)
    assert uniformity.runs(boards).pvalue < ALPHA


def test_repeated_boards_are_seen_by_pairs():
    t = 300 if SLOW else 1000
    boards = mines.floyd(*EXPERT, size=t, rng=SEED)
    assert uniformity.pairs(boards).pvalue > ALPHA
    boards[t - t // 10 :] = boards[: t // 10]
    assert uniformity.cells(boards).pvalue > ALPHA
    assert uniformity.pairs(boards).pvalue < ALPHA


def test_boards_dealt_without_repeats_are_seen_by_the_lower_tail():
    """Every set of mines once."""
    boards = array(plain.all_boards((4, 4), 3), (4, 4))
    result = uniformity.pairs(boards)
    assert result.statistic < 1e-9
    assert result.pvalue < ALPHA
    assert uniformity.subsets(boards).pvalue > 1 - ALPHA


def test_residuals_show_the_start_region():
    result = uniformity.cells(mines.swap(*EXPERT, swaps=200, size=BATCH, rng=SEED))
    assert (result.residuals.ravel()[:99] > 2).all()
    assert result.residuals.ravel()[99:].max() < 2


# ---- streams


def test_count_is_a_histogram():
    boards = mines.collide((9, 9), 10, size=500, rng=SEED)
    result = uniformity.count(boards, 10)
    assert result.residuals.tolist() == np.bincount(boards.sum(axis=(1, 2)), minlength=82).tolist()
    assert result.statistic == 500 - result.residuals[10]
    assert (result.pvalue, result.dof, result.boards, result.n_mines) == (0, 0, 500, 10)
    assert uniformity.count(mines.floyd((9, 9), 10, size=5)).pvalue == 1
    assert uniformity.count(np.ones((3, 2, 2), bool)).n_mines == 4
    assert uniformity.count(np.zeros((3, 2, 2), bool), 1).pvalue == 0


@pytest.mark.parametrize("name", EVERY)
def test_a_stream_gives_what_one_batch_gives(name, monkeypatch):
    """To the last bit, however it is cut, with empty batches, and whatever the size of blocks."""
    shape, m = ((4, 4), 5) if name == "subsets" else BEGINNER
    boards = mines.floyd(shape, m, size=1000, rng=SEED)
    whole = run(name, boards, rng=1)
    rng = np.random.default_rng(SEED)
    for block in (passing.BLOCK, 64 * 81, 1000 * 81):
        monkeypatch.setattr(passing, "BLOCK", block)
        cuts = np.sort(rng.integers(0, 1000, size=9))
        parts = [boards[:0], *np.split(boards, cuts), boards[:0]]
        for stream in (iter(parts), parts, tuple(parts), (part.astype(np.int8) for part in parts)):
            other = run(name, stream, rng=1)
            for field in ("name", "statistic", "dof", "pvalue", "boards", "n_mines", "note"):
                assert getattr(other, field) == getattr(whole, field)
            assert (other.residuals == whole.residuals).all()


def test_report_of_a_stream(monkeypatch):
    if SLOW:
        monkeypatch.setattr(results, "REPLICATES", 9)
    boards = mines.swap((4, 4), 5, swaps=40, size=900, rng=SEED)
    table = uniformity.report(boards, rng=1)
    pd.testing.assert_frame_equal(
        table, uniformity.report((boards[k : k + 7] for k in range(0, 900, 7)), rng=1), check_exact=True
    )
    for name in EVERY:
        row, result = table.set_index("test").loc[name], run(name, boards, rng=1)
        assert (row["statistic"], row["dof"], row["pvalue"]) == (result.statistic, result.dof, result.pvalue)
        assert row["boards"] == result.boards == 900
    assert table["test"].tolist() == ["count", *EVERY]
    assert table["adjusted"][1:].tolist() == plain.holm(table["pvalue"][1:].tolist())


@pytest.mark.parametrize("periodic", [False, True])
def test_a_torus_has_its_own_joins_and_numbers(monkeypatch, periodic):
    if SLOW:
        monkeypatch.setattr(results, "REPLICATES", 9)
    boards = np.zeros((100, 4, 5), bool)
    boards[:, 2, [0, -1]] = True  # neighbours across the seam
    joins = uniformity.joins(boards, periodic=periodic, rng=1)
    assert (joins.statistic > 5) == periodic
    assert uniformity.numbers(boards, periodic=periodic, rng=1).pvalue < ALPHA
    table = uniformity.report(boards, periodic=periodic, rng=1).set_index("test")
    assert table["statistic"]["joins_4"] == joins.statistic
    assert table["statistic"]["numbers"] == uniformity.numbers(boards, periodic=periodic, rng=1).statistic


@pytest.mark.skipif(SLOW, reason="of the compiled program")
def test_memory_does_not_grow_with_the_stream():
    def peak(n_batches):
        tracemalloc.start()
        uniformity.report(mines.floyd(*EXPERT, size=500, rng=k) for k in range(n_batches))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(1)
    assert peak(12) < 1.2 * peak(2) < 60e6


def test_adjusted_pvalues():
    pvalues = np.array([0.01, np.nan, 0.04, 0.03, 0.005, 0.5])
    found = reports._holm(pvalues)
    assert np.isnan(found[1])
    assert np.delete(found, 1).tolist() == plain.holm(np.delete(pvalues, 1).tolist())
    assert np.isnan(reports._holm(np.full(3, np.nan))).all()


def test_random_numbers_are_the_callers():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    boards = mines.floyd((4, 4), 5, size=5, rng=1)
    one, other = (uniformity.report(boards, rng=np.random.default_rng(3)) for _ in range(2))
    pd.testing.assert_frame_equal(one, other)
    assert (one["note"][1:] == results.MONTE_CARLO).sum() >= 6
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


# ---- boards needed


@pytest.mark.parametrize(("swaps", "by_cells", "by_start"), [(100, 2, 1), (500, 18, 2), (1000, 1090, 115)])
def test_boards_needed_to_see_swaps(swaps, by_cells, by_start):
    (shape, m), left = EXPERT, (1 - 2 / 480) ** swaps
    chances = m / 480 * (1 - left) + left * (np.arange(480).reshape(shape) < m)
    table = uniformity.power(chances)
    assert table["boards"].tolist() == [by_cells, by_start]
    assert np.allclose(table["noncentrality"], 479 * left**2)


def test_boards_needed_at_the_ends():
    assert uniformity.power(np.full((4, 4), 0.25))["boards"].tolist() == [np.inf, np.inf]
    assert uniformity.power([[0.2, 0.8]])["boards"][1] == np.inf  # too few mines at the start
    boards = uniformity.power([[1, 0, 0, 0, 0, 0]])["boards"]  # each adds 5
    assert boards[1] == math.ceil((stats.norm.isf(0.01) + stats.norm.isf(0.1)) ** 2 / 5)
    reached = stats.ncx2.sf(stats.chi2.isf(0.01, 5), 5, (np.array([boards[0] - 1, boards[0]]) - 1) * 5)
    assert reached[0] < 0.9 <= reached[1]
    far = uniformity.power([[0.9, 0.6, 0.3, 0.2]], alpha=1e-17)  # each adds 0.75; 1 less alpha is 1
    assert far["needed"][1] == round((stats.norm.isf(1e-17) + stats.norm.isf(0.1)) ** 2 / 0.75) == 127
    fewer, more = (uniformity.power([[0.5, 0.3, 0.2]], power=share)["needed"] for share in (0.5, 0.99))
    assert (fewer < more).all()


@pytest.mark.parametrize(
    ("chances", "options", "message"),
    [
        ([[0.5, 0.7]], {}, "chances must add up to a whole number from 1 to 1, got 1.2"),
        ([[1.0, 1.0]], {}, "from 1 to 1, got 2.0"),
        ([[1.5, -0.5]], {}, "chances must be from 0 to 1, got 1.5"),
        ([[np.nan, 1.0]], {}, "chances must be from 0 to 1, got nan"),
        ([0.5, 0.5], {}, "shape (rows, cols), of at least 2 cells, got (2,)"),
        ([[0.5]], {}, "of at least 2 cells, got (1, 1)"),
        ([[0.5], [0.2, 0.3]], {}, "rows of different lengths"),
        ([["a", "b"]], {}, "chances must be numbers from 0 to 1"),
        ([[0.5, 0.5]], {"power": 1}, "power must be above 0.01 and below 1, got 1"),
        ([[0.5, 0.5]], {"power": 0.01}, "power must be above 0.01"),
        ([[0.5, 0.5]], {"alpha": 0}, "alpha must be above 0 and below 1, got 0"),
        ([[0.5, 0.5]], {"alpha": "small"}, "alpha must be a number"),
    ],
)
def test_power_refuses(chances, options, message):
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        uniformity.power(chances, **options)


# ---- refusals

SOME = np.eye(4, dtype=bool)[None].repeat(3, axis=0)
WRONG = [
    (np.zeros((9, 9), bool), ValueError, "boards must have shape (T, rows, cols), got (9, 9); a single board needs"),
    (np.zeros((2, 3, 9, 9), bool), ValueError, "boards must have shape (T, rows, cols), got (2, 3, 9, 9)"),
    (np.zeros((0, 9, 9), bool), ValueError, "boards must hold at least one board, got none"),
    ([], ValueError, "boards must hold at least one board, got none"),
    (iter([]), ValueError, "boards must hold at least one board, got none"),
    (np.zeros((3, 0, 9), bool), ValueError, "sides of at least 1, got (3, 0, 9)"),
    (np.full((2, 3, 3), 0.5), TypeError, "boards must be a bool array"),
    (np.full((2, 3, 3), np.nan), TypeError, "boards must be a bool array"),
    (np.full((2, 3, 3), 2), ValueError, "boards must hold only 0 and 1, got values from 2 to 2"),
    (np.full((2, 3, 3), "x"), TypeError, "boards must be a bool array"),
    ("boards", TypeError, "boards must be a bool array (T, rows, cols) or an iterable of such arrays, got 'boards'"),
    (None, TypeError, "got None"),
    (7, TypeError, "got 7"),
    (object, TypeError, "or an iterable of such arrays"),
    ({"a": SOME}, TypeError, "or an iterable of such arrays"),
    (
        [SOME, SOME[:, :3]],
        ValueError,
        "batch 1 of boards must have boards of shape (4, 4) like those before, got (3, 4)",
    ),
    (iter([SOME, SOME[0]]), ValueError, "batch 1 of boards must have shape (T, rows, cols), got (4, 4)"),
    (iter([SOME, SOME * 0.5]), TypeError, "batch 1 of boards must be a bool array"),
    ([[[1, 0], [0]]], ValueError, "rows of different lengths"),
]


@pytest.mark.parametrize("name", ["count", "report", *EVERY])
@pytest.mark.parametrize("case", range(len(WRONG)))
def test_boards_of_another_kind_are_refused(name, case):
    boards, error, message = WRONG[case]
    if not isinstance(boards, np.ndarray | list | str | dict | type | int | None):  # an iterator is used once
        boards = iter([[], [SOME, SOME[0]], [SOME, SOME * 0.5]][[4, 16, 17].index(case)])
    f = getattr(uniformity, name, None) or (lambda boards: run(name, boards))
    with pytest.raises(error, match=re.escape(message)):
        f(boards)


@pytest.mark.parametrize("name", EVERY)
def test_a_board_with_another_number_of_mines_is_refused(name):
    boards = mines.floyd((4, 4), 5, size=40, rng=1)
    boards[33, 0, :] = True
    held = boards[33].sum()
    message = f"boards must all have 5 mines, got {held} on board 33: see count"
    for stream in (boards, [boards[:20], boards[20:]]):
        with pytest.raises(ValueError, match=message):
            run(name, stream)
    with pytest.raises(ValueError, match="n_mines must be from 0 to 16 on 4x4 cells, got 17"):
        run(name, boards, n_mines=17)
    with pytest.raises(TypeError, match="n_mines must be an integer"):
        run(name, boards, n_mines=5.0)
    with pytest.raises(TypeError, match="rng must be"):
        run(name, boards, rng="seven")


@pytest.mark.parametrize(
    ("name", "boards", "message"),
    [
        ("cells", SOME[:1], "at least 2 for cells, got 1"),
        ("pairs", SOME[:1], "at least 2 for pairs, got 1"),
        ("subsets", SOME[:1], "at least 2 for subsets, got 1"),
        ("cells", np.zeros((9, 3, 3), bool), "with 0 mines are all the same"),
        ("start_region", np.ones((9, 3, 3), bool), "with 9 mines are all the same"),
        ("joins_4", np.ones((9, 3, 3), bool), "equally many joins_4"),
        ("joins_8", SOME[:, :1], "equally many joins_8"),
        ("joins_4", np.ones((9, 1, 1), bool), "equally many joins_4"),
        ("runs", np.zeros((9, 1, 1), bool), "equally many runs"),
        ("runs", np.array([[[1, 0]]] * 9), "equally many runs"),
        ("numbers", np.zeros((9, 3, 3), bool), "show the same numbers"),
        ("numbers", np.ones((9, 3, 3), bool), "show the same numbers"),
        ("numbers", np.eye(2, dtype=bool)[None], "show the same numbers"),
        ("numbers", SOME[:1], "no two classes with 10 free cells expected"),
        ("pairs", SOME[:, :1], "at least 2 mines and 2 free cells for pairs, got 1 mines on 4 cells"),
        ("pairs", np.zeros((1, 64, 65), bool), "at most 4096 cells for pairs, got 64x65"),
        ("subsets", mines.floyd((9, 9), 10, size=2, rng=1), "at most 1000000 sets of mines"),
        (
            "cells",
            mines.floyd((1000, 1100), 300, size=1, rng=1).repeat(2, axis=0),
            "boards must be at least 50, got 2",
        ),
    ],
)
def test_a_test_that_says_nothing_refuses(name, boards, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        run(name, boards)
    table = uniformity.report(boards, rng=1).set_index("test")
    assert np.isnan(table["pvalue"][name])
    assert message in table["note"][name]
    assert table["pvalue"]["count"] == 1


def test_one_set_of_mines_is_always_the_same():
    result = uniformity.subsets(np.zeros((4, 2, 2), bool))
    assert (result.statistic, result.dof, result.pvalue) == (0, 0, 1)
    assert result.residuals.tolist() == [0]


def test_options_of_another_kind_are_refused():
    for connectivity in (6, "4", [4], None):
        with pytest.raises(ValueError, match=re.escape(f"connectivity must be 4 or 8, got {connectivity!r}")):
            uniformity.joins(SOME, connectivity=connectivity)
    assert uniformity.joins(SOME, connectivity=np.int8(4), rng=1).name == "joins_4"
    with pytest.raises(TypeError, match="periodic must be True or False, got 1"):
        uniformity.numbers(SOME, periodic=1)
    with pytest.raises(ValueError, match="rows of a periodic grid's shape must be at least 3, got 2"):
        uniformity.report(SOME[:, :2], periodic=True)
    with pytest.raises(TypeError, match="rng must be"):
        uniformity.report(SOME, rng=-1.5)


def test_progress_reports_on_more_and_more(monkeypatch):
    if SLOW:
        monkeypatch.setattr(results, "REPLICATES", 9)
    boards = mines.swap((9, 9), 10, swaps=100, size=300, rng=SEED)
    table = uniformity.progress(boards, [30, 300], rng=1)
    rng = np.random.default_rng(1)
    for step in (30, 300):
        part = table[table["boards"] == step].reset_index(drop=True)
        pd.testing.assert_frame_equal(part, uniformity.report(boards[:step], rng=rng))
    with pytest.raises(ValueError, match="each of steps must be from 1 to 300, got 301"):
        uniformity.progress(boards, [301])
    with pytest.raises(ValueError, match="steps must be at least one"):
        uniformity.progress(boards, [])
    with pytest.raises(TypeError, match="boards must be one array"):
        uniformity.progress(iter([boards]), [10])
    for none in (7, None):
        with pytest.raises(TypeError, match=f"steps must be numbers of boards, each from 1 to 300, got {none}"):
            uniformity.progress(boards, none)
    for wrong in ([boards, boards], boards[0], boards[:0]):  # a list of batches is no batch: its first is not one board
        with pytest.raises(ValueError, match=r"boards must have shape \(T, rows, cols\) with T of at least 1, got"):
            uniformity.progress(wrong, [1])
    pd.testing.assert_frame_equal(uniformity.progress(boards.tolist(), [30], rng=1), table[table["boards"] == 30])


def test_what_cannot_be_tested_is_refused_before_the_stream_is_read():
    """The first batch tells that there is nothing to test, or a wrong board in it; the next is not asked for."""

    def stream(first):
        yield first
        raise AssertionError("read on")

    with pytest.raises(ValueError, match="at most 1000000 sets"):
        uniformity.subsets(stream(mines.floyd((9, 9), 10, size=9, rng=1)))
    with pytest.raises(ValueError, match="got 10 on board 0"):
        uniformity.cells(stream(mines.floyd((9, 9), 10, size=9, rng=1)), 9)


@pytest.mark.parametrize("periodic", [False, True])
def test_cells_ahead(periodic):
    """Each pair of neighbours once, the next cell, and never beyond the last."""
    ahead = passing._ahead((3, 4), periodic)
    cells = naive.grid_cells((3, 4))
    near = [frozenset({k, other}) for k, others in enumerate(ahead[:, :4].tolist()) for other in others if other >= 0]
    expected = {
        frozenset({x, cells.index(y)})
        for x, c in enumerate(cells)
        for y in naive.around(c, (3, 4), periodic, naive.ALL_STEPS)
    }
    assert len(near) == len(set(near))
    assert set(near) == expected
    assert ahead[:, 4].tolist() == [*range(1, 12), -1]


def test_a_cell_that_is_never_mined_is_told_and_the_other_cells_are_fair():
    """Boards with a safe first click: fair on the other cells, as boards of one row."""
    safe = mines.opening_mask((9, 9), (4, 4))
    boards = mines.floyd((9, 9), 10, safe=safe, size=1000, rng=SEED)
    table = uniformity.report(boards, rng=SEED).set_index("test")
    assert table.loc["cells", "pvalue"] < ALPHA
    assert "cell (3, 3) is never mined" in table.loc["cells", "note"]
    others = uniformity.report(boards[:, ~safe][:, None], rng=SEED).set_index("test")
    assert others.loc["cells", "note"] == ""
    assert (others["pvalue"].dropna() > ALPHA).all()
    assert uniformity.report(mines.floyd((9, 9), 10, size=1000, rng=SEED)).loc[1, "note"] == ""


def test_a_result_is_short_to_read():
    assert "residuals" not in repr(uniformity.cells(mines.floyd((9, 9), 10, size=100, rng=SEED)))
