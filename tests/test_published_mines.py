"""The wrong shuffles and placers follow their exact laws, and are told from the right ones."""

import inspect
import math
from collections import Counter

import numba
import numpy as np
import pytest
import reference
from scipy import stats

from gridlab import laws, mines, published
from gridlab.mines import placers
from gridlab.published import placing, shuffles

ALPHA = 1e-6  # per test: the chance that a correct program fails on a new stream
SEED = 20261130
SLOW = bool(numba.config.DISABLE_JIT)


def tally(drawn, listed, chances):
    """Counts of what was drawn and expected, in the order of a law, without what has no chance."""
    seen = Counter(row.tobytes() for row in drawn.astype(np.int64).reshape(len(drawn), -1))
    counts = np.array([seen.pop(row.tobytes(), 0) for row in listed.astype(np.int64).reshape(len(listed), -1)])
    assert not seen
    chances = np.array(chances, float)
    assert not counts[chances == 0].any()
    expected = len(drawn) * chances[chances > 0]
    assert expected.min() > 20
    return counts[chances > 0], expected


def enough(chances):
    """The draws for an expected count of 100 of the rarest result that there is; of 20 in plain Python."""
    return int((21 if SLOW else 100) / float(min(p for p in chances if p))) + 1


# ---- shuffles


@pytest.mark.parametrize("n", [1, 2, 3, 4] if SLOW else [1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", published.SHUFFLES)
def test_orders_follow_their_exact_law(name, n):
    law = laws.SHUFFLES[name](n)
    drawn = published.SHUFFLES[name](n, size=enough(law.chances), rng=SEED)
    counts, expected = tally(drawn, law.orders, law.chances)
    assert len(counts) == 1 or stats.chisquare(counts, expected).pvalue > ALPHA


@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize("name", published.SHUFFLES)
def test_orders_are_told_from_uniform_ones(name, n):
    law, uniform = laws.SHUFFLES[name](n), laws.SHUFFLES["fisher_yates"](n)
    size = 8_000
    drawn = published.SHUFFLES[name](n, size=size, rng=SEED)
    assert reference.power(law.chances, uniform.chances, size, ALPHA) > 0.999
    seen = Counter(map(tuple, drawn.tolist()))
    assert stats.chisquare([seen[tuple(order)] for order in uniform.orders.tolist()]).pvalue < ALPHA


@pytest.mark.parametrize("name", published.SHUFFLES)
def test_orders_of_many_items(name):
    """Each item has one position; in the orders of Sattolo, steps from position to item lead through all."""
    n = 50 if SLOW else 2000
    orders = published.SHUFFLES[name](n, size=5, rng=SEED)
    assert orders.shape == (5, n)
    assert orders.dtype == np.int64
    assert (np.sort(orders) == np.arange(n)).all()
    for order in orders:
        at, steps = int(order[0]), 1
        while at != 0:
            at, steps = int(order[at]), steps + 1
        assert steps == n or name != "sattolo"
    assert published.SHUFFLES[name](n, rng=SEED).tolist() == orders[0].tolist()
    assert published.SHUFFLES[name](n, size=0, rng=SEED).shape == (0, n)


@pytest.mark.parametrize("name", published.SHUFFLES)
@pytest.mark.parametrize(
    ("n", "options", "error", "words"),
    [
        (0, {}, ValueError, "n must be from 1 to .* got 0"),
        (2**30 + 1, {}, ValueError, "n must be from 1 to .* got 1073741825"),
        (3.0, {}, TypeError, "n must be an integer"),
        (True, {}, TypeError, "n must be an integer"),
        (3, {"size": -1}, ValueError, "size must be at least 0, got -1"),
        (3, {"size": 10**16}, MemoryError, "size must be small enough"),
        (3, {"rng": "seven"}, TypeError, "rng must be"),
    ],
)
def test_orders_refused(name, n, options, error, words):
    with pytest.raises(error, match=words):
        published.SHUFFLES[name](n, **options)


# ---- placers


# board, mines, safe cells
CASES = [
    ((2, 2), 1, None),
    ((1, 4), 2, None),
    ((2, 3), 3, [(0, 1)]),
    ((3, 3), 3, [(1, 1), (2, 2)]),
    ((3, 3), 5, [4]),
    ((3, 3), 6, None),
]


@pytest.mark.parametrize("case", CASES[:3] if SLOW else CASES, ids=str)
@pytest.mark.parametrize("name", published.PLACERS)
def test_boards_follow_their_exact_law(name, case):
    shape, n_mines, safe = case
    law = laws.PLACERS[name](shape, n_mines, safe=safe)
    size = min(enough(law.chances), 1_000_000)
    drawn = published.PLACERS[name](shape, n_mines, safe=safe, size=size, rng=SEED)
    assert (drawn.sum((1, 2)) == n_mines).all()
    assert not drawn[:, mines.as_safe(shape, safe)].any()
    counts, expected = tally(drawn, law.regions, law.chances)
    assert stats.chisquare(counts, expected).pvalue > ALPHA


@pytest.mark.parametrize("name", published.PLACERS)
def test_boards_are_told_from_uniform_ones(name):
    """And boards of a right placer from those of a wrong one."""
    shape, n_mines, safe, size = (3, 3), 3, [(2, 0)], 15_000 if SLOW else 50_000
    law = laws.PLACERS[name](shape, n_mines, safe=safe)
    uniform = laws.PLACERS["floyd"](shape, n_mines, safe=safe)
    assert reference.power(law.chances, uniform.chances, size, ALPHA) > 0.999
    drawn = published.PLACERS[name](shape, n_mines, safe=safe, size=size, rng=SEED)
    assert stats.chisquare(*tally(drawn, uniform.regions, uniform.chances)).pvalue < ALPHA
    fair = mines.floyd(shape, n_mines, safe=safe, size=size, rng=SEED)
    assert stats.chisquare(*tally(fair, uniform.regions, uniform.chances)).pvalue > ALPHA


def test_only_relocation_is_uniform_where_no_cell_is_safe():
    law = {name: laws.distance(laws.PLACERS[name]((2, 3), 2)) for name in published.PLACERS}
    assert [name for name in law if law[name] == 0] == ["relocate"]


@pytest.mark.parametrize("name", published.SHUFFLES)
def test_a_placer_puts_its_first_items_where_the_shuffle_does(name):
    """The same draws move items and mines alike."""
    n = 30
    orders = published.SHUFFLES[name](n, size=20, rng=SEED)
    for n_mines in (0, 1, 13, n):
        boards = published.PLACERS[name]((5, 6), n_mines, size=20, rng=SEED)
        assert np.array_equal(boards.reshape(20, n), orders < n_mines)


def test_insertion_never_mines_the_last_cell_of_an_expert_board():
    shape, n_mines, size = ((5, 6), 9, 1000) if SLOW else ((16, 30), 99, 20_000)
    boards = published.insert_short(shape, n_mines, size=size, rng=SEED).reshape(size, -1)
    assert not boards[:, -1].any()
    # the others are mined alike: Cochran's Q over them is chi-squared
    others, n = boards[:, :-1].sum(0), boards.shape[1] - 1
    spread = size * n_mines * (n - n_mines) / (n * (n - 1))
    assert stats.chi2.sf(((others - size * n_mines / n) ** 2).sum() / spread, n - 1) > ALPHA
    assert published.insert_short(shape, boards.shape[1], rng=SEED).all()


def test_probing_mines_all_cells_alike_but_neighbours_together():
    shape, n_mines, size = ((5, 6), 9, 1000) if SLOW else ((16, 30), 99, 20_000)
    boards = published.probe_right(shape, n_mines, size=size, rng=SEED).reshape(size, -1)
    n = boards.shape[1]
    p = n_mines / n
    assert stats.chisquare(boards.sum(0) / (1 - p)).pvalue > ALPHA  # nearly Cochran's Q
    pairs = (boards & np.roll(boards, 1, axis=1)).sum(1)
    uniform = n_mines * (n_mines - 1) / (n - 1)
    assert (pairs.mean() - uniform) / (pairs.std() / size**0.5) > 10


def test_probing_goes_to_the_right():
    """Of two mines on a ring of 5 cells, the second is right of the first with chance 2/5, left of it with 1/5.

    The law of sets of mines would be the same the other way round. The first mine is the same with one mine and two.
    """
    n = 2000
    steps = np.zeros(5, int)
    for seed in range(n):
        first = int(np.flatnonzero(published.probe_right((1, 5), 1, rng=seed))[0])
        both = np.flatnonzero(published.probe_right((1, 5), 2, rng=seed))
        assert first in both
        steps[(both.sum() - 2 * first) % 5] += 1
    assert stats.chisquare(steps[1:], n * np.array([2, 1, 1, 1]) / 5).pvalue > ALPHA
    assert stats.chisquare(steps[1:], n * np.array([1, 1, 1, 2]) / 5).pvalue < ALPHA


def test_relocation_fills_the_top_left():
    """A click on a mine happens on 99 of 480 boards, and brings it to the corner, if that is free."""
    shape, n_mines, size = ((5, 6), 9, 2000) if SLOW else ((16, 30), 99, 50_000)
    click = (shape[0] // 2, 3)
    boards = published.relocate(shape, n_mines, safe=[click], size=size, rng=SEED)
    n = shape[0] * shape[1]
    corner = 1 - (1 - n_mines / n) * (1 - n_mines / (n - 1))  # free only if both it and the click were
    assert abs(boards[:, 0, 0].sum() - size * corner) < 5 * (size * corner * (1 - corner)) ** 0.5
    assert not boards[(slice(None), *click)].any()
    far = boards[:, -1, -1].sum() / size
    assert abs(far - n_mines / n) < 5 * (n_mines / n / size) ** 0.5
    mask = np.ones(shape, bool)
    mask[-1] = False
    packed = published.relocate(shape, shape[1], safe=mask, rng=SEED)
    assert packed[-1].all()


@pytest.mark.parametrize("name", published.PLACERS)
def test_what_is_drawn_depends_neither_on_chunks_nor_on_the_size_of_the_batch(name, monkeypatch):
    f = published.PLACERS[name]
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    for safe in (None, [(0, 0), (2, 1)]):
        drawn = f((3, 5), 6, safe=safe, size=7, rng=SEED)
        assert np.array_equal(drawn[0], f((3, 5), 6, safe=safe, rng=SEED))
        assert np.array_equal(drawn[:4], f((3, 5), 6, safe=safe, size=4, rng=SEED))
        for some in (1, 5, 40):
            with monkeypatch.context() as context:
                context.setattr(placers, "DRAWS", some)
                assert np.array_equal(drawn, f((3, 5), 6, safe=safe, size=7, rng=SEED))
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_no_call_of_a_kernel_takes_long(monkeypatch):
    monkeypatch.setattr(placers, "DRAWS", 2000)
    calls, probe, merge = [], placing._probe_right, shuffles._PROCEDURES["comparator_merge"]

    def record(kernel):
        def call(rows, n_mines, first, last, words):
            calls.append((first, last))
            return kernel(rows, n_mines, first, last, words)

        return call

    monkeypatch.setattr(placing, "_probe_right", record(probe))
    assert published.probe_right((30, 40), 1200, rng=SEED).all()
    assert [first for first, _ in calls] == [0, *(last for _, last in calls[:-1])]
    # as many on average, or fewer, by a theorem of Knuth
    probes = [
        sum(min(1200, 1 + (1200 / (1200 - mined)) ** 2) / 2 for mined in range(first, last)) for first, last in calls
    ]
    assert max(probes) < 8000
    calls.clear()
    monkeypatch.setitem(shuffles._PROCEDURES, "comparator_merge", merge._replace(kernel=record(merge.kernel)))
    assert sorted(published.comparator_merge(1025, rng=SEED)) == list(range(1025))
    assert calls == [(level, level + 1) for level in range(11)]  # of 1024 draws each


@pytest.mark.parametrize("name", published.PLACERS)
def test_none_all_and_one_cell(name):
    f = published.PLACERS[name]
    for shape in ((1, 1), (1, 9), (9, 1), (4, 5)):
        n = math.prod(shape)
        none = f(shape, 0, size=3, rng=0)
        assert none.shape == (3, *shape)
        assert none.dtype == bool
        assert not none.any()
        assert f(shape, n, rng=0).all()
        assert f(shape, n, size=0, rng=0).shape == (0, *shape)
        assert not f(shape, 0, safe=np.ones(shape, bool), rng=0).any()
        assert (f(shape, n - 1, safe=[n - 1], size=2, rng=0).reshape(2, n) == (np.arange(n) < n - 1)).all()


@pytest.mark.parametrize("name", [*published.PLACERS, *published.SHUFFLES])
def test_the_common_signature(name):
    for functions, positional in ((published.PLACERS, ["shape", "n_mines"]), (published.SHUFFLES, ["n"])):
        if name in functions:
            assert functions[name].__name__ == name
            parameters = inspect.signature(functions[name]).parameters
            kinds = [(key, value.kind.name) for key, value in parameters.items()]
            options = ["safe", "size", "rng"] if len(positional) > 1 else ["size", "rng"]
            expected = [(key, "POSITIONAL_OR_KEYWORD") for key in positional]
            assert kinds == expected + [(key, "KEYWORD_ONLY") for key in options]


@pytest.mark.parametrize("name", published.PLACERS)
@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (((4, 4), 17), {}, ValueError, r"n_mines must be from 0 to 16 on a board of 4x4, got 17"),
        (((4, 4), -1), {}, ValueError, r"n_mines must be from 0 to 16 .* got -1"),
        (((4, 4), 8), {"safe": mines.opening_mask((4, 4), (1, 1))}, ValueError, r"from 0 to 7 .* 9 safe cells, got 8"),
        (((4, 4), 2.0), {}, TypeError, "n_mines must be an integer"),
        (((0, 4), 1), {}, ValueError, "rows of the grid's shape must be at least 1, got 0"),
        (((4, 4), 1), {"size": -1}, ValueError, "size must be at least 0, got -1"),
        (((4, 4), 1), {"size": 10**15}, MemoryError, "size must be small enough"),
        (((4, 4), 1), {"rng": -1}, ValueError, "rng must be"),
        (((4, 4), 1), {"safe": (1, 1)}, TypeError, r"for one cell write \[\(1, 1\)\]"),
        (((4, 4), 1), {"safe": [16]}, ValueError, "cell must be from 0 to 15 on a board of 4x4, got 16"),
    ],
)
def test_boards_refused(name, arguments, options, error, words):
    with pytest.raises(error, match=words):
        published.PLACERS[name](*arguments, **options)


def test_sorting_by_insertion_is_refused_where_it_would_take_too_long():
    with pytest.raises(ValueError, match="n must be from 1 to 65536, got 65537"):
        published.comparator_v8(65_537)
    with pytest.raises(ValueError, match="not safe must be from 0 to 65536 for comparator_v8, got 65792"):
        published.PLACERS["comparator_v8"]((256, 257), 5)
