"""Pictures: arrays and tables in, Axes out.

Every function draws into `ax`, by default pyplot's current Axes, and returns it. None
of them opens a second figure, shows one, draws a random number or works out a statistic
beyond the mean, the interval and the bins it draws. `style` is the look, as a context:
nothing changes matplotlib's settings for good.

A picture of a grid counts rows from the top and columns from the left: cell (row, col)
is the square from col to col + 1 and from row to row + 1.
"""

import math

import matplotlib as mpl
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from gridlab import grid

__all__ = [
    "COLOURS",
    "DIGITS",
    "STYLE",
    "board",
    "distribution",
    "frequencies",
    "law",
    "mixing",
    "neighbourhoods",
    "pvalues",
    "region",
    "regions",
    "residuals",
    "style",
]

# M. Okabe, K. Ito, "Color universal design" (2008): told apart with any colour vision.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GREY, INK = "#999999", "#1A1A1A"

#: The colours of generators, the same in every figure. A generator that is not here is drawn in `GREY`.
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

#: The colours of the numbers 1 to 8 of a minesweeper board: most of the palette, darkened so that each is read easily
#: on white, with a contrast of at least 5 to 1. The digit itself says the number.
DIGITS = ("#005B94", "#00694D", "#A84300", "#7B3F75", "#7A5200", "#006D77", "#1A1A1A", "#5A5A5A")

#: The colours of a board's squares: open, hidden, open at the end of a lost game, and the mine that was hit.
SQUARES = ("#FAFAF7", "#C9D2DC", "#E3E7EB", "#D55E00")

#: The colours of categories, all light enough for a black sign, and the signs.
CATEGORIES = (SKY, ORANGE, VERMILION, GREEN, PURPLE, YELLOW)
SIGNS = ("o", "x", "^", "s", "+", "d")

#: What the axis of a measure says, with its unit.
LABELS = {
    "area": "area (cells)",
    "perimeter": "perimeter (edges)",
    "outer_perimeter": "outer perimeter (edges)",
    "holes_4": "holes, empty cells joined by edges",
    "holes_8": "holes, empty cells joined by edges and corners",
    "compactness": "compactness 4π·area/perimeter² (a disc has 1)",
    "radius_of_gyration": "radius of gyration (cell sides)",
    "tips": "tips (cells)",
    "branches": "branches (cells)",
    "boundary_cells": "boundary cells",
    "perimeter_sites": "perimeter sites (cells)",
    "thickness": "thickness (cells)",
    "diameter": "diameter (steps)",
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


def region(region, *, periodic=False, marks=None, color=BLUE, outline=None, ax=None, **kwargs):
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
    outline : float, optional
        Width of the boundary in points, by default less on larger grids.
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
            # black is a hole in any colour but black
            face, lines = (INK, "white") if sum(to_rgb(color)) > 0.5 else (ORANGE, INK)
            hatch = "////" if max(rows, cols) < LINES_BELOW else None
            look = {"facecolor": face, "edgecolor": lines, "linewidth": 0, "hatch": hatch, "label": "marks"}
            ax.add_artist(PathPatch(holes, **look))
        width = min(1.6, 40 / max(rows, cols)) if outline is None else outline
        ax.add_artist(_lines(_boundary(mask, periodic), linewidth=width, edgecolor=INK, label="_boundary"))
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


def regions(regions, *, titles=None, periodic=False, marks=None, colours=None, axes=None, **kwargs):
    """Draw regions side by side, one in each Axes.

    Parameters
    ----------
    regions : array_like of bool, shape (n, rows, cols), or sequence of masks
        The regions, not necessarily of one shape.
    titles : sequence of str, optional
        What to write above each.
    periodic : bool
        Whether opposite sides of the grids are joined.
    marks : sequence of array_like of bool, optional
        Cells of each region to mark, as in `region`.
    colours : sequence of colours, optional
        The colour of each. By default that of the generator whose name is the title, as in `COLOURS`;
        grey for a title beside such names that is not there, and blue if none is.
    axes : sequence of `matplotlib.axes.Axes`, optional
        Where to draw, at least one for each region; those left over are emptied. By
        default a row of new Axes in pyplot's current figure.
    **kwargs
        For `matplotlib.axes.Axes.imshow`.

    Returns
    -------
    ndarray of `matplotlib.axes.Axes`
        What was drawn into, in the shape of `axes`.

    Raises
    ------
    TypeError, ValueError
        If something is not a mask, or there are not as many of each as regions.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> bent, straight = [[1, 1], [1, 0]], [[1, 1, 1]]
    >>> axes = regions([bent, straight], titles=["bent", "straight"], axes=Figure().subplots(1, 2))
    >>> [ax.get_title(loc="left") for ax in axes]
    ['bent', 'straight']
    """
    masks = [_one_mask("each of regions", mask) for mask in regions]
    if not masks:
        raise ValueError("regions must be at least one, got none")
    for name, values in (("titles", titles), ("marks", marks), ("colours", colours)):
        if values is not None and len(values) != len(masks):
            raise ValueError(f"{name} must be as many as regions, {len(masks)}, got {len(values)}")
    fallback = BLUE if titles is None or COLOURS.keys().isdisjoint(titles) else GREY
    with style():
        if axes is None:
            import matplotlib.pyplot as plt

            axes = plt.gcf().subplots(1, len(masks), squeeze=False)[0]
        axes = np.array(axes, dtype=object)
        if axes.size < len(masks):
            raise ValueError(f"axes must be at least one for each of {len(masks)} regions, got {axes.size}")
        for ax in axes.flat[len(masks) :]:
            ax.set_axis_off()
        for k, (mask, ax) in enumerate(zip(masks, axes.flat, strict=False)):
            title = "" if titles is None else titles[k]
            colour = COLOURS.get(title, fallback) if colours is None else colours[k]
            marked = None if marks is None else marks[k]
            region(mask, periodic=periodic, marks=marked, color=colour, ax=ax, **kwargs)
            ax.set_title(title, loc="left")
    return axes


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


def frequencies(counts, *, label="regions that fill the cell", periodic=False, ax=None, **kwargs):
    """Draw an amount for each cell as a heat map with a colour bar.

    Parameters
    ----------
    counts : array_like, shape (rows, cols)
        How often each cell is filled, or its share.
    label : str
        What the colour bar shows, with its unit.
    periodic : bool
        Whether opposite sides of the grid are joined. Then the frame is dashed.
    ax : `matplotlib.axes.Axes`, optional
        Where to draw, by default pyplot's current Axes.
    **kwargs
        For `matplotlib.axes.Axes.imshow`, as in ``vmin=0``: by default the colours span
        the values there are.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.

    Raises
    ------
    TypeError, ValueError
        If `counts` is not one table of numbers.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = frequencies([[3, 5], [4, 4]], ax=Figure().subplots())
    >>> ax.images[0].get_clim()
    (3.0, 5.0)
    """
    counts = _numbers("counts", counts, 2)
    with style():
        ax = _axes(ax)
        _bar(_grid_image(counts, ax, periodic=periodic, **kwargs), label, ax)
    return ax


def residuals(residuals, *, label="standardised residual", periodic=False, ax=None, **kwargs):
    """Draw where counts lie above and below what was expected.

    Parameters
    ----------
    residuals : array_like, shape (rows, cols)
        A number for each cell, zero where it is as expected.
    label : str
        What the colour bar shows, with its unit.
    periodic : bool
        Whether opposite sides of the grid are joined. Then the frame is dashed.
    ax : `matplotlib.axes.Axes`, optional
        Where to draw, by default pyplot's current Axes.
    **kwargs
        For `matplotlib.axes.Axes.imshow`, as in ``vmax=5``, which also sets the other end.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.

    Raises
    ------
    TypeError, ValueError
        If `residuals` is not one table of numbers.

    Notes
    -----
    White is zero and both ends are equally far from it: red is more, blue is less.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = residuals([[-3, 1], [2, 0]], ax=Figure().subplots())
    >>> ax.images[0].get_clim()
    (-3.0, 3.0)
    """
    residuals = _numbers("residuals", residuals, 2)
    limit = float(kwargs.pop("vmax", 0) or np.abs(residuals).max() or 1)
    with style():
        ax = _axes(ax)
        image = _grid_image(
            residuals, ax, periodic=periodic, **{"cmap": "RdBu_r"} | kwargs | {"vmin": -limit, "vmax": limit}
        )
        _bar(image, label, ax)
    return ax


def distribution(table, column, *, by="generator", label=None, ax=None, **kwargs):
    """Draw how a measure is distributed in each group: histograms above each other.

    All groups have the same bins, and each is as high as its own highest bin allows. The
    dot is the mean and the bar its 95 % interval, 1.96 standard errors to either side.

    Parameters
    ----------
    table : `pandas.DataFrame`
        One row a draw.
    column : str
        The measure. Draws for which it is NaN are left out, and counted beside the group.
    by : str
        The column that names the groups.
    label : str, optional
        What the axis shows, with its unit; by default from the name of the measure.
    ax : `matplotlib.axes.Axes`, optional
        Where to draw, by default pyplot's current Axes.
    **kwargs
        For `matplotlib.axes.Axes.stairs`.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.

    Raises
    ------
    ValueError
        If a column is missing, or nothing is left to draw.

    Notes
    -----
    The groups stand in the order of their first rows, the first on top, each in its
    colour of `COLOURS`, or grey. Bins of a measure that is a whole number are a whole number of
    its steps wide, so that no bin holds more possible values than another.

    Examples
    --------
    >>> import pandas as pd
    >>> from matplotlib.figure import Figure
    >>> table = pd.DataFrame({"generator": ["eden", "eden", "dfs", "dfs"], "perimeter": [10, 12, 16, 20]})
    >>> ax = distribution(table, "perimeter", ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['eden', 'dfs']
    """
    for name, value in (("column", column), ("by", by)):
        if value not in table:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, table))}, got {value!r}")
    values, groups = np.asarray(table[column], float), np.asarray(table[by])
    seen = np.isfinite(values)
    if not seen.any():
        raise ValueError(f"column must have at least one finite value, got none in {column!r}")
    names = list(dict.fromkeys(groups))
    edges = _bins(values[seen])
    with style():
        ax = _axes(ax)
        labels = []
        for row, name in enumerate(names):
            own, base = values[seen & (groups == name)], len(names) - 1 - row
            missing = int((groups == name).sum()) - len(own)
            labels.append(f"{name}\n({missing} undefined)" if missing else str(name))
            if not len(own):
                continue
            heights = np.histogram(own, edges)[0]
            top = base + 0.8 * heights / heights.max()
            look = {"color": COLOURS.get(name, GREY), "fill": True, "edgecolor": "#333333", "linewidth": 0.6}
            ax.stairs(top, edges, baseline=base, **look | kwargs)
            error = 1.96 * own.std(ddof=1) / np.sqrt(len(own)) if len(own) > 1 else 0
            dot = {"marker": "o", "markersize": 5, "markerfacecolor": "white", "capsize": 4}
            ax.errorbar(own.mean(), base, xerr=error, color="black", zorder=3, **dot)
        ax.set_yticks(np.arange(len(names))[::-1], labels)
        ax.tick_params(axis="y", length=0)
        ax.set(
            ylim=(-0.3, len(names) - 0.05),
            xlabel=LABELS.get(column, column.replace("_", " ")) if label is None else label,
        )
        for side in ("left", "right", "top"):
            ax.spines[side].set_visible(False)
    return ax


def law(counts, chances, *, regions=None, legend=True, ax=None, **kwargs):
    """Draw how often each outcome was seen beside how often it should be.

    Parameters
    ----------
    counts : array_like of int, shape (n,)
        Draws of each outcome.
    chances : array_like, shape (n,)
        The exact chance of each, together 1.
    regions : sequence of array_like of bool, optional
        A mask for each outcome, to draw under its bar.
    legend : bool
        Whether to say what bars and lines are: of several Axes in a row one is enough.
    ax : `matplotlib.axes.Axes`, optional
        Where to draw, by default pyplot's current Axes.
    **kwargs
        For `matplotlib.axes.Axes.bar`.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.

    Raises
    ------
    TypeError, ValueError
        If the three do not belong together, a number is negative, or there is no draw.

    Notes
    -----
    The bars' intervals are Wilson's, each of 95 %: one in twenty misses the exact chance
    even if the law holds.

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical
       inference", J. American Statistical Association 22 (1927), 209-212.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = law([48, 52], [0.5, 0.5], regions=[[[1, 1]], [[1], [1]]], ax=Figure().subplots())
    >>> [float(bar.get_height()) for bar in ax.patches]
    [0.48, 0.52]
    """
    counts, chances = _numbers("counts", counts, 1), _numbers("chances", chances, 1)
    for name, values in (("counts", counts), ("chances", chances)):
        if (values < 0).any():
            raise ValueError(f"{name} must be at least 0, got {values.min():g}")
    if len(chances) != len(counts):
        raise ValueError(f"chances must be as many as counts, {len(counts)}, got {len(chances)}")
    if abs(chances.sum() - 1) > 1e-6:
        raise ValueError(f"chances must add up to 1, got {chances.sum():g}")
    if not counts.sum():
        raise ValueError("counts must hold at least one draw, got none")
    masks = [] if regions is None else [_one_mask("each of regions", mask) for mask in regions]
    if regions is not None and len(masks) != len(counts):
        raise ValueError(f"regions must be as many as counts, {len(counts)}, got {len(masks)}")
    place, n, z = np.arange(len(counts)), counts.sum(), 1.96
    seen = counts / n
    centre = (seen + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(seen * (1 - seen) / n + z**2 / (4 * n**2))
    # at no draw or all draws the interval ends at the share itself, but for rounding
    reach = np.maximum([seen - (centre - half), centre + half - seen], 0)
    tops, middle = np.maximum(seen, chances), len(counts) // 2
    lower = "left" if tops[: len(counts) - middle].max() <= tops[middle:].max() else "right"
    with style():
        ax = _axes(ax)
        ax.bar(place, seen, **{"width": 0.8, "color": SKY, "label": "seen, 95 % interval"} | kwargs)
        ax.errorbar(place, seen, yerr=reach, fmt="none", color="#333333", capsize=2.5, linewidth=1)
        ax.hlines(chances, place - 0.45, place + 0.45, color=VERMILION, linewidth=2, label="exact chance")
        ax.set(
            ylabel=f"share of {n:,.0f} draws",
            xlim=(-0.7, len(counts) - 0.3),
            xticks=place,
        )
        # left to autoscaling, the ends also suit what Axes that share them hold; above is room for the legend
        ax.margins(y=0.3 if legend else 0.1)
        if masks:
            ax.set_xticks([])
        else:
            ax.set(xlabel="outcome", xticks=place[:: -(-len(counts) // 20)])
        for k, mask in enumerate(masks):
            under = ax.inset_axes((k - 0.42, -0.24, 0.84, 0.2), transform=ax.get_xaxis_transform())
            region(mask, color=SKY, outline=0.8, ax=under)
            under.set_anchor("N")
        if legend:
            ax.legend(loc=f"upper {lower}", borderaxespad=0.2)
    return ax


def neighbourhoods(codes, categories=None, *, labels=None, texts=None, columns=None, colours=None, ax=None):
    """Draw small pictures of a cell and the eight cells around it.

    The ring is dark where it is filled. The colour, and the sign in the middle, tell the
    category.

    Parameters
    ----------
    codes : array_like of int, shape (n,)
        The rings, from 0 to 255: bit i is the i-th cell of `gridlab.grid.RING`, clockwise
        from the right. They are drawn row by row in this order.
    categories : array_like of int, shape (n,), optional
        The category of each, from 0.
    labels : sequence of str, optional
        The names of the categories, for the legend.
    texts : sequence of str, optional
        What to write under each, as in ``"×8"``.
    columns : int, optional
        Pictures in a row, by default about as many as rows: 16 for 256.
    colours : sequence of colours, optional
        The colours of the categories.
    ax : `matplotlib.axes.Axes`, optional
        Where to draw, by default pyplot's current Axes.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.

    Raises
    ------
    TypeError, ValueError
        If a code or category is out of range, or there are not as many of each.

    Notes
    -----
    One image, whatever n: all 256 take no longer than one region.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = neighbourhoods([1, 17], [0, 1], labels=["simple", "not simple"], ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['simple (1)', 'not simple (1)']
    """
    codes = _whole("codes", codes, 255)
    n = len(codes)
    kinds = np.zeros(n, int) if categories is None else _whole("categories", categories, len(SIGNS) - 1)
    n_kinds = kinds.max() + 1 if labels is None else len(labels)
    colours = CATEGORIES if colours is None else colours
    for name, values in (("categories", kinds), ("texts", texts)):
        if values is not None and len(values) != n:
            raise ValueError(f"{name} must be as many as codes, {n}, got {len(values)}")
    if kinds.max() >= n_kinds:
        raise ValueError(
            f"categories must be from 0 to {n_kinds - 1}, as there are {n_kinds} labels, got {kinds.max()}"
        )
    if len(colours) < n_kinds or n_kinds > len(SIGNS):
        raise ValueError(
            f"labels and colours must be for {n_kinds} categories, at most {len(SIGNS)}, got {len(colours)}"
        )
    columns = math.ceil(math.sqrt(n)) if columns is None else grid.as_int("columns", columns, 1)

    # each picture is a tile of 3x3 cells, and a gap below it and at its right
    high, wide = 3 + (1 if texts is None else 1.6), 4
    lines = -(-n // columns)
    row, col = np.divmod(np.arange(n), columns)
    corner = np.stack([col * wide, row * high], -1).astype(float)  # x, y of the tile's upper left
    full = np.array([to_rgb(colour) for colour in colours])[kinds]
    cells = np.repeat((0.3 * full + 0.7)[:, None, None], 9, axis=1).reshape(n, 3, 3, 3)
    for bit, (down, right) in enumerate(grid.RING):
        cells[(codes >> bit) & 1 == 1, 1 + down, 1 + right] = to_rgb("#3A3A3A")
    cells[:, 1, 1] = full
    with style():
        ax = _axes(ax)
        squares = (corner[:, None, None] + np.stack(np.meshgrid(range(3), range(3)), -1)).reshape(-1, 1, 2)
        squares = squares + np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
        look = {"facecolors": cells.reshape(-1, 3), "edgecolors": "white", "linewidths": 0.4}
        ax.add_collection(PolyCollection(squares, **look), autolim=False)
        handles = []
        for kind in range(n_kinds):
            ax.add_artist(_signs(SIGNS[kind], corner[kinds == kind] + 1.5))
            sign = Line2D([], [], marker=SIGNS[kind], color="black", linestyle="none", markersize=5)
            handles.append((Patch(facecolor=colours[kind]), sign))
        for at, words in zip(corner, () if texts is None else texts, strict=texts is not None):
            ax.text(at[0] + 1.5, at[1] + 3.1, words, ha="center", va="top", fontsize=7)
        ax.set(xlim=(-0.5, min(n, columns) * wide - 0.5), ylim=(lines * high - 0.5, -0.5), aspect="equal")
        ax.set_axis_off()
        ax.set_anchor("W")  # so that there is room for the legend at the right
        if labels is not None:
            words = [f"{label} ({np.count_nonzero(kinds == kind)})" for kind, label in enumerate(labels)]
            one_place = {tuple: HandlerTuple(ndivide=1)}  # the sign on its colour
            ax.legend(handles, words, handler_map=one_place, loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def mixing(table, *, measured=None, ax=None, **kwargs):
    """Draw how swaps make a board uniform: the exact law, and what was measured.

    Parameters
    ----------
    table : `pandas.DataFrame`
        The law, with the columns `swaps`, `start` and `elsewhere` (the chance of a mine in a
        cell that began mined, and in one that did not) and `distance` (the total
        variation from uniform).
    measured : `pandas.DataFrame`, optional
        Shares of mined cells, with the columns `swaps`, `start`, `elsewhere`, and `error`, the
        standard error of `start`. Drawn as dots, with bars of 1.96 standard errors.
    ax : `matplotlib.axes.Axes`, optional
        Where to draw, by default pyplot's current Axes.
    **kwargs
        For `matplotlib.axes.Axes.plot`.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.

    Raises
    ------
    ValueError
        If a column is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> from matplotlib.figure import Figure
    >>> law = pd.DataFrame({"swaps": [0, 9], "start": [1, 0.5], "elsewhere": [0, 0.2], "distance": [1, 0.4]})
    >>> ax = mixing(law, ax=Figure().subplots())
    >>> [line.get_label() for line in ax.lines]
    ['total variation from uniform', 'chance of a mine, first cells', 'chance of a mine, others']
    """
    for name, frame, columns in (("table", table, MIXING), ("measured", measured, ("start", "elsewhere", "error"))):
        for column in ("swaps", *columns) if frame is not None else ():
            if column not in frame:
                raise ValueError(f"{name} must have a column {column!r}, got {', '.join(map(repr, frame))}")
    with style():
        ax = _axes(ax)
        for column, (words, colour, line) in MIXING.items():
            look = {"color": colour, "linestyle": line, "label": words}
            ax.plot(table["swaps"], table[column], **look | kwargs)
        if measured is not None:
            for column, marker in (("start", "o"), ("elsewhere", "s")):
                dot = {"marker": marker, "markersize": 5, "markerfacecolor": "white", "linestyle": "none", "capsize": 3}
                error = 1.96 * measured["error"] if column == "start" else None
                ax.errorbar(measured["swaps"], measured[column], yerr=error, color=MIXING[column][1], zorder=3, **dot)
        ax.set(xlabel="swaps", ylabel="chance, or distance", ylim=(-0.03, 1.03))
        ax.legend()
    return ax


#: The lines of `mixing`: words, colour, line.
MIXING = {
    "distance": ("total variation from uniform", BLACK, "-"),
    "start": ("chance of a mine, first cells", VERMILION, "--"),
    "elsewhere": ("chance of a mine, others", BLUE, "-."),
}


def pvalues(table, *, ax=None, **kwargs):
    """Draw the p-values of tests against the number of boards they saw.

    Parameters
    ----------
    table : `pandas.DataFrame`
        With the columns `test`, `boards` and `pvalue`, such as reports of `gridlab.uniformity` on more and
        more boards, one below the other. Rows without a p-value are left out.
    ax : `matplotlib.axes.Axes`, optional
        Where to draw, by default pyplot's current Axes.
    **kwargs
        For `matplotlib.axes.Axes.plot`.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.

    Raises
    ------
    ValueError
        If a column is missing.

    Notes
    -----
    p-values below 10⁻¹² are drawn there, in the grey strip.

    Examples
    --------
    >>> import pandas as pd
    >>> from matplotlib.figure import Figure
    >>> table = pd.DataFrame({"test": ["cells"] * 2, "boards": [100, 1000], "pvalue": [0.2, 1e-30]})
    >>> pvalues(table, ax=Figure().subplots()).lines[0].get_ydata()
    array([2.e-01, 1.e-12])
    """
    for column in ("test", "boards", "pvalue"):
        if column not in table:
            raise ValueError(f"table must have a column {column!r}, got {', '.join(map(repr, table))}")
    with style():
        ax = _axes(ax)
        colours, markers = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK, GREY), "osD^vPX*h<>"
        seen = table[table["pvalue"].notna()]
        for k, test in enumerate(dict.fromkeys(seen["test"])):
            own = seen[seen["test"] == test]
            look = {"color": colours[k % 8], "marker": markers[k % 11], "linestyle": "-" if k < 8 else "--"}
            look |= {"markersize": 5, "linewidth": 1.2, "label": test}
            ax.plot(own["boards"], own["pvalue"].clip(lower=LEAST), **look | kwargs)
        ax.axhspan(LEAST / 10, LEAST * 3, color=GREY, alpha=0.25, linewidth=0)
        ax.axhline(0.05, color=GREY, linestyle=":", linewidth=1)
        ax.set(xscale="log", yscale="log", ylim=(LEAST / 3, 2), xlabel="boards", ylabel="p-value")
        ax.set_yticks([1e-12, 1e-9, 1e-6, 1e-3, 1], ["10⁻¹²", "10⁻⁹", "10⁻⁶", "0.001", "1"], minor=False)
        boards = np.unique(table["boards"])
        if len(boards) <= 8:
            ax.set_xticks(boards, [str(n) for n in boards], fontsize=8)
        ax.minorticks_off()
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


#: The least p-value drawn as it is.
LEAST = 1e-12


def _signs(marker, centres):
    """Draw one marker around all centres (n, 2), as wide as half a cell: it grows with the picture."""
    sign = MarkerStyle(marker)
    path = sign.get_path().transformed(sign.get_transform())
    codes = path.codes
    if codes is None:
        codes = [Path.MOVETO, *[Path.LINETO] * (len(path.vertices) - 1)]
    # the vertical axis points down
    vertices = centres[:, None] + path.vertices * (0.45, -0.45)
    return PathPatch(
        Path(vertices.reshape(-1, 2), np.tile(codes, len(centres))),
        facecolor="black" if sign.is_filled() else "none",
        edgecolor="black",
        linewidth=0.8,
    )


def _bins(values):
    """Choose about a hundred bins, a whole number of steps wide where the values are whole numbers."""
    low, high = values.min(), values.max()
    if low == high:
        return np.array([low - 0.5, low + 0.5])
    if (values % 1).any():
        return np.linspace(low, high, 81)
    step = np.gcd.reduce((values - low).astype(np.int64))
    wide = step * math.ceil((high - low + step) / step / 80)
    return np.arange(low - step / 2, high + wide, wide)


def _bar(image, label, ax):
    """Add a colour bar where it is long: beside a picture, or below a wide one."""
    rows, cols = image.get_size()
    ax.figure.colorbar(
        image, ax=ax, label=label, location="bottom" if cols > 3 * rows else "right", shrink=0.9, pad=0.03
    )


def _numbers(name, values, ndim):
    """Check an array of finite numbers."""
    array = np.asarray(values)
    if array.dtype.kind not in "buif":
        raise TypeError(f"{name} must be numbers, got dtype {array.dtype}")
    if array.ndim != ndim or not array.size:
        raise ValueError(f"{name} must have {ndim} axes and at least one value, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {np.count_nonzero(~np.isfinite(array))} that are not")
    return array.astype(float)


def _whole(name, values, high):
    """Check a list of integers from 0 to `high`."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got dtype {array.dtype}")
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} must have 1 axis and at least one value, got shape {array.shape}")
    if array.min() < 0 or array.max() > high:
        raise ValueError(f"{name} must be from 0 to {high}, got {array.min()} to {array.max()}")
    return array.astype(np.int64)


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
