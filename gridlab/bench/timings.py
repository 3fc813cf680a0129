"""Timings of calls that take turns: over the sizes, round after round."""

import gc
import itertools
import math
import threading
import time
from contextlib import contextmanager

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from ..grid import as_int
from .records import machine

__all__ = ["summary", "time_calls"]

COLUMNS = ["call", "size", "round", "loops", "seconds"]

#: Even, so that as many go backwards as forwards. Below 6 there is no interval of 95 %; more than most are of no use.
FEWEST, MOST = 8, 100

#: One timing lasts at least so many seconds, and so many ticks of the clock: it is known to a thousandth.
LEAST, TICKS = 2e-3, 1000

#: Calls that wait, for a disk or another program, spend little of the processor's time, and are tried no longer.
WAIT = 0.5

#: What takes so many seconds is not tried twice before it is timed.
LONG = 0.2

#: A clock that ticks more slowly, as the processor's does on Windows, is not the one to take by default.
SLOW = 1e-5


def time_calls(calls, sizes, *, prepare=None, budget=10.0, rounds=None, clock=None, watch=None):
    """Time calls side by side, at growing sizes, over and over.

    Each call is made once without a clock at each size, so that compiling and first
    touches of memory stay apart. Then they take turns: a round is one timing of every
    call at every size, and every second round goes through them backwards, so that a
    machine that slows down does so for all.

    Parameters
    ----------
    calls : dict of str to callable
        What to time, by name. ``f(prepare(size))`` is one call, or ``f(size)`` without `prepare`.
    sizes : iterable of int
        At least 1 each. What a size means is up to the calls.
    prepare : callable, optional
        Makes the input of a size, once and outside the clock. All calls share it: they must not spoil it.
    budget : float
        About how many seconds to spend. It decides how often rounds are made, from 8 to
        100 times, and what is left out because it takes too long.
    rounds : int, optional
        Rounds, instead of what the budget allows.
    clock : callable, optional
        Returns seconds. By default `time.process_time`, which stands still while other programs run and counts
        the work of all threads, or where that ticks too slowly `time.perf_counter`.
    watch : callable, optional
        ``watch(share)`` is called before each timing with the share of the work that is done. When it
        returns True, timing ends there, and what was timed comes back.

    Returns
    -------
    pandas.DataFrame
        One row a timing: `call`, `size`, `round` (from 0), `loops` (how many calls in a row were timed) and
        `seconds` of one call. Its `attrs` have the ``machine``, the ``clock``, and ``left_out``, a list of
        the pairs of call and size that would have taken too long.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong kind or out of range, or the clock stands still.
    Exception
        Whatever a call raises, with a note that says which call at which size.

    Notes
    -----
    A call is left out at a size, and at all larger ones, where its rounds alone would take
    more than its share of the budget, as the sizes before foretell: by the power of the
    size between the last two, at least the first.

    Calls shorter than 2 ms are timed many in a row. Threads that time take turns, one table at a
    time. While timing goes on the garbage collector is off but for one collection a round, and
    libraries that use several threads (OpenMP, BLAS) are held to one. The time of an empty loop,
    some 20 ns a call, is not taken off. The numbers of loops and rounds depend on the machine.

    Examples
    --------
    >>> table = time_calls({"sort": sorted, "sum": sum}, [1000, 2000], prepare=range, rounds=7)
    >>> table[table["round"] == 0][["call", "size"]].values.tolist()
    [['sort', 1000], ['sum', 1000], ['sort', 2000], ['sum', 2000]]
    """
    calls, sizes = _calls(calls), _sizes(sizes)
    for name, f in (("prepare", prepare), ("clock", clock), ("watch", watch)):
        if f is not None and not callable(f):
            raise TypeError(f"{name} must be callable, got {f!r}")
    budget = _seconds("budget", budget)
    if rounds is not None:
        rounds = as_int("rounds", rounds, 1)
    if clock is None:
        clock = time.process_time if _tick(time.process_time) < SLOW else time.perf_counter
    clock_name = getattr(clock, "__name__", type(clock).__name__)

    rows, began = [], clock()
    watch = watch or (lambda share: False)
    with _undisturbed():
        plan, left_out = _plan(calls, sizes, prepare, budget, rounds, clock, watch)
        if not plan:  # `watch` has ended it
            rounds = 0
        elif rounds is None:
            cost = sum(loops * each for *_, loops, each in plan)
            rounds = min(max(int((budget - (clock() - began)) / cost / 2) * 2, FEWEST), MOST)
        turns = itertools.chain.from_iterable(
            ((k, turn) for turn in (plan if k % 2 == 0 else plan[::-1])) for k in range(rounds)
        )
        for done, (k, (name, size, given, loops, _)) in enumerate(turns):
            if watch(PLANNING + (1 - PLANNING) * done / (rounds * len(plan))):
                break
            if done % len(plan) == 0:
                gc.collect()
            with _told(name, size):
                seconds = _timed(calls[name], given, loops, clock)
            rows.append((name, size, k, loops, seconds / loops))
    # the order of the first round, in every round
    order = {turn[:2]: place for place, turn in enumerate(plan)}
    rows.sort(key=lambda row: (row[2], order[row[:2]]))
    table = pd.DataFrame(rows, columns=COLUMNS).astype({"size": np.int64, "round": np.int64, "loops": np.int64})
    table.attrs = {"machine": machine(), "clock": clock_name, "left_out": left_out}
    return table


#: The share of the work that planning is taken for.
PLANNING = 0.2


def _plan(calls, sizes, prepare, budget, rounds, clock, watch):
    """Make each call once, see how long it takes, and list what to time with which input and how many loops.

    Nothing, if `watch` ends it.
    """
    plan, left_out, past = [], [], {name: [] for name in calls}
    least = max(LEAST, TICKS * _tick(clock))
    share = budget / len(calls) / ((rounds or FEWEST) + 2)
    pairs = len(calls) * len(sizes)
    for size in sizes:
        given = size
        if prepare is not None:
            with _told("prepare", size):
                given = prepare(size)
        for name, f in calls.items():
            if _foretold(past[name], size) > share:
                left_out.append((name, size))
                continue
            if watch(PLANNING * (len(plan) + len(left_out)) / pairs):
                return [], left_out
            with _told(name, size):
                f(given)
            if watch(PLANNING * (len(plan) + len(left_out) + 0.5) / pairs):
                return [], left_out
            with _told(name, size):
                loops, each = _loops(f, given, clock, least)
            past[name].append((size, each))
            plan.append((name, size, given, loops, each))
    return plan, left_out


def _foretold(past, size):
    """Return about how many seconds a call will take, from those at the sizes before; 0 if there were none."""
    if not past:
        return 0.0
    (last, seconds), power = past[-1], 1.0
    if len(past) > 1:
        before, other = past[-2]
        power = max(1.0, math.log(seconds / other) / math.log(last / before))
    return seconds * (size / last) ** power


def _loops(f, given, clock, least):
    """Return how many calls in a row take at least so many seconds, and the seconds of one."""
    loops = 1
    while True:
        begin = time.perf_counter()
        seconds = _unhindered(f, given, loops, clock)
        wall = time.perf_counter() - begin
        if seconds >= least or wall > WAIT:
            break
        more = min(max(1.2 * least / seconds, 2), 100) if seconds > 0 else 10
        loops = math.ceil(loops * min(more, max(WAIT / wall, 2)))
    if not 0 < seconds < math.inf:
        raise ValueError(f"clock must move on, and tell finite seconds: {loops:,} calls took {seconds:g} s")
    return loops, seconds / loops


def _unhindered(f, given, loops, clock):
    """Return the seconds of some calls in a row, of two tries the shorter where one held up would mislead."""
    seconds = _timed(f, given, loops, clock)
    return min(seconds, _timed(f, given, loops, clock)) if seconds < LONG else seconds


def _timed(f, given, loops, clock):
    """Return the seconds of some calls in a row."""
    turns = itertools.repeat(None, loops)
    begin = clock()
    for _ in turns:
        f(given)
    return clock() - begin


def _tick(clock):
    """Return by how much a clock moves at least, or what it moved within 50 ms."""
    begin, patience = clock(), time.perf_counter() + 0.05
    while (now := clock()) == begin and time.perf_counter() < patience:
        pass
    return now - begin


@contextmanager
def _undisturbed():
    """Hold libraries to one thread, and keep the garbage collector from running by itself."""
    with _ALONE:  # two threads that time would put back what the other has set
        enabled, freeze = gc.isenabled(), gc.get_freeze_count() == 0
        gc.disable()
        if freeze:
            gc.freeze()  # what was there before is not gone through in every round
        try:
            with threadpool_limits(1):
                yield
        finally:
            if freeze:
                gc.unfreeze()
            if enabled:
                gc.enable()


_ALONE = threading.RLock()


@contextmanager
def _told(name, size):
    """Let an error say where it arose."""
    try:
        yield
    except Exception as error:
        error.add_note(f"raised by {name!r} at size {size}")
        raise


def _calls(calls):
    """Check what is to be timed."""
    if not isinstance(calls, dict):
        raise TypeError(f"calls must be a dict of names to callables, got {type(calls).__name__}")
    if not calls:
        raise ValueError("calls must name at least one call, got none")
    for name, f in calls.items():
        if not isinstance(name, str):
            raise TypeError(f"calls must be named by strings, got {name!r}")
        if not callable(f):
            raise TypeError(f"calls[{name!r}] must be callable, got {f!r}")
    return dict(calls)


def _sizes(sizes):
    """Check the sizes and sort them."""
    try:
        sizes = list(sizes)
    except TypeError:
        raise TypeError(f"sizes must be several integers, at least 1 each, got {sizes!r}") from None
    sizes = sorted(as_int("each of sizes", size, 1, 2**63 - 1) for size in sizes)
    if not sizes:
        raise ValueError("sizes must hold at least one size, got none")
    if len(set(sizes)) < len(sizes):
        raise ValueError(f"sizes must differ, got {', '.join(map(str, sizes))}")
    return sizes


def _seconds(name, value):
    """Check a number of seconds above 0."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name} must be a number of seconds above 0, got {value!r}")
    if not 0 < value < math.inf:
        raise ValueError(f"{name} must be a finite number of seconds above 0, got {value}")
    return float(value)


def summary(table, *, level=0.95):
    """Summarise the timings of each call at each size.

    Parameters
    ----------
    table : pandas.DataFrame
        Timings of `time_calls`.
    level : float
        Confidence of the interval, between 0 and 1.

    Returns
    -------
    pandas.DataFrame
        One row a call and size: `rounds`, `minimum` and `median` seconds of a call, and `low` and `high`, an
        interval of the median. It is NaN below 6 rounds, for a `level` of 0.95.

    Raises
    ------
    TypeError, ValueError
        If the table is no such table, or the level out of range.

    Notes
    -----
    The minimum is what the machine can do, the median what it does. The interval runs from one timing in
    order to another and so holds for any noise, as long as rounds are independent and alike.

    Examples
    --------
    >>> table = time_calls({"sort": sorted}, [1000], prepare=range, rounds=9)
    >>> summary(table).columns.tolist()
    ['call', 'size', 'rounds', 'minimum', 'median', 'low', 'high']
    """
    table, level = _checked(table), _level(level)
    rows = []
    for (name, size), own in table.groupby(["call", "size"], sort=False):
        seconds = own["seconds"].to_numpy()
        rows.append((name, size, len(own), seconds.min(), np.median(seconds), *_interval(seconds, level)))
    return pd.DataFrame(rows, columns=["call", "size", "rounds", "minimum", "median", "low", "high"])


def _interval(values, level):
    """Return the two order statistics between which the median lies with at least some confidence, or NaN."""
    # imported here: it takes a second, and timing alone does without
    from scipy import stats

    found = stats.quantile_test(values, q=np.median(values), p=0.5).confidence_interval(level)
    return (found.low, found.high) if np.isfinite([found.low, found.high]).all() else (np.nan, np.nan)


def _checked(table):
    """Check a table of timings."""
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"table must be a DataFrame of timings, got {type(table).__name__}")
    for column in ("call", "size", "round", "seconds"):
        if column not in table:
            raise ValueError(f"table must have a column {column!r}, got {', '.join(map(repr, table)) or 'none'}")
    if not len(table):
        raise ValueError("table must hold at least one timing, got none")
    for column in ("size", "seconds"):
        if table[column].dtype.kind not in "iuf":
            raise TypeError(f"{column} must be numbers, got dtype {table[column].dtype}")
    if not (table["size"] > 0).all():
        raise ValueError(f"size must be above 0, got {table['size'].min()}")
    seconds = table["seconds"].to_numpy(float)
    if not ((seconds > 0) & np.isfinite(seconds)).all():
        raise ValueError(
            f"seconds must be finite and above 0, got {seconds[~(seconds > 0) | ~np.isfinite(seconds)][0]}"
        )
    if table.duplicated(["call", "size", "round"]).any():
        raise ValueError("table must hold each round of a call and size once: number the rounds of two tables apart")
    return table


def _level(level):
    """Check a confidence."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.floating):
        raise TypeError(f"level must be a number between 0 and 1, got {level!r}")
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level}")
    return float(level)
