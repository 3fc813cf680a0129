"""Samples of regions and boards against the law they should follow.

`fit` tests draws against an exact law, outcome by outcome.

How likely is a *shape*, wherever it lies? Cells up to translation are a fixed polyomino, and
`shape_law` counts them in a sample. Where every region of a grid is as likely as any other, a shape
has a chance proportional to its places: (rows - h + 1)(cols - w + 1) on an open grid for one
that is h high and w wide, and equally many for all on a periodic grid.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy  # its modules load on first use
from numba import njit

from . import grid, laws

__all__ = ["Fit", "ShapeLaw", "fit", "shape_law"]


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """What a sample says of an exact law.

    Parameters
    ----------
    statistic : float
        Pearson's chi-square of the counts, infinite where something was drawn that has chance 0.
    dof : int
        Its degrees of freedom: outcomes with a chance, less one.
    pvalue : float
        The chance of a statistic at least as large under the law, NaN where the draws are too few.
    counts : ndarray of int64
        How often each outcome of the law was drawn, in its order.
    """

    statistic: float
    dof: int
    pvalue: float
    counts: np.ndarray


def fit(drawn, law):
    """Test regions or boards against an exact law.

    Parameters
    ----------
    drawn : array_like of bool, shape (..., rows, cols)
        Independent draws.
    law : `gridlab.laws.Law`
        The law on a grid of that shape, as from `gridlab.laws.GROWERS` or `gridlab.laws.PLACERS`.

    Returns
    -------
    Fit
        The test. It holds also where most outcomes are never drawn, by the exact mean and variance of the statistic.

    Raises
    ------
    TypeError
        If `drawn` are no masks, or `law` is not a law.
    ValueError
        If there is no draw, the law is on another grid, or a draw is not among its outcomes, as one with
        another number of cells is not.

    Notes
    -----
    O(``rows * cols``) for each draw and each outcome.

    Examples
    --------
    >>> from gridlab import mines
    >>> boards = mines.swap((3, 3), 3, swaps=5, size=10_000, rng=1)
    >>> fit(boards, laws.PLACERS["swap"]((3, 3), 3, swaps=5)).pvalue > 1e-6
    True
    >>> fit(boards, laws.PLACERS["floyd"]((3, 3), 3)).pvalue > 1e-6
    False
    """
    drawn = grid.as_masks("drawn", drawn)
    if not isinstance(law, laws.Law):
        raise TypeError(f"law must be a Law, got {law!r}")
    if law.shape is None or drawn.shape[-2:] != law.shape:
        where = "the infinite lattice" if law.shape is None else law.shape
        raise ValueError(f"law must be one of grids of shape {drawn.shape[-2:]}, got one of {where}")
    drawn = drawn.reshape(-1, *law.shape)
    if len(drawn) == 0:
        raise ValueError("drawn must hold at least one draw, got none")
    outcomes, found = (np.packbits(masks.reshape(len(masks), -1), axis=1) for masks in (law.regions, drawn))
    codes = pd.MultiIndex.from_arrays(outcomes.T).get_indexer(pd.MultiIndex.from_arrays(found.T))
    if (codes < 0).any():
        k = (codes < 0).argmax()
        raise ValueError(f"drawn must be outcomes of the law, got one that is not for draw {k}:\n{grid.text(drawn[k])}")
    counts = np.bincount(codes, minlength=len(outcomes))
    chances = np.array(law.chances, float)
    possible, n = chances > 0, len(drawn)
    expected = n * chances[possible]
    statistic = float(((counts[possible] - expected) ** 2 / expected).sum())
    pvalue = _pvalue(statistic, n, chances[possible])
    if counts[possible].sum() < n:
        statistic, pvalue = math.inf, 0.0
    return Fit(statistic, int(possible.sum()) - 1, pvalue, counts)


@dataclass(frozen=True, slots=True, eq=False)
class ShapeLaw:
    """What a sample of regions says of the law of their shapes.

    Parameters
    ----------
    n_draws : int
        Regions in the sample.
    n_shapes : int
        Shapes there are on the grid.
    n_seen : int
        Shapes in the sample.
    statistic : float
        Chi-square of the counts against the uniform law over regions.
    dof : int
        Its degrees of freedom, ``n_shapes - 1``.
    pvalue : float
        The chance of a statistic at least as large under the uniform law, NaN where the draws are too few.
    distance : float
        Estimate of the total variation distance of the sample's law from the uniform one.
    low, high : float
        A confidence interval of that distance.
    table : pandas.DataFrame
        A row a shape, also those never seen, the most favoured first: `shape`, a picture that
        `grid.parse` reads; `count`; `expected` under the uniform law; `ratio` of the two;
        `residual`, their difference over its standard deviation.
    """

    n_draws: int
    n_shapes: int
    n_seen: int
    statistic: float
    dof: int
    pvalue: float
    distance: float
    low: float
    high: float
    table: pd.DataFrame


def shape_law(regions, area=None, *, periodic=False, level=0.95):
    """Compare the shapes of a sample of regions with those of uniform regions.

    Shapes only: where they lie is not looked at. The shape of a region is its fixed polyomino,
    its cells up to translation, on a periodic grid also across the seams. The law compared
    with is that of the shape of a region drawn uniformly from all regions of that area on that
    grid; on a periodic grid, from those that do not wind round it.

    Parameters
    ----------
    regions : array_like of bool, shape (..., rows, cols)
        Independent draws: connected regions, all of one area.
    area : int, optional
        Their area, from 1 to 12; by default that of the first.
    periodic : bool
        Whether opposite sides of the grid are joined.
    level : float
        Confidence of the interval, above 0 and below 1.

    Returns
    -------
    ShapeLaw
        Counts, a chi-square test, the total variation distance with an interval, and a table.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If there is no region, areas differ or are too large to list their polyominoes, or a
        region is of several parts or winds round a periodic grid: then it has no polyomino.

    See Also
    --------
    gridlab.laws.distance : The exact distance of a grower from uniform.

    Notes
    -----
    The p-value is that of a chi-square law scaled to the exact mean and variance of the
    statistic, ``k - 1`` and ``2 (k - 1)(1 - 1/n) + (sum(1/p) - k**2)/n`` for n draws and k shapes [1]_.
    With at least 5 draws expected of each shape this is the common test. With fewer it holds as
    well, as long as 100 pairs of draws are expected to have their shape in common, ``n**2 sum(p**2) / 2``
    (far in the tail, below 0.001, it is then too small by a factor of 2 to 5); below that it is NaN.

    The total variation distance is the largest excess of the sample's law on any set of
    shapes. The distance of the observed shares from the uniform ones is too large on average, by
    up to about ``0.4 sqrt(k / n)``, as chance alone makes some shapes frequent. So the set
    is chosen by one half of the draws, where they exceed what is expected, and its excess
    measured by the other; the estimate is the mean over all ways to halve them. It is right on average
    under the uniform law, and never too large on average. The interval begins below it, and ends
    above the distance of the observed shares, by the normal quantile times ``1 / (2 sqrt(n))``, the
    largest standard error of a share. So it covers at its level or more, and is wide where draws are few.

    A million regions of 5 cells on 10x10 take 0.5 s; O(``rows * cols``) and about ``area**2 / 8`` bytes each.
    The list of polyominoes, kept for the next call, and the table take 1 s for area 10, 20 s and
    0.7 GB for area 12.

    References
    ----------
    .. [1] J. B. S. Haldane, "The exact value of the moments of the distribution of χ²,
       used as a test of goodness of fit, when expectations are small", Biometrika 29 (1937), 133-143.

    Examples
    --------
    >>> from gridlab.regions import eden
    >>> law = shape_law(eden((9, 9), 4, periodic=True, size=5000, rng=1), periodic=True)
    >>> law.n_seen, law.n_shapes, law.pvalue < 1e-6
    (19, 19, True)
    >>> bool(law.low < 112 / 513 < law.high)  # the exact distance, by gridlab.laws
    True
    >>> law.table.head(1).round(2)
       shape  count  expected  ratio  residual
    0  xx/xx    708    263.16   2.69     28.17
    """
    regions = grid.as_masks("regions", regions)
    shape = grid.as_shape(regions.shape[-2:], periodic)
    regions = regions.reshape(-1, *shape)
    level = _as_level(level)
    if len(regions) == 0:
        raise ValueError("regions must hold at least one region, got none")
    areas = regions.sum((1, 2))
    high = min(LARGEST, shape[0] * shape[1])
    area = grid.as_int("area", int(areas[0]) if area is None else area, 1, high, where=", to list its polyominoes")
    if (areas != area).any():
        k = (areas != area).argmax()
        raise ValueError(f"regions must all have area {area}, got {areas[k]} for region {k}")
    words, faults = _shapes(regions, area, periodic)
    for fault, what in ((PARTS, "be connected, got several parts in"), (WINDS, "not wind round the torus, as does")):
        if (faults == fault).any():
            raise ValueError(f"regions must {what} region {(faults == fault).argmax()}")

    polyominoes = _polyominoes(area)
    places = _places(polyominoes, shape, periodic)
    counts = _counts(words, _shapes(polyominoes, area, False)[0])[places > 0]
    polyominoes, chances = polyominoes[places > 0], places[places > 0] / places.sum()
    n, dof = len(regions), len(chances) - 1
    expected = n * chances
    statistic = float(((counts - expected) ** 2 / expected).sum())
    distance, low, high = map(float, _distance(counts, chances, level))
    table = pd.DataFrame(
        {
            "shape": [_picture(polyomino) for polyomino in polyominoes],
            "count": counts,
            "expected": expected,
            "ratio": counts / expected,
            "residual": (counts - expected) / np.sqrt(expected * (1 - chances)) if dof else np.zeros(1),
        }
    )
    return ShapeLaw(
        n_draws=n,
        n_shapes=dof + 1,
        n_seen=int((counts > 0).sum()),
        statistic=statistic,
        dof=dof,
        pvalue=_pvalue(statistic, n, chances),
        distance=distance,
        low=low,
        high=high,
        table=table.sort_values("ratio", ascending=False, kind="stable", ignore_index=True),
    )


def _as_level(level):
    """Return the level of confidence as a float, or say what is wrong with it."""
    try:
        value = float(level)
    except (TypeError, ValueError):
        raise TypeError(f"level must be a number above 0 and below 1, got {level!r}") from None
    if not 0 < value < 1:
        raise ValueError(f"level must be above 0 and below 1, got {level!r}")
    return value


def _pvalue(statistic, n, chances):
    """Return the chance of a chi-square at least as large, from its exact mean and variance."""
    mean = len(chances) - 1
    variance = 2 * mean * (1 - 1 / n) + ((1 / chances).sum() - len(chances) ** 2) / n
    if mean == 0 or n**2 * (chances**2).sum() / 2 < COMMON_PAIRS:
        return math.nan
    return float(scipy.special.chdtrc(2 * mean**2 / variance, statistic * 2 * mean / variance))


def _distance(counts, chances, level):
    """Estimate the total variation distance of the law that gave `counts` from `chances`, with an interval.

    Halve the draws at random. A shape counts as in excess if the first half has more than n p / 2 of it, and
    of its c draws that half has a binomial number. The excess of these shapes in the second half, c/n - p for
    each on average, has a mean over all halvings in closed form: a draw of the shape counts if it is in the
    second half and, of the c - 1 others, more than n p / 2 are in the first.
    """
    n = counts.sum()
    half = np.floor(n * chances / 2)
    others = np.maximum(counts - 1, 0)
    excess = counts * _above(half, others) - n * chances * _above(half, counts)
    middle = max(0.0, float(excess.sum() / n))
    plug_in = float(np.abs(counts / n - chances).sum() / 2)
    margin = -scipy.special.ndtri((1 - level) / 2) / (2 * math.sqrt(n))
    return middle, max(0.0, middle - margin), min(1.0, plug_in + margin)


def _above(heads, n):
    """Return the chance of more than so many heads in n throws of a coin.

    As `scipy.stats.binom.sf`, whose module takes longer to load than most samples to test.
    """
    return np.where(heads < n, scipy.special.betainc(heads + 1, np.maximum(n - heads, 1), 0.5), 0.0)


def _picture(polyomino):
    """Write a shape in one line, without its margin."""
    return grid.text(polyomino[np.ix_(polyomino.any(1), polyomino.any(0))]).replace("\n", "/")


@functools.lru_cache(maxsize=1)
def _polyominoes(area):
    """List all fixed polyominoes."""
    return laws.uniform(area).regions


def _places(polyominoes, shape, periodic):
    """Count in how many places each polyomino can lie, or on a periodic grid whether it can lie anywhere."""
    area = polyominoes.shape[1]
    height, width = polyominoes.any(2).sum(1), polyominoes.any(1).sum(1)
    if not periodic:
        return np.maximum(shape[0] - height + 1, 0) * np.maximum(shape[1] - width + 1, 0)
    # A polyomino that overlaps or touches itself round the torus is not the shape of a region that does not wind.
    rows, cols = (min(side, max(3, area + 1)) for side in shape)
    k, row, col = np.nonzero(polyominoes)
    folded = np.zeros((len(polyominoes), rows, cols), bool)
    folded[k, row % rows, col % cols] = True
    return (_shapes(folded, area, True)[1] == 0).astype(np.int64)


def _counts(words, polyominoes):
    """Count how often each of `polyominoes` is among `words`."""
    code = np.zeros(len(polyominoes) + len(words), np.int64)
    for column in np.concatenate([polyominoes, words]).T:
        digit, found = pd.factorize(column)
        code = pd.factorize(code * len(found) + digit)[0]  # from 0 in order of appearance
    return np.bincount(code[len(polyominoes) :], minlength=len(polyominoes))


#: The largest area whose polyominoes are listed.
LARGEST = 12

#: Pairs of draws with their shape in common that must be expected for the p-value to hold.
COMMON_PAIRS = 100

#: Cells of a batch that are looked at in one go; then an interrupt gets through.
PIECE = 2**22

#: Why a region has no shape: it is of several parts (or of another area), or it winds round the torus.
PARTS, WINDS = 1, 2


def _shapes(regions, area, periodic):
    """Return each region's polyomino as the bits of an `area` x `area` square, in words, and what is wrong with it."""
    home, steps = grid.padded(regions.shape[1:], periodic=periodic)
    words = np.zeros((len(regions), (area**2 + 63) // 64), np.uint64)
    faults = np.zeros(len(regions), np.uint8)
    n = max(1, PIECE // regions[0].size)
    ways = np.array(grid.RING[::2], np.int64)
    for k in range(0, len(regions), n):
        some = grid.plain(regions[k : k + n])
        _flood(words[k : k + n], faults[k : k + n], some, home, steps[::2].copy(), ways, area)
    return words, faults


@njit(cache=True)
def _flood(words, faults, regions, home, steps, ways, area):
    """Flood each region from its first cell, with the place of each cell on the unrolled torus.

    A cell that is met at two places winds.
    """
    n_regions, rows, cols = regions.shape
    filled = np.zeros(len(home), np.bool_)
    met = np.zeros(len(home), np.bool_)
    place = np.empty((len(home), 2), np.int64)
    queue = np.empty(rows * cols, np.int64)
    for k in range(n_regions):
        n_queue = 0
        for row in range(rows):
            for col in range(cols):
                cell = (row + 1) * (cols + 2) + col + 1
                filled[cell] = regions[k, row, col]
                met[cell] = False
                if filled[cell] and n_queue == 0:
                    queue[0] = cell
                    n_queue = 1
        met[queue[0]] = True
        place[queue[0], :] = 0
        top = left = done = 0
        while done < n_queue:
            cell = queue[done]
            done += 1
            for i in range(4):
                other = home[cell + steps[i]]
                if not filled[other]:
                    continue
                row, col = place[cell, 0] + ways[i, 0], place[cell, 1] + ways[i, 1]
                if not met[other]:
                    met[other] = True
                    place[other, 0], place[other, 1] = row, col
                    top, left = min(top, row), min(left, col)
                    queue[n_queue] = other
                    n_queue += 1
                elif place[other, 0] != row or place[other, 1] != col:
                    faults[k] = WINDS
        if n_queue != area:
            faults[k] = PARTS
        if faults[k] == 0:
            for cell in queue[:n_queue]:
                bit = (place[cell, 0] - top) * area + place[cell, 1] - left
                words[k, bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
