"""Minesweeper boards: mines placed by every published procedure, numbers, openings, 3BV, files, and the game."""

from .placers import (
    PLACERS,
    as_cell,
    as_safe,
    collide,
    floyd,
    insert,
    opening_mask,
    partial_shuffle,
    reject,
    select,
    shuffle,
    swap,
)

__all__ = [
    "PLACERS",
    "as_cell",
    "as_safe",
    "collide",
    "floyd",
    "insert",
    "opening_mask",
    "partial_shuffle",
    "reject",
    "select",
    "shuffle",
    "swap",
]
