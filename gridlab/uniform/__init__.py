"""Exactly uniform regions: how many there are, and each with the same chance."""

from .transfer import MEMORY, count, exact, method, polyominoes

__all__ = ["MEMORY", "count", "exact", "method", "polyominoes"]
