"""The panel to play minesweeper: the controls of a game, and the grid it is played on."""

import ipywidgets as widgets

from .. import board, mines, plot
from .panel import CONTROL, DESCRIPTION, _checked, checkbox, dropdown, field
from .playable import _Playable, button, side_by_side
from .timers import _Clock

__all__ = ["Minesweeper", "minesweeper"]

OPEN, CLOSED, BARE, RED = plot.SQUARES
DARK = plot.INK

FLAG = (
    ("M57 12h7v72h-7Z M40 80h41v8H40Z", DARK),
    ("M57 12V58L13 35Z", RED),
)
MINE = (
    ("M47 10h6v80h-6Z", DARK),
    ("M10 47h80v6H10Z", DARK),
    ("M24 19.8L80.2 76L76 80.2L19.8 24Z", DARK),
    ("M76 19.8L80.2 24L24 80.2L19.8 76Z", DARK),
    ("M50 24a26 26 0 1 0 .01 0Z", DARK),
    ("M41 33a7.5 7.5 0 1 0 .01 0Z", "#FFFFFF"),
)
CROSS = (
    ("M12 6L50 44L88 6L94 12L56 50L94 88L88 94L50 56L12 94L6 88L44 50L6 12Z", BARE),
    ("M12 8L50 46L88 8L92 12L54 50L92 88L88 92L50 54L12 92L8 88L46 50L8 12Z", DARK),
)

#: What a cell looks like, by the values of `gridlab.mines.Game.shown`.
LOOKS = [
    board.Look("empty", OPEN),
    *(board.Look(f"{n}", OPEN, text=f"{n}", ink=ink) for n, ink in enumerate(plot.DIGITS, 1)),
    board.Look("mine", BARE, paths=MINE),
    board.Look("hidden", CLOSED, raised=True),
    board.Look("flag", CLOSED, paths=FLAG, raised=True),
    board.Look("wrong flag", BARE, paths=FLAG + CROSS),
    board.Look("mine that was hit", RED, paths=MINE),
]

HELP = """<b>Left button</b> opens a cell; on a number with as many flags around it, the cells around.
<b>Right button</b>, or shift, sets a flag.<br>
<b>Keys</b>: arrows, <b>Enter</b> or space opens, <b>F</b> flag, <b>N</b> new game."""


class Minesweeper(_Playable):
    """A game of minesweeper to play, with the controls that make a new one.

    Every change of a control but the name of the level begins a new game. What is wrong
    with the values is said in words.

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
    The parts have CSS classes as in `Panel`, and ``gridlab-board``, ``gridlab-mines``,
    ``gridlab-clock`` and ``gridlab-result``. Where no kernel runs, a page or a printed
    notebook, the board is shown as a picture.

    See Also
    --------
    minesweeper : Makes one from keywords.
    """

    def __init__(self, initial):
        (rows, cols), n_mines = mines.LEVELS["beginner"]
        half = (CONTROL - DESCRIPTION - 16) // 2
        controls = {
            "level": dropdown("level", "Size and number of mines", [*mines.LEVELS, "custom"], "beginner"),
            "rows": field("rows", "Rows of the board", rows, 1, board.LARGEST),
            "cols": field("columns", "Columns of the board", cols, 1, board.LARGEST),
            "n_mines": field("mines", "Number of mines", n_mines, 0, board.LARGEST**2 - 1),
            "opening": checkbox("first click opens a region", "Keep the neighbours of the first cell free too"),
            "seed": field("seed", "The same seed and the same first click give the same board", 7, 0, 2**31 - 1),
            "new_game": button("new game", "Begin with the next seed", self.new_game, half),
            "again": button("restart", "Begin again with the same seed", self._begin, half),
        }
        grid = board.Grid(
            [[mines.HIDDEN]],
            LOOKS,
            label="minesweeper",
            keys=["Enter", " ", "f", "n"],
            on_click=self._clicked,
            on_key=self._pressed,
        )
        self._clock = _Clock()
        self._mines, self._result = widgets.HTML(), widgets.HTML()
        self._figures = side_by_side(self._mines, self._clock, self._result)
        buttons = widgets.HBox(
            [controls["new_game"], controls["again"]], layout={"margin": f"0 0 0 {DESCRIPTION + 8}px"}
        )
        super().__init__(
            controls,
            grid,
            first=4,
            buttons=buttons,
            how=HELP,
            line=self._figures,
            named={
                "mines-left": self._mines,
                "clock": self._clock,
                "result": self._result,
                "figures": self._figures,
            },
        )
        self._busy = True
        self._start(initial)
        self._busy = False
        for control in self._inputs.values():
            control.observe(self._changed, "value")
        # what is compiled on first use is compiled now, not at the first click or the last
        mines.Game((1, 1), 0).reveal(0), mines.bbbv([[False]])
        self._begin()

    def _start(self, initial):
        """Set the controls to `initial`, the level first, which the other values may make a custom one."""
        self._refuse_unknown(initial)
        for name in self._inputs:
            if name in initial:
                self.controls[name].value = _checked(name, self.controls[name], initial[name])
                self._adjust(name)

    def _adjust(self, name):
        """Bring size and level in line after a change of the control `name`."""
        level, size = self.controls["level"], [self.controls[side] for side in ("rows", "cols", "n_mines")]
        if name == "level" and level.value in mines.LEVELS:
            (rows, cols), n_mines = mines.LEVELS[level.value]
            for control, value in zip(size, (rows, cols, n_mines)):
                control.value = value
        elif name in ("rows", "cols", "n_mines"):
            rows, cols, n_mines = (control.value for control in size)
            same = (known for known, what in mines.LEVELS.items() if what == ((rows, cols), n_mines))
            level.value = next(same, "custom")

    def _changed(self, change):
        """Begin a new game, once, whatever the controls do to each other meanwhile."""
        if self._busy:
            return
        self._busy = True
        try:
            name = next(name for name, control in self._inputs.items() if control is change["owner"])
            self._adjust(name)
            if (name, change["new"]) != ("level", "custom"):
                self._begin()
        finally:
            self._busy = False

    def _begin(self):
        """Begin a game with the controls' values, or say what is wrong with them."""
        values = self.values
        shape = values["rows"], values["cols"]
        self._make(mines.Game, shape, values["n_mines"], opening=values["opening"], rng=values["seed"])
        self._show()

    def reveal(self, cell):
        """Open a cell, as the left button does.

        Parameters
        ----------
        cell : int or tuple of int
            A flat index or a pair (row, col).

        Raises
        ------
        TypeError, ValueError
            If `cell` is no cell of the board.

        Examples
        --------
        >>> panel = minesweeper(seed=3)
        >>> panel.reveal((4, 4))
        >>> panel.code
        'gridlab.mines.floyd((9, 9), 10, safe=[(4, 4)], rng=3)'
        """
        self._move("reveal", cell)

    def flag(self, cell):
        """Put a flag on a hidden cell or take it off, as the right button does.

        Parameters
        ----------
        cell : int or tuple of int
            A flat index or a pair (row, col).

        Raises
        ------
        TypeError, ValueError
            If `cell` is no cell of the board.

        Examples
        --------
        >>> panel = minesweeper()
        >>> panel.flag((0, 0))
        >>> panel.game.remaining
        9
        """
        self._move("flag", cell)

    def chord(self, cell):
        """Open the cells around an open number, as the left button does on one.

        Parameters
        ----------
        cell : int or tuple of int
            A flat index or a pair (row, col).

        Raises
        ------
        TypeError, ValueError
            If `cell` is no cell of the board.

        Examples
        --------
        >>> panel = minesweeper()
        >>> panel.chord((0, 0))  # nothing is open yet
        >>> panel.game.started
        False
        """
        self._move("chord", cell)

    def _move(self, name, cell):
        """Make a move of the game, and show what it changed."""
        if self.game is not None and getattr(self.game, name)(cell):
            self._show()

    def _clicked(self, cell, button, modifiers):
        """Make the move a click means."""
        if self.game is None:
            return
        if self.game.open.flat[cell]:
            if button != 2:
                self.chord(cell)
        elif button == 2 or modifiers & {"shift", "ctrl"}:
            self.flag(cell)
        elif button == 0:
            self.reveal(cell)

    def _pressed(self, cell, key, modifiers):
        """Make the move a key means."""
        if key == "n":
            self.new_game()
        elif key == "f":
            self._clicked(cell, 2, modifiers)
        else:
            self._clicked(cell, 0, modifiers)

    def _show(self):
        """Show the game."""
        game, values = self.game, self.values
        self.code = self._call(values)
        self._show_call("The call that makes the board again")
        self._clock.follow(game is not None and game.started, game is not None and game.over)
        wide = self._make_room(values["cols"])
        if game is None:
            return
        rows, cols = game.shape
        label = f"minesweeper, {rows} rows, {cols} columns, {game.n_mines} mines"
        self.grid.show(game.shown, label=label, width=wide)
        self._mines.value = f"mines left&nbsp;<b>{game.remaining}</b> &ensp; time&nbsp;"
        self._result.value = f'<div role="status" style="line-height:1.5">&ensp; {self._end()}</div>'

    def _end(self):
        """Say how the game ended."""
        game = self.game
        if not game.over:
            return ""
        how = f'"color:#00694D">won in {self._clock.seconds:.1f} s' if game.won else '"color:#a40000">lost'
        least = '<span title="The least number of clicks that open all free cells">3BV</span>'
        clicks = f"{least}&nbsp;<b>{int(mines.bbbv(game.board))}</b>"
        return f"<b style={how}</b> &ensp; {clicks}"

    def _call(self, values):
        """Write the call that makes the board, or as long as there is none the game."""
        shape, n_mines, seed = (values["rows"], values["cols"]), values["n_mines"], values["seed"]
        if self.game is None or not self.game.started:
            opening = ", opening=True" if values["opening"] else ""
            return f"gridlab.mines.Game({shape}, {n_mines}{opening}, rng={seed})"
        cell = divmod(self.game.first, values["cols"])
        safe = f"gridlab.mines.opening_mask({shape}, {cell})" if values["opening"] else f"[{cell}]"
        return f"gridlab.mines.floyd({shape}, {n_mines}, safe={safe}, rng={seed})"

    def _draw(self, ax):
        """Draw the board as it is now."""
        plot.board(self.game.shown, ax=ax)


def minesweeper(**initial):
    """Show a game of minesweeper to play by mouse or keyboard.

    The first click never hits a mine: the board is drawn by it, uniformly over the boards
    that it allows (`gridlab.mines.Game`).

    Parameters
    ----------
    **initial
        Values to start from: level ("beginner", "intermediate", "expert" or "custom"),
        rows, cols, n_mines, opening and seed; sides or mines make the level custom.

    Returns
    -------
    Minesweeper
        Shows itself as the last value of a cell. ``panel.controls`` are its widgets by
        name, ``panel.values`` their values, ``panel.game`` the game and ``panel.code`` the
        call that makes the board again.

    Raises
    ------
    TypeError
        If a keyword is none of these, or a value is of the wrong type.
    ValueError
        If a value is not among those the control offers.

    Notes
    -----
    The left button opens a cell, the right one, or shift, sets a flag, and the left or the
    middle one on an open number opens the cells around it. The arrow keys move a cursor;
    Enter or space opens, F sets a flag, and N begins a new game with the next seed.

    Examples
    --------
    >>> panel = minesweeper(level="expert", seed=1)
    >>> panel.code
    'gridlab.mines.Game((16, 30), 99, rng=1)'
    >>> panel.reveal((8, 15))
    >>> panel.game.lost
    False
    """
    return Minesweeper(initial)
