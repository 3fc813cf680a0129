"""First use: calls of known cost in new processes, and what the package loads and compiles for a call."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import gridlab
from gridlab import bench, grid

KERNELS = """
import numba

@numba.njit(cache=True)
def inner(x):
    return x + 1

@numba.njit(cache=True)
def outer(x):
    return inner(x)

@numba.njit(cache=True)
def never(x):
    return x
"""

BUSY = """
import time

def busy(seconds):
    start = time.process_time()
    while time.process_time() - start < seconds:
        pass

class Once:
    def __init__(self, first, later):
        self.seconds = [later, first]

    def __call__(self):
        busy(self.seconds.pop() if len(self.seconds) > 1 else self.seconds[0])

busy(0.2)
"""


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Return a folder whose modules new processes can import, kernels compiled whatever the run of the tests does."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "costs.py").write_text(BUSY)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    return tmp_path


def test_each_price_is_in_its_column(modules):
    """An import of 0.2 s, a first call of 0.4 s, later ones of 0.1 s: nothing is kept for the next process."""
    table = bench.first_use({"busy": ("import costs; call = costs.Once(0.4, 0.1)", "call()")}, rounds=1)
    assert list(table.columns) == ["call", "rounds", "imports", "uncached", "cached", "again", "compiled"]
    (row,) = table.itertuples(index=False)
    assert (row.call, row.rounds, row.compiled) == ("busy", 1, 0)
    # what is spent is exact, and what comes on top of it is reading a small module
    assert 0.2 <= row.imports < 0.3
    assert 0.4 <= row.uncached < 0.5
    assert 0.4 <= row.cached < 0.5
    assert 0.1 <= row.again < 0.2


def test_waiting_costs_nothing():
    table = bench.first_use({"wait": ("import time", "time.sleep(0.3)")}, rounds=1)
    assert (table[["uncached", "cached", "again"]] < 0.1).all(axis=None)


def test_what_is_compiled_is_counted_by_types(modules):
    calls = {
        "one": ("import kernels", "kernels.outer(1)"),
        "two": ("import kernels", "kernels.outer(1); kernels.outer(1.0)"),
        "none": ("import kernels", "1"),
    }
    table = bench.first_use(calls, rounds=1)
    assert table.compiled.to_list() == [2, 4, 0]
    kernels = table.attrs["kernels"]
    assert kernels == {
        "one": ["kernels.inner", "kernels.outer"],
        "two": ["kernels.inner"] * 2 + ["kernels.outer"] * 2,
        "none": [],
    }
    assert (table.cached < table.uncached)[:2].all()  # compiling takes a tenth of a second, and is not done again


def test_a_process_finds_what_the_first_has_compiled(modules):
    """The kernel says itself what it finds."""
    log = modules / "log"
    look = "print(kernels.outer.stats.cache_hits, file=open(log, 'a'))"
    call = ("import kernels; log = " + repr(str(log)), f"kernels.outer(1); {look}")
    bench.first_use({"a": call}, rounds=2)
    hits = [line != "{}" and "Counter()" not in line for line in log.read_text().splitlines()]
    assert hits == [False, False, True, True] * 2  # two calls in each of two processes, in each of two rounds


def test_rounds_and_watch(modules):
    shares = []

    def watch(share):
        shares.append(share)
        return share > 0.5

    log = modules / "log"
    calls = {name: (f"open({str(log)!r}, 'a').write({name!r})", "1") for name in "ab"}
    table = bench.first_use(calls, rounds=2, watch=watch)
    assert shares == [0, 0.25, 0.5, 0.75]
    assert list(zip(table.call, table.rounds)) == [("a", 2), ("b", 1)]
    assert log.read_text() == "aabbaa"
    assert len(bench.first_use(calls, watch=lambda share: True)) == 0


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("import no_such_module", "1"), "'bad' failed: ModuleNotFoundError: No module named 'no_such_module'"),
        (("import math", "math.sqrt(-1)"), r"'bad' failed: ValueError: [\s\S]*\nimport math\nmath.sqrt\(-1\)"),
        (("import os", "os._exit(3)"), "'bad' failed: the process ended with status 3"),
        (("import os", "os._exit(0)"), "'bad' failed: the process ended with status 0"),
    ],
)
def test_a_call_that_fails_is_named(lines, words):
    with pytest.raises(RuntimeError, match=words):
        bench.first_use({"good": ("", "1"), "bad": lines}, rounds=1)


def test_a_call_that_takes_too_long_is_ended(tmp_path):
    log = tmp_path / "log"
    call = "import os, time", f"open({str(log)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    start = time.monotonic()
    with pytest.raises(RuntimeError, match=r"'slow' took longer than timeout=1\.5 s: open"):
        bench.first_use({"slow": call}, timeout=1.5)
    assert time.monotonic() - start < 60
    with pytest.raises(ProcessLookupError):
        os.kill(int(log.read_text()), 0)


def test_an_interrupt_ends_the_process(tmp_path, monkeypatch):
    """It comes while the process is waited for."""
    started = []

    class Interrupted(subprocess.Popen):
        def communicate(self, *arguments, **options):
            started.append(self)
            raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        bench.first_use({"slow": ("import time", "time.sleep(600)")})
    assert len(started) == 1
    assert started[0].wait(60) != 0


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"calls": {}}, TypeError, "calls must be a dict of name to .*, with one at least, got {}"),
        ({"calls": ["import math"]}, TypeError, "calls must be a dict"),
        ({"calls": {"a": "1"}}, TypeError, "calls must be pairs .* got '1' for 'a'"),
        ({"calls": {"a": ("import math", 1)}}, TypeError, "calls must be pairs"),
        ({"calls": {"a": ("import math", "1 +")}}, ValueError, r"calls must be Python code, got '1 \+' for 'a'"),
        ({"rounds": 0}, ValueError, "rounds must be at least 1, got 0"),
        ({"timeout": 0}, ValueError, "timeout must be a number of seconds above 0, 86,400 at most, got 0"),
        ({"timeout": "1"}, ValueError, "timeout must be a number"),
        ({"timeout": float("nan")}, ValueError, "timeout must be a number"),
        ({"watch": 1}, TypeError, "watch must be callable, got 1"),
    ],
)
def test_arguments_are_checked_first(arguments, error, words, monkeypatch):
    monkeypatch.setattr(subprocess, "run", None)
    with pytest.raises(error, match=words):
        bench.first_use(**arguments)


# ---- what the package loads and compiles, and no more


STATISTICS = {"matplotlib", "pandas", "scipy.ndimage", "scipy.optimize", "scipy.special", "scipy.stats"}
SLOW = {"scipy.ndimage", "scipy.optimize", "scipy.stats"}


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import gridlab", {"numpy", "numba", "ipywidgets", *STATISTICS}),
        ("gridlab.grid.neighbours((2, 2))", {"numba", *STATISTICS}),
        ("gridlab.mines.floyd((4, 4), 3)", STATISTICS),
        ("gridlab.mines.Game((4, 4), 3).reveal(0)", STATISTICS),
        ("gridlab.regions.eden((4, 4), 3)", STATISTICS),
        ("gridlab.regions.uniform((4, 4), 3)", STATISTICS),
        ("gridlab.uniform.count((4, 4), 3)", STATISTICS),
        ("gridlab.laws.PLACERS['floyd']((2, 2), 1)", STATISTICS),
        ("gridlab.topology.is_connected([[1, 1]])", STATISTICS),
        ("gridlab.shapes.measure([[1, 1]], columns=['area'])", STATISTICS - {"pandas"}),
        ("gridlab.components.label([[1, 1]], background=0)", STATISTICS),
        ("gridlab.match3.cascade(gridlab.match3.board((4, 4), 3), 3)", STATISTICS),
        ("gridlab.uniformity.cells([[[1, 0]], [[0, 1]]])", {"matplotlib", *SLOW}),
        ("gridlab.compare.shape_law([[[1, 1]]])", {"matplotlib", *SLOW}),
        ("gridlab.plot.regions([[[1, 1]]])", {"numba", "pandas", "scipy.special", *SLOW}),
        ("gridlab.explore.regions", {"matplotlib.pyplot", "scipy.special", *SLOW}),
        ("gridlab.bench", {"matplotlib", "scipy.special", *SLOW}),
    ],
)
def test_a_call_loads_only_what_it_uses(code, unwanted):
    code = f"import sys, gridlab; {code}; print(sorted({unwanted!r} & sys.modules.keys()))"
    environment = {**os.environ, "MPLBACKEND": "agg"}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert run.stdout.strip() == "[]"


CHAIN = ["_fill", "_first", "_grow", "_hangs_together", "_move", "_shift", "_swap"]
MEASURE = ["_ceil_root", "_count", "_find", "_join", "_least_perimeter", "_load", "_measure", "_moments", "_roots"]
MEASURE += ["_runs", "_single", "_tally", "_unite", "_unwrap", "_wound", "_wrap"]
BOARDS = (
    "from gridlab import mines; board = mines.floyd((9, 9), 10, rng=1); fixed = board.copy(); "
    "fixed.flags.writeable = False"
)
MARKS = ["rules._mark_groups", "rules._mark_lines", "rules._mark_long_lines", "rules._marks"]
COMPILED = {
    "eden": (
        "from gridlab import regions",
        "regions.eden((4, 4), 3)",
        "regions",
        ["_clear", "_first", "_grow", "_write"],
    ),
    "markov": ("from gridlab import uniform", "uniform.markov((9, 9), 20)", "uniform.chain", CHAIN),
    "exact": (
        "from gridlab import uniform",
        "uniform.exact((4, 4), 3); uniform.count((4, 4), 3)",
        "uniform.transfer",
        ["_exact", "_follow", "_shares", "_sweep"],
    ),
    "measure": (
        "from gridlab import shapes",
        "shapes.measure([[1, 1]], columns=['area', 'compactness', 'holes_4', 'radius_of_gyration'])",
        "shapes",
        MEASURE,
    ),
    "numbers": (
        BOARDS,
        "[mines.numbers(some) for some in (board, fixed, board.T, board[::2])]",
        "mines.clues",
        ["_numbers"],
    ),
    "label": (
        f"{BOARDS}; from gridlab import components",
        "[components.label(some) for some in (board, board.view('i1'), fixed, board.T, board[::2])]",
        "components.labels",
        ["_close", "_find", "_note", "_number", "_take", "_union_find", "_unite"],
    ),
    "cascade": (
        "import numpy as np; from gridlab import match3; board = np.arange(81).reshape(9, 9)",
        "[match3.cascade(some, 6) for some in (board, board[::2], board.T.astype('i1'))]",
        "match3",
        ["cascades._cascade", "cascades._fall", "cascades._refill", *MARKS],
    ),
    "is_connected": (
        f"{BOARDS}; from gridlab import topology",
        "[topology.is_connected(some) for some in (board, fixed, board.T, board[::2])]",
        "topology",
        ["_is_connected"],
    ),
}


def test_a_call_compiles_each_kernel_that_it_uses_once(modules):
    """And no other: not what another option needs, nor once more for a literal or for another layout of an array."""
    calls = {name: lines[:2] for name, lines in COMPILED.items()}
    kernels = bench.first_use(calls, rounds=1).attrs["kernels"]
    boards = "gridlab.mines.placers._floyd"  # which makes the board of some calls
    assert {name: [kernel for kernel in found if kernel != boards] for name, found in kernels.items()} == {
        name: [f"gridlab.{module}.{kernel}" for kernel in expected]
        for name, (_, _, module, expected) in COMPILED.items()
    }


def test_nothing_compiles_at_import(modules):
    everything = "import gridlab; [getattr(gridlab, name) for name in gridlab.__all__]"
    assert bench.first_use({"all": (everything, "1")}, rounds=1).attrs["kernels"] == {"all": []}


def test_every_kernel_is_kept():
    """But those written into the kernels that call them."""
    decorators = []
    for path in Path(gridlab.__file__).parent.rglob("*.py"):
        decorators += re.findall(
            r"^ *@(?:numba\.)?(?:n?jit|vectorize|guvectorize)\b.*$", path.read_text("utf-8"), re.MULTILINE
        )
    assert len(decorators) > 50
    assert [line for line in decorators if "cache=True" not in line and 'inline="always"' not in line] == []


@pytest.mark.parametrize(
    "array", [np.arange(6)[::2], np.arange(6).reshape(2, 3).T, np.broadcast_to(np.arange(3), (2, 3))]
)
def test_plain_copies_only_what_it_must(array):
    found = grid.plain(array)
    assert found.flags.c_contiguous
    assert found.flags.writeable
    assert np.array_equal(found, array)
    assert not np.shares_memory(found, array)
    assert grid.plain(found) is found
