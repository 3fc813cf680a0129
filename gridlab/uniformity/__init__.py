"""Tests of uniformity: whether every set of mines of a board is equally likely.

Each test takes a batch of boards or a stream of batches, in memory that does not grow with their number,
and returns a `Result` with residuals that say where the fault lies. `report` runs them all in one pass.

What each asks::

    count          Has every board m mines?
    cells          Is every cell mined equally often?
    pairs          Is every pair of cells, given how often each cell is?
    subsets        Is every set of m cells, on boards small enough?
    joins          Are neighbours mined together as often as they should be? Above 0: mines cluster.
    runs           Are there as many runs of mines and of free cells, row by row? Below 0: mines cluster.
    numbers        Does a free cell show each number as often as it should?
    start_region   Are there too many mines in the first m cells? Too few are not its question.

No p-value says that boards are fair: a test finds a fault, if its p-value is small, or does not.

Notation: n cells, m mines, p = m/n, T boards; N_i of them have a mine in cell i, N_ij in both i and j; cell i has d_i
neighbours; (n)_k = n (n − 1) … (n − k + 1) is a falling factorial, and a_k = (m)_k / (n)_k the chance
that k given cells are all mined. A board is *fair* if every set of m cells is equally likely.
"""

from .linear import count, joins, numbers, runs, start_region
from .quadratic import cells, pairs, subsets
from .reports import power, progress, report
from .results import Result

__all__ = [
    "Result",
    "cells",
    "count",
    "joins",
    "numbers",
    "pairs",
    "power",
    "progress",
    "report",
    "runs",
    "start_region",
    "subsets",
]
