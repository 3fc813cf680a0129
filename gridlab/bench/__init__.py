"""Speed that a reader can measure again: timings, ratios and slopes with intervals, and the peers.

A single timing says little on a machine that does other things too. So calls take turns, every round
in the opposite order of the last, and what is compared are the times of one round: `ratio` of two calls,
`exponent` of a power of the size, `crossings` where one call overtakes another. Each has an interval that
holds whatever the law of the noise, as long as the rounds are alike.
"""

from .cases import WORKS, Contender, Work
from .cold import FIRST_CALLS, first_use
from .contenders import CONTENDERS, contenders, steps
from .fits import compare, crossings, exponent, ratio
from .peers import peers, rounds
from .records import load, machine, save
from .timings import summary, time_calls
from .words import amount, changes, told, verdict

__all__ = [
    "CONTENDERS",
    "FIRST_CALLS",
    "WORKS",
    "Contender",
    "Work",
    "amount",
    "changes",
    "compare",
    "contenders",
    "crossings",
    "exponent",
    "first_use",
    "load",
    "machine",
    "peers",
    "ratio",
    "rounds",
    "save",
    "steps",
    "summary",
    "time_calls",
    "told",
    "verdict",
]
