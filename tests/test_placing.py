"""Tests of the panels of mine placement, without a browser."""

import io

import matplotlib.image
import numpy as np
import pandas as pd
import pytest

import gridlab
from gridlab import explore, laws, mines, published, uniformity
from gridlab.explore import placing
from gridlab.uniformity import results

pytestmark = pytest.mark.once

SMALL = {"level": "custom", "rows": 6, "cols": 8, "n_mines": 12, "boards": 300}
PANELS = {"uniformity": explore.uniformity, "swaps": explore.swaps}


@pytest.fixture(autouse=True)
def few_replicates(monkeypatch):
    """Draw less for Monte Carlo p-values: no test here looks at them."""
    monkeypatch.setattr(results, "REPLICATES", 9)


def put(panel, **values):
    for name, value in values.items():
        panel.controls[name].value = value
    return panel


def again(panel):
    """Do what the code field says and return the value of its last line."""
    *before, last = panel.code.splitlines()
    names = {"gridlab": gridlab}
    exec("\n".join(before), names)
    return eval(last, names)


def same(one, other):
    return one.equals(other) if isinstance(one, pd.DataFrame) else np.array_equal(one, other)


@pytest.mark.parametrize("name", PANELS)
def test_the_code_reproduces_the_result_after_every_step_of_a_control(name):
    panel = PANELS[name](**SMALL)
    assert not panel.error
    assert same(panel.result, again(panel))
    for control, value in [("rows", 7), ("cols", 9), ("n_mines", 20), ("swaps", 30), ("boards", 1000), ("seed", 8)]:
        before, picture = panel.result, panel._picture.value
        put(panel, **{control: value})
        assert not panel.error
        assert not same(before, panel.result), control
        assert panel._picture.value != picture
        assert same(panel.result, again(panel))
    panel.controls["new_seed"].click()
    assert panel.values["seed"] == 9


@pytest.mark.parametrize("name", [*mines.PLACERS, *placing.WRONG])
def test_every_placer_can_be_tested(name):
    panel = explore.uniformity(**SMALL, placer=name)
    assert not panel.error
    assert same(panel.result, again(panel))
    assert panel.result["boards"].unique().tolist() == [100, 300]
    assert ("swaps=" in panel.code) == (name == "swap") == (panel.controls["swaps"].layout.display is None)


def test_the_panel_shows_what_the_report_says():
    panel = explore.uniformity(level="beginner", placer="swap", swaps=50, boards=300)
    boards = mines.swap((9, 9), 10, swaps=50, size=300, rng=7)
    report = uniformity.report(boards, rng=7).set_index("test")
    last = panel.result[panel.result["boards"] == 300].set_index("test")
    assert last.loc["cells", "pvalue"] == report.loc["cells", "pvalue"] < 1e-6
    assert f"cells&nbsp;<b>{report.loc['cells', 'adjusted']:.2g}</b>" in panel._figures.value
    assert "not fair at 1%, by&nbsp;<b>cells, pairs, " in panel._figures.value
    assert "no fault seen at&nbsp;<b>1%</b>" in explore.uniformity(level="beginner", placer="floyd")._figures.value
    few = explore.uniformity(level="beginner", placer="collide")
    assert few._figures.value.count("<b>") == 1
    assert "not fair at 1%, by&nbsp;<b>count</b>" in few._figures.value


@pytest.mark.parametrize("name", PANELS)
def test_sides_or_mines_alone_make_a_board_of_ones_own(name):
    panel = PANELS[name](rows=12, cols=20, n_mines=40, boards=100)
    assert panel.values["level"] == "custom"
    assert "(12, 20), 40" in panel.code
    assert PANELS[name](n_mines=7).values["level"] == "custom"
    assert PANELS[name](level="beginner", rows=12, boards=100).values["level"] == "beginner"


def test_swaps_show_measured_and_exact_shares():
    panel = explore.swaps(level="expert", swaps=100, boards=1000)
    start, elsewhere = laws.swap_chances(480, 99, 100)
    first = panel.result.ravel()[:99]
    assert abs(first.mean() - start) < 5 * 0.5 / np.sqrt(99 * 1000)
    assert f"measured&nbsp;<b>{first.mean():.4f}, exact {start:.4f}</b>" in panel._figures.value
    assert f"{elsewhere:.4f}</b>" in panel._figures.value
    assert "swaps for 0.01&nbsp;<b>1623</b>" in panel._figures.value
    height, width = matplotlib.image.imread(io.BytesIO(panel._picture.value)).shape[:2]
    assert (width, height) == (explore.PICTURE, 640)


@pytest.mark.parametrize("name", PANELS)
def test_sides_and_mines_are_asked_for_only_where_they_count_and_are_bounded(name):
    panel = PANELS[name](level="beginner", boards=100)
    assert [panel.controls[side].layout.display for side in ("rows", "cols", "n_mines")] == ["none"] * 3
    put(panel, level="custom", rows=3, cols=4)
    assert [panel.controls[side].layout.display for side in ("rows", "cols", "n_mines")] == [None] * 3
    assert panel.controls["n_mines"].max == panel.controls["n_mines"].value == 12
    for rows, cols, n_mines in [(3, 4, 0), (1, 1, 0), (1, 1, 1), (1, 12, 5), (12, 1, 11)]:
        put(panel, rows=rows, cols=cols, n_mines=n_mines)
        assert not panel.error
        assert same(panel.result, again(panel))


@pytest.mark.parametrize("name", PANELS)
def test_wrong_values_to_start_from_are_refused(name):
    with pytest.raises(TypeError, match="unexpected keyword 'shape'"):
        PANELS[name](shape=(9, 9))
    with pytest.raises(ValueError, match=r"level must be one of 'beginner', .*got 'hard'"):
        PANELS[name](level="hard")
    with pytest.raises(ValueError, match=r"boards must be one of 100, .*got 7"):
        PANELS[name](boards=7)
    with pytest.raises(ValueError, match="n_mines must be from 0 to 48, got 49"):
        PANELS[name](**SMALL | {"n_mines": 49})


def test_a_new_placer_needs_no_other_step(monkeypatch):
    monkeypatch.setitem(mines.PLACERS, "newcomer", mines.shuffle)
    panel = explore.uniformity(**SMALL, placer="newcomer")
    assert same(panel.result, again(panel))
    assert all(name.removesuffix(" (published)") in published.PLACERS for name in placing.WRONG)


@pytest.mark.parametrize("name", PANELS)
@pytest.mark.parametrize(
    ("rows", "cols", "n_mines"), [(16, 30, 99), (1, 40, 8), (40, 1, 8), (2, 2, 2), (40, 40, 256), (1, 1, 0), (3, 3, 9)]
)
def test_nothing_is_cut_off_at_the_edge_of_the_picture(name, rows, cols, n_mines):
    panel = PANELS[name](level="custom", rows=rows, cols=cols, n_mines=n_mines, swaps=500, boards=300)
    picture = matplotlib.image.imread(io.BytesIO(panel._picture.value))
    for edge in (picture[:2], picture[-2:], picture[:, :2], picture[:, -2:]):
        assert (edge == 1).all()
