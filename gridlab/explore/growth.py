"""The panel of the generators of regions."""

import inspect

import ipywidgets as widgets
import numpy as np

from .. import plot, shapes, topology, uniform
from .. import regions as generators
from .panel import Panel, checkbox, dropdown, seed, slider

__all__ = ["regions"]


def regions(**initial):
    """Show a panel that draws one random region.

    Parameters
    ----------
    **initial
        Values to start from: generator, rows, cols, area, periodic, simply_connected,
        seed, and the options of the generators, such as fill_holes or fat.

    Returns
    -------
    Panel
        Shows itself as the last value of a cell. ``panel.controls`` are its widgets by
        name, ``panel.values`` their values, ``panel.result`` the region and
        ``panel.code`` the call that makes it again.

    Raises
    ------
    TypeError
        If a keyword is none of these, or a value is of the wrong type.
    ValueError
        If a value is not among those the control offers.

    Notes
    -----
    The generators and their options are those `gridlab.regions.GENERATORS` has when
    the panel is made.

    Examples
    --------
    >>> panel = regions(generator="dfs", rows=20, cols=30, area=100, seed=7)
    >>> panel.code
    'gridlab.regions.dfs((20, 30), 100, rng=7)'
    >>> int(panel.result.sum())
    100
    """
    options = {name: _options(f) for name, f in generators.GENERATORS.items()}
    controls = {
        "generator": dropdown("generator", "How the region is drawn", list(options), "eden"),
        "rows": slider("rows", "Rows of the grid", 50, 2, 200),
        "cols": slider("columns", "Columns of the grid", 50, 2, 200),
        "area": slider("area", "Cells of the region", 800, 1, 2500),
        "periodic": checkbox("periodic", "Whether opposite sides of the grid are joined"),
        "simply_connected": dropdown(
            "holes",
            "Holes are gaps, empty cells, cut off from the outside; edges join gaps (4), or edges and corners (8)",
            HOLES,
            False,
        ),
    }
    for name, default in {name: default for own in options.values() for name, default in own.items()}.items():
        words = name.replace("_", " ")
        if isinstance(default, bool):
            controls[name] = checkbox(words, f"The generator's option {name}")
        else:
            low = 0.0 if name == "fat" else 0.05  # a burst has at least one cell
            controls[name] = slider(words, f"The generator's option {name}, a share of the area", default, low, 1.0)
    controls |= seed("The same seed gives the same region")

    asked = seen = controls["area"].value

    def adjust(values):
        # the area asked for comes back, as far as it fits, when a smaller grid had cut it
        nonlocal asked, seen
        if values["area"] != seen:
            asked = values["area"]
        for side in ("rows", "cols"):
            controls[side].min = 3 if values["periodic"] else 2
        shape = controls["rows"].value, controls["cols"].value
        controls["area"].max = topology.largest(
            shape, periodic=values["periodic"], simply_connected=values["simply_connected"]
        )
        controls["area"].value = seen = min(asked, controls["area"].max)
        for name in {name for own in options.values() for name in own}:
            taken = name in options[values["generator"]] and (name != "fill_holes" or bool(values["simply_connected"]))
            if isinstance(controls[name], widgets.Checkbox):
                controls[name].disabled = not taken
            else:
                controls[name].layout.display = None if taken else "none"

    def arguments(values):
        shape = values["rows"], values["cols"]
        own = {k: default for k, default in options[values["generator"]].items() if not controls[k].disabled}
        chosen = {name: values[name] for name in ("periodic", "simply_connected") if values[name]}
        chosen |= {name: values[name] for name, default in own.items() if values[name] != default}
        if "budget" in inspect.signature(generators.GENERATORS[values["generator"]]).parameters:
            chosen["budget"] = BUDGETS.get(values["generator"], BUDGET)
        return (shape, values["area"]), chosen | {"rng": values["seed"]}

    def code(values):
        name, (place, chosen) = values["generator"], arguments(values)
        function = name if hasattr(generators, name) else f"GENERATORS[{name!r}]"
        words = [*map(repr, place), *(f"{k}={v!r}" for k, v in chosen.items())]
        return f"gridlab.regions.{function}({', '.join(words)})"

    def compute(values):
        place, chosen = arguments(values)
        return generators.GENERATORS[values["generator"]](*place, **chosen)

    def method(values):
        where = {name: values[name] for name in ("periodic", "simply_connected")}
        return uniform.method((values["rows"], values["cols"]), values["area"], **where)

    def meaning(values):
        return values["simply_connected"] or 4

    def mark(values):
        return "orange" if values["generator"] == "uniform" else "black"  # as plot.region has it on black

    def marks(values, region):
        return topology.holes(region, meaning(values), periodic=values["periodic"])

    def figures(values, region):
        row = shapes.measure(region, periodic=values["periodic"], columns=list(FIGURES)).iloc[0]
        numbers = {
            words: "not defined" if np.isnan(row[name]) else format(row[name], form)
            for name, (words, form) in FIGURES.items()
        }
        if values["generator"] == "uniform":
            numbers["drawn"] = "exactly" if method(values) == "exact" else "by a chain"
        if black := marks(values, region).sum():
            numbers[f"{mark(values)}: cells of holes ({meaning(values)})"] = str(black)
        return numbers

    def draw(values, region, ax):
        periodic, colour = values["periodic"], plot.COLOURS.get(values["generator"], plot.GREY)
        plot.region(region, periodic=periodic, marks=marks(values, region), color=colour, ax=ax)

    def describe(values):
        kind = "periodic" if values["periodic"] else "open"
        place = f"the {kind} {values['rows']}×{values['cols']} grid"
        marked = f"cells of holes ({meaning(values)}) in {mark(values)}"
        return f"{values['generator']}: a region of {values['area']} cells on {place}, {marked}"

    return Panel(
        controls,
        {name: 4 if name == "simply_connected" and value is True else value for name, value in initial.items()},
        adjust=adjust,
        code=code,
        compute=compute,
        figures=figures,
        draw=draw,
        describe=describe,
    )


#: Steps after which a generator that may take for ever gives up: about half a second.
BUDGET = 500_000

#: The same where the steps of a generator are shorter, or nothing can be had for less: about a second.
BUDGETS = {"uniform": 10_000_000}

#: What can be asked about holes, in words that fit the control, and as `simply_connected`.
HOLES = [("holes allowed", False), ("none (4): edges join gaps", 4), ("none (8): corners join too", 8)]

#: The measures shown below a region: what they are called, and their format.
FIGURES = {
    "area": ("area", ".0f"),
    "perimeter": ("perimeter", ".0f"),
    "holes_4": ("holes (4)", ".0f"),
    "holes_8": ("holes (8)", ".0f"),
    "tips": ("tips", ".0f"),
    "compactness": ("compactness", ".3f"),
    "radius_of_gyration": ("radius of gyration", ".2f"),
}


def _options(generator):
    """Find the options, with their defaults, that not all generators share."""
    shared = {"shape", "area", "periodic", "simply_connected", "size", "rng", "budget"}
    parameters = inspect.signature(generator).parameters
    return {name: parameter.default for name, parameter in parameters.items() if name not in shared}
