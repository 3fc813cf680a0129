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

__all__ = [
    "GROWERS",
    "POLYOMINOES",
    "Law",
    "dfs",
    "distance",
    "eden",
    "eden_bonds",
    "eden_sites",
    "frontier",
    "table",
    "uniform",
    "walk",
]
