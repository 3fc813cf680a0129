"""Match-3 boards: what clears, what falls, what can be swapped, and boards of a known law.

A board is an array of colours from 0 on, -1 on an empty cell. Two rules of play are in use.
By ``rule="lines"`` runs of at least `length` equal cells in a row or a column clear, by
``rule="groups"`` groups of at least `length` equal cells joined by edges. A board on which
nothing clears is *settled*; one on which swapping two neighbours clears something is
*movable*.
"""

from .arrangements import reshuffle
from .boards import board
from .cascades import Cascade, Stage, cascade, clear, fall, refill, stages
from .game import Game
from .pictures import parse, text
from .rules import is_movable, is_settled, matches, moves

__all__ = [
    "Cascade",
    "Game",
    "Stage",
    "board",
    "cascade",
    "clear",
    "fall",
    "is_movable",
    "is_settled",
    "matches",
    "moves",
    "parse",
    "refill",
    "reshuffle",
    "stages",
    "text",
]
