"""Contenders: exactly as many mines as asked for, every set of cells as likely, and the work they are said to do."""

import math
import random

import numpy as np
import pandas as pd
import pytest
from reference import power
from scipy import stats

from gridlab import bench, compare, laws

ALPHA = 1e-6  # per test: the chance that a right contender fails on a new stream
SEED = 20261130
PROCEDURES = {name.split(",")[0] for name in bench.CONTENDERS}
LOOPS = [name for name in bench.CONTENDERS if name.endswith(", list")]


class Counting(random.Random):
    """Python's generator, which keeps what it has drawn."""

    def __init__(self, seed):
        super().__init__(seed)
        self.drawn = []

    def random(self):
        self.drawn.append(super().random())
        return self.drawn[-1]


def boards(place, n_cells, n_mines, size, rng):
    """Draw boards of one row."""
    return np.array([place(n_cells, n_mines, rng) for _ in range(size)]).astype(bool)[:, None]


def own(name):
    """A generator of the kind that a contender works with, which it takes as it is."""
    python = name.endswith((", list", "random.shuffle", "random.sample"))
    return random.Random(SEED) if python else np.random.default_rng(SEED)


@pytest.mark.parametrize("name", bench.CONTENDERS)
def test_a_board_has_exactly_as_many_mines_as_asked_for(name):
    place, rng = bench.CONTENDERS[name], own(name)
    for n_cells in (1, 2, 3, 7, 40):
        for n_mines in {0, 1, n_cells // 2, n_cells - 1, n_cells}:
            board = place(n_cells, n_mines, rng)
            assert np.shape(board) == (n_cells,)
            assert sorted(map(int, board)) == [0] * (n_cells - n_mines) + [1] * n_mines


CASES = [((n, m), name) for n, m in [(6, 3), (5, 1), (5, 4)] for name in bench.CONTENDERS]
CASES.append(((24, 2), "sample, random.sample"))  # so few of so many that it rejects


@pytest.mark.parametrize(("case", "name"), CASES)
def test_every_set_of_cells_has_the_same_chance(case, name):
    n_cells, n_mines = case
    law = laws.PLACERS["floyd"]((1, n_cells), n_mines)
    drawn = boards(bench.CONTENDERS[name], n_cells, n_mines, 100 * math.comb(n_cells, n_mines), own(name))
    assert compare.fit(drawn, law).pvalue > ALPHA


def test_a_gap_too_few_is_seen():
    """Insertion at floor(u * length), without the last gap."""

    def place(n_cells, n_mines, rng):
        board = [0] * (n_cells - n_mines)
        for _ in range(n_mines):
            board.insert(int(rng.random() * len(board)), 1)
        return board

    law, fair = (laws.PLACERS[name]((1, 6), 3) for name in ("insert_short", "floyd"))
    assert power(list(map(float, law.chances)), list(map(float, fair.chances)), 2000, ALPHA) > 0.999
    drawn = boards(place, 6, 3, 2000, random.Random(SEED))
    assert compare.fit(drawn, fair).pvalue < ALPHA
    assert compare.fit(drawn, law).pvalue > ALPHA


@pytest.mark.parametrize("n_cells", [10_000, 10_001])
def test_numpy_choice_on_either_side_of_its_change_of_procedure(n_cells):
    """Mines in the first quarter are hypergeometric."""
    n_mines, part, size = 600, n_cells // 4, 2000
    rng = np.random.default_rng(SEED)
    place = bench.CONTENDERS["sample, numpy choice"]
    found = np.array([place(n_cells, n_mines, rng)[:part].sum() for _ in range(size)])
    law = stats.hypergeom(n_cells, n_mines, part)
    edges = law.ppf(np.linspace(0, 1, 11)[1:-1])  # classes of about a tenth each
    classes = np.searchsorted(edges, np.arange(n_mines + 1))
    chances = np.bincount(classes, law.pmf(np.arange(n_mines + 1)))
    assert size * chances.min() > 100
    assert stats.chisquare(np.bincount(classes[found], minlength=len(chances)), size * chances).pvalue > ALPHA


@pytest.mark.parametrize("name", bench.CONTENDERS)
def test_same_seed_same_boards_and_no_global_state(name):
    place = bench.CONTENDERS[name]
    before = random.getstate(), np.random.get_state()  # noqa: NPY002
    one, other = own(name), own(name)
    first = [list(place(60, 20, one)) for _ in range(4)]
    assert first == [list(place(60, 20, other)) for _ in range(4)]
    assert len({tuple(board) for board in first}) == 4, "a generator must go on from board to board"
    assert list(place(60, 20, SEED)) == list(place(60, 20, SEED))
    assert list(place(60, 20, SEED)) != list(place(60, 20, SEED + 1))
    assert list(place(60, 20)) != list(place(60, 20))
    assert random.getstate() == before[0]
    assert all(np.array_equal(x, y) for x, y in zip(np.random.get_state(), before[1]))  # noqa: NPY002


@pytest.mark.parametrize("name", bench.CONTENDERS)
@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((10, 11), ValueError, "n_mines must be from 0 to 10, got 11"),  # where rejection would go on for ever
        ((10, -1), ValueError, "n_mines must be from 0 to 10, got -1"),
        ((0, 0), ValueError, "n_cells must be from 1 to 1073741824, got 0"),
        ((10.0, 1), TypeError, "n_cells must be an integer"),
        ((10, 1, "seven"), TypeError, "rng must be"),
    ],
)
def test_what_cannot_be_is_refused(name, arguments, error, words):
    with pytest.raises(error, match=words):
        bench.CONTENDERS[name](*arguments)


# ---- to be timed


@pytest.mark.parametrize("density", [0, 0.2, 0.3333, 1, np.float32(0.5)])
def test_calls_mine_a_share_of_the_cells(density):
    calls = bench.contenders(density, rng=SEED)
    assert list(calls) == list(bench.CONTENDERS)
    for f in calls.values():
        for size in (1, 7, 50):
            board = f(size)
            assert len(board) == size
            assert sum(map(int, board)) == round(float(density) * size)


def test_a_contender_draws_the_same_whoever_else_takes_part():
    names = ["Floyd, numba", "shuffle, random.shuffle", "insertion, list"]
    some, every = bench.contenders(0.3, names=names, rng=SEED), bench.contenders(0.3, rng=SEED)
    assert list(some) == names
    firsts = set()
    for name in names:
        drawn = [list(some[name](200)) for _ in range(3)]
        assert drawn == [list(every[name](200)) for _ in range(3)]
        firsts.add(tuple(map(int, drawn[0])))
    assert len(firsts) == 3, "each has a stream of its own"
    assert list(bench.contenders(0.3, rng=SEED + 1)["insertion, list"](200)) not in map(list, firsts)
    assert bench.contenders(names=[]) == {}


def test_calls_can_be_timed():
    table = bench.time_calls(bench.contenders(rng=1), [10, 20], rounds=2)
    assert set(table["call"]) == set(bench.CONTENDERS)
    assert len(table) == 2 * 2 * len(bench.CONTENDERS)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"density": 1.01}, ValueError, "density must be from 0 to 1, got 1.01"),
        ({"density": -0.1}, ValueError, "density must be from 0 to 1, got -0.1"),
        ({"density": math.nan}, ValueError, "density must be from 0 to 1, got nan"),
        ({"density": "0.2"}, TypeError, "density must be a number from 0 to 1, got '0.2'"),
        ({"density": True}, TypeError, "density must be a number from 0 to 1, got True"),
        ({"names": "Floyd, list"}, TypeError, r"write \['Floyd, list'\]"),
        ({"names": ["bogo"]}, ValueError, "names must be among 'insertion, list', .* got 'bogo'"),
        ({"names": ["Floyd, list"] * 2}, ValueError, "names must be different, got 'Floyd, list' twice"),
        ({"rng": -1}, ValueError, "rng must be"),
    ],
)
def test_wrong_arguments_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        bench.contenders(**options)


# ---- the work


@pytest.mark.parametrize("n_mines", [0, 1, 12, 47, 48])
@pytest.mark.parametrize("name", LOOPS)
def test_draws_are_those_of_the_table(name, n_mines):
    n_cells, size, procedure = 48, 2000, name.split(",")[0]
    expected = bench.steps(n_cells, n_mines).loc[procedure, "draws"]
    rng = Counting(SEED)
    if procedure != "rejection":
        bench.CONTENDERS[name](n_cells, n_mines, rng)
        assert len(rng.drawn) == expected
        return
    for _ in range(size):
        bench.CONTENDERS[name](n_cells, n_mines, rng)
    variance = sum(n_cells * i / (n_cells - i) ** 2 for i in range(n_mines))
    assert expected == pytest.approx(sum(n_cells / (n_cells - i) for i in range(n_mines)))
    assert abs(len(rng.drawn) / size - expected) <= 5 * math.sqrt(variance / size)


@pytest.mark.parametrize(("n_cells", "n_mines"), [(48, 12), (48, 48), (100, 1)])
def test_moves_of_insertion_are_those_of_the_table(n_cells, n_mines):
    rng, size = Counting(SEED), 2000
    for _ in range(size):
        bench.CONTENDERS["insertion, list"](n_cells, n_mines, rng)
    lengths = np.arange(n_cells - n_mines, n_cells)
    gaps = np.floor(np.array(rng.drawn).reshape(size, -1) * (lengths + 1))
    moved = (lengths - gaps).sum(1)  # what is behind the gap
    variance = (lengths * (lengths + 2) / 12).sum()
    expected = bench.steps(n_cells, n_mines).loc["insertion", "moves"]
    assert abs(moved.mean() - expected) <= 5 * math.sqrt(variance / size)
    assert expected == lengths.sum() / 2


def test_the_work_of_insertion_is_quadratic_and_of_all_others_linear():
    one, other = (bench.steps(n, n // 5).sum(axis=1) for n in (10**6, 10**7))
    growth = (other / one).round(3)
    assert growth["insertion"] == 100
    assert growth.drop("insertion").tolist() == [10] * 5
    assert set(one.index) == PROCEDURES - {"sample"}
    assert isinstance(bench.steps(5, 5), pd.DataFrame)
    with pytest.raises(ValueError, match="n_mines must be from 0 to 5 on 5 cells, got 6"):
        bench.steps(5, 6)
    with pytest.raises(ValueError, match="n_cells must be from 1"):
        bench.steps(0, 0)
