"""Exact laws: of the growers of regions, and of what places mines, published procedures included."""

from .growers import (
    GROWERS,
    POLYOMINOES,
    Law,
    dfs,
    distance,
    eden,
    eden_bonds,
    eden_sites,
    frontier,
    table,
    uniform,
    walk,
)
from .mixing import swap_chances, swap_distance, swaps_needed
from .placing import PLACERS, Moments, collide_moments, reject_draws
from .shuffles import SHUFFLES, Orders

__all__ = [
    "GROWERS",
    "PLACERS",
    "POLYOMINOES",
    "SHUFFLES",
    "Law",
    "Moments",
    "Orders",
    "collide_moments",
    "dfs",
    "distance",
    "eden",
    "eden_bonds",
    "eden_sites",
    "frontier",
    "reject_draws",
    "swap_chances",
    "swap_distance",
    "swaps_needed",
    "table",
    "uniform",
    "walk",
]
