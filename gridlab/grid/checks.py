"""The checks of arguments that all modules share, and arrays as kernels take them."""

import operator

import numpy as np

__all__ = ["as_cell", "as_grids", "as_int", "as_masks", "as_rng", "as_shape", "batch", "empty", "pieces", "plain"]


def as_int(name, value, low, high=None, *, where=""):
    """Return `value` as an int from `low` to `high`, or say what is wrong with it.

    Parameters
    ----------
    name : str
        What the caller calls it.
    value : int
        Anything with ``__index__`` but a bool.
    low, high : int
        The allowed range, both ends included; no upper end by default.
    where : str
        What the range depends on, in words that follow it.

    Returns
    -------
    int
        The value.

    Raises
    ------
    TypeError
        If it is not an integer.
    ValueError
        If it is out of range.

    Examples
    --------
    >>> as_int("area", 3, 1, 2)
    Traceback (most recent call last):
    ...
    ValueError: area must be from 1 to 2, got 3
    """
    allowed = (f"at least {low}" if high is None else f"from {low} to {high}") + where
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, {allowed}, got {value!r}") from None
    if value < low or (high is not None and value > high):
        raise ValueError(f"{name} must be {allowed}, got {value}")
    return value


def as_shape(shape, periodic=False):
    """Return `shape` as two ints, or say what is wrong with it.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns, each at least 1, or 3 on a periodic grid: on a shorter one
        a cell meets the same neighbour twice.
    periodic : bool
        Whether opposite sides of the grid are joined.

    Returns
    -------
    tuple of int
        Rows and columns.

    Raises
    ------
    TypeError
        If it is not a pair of integers.
    ValueError
        If a side is too short, or the grid has more than 2**30 cells.

    Examples
    --------
    >>> as_shape([4, 6])
    (4, 6)
    """
    if not isinstance(periodic, bool | np.bool_):
        raise TypeError(f"periodic must be True or False, got {periodic!r}")
    try:
        rows, cols = shape
    except (TypeError, ValueError):
        raise TypeError(f"shape must be a pair (rows, cols), got {shape!r}") from None
    low = 3 if periodic else 1
    sides = [
        as_int(f"{name} of {'a periodic' if periodic else 'the'} grid's shape", side, low)
        for name, side in (("rows", rows), ("cols", cols))
    ]
    if sides[0] * sides[1] > 2**30:
        raise ValueError(f"shape must have at most 2**30 cells, got {sides[0]}x{sides[1]}")
    return sides[0], sides[1]


def as_cell(shape, cell):
    """Return a cell as a flat index, or say what is wrong with it.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the board.
    cell : int or tuple of int
        Flat index, or (row, col).

    Returns
    -------
    int
        The flat index.

    Raises
    ------
    TypeError
        If it is neither an integer nor a pair of integers.
    ValueError
        If it is not on the board.

    Examples
    --------
    >>> as_cell((3, 6), (1, 2)), as_cell((3, 6), 8)
    (8, 8)
    """
    rows, cols = as_shape(shape)
    where = f" on a board of {rows}x{cols}"
    if isinstance(cell, tuple | list) or (isinstance(cell, np.ndarray) and cell.ndim == 1):
        if len(cell) != 2:
            raise TypeError(f"cell must be a flat index or (row, col), got {cell!r}")
        row = as_int("row of cell", cell[0], 0, rows - 1, where=where)
        return row * cols + as_int("col of cell", cell[1], 0, cols - 1, where=where)
    return as_int("cell", cell, 0, rows * cols - 1, where=where)


def as_masks(name, masks):
    """Return masks as a bool array with at least two axes, or say what is wrong with them.

    Parameters
    ----------
    name : str
        What the caller calls them.
    masks : array_like of bool, shape (..., rows, cols)
        Integers are taken when they are all 0 or 1.

    Returns
    -------
    ndarray of bool, shape (..., rows, cols)
        The masks, copied only when they were not a bool array.

    Raises
    ------
    TypeError
        If they are neither bool nor integer.
    ValueError
        If there are fewer than two axes, rows differ in length, a side is 0, or a value is not 0 or 1.

    Examples
    --------
    >>> as_masks("regions", [[0, 1]])
    array([[False,  True]])
    """
    try:
        array = np.asarray(masks)
    except ValueError:  # numpy's own words do not say of what
        raise ValueError(f"{name} must have shape (..., rows, cols), got rows of different lengths") from None
    if array.dtype.kind not in "biu":
        raise TypeError(f"{name} must be a bool array of shape (..., rows, cols), got dtype {array.dtype}")
    if array.ndim < 2 or 0 in array.shape[-2:]:
        raise ValueError(f"{name} must have shape (..., rows, cols) with sides of at least 1, got {array.shape}")
    if array.dtype.kind != "b" and array.size and not ((array == 0) | (array == 1)).all():
        raise ValueError(f"{name} must hold only 0 and 1, got values from {array.min()} to {array.max()}")
    return array.astype(bool, copy=False)


def as_grids(name, grids):
    """Return grids of colours or labels as an array of integers, or say what is wrong with them.

    Parameters
    ----------
    name : str
        What the caller calls them.
    grids : array_like of int or bool, shape (..., rows, cols)
        Of any integer type; sides may be 0.

    Returns
    -------
    ndarray of int or bool, shape (..., rows, cols)
        The grids, not copied where they were an array.

    Raises
    ------
    TypeError
        If they are neither integers nor bool.
    ValueError
        If there are fewer than two axes, rows differ in length, or a grid has more than 2**30 cells.

    Examples
    --------
    >>> as_grids("labels", [0.5])
    Traceback (most recent call last):
    ...
    TypeError: labels must be an integer array of shape (..., rows, cols), got dtype float64
    """
    try:
        array = np.asarray(grids)
    except ValueError:  # numpy's own words do not say of what
        raise ValueError(f"{name} must have shape (..., rows, cols), got rows of different lengths") from None
    if array.dtype.kind not in "biu":
        raise TypeError(f"{name} must be an integer array of shape (..., rows, cols), got dtype {array.dtype}")
    if array.ndim < 2:
        raise ValueError(f"{name} must have shape (..., rows, cols), got {array.shape}")
    rows, cols = array.shape[-2:]
    if rows * cols > 2**30:
        raise ValueError(f"{name} must have at most 2**30 cells a grid, got {rows}x{cols}")
    return array


def as_rng(rng):
    """Return a random generator, or say what is wrong with the seed.

    Parameters
    ----------
    rng : `numpy.random.Generator` or seed, optional
        Anything `numpy.random.default_rng` accepts.

    Returns
    -------
    numpy.random.Generator
        The generator itself, or a new one.

    Raises
    ------
    TypeError, ValueError
        If it is neither a generator nor a seed.

    Examples
    --------
    >>> as_rng("seven")
    Traceback (most recent call last):
    ...
    TypeError: rng must be a numpy Generator, a seed (an integer of at least 0) or None, got 'seven'
    """
    try:
        if isinstance(rng, bool | np.bool_):
            raise TypeError
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"rng must be a numpy Generator, a seed (an integer of at least 0) or None, got {rng!r}") from None


def plain(array):
    """Return an array as kernels expect it: contiguous, and to be written to.

    For arrays with gaps, and for those not to be written to, numba would compile a kernel once more.

    Parameters
    ----------
    array : ndarray
        Any array.

    Returns
    -------
    ndarray
        The array itself where it is plain, else a copy.

    Examples
    --------
    >>> cells = np.arange(6)
    >>> plain(cells) is cells, plain(cells[::2]).flags.contiguous
    (True, True)
    """
    array = np.ascontiguousarray(array)
    return array if array.flags.writeable else array.copy()


def batch(grids):
    """Give grids one leading axis.

    Parameters
    ----------
    grids : ndarray, shape (..., rows, cols)
        Grids with sides of at least 1.

    Returns
    -------
    ndarray, shape (n, rows, cols)
        The same grids, a view where memory allows.

    Examples
    --------
    >>> batch(np.zeros((2, 3, 4, 5))).shape, batch(np.zeros((4, 5))).shape
    ((6, 4, 5), (1, 4, 5))
    """
    return grids.reshape(-1, *grids.shape[-2:])


def pieces(grids, n_cells):
    """Cut a batch where memory, and the wait for an interrupt, would grow with it.

    Parameters
    ----------
    grids : ndarray, shape (n, rows, cols)
        A batch.
    n_cells : int
        Cells of a piece, at most, where one grid has not more.

    Returns
    -------
    list of slice
        Where the pieces are.

    Examples
    --------
    >>> pieces(np.zeros((5, 2, 2)), 8)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 6, None)]
    """
    n = max(1, n_cells // (grids.shape[1] * grids.shape[2]))
    return [slice(first, first + n) for first in range(0, len(grids), n)]


def empty(shape, size=None):
    """Make empty masks for a batch of regions, or say why there cannot be so many.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    size : int, optional
        Number of regions, from 0 on; one by default.

    Returns
    -------
    ndarray of bool, shape (size, rows, cols)
        False everywhere.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.
    MemoryError
        If they do not fit into memory.

    Examples
    --------
    >>> empty((2, 3), 4).shape
    (4, 2, 3)
    """
    rows, cols = as_shape(shape)
    n = 1 if size is None else as_int("size", size, 0)
    try:
        return np.zeros((n, rows, cols), bool)
    except (MemoryError, ValueError):
        gigabytes = n * rows * cols // 10**9
        raise MemoryError(
            f"size must be small enough for memory, got {n}: so many grids of {rows}x{cols} cells take {gigabytes} GB"
        ) from None
