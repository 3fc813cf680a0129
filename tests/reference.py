"""What several tests measure against: the reference counts, and the power of a chi-square test."""

import csv
from pathlib import Path

import numpy as np
from scipy import stats


def known_counts():
    """The reference counts, as {(rows, cols, periodic, rule): {area: count}}; a rule is False, 4 or 8."""
    rules = {"connected": False, "hole_free_4": 4, "hole_free_8": 8}
    counts = {}
    with (Path(__file__).parent / "data/exact_counts.csv").open() as lines:
        for row in csv.DictReader(lines):
            key = int(row["rows"]), int(row["cols"]), row["periodic"] == "1", rules[row["rule"]]
            counts.setdefault(key, {})[int(row["area"])] = int(row["count"])
    return counts


def power(law, other, n, alpha):
    """The chance that the chi-square test at `alpha` of n draws from `law` refutes `other`."""
    law, other = np.array(law, float), np.array(other, float)
    dof = len(law) - 1
    return stats.ncx2.sf(stats.chi2.isf(alpha, dof), dof, n * ((law - other) ** 2 / other).sum())
