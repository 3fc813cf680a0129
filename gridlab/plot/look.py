"""What all pictures share: colours that are told apart with any colour vision, the style, and checks."""

import matplotlib as mpl
import numpy as np

from .. import grid

__all__ = ["style"]

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
