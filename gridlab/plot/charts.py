"""Charts: distributions, laws, mixing, p-values."""

import math

import numpy as np

from .cells import region
from .look import (
    BLACK,
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    LABELS,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    _axes,
    _numbers,
    _one_mask,
    style,
)

__all__ = ["distribution", "law", "mixing", "pvalues"]


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
        ax.axhline(0.05, color=GREY, linestyle=":", linewidth=1, label="0.05")
        ax.set(xscale="log", yscale="log", ylim=(LEAST / 3, 2), xlabel="boards", ylabel="p-value")
        ax.set_yticks([1e-12, 1e-9, 1e-6, 1e-3, 1], ["10⁻¹²", "10⁻⁹", "10⁻⁶", "0.001", "1"], minor=False)
        boards = np.unique(table["boards"])
        if len(boards) <= 8:
            ax.set_xticks(boards, [str(n) for n in boards], fontsize=8)
        ax.minorticks_off()
        if len(seen):
            ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


#: The least p-value drawn as it is.
LEAST = 1e-12


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
