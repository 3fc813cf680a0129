"""The published flood fill on a flat list, fallen into its pitfall: a row's end touches the next row's start."""

import numpy as np
from numba import njit

from .. import grid

__all__ = ["flat_groups"]


def flat_groups(grids):
    """Label the components of equal cells by a flood fill on a flat list that does not ask for the row: wrong.

    The cells of a grid stand in one list, row by row, and a stack holds those still to be looked from.
    Right, down, left and up are the places 1 and ``cols`` further on, and 1 and ``cols`` back, as long as they are
    in the list. Whether right and left are in the same row is not asked. So the last cell of a row
    touches the first of the next::

        . . x        One component here, where there are two.
        x . .

    What it labels are the components of a helical grid, whose rows are the turns of one long strip:
    neighbours across are those in flat order, and only those above and below are what they should
    be. A grid of one row or one column comes out right.

    Parameters
    ----------
    grids : array_like of int or bool, shape (..., rows, cols)
        The cells' colours.

    Returns
    -------
    ndarray of int32, shape (..., rows, cols)
        Labels from 1 in each grid, in row-major order of the components' first cells.

    Raises
    ------
    TypeError
        If `grids` are not integers.
    ValueError
        If there are fewer than two axes, or a grid has more than 2**30 cells.

    See Also
    --------
    gridlab.components.label : What it was to be.

    Notes
    -----
    O(``rows * cols``) a grid.

    Examples
    --------
    >>> flat_groups([[0, 0, 1], [1, 0, 0]])
    array([[1, 1, 2],
           [2, 1, 1]], dtype=int32)
    """
    grids = grid.as_grids("grids", grids)
    rows, cols = grids.shape[-2:]
    labels = np.zeros(grids.shape, np.int32)
    batch = grids.reshape(int(np.prod(grids.shape[:-2])), rows * cols)
    found = labels.reshape(batch.shape)
    n = max(1, 2**22 // max(1, rows * cols))  # grids between which an interrupt gets through
    for k in range(0, len(batch), n):
        # equal values stay equal, and different ones different, also those of uint64 that int64 does not have
        _flat_groups(grid.plain(batch[k : k + n].astype(np.int64)), cols, found[k : k + n])
    return labels


@njit(cache=True)
def _flat_groups(grids, cols, labels):
    """Flood each component of flat grids from its first cell; labels come as zeros."""
    n_grids, n_cells = grids.shape
    stack = np.empty(n_cells, np.int32)
    for k in range(n_grids):
        n_labels = 0
        for start in range(n_cells):
            if labels[k, start] > 0:
                continue
            n_labels += 1
            labels[k, start] = n_labels
            stack[0] = start
            n_stack = 1
            while n_stack > 0:
                n_stack -= 1
                cell = stack[n_stack]
                for step in (1, cols, -1, -cols):  # for 1 and -1 the row is not looked at
                    other = cell + step
                    if 0 <= other < n_cells and labels[k, other] == 0 and grids[k, other] == grids[k, start]:
                        labels[k, other] = n_labels
                        stack[n_stack] = other
                        n_stack += 1
