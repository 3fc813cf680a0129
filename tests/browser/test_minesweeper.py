"""The game of minesweeper as a player meets it: real clicks and keys, and what the canvas shows after them.

Beside each game in the page runs the same game in the test, with the same seed and the same moves.
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
from gridlab import mines, plot

pytestmark = pytest.mark.browser

#: Seconds to wait for the page: generous, as a wait ends when its condition holds.
PATIENCE = 120
CANVAS = ".gridlab-board canvas"
LEFT, MIDDLE, RIGHT = "left", "middle", "right"
#: What is reported of a game in progress: when the button went up, and when the canvas was drawn last.
WATCH = """canvas => {
    window.up = window.drawn = 0;
    addEventListener('mouseup', () => { window.up = performance.now(); }, true);
    addEventListener('keydown', () => { window.up = performance.now(); }, true);
    new MutationObserver(() => { window.drawn = performance.now(); })
        .observe(canvas, { attributeFilter: ['data-version'] });
}"""


def share(block, colour):
    """Return the share of a picture's pixels that have a colour, but for rounding."""
    return (abs(block - to_rgb(colour)) < 0.01).all(-1).mean()


def meaning(block):
    """Read from the pixels of a cell what it shows, as a value of `mines.Game.shown`."""
    square = np.argmax([share(block, colour) for colour in plot.SQUARES])
    flag = share(block, plot.VERMILION) > 0.015
    if square == 0:
        return next((number for number, ink in enumerate(plot.DIGITS, 1) if share(block, ink) > 0.03), 0)
    return [mines.FLAG if flag else mines.HIDDEN, mines.WRONG if flag else mines.MINE, mines.HIT][square - 1]


class Table:
    """The panel in the page of a notebook, and the game that should be on it."""

    def __init__(self, notebook):
        self.notebook, self.page = notebook, notebook.page
        self.canvas = self.page.locator(CANVAS)
        self.game = None

    def part(self, name, inside=""):
        """Return a part of the panel."""
        return self.page.locator(f".gridlab-{name.replace('_', '-')} {inside}")

    def deal(self, shape=(9, 9), n_mines=10, *, opening=False):
        """Begin the game that the panel has begun, of which it shows the call."""
        said = ", opening=True" if opening else ""
        field = self.part("code", "textarea")
        expect(field).to_have_value(
            re.compile(rf"^gridlab\.mines\.Game\(\({shape[0]}, {shape[1]}\), {n_mines}{said}, ")
        )
        self.game = eval(field.input_value(), {"gridlab": gridlab})
        self.agree()

    def shown(self):
        """Read the canvas."""
        url = self.canvas.evaluate("canvas => canvas.toDataURL()")
        pixels = imread(io.BytesIO(base64.b64decode(url.partition(",")[2])))[..., :3]
        rows, cols = (int(self.canvas.get_attribute(f"data-{name}")) for name in ("rows", "cols"))
        side = len(pixels) // rows
        assert pixels.shape == (rows * side, cols * side, 3)
        known = {}  # most cells look like another one

        def read(block):
            key = block.tobytes()
            if key not in known:
                known[key] = meaning(block)
            return known[key]

        blocks = pixels.reshape(rows, side, cols, side, 3).swapaxes(1, 2)
        return np.array([[read(block) for block in row] for row in blocks])

    def agree(self):
        """Wait until the page shows the game, and all of the panel says the same."""
        deadline = time.monotonic() + PATIENCE
        while not np.array_equal(shown := self.shown(), self.game.shown):
            assert time.monotonic() < deadline, f"the page shows\n{shown}\ninstead of\n{self.game.shown}"
            time.sleep(0.02)
        expect(self.part("mines-left")).to_contain_text(re.compile(rf"mines left\s*{self.game.remaining}\b"))
        end = "won in" if self.game.won else "lost" if self.game.lost else "^\\s*$"
        expect(self.part("result", "[role=status]")).to_have_text(re.compile(end))
        if self.game.started:
            field = self.part("code", "textarea")
            expect(field).to_have_value(re.compile(r"^gridlab\.mines\.floyd"))
            board = eval(field.input_value(), {"gridlab": gridlab})
            assert (board == self.game.board).all(), "the call makes another board"

    def place(self, cell):
        """Return where the middle of a cell is on the canvas."""
        row, col = divmod(cell, self.game.shape[1])
        side = float(self.canvas.get_attribute("data-cell"))
        return {"x": (col + 0.5) * side, "y": (row + 0.5) * side}

    def click(self, cell, move, button=LEFT, **more):
        """Click on a cell, make the same move of the game, and see that they agree."""
        self.canvas.click(position=self.place(cell), button=button, **more)
        changed = move and getattr(self.game, move)(cell)
        self.agree()
        return changed

    def press(self, keys, move=None):
        """Press keys one after another, make the same move at the cursor, and see that they agree."""
        for key in keys.split():
            self.page.keyboard.press(key)
        if move:
            assert getattr(self.game, move)(int(self.canvas.get_attribute("data-cursor")))
        self.agree()

    def new(self, *args, **kwargs):
        """Begin a new game by the button."""
        seed = int(self.part("seed", "input").input_value())
        self.part("new-game").click()
        expect(self.part("seed", "input")).to_have_value(str(seed + 1))
        expect(self.part("code", "textarea")).to_have_value(re.compile(rf"Game\(.*rng={seed + 1}\)$"))
        self.deal(*args, **kwargs)

    def enter(self, **values):
        """Type values into the fields of a custom board."""
        for name, value in values.items():
            field = self.part(name, "input")
            field.fill(str(value))
            field.press("Enter")


@pytest.fixture(scope="module")
def notebook(open_notebook):
    """Return a page with a notebook whose first cell is the panel."""
    return open_notebook(["import gridlab\n\ngridlab.explore.minesweeper(seed=7)", "1 + 1"])


@pytest.fixture
def table(notebook):
    """Return a new panel; at the end the notebook must show no error output, and no menu."""
    assert notebook.run() == []
    table = Table(notebook)
    table.deal()
    yield table
    assert notebook.errors() == []
    expect(notebook.page.locator(".jp-OutputArea-output", has_text="Traceback")).to_have_count(0)
    expect(notebook.page.locator(".lm-Menu")).to_have_count(0)


def around(game, cell, which):
    """Return the cells around one that are in a mask."""
    return np.flatnonzero(mines.opening_mask(game.shape, cell) & which).tolist()


def test_won_by_mouse(table):
    table.click(40, "reveal")
    game, chords = table.game, 0
    while not game.over:
        numbers = np.flatnonzero(game.open & (mines.numbers(game.board) > 0)).tolist()
        useful = (cell for cell in numbers if around(game, cell, game.hidden & ~game.board))
        if (cell := next(useful, None)) is None:
            table.click(int(np.flatnonzero(game.hidden & ~game.board)[0]), "reveal")
            continue
        for mine in around(game, cell, game.board & ~game.flagged):
            assert table.click(mine, "flag", RIGHT)
        assert table.click(cell, "chord", (LEFT, MIDDLE)[chords % 2])
        chords += 1
    assert game.won
    assert chords > 3
    assert game.remaining == 0
    bbbv = int(mines.bbbv(game.board))
    expect(table.part("result")).to_have_text(re.compile(rf"won in \d+\.\d s\s+3BV\s*{bbbv}\s*$"))
    clock = table.page.get_by_role("timer")
    expect(clock).to_have_attribute("data-running", "false")
    expect(clock).to_have_text(re.compile(r"^\d+\.\d s$"))
    before = clock.inner_text()
    for button in (LEFT, RIGHT, MIDDLE):
        table.click(0, "reveal", button)
    assert clock.inner_text() == before


def test_lost_by_mouse(table):
    """A flag on a free cell, and a chord that trusts it."""
    table.click(40, "reveal")
    game = table.game
    numbers = mines.numbers(game.board)
    while not game.over:
        ready = (
            cell
            for cell in np.flatnonzero(game.open & (numbers == 1)).tolist()
            if around(game, cell, game.hidden & ~game.board)
        )
        if (cell := next(ready, None)) is not None:
            table.click(around(game, cell, game.hidden & ~game.board)[0], "flag", RIGHT)
            table.click(cell, "chord")
        else:
            table.click(int(np.flatnonzero(game.hidden & ~game.board)[0]), "reveal")
    assert game.lost
    shown = table.shown()
    assert (shown == mines.HIT).sum() == 1
    assert (shown == mines.WRONG).sum() == 1
    assert (shown == mines.MINE).sum() == 9
    expect(table.part("result")).to_have_text(re.compile(r"lost\s+3BV\s*\d+\s*$"))
    table.new()
    assert (table.shown() == mines.HIDDEN).all()


def test_lost_by_a_click_on_a_mine(table):
    table.click(0, "reveal")
    table.click(int(np.flatnonzero(table.game.board)[0]), "reveal")
    assert table.game.lost


def test_buttons_for_those_who_have_one(table):
    table.click(0, "flag", modifiers=["Shift"])
    table.click(1, "flag", modifiers=["Control"])
    assert table.game.remaining == 8
    table.click(0, None)
    table.click(2, None, MIDDLE)
    table.click(0, "flag", modifiers=["Shift"])
    table.click(1, "flag", RIGHT)
    assert table.game.remaining == 10
    table.click(40, "reveal")
    game = table.game
    numbers = np.flatnonzero(game.open & (mines.numbers(game.board) > 0)).tolist()
    cell = next(cell for cell in numbers if around(game, cell, game.hidden & ~game.board))
    for mine in around(game, cell, game.board):
        table.click(mine, "flag", RIGHT)
    # both buttons at once
    mouse, place, box = table.page.mouse, table.place(cell), table.canvas.bounding_box()
    mouse.move(box["x"] + place["x"], box["y"] + place["y"])
    mouse.down(button=LEFT)
    mouse.down(button=RIGHT)
    mouse.up(button=LEFT)
    mouse.up(button=RIGHT)
    assert game.chord(cell)
    table.agree()


def test_a_click_that_is_taken_back(table):
    mouse, box = table.page.mouse, table.canvas.bounding_box()
    mouse.move(box["x"] + 15, box["y"] + 15)
    for away in ((75, 75), (-60, 15)):
        mouse.down()
        mouse.move(box["x"] + away[0], box["y"] + away[1])
        mouse.up()
        mouse.move(box["x"] + 15, box["y"] + 15)
    table.click(80, "reveal")  # the first move there was
    assert table.game.first == 80


def test_by_keyboard_only(table):
    table.part("new-game").focus()
    table.part("again").press("Tab")
    expect(table.canvas).to_be_focused()
    before = table.notebook.cells()
    live = table.part("spoken")
    expect(live).to_have_text("row 1, column 1: hidden")
    table.press("ArrowRight ArrowDown ArrowDown f", "flag")
    expect(live).to_have_text("row 3, column 2: flag")
    table.press("Enter")  # a flag protects
    table.press("f", "flag")
    for keys, cell in (
        ("End", 26),
        ("ArrowRight", 26),
        ("Home", 18),
        ("ArrowLeft", 18),
        ("PageDown", 72),
        ("ArrowDown", 72),
        ("Control+End", 80),
        ("Control+Home", 0),
        ("ArrowUp", 0),
        ("PageDown ArrowUp End", 71),
    ):
        table.press(keys)
        expect(table.canvas).to_have_attribute("data-cursor", str(cell))
    table.press("Enter", "reveal")
    assert table.game.first == 71
    for key in ("m", "b", "a", "d", "d", "x", "y"):  # in a notebook: text, insert, delete, cut, code
        table.page.keyboard.press(key)
    walk(table)
    assert table.game.won
    expect(live).to_have_text(re.compile(r"^row \d, column \d: (empty|\d|flag)$"))
    assert table.notebook.cells() == before
    seed = int(table.part("seed", "input").input_value())
    table.page.keyboard.press("n")
    expect(table.part("seed", "input")).to_have_value(str(seed + 1))
    table.deal()


def walk(table):
    """Win by keys: flag the mines around a number and chord, or open a free cell."""
    game = table.game

    def go(cell):
        here = divmod(int(table.canvas.get_attribute("data-cursor")), game.shape[1])
        down, right = (there - at for there, at in zip(divmod(cell, game.shape[1]), here))
        keys = ["ArrowDown" if down > 0 else "ArrowUp"] * abs(down)
        for key in keys + ["ArrowRight" if right > 0 else "ArrowLeft"] * abs(right):
            table.page.keyboard.press(key)
        expect(table.canvas).to_have_attribute("data-cursor", str(cell))

    while not game.over:
        numbers = np.flatnonzero(game.open & (mines.numbers(game.board) > 0)).tolist()
        useful = (cell for cell in numbers if around(game, cell, game.hidden & ~game.board))
        if (cell := next(useful, None)) is None:
            go(int(np.flatnonzero(game.hidden & ~game.board)[0]))
            table.press("Enter", "reveal")
            continue
        for mine in around(game, cell, game.board & ~game.flagged):
            go(mine)
            table.press("f", "flag")
        go(cell)
        table.press("Space", "chord")


def test_no_menu_over_the_board(table):
    menu = table.page.locator(".lm-Menu")
    table.click(0, "flag", RIGHT)
    table.click(0, "flag", RIGHT)
    expect(menu).to_have_count(0)
    # the control: beside the board there is one
    table.part("mines-left").click(button=RIGHT)
    expect(menu).to_be_visible()
    table.page.keyboard.press("Escape")
    expect(menu).to_have_count(0)


def test_first_click_never_hits_a_mine(table):
    """One free cell, and it is always the one that was clicked; then any cell of a large board."""
    rng = np.random.default_rng(20261130)
    table.enter(rows=4, cols=4, n_mines=15)
    table.deal((4, 4), 15)
    for _ in range(30):
        table.click(int(rng.integers(16)), "reveal")
        assert table.game.won
        table.new((4, 4), 15)
    table.part("level", "select").select_option("expert")
    table.deal((16, 30), 99)
    for _ in range(10):
        table.click(int(rng.integers(480)), "reveal")
        assert not table.game.lost
        table.new((16, 30), 99)
    table.part("opening", "input").check()
    for _ in range(5):
        table.deal((16, 30), 99, opening=True)
        cell = int(rng.integers(480))
        table.click(cell, "reveal")
        assert table.shown().flat[cell] == 0
        table.new((16, 30), 99, opening=True)


def test_levels_fit_the_page(table):
    for level, ((rows, cols), n_mines) in mines.LEVELS.items():
        table.part("level", "select").select_option(level)
        table.deal((rows, cols), n_mines)
        for name, value in (("rows", rows), ("cols", cols), ("n_mines", n_mines)):
            expect(table.part(name, "input")).to_have_value(str(value))
        side = float(table.canvas.get_attribute("data-cell"))
        box = table.canvas.bounding_box()
        assert 20 <= side <= 30
        assert box["width"] == pytest.approx(cols * side)
        assert box["width"] <= 700
        assert box["height"] == pytest.approx(rows * side)
        expect(table.canvas).to_have_attribute("role", "grid")
        expect(table.canvas).to_have_attribute(
            "aria-label", f"minesweeper, {rows} rows, {cols} columns, {n_mines} mines"
        )


def test_a_board_of_ten_thousand_cells(table):
    table.part("opening", "input").check()
    table.enter(rows=100, cols=100, n_mines=1500)
    table.deal((100, 100), 1500, opening=True)
    assert float(table.canvas.get_attribute("data-cell")) == 16
    table.click(0, "reveal")
    box = table.part("grid")
    scrolled = "box => [box.scrollLeft, box.scrollTop]"
    assert box.evaluate(scrolled) == [0, 0]
    table.press("Control+End")
    assert min(box.evaluate(scrolled)) > 500
    last = table.canvas.evaluate("canvas => (({ right, bottom }) => [right, bottom])(canvas.getBoundingClientRect())")
    assert last[0] <= 1300
    assert last[1] <= 950, "the cursor is always in sight"
    table.press("f", "flag")
    assert table.game.flagged[99, 99]
    corner = box.bounding_box()
    # a cell in the middle of what is seen now
    x, y = corner["x"] + corner["width"] / 2, corner["y"] + min(corner["height"], 400) / 2
    canvas = table.canvas.bounding_box()
    cell = int((y - canvas["y"]) // 16) * 100 + int((x - canvas["x"]) // 16)
    table.page.mouse.click(x, y)
    assert table.game.reveal(cell)
    table.agree()


def test_sharp_on_a_dense_screen(table):
    session = table.page.context.new_cdp_session(table.page)
    wide = "canvas => [canvas.width, canvas.getBoundingClientRect().width]"
    assert table.canvas.evaluate(wide) == [270, 270]
    for ratio, pixels in ((2, 540), (1.5, 405)):
        # without another width the emulation tells the page nothing
        metrics = {"width": 1300 + pixels % 100, "height": 950, "mobile": False, "deviceScaleFactor": ratio}
        session.send("Emulation.setDeviceMetricsOverride", metrics)
        expect(table.canvas).to_have_js_property("width", pixels)
        assert table.canvas.evaluate(wide) == [pixels, 270]
        table.agree()
    table.click(40, "reveal")
    session.send("Emulation.clearDeviceMetricsOverride")
    expect(table.canvas).to_have_js_property("width", 270)
    table.agree()


def test_what_is_impossible_is_said_in_words(table):
    table.part("opening", "input").check()
    table.enter(rows=4, cols=4)
    alert = table.part("error", "[role=alert]")
    expect(alert).to_have_text(
        "n_mines must be from 0 to 7 on 4x4 cells with a free opening at any first click, got 10"
    )
    expect(table.canvas).to_be_hidden()
    table.enter(n_mines=7)
    expect(alert).to_have_count(0)
    table.deal((4, 4), 7, opening=True)
    table.click(5, "reveal")


def test_no_click_is_lost(table):
    """Clicks and keys faster than the answers to them."""
    for cell in range(0, 81, 2):
        table.canvas.click(position=table.place(cell), button=RIGHT)
        assert table.game.flag(cell)
    for _ in range(40):
        table.page.keyboard.press("f")
        assert table.game.flag(80)
        table.page.keyboard.press("ArrowLeft")
        table.page.keyboard.press("ArrowRight")
    table.agree()
    assert table.game.flagged[8, 8]


GRID = """
from gridlab.board import Grid, Look

def heard(cell, *more):
    grid.show([[0, 1, 0], [0, 0, 2]], texts=[["", "", str(cell)], ["", more[0] if more else "", ""]], walls=WALLS)

WALLS = [[1, 0, 0], [2, 0, 0]]
half = [("M0 0H100V50H0Z", "#00FF00")]
looks = [Look("white", "#FFFFFF"), Look("red", "#FF0000"), Look("half", "#FFFFFF", paths=half)]
grid = Grid([[0, 0, 0]], looks, label="a grid", keys=["g"], on_key=heard)
grid.show([[0, 1, 0], [0, 0, 2]], texts=[["", "", ""], ["", "12", ""]], walls=WALLS)
grid
"""


@pytest.fixture(scope="module")
def other(open_notebook):
    """Return a page with a grid of no game, and a panel."""
    notebook = open_notebook([GRID, "import gridlab\n\ngridlab.explore.minesweeper(seed=7)"])
    assert notebook.run() == []
    return notebook


def test_walls_texts_and_shapes(other):
    canvas = other.page.locator(".gridlab-grid canvas").first
    expect(canvas).to_have_attribute("data-rows", "2")

    def pixel(x, y):
        return canvas.evaluate(
            "(c, [x, y]) => [...c.getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3)", [x, y]
        )

    white, ink = [255, 255, 255], [26, 26, 26]
    assert pixel(45, 15) == [255, 0, 0]
    assert pixel(75, 35) == [0, 255, 0]
    assert pixel(75, 54) == white
    assert pixel(29, 15) == pixel(30, 15) == ink, "a wall on both sides of the line"
    assert pixel(15, 59) == ink
    assert pixel(15, 35) == white
    assert pixel(30, 45) != ink
    cell = canvas.evaluate("c => [...c.getContext('2d').getImageData(32, 32, 26, 26).data]")
    assert 40 < (np.array(cell).reshape(-1, 4)[:, :3] == ink).all(-1).sum() < 300, "a text"
    canvas.focus()
    version = canvas.get_attribute("data-version")
    other.page.keyboard.press("ArrowRight")
    other.page.keyboard.press("g")
    expect(canvas).not_to_have_attribute("data-version", version)
    spoken = other.page.locator(".gridlab-spoken").first
    expect(spoken).to_have_text("row 1, column 2: red")
    other.page.keyboard.press("ArrowRight")
    expect(spoken).to_have_text("row 1, column 3: white 1")
    other.page.keyboard.press("ArrowDown")
    other.page.keyboard.press("ArrowLeft")
    expect(spoken).to_have_text("row 2, column 2: white g")


def test_a_game_that_has_lost_its_kernel(other):
    page, clock = other.page, other.page.get_by_role("timer")
    canvas = page.locator(CANVAS)
    canvas.click(position={"x": 15, "y": 15})
    expect(clock).to_have_attribute("data-running", "true")
    expect(clock).not_to_have_text("0 s")
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.locator('[data-command="kernelmenu:restart"]').click()
    page.locator(".jp-Dialog .jp-mod-accept").click()
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle")
    grid = page.locator(".gridlab-grid").last
    for _ in range(100):
        canvas.click(position={"x": 15, "y": 15}, button=RIGHT)
        if grid.get_attribute("title"):
            break
        time.sleep(0.2)
    expect(grid).to_have_attribute("title", "This grid has lost its kernel: run its cell again.")
    page.wait_for_function(
        """async timer => {
            const before = timer.textContent;
            await new Promise(resolve => setTimeout(resolve, 2500));
            return timer.textContent === before;
        }""",
        arg=clock.element_handle(),
    )
    assert other.errors() == []


def test_time_from_click_to_board(table, say):
    """No bound: it depends on the machine. The log says it."""
    for level in ("beginner", "expert"):
        (shape, n_mines), times, keys = mines.LEVELS[level], [], []
        table.part("level", "select").select_option(level)
        table.deal(shape, n_mines)
        table.click(40, "reveal")
        table.canvas.evaluate(WATCH)
        for cell in np.flatnonzero(table.game.hidden)[:12].tolist():
            table.click(cell, "flag", RIGHT)
            times.append(table.page.evaluate("window.drawn - window.up"))
            table.press("f", "flag")
            keys.append(table.page.evaluate("window.drawn - window.up"))
        say(
            f"{level}, to the new board: click {statistics.median(times):.0f} ms (slowest {max(times):.0f} ms), "
            f"key {statistics.median(keys):.0f} ms (slowest {max(keys):.0f} ms)"
        )
