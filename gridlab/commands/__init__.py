"""The longer commands of the command line; `gridlab.__main__` has the table of all, and the shorter ones."""

__all__ = []
