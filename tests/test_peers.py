"""Tests of the table of peers: what is compared, what is said of it, and what is noticed."""

import dataclasses
import importlib
import itertools

import numpy as np
import pandas as pd
import pytest

from gridlab import bench, mines, topology
from gridlab.bench.cases import common, growth, placing

table_of = importlib.import_module("gridlab.bench.peers")

REACHES = {  # of the specification: many a second alone, or times as fast as a peer
    ("regions.eden", ""): 20_000,
    ("regions.dfs", ""): 30_000,
    ("regions.small", ""): 300_000,
    ("regions.large", ""): 40,
    ("regions.hole_free_4", "gridlab"): 1 / 2.5,
    ("regions.hole_free_8", "gridlab"): 1 / 2.5,
    ("regions.periodic_eden", "gridlab"): 1 / 1.2,
    ("regions.periodic_dfs", "gridlab"): 1 / 1.2,
    ("uniform.few", ""): 200_000,
    ("uniform.few_tables", ""): 1,
    ("uniform.half", ""): 20_000,
    ("uniform.half_tables", ""): 0.5,
    ("shapes.batch", ""): 300_000,
    ("shapes.batch", "scikit-image"): 1000,
    ("shapes.large", ""): 500,
    ("mines.expert", "numpy"): 12,
    ("mines.beginner", "numpy"): 20,
    ("mines.large", "numpy"): 2.5,
    ("mines.numbers", "scipy"): 80,
    ("mines.numbers_batch", "numpy"): 3,
    ("mines.play", "ms-toollib"): 9,
    ("mines.shuffle", "numpy"): 2,
    ("components.two", "connected-components-3d"): 1.5,
    ("components.four", "connected-components-3d"): 1.9,
    ("components.six", "connected-components-3d"): 2,
    ("components.one", "connected-components-3d"): 1,
    ("components.checkerboard", "connected-components-3d"): 1,
    ("components.spiral", "connected-components-3d"): 1,
    ("components.blobs", "connected-components-3d"): 1,
    ("components.periodic", "gridlab"): 1 / 1.05,
    ("components.batch", "connected-components-3d"): 2,
    ("components.batch_usual", "connected-components-3d"): 35,
    ("match3.matches", ""): 1_000_000,
    ("match3.moves", ""): 150_000,
    ("match3.board", ""): 150_000,
    ("match3.cascade", ""): 200_000,
}


def tiny(*names, **options):
    """Run some works at sizes that take no time."""
    return bench.peers(names or None, **{"tiny": True, "budget": 0.01, "rng": 1} | options)


def made(items, call, **options):
    """Return a contender of numpy, whose answers are numbers."""
    return bench.Contender("numpy", "by hand", items, call, **options)


def numbers(rng, items, *, n):
    """Give as many numbers as there are items, the same for all."""
    return np.arange(items) + n


def double(given, items):
    """Do the work that the tests make up."""
    return 2 * given[:items]


@pytest.fixture
def works(monkeypatch):
    """Return the table of works, empty, to be filled by the test."""
    monkeypatch.setattr(table_of, "WORKS", {})
    return table_of.WORKS


def add(works, *peers, name="made.up", ours=double, items=10, **options):
    """Add a work that is done by doubling numbers."""
    options = {"make": numbers, "sizes": {"n": 5}, "tiny": {"n": 1}} | options
    ours = bench.Contender("gridlab", "double", items, ours)
    works[name] = bench.Work("double {n}", "numbers", ours=ours, peers=peers, **options)


def pretend(monkeypatch, seconds):
    """Let every round of a call, by its place, take so many seconds, whatever it does."""

    def time_calls(calls, sizes, **options):
        rows = [
            (name, sizes[0], k, 1, own) for name, all_ in zip(calls, seconds, strict=True) for k, own in enumerate(all_)
        ]
        return pd.DataFrame(rows, columns=["call", "size", "round", "loops", "seconds"])

    monkeypatch.setattr(table_of, "time_calls", time_calls)


# ---- the rows


@pytest.mark.parametrize("name", bench.WORKS)
def test_everyone_gives_the_answer_of_gridlab(name):
    rows = tiny(name)
    work = bench.WORKS[name]
    assert rows["peer"].tolist() == ["", *(peer.package for peer in work.peers)]
    assert rows["state"].isin(["no reach stated", "not installed"]).all(), rows[["peer", "how", "state", "note"]]
    done = rows[rows["state"] != "not installed"]
    assert (done[["gridlab", "rate"]] > 0).all(axis=None)
    assert (done["ratio"][done["peer"] != ""] > 0).all()
    assert rows["reach"].isna().all()


def test_reaches_are_those_of_the_specification():
    stated = {(name, ""): work.reach for name, work in bench.WORKS.items()}
    for name, work in bench.WORKS.items():
        for peer in work.peers:
            if peer.reach is not None:
                assert (name, peer.package) not in stated
                stated[name, peer.package] = peer.reach
    assert {key: reach for key, reach in stated.items() if reach is not None} == REACHES


@pytest.mark.parametrize("name", bench.WORKS)
def test_a_work_is_well_said(name):
    work = bench.WORKS[name]
    assert name.partition(".")[0] in table_of._groups()
    for sizes in filter(None, (work.sizes, work.tiny, work.full)):
        assert "{" not in work.what.format(**sizes)
        assert sizes.keys() == work.sizes.keys()
    assert work.ours.package == "gridlab"
    labels = [f"{peer.package} {peer.how}" for peer in work.peers]
    assert len(set(labels)) == len(labels)


def test_growth_in_plain_python_is_growth():
    drawn = growth._frontier(common._Request((5, 7), 15, np.random.default_rng(1)), 40)
    assert (drawn.sum((1, 2)) == 15).all()
    assert topology.is_connected(drawn).all()
    assert len(np.unique(drawn.reshape(40, -1), axis=0)) > 30


def test_regions_to_be_judged_are_of_both_kinds():
    cut = growth._cut(np.random.default_rng(1), 200, rows=8, cols=9, count=30)
    assert (cut.sum((1, 2)) == 29).all()
    assert 20 < topology.is_connected(cut).sum() < 180
    assert len(set(topology.euler(cut).tolist())) > 2


# ---- what is noticed


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("mines.numbers_batch", lambda shown: shown + (np.arange(shown.size).reshape(shown.shape) == 5)),
        ("mines.numbers", lambda counts: [counts[0].T, *counts[1:]]),
        # the last mine of each board is lost
        ("mines.expert", lambda rows: rows & (rows.cumsum(1) < rows.sum(1, keepdims=True))),
        ("topology.euler", lambda euler: [*euler[:-1], euler[-1] + 1]),
        ("topology.connected", lambda parts: [2 if parts[0] == 1 else 1, *parts[1:]]),
    ],
)
def test_a_wrong_answer_is_noticed(monkeypatch, name, spoil):
    work = bench.WORKS[name]
    peer = work.peers[0]
    wrong = dataclasses.replace(peer, call=lambda *arguments: spoil(peer.call(*arguments)))
    monkeypatch.setitem(table_of.WORKS, name, dataclasses.replace(work, peers=(wrong, peer)))
    pytest.importorskip(peer.module.partition(".")[0] or "numpy")
    rows = tiny(name)
    assert rows["state"].tolist()[1] == "another answer"
    assert rows["state"].tolist()[2] == "no reach stated"
    assert rows.loc[1, ["rate", "ratio", "low", "high"]].isna().all()


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (lambda rows: rows[:0], "another answer"),
        (lambda rows: rows[:-1], "another answer"),
        (lambda rows: np.concatenate([rows, rows]), "another answer"),
        (lambda rows: None, "failed"),
        (lambda rows: (row for row in rows), "failed"),
        (lambda rows: [[1], *rows], "failed"),
        (lambda rows: ["many"] * len(rows), "failed"),
    ],
)
def test_an_answer_to_each_item_is_asked_for(monkeypatch, answer, state):
    """Who does nothing, or a part, is not timed; nor does it stop the others that an answer is none."""
    work = bench.WORKS["topology.connected"]
    right = dataclasses.replace(work.peers[0], answer=np.asarray, call=lambda masks, n: work.ours.call(masks, n))
    odd = dataclasses.replace(right, call=lambda masks, n: answer(work.ours.call(masks, n)))
    monkeypatch.setitem(table_of.WORKS, "topology.connected", dataclasses.replace(work, peers=(odd, right)))
    assert tiny("topology.connected")["state"].tolist() == ["no reach stated", state, "no reach stated"]


@pytest.mark.parametrize("name", [name for name, work in bench.WORKS.items() if work.peers])
def test_every_answer_is_looked_at(monkeypatch, name):
    """An answer that is off by one, by anyone who must answer, is not timed."""
    work = bench.WORKS[name]
    off = [
        dataclasses.replace(
            peer, answer=peer.answer and (lambda result, f=peer.answer: 1 + np.asarray(f(result), float))
        )
        for peer in work.peers
    ]
    monkeypatch.setitem(table_of.WORKS, name, dataclasses.replace(work, peers=tuple(off)))
    states = tiny(name)["state"].tolist()[1:]
    expected = ["no reach stated" if peer.answer is None else "another answer" for peer in work.peers]
    assert all(state in (wanted, "not installed") for state, wanted in zip(states, expected, strict=True))


def test_a_peer_that_is_not_installed_is_named(monkeypatch):
    load = importlib.import_module

    def without(name, *rest):
        if name.partition(".")[0] in ("cc3d", "ms_toollib"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])
        return load(name, *rest)

    monkeypatch.setattr(table_of.importlib, "import_module", without)
    table = tiny("topology.connected", "mines.openings")
    gone = table["peer"].isin(["connected-components-3d", "ms-toollib"])
    assert (table["state"][gone] == "not installed").all()
    assert not (table["state"][~gone] == "not installed").any()
    assert table.loc[gone, ["rate", "ratio", "low", "high"]].isna().all(axis=None)
    assert table.attrs["missing"] == ["connected-components-3d", "ms-toollib"]
    assert not any("cc3d" in call or "components" in call for call in table.attrs["timings"])


def test_a_peer_that_fails_says_how(works):
    def fail(given, items):
        raise ZeroDivisionError("of no use")

    def without(given, items):
        raise ModuleNotFoundError("No module named 'what_it_needs'", name="what_it_needs")

    add(works, made(10, fail), made(10, without), made(10, double))
    table = tiny()
    assert table["state"].tolist() == ["no reach stated", "failed", "failed", "no reach stated"]
    assert table["note"][1] == "ZeroDivisionError: of no use"
    assert "what_it_needs" in table["note"][2]
    assert table.attrs["missing"] == []


def test_rounds_of_some_rows_are_theirs(works):
    add(works, made(10, double), name="made.a")
    add(works, made(10, double), name="made.b")
    table = tiny()
    assert len(set(bench.rounds(table)["call"])) == 4
    some = table[(table["work"] == "made.b") & (table["peer"] == "numpy")]
    assert set(bench.rounds(some)["call"]) == {"made.b, double 1: numpy by hand"}


def test_a_peer_that_fails_later_on_stops_nobody(works):
    calls = []

    def fail_later(given, items):
        calls.append(items)
        if len(calls) > 1:
            raise OSError("worn out")
        return double(given, items)

    add(works, made(10, double), bench.Contender("other", "later", 10, fail_later))
    rows = tiny()
    assert rows["state"].tolist() == ["no reach stated", "no reach stated", "failed"]
    assert rows["note"].tolist()[-1] == "OSError: worn out"


def test_what_gridlab_itself_fails_at_is_not_hidden(works):
    add(works, made(10, double), ours=lambda given, items: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        tiny()
    calls = []

    def fail_later(given, items):
        calls.append(items)
        return double(given, items) if len(calls) == 1 else 1 / 0

    add(works, made(10, double), ours=fail_later)
    with pytest.raises(ZeroDivisionError):
        tiny()


def test_what_peers_deprecate_is_no_warning(works):
    import warnings

    def deprecated(given, items):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        return double(given, items)

    def doubtful(given, items):
        warnings.warn("doubtful", RuntimeWarning, stacklevel=1)
        return double(given, items)

    add(works, made(10, deprecated))
    assert tiny()["state"].tolist() == ["no reach stated"] * 2
    add(works, made(10, doubtful))
    assert tiny()["state"].tolist() == ["no reach stated", "failed"]  # warnings are errors in these tests


# ---- what is said


def test_rates_and_ratios_are_of_items(works, monkeypatch):
    """Ours does 10 items a call in 1 s, the peer 4 in 2 s, and is a fifth as fast."""
    add(works, made(4, double, reach=4))
    pretend(monkeypatch, [[1.0] * 8, [2.0] * 8])
    ours, peer = bench.peers().itertuples()
    assert (ours.gridlab, ours.rate, peer.gridlab, peer.rate) == (10, 10, 10, 2)
    assert (peer.ratio, peer.low, peer.high) == (5, 5, 5)
    assert (ours.low, ours.high) == (10, 10)
    assert np.isnan(ours.ratio)
    assert (ours.what, peer.unit, peer.peer, peer.how) == ("double 5", "numbers", "numpy", "by hand")
    assert (peer.reach, peer.state) == (4, "reached")
    assert (ours.state, peer.version) == ("no reach stated", np.__version__)


def test_the_ratio_is_the_median_of_the_rounds(works, monkeypatch):
    """Not the ratio of the medians: rounds are alike, the machine is not."""
    add(works, made(10, double))
    pretend(monkeypatch, [[1, 2, 4, 8, 16, 32, 64], [3, 6, 12, 24, 48, 96, 1]])
    row = bench.peers().iloc[1]
    assert row["ratio"] == 3
    assert row["low"] < row["high"] == 3


@pytest.mark.parametrize(
    ("reach", "state"),
    [(None, "no reach stated"), (10, "reached"), (9.9, "reached"), (10.42, "missed by 4 %"), (20, "missed by 50 %")],
)
def test_a_reach_is_reached_or_missed(works, monkeypatch, reach, state):
    add(works, made(10, double, reach=reach), reach=reach)
    pretend(monkeypatch, [[1.0] * 8, [10.0] * 8])
    table = bench.peers()
    assert table["state"].tolist() == [state, state]  # 10 a second alone, and 10 times as fast
    assert table["reach"].tolist() == [reach, reach] or table["reach"].isna().all()


@pytest.mark.parametrize(
    ("ours", "peer", "disturbed"),
    [
        ([1.0] * 20, [2.0] * 20, [False, False]),
        ([1.0] * 19 + [1.4], [2.0] * 20, [False, False]),
        ([1.0] * 20, [2.0] * 19 + [3.1], [False, True]),
        ([1.0] * 19 + [1.6], [2.0] * 20, [True, False]),
        # none is far from the median, but the interval is wide
        ([1.0] * 20, [2.0] * 10 + [2.9] * 10, [False, True]),
        ([1.0] * 10 + [1.45] * 10, [2.0] * 10 + [2.9] * 10, [True, False]),
    ],
)
def test_rows_whose_rounds_differ_are_marked(works, monkeypatch, ours, peer, disturbed):
    add(works, made(10, double))
    pretend(monkeypatch, [ours, peer])
    assert bench.peers()["disturbed"].tolist() == disturbed


def test_alone(works):
    add(works, made(10, double, reach=1.0), reach=1e-3)
    table = bench.peers(peers=False, budget=0.01)
    assert table[["peer", "state"]].values.tolist() == [["", "reached"]]


def test_sizes_are_the_usual_the_tiny_or_the_full_ones(works):
    seen = []

    def make(rng, items, *, n):
        seen.append((items, n))
        return numbers(rng, items, n=n)

    add(works, made(7, double), make=make, full={"n": 9})
    add(works, made(17, double), make=make, name="made.other")
    for options in ({}, {"full": True}, {"tiny": True}):
        table = bench.peers(budget=0.01, **options)
        assert table["what"].tolist()[::2] == [f"double {n}" for _, n in seen[-2:]]
    assert seen == [(10, 5), (17, 5), (10, 9), (17, 5), (3, 1), (3, 1)]


def test_the_input_does_not_depend_on_the_other_names(works):
    seen = []

    def make(rng, items, *, n):
        seen.append(rng.random())
        return numbers(rng, items, n=n)

    for name in "abc":
        add(works, name=f"made.{name}", make=make)
    tiny(rng=7)
    tiny("made.c", rng=7)
    tiny("made.b", rng=8)
    assert len(set(seen[:3])) == 3
    assert seen[3] == seen[2]
    assert seen[4] != seen[1]


def test_timings_are_kept_saved_and_compared(works, monkeypatch, tmp_path):
    add(works, made(4, double))
    pretend(monkeypatch, [[1.0] * 8, [2.0] * 8])
    then = bench.peers()
    bench.save(then, tmp_path / "then.json")
    loaded = bench.load(tmp_path / "then.json")
    assert loaded.attrs == then.attrs
    timings = bench.rounds(loaded)
    assert timings.groupby("call")["seconds"].agg(["size", "min", "max"]).values.tolist() == [
        [8, 0.1, 0.1],
        [8, 0.5, 0.5],
    ]
    pretend(monkeypatch, [[1.0] * 8, [1.0] * 8])
    changed = bench.compare(bench.rounds(bench.peers()), timings)
    assert changed[["call", "ratio"]].values.tolist() == [
        ["made.up, double 5: gridlab", 1.0],
        ["made.up, double 5: numpy by hand", 0.5],
    ]
    with pytest.raises(ValueError, match="must have a call and size in common"):
        bench.compare(bench.rounds(bench.peers(tiny=True)), timings)  # other sizes are another thing
    machine = then.attrs["machine"]
    assert machine["numpy"] == np.__version__
    assert "date" in machine


def test_the_machine_has_the_versions_of_the_peers():
    machine = tiny("mines.numbers_batch").attrs["machine"]
    modules = {peer.package for work in bench.WORKS.values() for peer in work.peers if peer.module}
    assert {"graphillion", "ms-toollib", "nlmpy", "scikit-image", "connected-components-3d"} == modules
    assert modules <= machine.keys()


# ---- how it is run


@pytest.mark.parametrize("how", ["interrupt", "watch", "interrupt while told"])
def test_an_end_before_time_keeps_what_was_measured(works, how):
    calls = itertools.count()

    def interrupted(given, items):
        if how == "interrupt" and next(calls) > 3:
            raise KeyboardInterrupt
        return double(given, items)

    told = []

    def tell(rows):
        told.append(rows)
        if how == "interrupt while told" and len(told) == 2:
            raise KeyboardInterrupt

    add(works, made(10, double), name="made.a")
    add(works, made(10, interrupted) if how == "interrupt" else made(10, double), name="made.b")
    add(works, made(10, double), name="made.c")
    watch = (lambda share: share > 0.5) if how == "watch" else None
    table = tiny(tell=tell, watch=watch)
    n = 2 if how == "interrupt while told" else 1
    assert table["work"].tolist() == [name for name in ("made.a", "made.b")[:n] for _ in range(2)]
    assert table.attrs["interrupted"]
    assert {call.partition(":")[0] for call in table.attrs["timings"]} == set(table["work"])
    pd.testing.assert_frame_equal(pd.concat(told, ignore_index=True), table, check_flags=False)


def test_an_end_before_the_first_work_gives_an_empty_table(works):
    add(works)
    table = tiny(watch=lambda share: True)
    assert len(table) == 0
    assert {"work", "peer", "ratio", "state"} <= set(table)
    assert table.attrs["interrupted"]


def test_watch_hears_how_far_it_is(works):
    add(works, name="made.a")
    add(works, made(10, double), name="made.b")
    shares = []
    table = tiny(watch=shares.append)
    assert not table.attrs["interrupted"]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert {0.0, 0.5} <= set(shares)
    assert 0.9 < shares[-1] <= 1


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["made"], ["made.a", "made.b"]),
        (["other.a", "made.b"], ["made.b", "other.a"]),
        (["made", "made.a"], ["made.a", "made.b"]),
        (None, ["made.a", "made.b", "other.a"]),
    ],
)
def test_names_are_of_works_or_of_parts(works, names, expected):
    for name in ("made.a", "made.b", "other.a"):
        add(works, name=name)
    assert tiny(*names or ())["work"].tolist() == expected


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"names": "mines"}, TypeError, r"names must be a list of names, got 'mines'; for one write \['mines'\]"),
        ({"names": []}, ValueError, "names must hold at least one name, got none"),
        (
            {"names": ["mines.nosuch"]},
            ValueError,
            r"among .*'mines\.nosuch'(.*\n)+  mines: mines\.expert, ",
        ),
        ({"names": ["mine"]}, ValueError, r"got 'mine'; did you mean 'mines'\?\n"),
        ({"names": [3]}, ValueError, "got 3"),
        ({"peers": 1}, TypeError, "peers must be True or False, got 1"),
        ({"full": True, "tiny": True}, ValueError, "full must be False where tiny is True"),
        ({"budget": 0}, ValueError, "budget must be a finite number of seconds above 0, got 0"),
        ({"budget": "10"}, TypeError, "budget must be a number of seconds above 0, got '10'"),
        ({"watch": 3}, TypeError, "watch must be callable, got 3"),
        ({"tell": 3}, TypeError, "tell must be callable, got 3"),
        ({"rng": -1}, ValueError, "rng must be"),
    ],
)
def test_wrong_requests_are_refused(monkeypatch, options, error, told):
    monkeypatch.setattr(table_of, "_entries", None)  # before any work
    with pytest.raises(error, match=told):
        bench.peers(**options)


@pytest.mark.parametrize(
    ("table", "error", "told"),
    [
        ([], TypeError, "table must be a DataFrame of peers, got list"),
        (pd.DataFrame({"call": []}), ValueError, "table must have timings in its attrs"),
    ],
)
def test_timings_are_those_of_a_table_of_peers(table, error, told):
    with pytest.raises(error, match=told):
        bench.rounds(table)


def test_numbers_are_in_the_form_each_peer_likes():
    """The boards handed to ms-toollib have the numbers it would give."""
    boards = mines.floyd((4, 5), 6, size=3, rng=1)
    lists = placing._ms_lists(None, boards, 2)
    assert len(lists) == 2
    for board, given in zip(boards, lists):
        assert all(type(number) is int for row in given for number in row)
        assert np.array_equal(np.array(given) == -1, board)
