"""The game of match-3 as a player meets it: real clicks and keys, and what the canvas shows after them.

Beside each game in the page runs the same game in the test, with the same seed and the same turns.
"""

import base64
import io
import re
import statistics
import time

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread
from playwright.sync_api import expect

import gridlab
from gridlab import plot

pytestmark = pytest.mark.browser

#: Seconds to wait for the page: generous, as a wait ends when its condition holds.
PATIENCE = 120
#: Colours of the squares: of each colour, and of an empty cell.
FILLS = np.array([to_rgb(tile.fill) for tile in plot.TILES] + [to_rgb("#F4F4F0")])
#: What is reported of a click: when the button went up, and when the canvas first showed something else than before.
WATCH = """canvas => {
    const picture = () => canvas.toDataURL();
    let before = picture();
    window.took = 0;
    let up = 0;
    canvas.addEventListener('mousedown', () => { before = picture(); window.took = up = 0; }, true);
    addEventListener('mouseup', () => { up = performance.now(); }, true);
    new MutationObserver(() => {
        const now = performance.now();
        if (up && !window.took && picture() !== before) window.took = now - up;
    }).observe(canvas, { attributeFilter: ['data-version'] });
}"""


class Table:
    """The panel in the page of a notebook, and the game that should be on it."""

    def __init__(self, notebook, which=0):
        self.notebook, self.page = notebook, notebook.page
        self.panel = self.page.locator(".gridlab-panel").nth(which)
        self.canvas = self.panel.locator(".gridlab-board canvas")
        self.game = None

    def part(self, name, inside=""):
        """Return a part of the panel."""
        return self.panel.locator(f".gridlab-{name.replace('_', '-')} {inside}")

    def deal(self, begins="gridlab.match3.Game("):
        """Begin the game that the panel has begun, of which it shows the call."""
        field = self.part("code", "textarea")
        expect(field).to_have_value(re.compile(rf"^{re.escape(begins)}"))
        self.game = eval(field.input_value(), {"gridlab": gridlab})
        self.agree()

    def shown(self):
        """Read the colours from the canvas, -1 where a cell is empty."""
        url = self.canvas.evaluate("canvas => canvas.toDataURL()")
        pixels = imread(io.BytesIO(base64.b64decode(url.partition(",")[2])))[..., :3]
        rows, cols = (int(self.canvas.get_attribute(f"data-{name}")) for name in ("rows", "cols"))
        side = len(pixels) // rows
        assert pixels.shape == (rows * side, cols * side, 3)
        edge = round(0.22 * side)  # the ring of the cursor, walls, and the frames of marks
        blocks = pixels.reshape(rows, side, cols, side, 3).swapaxes(1, 2)[:, :, edge:-edge, edge:-edge]
        blocks = blocks.reshape(rows, cols, -1, 3)
        shares = np.stack([(abs(blocks - fill) < 0.01).all(-1).mean(-1) for fill in FILLS], -1)
        seen = np.where(shares.max(-1) > 0.15, shares.argmax(-1), -2)  # a cell is darker as long as it is pressed
        return np.where(seen == len(plot.TILES), -1, seen)

    def shows(self, board):
        """Wait until the canvas shows a board."""
        deadline = time.monotonic() + PATIENCE
        while not np.array_equal(shown := self.shown(), board):
            assert time.monotonic() < deadline, f"the page shows\n{shown}\ninstead of\n{board}"
            time.sleep(0.02)

    def agree(self):
        """Wait until the page shows the game as it is now, and its numbers."""
        self.shows(self.game.board)
        numbers = (self.game.score, self.game.turns, self.game.n_moves)
        said = r"score\s*{}\s+turns\s*{}\s+moves left\s*{}\s*$".format(*numbers)
        expect(self.part("figures")).to_have_text(re.compile(said))

    def click(self, cell):
        """Click on a cell."""
        row, col = divmod(cell, self.game.shape[1])
        side = float(self.canvas.get_attribute("data-cell"))
        self.canvas.click(position={"x": (col + 0.5) * side, "y": (row + 0.5) * side})

    def go(self, cell):
        """Move the cursor to a cell by the arrow keys."""
        here = divmod(int(self.canvas.get_attribute("data-cursor")), self.game.shape[1])
        down, right = (there - at for there, at in zip(divmod(cell, self.game.shape[1]), here))
        keys = ["ArrowDown" if down > 0 else "ArrowUp"] * abs(down)
        for key in keys + ["ArrowRight" if right > 0 else "ArrowLeft"] * abs(right):
            self.page.keyboard.press(key)
        expect(self.canvas).to_have_attribute("data-cursor", str(cell))

    def enter(self, **values):
        """Type values into fields."""
        for name, value in values.items():
            field = self.part(name, "input")
            field.fill(str(value))
            field.press("Enter")

    def animate(self, on):
        """Tick the box, or not."""
        self.part("animate", "input").set_checked(on)


def move(game, *, long=False):
    """Return the two cells of a move; of one whose cascade has several steps if it should be long."""
    cols = game.shape[1]
    for row, col, below in np.argwhere(game.hints).tolist():
        cell = row * cols + col
        pair = cell, cell + (cols if below else 1)
        steps = len(game.swap(*pair))
        game.undo()
        if not long or steps > 1:
            return pair
    return None


def no_move(game):
    """Return two neighbours that are no move."""
    row, col = np.argwhere(~game.hints[:, :-1, 0])[0].tolist()
    cell = row * game.shape[1] + col
    return cell, cell + 1


@pytest.fixture(scope="module")
def notebook(open_notebook):
    """Return a page with a notebook whose first cell is the panel."""
    return open_notebook(["import gridlab\n\npanel = gridlab.explore.match3(seed=7)\npanel", "1 + 1"])


@pytest.fixture
def table(notebook):
    """Return a new panel; at the end the notebook must show no error output."""
    assert notebook.run() == []
    table = Table(notebook)
    table.deal()
    yield table
    assert notebook.errors() == []
    expect(notebook.page.locator(".jp-OutputArea-output", has_text="Traceback")).to_have_count(0)


def test_swaps_by_mouse(table):
    table.animate(False)
    spoken = table.part("spoken")
    expect(table.part("watch")).to_be_hidden()
    for cell in no_move(table.game):
        table.click(cell)
    expect(table.part("result")).to_have_text(re.compile("no line comes of that swap"))
    table.agree()
    table.click(20)
    expect(spoken).to_have_text(re.compile("^row 3, column 5: .*, selected$"))
    table.click(20)
    expect(spoken).to_have_text(re.compile("^row 3, column 5: (?!.*selected)"))
    for _ in range(4):
        pair = move(table.game)
        for cell in pair[::-1]:
            table.click(cell)
        assert table.game.swap(*pair)
        table.agree()
    table.part("undo").click()
    assert table.game.undo()
    table.agree()
    table.part("again").click()
    table.deal()
    assert table.game.turns == 0


def test_a_cascade_is_watched(table):
    """By itself to its end, back by the slider, and again by the button."""
    seed = 7
    while (pair := move(table.game, long=True)) is None:
        table.part("new_game").click()
        seed += 1
        table.deal(f"gridlab.match3.Game((8, 8), 6, rule='lines', rng={seed})")
    before = table.game.board
    for cell in pair:
        table.click(cell)
    stages = table.game.swap(*pair)
    words = table.part("words")
    for step, stage in enumerate(stages, 1):
        n = int((stage.labels > 0).sum())
        expect(words).to_have_text(re.compile(f"step {step} of {len(stages)}: {n} cells clear"))
    table.agree()
    button, handle = table.part("play"), table.part("stage", ".noUi-handle")
    expect(button).to_have_attribute("title", "watch again")
    handle.focus()
    handle.press("Home")
    expect(words).to_have_text("before turn 1")
    table.shows(before)
    for stage in stages:
        for picture in (stage.board, stage.cleared, stage.fallen, stage.refilled):
            handle.press("ArrowRight")
            table.shows(picture)
    button.click()
    expect(words).to_have_text(re.compile("step 1"))
    button.click()
    expect(button).to_have_attribute("title", "go on")
    handle.focus()
    handle.press("Home")
    button.click()
    table.click(0)
    expect(words).to_have_text(re.compile(f"step {len(stages)} of {len(stages)}: .* in$"))
    table.agree()
    time.sleep(1)  # two pictures later
    table.agree()


def test_by_keyboard_only(table):
    table.part("reshuffle").focus()
    table.part("reshuffle").press("Tab")
    expect(table.canvas).to_be_focused()
    before = table.notebook.cells()
    pair = move(table.game)
    for key, cell in zip(("Enter", "Space"), pair):
        table.go(cell)
        table.page.keyboard.press(key)
    assert table.game.swap(*pair)
    table.agree()
    for key in ("x", "d", "d", "m"):  # in a notebook: cut, delete, text
        table.page.keyboard.press(key)
    table.page.keyboard.press("h")
    expect(table.part("board")).to_be_visible()
    table.go(move(table.game)[0])
    expect(table.part("spoken")).to_have_text(re.compile("hint$"))
    table.page.keyboard.press("u")
    assert table.game.undo()
    table.agree()
    table.page.keyboard.press("n")
    expect(table.part("seed", "input")).to_have_value("8")
    table.deal()
    assert table.notebook.cells() == before


def test_groups_to_their_end(table):
    table.part("show", "select").select_option("groups and their sizes")
    table.part("rule", "select").select_option("groups: take a group")
    table.deal("gridlab.match3.Game((8, 8), 6, rule='groups'")
    table.click(int(table.game.hints.argmin()))
    expect(table.part("result")).to_have_text(re.compile("a group needs at least 3 cells"))
    table.agree()
    cell = int(table.game.hints.argmax())
    table.click(cell)
    assert table.game.pop(cell)
    table.agree()
    table.enter(rows=4, cols=5)
    table.part("refill", "input").uncheck()
    table.animate(False)
    table.deal("gridlab.match3.Game((4, 5), 6, rule='groups', refill=False")
    while not table.game.over:
        cell = int(table.game.hints.argmax())
        table.click(cell)
        assert table.game.pop(cell)
        table.agree()
    left = int((table.game.board >= 0).sum())
    expect(table.part("result")).to_have_text(re.compile(f"no moves left: {left} cells stay"))
    expect(table.part("reshuffle")).to_be_disabled()


def test_what_is_impossible_is_said_in_words(table):
    table.part("rule", "select").select_option("groups: take a group")
    table.enter(rows=2, cols=2, length=5)
    alert = table.part("error", "[role=alert]")
    expect(alert).to_have_text("length must be at most 4, the cells of the board, got 5")
    expect(table.canvas).to_be_hidden()
    table.enter(length=3)
    expect(alert).to_have_count(0)
    table.deal("gridlab.match3.Game((2, 2), 6, rule='groups', rng=7")


def test_the_board_fits_the_page(table):
    for width, cols in ((1300, 8), (1300, 20), (700, 8)):
        table.page.set_viewport_size({"width": width, "height": 950})
        table.enter(cols=cols)
        table.deal(f"gridlab.match3.Game((8, {cols}), 6, rule='lines'")
        box = table.canvas.bounding_box()
        assert box["x"] + box["width"] < width
        assert float(table.canvas.get_attribute("data-cell")) == (44 if cols == 8 else 34)
    table.page.set_viewport_size({"width": 1300, "height": 950})


def test_a_second_view_and_a_page_opened_again(table):
    """The game is in the kernel: what shows it may come and go, also while a turn is watched."""
    page = table.page
    pair = move(table.game)
    for cell in pair:
        table.click(cell)
    page.locator(".jp-CodeCell").nth(1).locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("panel")
    page.keyboard.press("Control+Enter")
    second = Table(table.notebook, 1)
    second.game = table.game
    assert table.game.swap(*pair)
    second.agree()
    table.agree()
    pair = move(table.game)
    for cell in pair:
        second.click(cell)
    assert table.game.swap(*pair)
    table.agree()
    second.agree()
    page.locator('.jp-NotebookPanel-toolbar [data-command="docmanager:save"]').first.click()
    expect(page.locator(".jp-mod-dirty")).to_have_count(0)
    page.goto(page.url.replace("&reset", ""))
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle")
    table.agree()
    pair = move(table.game)
    for cell in pair:
        table.click(cell)
    assert table.game.swap(*pair)
    table.agree()


def test_time_from_click_to_board(table, say):
    """No bound: it depends on the machine. The log says it."""
    table.canvas.evaluate(WATCH)
    times = {"selected cell": [], "first picture of a turn": [], "end of a turn": []}
    for turn in range(8):
        table.animate(turn % 2 == 0)
        pair = move(table.game)
        for cell, name in zip(pair, ("selected cell", ["first picture of a turn", "end of a turn"][turn % 2])):
            table.click(cell)
            table.page.wait_for_function("window.took")
            times[name].append(table.page.evaluate("window.took"))
        assert table.game.swap(*pair)
        table.animate(False)
        table.agree()
    for name, took in times.items():
        say(f"match-3, click to {name}: {statistics.median(took):.0f} ms (slowest {max(took):.0f} ms)")
