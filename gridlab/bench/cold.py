"""What a first use costs: imports, kernels compiled or loaded, and the call itself.

Numba compiles a kernel when it is first called, and keeps the machine code in a folder. So a call has three
prices: the first in a process with the folder empty, the first with it filled, and any later one. Each is measured
in Python processes of its own, since a process imports and compiles only once.
"""

import json
import numbers
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

from .. import grid
from . import records

__all__ = ["FIRST_CALLS", "first_use"]

_BOARDS = (  # by numpy alone: what makes the input compiles nothing
    "import numpy as np; boards = np.tile(np.arange(480) < 99, (100, 1)); "
    "boards = np.random.default_rng(7).permuted(boards, axis=1).reshape(100, 16, 30)"
)
_LAW = "law = laws.PLACERS['floyd']((3, 3), 3); draws = law.regions.repeat(10, axis=0)"
_REGIONS = "import numpy as np; regions = np.tile(np.eye(9, k=-1) + np.eye(9) > 0, (100, 1, 1))"

#: Typical first calls by name: the imports, with the input that the call needs, and the call.
FIRST_CALLS = {
    "gridlab": ("import gridlab", "gridlab.__version__"),
    "numba alone": ("from numba import njit; nothing = njit(lambda: None)", "nothing()"),
    "regions.eden": ("from gridlab import regions", "regions.eden((20, 40), 200, rng=7)"),
    "regions.uniform": ("from gridlab import regions", "regions.uniform((10, 10), 50, rng=7)"),
    "uniform.count": ("from gridlab import uniform", "uniform.count((10, 10), 50)"),
    "uniform.markov": ("from gridlab import uniform", "uniform.markov((20, 40), 200, rng=7)"),
    "topology.is_connected": (f"from gridlab import topology; {_REGIONS}", "topology.is_connected(regions)"),
    "shapes.measure": (f"from gridlab import shapes; {_REGIONS}", "shapes.measure(regions)"),
    "mines.floyd": ("from gridlab import mines", "mines.floyd((16, 30), 99, rng=7)"),
    "mines.numbers": (f"from gridlab import mines; {_BOARDS}", "mines.numbers(boards)"),
    "mines.bbbv": (f"from gridlab import mines; {_BOARDS}", "mines.bbbv(boards)"),
    "mines.Game": ("from gridlab import mines", "mines.Game((16, 30), 99, opening=True, rng=7).reveal((8, 15))"),
    "components.label": (
        "import numpy as np; from gridlab import components; grids = np.arange(81).reshape(9, 9) % 5",
        "components.label(grids)",
    ),
    "match3.board": ("from gridlab import match3", "match3.board((9, 9), 6, movable=True, rng=7)"),
    "match3.cascade": (
        "import numpy as np; from gridlab import match3; board = np.arange(81).reshape(9, 9) // 2 % 6",
        "match3.cascade(board, 6, rng=7)",
    ),
    "uniformity.report": (f"from gridlab import uniformity; {_BOARDS}", "uniformity.report(boards, rng=7)"),
    "compare.fit": (
        f"from gridlab import compare, laws; {_LAW}",
        "compare.fit(draws, law)",
    ),
    "compare.shape_law": (f"from gridlab import compare; {_REGIONS}", "compare.shape_law(regions[:, :4, :4])"),
    "plot.regions": (f"from gridlab import plot; {_REGIONS}", "plot.regions(regions[:4])"),
    "explore.regions": ("from gridlab import explore", "explore.regions()"),
    "explore.match3": ("from gridlab import explore", "explore.match3()"),
    "explore.minesweeper": ("from gridlab import explore", "explore.minesweeper()"),
}

#: Seconds that `timeout` may be: a day.
MOST_SECONDS = 86_400

# What a child process does. To import numba here would take its import from the price: its dispatchers, one a
# kernel, are looked for afterwards among all objects there are.
_CHILD = """
import gc, json, sys, time

imports, statement, path = sys.argv[1:]
names = {"__name__": "__main__"}


def clocked(line):
    code = compile(line, line, "exec")
    start = time.process_time()
    exec(code, names)
    return time.process_time() - start


seconds = [clocked(line) for line in (imports, statement, statement)]
compiled = []
if "numba" in sys.modules:
    dispatcher = sys.modules["numba"].core.dispatcher.Dispatcher
    for kernel in [item for item in gc.get_objects() if issubclass(type(item), dispatcher)]:
        name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"
        compiled += [name] * sum(kernel.stats.cache_misses.values()) * (not name.startswith("numba."))
with open(path, "w") as file:
    json.dump([*seconds, sorted(compiled)], file)
"""


def first_use(calls=None, *, rounds=3, timeout=300, watch=None):
    """Time what calls cost when they are made for the first time.

    Each round runs a call in two new Python processes. The first begins with no compiled kernel
    in store, and compiles what the call needs; the second finds what the first has left.

    Parameters
    ----------
    calls : dict of str to (str, str), optional
        By name the imports, with whatever else the call needs, and the call, both Python code; `FIRST_CALLS` by
        default.
    rounds : int
        How often all is measured, from 1 on.
    timeout : float
        Seconds (of the clock on the wall) that one process may take.
    watch : callable, optional
        Called before each measurement with the share done so far; when it returns True, no more is measured.

    Returns
    -------
    DataFrame
        One row a call, in its order, with medians of the rounds: `call`, `rounds`; `imports`, the seconds of its
        imports; `uncached`, the seconds of the first call with nothing compiled yet; `cached`, the same with
        everything compiled by an earlier process; `again`, those of the second call in a process; and `compiled`,
        the kernels that were compiled, counted once for each combination of types. Their names are in
        ``attrs["kernels"]`` by call, and in ``attrs["machine"]`` what `machine` says. Calls that were not measured
        before `watch` ended it are left out.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range, or a line is no Python code.
    RuntimeError
        If a call fails, or takes longer than `timeout`.

    Notes
    -----
    Seconds are those of the processor, as in `time_calls`: time that the machine gives to other work does not count,
    nor does the wait for a disk. What Python itself takes to start is in none of them. What numba
    sets up when it first compiles or loads any kernel, in each process, is in `uncached` and `cached`, and alone in
    the row "numba alone". Modules that a call itself imports count for the call.

    Kernels go to temporary folders; those compiled before are neither used nor changed. Only kernels decorated with
    ``cache=True`` are found by a later process. With NUMBA_DISABLE_JIT=1 nothing compiles.

    A processor that shares its caches with other work takes longer, up to twice as long: compare what was measured
    side by side. All of `FIRST_CALLS` take one to two minutes a round.

    Examples
    --------
    >>> table = first_use({"sum": ("import fractions", "sum(range(10))")}, rounds=1)
    >>> table[["call", "rounds", "compiled"]]
      call  rounds  compiled
    0  sum       1         0
    """
    calls = FIRST_CALLS if calls is None else _as_calls(calls)
    rounds = grid.as_int("rounds", rounds, 1)
    if isinstance(timeout, bool) or not isinstance(timeout, numbers.Real) or not 0 < timeout <= MOST_SECONDS:
        raise ValueError(f"timeout must be a number of seconds above 0, {MOST_SECONDS:,} at most, got {timeout!r}")
    if not (watch is None or callable(watch)):
        raise TypeError(f"watch must be callable, got {watch!r}")
    found = {name: [] for name in calls}
    for k, name in enumerate(list(calls) * rounds):
        if watch is not None and watch(k / (rounds * len(calls))):
            break
        with tempfile.TemporaryDirectory() as folder:
            _, uncached, _, kernels = _run(name, *calls[name], folder, timeout)
            imports, cached, again, _ = _run(name, *calls[name], folder, timeout)
        found[name].append((imports, uncached, cached, again, kernels))
    rows = []
    for name, measured in found.items():
        if measured:
            *seconds, kernels = zip(*measured)
            rows.append((name, len(measured), *map(statistics.median, seconds), len(kernels[0])))
    table = pd.DataFrame(rows, columns=["call", "rounds", "imports", "uncached", "cached", "again", "compiled"])
    table.attrs["machine"] = records.machine()
    table.attrs["kernels"] = {name: measured[0][-1] for name, measured in found.items() if measured}
    return table


def _run(name, imports, statement, folder, timeout):
    """Run a call in a process of its own, with kernels in `folder`; return its seconds and the kernels compiled."""
    path = Path(folder, "seconds.json")
    # a backend chosen for this process, such as a notebook's, would be loaded there too
    environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "MPLBACKEND": "agg"}
    command = [sys.executable, "-c", _CHILD, imports, statement, str(path)]
    try:  # `run` kills the process when it is interrupted
        run = subprocess.run(
            command,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{name!r} took longer than timeout={timeout} s: {statement}") from None
    if run.returncode or not path.exists():
        said = run.stderr.strip() or f"the process ended with status {run.returncode}"
        raise RuntimeError(f"{name!r} failed: {said.splitlines()[-1]}\n{imports}\n{statement}")
    return json.loads(path.read_text())


def _as_calls(calls):
    """Return calls, a dict of name to two lines of Python, or say what is wrong with them."""
    if not isinstance(calls, dict) or not calls:
        raise TypeError(f"calls must be a dict of name to (imports, call), with one at least, got {calls!r}")
    for name, lines in calls.items():
        if not isinstance(name, str):
            raise TypeError(f"calls must be named by strings, got {name!r}")
        if not isinstance(lines, tuple | list) or len(lines) != 2 or not all(isinstance(line, str) for line in lines):
            raise TypeError(f"calls must be pairs (imports, call) of Python code, got {lines!r} for {name!r}")
        for line in lines:
            try:
                compile(line, name, "exec")
            except (SyntaxError, ValueError) as error:
                raise ValueError(f"calls must be Python code, got {line!r} for {name!r}: {error}") from None
    return calls
