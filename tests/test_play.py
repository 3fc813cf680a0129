"""The panel to play minesweeper, without a browser."""

import base64
import html
import io
import re
import threading

import matplotlib.pyplot as plt
import numpy as np
import pytest

import gridlab
from gridlab import explore, mines
from gridlab.explore import play, timers

pytestmark = pytest.mark.once

SEED = 20261130


@pytest.fixture
def clock(monkeypatch):
    """Return a list whose last value is the time."""
    times = [100.0]
    monkeypatch.setattr(timers.time, "monotonic", lambda: times[-1])
    return times


def show(**initial):
    return explore.minesweeper(**initial)


def put(panel, **values):
    for name, value in values.items():
        panel.controls[name].value = value
    return panel


def click(panel, cell, button=0, **modifiers):
    panel.grid._handle_custom_msg(
        {"type": "click", "shape": [panel.grid.rows, panel.grid.cols], "cell": cell, "button": button} | modifiers, []
    )


def press(panel, cell, key):
    panel.grid._handle_custom_msg(
        {"type": "key", "shape": [panel.grid.rows, panel.grid.cols], "cell": cell, "key": key}, []
    )


def seen(panel):
    """Return what the grid shows."""
    return np.frombuffer(panel.grid.codes, np.uint8).reshape(panel.grid.rows, panel.grid.cols)


def words(widget):
    """Return the text of a piece of HTML."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", widget.value)).split())


def again(panel):
    """Do what the code field says."""
    field = html.unescape(re.search(r">(.*)</textarea>", panel._code.value).group(1))
    assert field == panel.code
    return eval(field, {"gridlab": gridlab})


def finish(panel, button=0):
    """Open all free cells, in the order of reading."""
    for cell in np.flatnonzero(~panel.game.board).tolist():
        if not panel.game.open.flat[cell]:
            click(panel, cell, button)


# ---- a game


@pytest.mark.parametrize("opening", [False, True])
@pytest.mark.parametrize("level", mines.LEVELS)
def test_code_makes_the_board_again(level, opening):
    panel = show(level=level, opening=opening, seed=SEED)
    shape, n_mines = mines.LEVELS[level]
    game = again(panel)
    assert isinstance(game, mines.Game)
    cell = 3 * shape[1] + 4
    game.reveal(cell)
    click(panel, cell)
    assert panel.code.startswith(f"gridlab.mines.floyd({shape}, {n_mines}, safe=")
    board = again(panel)
    assert (board == panel.game.board).all()
    assert (board == game.board).all()
    assert board.sum() == n_mines
    assert not board[3, 4]
    assert not opening or not board[2:5, 3:6].any()


def test_a_win(clock):
    panel = show(seed=SEED)
    assert words(panel._mines) == "mines left 10 time"
    assert words(panel._result) == ""
    clock.append(150.0)  # thinking costs nothing before the first click
    click(panel, 40)
    assert panel._clock.text == "0 s"
    clock.append(162.34)
    finish(panel)
    assert panel.game.won
    bbbv = mines.bbbv(panel.game.board)
    assert words(panel._result) == f"won in 12.3 s 3BV {bbbv}"
    assert panel._clock.text == "12.3 s"
    assert words(panel._mines) == "mines left 0 time", "the mines get their flags"
    clock.append(500.0)
    before = seen(panel).copy()
    for button in (0, 1, 2):
        click(panel, 0, button)
    press(panel, 3, "f")
    assert (seen(panel) == before).all()
    assert words(panel._result).startswith("won in 12.3 s"), "the clock has stopped"


def test_a_loss(clock):
    panel = show(seed=SEED)
    click(panel, 40)
    mine, other = np.flatnonzero(panel.game.board)[:2].tolist()
    click(panel, mine, 2)
    clock.append(103.0)
    click(panel, other)
    assert panel.game.lost
    assert words(panel._result) == f"lost 3BV {mines.bbbv(panel.game.board)}"
    assert panel._clock.text == "3.0 s"
    assert seen(panel).flat[other] == mines.HIT
    assert seen(panel).flat[mine] == mines.FLAG


def given(board):
    """Return a panel with a game of a given board."""
    panel = show()
    panel.game = mines.Game.of(board)
    panel._show()
    return panel


def test_buttons_and_modifiers():
    panel = given([[0, 1, 0, 0, 0]])
    click(panel, 0)
    assert seen(panel).tolist() == [[1, 10, 10, 10, 10]]
    click(panel, 1, 1)
    assert seen(panel)[0, 1] == mines.HIDDEN, "the middle button opens nothing hidden"
    for more in ({"button": 2}, {"button": 0, "shift": True}, {"button": 0, "ctrl": True}):
        click(panel, 1, **more)
        assert seen(panel)[0, 1] == mines.FLAG
        click(panel, 1)
        assert seen(panel)[0, 1] == mines.FLAG, "a flag protects its cell"
        click(panel, 1, **more)
        assert seen(panel)[0, 1] == mines.HIDDEN
    click(panel, 2)
    click(panel, 2)
    assert seen(panel).tolist() == [[1, 10, 1, 10, 10]], "no chord without the flag"
    click(panel, 1, 2)
    click(panel, 2, 2)
    assert seen(panel).tolist() == [[1, 11, 1, 10, 10]], "the right button is for flags"
    click(panel, 2, 1)
    assert panel.game.won
    assert seen(panel).tolist() == [[1, 11, 1, 0, 0]]


@pytest.mark.parametrize("more", [{"button": 0}, {"button": 1}, {"button": 0, "shift": True}])
def test_every_way_to_chord(more):
    panel = given([[0, 1, 0, 0]])
    click(panel, 2)
    click(panel, 1, 2)
    click(panel, 2, **more)
    assert seen(panel).tolist() == [[10, 11, 1, 0]]


def test_keys():
    panel = show(seed=5)
    press(panel, 0, "f")
    assert seen(panel)[0, 0] == mines.FLAG
    press(panel, 0, "f")
    press(panel, 40, "Enter")
    assert panel.game.first == 40
    press(panel, 0, "n")
    assert panel.values["seed"] == 6
    assert (seen(panel) == mines.HIDDEN).all()
    press(panel, 41, " ")
    assert panel.game.first == 41


# ---- new games


def test_first_click_never_hits_a_mine():
    panel = show(rows=4, cols=4, n_mines=15)
    rng = np.random.default_rng(SEED)
    for _ in range(100):
        click(panel, int(rng.integers(16)))
        assert panel.game.won, "one free cell, and it is the one that was clicked"
        panel.new_game()
    assert panel.values["seed"] == 107


def test_new_game_and_restart():
    panel = show(seed=3)
    click(panel, 40)
    first = panel.game.board
    panel.controls["again"].click()
    assert panel.values["seed"] == 3
    assert not panel.game.started
    assert panel._clock.text == "0 s"
    click(panel, 40)
    assert (panel.game.board == first).all()
    panel.controls["new_game"].click()
    assert panel.values["seed"] == 4
    click(panel, 40)
    assert (panel.game.board != first).any()
    panel = show(seed=2**31 - 1)
    panel.new_game()
    assert panel.values["seed"] == 0


def test_levels_and_sizes_go_together():
    panel = show()
    click(panel, 40)
    put(panel, level="expert")
    assert [panel.values[name] for name in ("rows", "cols", "n_mines")] == [16, 30, 99]
    assert seen(panel).shape == (16, 30)
    assert not panel.game.started
    put(panel, rows=20)
    assert panel.values["level"] == "custom"
    assert seen(panel).shape == (20, 30)
    put(panel, rows=16)
    assert panel.values["level"] == "expert"
    click(panel, 40)
    put(panel, level="custom")
    assert panel.game.started, "the name alone changes nothing"
    assert show(level="expert", n_mines=100).values["level"] == "custom"
    assert show(rows=16, cols=16, n_mines=40).values["level"] == "intermediate"
    assert show(level="intermediate").game.shape == (16, 16)


def test_every_change_begins_one_game():
    panel = show()
    begun, make = [], panel._begin
    panel._begin = lambda: begun.append(1) or make()
    values = {"level": "expert", "rows": 20, "cols": 20, "n_mines": 9, "opening": True, "seed": 8}
    for name, value in values.items():
        put(panel, **{name: value})
        assert len(begun) == 1, name
        begun.clear()
        assert panel.game.shape == (panel.values["rows"], panel.values["cols"])
        assert (panel.game.n_mines, panel.game.opening) == (panel.values["n_mines"], panel.values["opening"])


def test_what_is_impossible_is_said_in_words():
    panel = show(rows=4, cols=4, n_mines=8)
    assert panel.error == ""
    put(panel, opening=True)
    assert panel.error == "n_mines must be from 0 to 7 on 4x4 cells with a free opening at any first click, got 8"
    assert words(panel._error) == panel.error
    assert 'role="alert"' in panel._error.value
    assert panel.grid.layout.display == panel._figures.layout.display == "none"
    click(panel, 0)
    press(panel, 0, "f")
    panel.reveal(0)
    assert panel.game is None
    assert "image/png" not in panel._repr_mimebundle_()
    put(panel, n_mines=7)
    assert panel.error == words(panel._error) == ""
    assert panel.grid.layout.display is None
    click(panel, 0)
    assert panel.game.started


@pytest.mark.parametrize("shape", [(1, 1), (1, 100), (100, 1), (2, 2), (100, 100)])
def test_every_size(shape):
    panel = show(rows=shape[0], cols=shape[1], n_mines=0)
    click(panel, shape[0] * shape[1] - 1)
    assert panel.game.won
    assert (seen(panel) == 0).all()
    assert seen(panel).shape == shape
    assert panel.grid.width == (404 if shape[1] <= 16 else 700)


@pytest.mark.parametrize(
    ("initial", "error", "words"),
    [
        (
            {"columns": 3},
            TypeError,
            "unexpected keyword 'columns': the panel has level, rows, cols, n_mines, opening, seed",
        ),
        ({"level": "easy"}, ValueError, "level must be one of 'beginner', .*, got 'easy'"),
        ({"rows": 0}, ValueError, "rows must be from 1 to 100, got 0"),
        ({"cols": 101}, ValueError, "cols must be from 1 to 100, got 101"),
        ({"n_mines": 1.5}, TypeError, "n_mines must be an integer"),
        ({"opening": 1}, TypeError, "opening must be True or False, got 1"),
        ({"seed": -1}, ValueError, "seed must be from 0"),
    ],
)
def test_what_is_refused(initial, error, words):
    with pytest.raises(error, match=words):
        show(**initial)


# ---- what is around it


def test_a_hidden_board_and_one_of_every_look():
    """What the grid's looks say is what the values of a game mean."""
    labels = [look.label for look in play.LOOKS]
    assert labels[:9] == ["empty", *"12345678"]
    assert labels[mines.MINE] == "mine"
    assert labels[mines.HIDDEN] == "hidden"
    assert labels[mines.FLAG] == "flag"
    assert labels[mines.WRONG] == "wrong flag"
    assert labels[mines.HIT] == "mine that was hit"
    assert [look.text for look in play.LOOKS[1:9]] == [*"12345678"]


def test_the_clock_tells_whoever_asks(clock):
    panel = show()
    told = []
    panel._clock.send = lambda content, buffers=None: told.append(content)
    panel._clock._handle_custom_msg("ask", [])
    assert told == [{"seconds": 0.0, "running": False, "text": "0 s"}]
    click(panel, 40)
    clock.append(105.5)
    panel._clock._handle_custom_msg("ask", [])
    assert told[1:] == [
        {"seconds": 0.0, "running": True, "text": "0 s"},
        {"seconds": 5.5, "running": True, "text": "5 s"},
    ]
    finish(panel)
    assert told[-1] == {"seconds": 5.5, "running": False, "text": "5.5 s"}
    panel.new_game()
    assert told[-1] == {"seconds": 0.0, "running": False, "text": "0 s"}
    assert len(told) == 5, "moves in between are not told"


def test_a_panel_leaves_no_trace():
    threads, state = threading.active_count(), np.random.get_state()[1].copy()  # noqa: NPY002
    panel = show()
    click(panel, 40)
    finish(panel)
    panel._repr_mimebundle_()
    assert threading.active_count() == threads
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    assert plt.get_fignums() == []


def test_moves_make_no_new_widgets():
    panel = show(level="expert")
    click(panel, 100)
    made = []
    play.widgets.Widget.on_widget_constructed(made.append)
    try:
        for cell in range(50):
            click(panel, cell, 2)
        assert made == []
        show()
        assert made, "they are counted"
    finally:
        play.widgets.Widget.on_widget_constructed(None)


def test_picture_where_there_is_no_kernel():
    panel = show(seed=2)
    panel.reveal((4, 4))
    bundle = panel._repr_mimebundle_()
    assert bundle["text/plain"] == panel.code
    pixels = plt.imread(io.BytesIO(base64.b64decode(bundle["image/png"])))
    assert pixels.shape[:2] == (270, 270)
    # a corner of each cell, clear of its sign: as light as open cells are
    at = np.rint((0.01 + 0.98 * (np.arange(9) + 0.1) / 9) * 270).astype(int)
    light = (pixels[at][:, at, :3] > 0.95).all(-1)
    assert (light == panel.game.open).all()
