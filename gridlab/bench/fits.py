"""What timings say: ratios, powers of the size, sizes where one call overtakes another, and what has changed."""

import math

import numpy as np
import pandas as pd

from .timings import _checked, _interval, _level

__all__ = ["compare", "crossings", "exponent", "ratio"]


def ratio(table, *, to, level=0.95):
    """Compare every call with one of them, at each size.

    Parameters
    ----------
    table : pandas.DataFrame
        Timings of `time_calls`.
    to : str
        The name of the call to compare with.
    level : float
        Confidence of the interval, between 0 and 1.

    Returns
    -------
    pandas.DataFrame
        One row a call and size at which both were timed: `call`, `size`, `rounds`, `ratio`, how many times as
        long as `to` the call takes, the median of the ratios within each round, and `low` and `high`, its
        interval. The interval is NaN below 6 rounds, for a `level` of 0.95.

    Raises
    ------
    TypeError, ValueError
        If the table is no such table, or `to` is not in it, or the level out of range.

    Notes
    -----
    Both times of a ratio are from one round, and so near each other. Every second round has them the other way
    round; so a call beside itself has a median of 1 whatever the noise, and the interval, from one
    ratio in order to another, contains it at the stated rate at least, if rounds are independent. It speaks of
    this run only: on another day, after another start, the ratio may be another.

    Examples
    --------
    >>> from gridlab import bench
    >>> table = bench.time_calls({"sort": sorted, "sum": sum}, [1000, 2000], prepare=range, rounds=9)
    >>> bench.ratio(table, to="sum")["call"].tolist()
    ['sort', 'sum', 'sort', 'sum']
    """
    table, level = _checked(table), _level(level)
    wide = _beside(table, to)
    rows = []
    for size in table["size"].unique():
        own = wide.loc[size]
        for name in dict.fromkeys(table["call"]):
            values = (own[name] / own[to]).dropna().to_numpy()
            if len(values):
                rows.append((name, size, len(values), np.median(values), *_interval(values, level)))
    return pd.DataFrame(rows, columns=["call", "size", "rounds", "ratio", "low", "high"])


def _beside(table, to):
    """Return the seconds of each size and round, a column a call."""
    if to not in set(table["call"]):
        raise ValueError(f"to must be one of {', '.join(map(repr, dict.fromkeys(table['call'])))}, got {to!r}")
    return table.pivot(index=["size", "round"], columns="call", values="seconds")


def exponent(table, *, level=0.95):
    """Fit a power of the size to the time of each call.

    Parameters
    ----------
    table : pandas.DataFrame
        Timings of `time_calls`, at two sizes or more.
    level : float
        Confidence of the interval, between 0 and 1.

    Returns
    -------
    pandas.DataFrame
        One row a call: `rounds` that are complete; `smallest` and `largest` size; `exponent`, the slope of log
        time against log size, the median over rounds, with its interval `low`, `high` (NaN below 6
        rounds, for a `level` of 0.95); `scale`, so that scale·sizeᵉ is the fitted time in seconds; and `misfit`,
        the largest factor between a median time and the fit. A call timed at one size only has NaN.

    Raises
    ------
    TypeError, ValueError
        If the table is no such table, or the level out of range.

    Notes
    -----
    Each round has a slope of its own, by least squares. What slows down a whole round moves no slope, and
    rounds are independent, so the interval, from one slope in order to another, holds for any
    noise that spreads alike at all sizes, in logarithms, if the sizes are even there, such as 10³, 10⁴, 10⁵; else
    noise of long tails to one side moves the slope. Nor need the line be straight. The slope is that of
    the sizes timed, and not yet what it will be: n log n from 10³ to 10⁶ has 1.10, and a constant
    cost beside a linear one draws it down. `misfit` tells how far from a power the times are; look at fewer
    and larger sizes, ``table[table["size"] >= 100_000]``, to come nearer to the limit.

    Examples
    --------
    >>> from gridlab import bench
    >>> table = bench.time_calls({"sum": sum}, [10_000, 20_000, 40_000], prepare=range, rounds=9)
    >>> bench.exponent(table)[["call", "rounds", "smallest", "largest"]].values.tolist()
    [['sum', 9, 10000, 40000]]
    """
    table, level = _checked(table), _level(level)
    rows = []
    for name, own in table.groupby("call", sort=False):
        rounds = np.log(own.pivot(index="round", columns="size", values="seconds").dropna())
        x = np.log(rounds.columns.to_numpy(float))
        if len(x) < 2 or not len(rounds):
            rows.append((name, len(rounds), *own["size"].agg(["min", "max"]), *[np.nan] * 5))
            continue
        centred = x - x.mean()
        slopes = rounds.to_numpy() @ centred / (centred @ centred)
        slope, times = np.median(slopes), rounds.median().to_numpy()
        height = times.mean() - slope * x.mean()
        misfit = math.exp(np.abs(times - height - slope * x).max())
        span = rounds.columns.min(), rounds.columns.max()
        rows.append((name, len(rounds), *span, slope, *_interval(slopes, level), math.exp(height), misfit))
    columns = ["call", "rounds", "smallest", "largest", "exponent", "low", "high", "scale", "misfit"]
    return pd.DataFrame(rows, columns=columns)


def crossings(table, *, to, level=0.95):
    """Find the sizes at which calls overtake one of them, or are overtaken.

    Parameters
    ----------
    table : pandas.DataFrame
        Timings of `time_calls`, at two sizes or more.
    to : str
        The name of the call to compare with.
    level : float
        Confidence of the intervals that `ratio` has at each size.

    Returns
    -------
    pandas.DataFrame
        One row for each time that the `ratio` of a call passes 1 from one size to the next: `call`, `to`,
        `size` where it does, on a line in logarithms, `low` and `high`, where the ends of the interval of the
        ratio do (NaN where they do not, between the sizes timed), and `faster`, the one that is faster beyond.

    Raises
    ------
    TypeError, ValueError
        If the table is no such table, or `to` is not in it, or the level out of range.

    Notes
    -----
    Two calls that cost the same pass each other at random; then `low` or `high` is NaN, or
    far away.

    Examples
    --------
    >>> times = {"line": lambda n: 50 * n, "square": lambda n: n * n}
    >>> rows = [(name, n, k, f(n)) for name, f in times.items() for n in (10, 100) for k in range(7)]
    >>> table = pd.DataFrame(rows, columns=["call", "size", "round", "seconds"])
    >>> crossings(table, to="line")[["call", "size", "faster"]].round(6).values.tolist()
    [['square', 50.0, 'line']]
    """
    found = ratio(table, to=to, level=level)
    rows = []
    for name, own in found.groupby("call", sort=False):
        own = own.sort_values("size")
        ratios, lows, highs = (_passes(own, column) for column in ("ratio", "low", "high"))
        for size, up in ratios:
            # the upper end of the interval rises above 1 before the ratio does, and falls below it after
            before, after = (highs, lows) if up else (lows, highs)
            before = [other for other, same in before if same == up and other <= size * NEAR]
            after = [other for other, same in after if same == up and other >= size / NEAR]
            ends = max(before, default=math.nan), min(after, default=math.nan)
            rows.append((name, to, size, *ends, to if up else name))
    return pd.DataFrame(rows, columns=["call", "to", "size", "low", "high", "faster"])


#: Sizes that differ by rounding are one.
NEAR = 1 + 1e-9


def _passes(own, column):
    """List where a column of ratios passes 1, and whether upwards."""
    x, y = np.log(own["size"].to_numpy(float)), np.log(own[column].to_numpy(float))
    found = []
    for k in range(len(x) - 1):
        if np.isfinite(y[k : k + 2]).all() and (y[k] < 0) != (y[k + 1] < 0):
            at = x[k] - y[k] * (x[k + 1] - x[k]) / (y[k + 1] - y[k])
            found.append((math.exp(at), y[k] < 0))
    return found


def compare(table, saved, *, level=0.95):
    """Compare timings with those of another run.

    Parameters
    ----------
    table, saved : pandas.DataFrame
        Timings of `time_calls`.
    level : float
        Confidence of the intervals, between 0 and 1.

    Returns
    -------
    pandas.DataFrame
        One row a call and size that both have: `call`, `size`, `now` and `then`, the median seconds, `ratio`,
        how many times as long it takes now, in geometric means, and `low` and `high`, its interval. The
        `attrs` have ``differs``, a dict of what is not the same about the machine: name to (now, then).

    Raises
    ------
    TypeError, ValueError
        If one is no such table, they have no call and size in common, or the level is out of range.

    Notes
    -----
    The interval is Welch's, of the mean logarithms. It knows the noise within the two runs only; what differs from
    one start to the next, such as where memory lies, how warm the machine is and who else uses it, often
    moves all times by a tenth or more. Ratios of calls that took turns, by `ratio`, are the safer thing
    to compare.

    Examples
    --------
    >>> then = pd.DataFrame({"call": "sum", "size": 10, "round": range(7), "seconds": 1e-6})
    >>> now = then.assign(seconds=2e-6)
    >>> compare(now, then)[["call", "ratio"]].round(6).values.tolist()
    [['sum', 2.0]]
    """
    # imported here: it takes a second, and most do without
    from scipy import stats

    table, saved, level = _checked(table), _checked(saved), _level(level)
    before = dict(list(saved.groupby(["call", "size"])["seconds"]))
    rows = []
    for key, seconds in table.groupby(["call", "size"], sort=False)["seconds"]:
        if key not in before:
            continue
        now, then = np.log(seconds.to_numpy()), np.log(before[key].to_numpy())
        low = high = np.nan
        if len(now) > 1 and len(then) > 1:
            if np.ptp(now) or np.ptp(then):
                low, high = stats.ttest_ind(now, then, equal_var=False).confidence_interval(level)
            else:
                low = high = now[0] - then[0]
        middle = np.exp(np.median(now)), np.exp(np.median(then))
        rows.append((*key, *middle, *np.exp([now.mean() - then.mean(), low, high])))
    if not rows:
        raise ValueError("table and saved must have a call and size in common, got none")
    result = pd.DataFrame(rows, columns=["call", "size", "now", "then", "ratio", "low", "high"])
    result.attrs = {"differs": _differs(table.attrs.get("machine", {}), saved.attrs.get("machine", {}))}
    return result


def _differs(now, then):
    """Return what is not the same, but for the date."""
    names = [name for name in {**now, **then} if name != "date" and now.get(name) != then.get(name)]
    return {name: (now.get(name, "unknown"), then.get(name, "unknown")) for name in names}
