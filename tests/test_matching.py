"""The panel to play match-3, without a browser."""

import base64
import html
import io
import re
import threading

import matplotlib.pyplot as plt
import numpy as np
import pytest

import gridlab
from gridlab import components, explore, match3, plot
from gridlab.explore import matching

pytestmark = pytest.mark.once

SEED = 20261130
N = len(plot.TILES)


def show(**initial):
    return explore.match3(**initial)


def put(panel, **values):
    for name, value in values.items():
        panel.controls[name].value = value
    return panel


def click(panel, cell, button=0):
    panel.grid._handle_custom_msg(
        {"type": "click", "shape": [panel.grid.rows, panel.grid.cols], "cell": cell, "button": button}, []
    )


def press(panel, cell, key):
    panel.grid._handle_custom_msg(
        {"type": "key", "shape": [panel.grid.rows, panel.grid.cols], "cell": cell, "key": key}, []
    )


def tick(panel):
    panel._ticker._handle_custom_msg("next", [])


def codes(panel):
    return np.frombuffer(panel.grid.codes, np.uint8).reshape(panel.grid.rows, panel.grid.cols)


def colours(panel):
    """Return the colours that the grid shows, -1 on an empty cell."""
    seen = codes(panel).astype(int)
    return np.where(seen == matching.EMPTY, -1, seen % N)


def marked(panel):
    """Return the marks that the grid shows, as the words of its looks, by flat index of the cells that have one."""
    labels = [panel.grid.looks[code]["label"].split(", ") for code in codes(panel).ravel()]
    return {cell: label[1] for cell, label in enumerate(labels) if len(label) > 1}


def words(widget):
    """Return the text of a piece of HTML."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", widget.value)).split())


def again(panel):
    """Do what the code field says."""
    field = html.unescape(re.search(r">(.*)</textarea>", panel._code.value).group(1))
    assert field == panel.code
    return eval(field, {"gridlab": gridlab})


def move(game, which=0):
    """Return the two cells of a move, as flat indices."""
    row, col, below = np.argwhere(game.hints)[which].tolist()
    cell = row * game.shape[1] + col
    return cell, cell + (game.shape[1] if below else 1)


def turn(panel):
    """Take the first turn there is."""
    if panel.game.rule == "lines":
        panel.swap(*move(panel.game))
    else:
        panel.pop(int(panel.game.hints.argmax()))


def no_move(game):
    """Return two neighbours that are no move."""
    row, col = np.argwhere(~game.hints[:, :-1, 0])[0].tolist()
    cell = row * game.shape[1] + col
    return cell, cell + 1


def given(board, n_colours=None, **values):
    """Return a panel with a game of a given board."""
    rule, refill = values.get("rule", "lines"), values.get("refill", True)
    panel = show(animate=False, **values)
    panel.game = match3.Game.of(board, n_colours, rule=rule, refill=refill, rng=SEED)
    panel._settle("")
    return panel


LATIN = [[0, 1, 2], [2, 0, 1], [1, 2, 0]]


# ---- turns


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"rule": "groups", "n_colours": 4},
        {"rows": 6, "cols": 9, "n_colours": 5, "length": 4, "seed": 12},
        {"rule": "groups", "refill": False},
        {"refill": False},
    ],
)
def test_code_makes_the_game_again(values):
    panel = show(animate=False, **values)
    game = again(panel)
    assert isinstance(game, match3.Game)
    for _ in range(3):
        if game.over:
            break
        cells = move(game) if game.rule == "lines" else [int(game.hints.argmax())]
        for cell in cells:
            click(panel, cell)
        (game.swap if game.rule == "lines" else game.pop)(*cells)
        assert (panel.game.board == game.board).all()
        assert (colours(panel) == game.board).all()
        assert words(panel._figures) == f"score {game.score} turns {game.turns} moves left {game.n_moves}"
    assert game.turns


def test_a_cell_is_selected_moved_and_taken_off():
    panel = show(seed=3)
    start = codes(panel).copy()
    click(panel, 9)
    assert marked(panel) == {9: "selected"}
    for cell in (18, 20, 4, 30):  # a corner is shared, two cells on, two cells up, anywhere
        click(panel, cell)
        assert marked(panel) == {cell: "selected"}, "elsewhere: the selection goes there"
    click(panel, 30)
    assert marked(panel) == {}
    click(panel, 7)
    click(panel, 8)
    assert marked(panel) == {8: "selected"}, "the last cell of a row and the first of the next are no neighbours"
    for button in (1, 2):
        click(panel, 8, button)
    assert marked(panel) == {8: "selected"}
    click(panel, 8)
    assert (codes(panel) == start).all()
    assert panel.game.turns == 0


def test_an_illegal_swap_changes_nothing():
    panel = show(seed=3)
    before = codes(panel).copy()
    for cell in no_move(panel.game):
        click(panel, cell)
    assert panel.game.turns == panel.game.score == 0
    assert (codes(panel) == before).all()
    assert words(panel._result) == "no line comes of that swap"
    assert panel._watch.layout.visibility == "hidden"
    click(panel, 0)
    assert words(panel._result) == ""


def test_a_small_group_is_not_taken():
    panel = show(rule="groups", seed=3)
    click(panel, int(panel.game.hints.argmin()))
    assert panel.game.turns == 0
    assert words(panel._result) == "a group needs at least 3 cells"


def test_keys():
    panel = show(seed=3, animate=False)
    one, other = move(panel.game)
    press(panel, one, "Enter")
    assert marked(panel) == {one: "selected"}
    press(panel, other, " ")
    assert panel.game.turns == 1
    press(panel, 0, "u")
    assert panel.game.turns == 0
    assert not (panel.game.board != again(panel).board).any()
    press(panel, 0, "u")
    assert words(panel._result) == "nothing to take back"
    press(panel, 0, "h")
    assert set(marked(panel).values()) == {"hint"}
    press(panel, 0, "n")
    assert panel.values["seed"] == 4
    assert marked(panel) == {}


@pytest.mark.parametrize("rule", ["lines", "groups"])
def test_hints_go_through_all_moves(rule):
    panel = show(rule=rule, seed=5)
    game, seen = panel.game, set()
    for _ in range(game.n_moves):
        panel.controls["hint"].click()
        cells = tuple(marked(panel))
        if rule == "lines":
            assert match3.Game.of(game.board).swap(*cells)
        else:
            labels = components.label(game.board).ravel()
            assert (np.flatnonzero(labels == labels[cells[0]]) == cells).all()
            assert len(cells) >= 3
        seen.add(cells)
    assert len(seen) == game.n_moves
    panel.hint()
    assert tuple(marked(panel)) == min(seen), "and again from the first"
    click(panel, 0 if rule == "lines" else int(game.hints.argmax()))
    assert "hint" not in marked(panel).values()


def test_no_moves_left_and_reshuffle():
    panel = given(LATIN)
    assert words(panel._result) == "no moves left : reshuffle, undo or begin a new game"
    panel.hint()
    assert marked(panel) == {}
    panel.controls["reshuffle"].click()
    assert words(panel._result) == "the same cells, reshuffled"
    assert np.bincount(colours(panel).ravel()).tolist() == [3, 3, 3]
    assert panel.game.n_moves
    panel.controls["undo"].click()
    assert colours(panel).tolist() == LATIN
    panel = given(np.arange(6).reshape(2, 3))
    panel.reshuffle()
    assert words(panel._result) == "these cells admit no move: a new board"
    assert panel.game.n_moves
    panel = given([[0, 1]])
    panel.reshuffle()
    assert "1x2" in words(panel._result)
    assert colours(panel).tolist() == [[0, 1]]


def test_an_end_without_refill():
    panel = given([[0, 0, 0, 1, 1]], rule="groups", refill=False)
    assert panel.controls["reshuffle"].disabled
    panel.reshuffle()
    click(panel, 1)
    assert colours(panel).tolist() == [[-1, -1, -1, 1, 1]]
    assert words(panel._result) == "no moves left : 2 cells stay"
    click(panel, 0)
    assert panel.game.turns == 1, "an empty cell is no group"
    panel = given([[0, 0, 0]], rule="groups", refill=False)
    click(panel, 1)
    assert words(panel._result) == "all cells cleared"
    panel = given([[0, -1, 0, 1, 0]], refill=False)
    click(panel, 1)
    assert marked(panel) == {}, "an empty cell is not selected"


def test_a_cascade_that_is_cut_is_told():
    panel = show(animate=False)
    panel.game = next(
        game
        for game in (match3.Game((6, 6), 2, limit=1, rng=seed) for seed in range(100))
        if game.swap(*move(game)) and not game.settled and not game.over and game.undo()
    )
    panel.swap(*move(panel.game))
    assert words(panel._result) == "stopped after 1 steps: it goes on with the next turn"


# ---- watching


@pytest.mark.parametrize(("rule", "refill"), [("lines", True), ("lines", False), ("groups", True), ("groups", False)])
def test_a_turn_step_by_step(rule, refill):
    """What the slider shows are the stages of the game, and the end is its board."""
    panel = show(rule=rule, refill=refill, seed=3)
    before = panel.game.board
    if rule == "lines":
        chosen = move(panel.game)
        panel.swap(*chosen)
    else:
        panel.pop(int(panel.game.hints.argmax()))
        chosen = np.flatnonzero(panel.game.stages[0].labels)
    stages = panel.game.stages
    assert panel._ticker.running
    assert panel._stage.value == 1, "a click is answered at once by what it clears"
    parts = 4 if refill else 3
    assert panel._stage.max == parts * len(stages)
    assert panel._watch.layout.visibility is None
    panel._stage.value = 0
    assert not panel._ticker.running, "who moves the slider stops the film"
    assert (colours(panel) == before).all()
    assert marked(panel) == dict.fromkeys(map(int, chosen), "selected")
    assert words(panel._words) == "before turn 1"
    for k, stage in enumerate(stages):
        n = int((stage.labels > 0).sum())
        texts = [f"{n} cells clear", f"{n} cells cleared", "the others fall", f"{n} come in"]
        for part, text in enumerate(texts[:parts]):
            panel._stage.value = 1 + parts * k + part
            picture = [stage.board, stage.cleared, stage.fallen, stage.refilled][part]
            assert (colours(panel) == picture).all()
            assert words(panel._words).startswith(f"step {k + 1} of {len(stages)}: {text.split(' come')[0]}")
            cells = np.flatnonzero(stage.labels).tolist() if part == 0 else []
            assert marked(panel) == dict.fromkeys(cells, "clears")
    assert (colours(panel) == panel.game.board).all()


def film(**values):
    """Return a panel that shows a turn of several steps."""
    for seed in range(100):
        panel = show(seed=seed, n_colours=4, **values)
        panel.swap(*move(panel.game))
        if len(panel.game.stages) > 1:
            return panel
    raise AssertionError("no cascade of two steps")


def test_the_film_runs_by_itself_to_the_end():
    panel = film()
    sent = []
    panel._ticker.send = lambda content, buffers=None: sent.append(content)
    seen = [panel._stage.value]
    while panel._ticker.running:
        assert panel._play.icon == "pause"
        assert words(panel._result) == ""
        tick(panel)
        seen.append(panel._stage.value)
    assert seen == list(range(1, panel._last + 1))
    assert sent == ["shown"] * (panel._last - 1)
    assert panel._play.icon == "play"
    assert (colours(panel) == panel.game.board).all()
    tick(panel)
    assert panel._stage.value == panel._last, "a late request shows nothing more"
    panel._play.click()
    assert panel._stage.value == 0, "from the beginning"
    tick(panel)
    tick(panel)
    panel._play.click()
    tick(panel)
    assert panel._stage.value == 2, "stopped"
    panel._play.click()
    tick(panel)
    assert panel._stage.value == 3


def test_a_click_ends_the_film():
    panel = film()
    board = panel.game.board
    click(panel, 0)
    assert not panel._ticker.running
    assert panel._stage.value == panel._last
    assert (colours(panel) == board).all()
    assert marked(panel) == {}, "it selects nothing"
    click(panel, 0)
    assert marked(panel) == {0: "selected"}
    panel._stage.value = 0
    assert 0 not in marked(panel) or 0 in panel._turn[1]
    press(panel, 5, "Enter")
    assert panel._stage.value == panel._last
    panel._stage.value = 1
    panel.hint()
    assert panel._stage.value == panel._last


def test_without_animation_the_end_is_shown_at_once():
    panel = film(animate=False)
    assert not panel._ticker.running
    assert panel._stage.value == panel._last > 4
    assert (colours(panel) == panel.game.board).all()
    panel = film()
    put(panel, animate=False)
    assert not panel._ticker.running
    assert panel._stage.value == panel._last


def test_there_is_nothing_to_watch_after_undo_and_in_a_new_game():
    for act in ("undo", "reshuffle", "new_game", "again"):
        panel = film()
        panel.controls[act].click()
        assert not panel._ticker.running
        assert panel._watch.layout.visibility == "hidden"
        assert words(panel._words) == ""
        assert (colours(panel) == panel.game.board).all()
        panel._play.click()
        panel._stage.value = 1
        assert (colours(panel) == panel.game.board).all()


# ---- groups


def test_groups_are_outlined_and_their_sizes_written():
    panel = given([[0, 0, 1], [2, 0, 1], [2, 2, 3]])
    assert panel.grid.walls == b""
    plain = codes(panel)
    put(panel, show="groups")
    assert np.frombuffer(panel.grid.walls, np.uint8).reshape(3, 3).tolist() == [[2, 1, 0], [1, 3, 2], [0, 1, 0]]
    assert panel.grid.texts == ["3", "", "2", "3", "", "", "", "", ""]
    assert (colours(panel) == panel.game.board).all()
    written = np.array(panel.grid.texts).reshape(3, 3) != ""
    assert ((codes(panel) != plain) == written).all(), "where a number stands there is no sign"
    assert all(not panel.grid.looks[code]["paths"] for code in codes(panel)[written])
    click(panel, 0)
    assert marked(panel) == {0: "selected"}
    assert panel.grid.looks[codes(panel)[0, 0]]["paths"]
    put(panel, show="colours")
    assert panel.grid.walls == b""
    assert panel.grid.texts == []


@pytest.mark.parametrize("rule", ["lines", "groups"])
def test_sizes_on_every_picture(rule):
    panel = show(rule=rule, show="groups", refill=False, seed=4)
    turn(panel)
    for at in range(panel._last + 1):
        panel._stage.value = at
        board = colours(panel)
        labels = components.label(board, background=-1)
        walls = np.frombuffer(panel.grid.walls, np.uint8).reshape(board.shape)
        assert ((walls[:, :-1] & 1 > 0) == (labels[:, :-1] != labels[:, 1:])).all()
        assert ((walls[:-1] & 2 > 0) == (labels[:-1] != labels[1:])).all()
        sizes = np.bincount(labels.ravel())[1:]
        assert sorted(int(text) for text in panel.grid.texts if text) == sorted(sizes[sizes > 1].tolist())


def test_looks():
    """Every colour with every mark, its sign only where no number is written."""
    looks = matching._looks()
    assert len(looks) == matching.EMPTY + 1
    assert len({(look.fill, look.paths) for look in looks}) == len(looks)
    for code, look in enumerate(looks[:-1]):
        tile = plot.TILES[code % N]
        assert look.fill == tile.fill
        assert look.ink == tile.ink
        assert look.label.startswith(tile.name)
        sign = sum(fill == tile.ink and data.count("L") >= 2 for data, fill in look.paths)
        assert sign == (len(tile.polygons) if code < matching.EMPTY // 2 else 0)


# ---- new games


def test_new_game_and_restart():
    panel = show(seed=3, animate=False)
    first = panel.game.board
    panel.swap(*move(panel.game))
    panel.controls["again"].click()
    assert panel.values["seed"] == 3
    assert (panel.game.board == first).all()
    assert panel.game.turns == 0
    panel.controls["new_game"].click()
    assert panel.values["seed"] == 4
    assert (panel.game.board != first).any()
    panel = show(seed=2**31 - 1)
    panel.new_game()
    assert panel.values["seed"] == 0


def test_what_begins_a_game_and_what_does_not():
    panel = show()
    for name, value in {
        "rule": "groups",
        "rows": 5,
        "cols": 6,
        "n_colours": 4,
        "length": 4,
        "refill": False,
        "seed": 8,
    }.items():
        before = panel.game
        put(panel, **{name: value})
        assert panel.game is not before, name
        assert (panel.game.board == again(panel).board).all()
    game = panel.game
    assert (game.shape, game.n_colours, game.rule, game.length, game.refill) == ((5, 6), 4, "groups", 4, False)
    put(panel, show="groups", animate=False)
    assert panel.game is game


def test_what_is_impossible_is_said_in_words():
    panel = show(rule="groups", rows=2, cols=2, seed=3)
    assert panel.error == ""
    put(panel, length=5)
    assert panel.error == "length must be at most 4, the cells of the board, got 5"
    assert words(panel._error) == panel.error
    assert 'role="alert"' in panel._error.value
    assert panel.grid.layout.display == panel._watch.layout.display == panel._line.layout.display == "none"
    click(panel, 0)
    for key in ("Enter", "h", "u"):
        press(panel, 0, key)
    panel.swap(0, 1)
    panel.pop(0)
    panel.reshuffle()
    assert panel.game is None
    assert all(panel.controls[name].disabled for name in ("hint", "undo", "reshuffle"))
    assert "image/png" not in panel._repr_mimebundle_()
    put(panel, length=3)
    assert panel.error == words(panel._error) == ""
    assert panel.grid.layout.display is None
    assert panel.game.n_moves


@pytest.mark.parametrize("shape", [(1, 6), (6, 1), (2, 5), (20, 20)])
@pytest.mark.parametrize("rule", ["lines", "groups"])
def test_every_size(shape, rule):
    panel = show(rows=shape[0], cols=shape[1], rule=rule, n_colours=3, animate=False)
    assert codes(panel).shape == shape
    turn(panel)
    assert panel.game.turns == 1
    assert panel.grid.width == (404 if shape[1] <= 16 else 700)


@pytest.mark.parametrize(
    ("initial", "error", "words"),
    [
        ({"columns": 3}, TypeError, "unexpected keyword 'columns': the panel has rule, rows, cols, n_colours, length"),
        ({"rule": "rows"}, ValueError, "rule must be one of 'lines', 'groups', got 'rows'"),
        ({"rows": 0}, ValueError, "rows must be from 1 to 20, got 0"),
        ({"n_colours": 9}, ValueError, "n_colours must be from 2 to 8, got 9"),
        ({"length": 2.5}, TypeError, "length must be an integer"),
        ({"refill": 1}, TypeError, "refill must be True or False, got 1"),
        ({"show": "all"}, ValueError, "show must be one of 'colours', 'groups', got 'all'"),
        ({"seed": -1}, ValueError, "seed must be from 0"),
    ],
)
def test_what_is_refused(initial, error, words):
    with pytest.raises(error, match=words):
        show(**initial)


def test_wrong_turns_are_refused():
    with pytest.raises(ValueError, match="use swap"):
        show().pop(0)
    with pytest.raises(ValueError, match="use pop"):
        show(rule="groups").swap(0, 1)
    with pytest.raises(ValueError, match="cell must be from 0 to 63"):
        show().swap(0, 64)


# ---- what is around it


def test_a_panel_leaves_no_trace():
    threads, state = threading.active_count(), np.random.get_state()[1].copy()  # noqa: NPY002
    panel = show()
    panel.swap(*move(panel.game))
    panel._repr_mimebundle_()
    assert threading.active_count() == threads
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    assert plt.get_fignums() == []


def test_turns_make_no_new_widgets():
    panel = show(n_colours=4)
    made = []
    matching.widgets.Widget.on_widget_constructed(made.append)
    try:
        for _ in range(5):
            panel.swap(*move(panel.game))
            while panel._ticker.running:
                tick(panel)
            panel.hint()
        assert made == []
        show()
        assert made, "they are counted"
    finally:
        matching.widgets.Widget.on_widget_constructed(None)


def test_picture_where_there_is_no_kernel():
    panel = show(rows=5, cols=5, seed=2)
    panel.swap(*move(panel.game))
    bundle = panel._repr_mimebundle_()
    assert bundle["text/plain"] == panel.code
    pixels = plt.imread(io.BytesIO(base64.b64decode(bundle["image/png"])))
    assert pixels.shape[:2] == (200, 200)
    # a corner of each cell, clear of its sign
    at = np.rint((0.01 + 0.98 * (np.arange(5) + 0.12) / 5) * 200).astype(int)
    seen = np.rint(pixels[at][:, at, :3] * 255).astype(int)
    fills = [[int(tile.fill[k : k + 2], 16) for k in (1, 3, 5)] for tile in plot.TILES]
    assert (abs(seen - np.array(fills)[panel.game.board]) < 4).all(), "the board at the end, not of the film"
