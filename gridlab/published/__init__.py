"""Published programs as they are, faults included: controls on which a test must find something.

None of them is a generator to use. Each does what a published program does, quirk by
quirk, so that notebooks can show what the quirks lead to and how they are found.
"""

from .growth import frontier, single_moves, would_break

__all__ = ["frontier", "single_moves", "would_break"]
