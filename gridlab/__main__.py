"""The command line: ``gridlab`` or ``python -m gridlab``.

One function a command, one row each in `COMMANDS`; the longer ones are in `gridlab.commands`. What a command needs
is imported when it runs, so that help comes at once.
"""

import argparse
import os
import pathlib
import re
import sys

import gridlab

from .commands.checking import _check, _no_options
from .commands.common import _add, _fail
from .commands.drawing import _draw_options
from .commands.measuring import _bench, _bench_options

__all__ = ["main"]

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


def _parser():
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(prog="gridlab", description="Random grids whose law is known.")
    parser.add_argument("--version", action="version", version=f"gridlab {gridlab.__version__}")
    _add(parser, COMMANDS, "command")
    return parser


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
