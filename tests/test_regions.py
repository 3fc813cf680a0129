"""Tests of `regions`: what is promised of every draw, the exact laws, and controls that must fail."""

import inspect
from fractions import Fraction
from functools import cache, partial

import naive
import numpy as np
import pytest
import reference
from numba.core import config
from scipy import stats

from gridlab import regions, topology

ALPHA = 1e-6  # per test: the chance that a correct sampler fails on a new stream
SEED = 20261130
SLOW = bool(config.DISABLE_JIT)  # the kernels as plain Python: fewer draws, smaller grids
GROWERS = {name: f for name, f in regions.GENERATORS.items() if name not in ("walk", "uniform")}
FILLERS = {name: f for name, f in GROWERS.items() if "fill_holes" in inspect.signature(f).parameters}
RULES = [False, 4, 8]


COUNTS = reference.known_counts()
TORI = sorted({key[:2] for key in COUNTS if key[2]})


def check(drawn, area, periodic, meaning):
    """Check what is promised of every draw: by `topology`, which is tested on its own, and by naive floods."""
    assert drawn.dtype == bool
    assert (drawn.sum((-2, -1)) == area).all()
    assert topology.is_connected(drawn, periodic=periodic).all()
    if meaning:
        assert topology.is_simply_connected(drawn, meaning, periodic=periodic).all()
    for mask in drawn[:: max(1, len(drawn) // 5)]:
        assert naive.admissible(naive.cells_of(mask), mask.shape, periodic, meaning)


def options(name):
    """The options under which a generator is tried."""
    yield {}
    if name in FILLERS:
        yield {"fill_holes": True}
    if name == "mixed":
        yield from ({"fat": 0}, {"fat": 1}, {"fat": 0.2, "fill_holes": True})
    if name == "alternating":
        yield {"fat_burst": 1, "thin_burst": 1}


@pytest.mark.parametrize("name", regions.GENERATORS)
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_every_draw_is_what_was_asked_for(name, periodic, rule):
    rng = np.random.default_rng(SEED)
    shapes = [(3, 3), (3, 8), (9, 4), (6, 5) if SLOW else (12, 13)] + (
        [] if periodic else [(1, 1), (1, 9), (9, 1), (2, 2), (2, 7)]
    )
    for option in options(name):
        if "fill_holes" in option and not rule:
            continue
        for shape in shapes:
            if name == "uniform" and max(shape) > (3 if SLOW and periodic else 9):
                continue  # trying all sets, and the chain, have tests of their own
            high = topology.largest(shape, periodic=periodic, simply_connected=rule)
            if name == "uniform" and rule and periodic and shape == (9, 4):
                high -= 1  # the chain says that it does not reach all of the largest
            if name == "walk":
                high = max(1, high // 3)  # nearer to the grid's size not every walk can be completed
            for area in sorted({1, high, *rng.integers(1, high + 1, 6).tolist()}):
                size = 3 if SLOW else 20 if "fill_holes" in option else 100
                drawn = regions.GENERATORS[name](
                    shape, area, periodic=periodic, simply_connected=rule, size=size, rng=rng, **option
                )
                assert drawn.shape == (size, *shape)
                check(drawn, area, periodic, rule)


@pytest.mark.parametrize("name", GROWERS)
@pytest.mark.parametrize("rule", [4, 8])
def test_simply_connected_growth_fills_an_open_grid(name, rule):
    """On an open grid a way on always exists, up to the last cell."""
    for shape in [(4, 4), (7, 5), (1, 12)] + ([] if SLOW else [(30, 31)]):
        size = 2 if SLOW else 50
        for missing in (0, 1, 2):
            area = shape[0] * shape[1] - missing
            check(GROWERS[name](shape, area, simply_connected=rule, size=size, rng=SEED), area, False, rule)


@pytest.mark.parametrize("name", GROWERS)
@pytest.mark.parametrize("rule", [4, 8])
def test_no_cell_is_taken_back_on_an_open_grid(monkeypatch, name, rule):
    """What may be added is known at every step: a cell that was passed over comes back when it may be added again."""

    def taken_back(*_):
        raise AssertionError("growth was stuck")

    kernel = "_grow_sites" if name in ("eden_sites", "eden_bonds") else "_grow"
    f = getattr(regions, kernel)
    monkeypatch.setattr(regions, kernel, getattr(f, "py_func", f))  # as plain Python, which calls what stands there now
    monkeypatch.setattr(regions, "_take_back", taken_back)
    for option in [{}, {"fill_holes": True}] if name in FILLERS else [{}]:
        assert GROWERS[name]((9, 11), 99, simply_connected=rule, size=15, rng=SEED, **option).all()


@pytest.mark.parametrize("shape", TORI)
@pytest.mark.parametrize("rule", [4, 8])
def test_the_largest_simply_connected_area_of_a_torus(shape, rule):
    areas = [area for area, count in COUNTS[*shape, True, rule].items() if count]
    high = topology.largest(shape, periodic=True, simply_connected=rule)
    assert high == max(areas)
    for name, f in GROWERS.items():
        for option in [{}, {"fill_holes": True}] if name in FILLERS else [{}]:
            drawn = f(shape, high, periodic=True, simply_connected=rule, size=2 if SLOW else 40, rng=SEED, **option)
            check(drawn, high, True, rule)
    with pytest.raises(ValueError, match=f"area must be from 1 to {high} on a periodic"):
        regions.eden(shape, high + 1, periodic=True, simply_connected=rule)


@pytest.mark.skipif(SLOW, reason="minutes without the compiler")
@pytest.mark.parametrize("rule", [4, 8])
def test_the_largest_area_is_attained_on_larger_tori(rule):
    for shape in ((6, 9), (8, 7), (10, 10), (20, 13)):
        high = topology.largest(shape, periodic=True, simply_connected=rule)
        check(regions.eden(shape, high, periodic=True, simply_connected=rule, size=3, rng=SEED), high, True, rule)


@pytest.mark.parametrize("rule", [4, 8])
@pytest.mark.parametrize(("shape", "periodic"), [((4, 4), False), ((3, 5), False), ((4, 4), True), ((4, 5), True)])
def test_growing_by_simple_cells_reproduces_the_known_counts(shape, periodic, rule):
    """From every region of an area, add every simple cell: no region is missed, and none is wrong."""
    simple = topology.simple_cells(rule)
    found = np.eye(shape[0] * shape[1], dtype=bool).reshape(-1, *shape)
    for area, count in sorted(COUNTS[*shape, periodic, rule].items()):
        assert len(found) == count, area
        if not count:
            break
        which, row, col = np.nonzero(simple[topology.rings(found, periodic=periodic)] & ~found)
        grown = found[which]
        grown[np.arange(len(grown)), row, col] = True
        packed = np.unique(np.packbits(grown.reshape(-1, shape[0] * shape[1]), axis=1), axis=0)
        found = np.unpackbits(packed, axis=1, count=shape[0] * shape[1]).astype(bool).reshape(len(packed), *shape)


# Laws. Each program of `naive` is the generator in the simplest words.


@cache
def law(name, shape, area, periodic=False, rule=False, **option):
    """The exact law of a generator, as {region: Fraction}; options as sorted pairs."""
    program = naive.eden_filling if option.pop("fill_holes", False) else partial(getattr(naive, name), **option)
    return naive.law(lambda choose: program(choose, shape, area, periodic, int(rule)))


def draw(name, shape, area, periodic, rule, n, **option):
    """How often each region was drawn, as {region: count}."""
    draws = regions.GENERATORS[name](shape, area, periodic=periodic, simply_connected=rule, size=n, rng=SEED, **option)
    packed, counts = np.unique(np.packbits(draws.reshape(n, -1), axis=1), axis=0, return_counts=True)
    masks = np.unpackbits(packed, axis=1, count=shape[0] * shape[1]).astype(bool).reshape(-1, *shape)
    return dict(zip(map(naive.cells_of, masks), counts.tolist(), strict=True))


def pvalue(seen, chances):
    """Chi-square of counts against a law."""
    if not set(seen) <= set(chances):
        return 0.0
    n = sum(seen.values())
    return stats.chisquare(
        [seen.get(region, 0) for region in chances], [float(chance) * n for chance in chances.values()]
    ).pvalue


#: Where kinds of grid, edges and corners differ already.
CASES = [((2, 3), 3, False), ((3, 3), 4, False), ((1, 6), 4, False), ((3, 3), 3, True), ((3, 4), 4, True)]


@pytest.mark.parametrize(("shape", "area", "periodic"), CASES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", regions.GENERATORS)
def test_law(name, shape, area, periodic, rule):
    if SLOW and (rule == 4 or area * periodic == 4):
        pytest.skip("the same kernel as in the next case, with another table")
    check_law(name, shape, area, periodic, rule)


@pytest.mark.parametrize(
    ("name", "shape", "area", "periodic", "rule", "option"),
    [
        ("eden", (3, 3), 6, False, 8, {}),
        ("eden_sites", (3, 3), 6, False, 4, {}),
        ("eden_bonds", (3, 3), 6, False, 8, {}),
        ("dfs", (3, 3), 7, False, 4, {}),
        ("walk", (3, 3), 7, False, False, {}),
        ("walk", (3, 4), 6, False, 4, {}),
        ("eden", (3, 3), 7, False, 4, {"fill_holes": True}),
        ("eden", (3, 4), 6, False, 8, {"fill_holes": True}),
        ("eden", (3, 3), 4, True, 4, {"fill_holes": True}),
        ("mixed", (3, 3), 4, False, False, {"fat": 0}),
        ("mixed", (3, 3), 4, False, False, {"fat": 0.75}),
        ("mixed", (2, 4), 5, False, 4, {"fat": 0.6}),
        ("alternating", (3, 3), 4, False, False, {"fat_burst": 0.75, "thin_burst": 0.5}),
        ("alternating", (2, 4), 5, False, 4, {"fat_burst": 0.5, "thin_burst": 1}),
    ],
)
@pytest.mark.skipif(SLOW, reason="the kernels of test_law, on larger cases that take minutes without the compiler")
def test_law_of_options_and_larger_areas(name, shape, area, periodic, rule, option):
    check_law(name, shape, area, periodic, rule, **option)


def check_law(name, shape, area, periodic, rule, **option):
    """Draw as often as the chi-square law needs to be good at ALPHA, and test."""
    chances = law(name, shape, area, periodic, rule, **option)
    n = int((20 if SLOW else 100) / min(chances.values())) + 1
    assert pvalue(draw(name, shape, area, periodic, rule, n, **option), chances) > ALPHA


@pytest.mark.parametrize("name", regions.GENERATORS)
def test_the_law_test_has_teeth(name):
    """Draws must refute the uniform law and those of the other generators, where the power is computed to suffice."""
    shape, area = (3, 3), 5
    own = law(name, shape, area)
    uniform = naive.all_regions(shape, area)
    controls = {other: law(other, shape, area) for other in regions.GENERATORS}
    assert controls["uniform"] == dict.fromkeys(uniform, Fraction(1, len(uniform)))
    n = 3_000 if SLOW else 100_000
    seen = draw(name, shape, area, False, False, n)
    refuted = set()
    for other, chances in controls.items():
        if reference.power([own.get(region, 0) for region in chances], list(chances.values()), n, ALPHA) > 0.999:
            refuted.add(other)
            assert pvalue(seen, chances) < ALPHA, other
    assert ("uniform" in refuted) == (name != "uniform")
    if not SLOW:  # bursts of alternating are of one cell here, as in eden
        assert len(refuted) >= len(controls) - (3 if name in ("eden", "alternating") else 2)


def test_uniform_start():
    """Each generator's first cell is uniform: a region of one cell shows it."""
    for f in regions.GENERATORS.values():
        n = 2_000 if SLOW else 20_000
        counts = f((4, 5), 1, size=n, rng=SEED).sum(0)
        assert stats.chisquare(counts.ravel()).pvalue > ALPHA


# Streams, layouts, limits


@pytest.mark.parametrize("name", regions.GENERATORS)
def test_a_seed_decides_and_nothing_else(name):
    f = regions.GENERATORS[name]
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    batch = f((6, 7), 12, size=5, rng=3)
    assert (f((6, 7), 12, size=5, rng=3) == batch).all()
    assert (f((6, 7), 12, size=5, rng=np.random.default_rng(3)) == batch).all()
    assert (f((6, 7), 12, rng=3) == batch[0]).all()
    rng = np.random.default_rng(3)
    assert (np.stack([f((6, 7), 12, rng=rng) for _ in range(5)]) == batch).all() or name == "walk"
    assert (f((6, 7), 12, size=5, rng=4) != batch).any()
    assert f((6, 7), 12, size=0, rng=3).shape == (0, 6, 7)
    assert f((6, 7), 12, size=1, rng=3).shape == (1, 6, 7)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_batches_do_not_show(monkeypatch):
    """A batch is drawn in one stream, however it is cut so that an interrupt gets through."""
    whole = regions.mixed((5, 5), 12, size=9, rng=SEED)
    monkeypatch.setattr(regions, "BATCH", 2 * 12)
    assert (regions.mixed((5, 5), 12, size=9, rng=SEED) == whole).all()


@pytest.mark.skipif(SLOW, reason="the same cuts, and the draws take long without the compiler")
@pytest.mark.parametrize(
    ("name", "kernel", "shape", "area", "size", "options"),
    [
        ("eden", "_grow", (40, 40), 1, 20_000, {}),  # many large grids to write
        ("eden_sites", "_grow_sites", (6, 6), 25, 500, {"periodic": True, "simply_connected": 4}),  # cells taken back
        ("walk", "_walk", (6, 6), 33, 2_000, {}),  # long ways back
    ],
)
def test_an_interrupt_gets_through(monkeypatch, name, kernel, shape, area, size, options):
    """A kernel comes back often, not only where areas add up, and what it draws stays the same."""
    whole = regions.GENERATORS[name](shape, area, size=size, rng=SEED, **options)
    calls = []
    f = getattr(regions, kernel)
    monkeypatch.setattr(regions, kernel, lambda *arguments: calls.append(len(arguments[0])) or f(*arguments))
    assert (regions.GENERATORS[name](shape, area, size=size, rng=SEED, **options) == whole).all()
    assert len(calls) > 1
    assert area * size < regions.BATCH


def test_no_recursion_over_cells():
    shape = (40, 40) if SLOW else (1000, 1000)
    area = shape[0] * shape[1] // 3
    for name, f in GROWERS.items():
        for rule in RULES if name == "dfs" else [False, 4]:
            drawn = f(shape, area, simply_connected=rule, periodic=rule == 4, rng=SEED)
            assert drawn.sum() == area
            assert topology.is_connected(drawn, periodic=rule == 4)
            assert not rule or topology.is_simply_connected(drawn, rule, periodic=rule == 4)


@pytest.mark.parametrize("rule", [4, 8])
def test_filling_holes_fills(rule):
    """Without it thin bursts leave pockets that can never be closed, a maze: far more border."""
    border = []
    for fill in (False, True):
        drawn = regions.mixed((20, 20), 300, simply_connected=rule, fill_holes=fill, size=3 if SLOW else 50, rng=SEED)
        border.append((drawn & (topology.rings(drawn) != 255)).sum())
    assert border[1] < 0.8 * border[0]


def test_walk_has_the_trace_of_a_walk():
    """Every region drawn has a way through all its cells."""

    def traced(cells, path):
        return len(path) == len(cells) or any(
            traced(cells, [*path, x]) for x in naive.around(path[-1], (5, 5), False) if x in cells and x not in path
        )

    for mask in regions.walk((5, 5), 11, size=5 if SLOW else 100, rng=SEED):
        cells = naive.cells_of(mask)
        assert any(traced(cells, [start]) for start in cells)


def test_walk_ends_within_its_budget():
    with pytest.raises(RuntimeError, match=r"within budget=20000 steps on a 9x9 grid: raise budget, .* or use dfs"):
        regions.walk((9, 9), 81, budget=20_000, size=50, rng=SEED)  # no way from the 40 cells of the rarer colour
    with pytest.raises(
        RuntimeError, match=r"no walk of 11 cells exists on a periodic 4x4 grid for a simply connected \(8\)"
    ):
        regions.walk((4, 4), 11, periodic=True, simply_connected=8, rng=SEED)


def test_largest_of_short_integers():
    """Sides are computed with as Python's own integers."""
    high = topology.largest((200, 100), periodic=True, simply_connected=8)
    assert high == 20_000 - 249
    for kind in (np.uint8, np.int16, np.int64):
        found = topology.largest(np.array([200, 100], kind), periodic=True, simply_connected=8)
        assert found == high
        assert type(found) is int


@pytest.mark.skipif(SLOW, reason="minutes without the compiler")
@pytest.mark.parametrize("rule", [4, 8])
def test_filling_holes_on_a_torus_that_the_region_almost_winds_round(rule):
    """Long fronts where the region meets itself: no cell may join them, and to see that takes no flood."""
    for name in ("mixed", "alternating"):
        for shape in ((300, 300), (3, 400), (500, 4)):
            high = topology.largest(shape, periodic=True, simply_connected=rule)
            for area in (high // 2, 9 * high // 10):
                f = regions.GENERATORS[name]
                drawn = f(shape, area, periodic=True, simply_connected=rule, fill_holes=True, rng=SEED)
                assert drawn.sum() == area
                assert topology.is_simply_connected(drawn, rule, periodic=True)


def test_largest_on_open_grids_is_the_grid():
    assert [topology.largest((3, 7), simply_connected=rule) for rule in RULES] == [21, 21, 21]
    assert topology.largest((3, 7), periodic=True) == 21


NAMES = [pytest.param(f, id=name) for name, f in regions.GENERATORS.items()]


@pytest.mark.parametrize("f", NAMES)
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"area": 0}, ValueError, r"area must be from 1 to 20 on a 4x5 grid, got 0"),
        ({"area": -3}, ValueError, r"area must be from 1 to 20 on a 4x5 grid, got -3"),
        ({"area": 21}, ValueError, r"area must be from 1 to 20 on a 4x5 grid, got 21"),
        ({"area": 10**30}, ValueError, r"area must be from 1 to 20 on a 4x5 grid"),
        ({"area": 3.0}, TypeError, r"area must be an integer, from 1 to 20 on a 4x5 grid, got 3.0"),
        ({"area": float("nan")}, TypeError, "area must be an integer"),
        ({"area": True}, TypeError, "area must be an integer"),
        ({"area": None}, TypeError, "area must be an integer"),
        ({"shape": (0, 5)}, ValueError, r"rows of the grid's shape must be at least 1, got 0"),
        ({"shape": (4, -5)}, ValueError, r"cols of the grid's shape must be at least 1, got -5"),
        ({"shape": (4, 5.5)}, TypeError, r"cols of the grid's shape must be an integer, at least 1, got 5.5"),
        ({"shape": 4}, TypeError, r"shape must be a pair \(rows, cols\), got 4"),
        ({"shape": (4, 5, 6)}, TypeError, r"shape must be a pair"),
        ({"shape": "ab"}, TypeError, "rows of the grid's shape must be an integer"),
        ({"shape": (10**6, 10**6)}, ValueError, r"shape must have at most 2\*\*30 cells, got 1000000x1000000"),
        ({"shape": (2, 5), "periodic": True}, ValueError, "rows of a periodic grid's shape must be at least 3, got 2"),
        ({"shape": (5, 1), "periodic": True}, ValueError, "cols of a periodic grid's shape must be at least 3, got 1"),
        ({"periodic": "yes"}, TypeError, "periodic must be True or False, got 'yes'"),
        ({"simply_connected": 6}, ValueError, "simply_connected must be False, True, 4 or 8, got 6"),
        ({"simply_connected": None}, ValueError, "simply_connected must be False, True, 4 or 8, got None"),
        (
            {"area": 13, "periodic": True, "simply_connected": 4},
            ValueError,
            r"area must be from 1 to 12 on a periodic 4x5 grid for a simply connected \(4\) region, got 13",
        ),
        (
            {"area": 15, "periodic": True, "simply_connected": 8},
            ValueError,
            r"area must be from 1 to 14 on a periodic 4x5 grid for a simply connected \(8\) region, got 15",
        ),
        ({"size": -1}, ValueError, "size must be at least 0, got -1"),
        ({"size": 10**13}, MemoryError, "size must be small enough for memory, got 10000000000000: .* take 200000 GB"),
        ({"size": 10**30}, MemoryError, "size must be small enough for memory, got 10{30}: "),
        ({"size": 2.0}, TypeError, "size must be an integer, at least 0, got 2.0"),
        ({"rng": "seven"}, TypeError, "rng must be a numpy Generator, a seed .* got 'seven'"),
        ({"rng": -1}, ValueError, "rng must be a numpy Generator, a seed .* got -1"),
        ({"rng": True}, TypeError, "rng must be a numpy Generator, a seed .* got True"),
        ({"rng": 1.5}, TypeError, "rng must be a numpy Generator, a seed .* got 1.5"),
        ({"colour": "red"}, TypeError, "unexpected keyword argument 'colour'"),
    ],
)
def test_bad_input(f, arguments, error, message):
    with pytest.raises(error, match=message):
        f(**({"shape": (4, 5), "area": 3} | arguments))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (partial(regions.mixed, fat=1.5), ValueError, "fat must be from 0 to 1, got 1.5"),
        (partial(regions.mixed, fat=float("nan")), ValueError, "fat must be from 0 to 1, got nan"),
        (partial(regions.mixed, fat="half"), TypeError, "fat must be a number from 0 to 1, got 'half'"),
        (partial(regions.alternating, fat_burst=0), ValueError, "fat_burst must be above 0 and up to 1, got 0"),
        (partial(regions.alternating, thin_burst=-0.1), ValueError, "thin_burst must be above 0 and up to 1, got -0.1"),
        (partial(regions.walk, budget=0), ValueError, "budget must be from 1 to 9223372036854775807, got 0"),
        (partial(regions.walk, budget=2**63), ValueError, "budget must be from 1 to 9223372036854775807, got 92233"),
        (partial(regions.eden, fill_holes=True), ValueError, "fill_holes must be False where simply_connected is"),
        (partial(regions.eden, simply_connected=4, fill_holes=2), TypeError, "fill_holes must be True or False, got 2"),
    ],
)
def test_bad_options(call, error, message):
    with pytest.raises(error, match=message):
        call((4, 5), 3)
