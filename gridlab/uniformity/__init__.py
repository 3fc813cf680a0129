"""Tests of uniformity: whether every set of mines of a board is equally likely.

Each test takes a batch of boards or a stream of batches, in memory that does not grow with their number,
and returns a `Result` with residuals that say where the fault lies. `report` runs them all in one pass.
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
