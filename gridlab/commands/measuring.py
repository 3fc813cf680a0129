"""``gridlab bench``: how fast gridlab and others are."""

import textwrap

from .common import _check_writable, _fail

__all__ = []

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
