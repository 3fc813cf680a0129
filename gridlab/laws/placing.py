"""Exact laws of placing mines: the chance of every board, as a fraction, and moments of what may go wrong.

A law of `PLACERS` lists all boards with that many mines, also those its placer does not make, in the
same order for all: so two are compared by their chances alone, by `distance` or `table`. A board is a region
here, that of its mines. Below n is the number of cells that are not safe, m that of the mines.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from .. import grid
from ..mines import as_safe
from . import shuffles
from .growers import Law
from .mixing import _as_board

__all__ = [
    "PLACERS",
    "Moments",
    "collide_moments",
    "fair",
    "insert_short",
    "probe_right",
    "reject_draws",
    "relocate",
    "swap",
]

#: The most boards of a law, the most cells of the law of a shuffle, the most swaps, and the most cells for moments.
MOST_BOARDS, MOST_SHUFFLED, MOST_SWAPS, MOST_CELLS = 10**5, 16, 2000, 10**7


@dataclass(frozen=True, slots=True)
class Moments:
    """What is to be known of a random number of mines or draws.

    Parameters
    ----------
    mean, variance : float
        Of the number.
    exact : float
        The chance that it is just the number of mines that were asked for.
    """

    mean: float
    variance: float
    exact: float


def collide_moments(n_cells, n_mines):
    """Compute how many mines `mines.collide` leaves of those asked for.

    Parameters
    ----------
    n_cells : int
        Number of cells n that may be mined, from 1 to 10**7.
    n_mines : int
        Number of mines m asked for, from 0 to `n_cells`.

    Returns
    -------
    Moments
        Of the number of mines. As boards are uniform given that number, 1 − `exact` is the total variation
        from the uniform law.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Notes
    -----
    With q = (1 − 1/n)^m the chance that a cell is missed, and r = (1 − 2/n)^m that two are: the mean is n(1 − q), the
    variance nq(1 − q) + n(n − 1)(r − q²), the chance of all mines n(n−1)…(n−m+1)/n^m.

    Examples
    --------
    >>> moments = collide_moments(480, 99)
    >>> round(moments.mean, 2), round(moments.variance, 2), round(moments.exact * 1e5, 2)
    (89.54, 7.21, 1.89)
    """
    n, m = _as_board(n_cells, n_mines, MOST_CELLS)
    if n == 1:
        return Moments(float(m), 0.0, 1.0)
    hit = -math.expm1(m * math.log1p(-1 / n))
    missed = 1 - hit
    # (1 − 2/n)/(1 − 1/n)² = 1 − 1/(n − 1)², which is 0 for two cells
    both = missed**2 * (math.expm1(m * math.log1p(-1 / (n - 1) ** 2)) if n > 2 else (-1 if m else 0))
    variance = n * missed * hit + n * (n - 1) * both
    return Moments(n * hit, max(0.0, variance), _no_repeat(n, m))


def reject_draws(n_cells, n_mines):
    """Compute how many cells `mines.reject` draws, those that are mined already included.

    Parameters
    ----------
    n_cells, n_mines
        As in `collide_moments`.

    Returns
    -------
    Moments
        Of the number of draws.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Notes
    -----
    With i cells mined, a draw hits a free one with chance (n − i)/n. So the mean is the sum of n/(n − i) for i from 0
    to m − 1, at most n(ln n + 1), and the variance that of n·i/(n − i)².

    Examples
    --------
    >>> moments = reject_draws(100, 99)
    >>> round(moments.mean, 1), round(moments.variance ** 0.5, 1)
    (418.7, 77.0)
    """
    n, m = _as_board(n_cells, n_mines, MOST_CELLS)
    mined = np.arange(m)
    free = float(n) - mined
    return Moments(float((n / free).sum()), float((n * mined / free**2).sum()), _no_repeat(n, m))


def _no_repeat(n, m):
    """Return the chance that m cells drawn from n are different."""
    return math.exp(np.log1p(-np.arange(m) / n).sum())


def fair(shape, n_mines, *, safe=None):
    """Compute the uniform law, that of the placers that are right.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the board.
    n_mines : int
        Mines, from 0 to the number of cells that are not safe, and so that there are at most 100000 boards.
    safe : array_like of bool, shape (rows, cols), or list of cells, optional
        Cells that stay free, as in `gridlab.mines.collide`.

    Returns
    -------
    Law
        Every board with so many mines as a region, and its chance. The boards are in the order of
        `itertools.combinations` of the cells that are not safe.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Notes
    -----
    Some µs a board.

    Examples
    --------
    >>> law = fair((2, 2), 1, safe=[(1, 1)])
    >>> law.regions.astype(int).reshape(3, 4).tolist(), [str(chance) for chance in law.chances]
    ([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], ['1/3', '1/3', '1/3'])
    """
    boards = _Boards(shape, n_mines, safe)
    return boards.law([Fraction(1, boards.number)] * boards.number)


def swap(shape, n_mines, *, swaps=100, safe=None):
    """Compute the law of `mines.swap`.

    Parameters
    ----------
    shape, n_mines, safe
        As in `fair`.
    swaps : int
        Number of swaps, from 0 to 2000.

    Returns
    -------
    Law
        Every board and its chance.

    Raises
    ------
    TypeError, ValueError
        As in `fair`.

    See Also
    --------
    swap_distance : The distance of this law from the uniform one, on boards of any size.

    Examples
    --------
    >>> [str(chance) for chance in swap((1, 3), 1, swaps=1).chances]
    ['5/9', '2/9', '2/9']
    """
    swaps = grid.as_int("swaps", swaps, 0, MOST_SWAPS)
    boards = _Boards(shape, n_mines, safe)
    n, m = boards.n, boards.m
    # The ways to have h mines left in the start region, as in `mixing`.
    ways = {m: 1}
    for _ in range(swaps):
        following = dict.fromkeys(range(max(0, 2 * m - n), m + 1), 0)
        for h, number in ways.items():
            rise, fall = 2 * (m - h) ** 2, 2 * h * (n - 2 * m + h)
            for change, share in ((1, rise), (-1, fall), (0, n * n - rise - fall)):
                if share:
                    following[h + change] += number * share
        ways = following
    each = {
        h: Fraction(number, max(n, 1) ** (2 * swaps) * math.comb(m, h) * math.comb(n - m, m - h))
        for h, number in ways.items()
    }
    return boards.law(each.get(sum(mine < m for mine in mines), Fraction(0)) for mines in boards.sets)


def insert_short(shape, n_mines, *, safe=None):
    """Compute the law of `published.insert_short`.

    Parameters
    ----------
    shape, n_mines, safe
        As in `fair`.

    Returns
    -------
    Law
        Every board and its chance.

    Raises
    ------
    TypeError, ValueError
        As in `fair`.

    Examples
    --------
    >>> [str(chance) for chance in insert_short((1, 3), 1).chances]
    ['1/2', '1/2', '0']
    """
    boards = _Boards(shape, n_mines, safe)
    n, m = boards.n, boards.m
    # The last mine comes to any of the first n − 1 places. The one before came to any of the n − 2 first ones of a list
    # of n − 1, and these are the places left: so it is with each, back to the first. The last place is never taken.
    if m == n:
        return boards.law([Fraction(1)])
    share = Fraction(1, math.comb(n - 1, m))
    return boards.law(Fraction(0) if n - 1 in mines else share for mines in boards.sets)


def probe_right(shape, n_mines, *, safe=None):
    """Compute the law of `published.probe_right`.

    Parameters
    ----------
    shape, n_mines, safe
        As in `fair`.

    Returns
    -------
    Law
        Every board and its chance.

    Raises
    ------
    TypeError, ValueError
        As in `fair`.

    Notes
    -----
    With runs of a, b, … mines from one free cell round to the next: m! (a + 1)^(a − 1)/a! (b + 1)^(b − 1)/b! … / n^m.

    References
    ----------
    .. [1] D. E. Knuth, "The Art of Computer Programming", vol. 3, 2nd ed. (1998), 6.4.

    Examples
    --------
    >>> [str(chance) for chance in probe_right((1, 4), 2).chances]
    ['3/16', '1/8', '3/16', '3/16', '1/8', '3/16']
    """
    boards = _Boards(shape, n_mines, safe)
    n, m = boards.n, boards.m
    if m == n:
        return boards.law([Fraction(1)])

    def ways(mines):
        # To fill a run of a cells and leave the next one free, a mines are drawn for it, in (a + 1)^(a − 1) ways: of
        # the (a + 1)^a ways to draw from a circle of a + 1 cells, as many leave one of them free as any other.
        free = [cell for cell in range(n) if cell not in mines]
        runs = [(there - here - 1) % n for here, there in zip(free, [*free[1:], free[0]])]
        number = math.factorial(m)
        for run in runs:
            number //= math.factorial(run)
        return number * math.prod((run + 1) ** max(run - 1, 0) for run in runs)

    return boards.law(Fraction(ways(set(mines)), n**m) for mines in boards.sets)


def relocate(shape, n_mines, *, safe=None):
    """Compute the law of `published.relocate`.

    Parameters
    ----------
    shape, n_mines, safe
        As in `fair`: the cells from which mines are moved.

    Returns
    -------
    Law
        Every board and its chance.

    Raises
    ------
    TypeError, ValueError
        As in `fair`.

    Examples
    --------
    >>> [str(chance) for chance in relocate((1, 4), 1, safe=[3]).chances]
    ['1/2', '1/4', '1/4']
    """
    boards = _Boards(shape, n_mines, safe)
    n, m, n_safe = boards.n, boards.m, boards.n_safe

    def run(mines):
        return next((place for place, mine in enumerate(mines) if mine != place), m)

    # Which boards end as this one? Those with k of its mines on k of the s safe cells instead, if these k mines
    # are where the first k free cells were: if they are any k of the r mines before the first free cell. The sum of
    # C(s, k) C(r, k) over k is C(s + r, s).
    total = math.comb(n + n_safe, m)
    return boards.law(Fraction(math.comb(n_safe + run(mines), n_safe), total) for mines in boards.sets)


def _shuffled(name):
    """Make the law of a placer that shuffles: mines are the first items."""

    def law(shape, n_mines, *, safe=None):
        boards = _Boards(shape, n_mines, safe)
        grid.as_int("number of cells that are not safe", boards.n, 0, MOST_SHUFFLED, where=f" for the law of {name}")
        rows = shuffles.ON_ITEMS[name]((True,) * boards.m + (False,) * (boards.n - boards.m))
        chances = {tuple(np.flatnonzero(row).tolist()): chance for row, chance in rows.items()}
        return boards.law(chances.get(mines, Fraction(0)) for mines in boards.sets)

    law.__name__ = law.__qualname__ = name
    law.__doc__ = f"""Compute the law of the placer that shuffles by `published.{name}`.

    Parameters, result and errors are those of `fair`, with at most {MOST_SHUFFLED} cells that are not safe.
    """
    return law


#: The laws by name of the placer, of `mines` (but `collide`, which does not place all mines) and of `published`.
PLACERS = {
    **dict.fromkeys(("reject", "insert", "shuffle", "partial_shuffle", "floyd", "select"), fair),
    "swap": swap,
    **{
        name: _shuffled(name)
        for name in ("naive_shuffle", "sattolo", "round_index", "comparator_v8", "comparator_merge")
    },
    "insert_short": insert_short,
    "probe_right": probe_right,
    "relocate": relocate,
}


class _Boards:
    """All boards of some cells with a number of mines, as sets of places in the list of cells that are not safe."""

    def __init__(self, shape, n_mines, safe):
        self.shape = grid.as_shape(shape)
        self.cells = np.flatnonzero(~as_safe(self.shape, safe))
        self.n = len(self.cells)
        self.n_safe = self.shape[0] * self.shape[1] - self.n
        where = f" on {self.n} cells that are not safe"
        self.m = grid.as_int("n_mines", n_mines, 0, self.n, where=where)
        self.number = math.comb(self.n, self.m)
        if self.number > MOST_BOARDS or self.number * (self.n + self.n_safe) > 100 * MOST_BOARDS:
            raise ValueError(
                f"n_mines must be such that there are at most {MOST_BOARDS} boards with {100 * MOST_BOARDS} cells, "
                f"got {self.m}: there are {self.number} boards{where}; try a smaller shape, or fewer or more mines"
            )
        self.sets = list(combinations(range(self.n), self.m))

    def law(self, chances):
        """Return the law with these chances of the sets."""
        boards = np.zeros((self.number, self.shape[0] * self.shape[1]), bool)
        np.put_along_axis(boards, self.cells[np.array(self.sets, np.int64).reshape(self.number, self.m)], True, axis=1)
        return Law(boards.reshape(-1, *self.shape), tuple(chances), self.shape)
