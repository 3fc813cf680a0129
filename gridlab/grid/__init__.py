"""Grids as text and as arrays, their cells' neighbours, and the checks every module shares.

One convention everywhere: arrays are ``(..., rows, cols)``, row 0 on top, and leading
axes are a batch. A flat index counts cells in row-major order.

Kernels do not ask whether a grid is open or periodic. They work on the grid framed by
one cell on every side, where a step in a direction is one added number (`padded`), and
ask ``home`` where a step off the grid leads: round the torus, or against the wall.
"""

from .cells import RING, WALL, neighbours, padded
from .checks import as_cell, as_grids, as_int, as_masks, as_rng, as_shape, batch, empty, pieces, plain
from .pictures import crop, parse, text

__all__ = [
    "RING",
    "WALL",
    "as_cell",
    "as_grids",
    "as_int",
    "as_masks",
    "as_rng",
    "as_shape",
    "batch",
    "crop",
    "empty",
    "neighbours",
    "padded",
    "parse",
    "pieces",
    "plain",
    "text",
]
