"""One step of the chain, written down from its definition: the chance of every region it may lead to."""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import product

import naive


def shift(cell, step, shape, periodic):
    """The cell a step away, or None off the grid."""
    row, col = cell[0] + step[0], cell[1] + step[1]
    if periodic:
        return row % shape[0], col % shape[1]
    return (row, col) if 0 <= row < shape[0] and 0 <= col < shape[1] else None


def in_one_run(cell, region, shape, periodic):
    """Whether the filled ring cells that touch a cell along an edge hang together within its ring."""
    ring = {step for step in naive.ALL_STEPS if shift(cell, step, shape, periodic) in region}
    near = lambda a: ((a[0] + row, a[1] + col) for row, col in naive.EDGE_STEPS)  # noqa: E731
    edges = [step for step in naive.EDGE_STEPS if step in ring]
    return bool(edges) and set(edges) <= naive.part(edges[0], ring, near)


def single(region, shape, periodic, meaning, searched):
    """Take a cell off, add an empty neighbour; `searched` is the share of the doubtful steps that is looked into."""
    law = defaultdict(Fraction)
    for x in region:
        rest = region - {x}
        near = {y for cell in rest for y in naive.around(cell, shape, periodic)} - rest
        for y in near:
            result = rest | {y}
            allowed = naive.admissible(result, shape, periodic, meaning)
            if meaning:
                clear = allowed and naive.admissible(rest, shape, periodic, meaning)
            else:
                clear = in_one_run(x, region, shape, periodic) and in_one_run(y, rest, shape, periodic)
            share = Fraction(1) if clear else allowed * searched
            chance = Fraction(1, len(region) * len(near))
            if share:
                law[result] += chance * share
            law[region] += chance * (1 - share)
    return dict(law)


def unrolled(branch, root, shape, periodic):
    """Where the cells of a branch lie as seen from one of them, by a walk in it."""
    places, todo = {root: (0, 0)}, [root]
    while todo:
        cell = todo.pop()
        for step in naive.EDGE_STEPS:
            other = shift(cell, step, shape, periodic)
            if other in branch and other not in places:
                places[other] = places[cell][0] + step[0], places[cell][1] + step[1]
                todo.append(other)
    return list(places.values())


def turned(place):
    """A place under the eight symmetries of the square."""
    row, col = place
    for a, b in ((row, col), (col, row)):
        yield from ((a, b), (-a, b), (a, -b), (-a, -b))


def branch(region, shape, periodic, meaning, tries):
    """Cut the region at an edge and join the smaller part to the larger one elsewhere, so many times."""
    law = defaultdict(Fraction)
    for u, step in product(region, naive.EDGE_STEPS):
        chance = Fraction(1, 4 * len(region))
        v = shift(u, step, shape, periodic)
        near = lambda cell, cut={u, v}: (x for x in naive.around(cell, shape, periodic) if {cell, x} != cut)  # noqa: E731
        large, small = naive.part(u, region, near), naive.part(v, region, near) if v in region else set()
        if v not in region or v in large:
            law[region] += chance
            continue
        if len(small) > len(large):
            large, small, v = small, large, u
        found = {(frozenset(small), v): chance}
        for _ in range(tries):
            following = defaultdict(Fraction)
            for (part, end), p in found.items():
                for joined, q in tried(frozenset(large), part, end, shape, periodic, meaning).items():
                    following[joined] += p * q
            found = following
        for (part, _), p in found.items():
            law[frozenset(large) | part] += p
    return dict(law)


@cache
def tried(large, small, end, shape, periodic, meaning):
    """One try to join a part that is joined at `end` elsewhere: the chances of where it is then, and of its end."""
    law = defaultdict(Fraction)
    region = large | small
    for base, step in product(region, naive.EDGE_STEPS):
        chance = Fraction(1, 4 * len(region) * len(small) * 8)
        at = shift(base, step, shape, periodic)
        possible = base in large and at is not None and at not in region
        possible = possible and set(naive.around(at, shape, periodic)) & region == {base}
        for root in small:
            images = zip(*(turned(place) for place in unrolled(small, root, shape, periodic)))
            for places in images:
                image = {shift(at, place, shape, periodic) for place in places} if possible else {None}
                fits = None not in image and not image & large
                if fits:
                    edges = [(a, b) for a in image for b in naive.around(a, shape, periodic) if b in large]
                    beside = {x for cell in image for x in naive.around(cell, shape, periodic)}
                    fits = edges == [(at, base)] and end not in image | beside
                    fits = fits and naive.admissible(large | image, shape, periodic, meaning)
                law[(frozenset(image), at) if fits else (small, end)] += chance
    return dict(law)
