"""The obvious, slow versions: what the tests believe.

Regions are frozensets of (row, col). Generators are written as programs: functions of
`choose`, which draws one of the things it is given, each as likely. `law` runs a program
through all its choices.
"""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np

EDGE_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
ALL_STEPS = (*EDGE_STEPS, (1, 1), (1, -1), (-1, -1), (-1, 1))
STEPS = {4: EDGE_STEPS, 8: ALL_STEPS}


def cells_of(mask):
    """The filled cells of a mask."""
    return frozenset((row, col) for row, line in enumerate(mask.tolist()) for col, x in enumerate(line) if x)


def mask_of(cells, shape):
    """The mask of filled cells."""
    return [[(row, col) in cells for col in range(shape[1])] for row in range(shape[0])]


def grid_cells(shape):
    """All cells of a grid, row by row."""
    return list(product(range(shape[0]), range(shape[1])))


def around(cell, shape, periodic, steps=EDGE_STEPS):
    """The neighbours of a cell that are on the grid."""
    for step in steps:
        row, col = cell[0] + step[0], cell[1] + step[1]
        if periodic:
            yield row % shape[0], col % shape[1]
        elif 0 <= row < shape[0] and 0 <= col < shape[1]:
            yield row, col


def part(cell, cells, near):
    """All of `cells` that can be reached from one of them, by the neighbours that `near` gives."""
    reached, todo = {cell}, [cell]
    while todo:
        new = set(near(todo.pop())) & cells - reached
        reached |= new
        todo += new
    return reached


def is_connected(region, shape, periodic):
    """Whether a region is one part."""
    return bool(region) and part(min(region), region, lambda cell: around(cell, shape, periodic)) == region


def winds(cells, shape, steps):
    """Whether a walk in a connected set of cells leads round the torus, by a walk on its universal cover."""
    start = min(cells)
    lifts, todo = {start: start}, [start]
    while todo:
        here = todo.pop()
        for step in steps:
            there = here[0] + step[0], here[1] + step[1]
            cell = there[0] % shape[0], there[1] % shape[1]
            if cell not in cells:
                continue
            if cell not in lifts:
                lifts[cell] = there
                todo.append(there)
            elif lifts[cell] != there:
                return True
    return False


def holes(region, shape, periodic, meaning):
    """The empty parts that a region cuts off from the outside, by a flood fill of its complement."""
    steps = STEPS[meaning]
    if periodic:
        empty, outside = set(grid_cells(shape)) - region, set()
        near = lambda cell: around(cell, shape, True, steps)  # noqa: E731
    else:  # with a frame of outside cells
        empty = set(product(range(-1, shape[0] + 1), range(-1, shape[1] + 1))) - region
        near = lambda cell: ((cell[0] + row, cell[1] + col) for row, col in steps)  # noqa: E731
        outside = part((-1, -1), empty, near)
    empty -= outside
    found = []
    while empty:
        hole = part(min(empty), empty, near)
        empty -= hole
        if not (periodic and winds(hole, shape, steps)):
            found.append(hole)
    return found


def is_simply_connected(region, shape, periodic, meaning):
    """Whether a region is one part, without holes, and does not wind.

    Where empty cells are joined by edges only, filled ones that meet at a corner touch there.
    """
    return (
        is_connected(region, shape, periodic)
        and not (periodic and winds(region, shape, STEPS[12 - meaning]))
        and not holes(region, shape, periodic, meaning)
    )


@cache
def admissible(region, shape, periodic, meaning):
    """Whether a set of cells is a region of the kind asked for; 0 allows holes."""
    if meaning:
        return is_simply_connected(region, shape, periodic, meaning)
    return is_connected(region, shape, periodic)


def all_regions(shape, area, periodic=False, meaning=0):
    """Every region of an area, by trying all sets of cells."""
    sets = map(frozenset, combinations(grid_cells(shape), area))
    return [region for region in sets if admissible(region, shape, periodic, meaning)]


def tally(shape, meaning):
    """Numbers of regions of an open grid, and of pairs of neighbouring cells in all of them, by area.

    By boundary lines that are tuples of components. Regions are counted when their last component leaves the
    line, whatever rows they span.
    """
    cols = shape[1]
    nothing = np.zeros((2, shape[0] * cols + 1), object)
    done, start = nothing.copy(), nothing.copy()
    start[0, 0] = 1
    states = {((0,) * cols, False): start}  # (line, corner)
    for cell in range(shape[0] * cols):
        col = cell % cols
        then = defaultdict(nothing.copy)
        for (line, corner), ways in states.items():
            up, left = line[col], line[col - 1] if col else 0
            corner = corner and col > 0
            touching = meaning == 4 and bool(up) == bool(left) != corner  # at a corner, if the next cell is unlike up
            rest = (*line[:col], 0, *line[col + 1 :])
            if not (touching and up):
                if not up or up in rest:
                    then[renamed(rest), bool(up)] += ways
                elif not any(rest):
                    done += ways
            if not (touching and not up) and not (meaning and up and up == left and not corner):
                name = left or up or cols + 1
                joined = [name if up and x == up else x for x in line]
                joined[col] = name
                filled = np.roll(ways, 1, axis=1)  # no region has all cells yet
                filled[1] += (bool(up) + bool(left)) * filled[0]
                then[renamed(joined), bool(up)] += filled
        states = then
    for (line, _), ways in states.items():
        if max(line) == 1:
            done += ways
    return done.tolist()


def count(shape, meaning):
    """Numbers of regions of an open grid by area."""
    return tally(shape, meaning)[0]


def mean_perimeter(shape, area, meaning):
    """The mean perimeter of all regions of an open grid."""
    regions, pairs = (numbers[area] for numbers in tally(shape, meaning))
    return float(4 * area - Fraction(2 * pairs, regions))


def renamed(line):
    """A line with its components named in order of appearance."""
    names = {0: 0}
    return tuple(names.setdefault(name, len(names)) for name in line)


# Laws


def law(program):
    """The chance of every result of a program, as {result: Fraction}."""
    chances = defaultdict(Fraction)
    todo = [[]]
    while todo:
        path = Path(todo.pop(), todo)
        chances[program(path)] += path.chance
    assert sum(chances.values()) == 1
    return dict(chances)


class Path:
    """One way through the choices of a program; ways that branch off are added to `todo`."""

    def __init__(self, picks, todo):
        self.picks, self.todo = picks, todo
        self.depth, self.chance = 0, Fraction(1)

    def __call__(self, things):
        things = list(things)
        if self.depth == len(self.picks):
            self.todo.extend([*self.picks, pick] for pick in range(1, len(things)))
            self.picks.append(0)
        self.depth += 1
        self.chance /= len(things)
        return things[self.picks[self.depth - 1]]


class Growth:
    """A region as it grows: what may be added to it, and from where."""

    def __init__(self, choose, shape, area, periodic, meaning):
        self.choose, self.shape, self.area, self.periodic, self.meaning = choose, shape, area, periodic, meaning
        self.region = frozenset([choose(grid_cells(shape))])

    def open_to(self, cell):
        """The empty neighbours of a cell that may be added."""
        near = sorted(set(around(cell, self.shape, self.periodic)) - self.region)
        return [x for x in near if admissible(self.region | {x}, self.shape, self.periodic, self.meaning)]

    def draw(self):
        """A boundary cell, then one of its empty neighbours."""
        cell = self.choose([cell for cell in sorted(self.region) if self.open_to(cell)])
        return cell, self.choose(self.open_to(cell))

    def burst(self, length, *, fat):
        """Add `length` cells, from a random boundary cell on; fewer where the burst comes to an end."""
        cell, other = self.draw()
        self.region |= {other}
        burst = [cell, other]
        while len(burst) > 0 and (length := length - (other is not None)) > 0:
            here = self.choose(burst) if fat else burst[-1]
            options, other = self.open_to(here), None
            if options:
                other = self.choose(options)
                self.region |= {other}
                burst.append(other)
            else:
                burst.remove(here)


def eden(choose, shape, area, periodic=False, meaning=0):
    """Model C."""
    growth = Growth(choose, shape, area, periodic, meaning)
    while len(growth.region) < area:
        growth.region |= {growth.draw()[1]}
    return growth.region


def eden_sites(choose, shape, area, periodic=False, meaning=0):
    """Model A."""
    growth = Growth(choose, shape, area, periodic, meaning)
    while len(growth.region) < area:
        growth.region |= {choose(sorted({x for cell in growth.region for x in growth.open_to(cell)}))}
    return growth.region


def eden_bonds(choose, shape, area, periodic=False, meaning=0):
    """Model B."""
    growth = Growth(choose, shape, area, periodic, meaning)
    while len(growth.region) < area:
        growth.region |= {choose([x for cell in sorted(growth.region) for x in growth.open_to(cell)])}
    return growth.region


def dfs(choose, shape, area, periodic=False, meaning=0):
    """Depth-first search, once more from a boundary cell where it came to an end."""
    growth = Growth(choose, shape, area, periodic, meaning)
    while len(growth.region) < area:
        growth.burst(area - len(growth.region), fat=False)
    return growth.region


def mixed(choose, shape, area, periodic=False, meaning=0, fat=0.5):
    """Eden growth, then depth-first bursts."""
    growth = Growth(choose, shape, area, periodic, meaning)
    while len(growth.region) < round(fat * area):
        growth.region |= {growth.draw()[1]}
    while len(growth.region) < area:
        growth.burst(choose(range(1, area - len(growth.region) + 1)), fat=False)
    return growth.region


def alternating(choose, shape, area, periodic=False, meaning=0, fat_burst=1 / 4, thin_burst=1 / 10):
    """Fat and thin bursts in turn."""
    growth = Growth(choose, shape, area, periodic, meaning)
    fat = True
    while len(growth.region) < area:
        longest = max(1, int((fat_burst if fat else thin_burst) * area))
        growth.burst(choose(range(1, min(longest, area - len(growth.region)) + 1)), fat=fat)
        fat = not fat
    return growth.region


def walk(choose, shape, area, periodic=False, meaning=0):
    """Depth-first search that takes its cells back, by recursion."""

    def completed(path):
        if len(path) == area:
            return path
        options = set(around(path[-1], shape, periodic)) - set(path)
        options = sorted(x for x in options if admissible(frozenset([*path, x]), shape, periodic, meaning))
        while options:
            options.remove(x := choose(options))
            if longer := completed([*path, x]):
                return longer
        return None

    starts = grid_cells(shape)
    while True:
        starts.remove(start := choose(starts))
        if path := completed([start]):
            return frozenset(path)


def uniform(choose, shape, area, periodic=False, meaning=0):
    """One of all regions."""
    return choose(all_regions(shape, area, periodic, meaning))


def eden_filling(choose, shape, area, periodic=False, meaning=4):
    """Model C with `fill_holes`."""
    region = frozenset([choose(grid_cells(shape))])
    refused = set()
    while len(region) < area:
        options = {cell: sorted(set(around(cell, shape, periodic)) - region - refused) for cell in sorted(region)}
        cell = choose([cell for cell in options if options[cell]])
        x = choose(options[cell])
        larger = filled(region | {x}, shape, periodic, meaning)
        if len(larger) <= area and admissible(larger, shape, periodic, meaning):
            region, refused = larger, set()
        else:
            refused |= {x}
    return region


@cache
def filled(region, shape, periodic, meaning):
    """A region and its holes."""
    return region.union(*holes(region, shape, periodic, meaning))
