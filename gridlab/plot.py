"""Pictures: arrays and tables in, Axes out.

Every function draws into `ax`, by default pyplot's current Axes, and returns it. None
of them opens a second figure, shows one, draws a random number or works out a statistic
beyond the mean, the interval and the bins it draws. `style` is the look, as a context:
nothing changes matplotlib's settings for good.

A picture of a grid counts rows from the top and columns from the left: cell (row, col)
is the square from col to col + 1 and from row to row + 1.
"""

import matplotlib as mpl
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from gridlab import grid

__all__ = [
    "COLOURS",
    "STYLE",
    "region",
    "style",
]

# M. Okabe, K. Ito, "Color universal design" (2008): told apart with any colour vision.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GREY = "#999999"

#: The colour of every generator, the same in every figure.
COLOURS = {
    "walk": ORANGE,
    "dfs": VERMILION,
    "eden": BLUE,
    "eden_sites": SKY,
    "eden_bonds": GREEN,
    "mixed": PURPLE,
    "alternating": YELLOW,
    "uniform": BLACK,
    "published": GREY,
}

#: What `style` sets.
STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#444444",
    "axes.labelcolor": "#222222",
    "axes.prop_cycle": mpl.cycler(color=[BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK, YELLOW]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "figure.figsize": (7.0, 4.0),
    "font.size": 10,
    "hatch.linewidth": 0.8,
    "image.cmap": "cividis",
    "image.interpolation": "none",
    "legend.fontsize": 9,
    "legend.frameon": False,
    "savefig.dpi": 150,
    "svg.hashsalt": "gridlab",
    "xtick.color": "#444444",
    "xtick.labelsize": 9,
    "ytick.color": "#444444",
    "ytick.labelsize": 9,
}

#: Grid lines are drawn where every side has fewer cells.
LINES_BELOW = 40


def style():
    """Use gridlab's look inside a ``with`` block.

    Returns
    -------
    context manager
        On leaving it matplotlib's settings are what they were.

    Examples
    --------
    >>> import matplotlib
    >>> before = matplotlib.rcParams["image.cmap"]
    >>> with style():
    ...     matplotlib.rcParams["image.cmap"]
    'cividis'
    >>> matplotlib.rcParams["image.cmap"] == before
    True
    """
    return mpl.rc_context(STYLE)


def region(region, *, periodic=False, marks=None, color=BLUE, ax=None, **kwargs):
    """Draw one region as crisp squares, with its boundary.

    Parameters
    ----------
    region : array_like of bool, shape (rows, cols)
        The cells to fill.
    periodic : bool
        Whether opposite sides of the grid are joined. Then the frame is dashed and no
        boundary is drawn where the region goes on at the opposite side.
    marks : array_like of bool, shape (rows, cols), optional
        Cells to mark in another colour and with a hatch: the holes, for instance.
    color : colour
        Of the region, as in ``color=COLOURS["dfs"]``.
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
        If `region` is not one mask, or `marks` has another shape.

    Notes
    -----
    Grid lines are drawn below 40 cells a side. The squares are one image and the
    boundary is one path, so that a large region costs little.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ring = [[1, 1, 1], [1, 0, 1], [1, 1, 1]]
    >>> hole = [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    >>> ax = region(ring, marks=hole, ax=Figure().subplots())
    >>> ax.images[0].get_array().astype(int)
    masked_array(
      data=[[1, 1, 1],
            [1, 0, 1],
            [1, 1, 1]],
      mask=False,
      fill_value=999999)
    """
    mask = _one_mask("region", region)
    rows, cols = grid.as_shape(mask.shape, periodic)
    if marks is not None:
        marks = _one_mask("marks", marks)
        if marks.shape != mask.shape:
            raise ValueError(f"marks must have the region's shape {mask.shape}, got {marks.shape}")
    with style():
        ax = _axes(ax)
        colours = ListedColormap(["white", color])
        _grid_image(mask, ax, **{"cmap": colours, "vmin": 0, "vmax": 1, "periodic": periodic} | kwargs)
        if marks is not None and marks.any():
            corners = np.argwhere(marks)[:, None, ::-1] + [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]
            holes = Path(
                corners.reshape(-1, 2), np.tile([Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY], len(corners))
            )
            hatch = "///" if max(rows, cols) < LINES_BELOW else None
            ax.add_artist(
                PathPatch(holes, facecolor=ORANGE, edgecolor="#5A3E00", linewidth=0, hatch=hatch, label="marks")
            )
        width = min(1.6, 40 / max(rows, cols))
        ax.add_artist(_lines(_boundary(mask, periodic), linewidth=width, edgecolor="#1A1A1A", label="_boundary"))
    return ax


def _boundary(mask, periodic):
    """Segments (n, 2, 2) as (x, y) ends between cells that are filled and cells that are not."""
    segments = []
    for cells, flip in ((mask, False), (mask.T, True)):
        # edge[line, k] lies above cell k of row `line`, or below the last row
        last, first = (cells[-1:], cells[:1]) if periodic else (np.zeros_like(cells[:1]),) * 2
        edge = np.vstack([last, cells]) != np.vstack([cells, first])
        # a run of edges is one segment
        turn = np.diff(edge.astype(np.int8), axis=1, prepend=0, append=0)
        line, start = np.nonzero(turn == 1)
        end = np.nonzero(turn == -1)[1]
        ends = np.stack([np.stack([start, line], -1), np.stack([end, line], -1)], 1)
        segments.append(ends[..., ::-1] if flip else ends)
    return np.concatenate(segments)


def _lines(segments, **kwargs):
    """One patch that draws all segments (n, 2, 2)."""
    path = Path(segments.reshape(-1, 2).astype(float), np.tile([Path.MOVETO, Path.LINETO], len(segments)))
    return PathPatch(path, fill=False, capstyle="projecting", joinstyle="miter", **kwargs)


def _grid_image(values, ax, *, periodic=False, **kwargs):
    """Draw a value a cell: squares, frame, and lines where the cells are large enough."""
    rows, cols = values.shape
    image = ax.imshow(values, **{"extent": (0, cols, rows, 0), "interpolation": "none", "aspect": "equal"} | kwargs)
    ax.set(xticks=[], yticks=[], xlim=(0, cols), ylim=(rows, 0))
    if max(rows, cols) < LINES_BELOW:
        down = [[(col, 0), (col, rows)] for col in range(1, cols)]
        across = [[(0, row), (cols, row)] for row in range(1, rows)]
        ax.add_artist(
            _lines(np.array(down + across).reshape(-1, 2, 2), linewidth=0.5, edgecolor="#BBBBBB", label="_grid")
        )
    for spine in ax.spines.values():
        spine.set(visible=True, edgecolor="#444444", linewidth=1.0, linestyle=(0, (4, 3)) if periodic else "-")
    return image


def _axes(ax):
    """Take the Axes to draw into: pyplot, and with it a figure, only where none is given."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.gca()


def _one_mask(name, mask):
    """Check a mask of two axes."""
    mask = grid.as_masks(name, mask)
    if mask.ndim != 2:
        raise ValueError(f"{name} must have shape (rows, cols), got {mask.shape}")
    return mask
