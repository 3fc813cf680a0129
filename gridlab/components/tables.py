"""Tables of components: where each lies, how large it is, and how long its border."""

import numpy as np
from numba import njit

from .. import grid

__all__ = ["table"]

#: Cells that are looked at in one go.
PIECE = 2**22


def table(labels, grids=None, *, periodic=False):
    """Measure every component of labelled grids.

    Parameters
    ----------
    labels : array_like of int, shape (..., rows, cols)
        The component of each cell as from `label`: from 1 to the greatest label of the grid, none left
        out; 0 is no component. The cells of a component need not hold together.
    grids : array_like of int or bool, shape (..., rows, cols), optional
        The cells' colours, for the column `colour`.
    periodic : bool
        Whether opposite sides of the grid are joined. Any side will do, also 1 and 2.

    Returns
    -------
    pandas.DataFrame
        One row a component, grid by grid in row-major order of the leading axes, and in the order of the
        labels. All columns are int64 but two: `colour` is of the type of `grids`, `touches_border` is bool.

        ============== ====================================================================
        column         definition
        ============== ====================================================================
        board          flat index of the grid in the batch, always 0 without a leading axis
        component      label
        colour         value in `grids`, where these are given
        area           cells
        row, col       top left cell of the bounding box
        rows, cols     sides of the bounding box
        perimeter      unit edges between a cell of the component and one that is not
        touches_border whether a cell lies at the border
        ============== ====================================================================

        The border of an open grid counts as perimeter. A periodic grid has none. There a bounding box may
        lie across the seam, as in `gridlab.grid.crop`: it leaves out the longest runs of empty rows and
        columns; where several are equally long, so that it does not lie across the seam if that can be,
        else so that it begins as far down and to the right as possible. On a periodic grid with one
        column a cell is its own neighbour to the left and right, with no edge to another cell;
        with two, two cells side by side share two edges. The same holds for rows.

    Raises
    ------
    TypeError
        If `labels` or `grids` are not integers, or `periodic` is not a bool.
    ValueError
        If there are fewer than two axes, a grid has more than 2**30 cells, the shapes differ, a label is
        negative or left out, or the cells of a component differ in colour.

    Notes
    -----
    O(cells): three passes in compiled code, and two with numpy where `grids` are given. One core took
    0.02 s for 10,000 boards of 9x9 cells in 6 colours (570,000 components), 0.5 s for 4096x4096 cells in 2
    colours (2.2 million components) and 0.7 s in 4 colours (8.7 million); with `grids` 0.04, 0.8 and 1.3 s.
    Tables of gigabytes take longer: a million of those boards, 57 million components, took 40 s.

    The table takes 65 bytes a component, and `colour`. To make it takes 32 more, and what 2**22 cells need; and a
    copy of `labels` where they are not contiguous int32 that may be written to.

    Examples
    --------
    >>> labels = [[1, 1, 2], [3, 1, 2], [3, 3, 3]]
    >>> table(labels, [[7, 7, 5], [5, 7, 5], [5, 5, 5]]).drop(columns=["board", "touches_border"])
       component  colour  area  row  col  rows  cols  perimeter
    0          1       7     3    0    0     2     2          8
    1          2       5     2    0    2     2     1          6
    2          3       5     4    1    0     2     3         10
    """
    import pandas as pd  # not needed to label, and slow to load

    if not isinstance(periodic, bool | np.bool_):
        raise TypeError(f"periodic must be True or False, got {periodic!r}")
    labels = _as_native("labels", labels)
    if grids is not None:
        grids = _as_native("grids", grids)
        if grids.shape != labels.shape:
            raise ValueError(f"grids must have the shape {labels.shape} of labels, got {grids.shape}")
    rows, cols = labels.shape[-2:]
    boards = labels.reshape(int(np.prod(labels.shape[:-2])), rows, cols)
    counts = _as_counts(boards)
    boards = grid.plain(boards.astype(np.int32, copy=False))
    offsets = np.cumsum(counts) - counts - 1  # a component's place in the table is this plus its label
    n = int(counts.sum())
    board = np.repeat(np.arange(len(boards)), counts)
    component = np.arange(n) - np.repeat(offsets, counts)

    area, perimeter = np.zeros((2, n), np.int64)
    for some, first, last in _pieces(boards.shape):
        _borders(boards[some], offsets[some], first, last, bool(periodic), area, perimeter)
    if not area.all():
        missing = int(area.argmin())
        raise ValueError(
            f"labels must be from 1 to the greatest of a board with none left out, got no {component[missing]} "
            f"among the {counts[board[missing]]} of board {board[missing]}"
        )
    columns = {"board": board, "component": component}
    if grids is not None:
        columns["colour"] = _colours(boards, offsets, board, component, grids.reshape(boards.shape))
    row, height = _extents(boards, offsets, 0, periodic, n)
    col, width = _extents(boards, offsets, 1, periodic, n)
    touches = np.zeros(n, bool)
    if not periodic:
        touches = (row == 0) | (col == 0) | (row + height == rows) | (col + width == cols)
    columns |= {"area": area, "row": row, "col": col, "rows": height, "cols": width}
    columns |= {"perimeter": perimeter, "touches_border": touches}
    return pd.DataFrame(columns, index=pd.RangeIndex(n), copy=False)


def _as_native(name, grids):
    """Return integers in the machine's own order of bytes, or say what is wrong with them."""
    array = grid.as_grids(name, grids)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _as_counts(boards):
    """Return the greatest label of each board, or say what is wrong with the labels."""
    n_cells = boards.shape[1] * boards.shape[2]
    if boards.size and boards.min() < 0:
        raise ValueError(f"labels must be at least 0, got {boards.min()}")
    counts = boards.max(axis=(1, 2), initial=0)
    if boards.size and counts.max() > n_cells:
        board = int(counts.argmax())
        there = np.unique(boards[board])
        there = there[there > 0]
        missing = int((there != np.arange(1, len(there) + 1, dtype=there.dtype)).argmax()) + 1
        raise ValueError(
            f"labels must be from 1 to the greatest of a board with none left out, got no {missing} "
            f"among the {counts[board]} of board {board}"
        )
    return counts.astype(np.int64)


def _pieces(shape):
    """Cut a batch where the wait for an interrupt would grow with it: some boards, and some lines of a large one."""
    n_boards, n_lines, length = shape
    if n_lines * length == 0:
        return
    n = max(1, PIECE // (n_lines * length))
    step = max(1, PIECE // (n * length))
    for k in range(0, n_boards, n):
        for first in range(0, n_lines, step):
            yield slice(k, k + n), first, min(first + step, n_lines)


@njit(cache=True)
def _borders(labels, offsets, first, last, periodic, area, perimeter):
    """Add the cells of some rows to `area`, and to `perimeter` their edges that lead out of their component."""
    cols = labels.shape[2]
    for k in range(len(labels)):
        for row in range(first, last):
            here = labels[k, row]
            above = labels[k, row - 1]  # the last row for the first
            inside = periodic or row > 0
            before = here[cols - 1] if periodic else 0
            for col in range(cols):
                label = here[col]
                if label > 0:
                    edges = 4
                    if label == before:
                        edges -= 2  # one of this cell, and one of the other, which has been counted or will be
                    if inside and label == above[col]:
                        edges -= 2
                    area[offsets[k] + label] += 1
                    perimeter[offsets[k] + label] += edges
                before = label


def _colours(labels, offsets, board, component, colours):
    """Return the colour of every component, or say which has several."""

    def filled():
        for some, first, last in _pieces(labels.shape):
            part = labels[some, first:last]
            yield (offsets[some, None, None] + part)[part > 0], colours[some, first:last][part > 0]

    found = np.empty(len(board), colours.dtype)
    for places, values in filled():
        found[places] = values
    for places, values in filled():  # every cell has written its colour, and must read the same
        differ = found[places] != values
        if differ.any():
            place = places[differ].min()
            one, other = sorted([found[place], values[differ][places[differ].argmin()]])
            raise ValueError(
                f"grids must have one colour in each component, got {one} and {other} in component "
                f"{component[place]} of board {board[place]}"
            )
    return found


def _extents(labels, offsets, axis, periodic, n):
    """Return the first row of every component's bounding box and their number; or, for axis 1, the columns."""
    n_boards, *sides = labels.shape
    length = sides[axis]
    first, last, begin, gap = np.full((4, n), -1, np.int32)
    for some, start, stop in _pieces((n_boards, length, sides[1 - axis])):
        _lines(labels[some], offsets[some], axis, start, stop, first, last, begin, gap)
    if not periodic:
        return first.astype(np.int64), last - first + np.int64(1)
    seam = first + length - last  # the step from the last line to the first, round the grid
    begin = np.where(gap > seam, begin, first)
    return begin.astype(np.int64), length + 1 - np.maximum(gap, seam).astype(np.int64)


@njit(cache=True)
def _lines(labels, offsets, axis, start, stop, first, last, begin, gap):
    """Note for components the first and last line with a cell, and the longest step between two: `gap` to `begin`."""
    n_boards, rows, cols = labels.shape
    length, step, stride = (cols, cols, 1) if axis == 0 else (rows, 1, cols)
    for k in range(n_boards):
        flat = labels[k].reshape(-1)
        for line in range(start, stop):
            for i in range(length):
                label = flat[line * step + i * stride]
                if label == 0:
                    continue
                place = offsets[k] + label
                before = last[place]
                if before == line:
                    continue
                if before < 0:
                    first[place] = line
                elif line - before >= gap[place]:
                    gap[place] = line - before
                    begin[place] = line
                last[place] = line
