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

from gridlab import grid, mines, published, uniformity
from gridlab.uniformity import moments, reports, statistics
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
        "cells": statistics._CELLS,
        "pairs": statistics._PAIRS,
        "subsets": statistics._SUBSETS,
        "runs": statistics._RUNS,
        "numbers": statistics._NUMBERS,
        "start_region": statistics._START,
    }
    return judges[name] if name in judges else statistics._joins_test(int(name[-1]))


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
        assert statistics._cells_statistic(sums) == pytest.approx(float(plain.cochran(boards, shape)), rel=1e-9)
        assert statistics._subsets_statistic(sums) == pytest.approx(float(plain.subsets(boards, shape)), rel=1e-9)
        assert statistics._pairs_statistic(sums) == pytest.approx(float(plain.pairs(boards, shape)), rel=1e-9)
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
        assert t + statistics._changes(sums).sum() == sum(plain.runs(board, shape) for board in boards)
        assert sums.cells[:m].sum() == sum(plain.start(board, shape) for board in boards)


@pytest.mark.parametrize(("shape", "m"), [((3, 4), 3), ((2, 5), 5), ((1, 6), 2), ((4, 3), 9)])
def test_residuals_of_pairs_by_definition(shape, m):
    (rows, cols), boards = shape, plain.all_boards(shape, m)[:7]
    found = statistics._pairs_map(gathered(array(boards, shape), m))
    assert (found == found[::-1, ::-1]).all()
    found *= np.sqrt(7 * float(plain.theta(shape, m)) * moments._displacement_norms(shape))
    for (row, col), value in plain.displacements(boards, shape).items():
        assert found[rows - 1 + row, cols - 1 + col] == pytest.approx(float(value), abs=1e-9)


@pytest.mark.parametrize(("shape", "m", "periodic"), GRIDS)
def test_residuals_are_standardised(shape, m, periodic):
    """Over all boards, each alone, every residual has mean 0 and variance 1, or is 0 where nothing can vary."""
    degrees = {c: moments._degrees(shape, c, periodic) for c in (4, 8)}
    maps = {
        "cells": statistics._cells_map,
        "pairs": statistics._pairs_map,
        "joins_4": lambda sums: statistics._joins_map(sums, degrees[4], 2),
        "joins_8": lambda sums: statistics._joins_map(sums, degrees[8], 1),
        "runs": statistics._runs_map,
        "numbers": statistics._numbers_residuals,
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
            assert varies.any() == (statistics._no_numbers(shape, m, periodic) is None)
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
CASES += [("start_region", *BEGINNER), ("start_region", *EXPERT)]


@pytest.mark.parametrize(("name", "shape", "m"), CASES)
def test_the_normal_law_holds_from_where_it_is_used(name, shape, m):
    """By the exact law of the sum. At its worst, just where Monte Carlo ends, the size of a test at 5 % is 5 % ± 1 %."""
    law, mean, variance = of_one_board(name, shape, m)
    for factor in (1, 1.3, 1.7, 4, 10):
        t = math.ceil(factor * statistics.VARIANCE / variance)
        chances = lattice(law, t)
        z = (np.arange(len(chances)) - t * mean) / math.sqrt(t * variance)
        pvalues = stats.norm.sf(z) if name == "start_region" else 2 * stats.norm.sf(abs(z))
        assert chances[pvalues <= 0.05].sum() == pytest.approx(0.05, abs=0.01)
        assert chances[pvalues <= 0.01].sum() == pytest.approx(0.01, abs=0.004)
