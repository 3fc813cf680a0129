"""Boards of a known law: uniform over all settled boards, over all movable ones, over those that are both.

A board is drawn by rejection, in halves. Let Z(B) be the number of settled boards on a block B
of cells, which is cut in two, C and D. Draw one of the Z(C) settled boards on C and,
independently, one of the Z(D) on D, each with the same chance. If something clears on the two
joined, throw *both* away and begin again. Every settled board on B is one pair of settled
boards on C and D, for what clears on C clears on B, too; so each try ends in each of them
with the same chance 1/(Z(C) Z(D)), and what is kept is uniform over the settled boards on B. C and D are drawn the
same way, down to blocks too small for anything to clear, where colours are independent.

To throw only one half away, or only the cells at fault, is faster and wrong: boards that are
easily mended come too often.

What is kept does not depend on how many cells were drawn for it: that is so for each try, as
the halves are (by induction) independent of what they took. So a draw may be given up after
so many cells without favour to any board.
"""

import functools

import numpy as np
from numba import njit

from .. import grid
from . import rules

__all__ = ["board"]

#: Cells drawn in one call of a kernel, some 50 ms: between two calls an interrupt gets through.
PIECE = 2**23

#: Cells drawn for each board, on average, after which the boards asked for are given up as too rare; some 10 s.
LIMIT = 2**30

#: Cells of a block that is drawn in one go, at most.
LEAF = 2**16


def board(shape, n_colours, *, rule="lines", length=3, settled=True, movable=False, size=None, rng=None):
    """Draw boards, each with the asked property as likely.

    Uniform over all boards of that shape and those colours on which nothing clears (`settled`)
    and there is a move (`movable`); with neither, colours are independent and uniform.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the board.
    n_colours : int
        Number of colours, from 1 to 127.
    rule : {"lines", "groups"}
        Whether runs of equal cells in a row or column clear, or groups joined by edges.
    length : int
        Cells of the shortest run, or of the smallest group, that clears, from 2 on.
    settled : bool
        Whether nothing may clear.
    movable : bool
        Whether there must be a move: a swap of neighbours after which something clears, by either rule.
    size : int, optional
        Number of boards; one, without a leading axis, by default.
    rng : `numpy.random.Generator` or seed, optional
        Anything `numpy.random.default_rng` accepts.

    Returns
    -------
    ndarray of int8, shape (rows, cols) or (size, rows, cols)
        Colours from 0 to ``n_colours - 1``.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument is out of its range, if there is no such board, or if such boards are so rare that
        more than `LIMIT` cells had to be drawn for each (some ten seconds).
    MemoryError
        If the boards do not fit into memory.

    See Also
    --------
    reshuffle : Another arrangement of the cells of a board.

    Notes
    -----
    The cells drawn for a settled board grow exponentially with its sides, not with the number of
    cells as when whole boards are drawn until one is settled. Measured, so many for each cell of the board,
    with matches of 3; each takes some 10 ns by lines and 30 ns by groups.

    ======= ================================ ================================
    board   lines, 3, 4, 6 and 8 colours     groups, 3, 4, 6 and 8 colours
    ======= ================================ ================================
    9x9     41, 9, 2.7, 1.8                  550, 46, 7, 3.2
    12x12   140, 18, 4, 2.2                  4 300, 210, 15, 5.5
    20x20   7 100, 210, 13, 4.4              too rare, 18 000, 140, 20
    30x30   too rare, 3 700, 50, 10          too rare, too rare, 1 800, 110
    ======= ================================ ================================

    Examples
    --------
    >>> board((3, 6), 3, rng=1)
    array([[0, 1, 1, 0, 0, 2],
           [0, 2, 1, 2, 1, 0],
           [1, 0, 2, 2, 0, 1]], dtype=int8)
    """
    rows, cols = grid.as_shape(shape)
    n_colours = grid.as_int("n_colours", n_colours, 1, 127)
    groups, length = rules._as_rule(rule, length)
    settled, movable = _as_flags(settled, movable)
    kind = _kind(settled, movable, groups, length)
    _check_possible(rows, cols, n_colours, groups, length, settled, movable, kind)
    rng = grid.as_rng(rng)
    boards = grid.empty((rows, cols), size).view(np.int8)
    n_cells = rows * cols
    clears = min(length, n_cells + 1) if settled else n_cells + 1
    plan = _plan(rows, cols, groups, clears)
    column = np.arange(n_cells, dtype=np.int32) % cols
    stack = np.zeros(n_cells, np.int32)
    pool = np.arange(n_colours, dtype=np.int8)
    limit = LIMIT / 4 if groups else LIMIT  # a cell takes so much longer
    index = block = drawn = 0
    while index < len(boards):
        index, block, more = _board(
            boards, index, block, plan, pool, column, stack, groups, clears, movable, length, PIECE, rng
        )
        drawn += more
        if index < len(boards) and drawn > limit * (index + 1):
            raise ValueError(
                f"shape must be small enough for {kind} boards not to be too rare, got {rows}x{cols} with "
                f"{n_colours} colours: {drawn:,} cells were drawn for {index:,} of {len(boards):,} boards; "
                "ask for more colours, a smaller board" + (", or settled=False" if settled else "")
            )
    return boards[0] if size is None else boards


@njit(cache=True)
def _board(boards, index, block, plan, pool, column, stack, groups, clears, movable, length, work, rng):
    """Go on with block `block` of board `index`, until all boards are done or `work` cells are drawn.

    Return where to go on, and the number of cells drawn. A look for moves counts as so many cells.
    """
    _, rows, cols = boards.shape
    total = 0
    while index < len(boards) and total < work:
        cells = boards[index].reshape(rows * cols)
        block, drawn = _join(cells, cols, block, plan, pool, column, stack, groups, clears, work - total, rng)
        total += drawn
        if block == len(plan):
            block = 0
            if movable:
                total += rows * cols
            if not movable or rules._has_move(boards[index], groups, length, stack):
                index += 1
    return index, block, total


@njit(cache=True)
def _join(cells, cols, block, plan, pool, column, stack, groups, clears, work, rng):
    """Go on with block `block` of a board, until all its blocks are joined or `work` cells are drawn.

    Return where to go on, and the number of cells drawn: one of `pool` each. Empty cells stay empty.
    """
    drawn = 0
    while block < len(plan) and drawn < work:
        top, bottom, left, right = plan[block, 0], plan[block, 1], plan[block, 2], plan[block, 3]
        above, before = plan[block, 4], plan[block, 5]
        if above == 0 and before == 0:
            for row in range(top, bottom):
                for cell in range(row * cols + left, row * cols + right):
                    if cells[cell] >= 0:
                        cells[cell] = pool[int(rng.random() * len(pool))]
            drawn += (bottom - top) * (right - left)
            block += 1
            continue
        if above > 0:
            start, n, along, across = (top + above) * cols + left, right - left, 1, cols
            one, other = above, bottom - top - above
        else:
            start, n, along, across = top * cols + left + before, bottom - top, cols, 1
            one, other = before, right - left - before
        if groups:
            fails = _group_crosses(
                cells, column, stack, cols, top, bottom, left, right, start, n, along, across, clears
            )
        else:
            fails = _line_crosses(cells, start, n, along, across, one, other, clears)
        block = plan[block, 6] if fails else block + 1
    return block, drawn


@njit(cache=True)
def _line_crosses(cells, start, n, along, across, one, other, length):
    """Tell whether a line lies across a seam: from `start` on there are `n` cells right behind it.

    Steps: `along` the seam, `across` it; there are `one` cells before it and `other` behind it.
    """
    for cell in range(start, start + n * along, along):
        colour = cells[cell]
        if colour >= 0 and cells[cell - across] == colour:
            run = 2
            for step in range(2, one + 1):
                if cells[cell - step * across] != colour:
                    break
                run += 1
            for step in range(1, other):
                if cells[cell + step * across] != colour:
                    break
                run += 1
            if run >= length:
                return True
    return False


@njit(cache=True)
def _group_crosses(cells, column, stack, cols, top, bottom, left, right, start, n, along, across, length):
    """Tell whether a group within a block lies across a seam: from `start` on there are `n` cells right behind it."""
    for cell in range(start, start + n * along, along):
        if (
            cells[cell] >= 0
            and cells[cell - across] == cells[cell]
            and _reaches(cells, column, stack, cols, top * cols, bottom * cols, left, right, cell, length)
        ):
            return True
    return False


@njit(cache=True)
def _reaches(cells, column, stack, cols, first, last, left, right, cell, length):
    """Tell whether the group of a cell has `length` cells, of those from `first` to before `last` in some columns.

    Its cells get the complement of their colour while they are on the stack, so none is met twice.
    """
    colour = cells[cell]
    mark = -1 - colour
    cells[cell] = mark
    stack[0] = cell
    n = 1
    at = 0
    while at < n < length:
        here = stack[at]
        at += 1
        if here + cols < last and cells[here + cols] == colour:
            cells[here + cols] = mark
            stack[n] = here + cols
            n += 1
        if here - cols >= first and cells[here - cols] == colour:
            cells[here - cols] = mark
            stack[n] = here - cols
            n += 1
        if column[here] > left and cells[here - 1] == colour:
            cells[here - 1] = mark
            stack[n] = here - 1
            n += 1
        if column[here] + 1 < right and here + 1 < last and cells[here + 1] == colour:
            cells[here + 1] = mark
            stack[n] = here + 1
            n += 1
    for at in range(n):
        cells[stack[at]] = colour
    return n >= length


def _plan(rows, cols, groups, length):
    """List the blocks of a board, halves before the whole, each as seven numbers.

    Its first row and the one behind its last, its first column and the one behind its last; the
    rows above the seam and the columns before it, both 0 where it is drawn in one go; where the list
    of its parts begins.
    """

    @functools.cache
    def blocks(rows, cols):
        free = rows * cols < length if groups else max(rows, cols) < length
        if free and rows * cols <= LEAF:
            return np.array([[0, rows, 0, cols, 0, 0, 0]], np.int32)
        above, before = (rows // 2, 0) if rows >= cols else (0, cols // 2)
        one = blocks(above or rows, before or cols)
        other = blocks(rows - above, cols - before) + np.array([above, above, before, before, 0, 0, len(one)], np.int32)
        return np.concatenate([one, other, np.array([[0, rows, 0, cols, above, before, 0]], np.int32)])

    return blocks(rows, cols)


def _as_flags(settled, movable):
    """Return both as bools, or say what is wrong with them."""
    for name, value in (("settled", settled), ("movable", movable)):
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(settled), bool(movable)


def _kind(settled, movable, groups, length):
    """Say in words what boards are asked for."""
    words = " and ".join(word for word, asked in (("settled", settled), ("movable", movable)) if asked)
    return f"{words} ({'groups' if groups else 'lines'} of {length})"


def _check_possible(rows, cols, n_colours, groups, length, settled, movable, kind):
    """Refuse what no board has.

    Settled. With two colours or more the checkerboard is. With one there is one board.

    Movable by lines. A swap makes a line of L cells: L − 1 of them were equal before, and beside the line, or
    next in it, there was one more of that colour; two neighbours that are swapped differ. So there must be two colours,
    a side of at least L, and more than L cells. Then there is a settled board with a move: let
    the columns be at least L (else turn the board).

    - In one row: x^(L−1) y x y x ...; swap the first y with the x behind it.
    - In more: row 0 is x^(L−1) y x y x ..., the rows below are a checkerboard with x in column
      L − 1 of row 1, which is swapped with the y above it. For L = 2 all is one checkerboard. Else runs
      in row 0 have at most L − 1 cells, and those in columns at most two, in rows 0 and 1.

    Movable by groups. A swap makes a group S of at least L cells; let q be the cell of S that changed, and p, not in
    S, where its colour came from. So there must be two colours and more than L cells, and that is enough if
    boards need not be settled: colour a connected set of L cells but one of them, q, and a
    neighbour p of q outside. Settled, in one row, x^(L−1) y x y x ... will do again.
    Settled, in two rows or more, L + 1 cells are not enough: S would be all but p, and the board without
    q hangs together, so that it has a group of at least L cells before the swap. L + 2 cells are enough. Let
    rows <= cols (else turn the board) and name cells (row, col).

    - L <= cols: bricks of 1 x (L − 1), row r and column c in the colour (r + c // (L − 1)) mod 2. Each
      is a group. Swap (0, L − 1) with (1, L − 1): the first brick gets one cell more.
    - L > cols: let p = (0, 0), q = (0, 1), r = (1, 0). S takes the first cells down the columns,
      column by column, without p and r, L in all; p and S but q are x, r and q are y. S hangs together (below);
      p is beside none of S but q, so before the swap it is alone, and S without q has L − 1 cells. It remains to
      colour the rest. S ends in column k − 1, with m < rows cells of it missing, k >= 2 as L + 2 > rows. Let the last m
      rows of column j >= k − 1 and the other rows of column j + 1 have one colour, y for j = k − 1, and
      x and y in turn from there on: groups of at most rows − m and m cells, all less than L.
      With k = 2, S hangs together as rows − m >= 3 (from L = 2 rows − 2 − m > rows), and q joins the top of
      column 2 to a group of rows − m + 1 < L cells, but for rows = cols = 3, L = 4: there take three
      rows x, y, x and swap (0, 2) with (1, 2).
    """
    name = f"{rows}x{cols}"
    if settled and n_colours == 1 and (rows * cols >= length if groups else max(rows, cols) >= length):
        raise ValueError(f"n_colours must be at least 2 for boards of {name} that are {kind}, got 1")
    if not movable:
        return
    if n_colours == 1:
        raise ValueError(f"n_colours must be at least 2 for boards that are {kind}, got 1: equal cells are not swapped")
    if not groups and max(rows, cols) < length:
        raise ValueError(f"shape must have a side of at least {length} for boards that are {kind}, got {name}")
    needed = length + (2 if groups and settled and min(rows, cols) > 1 else 1)
    if rows * cols < needed:
        raise ValueError(f"shape must have at least {needed} cells for boards that are {kind}, got {name}")
