"""Masks as text, and cut to what they hold."""

import numpy as np

from .checks import as_masks

__all__ = ["crop", "parse", "text"]


def parse(picture):
    """Read a mask from a picture in text.

    Parameters
    ----------
    picture : str
        Rows separated by new lines or ``/``; ``x``, ``#`` or ``1`` is a filled cell,
        ``.`` or ``0`` an empty one. Blanks are skipped.

    Returns
    -------
    ndarray of bool, shape (rows, cols)
        True on the filled cells.

    Raises
    ------
    TypeError
        If `picture` is not a text.
    ValueError
        If there is no cell, a row has another length than the first, or a sign is unknown.

    Examples
    --------
    >>> parse("xx. / .x.").astype(int)
    array([[1, 1, 0],
           [0, 1, 0]])
    """
    if not isinstance(picture, str):
        raise TypeError(f"picture must be a text, got {picture!r}")
    lines = ["".join(line.split()) for line in picture.replace("/", "\n").splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        raise ValueError("picture must have at least one cell, got none")
    for row, line in enumerate(lines):
        if len(line) != len(lines[0]):
            raise ValueError(f"picture must have rows of {len(lines[0])} cells, got {len(line)} in row {row}")
        for col, sign in enumerate(line):
            if sign not in "xX#1.0":
                raise ValueError(f"picture must be made of x # 1 and . 0, got {sign!r} at row {row}, column {col}")
    return np.array([[sign in "xX#1" for sign in line] for line in lines])


def text(mask):
    """Write a mask as a picture in text, the inverse of `parse`.

    Parameters
    ----------
    mask : array_like of bool, shape (rows, cols)
        The cells to fill.

    Returns
    -------
    str
        One line a row, ``x`` filled and ``.`` empty.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Examples
    --------
    >>> print(text([[True, True, False], [False, True, False]]))
    xx.
    .x.
    """
    mask = as_masks("mask", mask)
    if mask.ndim != 2:
        raise ValueError(f"mask must have 2 axes, got {mask.ndim}")
    return "\n".join("".join("x" if filled else "." for filled in row) for row in mask.tolist())


def crop(mask, *, periodic=False):
    """Cut a mask to the bounding box of its filled cells.

    Parameters
    ----------
    mask : array_like of bool, shape (rows, cols)
        A mask with at least one filled cell.
    periodic : bool
        Whether opposite sides of the grid are joined. Then the box may lie across them: it
        leaves out the longest runs of empty rows and columns.

    Returns
    -------
    ndarray of bool
        The cells of the box, a copy.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Examples
    --------
    >>> print(text(crop(parse("x...x / x..xx / ....."), periodic=True)))
    .xx
    xxx
    """
    mask = as_masks("mask", mask)
    if mask.ndim != 2:
        raise ValueError(f"mask must have 2 axes, got {mask.ndim}")
    if not mask.any():
        raise ValueError("mask must have at least one filled cell, got none")
    if not isinstance(periodic, bool | np.bool_):
        raise TypeError(f"periodic must be True or False, got {periodic!r}")
    for axis in (0, 1):
        filled = np.flatnonzero(mask.any(axis=1 - axis))
        steps = np.diff(filled, append=filled[0] + mask.shape[axis])  # to the next filled line, the last round the grid
        last = len(filled) - 1 - (steps[::-1].argmax() if periodic else 0)
        first = filled[(last + 1) % len(filled)]
        mask = np.roll(mask, -first, axis).take(np.arange(mask.shape[axis] - steps[last] + 1), axis)
    return mask
