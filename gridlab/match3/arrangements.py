"""Reshuffles of a known law: uniform over all arrangements of a board's cells that are settled, movable, or both.

Cells are shuffled one by one, and from the first on again as soon as something clears. Of many cells that takes
long. Then the upper rows are drawn in halves, as in `gridlab.match3.boards`, and the last rows are shuffled from what
is left: `_halves` says with what chance that must be kept.
"""

import numpy as np
import scipy
from numba import njit

from .. import grid
from . import rules
from .boards import LIMIT, PIECE, _as_flags, _join, _kind, _plan, _reaches

__all__ = ["reshuffle"]

#: Cells drawn for a board, after which its upper rows are drawn in halves.
PATIENCE = 2**20


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
    Each cell in turn is drawn from those left, and the draw begins again as soon as something clears: some 60 µs a
    board of 9x9 cells in six colours by lines, a hundred times as long by groups. Where that took more than
    `PATIENCE` cells, all but the last rows are drawn as by `board`, in halves, which are kept if the cells left for
    the last rows are likely and fit.

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
    limit = LIMIT / 4 if groups else LIMIT  # a cell takes so much longer
    n_cells = rows * cols
    clears = min(length, n_cells + 1) if settled else n_cells + 1
    column = np.arange(n_cells, dtype=np.int32) % cols
    filled, stack = np.zeros((2, n_cells), np.int32)
    # Where all has been tried that there is, or halves would not help, it ends here.
    tried = np.where((enough <= limit) | (not settled), np.minimum(enough, limit), PATIENCE).astype(np.int64)
    index = place = drawn = total = 0
    while index < len(boards):
        index, place, drawn, more = _reshuffle(
            boards, index, place, drawn, tried, filled, column, stack, groups, clears, movable, length, PIECE, rng
        )
        total += more
        if index == len(boards) or drawn <= tried[index]:
            continue
        found = False
        if settled and enough[index] > limit:
            plan, chances = _halves(boards[index], groups, clears, length)
            block = 0
            while not found and total <= limit * (index + 1):
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
    `length` cells in a row, on a settled board at least one is of another colour, by either rule.
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
    if settled:
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
