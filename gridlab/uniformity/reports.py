"""All tests in one pass, and how many boards they need to see a fault."""

import math
import numbers as abstract

import numpy as np
import pandas as pd
import scipy  # its modules load on first use

from .. import grid
from . import linear, moments, quadratic
from . import sums as passing

__all__ = ["power", "progress", "report"]


def report(boards, n_mines=None, *, periodic=False, rng=None):
    """Test boards for uniformity by every test, in one pass.

    Parameters
    ----------
    boards : array_like of bool, shape (T, rows, cols), or iterable of such arrays
        The boards, in one batch or as a stream of batches of any lengths; memory does not grow with a stream.
    n_mines : int, optional
        Mines each should have; by default as many as the first has.
    periodic : bool
        Whether opposite sides of the grid are joined, for joins and numbers.
    rng : `numpy.random.Generator` or seed, optional
        For Monte Carlo p-values, where boards are few.

    Returns
    -------
    pandas.DataFrame
        A row a test, with the columns

        - ``test``: ``count``, ``cells``, ``pairs``, ``subsets``, ``joins_4``, ``joins_8``, ``runs``, ``numbers``,
          ``start_region``;
        - ``statistic``, ``dof``, ``pvalue``: as in the `Result` of each, NaN where it cannot run;
        - ``adjusted``: the p-value adjusted for the number of tests after Holm: reject those below α, and with
          chance 1 − α or more no test of fair boards is rejected;
        - ``boards``: boards tested;
        - ``note``: why a test cannot run, or how its p-value was found where it is not by the usual law.

        Where ``adjusted`` is below the chance of a false alarm that you accept, such as 0.01, the boards are not
        fair, and the test says in which way. Where none is, no fault was seen.

    Raises
    ------
    TypeError, ValueError
        As in `count`.

    Notes
    -----
    Boards in which some cells are kept safe are not fair on all cells. Test the others, as boards of one row:
    ``report(boards[:, ~safe][:, None])`` for a mask `safe` of shape (rows, cols).

    If a board has another number of mines, only ``count`` is tested, and fails. It leaves nothing to chance and is
    not one of the tests to adjust for.

    A thousand expert boards take 15 ms, a million 7 s on one core, most of it for pairs.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure",
       Scand. J. Stat. 6 (1979), 65-70.

    Examples
    --------
    >>> from gridlab import mines
    >>> stream = (mines.swap((9, 9), 10, swaps=25, size=1000, rng=seed) for seed in range(3))
    >>> table = report(stream)
    >>> table.loc[table["adjusted"] < 1e-6, "test"].tolist()
    ['cells', 'pairs', 'joins_4', 'joins_8', 'runs', 'numbers', 'start_region']
    """
    rng = grid.as_rng(rng)
    every = [
        linear._COUNT,
        quadratic._CELLS,
        quadratic._PAIRS,
        quadratic._SUBSETS,
        linear._joins_test(4),
        linear._joins_test(8),
        linear._RUNS,
        linear._NUMBERS,
        linear._START,
    ]
    sums, refused = passing._gather(boards, n_mines, every, periodic)
    rows = [_row(test, sums, refused, rng) for test in every]
    table = pd.DataFrame(rows, columns=["test", "statistic", "dof", "pvalue", "boards", "note"])
    adjusted = _holm(table["pvalue"].to_numpy()[1:])
    table.insert(4, "adjusted", np.concatenate([table["pvalue"].to_numpy()[:1], adjusted]))
    return table


def progress(boards, steps, *, n_mines=None, periodic=False, rng=None):
    """Report on the first few boards, then on more and more, to see p-values sharpen.

    Parameters
    ----------
    boards : array_like of bool, shape (T, rows, cols)
        The boards, in one batch.
    steps : sequence of int
        Numbers of boards, each from 1 to T.
    n_mines, periodic, rng
        As in `report`.

    Returns
    -------
    pandas.DataFrame
        The reports one below the other, told apart by the column ``boards``.

    Raises
    ------
    TypeError, ValueError
        As in `report`, or if a step is out of its range.

    Notes
    -----
    The tests of one report are not independent of those of the next, which sees the same boards and more.

    Examples
    --------
    >>> from gridlab import mines
    >>> table = progress(mines.swap((16, 30), 99, swaps=1000, size=1000, rng=7), [100, 1000], rng=7)
    >>> table.pivot(index="test", columns="boards", values="pvalue").loc[["cells", "pairs", "start_region"]].round(4)
    boards          100     1000
    test
    cells         0.2663  0.0037
    pairs         0.0247  0.7494
    start_region  0.0004  0.0000
    """
    if hasattr(boards, "__next__"):
        raise TypeError(f"boards must be one array of shape (T, rows, cols), got {type(boards).__name__}")
    boards = grid.as_masks("boards", boards)
    if boards.ndim != 3 or len(boards) == 0:
        raise ValueError(f"boards must have shape (T, rows, cols) with T of at least 1, got {boards.shape}")
    try:
        steps = list(steps)
    except TypeError:
        raise TypeError(f"steps must be numbers of boards, each from 1 to {len(boards)}, got {steps!r}") from None
    steps = [grid.as_int("each of steps", step, 1, len(boards)) for step in steps]
    if not steps:
        raise ValueError("steps must be at least one number of boards, got none")
    rng = grid.as_rng(rng)
    every = [report(boards[:step], n_mines, periodic=periodic, rng=rng) for step in steps]
    return pd.concat(every, ignore_index=True)


def _row(test, sums, refused, rng):
    """Judge by one test, or say why not."""
    words = refused.get(test) or (sums.fault if test.parts else "")
    if not words:
        try:
            result = test.judge(sums, rng)
            return result.name, result.statistic, float(result.dof), result.pvalue, result.boards, result.note
        except ValueError as error:
            words = str(error)
    return test.name, math.nan, math.nan, math.nan, sums.boards, words


def _holm(pvalues):
    """Adjust p-values for their number, step by step from the lowest; NaN stays NaN and does not count."""
    adjusted = np.full(len(pvalues), np.nan)
    order = np.argsort(pvalues)[: np.isfinite(pvalues).sum()]
    steps = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(pvalues[order] * steps))
    return adjusted


def power(chances, *, power=0.9, alpha=0.01):
    """Tell how many boards `cells` and `start_region` need to see that cells are not mined alike.

    Parameters
    ----------
    chances : array_like of float, shape (rows, cols)
        The chance of a mine in each cell under the law that is to be seen, from 0 to 1; they add up to the number of
        mines.
    power : float
        The chance with which the test should reject, above `alpha` and below 1.
    alpha : float
        The level of the test, above 0 and below 1.

    Returns
    -------
    pandas.DataFrame
        A row for each of ``cells`` and ``start_region``: ``test``; ``noncentrality`` each board adds; ``needed``,
        the solution of the equations below; ``boards``, the next whole number, infinite where no number is enough.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range, or the chances do not add up to a whole number.

    Notes
    -----
    The mean of Q is exactly n − 1 + (T − 1) Σ (p_i − p)² / [m (n − m)/(n (n − 1))], as each board counts with itself
    for n − 1 of its terms under any law. So T boards give noncentral chi-square with (T − 1) times that sum, and at
    least 2 are needed. For the start region it is one-sided z with the variance of fair boards:
    T = ((z_α + z_power)/δ)² with δ the shift of the mean in standard deviations of a board, δ² the noncentrality.

    Both are approximations, good to three digits at best: ``needed`` is rounded to three before going up to a whole
    number. They leave out that the statistics vary otherwise than on fair boards: aimed at 0.9, tests of swapped
    boards reach 0.80 to 0.90 in simulations, least where less than 20 boards are needed, and `cells` 0.98 where only
    the last cell is never mined.

    Examples
    --------
    Of 1000 swaps on an expert board:

    >>> start = np.arange(480).reshape(16, 30) < 99
    >>> left = (1 - 2 / 480) ** 1000
    >>> power(99 / 480 * (1 - left) + left * start)
               test  noncentrality  needed  boards
    0         cells        0.11315  1090.0  1090.0
    1  start_region        0.11315   115.0   115.0
    """
    try:
        array = np.asarray(chances)
    except ValueError:
        raise ValueError("chances must have shape (rows, cols), got rows of different lengths") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"chances must be numbers from 0 to 1, got dtype {array.dtype}")
    if array.ndim != 2 or array.size < 2:
        raise ValueError(f"chances must have shape (rows, cols), of at least 2 cells, got {array.shape}")
    array = array.astype(float)
    if not ((array >= 0) & (array <= 1)).all():
        raise ValueError(f"chances must be from 0 to 1, got {array[~((array >= 0) & (array <= 1))][0]}")
    alpha = _as_share("alpha", alpha, 0.0)
    goal = _as_share("power", power, alpha)
    n, m = array.size, round(float(array.sum()))
    if abs(array.sum() - m) > 1e-6 or not 0 < m < n:
        raise ValueError(f"chances must add up to a whole number from 1 to {n - 1}, got {array.sum()}")

    of_cells = float(((array - m / n) ** 2).sum()) / moments._cells_scale(n, m)
    mean, variance = moments._start_moments(n, m)
    shift = (float(array.ravel()[:m].sum()) - float(mean)) / math.sqrt(variance)
    shift = max(shift, 0.0) if abs(shift) > 1e-9 else 0.0
    of_cells = of_cells if of_cells > 1e-12 else 0.0
    z = scipy.special.ndtri(goal) - scipy.special.ndtri(alpha)
    needed = [
        max(2.0, 1 + _noncentrality(n - 1, goal, alpha) / of_cells) if of_cells else math.inf,
        max(1.0, z**2 / shift**2) if shift else math.inf,
    ]
    needed = [float(f"{value:.3g}") for value in needed]
    return pd.DataFrame(
        {
            "test": ["cells", "start_region"],
            "noncentrality": [of_cells, shift**2],
            "needed": needed,
            "boards": [float(np.ceil(value)) for value in needed],
        }
    )


def _noncentrality(dof, power, alpha):
    """Return the noncentrality with which chi-square exceeds its fair quantile with that chance."""
    limit = scipy.special.chdtri(dof, alpha)
    high = 1.0
    while scipy.special.chndtr(limit, dof, high) > 1 - power:
        high *= 2
    return scipy.optimize.brentq(
        lambda noncentrality: scipy.special.chndtr(limit, dof, noncentrality) - (1 - power), 0, high
    )


def _as_share(name, value, low):
    """Return a number above `low` and below 1, or say what is wrong with it."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, abstract.Real):
        raise TypeError(f"{name} must be a number above {low:g} and below 1, got {value!r}")
    if not low < value < 1:
        raise ValueError(f"{name} must be above {low:g} and below 1, got {value!r}")
    return float(value)
