"""The panel that times procedures, and the panels whose work a button starts, without a browser."""

import asyncio
import base64
import gc
import html
import re
import signal
import threading
import time

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

import gridlab
from gridlab import bench, explore
from gridlab.explore import speed

#: Fast enough without compiled code.
QUICK = {"names": ["shuffle, list", "sample, random.sample"], "largest": 1000}

PATIENCE = 60


@pytest.fixture(autouse=True)
def no_work_left():
    yield
    explore.Started._end_other_work()


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Spend little time on the first picture."""
    monkeypatch.setitem(speed.FIRST, "seconds", 0.05)


def put(panel, **values):
    for name, value in values.items():
        panel.controls[name].value = value
    return panel


def finish(panel):
    """Wait until the work of a panel has ended."""
    thread = panel._thread
    if thread:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    return panel


def words(widget):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", widget.value)).split())


def again(panel):
    """Do what the code field says."""
    names = {"gridlab": gridlab}
    first, last = panel.code.split("\n")
    exec(first, names)
    return eval(last, names)


class Work:
    """Timing that waits until it may go on, and then makes rounds until it is stopped."""

    def __init__(self):
        self.reset(1)

    def reset(self, rows):
        self.begun, self.go_on, self.asked, self.rows = threading.Event(), threading.Event(), [], rows

    def __call__(self, calls, sizes, *, budget, clock, watch):
        self.asked.append((list(calls), list(sizes), budget))
        self.begun.set()
        assert self.go_on.wait(PATIENCE)
        done = 0
        while done < self.rows and not watch(done / self.rows):
            time.sleep(0.001)
            done += 1
        rows = [(name, n, k, 1, 1e-8 * n * (k + 1)) for k in range(done) for name in calls for n in sizes]
        table = pd.DataFrame(rows, columns=["call", "size", "round", "loops", "seconds"])
        table.attrs = {"left_out": []}
        return table


@pytest.fixture
def work(monkeypatch):
    """Return a function that makes a panel on false timing, which has made the first picture and waits."""

    def begin(rows=3, **initial):
        timing = Work()
        monkeypatch.setattr(bench, "time_calls", timing)
        timing.go_on.set()
        panel = explore.benchmark(**QUICK | initial)
        timing.reset(rows)
        return panel, timing

    return begin


# ---- the first picture


def test_shows_a_short_run_at_once():
    panel = explore.benchmark(names=QUICK["names"], largest=1_000_000, seconds=30, seed=3, density=0.3)
    assert (panel.error, panel._thread) == ("", None)
    assert panel.code == (
        "calls = gridlab.bench.contenders(0.3, names=['shuffle, list', 'sample, random.sample'], rng=3)\n"
        "gridlab.bench.time_calls(calls, [1000, 3162, 10000], budget=0.05)"
    )
    assert set(panel.result["call"]) == set(QUICK["names"])
    assert words(panel._state) == "a short first run; Start for a longer one"
    bundle = panel._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]) == bytes(panel._picture.value)
    assert bundle["text/plain"] == panel.code
    assert "shuffle, list" in panel._picture.tooltip


@pytest.mark.parametrize(
    ("largest", "sizes"),
    [
        (1000, [100, 316, 1000]),
        (3162, [316, 1000, 3162]),
        (10_000, [1000, 3162, 10_000]),
        (31_623, [1000, 3162, 10_000, 31_623]),
        (1_000_000, [1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000]),
    ],
)
def test_sizes_are_half_powers_of_ten(work, largest, sizes):
    panel, timing = work()
    timing.go_on.set()
    put(panel, largest=largest).start()
    finish(panel)
    assert timing.asked[0][1] == sizes
    assert f"(calls, {sizes}, budget=5)" in panel.code


def test_code_times_the_same_again():
    panel = explore.benchmark(**QUICK, density=0.45)
    table = again(panel)
    assert (table.columns == panel.result.columns).all()
    for column in ("call", "size"):
        assert table[column].unique().tolist() == panel.result[column].unique().tolist()


def test_code_names_what_is_timed_unless_it_is_everything(work):
    panel, timing = work()
    timing.go_on.set()
    put(panel, names=tuple(bench.CONTENDERS), seed=9).start()
    finish(panel)
    assert panel.code.startswith("calls = gridlab.bench.contenders(0.2, rng=9)\n")
    assert timing.asked[0][0] == list(bench.CONTENDERS)
    assert len(panel._figures.value) < 4000


def test_code_has_the_density_of_the_slider_without_rounding_errors(work):
    panel, timing = work()
    timing.go_on.set()
    put(panel, density=0.1 + 0.2).start()
    finish(panel)
    assert "contenders(0.3, " in panel.code


@pytest.mark.parametrize(
    ("initial", "error", "message"),
    [
        ({"colour": 1}, TypeError, "'colour': the panel has largest, density, names, seconds, seed$"),
        ({"start": 1}, TypeError, "'start'"),
        ({"largest": 5000}, ValueError, "largest must be one of 1000, 3162, .*, 1000000, got 5000"),
        ({"density": 0.01}, ValueError, "density must be from 0.05 to 0.99, got 0.01"),
        ({"density": float("nan")}, ValueError, "density must be from 0.05 to 0.99, got nan"),
        ({"names": "shuffle, list"}, TypeError, "names must be a list of some of 'insertion, list', "),
        ({"names": 3}, TypeError, "names must be a list of some of"),
        ({"names": ["shuffle, list", "bogo"]}, ValueError, "names must be among .*, got 'bogo'"),
        ({"names": []}, ValueError, "names must be at least one of .*, got none"),
        ({"seconds": 31}, ValueError, "seconds must be from 1 to 30, got 31"),
        ({"seconds": 0.5}, TypeError, "seconds must be an integer"),
        ({"seed": -1}, ValueError, "seed must be from 0"),
    ],
)
def test_values_to_start_from(initial, error, message):
    with pytest.raises(error, match=message):
        explore.benchmark(**initial)


def test_figures_are_slopes_and_the_fastest():
    panel = explore.benchmark(**QUICK)
    text = words(panel._figures)
    for fit in bench.exponent(panel.result).itertuples():
        assert f" {fit.call} {fit.exponent:.2f} [{fit.low:.2f}, {fit.high:.2f}]" in text
    last = bench.summary(panel.result[panel.result["size"] == 1000]).set_index("call")["median"]
    assert f"fastest at 1,000 cells {last.idxmin()}, {1e3 * last.min():.3g} ms" in text
    assert f"rounds {panel.result['round'].max() + 1} " in text
    assert "left out" not in text
    panel.result.attrs["left_out"] = [("a", 1000), ("b", 3162), ("a", 3162)]
    assert speed._figures(panel.values, panel.result)["left out, too slow"] == "a from 1,000 cells; b from 3,162 cells"


def test_slopes_are_those_of_the_last_factor_of_ten():
    sizes = [1000, 3162, 10_000, 31_623, 100_000]
    # as n up to 10,000 and as its square beyond; another is timed only to there
    rows = [
        (name, n, k, 1e-8 * n * max(1, n / 1e4))
        for name, upto in (("long", 5), ("short", 3))
        for n in sizes[:upto]
        for k in range(8)
    ]
    table = pd.DataFrame(rows, columns=["call", "size", "round", "seconds"])
    assert speed._slopes(table)["exponent"].round(3).tolist() == [2, 1]
    assert speed._slopes(table)["smallest"].tolist() == [10_000, 1000]


# ---- start and stop


def test_start_works_with_the_values_of_that_moment(work):
    panel, timing = work()
    before = bytes(panel._picture.value), panel.code, panel.result
    put(panel, seed=8, seconds=2)
    assert (bytes(panel._picture.value), panel.code, panel.result) == before, "a change alone starts nothing"
    assert words(panel._state) == "Start for these values"
    panel.controls["start"].click()
    assert timing.begun.wait(PATIENCE)
    assert words(panel._state) == "at work"
    put(panel, seed=9, largest=100_000, names=("Floyd, list",))
    assert words(panel._state) == "at work"
    assert (bytes(panel._picture.value), panel.code, panel.result) == before
    timing.go_on.set()
    finish(panel)
    assert timing.asked == [(QUICK["names"], [100, 316, 1000], 2)]
    assert panel.code.split("\n")[0].endswith("rng=8)")
    assert panel.code.split("\n")[1] == "gridlab.bench.time_calls(calls, [100, 316, 1000], budget=2)"
    assert panel.error == ""
    assert panel.result["round"].max() == 2
    assert bytes(panel._picture.value) != before[0]
    assert (words(panel._state), panel._progress.value, panel._progress.bar_style) == ("done", 1, "success")


def test_a_second_start_is_ignored(work):
    panel, timing = work()
    panel.controls["start"].click()
    thread = panel._thread
    for _ in range(3):
        panel.controls["start"].click()
    assert panel._thread is thread
    timing.go_on.set()
    finish(panel)
    assert len(timing.asked) == 1


def test_stop_keeps_what_is_complete(monkeypatch):
    panel = explore.benchmark(**QUICK)
    true, shares = bench.time_calls, []

    def stopped_halfway(*arguments, watch, **options):
        def ask(share):
            shares.append(share)
            if share > 0.5:
                panel.controls["stop"].click()
            return watch(share)

        return true(*arguments, watch=ask, rounds=10, **options)

    monkeypatch.setattr(bench, "time_calls", stopped_halfway)
    panel.start()
    finish(panel)
    assert panel.error == ""
    assert shares == sorted(shares)
    assert 0 < len(panel.result) < 10 * 6
    assert panel._picture.layout.visibility is None
    assert "slopes over the last factor of ten: shuffle, list " in words(panel._figures)
    assert words(panel._state) == "stopped: what was complete"
    assert panel._progress.value < 1
    assert gc.isenabled()
    # and it starts again, from the beginning
    monkeypatch.setattr(bench, "time_calls", true)
    put(panel, seconds=1).start()
    finish(panel)
    assert words(panel._state) == "done"
    assert len(panel.result) == (panel.result["round"].max() + 1) * 6


def test_a_stop_before_anything_is_timed_leaves_the_picture(work):
    panel, timing = work()
    before = bytes(panel._picture.value), panel.code, panel.result
    panel.start()
    assert timing.begun.wait(PATIENCE)
    panel.stop()
    assert words(panel._state) == "stopping"
    timing.go_on.set()
    finish(panel)
    assert (bytes(panel._picture.value), panel.code, panel.result, panel.error) == (*before, "")
    assert (words(panel._state), panel._progress.bar_style) == ("stopped before anything was complete", "warning")
    panel.stop()  # nothing is at work: it means nothing to the next
    panel.start()
    finish(panel)
    assert (panel.error, words(panel._state), panel._picture.layout.visibility) == ("", "done", None)
    assert bytes(panel._picture.value) != before[0]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("too <odd>"), "too <odd>; raised by 'x' at size 9"),
        (RuntimeError("no"), "no; raised by 'x' at size 9"),
        (ZeroDivisionError("by 0"), "ZeroDivisionError: by 0; raised by 'x' at size 9"),
        (MemoryError(), "MemoryError; raised by 'x' at size 9"),
    ],
)
def test_errors_of_the_thread_are_shown_in_words(work, monkeypatch, error, message):
    panel, timing = work()

    def fail(*_, **__):
        error.add_note("raised by 'x' at size 9")
        raise error

    monkeypatch.setattr(bench, "time_calls", fail)
    panel.start()
    finish(panel)
    assert panel.error == message
    assert html.escape(message) in panel._error.value
    assert panel._picture.layout.visibility == "hidden"
    assert panel._progress.bar_style == "danger"
    monkeypatch.setattr(bench, "time_calls", timing)
    timing.go_on.set()
    panel.start()
    finish(panel)
    assert (panel.error, words(panel._state)) == ("", "done")


def test_nothing_chosen_is_said_in_words():
    panel = put(explore.benchmark(**QUICK), names=())
    assert panel.error == ""
    panel.start()
    finish(panel)
    assert panel.error == "procedures must be at least one, got none"


def test_the_bar_moves_and_the_buttons_look_like_it(work, monkeypatch):
    panel, timing = work(rows=4)
    monkeypatch.setattr(explore.started, "STEP", 0)
    seen = []
    panel._progress.observe(lambda change: seen.append(change["new"]), "value")
    assert (panel.controls["start"].button_style, panel.controls["stop"].button_style) == ("primary", "")
    panel.start()
    assert (panel.controls["start"].button_style, panel.controls["stop"].button_style) == ("", "warning")
    timing.go_on.set()
    finish(panel)
    assert seen == [0.25, 0.5, 0.75, 1], "from 0, where it was"
    assert (panel.controls["start"].button_style, panel.controls["stop"].button_style) == ("primary", "")


# ---- several panels, and the kernel around them


@pytest.mark.parametrize("how", ["made", "started", "closed"])
def test_work_ends_where_another_begins_or_the_panel_is_closed(work, monkeypatch, how):
    other, quick = work()
    quick.go_on.set()
    panel, timing = work(rows=10**9)
    panel.start()
    thread = panel._thread
    assert timing.begun.wait(PATIENCE)
    timing.go_on.set()
    if how == "made":
        work()
    elif how == "started":
        monkeypatch.setattr(bench, "time_calls", quick)
        other.start()
        finish(other)
        assert (other.error, words(other._state)) == ("", "done")
    else:
        panel.close()
        thread.join(PATIENCE)
    assert not thread.is_alive()
    assert panel._thread is None
    assert words(panel._state).startswith("stopped")
    assert explore.Started._at_work is None


def test_in_a_kernel_its_own_thread_draws():
    panel = explore.benchmark(**QUICK)
    drawn_by = []
    draw = panel._functions["draw"]
    panel._functions["draw"] = lambda *given: drawn_by.append(threading.current_thread()) or draw(*given)

    async def kernel():
        put(panel, seconds=1).start()
        thread = panel._thread
        while panel._thread:
            await asyncio.sleep(0.01)
        return thread

    thread = asyncio.run(asyncio.wait_for(kernel(), PATIENCE))
    assert thread.daemon, "it must not keep a kernel from ending"
    assert drawn_by == [threading.main_thread()]
    assert words(panel._state) == "done"


def test_an_interrupt_leaves_the_work_alone(work):
    panel, timing = work()
    panel.start()
    assert timing.begun.wait(PATIENCE)
    # a run in the background of a shell ignores interrupts
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    timing.go_on.set()
    finish(panel)
    assert (panel.error, words(panel._state)) == ("", "done")


def test_leaves_settings_and_the_collector_alone():
    settings = dict(mpl.rcParams)
    panel = put(explore.benchmark(**QUICK), seconds=1)
    panel.start()
    finish(panel)
    assert dict(mpl.rcParams) == settings
    assert plt.get_fignums() == []
    assert gc.isenabled()


def test_parts_have_classes_labels_and_tooltips():
    panel = explore.benchmark(**QUICK)

    def below(widget):
        yield widget
        for child in getattr(widget, "children", ()):
            yield from below(child)

    classes = [name for widget in below(panel) for name in widget._dom_classes]
    parts = {"panel", "controls", "picture", "figures", "code", "error", "progress", "state"}
    assert sorted(classes) == sorted(f"gridlab-{name.replace('_', '-')}" for name in parts | set(panel.controls))
    assert list(panel.controls)[-2:] == ["start", "stop"]
    for control in [*panel.controls.values(), panel._progress]:
        assert control.description
        assert control.tooltip
    assert set(panel.values) == {"largest", "density", "names", "seconds", "seed"}
