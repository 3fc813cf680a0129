"""The panel of speed: ways to place mines, timed side by side."""

import sys
import time

from ipywidgets import FloatSlider, SelectionSlider, SelectMultiple

from .. import bench, plot
from ..plot.speed import _estimate
from .panel import dressed, seed, slider
from .started import Started

__all__ = ["benchmark"]

#: Half powers of ten: the sizes that are timed, in cells.
SIZES = tuple(round(10 ** (k / 2)) for k in range(4, 13))

#: The sizes are from here up to the largest, or the three up to it.
SMALLEST = 1000

#: The first picture's largest size, and seconds.
FIRST = {"largest": 10_000, "seconds": 0.5}

#: What is compared to begin with.
NAMES = ("insertion, list", "insertion, numba", "shuffle, list", "shuffle, numba")

#: Time of this thread alone, as the kernel's own shows the bar meanwhile. On Windows it ticks too slowly.
CLOCK = time.perf_counter if sys.platform == "win32" else time.thread_time


def benchmark(**initial):
    """Show a panel that times ways to place mines on larger and larger boards.

    The picture has the time of one board against its cells, both in logarithms: time that
    grows as a power of the cells is a straight line, with the power as slope. A slope is that of
    a procedure's last factor of ten, where what does not grow counts least. A short first run is
    made at once; the buttons start and stop a longer one with the values of the controls.

    Parameters
    ----------
    **initial
        Values to start from: largest (cells of the largest board, a half power of ten from 1000 to
        1000000, rounded), density (share of mined cells, 0.05 to 0.99), names (of `gridlab.bench.CONTENDERS`),
        seconds (1 to 30, about what a run takes), seed.

    Returns
    -------
    Started
        Shows itself as the last value of a cell. ``panel.result`` is the table of `gridlab.bench.time_calls`.

    Raises
    ------
    TypeError
        If a keyword is none of these, or a value is of the wrong type.
    ValueError
        If a value is not among those the control offers.

    Notes
    -----
    The time is that of the processor in the thread that works, so the browser and other programs hardly count,
    and other cells should not run meanwhile. A run that is stopped shows the rounds up to there.

    Examples
    --------
    >>> panel = benchmark(names=["shuffle, list", "shuffle, numpy"], largest=1000)
    >>> print(panel.code)
    calls = gridlab.bench.contenders(0.2, names=['shuffle, list', 'shuffle, numpy'], rng=7)
    gridlab.bench.time_calls(calls, [100, 316, 1000], budget=0.5)
    >>> panel.result["size"].unique().tolist()
    [100, 316, 1000]
    """
    cells = [(f"{n:,}", n) for n in SIZES if n >= SMALLEST]
    controls = {
        "largest": SelectionSlider(options=cells, value=100_000, **dressed("cells up to", "The largest board to time")),
        "density": FloatSlider(
            value=0.2, min=0.05, max=0.99, step=0.01, **dressed("mined", "Share of the cells that get a mine")
        ),
        "names": SelectMultiple(
            options=list(bench.CONTENDERS),
            value=NAMES,
            rows=9,
            **dressed("procedures", "What to time; hold Ctrl, or Shift with the arrows, to choose several"),
        ),
        "seconds": slider("seconds", "About how long a run takes", 5, 1, 30),
        **seed("The same seed gives the same boards"),
    }

    def code(values):
        every = len(values["names"]) == len(bench.CONTENDERS)
        names = "" if every else f", names={list(values['names'])}"
        return (
            f"calls = gridlab.bench.contenders({_density(values)}{names}, rng={values['seed']})\n"
            f"gridlab.bench.time_calls(calls, {_sizes(values)}, budget={values['seconds']})"
        )

    def compute(values, watch):
        if not values["names"]:
            raise ValueError("procedures must be at least one, got none")
        calls = bench.contenders(_density(values), names=values["names"], rng=values["seed"])
        table = bench.time_calls(calls, _sizes(values), budget=values["seconds"], clock=CLOCK, watch=watch)
        return None if table.empty else table

    def describe(values):
        return (
            f"Time of one board, {_density(values):g} of its cells mined, against its cells up to "
            f"{values['largest']:,}, both in logarithms: {'; '.join(values['names'])}"
        )

    return Started(
        controls,
        initial,
        first=lambda values: values | {name: min(values[name], most) for name, most in FIRST.items()},
        adjust=lambda values: None,
        code=code,
        compute=compute,
        figures=_figures,
        draw=_draw,
        describe=describe,
        work="timing",
        height=600,
    )


def _sizes(values):
    """Choose the sizes to time."""
    upto = [n for n in SIZES if n <= values["largest"]]
    return upto[min(SIZES.index(SMALLEST), len(upto) - 3) :]


def _density(values):
    """Return the share of mined cells without what the slider's steps add up to."""
    return round(values["density"], 6)


def _figures(values, table):
    """Say which is the fastest, what was left out, and the slopes."""
    last = bench.summary(table[table["size"] == table["size"].max()])
    fastest = last.loc[last["median"].idxmin()]
    first_left_out = {}
    for name, size in table.attrs["left_out"]:
        first_left_out.setdefault(name, f"{name} from {size:,} cells")
    slopes = _slopes(table).dropna(subset="exponent")
    return {
        f"fastest at {fastest['size']:,} cells": f"{fastest['call']}, {1e3 * fastest['median']:.3g} ms",
        "rounds": f"{table.groupby(['call', 'size']).size().min()}",
        **({"left out, too slow": "; ".join(first_left_out.values())} if first_left_out else {}),
        **({"slopes over the last factor of ten:": ""} if len(slopes) else {}),
        **{fit.call: _estimate(fit) for fit in slopes.itertuples()},
    }


def _slopes(table):
    """Fit a power to each one's largest sizes, up to a factor of ten apart."""
    largest = table.groupby("call")["size"].transform("max")
    return bench.exponent(table[table["size"] > largest / 11])  # half powers are rounded


def _draw(values, table, ax):
    """Draw the times, and the legend below them, in one column or two."""
    n = table["call"].nunique()
    below = {"loc": "lower left", "bbox_to_anchor": (0, 0), "bbox_transform": ax.figure.transFigure}
    if n > 8:  # the slopes are among the figures below
        plot.timings(table, legend=below | {"ncols": 2, "fontsize": 8, "columnspacing": 1}, ax=ax)
    else:
        plot.timings(table, slopes=_slopes(table), legend=below | {"fontsize": 8}, ax=ax)
    bottom = 0.1 + 0.033 * (n if n <= 8 else (n + 1) // 2)
    ax.set(xlabel="cells", position=(0.22, bottom, 0.74, 0.98 - bottom))
    ax.spines[["top", "right"]].set_visible(False)
