"""Boards as text: ``0`` to ``9`` and then ``a`` to ``z`` for colours, ``.`` for an empty cell."""

import numpy as np

from .. import grid

__all__ = ["parse", "text"]

#: The signs of colours, from that of an empty cell, -1.
SIGNS = ".0123456789abcdefghijklmnopqrstuvwxyz"


def text(board):
    """Write a board as a picture in text, the inverse of `parse`.

    Parameters
    ----------
    board : array_like of int, shape (rows, cols)
        Colours from 0 to 35, -1 on empty cells.

    Returns
    -------
    str
        One line a row: ``0`` to ``9`` and then ``a`` to ``z`` for a colour, ``.`` for an empty cell.

    Raises
    ------
    TypeError, ValueError
        If `board` is of a wrong type or shape, or a colour has no sign.

    Examples
    --------
    >>> print(text([[0, 1, -1], [9, 10, 35]]))
    01.
    9az
    """
    board = np.asarray(board)
    if board.dtype.kind not in "iu":
        raise TypeError(f"board must be an integer array of shape (rows, cols), got dtype {board.dtype}")
    if board.ndim != 2 or not board.size:
        raise ValueError(f"board must have shape (rows, cols) with sides of at least 1, got {board.shape}")
    for colour in (board.min(), board.max()):
        grid.as_int("colours of board", colour, -1, len(SIGNS) - 2)
    return "\n".join("".join(SIGNS[colour + 1] for colour in row) for row in board.tolist())


def parse(picture):
    """Read a board from a picture in text.

    Parameters
    ----------
    picture : str
        Rows separated by new lines or ``/``; ``0`` to ``9`` and ``a`` to ``z`` are the colours 0 to 35,
        ``.`` is an empty cell. Blanks are skipped, and empty lines before and after.

    Returns
    -------
    ndarray of int8, shape (rows, cols)
        Colours, -1 on empty cells.

    Raises
    ------
    TypeError
        If `picture` is not a text.
    ValueError
        If there is no cell, a row is empty or has another length than the first, or a sign is unknown.

    Examples
    --------
    >>> parse("01. / 9az")
    array([[ 0,  1, -1],
           [ 9, 10, 35]], dtype=int8)
    """
    if not isinstance(picture, str):
        raise TypeError(f"picture must be a text, got {picture!r}")
    lines = ["".join(line.split()) for line in picture.strip().replace("/", "\n").splitlines()]
    if not any(lines):
        raise ValueError("picture must have at least one cell, got none")
    for row, line in enumerate(lines):
        if len(line) != len(lines[0]):
            raise ValueError(f"picture must have rows of {len(lines[0])} cells, got {len(line)} in row {row}")
        for col, sign in enumerate(line):
            if sign not in SIGNS:
                raise ValueError(
                    f"picture must be made of 0 to 9, a to z and ., got {sign!r} at row {row}, column {col}"
                )
    return np.array([[SIGNS.index(sign) - 1 for sign in line] for line in lines], np.int8)
