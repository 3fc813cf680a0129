"""The panel to play match-3: the controls of a game, the board, and the cascade of a turn step by step."""

import html

import ipywidgets as widgets
import numpy as np

from .. import board, components, plot
from ..match3 import Game
from .panel import CONTROL, _checked, checkbox, dressed, dropdown, field
from .playable import _Playable, button, side_by_side
from .timers import _Ticker

__all__ = ["Match3", "match3"]

#: The most rows and columns of a board: larger ones of few colours take many seconds to draw.
LARGEST = 20

#: The least and the most pixels of a cell.
CELL = [16, 44]

#: Steps of one turn: with few colours a cascade has no end worth waiting for.
LIMIT = 100

#: What a step of a cascade goes through.
PARTS = ("board", "cleared", "fallen", "refilled")

INK, BARE = plot.INK, "#F4F4F0"


def _frame(inset, thick):
    """Write the path of a frame: the inner square runs the other way round, which makes it a hole."""
    out, low, high = 100 - inset, inset + thick, 100 - inset - thick
    return f"M{inset} {inset}H{out}V{out}H{inset}Z M{low} {low}V{high}H{high}V{low}Z"


def _corners(inset, long, thick):
    """Write the paths of the four corners of a frame."""
    far = 100 - inset
    return " ".join(
        f"M{x} {y}h{right * long}v{down * thick}h{right * (thick - long)}v{down * (long - thick)}h{-right * thick}Z"
        for x, right in ((inset, 1), (far, -1))
        for y, down in ((inset, 1), (far, -1))
    )


#: How a cell can be marked: what a reader hears, and the shapes that mark it, above its sign.
MARKS = (
    ("", ()),
    ("clears", ((_frame(7, 17), "#FFFFFF"), (_frame(10, 11), INK))),
    ("selected", ((_frame(7, 19), INK), (_frame(12, 8), "#FFFFFF"))),
    ("hint", ((_corners(7, 38, 17), "#FFFFFF"), (_corners(10, 32, 11), INK))),
)
CLEARS, SELECTED, HINT = 1, 2, 3

#: The code of an empty cell: colours, as often as there are marks with a sign and without one, come before it.
EMPTY = len(plot.TILES) * len(MARKS) * 2


def _looks():
    """Make all a cell can look like: by colour, then by mark, then with its sign and without."""
    looks = []
    for signed in (True, False):
        for words, shapes in MARKS:
            for tile in plot.TILES:
                paths = [
                    ("M" + " L".join(f"{x:g} {y:g}" for x, y in corners) + "Z", tile.ink) for corners in tile.polygons
                ]
                label = ", ".join(filter(None, (tile.name, words)))
                looks.append(board.Look(label, tile.fill, ink=tile.ink, paths=(*paths, *shapes) if signed else shapes))
    return [*looks, board.Look("empty", BARE)]


HELP = """<b>Lines</b>: click a cell, then a neighbour to swap them. <b>Groups</b>: click a group.<br>
<b>Keys</b>: arrows, <b>Enter</b> or space for a click, <b>H</b> hint, <b>U</b> undo, <b>N</b> new game."""


class Match3(_Playable):
    """A game of match-3 to play and to watch, with the controls that make a new one.

    Every change of a control begins a new game, but of what is shown and whether it is
    animated. What is wrong with the values is said in words.

    Parameters
    ----------
    initial : dict
        Values to start from, by name of control.

    Raises
    ------
    TypeError
        If `initial` names no control, or a value is of the wrong type.
    ValueError
        If a value of `initial` is not among those the control offers.

    Notes
    -----
    The parts have CSS classes as in `Panel`, and ``gridlab-board``, ``gridlab-result``,
    and of the cascade ``gridlab-watch``, with ``gridlab-play``, ``gridlab-stage`` and
    ``gridlab-words``. Where no kernel runs, a page or a printed notebook, the board is
    shown as a picture.

    See Also
    --------
    match3 : Makes one from keywords.
    """

    _inches = 0.4

    def __init__(self, initial):
        rules = [("lines: swap neighbours", "lines"), ("groups: take a group", "groups")]
        shows = [("colours", "colours"), ("groups and their sizes", "groups")]
        half, third = CONTROL // 2 - 4, CONTROL // 3 - 4
        controls = {
            "rule": dropdown("rule", "What clears: runs in a row or column, or cells joined by edges", rules, "lines"),
            "rows": field("rows", "Rows of the board", 8, 1, LARGEST),
            "cols": field("columns", "Columns of the board", 8, 1, LARGEST),
            "n_colours": widgets.IntSlider(
                min(6, len(plot.TILES)), 2, len(plot.TILES), **dressed("colours", "Number of colours")
            ),
            "length": field("length", "The least cells of a run or a group that clears", 3, 2, 10),
            "refill": checkbox("refill holes", "New cells come in from above; if not, the game has an end"),
            "seed": field("seed", "The same seed and the same turns give the same game", 7, 0, 2**31 - 1),
            "show": dropdown(
                "show", "Only colours, or also the groups of equal cells, with their sizes", shows, "colours"
            ),
            "animate": checkbox("animate", "Show every step of a turn, or its end at once"),
            "new_game": button("new game", "Begin with the next seed", self.new_game, half),
            "again": button("restart", "Begin again with the same seed", self._begin, half),
            "hint": button("hint", "Show a move, or the next one", self.hint, third),
            "undo": button("undo", "Take back the last turn", self.undo, third),
            "reshuffle": button("reshuffle", "Put the same cells in another way", self.reshuffle, third),
        }
        controls["refill"].value = controls["animate"].value = True
        grid = board.Grid(
            [[EMPTY]],
            _looks(),
            label="match-3",
            keys=["Enter", " ", "h", "n", "u"],
            on_click=lambda cell, button, _: self._clicked(cell) if button == 0 else None,
            on_key=lambda cell, key, _: self._pressed(cell, key),
        )
        grid.cell_sizes = CELL
        self._ticker = _Ticker(self._next)
        self._play = widgets.Button(icon="play", tooltip="Watch the turn", layout={"width": "40px"})
        self._play.on_click(lambda _: self._toggle())
        self._stage = widgets.IntSlider(
            0, 0, 1, readout=False, tooltip="Pictures of the turn", layout={"flex": "1 1 100px", "max_width": "200px"}
        )
        self._words, self._figures, self._result = (widgets.HTML() for _ in range(3))
        self._watch = widgets.HBox(
            [self._play, self._stage, self._words], layout={"align_items": "center", "min_height": "36px"}
        )
        self._line = side_by_side(self._figures, self._result)
        pressed = [control for control in controls.values() if isinstance(control, widgets.Button)]
        super().__init__(
            controls,
            grid,
            first=6,
            buttons=widgets.Box(pressed, layout={"flex_flow": "row wrap", "width": f"{CONTROL + 8}px"}),
            how=HELP,
            line=self._line,
            below=[self._watch],
            unseen=[self._ticker],
            named={
                "play": self._play,
                "stage": self._stage,
                "words": self._words,
                "watch": self._watch,
                "figures": self._figures,
                "result": self._result,
            },
        )
        self._message, self._selected, self._turn = "", None, None
        self._hinted, self._at, self._busy = -1, 0, True
        self._refuse_unknown(initial)
        for name, value in initial.items():
            self.controls[name].value = _checked(name, self.controls[name], value)
        for control in self._inputs.values():
            control.observe(self._changed, "value")
        self._stage.observe(self._slid, "value")
        self._busy = False
        # what is compiled on first use is compiled now, not at the first click
        Game.of([[0, 0, 1, 0]]).swap(2, 3), Game.of([[0, 0, 0]], rule="groups").pop(0)
        components.label(np.zeros((1, 1), np.int8), background=-1)
        self._begin()

    def _changed(self, change):
        """Do what a change of a control means."""
        name = next(name for name, control in self._inputs.items() if control is change["owner"])
        if name == "animate":
            self._ticker.running = False
            self._go(self._last)
        elif name == "show":
            self._show()
        else:
            self._begin()

    def _begin(self):
        """Begin a game with the controls' values, or say what is wrong with them."""
        values = self.values
        shape, n_colours, more = _arguments(values)
        self.code = f"gridlab.match3.Game({shape}, {n_colours}, {', '.join(f'{k}={v!r}' for k, v in more.items())})"
        self._make(Game, shape, n_colours, **more)
        self._show_call("The call that makes the game again")
        for name in ("hint", "undo", "reshuffle"):
            self.controls[name].disabled = self.game is None or (name == "reshuffle" and not values["refill"])
        self._settle("")

    def swap(self, cell, other):
        """Swap two neighbours, as two clicks do.

        Parameters
        ----------
        cell, other : int or tuple of int
            Flat indices or pairs (row, col).

        Raises
        ------
        TypeError, ValueError
            If one of them is no cell of the board, or the game is not one of lines.

        Examples
        --------
        >>> panel = match3(seed=3)
        >>> cell, below = divmod(int(panel.game.hints.argmax()), 2)
        >>> panel.swap(cell, cell + (panel.values["cols"] if below else 1))
        >>> panel.game.turns
        1
        """
        if self.game is not None:
            cells = [np.ravel_multi_index(one, self.game.shape) if np.ndim(one) else one for one in (cell, other)]
            self._take(cells, lambda: self.game.swap(cell, other), "no line comes of that swap")

    def pop(self, cell):
        """Take a group, as a click does.

        Parameters
        ----------
        cell : int or tuple of int
            A flat index or a pair (row, col).

        Raises
        ------
        TypeError, ValueError
            If it is no cell of the board, or the game is not one of groups.

        Examples
        --------
        >>> panel = match3(rule="groups", seed=3)
        >>> panel.pop(int(panel.game.hints.argmax()))
        >>> panel.game.turns
        1
        """
        if self.game is not None:
            self._take([], lambda: self.game.pop(cell), f"a group needs at least {self.game.length} cells")

    def _take(self, cells, play, refusal):
        """Play a turn and show it from its beginning, or say why it is none."""
        before = self.game.board
        stages = play()
        if not stages:
            self._settle(refusal)
            return
        if not cells:
            cells = np.flatnonzero(stages[0].labels)
        self._turn = before, cells, stages
        self._selected, self._hinted, self._message = None, -1, ""
        self._ticker.running = self.values["animate"]
        self._go(1 if self.values["animate"] else self._last)

    def hint(self):
        """Mark a move, or the next one.

        Examples
        --------
        >>> panel = match3(seed=3)
        >>> panel.hint()
        >>> "hint" in [panel.grid.looks[code]["label"].partition(", ")[2] for code in panel.grid.codes]
        True
        """
        if self.game is None:
            return
        self._ticker.running = False
        self._hinted = (self._hinted + 1) % self.game.n_moves if self.game.n_moves else -1
        self._selected, self._message = None, ""
        self._go(self._last)

    def undo(self):
        """Take back the last turn or reshuffle.

        Examples
        --------
        >>> panel = match3(rule="groups", seed=3)
        >>> panel.pop(int(panel.game.hints.argmax()))
        >>> panel.undo()
        >>> panel.game.turns
        0
        """
        if self.game is not None:
            self._settle("" if self.game.undo() else "nothing to take back")

    def reshuffle(self):
        """Put the same cells on the board in another way, or say that it takes a new board.

        Examples
        --------
        >>> panel = match3(seed=3)
        >>> panel.reshuffle()
        >>> panel.game.over
        False
        """
        if self.game is None or not self.game.refill:
            return
        try:
            same = self.game.reshuffle()
        except ValueError as error:
            self._settle(str(error))
        else:
            self._settle("the same cells, reshuffled" if same else "these cells admit no move: a new board")

    def _settle(self, message):
        """Show the board as it is, with nothing selected and no turn to watch, and say something."""
        self._turn = self._selected = None
        self._hinted, self._message = -1, message
        self._ticker.running = False
        self._go(0)

    def _clicked(self, cell):
        """Do what a click means: a cascade that is watched is over with it."""
        if self.game is None:
            return
        if self._at < self._last:
            self._ticker.running = False
            self._go(self._last)
        elif self.game.rule == "groups":
            self.pop(cell)
        else:
            self._select(cell)

    def _select(self, cell):
        """Select a cell, take the selection off, or swap it with a neighbour."""
        selected, (row, col) = self._selected, divmod(cell, self.game.shape[1])
        if selected is not None:
            there = divmod(selected, self.game.shape[1])
            if abs(row - there[0]) + abs(col - there[1]) == 1:
                self.swap(selected, cell)
                return
        self._selected = None if cell == selected or self.game.board.flat[cell] < 0 else cell
        self._hinted, self._message = -1, ""
        self._show()

    def _pressed(self, cell, key):
        """Do what a key means."""
        act = {"n": self.new_game, "u": self.undo, "h": self.hint}.get(key)
        if act:
            act()
        else:
            self._clicked(cell)

    # ---- watching

    @property
    def _parts(self):
        """What a step goes through: without refill it ends when all has fallen."""
        return PARTS if self.game.refill else PARTS[:3]

    @property
    def _last(self):
        """The number of the last picture of the turn, 0 where there is none to watch."""
        return len(self._parts) * len(self._turn[2]) if self._turn else 0

    def _next(self):
        """Go to the next picture, and stop at the last one."""
        if self._at < self._last:
            self._go(self._at + 1)
        if self._at >= self._last:
            self._ticker.running = False
            self._show_play()

    def _toggle(self):
        """Stop, or go on, at the end from the beginning."""
        if self._turn is None:
            return
        self._ticker.running = not self._ticker.running
        self._go(0 if self._ticker.running and self._at == self._last else self._at)

    def _slid(self, change):
        """Stop at the picture the player has chosen."""
        if not self._busy and self._turn is not None:
            self._ticker.running = False
            self._at = min(change["new"], self._last)
            self._show()

    def _go(self, at):
        """Show a picture of the turn."""
        self._at = at
        self._show()

    def _seen(self):
        """Return the board to show, the mark of each cell, and words on it."""
        marks = np.zeros(self.game.shape, np.uint8)
        if self._turn is None or self._at == self._last:
            if self._selected is not None:
                marks.flat[self._selected] = SELECTED
            if self._hinted >= 0:
                marks[self._hint()] = HINT
        if self._turn is None:
            return self.game.board, marks, ""
        before, cells, stages = self._turn
        if self._at == 0:
            marks.flat[cells] = SELECTED
            return before, marks, f"before turn {self.game.turns}"
        step, part = divmod(self._at - 1, len(self._parts))
        stage, n = stages[step], int(np.count_nonzero(stages[step].labels))
        if part == 0:
            marks[stage.labels > 0] = CLEARS
        many = f"{n} cell" if n == 1 else f"{n} cells"
        words = (f"{many} clear", f"{many} cleared", "the others fall", f"{many} come in")[part]
        return getattr(stage, self._parts[part]), marks, f"step {step + 1} of {len(stages)}: {words}"

    def _hint(self):
        """Return the mask of the move that is hinted at."""
        found = np.zeros(self.game.shape, bool)
        if self.game.rule == "lines":
            row, col, below = np.argwhere(self.game.hints)[self._hinted]
            found[row, col] = found[row + below, col + 1 - below] = True
        else:
            labels = components.label(self.game.board, background=-1)
            large = np.unique(labels[self.game.hints])
            found = labels == large[self._hinted]
        return found

    def _show(self):
        """Show the game, or the picture of its last turn."""
        values = self.values
        wide = self._make_room(values["cols"])
        if self.game is None:
            return
        colours, marks, words = self._seen()
        codes = colours + len(plot.TILES) * marks.astype(np.int16)
        more = {}
        if values["show"] == "groups":
            more, named = _outlines(colours)
            codes[named] += len(plot.TILES) * len(MARKS)
        codes[colours < 0] = EMPTY
        rows, cols = self.game.shape
        label = f"match-3, {rows} rows, {cols} columns, {self.game.n_colours} colours"
        self.grid.show(codes, label=label, width=wide, **more)
        self._busy = True
        # One after the other: a slider in the page that is told of a value beyond the bounds it still has cuts it
        # off, and says so to Python as if the player had moved it.
        most = max(1, self._last)
        self._stage.value = min(self._stage.value, most)
        self._stage.max = most
        self._stage.value = self._at
        self._busy = False
        self._words.value = f'<div style="line-height:1.5;padding-left:10px">{words}</div>'
        self._show_play()
        game = self.game
        figures = {"score": game.score, "turns": game.turns, "moves left": game.n_moves}
        text = " &ensp; ".join(f"{name}&nbsp;<b>{number}</b>" for name, number in figures.items())
        self._figures.value = f'<div style="line-height:1.5">{text}</div>'
        self._result.value = f'<div role="status" style="line-height:1.5">&ensp; {self._say()}</div>'

    def _show_play(self):
        """Make the button say what it does."""
        self._watch.layout.visibility = None if self._turn else "hidden"  # its place stays
        running = self._ticker.running
        self._play.icon = "pause" if running else "play"
        self._play.tooltip = "stop" if running else "go on" if self._at < self._last else "watch again"

    def _say(self):
        """Say what is to be said: how the game stands, or what came of the last click."""
        game = self.game
        if self._at < self._last:
            return ""
        if self._turn and not game.settled:
            return f"stopped after {game.limit} steps: it goes on with the next turn"
        if self._message:
            return html.escape(self._message)
        if not game.over:
            return ""
        left = int((game.board >= 0).sum())
        if not left:
            return '<b style="color:#00694D">all cells cleared</b>'
        ways = "reshuffle, undo or begin a new game" if game.refill else f"{left} cells stay"
        return f'<b style="color:#a40000">no moves left</b>: {ways}'

    def _draw(self, ax):
        """Draw the board as it is now."""
        plot.colours(self.game.board, ax=ax)


def _arguments(values):
    """Return shape, number of colours and keywords of the game that the controls' values ask for."""
    more = {"rule": values["rule"]}
    if values["length"] != 3:
        more["length"] = values["length"]
    if not values["refill"]:
        more["refill"] = False
    return (values["rows"], values["cols"]), values["n_colours"], more | {"rng": values["seed"]}


def _outlines(colours):
    """Return thick lines round the groups of equal cells and their sizes as texts, and where there is one."""
    labels = components.label(colours, background=-1)
    walls = np.zeros(colours.shape, np.uint8)
    walls[:, :-1] |= labels[:, :-1] != labels[:, 1:]
    walls[:-1] |= 2 * (labels[:-1] != labels[1:]).astype(np.uint8)
    sizes, firsts = np.bincount(labels.ravel()), np.unique(labels, return_index=True)
    texts, named = np.full(colours.shape, "", "U4"), np.zeros(colours.shape, bool)
    for label, first in zip(*firsts):
        if label and sizes[label] > 1:
            texts.flat[first], named.flat[first] = str(sizes[label]), True
    return {"texts": texts, "walls": walls}, named


def match3(**initial):
    """Show a game of match-3 to play by mouse or keyboard, and to watch step by step.

    By lines the board is drawn uniformly among those that are settled and have a move, by
    groups among those that have a group (`gridlab.match3.Game`). New cells are uniform.

    Parameters
    ----------
    **initial
        Values to start from: rule ("lines" or "groups"), rows, cols, n_colours, length,
        refill, seed, show ("colours" or "groups") and animate.

    Returns
    -------
    Match3
        Shows itself as the last value of a cell. ``panel.controls`` are its widgets by
        name, ``panel.values`` their values, ``panel.game`` the game and ``panel.code`` the
        call that makes it again.

    Raises
    ------
    TypeError
        If a keyword is none of these, or a value is of the wrong type.
    ValueError
        If a value is not among those the control offers.

    Notes
    -----
    By lines a click selects a cell, and a click on a neighbour swaps the two; by groups a
    click takes a group. The arrow keys move a cursor; Enter or space is a click, H marks
    a move, U takes a turn back, and N begins a new game with the next seed. A turn is
    shown step by step: what clears is marked, then it is gone, the others fall, and new
    cells come in. A click on the board goes to the end, and the slider goes back.

    Examples
    --------
    >>> panel = match3(rule="groups", n_colours=4, seed=1)
    >>> panel.code
    "gridlab.match3.Game((8, 8), 4, rule='groups', rng=1)"
    """
    return Match3(initial)
