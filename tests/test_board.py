"""The playable grid without a browser: what is sent to the page, and what is heard from it."""

import subprocess
import sys

import numpy as np
import pytest

from gridlab import board
from gridlab.board import Grid, Look

pytestmark = pytest.mark.once

LOOKS = [
    Look("empty", "white"),
    Look("two", "#eee", text="2", ink="blue"),
    Look("dot", "white", paths=[("M0 0Z", "red")]),
]


def make(codes=((0, 1, 2), (2, 1, 0)), **more):
    heard = []
    listen = {
        "on_click": lambda *args: heard.append(("click", *args)),
        "on_key": lambda *args: heard.append(("key", *args)),
    }
    return Grid(codes, LOOKS, label="a grid", keys=["f", " "], **listen | more), heard


def hear(grid, **message):
    """Let the grid hear what the browser would send."""
    grid._handle_custom_msg({"shape": [grid.rows, grid.cols], "cell": 0} | message, [])


def test_state_for_the_browser():
    grid, _ = make()
    assert (grid.rows, grid.cols, grid.cursor) == (2, 3, 0)
    assert grid.codes == bytes([0, 1, 2, 2, 1, 0])
    assert grid.looks[1] == {"label": "two", "fill": "#eee", "text": "2", "ink": "blue", "paths": [], "raised": False}
    assert grid.looks[2]["paths"] == [["M0 0Z", "red"]]
    assert (grid.label, grid.hotkeys, grid.width, grid.height) == ("a grid", ["f", " "], 700, 700)
    sent = grid.get_state()
    for name in ("rows", "cols", "codes", "texts", "walls", "looks", "cursor", "label", "hotkeys", "width", "height"):
        assert name in sent
    assert "export default" in sent["_esm"]
    assert "http" not in sent["_esm"], "works without a network"


def test_show_sends_one_message():
    grid, _ = make()
    sent = []
    grid.send_state = lambda key=None: sent.append(set(key))
    grid.show([[1]], texts=[["12"]], walls=[[3]], label="smaller", width=300)
    assert len(sent) == 1
    assert sent[0] == {"rows", "cols", "codes", "texts", "walls", "label", "width"}
    assert (grid.codes, grid.texts, grid.walls, grid.width) == (b"\x01", ["12"], b"\x03", 300)
    grid.show([[1]])
    assert (grid.texts, grid.walls, grid.label) == ([], b"", "smaller")


def test_cursor_stays_on_the_grid():
    grid, _ = make()
    grid.cursor = 5
    grid.show([[0, 0], [0, 0], [0, 0]])
    assert grid.cursor == 5
    grid.show([[0, 0]])
    assert grid.cursor == 0
    grid.show([[0, 0]], cursor=1)
    assert grid.cursor == 1


def test_clicks_and_keys_are_passed_on():
    grid, heard = make()
    for button in (0, 1, 2):
        hear(grid, type="click", cell=4, button=button, shift=button == 1, ctrl=False, alt=False)
    hear(grid, type="key", cell=5, key="f", shift=False, ctrl=True, alt=True)
    assert heard == [
        ("click", 4, 0, set()),
        ("click", 4, 1, {"shift"}),
        ("click", 4, 2, set()),
        ("key", 5, "f", {"ctrl", "alt"}),
    ]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "click", "button": 0, "cell": 6},
        {"type": "click", "button": 0, "cell": -1},
        {"type": "click", "button": 0, "cell": 1.0},
        {"type": "click", "button": 0, "cell": None},
        {"type": "click", "button": 0, "cell": True},
        {"type": "click", "button": 5},
        {"type": "click"},
        {"type": "key", "key": "x"},
        {"type": "key"},
        {"type": "click", "button": 0, "shape": [3, 2]},
        {},
    ],
)
def test_what_is_no_message_is_dropped(message):
    grid, heard = make()
    hear(grid, **message)
    grid._handle_custom_msg("click", [])
    assert heard == []


def test_nobody_has_to_listen():
    grid, _ = make(on_click=None, on_key=None)
    hear(grid, type="click", button=0)
    hear(grid, type="key", key="f")


@pytest.mark.parametrize(
    ("codes", "more", "error", "words"),
    [
        ([[3]], {}, ValueError, "codes must be from 0 to 2, got values from 3 to 3"),
        ([[-1]], {}, ValueError, "codes must be from 0 to 2"),
        ([[0.5]], {}, TypeError, "codes must be integers from 0 to 2, got dtype float64"),
        ([0], {}, ValueError, r"codes must have shape \(rows, cols\)"),
        (np.zeros((0, 3), int), {}, ValueError, "codes must have 1 to 100 rows and columns, got 0x3"),
        (np.zeros((3, 101), int), {}, ValueError, "codes must have 1 to 100 rows and columns, got 3x101"),
        ([[0]], {"texts": [["a", "b"]]}, ValueError, r"texts must have the shape of codes, \(1, 1\), got \(1, 2\)"),
        ([[0]], {"walls": [[1], [1]]}, ValueError, "walls must have the shape of codes"),
        ([[0]], {"walls": [[4]]}, ValueError, "walls must be from 0 to 3"),
    ],
)
def test_what_is_refused_changes_nothing(codes, more, error, words):
    grid, _ = make()
    before = grid.get_state()
    with pytest.raises(error, match=words):
        grid.show(codes, **more)
    assert grid.get_state() == before


def test_number_of_looks():
    for looks in ([], LOOKS[:1] * 257):
        with pytest.raises(ValueError, match=f"looks must be 1 to 256, got {len(looks)}"):
            Grid([[0]], looks, label="")
    assert len(Grid([[255]], LOOKS[:1] * 256, label="").looks) == 256


def test_largest():
    grid, _ = make(np.ones((board.LARGEST, board.LARGEST), int))
    assert len(grid.codes) == board.LARGEST**2


def test_knows_no_game():
    """The grid is for every game: it loads nothing of the package."""
    code = "import sys, gridlab.board; print(sorted(m for m in sys.modules if m.startswith('gridlab')))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['gridlab', 'gridlab.board']"
