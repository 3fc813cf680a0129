"""Ways to place mines, each in the languages and libraries that people use.

Every contender has the signature ``f(n_cells, n_mines, rng=None)`` and returns one board, a list or a
flat array with exactly `n_mines` cells that are true. All sets of that many cells are equally likely: they
differ in nothing but time. Below n is the number of cells and m that of the mines.

=============== ================================================== ============================= =================
procedure       how                                                draws                         other steps
=============== ================================================== ============================= =================
insertion       a list of the free cells; each mine into a gap     m                             n·m: moves
rejection       a random cell, another one if it is mined          n/n + n/(n−1) + … + n/(n−m+1) n: the empty board
shuffle         mines first, then all cells by Fisher and Yates    n − 1                         n: swaps
partial shuffle the list of all cells, until m have come out       m                             n: the list
Floyd           for each of the last m cells one up to it, or      m                             n: the empty board
                itself if that is mined
selection       each cell in turn, with the chance that is due     n                             none
sample          the library's own, which chooses a procedure       m or some more                n: the empty board
=============== ================================================== ============================= =================

`steps` has these numbers for a board. After the procedure a name says in what it is done:

- *list*: a loop in Python on a list of 0 and 1, with ``random.random``.
- *random.shuffle*, *random.sample*: Python's own. ``random.sample`` does a partial shuffle where a list of all cells
  is shorter than the set of those drawn would be, else rejection.
- *numpy*, *numpy choice*: a uint8 array and a `numpy.random.Generator`; insertion moves a slice of the array.
  ``Generator.choice`` without replacement does a partial shuffle above 10,000 cells of which more than a twentieth
  is drawn, else Floyd's algorithm.
- *numba*: the placer of `gridlab.mines`, compiled, on bool arrays.

References
----------
.. [1] D. E. Knuth, "The Art of Computer Programming", vol. 2, 3rd ed. (1997), 3.4.2: shuffle and selection.
.. [2] J. Bentley and B. Floyd, "Programming pearls: a sample of brilliance", Comm. ACM 30 (1987), 754-757.
"""

import functools
import numbers
import random

import numpy as np
import pandas as pd

from .. import grid

__all__ = ["CONTENDERS", "contenders", "steps"]


def contenders(density=0.2, *, names=None, rng=None):
    """Make the contenders ready to be timed, as functions of the size of the board.

    Parameters
    ----------
    density : float
        Share of the cells to mine, from 0 to 1. A board of n cells gets ``round(density * n)`` mines.
    names : iterable of str, optional
        Which of `CONTENDERS`; all by default.
    rng : `numpy.random.Generator` or seed, optional
        Anything `numpy.random.default_rng` accepts.

    Returns
    -------
    dict of str to callable
        By name, in the order of `names`: ``f(n_cells)`` places the mines and returns the board. Each has a random
        generator of its own, made here and not when timed; it is the same whatever the other names are.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range, or a name is not known or there twice.

    Examples
    --------
    >>> calls = contenders(0.25, names=["shuffle, list", "shuffle, numpy"], rng=0)
    >>> {name: int(sum(f(100))) for name, f in calls.items()}
    {'shuffle, list': 25, 'shuffle, numpy': 25}
    """
    if isinstance(density, bool | np.bool_) or not isinstance(density, numbers.Real):
        raise TypeError(f"density must be a number from 0 to 1, got {density!r}")
    if not 0 <= density <= 1:
        raise ValueError(f"density must be from 0 to 1, got {density}")
    if isinstance(names, str):
        raise TypeError(f"names must be a list of names, got {names!r}; for one contender write [{names!r}]")
    try:
        names = list(CONTENDERS if names is None else names)
    except TypeError:
        raise TypeError(f"names must be a list of names, got {names!r}") from None
    for k, name in enumerate(names):
        if name not in CONTENDERS:
            raise ValueError(f"names must be among {', '.join(map(repr, CONTENDERS))}, got {name!r}")
        if name in names[:k]:
            raise ValueError(f"names must be different, got {name!r} twice")
    streams = dict(zip(CONTENDERS, grid.as_rng(rng).integers(2**63, size=len(CONTENDERS)).tolist()))
    return {name: _sized(CONTENDERS[name], density, streams[name]) for name in names}


def _sized(place, density, seed):
    """Make a contender a function of the size alone."""
    own = place.generator(seed)
    return lambda n_cells: place(n_cells, round(density * n_cells), own)


def steps(n_cells, n_mines):
    """Compute what each procedure does to place the mines on one board, on average.

    Parameters
    ----------
    n_cells : int
        Cells, from 1 to 10,000,000.
    n_mines : int
        Mines, from 0 to the number of cells.

    Returns
    -------
    pandas.DataFrame
        Index `procedure`; columns `draws`, random numbers drawn, and `moves`, cells that get the contents of another.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    See Also
    --------
    gridlab.laws.reject_draws : Mean and variance of the draws of rejection.

    Notes
    -----
    The k-th insertion finds a list of n − m + k − 1 cells and moves half of them: m(2n − m − 1)/4 in all. A swap
    moves two cells, though they be the same.

    Examples
    --------
    >>> steps(480, 99).astype(int).T
    procedure  insertion  rejection  shuffle  partial shuffle  Floyd  selection
    draws             99        110      479               99     99        480
    moves          21285          0      958              198      0          0
    """
    from .. import laws  # which loads numba

    n = grid.as_int("n_cells", n_cells, 1, 10**7)
    m = grid.as_int("n_mines", n_mines, 0, n, where=f" on {n} cells")
    both = {
        "insertion": (m, m * (2 * n - m - 1) / 4),
        "rejection": (laws.reject_draws(n, m).mean, 0),
        "shuffle": (n - 1, 2 * (n - 1)),
        "partial shuffle": (m, 2 * m),
        "Floyd": (m, 0),
        "selection": (n, 0),
    }
    index = pd.Index(both, name="procedure")
    return pd.DataFrame(both.values(), index, ["draws", "moves"], dtype=float)


# ---- what the contenders share


def _as_random(rng):
    """Return a `random.Random` made from anything that `grid.as_rng` takes, or the one that is given."""
    return rng if isinstance(rng, random.Random) else random.Random(int(grid.as_rng(rng).integers(2**63)))


def _contender(generator):
    """Make a function of three positional arguments a contender: they are checked, and `rng` made by `generator`."""

    def decorate(place):
        @functools.wraps(place)
        def checked(n_cells, n_mines, rng=None):
            n_cells = grid.as_int("n_cells", n_cells, 1, 2**30)
            n_mines = grid.as_int("n_mines", n_mines, 0, n_cells)
            return place(n_cells, n_mines, generator(rng))

        checked.generator = generator
        return checked

    return decorate


_python, _numpy = _contender(_as_random), _contender(grid.as_rng)


def _board(n_cells, cells):
    """Make a list with 1 on some cells."""
    board = [0] * n_cells
    for cell in cells:
        board[cell] = 1
    return board


# ---- loops in Python. int(u * k) with u of 53 bits is uniform but for k/2**53


@_python
def _insertion_list(n_cells, n_mines, rng):
    draw, board = rng.random, [0] * (n_cells - n_mines)
    for length in range(n_cells - n_mines, n_cells):
        board.insert(int(draw() * (length + 1)), 1)
    return board


@_python
def _rejection_list(n_cells, n_mines, rng):
    draw, board = rng.random, [0] * n_cells
    for _ in range(n_mines):
        cell = int(draw() * n_cells)
        while board[cell]:
            cell = int(draw() * n_cells)
        board[cell] = 1
    return board


@_python
def _shuffle_list(n_cells, n_mines, rng):
    draw, board = rng.random, [1] * n_mines + [0] * (n_cells - n_mines)
    for last in range(n_cells - 1, 0, -1):
        cell = int(draw() * (last + 1))
        board[cell], board[last] = board[last], board[cell]
    return board


@_python
def _shuffle_random(n_cells, n_mines, rng):
    board = [1] * n_mines + [0] * (n_cells - n_mines)
    rng.shuffle(board)
    return board


@_python
def _partial_shuffle_list(n_cells, n_mines, rng):
    draw, cells = rng.random, list(range(n_cells))
    for place in range(n_mines):
        other = place + int(draw() * (n_cells - place))
        cells[place], cells[other] = cells[other], cells[place]
    return _board(n_cells, cells[:n_mines])


@_python
def _floyd_list(n_cells, n_mines, rng):
    draw, board = rng.random, [0] * n_cells
    for last in range(n_cells - n_mines, n_cells):
        cell = int(draw() * (last + 1))
        board[last if board[cell] else cell] = 1
    return board


@_python
def _selection_list(n_cells, n_mines, rng):
    draw, left = rng.random, n_mines
    board = []
    for ahead in range(n_cells, 0, -1):  # cells that are not decided on
        mined = draw() * ahead < left
        board.append(int(mined))
        left -= mined
    return board


@_python
def _sample_random(n_cells, n_mines, rng):
    return _board(n_cells, rng.sample(range(n_cells), n_mines))


# ---- numpy


@_numpy
def _insertion_numpy(n_cells, n_mines, rng):
    board = np.zeros(n_cells, np.uint8)
    for start in range(n_mines - 1, -1, -1):  # of the list with the new mine, which grows to the left
        gap = start + int(rng.random() * (n_cells - start))
        board[start:gap] = board[start + 1 : gap + 1]  # in this direction a block, in the other byte by byte
        board[gap] = 1
    return board


@_numpy
def _shuffle_numpy(n_cells, n_mines, rng):
    board = np.zeros(n_cells, np.uint8)
    board[:n_mines] = 1
    rng.shuffle(board)
    return board


@_numpy
def _sample_numpy(n_cells, n_mines, rng):
    board = np.zeros(n_cells, np.uint8)
    board[rng.choice(n_cells, n_mines, replace=False, shuffle=False)] = 1
    return board


# ---- gridlab's own, compiled by numba


def _compiled(name):
    """Make a contender of a placer of `gridlab.mines`; numba is loaded by the first call, not by the list of names."""

    def place(n_cells, n_mines, rng):
        from .. import mines

        return mines.PLACERS[name]((1, n_cells), n_mines, rng=rng)[0]

    return _numpy(place)


#: The contenders by name, "procedure, way to do it".
CONTENDERS = {
    "insertion, list": _insertion_list,
    "insertion, numpy": _insertion_numpy,
    "insertion, numba": _compiled("insert"),
    "rejection, list": _rejection_list,
    "rejection, numba": _compiled("reject"),
    "shuffle, list": _shuffle_list,
    "shuffle, random.shuffle": _shuffle_random,
    "shuffle, numpy": _shuffle_numpy,
    "shuffle, numba": _compiled("shuffle"),
    "partial shuffle, list": _partial_shuffle_list,
    "partial shuffle, numba": _compiled("partial_shuffle"),
    "Floyd, list": _floyd_list,
    "Floyd, numba": _compiled("floyd"),
    "selection, list": _selection_list,
    "selection, numba": _compiled("select"),
    "sample, random.sample": _sample_random,
    "sample, numpy choice": _sample_numpy,
}
