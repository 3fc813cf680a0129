"""Exactly uniform regions: how many there are, and each with the same chance."""

__all__ = []
