"""Tests of how often cells, pairs of cells and sets of cells are mined: sums of squares, and their laws.

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

import math

import numpy as np

from . import moments, results
from . import sums as passing

__all__ = ["cells", "pairs", "subsets"]

#: Boards in which a cell must be expected mined, and free, for the law of `cells`.
EXPECTED_CELLS = 5

#: Mines expected in a cell from which it is told that there are none: by chance that has one of e^-30.
NEVER = 30

#: Skewness beside that of chi-square up to which the law of `pairs` is trusted.
SKEWNESS = 0.2

#: What a cell, times a row of a matrix product, costs beside a cell that is drawn.
PRODUCT = 1 / 20


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
    Where a cell is expected mined, or free, in fewer than 5 boards, or Q has steps of more than a tenth of its standard
    deviation, it is by Monte Carlo: the share of 999 batches of as many fair boards, and of the boards themselves,
    whose Q is as high. So it is at least 0.001, and takes a few seconds at most. Where it would draw more than 2**30
    cells, it is by the gamma law again if Q has finer steps, as on all large boards, or else refused.

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
    return results._run(_CELLS, boards, n_mines, rng)


def _cells_statistic(sums):
    n, m, t = sums.n_cells, sums.n_mines, sums.boards
    return float(((sums.cells - t * m / n) ** 2).sum()) / (t * moments._cells_scale(n, m))


def _judge_cells(sums, rng):
    n, m, t = sums.n_cells, sums.n_mines, sums.boards
    if t < 2:
        raise ValueError("boards must be at least 2 for cells, got 1: its statistic is the same for each")
    statistic, note = _cells_statistic(sums), ""
    # Q is linear in the mines that pairs of boards share, in all; their number for two boards has the law of the mines
    # among the first m cells
    fine = results._boards_for(moments._start_moments(n, m)[1])
    if t >= fine and (t >= EXPECTED_CELLS * n / min(m, n - m) or results._too_large(sums)):
        pvalue = moments._quadratic_tails(statistic, n - 1, t, moments._cells_third(n, m))[1]
    else:
        pvalue, note = results._redrawn(sums, {"cells"}, _cells_statistic, rng, f"at least {fine}")
    if t * m / n > NEVER and not sums.cells.all():
        row, col = divmod(int((sums.cells == 0).argmax()), sums.shape[1])
        note = f"cell ({row}, {col}) is never mined: if some are kept safe, test boards[:, ~safe][:, None]"
    return results._result("cells", sums, statistic, n - 1, pvalue, results._cells_map(sums), note)


_CELLS = results._Test("cells", ("cells",), results._no_cells, _judge_cells)


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
    skewed by more than 0.2 beyond chi-square (20 expert boards; more where mines are few), or Q_2 has steps of more
    than a tenth of its standard deviation (tiny boards), it is by Monte Carlo as in `cells`.

    Memory is about 30 bytes for each pair (i, j): 7 MB for an expert board, 0.5 GB for 4096 cells. The pairs are
    counted by a matrix product, in O(n²) a board: 3 µs for an expert board.

    Examples
    --------
    >>> from gridlab import mines
    >>> boards = mines.floyd((9, 9), 10, size=1000, rng=0)
    >>> boards[900:] = boards[:100]
    >>> pairs(boards).pvalue < 1e-6, cells(boards).pvalue > 0.01
    (True, True)
    """
    return results._run(_PAIRS, boards, n_mines, rng)


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


def _two_sided(low, high):
    return min(1.0, 2 * min(low, high))


def _judge_pairs(sums, rng):
    n, m, t = sums.n_cells, sums.n_mines, sums.boards
    if t < 2:
        raise ValueError("boards must be at least 2 for pairs, got 1: its statistic is the same for each")
    statistic, dof, note = _pairs_statistic(sums), n * (n - 3) // 2, ""
    third = moments._pairs_third(n, m)
    # Q_2 is a sum over pairs of boards too, of the pairs of cells mined in both, beyond what single cells explain
    fine = results._boards_for(moments._pairs_scale(n, m) ** 2 * dof)
    enough = max(fine, math.ceil(moments._skewness(dof, 1, third) / SKEWNESS))
    if t >= enough:
        tails = moments._quadratic_tails(statistic, dof, t, third)
    else:
        # of few boards faster by what they share with each other
        of_boards = _pairs_of_boards if t < n else results._of_boards(sums, {"pairs"}, _pairs_statistic)
        cost = 1 + PRODUCT * min(t, n)
        tails = results._monte_carlo(sums, of_boards, statistic, rng, f"at least {enough}", cost)
        note = results.MONTE_CARLO
    return results._result("pairs", sums, statistic, dof, _two_sided(*tails), _pairs_map(sums), note)


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


_PAIRS = results._Test("pairs", ("pairs",), _no_pairs, _judge_pairs)


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
    The p-value is by the gamma law with the exact first three moments, where the number of pairs of equal boards has
    at least the variance 100; it is about their expected number. With fewer it is by Monte Carlo as in `cells`.

    Examples
    --------
    >>> from gridlab import mines
    >>> result = subsets(mines.floyd((2, 3), 2, size=600, rng=1))
    >>> result.dof, result.pvalue > 0.001
    (14, True)
    """
    return results._run(_SUBSETS, boards, n_mines, rng)


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
    residuals = results._standardised(sums.subsets, t, 1 / n_sets)
    if n_sets == 1:
        return results._result("subsets", sums, 0.0, 0, 1.0, residuals, "there is one set only")
    statistic, note = _subsets_statistic(sums), ""
    enough = results._boards_for((n_sets - 1) / n_sets**2)
    if t < 2:
        raise ValueError("boards must be at least 2 for subsets, got 1: its statistic is the same for each")
    if t >= enough:
        pvalue = moments._quadratic_tails(statistic, n_sets - 1, t, moments._subsets_third(n_sets))[1]
    else:
        pvalue, note = results._redrawn(sums, {"subsets"}, _subsets_statistic, rng, f"at least {enough}")
    return results._result("subsets", sums, statistic, n_sets - 1, pvalue, residuals, note)


_SUBSETS = results._Test("subsets", ("subsets",), _no_subsets, _judge_subsets)
