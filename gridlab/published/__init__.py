"""Published programs as they are, faults included: controls on which a test must find something.

None of them is a generator to use. Each does what a published program does, quirk by
quirk, so that notebooks can show what the quirks lead to and how they are found.
"""

from .grouping import flat_groups
from .growth import frontier, single_moves, would_break
from .placing import PLACERS, insert_short, probe_right, relocate
from .shuffles import SHUFFLES, comparator_merge, comparator_v8, naive_shuffle, round_index, sattolo

__all__ = [
    "PLACERS",
    "SHUFFLES",
    "comparator_merge",
    "comparator_v8",
    "flat_groups",
    "frontier",
    "insert_short",
    "naive_shuffle",
    "probe_right",
    "relocate",
    "round_index",
    "sattolo",
    "single_moves",
    "would_break",
]
