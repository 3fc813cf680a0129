"""The panels of mine placement: tests of uniformity, and how swaps mix."""

import numpy as np
import pandas as pd

from .. import laws, mines, plot, published
from .. import uniformity as tests
from .panel import Panel, dropdown, seed, slider

__all__ = ["swaps", "uniformity"]

#: Numbers of boards to choose from.
BOARDS = (100, 300, 1000, 3000, 10_000)

#: Published placers that are not uniform, as the panel names them. Without a first click `relocate` is.
WRONG = {f"{name} (published)": f for name, f in published.PLACERS.items() if name != "relocate"}

#: The adjusted p-value below which the panel says that boards are not fair.
LEVEL = 0.01


def uniformity(**initial):
    """Show a panel that tests a placer of mines for uniformity, with more and more boards.

    Above is a map of how often each cell is mined, in standard deviations from fair; below
    are the p-values of all tests against the number of boards they saw.

    Parameters
    ----------
    **initial
        Values to start from: placer (a name in `gridlab.mines.PLACERS`, or in `gridlab.published.PLACERS`
        with " (published)" behind it), level ("beginner", "intermediate", "expert" or "custom"), rows, cols and
        n_mines of a board of your own, swaps of the placer swap, boards (100 to 10000), seed.

    Returns
    -------
    Panel
        Shows itself as the last value of a cell. ``panel.result`` has the reports of
        `gridlab.uniformity.progress`, one below the other.

    Raises
    ------
    TypeError
        If a keyword is none of these, or a value is of the wrong type.
    ValueError
        If a value is not among those the control offers.

    Examples
    --------
    >>> panel = uniformity(placer="swap", swaps=500, boards=300, level="beginner")
    >>> print(panel.code)
    boards = gridlab.mines.swap((9, 9), 10, swaps=500, size=300, rng=7)
    gridlab.uniformity.progress(boards, [100, 300], rng=7)
    >>> panel.result.columns.tolist()
    ['test', 'statistic', 'dof', 'pvalue', 'adjusted', 'boards', 'note']
    """
    placers = mines.PLACERS | WRONG
    controls = {
        "placer": dropdown("placer", "How the mines are placed", list(placers), "swap"),
        **_board_controls(),
        "swaps": slider("swaps", "Swaps of the placer swap", 1000, 0, 5000),
        "boards": dropdown("boards", "Boards to test", list(BOARDS), 1000),
        **seed("The same seed gives the same boards"),
    }
    boards = None

    def adjust(values):
        _adjust_board(controls, values)
        controls["swaps"].layout.display = None if values["placer"] == "swap" else "none"

    def code(values):
        name = values["placer"].removesuffix(" (published)")
        module = mines if name == values["placer"] else published
        # a shuffle of `published` has its placer's name
        here = getattr(module, name, None) is placers[values["placer"]]
        function = f"{module.__name__}.{name}" if here else f"{module.__name__}.PLACERS[{name!r}]"
        return (
            f"boards = {function}({_arguments(values, name == 'swap')})\n"
            f"gridlab.uniformity.progress(boards, {_steps(values['boards'])}, rng={values['seed']})"
        )

    def compute(values):
        nonlocal boards
        shape, n_mines = _level(values)
        own = {"swaps": values["swaps"]} if values["placer"] == "swap" else {}
        boards = placers[values["placer"]](shape, n_mines, size=values["boards"], rng=values["seed"], **own)
        return tests.progress(boards, _steps(values["boards"]), rng=values["seed"])

    def figures(values, table):
        last = table[table["boards"] == table["boards"].max()].dropna(subset="pvalue")
        seen = last.loc[last["adjusted"] < LEVEL, "test"]
        verdict = (
            {f"not fair at {LEVEL:.0%}, by": ", ".join(seen)} if len(seen) else {"no fault seen at": f"{LEVEL:.0%}"}
        )
        others = {test: f"{p:.2g}" for test, p in zip(last["test"], last["adjusted"]) if test != "count"}
        return verdict | ({"p-values, adjusted:": ""} if others else {}) | others

    def draw(values, table, above, below):
        (rows, cols), n_mines = _level(values)
        share = n_mines / (rows * cols)
        error = np.sqrt(len(boards) * share * (1 - share)) or 1.0
        plot.residuals((boards.sum(0) - len(boards) * share) / error, label="mines, standard deviations", ax=above)
        other = table[table["test"] != "count"]
        plot.pvalues(other if other["pvalue"].notna().any() else table, ax=below)

    def describe(values):
        return (
            f"{values['placer']}: where {values['boards']} boards have more and fewer mines than fair ones, "
            "and p-values of the tests of uniformity against the number of boards"
        )

    return Panel(
        controls,
        _custom(initial),
        adjust=adjust,
        code=code,
        compute=compute,
        figures=figures,
        draw=draw,
        describe=describe,
        height=540,
        places=((0.02, 0.53, 0.91, 0.45), (0.19, 0.1, 0.48, 0.37)),
    )


def swaps(**initial):
    """Show a panel on how many swaps make a board uniform: frequencies beside theory.

    Above is how often each cell was mined on some boards, in the middle the exact chance,
    and below how this and the total variation from uniform change with the number of swaps.

    Parameters
    ----------
    **initial
        Values to start from: level ("beginner", "intermediate", "expert" or "custom"), rows, cols and
        n_mines of a board of your own, swaps, boards (100 to 10000), seed.

    Returns
    -------
    Panel
        Shows itself as the last value of a cell. ``panel.result`` is the share of boards
        with a mine in each cell.

    Raises
    ------
    TypeError
        If a keyword is none of these, or a value is of the wrong type.
    ValueError
        If a value is not among those the control offers.

    Examples
    --------
    >>> panel = swaps(level="expert", swaps=100)
    >>> panel.code
    'gridlab.mines.swap((16, 30), 99, swaps=100, size=1000, rng=7).mean(0)'
    >>> round(float(panel.result.ravel()[:99].mean()), 2)
    0.73
    """
    controls = {
        **_board_controls(),
        "swaps": slider("swaps", "How often two random cells are swapped", 500, 0, 5000),
        "boards": dropdown("boards", "Boards to draw", list(BOARDS), 1000),
        **seed("The same seed gives the same boards"),
    }

    def adjust(values):
        _adjust_board(controls, values)

    def code(values):
        return f"gridlab.mines.swap({_arguments(values, swaps=True)}).mean(0)"

    def compute(values):
        shape, n_mines = _level(values)
        boards = mines.swap(shape, n_mines, swaps=values["swaps"], size=values["boards"], rng=values["seed"])
        return boards.mean(0)

    def figures(values, shares):
        (rows, cols), n_mines = _level(values)
        n = rows * cols
        exact = laws.swap_chances(n, n_mines, values["swaps"])
        flat = shares.ravel()
        words = (f"first {n_mines} cells", "other cells")
        return {
            **{
                f"{name}: measured": f"{part.mean():.4f}, exact {chance:.4f}"
                for name, part, chance in zip(words, (flat[:n_mines], flat[n_mines:]), exact)
                if len(part)
            },
            "total variation": f"{laws.swap_distance(n, n_mines, values['swaps']):.3g}",
            "swaps for 0.01": f"{laws.swaps_needed(n, n_mines, 0.01)}",
        }

    def draw(values, shares, measured, exact, below):
        (rows, cols), n_mines = _level(values)
        n = rows * cols
        first = np.arange(n).reshape(rows, cols) < n_mines
        chances = np.where(first, *laws.swap_chances(n, n_mines, values["swaps"]))
        look = {"vmin": 0, "vmax": max(shares.max(), chances.max()) or 1.0}
        plot.frequencies(shares, label="share mined", ax=measured, **look)
        plot.frequencies(chances, label="exact chance", ax=exact, **look)
        kept = [k for k in range(0, controls["swaps"].max + 1, 50)]
        start, elsewhere = laws.swap_chances(n, n_mines, kept)
        distance = laws.swap_distance(n, n_mines, kept)
        table = pd.DataFrame({"swaps": kept, "start": start, "elsewhere": elsewhere, "distance": distance})
        flat = shares.ravel()
        dots = {"swaps": [values["swaps"]], "start": [np.nan], "elsewhere": [np.nan], "error": [0.0]}
        if n_mines:
            dots["start"] = [flat[:n_mines].mean()]
        if n_mines < n:
            dots["elsewhere"] = [flat[n_mines:].mean()]
        plot.mixing(table, measured=pd.DataFrame(dots), ax=below)

    def describe(values):
        return (
            f"How often each cell is mined on {values['boards']} boards after {values['swaps']} swaps, the exact "
            "chance, and chances and total variation against the number of swaps"
        )

    return Panel(
        controls,
        _custom(initial),
        adjust=adjust,
        code=code,
        compute=compute,
        figures=figures,
        draw=draw,
        describe=describe,
        height=640,
        places=((0.02, 0.69, 0.94, 0.3), (0.02, 0.385, 0.94, 0.3), (0.16, 0.075, 0.82, 0.245)),
    )


def _board_controls():
    """Make the controls of a board: a classic level, or sides and mines."""
    return {
        "level": dropdown("level", "A classic board, or one of your own", [*mines.LEVELS, "custom"], "expert"),
        "rows": slider("rows", "Rows of the board", 16, 1, 40),
        "cols": slider("columns", "Columns of the board", 16, 1, 40),
        "n_mines": slider("mines", "Mines on the board", 40, 0, 256),
    }


def _custom(initial):
    """Take sides or mines for those of a custom board, as long as no level is named."""
    own = not initial.keys().isdisjoint({"rows", "cols", "n_mines"})
    return {"level": "custom"} | initial if own else initial


def _adjust_board(controls, values):
    """Show sides and mines of a custom board only, and bound its mines."""
    for name in ("rows", "cols", "n_mines"):
        controls[name].layout.display = None if values["level"] == "custom" else "none"
    controls["n_mines"].max = values["rows"] * values["cols"]


def _level(values):
    """Return the shape and the number of mines."""
    if values["level"] == "custom":
        return (values["rows"], values["cols"]), values["n_mines"]
    return mines.LEVELS[values["level"]]


def _arguments(values, swaps):
    """Write the arguments of a placer."""
    shape, n_mines = _level(values)
    own = f", swaps={values['swaps']}" if swaps else ""
    return f"{shape}, {n_mines}{own}, size={values['boards']}, rng={values['seed']}"


def _steps(n):
    """Choose the numbers of boards after which the tests are made."""
    return [k for k in BOARDS if k <= n]
