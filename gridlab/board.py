"""A playable grid in the notebook: cells on one canvas, clicks and keys to Python.

The grid knows no game. What a cell can look like is a table of `Look`, and what it does
look like is a small integer a cell. Whoever plays with it listens to clicks and keys and
shows new cells. Everything is drawn in the browser from what the page already has.
"""

from dataclasses import asdict, dataclass
from pathlib import Path

import anywidget
import numpy as np
from traitlets import Bytes, Dict, Int, List, Unicode

__all__ = ["LARGEST", "Grid", "Look"]

#: The most rows, and the most columns, of a grid.
LARGEST = 100


@dataclass(frozen=True, slots=True)
class Look:
    """What a cell can look like.

    Parameters
    ----------
    label : str
        What it shows, in words for a reader who hears it.
    fill : str
        Colour of the square, as in CSS.
    text : str
        What is written in it: a digit or two.
    ink : str
        Colour of the writing.
    paths : sequence of (str, str)
        Shapes to draw in it, the first lowest: the data of an SVG path in a square of
        100 x 100, and the colour that fills it.
    raised : bool
        Whether it stands out like a button.

    Examples
    --------
    >>> Look("five", "white", text="5").ink
    '#1A1A1A'
    """

    label: str
    fill: str
    text: str = ""
    ink: str = "#1A1A1A"
    paths: tuple = ()
    raised: bool = False


class Grid(anywidget.AnyWidget):
    r"""A grid of cells that can be clicked, and walked over with the arrow keys.

    Parameters
    ----------
    codes : array_like of int, shape (rows, cols)
        Which of `looks` each cell has.
    looks : sequence of Look
        What a cell can look like, at most 256.
    label : str
        What the grid is, in words for a reader who hears it.
    keys : sequence of str
        The keys to be told of, as a browser names them, letters small: ``["Enter", " ", "f"]``.
        The arrow keys, Home, End, Page Up and Page Down move the cursor; all others are left
        to the notebook.
    width, height : int
        The most pixels the grid may take. Where the cells do not fit it has bars to scroll.
    on_click : callable, optional
        Called as ``on_click(cell, button, modifiers)`` with a flat index, 0 for the left
        button, 1 for the middle one (or left and right together), 2 for the right one, and
        a set of ``"shift"``, ``"ctrl"`` and ``"alt"``. The command key counts as ``"ctrl"``.
    on_key : callable, optional
        Called as ``on_key(cell, key, modifiers)`` with the cursor's cell.

    Raises
    ------
    TypeError, ValueError
        As in `show`, or if there are no or more than 256 looks.

    Notes
    -----
    A cell has 16 to 30 pixels a side. Only cells that changed are drawn again. In the page
    the canvas has ``role="grid"``, the cursor's cell is told in an ``aria-live`` text, and
    ``data-version`` counts how often it was drawn.

    Examples
    --------
    >>> looks = [Look("empty", "white"), Look("full", "black")]
    >>> grid = Grid([[0, 1, 0]], looks, label="three cells", on_click=lambda cell, button, modifiers: print(cell))
    >>> grid.rows, grid.cols, grid.codes
    (1, 3, b'\x00\x01\x00')
    """

    _esm = Path(__file__).with_suffix(".js")

    rows = Int().tag(sync=True)
    cols = Int().tag(sync=True)
    #: The look of each cell, a byte a cell in row-major order.
    codes = Bytes().tag(sync=True)
    #: What is written in each cell instead of its look's text, or nothing at all.
    texts = List(Unicode()).tag(sync=True)
    #: The thick lines of each cell, a byte a cell: 1 at its right, 2 below it, 3 both; or nothing at all.
    walls = Bytes().tag(sync=True)
    #: The looks, as the browser takes them.
    looks = List(Dict()).tag(sync=True)
    #: The cell, a flat index, that the keys act on.
    cursor = Int().tag(sync=True)
    label = Unicode().tag(sync=True)
    hotkeys = List(Unicode()).tag(sync=True)
    width, height = Int(700).tag(sync=True), Int(700).tag(sync=True)
    #: The least and the most pixels of a cell's side.
    cell_sizes = List(Int(), [16, 30]).tag(sync=True)

    def __init__(self, codes, looks, *, label, keys=(), width=700, height=700, on_click=None, on_key=None):
        if not 1 <= len(looks) <= 256:
            raise ValueError(f"looks must be 1 to 256, got {len(looks)}")
        tables = [asdict(look) | {"paths": [list(path) for path in look.paths]} for look in looks]
        super().__init__(looks=tables, label=label, hotkeys=list(keys), width=width, height=height)
        self._on_click, self._on_key = on_click, on_key
        self.on_msg(self._heard)
        self.show(codes)

    def show(self, codes, *, texts=None, walls=None, **changes):
        """Show other cells, not necessarily as many as before.

        Parameters
        ----------
        codes : array_like of int, shape (rows, cols)
            Which of the looks each cell has.
        texts : array_like of str, shape (rows, cols), optional
            What to write in each cell; where it is empty the text of its look.
        walls : array_like of int, shape (rows, cols), optional
            Thick lines: 1 at a cell's right, 2 below it, 3 both.
        **changes
            Other values to change at the same time: label, width, height, cursor.

        Raises
        ------
        TypeError
            If `codes` or `walls` are no integers.
        ValueError
            If there are not 1 to 100 rows and columns, a code is of no look, or shapes differ.

        Examples
        --------
        >>> grid = Grid([[0]], [Look("empty", "white")], label="one cell")
        >>> grid.show([[0, 0]], texts=[["4", ""]])
        >>> grid.cols, grid.texts
        (2, ['4', ''])
        """
        codes = _as_bytes("codes", codes, len(self.looks) - 1)
        rows, cols = codes.shape
        if not (1 <= rows <= LARGEST and 1 <= cols <= LARGEST):
            raise ValueError(f"codes must have 1 to {LARGEST} rows and columns, got {rows}x{cols}")
        texts = np.zeros((0, 0), str) if texts is None else np.asarray(texts, str)
        walls = np.zeros((0, 0), np.uint8) if walls is None else _as_bytes("walls", walls, 3)
        for name, array in (("texts", texts), ("walls", walls)):
            if array.size and array.shape != codes.shape:
                raise ValueError(f"{name} must have the shape of codes, {codes.shape}, got {array.shape}")
        if self.cursor >= rows * cols:
            changes = {"cursor": 0} | changes
        # One message: the browser never sees the cells of one grid in the shape of another.
        with self.hold_sync():
            self.rows, self.cols = rows, cols
            self.codes, self.texts, self.walls = codes.tobytes(), texts.ravel().tolist(), walls.tobytes()
            for name, value in changes.items():
                setattr(self, name, value)

    def _heard(self, _, message, __):
        """Pass on a click or a key. One on cells that are no longer shown is dropped, and what is no message."""
        if not isinstance(message, dict) or message.get("shape") != [self.rows, self.cols]:
            return
        cell = message.get("cell")
        if type(cell) is not int or not 0 <= cell < self.rows * self.cols:
            return
        modifiers = {name for name in ("shift", "ctrl", "alt") if message.get(name)}
        if message.get("type") == "click" and message.get("button") in (0, 1, 2) and self._on_click:
            self._on_click(cell, message["button"], modifiers)
        elif message.get("type") == "key" and message.get("key") in self.hotkeys and self._on_key:
            self._on_key(cell, message["key"], modifiers)


def _as_bytes(name, values, high):
    """Return small integers as a uint8 array with two axes, or say what is wrong with them."""
    array = np.asarray(values)
    if array.dtype.kind not in "iub":
        raise TypeError(f"{name} must be integers from 0 to {high}, got dtype {array.dtype}")
    if array.ndim != 2:
        raise ValueError(f"{name} must have shape (rows, cols), got {array.shape}")
    if array.size and not (0 <= array.min() and array.max() <= high):
        raise ValueError(f"{name} must be from 0 to {high}, got values from {array.min()} to {array.max()}")
    return array.astype(np.uint8)
