"""What clears on a board, and which swaps of neighbours clear something.

By ``rule="lines"`` the runs of at least `length` equal cells in a row or a column clear; by
``rule="groups"`` the groups of at least `length` equal cells that hold together by edges. With
``length=3``, what clears by each is marked by capitals; the two rules meet where lines are::

    A A A b     A A A b     By lines three cells. By groups the same, and the group of four c.
    c c b a     C C b a
    b c c b     b C C b

Empty cells, -1, never clear.
"""

import numpy as np
from numba import njit

from .. import components, grid

__all__ = ["is_movable", "is_settled", "matches", "moves"]

#: The greatest colour of a board.
HIGHEST = 126

#: Cells of a batch that are looked at in one go: what is computed on the way stays in the processor's cache.
PIECE = 2**16

#: Cells of the longest runs that are found by loops over all cells at a time.
SHORT = 8

#: Swaps times the cells that are looked at for each in one call of a kernel, some 50 ms at most.
WORK = 2**22


def matches(boards, *, rule="lines", length=3):
    """Label what clears.

    Parameters
    ----------
    boards : array_like of int, shape (..., rows, cols)
        Colours from 0 to 126, -1 on empty cells.
    rule : {"lines", "groups"}
        Whether runs of equal cells in a row or column clear, or groups joined by edges.
    length : int
        Cells of the shortest run, or of the smallest group, that clears, from 2 on.

    Returns
    -------
    ndarray of int32, shape (..., rows, cols)
        0 where a cell stays. Cells that clear and hold together by edges, all of one colour, have one
        label: a line, or lines that cross or touch. Labels are counted from 1 on each board, in
        row-major order of first cells.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    See Also
    --------
    is_settled : Whether there is nothing.
    gridlab.match3.clear : Empties these cells.

    Notes
    -----
    O(``rows * cols``) a board, by lines some 0.4 µs for 9 x 9 cells in a batch, by groups 2 µs.

    Examples
    --------
    >>> board = [[0, 0, 0, 1], [2, 2, 1, 0], [1, 2, 2, 1]]
    >>> matches(board)
    array([[1, 1, 1, 0],
           [0, 0, 0, 0],
           [0, 0, 0, 0]], dtype=int32)
    >>> matches(board, rule="groups")
    array([[1, 1, 1, 0],
           [2, 2, 0, 0],
           [0, 2, 2, 0]], dtype=int32)
    """
    boards = _as_boards("boards", boards)
    groups, length = _as_rule(rule, length)
    labels = np.empty(boards.shape, np.int32)
    batch, out = grid.batch(boards), grid.batch(labels)
    for some in grid.pieces(batch, PIECE):
        left = np.empty(batch[some].shape, np.int8)
        _matching(left, batch[some], groups, length)
        out[some] = components.label(left, background=-1)
    return labels


@njit(cache=True)
def _matching(left, boards, groups, length):
    """Copy of each board the cells that clear, and -1 for the others."""
    marks = np.empty(boards.shape, np.uint8)
    _marks(boards, groups, length, marks, np.empty(boards.size, np.int32))
    cells, out, marked = boards.reshape(-1), left.reshape(-1), marks.reshape(-1)
    for cell in range(len(out)):
        out[cell] = cells[cell] if marked[cell] else -1


@njit(cache=True)
def _marks(boards, groups, length, marks, stack):
    """Mark what clears on boards by 1, all else by 0, and count it. `stack` has room for all cells."""
    if groups:
        n_marked = 0
        for k in range(len(boards)):
            n_marked += _mark_groups(boards[k], length, marks[k], stack)
        return n_marked
    if length > SHORT:
        return _mark_long_lines(boards, length, marks)
    return _mark_lines(boards, length, marks, stack)


@njit(cache=True)
def _mark_lines(boards, length, marks, stack):
    """Mark the runs of equal cells: each is as many pairs of equal neighbours less one, one after the other.

    Cells of all boards go by flat index, and all loops do many at a time. `stack` lends its bytes.
    They are as many loops as a run has cells: for short ones.
    """
    _, rows, cols = boards.shape
    cells, found, n = boards.reshape(-1), marks.reshape(-1), boards.size
    pair, line = stack.view(np.uint8)[:n], stack.view(np.uint8)[n : 2 * n]
    found[:] = 0
    for down in range(2):
        step, side = (cols, rows) if down else (1, cols)
        if length > side:
            continue
        here, before = cells[step:], cells[: n - step]
        pair[:step] = 0
        after = pair[step:]
        for i in range(n - step):
            after[i] = (here[i] == before[i]) & (here[i] >= 0)
        # Where a row, or a board, begins, the cell before is no neighbour.
        for first in range(0, n, rows * cols if down else cols):
            pair[first : first + step] = 0
        line[:] = pair
        for back in range(1, length - 1):
            ends, pairs = line[back * step :], pair[: n - back * step]
            for i in range(len(ends)):
                ends[i] &= pairs[i]
            line[: back * step] = 0
        for back in range(length):
            ends, marked = line[back * step :], found[: n - back * step]
            for i in range(len(ends)):
                marked[i] |= ends[i]
    n_marked = 0
    for i in range(n):
        n_marked += int(found[i])
    return n_marked


@njit(cache=True)
def _mark_long_lines(boards, length, marks):
    """Mark the runs of equal cells, going along each row and column once, however long they are."""
    _, rows, cols = boards.shape
    cells, found, n = boards.reshape(-1), marks.reshape(-1), boards.size
    found[:] = 0
    for down in range(2):
        step, side, next_line = (cols, rows, 1) if down else (1, cols, cols)
        if length > side:
            continue
        for board in range(0, n, rows * cols):
            for start in range(board, board + rows * cols // side * next_line, next_line):
                end = start + side * step
                first = start
                for cell in range(start + step, end + step, step):
                    if cell < end and cells[cell] == cells[first]:
                        continue
                    if cell - first >= length * step and cells[first] >= 0:
                        for one in range(first, cell, step):
                            found[one] = 1
                    first = cell
    n_marked = 0
    for i in range(n):
        n_marked += int(found[i])
    return n_marked


@njit(cache=True)
def _mark_groups(board, length, marks, stack):
    """Mark the groups that are large enough. A cell that has been seen has another mark meanwhile."""
    rows, cols = board.shape
    marks[:] = 2
    n_marked = 0
    for first in range(rows * cols):
        colour = board[first // cols, first % cols]
        if marks[first // cols, first % cols] != 2:
            continue
        marks[first // cols, first % cols] = 0
        stack[0] = first
        n_found, n_seen = 1, 0
        while n_seen < n_found and colour >= 0:
            row, col = stack[n_seen] // cols, stack[n_seen] % cols
            n_seen += 1
            for direction in range(0, 8, 2):
                down, right = grid.RING[direction]
                if 0 <= row + down < rows and 0 <= col + right < cols:
                    if marks[row + down, col + right] == 2 and board[row + down, col + right] == colour:
                        marks[row + down, col + right] = 0
                        stack[n_found] = (row + down) * cols + col + right
                        n_found += 1
        if n_found >= length:  # so it is a colour's: the least length is 2
            n_marked += n_found
            for i in range(n_found):
                marks[stack[i] // cols, stack[i] % cols] = 1
    return n_marked


def is_settled(boards, *, rule="lines", length=3):
    """Tell whether nothing clears.

    Parameters
    ----------
    boards, rule, length
        As in `matches`.

    Returns
    -------
    ndarray of bool, shape (...)
        For each board; of a single board a scalar.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    See Also
    --------
    matches : What clears.

    Examples
    --------
    >>> bool(is_settled([[0, 0, 1], [1, 0, 1]])), bool(is_settled([[0, 0, 1], [1, 0, 1]], rule="groups"))
    (True, False)
    """
    return _told(_settled, boards, rule, length)


@njit(cache=True)
def _settled(told, boards, groups, length):
    """Tell of each board whether nothing clears."""
    marks = np.empty(boards.shape, np.uint8)
    _marks(boards, groups, length, marks, np.empty(boards.size, np.int32))
    for k in range(len(boards)):
        told[k] = not marks[k].any()


def moves(boards, *, rule="lines", length=3):
    """Mark the moves: swaps of two neighbours after which one of them is in what clears.

    Two equal cells, or a cell and an empty one, are no move.

    Parameters
    ----------
    boards, rule, length
        As in `matches`.

    Returns
    -------
    ndarray of bool, shape (..., rows, cols, 2)
        Entry 0 is the swap of a cell with its right neighbour, entry 1 with the one below it.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    See Also
    --------
    is_movable : Whether there is a move.

    Notes
    -----
    O(``rows * cols``) a board by lines, some 0.7 µs for 9 x 9 cells in a batch, with 22 bytes a cell of one
    board beyond the result; by groups, of each swap up to ``length`` cells on both sides are looked at, some 7 µs
    for those and three cells a group.

    Examples
    --------
    >>> board = [[0, 0, 1, 0], [1, 2, 2, 1]]
    >>> for row, col, below in np.argwhere(moves(board)).tolist():
    ...     print("swap", (row, col), "with", (row + below, col + 1 - below))
    swap (0, 2) with (0, 3)
    """
    boards = _as_boards("boards", boards)
    groups, length = _as_rule(rule, length)
    found = np.empty((*boards.shape, 2), bool)
    batch, out = grid.batch(boards), found.reshape(-1, *found.shape[-3:])
    if not groups:
        for some in grid.pieces(batch, PIECE):
            _moves_by_lines(out[some], batch[some], length)
        return found
    n_boards, rows, cols = batch.shape
    at_once = max(1, WORK // (cols * min(length, rows * cols)))
    colours, seen = _frame(rows, cols)
    stack = np.empty(rows * cols, np.int32)
    for first in range(0, n_boards * rows, at_once):
        _moves_by_groups(out, batch, first, min(first + at_once, n_boards * rows), length, colours, seen, stack)
    return found


@njit(cache=True)
def _moves_by_lines(found, boards, length):
    """Tell of each swap on each board whether it is a move."""
    n_boards, rows, cols = boards.shape
    tables, swaps = _tables(rows, cols)
    for k in range(n_boards):
        _lines(swaps, tables, boards[k], length)
        for row in range(rows):
            for col in range(cols):
                for down in range(2):
                    found[k, row, col, down] = swaps[down, (row + 1) * (cols + 2) + col + 1]


@njit(cache=True)
def _moves_by_groups(found, boards, first, last, length, colours, seen, stack):
    """Tell of the swaps of the rows from `first` to before `last` of all boards whether they are moves.

    The rest is scratch: `colours` of the board in work, and what `_grows` needs.
    """
    _, rows, cols = boards.shape
    width = cols + 2
    for at in range(first, last):
        k, row = at // rows, at % rows
        if row == 0:
            _put(colours, boards[k])
        for col in range(cols):
            here = (row + 1) * width + col + 1
            found[k, row, col, 0] = _joins(colours, width, length, here, here + 1, seen, stack)
            found[k, row, col, 1] = _joins(colours, width, length, here, here + width, seen, stack)


@njit(cache=True)
def _tables(rows, cols):
    """Make room for what `_lines` fills in, on a board with a frame of a colour that no cell has."""
    tables = np.zeros((5, (rows + 2) * (cols + 2)), np.int32)
    tables[0] = -2
    return tables, np.zeros((2, (rows + 2) * (cols + 2)), np.bool_)


@njit(cache=True)
def _lines(swaps, tables, board, length):
    """Tell of each swap, at the right (0) and below (1), whether it makes a line, and whether any does.

    Table 0 holds the colours, 1 to 4 how many cells on from each, itself too, have its colour: to the left, to the
    right, up and down. Then a swap is four sums, of which one is long enough or not: on along the swap, for
    either cell in its new place, and across it. All loops do many cells at a time.
    """
    rows, cols = board.shape
    width, n = cols + 2, (rows + 2) * (cols + 2)
    colours, left, right, up, down = tables[0], tables[1], tables[2], tables[3], tables[4]
    for row in range(rows):
        for col in range(cols):
            colours[(row + 1) * width + col + 1] = board[row, col]
    for cell in range(width, n - width):
        left[cell] = 1 + left[cell - 1] * (colours[cell - 1] == colours[cell])
        up[cell] = 1 + up[cell - width] * (colours[cell - width] == colours[cell])
    for cell in range(n - width - 1, width - 1, -1):
        right[cell] = 1 + right[cell + 1] * (colours[cell + 1] == colours[cell])
        down[cell] = 1 + down[cell + width] * (colours[cell + width] == colours[cell])
    any_move = False
    for side in range(2):
        if side == 0:
            step, turn, behind, ahead, before, after = 1, width, left, right, up, down
        else:
            step, turn, behind, ahead, before, after = width, 1, up, down, left, right
        first, last = width, n - width - step
        here, there = colours[first:last], colours[first + step : last + step]
        next_, n_next = colours[first + 2 * step : last + 2 * step], ahead[first + 2 * step : last + 2 * step]
        past, n_past = colours[first - step : last - step], behind[first - step : last - step]
        low, n_low = colours[first - turn : last - turn], before[first - turn : last - turn]
        high, n_high = colours[first + turn : last + turn], after[first + turn : last + turn]
        start, stop = first + step - turn, last + step - turn
        low_there, n_low_there = colours[start:stop], before[start:stop]
        start, stop = first + step + turn, last + step + turn
        high_there, n_high_there = colours[start:stop], after[start:stop]
        out = swaps[side, first:last]
        for i in range(last - first):
            one, other = here[i], there[i]
            along = max(n_next[i] * (next_[i] == one), n_past[i] * (past[i] == other))
            at_there = n_low_there[i] * (low_there[i] == one) + n_high_there[i] * (high_there[i] == one)
            at_here = n_low[i] * (low[i] == other) + n_high[i] * (high[i] == other)
            longest = 1 + max(along, at_here, at_there)
            move = (longest >= length) & (one != other) & (one >= 0) & (other >= 0)
            out[i] = move
            any_move |= move
    return any_move


@njit(cache=True)
def _frame(rows, cols):
    """Make room for the colours of a board with a frame of empty cells, and for which of its cells were seen."""
    return np.full((rows + 2) * (cols + 2), -1, np.int8), np.zeros((rows + 2) * (cols + 2), np.uint8)


@njit(cache=True)
def _put(colours, board):
    """Put a board into its frame."""
    rows, cols = board.shape
    for row in range(rows):
        for col in range(cols):
            colours[(row + 1) * (cols + 2) + col + 1] = board[row, col]


@njit(cache=True)
def _joins(colours, width, length, here, there, seen, stack):
    """Tell whether swapping two neighbours makes a group."""
    one, other = colours[here], colours[there]
    if one == other or one < 0 or other < 0:
        return False
    # Cells of its own colour beside each in its new place, one of them where it comes from: most often that is all.
    n_there, n_here = _beside(colours, width, there, one), _beside(colours, width, here, other)
    if n_there >= length or n_here >= length:
        return True
    if n_there > 1 and _grows(colours, width, length, there, one, here, seen, stack):
        return True
    return n_here > 1 and _grows(colours, width, length, here, other, there, seen, stack)


@njit(cache=True)
def _beside(colours, width, cell, colour):
    """Count the neighbours of a cell that have a colour."""
    right, left = int(colours[cell + 1] == colour), int(colours[cell - 1] == colour)
    return right + left + int(colours[cell + width] == colour) + int(colours[cell - width] == colour)


@njit(cache=True)
def _grows(colours, width, length, start, colour, other, seen, stack):
    """Tell whether the cell `start`, if it had a colour and the cell `other` not, were in a group that is large enough.

    No cell is `seen` before, nor after. `stack` has room for all cells.
    """
    stack[0] = start
    n_found, n_seen = 1, 0
    seen[start] = seen[other] = 1
    while n_seen < n_found < length:
        cell = stack[n_seen]
        n_seen += 1
        for step in (1, width, -1, -width):
            if colours[cell + step] == colour and not seen[cell + step]:
                seen[cell + step] = 1
                stack[n_found] = cell + step
                n_found += 1
    for i in range(n_found):
        seen[stack[i]] = 0
    seen[other] = 0
    return n_found >= length


def is_movable(boards, *, rule="lines", length=3):
    """Tell whether there is a move.

    Parameters
    ----------
    boards, rule, length
        As in `matches`.

    Returns
    -------
    ndarray of bool, shape (...)
        For each board; of a single board a scalar.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    See Also
    --------
    moves : Which they are.

    Examples
    --------
    >>> bool(is_movable([[0, 0, 1, 0]])), bool(is_movable([[0, 1, 0, 1]]))
    (True, False)
    """
    return _told(_movable, boards, rule, length)


@njit(cache=True)
def _movable(told, boards, groups, length):
    """Tell of each board whether there is a move."""
    _, rows, cols = boards.shape
    stack = np.empty(rows * cols, np.int32)
    for k in range(len(boards)):
        told[k] = _has_move(boards[k], groups, length, stack)


@njit(cache=True)
def _has_move(board, groups, length, stack):
    """Tell whether there is a move on a board. `stack` has room for all cells."""
    rows, cols = board.shape
    if not groups:
        tables, swaps = _tables(rows, cols)
        return _lines(swaps, tables, board, length)
    colours, seen = _frame(rows, cols)
    _put(colours, board)
    for row in range(1, rows + 1):
        for here in range(row * (cols + 2) + 1, row * (cols + 2) + 1 + cols):
            if _joins(colours, cols + 2, length, here, here + 1, seen, stack):
                return True
            if _joins(colours, cols + 2, length, here, here + cols + 2, seen, stack):
                return True
    return False


def _told(kernel, boards, rule, length):
    """Ask a kernel about each board."""
    boards = _as_boards("boards", boards)
    groups, length = _as_rule(rule, length)
    told = np.empty(boards.shape[:-2], bool)
    batch, out = grid.batch(boards), told.reshape(-1)
    for some in grid.pieces(batch, PIECE):
        kernel(out[some], batch[some], groups, length)
    return told[()]


def _as_boards(name, boards):
    """Return boards as kernels expect them, a contiguous array of int8, or say what is wrong with them."""
    array = grid.as_grids(name, boards)
    if 0 in array.shape[-2:]:
        raise ValueError(f"{name} must have shape (..., rows, cols) with sides of at least 1, got {array.shape}")
    if array.size and not (-1 <= array.min() and array.max() <= HIGHEST):
        raise ValueError(f"{name} must be from -1 to {HIGHEST}, got values from {array.min()} to {array.max()}")
    return grid.plain(array.astype(np.int8, copy=False))


def _as_rule(rule, length):
    """Return whether groups clear and the least length, or say what is wrong with them."""
    if not isinstance(rule, str) or rule not in ("lines", "groups"):
        raise ValueError(f"rule must be 'lines' or 'groups', got {rule!r}")
    return rule == "groups", min(grid.as_int("length", length, 2), 2**31 - 1)
