"""Minesweeper boards: mines placed by every published procedure, numbers, openings, 3BV, files, and the game."""

__all__ = []
