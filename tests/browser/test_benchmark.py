"""The panel of speed in the page of a notebook: start, watch the bar, stop, by keyboard."""

import re
import time

import pytest
from playwright.sync_api import expect

from gridlab import bench

from .test_panels import Panel

pytestmark = pytest.mark.browser

#: All that is quick to compile, for as long as the panel offers.
CELL = """import gridlab

names = ["insertion, list", "shuffle, list", "shuffle, numpy"]
gridlab.explore.benchmark(names=names, largest=1_000_000, seconds=30)"""


class Started(Panel):
    """The panel, and how its work stands."""

    def share(self):
        """Return how full the bar is."""
        style = self.part("progress", ".progress-bar").get_attribute("style")
        return float(re.search(r"width: ([\d.e-]+)%", style).group(1)) / 100

    def says(self, words):
        """Wait until the panel says how the work stands."""
        expect(self.part("state", "[role=status]")).to_have_text(re.compile(words))

    def moves(self, beyond=0.0):
        """Wait until the bar is further than some share, and return where it is."""
        self.page.wait_for_function(
            "percent => parseFloat(document.querySelector('.gridlab-progress .progress-bar').style.width) > percent",
            arg=100 * beyond,
        )
        return self.share()


@pytest.fixture(scope="module")
def notebook(open_notebook):
    """Return a page with a notebook of one cell, the panel."""
    return open_notebook([CELL])


@pytest.fixture
def panel(notebook):
    """Return a new panel; at the end the notebook must show no error output."""
    assert notebook.run() == []
    panel = Started(notebook)
    panel.code(r"\[1000, 3162, 10000\], budget=0.5\)$")
    yield panel
    assert notebook.errors() == []
    expect(notebook.page.locator(".jp-OutputArea-output", has_text="Traceback")).to_have_count(0)


def test_start_and_stop_by_keyboard(panel, say):
    press, cells = panel.page.keyboard.press, panel.notebook.cells()
    panel.says("a short first run")
    first, call = panel.picture(), panel.code("budget=0.5")
    start, stop = (panel.part(name) for name in ("start", "stop"))
    start.focus()
    press("Enter")
    panel.says("at work")
    assert panel.moves(beyond=panel.moves()) < 1
    assert panel.moves(beyond=bench.timings.PLANNING + 0.02) < 1
    press("Enter")  # once more: nothing
    press("Tab")
    expect(stop).to_be_focused()
    assert (panel.picture(), panel.code("budget=0.5")) == (first, call), "the picture is still the first"
    press("Enter")
    begin = time.monotonic()
    panel.says("stopped:")
    took = time.monotonic() - begin
    say(f"from Stop to the picture: {took:.2f} s")
    assert took < 10, "without a stop it takes 30"
    panel.code(r"\[1000, 3162, 10000, 31623, 100000, 316228, 1000000\], budget=30\)$")
    expect(panel.part("error")).to_be_hidden()
    expect(panel.part("picture")).to_be_visible()
    assert panel.picture() != first
    expect(panel.part("figures")).to_contain_text(re.compile(r"fastest at [\d,]+ cells\s+\w.* ms\s+rounds"))
    assert panel.notebook.cells() == cells


def test_a_run_that_is_not_stopped(panel):
    panel.enter("seconds", 1)
    panel.says("Start for these values")
    panel.part("largest", ".noUi-handle").press("Home")
    panel.part("start").click()
    panel.says("at work|done")
    panel.says("done")
    assert panel.share() == 1
    panel.code(r"\[100, 316, 1000\], budget=1\)$")
    expect(panel.part("figures")).to_contain_text(re.compile(r"\bshuffle, list\s*[01]\.\d\d \["))


def test_a_cell_that_runs_again_ends_the_work(panel):
    panel.part("start").click()
    panel.says("at work")
    panel.moves()
    assert panel.notebook.run() == []
    panel.says("a short first run")
    panel.part("start").click()
    panel.says("at work")
    panel.part("stop").click()
    panel.says("stopped")


def test_what_is_chosen_is_timed_and_nothing_chosen_is_said(panel):
    choice = panel.part("names", "select")
    panel.part("largest", ".noUi-handle").press("Home")
    panel.enter("seconds", 1)
    choice.select_option(["shuffle, numpy", "sample, random.sample"])
    panel.part("start").click()
    panel.code(r"names=\['shuffle, numpy', 'sample, random.sample'\], ")
    panel.says("done")
    choice.select_option([])
    panel.part("start").click()
    expect(panel.part("error", "[role=alert]")).to_have_text("procedures must be at least one, got none")
    expect(panel.part("picture")).to_be_hidden()


def test_all_controls_are_reached_in_order_and_fit_in_700_pixels(panel):
    page = panel.page
    panel.part("largest", ".noUi-handle").focus()
    order = ["largest"]
    while order[-1] != "stop":
        page.keyboard.press("Tab")
        order.append(
            page.evaluate(
                """() => [...document.activeElement.closest('[class*=gridlab-]:not(.gridlab-panel)').classList]
                    .find(name => name.startsWith('gridlab-')).slice(8)"""
            )
        )
        assert len(order) < 20
    assert list(dict.fromkeys(order)) == ["largest", "density", "names", "seconds", "seed", "new-seed", "start", "stop"]
    bar = panel.part("controls").bounding_box()
    assert bar["width"] + panel.part("picture").bounding_box()["width"] < 700
    for name in ("start", "stop", "progress", "names"):
        part = panel.part(name).bounding_box()
        assert bar["x"] <= part["x"] < part["x"] + part["width"] <= bar["x"] + bar["width"]
