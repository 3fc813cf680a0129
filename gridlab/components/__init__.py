"""Components of equal cells: label them, list them, measure them.

A component is a maximal set of cells of one colour that hold together by shared edges
(4), or by shared corners too (8)::

    1 1 2     By edges 5 components: two of 1, two of 2, one of 3.
    2 3 1     By corners too 4: the two parts of 1 meet at a corner.
    3 3 1
"""

from .labels import LABELLERS, flood, groups, label, runs, union_find
from .tables import table

__all__ = ["LABELLERS", "flood", "groups", "label", "runs", "table", "union_find"]
