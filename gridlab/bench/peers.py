"""Gridlab beside its peers: every work of `WORKS`, on the same input, in the same process, in turns.

A peer is another package, or the obvious way in Python or numpy. First both do a work once, and their
answers are compared; only what gives the same answer is timed. Rates are items a second of the processor's time on
one thread.
"""

import difflib
import importlib
import importlib.metadata
import platform
import time
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from .. import grid
from .cases import WORKS, Contender
from .fits import ratio
from .records import machine
from .timings import _seconds, summary, time_calls

__all__ = ["peers", "rounds"]

COLUMNS = [
    "work",
    "what",
    "unit",
    "peer",
    "how",
    "version",
    "gridlab",
    "rate",
    "ratio",
    "low",
    "high",
    "reach",
    "state",
    "disturbed",
    "note",
]

#: Items of one call, and rows of a check, at the tiny sizes.
FEW = 3

#: A row is disturbed if its longest round takes more than so many times the median, or its interval ends
#: farther from it than by the second factor.
LONGEST, WIDEST = 1.5, 1.2


def peers(
    names=None,
    *,
    peers=True,
    full=False,
    tiny=False,
    budget=60.0,
    rng=None,
    clock=None,
    watch=None,
    tell=None,
):
    """Time gridlab beside other packages that do the same work.

    Parameters
    ----------
    names : iterable of str, optional
        Which of `WORKS`; ``"mines"`` stands for all that begin with it and a dot. All by default.
    peers : bool
        Whether to time the peers, or gridlab alone.
    full : bool
        Whether to take the longer version of the works that have one: minutes and some gigabytes.
    tiny : bool
        Whether to take sizes that cost no time, to try the table out; no `reach` is stated for them.
    budget : float
        About how many seconds to spend in all. Every call is timed 8 times at least, whatever that takes.
    rng : `numpy.random.Generator` or seed, optional
        Anything `numpy.random.default_rng` accepts. The input of a work does not depend on the other `names`.
    clock : callable, optional
        Returns seconds, as in `time_calls`.
    watch : callable, optional
        ``watch(share)`` is called now and then with the share of the works done. When it returns
        True, timing ends there, and the works done come back.
    tell : callable, optional
        ``tell(rows)`` is called with the part of the table that belongs to a work, when it is done.

    Returns
    -------
    pandas.DataFrame
        Rows by work, first gridlab alone, with an empty `peer`, then one row a peer:

        - `work`, its name; `what` is done; `unit`, what is counted
        - `peer`, a package, and its `version`; `how`, by which function
        - `gridlab`, `rate`: how many a second gridlab does, and who is in this row; medians over rounds
        - `ratio`: beside a peer, gridlab is so many times as fast; the median of the ratios of the rounds
        - `low`, `high`: the interval of the ratio, or of the rate of gridlab alone (95 %, of this run)
        - `reach`: what the ratio, or the rate of gridlab alone, shall be at least
        - `state`: "reached", "missed by 4 %", "no reach stated", "not installed", "failed" or "another answer"
        - `disturbed`: whether its rounds differ so much that one should measure again
        - `note`, in words

        Its `attrs` have the ``machine`` with the versions of the peers, ``missing``, the peers that are not
        installed, and ``interrupted``, whether the run was ended before all works were done.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range, or a name is not known.

    See Also
    --------
    rounds : The single timings.

    Notes
    -----
    An interrupt (Ctrl-C, or Stop in a notebook) ends the run as `watch` does. What is made ready outside the clock,
    such as boards in the form a peer likes, is said in `gridlab.bench.cases`.

    Examples
    --------
    >>> table = peers(["mines.shuffle"], tiny=True, budget=0.1, rng=0)
    >>> table[["work", "peer", "state"]].values.tolist()
    [['mines.shuffle', '', 'no reach stated'], ['mines.shuffle', 'numpy', 'no reach stated']]
    """
    works = _works(names)
    for name, value in (("peers", peers), ("full", full), ("tiny", tiny)):
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"{name} must be True or False, got {value!r}")
    if full and tiny:
        raise ValueError("full must be False where tiny is True: sizes are one or the other")
    budget = _seconds("budget", budget)
    for name, f in (("watch", watch), ("tell", tell)):
        if f is not None and not callable(f):
            raise TypeError(f"{name} must be callable, got {f!r}")
    streams = dict(zip(WORKS, grid.as_rng(rng).spawn(len(WORKS))))

    parts, timings, stopped, done = [], {}, False, 0
    ends = time.perf_counter() + budget

    def asked(share):
        """Pass on how far it has come, and remember that it shall stop."""
        nonlocal stopped
        stopped = stopped or bool(watch is not None and watch((done + share) / len(works)))
        return stopped

    try:
        for done, name in enumerate(works):
            if asked(0.0):
                break
            work = WORKS[name]
            sizes = work.tiny if tiny else (full and work.full) or work.sizes
            entries = _entries(work, sizes, peers, tiny, streams[name])
            seconds = max((ends - time.perf_counter()) / (len(works) - done), budget / len(works) / 10)
            with _quiet():
                table = _taking_turns(entries, budget=seconds, clock=clock, watch=asked)
            if stopped:
                break
            rows = _rows(name, work, sizes, entries, table, tiny)
            parts.append(rows)
            for entry in entries:
                own = table.loc[table["call"] == entry.label, "seconds"] / entry.items
                timings[f"{name}: {entry.label}"] = [float(f"{one:.5g}") for one in own]
            if tell is not None:
                tell(rows)
    except KeyboardInterrupt:
        stopped = True
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    table.attrs = {
        "machine": machine(sorted({peer.package for work in WORKS.values() for peer in work.peers if peer.module})),
        "missing": sorted(set(table["peer"][table["state"] == "not installed"])),
        "interrupted": stopped,
        "timings": {label: own for label, own in timings.items() if own},
    }
    return table


def _works(names):
    """Return the names of works that are asked for, in the order of the table."""
    if names is None:
        return list(WORKS)
    if isinstance(names, str):
        raise TypeError(f"names must be a list of names, got {names!r}; for one write [{names!r}]")
    asked = list(names)
    if not asked:
        raise ValueError("names must hold at least one name, got none")
    for name in asked:
        if name not in WORKS and name not in _groups():
            near = difflib.get_close_matches(str(name), [*_groups(), *WORKS], 1)
            perhaps = f"; did you mean {near[0]!r}?" if near else ""
            known = [f"\n  {part}: " + ", ".join(work for work in WORKS if _part(work) == part) for part in _groups()]
            raise ValueError(f"names must be among the parts and works below, got {name!r}{perhaps}{''.join(known)}")
    return [name for name in WORKS if name in asked or _part(name) in asked]


def _groups():
    """List the parts of gridlab that have works."""
    return list(dict.fromkeys(map(_part, WORKS)))


def _part(name):
    """Return the part of gridlab that a work belongs to."""
    return name.partition(".")[0]


@dataclass(slots=True)
class _Entry:
    """A contender, made ready: its timed call, or why there is none."""

    contender: Contender
    label: str
    items: int
    timed: Callable | None = None
    state: str = ""
    note: str = ""

    def fail(self, error):
        """Say that it failed, and how."""
        self.state, self.note = "failed", f"{type(error).__name__}: {error}"


def _entries(work, sizes, peers, tiny, rng):
    """Make the input, let everyone do it once, and compare the answers with gridlab's."""
    contenders = [work.ours, *(work.peers if peers else ())]
    items = [min(contender.items, FEW) if tiny else contender.items for contender in contenders]
    given = work.make(rng, max(items), **sizes)
    entries, ours = [], None
    for contender, n in zip(contenders, items):
        own = contender is work.ours
        entry = _Entry(contender, _who("" if own else contender.package, contender.how), n, note=contender.note)
        entries.append(entry)
        try:
            with _quiet():
                module = [importlib.import_module(contender.module)] if contender.module else []
                prepared = contender.prepare(*module, given, n) if contender.prepare else given
                entry.timed = partial(_call, entry, [*module, prepared, n])
                result = entry.timed(1)
                answer = contender.answer and contender.answer(result)
                same = own or answer is None or _same(answer, ours, n)
        except Exception as error:
            if own:
                raise
            missing = isinstance(error, ModuleNotFoundError) and error.name == contender.module.partition(".")[0]
            if missing:
                entry.state, entry.note = "not installed", contender.note
            else:
                entry.fail(error)
            continue
        if own:
            ours = answer
        elif not same:
            entry.state, entry.note = "another answer", "not timed, for its answer is not gridlab's"
    return entries


def _call(entry, arguments, size):
    """Do what is timed, at the only size there is, and keep in mind who failed."""
    try:
        return entry.contender.call(*arguments)
    except Exception as error:
        entry.fail(error)
        raise


def _taking_turns(entries, **options):
    """Time all that have not failed; without a peer that does so now, once more."""
    while True:
        calls = {entry.label: entry.timed for entry in entries if not entry.state}
        try:
            return time_calls(calls, [1], **options)
        except Exception:
            if entries[0].state or not any(entry.state and entry.label in calls for entry in entries):
                raise


def _same(answer, ours, items):
    """Tell whether there is an answer to each item, and as many as there are of both are equal."""
    few = min(items, len(ours))
    complete, answer, ours = len(answer) == items, np.asarray(answer[:few]), np.asarray(ours[:few])
    return complete and answer.shape == ours.shape and np.allclose(answer, ours, rtol=1e-12, atol=0)


@contextmanager
def _quiet():
    """Keep to ourselves what peers deprecate in one another."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def _rows(name, work, sizes, entries, table, tiny):
    """Turn the timings of a work into rows."""
    ours = entries[0]
    seconds = summary(table).set_index("call")
    ratios = ratio(table, to=ours.label).set_index("call")
    rows = []
    for entry in entries:
        alone = entry is ours
        row = {
            "work": name,
            "what": work.what.format(**sizes),
            "unit": work.unit,
            "peer": "" if alone else entry.contender.package,
            "how": entry.contender.how,
            "version": _version(entry),
            "gridlab": ours.items / seconds["median"][ours.label],
            "reach": work.reach if alone else entry.contender.reach,
            "state": entry.state,
            "disturbed": False,
            "note": work.note if alone else entry.note,
        }
        if tiny:
            row["reach"] = None
        if not entry.state:
            timed = seconds.loc[entry.label]
            row["rate"] = entry.items / timed["median"]
            if alone:
                row["low"], row["high"] = entry.items / timed["high"], entry.items / timed["low"]
            else:  # the time of one item over the time of one of ours
                found = ratios.loc[entry.label, ["ratio", "low", "high"]] * (ours.items / entry.items)
                row |= found.to_dict()
            value = row["rate" if alone else "ratio"]
            row["state"] = _state(value, row["reach"])
            longest = table.loc[table["call"] == entry.label, "seconds"].max()
            wide = row["high"] > WIDEST * value or row["low"] < value / WIDEST
            row["disturbed"] = bool(longest > LONGEST * timed["median"] or wide)
        rows.append(row)
    floats = ["gridlab", "rate", "ratio", "low", "high", "reach"]
    return pd.DataFrame(rows, columns=COLUMNS).astype(dict.fromkeys(floats, float))


def _version(entry):
    """Return the version of a contender's package, empty if it is not installed."""
    if entry.contender.package == "Python":
        return platform.python_version()
    try:
        return importlib.metadata.version(entry.contender.package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _state(value, reach):
    """Say whether a rate or a ratio is what it shall be at least."""
    if reach is None:
        return "no reach stated"
    if value >= reach:
        return "reached"
    short = 100 * (1 - value / reach)
    return f"missed by {short:.0f} %" if short >= 10 else f"missed by {short:.2g} %"


def rounds(table):
    """Give the timings that a table of `peers` sums up, round by round.

    Parameters
    ----------
    table : pandas.DataFrame
        What `peers` returned, or `load` read, or some of its rows.

    Returns
    -------
    pandas.DataFrame
        One row a timing, as `time_calls` gives them: `call`, the work, what it was and who did it, so that
        `compare` puts equal sizes side by side only; `size`, always 1; `round`; and `seconds` of one item.

    Raises
    ------
    TypeError, ValueError
        If it is no such table.

    See Also
    --------
    compare : Two such tables, call by call.

    Examples
    --------
    >>> table = peers(["mines.shuffle"], tiny=True, budget=0.1, rng=0)
    >>> for call in rounds(table)["call"].unique():
    ...     print(call)
    mines.shuffle, Fisher–Yates shuffle, 6×7 cells: gridlab
    mines.shuffle, Fisher–Yates shuffle, 6×7 cells: numpy shuffle, of bytes
    """
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"table must be a DataFrame of peers, got {type(table).__name__}")
    if "timings" not in table.attrs:
        raise ValueError("table must have timings in its attrs, as peers gives it, got none")
    rows = []
    for row in table.itertuples():
        own = table.attrs["timings"].get(f"{row.work}: {_who(row.peer, row.how)}", ())
        rows += [(_named(row), 1, k, one) for k, one in enumerate(own)]
    timings = pd.DataFrame(rows, columns=["call", "size", "round", "seconds"])
    timings.attrs = {"machine": table.attrs.get("machine", {})}
    return timings


def _named(row):
    """Name a row of a table: the work, what it was, and who did it."""
    return f"{row.work}, {row.what}: {_who(row.peer, row.how)}"


def _who(peer, how):
    """Name who does a work."""
    return f"{peer} {how}" if peer else "gridlab"
