"""The measures of `gridlab.shapes` done the obvious, slow way, on sets of cells."""

import math
from itertools import product

import numpy as np

EDGES = ((0, 1), (1, 0), (0, -1), (-1, 0))
CORNERS = ((1, 1), (1, -1), (-1, -1), (-1, 1))


def around(cell, shape, periodic, steps=EDGES):
    """Neighbours of a cell; on an open grid also those beyond the border."""
    for row, col in steps:
        row, col = cell[0] + row, cell[1] + col
        yield (row % shape[0], col % shape[1]) if periodic else (row, col)


def walks(cells, shape, periodic, steps=EDGES):
    """Parts of a set of cells, each with the windings found by walking on the universal cover.

    A part is a dict from each of its cells to the place where the walk met it first; a
    winding is the difference of two places of one cell.
    """
    cells = set(cells)
    found, met = [], set()
    for start in sorted(cells):
        if start in met:
            continue
        part, windings, todo = {start: start}, set(), [start]
        while todo:
            cell = todo.pop()
            row, col = part[cell]
            for down, right in steps:
                place = row + down, col + right
                other = (place[0] % shape[0], place[1] % shape[1]) if periodic else place
                if other not in cells:
                    continue
                if other not in part:
                    part[other] = place
                    todo.append(other)
                elif part[other] != place:
                    windings.add((place[0] - part[other][0], place[1] - part[other][1]))
        met |= set(part)
        found.append((part, windings))
    return found


def rank(windings):
    """Count the independent windings."""
    return int(np.linalg.matrix_rank(np.array(sorted(windings)))) if windings else 0


def holes(cells, shape, periodic, steps):
    """List the parts of the complement that do not reach the outside, or on a torus do not wind."""
    frame = 0 if periodic else 1
    grid = product(range(-frame, shape[0] + frame), range(-frame, shape[1] + frame))
    empty = walks(set(grid) - cells, shape, periodic, steps)
    return [set(part) for part, windings in empty if not windings and (-1, -1) not in part]


def edges(cells, others, shape, periodic):
    """Count the unit edges between cells and others."""
    return sum(other in others for cell in cells for other in around(cell, shape, periodic))


def distances(start, cells, shape, periodic):
    """Count the steps inside a region from one cell to all that can be reached."""
    steps, todo = {start: 0}, [start]
    for cell in todo:
        for other in around(cell, shape, periodic):
            if other in cells and other not in steps:
                steps[other] = steps[cell] + 1
                todo.append(other)
    return steps


def thickness(cells, shape, periodic):
    """Return the largest chessboard distance of a cell to the outside, by squares that grow until they leave it."""
    most = 0
    for row, col in cells:
        radius = 1
        while True:
            span = range(-radius, radius + 1)
            ring = [(r, c) for r in span for c in (span if abs(r) == radius else (-radius, radius))]
            if not cells.issuperset(around((row, col), shape, periodic, ring)):
                break
            radius += 1
        most = max(most, radius)
    return most


def least_perimeter(area, shape, periodic):
    """Return the least perimeter of a region of that area, by trying sizes of boxes."""
    box = min(2 * (side + -(-area // side)) for side in range(1, area + 1))
    if not periodic:
        return box
    bands = [2 * side + (2 if area % side else 0) for side in shape]
    rest = math.prod(shape) - area
    return min([box, *bands, min((2 * (side + -(-rest // side)) for side in range(1, rest + 1)), default=0)])


def box_dimension(places):
    """Slope and standard error of log boxes against -log side."""
    rows, cols = np.array(sorted(places)).T
    rows, cols = rows - rows.min(), cols - cols.min()
    sides = [2**k for k in range(40) if 2**k <= max(rows.max(), cols.max()) + 1]
    if len(sides) < 3:
        return math.nan, math.nan
    y = np.log([len(set(zip(rows // side, cols // side))) for side in sides])
    x = -np.log(sides)
    dx, dy = x - x.mean(), y - y.mean()
    slope = (dx @ dy) / (dx @ dx)
    return slope, math.sqrt(((dy - slope * dx) ** 2).sum() / (len(x) - 2) / (dx @ dx))


def measure(mask, periodic=False):
    """Measure all but hull and circle, as a dict; "places" are the cells unwrapped, None if they cannot be."""
    shape = mask.shape
    cells = set(map(tuple, np.argwhere(mask).tolist()))
    area = len(cells)
    if periodic:
        outside = set(product(range(shape[0]), range(shape[1]))) - cells
    else:
        outside = set(product(range(-1, shape[0] + 1), range(-1, shape[1] + 1))) - cells
    parts = walks(cells, shape, periodic)
    cut_off = holes(cells, shape, periodic, EDGES + CORNERS)
    near = [sum(other in cells for other in around(cell, shape, periodic)) for cell in cells]
    blocks = sum(
        all(cell in cells for cell in around((row, col), shape, periodic, ((0, 0), (0, 1), (1, 0), (1, 1))))
        for row, col in cells
    )
    perimeter = edges(cells, outside, shape, periodic)
    found = {
        "area": area,
        "perimeter": perimeter,
        "outer_perimeter": edges(cells, outside.difference(*cut_off), shape, periodic),
        "euler": area - sum(near) // 2 + blocks,
        "holes_8": len(cut_off),
        "holes_4": len(holes(cells, shape, periodic, EDGES)),
        "winding": max((rank(windings) for _, windings in parts), default=0),
        "compactness": 4 * math.pi * area / perimeter**2 if perimeter else math.nan,
        "lattice_compactness": least_perimeter(area, shape, periodic) / perimeter if perimeter else math.nan,
        "tips": near.count(1),
        "branches": near.count(3) + near.count(4),
        "boundary_cells": sum(n < 4 for n in near),
        "perimeter_sites": sum(any(o in cells for o in around(cell, shape, periodic)) for cell in outside),
        "thickness": thickness(cells, shape, periodic) if perimeter else math.nan,
        "diameter": math.nan,
    }
    if len(parts) == 1:
        found["diameter"] = max(max(distances(cell, cells, shape, periodic).values()) for cell in cells)
    places = None
    if cells and not periodic:
        places = cells
    elif len(parts) == 1 and not parts[0][1]:
        places = set(parts[0][0].values())
    found |= dict.fromkeys(
        "radius_of_gyration normalised_inertia elongation bbox_fill bbox_aspect box_dimension box_dimension_se".split(),
        math.nan,
    )
    if places:
        spots = np.array(sorted(places), float)
        covariance = np.cov(spots.T, ddof=0) if area > 1 else np.zeros((2, 2))
        small, large = np.linalg.eigvalsh(covariance + np.eye(2) / 12)
        height, width = np.ptp(spots, axis=0) + 1
        found["radius_of_gyration"] = math.sqrt(covariance.trace())
        found["normalised_inertia"] = area / (2 * math.pi * (covariance.trace() + 1 / 6))
        found["elongation"] = math.sqrt(small / large)
        found["bbox_fill"] = area / (height * width)
        found["bbox_aspect"] = min(height, width) / max(height, width)
        found["box_dimension"], found["box_dimension_se"] = box_dimension(places)
    return found | {"places": places}
