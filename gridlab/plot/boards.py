"""Pictures of minesweeper boards."""

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from .cells import _boundary, _grid_image, _lines
from .look import BLUE, INK, SKY, VERMILION, _axes, _one_mask, style

__all__ = ["board"]

#: The colours of the numbers 1 to 8 of a minesweeper board: most of the palette, darkened so that each is read easily
#: on white, with a contrast of at least 5 to 1. The digit itself says the number.
DIGITS = ("#005B94", "#00694D", "#A84300", "#7B3F75", "#7A5200", "#006D77", "#1A1A1A", "#5A5A5A")

#: The colours of a board's squares: open, hidden, open at the end of a lost game, and the mine that was hit.
SQUARES = ("#FAFAF7", "#C9D2DC", "#E3E7EB", "#D55E00")


def board(shown, *, marks=None, ax=None, **kwargs):
    """Draw a minesweeper board: mines, numbers, hidden cells, flags.

    Parameters
    ----------
    shown : array_like, shape (rows, cols)
        A mask of the mines, drawn without numbers; or what `gridlab.mines.numbers` or
        ``gridlab.mines.Game.shown`` says of each cell: 0 to 8 a number, 9 a mine, 10
        hidden, 11 a flag, 12 a wrong flag, 13 the mine that was hit.
    marks : array_like of bool, shape (rows, cols), optional
        Cells to mark with a tint and an outline: an opening, for instance.
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
        If `shown` is neither a mask nor such numbers, or `marks` has another shape.

    Notes
    -----
    All equal signs are one path, so that a board of 100 x 100 costs little more than a small one.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = board([[1, 9], [10, 11]], ax=Figure().subplots())
    >>> [patch.get_label() for patch in ax.patches if not patch.get_label().startswith("_")]
    ['1', 'mine', 'flag']
    """
    shown = np.asarray(shown)
    if shown.dtype.kind not in "biu":
        raise TypeError(f"shown must be a bool or integer array of shape (rows, cols), got dtype {shown.dtype}")
    if shown.ndim != 2 or 0 in shown.shape:
        raise ValueError(f"shown must have shape (rows, cols) with sides of at least 1, got {shown.shape}")
    if shown.dtype.kind == "b":
        shown = shown * 9
    elif not (0 <= shown.min() and shown.max() <= 13):
        raise ValueError(f"shown must be from 0 to 13, got values from {shown.min()} to {shown.max()}")
    if marks is not None:
        marks = _one_mask("marks", marks)
        if marks.shape != shown.shape:
            raise ValueError(f"marks must have the board's shape {shown.shape}, got {marks.shape}")
    opened, closed, bare, hit = SQUARES
    colours = ListedColormap([*[opened] * 9, bare, closed, closed, bare, hit])
    with style():
        ax = _axes(ax)
        _grid_image(shown, ax, **{"cmap": colours, "vmin": 0, "vmax": 13} | kwargs)
        if marks is not None and marks.any():
            _stamp(SQUARE, marks, ax, color=SKY, alpha=0.35, label="marks")
            ax.add_artist(_lines(_boundary(marks, False), linewidth=1.6, edgecolor=BLUE, label="_boundary"))
        for number, colour in enumerate(DIGITS, 1):
            _stamp(_digit(number), shown == number, ax, color=colour, label=str(number))
        for label, values, parts in BOARD_SIGNS:
            for path, colour in parts:
                _stamp(path, np.isin(shown, values), ax, color=colour, label=label)
                label = f"_{label}"
    return ax


def _polygon(*corners):
    """Take corners as thousandths of a cell from its middle and close them to a path."""
    return Path(np.array([*corners, corners[0]]) / 1000, closed=True)


#: The shapes of the signs on a board, x to the right and y down from the middle of a cell of side 1.
SQUARE = _polygon((-500, -500), (500, -500), (500, 500), (-500, 500))
SPIKES = Path(Path.unit_regular_star(8, 0.45).vertices * 0.4, Path.unit_regular_star(8).codes)
POLE = _polygon((70, -380), (140, -380), (140, 300), (310, 300), (310, 380), (-100, 380), (-100, 300), (70, 300))
CLOTH = _polygon((70, -380), (70, 80), (-370, -150))
BAR = [(-350, -290), (-290, -350), (350, 290), (290, 350)]

#: The signs on a board: label, values that show it, and its parts, the lowest first.
BOARD_SIGNS = (
    ("mine", (9, 13), ((SPIKES, INK), (Path.circle((0, 0), 0.25), INK), (Path.circle((-0.09, -0.09), 0.07), "white"))),
    ("flag", (11, 12), ((POLE, INK), (CLOTH, VERMILION))),
    ("wrong", (12,), ((_polygon(*BAR), INK), (_polygon(*[(-x, y) for x, y in BAR]), INK))),
)


def _digit(number):
    """Make the outline of a digit, 0.56 of a cell high."""
    path = TextPath((0, 0), str(number), size=1, prop={"family": "DejaVu Sans", "weight": "bold"})
    low, high = path.vertices[path.codes != Path.CLOSEPOLY].min(0), path.vertices[path.codes != Path.CLOSEPOLY].max(0)
    scale = 0.56 / (high[1] - low[1])
    return Path((path.vertices - (low + high) / 2) * (scale, -scale), path.codes)


def _stamp(path, cells, ax, **look):
    """Draw a path in every one of the cells, as one patch."""
    if cells.any():
        middles = np.argwhere(cells)[:, None, ::-1] + 0.5
        codes = np.tile(path.codes, len(middles))
        ax.add_artist(PathPatch(Path((path.vertices + middles).reshape(-1, 2), codes), linewidth=0, **look))
