"""The obvious, slow versions of what clears, moves, falls and comes anew in match-3: what the tests believe.

A board is a tuple of rows, a row a tuple of plain Python ints; -1 is an empty cell.
"""

from functools import lru_cache
from itertools import product

import naive
import naive_components


def as_board(values):
    """Freeze a board."""
    return tuple(tuple(int(value) for value in line) for line in values)


@lru_cache(maxsize=2**16)
def clears(board, rule, length):
    """All cells that clear."""
    rows, cols = len(board), len(board[0])
    found = set()
    if rule == "lines":
        for row, col in product(range(rows), range(cols)):
            windows = []
            if col + length <= cols:
                windows.append([(row, col + step) for step in range(length)])
            if row + length <= rows:
                windows.append([(row + step, col) for step in range(length)])
            for window in windows:
                if board[row][col] != -1 and len({board[row][col] for row, col in window}) == 1:
                    found.update(window)
    else:
        labels = naive_components.label(board, background=-1)
        members = {}
        for row, col in product(range(rows), range(cols)):
            members.setdefault(labels[row][col], set()).add((row, col))
        members.pop(0, None)
        for group in members.values():
            if len(group) >= length:
                found |= group
    return frozenset(found)


def matches(board, rule, length):
    """Label what clears: by edges, where colours are equal."""
    found = clears(board, rule, length)
    left = [[x if (row, col) in found else -1 for col, x in enumerate(line)] for row, line in enumerate(board)]
    return naive_components.label(left, background=-1)


def swap(board, one, other):
    """The board with two cells swapped."""
    new = [list(line) for line in board]
    new[one[0]][one[1]], new[other[0]][other[1]] = board[other[0]][other[1]], board[one[0]][one[1]]
    return as_board(new)


def moves(board, rule, length):
    """For each cell, whether swapping it with the one on its right, and with the one below, is a move."""
    shape = len(board), len(board[0])

    def is_move(one, other):
        if other not in naive.grid_cells(shape):
            return False
        colours = board[one[0]][one[1]], board[other[0]][other[1]]
        if -1 in colours or colours[0] == colours[1]:
            return False
        return bool(clears(swap(board, one, other), rule, length) & {one, other})

    return [
        [[is_move((row, col), (row, col + 1)), is_move((row, col), (row + 1, col))] for col in range(shape[1])]
        for row in range(shape[0])
    ]


def clear(board, cells):
    """Empty some cells."""
    return as_board(
        [[-1 if (row, col) in cells else x for col, x in enumerate(line)] for row, line in enumerate(board)]
    )


def fall(board):
    """Let each column fall."""
    columns = []
    for column in zip(*board):
        filled = [x for x in column if x != -1]
        columns.append([-1] * (len(column) - len(filled)) + filled)
    return as_board(zip(*columns))


def refill(board, n_colours, rng):
    """Give each empty cell a colour, in row-major order."""
    return as_board([[int(rng.random() * n_colours) if x == -1 else x for x in line] for line in board])


def cascade(board, n_colours, rule, length, limit, rng):
    """Play to the end; give the board there, the cells cleared in each step, and whether it is settled."""
    cleared = []
    while clears(board, rule, length) and len(cleared) < limit:
        cells = clears(board, rule, length)
        cleared.append(len(cells))
        board = fall(clear(board, cells))
        if n_colours is not None:
            board = refill(board, n_colours, rng)
    return board, cleared, not clears(board, rule, length)
