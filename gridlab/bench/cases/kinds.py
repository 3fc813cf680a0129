"""A work to be timed, and those who do it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

__all__ = ["Contender", "Work"]


@dataclass(frozen=True, slots=True, eq=False)
class Contender:
    """A way to do a work.

    Attributes
    ----------
    package : str
        The distribution that does it, as the package index has it, or "Python".
    how : str
        By which function, in words that follow the package's name.
    items : int
        Items of one timed call.
    call : callable
        ``call(given, items)`` does that many; ``call(module, given, items)`` where there is a `module`.
    module : str
        What to import, of a package that gridlab does not require.
    prepare : callable, optional
        ``prepare(given, items)``, or with the module in front, makes the input for `call`, outside the clock.
    answer : callable, optional
        Of what `call` returns, what must be the same for all, an item each; None if nothing must.
    reach : float, optional
        Of a peer: gridlab shall be so many times as fast.
    note : str
        What to know when reading the ratio.
    """

    package: str
    how: str
    items: int
    call: Callable
    module: str = ""
    prepare: Callable | None = None
    answer: Callable | None = np.asarray
    reach: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """Something to be done, by gridlab and by its peers.

    Attributes
    ----------
    what : str
        The work in words, with the sizes as fields to be filled in.
    unit : str
        What is counted, in the plural.
    make : callable
        ``make(rng, items, **sizes)`` gives the input, enough for so many items.
    sizes, tiny : dict of str to int
        The sizes, and some for the tests.
    ours : Contender
        How gridlab does it.
    peers : tuple of Contender
        How others do it, or gridlab on another input.
    full : dict of str to int, optional
        The sizes of the longer version, if there is one.
    reach : float, optional
        Items a second that gridlab shall do.
    note : str
        What to know when reading the rate.
    """

    what: str
    unit: str
    make: Callable
    sizes: dict
    tiny: dict
    ours: Contender
    peers: tuple = ()
    full: dict = field(default_factory=dict)
    reach: float | None = None
    note: str = ""
