"""Boards of a known law: uniform over all settled, over all movable boards, and over the arrangements of given cells.

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
import scipy
from numba import njit

from .. import grid
from . import rules

__all__ = ["board", "reshuffle"]

#: Cells drawn in one call of a kernel, some 50 ms: between two calls an interrupt gets through.
PIECE = 2**23

#: Cells drawn for each board, on average, after which the boards asked for are given up as too rare; some 10 s.
LIMIT = 2**30

#: Cells drawn for a board that is reshuffled, after which that goes on in halves.
PATIENCE = 2**20

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
        Whether there must be a move.
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
    with matches of 3; each takes some 10 ns.

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
    index = block = drawn = 0
    while index < len(boards):
        index, block, more = _board(
            boards, index, block, plan, pool, column, stack, groups, clears, movable, length, PIECE, rng
        )
        drawn += more
        if index < len(boards) and drawn > LIMIT * (index + 1):
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


def reshuffle(board, *, rule="lines", length=3, settled=True, movable=True, rng=None):
    """Draw another arrangement of the cells of a board, each with the asked property as likely.

    Uniform over all distinct arrangements of the same colours in the same cells on which nothing clears
    (`settled`) and there is a move (`movable`). Empty cells stay where they are.

    Parameters
    ----------
    board : array_like of int, shape (..., rows, cols)
        Colours from 0 to 126, -1 on empty cells. Each board of a batch is reshuffled on its own.
    rule : {"lines", "groups"}
        Whether runs of equal cells in a row or column clear, or groups joined by edges.
    length : int
        Cells of the shortest run, or of the smallest group, that clears, from 2 on.
    settled : bool
        Whether nothing may clear.
    movable : bool
        Whether there must be a move.
    rng : `numpy.random.Generator` or seed, optional
        Anything `numpy.random.default_rng` accepts.

    Returns
    -------
    ndarray of int8, shape (..., rows, cols)
        The boards, reshuffled.

    Raises
    ------
    TypeError
        If an argument is of a wrong type.
    ValueError
        If an argument is out of its range, if no arrangement has the property, or if so few have it that none
        was found: in more than `LIMIT` cells drawn for each board (some ten seconds), or in
        64 times as many draws as there are arrangements, where one that exists is missed with a chance of e^-64.

    See Also
    --------
    board : Boards of any colours.

    Notes
    -----
    Each cell in turn is drawn from those left, and the draw begins again as soon as something clears. Where
    that took more than `PATIENCE` cells, all but the last rows are drawn as by `board`, in halves, which are kept if
    the cells left for the last rows are likely and fit.

    Examples
    --------
    >>> reshuffle([[0, 0, 1, 1], [2, 2, -1, 0]], rng=1)
    array([[ 2,  0,  0,  1],
           [ 0,  1, -1,  2]], dtype=int8)
    """
    boards = rules._as_boards("board", board)
    groups, length = rules._as_rule(rule, length)
    settled, movable = _as_flags(settled, movable)
    rng = grid.as_rng(rng)
    shape, (rows, cols) = boards.shape, boards.shape[-2:]
    boards = boards.reshape(-1, rows, cols).copy()
    kind = _kind(settled, movable, groups, length)
    enough = _check_arrangements(boards, groups, length, settled, movable, kind)
    n_cells = rows * cols
    clears = min(length, n_cells + 1) if settled else n_cells + 1
    column = np.arange(n_cells, dtype=np.int32) % cols
    filled, stack = np.zeros((2, n_cells), np.int32)
    # Where all has been tried that there is, or halves would not help, it ends here.
    tried = np.where((enough <= LIMIT) | (not settled), np.minimum(enough, LIMIT), PATIENCE).astype(np.int64)
    index = place = drawn = total = 0
    while index < len(boards):
        index, place, drawn, more = _reshuffle(
            boards, index, place, drawn, tried, filled, column, stack, groups, clears, movable, length, PIECE, rng
        )
        total += more
        if index == len(boards) or drawn <= tried[index]:
            continue
        found = False
        if settled and enough[index] > LIMIT:
            plan, chances = _halves(boards[index], groups, clears, length)
            block = 0
            while not found and total <= LIMIT * (index + 1):
                found, block, more = _reshuffle_halves(
                    boards[index],
                    block,
                    plan,
                    chances,
                    filled,
                    column,
                    stack,
                    groups,
                    clears,
                    movable,
                    length,
                    PIECE,
                    rng,
                )
                total += more
                drawn += more
        if not found:
            raise ValueError(
                f"board must have an arrangement that is {kind}, and not too few of them; none was found for "
                f"board {index} of {len(boards)} in {drawn:,} cells drawn: make a new board instead"
            )
        index, place, drawn = index + 1, 0, 0
    return boards.reshape(shape)


@njit(cache=True)
def _reshuffle(boards, index, place, drawn, tried, filled, column, stack, groups, clears, movable, length, work, rng):
    """Go on with the filled cell number `place` of board `index`, for which `drawn` cells were drawn already.

    Until all boards are done, more cells were drawn for one than are to be `tried`, or `work` cells are drawn. Return
    where to go on, and the number of cells drawn. A look for moves counts as so many cells.
    """
    _, rows, cols = boards.shape
    total = 0
    while index < len(boards) and total < work and drawn <= tried[index]:
        cells = boards[index].reshape(rows * cols)
        n = _list_filled(cells, filled)
        most = min(work - total, tried[index] - drawn + 1)
        place, more = _arrange(cells, cols, filled, place, n, column, stack, groups, clears, most, rng)
        if place == n and movable:
            more += n
        drawn += more
        total += more
        if place == n:
            place = 0
            if not movable or rules._has_move(boards[index], groups, length, stack):
                index += 1
                drawn = 0
    return index, place, drawn, total


@njit(cache=True)
def _list_filled(cells, filled):
    """List the cells that are not empty; return their number."""
    n = 0
    for cell in range(len(cells)):
        if cells[cell] >= 0:
            filled[n] = cell
            n += 1
    return n


@njit(cache=True)
def _arrange(cells, cols, filled, place, n, column, stack, groups, clears, work, rng):
    """Shuffle filled cells from number `place` on, by Fisher and Yates; from the first on again if something clears.

    Until all `n` are placed or `work` cells are drawn. Return the place reached, and the number of cells drawn.
    """
    drawn = 0
    while place < n and drawn < work:
        cell = _swap(cells, filled, place, n, rng)
        drawn += 1
        place += 1
        if clears <= place and _ends(cells, cols, cell, column, stack, groups, clears):
            place = 0
    return place, drawn


def _halves(board, groups, clears, length):
    """Prepare to reshuffle in halves: the plan of the upper rows, and what there is to know of colours and chances.

    Let colours be independent, each with its share p(x) of the n cells: all arrangements are as likely, as their
    chance is the product of p(x)^(cells of x). So an arrangement is the board that this gives if all colours come
    out right, and a settled one that which it gives if it is settled, too. The upper
    rows are drawn so, settled, in halves. What is left for the d cells below must be r(x) cells of each colour x. Drawn
    at random, they would come out so with the chance P(r) = d! times the product of p(x)^r(x) / r(x)!, and
    then in each order as likely. So it is the same to shuffle what is left, if the upper rows are
    kept with a chance in proportion to P(r): with P(r) over its largest value.
    """
    pool = board[board >= 0]
    counts = np.bincount(pool)
    shares = counts / len(pool)
    # Of d last cells, these are as likely to fit as (d/n)^((colours - 1)/2), and to clear nothing as exp(-d rate):
    # the product is largest where
    rate = (6 if groups else 2) * (shares**length).sum()
    wanted = ((counts > 0).sum() - 1) / 2 / rate
    below = (board >= 0).sum(1)[::-1].cumsum()
    top = len(board) - min(int((below < wanted).sum()) + 1, len(board))
    plan = np.zeros((0, 7), np.int32) if top == 0 else _plan(top, board.shape[1], groups, clears)
    # The likeliest colours of d cells drawn from the pool, one after the other.
    mode = np.zeros(len(counts), np.int64)
    for _ in range(int((board[top:] >= 0).sum())):
        mode[(shares / (mode + 1)).argmax()] += 1
    logs = np.log(shares, where=counts > 0, out=np.zeros(len(counts)))
    factorials = scipy.special.gammaln(np.arange(len(pool) + 1) + 1.0)
    likeliest = float((mode * logs - factorials[mode]).sum())
    return plan, (pool, counts, logs, factorials, likeliest, top)


@njit(cache=True)
def _reshuffle_halves(board, block, plan, chances, filled, column, stack, groups, clears, movable, length, work, rng):
    """Go on with block `block` of the upper rows, until there is an arrangement or `work` cells are drawn.

    Return whether there is, where to go on, and the number of cells drawn.
    """
    pool, counts, logs, factorials, likeliest, top = chances
    rows, cols = board.shape
    cells = board.reshape(rows * cols)
    n = _list_filled(cells, filled)
    first = 0
    while first < n and filled[first] < top * cols:
        first += 1
    left = np.zeros(len(counts), np.int64)
    total = 0
    while total < work:
        block, drawn = _join(cells, cols, block, plan, pool, column, stack, groups, clears, work - total, rng)
        total += drawn
        if block < len(plan):
            break
        block = 0
        total += n - first
        left[:] = counts
        for place in range(first):
            left[cells[filled[place]]] -= 1
        if left.min() < 0:
            continue
        chance = -likeliest
        for colour in range(len(left)):
            chance += left[colour] * logs[colour] - factorials[left[colour]]
        if rng.random() >= np.exp(chance):
            continue
        place = first
        for colour in range(len(left)):
            for _ in range(left[colour]):
                cells[filled[place]] = colour
                place += 1
        place = first
        while place < n:
            cell = _swap(cells, filled, place, n, rng)
            if _ends(cells, cols, cell, column, stack, groups, clears):
                break
            place += 1
        if movable:
            total += n
        if place == n and (not movable or rules._has_move(board, groups, length, stack)):
            return True, 0, total
    return False, block, total


@njit(cache=True)
def _swap(cells, filled, place, n, rng):
    """Do a step of Fisher and Yates: a random one of the cells left goes to filled cell `place`, which is returned."""
    cell = filled[place]
    other = filled[place + int(rng.random() * (n - place))]
    cells[cell], cells[other] = cells[other], cells[cell]
    return cell


@njit(cache=True)
def _ends(cells, cols, cell, column, stack, groups, length):
    """Tell whether a cell clears with cells before it."""
    if groups:
        return _reaches(cells, column, stack, cols, 0, cell + 1, 0, cols, cell, length)
    return _ends_line(cells, cell, column[cell], 1, length) or _ends_line(cells, cell, cell // cols, cols, length)


@njit(cache=True)
def _ends_line(cells, cell, before, step, length):
    """Tell whether a cell ends a run of `length` cells, with `before` cells before it, `step` apart."""
    run = 1
    while run <= before and cells[cell - run * step] == cells[cell]:
        run += 1
    return run >= length


def _check_arrangements(boards, groups, length, settled, movable, kind):
    """Refuse boards whose cells plainly have no such arrangement; say for the others how many cells are enough to draw.

    A move makes a match of `length` cells of a colour by swapping one of another colour with one of them. And of
    `length` cells in a row, in a line of a settled board at least one is of another colour.
    """
    filled = boards >= 0
    counts = np.stack([(boards == colour).sum((1, 2)) for colour in range(int(boards.max(initial=0)) + 1)], axis=1)
    most, area = counts.max(1), counts.sum(1)
    across, down = (_disjoint_runs(some, length) for some in (filled, filled.swapaxes(1, 2)))
    checks = []
    if movable:
        checks.append(("at least {} colours", 2, (counts > 0).sum(1)))
        checks.append(("at least {} cells of one colour", length, most))
        if not groups:
            checks.append((f"at least {{}} run of {length} filled cells", 1, across + down))
    if settled and not groups:
        checks.append(("at most {} cells of one colour", area - np.maximum(across, down), most))
    for words, bound, got in checks:
        wrong = got > bound if "most" in words else got < bound
        if wrong.any():
            index = wrong.argmax()
            bound = np.broadcast_to(bound, wrong.shape)[index]
            raise ValueError(
                f"board must have {words.format(bound)} for an arrangement that is {kind}, "
                f"got {got[index]} in board {index} of {len(boards)}"
            )
    # A draw takes at most `area` cells, and as many for a look for moves. One of N arrangements is missed by
    # 64 N draws with a chance of (1 - 1/N)^(64 N) < e^-64.
    arrangements = scipy.special.gammaln(area + 1) - scipy.special.gammaln(counts + 1).sum(1)
    return 64 * np.exp(np.minimum(arrangements, 100)) * 2 * np.maximum(area, 1)


def _disjoint_runs(filled, length):
    """Count how many runs of `length` filled cells can be cut from the rows of each board."""
    runs = np.zeros(filled.shape[:2], np.int64)
    found = np.zeros(len(filled), np.int64)
    for col in range(filled.shape[2]):
        runs = (runs + 1) * filled[:, :, col]
        found += (runs == length).sum(1)
        runs[runs == length] = 0
    return found
