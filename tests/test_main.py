"""Tests of the command line."""

import dataclasses
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest

import gridlab
from gridlab import __main__ as cli
from gridlab import grid, match3, mines, regions, topology, uniformity
from gridlab.commands import checking

pytestmark = pytest.mark.once

MINES = ["draw", "mines", "--shape", "4x4", "--mines"]
ISLAND = ["draw", "regions", "eden", "--shape", "8x12", "--area", "30", "--seed", "7"]


def run(*words, **kwargs):
    """Run the program as a shell does."""
    return subprocess.run([sys.executable, "-m", "gridlab", *words], capture_output=True, text=True, **kwargs)


def refused(capsys, *words):
    """Return what the program says when it refuses a request, which it must with status 2."""
    try:
        status = cli.main(list(words))
    except SystemExit as end:
        status = end.code
    told = capsys.readouterr()
    assert status == 2
    assert told.out == ""
    assert "error: " in told.err
    return told.err


@pytest.mark.parametrize("name", regions.GENERATORS)
def test_draw_prints_what_the_library_draws(capsys, name):
    words = ["draw", "regions", name, "--shape", "6x9", "--area", "12", "--periodic", "--simply-connected", "8"]
    assert cli.main([*words, "--seed", "3", "--size", "2"]) == 0
    drawn = np.array([grid.parse(picture) for picture in capsys.readouterr().out.split("\n\n")])
    expected = regions.GENERATORS[name]((6, 9), 12, periodic=True, simply_connected=8, size=2, rng=3)
    assert np.array_equal(drawn, expected)


def test_draw_passes_options_on(capsys):
    words = ["draw", "regions", "mixed", "--shape", "20x20", "--area", "150", "--seed", "3"]
    cli.main([*words, "--fat", "1/4", "--fill-holes", "--simply-connected", "4"])
    drawn = grid.parse(capsys.readouterr().out)
    assert np.array_equal(drawn, regions.mixed((20, 20), 150, fat=0.25, fill_holes=True, simply_connected=4, rng=3))
    assert topology.is_simply_connected(drawn, 4)
    cli.main(words)
    assert not np.array_equal(drawn, grid.parse(capsys.readouterr().out))


def test_draw_crops(capsys):
    words = ["draw", "regions", "dfs", "--shape", "9x9", "--area", "8", "--periodic", "--seed", "3", "--size", "4"]
    assert cli.main([*words, "--crop"]) == 0
    drawn = [grid.parse(picture) for picture in capsys.readouterr().out.split("\n\n")]
    boxes = [grid.crop(x, periodic=True) for x in regions.dfs((9, 9), 8, periodic=True, size=4, rng=3)]
    assert {x.shape for x in drawn} == {tuple(np.max([box.shape for box in boxes], axis=0))}
    for cropped, box in zip(drawn, boxes):
        assert (cropped[: box.shape[0], : box.shape[1]] == box).all()
        assert cropped.sum() == 8


def test_draw_writes_text_and_arrays(tmp_path, capsys):
    for suffix in ("txt", "npy"):
        assert cli.main([*ISLAND, "--size", "3", "-o", str(tmp_path / f"island.{suffix}")]) == 0
    assert capsys.readouterr().out == ""
    expected = regions.eden((8, 12), 30, size=3, rng=7)
    assert np.array_equal(np.load(tmp_path / "island.npy"), expected)
    text = (tmp_path / "island.txt").read_text()
    assert text.endswith("\n")
    assert np.array_equal([grid.parse(picture) for picture in text.split("\n\n")], expected)


@pytest.mark.parametrize("size", [None, 1, 2])
def test_an_array_has_the_shape_it_has_in_python(tmp_path, size):
    words = [] if size is None else ["--size", str(size)]
    assert cli.main([*ISLAND, *words, "-o", str(tmp_path / "island.npy")]) == 0
    drawn, expected = np.load(tmp_path / "island.npy"), regions.eden((8, 12), 30, size=size, rng=7)
    assert drawn.shape == expected.shape
    assert np.array_equal(drawn, expected)


@pytest.mark.parametrize(("suffix", "head"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_draw_writes_pictures_that_repeat(tmp_path, suffix, head):
    first, second, other = (tmp_path / f"{name}.{suffix}" for name in ("first", "second", "other"))
    assert cli.main([*ISLAND, "--size", "5", "-o", str(first)]) == 0
    assert cli.main([*ISLAND, "--size", "5", "-o", str(second)]) == 0
    assert cli.main([*ISLAND[:-1], "8", "--size", "5", "-o", str(other)]) == 0
    assert first.read_bytes().startswith(head)
    assert first.read_bytes() == second.read_bytes() != other.read_bytes()
    if suffix == "svg":
        ElementTree.parse(first)


def test_a_picture_shows_the_region(tmp_path):
    """Sample the picture in the middle of every cell: coloured where the region is, white elsewhere."""
    import matplotlib.image

    path = tmp_path / "island.png"
    cli.main([*ISLAND, "-o", str(path)])
    pixels = matplotlib.image.imread(path)[..., :3]
    dark = np.argwhere(pixels.min(axis=2) < 0.99)  # the frame is the outermost ink
    (top, left), (bottom, right) = dark.min(axis=0), dark.max(axis=0)
    rows = np.round(top + (np.arange(8) + 0.5) * (bottom - top) / 8).astype(int)
    cols = np.round(left + (np.arange(12) + 0.5) * (right - left) / 12).astype(int)
    seen = pixels[np.ix_(rows, cols)].min(axis=2) < 0.9
    assert np.array_equal(seen, regions.eden((8, 12), 30, size=1, rng=7)[0])


@pytest.mark.parametrize("name", mines.PLACERS)
def test_draw_mines_prints_what_the_library_draws(capsys, name):
    words = ["draw", "mines", name, "--shape", "5x9", "--mines", "12", "--safe", "0,0", "--opening", "3,4"]
    assert cli.main([*words, "--seed", "3", "--size", "2"]) == 0
    drawn = [mines.parse(picture) for picture in capsys.readouterr().out.split("\n\n")]
    safe = mines.opening_mask((5, 9), (3, 4)) | mines.as_safe((5, 9), [0])
    assert np.array_equal(drawn, mines.PLACERS[name]((5, 9), 12, safe=safe, size=2, rng=3))


@pytest.mark.parametrize("level", mines.LEVELS)
def test_draw_mines_by_level_with_numbers_and_into_files(tmp_path, capsys, level):
    words = ["draw", "mines", "--level", level, "--seed", "5"]
    shape, n_mines = mines.LEVELS[level]
    board = mines.floyd(shape, n_mines, size=1, rng=5)[0]
    assert cli.main([*words, "--numbers"]) == 0
    assert capsys.readouterr().out == mines.text(board, numbers=True) + "\n"
    for suffix in ("mbf", "rawvf", "txt", "MBF"):
        path = tmp_path / f"board.{suffix}"
        assert cli.main([*words, "-o", str(path)]) == 0
        assert np.array_equal(mines.load(path), board)
    assert cli.main([*words, "--numbers", "-o", str(tmp_path / "board.npy")]) == 0
    assert np.array_equal(np.load(tmp_path / "board.npy"), mines.numbers(board))
    pictures = [tmp_path / f"{k}.svg" for k in range(3)]
    for path, more in zip(pictures, [[], [], ["--numbers"]]):
        assert cli.main([*words, *more, "--size", "3", "-o", str(path)]) == 0
    assert pictures[0].read_bytes() == pictures[1].read_bytes() != pictures[2].read_bytes()


def test_draw_mines_passes_the_swaps_on(capsys):
    assert cli.main(["draw", "mines", "swap", "--shape", "2x3", "--mines", "3", "--swaps", "0"]) == 0
    assert capsys.readouterr().out == "***\n...\n"


@pytest.mark.parametrize("rule", ["lines", "groups"])
def test_draw_match3_prints_what_the_library_draws(capsys, rule):
    words = ["draw", "match3", "--shape", "5x7", "--colours", "5", "--rule", rule, "--length", "4", "--seed", "3"]
    for more, options in (
        ([], {}),
        (["--movable"], {"movable": True}),
        (["--unsettled"], {"settled": False}),
        (["--movable", "--unsettled"], {"settled": False, "movable": True}),
    ):
        assert cli.main([*words, *more, "--size", "40"]) == 0
        drawn = [match3.parse(picture) for picture in capsys.readouterr().out.split("\n\n")]
        assert np.array_equal(drawn, match3.board((5, 7), 5, rule=rule, length=4, size=40, rng=3, **options))


def test_draw_match3_into_files(tmp_path, capsys):
    words = ["draw", "match3", "--seed", "5"]
    board = match3.board((9, 9), 6, size=1, rng=5)[0]
    assert cli.main(words) == 0
    assert capsys.readouterr().out == match3.text(board) + "\n"
    for more, expected in (([], board), (["--size", "1"], board[None])):
        assert cli.main([*words, *more, "-o", str(tmp_path / "board.npy")]) == 0
        assert np.array_equal(np.load(tmp_path / "board.npy"), expected)
    assert cli.main([*words, "--colours", "40", "-o", str(tmp_path / "board.npy")]) == 0, "text alone has no signs"
    pictures = [tmp_path / f"{k}.svg" for k in range(3)]
    for path, more in zip(pictures, [[], [], ["--groups"]]):
        assert cli.main([*words, *more, "--size", "3", "-o", str(path)]) == 0
    assert pictures[0].read_bytes() == pictures[1].read_bytes() != pictures[2].read_bytes()


@pytest.mark.parametrize("suffix", ["txt", "npy"])
def test_test_tells_fair_boards_from_others(tmp_path, capsys, suffix):
    path = str(tmp_path / f"boards.{suffix}")
    for name, verdict in (("floyd", "no fault seen at 0.01"), ("swap", "not fair, by cells, ")):
        words = ["draw", "mines", name, "--level", "beginner", "--size", "300", "--seed", "1", "-o", path]
        assert cli.main([*words, *(["--swaps", "50"] if name == "swap" else [])]) == 0
        assert cli.main(["test", path, "--seed", "2"]) == 0
        told = capsys.readouterr().out
        assert f"300 boards: {verdict}" in told
        boards = mines.PLACERS[name]((9, 9), 10, size=300, rng=1, **({"swaps": 50} if name == "swap" else {}))
        pvalue = uniformity.cells(boards).pvalue
        assert re.search(rf"^ *cells +\S+ +{pvalue:.4g}\b", told, re.MULTILINE)
        assert "subsets not made: boards must have at most 1000000 sets" in told


def test_test_finds_boards_with_too_few_mines(tmp_path, capsys):
    np.save(tmp_path / "boards.npy", mines.collide((9, 9), 10, size=100, rng=1))
    assert cli.main(["test", str(tmp_path / "boards.npy"), "--mines", "10"]) == 0
    assert "100 boards: not fair, by count" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "picture must have at least one cell, got none"),
        ("*.\n..\n\n*..", r"boards must have one shape, \(2, 2\), got \(1, 3\) for board 1"),
        ("*.\n.\n", "picture must have rows of 2 cells, got 1 in row 1"),
        ("*.\n.7", "picture must have the number of mines around it in each digit"),
    ],
)
def test_test_refuses_what_are_no_boards(tmp_path, capsys, content, told):
    path = tmp_path / "boards.txt"
    path.write_text(content)
    assert re.search(told, refused(capsys, "test", str(path)))
    assert cli.main(["test", str(tmp_path / "nowhere.txt")]) == 1
    assert "nowhere.txt" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "arguments are required: COMMAND"),
        (["draw"], "arguments are required: KIND"),
        (["nosuch"], "invalid choice: 'nosuch'"),
        (["check", "--nosuch"], "unrecognized arguments: --nosuch"),
        (["report", "--seed", "x"], "invalid int value: 'x'"),
        (["draw", "regions", "nosuch", "--shape", "4x4", "--area", "3"], "NAME must be one of .*dfs.*'nosuch'"),
        (["draw", "regions", "eden", "--shape", "4", "--area", "3"], "must be ROWSxCOLS, such as 20x40, got '4'"),
        (["draw", "regions", "eden", "--shape", "0x4", "--area", "3"], "rows of the grid's shape must be at least 1"),
        (["draw", "regions", "eden", "--shape", "4x4", "--area", "17"], "area must be from 1 to 16 .*got 17"),
        (["draw", "regions", "eden", "--shape", "2x4", "--area", "3", "--periodic"], "at least 3, got 2"),
        ([*ISLAND, "--fat", "0.5"], "--fat is an option of mixed, not of eden"),
        ([*ISLAND, "--budget", "5"], "--budget is an option of walk, uniform, not of eden"),
        ([*ISLAND, "--fill-holes"], "--fill-holes needs --simply-connected 4 or 8"),
        ([*ISLAND, "--size", "0"], "size must be at least 1, got 0"),
        ([*ISLAND, "--size", "401", "-o", "x.png"], "size must be from 1 to 400, got 401"),
        ([*ISLAND, "-o", "island.gif"], r"-o must end in \.txt, \.npy, \.png, \.svg, \.pdf, got 'island\.gif'"),
        ([*ISLAND, "--simply-connected", "5"], "invalid choice: '?5"),
        ([*ISLAND[:-1], "-1"], "rng must be"),
        (["draw", "regions", "mixed", "--shape", "4x4", "--area", "3", "--fat", "a"], "such as 0.25 or 1/4, got 'a'"),
        (["draw", "regions", "mixed", "--shape", "4x4", "--area", "3", "--fat", "2"], "fat must be .*got 2"),
        (["draw", "regions", "mixed", "--shape", "4x4", "--area", "3", "--fat", "1e400"], "fat must be .*got inf"),
        (
            ["draw", "regions", "mixed", "--shape", "4x4", "--area", "3", "--fat", "1/0"],
            "such as 0.25 or 1/4, got '1/0'",
        ),
        (["draw", "regions", "walk", "--shape", "9x9", "--area", "81", "--budget", "90"], "budget"),
        (["draw", "mines"], "say either --level, or --shape and --mines"),
        (["draw", "mines", "--shape", "4x4"], "say either --level, or --shape and --mines"),
        (["draw", "mines", "--level", "expert", "--mines", "4"], "say either --level, or --shape and --mines"),
        (["draw", "mines", "--level", "hard"], "--level must be one of beginner, intermediate, expert, got 'hard'"),
        ([*MINES, "17"], "n_mines must be from 0 to 16 on a board of 4x4, got 17"),
        ([*MINES, "8", "--opening", "1,1"], "n_mines must be from 0 to 7 on a board of 4x4 with 9 safe cells, got 8"),
        ([*MINES, "1", "--safe", "1"], "must be ROW,COL, such as 3,5, counted from 0, got '1'"),
        ([*MINES, "1", "--safe", "1,4"], "col of cell must be from 0 to 3 on a board of 4x4, got 4"),
        ([*MINES, "1", "--swaps", "4"], "--swaps is an option of swap, not of floyd"),
        ([*MINES, "1", "--size", "2", "-o", "x.mbf"], "a .mbf file holds one board without numbers: leave out --size"),
        ([*MINES, "1", "--numbers", "-o", "x.RAWVF"], "a .rawvf file holds one board without numbers: .* or use .npy"),
        ([*MINES, "1", "-o", "x.gif"], r"-o must end in \.txt, \.npy, \.mbf, \.rawvf, \.png"),
        (["draw", "match3", "--colours", "37"], "colours must be from 1 to 36 in a text, got 37"),
        (["draw", "match3", "--colours", "1"], "n_colours must be at least 2 for boards of 9x9 that are settled"),
        (["draw", "match3", "--rule", "rows"], "invalid choice: 'rows'"),
        (["draw", "match3", "--length", "1"], "length must be at least 2, got 1"),
        (["draw", "match3", "--groups"], r"--groups needs a picture: -o with \.png, \.svg, \.pdf"),
        (["draw", "match3", "-o", "x.mbf"], r"-o must end in \.txt, \.npy, \.png"),
        (["bench", "nosuch"], r"got 'nosuch'\n  regions: regions.eden, (.*\n)+  mines: .*mines.numbers, "),
        (["bench", "mines.expret"], "got 'mines.expret'; did you mean 'mines.expert'\\?"),
        (["bench", "--budget", "0"], "budget must be a finite number of seconds above 0, got 0"),
        (["bench", "--full", "--tiny"], "full must be False where tiny is True"),
        (["bench", "--seed", "-1"], "rng must be"),
        (["bench", "--cold", "mines"], "--cold goes alone: leave out NAME, or"),
        (["bench", "--cold", "--peers", "--save", "x"], "--cold goes alone: leave out --peers, --save, or"),
        (["bench", "--cold", "--seed", "0", "--budget", "9"], "--cold goes alone: leave out --budget, --seed, or"),
        (["bench", "--cold", "--tiny", "--full"], "--cold goes alone: leave out --full, --tiny, or"),
        (["bench", "--list", "--cold"], "--list goes alone: leave out --cold, or"),
        (["bench", "--compare", __file__], "--compare: .*test_main.py was not saved by gridlab bench"),
        (["draw", "mines", "nosuch", *MINES[2:], "1"], "NAME must be one of .*partial_shuffle.*'nosuch'"),
    ],
)
def test_wrong_requests_are_refused(capsys, words, told):
    assert re.search(told, refused(capsys, *words))


def test_a_file_that_cannot_be_written_fails(tmp_path, capsys):
    for words in (ISLAND, ["draw", "mines", "floyd", "--level", "beginner"], ["draw", "match3"]):
        assert cli.main([*words, "-o", str(tmp_path / "nowhere" / "island.png")]) == 1
        assert re.search(r"-o must be in a folder that is there, got .*nowhere.island\.png", capsys.readouterr().err)


def test_bench_files_that_cannot_be_are_said_before_any_work(tmp_path, capsys, benchmarks):
    for flag in ("--save", "--compare"):
        for path, word in ((tmp_path / "nowhere" / "run.json", "nowhere"), (tmp_path, "folder|directory")):
            assert cli.main([*BENCH, flag, str(path)]) == 1
            told = capsys.readouterr()
            assert re.search(word, told.err)
            assert told.out == ""


def test_bench_saves_nothing_where_one_may_not_write(tmp_path, capsys, benchmarks, monkeypatch):
    """Who may write anywhere is told no by a stand-in."""
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    assert cli.main([*BENCH, "--save", str(tmp_path / "run.json")]) == 1
    told = capsys.readouterr()
    assert "--save must be in a folder where you may write" in told.err
    assert told.out == ""


@pytest.mark.parametrize("interrupted", [False, True])
def test_bench_tells_what_it_could_not_save(tmp_path, capsys, benchmarks, monkeypatch, interrupted):
    from gridlab import bench

    def interrupt(given, items):
        raise KeyboardInterrupt

    def full(table, path):
        raise OSError(28, "No space left on device")

    if interrupted:
        benchmarks("made.b", None, interrupt)
    monkeypatch.setattr(bench, "save", full)
    assert cli.main([*BENCH, "--peers", "--save", str(tmp_path / "run.json")]) == (130 if interrupted else 1)
    told = capsys.readouterr()
    assert "nothing was saved: [Errno 28] No space left on device" in told.err
    assert "made.a: double 5" in told.out
    assert "Rates are items a second" in told.out


def test_bench_compares_only_with_what_it_saved(tmp_path, capsys, benchmarks):
    import pandas as pd

    from gridlab import bench

    path = tmp_path / "calls.json"
    bench.save(pd.DataFrame({"call": ["sum"], "size": [10], "round": [0], "seconds": [1e-6]}), path)
    assert f"--compare: {path} was not saved by gridlab bench" in refused(capsys, *BENCH, "--compare", str(path))


def test_bench_lists_works(capsys):
    from gridlab import bench

    assert cli.main(["bench", "--list"]) == 0
    told = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert told.keys() == bench.WORKS.keys()
    assert told["mines.expert"] == "boards placed, 16×30 cells, 99 mines"


def test_more_than_memory_holds_is_said(capsys):
    assert cli.main([*ISLAND, "--shape", "30000x30000", "--size", "4000000"]) == 1
    assert "error: size must be small enough for memory, got 4000000" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--help"], ["draw", "regions", "--help"], ["bench", "--help"]])
def test_help_is_quick(words):
    """No library is loaded for help."""
    code = f"""if True:
        import sys
        from gridlab.__main__ import main
        try:
            main({words})
        except SystemExit:
            pass
        heavy = {{"numpy", "numba", "matplotlib", "nbclient", "IPython"}} & sys.modules.keys()
        sys.exit(f"loaded {{heavy}}" if heavy else 0)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "usage: gridlab" in done.stdout


@pytest.fixture
def benchmarks(monkeypatch):
    """Return the table of works with two in it, whose answers are numbers, and a reach that nobody reaches."""
    from gridlab import bench

    def add(name, reach=None, *calls):
        ours, *peers = (
            bench.Contender(package, "double", 10, call)
            for package, call in zip(("gridlab", "numpy", "scipy"), calls or [double] * 2)
        )
        sizes = {"n": 5}
        works[name] = bench.Work(
            "double {n}", "numbers", lambda rng, items, n: np.arange(items), sizes, sizes, ours, tuple(peers), {}, reach
        )

    def double(given, items):
        return 2 * given[:items]

    works = {}
    monkeypatch.setattr(sys.modules["gridlab.bench.peers"], "WORKS", works)
    add("made.a", 1e15)
    add("made.b")
    add.double = double
    return add


BENCH = ["bench", "--budget", "0.01"]


def test_bench_prints_every_work(capsys, benchmarks):
    assert cli.main([*BENCH, "--peers"]) == 0
    told = capsys.readouterr().out
    number = r"[\d,.]+"
    missed = rf"reach 1,000,000,000,000,000: missed by {number} %"
    for name, rest in (("made.a", rf" +{missed}"), ("made.b", "")):
        assert re.search(
            rf"^{name}: double 5\n"
            rf"  gridlab {re.escape(gridlab.__version__)} double +{number} numbers/s{rest}( +disturbed)?\n"
            rf"  numpy {np.__version__} double +{number} numbers/s +gridlab ×{number} \({number} to {number}\)"
            r"( +disturbed)?$",
            told,
            re.MULTILINE,
        )
    assert re.search(rf"made.a, gridlab {gridlab.__version__} double: missed by {number} %$", told, re.MULTILINE)
    assert cli.main([*BENCH, "made.b"]) == 0
    told = capsys.readouterr().out
    assert "made.b" in told
    assert "numpy" not in told
    assert "made.a" not in told


def test_bench_says_what_is_missing_and_what_fails(capsys, benchmarks, monkeypatch):
    from gridlab import bench

    def wrong(given, items):
        return given[:items]

    def fail(given, items):
        raise ZeroDivisionError("of no use")

    benchmarks("made.a", None, benchmarks.double, wrong, fail)
    gone = bench.Contender("no-such-package", "double", 10, wrong, module="no_such_package")
    works = sys.modules["gridlab.bench.peers"].WORKS
    works["made.b"] = dataclasses.replace(works["made.b"], peers=(gone,))
    assert cli.main([*BENCH, "--peers"]) == 0
    told = capsys.readouterr().out
    assert "not installed: no-such-package\n" in told
    assert re.search(r"^  no-such-package double +not installed$", told, re.MULTILINE)
    assert f"made.a, numpy {np.__version__} double: another answer (not timed" in told
    assert "double: failed (ZeroDivisionError: of no use)\n" in told


def test_bench_saves_and_compares(tmp_path, capsys, benchmarks):
    from gridlab import bench

    path = str(tmp_path / "then.json")
    assert cli.main([*BENCH, "made.a", "--save", path]) == 0
    assert bench.load(path)["work"].tolist() == ["made.a"]
    saved = bench.load(path)
    saved.attrs["machine"]["processor"] = "an abacus"
    saved.attrs["timings"] = {call: [1e-9 * one for one in own] for call, own in saved.attrs["timings"].items()}
    bench.save(saved, path)
    capsys.readouterr()
    assert cli.main([*BENCH, "--compare", path]) == 0
    told = capsys.readouterr().out
    assert f"beside {path}, of {saved.attrs['machine']['date']}:\nmade.a: double 5\n" in told
    ratio = re.search(r"^  gridlab .* time ×([\d.]+) \([\d.]+ to [\d.]+\)$", told, re.MULTILINE)[1]
    assert 1e7 < float(ratio) < 1e11
    assert ", then an abacus\n" in told
    assert re.search(r"often move by\sa\stenth\sor\smore", told)
    assert cli.main([*BENCH, "made.b", "--compare", path]) == 0
    assert "nothing was measured in both" in capsys.readouterr().out


def table_of(what, ratio, seconds):
    """Return a table of two works with a peer each, as if measured: ratios, and seconds of all rounds."""
    import pandas as pd

    row = {"what": what, "unit": "numbers", "version": "1", "state": "reached", "disturbed": False, "note": ""}
    own = {"peer": "", "how": "double", "rate": 100.0, "low": 99.0, "high": 101.0, "reach": 100.0}
    peer = {"peer": "numpy", "how": "sum", "rate": 100.0, "reach": np.nan} | dict(zip(("ratio", "low", "high"), ratio))
    table = pd.DataFrame([row | {"work": work} | who for work in ("made.a", "made.b") for who in (own, peer)])
    calls = [f"{work}: {who}" for work in ("made.a", "made.b") for who in ("gridlab", "numpy sum")]
    table.attrs = {"machine": {}, "missing": [], "interrupted": False, "timings": dict.fromkeys(calls, [seconds] * 8)}
    return table


def test_bench_compares_ratios_and_equal_sizes_only(tmp_path, capsys, monkeypatch):
    from gridlab import bench

    then, path = table_of("double 5", (2.0, 1.5, 2.5), 1.0), str(tmp_path / "then.json")
    then["what"] = then["what"].where(then["work"] == "made.a", "double 9,000")
    bench.save(then, path)
    monkeypatch.setattr(bench, "peers", lambda *args, **options: table_of("double 5", (3.0, 2.5, 3.5), 1.25))
    assert cli.main(["bench", "--compare", path]) == 0
    told = capsys.readouterr().out.partition("beside ")[2]
    assert re.search(
        r"^made.a: double 5\n"
        r"  gridlab 1 double +time ×1.25 \(1.25 to 1.25\)\n"
        r"  numpy 1 sum +time ×1.25 \(1.25 to 1.25\) +gridlab ×3 \(2.5 to 3.5\), then ×2 \(1.5 to 2.5\)\n"
        r"made.b: left out, for its sizes are others: double 5, then double 9,000$",
        told,
        re.MULTILINE,
    )
    assert told.count("time ×1.25") == 2


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        ((0.5, 0.4, 0.6), "slower than numpy 1 sum: ×0.5 (0.4 to 0.6)"),
        ((0.9, 0.8, 1.0), "about even with numpy 1 sum: ×0.9 (0.8 to 1)"),
        ((1.1, 0.9, 1.2), "about even with numpy 1 sum: ×1.1 (0.9 to 1.2)"),
        ((0.5, np.nan, np.nan), "slower than numpy 1 sum: ×0.5"),
        ((2.0, 1.8, 2.2), ""),
    ],
)
def test_bench_ends_with_what_gridlab_loses(capsys, monkeypatch, ratio, words):
    from gridlab import bench

    monkeypatch.setattr(bench, "peers", lambda *args, **options: table_of("double 5", ratio, 1.0))
    assert cli.main(["bench"]) == 0
    told = capsys.readouterr().out
    lost = [line for line in told.splitlines() if re.search("slower than|about even with", line)]
    assert lost == ([f"made.a, {words}", f"made.b, {words}"] if words else [])
    assert ("faster than every peer that was timed" in told) == (not words)
    cost = table_of("double 5", ratio, 1.0).replace({"peer": {"numpy": "gridlab"}})
    monkeypatch.setattr(bench, "peers", lambda *args, **options: cost)
    assert cli.main(["bench"]) == 0
    assert not re.search("slower than|about even with|faster than", capsys.readouterr().out)


def test_bench_tells_notes_and_disturbed_rows():
    from gridlab import bench

    rows = table_of("double 5", (0.5, 0.4, 0.6), 1.0)[:2]
    rows.loc[1, ["note", "disturbed"]] = "in its favour: it knows", True
    ours, peer, note = bench.told(rows).splitlines()[1:]
    assert note == "    in its favour: it knows"
    assert peer.endswith("  disturbed")
    assert "disturbed" not in ours


def test_bench_keeps_what_it_has_when_interrupted(tmp_path, capsys, benchmarks):
    from gridlab import bench

    def interrupt(given, items):
        raise KeyboardInterrupt

    benchmarks("made.b", None, interrupt)
    path = tmp_path / "run.json"
    assert cli.main([*BENCH, "--save", str(path)]) == 130
    told = capsys.readouterr()
    assert "made.a: double 5" in told.out
    assert told.err == "gridlab: interrupted\n"
    assert bench.load(path)["work"].tolist() == ["made.a"]


def test_bench_tells_first_uses(capsys, monkeypatch):
    from gridlab import bench

    calls = {"sum": ("import fractions", "sum(range(10))"), "max": ("", "max(1, 2)")}
    monkeypatch.setattr(bench, "FIRST_CALLS", calls)
    assert cli.main(["bench", "--cold"]) == 0
    *_, heads, first, second = capsys.readouterr().out.splitlines()
    assert heads.split() == ["imports", "uncached", "cached", "again"]
    assert heads.index("again") + 5 == first.index("  0 kernels")
    told = [first, second]
    for name, line in zip(calls, told, strict=True):
        assert re.fullmatch(rf"  {name} +( +\d+\.\d{{3}}){{4}}  0 kernels", line)


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    told = capsys.readouterr().out
    assert all(command in told for command in cli.COMMANDS)


def test_a_new_generator_needs_no_other_step(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(regions.GENERATORS, "newcomer", regions.eden)
    for name in regions.GENERATORS:
        assert name in refused(capsys, "draw", "regions", "nosuch", "--shape", "4x4", "--area", "3")
    words = ["draw", "regions", "newcomer", *ISLAND[3:]]
    assert cli.main([*words, "-o", str(tmp_path / "island.svg")]) == 0
    assert cli.main(words) == 0
    assert np.array_equal(grid.parse(capsys.readouterr().out), regions.eden((8, 12), 30, rng=7))


def test_version(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"gridlab {gridlab.__version__}\n"


@pytest.mark.skipif(os.name != "posix", reason="pipes of a shell")
def test_a_reader_may_leave_early():
    words = [sys.executable, "-m", "gridlab", "draw", "regions", "dfs", "--shape", "60x60", "--area", "900"]
    with subprocess.Popen([*words, "--size", "300"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as draw:
        assert len(draw.stdout.readline()) == 61
        draw.stdout.close()
        assert draw.stderr.read() == b""
    assert draw.returncode == 141


@pytest.mark.skipif(os.name != "posix", reason="redirection of a shell")
def test_without_a_standard_output_nothing_is_printed():
    command = [sys.executable, "-m", "gridlab", *MINES, "1"]
    run = subprocess.run(["/bin/sh", "-c", '"$@" >&-', "sh", *command], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_lab_opens_the_notebooks(tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(os, "execv", lambda *words: started.append(words))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    cli.main(["lab", "--notebooks", str(tmp_path), "--no-browser", "--port=9999"])
    cli.main(["lab", "--notebooks", str(tmp_path), "--", "--no-browser"])
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    cli.main(["lab", "--notebooks", str(tmp_path)])
    lab = [sys.executable, "-m", "jupyter", "lab", f"--ServerApp.root_dir={tmp_path}"]
    assert started == [
        (sys.executable, [*lab, "--allow-root", "--no-browser", "--port=9999"]),
        (sys.executable, [*lab, "--allow-root", "--no-browser"]),
        (sys.executable, lab),
    ]


def test_lab_without_notebooks_fails(tmp_path, capsys):
    assert cli.main(["lab", "--notebooks", str(tmp_path / "nowhere")]) == 1
    assert "no folder of notebooks at" in capsys.readouterr().err


def test_check_passes_here(capsys, monkeypatch):
    laws = checking._laws
    monkeypatch.setattr(checking, "_laws", lambda: laws(n=20))
    assert cli.main(["check"]) == 0
    told = capsys.readouterr().out
    assert "FAILED" not in told
    assert re.search(r"OK +numpy \d+\.\d+.*, needs >=", told)
    for name in regions.GENERATORS:
        assert f"regions.{name}: 0 of" in told
    for name in mines.PLACERS:
        assert re.search(rf"OK +mines\.{name} against its exact law", told)
    assert re.search(r"OK +published.probe_right .*another law", told)


def test_check_finds_a_missing_dependency_and_a_broken_generator(capsys, monkeypatch):
    from importlib import metadata

    monkeypatch.setattr(metadata, "requires", lambda name: ["numpy>=1", "numba>=99", "nosuchthing>=1"])
    laws = checking._laws
    monkeypatch.setattr(checking, "_laws", lambda: laws(n=20))

    def eden_sites(shape, area, **options):
        return regions.eden(shape, area, **options | {"simply_connected": False})

    monkeypatch.setitem(regions.GENERATORS, "eden_sites", eden_sites)
    monkeypatch.setitem(mines.PLACERS, "floyd", mines.collide)
    assert cli.main(["check"]) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("FAILED")]
    assert len(failed) == 5
    assert re.search(r"mines.floyd against its exact law .* p = 0 \(fails below 1e-6\)", failed[4])
    assert re.search(r"numba .* needs >=99", failed[0])
    assert "nosuchthing>=1 is not installed" in failed[1]
    assert re.search(r"eden_sites: \d+ of 120 draws break", failed[2])
    assert re.search(r"eden_sites against the exact law .* p = \S+ \(fails below 1e-6\)", failed[3])


def test_report_names_what_failed(tmp_path):
    cells = [nbformat.v4.new_markdown_cell("# Breaks"), nbformat.v4.new_code_cell("1 / 0")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "01_bad.ipynb")
    nbformat.write(nbformat.v4.new_notebook(cells=cells[:1]), tmp_path / "02_good.ipynb")
    done = run("report", "--notebooks", ".", "--out", "site", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "gridlab: error: 1 of 2 notebooks failed: 01_bad\n"
    assert re.search(r"01_bad +[\d.]+ s  failed in code cell 1: ZeroDivisionError: division by zero\n", done.stdout)
    assert re.search(r"02_good +[\d.]+ s  done\n", done.stdout)
    assert (tmp_path / "site" / "02_good.html").exists()
    done = run("report", "02", "--notebooks", ".", "--out", "site", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "site" / "01_bad.html").exists()
    assert run("report", "03", "--notebooks", ".", cwd=tmp_path).returncode == 2
