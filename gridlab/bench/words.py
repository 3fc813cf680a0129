"""A table of `peers` in words: its rows, what a reader should not miss, and what has changed since another run."""

from .fits import compare
from .peers import _named, rounds

__all__ = ["amount", "changes", "told", "verdict"]


def amount(number):
    """Write a number with three digits that count, and no exponent.

    Parameters
    ----------
    number : float
        Any number.

    Returns
    -------
    str
        The number in words.

    Examples
    --------
    >>> amount(1234567), amount(0.07654)
    ('1,230,000', '0.0765')
    """
    return f"{float(f'{number:.3g}'):,.0f}" if number >= 100 else f"{number:.3g}"


def told(table):
    """Write the rows of a table, work by work, with their notes.

    Parameters
    ----------
    table : pandas.DataFrame
        What `peers` returned, or a part of it.

    Returns
    -------
    str
        A line a work, and one or two a row.

    Examples
    --------
    >>> from gridlab import bench
    >>> print(told(bench.peers(["mines.shuffle"], peers=False, tiny=True, budget=0.1)))
    mines.shuffle: Fisher–Yates shuffle, 6×7 cells
      gridlab...shuffle...boards/s...
    """
    lines = []
    for (work, what), rows in table.groupby(["work", "what"], sort=False):
        lines.append(f"{work}: {what}")
        for row in rows.itertuples():
            rate = f"{amount(row.rate):>12} {row.unit}/s" if row.rate > 0 else f"{row.state:>12}"
            ratio = f"gridlab {_ratio(row)}" if row.ratio > 0 else ""
            sign = "×" if row.peer else ""
            reach = f"reach {sign}{amount(row.reach)}: {row.state}" if row.reach > 0 and row.rate > 0 else ""
            disturbed = "  disturbed" if row.disturbed else ""
            lines.append(f"  {_who(row):58} {rate:24}{ratio:32}{reach}".rstrip() + disturbed)
            if row.note:
                lines.append(f"    {row.note}")
    return "\n".join(lines)


def verdict(table):
    """Write what a reader should not miss: what is not installed, misses its reach, and where gridlab is slower.

    Parameters
    ----------
    table : pandas.DataFrame
        What `peers` returned.

    Returns
    -------
    str
        A line each; empty where there is nothing to say.

    Notes
    -----
    gridlab beside itself tells what an option costs, and is no loss.

    Examples
    --------
    >>> from gridlab import bench
    >>> verdict(bench.peers(["mines.shuffle"], peers=False, tiny=True, budget=0.1))
    ''
    """
    lines = [f"not installed: {', '.join(table.attrs['missing'])}"] if table.attrs["missing"] else []
    for row in table[table["state"].str.startswith(("missed", "failed", "another"))].itertuples():
        lines.append(f"{row.work}, {_who(row)}: {row.state}" + (f" ({row.note})" if row.note else ""))
    beside = table[(table["ratio"] > 0) & (table["peer"] != "gridlab")]
    low, high = beside["low"].fillna(beside["ratio"]), beside["high"].fillna(beside["ratio"])
    for words, rows in (("slower than", beside[high < 1]), ("about even with", beside[(low <= 1) & (high >= 1)])):
        lines += [f"{row.work}, {words} {_who(row)}: {_ratio(row)}" for row in rows.itertuples()]
    if len(beside) and (low > 1).all():
        lines.append("faster than every peer that was timed")
    return "\n".join(lines)


def changes(table, saved):
    """Write what differs from an earlier run: of each row the time, gridlab's ratio to it, and the machine.

    Parameters
    ----------
    table, saved : pandas.DataFrame
        What `peers` returned now and then.

    Returns
    -------
    str
        A line a work and a row; works at other sizes are left out, and named.

    Examples
    --------
    >>> from gridlab import bench
    >>> table = bench.peers(["mines.shuffle"], peers=False, tiny=True, budget=0.1)
    >>> print(changes(table, table))
    mines.shuffle: Fisher–Yates shuffle, 6×7 cells
      gridlab...shuffle...time ×1.00...
    """
    lines, differs = [], {}
    now, before = rounds(table), rounds(saved)
    if set(now["call"]) & set(before["call"]):
        change = compare(now, before)
        differs = change.attrs["differs"]
        times = {row.call: row for row in change.itertuples()}
        ratios = {_named(row): row for row in saved.itertuples()}
        for (work, what), rows in table.groupby(["work", "what"], sort=False):
            both = [(row, times[_named(row)]) for row in rows.itertuples() if _named(row) in times]
            if both:
                lines.append(f"{work}: {what}")
            for row, time in both:
                interval = f" ({time.low:.2f} to {time.high:.2f})" if time.low > 0 else ""
                then = ratios[_named(row)]
                ratio = f"gridlab {_ratio(row)}, then {_ratio(then)}" if row.ratio > 0 and then.ratio > 0 else ""
                lines.append(f"  {_who(row):58} time ×{f'{time.ratio:.2f}{interval}':22} {ratio}".rstrip())
    else:
        lines.append("  nothing was measured in both")
    sizes = dict(zip(saved["work"], saved["what"]))
    for work, what in dict(zip(table["work"], table["what"])).items():
        if sizes.get(work, what) != what:
            lines.append(f"{work}: left out, for its sizes are others: {what}, then {sizes[work]}")
    return "\n".join([*lines, *(f"{name}: {new}, then {old}" for name, (new, old) in differs.items())])


def _who(row):
    """Name who did a work, with the version."""
    return " ".join(word for word in (row.peer or "gridlab", row.version, row.how) if word)


def _ratio(row):
    """Write a ratio with its interval, if it has one."""
    return f"×{amount(row.ratio)}" + (f" ({amount(row.low)} to {amount(row.high)})" if row.low > 0 else "")
