"""Match-3 boards: what clears, what falls, what can be swapped, and boards of a known law.

A board is an array of colours from .pictures import parse, text
from .rules import is_movable, is_settled, matches, moves

__all__ = ["is_movable", "is_settled", "matches", "moves", "parse", "text"]
