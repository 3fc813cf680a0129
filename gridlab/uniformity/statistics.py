"""The tests of uniformity, one by one: a statistic of the sums over boards, and the law that it has for fair boards.

n cells, m mines, p = m/n, T independent boards; N_i of them have a mine in cell i and N_ij in both i and j;
a_k = (m)_k / (n)_k with falling factorials. A board is *fair* if each set of m cells is equally likely.

Cells are not independent: a mine here is one less elsewhere, so that N_i and N_j have the covariance
−T p (1 − p)/(n − 1). A common chi-square test of the N_i forgets that and nearly never rejects.

Three of the statistics are of one kind. Write a fair board's indicator as a sum of parts that are uncorrelated
whatever the numbering of the cells: a constant, what single cells explain (n − 1 dimensions), what pairs
add (n(n − 3)/2), and so on up to all sets. The mean square of a part over T boards is (1/T) Σ K(X_s, X_t),
where K depends only on how many mines two boards share. With s = t it is the number of dimensions, so one board
says nothing; otherwise its mean is 0, its variance that number, and the mean of a product round three boards too.
So the first three moments are exact for every T: mean dof, variance 2 dof (1 − 1/T), and a third that goes to
that of chi-square. P-values are those of the gamma law with these moments, chi-square for large T.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from .. import grid, mines
from . import moments
from . import sums as passing

__all__ = ["Result", "cells", "count", "joins", "numbers", "pairs", "runs", "start_region", "subsets"]

#: Boards drawn again and again for a Monte Carlo p-value, so that it is at least 1/1000.
REPLICATES = 999

#: Cells such draws may have in all; more takes more than seconds.
MONTE_CARLO_CELLS = 2**30

#: A cell of a matrix product in terms of these.
PRODUCT = 1 / 20

#: Boards in which a cell must be expected mined, and free, for the law of `cells`.
EXPECTED_CELLS = 5

#: Expected pairs of equal boards for the law of `subsets`, where fewer than 5 boards a set are expected.
COINCIDENCES = 100

#: Skewness beside that of chi-square up to which the law of `pairs` is trusted.
SKEWNESS = 0.2

#: Variance of a sum of whole numbers from which its law is taken as normal: its steps are a tenth of its deviation.
VARIANCE = 100

#: Expected free cells in a class of `numbers`.
EXPECTED_NUMBERS = 10

#: Boards from which the counts of `numbers` are taken as jointly normal.
BOARDS_NUMBERS = 30


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What a test of uniformity found.

    Parameters
    ----------
    name : str
        The test.
    statistic : float
        Its statistic: chi-square-like, or the standardised deviation z of a mean.
    dof : int
        Degrees of freedom; 1 where the statistic is z, 0 where there are none.
    pvalue : float
        The chance for fair boards of a statistic as extreme.
    residuals : ndarray
        Where fair boards are left, in standard deviations; as the test describes.
    boards : int
        Boards tested.
    n_mines : int
        Mines that each should have.
    note : str
        How the p-value was found, where it is not by the usual law.
    """

    name: str
    statistic: float
    dof: int
    pvalue: float
    residuals: np.ndarray
    boards: int
    n_mines: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Test:
    """A test: the sums it needs, words if it says nothing of such boards, and the judgement of sums."""

    name: str
    parts: tuple
    refusal: Callable
    judge: Callable


def _run(test, boards, n_mines, rng=None, periodic=False):
    """Pass over the boards for one test, and judge."""
    rng = grid.as_rng(rng)
    sums, refused = passing._gather(boards, n_mines, [test], periodic)
    if refused:
        raise ValueError(refused[test])
    if sums.odd is not None and test is not _COUNT:
        raise ValueError(_odd(sums))
    return test.judge(sums, rng)


def _odd(sums):
    """Say which board has another number of mines."""
    board, held = sums.odd
    return f"boards must all have {sums.n_mines} mines, got {held} on board {board}: see count"


def _result(test, sums, statistic, dof, pvalue, residuals, note=""):
    """Wrap up a judgement."""
    return Result(test, float(statistic), int(dof), float(pvalue), residuals, sums.boards, sums.n_mines, note)


def _monte_carlo(sums, statistic, seen, rng, enough, cost=1.0):
    """Return the shares of batches of as many fair boards with a statistic as low, and as high, the boards' included.

    `statistic` takes boards, and `seen` is what it was; `enough` says what would make this needless.
    """
    if REPLICATES * sums.boards * sums.n_cells * cost > MONTE_CARLO_CELLS:
        raise ValueError(f"boards must be {enough}, got {sums.boards}: too few for the law, too large to draw again")
    slack = 1e-9 * max(1.0, abs(seen))  # equal but for rounding
    low = high = 1
    at_once = max(1, passing.BLOCK // (sums.boards * sums.n_cells))
    for first in range(0, REPLICATES, at_once):
        batches = min(at_once, REPLICATES - first)
        boards = mines.floyd(sums.shape, sums.n_mines, size=batches * sums.boards, rng=rng)
        for batch in boards.reshape(batches, sums.boards, *sums.shape):
            other = statistic(batch)
            low += other <= seen + slack
            high += other >= seen - slack
    return low / (1 + REPLICATES), high / (1 + REPLICATES)


def _of_boards(sums, parts, statistic):
    """Return a function of boards from one of the sums over them."""
    fresh = passing._Sums(sums.shape, sums.n_mines, parts, sums.periodic)

    def of_boards(boards):
        fresh.clear()
        fresh.add(boards)
        return statistic(fresh)

    return of_boards


def _redrawn(sums, parts, statistic, rng, enough):
    """Return the upper tail of a statistic of sums by Monte Carlo, and a note."""
    return _monte_carlo(sums, _of_boards(sums, parts, statistic), statistic(sums), rng, enough)[1], MONTE_CARLO


MONTE_CARLO = f"Monte Carlo, {REPLICATES} replicates"


def _two_sided(low, high):
    return min(1.0, 2 * min(low, high))


def _no_cells(shape, n_mines, periodic):
    """Say why boards without mines, or full of them, are all alike."""
    if n_mines in (0, shape[0] * shape[1]):
        return f"boards of {shape[0]}x{shape[1]} cells with {n_mines} mines are all the same: there is nothing to test"
    return None


def _standardised(counts, boards, chance):
    """Return deviations of counts of boards from their mean, in standard deviations, 0 where nothing varies."""
    variance = boards * chance * (1 - chance)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(variance > 0, (counts - boards * chance) / np.sqrt(variance), 0.0)


def _deviation(total, boards, mean, variance):
    """Return the standardised deviation of a sum over boards; the difference is exact."""
    return float(total - boards * mean) / math.sqrt(boards * variance)


def _normal(sums, parts, statistic, variance, rng, two_sided=True):
    """Return the p-value of a standardised sum over boards of a whole number with that variance, and a note."""
    if sums.boards * variance >= VARIANCE:
        z = statistic(sums)
        return float(special.ndtr(-abs(z)) * 2 if two_sided else special.ndtr(-z)), ""
    enough = f"at least {math.ceil(VARIANCE / variance)}"
    far = (lambda s: abs(statistic(s))) if two_sided else statistic
    return _redrawn(sums, parts, far, rng, enough)


# ---- count


def count(boards, n_mines=None):
    """Test whether every board has the number of mines it should.

    Parameters
    ----------
    boards : array_like of bool, shape (T, rows, cols), or iterable of such arrays
        The boards, in one batch or as a stream of batches of any lengths. Integers 0 and 1 are taken too.
    n_mines : int, optional
        Mines each should have; by default as many as the first has.

    Returns
    -------
    Result
        `statistic` is the number of boards with another number of mines. `pvalue` is 1 if there are none, else 0.
        `residuals` is the histogram: how many boards have 0, 1, …, n mines.

    Raises
    ------
    TypeError, ValueError
        If `boards` are no such arrays, differ in shape, or there are none, or `n_mines` is out of its range.

    Notes
    -----
    Memory beside the boards is 8 bytes a cell.

    Examples
    --------
    >>> result = count([[[1, 0]], [[0, 1]], [[1, 1]]])
    >>> result.pvalue, result.residuals
    (0.0, array([0, 2, 1]))
    """
    return _run(_COUNT, boards, n_mines)


def _judge_count(sums, rng):
    others = sums.boards - sums.counts[sums.n_mines]
    return _result("count", sums, others, 0, float(others == 0), sums.counts)


_COUNT = _Test("count", (), lambda shape, n_mines, periodic: None, _judge_count)


# ---- cells


def cells(boards, n_mines=None, *, rng=None):
    """Test whether every cell is mined equally often: Cochran's Q.

    Q = Σ (N_i − T p)² / [T m (n − m) / (n (n − 1))], chi-square with n − 1 degrees of freedom for fair boards.

    Parameters
    ----------
    boards, n_mines
        As in `count`. All boards must have `n_mines` mines.
    rng : `numpy.random.Generator` or seed, optional
        For a Monte Carlo p-value, where boards are few.

    Returns
    -------
    Result
        `residuals`, shape (rows, cols), are (N_i − T p) / √(T p (1 − p)).

    Raises
    ------
    TypeError, ValueError
        As in `count`; also if a board has another number of mines, if boards are all alike since they have no mine or
        no free cell, or for a single board: on each Q is n − 1.

    Notes
    -----
    The p-value is by the gamma law with the exact mean n − 1, variance 2 (n − 1)(1 − 1/T) and third moment of Q.
    Where a cell is expected mined, or free, in fewer than 5 boards, it is by Monte Carlo: the share of 999 batches of
    as many fair boards, and of the boards themselves, whose Q is as high. So it is at least 0.001; it takes a
    few seconds at most, and is refused where it would draw more than 2**30 cells.

    `scipy.stats.chisquare` of the counts is Q (n − m)/(n − 1): with many mines it nearly never rejects.

    References
    ----------
    .. [1] W. G. Cochran, "The comparison of percentages in matched samples", Biometrika 37 (1950), 256-266.

    Examples
    --------
    >>> from gridlab import mines
    >>> result = cells(mines.swap((16, 30), 99, swaps=300, size=200, rng=1))
    >>> result.dof, result.pvalue < 1e-6, result.residuals.shape
    (479, True, (16, 30))
    """
    return _run(_CELLS, boards, n_mines, rng)


def _cells_statistic(sums):
    n, m, t = sums.n_cells, sums.n_mines, sums.boards
    return float(((sums.cells - t * m / n) ** 2).sum()) / (t * moments._cells_scale(n, m))


def _cells_map(sums):
    return _standardised(sums.cells, sums.boards, sums.n_mines / sums.n_cells).reshape(sums.shape)


def _judge_cells(sums, rng):
    n, m, t = sums.n_cells, sums.n_mines, sums.boards
    if t < 2:
        raise ValueError("boards must be at least 2 for cells, got 1: its statistic is the same for each")
    statistic, note = _cells_statistic(sums), ""
    enough = math.ceil(EXPECTED_CELLS * n / min(m, n - m))
    if t >= enough:
        pvalue = moments._quadratic_tails(statistic, n - 1, t, moments._cells_third(n, m))[1]
    else:
        pvalue, note = _redrawn(sums, {"cells"}, _cells_statistic, rng, f"at least {enough}")
    return _result("cells", sums, statistic, n - 1, pvalue, _cells_map(sums), note)


_CELLS = _Test("cells", ("cells",), _no_cells, _judge_cells)


# ---- pairs


def pairs(boards, n_mines=None, *, rng=None):
    """Test whether every pair of cells is mined together equally often, given how often each cell is.

    With D_ij = N_ij − T a_2, R_i = Σ_j D_ij, E_ij = D_ij − (R_i + R_j)/(n − 2) and
    θ = m (m − 1)(n − m)(n − m − 1)/(n)_4 it is Q_2 = Σ_{i<j} E_ij² / (T θ), for fair boards
    chi-square with n (n − 3)/2 degrees of freedom and uncorrelated with Cochran's Q.

    Parameters
    ----------
    boards, n_mines, rng
        As in `cells`. A board has at most 4096 cells, at least 2 of them mined and 2 free.

    Returns
    -------
    Result
        `pvalue` is two-sided, twice the smaller tail: repeated boards make Q_2 large, boards dealt without repeats
        make it small. `residuals`, shape (2 rows − 1, 2 cols − 1), are by displacement: at [rows − 1 + i, cols − 1 + j]
        the sum of E over all pairs of cells i rows and j columns apart, over its standard deviation; the middle is 0
        and the map is the same turned by half. That deviation is √(T θ) ‖P x‖, with x the indicator of those pairs and
        P the projection on the space of E.

    Raises
    ------
    TypeError, ValueError
        As in `cells`, and for larger boards or fewer mines or free cells.

    Notes
    -----
    The p-value is by the gamma law with the exact mean, variance n (n − 3)(1 − 1/T) and third moment. Where that is
    skewed by more than 0.2 beyond chi-square (20 expert boards; more where mines are few), it is by Monte Carlo as
    in `cells`.

    Memory is about 30 bytes for each pair (i, j): 7 MB for an expert board, 0.5 GB for 4096 cells. The pairs are
    counted by a matrix product, in O(n²) a board: 5 µs for an expert board.

    Examples
    --------
    >>> from gridlab import mines
    >>> boards = mines.floyd((9, 9), 10, size=1000, rng=0)
    >>> boards[900:] = boards[:100]
    >>> pairs(boards).pvalue < 1e-6, cells(boards).pvalue > 0.01
    (True, True)
    """
    return _run(_PAIRS, boards, n_mines, rng)


def _no_pairs(shape, n_mines, periodic):
    n = shape[0] * shape[1]
    if n > passing.LARGEST_PAIRS:
        return (
            f"boards must have at most {passing.LARGEST_PAIRS} cells for pairs, got {shape[0]}x{shape[1]}: "
            "memory grows with the square of the cells; test a part of each board with cells, joins and numbers"
        )
    if not 2 <= n_mines <= n - 2:
        return f"boards must have at least 2 mines and 2 free cells for pairs, got {n_mines} mines on {n} cells"
    return None


def _excess(sums):
    """Return E_ij for all pairs of cells, 0 on the diagonal."""
    n, m, t = sums.n_cells, sums.n_mines, sums.boards
    row = (m - 1) * (np.diagonal(sums.pairs) - t * m / n) / (n - 2)  # R_i / (n − 2)
    excess = sums.pairs - t * (m * (m - 1) / (n * (n - 1)))
    excess -= row
    excess -= row[:, None]
    np.fill_diagonal(excess, 0.0)
    return excess


def _pairs_statistic(sums):
    flat = _excess(sums).ravel()
    return float(flat @ flat) / (2 * sums.boards * moments._pairs_scale(sums.n_cells, sums.n_mines))


def _pairs_of_boards(boards):
    """Return the same from how many mines any two boards share."""
    flat = boards.reshape(len(boards), -1).astype(np.float32)
    shared = (flat @ flat.T).astype(float)
    return float(moments._pairs_kernel(shared, flat.shape[1], int(shared[0, 0])).sum()) / len(flat)


def _judge_pairs(sums, rng):
    n, m, t = sums.n_cells, sums.n_mines, sums.boards
    if t < 2:
        raise ValueError("boards must be at least 2 for pairs, got 1: its statistic is the same for each")
    statistic, dof, note = _pairs_statistic(sums), n * (n - 3) // 2, ""
    third = moments._pairs_third(n, m)
    if moments._skewness(dof, t, third) <= SKEWNESS:
        tails = moments._quadratic_tails(statistic, dof, t, third)
    else:
        enough = f"at least {math.ceil(moments._skewness(dof, 1, third) / SKEWNESS)}"
        # of few boards faster by what they share with each other
        of_boards = _pairs_of_boards if t < n else _of_boards(sums, {"pairs"}, _pairs_statistic)
        tails, note = _monte_carlo(sums, of_boards, statistic, rng, enough, 1 + PRODUCT * min(t, n)), MONTE_CARLO
    return _result("pairs", sums, statistic, dof, _two_sided(*tails), _pairs_map(sums), note)


def _pairs_map(sums):
    """Return the standardised sums of E by displacement."""
    rows, cols = sums.shape
    n, t = sums.n_cells, sums.boards
    excess = _excess(sums).reshape(n, rows, cols)
    total = np.zeros((2 * rows - 1, 2 * cols - 1))
    for cell in range(n):
        row, col = divmod(cell, cols)
        total[rows - 1 - row : 2 * rows - 1 - row, cols - 1 - col : 2 * cols - 1 - col] += excess[cell]
    total = (total + total[::-1, ::-1]) / 2  # the same but for rounding
    norm = moments._displacement_norms(sums.shape)
    scale = np.sqrt(t * moments._pairs_scale(n, sums.n_mines) * norm)
    return np.divide(total, scale, out=np.zeros_like(total), where=norm > 0)


_PAIRS = _Test("pairs", ("pairs",), _no_pairs, _judge_pairs)


# ---- subsets


def subsets(boards, n_mines=None, *, rng=None):
    """Test whether every set of mines is equally frequent: Pearson's chi-square over all C(n, m) of them.

    Parameters
    ----------
    boards, n_mines, rng
        As in `cells`. There are at most a million sets.

    Returns
    -------
    Result
        `residuals`, shape (C(n, m),), are (N − T/K) / √(T/K (1 − 1/K)) for the N boards with one of the K sets, in
        colexicographic order: by the number whose binary digit i is 1 where cell i is mined, or, where more than half
        of the cells are mined, where it is free.

    Raises
    ------
    TypeError, ValueError
        As in `cells`, and if there are more than a million sets.

    Notes
    -----
    The p-value is by the gamma law with the exact first three moments, where at least 5 boards are expected of each
    set, or at least 100 pairs of boards are expected to be equal. With fewer it is by Monte Carlo as in `cells`.

    Examples
    --------
    >>> from gridlab import mines
    >>> result = subsets(mines.floyd((2, 3), 2, size=600, rng=1))
    >>> result.dof, result.pvalue > 0.001
    (14, True)
    """
    return _run(_SUBSETS, boards, n_mines, rng)


def _no_subsets(shape, n_mines, periodic):
    n = shape[0] * shape[1]
    if passing._n_sets(n, n_mines) > passing.LARGEST_SUBSETS:
        return (
            f"boards must have at most {passing.LARGEST_SUBSETS} sets of mines for subsets, "
            f"got more: {n_mines} mines on {n} cells"
        )
    return None


def _subsets_statistic(sums):
    n_sets, t = len(sums.subsets), sums.boards
    return n_sets / t * float((sums.subsets**2).sum()) - t


def _judge_subsets(sums, rng):
    n_sets, t = len(sums.subsets), sums.boards
    residuals = _standardised(sums.subsets, t, 1 / n_sets)
    if n_sets == 1:
        return _result("subsets", sums, 0.0, 0, 1.0, residuals, "there is one set only")
    statistic, note = _subsets_statistic(sums), ""
    enough = min(5 * n_sets, math.ceil(math.sqrt(2 * COINCIDENCES * n_sets)) + 1)
    if t < 2:
        raise ValueError("boards must be at least 2 for subsets, got 1: its statistic is the same for each")
    if t >= enough:
        pvalue = moments._quadratic_tails(statistic, n_sets - 1, t, moments._subsets_third(n_sets))[1]
    else:
        pvalue, note = _redrawn(sums, {"subsets"}, _subsets_statistic, rng, f"at least {enough}")
    return _result("subsets", sums, statistic, n_sets - 1, pvalue, residuals, note)


_SUBSETS = _Test("subsets", ("subsets",), _no_subsets, _judge_subsets)


# ---- joins and runs


def joins(boards, n_mines=None, *, connectivity=4, periodic=False, rng=None):
    """Test whether neighbouring cells are mined together as often as they should be.

    With E pairs of neighbours and 2L = Σ d_i (d_i − 1) for cells with d_i of them, the mined pairs of a fair
    board have mean E a_2 and variance E a_2 + 2L a_3 + (E² − E − 2L) a_4 − (E a_2)². The statistic is the
    standardised sum over the boards, z, two-sided.

    Parameters
    ----------
    boards, n_mines, rng
        As in `cells`.
    connectivity : {4, 8}
        Neighbours share an edge, or also a corner.
    periodic : bool
        Whether opposite sides of the grid are joined.

    Returns
    -------
    Result
        `residuals`, shape (rows, cols), are those of the mined pairs that a cell is in.

    Raises
    ------
    TypeError, ValueError
        As in `cells`, and where all boards have as many mined pairs.

    Notes
    -----
    Where the sum has a variance below 100, z is too coarse for the normal law, and the p-value is by Monte Carlo as
    in `cells`. Above, p-values still come in steps, of up to 0.8 over the sum's standard deviation.

    References
    ----------
    .. [1] P. A. P. Moran, "The interpretation of statistical maps", J. R. Stat. Soc. B 10 (1948), 243-251.

    Examples
    --------
    >>> import numpy as np
    >>> from gridlab import mines
    >>> in_rows = np.sort(mines.floyd((9, 9), 20, size=100, rng=1), axis=2)
    >>> joins(in_rows).statistic > 10
    True
    """
    return _run(_joins_test(connectivity), boards, n_mines, rng, periodic)


@functools.cache
def _joins_test(connectivity):
    """Return the test for this kind of neighbours."""
    if connectivity not in (4, 8):
        raise ValueError(f"connectivity must be 4 or 8, got {connectivity!r}")
    name = f"joins_{connectivity:d}"
    step = 8 // connectivity  # edges only: every second direction

    def ready(shape, n_mines, periodic):
        degrees = moments._degrees(shape, connectivity, periodic)
        return degrees, *moments._joins_moments(degrees.ravel(), shape[0] * shape[1], n_mines)

    def refusal(shape, n_mines, periodic):
        if ready(shape, n_mines, periodic)[2] == 0:
            return f"all boards of {shape[0]}x{shape[1]} cells with {n_mines} mines have equally many {name}"
        return None

    def judge(sums, rng):
        degrees, mean, variance = ready(sums.shape, sums.n_mines, sums.periodic)

        def statistic(sums):
            return _deviation(int(sums.joint[:, :4:step].sum()), sums.boards, mean, variance)

        pvalue, note = _normal(sums, {"joint"}, statistic, variance, rng)
        return _result(name, sums, statistic(sums), 1, pvalue, _joins_map(sums, degrees, step), note)

    return _Test(name, ("joint",), refusal, judge)


def _joins_map(sums, degrees, step):
    """Return the standardised numbers of boards and mined neighbours with which each cell is mined."""
    near, joint = sums.ahead[:, :4:step], sums.joint[:, :4:step]
    inside = near >= 0
    total = joint.sum(axis=1) + np.bincount(near[inside], joint[inside], minlength=sums.n_cells)
    a_2, a_3 = (float(moments._chance(sums.n_cells, sums.n_mines, k)) for k in (2, 3))
    d = degrees.ravel()
    variance = sums.boards * (d * a_2 + d * (d - 1) * a_3 - (d * a_2) ** 2)
    excess = total - sums.boards * d * a_2
    scale = np.sqrt(np.maximum(variance, 0))
    return np.divide(excess, scale, out=np.zeros(len(d)), where=variance > 1e-12 * sums.boards).reshape(sums.shape)


def runs(boards, n_mines=None, *, rng=None):
    """Test the number of runs of mined and of free cells in row-major order.

    For a fair board it has mean 2 m (n − m)/n + 1 and variance 2 m (n − m)(2 m (n − m) − n)/(n² (n − 1)). The
    statistic is the standardised sum over the boards, z, two-sided.

    Parameters
    ----------
    boards, n_mines, rng
        As in `cells`.

    Returns
    -------
    Result
        `residuals`, shape (rows, cols), are those of the boards in which a run begins at the cell; 0 for the first
        cell, where one always does.

    Raises
    ------
    TypeError, ValueError
        As in `cells`, and where all boards have as many runs.

    Notes
    -----
    Where the sum has a variance below 100, the p-value is by Monte Carlo as in `joins`.

    References
    ----------
    .. [1] A. Wald and J. Wolfowitz, "On a test whether two samples are from the same population",
       Ann. Math. Stat. 11 (1940), 147-162.

    Examples
    --------
    >>> import numpy as np
    >>> checkers = np.indices((4, 4)).sum(axis=0) % 2 == 1
    >>> runs([checkers] * 40).pvalue < 1e-6
    True
    """
    return _run(_RUNS, boards, n_mines, rng)


def _no_runs(shape, n_mines, periodic):
    n = shape[0] * shape[1]
    if n < 2 or moments._runs_moments(n, n_mines)[1] == 0:
        return f"all boards of {shape[0]}x{shape[1]} cells with {n_mines} mines have equally many runs"
    return None


def _changes(sums):
    """Return in how many boards each cell but the first differs from the one before."""
    return sums.cells[:-1] + sums.cells[1:] - 2 * sums.joint[:-1, 4]


def _runs_statistic(sums):
    total = sums.boards + int(_changes(sums).sum())
    return _deviation(total, sums.boards, *moments._runs_moments(sums.n_cells, sums.n_mines))


def _judge_runs(sums, rng):
    variance = moments._runs_moments(sums.n_cells, sums.n_mines)[1]
    pvalue, note = _normal(sums, {"cells", "joint"}, _runs_statistic, variance, rng)
    return _result("runs", sums, _runs_statistic(sums), 1, pvalue, _runs_map(sums), note)


def _runs_map(sums):
    """Return the standardised numbers of boards in which a run begins at each cell."""
    n, m = sums.n_cells, sums.n_mines
    begins = _standardised(_changes(sums), sums.boards, 2 * m * (n - m) / (n * (n - 1)))
    return np.concatenate([[0.0], begins]).reshape(sums.shape)


_RUNS = _Test("runs", ("cells", "joint"), _no_runs, _judge_runs)


# ---- numbers


def numbers(boards, n_mines=None, *, periodic=False, rng=None):
    """Test how often each number is shown.

    A free cell with d neighbours shows a hypergeometric number, of n − 1 cells with m mines d drawn. Cells of a board
    depend on each other, so Pearson's chi-square of the counts rejects too often. The statistic is Wald's: the
    deviations of the nine counts from their means, weighed by the inverse of their exact covariance.

    Parameters
    ----------
    boards, n_mines, rng
        As in `cells`.
    periodic : bool
        Whether opposite sides of the grid are joined.

    Returns
    -------
    Result
        `dof` is the rank of the covariance of the classes that were compared. `residuals`, shape (9,), are those of the
        counts of free cells that show 0 to 8, over all boards; 0 for a count that does not vary.

    Raises
    ------
    TypeError, ValueError
        As in `cells`, and where fewer than two classes are left to compare.

    Notes
    -----
    From 8 downwards, numbers are put into one class until 10 free cells are expected of it. For fewer than 30 boards
    the p-value is by Monte Carlo as in `cells`.

    The covariance is a sum over pairs of free cells, whose numbers follow a multivariate hypergeometric law that
    depends on how many neighbours only the first has, only the second, and both; it is worked out exactly, in 30 ms
    for any size of board, and kept.

    Examples
    --------
    >>> from gridlab import mines
    >>> result = numbers(mines.floyd((9, 9), 10, size=1000, rng=1))
    >>> result.residuals.shape, result.pvalue > 0.001
    ((9,), True)
    """
    return _run(_NUMBERS, boards, n_mines, rng, periodic)


def _classes(sums):
    """Put numbers into classes of enough expected cells, from 8 downwards, as a 0/1 matrix (classes, 9)."""
    mean, _ = moments._numbers_floats(sums.shape, sums.n_mines, sums.periodic)
    classes, held = [], 0.0
    for k in range(8, -1, -1):
        if held == 0.0:
            classes.append(np.zeros(9))
        classes[-1][k] = 1
        held += mean[k] * sums.boards
        if held >= EXPECTED_NUMBERS:
            held = 0.0
    if held:  # too few are left: they join the class above
        last = classes.pop()
        classes = [*classes[:-1], classes[-1] + last] if classes else [last]
    return np.array([row for row in classes if row @ mean > 0])


def _numbers_statistic(sums):
    """Return Wald's statistic and the rank of the covariance of the classes."""
    mean, covariance = moments._numbers_floats(sums.shape, sums.n_mines, sums.periodic)
    classes = _classes(sums)
    deviation = classes @ (sums.numbers - sums.boards * mean)
    values, axes = np.linalg.eigh(sums.boards * classes @ covariance @ classes.T)
    kept = values > 1e-9 * max(values.max(), 1e-300)
    return float(((axes[:, kept].T @ deviation) ** 2 / values[kept]).sum()), int(kept.sum())


def _judge_numbers(sums, rng):
    t = sums.boards
    statistic, dof = _numbers_statistic(sums)
    if len(_classes(sums)) < 2 or dof == 0:
        raise ValueError(
            f"boards must be more for numbers, got {t}: no two classes with {EXPECTED_NUMBERS} free cells expected"
        )
    if t >= BOARDS_NUMBERS:
        pvalue, note = float(special.chdtrc(dof, statistic)), ""
    else:
        enough = f"at least {BOARDS_NUMBERS}"
        pvalue, note = _redrawn(sums, {"numbers"}, lambda sums: _numbers_statistic(sums)[0], rng, enough)
    return _result("numbers", sums, statistic, dof, pvalue, _numbers_residuals(sums), note)


def _numbers_residuals(sums):
    """Return the standardised counts of free cells by number."""
    mean, covariance = moments._numbers_floats(sums.shape, sums.n_mines, sums.periodic)
    variance = sums.boards * np.diagonal(covariance)
    return np.divide(sums.numbers - sums.boards * mean, np.sqrt(variance), out=np.zeros(9), where=variance > 0)


def _no_numbers(shape, n_mines, periodic):
    if not np.any(moments._numbers_floats(shape, n_mines, periodic)[1]):
        return f"all boards of {shape[0]}x{shape[1]} cells with {n_mines} mines show the same numbers"
    return None


_NUMBERS = _Test("numbers", ("numbers",), _no_numbers, _judge_numbers)


# ---- start region


def start_region(boards, n_mines=None, *, rng=None):
    """Test whether too many mines are among the first m cells, where too few swaps leave them.

    H of them have mean m²/n and variance m² (n − m)²/(n² (n − 1)) on a fair board. The statistic is the standardised
    sum over the boards, z, and one-sided: this is the most powerful test for mines laid first and then swapped.

    Parameters
    ----------
    boards, n_mines, rng
        As in `cells`.

    Returns
    -------
    Result
        `pvalue` is the chance of as many mines there or more; near 1 says that there are too few. `residuals`,
        shape (rows, cols), are those of `cells`.

    Raises
    ------
    TypeError, ValueError
        As in `cells`.

    Notes
    -----
    Where the sum has a variance below 100, the p-value is by Monte Carlo as in `joins`.

    Examples
    --------
    >>> from gridlab import mines
    >>> start_region(mines.swap((16, 30), 99, swaps=800, size=300, rng=1)).pvalue < 1e-6
    True
    """
    return _run(_START, boards, n_mines, rng)


def _start_statistic(sums):
    total = int(sums.cells[: sums.n_mines].sum())
    return _deviation(total, sums.boards, *moments._start_moments(sums.n_cells, sums.n_mines))


def _judge_start(sums, rng):
    variance = moments._start_moments(sums.n_cells, sums.n_mines)[1]
    pvalue, note = _normal(sums, {"cells"}, _start_statistic, variance, rng, two_sided=False)
    return _result("start_region", sums, _start_statistic(sums), 1, pvalue, _cells_map(sums), note)


_START = _Test("start_region", ("cells",), _no_cells, _judge_start)
