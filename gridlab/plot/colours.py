"""Pictures of boards of colours: match-3 boards, groups of equal cells, labels of components."""

from dataclasses import dataclass

import numpy as np
from matplotlib.colors import ListedColormap, hsv_to_rgb, rgb_to_hsv
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from .. import grid
from .boards import SQUARES, _stamp
from .cells import _boundary, _grid_image, _lines
from .look import BLUE, GREEN, GREY, INK, LINES_BELOW, ORANGE, PURPLE, SKY, VERMILION, YELLOW, _axes, _one_mask, style

__all__ = ["TILES", "Tile", "colours"]


@dataclass(frozen=True, slots=True)
class Tile:
    """What a cell of a colour looks like.

    Attributes
    ----------
    name : str
        Colour and sign in words.
    fill, ink : str
        The colours of the square and of the sign, #rrggbb.
    polygons : tuple of tuple of (float, float)
        The sign: the corners (x, y) of each part, x to the right and y down in a square of 100 x 100.
    """

    name: str
    fill: str
    ink: str
    polygons: tuple


def _around(n, radius, start=0.0):
    """Return n corners around the middle of the square, clockwise from the top and turned by `start` steps."""
    angle = 2 * np.pi * (np.arange(n) + start) / n
    corners = np.stack([50 + radius * np.sin(angle), 50 - radius * np.cos(angle)], -1)
    return tuple(map(tuple, corners.round(2).tolist()))


def _ring(outer, inner):
    """Return a ring as one polygon: outside once around, then inside back."""
    outside, inside = _around(32, outer), _around(32, inner)
    return (*outside, outside[0], inside[0], *inside[::-1])


def _star(outer, inner):
    """Return a star with five tips."""
    return tuple(corner for pair in zip(_around(5, outer), _around(5, inner, 0.5)) for corner in pair)


def _turned(corners):
    """Return corners turned by an eighth of a circle about the middle."""
    return tuple((round(50 + (x - y) / 2**0.5, 2), round(50 + (x + y - 100) / 2**0.5, 2)) for x, y in corners)


#: A quarter of a plus, the other quarters turned from it.
_ARM = [(-8, -8), (-8, -28), (8, -28)]
PLUS = tuple((50 + a * x - b * y, 50 + b * x + a * y) for a, b in ((1, 0), (0, 1), (-1, 0), (0, -1)) for x, y in _ARM)

#: What the colours 0 to 7 of a match-3 board look like: told apart with any colour vision, and in grey by the sign.
TILES = (
    Tile("blue disc", BLUE, "#FFFFFF", (_around(32, 25),)),
    Tile("yellow diamond", YELLOW, INK, (_around(4, 31),)),
    Tile("vermilion square", VERMILION, INK, (_around(4, 31, 0.5),)),
    Tile("green triangle", GREEN, INK, (((50, 23), (79, 72), (21, 72)),)),
    Tile("purple plus", PURPLE, INK, (PLUS,)),
    Tile("sky ring", SKY, INK, (_ring(28, 15),)),
    Tile("orange star", ORANGE, INK, (_star(32, 13),)),
    Tile("grey cross", GREY, INK, (_turned(PLUS),)),
)

#: An empty cell, and cells of the background.
PALE = SQUARES[0]

#: Where there are more colours than tiles: hues that turn by the golden section, in three depths, so that numbers that
#: follow each other look unlike and none of a thousand is another's.
_STEPS = np.arange(1000)
SHADES = hsv_to_rgb(
    np.stack(
        [
            _STEPS * 0.618033988749895 % 1,
            np.array([0.75, 0.55, 0.85])[_STEPS % 3],
            np.array([0.8, 0.92, 0.5])[_STEPS % 3],
        ],
        -1,
    )
)

#: Numbers are written into the cells of a board of many colours whose sides are at most so long.
NUMBERS_TO = 16


def colours(board, *, labels=None, marks=None, background=-1, periodic=False, ax=None, **kwargs):
    """Draw a board of colours, or labels of components.

    Colours 0 to 7 are those of `TILES`, with their signs where sides are below 40 cells. With
    more colours each number has its own shade, and is written where sides are at most 16.

    Parameters
    ----------
    board : array_like of int, shape (rows, cols)
        A colour from 0 for each cell, or -1, an empty one, which is pale.
    labels : array_like of int, shape (rows, cols), optional
        The components that cells belong to, as of `gridlab.components.label`: a thick line
        is drawn around each. 0 is none.
    marks : array_like of bool, shape (rows, cols), optional
        Cells to mark: those that clear, for instance. They are outlined, and if there are any
        all others fade.
    background : int
        Another colour that is pale: 0 for labels that have a background.
    periodic : bool
        Whether opposite sides of the grid are joined. Then the frame is dashed and no
        line is drawn where a component goes on at the opposite side.
    ax : `matplotlib.axes.Axes`, optional
        Where to draw, by default pyplot's current Axes.
    **kwargs
        For `matplotlib.axes.Axes.imshow`.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.

    Raises
    ------
    TypeError, ValueError
        If `board` is not one array of integers from -1, or `labels` or `marks` has another shape.

    Notes
    -----
    All equal signs are one path, and so are all lines. Of a thousand labels no two have one shade;
    from there on the shades begin again.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = colours([[0, 0, 1], [2, -1, 1]], labels=[[1, 1, 2], [3, 0, 2]], ax=Figure().subplots())
    >>> [patch.get_label() for patch in ax.patches if not patch.get_label().startswith("_")]
    ['blue disc', 'yellow diamond', 'vermilion square', 'labels']
    """
    board = _whole_board("board", board, -1)
    if isinstance(background, bool | np.bool_) or not isinstance(background, int | np.integer):
        raise TypeError(f"background must be an integer, got {background!r}")
    if not isinstance(periodic, bool | np.bool_):
        raise TypeError(f"periodic must be True or False, got {periodic!r}")
    if labels is not None:
        labels = _whole_board("labels", labels, 0)
    if marks is not None:
        marks = _one_mask("marks", marks)
    for name, array in (("labels", labels), ("marks", marks)):
        if array is not None and array.shape != board.shape:
            raise ValueError(f"{name} must have the board's shape {board.shape}, got {array.shape}")
    tiled = board.max() < len(TILES)
    palette = [tile.fill for tile in TILES] if tiled else SHADES
    bare = (board == -1) | (board == background)
    shown = np.where(bare, 0, board % len(palette) + 1)
    largest = max(board.shape)
    with style():
        ax = _axes(ax)
        look = {"cmap": ListedColormap([PALE, *palette]), "vmin": 0, "vmax": len(palette), "periodic": periodic}
        _grid_image(shown, ax, **look | kwargs)
        if tiled and largest < LINES_BELOW:
            for number, tile in enumerate(TILES):
                for part, corners in enumerate(tile.polygons):
                    path = Path((np.array([*corners, corners[0]]) - 50) / 100, closed=True)
                    label = f"_{tile.name}" if part else tile.name
                    _stamp(path, (board == number) & ~bare, ax, color=tile.ink, label=label)
        elif not tiled and largest <= NUMBERS_TO:
            for number in np.unique(board[~bare]):
                dark = rgb_to_hsv(palette[number % len(palette)])[2] < 0.6
                _stamp(_number(number), board == number, ax, color="white" if dark else INK, label=str(number))
        cell = min(ax.bbox.width / board.shape[1], ax.bbox.height / board.shape[0]) * 72 / ax.figure.dpi
        thick = max(0.8, min(2.6, 0.1 * cell))
        if labels is not None:
            # a white rim, so that the line is seen on dark cells too
            around = _boundary(labels, periodic)
            ax.add_artist(_lines(around, linewidth=1.8 * thick, edgecolor="white", label="_rim"))
            ax.add_artist(_lines(around, linewidth=thick, edgecolor=INK, label="labels"))
        if marks is not None and marks.any():
            square = Path([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)], closed=True)
            _stamp(square, ~marks, ax, color="white", alpha=0.6, label="faded")
            ax.add_artist(_lines(_boundary(marks, periodic), linewidth=1.2 * thick, edgecolor=INK, label="_boundary"))
    return ax


def _whole_board(name, values, low):
    """Check one board of integers from `low` on."""
    array = grid.as_grids(name, values)
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{name} must have shape (rows, cols) with sides of at least 1, got {array.shape}")
    least, greatest = int(array.min()), int(array.max())
    if least < low or greatest >= 2**63:
        raise ValueError(f"{name} must be from {low} to 2**63 - 1, got values from {least} to {greatest}")
    return array.astype(np.int64)


def _number(number):
    """Make the outline of a number, at most 0.6 of a cell wide and 0.4 high."""
    path = TextPath((0, 0), str(number), size=1, prop={"family": "DejaVu Sans", "weight": "bold"})
    corners = path.vertices[path.codes != Path.CLOSEPOLY]
    low, high = corners.min(0), corners.max(0)
    scale = min(0.4 / (high[1] - low[1]), 0.6 / (high[0] - low[0]))
    return Path((path.vertices - (low + high) / 2) * (scale, -scale), path.codes)
