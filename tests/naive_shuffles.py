"""Shuffles and placers of mines in the obvious way, from their description, for `naive.law` to run through all choices.

A shuffle is a program of `choose` and the number of items, and returns the order as a tuple. A placer is one of
`choose`, the cells in order, the number of mines and the safe cells, and returns the set of mines.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product


def swapped(order, one, other):
    """The order with two positions exchanged."""
    order = list(order)
    order[one], order[other] = order[other], order[one]
    return tuple(order)


def fisher_yates(choose, n):
    order = tuple(range(n))
    for left in range(n, 1, -1):
        order = swapped(order, left - 1, choose(range(left)))
    return order


def naive_shuffle(choose, n):
    order = tuple(range(n))
    for i in range(n):
        order = swapped(order, i, choose(range(n)))
    return order


def sattolo(choose, n):
    order = tuple(range(n))
    for left in range(n, 1, -1):
        order = swapped(order, left - 1, choose(range(left - 1)))
    return order


def round_index(choose, n):
    order = tuple(range(n))
    for i in range(n - 1, 0, -1):
        u = Fraction(2 * choose(range(2 * i)) + 1, 4 * i)  # the middle of a piece in which u * i is rounded alike
        order = swapped(order, i, int(u * i + Fraction(1, 2)))
    return order


def swaps(choose, n):
    order = tuple(range(n))
    for _ in range(n):
        order = swapped(order, choose(range(n)), choose(range(n)))
    return order


def comparator_v8(choose, n):
    """Runs are counted and items inserted with a comparator that returns a negative or a positive number."""
    if n == 1:
        return (0,)

    def compare():
        return choose([-1, 1])

    todo = list(range(n))
    done = [todo.pop(0), todo.pop(0)]
    falls = compare() < 0
    while todo and (compare() < 0) == falls:
        done.append(todo.pop(0))
    if falls:
        done = done[::-1]
    for item in todo:
        gaps = list(range(len(done) + 1))
        while len(gaps) > 1:  # the item is compared with the one in the middle: is it before or behind?
            half = (len(gaps) - 1) // 2
            gaps = gaps[: half + 1] if compare() < 0 else gaps[half + 1 :]
        done.insert(gaps[0], item)
    return tuple(done)


def comparator_merge(choose, n):
    def merge_sort(items):
        if len(items) == 1:
            return items
        left, right = merge_sort(items[: len(items) // 2]), merge_sort(items[len(items) // 2 :])
        merged = []
        while left and right:
            merged.append(choose([left, right]).pop(0))
        return merged + left + right

    return tuple(merge_sort(list(range(n))))


SHUFFLES = {f.__name__: f for f in (fisher_yates, naive_shuffle, sattolo, round_index, comparator_v8, comparator_merge)}
SHUFFLES["swaps"] = swaps


def shuffled(name):
    """The placer whose mines are the first items."""

    def place(choose, cells, n_mines, safe):
        cells = [cell for cell in cells if cell not in safe]
        order = SHUFFLES[name](choose, len(cells)) if cells else ()
        return frozenset(cell for cell, item in zip(cells, order) if item < n_mines)

    return place


def fair(choose, cells, n_mines, safe):
    return frozenset(choose(combinations([cell for cell in cells if cell not in safe], n_mines)))


def insert(choose, cells, n_mines, safe, *, gaps=1):
    """Mines and free cells are a list; a mine is put before one of its items or, with one of the `gaps`, at the end."""
    cells = [cell for cell in cells if cell not in safe]
    row = [False] * (len(cells) - n_mines)
    for _ in range(n_mines):
        row.insert(choose(range(max(1, len(row) + gaps))), True)
    return frozenset(cell for cell, mine in zip(cells, row) if mine)


def insert_short(choose, cells, n_mines, safe):
    return insert(choose, cells, n_mines, safe, gaps=0)


def probe_right(choose, cells, n_mines, safe):
    cells = [cell for cell in cells if cell not in safe]
    mines = set()
    for _ in range(n_mines):
        at = choose(range(len(cells)))
        mines.add(next(cell for cell in cells[at:] + cells[:at] if cell not in mines))
    return frozenset(mines)


def relocate(choose, cells, n_mines, safe):
    mines = set(choose(combinations(cells, n_mines)))
    for click in sorted(mines & set(safe)):
        mines.remove(click)
        mines.add(min(cell for cell in cells if cell not in mines and cell not in safe))
    return frozenset(mines)


def reject(choose, cells, n_mines, safe):
    """Each further draw of a mined cell changes nothing: of the draws that end, all free cells have as many."""
    cells = [cell for cell in cells if cell not in safe]
    mines = set()
    for _ in range(n_mines):
        mines.add(choose([cell for cell in cells if cell not in mines]))
    return frozenset(mines)


def partial_shuffle(choose, cells, n_mines, safe):
    cells = [cell for cell in cells if cell not in safe]
    for place in range(n_mines):
        other = choose(range(place, len(cells)))
        cells[place], cells[other] = cells[other], cells[place]
    return frozenset(cells[:n_mines])


def floyd(choose, cells, n_mines, safe):
    cells = [cell for cell in cells if cell not in safe]
    mines = set()
    for last in range(len(cells) - n_mines, len(cells)):
        cell = choose(cells[: last + 1])
        mines.add(cells[last] if cell in mines else cell)
    return frozenset(mines)


def select(choose, cells, n_mines, safe):
    cells = [cell for cell in cells if cell not in safe]
    mines = set()
    for i, cell in enumerate(cells):
        if choose(range(len(cells) - i)) < n_mines - len(mines):
            mines.add(cell)
    return frozenset(mines)


#: The placers that are right, each by its own draws.
FAIR = {f.__name__: f for f in (reject, insert, partial_shuffle, floyd, select)}
FAIR["shuffle"] = shuffled("fisher_yates")

PLACERS = {name: shuffled(name) for name in SHUFFLES if name not in ("fisher_yates", "swaps")}
PLACERS |= {f.__name__: f for f in (insert_short, probe_right, relocate)}


def swap_laws(n, n_mines):
    """The law of the set of mines after 0, 1, 2, … swaps of two of n cells, from all pairs of cells."""
    law = {frozenset(range(n_mines)): Fraction(1)}
    while True:
        yield law
        following = defaultdict(Fraction)
        for mines, chance in law.items():
            for one, other in product(range(n), repeat=2):
                renamed = {one: other, other: one}
                following[frozenset(renamed.get(mine, mine) for mine in mines)] += chance / n**2
        law = dict(following)


def from_uniform(law, n):
    """The total variation of a law from the uniform one on n results."""
    return (sum(abs(p - Fraction(1, n)) for p in law.values()) + Fraction(n - len(law), n)) / 2
