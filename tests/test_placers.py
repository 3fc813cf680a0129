"""Placers: each against its exact law on all sets of cells, its cost, its stream, and what it refuses."""

import inspect
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from numba import config
from reference import power
from scipy import stats

from gridlab import grid, mines
from gridlab.mines import placers

SLOW = config.DISABLE_JIT
ALPHA = 1e-6
SEED = 20261130
UNIFORM = {name: f for name, f in mines.PLACERS.items() if name not in ("collide", "swap")}

# board, mines, safe cells: up to some five hundred sets, and the ends
CASES = [
    ((3, 3), 4, None),
    ((1, 7), 3, None),
    ((7, 1), 6, None),
    ((2, 2), 1, None),
    ((3, 4), 3, [(0, 0), (2, 3)]),
    ((3, 4), 4, None),
    ((2, 5), 5, None),
    ((4, 4), 6, mines.opening_mask((4, 4), (1, 1))),
]


def counts_of_sets(boards, n_mines, safe=None):
    """How often each set of `n_mines` free cells is mined, in the order of itertools.combinations."""
    free = np.flatnonzero(~placers.as_safe(boards.shape[1:], safe))
    flat = boards.reshape(len(boards), -1)
    assert not np.delete(flat, free, axis=1).any()
    keys = flat[:, free] @ (1 << np.arange(len(free), dtype=np.int64))
    assert (flat.sum(axis=1) == n_mines).all()
    sets = [sum(1 << i for i in cells) for cells in itertools.combinations(range(len(free)), n_mines)]
    found = dict(zip(*np.unique(keys, return_counts=True)))
    assert found.keys() <= set(sets)
    return np.array([found.get(key, 0) for key in sets])


@pytest.mark.parametrize("case", CASES[:4] if SLOW else CASES, ids=str)
@pytest.mark.parametrize("name", UNIFORM)
def test_every_set_of_cells_has_the_same_chance(name, case):
    shape, n_mines, safe = case
    n_sets = math.comb(math.prod(shape) - int(placers.as_safe(shape, safe).sum()), n_mines)
    boards = mines.PLACERS[name](shape, n_mines, safe=safe, size=100 * n_sets, rng=SEED)
    assert stats.chisquare(counts_of_sets(boards, n_mines, safe)).pvalue > ALPHA


def law_of_swaps(n_cells, n_mines, swaps):
    """The chance of each set after some swaps, by following every swap of every set."""
    sets = list(itertools.combinations(range(n_cells), n_mines))
    law = {sets[0]: Fraction(1)}
    for _ in range(swaps):
        after = dict.fromkeys(sets, Fraction(0))
        for cells, chance in law.items():
            for one, other in itertools.product(range(n_cells), repeat=2):
                moved = (other if cell == one else one if cell == other else cell for cell in cells)
                after[tuple(sorted(moved))] += chance / n_cells**2
        law = after
    return [law.get(cells, Fraction(0)) for cells in sets]


@pytest.mark.parametrize(
    ("shape", "n_mines", "swaps"), [((2, 3), 2, 3), ((1, 7), 3, 6), ((3, 3), 4, 20), ((2, 2), 1, 1)]
)
def test_swaps_follow_their_exact_law_which_is_not_uniform(shape, n_mines, swaps):
    n_cells = math.prod(shape)
    law = law_of_swaps(n_cells, n_mines, swaps)
    assert sum(law) == 1
    n = math.ceil(20 / min(law)) if SLOW else math.ceil(100 / min(law))
    boards = mines.swap(shape, n_mines, swaps=swaps, size=n, rng=SEED)
    counts = counts_of_sets(boards, n_mines)
    assert stats.chisquare(counts, n * np.array(law, float)).pvalue > ALPHA
    uniform = [1 / len(law)] * len(law)
    if swaps < 20:
        assert power(law, uniform, n, ALPHA) > 0.999
        assert stats.chisquare(counts).pvalue < ALPHA


def test_no_swap_leaves_the_mines_in_front_and_safe_cells_free():
    board = mines.swap((3, 4), 5, swaps=0, safe=[(0, 1)], rng=0)
    assert grid.text(board) == "x.xx\nxx..\n...."


def test_colliding_mines_are_uniform_given_their_number_and_too_few():
    shape, n_mines, n = (2, 3), 4, 20_000 if SLOW else 300_000
    boards = mines.collide(shape, n_mines, size=n, rng=SEED)
    reached = boards.sum((1, 2))
    # the chance of each number of distinct cells among four drawn, by listing the draws
    draws = [len(set(cells)) for cells in itertools.product(range(6), repeat=n_mines)]
    law = np.bincount(draws)[1:] / len(draws)
    assert stats.chisquare(np.bincount(reached, minlength=5)[1:], n * law).pvalue > ALPHA
    for k in range(1, 5):
        assert stats.chisquare(counts_of_sets(boards[reached == k], k)).pvalue > ALPHA
    with pytest.raises(AssertionError):
        counts_of_sets(boards, n_mines)


def test_colliding_on_an_expert_board_leaves_89_54_mines():
    n = 1000 if SLOW else 100_000
    reached = mines.collide((16, 30), 99, size=n, rng=SEED).sum((1, 2))
    mean = 480 * (1 - (1 - 1 / 480) ** 99)
    variance = 480 * (1 - 1 / 480) ** 99 + 480 * 479 * (1 - 2 / 480) ** 99 - 480**2 * (1 - 1 / 480) ** 198
    assert round(mean, 2) == 89.54
    assert abs(reached.mean() - mean) < 5 * math.sqrt(variance / n)
    exactly = math.prod(1 - i / 81 for i in range(10))
    beginner = mines.collide((9, 9), 10, size=n, rng=SEED).sum((1, 2))
    assert abs((beginner == 10).mean() - exactly) < 5 * math.sqrt(exactly * (1 - exactly) / n)


def draws(kernel, n_cells, n_mines, steps, *more, size=1):
    """The draws a kernel takes on some boards, told by the counter of its generator."""
    words = np.random.default_rng(SEED).integers(2**64, size=4, dtype=np.uint64)
    rows = np.zeros((size, n_cells), bool)
    with np.errstate(over="ignore"):
        after = kernel(rows, n_mines, 0, steps, tuple(words), *more)
    return int(np.uint64(after[3]) - words[3])


def test_costs_are_those_documented():
    n, m = 480, 99
    order = np.arange(n, dtype=np.int32)
    # a draw is taken again with a chance below n/2**32
    assert draws(placers._collide, n, m, m) == m
    assert draws(placers._insert, n, m, m, 1) == m
    assert draws(placers._floyd, n, m, m) == m
    assert draws(placers._partial_shuffle, n, m, m, order) == m
    assert draws(placers._shuffle, n, m, n - 1) == n - 1
    assert draws(placers._select, n, m, n) == n
    assert draws(placers._swap, n, m, 100) == 200


def test_rejection_ends_after_418_7_draws_on_average():
    n, m, size = 100, 99, 200 if SLOW else 20_000
    mean = n * sum(1 / k for k in range(2, n + 1))
    variance = sum(n * i / (n - i) ** 2 for i in range(m))
    assert round(mean, 1) == 418.7
    assert abs(draws(placers._reject, n, m, m, size=size) / size - mean) < 5 * math.sqrt(variance / size)
    assert mines.reject((10, 10), 100, rng=0).all()


def test_the_stream_is_that_of_sfc64():
    words = np.random.default_rng(SEED).integers(2**64, size=4, dtype=np.uint64)
    numpys = np.random.SFC64()
    numpys.state = {**numpys.state, "state": {"state": words}}
    ours = []
    with np.errstate(over="ignore"):
        state = tuple(words)
        for _ in range(1000):
            word, state = placers._word(tuple(np.uint64(word) for word in state))
            ours.append(int(word))
    assert ours == numpys.random_raw(1000).tolist()


@pytest.mark.parametrize("n", [1, 2, 3, 480, 2**30, 2**31 + 1, 3 * 2**30, 2**32 - 1])
def test_draws_below_n_are_those_of_whole_numbers(n):
    """Up to half of the draws are taken again; a plain version in whole numbers tells which."""
    state = tuple(np.random.default_rng(SEED).integers(2**64, size=4, dtype=np.uint64))
    numpys = np.random.SFC64()
    numpys.state = {**numpys.state, "state": {"state": np.array(state)}}
    with np.errstate(over="ignore"):
        for _ in range(1000):
            drawn, state = placers._below(n, tuple(np.uint64(word) for word in state))
            while True:
                scaled = (int(numpys.random_raw()) >> 32) * n
                if scaled % 2**32 >= 2**32 % n:
                    break
            assert drawn == scaled >> 32


@pytest.mark.parametrize("name", mines.PLACERS)
def test_what_is_drawn_depends_neither_on_chunks_nor_on_the_size_of_the_batch(name, monkeypatch):
    f = mines.PLACERS[name]
    for safe in (None, [(0, 0), (2, 1)]):
        drawn = f((3, 5), 6, safe=safe, size=7, rng=SEED)
        assert np.array_equal(drawn[0], f((3, 5), 6, safe=safe, rng=SEED))
        assert np.array_equal(drawn[:4], f((3, 5), 6, safe=safe, size=4, rng=SEED))
        for some in (1, 5, 40):
            with monkeypatch.context() as context:
                context.setattr(placers, "DRAWS", some)
                assert np.array_equal(drawn, f((3, 5), 6, safe=safe, size=7, rng=SEED))


def recorded(monkeypatch, module, name):
    """The calls that a kernel gets: number of cells, and first and last of the steps."""
    calls, kernel = [], getattr(module, name)

    def record(rows, n_mines, first, last, *more):
        calls.append((rows.size, first, last))
        return kernel(rows, n_mines, first, last, *more)

    monkeypatch.setattr(module, name, record)
    return calls


def test_no_call_of_a_kernel_takes_long(monkeypatch):
    monkeypatch.setattr(placers, "DRAWS", 2000)
    calls = recorded(monkeypatch, placers, "_reject")
    assert mines.reject((30, 40), 1200, rng=SEED).all()
    assert [first for _, first, _ in calls] == [0, *(last for _, _, last in calls[:-1])]
    assert calls[-1][2] == 1200
    draws = [sum(1200 / (1200 - mined) for mined in range(first, last)) for _, first, last in calls]  # on average
    assert all(number < 4000 for number in draws)
    assert len(calls) < 50

    calls = recorded(monkeypatch, placers, "_floyd")
    assert mines.floyd((30, 40), 1, safe=[0], size=100, rng=SEED).sum() == 100
    assert max(cells for cells, _, _ in calls) <= 8 * 2000  # copies, as there is a safe cell


@pytest.mark.parametrize("name", mines.PLACERS)
def test_seeds_generators_and_global_state(name):
    f = mines.PLACERS[name]
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    rng = np.random.default_rng(SEED)
    first, second = f((8, 8), 20, rng=rng), f((8, 8), 20, rng=rng)
    assert np.array_equal(first, f((8, 8), 20, rng=SEED))
    assert not np.array_equal(first, second)
    assert not np.array_equal(f((8, 8), 20), f((8, 8), 20))
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize("name", mines.PLACERS)
def test_none_all_and_one_cell(name):
    f = mines.PLACERS[name]
    for shape in ((1, 1), (1, 9), (9, 1), (4, 5)):
        n = math.prod(shape)
        none = f(shape, 0, size=3, rng=0)
        assert none.shape == (3, *shape)
        assert none.dtype == bool
        assert not none.any()
        everything = f(shape, n, size=3, rng=0)
        assert everything.all() or (name == "collide" and everything.any())
        assert f(shape, n, size=0, rng=0).shape == (0, *shape)
        assert not f(shape, 0, safe=np.ones(shape, bool), rng=0).any()


@pytest.mark.parametrize("name", mines.PLACERS)
def test_the_common_signature(name):
    assert mines.PLACERS[name].__name__ == name
    parameters = inspect.signature(mines.PLACERS[name]).parameters
    assert [key for key, value in parameters.items() if value.kind is value.POSITIONAL_OR_KEYWORD] == [
        "shape",
        "n_mines",
    ]
    options = [key for key, value in parameters.items() if value.kind is value.KEYWORD_ONLY]
    assert options == [*(["swaps"] if name == "swap" else []), "safe", "size", "rng"]


@pytest.mark.parametrize("name", mines.PLACERS)
@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (((4, 4), 17), {}, ValueError, r"n_mines must be from 0 to 16 on a board of 4x4, got 17"),
        (((4, 4), -1), {}, ValueError, r"n_mines must be from 0 to 16 .* got -1"),
        (
            ((4, 4), 8),
            {"safe": mines.opening_mask((4, 4), (1, 1))},
            ValueError,
            r"n_mines must be from 0 to 7 on a board of 4x4 with 9 safe cells, got 8",
        ),
        (((4, 4), 2.0), {}, TypeError, "n_mines must be an integer"),
        (((4, 4), True), {}, TypeError, "n_mines must be an integer"),
        (((0, 4), 1), {}, ValueError, "rows of the grid's shape must be at least 1, got 0"),
        ((4, 1), {}, TypeError, "shape must be a pair"),
        (((4, 4), 1), {"size": -1}, ValueError, "size must be at least 0, got -1"),
        (((4, 4), 1), {"size": 10**15}, MemoryError, "size must be small enough"),
        (((4, 4), 1), {"rng": -1}, ValueError, "rng must be"),
        (((4, 4), 1), {"safe": np.zeros((4, 5), bool)}, ValueError, r"safe must have the board's shape \(4, 4\)"),
        (((4, 4), 1), {"safe": (1, 1)}, TypeError, r"for one cell write \[\(1, 1\)\]"),
        (((4, 4), 1), {"safe": 3}, TypeError, "safe must be a bool mask, or a list of cells"),
        (((4, 4), 1), {"safe": "no"}, TypeError, "safe must be a bool mask, or a list of cells"),
        (((4, 4), 1), {"safe": [0.5]}, TypeError, "safe must be a bool mask, or a list of cells"),
        (((4, 4), 1), {"safe": [(0, 1), 2]}, TypeError, "safe must be a bool mask, or a list of cells"),
        (((4, 4), 1), {"safe": np.zeros((4, 4), int)}, TypeError, "safe must be a bool mask, or a list of cells"),
        (((4, 4), 1), {"safe": [16]}, ValueError, "cell must be from 0 to 15 on a board of 4x4, got 16"),
        (((4, 4), 1), {"safe": [(0, -1)]}, ValueError, "col of cell must be from 0 to 3 on a board of 4x4, got -1"),
    ],
)
def test_bad_input_is_refused_in_words(name, arguments, options, error, words):
    with pytest.raises(error, match=words):
        mines.PLACERS[name](*arguments, **options)


@pytest.mark.parametrize("swaps", [-1, 1.5, None, "many"])
def test_swaps_are_a_whole_number_from_0_on(swaps):
    with pytest.raises((TypeError, ValueError), match="swaps must be"):
        mines.swap((4, 4), 1, swaps=swaps)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_safe_cells_are_integers_of_any_kind(kind):
    expected = grid.parse("..x. / .x..")
    for safe in (
        [(kind(0), 2), (1, kind(1))],
        np.array([(0, 2), (1, 1)], kind),
        np.array([2, 5], kind),
        [kind(2), 5],
        [2, kind(5), 2],
    ):
        assert np.array_equal(mines.as_safe((2, 4), safe), expected)
    for none in ([], (), np.zeros(0, kind), np.zeros((0, 2), kind)):
        assert not mines.as_safe((2, 4), none).any()
    assert mines.as_cell((2, 4), (kind(1), 1)) == mines.as_cell((2, 4), kind(5)) == 5
    with pytest.raises(ValueError, match="col of cell must be from 0 to 3 on a board of 2x4, got 4"):
        mines.as_safe((2, 4), [(1, 1), (kind(1), 4)])
    with pytest.raises(ValueError, match=f"cell must be from 0 to 7 on a board of 2x4, got {2**70}"):
        mines.as_safe((2, 4), [kind(1), 2**70])


def test_openings_are_cut_at_the_edges_and_go_round_a_periodic_board():
    for shape in ((1, 1), (1, 5), (4, 6)):
        for cell in range(math.prod(shape)):
            row, col = divmod(cell, shape[1])
            near = [abs(row - r) <= 1 and abs(col - c) <= 1 for r in range(shape[0]) for c in range(shape[1])]
            assert mines.opening_mask(shape, cell).ravel().tolist() == near
            assert np.array_equal(mines.opening_mask(shape, (row, col)), mines.opening_mask(shape, cell))
    assert mines.opening_mask((3, 7), (0, 0), periodic=True).sum() == 9
    for cell, error in [
        ((4, 0), ValueError),
        (24, ValueError),
        (-1, ValueError),
        ((0, 1, 2), TypeError),
        ((0, (1, 2)), TypeError),
        (0.0, TypeError),
    ]:
        with pytest.raises(error, match="cell"):
            mines.opening_mask((4, 6), cell)
    with pytest.raises(ValueError, match="at least 3"):
        mines.opening_mask((2, 6), 0, periodic=True)
