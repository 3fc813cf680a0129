"""Panels: controls at the left, and at the right the picture they lead to.

A panel connects widgets to functions of the other modules and holds no algorithm.
`Panel` is the layout and the loop every panel shares; a panel is one function, which
makes the controls and says how to read them, compute and draw. `Started` is one whose
work takes seconds, and so begins and ends at a button. A game has a loop of its own,
`Minesweeper` and `Match3`, in the same layout.
"""

from .growth import HOLES, regions
from .matching import Match3, match3
from .panel import PICTURE, Panel
from .placing import swaps, uniformity
from .play import Minesweeper, minesweeper
from .speed import benchmark
from .started import Started

__all__ = [
    "HOLES",
    "PICTURE",
    "Match3",
    "Minesweeper",
    "Panel",
    "Started",
    "benchmark",
    "match3",
    "minesweeper",
    "regions",
    "swaps",
    "uniformity",
]
