"""What the panels of games share: the controls beside the board, how a game begins, and its picture."""

import base64
from io import BytesIO

import ipywidgets as widgets
from matplotlib.figure import Figure

from .panel import CONTROL, PICTURE, _Controlled, _KeepKeys

__all__ = ["button", "side_by_side"]

#: The largest board, in pixels, that stands at the right of the controls on a page of 700, and the largest of all.
BESIDE, WIDEST = PICTURE + 4, 700

#: What stands around the words on how to play.
HOW = '<div style="line-height:1.45;font-size:12px;opacity:.8;padding:4px 2px">\n{}</div>'


class _Playable(_Controlled):
    """A game to play, with the controls that make a new one at the left of its board or above it.

    A subclass makes its controls, among them `seed`, and its board, and has two methods: ``_begin()`` begins a game
    of the controls' values by `_make`, and ``_draw(ax)`` draws it where there is no kernel.

    Parameters
    ----------
    controls : dict of str to `ipywidgets.Widget`
        The controls by name: those that have a value from top to bottom, and buttons.
    grid : `gridlab.board.Grid`
        The board.
    first : int
        How many of the controls that have a value stand in the first of the two columns.
    buttons : `ipywidgets.Widget`
        The buttons among the controls in their box, below the others.
    how : str
        How to play, in HTML, below the buttons.
    line : `ipywidgets.Widget`
        What is above the board.
    named : dict of str to `ipywidgets.Widget`
        The other parts that get a CSS class ``gridlab-NAME``.
    below, unseen : sequence of `ipywidgets.Widget`
        What is below the board, and what takes no place.
    """

    #: Inches of a cell's side in the picture, as long as the board is small.
    _inches = 0.3

    def __init__(self, controls, grid, *, first, buttons, how, line, named, below=(), unseen=()):
        self.controls, self.grid = controls, grid
        self.error = self.code = ""
        self.game = None
        self._of_game = [line, grid, *below]
        self._code, self._error = widgets.HTML(), widgets.HTML()
        named = {"board": grid, "code": self._code, "error": self._error, **named, **controls}
        for name, part in named.items():
            part.add_class(f"gridlab-{name.replace('_', '-')}")
        how = widgets.HTML(HOW.format(how), layout={"width": f"{CONTROL}px"})
        fields = [*self._inputs.values()]
        # beside the board one column; where the board takes the whole width, as many as fit above it
        columns = [
            widgets.VBox(column, layout={"width": f"{CONTROL + 8}px"})
            for column in (fields[:first], [*fields[first:], buttons, how])
        ]
        left = widgets.Box(columns, layout={"flex": f"1 1 {CONTROL + 8}px", "flex_flow": "row wrap"})
        self._right = widgets.VBox([self._error, *self._of_game, self._code])
        super().__init__(
            [left.add_class("gridlab-controls"), self._right, _KeepKeys(), *unseen],
            layout={"align_items": "flex-start", "flex_flow": "row wrap", "width": "100%"},
        )
        self.add_class("gridlab-panel")

    def new_game(self):
        """Begin a new game with the next seed.

        Examples
        --------
        >>> from gridlab import explore
        >>> panel = explore.minesweeper(seed=3)
        >>> panel.new_game()
        >>> panel.values["seed"]
        4
        """
        seed = self.controls["seed"]
        seed.value = 0 if seed.value == seed.max else seed.value + 1

    def _make(self, game, *arguments, **more):
        """Make the game, or show what is wrong with the values in place of a board that belongs to others."""
        self.error, self.game = "", None
        try:
            self.game = game(*arguments, **more)
        except (TypeError, ValueError) as error:
            self.error = str(error)
        self._tell()
        for part in self._of_game:
            part.layout.display = "none" if self.error else None

    def _make_room(self, cols):
        """Give a board of so many columns its place, and return the pixels it can be wide."""
        wide = WIDEST if cols * 25 + 4 > BESIDE else BESIDE
        self._right.layout.flex, self._right.layout.min_width = f"999 1 {wide}px", f"min(100%, {wide}px)"
        return wide

    def _repr_mimebundle_(self, **kwargs):
        """Give the live view and, for where there is no kernel, the board as it is now and the call."""
        bundle = super()._repr_mimebundle_(**kwargs) or {}
        bundle["text/plain"] = self.code
        if self.game is not None:
            rows, cols = self.game.shape
            side = min(self._inches, 7 / max(rows, cols))
            figure = Figure(figsize=(max(1, cols * side), max(1, rows * side)), dpi=100)
            self._draw(figure.add_axes((0.01, 0.01, 0.98, 0.98)))
            png = BytesIO()
            figure.savefig(png, format="png", dpi=100, metadata={"Software": None})
            bundle["image/png"] = base64.b64encode(png.getvalue()).decode()
        return bundle


def button(words, tooltip, act, width):
    """Make a button of so many pixels that calls `act()`."""
    made = widgets.Button(description=words, tooltip=tooltip, layout={"width": f"{width}px"})
    made.on_click(lambda _: act())
    return made


def side_by_side(*parts):
    """Put parts into the line above a board, or into more where it is narrow."""
    return widgets.HBox(parts, layout={"align_items": "baseline", "flex_flow": "row wrap", "min_height": "34px"})
