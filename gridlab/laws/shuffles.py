"""Exact laws of shuffles, right and wrong: the chance of every order, as a fraction.

What a shuffle does to the items does not depend on what they are. So a law is worked out on any
items, such as the numbers 0 to n − 1, or mines and free cells, of which there are far fewer
arrangements: step by step, adding up the ways that lead to the same arrangement. Only whole numbers are
multiplied and added; `fractions.Fraction` comes in at the end.
"""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product

import numpy as np

from .. import grid

__all__ = [
    "SHUFFLES",
    "Orders",
    "comparator_merge",
    "comparator_v8",
    "fisher_yates",
    "naive_shuffle",
    "round_index",
    "sattolo",
    "swaps",
]

#: The most items of which all orders are listed: 5040 of them.
MOST_ITEMS = 7


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """The chance of every order of some items.

    Parameters
    ----------
    orders : ndarray of int64, shape (n!, n)
        All orders of the items 0 to n − 1, from 0, 1, …, n − 1 on as in a dictionary: the item at each position.
    chances : tuple of Fraction
        The chance of each; the sum is 1. Some may be 0.
    """

    orders: np.ndarray
    chances: tuple

    @property
    def distance(self):
        """Total variation from the uniform law, as a Fraction from 0 to 1."""
        return sum(abs(chance - Fraction(1, len(self.chances))) for chance in self.chances) / 2


def fisher_yates(n):
    """Compute the law of the shuffle of Fisher and Yates, which is the uniform one.

    From the last position down, each is swapped with one up to it.

    Parameters
    ----------
    n : int
        Number of items, from 1 to 7.

    Returns
    -------
    Orders
        Every order and its chance.

    Raises
    ------
    TypeError, ValueError
        If `n` is of a wrong type or out of its range.

    Notes
    -----
    Some 10 ms for n up to 6; with 7, a second for `swaps`, and less for each other law.

    References
    ----------
    .. [1] R. Durstenfeld, "Algorithm 235: Random permutation", Comm. ACM 7 (1964), 420.

    Examples
    --------
    >>> fisher_yates(3).orders
    array([[0, 1, 2],
           [0, 2, 1],
           [1, 0, 2],
           [1, 2, 0],
           [2, 0, 1],
           [2, 1, 0]])
    >>> set(fisher_yates(5).chances)
    {Fraction(1, 120)}
    """
    return _orders(_fisher_yates, n)


def _fisher_yates(items):
    """Return the law of what becomes of some items."""
    return _swapped(items, [[(end, other) for other in range(end + 1)] for end in _down(items)])


def naive_shuffle(n):
    """Compute the law of `published.naive_shuffle`.

    Parameters
    ----------
    n : int
        As in `fisher_yates`.

    Returns
    -------
    Orders
        Every order and its chance.

    Raises
    ------
    TypeError, ValueError
        As in `fisher_yates`.

    Examples
    --------
    >>> [int(chance * 27) for chance in naive_shuffle(3).chances]
    [4, 5, 5, 5, 4, 4]
    """
    return _orders(_naive_shuffle, n)


def _naive_shuffle(items):
    """Return the law of what becomes of some items."""
    return _swapped(items, [[(here, other) for other in range(len(items))] for here in range(len(items))])


def sattolo(n):
    """Compute the law of `published.sattolo`.

    Parameters
    ----------
    n : int
        As in `fisher_yates`.

    Returns
    -------
    Orders
        Every order and its chance.

    Raises
    ------
    TypeError, ValueError
        As in `fisher_yates`.

    Examples
    --------
    >>> [int(chance * 2) for chance in sattolo(3).chances]
    [0, 0, 0, 1, 1, 0]
    """
    return _orders(_sattolo, n)


def _sattolo(items):
    """Return the law of what becomes of some items."""
    return _swapped(items, [[(end, other) for other in range(end)] for end in _down(items)])


def round_index(n):
    """Compute the law of `published.round_index`.

    Parameters
    ----------
    n : int
        As in `fisher_yates`.

    Returns
    -------
    Orders
        Every order and its chance.

    Raises
    ------
    TypeError, ValueError
        As in `fisher_yates`.

    Examples
    --------
    >>> [int(chance * 8) for chance in round_index(3).chances]
    [1, 2, 1, 1, 2, 1]
    """
    return _orders(_round_index, n)


def _round_index(items):
    """Return the law of what becomes of some items: each of 2i half intervals is rounded to one of its ends."""
    return _swapped(items, [[(end, (half + 1) // 2) for half in range(2 * end)] for end in _down(items)])


def swaps(n):
    """Compute the law of n swaps of two items, each drawn from all n, possibly the same.

    Parameters
    ----------
    n : int
        As in `fisher_yates`.

    Returns
    -------
    Orders
        Every order and its chance.

    Raises
    ------
    TypeError, ValueError
        As in `fisher_yates`.

    See Also
    --------
    swap_distance : What becomes of mines under any number of swaps.

    References
    ----------
    .. [1] P. Diaconis and M. Shahshahani, "Generating a random permutation with random
       transpositions", Z. Wahrscheinlichkeitstheorie verw. Gebiete 57 (1981), 159-179.

    Examples
    --------
    >>> [int(chance * 81) for chance in swaps(3).chances]
    [15, 14, 14, 12, 12, 14]
    """
    return _orders(_swaps, n)


def _swaps(items):
    """Return the law of what becomes of some items."""
    pairs = list(product(range(len(items)), repeat=2))
    return _swapped(items, [pairs] * len(items))


def comparator_v8(n):
    """Compute the law of `published.comparator_v8`.

    Parameters
    ----------
    n : int
        As in `fisher_yates`.

    Returns
    -------
    Orders
        Every order and its chance.

    Raises
    ------
    TypeError, ValueError
        As in `fisher_yates`.

    Examples
    --------
    >>> [int(chance * 16) for chance in comparator_v8(3).chances]
    [6, 1, 2, 1, 1, 5]
    """
    return _orders(_comparator_v8, n)


def _comparator_v8(items):
    """Return the law of what becomes of some items.

    A first run of k items takes k − 1 answers that are alike, and of the last item but one on, one that is not: 2^−k
    for a rising one and for a falling one, and twice that for a run of all.
    """
    n = len(items)
    if n < 2:
        return {items: Fraction(1)}
    ways, total = defaultdict(int), 1 << n
    for k in range(2, n + 1):
        for run in (items[:k], items[k - 1 :: -1]):
            ways[run] += total >> (k if k < n else n - 1)
        if k < n:
            gaps = _binary_search(0, k)
            following = defaultdict(int)
            for row, number in ways.items():
                for gap, share in enumerate(gaps):
                    following[(*row[:gap], items[k], *row[gap:])] += number * share
            ways, total = following, total * sum(gaps)
    return {row: Fraction(number, total) for row, number in ways.items()}


def _binary_search(low, high, share=None):
    """Return for every gap from `low` to `high` how often a search led by coins ends there, of a power of two."""
    share = 1 << (high - low).bit_length() if share is None else share
    if low == high:
        return [share]
    middle = (low + high) // 2
    return _binary_search(low, middle, share // 2) + _binary_search(middle + 1, high, share // 2)


def comparator_merge(n):
    """Compute the law of `published.comparator_merge`.

    Parameters
    ----------
    n : int
        As in `fisher_yates`.

    Returns
    -------
    Orders
        Every order and its chance.

    Raises
    ------
    TypeError, ValueError
        As in `fisher_yates`.

    Examples
    --------
    >>> [int(chance * 8) for chance in comparator_merge(3).chances]
    [2, 2, 1, 1, 1, 1]
    """
    return _orders(_comparator_merge, n)


def _comparator_merge(items):
    """Return the law of what becomes of some items."""
    ways, total = _merge_sorted(items)
    return {row: Fraction(number, total) for row, number in ways.items()}


def _merge_sorted(items):
    """Return the ways to each arrangement, and the sum of them: of both halves, and of the coins that merge them."""
    if len(items) < 2:
        return {items: 1}, 1
    middle = len(items) // 2
    (left_ways, left_total), (right_ways, right_total) = _merge_sorted(items[:middle]), _merge_sorted(items[middle:])
    ways = defaultdict(int)
    for (left, n_left), (right, n_right) in product(left_ways.items(), right_ways.items()):
        for row, share in _merged(left, right).items():
            ways[row] += n_left * n_right * share
    return ways, left_total * right_total << len(items)


def _merged(left, right):
    """Return how often coins merge two rows into each arrangement, of 2 to the number of items."""
    open_ways = {((), 0): 1 << len(left) + len(right)}  # of what is merged, and how many of it are from the left
    ways = defaultdict(int)
    while open_ways:
        following = defaultdict(int)
        for (row, i), number in open_ways.items():
            j = len(row) - i
            if i == len(left) or j == len(right):
                ways[row + left[i:] + right[j:]] += number
            else:
                following[(*row, left[i]), i + 1] += number // 2
                following[(*row, right[j]), i] += number // 2
        open_ways = following
    return ways


#: The laws by name: of the right shuffle, of `published.SHUFFLES`, and of n swaps.
SHUFFLES = {
    f.__name__: f for f in (fisher_yates, naive_shuffle, sattolo, round_index, comparator_v8, comparator_merge, swaps)
}

#: The same on any items: functions of a tuple of these, to {arrangement: Fraction}.
ON_ITEMS = {
    "fisher_yates": _fisher_yates,
    "naive_shuffle": _naive_shuffle,
    "sattolo": _sattolo,
    "round_index": _round_index,
    "comparator_v8": _comparator_v8,
    "comparator_merge": _comparator_merge,
    "swaps": _swaps,
}


def _orders(law, n):
    """Check a number of items, and list the law of their orders."""
    n = grid.as_int("n", n, 1, MOST_ITEMS)
    chances = law(tuple(range(n)))
    orders = list(permutations(range(n)))
    return Orders(np.array(orders), tuple(chances.get(order, Fraction(0)) for order in orders))


def _down(items):
    """Return the positions from the last to the second."""
    return range(len(items) - 1, 0, -1)


def _swapped(items, steps):
    """Return the law of what becomes of items by steps, each a list of swaps that are equally likely."""
    ways, total = {items: 1}, 1
    for swaps in steps:
        following = defaultdict(int)
        for row, number in ways.items():
            for one, other in swaps:
                moved = list(row)
                moved[one], moved[other] = row[other], row[one]
                following[tuple(moved)] += number
        ways, total = following, total * len(swaps)
    return {row: Fraction(number, total) for row, number in ways.items()}
