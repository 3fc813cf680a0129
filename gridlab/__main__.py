"""The command line: ``gridlab`` or ``python -m gridlab``.

One function a command, one row each in `COMMANDS` and `DRAWINGS`. What a command needs
is imported when it runs, so that help comes at once.
"""

import argparse
import inspect
import io
import math
import os
import pathlib
import platform
import re
import sys
import textwrap

import gridlab

__all__ = ["main"]

#: Options that only some generators of regions take: flag, how to read it, help.
REGION_OPTIONS = (
    ("--fill-holes", {"action": "store_true"}, "let a cell close a pocket and fill it; needs --simply-connected"),
    ("--fat", {"type": lambda text: _share(text), "metavar": "F"}, "share of the area that eden grows"),
    ("--fat-burst", {"type": lambda text: _share(text), "metavar": "F"}, "longest burst of eden, as share of the area"),
    ("--thin-burst", {"type": lambda text: _share(text), "metavar": "F"}, "longest burst of dfs, likewise"),
    ("--budget", {"type": int, "metavar": "N"}, "most steps of walk and uniform, which give up"),
)
PICTURES = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
BOARD_FILES = (".mbf", ".rawvf")
MOST_PICTURES = 400
#: The adjusted p-value below which `test` says that boards are not fair.
LEVEL = 0.01


def main(argv=None):
    """Run the command line.

    Parameters
    ----------
    argv : list of str, optional
        The words after ``gridlab``, by default those the program was started with.

    Returns
    -------
    int
        The exit status: 0 good, 1 something failed, 2 the request was wrong, 130 interrupted.

    Examples
    --------
    >>> main(["draw", "regions", "eden", "--shape", "1x4", "--area", "4"])
    xxxx
    0
    """
    parser = _parser()
    args, rest = parser.parse_known_args(argv)
    if rest and args.run is not _lab:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    args.rest = rest
    try:
        return args.run(args)
    except BrokenPipeError:
        # the reader has seen enough; what is still buffered must not fail again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print("gridlab: interrupted", file=sys.stderr)
        return 130
    except (OSError, MemoryError) as error:
        return _fail(error, 1)
    except (ValueError, TypeError, RuntimeError) as error:
        return _fail(error, 2)


def _fail(error, status):
    """Say what went wrong and return the exit status."""
    print(f"gridlab: error: {error}", file=sys.stderr)
    return status


def _parser():
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(prog="gridlab", description="Random grids whose law is known.")
    parser.add_argument("--version", action="version", version=f"gridlab {gridlab.__version__}")
    _add(parser, COMMANDS, "command")
    return parser


def _add(parser, table, what):
    """Give `parser` a sub-parser for each row of `table`: name to (help, options, run)."""
    commands = parser.add_subparsers(metavar=what.upper(), required=True, title=f"{what}s")
    for name, (words, options, run) in table.items():
        # no abbreviations: what `lab` does not know goes to JupyterLab as it is
        command = commands.add_parser(
            name, help=words, description=f"{words[0].upper()}{words[1:]}.", allow_abbrev=False
        )
        command.set_defaults(run=run)
        options(command)


# report


def _report_options(parser):
    parser.add_argument("names", nargs="*", metavar="NAME", help="01, regions or 01_regions; all notebooks by default")
    parser.add_argument("--out", default="reports", metavar="DIR", help="folder of the site (default: %(default)s)")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of all notebooks; by default each has its own")
    parser.add_argument("--full", action="store_true", help="run the longer versions")
    parser.add_argument("--jobs", type=int, metavar="N", help="notebooks at a time (default: one for each processor)")
    parser.add_argument(
        "--timeout", type=float, metavar="S", help="seconds a cell may take (default: 600, --full: any)"
    )
    _notebooks_option(parser)


def _notebooks_option(parser):
    parser.add_argument("--notebooks", metavar="DIR", help="folder of the notebooks (default: that of the clone)")


def _report(args):
    """Execute notebooks and write the site; the site holds exactly those named."""
    from gridlab import report

    pages = report.build(
        args.names,
        out=args.out,
        notebooks=args.notebooks,
        seed=args.seed,
        full=args.full,
        n_jobs=args.jobs,
        timeout=args.timeout,
    )
    width = max(len(page.name) for page in pages)
    for page in pages:
        print(f"{page.name:{width}}  {page.seconds:6.1f} s  {page.status}")
    print(pathlib.Path(args.out, "index.html"))
    failed = [page.name for page in pages if page.error is not None]
    return _fail(f"{len(failed)} of {len(pages)} notebooks failed: {', '.join(failed)}", 1) if failed else 0


# lab


def _lab(args):
    """Open JupyterLab on the notebooks."""
    from gridlab import report

    folder = report.notebooks_folder(args.notebooks).resolve()
    command = [sys.executable, "-m", "jupyter", "lab", f"--ServerApp.root_dir={folder}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # without it JupyterLab refuses, in a container for instance
    sys.stdout.flush()
    os.execv(sys.executable, command + [word for word in args.rest if word != "--"])


# draw


def _draw_options(parser):
    _add(parser, DRAWINGS, "kind")


def _regions_options(parser):
    # the names are not listed here: that would load the library for a line of help
    parser.add_argument("name", metavar="NAME", help="a name in gridlab.regions.GENERATORS; a wrong one lists them")
    parser.add_argument("--shape", type=_shape, required=True, metavar="ROWSxCOLS", help="sides of the grid")
    parser.add_argument("--area", type=int, required=True, metavar="N", help="cells of the region")
    parser.add_argument("--periodic", action="store_true", help="join opposite sides of the grid")
    parser.add_argument(
        "--simply-connected",
        type=int,
        choices=(4, 8),
        default=False,
        help="no holes, empty cells being joined by edges (4) or by corners too (8)",
    )
    parser.add_argument("--crop", action="store_true", help="cut to bounding boxes, all of the size of the largest")
    for flag, kind, words in REGION_OPTIONS:
        parser.add_argument(flag, default=argparse.SUPPRESS, help=words, **kind)
    _drawing_options(parser, "regions")


def _mines_options(parser):
    parser.add_argument(
        "name",
        nargs="?",
        default="floyd",
        metavar="NAME",
        help="a name in gridlab.mines.PLACERS (default: %(default)s)",
    )
    parser.add_argument(
        "--level", metavar="LEVEL", help="beginner, intermediate or expert; or else --shape and --mines"
    )
    parser.add_argument("--shape", type=_shape, metavar="ROWSxCOLS", help="sides of the board")
    parser.add_argument("--mines", type=int, metavar="N", help="mines on the board")
    parser.add_argument(
        "--safe", type=_cell, action="append", metavar="ROW,COL", help="a cell to keep free; repeatable"
    )
    parser.add_argument("--opening", type=_cell, metavar="ROW,COL", help="a cell to keep free with all its neighbours")
    parser.add_argument(
        "--swaps", type=int, metavar="N", help="swaps of the placer swap (default: 100, unfair on all but tiny boards)"
    )
    parser.add_argument("--numbers", action="store_true", help="show the numbers too")
    _drawing_options(parser, "boards", ", .mbf, .rawvf")


def _match3_options(parser):
    parser.add_argument(
        "--shape", type=_shape, default=(9, 9), metavar="ROWSxCOLS", help="sides of the board (default: 9x9)"
    )
    parser.add_argument("--colours", type=int, default=6, metavar="N", help="number of colours (default: %(default)s)")
    parser.add_argument(
        "--rule",
        choices=("lines", "groups"),
        default="lines",
        help="what clears: lines in rows and columns, or groups joined by edges (default: %(default)s)",
    )
    parser.add_argument("--length", type=int, default=3, metavar="N", help="the fewest cells that clear (default: 3)")
    parser.add_argument("--unsettled", action="store_true", help="also boards on which something clears")
    parser.add_argument(
        "--movable",
        action="store_true",
        help="only boards on which a swap of neighbours clears something, by either rule",
    )
    parser.add_argument("--groups", action="store_true", help="outline the groups of equal cells in a picture")
    _drawing_options(parser, "boards")


def _drawing_options(parser, what, more=""):
    """Add the options that all drawings have."""
    parser.add_argument(
        "--size", type=int, metavar="N", help=f"how many {what}; one, in .npy without a leading axis, by default"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="the same seed gives the same picture")
    parser.add_argument(
        "-o",
        "--out",
        metavar="FILE",
        help=f".txt, .npy{more} or a picture: .png, .svg, .pdf; text to standard output by default",
    )


def _draw_regions(args):
    """Draw random regions."""
    suffix = _suffix(args.out)
    from gridlab import grid, regions

    if args.name not in regions.GENERATORS:
        raise ValueError(f"NAME must be one of {', '.join(regions.GENERATORS)}, got {args.name!r}")
    size = 1 if args.size is None else args.size
    size = grid.as_int("size", size, 1, MOST_PICTURES if suffix in PICTURES else None)
    generator = regions.GENERATORS[args.name]
    known = inspect.signature(generator).parameters
    options = {}
    for flag, _, _ in REGION_OPTIONS:
        name = flag.strip("-").replace("-", "_")
        if name in args:
            if name not in known:
                takers = [other for other, f in regions.GENERATORS.items() if name in inspect.signature(f).parameters]
                raise ValueError(f"{flag} is an option of {', '.join(takers)}, not of {args.name}")
            options[name] = getattr(args, name)
    if "fill_holes" in options and not args.simply_connected:
        raise ValueError("--fill-holes needs --simply-connected 4 or 8")
    drawn = generator(
        args.shape,
        args.area,
        periodic=args.periodic,
        simply_connected=args.simply_connected,
        size=size,
        rng=args.seed,
        **options,
    )
    if args.crop:
        drawn = _cropped(drawn, args.periodic)
    if suffix in PICTURES:
        from gridlab import plot

        colours = [plot.COLOURS.get(args.name, plot.GREY)] * size
        look = {"colours": colours, "periodic": args.periodic and not args.crop}
        picture = _picture(drawn, suffix, lambda axes: plot.regions(drawn, axes=axes, **look))
        pathlib.Path(args.out).write_bytes(picture)
    elif suffix == ".npy":
        _write_array(args.out, drawn[0] if args.size is None else drawn)
    else:
        _write_text(args.out, (grid.text(region) for region in drawn))
    return 0


def _draw_mines(args):
    """Draw boards with random mines."""
    suffix = _suffix(args.out, *BOARD_FILES)
    from gridlab import grid, mines

    if args.name not in mines.PLACERS:
        raise ValueError(f"NAME must be one of {', '.join(mines.PLACERS)}, got {args.name!r}")
    shape, n_mines = _level(args)
    if suffix in BOARD_FILES and (args.numbers or args.size not in (None, 1)):
        raise ValueError(
            f"a {suffix} file holds one board without numbers: leave out --size and --numbers, or use .npy"
        )
    size = 1 if args.size is None else grid.as_int("size", args.size, 1, MOST_PICTURES if suffix in PICTURES else None)
    safe = mines.as_safe(shape, args.safe)
    if args.opening is not None:
        safe = safe | mines.opening_mask(shape, args.opening)
    options = {} if args.swaps is None else {"swaps": args.swaps}
    if options and args.name != "swap":
        raise ValueError(f"--swaps is an option of swap, not of {args.name}")
    boards = mines.PLACERS[args.name](shape, n_mines, safe=safe, size=size, rng=args.seed, **options)
    if suffix in PICTURES:
        from gridlab import plot

        shown = mines.numbers(boards) if args.numbers else boards
        picture = _picture(boards, suffix, lambda axes: [plot.board(one, ax=ax) for one, ax in zip(shown, axes)])
        pathlib.Path(args.out).write_bytes(picture)
    elif suffix in BOARD_FILES:
        mines.save(args.out, boards[0])
    elif suffix == ".npy":
        array = mines.numbers(boards) if args.numbers else boards
        _write_array(args.out, array[0] if args.size is None else array)
    else:
        _write_text(args.out, (mines.text(board, numbers=args.numbers) for board in boards))
    return 0


def _draw_match3(args):
    """Draw random match-3 boards."""
    suffix = _suffix(args.out)
    from gridlab import components, grid, match3

    if args.groups and suffix not in PICTURES:
        raise ValueError(f"--groups needs a picture: -o with {', '.join(PICTURES)}")
    if suffix in ("", ".txt"):
        grid.as_int("colours", args.colours, 1, 36, where=" in a text")
    size = 1 if args.size is None else grid.as_int("size", args.size, 1, MOST_PICTURES if suffix in PICTURES else None)
    rules = {"rule": args.rule, "length": args.length, "settled": not args.unsettled, "movable": args.movable}
    boards = match3.board(args.shape, args.colours, **rules, size=size, rng=args.seed)
    if suffix in PICTURES:
        from gridlab import plot

        labels = components.label(boards) if args.groups else [None] * size
        each = list(zip(boards, labels))
        picture = _picture(
            boards, suffix, lambda axes: [plot.colours(one, labels=its, ax=ax) for (one, its), ax in zip(each, axes)]
        )
        pathlib.Path(args.out).write_bytes(picture)
    elif suffix == ".npy":
        _write_array(args.out, boards[0] if args.size is None else boards)
    else:
        _write_text(args.out, map(match3.text, boards))
    return 0


def _level(args):
    """Return the shape and the number of mines asked for."""
    from gridlab import mines

    given = [flag for flag in ("level", "shape", "mines") if getattr(args, flag) is not None]
    if given not in (["level"], ["shape", "mines"]):
        raise ValueError("say either --level, or --shape and --mines")
    if args.level is None:
        return args.shape, args.mines
    if args.level not in mines.LEVELS:
        raise ValueError(f"--level must be one of {', '.join(mines.LEVELS)}, got {args.level!r}")
    return mines.LEVELS[args.level]


def _cell(text):
    """Read a cell, its row first, both counted from 0."""
    numbers = re.fullmatch(r"(\d+),(\d+)", text)
    if numbers is None:
        raise argparse.ArgumentTypeError(f"must be ROW,COL, such as 3,5, counted from 0, got {text!r}")
    return int(numbers[1]), int(numbers[2])


def _cropped(drawn, periodic):
    """Cut regions to their bounding boxes, in the corner of a grid that holds the largest."""
    import numpy as np

    from gridlab import grid

    boxes = [grid.crop(region, periodic=periodic) for region in drawn]
    cropped = np.zeros((len(boxes), *np.max([box.shape for box in boxes], axis=0)), bool)
    for region, box in zip(cropped, boxes):
        region[: box.shape[0], : box.shape[1]] = box
    return cropped


def _shape(text):
    """Read the sides of a grid, rows first."""
    sides = re.fullmatch(r"(\d+)[x×](\d+)", text)
    if sides is None:
        raise argparse.ArgumentTypeError(f"must be ROWSxCOLS, such as 20x40, got {text!r}")
    return int(sides[1]), int(sides[2])


def _share(text):
    """Read a number such as 0.25 or 1/4."""
    try:
        number, slash, by = text.partition("/")
        return float(number) / float(by) if slash else float(number)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"must be a number such as 0.25 or 1/4, got {text!r}") from None


def _suffix(out, *more):
    """Return the suffix of the file to write, "" for standard output, before any work."""
    if out is None:
        return ""
    suffix, known = pathlib.Path(out).suffix.lower(), (".txt", ".npy", *more, *PICTURES)
    if suffix not in known:
        raise ValueError(f"-o must end in {', '.join(known)}, got {out!r}")
    _check_writable("-o", out)
    return suffix


def _write_text(out, texts):
    """Write texts with a blank line between them, to standard output when `out` is None."""
    if out is None:
        for k, text in enumerate(texts):
            print(("\n" if k else "") + text)
        print(end="", flush=True)  # unlike the stream's own flush, also where there is none
    else:
        pathlib.Path(out).write_text("\n\n".join(texts) + "\n")


def _write_array(out, array):
    """Write an array as numpy does."""
    import numpy as np

    data = io.BytesIO()
    np.save(data, array)
    pathlib.Path(out).write_bytes(data.getvalue())


def _picture(drawn, suffix, draw):
    """Return grids drawn side by side in nearly a square, as the bytes of a file without a date."""
    import matplotlib as mpl
    import numpy as np
    from matplotlib.figure import Figure

    from gridlab import plot

    size, rows, cols = drawn.shape
    across = min(size, math.ceil(math.sqrt(size * rows / cols)))
    down = math.ceil(size / across)
    side = 5 if size == 1 else 2.2
    scale = side / max(rows, cols)
    with plot.style(), mpl.rc_context({"svg.hashsalt": "gridlab"}):
        least = 0.6  # inches, so that a single row of cells can still be seen
        figure = Figure(figsize=(across * max(least, cols * scale), down * max(least, rows * scale)))
        axes = np.array(figure.subplots(down, across, squeeze=False)).ravel()
        for ax in axes[size:]:
            ax.set_axis_off()
        draw(axes[:size])
        data = io.BytesIO()
        figure.savefig(data, format=suffix[1:], dpi=200, bbox_inches="tight", metadata=PICTURES[suffix])
    return data.getvalue()


# test


def _test_options(parser):
    parser.add_argument(
        "file",
        metavar="FILE",
        help=".npy of shape (boards, rows, cols), or text: * mine, . free, an empty line between boards",
    )
    parser.add_argument("--mines", type=int, metavar="N", help="mines each should have (default: as the first board)")
    parser.add_argument("--periodic", action="store_true", help="join opposite sides, for joins and numbers")
    parser.add_argument("--seed", type=int, metavar="N", help="for Monte Carlo p-values, where boards are few")


def _test(args):
    """Test boards for uniformity."""
    import numpy as np

    from gridlab import mines, uniformity

    path = pathlib.Path(args.file)
    if path.suffix.lower() == ".npy":
        boards = np.load(path)
    else:
        pictures = re.split(r"\n\s*\n", path.read_text().strip())
        boards = [mines.parse(picture) for picture in pictures]
        odd = next((k for k, board in enumerate(boards) if board.shape != boards[0].shape), None)
        if odd is not None:
            raise ValueError(f"boards must have one shape, {boards[0].shape}, got {boards[odd].shape} for board {odd}")
    table = uniformity.report(np.array(boards), args.mines, periodic=args.periodic, rng=args.seed)
    ran = table["pvalue"].notna()
    told = table.loc[ran, ["test", "statistic", "pvalue", "adjusted", "note"]]
    print(told.to_string(index=False, float_format="{:.4g}".format))
    for row in table[~ran].itertuples():
        print(f"{row.test} not made: {row.note}")
    seen = table.loc[table["adjusted"] < LEVEL, "test"].tolist()
    print(f"{len(boards)} boards: " + (f"not fair, by {', '.join(seen)}" if seen else f"no fault seen at {LEVEL:g}"))
    return 0


# bench

BENCH_WORDS = (
    "Rates are items a second of processor time on one thread, the median over rounds. ×N: gridlab does N times as "
    "many items a second; in brackets the interval of 95 % of this run. reach: what gridlab was built to do at least. "
    "disturbed: the rounds differ much, so measure again."
)
CHANGE_WORDS = (
    "time ×N: it takes N times as long as then. The intervals speak of the rounds of these two runs only: from one "
    "start to the next all times often move by a tenth or more, though nothing changed. What gridlab is to its peers, "
    "now and then, is the safer thing to compare (--peers)."
)


def _bench_options(parser):
    parser.description += f" {BENCH_WORDS}"
    parser.add_argument("names", nargs="*", metavar="NAME", help="works, or parts such as mines (default: all)")
    parser.add_argument("--list", action="store_true", help="instead: print the names of all works")
    parser.add_argument("--peers", action="store_true", help="time the other packages too, where they are installed")
    parser.add_argument(
        "--budget",
        type=float,
        metavar="S",
        help="about how many seconds (default: 60); a wish, for each call is timed 8 times at least",
    )
    parser.add_argument("--full", action="store_true", help="longer versions, with graphillion minutes and gigabytes")
    parser.add_argument("--tiny", action="store_true", help="sizes that cost no time, to try it out")
    parser.add_argument("--seed", type=int, metavar="N", help="the same seed gives the same input")
    parser.add_argument("--save", metavar="FILE", help="write what was measured, with machine, versions and date")
    parser.add_argument("--compare", metavar="FILE", help="tell what changed since that file was saved")
    parser.add_argument(
        "--cold", action="store_true", help="instead: what first calls cost, in new processes; some minutes"
    )


def _bench(args):
    """Print how fast gridlab and its peers are, work by work; a reach that is missed is no failure."""
    options = ("peers", "budget", "full", "tiny", "seed", "save", "compare", "list", "cold")
    given = [f"--{name}" for name in options if getattr(args, name) is not None and getattr(args, name) is not False]
    given = ["NAME", *given] if args.names else given
    for flag in ("--list", "--cold"):
        if flag in given and len(given) > 1:
            others = ", ".join(word for word in given if word != flag)
            raise ValueError(f"{flag} goes alone: leave out {others}, or call bench twice")
    if args.save is not None:
        _check_writable("--save", args.save)
    from gridlab import bench

    if args.cold:
        return _tell_first_uses(bench)
    if args.list:
        for name, work in bench.WORKS.items():
            print(f"{name:24} {work.what.format(**work.sizes)}")
        return 0
    saved = None if args.compare is None else _saved(bench, args.compare)
    table = bench.peers(
        args.names or None,
        peers=args.peers,
        full=args.full,
        tiny=args.tiny,
        budget=60.0 if args.budget is None else args.budget,
        rng=args.seed,
        tell=lambda rows: print(bench.told(rows), flush=True),
    )
    status = 0
    if args.save is not None:
        try:
            bench.save(table, args.save)
        except OSError as error:  # what was measured is still told
            status = _fail(f"nothing was saved: {error}", 1)
    print("", *filter(None, [bench.verdict(table), textwrap.fill(BENCH_WORDS, 118)]), sep="\n")
    if saved is not None:
        when = saved.attrs.get("machine", {}).get("date", "an unknown date")
        print(f"\nbeside {args.compare}, of {when}:\n{bench.changes(table, saved)}\n{textwrap.fill(CHANGE_WORDS, 118)}")
    if table.attrs["interrupted"]:
        raise KeyboardInterrupt
    return status


def _check_writable(option, path):
    """Refuse a file that could not be written in the end."""
    folder = pathlib.Path(path).absolute().parent
    if not folder.is_dir():
        raise OSError(f"{option} must be in a folder that is there, got {path}")
    if pathlib.Path(path).is_dir():
        raise OSError(f"{option} must be a file, got the folder {path!r}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OSError(f"{option} must be in a folder where you may write, got {path}")


def _saved(bench, path):
    """Read a table that was saved."""
    try:
        table = bench.load(path)
        bench.rounds(table)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ValueError(f"--compare: {path} was not saved by gridlab bench, or not by this version") from None
    return table


def _tell_first_uses(bench):
    """Print what first calls cost, each when it is known."""
    print("processor seconds in new processes: of the imports, of a first call that compiles (uncached), of one that")
    print("finds all compiled by an earlier process (cached), and of any later call (again)")
    print(f"  {'':38}" + "".join(f"{word:>9}" for word in ("imports", "uncached", "cached", "again")), flush=True)
    for name, lines in bench.FIRST_CALLS.items():
        (row,) = bench.first_use({name: lines}, rounds=1).itertuples()
        seconds = "".join(f"{one:9.3f}" for one in (row.imports, row.uncached, row.cached, row.again))
        print(f"  {name:38}{seconds}  {row.compiled} kernels", flush=True)
    return 0


# check


def _no_options(parser):
    pass


def _check(args):
    """Tell what is installed and test the laws; OK or FAILED in front of each line."""
    print(
        f"gridlab {gridlab.__version__}, Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    )
    good = True
    for checks in (_installed(), _laws()):
        try:
            for passed, words in checks:
                print(f"{'OK' if passed else 'FAILED':6}  {words}", flush=True)
                good &= bool(passed)
        except ImportError as error:
            print(f"FAILED  {error}", flush=True)
            good = False
    return 0 if good else 1


def _installed():
    """Yield for each dependency whether it is there and new enough, and words that say so."""
    from importlib import metadata

    from packaging.requirements import Requirement

    try:
        requirements = [Requirement(line) for line in metadata.requires("gridlab") or []]
    except metadata.PackageNotFoundError:
        yield False, "gridlab is not installed: pip install -e . in the clone"
        return
    for requirement in requirements:
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            yield False, f"{requirement} is not installed"
            continue
        yield (
            requirement.specifier.contains(version, prereleases=True),
            f"{requirement.name} {version}, needs {requirement.specifier}",
        )


def _laws(n=500):
    """Yield for each generator whether what it draws is what it promises, and words that say so."""
    from gridlab import laws, mines, published, regions, topology

    shape, area = (6, 6), 12
    for name, f in regions.GENERATORS.items():
        wrong = 0
        for periodic in (False, True):
            for meaning in (False, 4, 8):
                drawn = f(shape, area, periodic=periodic, simply_connected=meaning, size=n, rng=20261130)
                good = (drawn.sum((1, 2)) == area) & topology.is_connected(drawn, periodic=periodic)
                if meaning:
                    good &= topology.is_simply_connected(drawn, meaning, periodic=periodic)
                wrong += int((~good).sum())
        yield wrong == 0, f"regions.{name}: {wrong} of {6 * n} draws break area, connection or holes"
    place = 4, (3, 3)
    exact = {name: f(*place) for name, f in laws.GROWERS.items() if name in regions.GENERATORS}
    exact["uniform"] = laws.uniform(*place)
    for name, other in [*((name, name) for name in exact), ("dfs", "uniform")]:
        p = _misfit(regions.GENERATORS[name], exact[other], 20_000)
        words = f"regions.{name} against the exact law of {other} on 3x3 cells, area 4: chi-square p = {p:.2g}"
        yield _told(p, name == other, words)
    fair = laws.PLACERS["floyd"]((3, 3), 3)
    for name, f in mines.PLACERS.items():
        if name == "collide":  # too few mines, but fair given how many there are
            boards = f((3, 3), 4, size=20_000, rng=20261130)
            p = _fit(boards[boards.sum((1, 2)) == 3], fair)
        else:
            p = _misfit(f, laws.PLACERS[name]((3, 3), 3), 20_000)
        yield _told(p, True, f"mines.{name} against its exact law on 3x3 cells, 3 mines: chi-square p = {p:.2g}")
    p = _misfit(published.probe_right, fair, 20_000)
    yield _told(p, False, f"published.probe_right against equal chances, likewise: chi-square p = {p:.2g}")


def _told(p, right, words):
    """Return whether a p-value is what it must be, and words that say so."""
    bound = "fails below 1e-6" if right else "another law, fails above 1e-6"
    return (p > 1e-6) == right, f"{words} ({bound})"


def _misfit(f, law, n):
    """Return the chi-square p-value of draws of `f` against an exact law."""
    return _fit(f(law.regions.shape[1:], int(law.regions[0].sum()), size=n, rng=20261130), law)


def _fit(drawn, law):
    """Return the chi-square p-value of draws against an exact law."""
    from gridlab import compare

    try:
        return compare.fit(drawn, law).pvalue
    except ValueError:  # something was drawn that is no outcome at all
        return 0.0


DRAWINGS = {
    "regions": ("draw random connected regions of a given area", _regions_options, _draw_regions),
    "mines": ("draw minesweeper boards", _mines_options, _draw_mines),
    "match3": ("draw match-3 boards, uniformly among those asked for", _match3_options, _draw_match3),
}

COMMANDS = {
    "report": ("execute the notebooks and write them as a static site", _report_options, _report),
    "lab": ("open JupyterLab on the notebooks; other options go to it, such as --no-browser", _notebooks_option, _lab),
    "draw": ("draw from the library, as text or as a picture", _draw_options, None),
    "test": ("test boards of any program for uniformity", _test_options, _test),
    "bench": ("measure how fast gridlab is, and other packages that do the same", _bench_options, _bench),
    "check": ("tell what is installed and test the laws", _no_options, _check),
}


if __name__ == "__main__":
    sys.exit(main())
