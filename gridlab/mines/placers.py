"""Mines on a board: every published procedure to place them, and the law of each.

Every placer has the signature ``f(shape, n_mines, *, safe=None, size=None, rng=None)``, so
that notebooks and tests compare them by looping over `PLACERS`. *Uniform* means that every set of
`n_mines` of the free cells has the same chance. Below n is the number of cells that may be
mined, m that of the mines, and H_k the sum of 1/i for i from 1 to k.

A kernel does the steps of a procedure on rows of n cells, one row a board, and knows
nothing of shapes or safe cells: where some are safe, it works on rows without them.
"""

import math
import operator

import numpy as np
from numba import njit

from .. import grid
from ..grid import as_cell

__all__ = [
    "PLACERS",
    "as_cell",
    "as_safe",
    "collide",
    "floyd",
    "insert",
    "opening_mask",
    "partial_shuffle",
    "reject",
    "select",
    "shuffle",
    "swap",
]

#: Draws in one call of a kernel, some 50 ms: between two calls an interrupt gets through.
DRAWS = 2**24


def collide(shape, n_mines, *, safe=None, size=None, rng=None):
    """Mine uniformly drawn cells, so that mines drawn twice are lost.

    Too few mines, in most cases. Given how many there are, all sets of so many cells are equally
    likely. The mean is n(1 − (1 − 1/n)^m), and all mines are there with the chance
    n(n−1)…(n−m+1)/n^m; `gridlab.laws.collide_moments` has both.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the board.
    n_mines : int
        Mines, from 0 to the number of cells that are not safe.
    safe : array_like of bool, shape (rows, cols), or list of cells, optional
        Cells that stay free, such as ``[(3, 5)]`` for the first click or
        ``opening_mask(shape, (3, 5))`` for its opening. A cell is (row, col) or a flat index.
    size : int, optional
        Number of boards; one, without a leading axis, by default.
    rng : `numpy.random.Generator` or seed, optional
        Anything `numpy.random.default_rng` accepts.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on mines.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.
    MemoryError
        If the boards do not fit into memory.

    Notes
    -----
    m draws a board.

    Examples
    --------
    >>> float(collide((16, 30), 99, size=1000, rng=0).sum((1, 2)).mean())  # of as many as possible 89.54
    89.501
    """
    job = _Job(shape, n_mines, safe, size, rng)
    return job.run(_collide, job.n_mines)


@njit(cache=True)
def _collide(rows, n_mines, first, last, words):
    """Mine a random cell in each of the steps from `first` to before `last`, on each row."""
    for row in rows:
        for _ in range(first, last):
            cell, words = _below(len(row), words)
            row[cell] = True
    return words


def reject(shape, n_mines, *, safe=None, size=None, rng=None):
    """Mine uniformly drawn cells, drawing again where there is a mine already.

    Uniform. Also published as replacement.

    Parameters
    ----------
    shape, n_mines, safe, size, rng
        As in `collide`.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on exactly `n_mines` cells.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As in `collide`.

    Notes
    -----
    n(H_n − H_{n−m}) draws on average, and n·H_n, about n(ln n + 0.58), when all cells are
    mined: it takes longer on a full board, but not for ever. `gridlab.laws.reject_draws` has mean and
    variance.

    Examples
    --------
    >>> print(grid.text(reject((3, 6), 4, rng=0)))
    .x....
    ..x..x
    ....x.
    """
    job = _Job(shape, n_mines, safe, size, rng)
    return job.run(_reject, job.n_mines, cost=lambda mined: job.n_cells // (job.n_cells - mined))


@njit(cache=True)
def _reject(rows, n_mines, first, last, words):
    """Mine a random free cell in each of the steps from `first` to before `last`, on each row."""
    for row in rows:
        for _ in range(first, last):
            cell, words = _below(len(row), words)
            while row[cell]:
                cell, words = _below(len(row), words)
            row[cell] = True
    return words


def swap(shape, n_mines, *, swaps=100, safe=None, size=None, rng=None):
    """Begin with all mines in the first cells, then swap two uniformly drawn cells, time and again.

    Not uniform, but nearly so after enough swaps; the two cells may be the same one. With
    L = 1 − 2/n and k swaps a cell that began mined is mined with chance p + (1 − p)L^k, any other with
    chance p(1 − L^k), where p = m/n. `gridlab.laws.swap_distance` is the total variation
    from uniform, `gridlab.laws.swaps_needed` the swaps for a given one: about (n/4) ln n.

    Parameters
    ----------
    shape, n_mines, safe, size, rng
        As in `collide`.
    swaps : int
        Number of swaps, from 0 on.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on exactly `n_mines` cells.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As in `collide`.

    Notes
    -----
    Two draws a swap.

    References
    ----------
    .. [1] P. Diaconis and M. Shahshahani, "Generating a random permutation with random
       transpositions", Z. Wahrscheinlichkeitstheorie verw. Gebiete 57 (1981), 159-179.
    .. [2] P. Diaconis and M. Shahshahani, "Time to reach stationarity in the
       Bernoulli-Laplace diffusion model", SIAM J. Math. Anal. 18 (1987), 208-218.

    Examples
    --------
    >>> print(grid.text(swap((3, 6), 6, swaps=3, rng=0)))
    x.xxxx
    ..x...
    ......
    """
    swaps = grid.as_int("swaps", swaps, 0)
    job = _Job(shape, n_mines, safe, size, rng)
    return job.run(_swap, swaps if job.n_cells else 0)


@njit(cache=True)
def _swap(rows, n_mines, first, last, words):
    """Swap two random cells in each of the steps from `first` to before `last`, on each row."""
    for row in rows:
        if first == 0:
            row[:n_mines] = True
        for _ in range(first, last):
            one, words = _below(len(row), words)
            other, words = _below(len(row), words)
            row[one], row[other] = row[other], row[one]
    return words


def insert(shape, n_mines, *, safe=None, size=None, rng=None):
    """Begin with a list of the free cells only, and insert each mine at a uniformly drawn gap.

    Uniform: every gap of a list of k cells, both ends included, has the chance 1/(k + 1).

    Parameters
    ----------
    shape, n_mines, safe, size, rng
        As in `collide`.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on exactly `n_mines` cells.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As in `collide`.

    Notes
    -----
    O(n·m): an insertion moves half the list on average. Linear, as was published, is only
    a single one.

    Examples
    --------
    >>> print(grid.text(insert((3, 6), 4, rng=0)))
    .x....
    ...x..
    x...x.
    """
    job = _Job(shape, n_mines, safe, size, rng)
    return job.run(_insert, job.n_mines, 1, cost=lambda mined: 1 + job.n_cells // 256)


@njit(cache=True)
def _insert(rows, n_mines, first, last, words, end):
    """Insert the mines from `first` to before `last` into each row, in whose last n − m + `first` cells the list is.

    With `end` 1 the gap at its end is drawn, too; with 0 it is not, but into an empty list.
    The items before the gap move one to the left: of a loop in this direction the compiler makes wide moves.
    """
    for row in rows:
        for length in range(len(row) - n_mines + first, len(row) - n_mines + last):
            gap, words = _below(max(length + end, 1), words)
            start = len(row) - length - 1
            moved = row[start : start + gap + 1]
            for item in range(gap):
                moved[item] = moved[item + 1]
            moved[gap] = True
    return words


def shuffle(shape, n_mines, *, safe=None, size=None, rng=None):
    """Begin with all mines in the first cells, and shuffle all cells by Fisher and Yates.

    Uniform: every order of the cells has the same chance.

    Parameters
    ----------
    shape, n_mines, safe, size, rng
        As in `collide`.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on exactly `n_mines` cells.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As in `collide`.

    See Also
    --------
    partial_shuffle : The same, stopped when all mines are placed.

    Notes
    -----
    n − 1 draws a board.

    References
    ----------
    .. [1] R. Durstenfeld, "Algorithm 235: Random permutation", Comm. ACM 7 (1964), 420.
    .. [2] D. E. Knuth, "The Art of Computer Programming", vol. 2, 3rd ed. (1997), 3.4.2,
       algorithm P.

    Examples
    --------
    >>> print(grid.text(shuffle((3, 6), 4, rng=5)))
    xx..x.
    ...x..
    ......
    """
    job = _Job(shape, n_mines, safe, size, rng)
    return job.run(_shuffle, max(0, job.n_cells - 1))


@njit(cache=True)
def _shuffle(rows, n_mines, first, last, words):
    """Do the steps from `first` to before `last` on each row: a random one of the cells left goes to their end."""
    for row in rows:
        if first == 0:
            row[:n_mines] = True
        for end in range(len(row) - 1 - first, len(row) - 1 - last, -1):
            cell, words = _below(end + 1, words)
            row[cell], row[end] = row[end], row[cell]
    return words


def partial_shuffle(shape, n_mines, *, safe=None, size=None, rng=None):
    """Shuffle a list of all cells by Fisher and Yates until `n_mines` have come out, and mine these.

    Uniform. Each board goes on with the list the last one left, which is as good as any.

    Parameters
    ----------
    shape, n_mines, safe, size, rng
        As in `collide`.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on exactly `n_mines` cells.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As in `collide`.

    Notes
    -----
    m draws a board, and O(n) for the list, once for all boards: the fastest of the uniform ones on
    small boards.

    References
    ----------
    .. [1] D. E. Knuth, "The Art of Computer Programming", vol. 2, 3rd ed. (1997), 3.4.2.

    Examples
    --------
    >>> print(grid.text(partial_shuffle((3, 6), 4, rng=4)))
    ..x...
    x.x.x.
    ......
    """
    job = _Job(shape, n_mines, safe, size, rng)
    return job.run(_partial_shuffle, job.n_mines, np.arange(job.n_cells, dtype=np.int32))


@njit(cache=True)
def _partial_shuffle(rows, n_mines, first, last, words, cells):
    """Bring random ones of `cells` to the places from `first` to before `last`, and mine them; for each row anew."""
    for row in rows:
        for place in range(first, last):
            step, words = _below(len(cells) - place, words)
            cells[place], cells[place + step] = cells[place + step], cells[place]
            row[cells[place]] = True
    return words


def floyd(shape, n_mines, *, safe=None, size=None, rng=None):
    """Draw a set of cells by Floyd's algorithm.

    Uniform. For each of the last m cells in turn a cell up to it is drawn; this is mined, or, where
    it is already, the one in turn.

    Parameters
    ----------
    shape, n_mines, safe, size, rng
        As in `collide`.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on exactly `n_mines` cells.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As in `collide`.

    Notes
    -----
    m draws a board, never one more, and no memory but the board: the fastest of the uniform ones on large boards.

    References
    ----------
    .. [1] J. Bentley and B. Floyd, "Programming pearls: a sample of brilliance",
       Comm. ACM 30 (1987), 754-757.

    Examples
    --------
    >>> print(grid.text(floyd((3, 6), 4, rng=0)))
    .x....
    ..x.x.
    .x....
    """
    job = _Job(shape, n_mines, safe, size, rng)
    return job.run(_floyd, job.n_mines)


@njit(cache=True)
def _floyd(rows, n_mines, first, last, words):
    """Mine one cell for each of the cells from n − m + `first` to before n − m + `last`, on each row."""
    for row in rows:
        for end in range(len(row) - n_mines + first, len(row) - n_mines + last):
            cell, words = _below(end + 1, words)
            row[end if row[cell] else cell] = True
    return words


def select(shape, n_mines, *, safe=None, size=None, rng=None):
    """Go through the cells in order, and mine each with the chance that is due.

    Uniform: with k mines left for the next j cells, the first of these is mined with chance k/j.

    Parameters
    ----------
    shape, n_mines, safe, size, rng
        As in `collide`.

    Returns
    -------
    ndarray of bool, shape (rows, cols) or (size, rows, cols)
        True on exactly `n_mines` cells.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As in `collide`.

    Notes
    -----
    n draws a board.

    References
    ----------
    .. [1] D. E. Knuth, "The Art of Computer Programming", vol. 2, 3rd ed. (1997), 3.4.2,
       algorithm S.

    Examples
    --------
    >>> print(grid.text(select((3, 6), 4, rng=1)))
    ..xxx.
    ......
    x.....
    """
    job = _Job(shape, n_mines, safe, size, rng)
    return job.run(_select, job.n_cells)


@njit(cache=True)
def _select(rows, n_mines, first, last, words):
    """Decide on the cells from `first` to before `last` of each row."""
    for row in rows:
        left = n_mines - row[:first].sum()
        for cell in range(first, last):
            drawn, words = _below(len(row) - cell, words)
            if drawn < left:
                row[cell] = True
                left -= 1
    return words


#: The placers by name.
PLACERS = {f.__name__: f for f in (collide, reject, swap, insert, shuffle, partial_shuffle, floyd, select)}


def opening_mask(shape, cell, *, periodic=False):
    """Mark a cell and its up to eight neighbours, which a click opens when they are free of mines.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the board.
    cell : int or tuple of int
        Flat index, or (row, col).
    periodic : bool
        Whether opposite sides of the board are joined.

    Returns
    -------
    ndarray of bool, shape (rows, cols)
        True on these cells.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Examples
    --------
    >>> print(grid.text(opening_mask((3, 6), (0, 2))))
    .xxx..
    .xxx..
    ......
    """
    rows, cols = grid.as_shape(shape, periodic)
    row, col = divmod(as_cell((rows, cols), cell), cols)
    around = [np.arange(at - 1, at + 2) for at in (row, col)]
    down, across = (
        lines % side if periodic else lines[(lines >= 0) & (lines < side)] for lines, side in zip(around, (rows, cols))
    )
    mask = np.zeros((rows, cols), bool)
    mask[np.ix_(down, across)] = True
    return mask


def as_safe(shape, safe):
    """Return the safe cells as a mask, or say what is wrong with them.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the board.
    safe : array_like of bool, shape (rows, cols), or list of cells, or None
        The cells that stay free; none for None. A cell is (row, col) or a flat index.

    Returns
    -------
    ndarray of bool, shape (rows, cols)
        True on the safe cells.

    Raises
    ------
    TypeError
        If it is neither a bool mask nor a list of cells.
    ValueError
        If it is of another shape, or a cell is not on the board.

    Examples
    --------
    >>> print(grid.text(as_safe((2, 4), [(0, 1), (1, 3)])))
    .x..
    ...x
    """
    shape = grid.as_shape(shape)
    mask = np.zeros(shape, bool)
    if safe is None:
        return mask
    try:
        array = np.asarray(safe)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    if array.dtype == bool:
        if array.shape != shape:
            raise ValueError(f"safe must have the board's shape {shape}, got a mask of shape {array.shape}")
        return array
    if isinstance(safe, tuple) and array.shape == (2,):
        raise TypeError(f"safe must be a mask or a list of cells, got {safe!r}; for one cell write [{safe!r}]")
    if array.shape in ((0,), (0, 2)):
        return mask
    if array.dtype.kind not in "iu":  # as of a list of uint64 and int64, of which numpy makes floats
        try:
            array = np.asarray(np.frompyfunc(operator.index, 1, 1)(np.array(safe, object)))
        except (TypeError, ValueError):
            array = np.array(None)
    if not (array.ndim == 1 or array.shape[1:] == (2,)):
        raise TypeError(
            "safe must be a bool mask, or a list of cells that are all flat indices or all (row, col), "
            f"such as [(3, 5)], got {safe!r}"
        )
    sides = shape if array.ndim == 2 else (mask.size,)
    outside = ((array < 0) | (array >= np.array(sides))).reshape(len(array), -1).any(1)
    if outside.any():
        as_cell(shape, array[outside.argmax()])  # says what is wrong with it
    mask.reshape(sides)[tuple(array.reshape(len(array), -1).T.astype(np.int64))] = True
    return mask


class _Job:
    """The checked arguments of a placer, and its loop over kernel calls."""

    def __init__(self, shape, n_mines, safe, size, rng):
        rows, cols = grid.as_shape(shape)
        self.cells = None if safe is None else np.flatnonzero(~as_safe((rows, cols), safe))
        self.n_cells = rows * cols if safe is None else len(self.cells)
        n_safe = rows * cols - self.n_cells
        where = f" on a board of {rows}x{cols}" + (f" with {n_safe} safe cells" if n_safe else "")
        self.n_mines = grid.as_int("n_mines", n_mines, 0, self.n_cells, where=where)
        # The generator gives the state of the one in the kernels, see `_below`: three words, and a counter from 1 on.
        self.words = np.append(grid.as_rng(rng).integers(2**64, size=3, dtype=np.uint64), np.uint64(1))
        self.boards = grid.empty((rows, cols), size)
        self.size = size

    def run(self, kernel, steps, *more, cost=lambda step: 1):
        """Do all `steps` on all boards, and return these.

        A step costs as much as `cost` of its number draws, never less than the one before. A call of the kernel
        does some boards, or some steps of one. That changes nothing of what is drawn.
        """
        flat = self.boards.reshape(len(self.boards), math.prod(self.boards.shape[1:]))
        most = steps * cost(steps - 1) if steps else 0
        n_boards = max(1, DRAWS // (1 + most + self.n_cells // 8))  # to empty or copy eight cells is like a draw
        words = self.words
        with np.errstate(over="ignore"):  # meant in `_below`, and told by numpy where that is not compiled
            for k in range(0, len(flat), n_boards):
                boards = flat[k : k + n_boards]
                rows = boards if self.cells is None else np.zeros((len(boards), self.n_cells), bool)
                for first, last in _cut(steps, cost):
                    words = np.array(kernel(rows, self.n_mines, first, last, tuple(words), *more), np.uint64)
                if self.cells is not None:
                    _spread(boards, self.cells, rows)
        return self.boards[0] if self.size is None else self.boards


@njit(cache=True)
def _spread(boards, cells, rows):
    """Write each row to the `cells` of a board: five times as fast as numpy."""
    for board, row in zip(boards, rows):
        for place, cell in enumerate(cells):
            board[cell] = row[place]


def _cut(steps, cost):
    """Cut the steps into pieces of one step, or of more for at most `DRAWS` draws; no steps are one piece, too."""
    first, last = 0, -1
    while last < steps:
        last = steps
        while last - first > 1 and (last - first) * cost(last - 1) > DRAWS:
            last = (first + last) // 2
        yield first, last
        first = last


_1, _3, _11, _24, _32, _40 = (np.uint64(bits) for bits in (1, 3, 11, 24, 32, 40))
_LOW, _ALL = np.uint64(2**32 - 1), np.uint64(2**32)


@njit(inline="always")
def _below(n, words):
    """Return a uniform integer from 0 to n − 1, n up to 2**32, and what comes after `words`, the state of SFC64.

    Written out, the generator costs 1 ns; a call into numpy's takes 3 ns, and its integers 30 ns. The upper half of
    its word is scaled by n, exactly uniformly: the lowest 2**32 mod n of the remainders are drawn again (D. Lemire,
    "Fast random integer generation in an interval", ACM Trans. Model. Comput. Simul. 29 (2019), 3).
    """
    bound = np.uint64(n)
    word, words = _word(words)
    scaled = (word >> _32) * bound
    if scaled & _LOW < bound:
        lost = (_ALL - bound) % bound
        while scaled & _LOW < lost:
            word, words = _word(words)
            scaled = (word >> _32) * bound
    return np.int64(scaled >> _32), words


@njit(inline="always")
def _word(words):
    """Return the next word of SFC64 and its next state."""
    a, b, c, count = words
    word = a + b + count
    return word, (b ^ (b >> _11), c + (c << _3), ((c << _24) | (c >> _40)) + word, count + _1)
