"""Boards as text and as files of minesweeper programs: ``.txt``, ``.mbf`` and ``.rawvf``.

A reader takes nothing on trust: a file that is cut off, or that says two different things, is refused with the
place and the reason, and a board that is read is exactly what the file says.
"""

import itertools
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np

from .. import grid
from . import clues, game

__all__ = ["from_mbf", "from_rawvf", "load", "parse", "save", "text", "to_mbf", "to_rawvf"]


def text(board, *, numbers=False):
    """Write a board as a picture in text, the inverse of `parse`.

    Parameters
    ----------
    board : array_like of bool, shape (rows, cols)
        True on mines.
    numbers : bool
        Whether to write the numbers, too.

    Returns
    -------
    str
        One line a row, ``*`` for a mine and ``.`` for a free cell, or its number from 1 to 8.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    Examples
    --------
    >>> print(text([[0, 0, 0, 0], [0, 0, 1, 0]], numbers=True))
    .111
    .1*1
    """
    board = _as_board(board)
    if not isinstance(numbers, bool | np.bool_):
        raise TypeError(f"numbers must be True or False, got {numbers!r}")
    shown = clues.numbers(board) if numbers else board * clues.MINE
    return "\n".join("".join(".12345678*"[number] for number in row) for row in shown.tolist())


def parse(picture):
    """Read a board from a picture in text.

    Parameters
    ----------
    picture : str
        Rows separated by new lines or ``/``; ``*`` is a mine, ``.`` a free cell, and a digit
        from 0 to 8 a free cell with that number. Blanks are skipped, and empty lines before and after.

    Returns
    -------
    ndarray of bool, shape (rows, cols)
        True on mines.

    Raises
    ------
    TypeError
        If `picture` is not a text.
    ValueError
        If there is no cell, a row is empty or has another length than the first, a sign is unknown, or a
        digit is not the number of mines around it.

    Examples
    --------
    >>> parse("..11 / ..1*").astype(int)
    array([[0, 0, 0, 0],
           [0, 0, 0, 1]])
    >>> parse("..12 / ..1*")
    Traceback (most recent call last):
    ...
    ValueError: picture must have the number of mines around it in each digit, 1 at row 0, column 3, got 2
    """
    if not isinstance(picture, str):
        raise TypeError(f"picture must be a text, got {picture!r}")
    lines = ["".join(line.split()) for line in picture.strip().replace("/", "\n").splitlines()]
    if not any(lines):
        raise ValueError("picture must have at least one cell, got none")
    if not all(lines):
        raise ValueError(f"picture must be of one board, got an empty row {lines.index('')}: are they several?")
    for row, line in enumerate(lines):
        if len(line) != len(lines[0]):
            raise ValueError(f"picture must have rows of {len(lines[0])} cells, got {len(line)} in row {row}")
        for col, sign in enumerate(line):
            if sign not in "*.012345678":
                raise ValueError(f"picture must be made of * . and 0 to 8, got {sign!r} at row {row}, column {col}")
    signs = _signs(lines)
    board = signs == ord("*")
    shown = clues.numbers(board)
    wrong = np.argwhere((signs >= ord("0")) & (signs - ord("0") != shown))
    if len(wrong):
        row, col = wrong[0].tolist()
        raise ValueError(
            f"picture must have the number of mines around it in each digit, "
            f"{shown[row, col]} at row {row}, column {col}, got {lines[row][col]}"
        )
    return board


def to_mbf(board):
    """Write a board as the content of a minesweeper board file, ``.mbf``.

    Parameters
    ----------
    board : array_like of bool, shape (rows, cols)
        True on mines; sides up to 255.

    Returns
    -------
    bytes
        Width and height in one byte each, the number of mines in two, high byte first, and column
        and row of each mine, counted from 0, in one byte each, row by row.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    See Also
    --------
    from_mbf : The inverse.

    References
    ----------
    .. [1] "Minesweeper Arbiter", help of the program, entry "MBF file".

    Examples
    --------
    >>> to_mbf([[0, 0, 0, 0], [0, 0, 1, 0]]).hex(" ")
    '04 02 00 01 02 01'
    """
    board = _as_board(board)
    if max(board.shape) > 255:  # then there are at most 65025 mines, which two bytes hold
        rows, cols = board.shape
        raise ValueError(f"board must have sides of at most 255 for mbf, got {rows}x{cols}: write rawvf or txt instead")
    mines = np.argwhere(board)
    rows, cols = board.shape
    return bytes([cols, rows, *divmod(len(mines), 256)]) + mines[:, ::-1].astype(np.uint8).tobytes()


def from_mbf(data):
    """Read a board from the content of a minesweeper board file, ``.mbf``.

    Parameters
    ----------
    data : bytes
        As `to_mbf` writes it; the mines may come in any order.

    Returns
    -------
    ndarray of bool, shape (rows, cols)
        True on mines.

    Raises
    ------
    TypeError
        If `data` is not of bytes.
    ValueError
        If a side is 0, the length does not fit the number of mines, or a mine is off the board or
        there twice.

    Examples
    --------
    >>> from_mbf(bytes([4, 2, 0, 1, 2, 1])).astype(int)
    array([[0, 0, 0, 0],
           [0, 0, 1, 0]])
    >>> from_mbf(bytes([4, 2, 0, 1, 2, 2]))
    Traceback (most recent call last):
    ...
    ValueError: data must have mines with x from 0 to 3 and y from 0 to 1, got x = 2, y = 2 in bytes 4 and 5
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"data must be bytes, got {type(data).__name__}")
    data = bytes(data)
    if len(data) < 4:
        raise ValueError(f"data must begin with 4 bytes for width, height and number of mines, got {len(data)}")
    cols, rows = data[:2]
    if not (cols and rows):
        raise ValueError(f"data must have sides of at least 1 in bytes 0 and 1, got width {cols} and height {rows}")
    n_mines = data[2] * 256 + data[3]
    if n_mines > rows * cols:
        raise ValueError(f"data must have at most {rows * cols} mines in bytes 2 and 3, got {n_mines}")
    if len(data) != 4 + 2 * n_mines:
        raise ValueError(f"data must have {4 + 2 * n_mines} bytes for {n_mines} mines, got {len(data)}")
    x, y = np.frombuffer(data, np.uint8, offset=4).reshape(-1, 2).astype(int).T
    outside = np.flatnonzero((x >= cols) | (y >= rows))
    if len(outside):
        raise ValueError(
            f"data must have mines with x from 0 to {cols - 1} and y from 0 to {rows - 1}, " + _mine(x, y, outside[0])
        )
    again = np.delete(np.arange(n_mines), np.unique(y * cols + x, return_index=True)[1])
    if len(again):
        raise ValueError(f"data must have each mine once, {_mine(x, y, again[0])} again")
    board = np.zeros((rows, cols), bool)
    board[y, x] = True
    return board


def _mine(x, y, i):
    """Say which mine of an mbf file is meant, and where it stands there."""
    return f"got x = {x[i]}, y = {y[i]} in bytes {4 + 2 * i} and {5 + 2 * i}"


def to_rawvf(board):
    """Write a board as a raw video, ``.rawvf``, in which nothing has happened yet.

    Parameters
    ----------
    board : array_like of bool, shape (rows, cols)
        True on mines.

    Returns
    -------
    str
        The least header, the block ``Board:``, in which ``*`` is a mine and ``0`` a free cell,
        and an empty block ``Events:``.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.

    See Also
    --------
    from_rawvf : The inverse.

    References
    ----------
    .. [1] "Minesweeper RAW Video Format", https://github.com/thefinerminer/minesweeper-rawvf.

    Examples
    --------
    >>> print(to_rawvf([[0, 0, 0, 0], [0, 0, 1, 0]]), end="")
    RawVF_Version: Rev6
    Program: gridlab
    Level: Custom
    Width: 4
    Height: 2
    Mines: 1
    Board:
    0000
    00*0
    Events:
    """
    board = _as_board(board)
    rows, cols = board.shape
    n_mines = int(board.sum())
    levels = [name for name, level in game.LEVELS.items() if level == ((rows, cols), n_mines)]
    header = [
        "RawVF_Version: Rev6",
        "Program: gridlab",
        f"Level: {(levels or ['custom'])[0].capitalize()}",
        f"Width: {cols}",
        f"Height: {rows}",
        f"Mines: {n_mines}",
    ]
    picture = ["".join("0*"[mine] for mine in row) for row in board.tolist()]
    return "\n".join([*header, "Board:", *picture, "Events:", ""])


def from_rawvf(content):
    r"""Read the board of a raw video, ``.rawvf``.

    Parameters
    ----------
    content : str
        The whole file. Only ``Width``, ``Height``, ``Mines`` and the block ``Board`` are read;
        ``Mines`` may be missing, as some programs do not write it.

    Returns
    -------
    ndarray of bool, shape (rows, cols)
        True on mines.

    Raises
    ------
    TypeError
        If `content` is not a text.
    ValueError
        If one of these is missing, there twice or no number, or they do not fit the block.

    Examples
    --------
    >>> from_rawvf("Width: 4\nHeight: 2\nMines: 1\nBoard:\n0000\n00*0").astype(int)
    array([[0, 0, 0, 0],
           [0, 0, 1, 0]])
    """
    if not isinstance(content, str):
        raise TypeError(f"content must be a text, got {type(content).__name__}")
    lines = [line.strip() for line in content.splitlines()]
    heads = [line.casefold() for line in lines]
    if "board:" not in heads:
        raise ValueError("content must have a line 'Board:', got none")
    start = heads.index("board:")
    cols, rows = (_option(name, heads[:start], 1) for name in ("Width", "Height"))
    n_mines = _option("Mines", heads[:start], 0, needed=False)
    grid.as_shape((rows, cols))

    picture = list(itertools.takewhile(lambda line: line and not line.strip("*0"), lines[start + 1 :]))
    if len(picture) != rows:
        end = start + 1 + len(picture)
        then = f"{lines[end][:40]!r} in line {end + 1}" if end < len(lines) else "the end of it"  # counted from 1
        raise ValueError(
            f"content must have {rows} rows (Height) of * and 0 after 'Board:', got {len(picture)} and then {then}"
        )
    for number, line in enumerate(picture, start + 2):
        if len(line) != cols:
            raise ValueError(f"content must have rows of {cols} cells (Width), got {len(line)} in line {number}")
    board = _signs(picture) == ord("*")
    if n_mines is not None and board.sum() != n_mines:
        raise ValueError(f"content must have {n_mines} mines (Mines) after 'Board:', got {board.sum()}")
    return board


def _option(name, lines, low, needed=True):
    """Read a number from the header of a raw video, its lines in lower case; None where it may be missing."""
    values = {
        number: line.split(":", 1)[1].strip()
        for number, line in enumerate(lines, 1)
        if line.startswith(f"{name.lower()}:")
    }
    if len(values) > 1:
        raise ValueError(f"content must have one line '{name}:', got them in lines {', '.join(map(str, values))}")
    for number, value in values.items():
        if not (value.isascii() and value.isdigit() and len(value) < 11 and int(value) >= low):
            raise ValueError(
                f"{name} of content must be an integer, at least {low}, got {value[:40]!r} in line {number}"
            )
        return int(value)
    if needed:
        raise ValueError(f"content must have a line '{name}:' before 'Board:', got none")
    return None


def save(path, board):
    """Write a board to a file, in the format that its name's suffix says.

    Parameters
    ----------
    path : str or path-like
        The file, with one of the suffixes ``.txt`` (`text`), ``.mbf`` (`to_mbf`) and
        ``.rawvf`` (`to_rawvf`). It is there in full or, where writing fails, as it was before. A file
        that is there keeps its permissions, and a link leads to it as before.
    board : array_like of bool, shape (rows, cols)
        True on mines.

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong type or out of its range.
    OSError
        If the file cannot be written.

    See Also
    --------
    load : The inverse.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(f"{folder}/small.mbf", [[0, 0, 0, 0], [0, 0, 1, 0]])
    ...     print(text(load(f"{folder}/small.mbf"), numbers=True))
    .111
    .1*1
    """
    path, (write, _) = _as_path(path)
    data = write(board)
    file = Path(os.path.realpath(path))
    try:
        with tempfile.TemporaryDirectory(dir=file.parent, prefix=".gridlab-") as folder:
            part = Path(folder, "part")
            part.write_bytes(data)  # with the usual permissions, which a temporary file would not have
            if file.exists():
                shutil.copymode(file, part)
            os.replace(part, file)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None  # not the name of the part


def load(path):
    """Read a board from a file, in the format that its name's suffix says.

    Parameters
    ----------
    path : str or path-like
        The file, with one of the suffixes ``.txt`` (`parse`), ``.mbf`` (`from_mbf`) and
        ``.rawvf`` (`from_rawvf`).

    Returns
    -------
    ndarray of bool, shape (rows, cols)
        True on mines.

    Raises
    ------
    TypeError, ValueError
        If the suffix is none of these, or the file is malformed; the message says where and how.
    OSError
        If the file cannot be read.

    See Also
    --------
    save : The inverse.

    Examples
    --------
    >>> load("board.png")
    Traceback (most recent call last):
    ...
    ValueError: path must end in .txt, .mbf or .rawvf, got 'board.png'
    """
    path, (_, read) = _as_path(path)
    data = path.read_bytes()
    try:
        return read(data)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _decoded(data):
    """Return a file's bytes as text. What is no UTF-8, such as a player's name of old, gives signs of its own."""
    return data.decode("utf-8-sig", errors="replace")


#: Writer and reader of the bytes of a file, by suffix.
FORMATS = {
    ".txt": (lambda board: f"{text(board)}\n".encode(), lambda data: parse(_decoded(data))),
    ".mbf": (to_mbf, from_mbf),
    ".rawvf": (lambda board: to_rawvf(board).encode(), lambda data: from_rawvf(_decoded(data))),
}


def _as_path(path):
    """Return a path, and writer and reader of its format, or say what is wrong with it."""
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"path must be a str or path-like, got {path!r}") from None
    suffix = Path(name).suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"path must end in .txt, .mbf or .rawvf, got {name!r}")
    if "\0" in name:
        raise ValueError(f"path must have no null character, got {name!r}")
    return Path(name), FORMATS[suffix]


def _as_board(board):
    """Return one board as a bool array, or say what is wrong with it."""
    board = grid.as_masks("board", board)
    if board.ndim != 2:
        raise ValueError(f"board must have 2 axes, got {board.ndim}")
    return board


def _signs(lines):
    """Return the codes of ASCII signs in lines of one length."""
    return np.frombuffer("".join(lines).encode("ascii"), np.uint8).reshape(len(lines), -1)
