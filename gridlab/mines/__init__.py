"""Minesweeper boards: mines placed by every published procedure, numbers, openings, 3BV, files, and the game."""

from .game import FLAG, HIDDEN, HIT, LEVELS, WRONG, Game
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
    "FLAG",
    "HIDDEN",
    "HIT",
    "LEVELS",
    "PLACERS",
    "WRONG",
    "Game",
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
