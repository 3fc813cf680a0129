"""Every region with the same chance: how many there are, fair draws, and a chain where no table reaches.

Regions are connected sets of cells of a given area, on an open or a periodic grid, simply
connected where asked (`gridlab.topology` says what that means). `exact` draws them
independently and exactly uniformly from the counts of a transfer matrix, on narrow grids and
in small boxes; `markov` changes a region step by step, on any grid; `method` says which
of the two serves a case, and `gridlab.regions.uniform` takes it.
"""

from .chain import BURN_IN, markov, mixing_steps
from .diagnostics import autocorrelation_time, diagnose, split_rhat
from .transfer import MEMORY, count, exact, forget, method, polyominoes

__all__ = [
    "BURN_IN",
    "MEMORY",
    "autocorrelation_time",
    "count",
    "diagnose",
    "exact",
    "forget",
    "markov",
    "method",
    "mixing_steps",
    "polyominoes",
    "split_rhat",
]
