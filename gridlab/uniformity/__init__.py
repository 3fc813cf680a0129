"""Tests of uniformity: whether every set of mines of a board is equally likely.

Each test takes a batch of boards or a stream of batches, in memory that does not grow with their number,
and returns a `Result` with residuals that say where the fault lies. `report` runs them all in one pass.
"""

from .reports import power, progress, report
from .statistics import Result, cells, count, joins, numbers, pairs, runs, start_region, subsets

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
