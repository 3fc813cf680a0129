"""How far mines are from uniform after a number of swaps, exactly.

The placer `gridlab.mines.swap` begins with all m mines in a start region of m of the n cells, and
then swaps two uniformly drawn cells, time and again. What matters is only how many mines are
still in the start region: call it h. A swap moves none, or one in or out, with the chances::

    h -> h + 1    2 (m − h)² / n²            one of m − h free cells there, one of m − h mines elsewhere
    h -> h − 1    2 h (n − 2m + h) / n²      one of h mines there, one of n − 2m + h free cells elsewhere

This is the diffusion model of Bernoulli and Laplace. The law of h tends to the hypergeometric one.

Why h is enough: any renaming of the cells that keeps the start region makes equally likely swaps of equally
likely swaps, and the first board of itself. So boards with the same h, each of which is made of each other one
in this way, have the same chance after any number of swaps, as they have in the uniform law.
The total variation between the laws of boards is then that between the laws of h.

Free cells and mines have the same part in it. So take the smaller number of the two for m, and
count x = m − h, the mines that have left.
"""

import math

import numpy as np
from numba import njit

from .. import grid

__all__ = ["swap_chances", "swap_distance", "swaps_needed"]

#: The most cells: on so many, what comes before near uniform takes 10 s and more.
MOST_CELLS = 10**6


def swap_chances(n_cells, n_mines, swaps):
    """Compute the chance of a mine in the start region of `mines.swap`, and elsewhere.

    With p = m/n and L = 1 − 2/n these are p + (1 − p)L^k and p(1 − L^k) after k swaps.

    Parameters
    ----------
    n_cells : int
        Number of cells n, from 1 on.
    n_mines : int
        Number of mines m, from 0 to `n_cells`.
    swaps : int or array_like of int
        Number of swaps k, from 0 to below 2**62.

    Returns
    -------
    start, elsewhere : float or ndarray of float
        The chance that a cell is mined that was mined at first, and that one is that was free. Of
        cells of which there are none, it is not a number.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    See Also
    --------
    gridlab.mines.swap : The placer.

    Examples
    --------
    >>> start, elsewhere = swap_chances(480, 99, 100)
    >>> round(start, 4), round(elsewhere, 4), round(99 / 480, 4)
    (0.7291, 0.0704, 0.2062)
    """
    n, m = _as_board(n_cells, n_mines)
    swaps = _as_swaps(swaps)
    # A cell's content moves if exactly one cell of a swap is this one, 2(n − 1) pairs of n², and then to a uniform
    # other one: what is at a place is forgotten with a chance of 2(n − 1)/n² · n/(n − 1) = 2/n a swap.
    forgotten = -np.expm1(swaps * math.log1p(-2 / n)) if n > 2 else (swaps > 0) * (n - 1.0)
    start = 1 - (1 - m / n) * forgotten if m else np.full(swaps.shape, np.nan)
    elsewhere = m / n * forgotten if m < n else np.full(swaps.shape, np.nan)
    return (start, elsewhere) if swaps.ndim else (float(start), float(elsewhere))


def swap_distance(n_cells, n_mines, swaps):
    """Compute the total variation between the boards of `mines.swap` and uniform ones.

    Parameters
    ----------
    n_cells : int
        Number of cells n, from 1 to 10**6; of those that are not safe, where some are.
    n_mines : int
        Number of mines m, from 0 to `n_cells`.
    swaps : int or array_like of int
        Number of swaps, from 0 to below 2**62.

    Returns
    -------
    float or ndarray of float
        From 0 (uniform) to 1: the largest difference there is between the chances of anything.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    See Also
    --------
    swaps_needed : The swaps for a distance.

    Notes
    -----
    Near uniform, by the eigenvalues 1 − 2j(n + 1 − j)/n² of the chain and their Hahn polynomials [1]_: this costs the
    same for any number of swaps, and is accurate for the smallest distances, too. Before, where the terms
    of that sum cancel, swap by swap, for as many values of h as have a chance above 1e-20: 1 ms on 480 cells,
    10 to 25 s on 10**6. Accurate to 1e-11. An array takes little longer than its largest number.

    References
    ----------
    .. [1] P. Diaconis and M. Shahshahani, "Time to reach stationarity in the
       Bernoulli-Laplace diffusion model", SIAM J. Math. Anal. 18 (1987), 208-218.

    Examples
    --------
    >>> swap_distance(480, 99, [100, 500, 1000, 2000]).round(4)
    array([1.    , 0.8013, 0.1319, 0.0021])
    """
    n, m = _as_board(n_cells, n_mines, MOST_CELLS)
    swaps = _as_swaps(swaps)
    distances = _Chain(n, m).distances(swaps.ravel()).reshape(swaps.shape)
    return distances if swaps.ndim else float(distances)


def swaps_needed(n_cells, n_mines, distance):
    """Compute how many swaps bring the boards of `mines.swap` as near to uniform as `distance`.

    Parameters
    ----------
    n_cells : int
        Number of cells n, from 1 to 10**6; of those that are not safe, where some are.
    n_mines : int
        Number of mines m, from 0 to `n_cells`.
    distance : float
        Total variation, above 0 and up to 1.

    Returns
    -------
    int
        The least number of swaps after which it is at most `distance`, and then stays so.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    See Also
    --------
    swap_distance : The distance after a number of swaps.

    Notes
    -----
    It takes about (n/4) ln n swaps to mix a set of mines. As in `swap_distance`, it takes long only on
    large boards for distances near 1.

    Examples
    --------
    >>> [swaps_needed(480, 99, distance) for distance in (0.25, 0.01, 1e-3, 1e-6)]
    [845, 1623, 2175, 3829]
    """
    n, m = _as_board(n_cells, n_mines, MOST_CELLS)
    try:
        distance = float(distance)
    except OverflowError:
        raise ValueError(f"distance must be above 0 and up to 1, got {distance}") from None
    except (TypeError, ValueError):
        raise TypeError(f"distance must be a number above 0 and up to 1, got {distance!r}") from None
    if not 0 < distance <= 1:
        raise ValueError(f"distance must be above 0 and up to 1, got {distance}")
    chain = _Chain(n, m)
    if chain.distances(np.array([0]))[0] <= distance:
        return 0
    # Nothing gets farther from what it tends to: the sum of |(p − π)P| is at most that of |p − π|.
    low, high = 0, chain.near
    while chain.distances(np.array([high]))[0] > distance:
        low, high = high, 2 * high
    while high - low > 1:
        tried = np.unique(np.linspace(low, high, 1000).astype(np.int64))
        first = np.argmax(chain.distances(tried[1:]) <= distance)
        low, high = tried[first], tried[first + 1]
    return int(high)


class _Chain:
    """The chain of x, the mines that have left the start region."""

    #: Terms of the sum over eigenvalues, and how large they may be in all: it loses three digits then.
    TERMS, SIZE = 100, 1e3

    def __init__(self, n, m):
        self.m = m = min(m, n - m)
        x = np.arange(m + 1.0)
        self.rise = 2 * (m - x) * (n - m - x) / n**2
        self.fall = 2 * x**2 / n**2

        # The hypergeometric law around its mean, as far as it matters, from the ratios of successive chances.
        mean = m * (n - m) / n
        width = 10 * mean / math.sqrt(max(n - 1, 1)) + 40
        self.x = np.arange(max(0, math.floor(mean - width)), min(m, math.ceil(mean + width)) + 1)
        logs = np.cumsum(np.log(self.rise[self.x[:-1]] / self.fall[self.x[1:]]))
        logs = np.append(0, logs)
        self.uniform = np.exp(logs - logs.max())
        self.uniform /= self.uniform.sum()

        # The eigenvectors are Hahn polynomials in x of degree j; of norm 1, their squares at x = 0 are the numbers
        # C(n, j) − C(n, j − 1), and at x = m they have another size and the sign of (−1)^j.
        j = np.arange(1.0, min(m, self.TERMS) + 1)
        gaps = 2 * j * (n + 1 - j) / n**2  # of the eigenvalues from 1
        self.log_start = np.log((n + 1 - 2 * j) / (n + 1 - j)) / 2 + np.cumsum(np.log((n + 1 - j) / j)) / 2
        log_end = self.log_start + np.cumsum(np.log((m + 1 - j) / (n - m + 1 - j)))
        self.vectors = np.empty((len(j), len(self.x)))
        ends = (-1) ** j * np.exp(log_end)
        _fill(self.vectors, self.rise, self.fall, gaps, np.exp(self.log_start), ends, self.x[0])
        with np.errstate(divide="ignore"):  # on two cells, one swap is enough: an eigenvalue of 0
            self.log_eigenvalues = np.log1p(-gaps)

        # From how many swaps on the sum is used, at least 1.
        low, high = 0, 1
        while not self._is_near(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._is_near(middle) else (middle, high)
        self.near = high

    def _sizes(self, swaps):
        """Return the sizes of the terms after each of some numbers of swaps."""
        return np.exp(self.log_start + np.multiply.outer(swaps, self.log_eigenvalues))

    def _is_near(self, swaps):
        """Tell whether the sum over eigenvalues can be used after so many swaps."""
        sizes = self._sizes(swaps)
        return sizes.sum() <= self.SIZE and (self.m <= self.TERMS or sizes[-1] < 1e-18 * sizes.max())

    def distances(self, swaps):
        """Return the total variation after each of some numbers of swaps."""
        distances = np.zeros(len(swaps))
        if self.m == 0:
            return distances
        near = np.flatnonzero(swaps >= self.near)
        for chosen in np.array_split(near, len(near) // 1000 + 1):
            distances[chosen] = np.abs(self._sizes(swaps[chosen]) @ self.vectors) @ self.uniform / 2
        early = np.flatnonzero(swaps < self.near)
        distances[early] = self._early(swaps[early])
        return distances

    def _early(self, swaps):
        """Return the same swap by swap."""
        now = np.zeros(self.m + 3)  # the chance of x at x + 1, so that each has one on both sides
        after, rise, fall, stay = np.zeros((4, self.m + 3))
        now[1] = 1
        rise[1:-1], fall[1:-1], stay[1:-1] = self.rise, self.fall, 1 - self.rise - self.fall
        low = high = 1
        distances = np.empty(len(swaps))
        done = 0
        for k in np.argsort(swaps, kind="stable"):
            while done < swaps[k]:  # an even number in some 50 ms, so that an interrupt gets through
                n_swaps = min(swaps[k] - done, 2 * (1 + 2**25 // (high - low + 1000)))
                low, high = _swapped(now, after, rise, fall, stay, low, high, n_swaps)
                now, after = (after, now) if n_swaps % 2 else (now, after)
                done += n_swaps
            there = now[self.x + 1] / now.sum()
            distances[k] = (np.abs(there - self.uniform).sum() + max(0, 1 - there.sum())) / 2
        return distances


@njit(cache=True)
def _fill(vectors, rise, fall, gaps, starts, ends, first):
    """Fill the eigenvectors at x from `first` on, from both their ends, which are given, to where they oscillate.

    Up to there, times the root of the uniform law, they grow; beyond, rounding errors would.
    """
    m = len(rise) - 1
    for j in range(len(gaps)):
        middle, least = 0, np.inf
        for x in range(m + 1):
            barrier = abs(rise[x] + fall[x] - gaps[j]) - 2 * np.sqrt(rise[x] * fall[x])
            if barrier < least:
                middle, least = x, barrier
        value, step = starts[j], 0.0
        for x in range(middle + 1):
            if first <= x < first + vectors.shape[1]:
                vectors[j, x - first] = value
            if x < middle:
                step = (fall[x] * step - gaps[j] * value) / rise[x]
                value += step
        value, step = ends[j], 0.0
        for x in range(m, middle, -1):
            if first <= x < first + vectors.shape[1]:
                vectors[j, x - first] = value
            step = (rise[x] * step + gaps[j] * value) / fall[x]
            value -= step


@njit(cache=True)
def _swapped(now, after, rise, fall, stay, low, high, n_swaps):
    """Take `n_swaps` steps of the chain, to and fro; return the new first and last index with a chance that matters."""
    for _ in range(n_swaps):
        low, high = max(low - 1, 1), min(high + 1, len(now) - 2)
        n = high - low + 1
        left, here, right = now[low - 1 : low - 1 + n], now[low : low + n], now[low + 1 : low + 1 + n]
        from_left, stays, from_right = rise[low - 1 : low - 1 + n], stay[low : low + n], fall[low + 1 : low + 1 + n]
        new = after[low : low + n]
        for i in range(n):
            new[i] = left[i] * from_left[i] + here[i] * stays[i] + right[i] * from_right[i]
        now, after = after, now
        while now[low] < 1e-20:
            now[low] = after[low] = 0.0
            low += 1
        while now[high] < 1e-20:
            now[high] = after[high] = 0.0
            high -= 1
    return low, high


def _as_board(n_cells, n_mines, most=None):
    """Return the numbers of cells and of mines, or say what is wrong with them."""
    n = grid.as_int("n_cells", n_cells, 1, most)
    return n, grid.as_int("n_mines", n_mines, 0, n, where=f" on {n} cells")


def _as_swaps(swaps):
    """Return numbers of swaps as an array, or say what is wrong with them."""
    try:
        array = np.asarray(swaps)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"swaps must be an integer, at least 0 and below 2**62, or an array of such, got {swaps!r}")
    if array.size and not 0 <= array.min() <= array.max() < 2**62:
        got = f"{array.min()} to {array.max()}" if array.ndim else array
        raise ValueError(f"swaps must be at least 0 and below 2**62, got {got}")
    return array.astype(np.int64)
