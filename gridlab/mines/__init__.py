"""Minesweeper boards: mines placed by every published procedure, numbers, openings, 3BV, files, and the game."""

from .clues import MINE, bbbv, islands, numbers, openings, reveal
from .files import from_mbf, from_rawvf, load, parse, save, text, to_mbf, to_rawvf
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
    "from_mbf",
    "from_rawvf",
    "insert",
    "islands",
    "load",
    "numbers",
    "opening_mask",
    "openings",
    "parse",
    "partial_shuffle",
    "reject",
    "reveal",
    "save",
    "select",
    "shuffle",
    "swap",
    "text",
    "to_mbf",
    "to_rawvf",
]
