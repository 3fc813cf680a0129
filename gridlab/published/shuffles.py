"""Published programs that shuffle, none of which makes every order equally likely.

Every one has the signature ``f(n, *, size=None, rng=None)``. It begins with the items 0, 1, …, n − 1
in that order, and says which item each position holds in the end. `gridlab.laws.SHUFFLES`
has their exact laws.

A kernel works on rows, one row an order. What a row holds makes no difference to it: with mines and
free cells for items it places mines, as in `placing`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

from .. import grid
from ..mines import placers
from ..mines.placers import _below

__all__ = [
    "SHUFFLES",
    "comparator_merge",
    "comparator_v8",
    "naive_shuffle",
    "round_index",
    "sattolo",
]


def naive_shuffle(n, *, size=None, rng=None):
    """Swap every item in turn with an item drawn from all n.

    Not uniform from n = 3 on: the n^n ways to draw do not divide evenly among n! orders. With the draw
    from the items not yet placed it would be the shuffle of Fisher and Yates.

    Parameters
    ----------
    n : int
        Number of items, from 1 to 2**30.
    size : int, optional
        Number of orders; one, without a leading axis, by default.
    rng : `numpy.random.Generator` or seed, optional
        Anything `numpy.random.default_rng` accepts.

    Returns
    -------
    ndarray of int64, shape (n,) or (size, n)
        The item at each position.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.
    MemoryError
        If the orders do not fit into memory.

    Notes
    -----
    n draws an order.

    References
    ----------
    .. [1] R. Durstenfeld, "Algorithm 235: Random permutation", Comm. ACM 7 (1964), 420 (what it was to be).

    Examples
    --------
    >>> orders = naive_shuffle(3, size=27_000, rng=0)
    >>> [int((orders == order).all(1).sum()) for order in ([0, 1, 2], [0, 2, 1], [2, 1, 0])]  # 4, 5, 4 of 27
    [4015, 5009, 3988]
    """
    return _orders("naive_shuffle", n, size, rng)


@njit(cache=True)
def _naive_shuffle(rows, n_mines, first, last, words):
    """Do the swaps from `first` to before `last` on each row; at first mine its first `n_mines` cells."""
    for row in rows:
        if first == 0:
            row[:n_mines] = True
        for here in range(first, last):
            other, words = _below(len(row), words)
            row[here], row[other] = row[other], row[here]
    return words


def sattolo(n, *, size=None, rng=None):
    """Go from the last position down, and swap each with one before it, never with itself (Sattolo's algorithm).

    Right for what Sattolo made it for: every cyclic order, in which repeated steps from position to item
    lead through all n, has the chance 1/(n − 1)!. As a shuffle it leaves out all other
    orders, and no item stays in place.

    Parameters
    ----------
    n, size, rng
        As in `naive_shuffle`.

    Returns
    -------
    ndarray of int64, shape (n,) or (size, n)
        The item at each position.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As in `naive_shuffle`.

    Notes
    -----
    n − 1 draws an order.

    References
    ----------
    .. [1] S. Sattolo, "An algorithm to generate a random cyclic permutation", Inform. Process. Lett. 22
       (1986), 315-317.

    Examples
    --------
    >>> np.unique(sattolo(3, size=100, rng=0), axis=0)
    array([[1, 2, 0],
           [2, 0, 1]])
    """
    return _orders("sattolo", n, size, rng)


@njit(cache=True)
def _sattolo(rows, n_mines, first, last, words):
    """Do the swaps from `first` to before `last` on each row; at first mine its first `n_mines` cells."""
    for row in rows:
        if first == 0:
            row[:n_mines] = True
        for end in range(len(row) - 1 - first, len(row) - 1 - last, -1):
            other, words = _below(end, words)
            row[end], row[other] = row[other], row[end]
    return words


def round_index(n, *, size=None, rng=None):
    """Shuffle as Fisher and Yates, but with rounded indices.

    From the last position i down, each is swapped with position ``round(u * i)``, u uniform from 0 to 1. The
    first and the last of these i + 1 positions have half the chance of each between.

    Parameters
    ----------
    n, size, rng
        As in `naive_shuffle`.

    Returns
    -------
    ndarray of int64, shape (n,) or (size, n)
        The item at each position.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As in `naive_shuffle`.

    Notes
    -----
    n − 1 draws an order.

    Examples
    --------
    >>> orders = round_index(3, size=8000, rng=0)
    >>> [int((orders == order).all(1).sum()) for order in ([0, 1, 2], [0, 2, 1])]  # 1, 2 of 8
    [1017, 1997]
    """
    return _orders("round_index", n, size, rng)


@njit(cache=True)
def _round_index(rows, n_mines, first, last, words):
    """Do the swaps from `first` to before `last` on each row; at first mine its first `n_mines` cells.

    Of the 2i halves of intervals between 0 and i, those around an index are rounded to it: one at 0 and at i.
    """
    for row in rows:
        if first == 0:
            row[:n_mines] = True
        for end in range(len(row) - 1 - first, len(row) - 1 - last, -1):
            half, words = _below(2 * end, words)
            other = (half + 1) // 2
            row[end], row[other] = row[other], row[end]
    return words


def comparator_v8(n, *, size=None, rng=None):
    """Sort by a comparator that answers at random, in the way of V8's sort.

    ``array.sort(() => Math.random() - 0.5)`` in Chrome from version 70 and in Node from 11. It counts the
    run the list begins with, rising or falling, and reverses it if it falls; then each further item is
    inserted by binary search. Not uniform: the first items hardly part, and the order given and its
    reverse are the likeliest.

    Parameters
    ----------
    n : int
        Number of items, from 1 to 65536.
    size, rng
        As in `naive_shuffle`.

    Returns
    -------
    ndarray of int64, shape (n,) or (size, n)
        The item at each position.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As in `naive_shuffle`.

    Notes
    -----
    V8 does so with fewer than 64 items. With more it sorts pieces of 32 to 64 in this way and then merges
    them, which this function does not.

    About n log2(n) draws and n²/4 moves an order.

    References
    ----------
    .. [1] S. Zünd, "Getting things sorted in V8", the V8 project's blog, 28 September 2018.

    Examples
    --------
    >>> orders = comparator_v8(3, size=16_000, rng=0)
    >>> [int((orders == order).all(1).sum()) for order in ([0, 1, 2], [0, 2, 1], [2, 1, 0])]  # 6, 1, 5 of 16
    [6005, 1038, 5022]
    """
    return _orders("comparator_v8", n, size, rng)


@njit(cache=True)
def _comparator_v8(rows, n_mines, first, last, words):
    """Sort each row at random, in one step; before that mine its first `n_mines` cells."""
    for row in rows:
        row[:n_mines] = True
        n = len(row)
        run = min(n, 2)
        if n > 1:
            falls, words = _below(2, words)
            while run < n:
                goes_on, words = _below(2, words)
                if not goes_on:
                    break
                run += 1
            if falls:
                for here in range(run // 2):
                    row[here], row[run - 1 - here] = row[run - 1 - here], row[here]
        for end in range(run, n):
            low, high = 0, end
            while low < high:
                middle = (low + high) // 2
                less, words = _below(2, words)
                if less:
                    high = middle
                else:
                    low = middle + 1
            item = row[end]
            for here in range(end, low, -1):
                row[here] = row[here - 1]
            row[low] = item
    return words


def comparator_merge(n, *, size=None, rng=None):
    """Sort by a comparator that answers at random, with merge sort from the top down.

    The list is cut in two halves, the first the shorter one; each is sorted; they are merged, and as
    long as both have items left, a coin decides from which half the next one comes. Not uniform, as n! is not a
    power of two from n = 3 on.

    Parameters
    ----------
    n, size, rng
        As in `naive_shuffle`.

    Returns
    -------
    ndarray of int64, shape (n,) or (size, n)
        The item at each position.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As in `naive_shuffle`.

    Notes
    -----
    At most n log2(n) draws an order.

    Examples
    --------
    >>> orders = comparator_merge(3, size=8000, rng=0)
    >>> [int((orders == order).all(1).sum()) for order in ([0, 1, 2], [2, 1, 0])]  # 2, 1 of 8
    [1949, 1014]
    """
    return _orders("comparator_merge", n, size, rng)


@njit(cache=True)
def _comparator_merge(rows, n_mines, first, last, words):
    """Merge on the levels from `first` to before `last`, from the smallest pieces up; at first mine the first cells.

    No recursion: on each level, the pieces to merge are found by the cuts that lead to them from the whole.
    """
    n = rows.shape[1]
    n_levels = 0
    while 1 << n_levels < n:
        n_levels += 1
    for row in rows:
        if first == 0:
            row[:n_mines] = True
        held = np.empty_like(row)
        for level in range(n_levels - 1 - first, n_levels - 1 - last, -1):
            for piece in range(1 << level):
                low, high = 0, n
                for cut in range(level - 1, -1, -1):
                    if piece >> cut & 1:
                        low = (low + high) // 2
                    else:
                        high = (low + high) // 2
                middle = (low + high) // 2
                held[low:middle] = row[low:middle]
                left, right, here = low, middle, low
                while left < middle and right < high:
                    from_right, words = _below(2, words)
                    if from_right:
                        row[here] = row[right]
                        right += 1
                    else:
                        row[here] = held[left]
                        left += 1
                    here += 1
                while left < middle:
                    row[here] = held[left]
                    left += 1
                    here += 1
    return words


#: The wrong shuffles by name.
SHUFFLES = {f.__name__: f for f in (naive_shuffle, sattolo, round_index, comparator_v8, comparator_merge)}


class _Procedure(NamedTuple):
    """A kernel with its number of steps on n items, what a step costs in draws, and the most items it is fit for."""

    kernel: Callable
    steps: Callable
    cost: Callable = lambda n: 1
    most: int = 2**30


#: What does the work of each of `SHUFFLES`, on items of any kind.
_PROCEDURES = {
    "naive_shuffle": _Procedure(_naive_shuffle, lambda n: n),
    "sattolo": _Procedure(_sattolo, lambda n: max(n - 1, 0)),
    "round_index": _Procedure(_round_index, lambda n: max(n - 1, 0)),
    "comparator_v8": _Procedure(_comparator_v8, lambda n: 1, lambda n: n * (n.bit_length() + n // 64), 2**16),
    "comparator_merge": _Procedure(_comparator_merge, lambda n: max(n - 1, 0).bit_length(), lambda n: n),
}


def _orders(name, n, size, rng):
    """Check the arguments of a shuffle, and run it on orders."""
    do = _PROCEDURES[name]
    n = grid.as_int("n", n, 1, do.most)
    job = placers._Job((1, n), 0, None, 0, rng)
    job.size = size
    number = 1 if size is None else grid.as_int("size", size, 0)
    try:
        job.boards = np.empty((number, n), np.int64)
    except (MemoryError, ValueError):
        gigabytes = number * n * 8 // 10**9
        raise MemoryError(
            f"size must be small enough for memory, got {number}: so many orders of {n} items take {gigabytes} GB"
        ) from None
    step = max(1, placers.DRAWS // n)  # so that an interrupt gets through
    for k in range(0, number, step):
        job.boards[k : k + step] = np.arange(n)
    # with no mines to begin with, a kernel leaves the items as they are
    return job.run(do.kernel, do.steps(n), cost=lambda step: do.cost(n))
