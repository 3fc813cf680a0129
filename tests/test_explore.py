"""Tests of `explore`: what a panel does when its controls change, without a browser."""

import base64
import html
import io
import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import gridlab
from gridlab import explore, regions, shapes, topology

pytestmark = pytest.mark.once

SMALL = {"rows": 12, "cols": 15, "area": 40}  # walk finds this in no time


def show(**initial):
    return explore.regions(**SMALL | initial)


def put(panel, **values):
    for name, value in values.items():
        panel.controls[name].value = value
    return panel


def picture(panel):
    return bytes(panel._picture.value)


def again(panel):
    """Do what the code field says."""
    return eval(panel.code, {"gridlab": gridlab})


def drawn(panel):
    """Count the pictures made from now on."""
    seen = []
    make = panel._functions["draw"]
    panel._functions["draw"] = lambda *args: seen.append(args) or make(*args)
    return seen


OPTIONS = [
    ("eden", "fill_holes", True),
    ("mixed", "fat", 0.9),
    ("alternating", "fat_burst", 0.9),
    ("alternating", "thin_burst", 0.9),
]

#: A grid so large and so full that an eden region without holes is another one.
FULL = {"rows": 40, "cols": 40, "area": 1500}

#: One step of every control, with what it needs to be in use.
CHANGES = [
    ("area", 41, {}),
    ("rows", 13, {}),
    ("cols", 14, {}),
    ("seed", 8, {}),
    ("periodic", True, {}),
    ("simply_connected", 4, FULL),
    ("simply_connected", 8, FULL),
    *((name, value, FULL | {"generator": generator, "simply_connected": 8}) for generator, name, value in OPTIONS),
]


@pytest.mark.parametrize("name", regions.GENERATORS)
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("simply_connected", [False, 4, 8])
def test_code_makes_the_region_again(name, periodic, simply_connected):
    panel = put(show(), generator=name, periodic=periodic, simply_connected=simply_connected)
    assert panel.error == ""
    assert panel.code.startswith(f"gridlab.regions.{name}((12, 15), 40, ")
    assert panel.code.endswith("rng=7)")
    assert ("periodic=True" in panel.code) == periodic
    assert (f"simply_connected={simply_connected}" in panel.code) == bool(simply_connected)
    assert (again(panel) == panel.result).all()
    assert panel.result.sum() == 40
    assert html.unescape(re.search(r">(.*)</textarea>", panel._code.value).group(1)) == panel.code


@pytest.mark.parametrize(("generator", "name", "value"), OPTIONS)
def test_code_has_the_options_that_were_changed(generator, name, value):
    panel = show(generator=generator, simply_connected=8)
    assert name not in panel.code
    put(panel, **{name: value})
    assert f"{name}={value!r}" in panel.code
    assert (again(panel) == panel.result).all()
    put(panel, generator="dfs")  # has none of them
    assert name not in panel.code


@pytest.mark.parametrize(("name", "value", "initial"), CHANGES)
def test_every_control_changes_the_picture_once_and_back(name, value, initial):
    panel = show(**initial)
    before, seen, old = picture(panel), drawn(panel), panel.values[name]
    put(panel, **{name: value})
    assert picture(panel) != before
    put(panel, **{name: old})
    assert picture(panel) == before
    assert len(seen) == 2


def test_same_values_same_picture():
    assert picture(show(seed=3)) == picture(put(show(), seed=3))
    assert picture(show(seed=3)) != picture(show(seed=4))
    with mpl.rc_context({"savefig.dpi": 30, "image.interpolation": "bilinear", "savefig.facecolor": "red"}):
        assert picture(show(seed=3)) == picture(put(show(), seed=3))


def test_picture_is_a_png_of_the_region():
    panel = show(rows=10, cols=10, area=30)
    pixels = plt.imread(io.BytesIO(picture(panel)))
    assert pixels.shape[:2] == (explore.PICTURE, explore.PICTURE)
    # the middles of the cells, off by a third from lines and hatches
    at = np.rint((0.01 + 0.98 * (np.arange(10) + 0.35) / 10) * explore.PICTURE).astype(int)
    white = (pixels[at][:, at, :3] == 1).all(-1)
    holes = topology.holes(panel.result, 4)
    assert (white == ~(panel.result | holes)).all()


def test_area_follows_the_grid():
    panel = show(rows=20, cols=30, area=600)
    area = panel.controls["area"]
    assert area.max == 600
    seen = drawn(panel)
    put(panel, rows=10)  # the area is cut at the same time: one picture
    assert (area.max, area.value) == (300, 300)
    assert len(seen) == 1
    assert panel.code == "gridlab.regions.eden((10, 30), 300, rng=7)"
    put(panel, periodic=True, simply_connected=4)
    assert area.max == topology.largest((10, 30), periodic=True, simply_connected=4) < 300
    assert area.value == area.max
    assert len(seen) == 3
    put(panel, rows=30, simply_connected=False)
    assert area.max == 900


def test_the_area_asked_for_comes_back():
    panel = explore.regions()
    area = panel.controls["area"]
    put(panel, rows=10)
    assert area.value == 500
    put(panel, rows=12)
    assert area.value == 600
    seen = drawn(panel)
    put(panel, rows=50)
    assert (area.value, panel.result.sum(), len(seen)) == (800, 800, 1)
    put(panel, rows=10, area=450)  # asked for anew
    assert put(panel, rows=50).result.sum() == 450


def test_periodic_grids_have_three_rows_and_columns():
    panel = show(rows=2, cols=2, area=3)
    assert (panel.error, panel.result.shape) == ("", (2, 2))
    seen = drawn(panel)
    put(panel, periodic=True)
    assert panel.error == ""
    assert panel.code == "gridlab.regions.eden((3, 3), 3, periodic=True, rng=7)"
    assert len(seen) == 1
    assert put(panel, periodic=False).controls["rows"].min == 2


def test_options_are_offered_where_the_generator_has_them():
    panel = show(simply_connected=4)
    for name in regions.GENERATORS:
        put(panel, generator=name)
        assert panel.controls["fill_holes"].disabled == (name not in {"eden", "mixed", "alternating"})
        shown = {o for o in ("fat", "fat_burst", "thin_burst") if panel.controls[o].layout.display != "none"}
        assert shown == {"mixed": {"fat"}, "alternating": {"fat_burst", "thin_burst"}}.get(name, set())
    assert "budget" not in panel.controls
    # where holes are allowed there is nothing to fill, and the box that is still ticked says nothing
    put(panel, generator="eden", fill_holes=True)
    assert "fill_holes=True" in panel.code
    put(panel, simply_connected=False)
    assert panel.controls["fill_holes"].disabled
    assert (panel.error, panel.code) == ("", "gridlab.regions.eden((12, 15), 40, rng=7)")


def test_new_seed_is_the_next_one():
    panel = show()
    before = picture(panel)
    panel.controls["new_seed"].click()
    assert panel.values["seed"] == 8
    assert panel.code.endswith("rng=8)")
    assert picture(panel) != before
    assert (again(panel) == panel.result).all()


def test_a_generator_registered_later_shows_up(monkeypatch):
    def bars(shape, area, *, periodic=False, simply_connected=False, wide=0.5, size=None, rng=None):
        mask = np.zeros(shape, bool)
        mask.flat[:area] = True
        return mask

    monkeypatch.setitem(regions.GENERATORS, "bars", bars)
    panel = show(generator="bars", wide=0.75)
    assert panel.code == "gridlab.regions.GENERATORS['bars']((12, 15), 40, wide=0.75, rng=7)"
    assert (again(panel) == panel.result).all()
    assert "wide" not in put(panel, generator="eden").code


def test_figures_are_the_measures():
    panel = show(periodic=True)
    (row,) = shapes.measure(panel.result, periodic=True).to_dict("records")
    text = re.sub("<.*?>", "", html.unescape(panel._figures.value)).replace("\xa0", " ")
    for words in (
        f"area {row['area']:.0f}",
        f"perimeter {row['perimeter']:.0f}",
        f"compactness {row['compactness']:.3f}",
    ):
        assert words in text
    # a region that winds round the torus has no radius
    full = show(area=180, periodic=True)
    assert "radius of gyration not defined" in re.sub("<.*?>", "", html.unescape(full._figures.value)).replace(
        "\xa0", " "
    )


def test_black_marks_are_the_holes_in_the_meaning_chosen(monkeypatch):
    ring = np.ones((12, 15), bool)
    ring[4, 4] = ring[0, 0] = ring[1, 1] = False  # a hole, and one that a corner joins to the outside

    def rings(shape, area, *, periodic=False, simply_connected=False, size=None, rng=None):
        return ring

    monkeypatch.setitem(regions.GENERATORS, "rings", rings)
    panel = show(generator="rings")
    for meaning, cells in ((False, 2), (4, 2), (8, 1)):
        put(panel, simply_connected=meaning)
        assert f"black: cells of holes ({meaning or 4})&nbsp;<b>{cells}</b>" in panel._figures.value
        assert f"cells of holes ({meaning or 4}) in black" in panel._picture.tooltip
        pixels = plt.imread(io.BytesIO(picture(panel)))[..., :3]
        side = 0.98 * explore.PICTURE / 15  # of a cell; the rows are fewer, and in the middle
        row, col = (int(explore.PICTURE / 2 + (1.35 - n / 2) * side) for n in ring.shape)
        assert (pixels[row, col] == 1).all() == (meaning == 8)
    assert "black" not in put(panel, generator="dfs", area=1)._figures.value


@pytest.mark.parametrize("error", [ValueError, TypeError, RuntimeError])
def test_errors_are_shown_in_words_and_pass(monkeypatch, error):
    def picky(shape, area, *, periodic=False, simply_connected=False, size=None, rng=None):
        if area > 50:
            raise error("area must be <small> & not odd")
        return regions.eden(shape, area, rng=rng)

    monkeypatch.setitem(regions.GENERATORS, "picky", picky)
    panel = show(generator="picky")
    good = picture(panel)
    put(panel, area=51)
    assert panel.error == "area must be <small> & not odd"
    assert panel._error.value.startswith('<div role="alert"')
    assert "area must be &lt;small&gt; &amp; not odd</div>" in panel._error.value
    assert "<b>" not in panel._figures.value
    assert panel.result is None
    assert panel._picture.layout.visibility == "hidden"
    assert panel._error.layout.display is None
    assert ", 51, " in panel.code
    assert "image/png" not in panel._repr_mimebundle_()
    put(panel, area=40)
    assert panel.error == panel._error.value == ""
    assert panel._picture.layout.visibility is None
    assert panel._error.layout.display == "none"
    assert picture(panel) == good


def test_uniform_says_how_it_draws_and_gives_up_in_words(monkeypatch):
    panel = show(generator="uniform", rows=9, cols=9, area=20)
    assert "drawn&nbsp;<b>exactly</b>" in panel._figures.value
    put(panel, periodic=True)
    assert "drawn&nbsp;<b>by a chain</b>" in panel._figures.value
    assert "drawn" not in put(panel, generator="eden")._figures.value
    monkeypatch.setitem(explore.growth.BUDGETS, "uniform", 1000)
    put(panel, generator="uniform")
    assert re.search(r"takes \d+ steps of a chain, more than budget=1000: raise budget", panel.error)


def test_walk_gives_up_in_words(monkeypatch):
    monkeypatch.setattr(explore.growth, "BUDGET", 10_000)
    panel = show(generator="walk", area=180)
    assert "budget" in panel.error
    assert "budget=10000" in panel.code
    with pytest.raises(RuntimeError, match="budget"):
        again(panel)
    assert put(panel, area=20).error == ""


@pytest.mark.parametrize(
    ("initial", "error", "words"),
    [
        ({"colour": 1}, TypeError, r"'colour': the panel has generator, rows, cols, area, "),
        ({"new_seed": 1}, TypeError, r"'new_seed'"),
        ({"generator": "edam"}, ValueError, r"generator must be one of 'eden', .*, got 'edam'"),
        ({"rows": 1}, ValueError, r"rows must be from 2 to 200, got 1"),
        ({"rows": 2, "periodic": True, "area": 9}, ValueError, r"rows must be from 3 to 200, got 2"),
        (
            {"rows": 5, "cols": 5, "area": 17, "periodic": True, "simply_connected": 4},
            ValueError,
            r"from 1 to 16, got 17",
        ),
        ({"cols": 3.5}, TypeError, r"cols must be an integer, from 2 to 200, got 3.5"),
        ({"area": 181}, ValueError, r"area must be from 1 to 180, got 181"),
        ({"area": 0}, ValueError, r"area must be from 1 to 180, got 0"),
        ({"periodic": 1}, TypeError, r"periodic must be True or False, got 1"),
        ({"simply_connected": 5}, ValueError, r"simply_connected must be one of False, 4, 8, got 5"),
        ({"simply_connected": 0}, ValueError, r"simply_connected must be one of False, 4, 8, got 0"),
        ({"simply_connected": True}, None, ""),
        ({"seed": -1}, ValueError, r"seed must be from 0 to 2147483647, got -1"),
        ({"fat": 2}, ValueError, r"fat must be from 0.0 to 1.0, got 2"),
        ({"fat": "half"}, TypeError, r"fat must be a number from 0.0 to 1.0, got 'half'"),
    ],
)
def test_values_to_start_from(initial, error, words):
    if error is None:
        assert show(**initial).error == ""
    else:
        with pytest.raises(error, match=words):
            show(**initial)


def test_starts_from_what_was_asked():
    panel = explore.regions(
        seed=5,
        area=33,
        generator="mixed",
        fat=0.25,
        cols=9,
        rows=8,
        periodic=True,
        simply_connected=True,
        fill_holes=True,
    )
    assert panel.code.startswith("gridlab.regions.mixed((8, 9), 33, periodic=True, simply_connected=4, ")
    assert {"fat=0.25", "fill_holes=True", "rng=5)"} <= set(panel.code.split(", "))
    assert (again(panel) == panel.result).all()


def test_bundle_has_view_picture_and_call():
    panel = show()
    bundle = panel._repr_mimebundle_()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == panel.model_id
    assert base64.b64decode(bundle["image/png"]) == picture(panel)
    assert bundle["text/plain"] == panel.code
    put(panel, area=50)
    assert base64.b64decode(panel._repr_mimebundle_()["image/png"]) == picture(panel)


def test_leaves_pyplot_settings_and_global_randomness_alone():
    settings, state = dict(mpl.rcParams), np.random.get_state()[1].copy()  # noqa: NPY002
    put(show(), generator="dfs", area=50)
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == settings
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002


def test_parts_have_classes_labels_and_tooltips():
    panel = show()

    def below(widget):
        yield widget
        for child in getattr(widget, "children", ()):
            yield from below(child)

    classes = [name for widget in below(panel) for name in widget._dom_classes]
    assert len(set(classes)) == len(classes)
    parts = {"panel", "controls", "picture", "figures", "code", "error"}
    assert set(classes) == {f"gridlab-{name.replace('_', '-')}" for name in parts | set(panel.controls)}
    for control in panel.controls.values():
        assert control.description
        assert control.tooltip
    assert "12×15" in panel._picture.tooltip
    assert "aria-label" in panel._code.value
    assert "readonly" in panel._code.value
