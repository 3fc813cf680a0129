"""The obvious, slow versions of components and their table: what the tests believe.

A grid is a list of lists of plain Python ints, and so are labels.
"""

from itertools import product

import naive


def parts(cells, near):
    """Number the cells given, in their order, by a flood fill over the cells that `near` gives."""
    labels, n_labels = {}, 0
    for start in cells:
        if start in labels:
            continue
        n_labels += 1
        labels[start] = n_labels
        todo = [start]
        while todo:
            for cell in near(todo.pop()):
                if cell not in labels:
                    labels[cell] = n_labels
                    todo.append(cell)
    return labels


def label(grid, connectivity=4, periodic=False, background=None):
    """Label the components of equal cells; on a side of length 1 or 2 a cell may meet itself, or another twice."""
    shape = len(grid), len(grid[0]) if grid else 0
    value = {(row, col): grid[row][col] for row, col in product(range(shape[0]), range(shape[1]))}

    def near(cell):
        around = naive.around(cell, shape, periodic, naive.STEPS[connectivity])
        return [other for other in around if value[other] == value[cell]]

    labels = parts([cell for cell in value if value[cell] != background], near)
    return [[labels.get((row, col), 0) for col in range(shape[1])] for row in range(shape[0])]


def helical(grid):
    """Label by edges on the helical grid, where the next cell to the right of a row's end is the next row's first."""
    flat = [x for line in grid for x in line]
    cols = len(grid[0])

    def near(cell):
        around = [cell + step for step in (1, -1, cols, -cols)]
        return [other for other in around if 0 <= other < len(flat) and flat[other] == flat[cell]]

    labels = parts(range(len(flat)), near)
    return [[labels[row * cols + col] for col in range(cols)] for row in range(len(grid))]


def table(labels, colours=None, periodic=False):
    """Measure every component of one grid; return the rows of the table, without the board."""
    shape = len(labels), len(labels[0]) if labels else 0
    found = {}
    for row, col in product(range(shape[0]), range(shape[1])):
        if labels[row][col]:
            found.setdefault(labels[row][col], set()).add((row, col))
    lines = []
    for component in sorted(found):
        cells = found[component]
        row, rows = extent({row for row, _ in cells}, shape[0], periodic)
        col, cols = extent({col for _, col in cells}, shape[1], periodic)
        edges = 0
        for cell in cells:
            # beyond the border there is no cell, so nothing to be in the component
            edges += 4 - sum(other in cells for other in naive.around(cell, shape, periodic))
        border = any(row in (0, shape[0] - 1) or col in (0, shape[1] - 1) for row, col in cells)
        line = {"component": component}
        if colours is not None:
            (line["colour"],) = {colours[row][col] for row, col in cells}
        line |= {"area": len(cells), "row": row, "col": col, "rows": rows, "cols": cols}
        lines.append(line | {"perimeter": edges, "touches_border": border and not periodic})
    return lines


def extent(places, length, periodic):
    """Give the first of some lines and how many there are to the last, round the grid if that is shorter."""
    first = min(places)
    best = first, max(places) - first + 1
    if periodic:
        for start in sorted(places):
            count = 1 + max((place - start) % length for place in places)
            if count < best[1] or (count == best[1] and best[0] != first):
                best = start, count
    return best
