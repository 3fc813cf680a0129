"""One pass over boards: whole numbers that add up, in the same way however the boards are cut into batches.

Every test needs of the boards only sums over them, of whole numbers, so memory does not grow with
the number of boards, and the same boards give the same sums, to the last bit, in one batch as in many.
"""

import math
import numbers as abstract

import numpy as np
from numba import njit

from .. import grid, mines

__all__ = []

#: Cells looked at in one go: what is held beside the boards takes a few bytes for each.
BLOCK = 2**20

#: The largest board of `pairs`, whose memory and time grow with the square of the cells.
LARGEST_PAIRS = 4096

#: The most sets of mines that `subsets` counts.
LARGEST_SUBSETS = 10**6


class _Sums:
    """Sums over boards of one shape and number of mines, as far as `parts` asks for them.

    ``counts`` has the boards by number of mines; ``cells`` those in which a cell is mined; ``pairs`` those in which
    two cells are; ``joint`` those in which a cell and one ahead of it are, see `_ahead`; ``numbers`` the
    free cells by number; ``subsets`` the boards by the set of their mines.
    """

    def __init__(self, shape, n_mines, parts, periodic=False):
        self.shape, self.n_mines, self.periodic, self.boards = shape, n_mines, periodic, 0
        self.parts = set(parts)
        self.fault = ""  # the first board with another number of mines
        n_cells = self.n_cells = shape[0] * shape[1]
        self.counts = np.zeros(n_cells + 1, np.int64)
        if "cells" in parts:
            self.cells = np.zeros(n_cells, np.int64)
        if "pairs" in parts:
            self.pairs = np.zeros((n_cells, n_cells))  # whole numbers, exact up to 2**53
        if "joint" in parts:
            self.ahead = _ahead(shape, periodic)
            self.joint = np.zeros(self.ahead.shape, np.int64)
        if "numbers" in parts:
            self.numbers = np.zeros(9, np.int64)
        if "subsets" in parts:
            self.of_mines = 2 * n_mines <= n_cells  # a set is as well told by its free cells
            self.ranks = _ranks(n_cells, min(n_mines, n_cells - n_mines))
            self.subsets = np.zeros(math.comb(n_cells, n_mines), np.int64)

    def clear(self):
        """Begin again, as if there had been no boards."""
        self.boards, self.fault = 0, ""
        for part in ("counts", *self.parts):
            getattr(self, part)[:] = 0

    def add(self, boards):
        """Add a batch, cut into blocks that take little memory."""
        size = max(64, BLOCK // self.n_cells)
        for first in range(0, len(boards), size):
            self._add(grid.plain(boards[first : first + size]))

    def _add(self, boards):
        flat = boards.reshape(len(boards), -1)
        held = np.count_nonzero(flat, axis=1)
        self.counts += np.bincount(held, minlength=len(self.counts))
        if not self.fault and (held != self.n_mines).any():
            k = int((held != self.n_mines).argmax())
            got = f"{held[k]} on board {self.boards + k}"
            self.fault = f"boards must all have {self.n_mines} mines, got {got}: see count"
        self.boards += len(flat)
        if self.fault:
            return
        if "cells" in self.parts:
            self.cells += flat.sum(axis=0)
        if "pairs" in self.parts:
            # single precision counts up to 2**24 boards without error, and a block has fewer
            ones = flat.astype(np.float32)
            self.pairs += ones.T @ ones
        if "joint" in self.parts:
            _joint(flat, self.ahead, self.joint)
        if "numbers" in self.parts:
            shown = mines.numbers(boards, periodic=self.periodic)
            # nine comparisons of bytes are faster than np.bincount, which widens them first
            self.numbers += [np.count_nonzero(shown == k) for k in range(9)]
        if "subsets" in self.parts:
            members = np.nonzero(flat if self.of_mines else ~flat)[1].reshape(len(flat), -1)
            rank = self.ranks[members, np.arange(members.shape[1])].sum(axis=1)
            self.subsets += np.bincount(rank, minlength=len(self.subsets))


@njit(cache=True)
def _joint(boards, ahead, joint):
    """Count on each row of `boards` the mines whose cells ahead, up to the grid's end at -1, are mined too."""
    for board in boards:
        for cell in range(len(board)):
            if board[cell]:
                for k in range(ahead.shape[1]):
                    other = ahead[cell, k]
                    if other >= 0 and board[other]:
                        joint[cell, k] += 1


def _n_sets(n_cells, n_mines):
    """Return the number of sets of mines, or any larger than `LARGEST_SUBSETS` where there are more."""
    size, n_sets = min(n_mines, n_cells - n_mines), 1
    for k in range(size):
        n_sets = n_sets * (n_cells - k) // (k + 1)
        if n_sets > LARGEST_SUBSETS:
            break
    return n_sets


def _ahead(shape, periodic):
    """List for each cell those to the right, right below, below, left below, and the next in row-major order.

    So every pair of neighbours is met once. -1 where there is none.
    """
    near = grid.neighbours(shape, periodic=periodic, connectivity=8)[:, :4]
    following = np.arange(1, len(near) + 1, dtype=np.int32)
    following[-1] = -1
    return np.column_stack([near, following])


def _ranks(n_cells, size):
    """Return what the k-th member of a set adds to its rank among all sets of that size.

    The rank of the members c_0 < c_1 < … in colexicographic order is the sum of C(c_k, k + 1). Numbers above every
    rank belong to no set and are cut off.
    """
    table = np.zeros((n_cells, size), np.int64)
    column = np.ones(n_cells, np.int64)
    for k in range(size):
        # C(c, k + 1) is the sum of C(b, k) over b < c
        column = np.minimum(np.concatenate([[0], np.cumsum(column)[:-1]]), LARGEST_SUBSETS)
        table[:, k] = column
    return table


def _gather(boards, n_mines, tests, periodic=False, *, strict=False):
    """Pass once over the boards for these tests, and return the sums and why some tests cannot run, or raise that.

    Each test has `parts`, the sums it needs, and `refusal(shape, n_mines, periodic)`, words or None.
    """
    if not isinstance(periodic, bool | np.bool_):
        raise TypeError(f"periodic must be True or False, got {periodic!r}")
    if n_mines is not None:
        n_mines = grid.as_int("n_mines", n_mines, 0)
    sums, refused = None, {}
    for batch in _batches(boards):
        if sums is None:
            shape = grid.as_shape(batch.shape[1:], periodic)
            n_cells = shape[0] * shape[1]
            m = int(batch[0].sum()) if n_mines is None else n_mines
            m = grid.as_int("n_mines", m, 0, n_cells, where=f" on {shape[0]}x{shape[1]} cells")
            refused = {test: words for test in tests if (words := test.refusal(shape, m, periodic))}
            if strict and refused:
                raise ValueError(refused[tests[0]])
            parts = {part for test in tests if test not in refused for part in test.parts}
            sums = _Sums(shape, m, parts, periodic)
        sums.add(batch)
        if strict and sums.fault and sums.parts:
            raise ValueError(sums.fault)
    if sums is None:
        raise ValueError("boards must hold at least one board, got none")
    return sums, refused


def _batches(boards):
    """Go through the batches that have boards, as bool arrays (T, rows, cols) of one shape."""
    shape = None
    for where, batch in _pieces(boards):
        batch = grid.as_masks(where, batch)
        if batch.ndim != 3:
            hint = "; a single board needs a first axis, board[None]" if batch.ndim == 2 else ""
            raise ValueError(f"{where} must have shape (T, rows, cols), got {batch.shape}{hint}")
        shape = shape or batch.shape[1:]
        if batch.shape[1:] != shape:
            raise ValueError(f"{where} must have boards of shape {shape} like those before, got {batch.shape[1:]}")
        if len(batch):
            yield batch


def _pieces(boards):
    """Tell one batch from a stream of batches, and name each for what may be said of it."""
    if isinstance(boards, str | bytes | dict) or boards is None or isinstance(boards, abstract.Number):
        raise TypeError(f"boards must be a bool array (T, rows, cols) or an iterable of such arrays, got {boards!r}")
    stream = not hasattr(boards, "__array__")
    if stream and isinstance(boards, list | tuple):  # a list of batches, or one batch as nested lists or list of boards
        stream = len(boards) == 0 or any(getattr(item, "ndim", None) == 3 for item in boards)
    if not stream:
        yield "boards", boards
        return
    try:
        batches = iter(boards)
    except TypeError:
        raise TypeError(
            f"boards must be a bool array (T, rows, cols) or an iterable of such arrays, got {boards!r}"
        ) from None
    for k, batch in enumerate(batches):
        yield f"batch {k} of boards", batch
