"""Pictures of grids: regions, amounts and residuals by cell, neighbourhoods."""

import math

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from .. import grid
from .look import (
    BLUE,
    CATEGORIES,
    COLOURS,
    GREY,
    INK,
    LINES_BELOW,
    ORANGE,
    SIGNS,
    _axes,
    _numbers,
    _one_mask,
    _whole,
    style,
)

__all__ = ["frequencies", "neighbourhoods", "region", "regions", "residuals"]


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


def _bar(image, label, ax):
    """Add a colour bar where it is long: beside a picture, or below a wide one."""
    rows, cols = image.get_size()
    ax.figure.colorbar(
        image, ax=ax, label=label, location="bottom" if cols > 3 * rows else "right", shrink=0.9, pad=0.03
    )
