"""Labels of components, by three ways that agree cell for cell.

All of them number components in row-major order of their first cells, and none is
recursive. `flood` is the obvious one: a stack of cells still to be looked at. `union_find`
goes through the cells once, gives each the label of a neighbour before it that has its colour,
and notes which labels turn out to be one component's. `runs` does the same with stretches of a
row instead of cells.
"""

import numpy as np
from numba import njit

from .. import grid

__all__ = ["LABELLERS", "flood", "groups", "label", "runs", "union_find"]

#: What a cell has in common with the cells before it, as bits of a byte: the neighbour that it takes its label from
#: (`LEFT` goes first, then those in the row above), whether another neighbour's label is the same component's
#: (`JOIN`), and whether it is background.
LEFT, UP, JOIN, UP_LEFT, UP_RIGHT, BACK = 1, 2, 4, 8, 16, 32
ABOVE = UP | UP_LEFT | UP_RIGHT
OLD = LEFT | ABOVE | BACK

#: Cells that are looked at in one go: what is noted of them stays in the fastest cache.
BAND = 2**14

#: Cells of a batch that are labelled in one go, so that an interrupt is heard between.
PIECE = 2**16

#: The bits `LEFT`, `UP` and `JOIN` of the eight bytes of a word.
LEFTS, UPS, JOINS = (np.uint64(0x0101010101010101 * bit) for bit in (LEFT, UP, JOIN))


def label(grids, *, connectivity=4, periodic=False, background=None):
    """Label the components of equal cells.

    Parameters
    ----------
    grids : array_like of int or bool, shape (..., rows, cols)
        Colours, of any integer type and memory layout; sides may be 0.
    connectivity : {4, 8}
        Whether cells hold together by edges only, or by corners too.
    periodic : bool
        Whether opposite sides of the grid are joined. Sides of 1 or 2 cells are fine: a cell is then its own
        neighbour, or has the same one twice.
    background : int, optional
        The colour of cells that belong to no component; by default every cell belongs to one. A
        colour that the type cannot hold is no cell's.

    Returns
    -------
    ndarray of int32, shape (..., rows, cols)
        Labels from 1 for each grid of the batch, in row-major order of the components' first cells; 0 on
        background.

    Raises
    ------
    TypeError
        If `grids` are no integers, or an argument is of a wrong type.
    ValueError
        If there are fewer than two axes, a grid has more than 2**30 cells, or `connectivity` is neither 4 nor 8.

    See Also
    --------
    groups : The same as lists of cells.
    LABELLERS : All ways to get these labels; this is `union_find`.

    Notes
    -----
    O(``rows * cols``) a grid up to a factor that never exceeds 5 in practice: 0.4 ns a cell of one colour, 3 to 5
    ns of random colours. Takes, beyond the labels, 4 bytes a cell of one grid at most, those of the labels given
    in between. A periodic grid costs the same.

    References
    ----------
    .. [1] K. Wu, E. Otoo and K. Suzuki, "Optimizing two-pass connected-component labeling algorithms", Pattern
       Analysis and Applications 12 (2009), 117-135.

    Examples
    --------
    >>> label([[5, 5, 7], [7, 8, 5], [8, 8, 5]])
    array([[1, 1, 2],
           [3, 4, 5],
           [4, 4, 5]], dtype=int32)
    >>> label([[5, 5, 7], [7, 8, 5], [8, 8, 5]], connectivity=8, background=8)
    array([[1, 1, 2],
           [3, 0, 1],
           [0, 0, 1]], dtype=int32)
    """
    return union_find(grids, connectivity=connectivity, periodic=periodic, background=background)


def groups(grid, *, connectivity=4, periodic=False, background=None):
    """List the cells of each component.

    Parameters
    ----------
    grid : array_like of int or bool, shape (rows, cols)
        Colours.
    connectivity, periodic, background
        As in `label`.

    Returns
    -------
    list of ndarray of int64
        The flat indices of each component's cells, in order, one array a component in order of first
        cells.

    Raises
    ------
    TypeError, ValueError
        As in `label`, or if `grid` has more than two axes.

    See Also
    --------
    label : The same as an array.

    Notes
    -----
    Labels, and one stable sort. A list of millions of arrays takes some seconds and 200 bytes an array: `label` and
    `gridlab.components.table` say the same in less.

    Examples
    --------
    >>> groups([[5, 5, 7], [7, 5, 7]])
    [array([0, 1, 4]), array([2, 5]), array([3])]
    """
    labels = label(_as_one(grid), connectivity=connectivity, periodic=periodic, background=background)
    cells = labels.ravel().argsort(kind="stable")
    starts = np.bincount(labels.ravel()).cumsum()[:-1] if labels.size else []
    parts = np.split(cells, starts)
    return parts[1:]  # the first is the background


def _as_one(array):
    """Return one grid as an array, or say what is wrong with it."""
    array = grid.as_grids("grid", array)
    if array.ndim != 2:
        raise ValueError(f"grid must have shape (rows, cols), got {array.shape}")
    return array


def union_find(grids, *, connectivity=4, periodic=False, background=None):
    """Label the components in one pass over the cells, and a second that replaces labels.

    Parameters
    ----------
    grids, connectivity, periodic, background
        As in `label`.

    Returns
    -------
    ndarray of int32, shape (..., rows, cols)
        As in `label`.

    Raises
    ------
    TypeError, ValueError
        As in `label`.

    Notes
    -----
    A label is joined to another by making the smaller the parent of the larger. So a component's least
    label, that of its first cell, ends as its root, and one pass over the labels in order numbers them.

    Examples
    --------
    >>> union_find([[1, 2, 1], [1, 1, 1]])
    array([[1, 2, 1],
           [1, 1, 1]], dtype=int32)
    """
    return _labelled(_union_find, grids, connectivity, periodic, background)


@njit(cache=True)
def _union_find(labels, values, cols, corners, periodic, background, some, parent):
    """Label each grid, a row of `values`. With `some`, cells of the colour `background` get 0.

    All grids are one tall one, in which no first row has a row above it, and of which the labels are
    counted anew for each grid in the end. Its cells come in bands: first what each has in common with those before
    it, in loops that do many cells at a time; then the labels, without a branch where colours are random, and
    eight at a time where all are taken from the left or all from above; then the joins. The very first row
    is a band, or bands, of its own: there a cell stands for the one above.
    """
    colours, out, n_cells = values.reshape(-1), labels.reshape(-1), values.shape[1]
    notes = np.zeros(BAND, np.uint8)
    words = notes.view(np.uint64)
    joins = np.empty(BAND + 1, np.int32)
    n_labels, known, united, start = np.int64(0), 0, False, np.int64(0)  # or numba compiles for a literal 0, too
    parent[0] = 0
    while start < len(colours):
        stop = min(start + BAND, cols if start < cols else len(colours))
        _note(notes, colours, start, stop, cols, n_cells, corners, background, some)
        up = cols if start >= cols else 0
        taken = np.int64(out[start - 1]) if start else np.int64(0)
        n, n_joins = stop - start, np.int64(0)
        for i in range(0, n - 7, 8):
            word, cell = words[i >> 3], np.uint64(start + i)
            if word & JOINS == 0 and word & LEFTS == LEFTS:
                for j in range(8):
                    out[cell + np.uint64(j)] = taken
            elif word & JOINS == 0 and word & UPS == UPS:
                for j in range(8):
                    out[cell + np.uint64(j)] = out[cell + np.uint64(j) - np.uint64(up)]
                taken = np.int64(out[cell + np.uint64(7)])
            else:
                for j in range(8):
                    taken, n_labels, n_joins = _take(
                        out, joins, notes[i + j], start + i + j, up, taken, n_labels, n_joins
                    )
        for i in range(n // 8 * 8, n):
            taken, n_labels, n_joins = _take(out, joins, notes[i], start + i, up, taken, n_labels, n_joins)
        for one in range(known + 1, n_labels + 1):
            parent[one] = one
        known = n_labels
        for i in range(n_joins):
            cell = joins[i]
            one, other = out[cell], out[cell - cols + corners]
            if one != other:
                out[cell] = _unite(parent, one, other)
                united = True
        start = stop
    if periodic:
        for k in range(len(values)):
            united |= _close(parent, labels[k], values[k], cols, corners)
    if united:
        _number(parent, n_labels)
        for cell in range(len(out)):
            out[cell] = parent[out[cell]]
    for k in range(1, len(values)):
        one, first = labels[k], 0
        while first < n_cells and one[first] == 0:
            first += 1
        before = one[first] - np.int32(1) if first < n_cells else np.int32(0)
        for cell in range(n_cells):
            one[cell] = max(one[cell] - before, np.int32(0))


@njit(cache=True)
def _take(out, joins, note, cell, up, taken, n_labels, n_joins):
    """Give a cell its label, without a branch: from the left, where the label is `taken`, from above, or a new one.

    An index that is unsigned is not asked whether it counts from the end.
    """
    note = np.int64(note)
    above = out[np.uint64(cell - up - ((note >> 3) & 1) + ((note >> 4) & 1))]
    new = np.int64((note & OLD) == 0)
    n_labels += new
    from_left, from_above = -(note & LEFT), -np.int64((note & ABOVE) != 0)
    taken = (taken & from_left) | (above & from_above & ~from_left) | (n_labels & -new)
    out[np.uint64(cell)] = taken
    joins[np.uint64(n_joins)] = cell
    return taken, n_labels, n_joins + ((note >> 2) & 1)


@njit(cache=True)
def _note(notes, colours, start, stop, cols, n_cells, corners, background, some):
    """Note what each cell from `start` to before `stop`, all in the first row or all below it, has in common.

    Loops take the neighbours by flat index, past the ends of rows too; that is put right before
    anything follows from it. Those above to the left and to the right hold together with the one above.
    """
    n = stop - start
    here = colours[start:stop]
    notes[0] = start > 0 and here[0] == colours[start - 1]
    for i in range(1, n):
        notes[i] = here[i] == here[i - 1]
    if start >= cols:
        above = colours[start - cols : stop - cols + 1]
        notes[0] |= np.uint8(start > cols and here[0] == colours[start - cols - 1]) << 3
        for i in range(1, n):
            notes[i] |= np.uint8(here[i] == above[i - 1]) << 3
        for i in range(n):
            notes[i] |= np.uint8(here[i] == above[i]) << 1
        for i in range(-start % cols, n, cols):  # where a row begins
            notes[i] &= UP
        if corners:
            for i in range(n):
                notes[i] |= np.uint8(here[i] == above[i + 1]) << 4
            for i in range((-start - 1) % cols, n, cols):  # where a row ends
                notes[i] &= LEFT | UP | UP_LEFT
        for first in range(start // n_cells * n_cells, stop, n_cells):  # where a grid begins
            for cell in range(max(first, start), min(first + cols, stop)):
                notes[cell - start] &= LEFT
        if corners:
            for i in range(n):
                left, up, up_left, up_right = notes[i] & 1, notes[i] >> 1 & 1, notes[i] >> 3 & 1, notes[i] >> 4 & 1
                alone = (left | up) ^ 1
                sides = (up_left & alone) << 3 | (up_right & alone & (up_left ^ 1)) << 4
                notes[i] = left | up << 1 | (up_right & (left | up_left) & (up ^ 1)) << 2 | sides
        else:
            for i in range(n):
                left, up, up_left = notes[i] & 1, notes[i] >> 1 & 1, notes[i] >> 3 & 1
                notes[i] = left | up << 1 | (left & up & (up_left ^ 1)) << 2
    if some:
        for i in range(n):
            notes[i] |= np.uint8(here[i] == background) << 5


@njit(cache=True)
def _find(parent, one):
    """Follow a label to its root, and halve the way for the next who does."""
    while parent[one] != one:
        parent[one] = parent[parent[one]]
        one = parent[one]
    return one


@njit(cache=True)
def _unite(parent, one, other):
    """Make two labels one component's, and give its root: the smaller of their two."""
    one, other = _find(parent, one), _find(parent, other)
    root = min(one, other)
    parent[max(one, other)] = root
    return root


@njit(cache=True)
def _number(parent, n_labels):
    """Replace each label by the number of its component: roots are numbered in order, before all that have them."""
    n_roots = np.int32(0)
    for one in range(1, n_labels + 1):
        if parent[one] == one:
            n_roots += np.int32(1)
            parent[one] = n_roots
        else:
            parent[one] = parent[parent[one]]


@njit(cache=True)
def _close(parent, out, colours, cols, corners):
    """Join what touches across the seams of a periodic grid, and say whether anything was joined."""
    rows, united = len(out) // cols, False
    for side in range(-corners, corners + 1):
        for row in range(rows):
            one, other = row * cols, (row + side) % rows * cols + cols - 1
            if colours[one] == colours[other] and out[one] != out[other]:
                _unite(parent, out[one], out[other])
                united = True
        for col in range(cols):
            one, other = col, (rows - 1) * cols + (col + side) % cols
            if colours[one] == colours[other] and out[one] != out[other]:
                _unite(parent, out[one], out[other])
                united = True
    return united


def runs(grids, *, connectivity=4, periodic=False, background=None):
    """Label the components by their runs, the stretches of a row that have one colour.

    Parameters
    ----------
    grids, connectivity, periodic, background
        As in `label`.

    Returns
    -------
    ndarray of int32, shape (..., rows, cols)
        As in `label`.

    Raises
    ------
    TypeError, ValueError
        As in `label`.

    Notes
    -----
    As `union_find`, with one label a run. Takes, beyond the labels, up to 8 bytes a cell of one grid.

    Examples
    --------
    >>> runs([[1, 2, 1], [1, 1, 1]])
    array([[1, 2, 1],
           [1, 1, 1]], dtype=int32)
    """
    return _labelled(_runs, grids, connectivity, periodic, background)


@njit(cache=True)
def _runs(labels, values, cols, corners, periodic, background, some, parent):
    """Label each grid, a row of `values`. With `some`, cells of the colour `background` get 0."""
    n_cells = values.shape[1]
    firsts = np.empty(n_cells + 2, np.int32)  # the first cell of each run, from 1; the next one's is where it ends
    parent[0] = 0
    for k in range(len(values)):
        colours, out = values[k], labels[k]
        n_runs, above, above_end = np.int32(0), 1, 1
        for start in range(0, n_cells, cols):
            begin = n_runs + 1
            for cell in range(start, start + cols):
                if cell == start or colours[cell] != colours[cell - 1]:
                    n_runs += np.int32(1)
                    firsts[n_runs] = cell
                    parent[n_runs] = 0 if some and colours[cell] == background else n_runs
            firsts[n_runs + 1] = start + cols
            for run in range(begin, n_runs + 1):
                first, end = firsts[run] - cols, firsts[run + 1] - cols  # as if it were in the row above
                while above < above_end and firsts[above + 1] + corners <= first:
                    above += 1
                other = above
                while other < above_end and firsts[other] < end + corners:
                    if colours[firsts[other]] == colours[firsts[run]]:
                        _unite(parent, np.int32(other), np.int32(run))
                    other += 1
                above = max(above, other - 2)  # over a corner the last but one may touch the next run too
            above, above_end = begin, n_runs + 1
        for run in range(1, n_runs + 1):
            for cell in range(firsts[run], firsts[run + 1]):
                out[cell] = run
        if periodic:
            _close(parent, out, colours, cols, corners)
        _number(parent, n_runs)
        for run in range(1, n_runs + 1):
            for cell in range(firsts[run], firsts[run + 1]):
                out[cell] = parent[run]


def flood(grids, *, connectivity=4, periodic=False, background=None):
    """Label the components one after another, by filling each from its first cell.

    Cells go by flat index, and those whose neighbours are still to be looked at lie on a stack. A step to the left or
    right must not leave the row: `gridlab.published.flat_groups` shows what happens else.

    Parameters
    ----------
    grids, connectivity, periodic, background
        As in `label`.

    Returns
    -------
    ndarray of int32, shape (..., rows, cols)
        As in `label`.

    Raises
    ------
    TypeError, ValueError
        As in `label`.

    Notes
    -----
    O(``rows * cols``) a grid. Takes, beyond the labels, 4 bytes a cell of one grid.

    Examples
    --------
    >>> flood([[1, 2, 1], [1, 1, 1]])
    array([[1, 2, 1],
           [1, 1, 1]], dtype=int32)
    """
    return _labelled(_flood, grids, connectivity, periodic, background)


@njit(cache=True)
def _flood(labels, values, cols, corners, periodic, background, some, stack):
    """Label each grid, a row of `values`. With `some`, cells of the colour `background` get 0."""
    rows = values.shape[1] // cols
    for k in range(len(values)):
        colours, out = values[k], labels[k]
        out[:] = 0
        n_labels = np.int32(0)
        for first in range(len(out)):
            colour = colours[first]
            if out[first] or (some and colour == background):
                continue
            n_labels += np.int32(1)
            out[first] = n_labels
            stack[0] = first
            n_stack = 1
            while n_stack > 0:
                n_stack -= 1
                row, col = stack[n_stack] // cols, stack[n_stack] % cols
                for direction in range(0, 8, 2 - corners):
                    down, right = grid.RING[direction]
                    next_row, next_col = row + down, col + right
                    if periodic:
                        next_row, next_col = next_row % rows, next_col % cols
                    elif not (0 <= next_row < rows and 0 <= next_col < cols):
                        continue
                    cell = next_row * cols + next_col
                    if out[cell] == 0 and colours[cell] == colour:
                        out[cell] = n_labels
                        stack[n_stack] = cell
                        n_stack += 1


#: The ways to label components, by name. All give the same labels.
LABELLERS = {"flood": flood, "union_find": union_find, "runs": runs}


def _labelled(kernel, grids, connectivity, periodic, background):
    """Check the arguments, and label a batch by a kernel, some grids at a time."""
    grids = grid.as_grids("grids", grids)
    if isinstance(connectivity, bool | np.bool_) or not isinstance(connectivity, int | np.integer):
        raise TypeError(f"connectivity must be 4 or 8, got {connectivity!r}")
    if connectivity not in (4, 8):
        raise ValueError(f"connectivity must be 4 or 8, got {connectivity}")
    if not isinstance(periodic, bool | np.bool_):
        raise TypeError(f"periodic must be True or False, got {periodic!r}")
    some = background is not None
    if some and not isinstance(background, bool | np.bool_ | int | np.integer):
        raise TypeError(f"background must be an integer or None, got {background!r}")

    rows, cols = grids.shape[-2:]
    labels = np.empty(grids.shape, np.int32)
    if not labels.size:
        return labels
    # Only whether colours are equal matters: of each size one type is enough, and one kernel to compile.
    unsigned = np.dtype(f"u{grids.itemsize}")
    if some:
        low, high = (0, 1) if grids.dtype.kind == "b" else (np.iinfo(grids.dtype).min, np.iinfo(grids.dtype).max)
        some = low <= int(background) <= high
    colour = np.array([background if some else 0]).astype(grids.dtype).view(unsigned)[0]
    values, out = grid.plain(grids).view(unsigned).reshape(-1, rows * cols), labels.reshape(-1, rows * cols)
    n = min(len(values), max(1, PIECE // (rows * cols)))
    scratch = np.empty(n * rows * cols + 1, np.int32)
    for first in range(0, len(values), n):
        piece = slice(first, first + n)
        kernel(out[piece], values[piece], cols, int(connectivity == 8), bool(periodic), colour, some, scratch)
    return labels
