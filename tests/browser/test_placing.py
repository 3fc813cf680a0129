"""The panels of mine placement in the page of a notebook, by keyboard."""

import pytest
from playwright.sync_api import expect

from .test_panels import Panel

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("swaps", r"swap\(\(16, 30\), 99, swaps=500, size=1000, rng=7\)\.mean\(0\)$", "swaps=501, "),
        (
            "uniformity",
            r"mines\.swap\(\(16, 30\), 99, swaps=1000, size=1000, rng=7\)\n",
            "swaps=1001, ",
        ),
    ],
)
def test_a_slider_leads_to_another_picture_and_call(open_notebook, name, before, after):
    notebook = open_notebook([f"import gridlab\n\ngridlab.explore.{name}()"])
    assert notebook.run() == []
    panel = Panel(notebook)
    panel.code(before)
    first = panel.picture()
    panel.part("swaps", ".noUi-handle").press("ArrowRight")
    panel.code(after)
    expect(panel.part("error")).to_be_hidden()
    assert panel.picture() != first
    panel.part("level", "select").select_option("beginner")
    panel.code(r"\(9, 9\), 10, ")
    assert notebook.errors() == []
    box = panel.part("picture").bounding_box()
    assert box["x"] + box["width"] <= notebook.page.viewport_size["width"]
