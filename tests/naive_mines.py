"""The obvious, slow versions of what a minesweeper board shows: what its tests believe.

A board is a set of mines, (row, col), and a shape. The neighbours of a cell are those of `naive`.
"""

from fractions import Fraction
from itertools import combinations
from math import comb

import naive


def near(cell, shape, periodic=False):
    """The up to 8 neighbours of a cell."""
    return list(naive.around(cell, shape, periodic, naive.ALL_STEPS))


def by_counting(mines, shape, periodic=False):
    """The numbers, published way 1: at each free cell, count the mines around it."""
    numbers = {}
    for cell in naive.grid_cells(shape):
        numbers[cell] = 9 if cell in mines else sum(other in mines for other in near(cell, shape, periodic))
    return numbers


def by_adding(mines, shape, periodic=False):
    """The numbers, published way 2: start with zeros, and at each mine add 1 to the cells around it."""
    numbers = dict.fromkeys(naive.grid_cells(shape), 0)
    for mine in mines:
        for other in near(mine, shape, periodic):
            numbers[other] += 1
    for mine in mines:
        numbers[mine] = 9
    return numbers


def reveal(mines, shape, cell, periodic=False):
    """The cells that a click opens: a stack of cells to open, each 0 of which puts its neighbours on it."""
    numbers = by_counting(mines, shape, periodic)
    opened, todo = set(), [cell]
    while todo:
        cell = todo.pop()
        if cell in opened:
            continue
        opened.add(cell)
        if numbers[cell] == 0:
            todo += near(cell, shape, periodic)
    return opened


def openings(mines, shape, periodic=False):
    """The openings, each as the set of its cells: what a click on a zero that no click has opened before opens."""
    numbers, found = by_counting(mines, shape, periodic), []
    for cell in naive.grid_cells(shape):
        if numbers[cell] == 0 and not any(cell in opening for opening in found):
            found.append(reveal(mines, shape, cell, periodic))
    return found


def alone(mines, shape, periodic=False):
    """The free cells in no opening."""
    return set(naive.grid_cells(shape)) - set(mines) - set().union(*openings(mines, shape, periodic))


def islands(mines, shape, periodic=False):
    """The groups of free cells in no opening that hold together over edges and corners."""
    left, found = alone(mines, shape, periodic), []
    while left:
        found.append(naive.part(min(left), left, lambda cell: near(cell, shape, periodic)))
        left -= found[-1]
    return found


def bbbv(mines, shape, periodic=False):
    """Clicks that open all free cells, by marking: first a click on each zero not yet marked, then on what is left."""
    numbers = by_counting(mines, shape, periodic)
    marked, clicks = set(mines), 0
    for zeros in (True, False):
        for cell in naive.grid_cells(shape):
            if cell not in marked and (numbers[cell] == 0 or not zeros):
                marked |= reveal(mines, shape, cell, periodic)
                clicks += 1
    return clicks


def fewest_clicks(mines, shape, periodic=False):
    """The least number of clicks that open all free cells, by trying: one more and one more."""
    free = set(naive.grid_cells(shape)) - set(mines)
    states, clicks = {frozenset()}, 0
    opens = {cell: frozenset(reveal(mines, shape, cell, periodic)) for cell in free}
    while frozenset(free) not in states:
        # who opens a cell that is hidden still opens it sooner or later: it may as well be the first one now
        states = {state | opens[cell] for state in states for cell in free if min(free - state) in opens[cell]}
        clicks += 1
    return clicks


def mean_alone(shape, n_mines):
    """The exact mean number of free cells in no opening, over all boards with that many mines.

    A cell is one of them when it is free and neither it nor a neighbour is a zero. By inclusion and exclusion over
    the sets of zeros: some cells are zeros when there is no mine on them nor around them.
    """
    n = shape[0] * shape[1]
    without = [Fraction(comb(n - k, n_mines), comb(n, n_mines)) for k in range(n + 1)]  # k given cells are free
    known, mean = {}, Fraction(0)
    for row, col in naive.grid_cells(shape):
        # all cells that see the same of the border within two steps have the same chance
        kind = tuple(min(steps, 2) for steps in (row, shape[0] - 1 - row, col, shape[1] - 1 - col))
        if kind not in known:
            blocks = [{cell, *near(cell, shape)} for cell in [(row, col), *near((row, col), shape)]]
            known[kind] = sum(
                (-1) ** k * without[len(set().union({(row, col)}, *zeros))]
                for k in range(len(blocks) + 1)
                for zeros in combinations(blocks, k)
            )
        mean += known[kind]
    return mean
