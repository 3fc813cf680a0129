"""What a test of uniformity returns, and what all tests share: the pass, the refusals, Monte Carlo p-values."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .. import grid, mines
from . import sums as passing

__all__ = ["Result"]

#: Boards drawn again and again for a Monte Carlo p-value, so that it is at least 1/1000.
REPLICATES = 999

#: Variance of a sum of whole numbers from which it is taken as continuous: its steps are a tenth of its deviation.
VARIANCE = 100

#: What a result says of it.
MONTE_CARLO = f"Monte Carlo, {REPLICATES} replicates"

#: Cells such draws may have in all; more takes more than seconds.
MONTE_CARLO_CELLS = 2**30


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
    residuals: np.ndarray = field(repr=False)
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
    sums, _ = passing._gather(boards, n_mines, [test], periodic, strict=True)
    return test.judge(sums, rng)


def _result(test, sums, statistic, dof, pvalue, residuals, note=""):
    """Wrap up a judgement."""
    return Result(test, float(statistic), int(dof), float(pvalue), residuals, sums.boards, sums.n_mines, note)


def _monte_carlo(sums, statistic, seen, rng, enough, cost=1.0):
    """Return the shares of batches of as many fair boards with a statistic as low, and as high, the boards' included.

    `statistic` takes boards, and `seen` is what it was; `enough` says what would make this needless.
    """
    if _too_large(sums, cost):
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


def _boards_for(variance):
    """Return from how many boards on the sum over all pairs of them, each of this variance, is taken as continuous."""
    return math.ceil(0.5 + math.sqrt(0.25 + 2 * VARIANCE / variance))


def _too_large(sums, cost=1.0):
    """Whether drawing the boards again and again would take too long."""
    return REPLICATES * sums.boards * sums.n_cells * cost > MONTE_CARLO_CELLS


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


def _cells_map(sums):
    """Return the standardised numbers of boards in which each cell is mined."""
    return _standardised(sums.cells, sums.boards, sums.n_mines / sums.n_cells).reshape(sums.shape)
