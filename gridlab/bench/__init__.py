"""Speed that a reader can measure again: timings, ratios and slopes with intervals, and the peers.

A single timing says little on a machine that does other things too. So calls take turns, every round
in the opposite order of the last, and what is compared are the times of one round: `ratio` of two calls,
`exponent` of a power of the size, `crossings` where one call overtakes another. Each has an interval that
holds whatever the law of the noise, as long as the rounds are alike.
"""

from .fits import crossings, exponent, ratio
from .records import compare, load, machine, save
from .timings import summary, time_calls

__all__ = [
    "compare",
    "crossings",
    "exponent",
    "load",
    "machine",
    "ratio",
    "save",
    "summary",
    "time_calls",
]
