"""Timings, by a clock that counts made-up costs: what is found must be what the costs are."""

import gc
import itertools
import json
import math
import threading
import time

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from threadpoolctl import threadpool_info

from gridlab import bench

ALPHA = 1e-6
SEED = 20261130


class Clock:
    """Seconds that pass only in calls made for it."""

    def __init__(self, seed=SEED):
        """Begin at nought."""
        self.now, self.rng, self.made = 0.0, np.random.default_rng(seed), []

    def __call__(self):
        """Tell the time, and take a nanosecond for it."""
        self.now += 1e-9
        return self.now

    def call(self, name, cost, spread=0.0, heavy=0.0):
        """Return a call of `cost(size)` seconds, times noise: lognormal, now and then three times as much."""

        def f(size):
            self.made.append((name, size))
            noise = math.exp(spread * self.rng.standard_normal()) * (3 if self.rng.random() < heavy else 1)
            self.now += cost(size) * noise

        return f


POWERS = {
    "n": lambda n: 2e-5 * n,
    "n log n": lambda n: 2e-6 * n * math.log(n),
    "n²": lambda n: 1e-7 * n * n,
}
SIZES = (200, 400, 800, 1600)


def test_calls_take_turns_and_every_second_round_goes_backwards():
    clock = Clock()
    calls = {name: clock.call(name, lambda n: 0.003) for name in "ab"}
    table = bench.time_calls(calls, [20, 10], rounds=4, clock=clock)
    once = [(name, size) for size in (10, 20) for name in "ab"]
    # first one call unmeasured and two to see how long it takes
    assert clock.made[:12] == [pair for pair in once for _ in range(3)]
    assert clock.made[12:] == once + once[::-1] + once + once[::-1]
    assert list(zip(table["call"], table["size"])) == once * 4
    assert table["round"].tolist() == sorted(list(range(4)) * 4)
    assert table["loops"].eq(1).all()
    np.testing.assert_allclose(table["seconds"], 0.003, rtol=1e-5)


def test_the_first_call_is_not_measured():
    clock = Clock()
    f = clock.call("f", lambda n: 0.003 if len(clock.made) > 1 else 50.0)
    assert bench.time_calls({"f": f}, [5], clock=clock)["seconds"].max() < 0.004


def test_a_call_that_is_held_up_once_is_not_left_out_later():
    clock = Clock()
    f = clock.call("f", lambda n: 0.15 if len(clock.made) == 5 else 1e-3)  # the second call at the second size
    table = bench.time_calls({"f": f}, [10, 20, 40], rounds=8, budget=1, clock=clock)
    assert table.attrs["left_out"] == []
    assert table["loops"].max() < 5


@pytest.mark.parametrize("cost", [1e-7, 3e-5, 1.9e-3, 2.1e-3, 0.5])
def test_quick_calls_are_timed_many_in_a_row(cost):
    clock = Clock()
    table = bench.time_calls({"f": clock.call("f", lambda n: cost)}, [5], rounds=3, clock=clock)
    np.testing.assert_allclose(table["seconds"], cost, rtol=1e-3)
    assert (table["loops"] * table["seconds"] >= 2e-3 * 0.999).all()
    assert (table["loops"] == 1).all() == (cost >= 2e-3)


def test_a_coarse_clock_is_watched_for_a_thousand_ticks():
    clock = Clock()

    def coarse():
        return math.floor(clock() * 1000) / 1000

    with np.errstate(all="raise"):
        table = bench.time_calls({"f": clock.call("f", lambda n: 0.01)}, [5], rounds=2, clock=coarse)
    np.testing.assert_allclose(table["seconds"], 0.01, rtol=2e-3)


def test_an_input_is_made_once_a_size_and_shared():
    made, seen = [], []

    def prepare(size):
        made.append(size)
        return [size]

    clock = Clock()

    def f(given):
        seen.append(given)
        clock.now += 0.01

    bench.time_calls({"a": f, "b": f}, (3, 4), prepare=prepare, rounds=2, clock=clock)
    assert made == [3, 4]
    assert len({id(given) for given in seen}) == 2


def test_the_budget_bounds_rounds_and_leaves_out_what_takes_too_long():
    clock = Clock()
    calls = {"quick": clock.call("quick", lambda n: 1e-6 * n), "slow": clock.call("slow", lambda n: 1e-6 * n * n)}
    # a second at 1000 cells is within its share of two: only the power foretells a hundred at 10,000
    table = bench.time_calls(calls, [100, 1000, 10_000, 100_000], budget=40, clock=clock)
    assert table.attrs["left_out"] == [("slow", 10_000), ("slow", 100_000)]
    assert set(zip(table["call"], table["size"])) == {
        *(("quick", size) for size in (100, 1000, 10_000, 100_000)),
        ("slow", 100),
        ("slow", 1000),
    }
    assert 10 < clock.now < 41
    assert table["round"].nunique() in range(8, 101, 2)
    few = bench.time_calls({"f": clock.call("f", lambda n: 100.0)}, [1], budget=1, clock=clock)
    assert few["round"].nunique() == 8
    many = bench.time_calls({"f": clock.call("f", lambda n: 0.003)}, [1], budget=1000, clock=clock)
    assert many["round"].nunique() == 100


def test_watching_ends_timing_and_keeps_what_there_is():
    shares = []

    def watch(share):
        shares.append(share)
        return len(shares) > 13

    clock = Clock()
    calls = {name: clock.call(name, lambda n: 0.01) for name in "ab"}
    table = bench.time_calls(calls, [10, 20], rounds=9, clock=clock, watch=watch)
    assert len(table) == 13 - 2 * 4
    assert shares == sorted(shares)
    assert 0 <= shares[0] < shares[-1] < 1
    assert bench.exponent(table)["rounds"].tolist() == [1, 1]
    nothing = bench.time_calls(calls, [10, 20], clock=clock, watch=lambda share: True)
    assert nothing.columns.tolist() == table.columns.tolist()
    assert len(nothing) == 0


def test_nothing_disturbs_and_all_is_as_before():
    clock, seen = Clock(), []

    def f(size):
        seen.append((gc.isenabled(), max((pool["num_threads"] for pool in threadpool_info()), default=1)))
        clock.now += 0.01

    before = gc.isenabled(), gc.get_freeze_count(), [pool["num_threads"] for pool in threadpool_info()]
    bench.time_calls({"f": f}, [1], rounds=2, clock=clock)
    assert set(seen) == {(False, 1)}
    with pytest.raises(ZeroDivisionError) as caught:
        bench.time_calls({"f": f, "wrong": lambda size: f(1 // (size - 2))}, [1, 2], rounds=2, clock=clock)
    assert caught.value.__notes__ == ["raised by 'wrong' at size 2"]
    assert before == (gc.isenabled(), gc.get_freeze_count(), [pool["num_threads"] for pool in threadpool_info()])


def test_by_default_the_processor_is_the_clock():
    table = bench.time_calls({"sum": sum}, [1000, 3000], prepare=range, rounds=3)
    assert table.attrs["clock"] in ("process_time", "perf_counter")
    assert table["seconds"].gt(0).all()
    assert table["loops"].gt(1).all()


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"calls": []}, TypeError, "calls must be a dict"),
        ({"calls": {}}, ValueError, "at least one call"),
        ({"calls": {1: sum}}, TypeError, "calls must be named by strings, got 1"),
        ({"calls": {"f": 3}}, TypeError, r"calls\['f'\] must be callable, got 3"),
        ({"sizes": 5}, TypeError, "sizes must be several integers"),
        ({"sizes": []}, ValueError, "at least one size"),
        ({"sizes": [0]}, ValueError, "each of sizes must be from 1 to 9223372036854775807, got 0"),
        (
            {"sizes": [2**63]},
            ValueError,
            "each of sizes must be from 1 to 9223372036854775807, got 9223372036854775808",
        ),
        ({"sizes": [2.0]}, TypeError, "each of sizes must be an integer"),
        ({"sizes": [True]}, TypeError, "each of sizes must be an integer"),
        ({"sizes": [3, 3]}, ValueError, "sizes must differ, got 3, 3"),
        ({"prepare": 3}, TypeError, "prepare must be callable, got 3"),
        ({"clock": 3}, TypeError, "clock must be callable, got 3"),
        ({"watch": 3}, TypeError, "watch must be callable, got 3"),
        ({"budget": 0}, ValueError, "budget must be a finite number of seconds above 0, got 0"),
        ({"budget": math.nan}, ValueError, "budget must be a finite number of seconds above 0, got nan"),
        ({"budget": "1"}, TypeError, "budget must be a number of seconds"),
        ({"rounds": 0}, ValueError, "rounds must be at least 1, got 0"),
        ({"clock": lambda: 0.0}, ValueError, "clock must move on"),
    ],
)
def test_wrong_requests_are_refused(change, error, words):
    with pytest.raises(error, match=words):
        bench.time_calls(**{"calls": {"f": len}, "sizes": [1], "prepare": lambda n: [n]} | change)


@pytest.mark.parametrize("f", [bench.summary, bench.exponent, lambda table: bench.ratio(table, to="f")])
@pytest.mark.parametrize(
    ("table", "error", "words"),
    [
        ([1], TypeError, "table must be a DataFrame of timings, got list"),
        (pd.DataFrame({"call": ["f"]}), ValueError, "table must have a column 'size'"),
        (
            pd.DataFrame({"call": [], "size": [], "round": [], "seconds": []}),
            ValueError,
            "table must hold at least one timing",
        ),
        (
            pd.DataFrame({"call": "f", "size": 1, "round": [0, 1], "seconds": [1, 0]}),
            ValueError,
            "seconds must be finite and above 0, got 0",
        ),
        (
            pd.DataFrame({"call": "f", "size": 1, "round": [0, 0], "seconds": [1, 2]}),
            ValueError,
            "each round of a call and size once",
        ),
        (
            pd.DataFrame({"call": "f", "size": -1, "round": [0], "seconds": [1]}),
            ValueError,
            "size must be above 0, got -1",
        ),
        (
            pd.DataFrame({"call": "f", "size": "1", "round": [0], "seconds": [1]}),
            TypeError,
            "size must be numbers, got dtype",
        ),
        (
            pd.DataFrame({"call": "f", "size": 1, "round": [0], "seconds": [True]}),
            TypeError,
            "seconds must be numbers, got dtype bool",
        ),
    ],
)
def test_what_is_no_table_of_timings_is_refused(f, table, error, words):
    with pytest.raises(error, match=words):
        f(table)


def made(calls, sizes, rounds=10, **noise):
    """Return a table of timings by a clock of made-up costs."""
    clock = Clock()
    timed = {name: clock.call(name, f, **noise) for name, f in calls.items()}
    return bench.time_calls(timed, sizes, rounds=rounds, budget=1000, clock=clock)


def test_summary_is_minimum_median_and_order_statistics():
    table = made(POWERS, SIZES, spread=0.3)
    found = bench.summary(table).set_index(["call", "size"])
    assert len(found) == len(POWERS) * len(SIZES)
    for key, own in table.groupby(["call", "size"]):
        ordered = sorted(own["seconds"])
        # of ten values the second and the ninth: they miss the median with chance 2 (1 + 10) / 2¹⁰
        want = [10, ordered[0], (ordered[4] + ordered[5]) / 2, ordered[1], ordered[8]]
        np.testing.assert_allclose(found.loc[key].to_numpy(float), want)
    few = bench.summary(table[table["round"] < 5])
    assert few["low"].isna().all()
    assert few["high"].isna().all()
    with pytest.raises(ValueError, match="level must be between 0 and 1, got 1"):
        bench.summary(table, level=1)
    with pytest.raises(TypeError, match="level must be a number"):
        bench.summary(table, level="0.95")


def truth(cost):
    """Return the least-squares slope of the logarithm of a cost."""
    return np.polyfit(np.log(SIZES), np.log([cost(n) for n in SIZES]), 1)[0]


def coverage(n_tables, rounds, test):
    """Return how often an interval contains the truth, over tables of noisy costs on a machine that slows down."""
    hits = np.zeros(len(POWERS))
    rng = np.random.default_rng(SEED)
    for _ in range(n_tables):
        noise = np.exp(rng.normal(0, 0.1, (rounds, len(SIZES), len(POWERS))))
        noise *= np.where(rng.random(noise.shape) < 0.05, 3, 1)
        noise *= np.linspace(1, 2, rounds)[:, None, None]
        rows = [
            (name, size, k, f(size) * noise[k, i, j])
            for k in range(rounds)
            for i, size in enumerate(SIZES)
            for j, (name, f) in enumerate(POWERS.items())
        ]
        hits += test(pd.DataFrame(rows, columns=["call", "size", "round", "seconds"]))
    return hits


def contains(found, truths):
    return ((found["low"] <= truths) & (truths <= found["high"])).to_numpy()


def test_exponents_cover_the_truth_at_their_rate():
    truths = np.array([truth(f) for f in POWERS.values()])
    assert truths[[0, 2]] == pytest.approx([1, 2])
    assert truths[1] == pytest.approx(1.16, abs=0.01)
    n_tables, rounds = 300, 10
    hits = coverage(n_tables, rounds, lambda table: contains(bench.exponent(table), truths))
    # of ten slopes the second and the ninth contain the median in 97.9 %: neither fewer nor all
    rate = 1 - 2 * stats.binom.cdf(1, rounds, 0.5)
    for count in hits:
        assert stats.binomtest(int(count), n_tables, rate).pvalue > ALPHA
    # the control: that n log n were linear is refuted as a rule
    wrong = coverage(100, rounds, lambda table: contains(bench.exponent(table), np.ones(3)))
    assert wrong[0] > 80
    assert wrong[1] < 20
    assert wrong[2] == 0


def test_a_call_beside_itself_has_the_ratio_1_at_the_stated_rate():
    n_tables, rounds = 200, 10
    same = {"a": lambda n: 0.01, "b": lambda n: 0.01}
    hits = wrong = 0
    for seed in range(n_tables):
        clock = Clock(seed)

        # whoever comes first in a pair pays a tenth more, and the machine slows down all the while
        def pays(n, clock=clock):
            return 0.01 * (1.1 if len(clock.made) % 2 else 1) * (1 + 5 * clock.now)

        calls = {name: clock.call(name, pays, spread=0.05, heavy=0.05) for name in same}
        table = bench.time_calls(calls, [10], rounds=rounds, clock=clock)
        row = bench.ratio(table, to="a").set_index("call").loc["b"]
        hits += row["low"] <= 1 <= row["high"]
        # the control: all timings of one call, then all of the other
        halves = table.sort_values("round")["seconds"].to_numpy().reshape(2, -1)
        wrong += stats.ttest_ind(*np.log(halves)).pvalue < 0.05
    # Position pushes half of the ratios up and half down: the interval is the wider for it.
    assert stats.binom.cdf(hits, n_tables, 1 - 2 * stats.binom.cdf(1, rounds, 0.5)) > ALPHA
    assert wrong > n_tables / 2


def test_ratios_are_those_of_the_rounds():
    table = made(POWERS, SIZES, spread=0.2)
    found = bench.ratio(table, to="n").set_index(["call", "size"])
    assert len(found) == 12
    for size in SIZES:
        own = table[table["size"] == size].pivot(index="round", columns="call", values="seconds")
        ratios = np.sort(own["n²"] / own["n"])
        np.testing.assert_allclose(found.loc["n²", size].to_numpy(float), [10, np.median(ratios), ratios[1], ratios[8]])
        assert found.loc["n", size].tolist() == [10, 1, 1, 1]
    with pytest.raises(ValueError, match="to must be one of 'n', 'n log n', 'n²', got 'm'"):
        bench.ratio(table, to="m")
    # a call that was left out at a size, and one not timed in a round, are left out
    gone = table[
        ~((table["call"] == "n²") & (table["size"] == 1600)) & ~((table["call"] == "n") & (table["round"] == 3))
    ]
    found = bench.ratio(gone, to="n").set_index(["call", "size"])
    assert ("n²", 1600) not in found.index
    assert found["rounds"].eq(9).all()


def test_an_exponent_has_scale_and_misfit():
    found = bench.exponent(made(POWERS, SIZES)).set_index("call")
    np.testing.assert_allclose(
        found.loc["n²", ["exponent", "scale", "misfit"]].to_numpy(float), [2, 1e-7, 1], rtol=1e-4
    )
    assert found.loc["n²", ["rounds", "smallest", "largest"]].tolist() == [10, 200, 1600]
    steps = bench.exponent(made({"f": lambda n: 0.01 * (2 if n == 20 else 1)}, [10, 20, 40]))
    # medians 1, 2, 1 about a level line at the mean of their logarithms
    assert steps["misfit"][0] == pytest.approx(2 ** (2 / 3), rel=1e-4)
    single = bench.exponent(made({"f": POWERS["n"]}, [100]))
    assert single["exponent"].isna().all()
    assert single[["rounds", "smallest", "largest"]].values.tolist() == [[10, 100, 100]]


def test_crossings_lie_where_costs_are_equal():
    table = made({"n": POWERS["n"], "n²": POWERS["n²"], "flat": lambda n: 0.01}, [50, 100, 400, 1600], spread=0.02)
    found = bench.crossings(table, to="n").set_index("call")
    assert set(found.index) == {"n²", "flat"}
    assert found["faster"].to_dict() == {"n²": "n", "flat": "flat"}
    # n² · 10⁻⁷ = n · 2·10⁻⁵ at 200, and 0.01 = n · 2·10⁻⁵ at 500
    for name, size in {"n²": 200, "flat": 500}.items():
        row = found.loc[name]
        assert row["low"] < row["size"] < row["high"]
        assert row["low"] < size * 1.05
        assert row["high"] > size / 1.05
        assert row["high"] / row["low"] < 1.2
    assert len(bench.crossings(table, to="flat")) == 2
    far = table[table["size"] > 400]
    assert len(bench.crossings(far, to="n")) == 0


def test_a_crossing_lies_between_its_ends():
    """An end that belongs to another crossing, on the other side, is not taken."""
    ratios = {10: (0.8, 0.9, 1.2), 100: (1.05, 1.1, 1.3), 1000: (0.4, 0.5, 0.6), 10_000: (1.5, 2, 2.5)}
    rows = [
        (name, size, k, seconds)
        for size, (low, middle, high) in ratios.items()
        for k, value in enumerate([low, *[middle] * 5, high])
        for name, seconds in (("other", value), ("one", 1.0))
    ]
    table = pd.DataFrame(rows, columns=["call", "size", "round", "seconds"])
    table = pd.concat([table, table.assign(call="inverse", seconds=1 / table["seconds"])[table["call"] == "other"]])
    found = bench.crossings(table, to="one")
    assert found["call"].tolist() == ["other"] * 3 + ["inverse"] * 3
    assert found["faster"].tolist() == ["one", "other", "one", "inverse", "one", "inverse"]
    for _, own in found.groupby("call"):
        # up to 10 cells the upper end is above 1 already: no saying where it came from
        assert own["low"].isna().tolist() == [True, False, False]
        assert (own["size"] < own["high"]).all()
        assert (own["low"] < own["size"]).tolist()[1:] == [True, True]


def test_a_record_comes_back_as_it_was(tmp_path):
    table = made(POWERS, SIZES, spread=0.1)
    table["note"] = [None, *["x"] * (len(table) - 1)]
    table["rate"] = [math.nan, *[0.1] * (len(table) - 1)]
    table.attrs["left_out"] = [["n²", 10**6]]
    path = tmp_path / "run.json"
    path.write_text("old")
    bench.save(table, path)
    back = bench.load(path)
    pd.testing.assert_frame_equal(back, table, check_dtype=False)
    assert back.attrs == table.attrs
    assert {"date", "processor", "python", "numpy", "gridlab"} <= set(back.attrs["machine"])
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]
    assert bench.compare(table, back)["ratio"].eq(1).all()


def test_a_record_that_fails_leaves_the_old_one(tmp_path):
    table = made(POWERS, SIZES)
    path = tmp_path / "run.json"
    bench.save(table, path)
    kept = path.read_bytes()
    with pytest.raises(TypeError, match="table and its attrs must hold text, numbers, lists and dicts, got set"):
        bench.save(table.assign(odd=[{1}] * len(table)), path)
    assert path.read_bytes() == kept
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]
    with pytest.raises(TypeError, match="table must be a DataFrame, got list"):
        bench.save([1], path)
    with pytest.raises(OSError, match="nowhere"):
        bench.save(table, tmp_path / "nowhere" / "run.json")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "3", '{"gridlab timings": 1}', '{"gridlab timings": 1, "about": 3, "table": {}}']
)
def test_what_is_no_record_is_refused(tmp_path, text):
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="must be a file of timings that gridlab saved"):
        bench.load(path)
    path.write_text(json.dumps({"gridlab timings": 9, "about": {}, "table": {}}))
    with pytest.raises(ValueError, match="must be a file of format 1, got format 9"):
        bench.load(path)


def test_runs_are_compared_and_their_machines():
    then, now = made(POWERS, SIZES, spread=0.1), made(POWERS, SIZES[1:], spread=0.1)
    now["seconds"] *= 1.5
    now.attrs["machine"] = now.attrs["machine"] | {"numpy": "9.9", "date": "another"}
    found = bench.compare(now, then)
    assert len(found) == 9
    assert found.attrs["differs"] == {"numpy": ("9.9", then.attrs["machine"]["numpy"])}
    logs = [np.log(table[(table["call"] == "n") & (table["size"] == 400)]["seconds"]) for table in (now, then)]
    row = found[(found["call"] == "n") & (found["size"] == 400)].iloc[0]
    assert row["ratio"] == pytest.approx(np.exp(logs[0].mean() - logs[1].mean()))
    assert row["low"] < row["ratio"] < row["high"]
    with pytest.raises(ValueError, match="a call and size in common"):
        bench.compare(now, then.assign(call=then["call"] + " once"))


def test_what_has_not_changed_is_found_so_at_the_stated_rate():
    rng = np.random.default_rng(SEED)
    n = 1000
    tables = [
        pd.DataFrame(
            {"call": "f", "size": np.repeat(np.arange(1, n + 1), 10), "round": np.tile(np.arange(10), n)}
        ).assign(seconds=np.exp(rng.normal(0, spread, 10 * n)))
        for spread in (0.1, 0.2)
    ]
    found = bench.compare(*tables)
    hits = int(((found["low"] <= 1) & (1 <= found["high"])).sum())
    assert stats.binomtest(hits, n, 0.95).pvalue > ALPHA
    assert ((found["low"] <= 1.5) & (1.5 <= found["high"])).sum() < n / 100


def test_calls_that_wait_are_not_repeated_for_ever():
    made = []

    def wait(size):
        made.append(size)
        time.sleep(0.02)

    table = bench.time_calls({"wait": wait}, [1], rounds=1, budget=0.05)
    assert len(made) < 150
    assert table["seconds"].gt(0).all()
    for wrong in (math.nan, math.inf):
        ticks = itertools.chain([0.0, 1e-9, 0.0, 0.0], itertools.repeat(wrong))
        with pytest.raises(ValueError, match="clock must move on, and tell finite seconds"):
            bench.time_calls({"f": lambda n: time.sleep(0.6)}, [1], clock=ticks.__next__)


def test_threads_that_time_leave_all_as_it_was():
    before = gc.isenabled(), [pool["num_threads"] for pool in threadpool_info()]
    busy, others = [], []

    def f(size):
        busy.append(threading.get_ident())
        time.sleep(0.005)

    def timed():
        others.append(bench.time_calls({"f": f}, [1], rounds=2))

    threads = [threading.Thread(target=timed) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(others) == 3
    # one after the other: who calls changes twice
    assert sum(one != other for one, other in itertools.pairwise(busy)) == 2
    assert before == (gc.isenabled(), [pool["num_threads"] for pool in threadpool_info()])
    # within a timed call another table is made at once
    bench.time_calls({"nested": lambda n: bench.time_calls({"f": f}, [1], rounds=1)}, [1], rounds=1)
