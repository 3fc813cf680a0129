"""The published programs in the obvious way: written once more, from their description.

Laws are exact, as {result: Fraction}. Rules are pictures.
"""

from collections import Counter
from fractions import Fraction

import naive
import numpy as np

DIRECTIONS = ((0, 1), (0, -1), (1, 0), (-1, 0))  # right, left, down, up

# The three cases that are refused, as a picture of the cell o: x filled, . empty, ? either.
# Each holds turned and reflected.
CODE = ("?.? xox ???", "x.? .o. ?x?", "?x? xo. ?.x")
PROSE = ("?.? xox ?.?", *CODE[1:])


def rounded(n):
    """The law of round(u * n) with u uniform, as {value: chance}: of 2n half intervals, 0 and n have one each."""
    return {k: Fraction(1 if k in (0, n) else 2, 2 * n) for k in range(n + 1)} if n else {0: Fraction(1)}


def frontier(shape, area, periodic=False, refuses=None, start=None):
    """The exact law of the published loop, from all orders of growth; of None where the rule leaves it no cell."""

    def first_open(cell, cells):
        for other in naive.around(cell, shape, periodic, DIRECTIONS):
            if other not in cells and not (refuses and refuses(ring_picture(other, cells, shape, periodic))):
                return other
        return None

    rows, cols = rounded(shape[0] - 1), rounded(shape[1] - 1)
    orders = {((row, col),): rows[row] * cols[col] for row in rows for col in cols}
    orders = {(start,): Fraction(1)} if start else orders
    law = Counter()
    for _ in range(area - 1):
        longer = Counter()
        for cells, chance in orders.items():
            boundary = [other for cell in cells if (other := first_open(cell, cells))]
            if not boundary:
                law[None] += chance
                continue
            for k, p in rounded(len(boundary) - 1).items():
                longer[(*cells, boundary[k])] += chance * p
        orders = longer
    for cells, chance in orders.items():
        law[frozenset(cells)] += chance
    assert sum(law.values()) == 1
    return dict(law)


def ring_picture(cell, cells, shape, periodic):
    """The 3x3 picture around a cell, with o for the cell itself; there is nothing off an open grid."""
    steps = [(row, col) for row in (-1, 0, 1) for col in (-1, 0, 1)]
    signs = []
    for row, col in steps:
        at = cell[0] + row, cell[1] + col
        if periodic:
            at = at[0] % shape[0], at[1] % shape[1]
        signs.append("o" if (row, col) == (0, 0) else "x" if at in cells else ".")
    return "".join(signs)


def refuses(pictures):
    """Make a rule from pictures: whether a ring looks like one of them, turned or reflected."""
    patterns = set()
    for picture in pictures:
        tile = np.array(list(picture.replace(" ", ""))).reshape(3, 3)
        patterns |= {"".join(np.rot90(side, turns).ravel()) for side in (tile, tile[:, ::-1]) for turns in range(4)}
    return lambda ring: any(all(p in ("?", sign) for p, sign in zip(pattern, ring)) for pattern in patterns)


def all_rings():
    """The picture of each ring by its code: bits clockwise from the right."""
    places = (5, 8, 7, 6, 3, 0, 1, 2)
    return ["".join("o" if i == 4 else ".x"[code >> places.index(i) & 1] for i in range(9)) for code in range(256)]


def successful_moves(region, near):
    """The results of all single-cell moves that keep a region connected, one for each way to get there."""
    empty = {x for cell in region for x in near(cell)} - region
    results = (region - {cell} | {x} for cell in region for x in empty)
    return [result for result in results if naive.part(min(result), result, near) == result]


def after_moves(shape, area, moves, periodic=False):
    """The exact law of the chain of single-cell moves, from the first cells of the grid on."""
    law = {frozenset(naive.grid_cells(shape)[:area]): Fraction(1)}
    for _ in range(moves):
        new = Counter()
        for region, chance in law.items():
            results = successful_moves(region, lambda cell: naive.around(cell, shape, periodic))
            for result in results:
                new[result] += chance / len(results)
        law = new
    return dict(law)


# On the infinite lattice


def beside(cell):
    """The neighbours of a cell of the infinite lattice."""
    return [(cell[0] + row, cell[1] + col) for row, col in DIRECTIONS]


def at_origin(cells):
    """A polyomino moved to where its bounding box begins at 0, 0."""
    top, left = min(row for row, _ in cells), min(col for _, col in cells)
    return frozenset((row - top, col - left) for row, col in cells)


def polyominoes(area):
    """All fixed polyominoes of an area."""
    found = {frozenset([(0, 0)])}
    for _ in range(area - 1):
        found = {at_origin(p | {x}) for p in found for cell in p for x in beside(cell) if x not in p}
    return found


def from_uniform(chances, n):
    """The total variation distance of a law on some of n outcomes from the uniform one."""
    assert sum(chances) == 1
    return (sum(abs(p - Fraction(1, n)) for p in chances) + Fraction(n - len(chances), n)) / 2
