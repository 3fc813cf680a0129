"""Random grids whose law is known: to generate, measure, compare and test.

Submodules load on first use, so ``import gridlab`` costs next to nothing.

Examples
--------
>>> import gridlab
>>> region = gridlab.regions.eden((4, 6), 5, rng=0)
>>> region.shape, int(region.sum())
((4, 6), 5)
"""

import importlib

__version__ = "0.1.0"
__all__ = [
    "bench",
    "board",
    "commands",
    "compare",
    "components",
    "explore",
    "grid",
    "laws",
    "match3",
    "mines",
    "plot",
    "published",
    "regions",
    "report",
    "shapes",
    "topology",
    "uniform",
    "uniformity",
]


def __getattr__(name):
    """Import a submodule when it is first asked for."""
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    """List the submodules, loaded or not."""
    return sorted([*globals(), *__all__])
