"""The panel of regions as a reader uses it, by keyboard and mouse."""

import io
import re
import statistics

import numpy as np
import pytest
from matplotlib.image import imread
from playwright.sync_api import expect

import gridlab
from gridlab import explore, regions, topology

pytestmark = pytest.mark.browser


class Panel:
    """The panel in the page of a notebook, by the classes of its parts."""

    def __init__(self, notebook):
        self.notebook = notebook
        self.page = notebook.page

    def part(self, name, inside=""):
        """Return a part of the panel."""
        return self.page.locator(f".gridlab-{name} {inside}")

    def enter(self, name, value):
        """Type a value where a slider shows its own."""
        readout = self.part(name, ".widget-readout")
        readout.fill(str(value))
        readout.press("Enter")

    def code(self, pattern):
        """Wait until the reproducing call matches, and return it."""
        field = self.part("code", "textarea")
        expect(field).to_have_value(re.compile(pattern))
        return field.input_value()

    def picture(self):
        """Return the picture's bytes."""
        (png,) = self.notebook.pictures()
        return png

    def region(self, pattern=r"^gridlab\.regions"):
        """Return the region that the call makes, once it matches, having seen that the picture shows it."""
        region = eval(self.code(pattern), {"gridlab": gridlab})
        assert np.array_equal(filled(self.picture(), region), region)
        return region


def filled(png, region):
    """Read from a picture which cells have the colour of the region's first cell."""
    pixels = imread(io.BytesIO(png))[..., :3]
    rows, cols = region.shape
    # The axes leave a hundredth free on each side, and cells are squares, so the shorter side is centred.
    side = 0.98 * len(pixels) / max(rows, cols)
    at_row = ((len(pixels) - rows * side) / 2 + (np.arange(rows) + 0.5) * side).astype(int)
    at_col = ((len(pixels) - cols * side) / 2 + (np.arange(cols) + 0.5) * side).astype(int)
    centres = pixels[np.ix_(at_row, at_col)]
    return (centres == centres[region][0]).all(axis=-1)


@pytest.fixture(scope="module")
def notebook(open_notebook):
    """Return a page with a notebook of one cell, the panel."""
    return open_notebook(["import gridlab\n\ngridlab.explore.regions()"])


@pytest.fixture
def panel(notebook):
    """Return a new panel; at the end the notebook must show no error output."""
    assert notebook.run() == []
    panel = Panel(notebook)
    panel.code(r"^gridlab\.regions\.eden\(\(50, 50\), 800, rng=\d+\)$")
    yield panel
    assert notebook.errors() == []
    expect(notebook.page.locator(".jp-OutputArea-output", has_text="Traceback")).to_have_count(0)


def test_area_by_keyboard(panel):
    first = panel.picture()
    assert panel.region().sum() == 800
    handle = panel.part("area", ".noUi-handle")
    for area in (801, 802):
        handle.press("ArrowRight")
        assert panel.region(rf", {area}, ").sum() == area
        expect(panel.part("area", ".widget-readout")).to_have_text(str(area))
        assert panel.picture() != first
    handle.press("ArrowLeft")
    handle.press("ArrowLeft")
    panel.code(", 800, ")
    assert panel.picture() == first, "the same values, another picture"
    handle.press("Home")
    assert panel.region(", 1, ").sum() == 1
    handle.press("End")
    assert panel.region(", 2500, ").all()


def test_area_by_mouse(panel):
    first = panel.picture()
    panel.part("area").scroll_into_view_if_needed()
    handle, track = (panel.part("area", f".noUi-{name}").bounding_box() for name in ("handle", "base"))
    mouse, row = panel.page.mouse, handle["y"] + handle["height"] / 2
    mouse.move(handle["x"] + handle["width"] / 2, row)
    mouse.down()
    mouse.move(track["x"] + 0.7 * track["width"], row, steps=8)
    mouse.up()
    readout = panel.part("area", ".widget-readout")
    expect(readout).to_have_text(re.compile(r"^1[5-9]\d\d$"))
    area = int(readout.inner_text())
    assert panel.region(f", {area}, ").sum() == area
    assert panel.picture() != first


def test_keys_act_on_the_panel_only(panel):
    before = panel.notebook.cells()
    expect(panel.page.locator(".gridlab-panel")).to_have_attribute("data-lm-suppress-shortcuts", "true")
    choice, handle = panel.part("generator", "select"), panel.part("area", ".noUi-handle")
    for part, done in ((choice, r"\.mixed\(\(50, 50\), 800, "), (handle, r"\.mixed\(\(50, 50\), 799, ")):
        part.focus()
        for key in ("ArrowDown", "m", "b"):  # in a notebook: next cell, make it text, insert a cell
            panel.page.keyboard.press(key)
        panel.code(done)  # what the keys do in the panel: the next one down, the one that begins with m
    assert panel.notebook.cells() == before


def test_every_generator(panel):
    choice = panel.part("generator", "select")
    assert choice.locator("option").all_inner_texts() == list(regions.GENERATORS)
    panel.enter("area", 100)  # a walk of 800 cells often gets stuck
    pictures = set()
    for name in regions.GENERATORS:
        choice.select_option(name)
        assert panel.region(rf"\b{name}\(\(50, 50\), 100, ").sum() == 100
        expect(panel.part("figures")).to_contain_text(re.compile(r"area\s*100\b"))
        pictures.add(panel.picture())
    assert len(pictures) == len(regions.GENERATORS)


def test_periodic_and_without_holes(panel):
    meanings = panel.part("simply-connected", "select")
    panel.part("generator", "select").select_option("eden")
    for periodic in (True, False):
        panel.part("periodic", "input").set_checked(periodic)
        for label, meaning in reversed(explore.HOLES):
            meanings.select_option(label=label)
            options = f"{', periodic=True' * periodic}{f', simply_connected={meaning}' if meaning else ''}"
            region = panel.region(rf"800{options}, rng=")
            assert topology.is_connected(region, periodic=periodic)
            if meaning:
                assert topology.is_simply_connected(region, meaning, periodic=periodic)


def test_another_size_and_seed(panel):
    first = panel.picture()
    panel.part("new-seed").click()
    panel.code(r"800, rng=8\)")
    assert panel.picture() != first
    panel.enter("rows", 20)
    panel.enter("cols", 35)
    region = panel.region(r"\(20, 35\), 700, ")
    assert region.shape == (20, 35)
    assert region.sum() == 700, "the area follows where the grid gets smaller"
    panel.enter("rows", 50)
    assert panel.region(r"\(50, 35\), 800, ").sum() == 800, "and comes back"


def test_what_is_impossible_is_said_in_words(panel):
    panel.part("generator", "select").select_option("walk")
    panel.code(r"\bwalk\b")
    panel.part("area", ".noUi-handle").press("End")
    panel.code(", 2500, ")
    alert = panel.part("error", "[role=alert]")
    expect(alert).to_contain_text("walk")
    expect(alert).not_to_contain_text("Traceback")
    expect(panel.part("picture")).to_be_hidden()
    panel.part("area", ".noUi-handle").press("Home")
    panel.code(", 1, ")
    expect(alert).to_have_count(0)
    expect(panel.part("picture")).to_be_visible()
    assert panel.region().sum() == 1


def test_what_is_no_number_is_not_taken(panel):
    first = panel.picture()
    readout, seed = panel.part("area", ".widget-readout"), panel.part("seed", "input")
    for field, wrong in ((readout, "many"), (seed, "-"), (readout, ""), (seed, "")):
        if field is seed:
            field.press("Control+a")
            field.press_sequentially(wrong or " ")
        else:
            field.fill(wrong)
        field.press("Enter")
        field.press("Tab")
    expect(readout).to_have_text("800")
    panel.code(r"800, rng=\d+\)")
    seed.fill("7")
    seed.press("Enter")
    panel.code(r"800, rng=7\)")
    assert panel.picture() == first


def test_time_from_slider_to_picture(panel, say):
    """No bound: it depends on the machine. The log says it."""
    panel.page.evaluate(
        """() => {
            const press = () => { window.pressed = performance.now(); window.took = null; };
            document.addEventListener('keydown', press, true);
            document.querySelector('.gridlab-picture').addEventListener('load', () => {
                window.took ??= performance.now() - window.pressed;
            });
        }"""
    )
    times = []
    for area in range(801, 813):
        panel.part("area", ".noUi-handle").press("ArrowRight")
        # The call is the last to change, so that nothing of this step is left for the next.
        panel.region(f", {area}, ")
        times.append(panel.page.evaluate("window.took"))
    say(f"slider to new picture at 50x50: median {statistics.median(times):.0f} ms, slowest {max(times):.0f} ms")
