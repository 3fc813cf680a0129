"""What fair boards lead one to expect: exact means, variances and covariances, and the laws of statistics.

n cells, m mines, T boards; a_k = (m)_k / (n)_k is the chance that k given cells are all mined, with
(x)_k = x (x − 1) … (x − k + 1).
"""

import functools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import scipy  # its modules load on first use

__all__ = []


def _falling(x, k):
    """Return x (x − 1) … (x − k + 1)."""
    return math.prod(range(x - k + 1, x + 1)) if k <= x else 0


def _chance(n_cells, n_mines, mined, free=0):
    """Return the chance that so many given cells are mined and so many others free, as a Fraction."""
    if mined + free > n_cells:
        return Fraction(0)
    ways = _falling(n_mines, mined) * _falling(n_cells - n_mines, free)
    return Fraction(ways, _falling(n_cells, mined + free))


# ---- linear statistics


def _joins_moments(degrees, n_cells, n_mines):
    """Return mean and variance of the mined pairs of neighbours, as Fractions."""
    a_2, a_3, a_4 = (_chance(n_cells, n_mines, k) for k in (2, 3, 4))
    edges = int(degrees.sum()) // 2
    paths = int((degrees * (degrees - 1)).sum())  # ordered pairs of edges that meet
    mean = edges * a_2
    return mean, mean + paths * a_3 + (edges**2 - edges - paths) * a_4 - mean**2


def _degrees(shape, connectivity, periodic):
    """Return the number of neighbours of each cell."""
    near = [np.full(side, 3) for side in shape]  # lines in the window of each
    if not periodic:
        for lines in near:
            lines[0] -= 1
            lines[-1] -= 1
    down, across = near[0][:, None], near[1]
    return down * across - 1 if connectivity == 8 else down + across - 2


def _runs_moments(n_cells, n_mines):
    """Return mean and variance of the number of runs in row-major order, as Fractions."""
    n, w = n_cells, 2 * n_mines * (n_cells - n_mines)
    return Fraction(w, n) + 1, Fraction(w * (w - n), n**2 * (n - 1))


def _start_moments(n_cells, n_mines):
    """Return mean and variance of the mines among the first m cells, as Fractions."""
    n, m = n_cells, n_mines
    return Fraction(m * m, n), Fraction(m**2 * (n - m) ** 2, n**2 * (n - 1))


def _start_skewness(n_cells, n_mines):
    """Return the skewness of the mines among the first m cells, a hypergeometric number."""
    n, m = n_cells, n_mines
    return (n - 2 * m) ** 2 * math.sqrt(n - 1) / (m * (n - m) * (n - 2)) if n > 2 else 0.0


def _numbers_moments(shape, n_mines, periodic):
    """Return means and covariances of the nine counts of numbers on a board, as Fractions.

    For two free cells what counts is how many neighbours only the first has (a), only the second (b), and both (s),
    themselves left out. Neighbourhoods are 3 x 3 windows, cut off at the edge or closed round the torus, and windows
    overlap in the rows in which they do times the columns. So there are few kinds of pairs of rows and of columns,
    and few (a, b, s), whatever the size of the board.
    """
    n_cells = shape[0] * shape[1]
    kinds = Counter()
    down, across = (_lines(side, periodic) for side in shape)
    for (same_row, near_row, *rows), n_rows in down.items():
        for (same_col, near_col, *cols), n_cols in across.items():
            first, second, both = (row * col for row, col in zip(rows, cols))
            if same_row and same_col:
                kinds[first - 1] += n_rows * n_cols  # a cell and its degree
            else:
                near = near_row and near_col  # then each cell is in both windows
                first, second, both = first - 1 - near, second - 1 - near, both - 2 * near
                kinds[first - both, second - both, both] += n_rows * n_cols

    # All chances over one denominator, so that all that is left is whole numbers.
    widest = max([2 + sum(kind) for kind in kinds if isinstance(kind, tuple)] + [9])
    widest = min(widest, n_cells)

    @functools.cache
    def ways(mined, cells):
        """Return the chance that the first of so many given cells are mined and the rest free, times (n)_widest."""
        free = _falling(n_cells - n_mines, cells - mined)
        return _falling(n_mines, mined) * free * _falling(n_cells - cells, widest - cells)

    mean, second = [0] * 9, [[0] * 9 for _ in range(9)]
    for kind, times in kinds.items():
        if isinstance(kind, int):
            for k in range(kind + 1):
                mean[k] += times * math.comb(kind, k) * ways(k, kind + 1)
        else:
            a, b, s = kind
            for k in range(a + s + 1):
                for j in range(b + s + 1):
                    for x in range(max(0, k - a, j - b), min(s, k, j) + 1):
                        choices = math.comb(s, x) * math.comb(a, k - x) * math.comb(b, j - x)
                        second[k][j] += times * choices * ways(k + j - x, 2 + a + b + s)
    whole = _falling(n_cells, widest)
    mean = [Fraction(value, whole) for value in mean]
    covariance = [
        [Fraction(second[k][j], whole) + (k == j) * mean[k] - mean[k] * mean[j] for j in range(9)] for k in range(9)
    ]
    return mean, covariance


@functools.lru_cache(maxsize=64)
def _numbers_floats(shape, n_mines, periodic):
    """Return means and covariances of the nine counts as arrays, not to be written to."""
    mean, covariance = _numbers_moments(shape, n_mines, bool(periodic))
    return np.array(mean, float), np.array(covariance, float)


def _lines(side, periodic):
    """Count the ordered pairs of lines, rows or columns, by what their windows of three lines share.

    A pair is (same line, line in the other's window, lines in the first's window, in the second's, in both).
    """
    if side > 11:  # from 9 on every count is a quadratic polynomial in the side: pairs far apart, and others
        at = {known: _lines(known, periodic) for known in (9, 10, 11)}
        weights = {
            9: (side - 10) * (side - 11) // 2,
            10: -(side - 9) * (side - 11),
            11: (side - 9) * (side - 10) // 2,
        }
        return {pair: sum(w * at[known][pair] for known, w in weights.items()) for pair in at[11]}
    lines = range(side)
    near = [{line - 1, line, line + 1} for line in lines]
    windows = [{line % side for line in window} if periodic else window & set(lines) for window in near]
    pairs = ((i == j, j in windows[i], windows[i], windows[j]) for i in lines for j in lines)
    return Counter((same, near, len(one), len(two), len(one & two)) for same, near, one, two in pairs)


# ---- quadratic statistics


def _cells_scale(n_cells, n_mines):
    """Return n/(n − 1) times the variance of a cell: what the squares in Cochran's Q are divided by, a board."""
    n, m = n_cells, n_mines
    return m * (n - m) / (n * (n - 1))


def _pairs_scale(n_cells, n_mines):
    """Return θ, the variance of a pair without what its cells explain, up to the loss of dimensions."""
    return float(_chance(n_cells, n_mines, 2, 2))


def _cells_third(n_cells, n_mines):
    """Return E K³ of the kernel of cells for two independent boards."""
    h, chance = _overlaps(n_cells, n_mines)
    kernel = (h - n_mines**2 / n_cells) / _cells_scale(n_cells, n_mines)
    return float((chance * kernel**3).sum())


def _pairs_third(n_cells, n_mines):
    """Return E K³ of the kernel of pairs for two independent boards."""
    h, chance = _overlaps(n_cells, n_mines)
    return float((chance * _pairs_kernel(h, n_cells, n_mines) ** 3).sum())


def _pairs_kernel(h, n_cells, n_mines):
    """Return K, the sum over all pairs of cells of the products of E, over θ, for two boards that share h mines."""
    n, m = n_cells, n_mines
    a_2 = m * (m - 1) / (n * (n - 1))
    products = h * (h - 1) / 2 - n * (n - 1) / 2 * a_2**2 - (m - 1) ** 2 * (h - m * m / n) / (n - 2)
    return products / _pairs_scale(n, m)


def _subsets_third(n_sets):
    """Return E K³ of the kernel of subsets for two independent boards."""
    return (n_sets - 1.0) * (n_sets - 2.0)


def _overlaps(n_cells, n_mines):
    """Return how many mines two boards can share, and the chance of each number: hypergeometric."""
    n, m = n_cells, n_mines
    h = np.arange(max(0, 2 * m - n), m + 1.0)
    log = _log_comb(m, h) + _log_comb(n - m, m - h) - _log_comb(n, m)
    return h, np.exp(log)


def _log_comb(n, k):
    return scipy.special.gammaln(n + 1) - scipy.special.gammaln(k + 1) - scipy.special.gammaln(n - k + 1)


def _quadratic_tails(statistic, dof, boards, third):
    """Return the chances of a value as low and as high, by the gamma law with the exact first three moments.

    The statistic is (1/T) Σ K(X_s, X_t) over all pairs of boards, where K is a projection on `dof` dimensions:
    dof where s = t, else of mean 0 given either board and of variance dof, and E K(X, Y) K(Y, Z) K(Z, X) = dof.
    For T → ∞ this is chi-square.
    """
    mean, variance, cube = _quadratic_moments(dof, boards, third)
    return _gamma_tails((statistic - mean) / math.sqrt(variance), cube / variance**1.5)


def _quadratic_moments(dof, boards, third):
    """Return mean, variance and third central moment, where `third` is E K³ for two boards.

    Of the products of three terms only those of one pair of boards three times, and those round three boards, are
    not 0 on average.
    """
    t = boards
    return dof, 2 * dof * (t - 1) / t, 8 * dof * (t - 1) * (t - 2) / t**2 + 4 * third * (t - 1) / t**2


def _skewness(dof, boards, third):
    """Return the part of a quadratic statistic's skewness that chi-square has not."""
    return 4 * third / boards / (2 * dof) ** 1.5


def _gamma_tails(z, skewness):
    """Return the lower and the upper tail at z of the gamma law with mean 0, variance 1 and this skewness."""
    if abs(skewness) < 1e-6:
        return float(scipy.special.ndtr(z)), float(scipy.special.ndtr(-z))
    shape = 4 / skewness**2
    x = max(0.0, shape + math.sqrt(shape) * (z if skewness > 0 else -z))
    tails = float(scipy.special.gammainc(shape, x)), float(scipy.special.gammaincc(shape, x))
    return tails if skewness > 0 else tails[::-1]


def _displacement_norms(shape):
    """Return ‖P x‖² of the pairs of cells i rows and j columns apart, at [rows − 1 + i, cols − 1 + j].

    P takes from the pairs' indicator x its best fit by sums a_i + a_j. Where cell i is in d_i of the e pairs, the
    normal equations (n − 2) a_i + Σ a = d_i have the solution a_i = (d_i − e/(n − 1))/(n − 2), and ‖P x‖² is
    e − Σ a_i d_i. Every d_i is 0, 1 or 2, and 2 where both cells that far away are on the board.
    """
    n = shape[0] * shape[1]
    down, across = (np.abs(np.arange(1 - side, side)) for side in shape)
    pairs = np.outer(shape[0] - down, shape[1] - across)
    twice = np.outer(np.maximum(shape[0] - 2 * down, 0), np.maximum(shape[1] - 2 * across, 0))
    norms = pairs - (2 * pairs + 2 * twice - 2 * pairs**2 / (n - 1)) / (n - 2)
    norms[shape[0] - 1, shape[1] - 1] = 0
    return np.where(norms > 1e-9, norms, 0.0)
