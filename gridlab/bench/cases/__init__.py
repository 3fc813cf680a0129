"""What is timed beside other software: one row a work, with everyone who does it.

To add a row is to add a `Work` to the table `WORKS` of `growth`, `placing` or `colours`: words for it, the sizes, a
function that makes the input, gridlab's way to do it and those of its peers. A way is a `Contender`, whose
``call(given, items)`` does so many items of the input; that of a package that gridlab does not require has the
imported module in front, ``call(module, given, items)``, since it may not be there. The answers of all ways are
compared before any is timed. The command line, notebook 10 and the tests loop over the table, and `tiny` sizes are
for the tests: they must take next to no time, uncompiled too.

Where it pleases a peer, its input is made ready for it outside the clock, by `prepare`. What is left out of
the comparison is said in a note.
"""

from . import colours, growth, placing
from .kinds import Contender, Work

__all__ = ["WORKS", "Contender", "Work"]

#: What is timed, by name: the part of gridlab, a dot, and a word.
WORKS = growth.WORKS | placing.WORKS | colours.WORKS
