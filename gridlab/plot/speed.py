"""Pictures of speed: times against sizes, and the powers fitted to them."""

import numpy as np
import scipy  # its modules load on first use
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from .look import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, _axes, style

__all__ = ["timings"]

#: What tells calls apart: the colour their procedures, the dashes the ways to do them, the marker each one.
HUES = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, BLACK, SKY, GREY)
DASHES = ("-", "--", ":", "-.")
MARKERS = "osD^vPX*<>phd8H."


def timings(table, *, slopes=None, legend=None, ax=None, **kwargs):
    """Draw times against sizes, both in logarithms: a power of the size is a straight line.

    The marker is the median of all rounds and the bar its interval of 95 %. Calls
    whose names agree up to the first comma have one colour, those that agree after it one kind
    of dashes, and each call its marker. The legend begins with the one that takes longest a cell at its largest size.

    Parameters
    ----------
    table : `pandas.DataFrame`
        One row a timing, with the columns `call`, `size` and `seconds` (of one call), as
        `gridlab.bench.time_calls` returns it.
    slopes : `pandas.DataFrame`, optional
        Powers fitted to some of the calls, with the columns `call`, `exponent`, `low`, `high`, `scale`,
        `smallest` and `largest`, as `gridlab.bench.exponent` returns it: from the smallest size to the largest a call
        takes ``scale * size**exponent`` seconds. Drawn as a line among the medians, which are joined only at other
        sizes then; the legend has the exponent and its interval. A call whose exponent is NaN has none.
    legend : dict, optional
        For `matplotlib.axes.Axes.legend`; by default it stands to the right of the Axes.
    ax : `matplotlib.axes.Axes`, optional
        Where to draw, by default pyplot's current Axes.
    **kwargs
        For `matplotlib.axes.Axes.plot`, of the medians and the line that joins them.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn into.

    Raises
    ------
    TypeError, ValueError
        If a column is missing or holds no numbers, there is no timing, or a size, a time or a scale is not finite
        and above 0.

    Notes
    -----
    The interval of the median runs from one timing in order to another, and so holds for any noise. Below six
    rounds there is none, and the bar goes from the shortest time to the longest.

    Examples
    --------
    >>> import pandas as pd
    >>> from matplotlib.figure import Figure
    >>> rows = [(name, n, 1e-8 * n**power) for name, power in (("sum", 1), ("sort", 1.1)) for n in (100, 1000)]
    >>> ax = timings(pd.DataFrame(rows, columns=["call", "size", "seconds"]), ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['sort', 'sum']
    """
    _positive("table", table, ("size", "seconds"), ("call",))
    if not len(table):
        raise ValueError("table must hold at least one timing, got none")
    if slopes is not None:
        if hasattr(slopes, "groupby") and "exponent" in slopes:
            slopes = slopes[slopes["exponent"].notna()]
        _positive("slopes", slopes, ("scale", "smallest", "largest"), ("call", "exponent", "low", "high"))
    with style():
        ax = _axes(ax)
        entries = []
        for name, look in _looks(table["call"]).items():
            size, middle, low, high = np.array(_medians(table[table["call"] == name])).T
            dots = look | {"markersize": 5, "linewidth": 1.2, "label": str(name)} | kwargs
            lines = []
            for fit in () if slopes is None else slopes[slopes["call"] == name].itertuples():
                span = np.array([fit.smallest, fit.largest], float)
                thin = {key: dots[key] for key in ("color", "linestyle")} | {"linewidth": 0.9, "label": f"_fit {name}"}
                lines += ax.plot(span, fit.scale * span**fit.exponent, **thin)
                for beyond in (size <= fit.smallest, size >= fit.largest):
                    ax.plot(size[beyond], middle[beyond], **thin | {"label": f"_rest {name}"})
                dots["label"] += f": slope {_estimate(fit)}"
            if lines:
                dots["linestyle"] = "none"
            bars = {"color": dots["color"], "linewidth": 1, "capsize": 2, "linestyle": "none", "label": f"_bar {name}"}
            ax.errorbar(size, middle, [middle - low, high - middle], **bars)
            lines += ax.plot(size, middle, **dots)
            # one that is left out at large sizes ends early: what a cell costs says where it goes
            entries.append((middle[-1] / size[-1], dots["label"], tuple(lines)))
        _logarithmic(ax, table["size"], table["seconds"])
        _, labels, handles = zip(*sorted(entries, key=lambda entry: -entry[0]))
        beside = {"loc": "center left", "bbox_to_anchor": (1, 0.5), "handlelength": 3}
        ax.legend(handles, labels, **(beside if legend is None else legend))
    return ax


def _positive(name, table, numbers, others):
    """Check that a table has its columns, and numbers above 0 in some."""
    if not hasattr(table, "groupby"):  # pandas itself is not loaded for a check
        raise TypeError(f"{name} must be a DataFrame, got {type(table).__name__}")
    for column in (*others, *numbers):
        if column not in table:
            raise ValueError(f"{name} must have a column {column!r}, got {', '.join(map(repr, table)) or 'none'}")
    for column in numbers:
        values = np.asarray(table[column])
        if values.dtype.kind not in "iuf":
            raise TypeError(f"{name}[{column!r}] must be numbers, got dtype {values.dtype}")
        wrong = ~(np.isfinite(values) & (values > 0))
        if wrong.any():
            raise ValueError(f"{name}[{column!r}] must be finite and above 0, got {values[wrong][0]}")


def _estimate(fit):
    """Write an exponent, with its interval if there is one."""
    known = np.isfinite([fit.low, fit.high]).all()
    return f"{fit.exponent:.2f}" + (f" [{fit.low:.2f}, {fit.high:.2f}]" if known else "")


def _looks(calls):
    """Give each call a look, by its place in the order of first rows."""
    names = list(dict.fromkeys(calls))
    parts = [str(name).partition(",") for name in names]
    procedures, ways = (list(dict.fromkeys(part[k] for part in parts)) for k in (0, 2))
    return {
        name: {
            "color": HUES[procedures.index(procedure) % len(HUES)],
            "linestyle": DASHES[(ways.index(way) + procedures.index(procedure) // len(HUES)) % len(DASHES)],
            "marker": MARKERS[k % len(MARKERS)],
        }
        for k, (name, (procedure, _, way)) in enumerate(zip(names, parts))
    }


def _medians(own):
    """Return size, median, and the ends of its bar, a row for each size."""
    rows = []
    for size, seconds in own.groupby("size")["seconds"]:
        values = np.sort(seconds.to_numpy(float))
        # so many in order from either end that the median lies between with a chance of 95 % at least
        skipped = max(np.count_nonzero(scipy.special.bdtr(np.arange(len(values)), len(values), 0.5) <= 0.025) - 1, 0)
        rows.append((size, np.median(values), values[skipped], values[-1 - skipped]))
    return rows


def _logarithmic(ax, sizes, seconds):
    """Scale both axes by logarithms, with ticks that say numbers and units."""
    ax.set(xscale="log", yscale="log", xlabel="size", ylabel="time of one call")
    for axis, values, words in ((ax.xaxis, sizes, _count), (ax.yaxis, seconds, _duration)):
        # over few powers of ten also numbers between them
        steps = (1.0,) if values.max() >= 100 * values.min() else (1.0, 2.0, 5.0)
        axis.set_major_locator(LogLocator(subs=steps))
        axis.set_major_formatter(FuncFormatter(lambda value, _, words=words: words(value)))
        axis.set_minor_locator(NullLocator())


def _count(value):
    """Write a number of cells."""
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def _duration(seconds):
    """Write a time in the unit that suits it."""
    for factor, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= 0.999 * factor:
            return f"{seconds / factor:,.4g} {unit}"
    return f"{seconds / 1e-9:.4g} ns"
