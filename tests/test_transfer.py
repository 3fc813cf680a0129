"""Tests of `uniform.count`, `polyominoes`, `exact`, `method`: known numbers, equal chances, controls that must fail."""

from functools import cache
from itertools import pairwise

import naive
import numpy as np
import pytest
import reference
from numba.core import config
from scipy import stats

from gridlab import regions, shapes, topology, uniform
from gridlab.uniform import transfer

ALPHA = 1e-6  # per test: the chance that a correct sampler fails on a new stream
SEED = 20261130
SLOW = bool(config.DISABLE_JIT)  # the kernels as plain Python: fewer draws, smaller grids
RULES = [False, 4, 8]


COUNTS = {key: counts for key, counts in reference.known_counts().items() if not SLOW or key[0] * key[1] <= 20}


@cache
def all_regions(shape, area, periodic, rule):
    return naive.all_regions(shape, area, periodic, int(rule))


# Counting


@pytest.mark.parametrize("case", COUNTS)
def test_count_equals_the_reference(case):
    rows, cols, periodic, rule = case
    found = uniform.count((rows, cols), periodic=periodic, simply_connected=rule)
    high = topology.largest((rows, cols), periodic=periodic, simply_connected=rule)
    known = [0, *COUNTS[case].values()]
    assert found == known[: high + 1]
    assert not any(known[high + 1 :])
    assert {type(n) for n in found} == {int}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("shape", [(1, 7), (2, 6), (4, 7), (3, 9)] + ([] if SLOW else [(6, 7)]))
def test_count_equals_a_plain_transfer_matrix(shape, rule):
    found = uniform.count(shape, simply_connected=rule)
    assert found == naive.count(shape, rule)
    assert found == uniform.count(shape[::-1], simply_connected=rule)


TOTALS = {
    False: [  # OEIS A059525
        *[1, 13, 218, 11506, 2301877, 1732082741, 4872949974666, 51016818604894742, 1980555831431088025753],
        *[284374318545830329487309785, 150730745416633777472365437495914, 294516896499779486414143877573183893666],
    ],
    4: [  # OEIS A140517, cycles around the regions
        *[1, 13, 213, 9349, 1222363, 487150371, 603841648931, 2318527339461265, 27359264067916806101],
        *[988808811046283595068099, 109331355810135629946698361371],
    ],
}


@pytest.mark.parametrize(("rule", "totals"), TOTALS.items())
def test_known_totals(rule, totals):
    known = totals[: 4 if SLOW else None]
    assert [sum(uniform.count((n, n), simply_connected=rule)) for n in range(1, len(known) + 1)] == known


def test_known_numbers_of_as_many_cells_as_the_grid_has_rows():
    known = [
        1,
        4,
        22,
        113,
        571,
        2816,
        13616,
        64678,
        302574,
        1397318,
        6382660,
        28882214,
        129640058,
        577812724,
        2559491834,
    ]
    known = known[: 6 if SLOW else None]  # OEIS A272435
    assert [uniform.count((n, n), n) for n in range(1, len(known) + 1)] == known


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("shape", [(5, 5), (4, 6), (7, 3)])
def test_boxes_and_strips_count_the_same(shape, rule):
    """Small areas are counted in boxes of half their width, all areas in strips of the grid's."""
    every = uniform.count(shape, simply_connected=rule)
    for area in range(1, shape[0] * shape[1] + 1):
        for turned in (shape, shape[::-1]):
            found = uniform.count(turned, area, simply_connected=rule)
            assert found == every[area]
            assert type(found) is int


def test_numbers_larger_than_any_machine_word():
    """A strip of two rows, by the recurrence of its columns: 0 for none, then one cell, either one, or both."""
    ways = {0: {0: 1}}  # state: top 1, bottom 2, both 3; ended 4
    follow = {0: (0, 1, 2, 3), 1: (4, 1, 3), 2: (4, 2, 3), 3: (4, 1, 2, 3), 4: (4,)}
    for _ in range(60):
        new = {}
        for state, areas in ways.items():
            for then in follow[state]:
                for area, n in areas.items():
                    larger = area + (0, 1, 1, 2, 0)[then]
                    new.setdefault(then, {})[larger] = new.get(then, {}).get(larger, 0) + n
        ways = new
    expected = [sum(ways[state].get(area, 0) for state in (1, 2, 3, 4)) for area in range(121)]
    assert uniform.count((2, 60)) == expected
    assert max(expected) > 2**64


FIXED = [1, 2, 6, 19, 63, 216, 760, 2725, 9910, 36446, 135268, 505861, 1903890, 7204874, 27394666, 104592937]


def test_polyominoes():
    known = FIXED[:9] if SLOW else FIXED
    assert [uniform.polyominoes(area) for area in range(1, len(known) + 1)] == known
    if not SLOW:
        assert uniform.polyominoes(24) == 5239988770268  # OEIS A001168


@pytest.mark.parametrize("rule", RULES)
def test_polyominoes_by_growing_them(rule):
    """All fixed polyominoes, from those with one cell less; those with holes are left out afterwards."""
    grown = {frozenset([(0, 0)])}
    for area in range(1, 8 if SLOW else 9):
        fit = [p for p in grown if not rule or naive.is_simply_connected(p, (area, area), False, rule)]
        assert uniform.polyominoes(area, simply_connected=rule) == len(fit)
        larger = set()
        for p in grown:
            for row, col in {(r + i, c + j) for r, c in p for i, j in naive.STEPS[4]} - p:
                down, across = min(row, 0), min(col, 0)
                larger.add(frozenset((r - down, c - across) for r, c in p | {(row, col)}))
        grown = larger


# Drawing


#: Strips and boxes, upright and lying; tori in boxes, and by trying all sets of cells.
CASES = [
    *[((3, 3), area, False) for area in range(1, 10)],
    *[((4, 4), area, False) for area in (4, 7, 8, 11, 15)],
    *[((2, 5), 5, False), ((5, 2), 5, False), ((1, 6), 4, False), ((3, 4), 5, False)],
    *[((5, 5), 3, False), ((4, 6), 4, False), ((7, 5), 4, False), ((6, 6), 4, False), ((5, 4), 5, False)],
    *[((5, 5), 4, True), ((4, 6), 3, True), ((6, 4), 3, True), ((5, 7), 4, True)],
    *[((3, 3), 4, True), ((3, 4), 4, True), ((4, 3), 5, True), ((4, 4), 6, True), ((4, 4), 9, True), ((3, 5), 6, True)],
]


def packed(masks):
    return np.packbits(masks.reshape(len(masks), -1), axis=1)


def counts_of(draws, of):
    """How often each region of a list was drawn; nothing else may be."""
    names = {bytes(row): k for k, row in enumerate(packed(np.array([naive.mask_of(r, draws.shape[1:]) for r in of])))}
    seen, n = np.unique(packed(draws), axis=0, return_counts=True)
    counts = np.zeros(len(of), int)
    counts[[names[bytes(row)] for row in seen]] = n
    return counts


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("shape", "area", "periodic"), CASES)
def test_exact_is_uniform(shape, area, periodic, rule):
    of = all_regions(shape, area, periodic, rule)
    if not of:
        pytest.skip("no such region")
    n = (20 if SLOW else 100) * len(of)
    if SLOW and n > 5_000:
        pytest.skip("the same kernels as in smaller cases")
    draws = uniform.exact(shape, area, periodic=periodic, simply_connected=rule, size=n, rng=SEED)
    assert draws.dtype == bool
    counts = counts_of(draws, of)
    assert len(of) == 1 or stats.chisquare(counts).pvalue > ALPHA


def chances(shape, area, rule):
    """The chance of every region of an open grid, by following the table along its cells."""
    parts = transfer._parts(shape, area, False)
    assert len(parts) == 1
    cumulative, heights, transposed, _, _ = transfer._kinds(parts, area, int(rule))
    height_chances = dict(zip(heights.tolist(), np.diff(cumulative, prepend=0), strict=True))
    follow, share, first, low, span = transfer._table(parts[0].width, min(area, max(shape)), area, int(rule))
    cols = parts[0].width
    for region in all_regions(shape, area, False, rule):
        cells = {cell[::-1] for cell in region} if transposed[0] else region
        top = min(cells)[0]
        height = max(cells)[0] - top + 1
        chance, state, left = height_chances[height] / (max(shape) - height + 1), 0, area
        for cell in range(height * cols):
            to_come = height * cols - cell
            fill = share[first[to_come] + state * span[to_come] + left - low[to_come]]
            filled = (cell // cols + top, cell % cols) in cells
            chance *= fill if filled else 1 - fill
            left -= filled
            state = follow[cell % cols, state, int(filled)]
            if left == 0:
                break
        yield chance


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("shape", "area"), [((4, 4), 7), ((4, 4), 8), ((4, 4), 13), ((3, 5), 7), ((5, 3), 9)])
def test_all_chances_are_equal(shape, area, rule):
    """Not only as far as draws can tell."""
    found = np.array(list(chances(shape, area, rule)))
    np.testing.assert_allclose(found, 1 / len(found), rtol=1e-12)


def test_a_wrong_weight_is_detected(monkeypatch):
    """Controls: every number of rows as likely, or every draw from the strip kept. Their laws are known."""
    shape, area = (5, 5), 5
    of = all_regions(shape, area, False, False)
    n = (40 if SLOW else 100) * len(of)
    boxes = np.array([np.ptp(np.array(list(region)), axis=0) + 1 for region in of])  # rows and columns of each
    tall = boxes[:, 0] >= boxes[:, 1]
    places = (6 - boxes[:, 0]) * (6 - boxes[:, 1])
    right = transfer._kinds

    def all_rows_alike(parts, area, meaning):
        cumulative, *rest = right(parts, area, meaning)
        return np.linspace(0, 1, len(cumulative) + 1)[1:], *rest

    def all_kept(parts, area, meaning):
        cumulative, heights, transposed, accepted, tori = right(parts, area, meaning)
        return cumulative, heights, transposed, (accepted > 0).astype(float), tori

    kinds = list(zip(tall, np.where(tall, boxes[:, 0], boxes[:, 1]), strict=True))
    sizes = {kind: kinds.count(kind) for kind in kinds}
    alike = np.array([1 / len(sizes) / sizes[kind] for kind in kinds])
    strip = (3 - np.where(tall, boxes[:, 1], boxes[:, 0]) + 1) / places  # in a strip of three columns
    totals = {kind: sum(strip[k] for k, other in enumerate(kinds) if other == kind) for kind in sizes}
    kept = np.array([sizes[kind] / len(of) * strip[k] / totals[kind] for k, kind in enumerate(kinds)])
    for wrong, law in ((all_rows_alike, alike), (all_kept, kept)):
        assert law.sum() == pytest.approx(1)
        assert reference.power(law, 1 / len(of), n, ALPHA) > 0.999
        monkeypatch.setattr(transfer, "_kinds", wrong)
        counts = counts_of(uniform.exact(shape, area, size=n, rng=SEED), of)
        assert stats.chisquare(counts).pvalue < ALPHA
        assert stats.chisquare(counts, law * n).pvalue > ALPHA


def test_growth_is_told_from_uniform():
    """The same test of a grower: it must fail, with a power computed from its exact law."""
    shape, area = (3, 3), 5
    of = all_regions(shape, area, False, False)
    law = naive.law(lambda choose: naive.eden(choose, shape, area))
    law = np.array([float(law[region]) for region in of])
    n = 3_000 if SLOW else 100_000
    assert reference.power(law, 1 / len(of), n, ALPHA) > 0.999
    assert stats.chisquare(counts_of(regions.eden(shape, area, size=n, rng=SEED), of)).pvalue < ALPHA


#: naive.mean_perimeter((10, 10), 50, rule), which takes half a minute.
PERIMETERS = {False: 89.19667, 8: 89.79217, 4: 87.41114}


@pytest.mark.parametrize("rule", RULES)
def test_mean_perimeter(rule):
    of = all_regions((3, 4), 7, False, rule)
    pairs = [sum(near in region for cell in region for near in naive.around(cell, (3, 4), False)) for region in of]
    assert naive.mean_perimeter((3, 4), 7, int(rule)) == pytest.approx(28 - np.mean(pairs))
    cases = [((5, 6), 15, naive.mean_perimeter((5, 6), 15, int(rule)))]
    for shape, area, exact in cases + ([] if SLOW else [((10, 10), 50, PERIMETERS[rule])]):
        draws = uniform.exact(shape, area, simply_connected=rule, size=1_000 if SLOW else 40_000, rng=SEED)
        assert topology.is_connected(draws).all()
        assert not rule or topology.is_simply_connected(draws, rule).all()
        found = shapes.measure(draws, columns=["perimeter"])["perimeter"]
        assert abs(found.mean() - exact) < 5 * found.sem()


@pytest.mark.parametrize(
    ("area", "perimeter", "gyration"),
    [(4, 9.894737, 0.828947), (6, 13.592593, 1.533436), (10, 20.995445, 3.180092), (19, 37.664880, 7.647350)],
)
def test_mean_perimeter_and_gyration_of_polyominoes(area, perimeter, gyration):
    """On a torus that it cannot wind round every polyomino has as many places: uniform over the infinite lattice."""
    if SLOW and area > 6:
        pytest.skip("minutes without the compiler")
    draws = uniform.exact((area + 1, area + 1), area, periodic=True, size=2_000 if SLOW else 40_000, rng=SEED)
    found = shapes.measure(draws, periodic=True, columns=["perimeter", "radius_of_gyration"])
    assert abs(found["perimeter"].mean() - perimeter) < 5 * found["perimeter"].sem()
    squared = found["radius_of_gyration"] ** 2
    assert abs(squared.mean() - gyration) < 5 * squared.sem()


# Streams, limits


@pytest.mark.parametrize(("shape", "area", "periodic"), [((6, 7), 9, False), ((5, 5), 3, False), ((4, 4), 6, True)])
def test_a_seed_decides_and_nothing_else(monkeypatch, shape, area, periodic):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    batch = uniform.exact(shape, area, periodic=periodic, size=5, rng=3)
    assert (uniform.exact(shape, area, periodic=periodic, size=5, rng=np.random.default_rng(3)) == batch).all()
    assert (uniform.exact(shape, area, periodic=periodic, rng=3) == batch[0]).all()
    assert (uniform.exact(shape, area, periodic=periodic, size=5, rng=4) != batch).any()
    assert uniform.exact(shape, area, periodic=periodic, size=0, rng=3).shape == (0, *shape)
    monkeypatch.setattr(transfer, "BATCH", 1)  # one region in a call of the kernel: an interrupt gets through
    assert (uniform.exact(shape, area, periodic=periodic, size=5, rng=3) == batch).all()
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_the_estimates_of_memory_are_a_little_too_high():
    for rule in RULES:
        for cols in range(1, 7 if SLOW else 11):
            _, n_states, _ = transfer._states(cols, int(rule))
            assert n_states.max() <= transfer._n_states(cols, int(rule)) <= 1.35 * n_states.max() + 3
    for shape, area in [((5, 5), 12), ((6, 20), 40), ((30, 30), 8)] + ([] if SLOW else [((9, 9), 40)]):
        part = transfer._parts(shape, area, False)[0]
        table = transfer._table(part.width, min(area, max(shape)), area, 4)
        size = table[0].nbytes + table[1].nbytes
        assert size < transfer._table_bytes(part.width, min(area, max(shape)), area, 4) < 2 * size + 50_000


def test_what_is_too_large_is_refused_before_any_work(monkeypatch):
    def no_work(*_):
        raise AssertionError("work was begun")

    monkeypatch.setattr(transfer, "_states", no_work)
    monkeypatch.setattr(transfer, "_try", no_work)
    monkeypatch.setattr(uniform.transfer.grid, "empty", no_work)
    with pytest.raises(
        ValueError,
        match=r"memory must be at least 2\d{9} bytes \(2\.\d+ GiB\) to draw regions of 72 cells on a 12x12 grid, "
        r"got 1073741824; use uniform\.markov",
    ):
        uniform.exact((12, 12), 72)
    with pytest.raises(ValueError, match=r"memory must be at least \d+ bytes .* got 10000; use uniform\.markov"):
        uniform.exact((8, 8), 30, memory=10_000)
    with pytest.raises(ValueError, match=r"shape must have a side of at most 15, or area be from 1 to 22, to draw"):
        uniform.exact((50, 50), 800)
    with pytest.raises(ValueError, match=r"shape must have at most 1023 cells, or area be from 1 to 341, to draw"):
        uniform.exact((3, 342), 500)
    with pytest.raises(
        ValueError,
        match=r"area must be from 1 to 9, less than both sides of a periodic grid .* on a periodic 10x12 grid, "
        r"got 50; use uniform\.markov",
    ):
        uniform.exact((10, 12), 50, periodic=True)
    with pytest.raises(ValueError, match=r"memory must be at least .* to count regions of all areas on a 15x40"):
        uniform.count((15, 40))
    with pytest.raises(ValueError, match=r"a side of at most 15, .* to count regions of all areas on a 20x20 grid"):
        uniform.count((20, 20))
    with pytest.raises(ValueError, match=r"area must be from 1 to 5, .* all areas on a periodic 6x6 grid, got None"):
        uniform.count((6, 6), periodic=True)
    with pytest.raises(
        ValueError, match=r"area must be from 1 to \d\d, to count polyominoes within memory=1073741824 bytes, got 80"
    ):
        uniform.polyominoes(80)


def test_long_strips_are_refused_by_the_numbers_they_would_take(monkeypatch):
    """Few states, but as many numbers as there are rows times cells, each of thousands of bits."""
    monkeypatch.setattr(transfer, "_states", None)
    for shape, area in [((1, 10_000), None), ((2, 3000), None), ((1, 100_000), 50_000)]:
        with pytest.raises(ValueError, match=r"memory must be at least \d+ bytes .* got 1073741824; count a smaller"):
            uniform.count(shape, area)


def test_memory_is_what_the_caller_says():
    assert uniform.count((8, 8), 20, memory=2**24) == uniform.count((8, 8), 20)
    with pytest.raises(ValueError, match=r"memory must be at least .* got 1000; count a smaller area or grid"):
        uniform.count((8, 8), 20, memory=1000)
    with pytest.raises(ValueError, match=r"area must be from 1 to \d, to count polyominoes within memory=3000 bytes"):
        uniform.polyominoes(20, memory=3000)


def test_one_table_is_kept():
    uniform.exact((5, 6), 12, rng=SEED)
    (first,) = transfer._TABLES.values()
    uniform.exact((5, 6), 12, rng=SEED)
    assert next(iter(transfer._TABLES.values())) is first
    uniform.exact((5, 6), 13, rng=SEED)
    assert len(transfer._TABLES) == 1


def test_tables_are_forgotten():
    def kept():
        return len(transfer._TABLES) + sum(f.cache_info().currsize for f in (transfer._boxes, transfer._states))

    region = uniform.exact((5, 6), 12, rng=SEED)
    uniform.exact((9, 9), 4, rng=SEED)
    assert kept() > 1
    uniform.forget()
    assert kept() == 0
    assert np.array_equal(uniform.exact((5, 6), 12, rng=SEED), region)


def test_the_largest_area_of_a_torus_has_no_method():
    """Neither sends to the other."""
    for f, advice in ((uniform.exact, "; ask for a smaller area$"), (uniform.markov, "ask for a smaller one")):
        with pytest.raises(ValueError, match=advice):
            f((6, 6), 25, periodic=True, simply_connected=4)
    with pytest.raises(ValueError, match=r"; use uniform\.markov, which needs no table$"):
        uniform.exact((6, 6), 24, periodic=True, simply_connected=4)
    assert uniform.count((6, 6), 36, periodic=True) == 1  # few sets to try


def test_method():
    assert uniform.method((10, 10), 50) == "exact"
    assert uniform.method((12, 12), 72) == "markov"
    assert uniform.method((12, 12), 72, memory=2**32) == "exact"
    assert uniform.method((10**4, 10**4), 12) == "exact"
    assert uniform.method((10, 10), 9, periodic=True) == "exact"
    assert uniform.method((10, 10), 10, periodic=True) == "markov"
    assert uniform.method((5, 5), 16, periodic=True, simply_connected=4) == "exact"
    needed = [uniform.method((9, 9), 40, memory=memory) for memory in (0, 2**20, 2**30)]
    assert needed == ["markov", "markov", "exact"]
    for first, then in pairwise(range(15, 30)):
        assert (uniform.method((60, 60), first), uniform.method((60, 60), then)) != ("markov", "exact")


@pytest.mark.parametrize("f", [uniform.exact, uniform.count, uniform.method])
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"area": 0}, ValueError, "area must be from 1 to 20 on a 4x5 grid, got 0"),
        ({"area": 21}, ValueError, "area must be from 1 to 20 on a 4x5 grid, got 21"),
        ({"area": 3.0}, TypeError, "area must be an integer, from 1 to 20"),
        ({"area": True}, TypeError, "area must be an integer"),
        ({"shape": (0, 5)}, ValueError, "rows of the grid's shape must be at least 1, got 0"),
        ({"shape": 4}, TypeError, r"shape must be a pair \(rows, cols\), got 4"),
        ({"shape": (2, 5), "periodic": True}, ValueError, "rows of a periodic grid's shape must be at least 3, got 2"),
        ({"periodic": 1}, TypeError, "periodic must be True or False, got 1"),
        ({"simply_connected": 6}, ValueError, "simply_connected must be False, True, 4 or 8, got 6"),
        (
            {"area": 13, "periodic": True, "simply_connected": 4},
            ValueError,
            "area must be from 1 to 12 on a periodic 4x5",
        ),
    ],
)
def test_bad_input(f, arguments, error, message):
    with pytest.raises(error, match=message):
        f(**({"shape": (4, 5), "area": 3} | arguments))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: uniform.exact((4, 5), 3, size=-1), ValueError, "size must be at least 0, got -1"),
        (lambda: uniform.exact((4, 5), 3, size=10**13), MemoryError, "size must be small enough for memory"),
        (lambda: uniform.exact((4, 5), 3, rng="seven"), TypeError, "rng must be a numpy Generator"),
        (lambda: uniform.exact((4, 5), 3, memory=-1), ValueError, "memory must be at least 0, got -1"),
        (lambda: uniform.exact((4, 5), None), TypeError, "area must be an integer"),
        (lambda: uniform.method((4, 5), 3, memory=1.5), TypeError, "memory must be an integer, at least 0, got 1.5"),
        (lambda: uniform.polyominoes(0), ValueError, "area must be at least 1, got 0"),
        (lambda: uniform.polyominoes(2.5), TypeError, "area must be an integer, at least 1, got 2.5"),
        (
            lambda: uniform.polyominoes(3, simply_connected=5),
            ValueError,
            "simply_connected must be False, True, 4 or 8",
        ),
    ],
)
def test_bad_options(call, error, message):
    with pytest.raises(error, match=message):
        call()
