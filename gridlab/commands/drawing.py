"""``gridlab draw``: pictures, text and arrays straight from the library, one row of `DRAWINGS` a kind."""

import argparse
import inspect
import io
import math
import pathlib
import re

from .common import _add, _check_writable

__all__ = ["DRAWINGS"]

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


#: What can be drawn, by name: help, options and function.
DRAWINGS = {
    "regions": ("draw random connected regions of a given area", _regions_options, _draw_regions),
    "mines": ("draw minesweeper boards", _mines_options, _draw_mines),
    "match3": ("draw match-3 boards, uniformly among those asked for", _match3_options, _draw_match3),
}
