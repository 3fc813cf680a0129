"""Tests of uniformity by definition: what the tests of `gridlab.uniformity` believe.

A board is a frozenset of mined cells (row, col). Everything is a Fraction, and expectations are
means over all boards.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb

from naive import STEPS, around, grid_cells


def all_boards(shape, n_mines):
    """Every board."""
    return [frozenset(mines) for mines in combinations(grid_cells(shape), n_mines)]


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def covariance(values, others):
    return mean(x * y for x, y in zip(values, others)) - mean(values) * mean(others)


# What is counted on one board


def joins(board, shape, connectivity, periodic=False):
    """Mined pairs of neighbours."""
    steps = STEPS[connectivity]
    return len(
        {frozenset({cell, other}) for cell in board for other in around(cell, shape, periodic, steps) if other in board}
    )


def runs(board, shape):
    """Runs of mined and of free cells in row-major order."""
    line = [cell in board for cell in grid_cells(shape)]
    return 1 + sum(x != y for x, y in pairwise(line))


def numbers(board, shape, periodic=False):
    """How many free cells show 0, 1, … 8."""
    free = set(grid_cells(shape)) - board
    shown = Counter(sum(other in board for other in around(cell, shape, periodic, STEPS[8])) for cell in free)
    return [shown[k] for k in range(9)]


def start(board, shape):
    """Mines among the first m cells."""
    return len(board & set(grid_cells(shape)[: len(board)]))


# Statistics of several boards


def cochran(boards, shape):
    """Cochran's Q as in the textbook: treatments are cells, blocks are boards."""
    k = len(grid_cells(shape))
    columns = [sum(cell in board for board in boards) for cell in grid_cells(shape)]
    rows = [len(board) for board in boards]
    total = sum(rows)
    spread = k * sum(x * x for x in columns) - total * total
    return Fraction((k - 1) * spread, k * total - sum(x * x for x in rows))


def excess(boards, shape):
    """E for every pair of cells."""
    cells = grid_cells(shape)
    n, m, t = len(cells), len(boards[0]), len(boards)
    together = Fraction(m * (m - 1), n * (n - 1))
    above = {
        pair: sum(pair <= board for board in boards) - t * together for pair in map(frozenset, combinations(cells, 2))
    }
    of_cell = {cell: sum(above[frozenset({cell, other})] for other in cells if other != cell) for cell in cells}
    return {pair: above[pair] - sum(of_cell[cell] for cell in pair) / (n - 2) for pair in above}


def theta(shape, n_mines):
    """The chance that two given cells are mined and two others free."""
    n, m = len(grid_cells(shape)), n_mines
    return Fraction(m * (m - 1) * (n - m) * (n - m - 1), n * (n - 1) * (n - 2) * (n - 3))


def pairs(boards, shape):
    squares = sum(x * x for x in excess(boards, shape).values())
    return squares / (len(boards) * theta(shape, len(boards[0])))


def displacements(boards, shape):
    """The sum of E over pairs by displacement, both ways."""
    total = Counter()
    for pair, value in excess(boards, shape).items():
        (row, col), (other_row, other_col) = pair
        total[other_row - row, other_col - col] += value
        total[row - other_row, col - other_col] += value
    return total


def subsets(boards, shape):
    """Pearson's chi-square."""
    n_sets = comb(len(grid_cells(shape)), len(boards[0]))
    expected = Fraction(len(boards), n_sets)
    seen = Counter(boards).values()
    return (sum((x - expected) ** 2 for x in seen) + (n_sets - len(seen)) * expected**2) / expected


def colex(boards, shape):
    """How often each set of mines occurs, in the order of the number whose binary digit i is 1 for a mine in cell i."""
    cells = grid_cells(shape)
    number = {board: sum(2 ** cells.index(cell) for cell in board) for board in all_boards(shape, len(boards[0]))}
    seen = Counter(boards)
    return [seen[board] for board in sorted(number, key=number.get)]


def holm(pvalues):
    """Adjusted p-values: the least level at which each is rejected, going up from the lowest until one is not."""
    adjusted = [0.0] * len(pvalues)
    least = 0.0
    for k, i in enumerate(sorted(range(len(pvalues)), key=lambda i: pvalues[i])):
        least = max(least, pvalues[i] * (len(pvalues) - k))
        adjusted[i] = min(1.0, least)
    return adjusted
