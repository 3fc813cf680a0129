"""Pictures: arrays and tables in, Axes out.

Every function draws into `ax`, by default pyplot's current Axes, and returns it. None
of them opens a second figure, shows one, draws a random number or works out a statistic
beyond the mean, the interval and the bins it draws. `style` is the look, as a context:
nothing changes matplotlib's settings for good.

A picture of a grid counts rows from the top and columns from the left: cell (row, col)
is the square from col to col + 1 and from row to row + 1.
"""

from .boards import DIGITS, SQUARES, board
from .cells import frequencies, neighbourhoods, region, regions, residuals
from .charts import LEAST, MIXING, distribution, law, mixing, pvalues
from .colours import TILES, Tile, colours
from .look import (
    BLACK,
    BLUE,
    CATEGORIES,
    COLOURS,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    SIGNS,
    SKY,
    STYLE,
    VERMILION,
    YELLOW,
    style,
)
from .speed import timings

__all__ = [
    "BLACK",
    "BLUE",
    "CATEGORIES",
    "COLOURS",
    "DIGITS",
    "GREEN",
    "GREY",
    "INK",
    "LEAST",
    "MIXING",
    "ORANGE",
    "PURPLE",
    "SIGNS",
    "SKY",
    "SQUARES",
    "STYLE",
    "TILES",
    "VERMILION",
    "YELLOW",
    "Tile",
    "board",
    "colours",
    "distribution",
    "frequencies",
    "law",
    "mixing",
    "neighbourhoods",
    "pvalues",
    "region",
    "regions",
    "residuals",
    "style",
    "timings",
]
