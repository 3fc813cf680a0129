"""What makes timings worth something later: where and with what they were made, and a file to keep them in."""

import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import re

import numpy as np
import pandas as pd

__all__ = ["load", "machine", "save"]

#: The version of the files.
FORMAT = 1


def machine(packages=()):
    """Tell where and with what the program runs.

    Parameters
    ----------
    packages : iterable of str
        Names of distributions besides those that gridlab needs.

    Returns
    -------
    dict of str to str
        date, system, processor, processors, python, and the version of each package by its name, or "not installed".

    Examples
    --------
    >>> list(machine())[:6]
    ['date', 'system', 'processor', 'processors', 'python', 'gridlab']
    """
    facts = {
        "date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC",
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "processor": _processor(),
        "processors": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    try:
        needed = importlib.metadata.requires("gridlab") or []
    except importlib.metadata.PackageNotFoundError:
        needed = []
    own = [re.match(r"[\w.-]+", line)[0] for line in needed if "extra ==" not in line]
    for name in ["gridlab", *own, *packages]:
        try:
            facts[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            facts[name] = "not installed"
    return facts


def _processor():
    """Return the name of the processor."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", pathlib.Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or "unknown"


def save(table, path):
    """Write timings to a file, with their machine, versions and date.

    Parameters
    ----------
    table : pandas.DataFrame
        Timings of `time_calls` or a table of `peers`, with its `attrs`.
    path : path
        The file, in JSON; one that is there is replaced, as a whole or not at all.

    Raises
    ------
    TypeError
        If it is no table.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "run.json")
    >>> save(pd.DataFrame({"call": ["sum"], "size": [10], "round": [0], "seconds": [1e-6]}), path)
    >>> load(path)["seconds"].tolist()
    [1e-06]
    """
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"table must be a DataFrame, got {type(table).__name__}")
    columns = {name: table[name].astype(object).where(table[name].notna(), None).tolist() for name in table}
    text = json.dumps({"gridlab timings": FORMAT, "about": table.attrs, "table": columns}, indent=1, default=_plain)
    path = pathlib.Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"path must be a file, got the folder {path}")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"path must be in a folder that exists, got {path}")
    # beside the file and then renamed, so that a break leaves the old one
    part = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        part.write_text(text + "\n", "utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _plain(value):
    """Turn what numpy made into what JSON knows."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"table and its attrs must hold text, numbers, lists and dicts, got {type(value).__name__}")


def load(path):
    """Read timings that `save` wrote.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    pandas.DataFrame
        The table with its `attrs`.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is no such file.
    """
    try:
        record = json.loads(pathlib.Path(path).read_text("utf-8"))
        known = record["gridlab timings"] == FORMAT
        table = pd.DataFrame(record["table"])
        table.attrs = dict(record["about"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"path must be a file of timings that gridlab saved, got {path}: {error!r}") from None
    if not known:
        raise ValueError(f"path must be a file of format {FORMAT}, got format {record['gridlab timings']} in {path}")
    for name in table:
        if table[name].isna().any() and table[name].dropna().map(lambda value: isinstance(value, int | float)).all():
            table[name] = table[name].astype(float)
    return table
