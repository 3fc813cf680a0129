"""Minesweeper boards: mines placed by every published procedure, numbers, openings, 3BV, files, and the game."""

from .clues import MINE, bbbv, islands, numbers, openings, reveal
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
    "MINE",
    "PLACERS",
    "WRONG",
    "Game",
    "as_cell",
    "as_safe",
    "bbbv",
    "collide",
    "floyd",
    "insert",
    "islands",
    "numbers",
    "opening_mask",
    "openings",
    "partial_shuffle",
    "reject",
    "reveal",
    "select",
    "shuffle",
    "swap",
]
