"""The cells of a grid and their neighbours, open and periodic."""

import numpy as np

from .checks import as_shape

__all__ = ["neighbours", "padded"]

#: Row and column steps to the eight cells around one, clockwise from the right:
#: even entries cross an edge, odd entries a corner.
RING = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))

#: The corner of the frame: the one cell of a padded open grid where every step off it leads.
WALL = 0


def neighbours(shape, *, periodic=False, connectivity=4):
    """List the neighbours of every cell.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    periodic : bool
        Whether opposite sides of the grid are joined.
    connectivity : {4, 8}
        Cells that share an edge, or also those that share a corner.

    Returns
    -------
    ndarray of int32, shape (rows * cols, connectivity)
        Flat indices, clockwise from the right, -1 where the grid ends.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Examples
    --------
    >>> neighbours((2, 2))
    array([[ 1,  2, -1, -1],
           [-1,  3,  0, -1],
           [ 3, -1, -1,  0],
           [-1, -1,  2,  1]], dtype=int32)
    """
    rows, cols = as_shape(shape, periodic)
    if connectivity not in (4, 8):
        raise ValueError(f"connectivity must be 4 or 8, got {connectivity!r}")
    connectivity = int(connectivity)
    cells = np.arange(rows * cols, dtype=np.int32).reshape(rows, cols)
    framed = np.pad(cells, 1, **({"mode": "wrap"} if periodic else {"constant_values": -1}))
    around = [framed[1 + row : 1 + row + rows, 1 + col : 1 + col + cols] for row, col in RING[:: 8 // connectivity]]
    return np.stack(around, axis=-1).reshape(-1, connectivity)


def padded(shape, *, periodic=False):
    """Frame the grid by one cell and say where every framed cell belongs.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    periodic : bool
        Whether opposite sides of the grid are joined.

    Returns
    -------
    home : ndarray of int32, shape ((rows + 2) * (cols + 2),)
        A cell of the grid is its own home. A cell of the frame belongs to the cell it
        repeats (periodic) or to `WALL`.
    steps : ndarray of int32, shape (8,)
        What to add to a cell's index to get to the cells of its ring, in the order of
        `RING`; ``steps[::2]`` are the edge neighbours.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Notes
    -----
    The cell in row r and column c of the grid has the index (r + 1)(cols + 2) + c + 1.

    Examples
    --------
    >>> home, steps = padded((1, 2))
    >>> home.reshape(3, 4)
    array([[0, 0, 0, 0],
           [0, 5, 6, 0],
           [0, 0, 0, 0]], dtype=int32)
    """
    rows, cols = as_shape(shape, periodic)
    width = cols + 2
    cells = np.arange((rows + 2) * width, dtype=np.int32).reshape(rows + 2, width)[1:-1, 1:-1]
    home = np.pad(cells, 1, **({"mode": "wrap"} if periodic else {"constant_values": WALL}))
    steps = np.array([row * width + col for row, col in RING], np.int32)
    return home.ravel(), steps
