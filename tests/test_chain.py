"""Tests of `uniform.markov` and `diagnose`: steps against their exact law, draws against enumeration, diagnoses."""

import _thread
import os
import signal
import threading
import time
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache

import naive
import naive_chain
import numpy as np
import pytest
import reference
from numba import njit
from numba.core import config
from scipy import stats

from gridlab import grid, published, shapes, topology, uniform
from gridlab.uniform import chain

ALPHA = 1e-6  # per test: the chance that a correct sampler fails on a new stream
SEED = 20261130
SLOW = bool(config.DISABLE_JIT)  # the kernels as plain Python: fewer draws, smaller grids
RULES = [False, 4, 8]


COUNTS = reference.known_counts()


def codes(regions):
    """A number for each region of a grid of at most 63 cells."""
    flat = regions.reshape(len(regions), -1)
    return flat @ (1 << np.arange(flat.shape[1]))


# ---- one step


def chain_at(region, shape, periodic, rule, rng):
    """A chain that is at a region."""
    job = chain._Job(shape, len(region), periodic, rule, 1, rng)
    one = job.chains(1)[0]
    cells, near, where = one.lists
    n_near = 0
    for k, (row, col) in enumerate(sorted(region)):
        cells[k] = (row + 1) * (shape[1] + 2) + col + 1
        n_near = chain._add(cells[k], near, where, *one.grid, n_near)
        where[cells[k]] = k
    one.counts[chain.CELLS], one.counts[chain.NEAR] = len(region), n_near
    return one


def check_lists(one, shape, periodic):
    """Check that codes, lists and places of a chain agree; return its region."""
    cells, near, where = one.lists
    near = near[: one.counts[chain.NEAR]]
    code = one.grid[0]
    inner = code.reshape(shape[0] + 2, shape[1] + 2)[1:-1, 1:-1]
    region = inner & chain.TAKEN > 0
    ring = topology.rings(region, periodic=periodic)
    assert (inner & 255 == ring).all()
    place = lambda mask: np.flatnonzero(np.pad(mask, 1))  # noqa: E731
    assert sorted(cells.tolist()) == place(region).tolist()
    assert sorted(near.tolist()) == place(~region & (ring & topology.EDGES > 0)).tolist()
    assert (where[cells] == np.arange(len(cells))).all()
    assert (where[near] == np.arange(len(near))).all()
    return naive.cells_of(region)


def step_law(region, shape, periodic, rule, tries):
    """The exact law of a step of the chain, branch moves and all."""
    meaning = int(rule)
    search = not meaning or (periodic and meaning == 8)
    law = naive_chain.single(region, shape, periodic, meaning, Fraction(int(search), chain.SEARCHED))
    if len(region) < min(shape):
        n = -(-len(region) // chain.SINGLES)
        share = Fraction(n, n + len(region))
        mixed = defaultdict(Fraction, {there: (1 - share) * p for there, p in law.items()})
        for there, p in naive_chain.branch(region, shape, periodic, meaning, tries).items():
            mixed[there] += share * p
        law = dict(mixed)
    return law


STEPS = [  # a region, whether the grid is periodic, and the rule
    ("xxx. / x.x. / xxx. / ....", False, False),
    ("xxx. / x.x. / xx.. / ....", False, 8),
    ("xxx. / x.x. / x... / xx..", False, 4),
    ("xxxx / x... / x.xx / xxx.", True, False),
    ("xx.x / x.x. / xxx. / ....", True, False),
    ("xx. / .xx / ...", True, 8),
    ("x.xx. / .x.xx / .xx.x / x.x.x", True, 8),
    ("xx.. / .xx. / .x.. / ....", True, 4),
    ("...... / .xxx.. / ..x... / ..x... / ...... / ......", False, 4),
    ("x..... / xx.... / .x.... / .x.... / ...... / ......", False, False),
    ("xx.... / .x.... / ...... / ...... / ...... / x.....", True, 8),
    ("x.....x / x...... / ....... / ....... / ....... / ....... / x.....x", True, 4),
]


def follows(law, step, one, shape, periodic, n):
    """Test `n` steps from where a chain is against the exact law of a step."""
    arrays = *one.lists, one.grid[0], one.counts
    start = [array.copy() for array in arrays]
    cells, width = one.lists[0], shape[1] + 2
    seen = Counter()
    for k in range(n):
        for array, before in zip(arrays, start):
            array[:] = before
        step()
        seen[frozenset(zip((cells // width - 1).tolist(), (cells % width - 1).tolist()))] += 1
        if k % (n // 50) == 0:
            check_lists(one, shape, periodic)
    assert sum(law.values()) == 1
    assert set(seen) <= {there for there, p in law.items() if p > 0}
    often = [there for there, p in law.items() if p * n > 20]
    expected = [float(law[there]) * n for there in often]
    counts = [seen[there] for there in often]
    if n - sum(expected) > 20:  # all others together
        expected.append(n - sum(expected))
        counts.append(n - sum(counts))
    else:
        expected[0] += n - sum(expected)
        counts[0] += n - sum(counts)
    assert len(counts) > 1
    assert stats.chisquare(counts, expected).pvalue > ALPHA


@pytest.mark.parametrize(("picture", "periodic", "rule"), STEPS)
def test_a_step_follows_its_exact_law(monkeypatch, picture, periodic, rule):
    monkeypatch.setattr(chain, "TRIES", 1)
    monkeypatch.setattr(chain, "SEARCHED", 2)  # so that doubtful steps are seen often
    mask = grid.parse(picture)
    region = naive.cells_of(mask)
    assert naive.admissible(region, mask.shape, periodic, int(rule))
    one = chain_at(region, mask.shape, periodic, rule, np.random.default_rng(SEED))
    assert check_lists(one, mask.shape, periodic) == region

    def step():
        one.counts[chain.LEFT] = 1
        one.move()

    follows(step_law(region, mask.shape, periodic, rule, 1), step, one, mask.shape, periodic, 2_000 if SLOW else 10_000)


# two parts of it can touch at a corner only
HOOK = "........ / .xxx.... / .x.x.... / .x...... / .x...... / ........ / ........ / ........"


@pytest.mark.parametrize(
    ("picture", "periodic", "rule"),
    [case for case in STEPS if len(case[0]) > 40] + [(HOOK, False, 4), (HOOK, True, 4), (HOOK, False, 8)],
)
def test_a_branch_move_follows_its_exact_law(monkeypatch, picture, periodic, rule):
    mask = grid.parse(picture)
    region = naive.cells_of(mask)
    tries = 2 if len(region) < 6 else 1
    monkeypatch.setattr(chain, "TRIES", tries)
    law = naive_chain.branch(region, mask.shape, periodic, int(rule), tries)
    one = chain_at(region, mask.shape, periodic, rule, np.random.default_rng(SEED))

    def step():
        chain._branch(*one.lists, *one.grid, one.counts, one.branch, *mask.shape, one.rng)

    follows(law, step, one, mask.shape, periodic, 6_000 if SLOW else 40_000)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("shape", "periodic", "area"), [((3, 3), False, 4), ((3, 3), True, 3), ((5, 5), True, 4)])
def test_a_step_is_as_likely_as_its_reverse(shape, periodic, area, rule):
    """The definition itself, in all states: with the test above it makes the uniform law stationary."""
    regions = [region for region in map(frozenset, grown(shape, area, periodic, int(rule)))]
    some = regions if len(regions) < 100 else regions[:: 1 + len(regions) // (5 if SLOW else 12)]
    for region in some:
        for there, p in step_law(region, shape, periodic, rule, 1).items():
            if there != region:
                assert step_law_of(there, shape, periodic, rule)[region] == p


@cache
def step_law_of(region, shape, periodic, rule):
    return step_law(region, shape, periodic, rule, 1)


def grown(shape, area, periodic, meaning):
    """Every region of an area, by adding cells to smaller ones."""
    regions = {frozenset([cell]) for cell in naive.grid_cells(shape)}
    for _ in range(area - 1):
        regions = {r | {y} for r in regions for cell in r for y in naive.around(cell, shape, periodic) if y not in r}
        regions = {region for region in regions if naive.admissible(region, shape, periodic, meaning)}
    return sorted(regions, key=sorted)


def test_tables():
    """The changes of the Euler number against Euler numbers, the runs against floods of the ring."""
    for code in range(256):
        mask = np.zeros((5, 5), bool)
        for i, (row, col) in enumerate(grid.RING):
            mask[2 + row, 2 + col] = code >> i & 1
        full = mask.copy()
        full[2, 2] = True
        assert chain._euler_changes(8)[code] == topology.euler(full, 8) - topology.euler(mask, 8)
        for rule in RULES:
            one = chain._Job((5, 5), 2, True, rule, 1, 0).chains(1)[0]
            if one.search is not None:
                runs = one.search[1][code]
                assert ((runs >= 0) == [code >> i & 1 for i in (0, 2, 4, 6)]).all()
                touching = naive_chain.in_one_run((2, 2), naive.cells_of(mask), (5, 5), False)
                assert (runs.max() == 0) == touching


# ---- which regions it reaches


@njit(cache=True)
def ring_of(region, cell, near):
    code = 0
    for i in range(8):
        if near[cell, i] >= 0 and region >> near[cell, i] & 1:
            code |= 1 << i
    return code


@njit(cache=True)
def larger(regions, near, addable):
    """Every region with one cell more, some of them several times."""
    found = np.empty(len(regions) * len(near), np.int64)
    n = 0
    for region in regions:
        for cell in range(len(near)):
            if not region >> cell & 1 and addable[ring_of(region, cell, near)]:
                found[n] = region | 1 << cell
                n += 1
    return found[:n].copy()


@njit(cache=True)
def root_of(parent, k):
    while parent[k] != k:
        parent[k] = parent[parent[k]]
        k = parent[k]
    return k


@njit(cache=True)
def joined_by_rings(low, high, near, removable):
    """The class of each region of `high` under steps in which both cells are simple, so that S is one of `low`."""
    parent = np.arange(len(low) + len(high))
    for k in range(len(high)):
        for cell in range(len(near)):
            if high[k] >> cell & 1 and removable[ring_of(high[k], cell, near)]:
                rest = np.searchsorted(low, high[k] ^ 1 << cell)
                parent[root_of(parent, rest)] = root_of(parent, len(low) + k)
    return np.array([root_of(parent, len(low) + k) for k in range(len(high))])


@njit(cache=True)
def joined_by_search(high, near):
    """The same under all steps from one region of `high` to another."""
    parent = np.arange(len(high))
    for k in range(len(high)):
        for x in range(len(near)):
            if not high[k] >> x & 1:
                continue
            rest = high[k] ^ 1 << x
            for y in range(len(near)):
                there = rest | 1 << y
                if there > high[k] and not high[k] >> y & 1 and ring_of(rest, y, near) & 0b01010101:
                    other = np.searchsorted(high, there)
                    if other < len(high) and high[other] == there:
                        parent[root_of(parent, other)] = root_of(parent, k)
    return np.array([root_of(parent, k) for k in range(len(high))])


def classes(shape, periodic, meaning):
    """How many classes the regions of each area fall into between which the chain does not go."""
    near = grid.neighbours(shape, periodic=periodic, connectivity=8)
    addable, removable = (
        topology.simple_cells(meaning),
        topology.simple_cells(8 if not meaning else meaning, removal=True),
    )
    found = {}
    low = np.sort(1 << np.arange(len(near)))
    for area, count in sorted(COUNTS[*shape, periodic, meaning].items()):
        if area > 1 and count:
            high = np.unique(larger(low, near, addable))
            assert len(high) == count
            found[area] = len(np.unique(joined_by_rings(low, high, near, removable))) if meaning else 2
            if found[area] > 1 and (not meaning or (periodic and meaning == 8)):
                found[area] = len(np.unique(joined_by_search(high, near)))
            low = high
    return found


OPEN = [((1, 5), False), ((3, 3), False)] + ([] if SLOW else [((4, 4), False), ((4, 5), False), ((5, 5), False)])
TORI = [((3, 3), True), ((3, 4), True)]
TORI += [] if SLOW else [((3, 5), True), ((4, 4), True), ((4, 5), True), ((5, 5), True)]


# With holes allowed that is proven; on 5x5 it is enumerated for the others.
REACHED = [(*place, rule) for place in [*OPEN, *TORI] for rule in RULES if rule or place[0] != (5, 5)]


@pytest.mark.parametrize(("shape", "periodic", "rule"), REACHED)
def test_where_the_chain_reaches_every_region(shape, periodic, rule):
    """Everywhere but at the largest area of a torus, and that is refused."""
    found = classes(shape, periodic, int(rule))
    high = topology.largest(shape, periodic=periodic, simply_connected=rule)
    reached = {area for area, n in found.items() if n == 1}
    if not periodic or not rule:
        assert reached == set(found)
        return
    assert reached >= set(found) - {high}
    if rule == 4 or shape == (4, 4):
        assert found[high] > 1
    for f in (chain.markov, uniform.diagnose):
        with pytest.raises(ValueError, match=rf"area must be from 1 to {high - 1} .* got {high}: .*uniform.exact"):
            f(shape, high, periodic=True, simply_connected=rule)


def test_rings_alone_do_not_reach_every_region():
    """Why steps are looked into, for meaning 8 on a torus."""
    near = grid.neighbours((3, 4), periodic=True, connectivity=8)
    simple = topology.simple_cells(8)
    high = np.sort(1 << np.arange(12))
    for _ in range(6):
        low, high = high, np.unique(larger(high, near, simple))
    assert len(high) == COUNTS[3, 4, True, 8][7]
    assert len(np.unique(joined_by_rings(low, high, near, simple))) == 2
    assert len(np.unique(joined_by_search(high, near))) == 1


# ---- draws


def cases():
    """Grids, rules and areas whose regions are few enough to be drawn twenty times each."""
    grids = (
        [((3, 3), True), ((4, 4), False)] if SLOW else [((4, 4), False), ((4, 4), True), ((4, 5), True), ((5, 5), True)]
    )
    for shape, periodic in grids:
        for rule in RULES:
            counts = COUNTS[*shape, periodic, rule]
            high = topology.largest(shape, periodic=periodic, simply_connected=rule)
            for area in range(1, high + (not (periodic and rule))):
                if counts[area] <= (12 if SLOW else 13_000 if shape == (4, 4) else 2000):
                    yield pytest.param(shape, periodic, rule, area, id=f"{shape}-{periodic}-{rule}-{area}")


@pytest.mark.parametrize(("shape", "periodic", "rule", "area"), list(cases()))
def test_every_region_is_as_likely(shape, periodic, rule, area):
    count = COUNTS[*shape, periodic, rule][area]
    n = 25 * count if SLOW else max(20 * count, min(100 * count, 4_000))
    drawn = chain.markov(shape, area, periodic=periodic, simply_connected=rule, size=n, rng=SEED)
    found, seen = np.unique(codes(drawn), return_counts=True)
    assert (drawn.sum((1, 2)) == area).all()
    assert topology.is_connected(drawn, periodic=periodic).all()
    assert not rule or topology.is_simply_connected(drawn, rule, periodic=periodic).all()
    assert len(found) == count
    assert count == 1 or stats.chisquare(seen).pvalue > ALPHA


@pytest.mark.skipif(SLOW, reason="minutes without the compiler")
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("shape", "periodic", "area"), [((7, 7), True, 5), ((6, 6), False, 5)])
def test_every_region_is_as_likely_with_branch_moves(shape, periodic, area, rule):
    assert area < min(shape)
    count = len(grown(shape, area, periodic, int(rule)))
    drawn = chain.markov(shape, area, periodic=periodic, simply_connected=rule, size=40 * count, rng=SEED)
    found, seen = np.unique(codes(drawn), return_counts=True)
    assert len(found) == count
    assert stats.chisquare(seen).pvalue > ALPHA


def test_the_test_of_uniformity_has_teeth():
    """A chain that counts only the moves that succeed must fail it: its law is that of `published.single_moves`."""
    shape, area, n = (3, 3), 4, 2_500 if SLOW else 20_000
    regions = grown(shape, area, False, 0)
    degree = []
    for region in regions:
        near = {y for cell in region for y in naive.around(cell, shape, False)} - region
        degree.append(sum(naive.is_connected(region - {x} | {y}, shape, False) for x in region for y in near))
    law = np.array(degree) / sum(degree)
    assert reference.power(law, 1 / len(law), n, ALPHA) > 0.999
    drawn = published.single_moves(shape, area, moves=40 if SLOW else 60, size=n, rng=SEED)
    found, seen = np.unique(codes(drawn), return_counts=True)
    assert len(found) == len(law)
    assert stats.chisquare(seen).pvalue < ALPHA


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_every_draw_is_what_was_asked_for(periodic, rule):
    shapes_ = [(3, 3), (3, 8), (9, 4), (12, 13)] + ([] if periodic else [(1, 1), (1, 9), (9, 1), (2, 2), (2, 7)])
    rng = np.random.default_rng(SEED)
    for shape in shapes_:
        high = topology.largest(shape, periodic=periodic, simply_connected=rule) - (periodic and rule > 0)
        for area in sorted({1, min(2, high), high, *rng.integers(1, high + 1, 4).tolist()}):
            size, steps = (2, 20) if SLOW else (30, 1000)
            if SLOW and area > 20:
                continue
            drawn = chain.markov(shape, area, periodic=periodic, simply_connected=rule, size=size, steps=steps, rng=rng)
            assert drawn.shape == (size, *shape)
            assert drawn.dtype == bool
            assert (drawn.sum((-2, -1)) == area).all()
            for mask in drawn[:2]:
                assert naive.admissible(naive.cells_of(mask), shape, periodic, int(rule))
            assert topology.is_connected(drawn, periodic=periodic).all()
            assert not rule or topology.is_simply_connected(drawn, rule, periodic=periodic).all()


@pytest.mark.skipif(SLOW, reason="minutes without the compiler")
@pytest.mark.parametrize("rule", [4, 8])
def test_an_area_next_to_the_largest_is_reached(rule):
    high = topology.largest((9, 10), periodic=True, simply_connected=rule)
    drawn = chain.markov((9, 10), high - 1, periodic=True, simply_connected=rule, size=8, steps=10_000, rng=SEED)
    assert topology.is_simply_connected(drawn, rule, periodic=True).all()


def test_growth_that_finds_no_way_on_says_so(monkeypatch):
    monkeypatch.setattr(chain, "MOVES", 0)
    with pytest.raises(RuntimeError, match=r"stuck short of 19 cells on a periodic 5x6 grid .* regions.GENERATORS"):
        chain.markov((5, 6), 19, periodic=True, simply_connected=4, size=4, steps=1, rng=SEED)


@pytest.mark.skipif(SLOW, reason="minutes without the compiler")
@pytest.mark.parametrize(("rule", "mean"), [(False, 89.19667), (8, 89.79217), (4, 87.41114)])  # as in test_transfer
def test_mean_perimeter_agrees_with_exact_draws(rule, mean):
    table = uniform.diagnose((10, 10), 50, simply_connected=rule, draws=6_000, rng=SEED)
    row = table.loc["perimeter"]
    assert abs(row["mean"] - mean) < 5 * row["se"]
    assert row["se"] < 0.1
    assert row["rhat"] < 1.01


@pytest.mark.skipif(SLOW, reason="minutes without the compiler")
@pytest.mark.parametrize(("area", "perimeter", "squared"), [(6, 13.592593, 1.533436), (19, 37.664880, 7.647350)])
def test_means_of_free_polyominoes(area, perimeter, squared):
    """On a torus that a region cannot wind around every shape has as many places."""
    side = 2 * area
    drawn = chain.markov((side, side), area, periodic=True, size=20_000, rng=SEED)
    table = shapes.measure(drawn, periodic=True, columns=["perimeter", "radius_of_gyration"])
    for values, mean in ((table["perimeter"], perimeter), (table["radius_of_gyration"] ** 2, squared)):
        se = values.std() / np.sqrt(len(values)) * 1.5  # draws of a chain are not quite independent
        assert abs(values.mean() - mean) < 5 * se


def test_places_are_uniform():
    """A region that is far smaller than the grid is kept each time at a place of its own."""
    drawn = chain.markov((40, 30), 2, size=300 if SLOW else 6_000, steps=1, rng=SEED)
    low, left = drawn.any(axis=2).argmax(axis=1), drawn.any(axis=1).argmax(axis=1)
    across = drawn.any(axis=2).sum(axis=1) == 1
    # across: 40 rows, 29 columns; down: 39 and 30
    for k, n in ((low[across], 40), (left[across], 29), (low[~across], 39), (left[~across], 30)):
        counts = np.histogram(k, bins=5, range=(0, n))[0]
        expected = np.diff([sum(x < edge for x in range(n)) for edge in np.linspace(0, n, 6)]) / n * len(k)
        assert stats.chisquare(counts, expected).pvalue > ALPHA
    assert abs(np.corrcoef(low[1:], low[:-1])[0, 1]) < 5 / np.sqrt(len(low))


# ---- batches, seeds, interrupts


def test_seeds_and_batches():
    options = {"periodic": True, "simply_connected": 4, "steps": 50}
    drawn = chain.markov((5, 6), 9, size=10, rng=SEED, **options)
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert (drawn == chain.markov((5, 6), 9, size=10, rng=SEED, **options)).all()
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002
    assert (drawn != chain.markov((5, 6), 9, size=10, rng=SEED + 1, **options)).any()
    rng = np.random.default_rng(SEED)
    assert (drawn == chain.markov((5, 6), 9, size=10, rng=rng, **options)).all()
    assert (drawn != chain.markov((5, 6), 9, size=10, rng=rng, **options)).any()
    one = chain.markov((5, 6), 9, rng=SEED, **options)
    assert one.shape == (5, 6)
    assert (one == drawn[0]).all()  # the first chain is the same, however many there are
    assert chain.markov((5, 6), 9, size=0, rng=SEED, **options).shape == (0, 5, 6)
    for size in range(1, 6):
        assert (chain.markov((5, 6), 9, size=size, rng=SEED, **options).sum((1, 2)) == 9).all()


@pytest.mark.parametrize("rule", RULES)
def test_neither_threads_nor_interruptions_matter(monkeypatch, rule):
    """The same draws from one thread and from several, and however often a kernel returns."""
    area, size = (6, 4) if SLOW else (40, 24)
    draw = lambda: chain.markov((12, 12), area, simply_connected=rule, size=size, steps=300, rng=SEED)  # noqa: E731
    drawn = draw()
    for n, batch in ((1, chain.BATCH), (4, chain.BATCH), (4, 50), (None, 50)):
        monkeypatch.setattr(os, "cpu_count", lambda n=n: n)
        monkeypatch.setattr(chain, "BATCH", batch)
        assert (draw() == drawn).all()


@pytest.mark.parametrize("call", [chain.markov, uniform.diagnose])
def test_an_interrupt_gets_through(monkeypatch, call):
    if SLOW:
        monkeypatch.setattr(chain, "BATCH", 100)
    chain.markov((8, 8), 20, steps=1)  # compiled
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, _thread.interrupt_main)
    try:
        timer.start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            call((8, 8), 20, steps=2**40)
        assert time.monotonic() - start < 30  # it would have taken days
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def test_an_error_in_one_chain_stops_the_others(monkeypatch):
    def work(one, stop, part):
        if part == 0:
            raise RuntimeError("this one")
        assert stop.wait(30)

    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    with pytest.raises(RuntimeError, match="this one"):
        chain._in_threads(work, [None] * 3, range(3))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"area": 0}, ValueError, "area must be from 1 to 20 on a 4x5 grid, got 0"),
        ({"area": 21}, ValueError, "area must be from 1 to 20 on a 4x5 grid, got 21"),
        ({"area": 2.0}, TypeError, "area must be an integer, from 1 to 20 on a 4x5 grid, got 2.0"),
        ({"area": float("nan")}, TypeError, "area must be an integer, from 1 to 20 on a 4x5 grid, got nan"),
        ({"area": True}, TypeError, "area must be an integer, from 1 to 20 on a 4x5 grid, got True"),
        ({"steps": 0}, ValueError, "steps must be from 1 to 1099511627776, got 0"),
        ({"steps": -1}, ValueError, "steps must be from 1 to 1099511627776, got -1"),
        ({"steps": 2**61}, ValueError, "steps must be from 1 to 1099511627776, got 2305843009213693952"),
        ({"steps": float("nan")}, TypeError, "steps must be an integer, from 1 to 1099511627776, got nan"),
        ({"steps": False}, TypeError, "steps must be an integer, from 1 to 1099511627776, got False"),
        ({"size": -1}, ValueError, "size must be at least 0, got -1"),
        ({"size": 1.5}, TypeError, "size must be an integer, at least 0, got 1.5"),
        ({"size": 10**15}, MemoryError, "size must be small enough for memory, got 1000000000000000"),
        ({"rng": "x"}, TypeError, "rng must be a numpy Generator"),
        ({"rng": -1}, ValueError, "rng must be a numpy Generator"),
        ({"periodic": 1}, TypeError, "periodic must be True or False, got 1"),
        ({"simply_connected": 5}, ValueError, "simply_connected must be False, True, 4 or 8, got 5"),
        ({"shape": (2, 5), "periodic": True}, ValueError, "rows of a periodic grid's shape must be at least 3, got 2"),
    ],
)
def test_bad_input(options, error, message):
    options = {"shape": (4, 5), "area": 3} | options
    with pytest.raises(error, match=message):
        chain.markov(**options)
    if "size" not in options:
        with pytest.raises(error, match=message):
            uniform.diagnose(**options)
    if not options.keys() & {"size", "steps", "rng"}:
        with pytest.raises(error, match=message):
            chain.mixing_steps(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chains": 0}, "chains must be from 1 to 1000, got 0"),
        ({"chains": 1001}, "chains must be from 1 to 1000, got 1001"),
        ({"draws": 3}, "draws must be from 4 to 1000000, got 3"),
        ({"draws": 10**12}, "draws must be from 4 to 1000000, got 1000000000000"),
    ],
)
def test_bad_input_of_diagnose(options, message):
    with pytest.raises(ValueError, match=message):
        uniform.diagnose((4, 5), 3, **options)


def test_steps_beyond_what_a_chain_can_count():
    with pytest.raises(ValueError, match=r"area must be smaller on a periodic 3000x3000 grid .* got 6000000"):
        chain.markov((3000, 3000), 6_000_000, periodic=True, simply_connected=4, steps=1)


def test_seeds_of_every_kind():
    """A legacy generator cannot spawn others, and a seed sequence must not change."""
    seed = np.random.SeedSequence(1)
    assert (chain.markov((6, 7), 9, rng=seed) == chain.markov((6, 7), 9, rng=seed)).all()
    assert chain.markov((6, 7), 9, rng=np.random.RandomState(1)).sum() == 9
    rng = np.random.default_rng(SEED)
    state = rng.bit_generator.state
    drawn = chain.markov((6, 7), 9, rng=rng)
    assert (chain.markov((6, 7), 9, rng=rng) != drawn).any()
    rng.bit_generator.state = state
    assert (chain.markov((6, 7), 9, rng=rng) == drawn).all()


# ---- diagnoses


@pytest.mark.parametrize("phi", [0, 0.5, 0.9, -0.4])
def test_autocorrelation_time_of_a_known_series(phi):
    """An autoregressive series has (1 + phi) / (1 - phi); the error of the estimate falls with the length."""
    rng = np.random.default_rng(SEED)
    n = 20_000
    series = rng.normal(size=(4, n))
    series[:, 0] /= np.sqrt(1 - phi**2)
    for t in range(1, n):
        series[:, t] += phi * series[:, t - 1]
    tau = (1 + phi) / (1 - phi)
    assert uniform.autocorrelation_time(series) == pytest.approx(tau, rel=0.1)
    assert uniform.autocorrelation_time(series[0]) == pytest.approx(tau, rel=0.2)
    assert uniform.split_rhat(series) < 1.01
    mean, ess = series.mean(), series.size / uniform.autocorrelation_time(series)
    assert abs(mean) < 5 * series.std() / np.sqrt(ess)


def test_chains_that_disagree_are_found():
    rng = np.random.default_rng(SEED)
    series = rng.normal(size=(4, 1000))
    assert uniform.split_rhat(series) < 1.01
    apart = series + np.array([[0], [0], [0], [1]])
    assert uniform.split_rhat(apart) > 1.05
    assert uniform.autocorrelation_time(apart) > 10
    wider = series * np.array([[1], [1], [1], [3]])  # seen by the distances to the median
    assert uniform.split_rhat(wider) > 1.05
    drifting = series + np.linspace(0, 2, 1000)  # seen by halves
    assert uniform.split_rhat(drifting) > 1.05
    assert uniform.split_rhat(np.exp(5 * apart)) == pytest.approx(uniform.split_rhat(apart), abs=0.05)


def test_series_that_never_vary():
    assert uniform.autocorrelation_time(np.full((3, 8), 0.1)) == 1
    assert uniform.split_rhat(np.full((3, 8), 0.1)) == 1
    stuck = np.repeat([[0.1], [0.3]], 8, axis=1)
    assert uniform.autocorrelation_time(stuck) == 8
    assert uniform.split_rhat(stuck) == np.inf
    assert np.isnan(uniform.autocorrelation_time([1, 2, np.nan, 3]))
    assert np.isnan(uniform.split_rhat([1, 2, np.nan, 3]))
    for f in (uniform.autocorrelation_time, uniform.split_rhat):
        with pytest.raises(ValueError, match=r"at least 4 draws, got shape \(1, 3\)"):
            f([1, 2, 3])


@pytest.mark.parametrize(("shape", "area"), [((3, 4), 1), ((3, 4), 12), ((1, 6), 4)])
def test_diagnose_where_nothing_varies(shape, area):
    table = uniform.diagnose(shape, area, draws=8, chains=2, rng=SEED)
    assert (table["sd"] < 1e-9).all()
    assert (table["ess"] == 16).all()
    assert (table["rhat"] == 1).all()
    assert (table["tau"] == table["steps"]).all()


def test_diagnose_table():
    options = {"draws": 10, "chains": 3, "rng": SEED, "steps": 7}
    table = uniform.diagnose((4, 4), 5, **options)
    assert table.index.tolist() == ["perimeter", "radius_of_gyration"]
    assert table.columns.tolist() == ["mean", "sd", "se", "tau", "ess", "rhat", "steps", "acceptance"]
    assert (table["steps"] == 7).all()
    assert table["acceptance"].between(0.05, 0.95).all()
    np.testing.assert_allclose(table["se"], table["sd"] / np.sqrt(table["ess"]))
    np.testing.assert_allclose(table["tau"] / 7 * table["ess"], 30)
    assert table.equals(uniform.diagnose((4, 4), 5, **options))


def test_diagnose_of_regions_that_wind():
    """They have no radius of gyration, and the table says so without a warning."""
    table = uniform.diagnose((4, 4), 14, periodic=True, draws=20, steps=5, rng=SEED)
    row = table.loc["radius_of_gyration", ["mean", "sd", "se", "tau", "ess", "rhat"]]
    assert row.isna().all()
    assert table.loc["perimeter"].notna().all()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("shape", "area", "periodic"),
    [((4, 4), 8, False), ((5, 5), 8, True)]
    + ([] if SLOW else [((10, 10), 15, False), ((10, 10), 50, False), ((10, 10), 90, False)])
    + ([] if SLOW else [((10, 10), 60, True), ((3, 60), 80, False), ((50, 50), 20, True), ((120, 120), 100, True)]),
)
def test_the_steps_of_the_rule_are_twice_what_the_chain_needs(shape, area, periodic, rule):
    looks = 10 if SLOW else 30
    steps = chain.mixing_steps(shape, area, periodic=periodic, simply_connected=rule)
    draws = 200 if SLOW else min(4000, 5 * 10**7 // (shape[0] * shape[1]))
    options = {"steps": -(-steps // looks), "draws": draws, "rng": SEED}
    table = uniform.diagnose(shape, area, periodic=periodic, simply_connected=rule, **options)
    # a tenth for the error of the estimate
    assert 2 * table["tau"].max() < 1.1 * steps + 2 * table["steps"].iloc[0]
    assert (table["rhat"].dropna() < (1.1 if SLOW else 1.02)).all()


def test_a_small_number_of_steps_shows():
    """The control of the rule: what a chain of a tenth as many steps needs is more than it makes."""
    steps = chain.mixing_steps((6, 6), 18) // 20
    table = uniform.diagnose((6, 6), 18, steps=-(-steps // 5), draws=100 if SLOW else 4000, rng=SEED)
    assert 2 * table["tau"].max() > 1.1 * steps
