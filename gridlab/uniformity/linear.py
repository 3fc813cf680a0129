"""Tests of what is counted on each board: its mines, mined neighbours, runs, numbers, mines where they were laid first.

The sum over boards is about normal; the mean and the variance on one board are exact.
"""

import functools
import math

import numpy as np
import scipy  # its modules load on first use

from . import moments, results

__all__ = ["count", "joins", "numbers", "runs", "start_region"]

#: Expected free cells in a class of `numbers`.
EXPECTED_NUMBERS = 10

#: Cells of all boards from which the counts of `numbers` are taken as jointly normal.
CELLS_NUMBERS = 1000

#: And m²/n of all boards: with fewer mines hardly any two share a neighbour, and what they show comes in few clumps.
SPARSE_NUMBERS = 10


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
    return results._run(_COUNT, boards, n_mines)


def _judge_count(sums, rng):
    others = sums.boards - sums.counts[sums.n_mines]
    return results._result("count", sums, others, 0, float(others == 0), sums.counts)


_COUNT = results._Test("count", (), lambda shape, n_mines, periodic: None, _judge_count)


# ---- sums that are normal


def _deviation(total, boards, mean, variance):
    """Return the standardised deviation of a sum over boards; the difference is exact."""
    return float(total - boards * mean) / math.sqrt(boards * variance)


def _normal(sums, parts, statistic, variance, rng):
    """Return the p-value of a standardised sum over boards of a whole number with that variance, and a note."""
    if sums.boards * variance >= results.VARIANCE:
        return float(scipy.special.ndtr(-abs(statistic(sums))) * 2), ""
    return results._redrawn(sums, parts, lambda sums: abs(statistic(sums)), rng, _enough(variance))


def _enough(variance):
    """Say how many boards make the sum over them, each of this variance, continuous enough."""
    return f"at least {math.ceil(results.VARIANCE / variance)}"


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
    if connectivity not in (4, 8):
        raise ValueError(f"connectivity must be 4 or 8, got {connectivity!r}")
    return results._run(_joins_test(int(connectivity)), boards, n_mines, rng, periodic)


@functools.cache
def _joins_test(connectivity):
    """Return the test for this kind of neighbours."""
    name = f"joins_{connectivity}"
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
        return results._result(name, sums, statistic(sums), 1, pvalue, _joins_map(sums, degrees, step), note)

    return results._Test(name, ("joint",), refusal, judge)


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
    return results._run(_RUNS, boards, n_mines, rng)


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
    return results._result("runs", sums, _runs_statistic(sums), 1, pvalue, _runs_map(sums), note)


def _runs_map(sums):
    """Return the standardised numbers of boards in which a run begins at each cell."""
    n, m = sums.n_cells, sums.n_mines
    begins = results._standardised(_changes(sums), sums.boards, 2 * m * (n - m) / (n * (n - 1)))
    return np.concatenate([[0.0], begins]).reshape(sums.shape)


_RUNS = results._Test("runs", ("cells", "joint"), _no_runs, _judge_runs)


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
    From 8 downwards, numbers are put into one class until 10 free cells are expected of it. For T boards of fewer than
    1000 cells in all, or so few mines that T m²/n is below 10, the p-value is by Monte Carlo as in `cells`, elsewhere
    by chi-square.

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
    return results._run(_NUMBERS, boards, n_mines, rng, periodic)


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
    n, m = sums.n_cells, sums.n_mines
    enough = math.ceil(max(CELLS_NUMBERS / n, SPARSE_NUMBERS * n / m**2))
    if t >= enough:
        pvalue, note = float(scipy.special.chdtrc(dof, statistic)), ""
    else:
        of_sums, words = (lambda sums: _numbers_statistic(sums)[0]), f"at least {enough}"
        pvalue, note = results._redrawn(sums, {"numbers"}, of_sums, rng, words)
    return results._result("numbers", sums, statistic, dof, pvalue, _numbers_residuals(sums), note)


def _numbers_residuals(sums):
    """Return the standardised counts of free cells by number."""
    mean, covariance = moments._numbers_floats(sums.shape, sums.n_mines, sums.periodic)
    variance = sums.boards * np.diagonal(covariance)
    return np.divide(sums.numbers - sums.boards * mean, np.sqrt(variance), out=np.zeros(9), where=variance > 0)


def _no_numbers(shape, n_mines, periodic):
    if not np.any(moments._numbers_floats(shape, n_mines, periodic)[1]):
        return f"all boards of {shape[0]}x{shape[1]} cells with {n_mines} mines show the same numbers"
    return None


_NUMBERS = results._Test("numbers", ("numbers",), _no_numbers, _judge_numbers)


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
    The p-value is by the gamma law with the exact mean, variance and third moment of the sum; where it has a variance
    below 100, by Monte Carlo as in `joins`.

    Examples
    --------
    >>> from gridlab import mines
    >>> start_region(mines.swap((16, 30), 99, swaps=800, size=300, rng=1)).pvalue < 1e-6
    True
    """
    return results._run(_START, boards, n_mines, rng)


def _start_statistic(sums):
    total = int(sums.cells[: sums.n_mines].sum())
    return _deviation(total, sums.boards, *moments._start_moments(sums.n_cells, sums.n_mines))


def _judge_start(sums, rng):
    variance = moments._start_moments(sums.n_cells, sums.n_mines)[1]
    statistic, note = _start_statistic(sums), ""
    if sums.boards * variance >= results.VARIANCE:
        skewness = moments._start_skewness(sums.n_cells, sums.n_mines) / math.sqrt(sums.boards)
        pvalue = moments._gamma_tails(statistic, skewness)[1]
    else:
        pvalue, note = results._redrawn(sums, {"cells"}, _start_statistic, rng, _enough(variance))
    return results._result("start_region", sums, statistic, 1, pvalue, results._cells_map(sums), note)


_START = results._Test("start_region", ("cells",), results._no_cells, _judge_start)
