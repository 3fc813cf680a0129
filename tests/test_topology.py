"""Tests of `topology`: tables and floods against the obvious ones, and against scikit-image."""

import naive
import numpy as np
import pytest
from numba import config
from skimage.measure import euler_number

from gridlab import grid, topology

#: Small grids on which all sets of cells are tried.
GRIDS = [((1, 4), False), ((3, 3), False), ((3, 4), False), ((3, 3), True), ((3, 4), True)]


def every_mask(shape):
    """All masks of a grid."""
    n = shape[0] * shape[1]
    return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool).reshape(-1, *shape)


@pytest.mark.parametrize(("shape", "periodic"), GRIDS)
def test_every_mask_of_a_small_grid(shape, periodic):
    masks = every_mask(shape)
    sets = [naive.cells_of(mask) for mask in masks]
    connected = [naive.is_connected(cells, shape, periodic) for cells in sets]
    assert topology.is_connected(masks, periodic=periodic).tolist() == connected
    for meaning in (4, 8):
        simply = [naive.is_simply_connected(cells, shape, periodic, meaning) for cells in sets]
        assert topology.is_simply_connected(masks, meaning, periodic=periodic).tolist() == simply
        marked = topology.holes(masks, meaning, periodic=periodic)
        expected = [frozenset().union(*naive.holes(cells, shape, periodic, meaning)) for cells in sets]
        assert [naive.cells_of(mask) for mask in marked] == expected


@pytest.mark.parametrize("meaning", [4, 8])
def test_euler_number_of_clusters(meaning):
    masks = np.random.default_rng(1).random((200, 9, 7)) < 0.55
    # scikit-image names how the filled cells are joined, we how the empty ones are
    expected = [euler_number(mask, connectivity=1 if meaning == 8 else 2) for mask in masks]
    assert topology.euler(masks, meaning).tolist() == expected


def test_holes_of_large_clusters():
    for periodic in (False, True):
        for mask in np.random.default_rng(2).random((20, 20, 17)) < 0.6:
            cells = naive.cells_of(mask)
            for meaning in (4, 8):
                marked = topology.holes(mask, meaning, periodic=periodic)
                assert naive.cells_of(marked) == frozenset().union(*naive.holes(cells, mask.shape, periodic, meaning))


def ring_of(code):
    """The filled cells of a ring around (1, 1)."""
    return {(1 + row, 1 + col) for i, (row, col) in enumerate(grid.RING) if code >> i & 1}


def runs(cells, steps):
    """How often cells of a ring hold together."""
    cells, n = set(cells), 0
    while cells:
        near = lambda cell: naive.around(cell, (3, 3), False, steps)  # noqa: E731
        cells -= naive.part(min(cells), cells, near)
        n += 1
    return n


def test_simple_cells_by_the_runs_of_their_rings():
    """The tables count gaps of empty cells; here the runs of filled ones are counted."""
    edges = {(0, 1), (1, 0), (1, 2), (2, 1)}
    for code in range(256):
        filled = ring_of(code)
        touching = [run for run in (filled & edges,) if run]
        runs_4 = runs_8 = 0
        rest = set(filled)
        while rest:
            run = naive.part(min(rest), rest, lambda cell: naive.around(cell, (3, 3), False))
            rest -= run
            runs_4 += bool(run & edges)
        runs_8 = runs(filled, naive.ALL_STEPS)
        assert topology.simple_cells(8)[code] == (runs_4 == 1 and len(filled) < 8)
        add = bool(touching) and runs_8 == 1 and not edges <= filled
        assert topology.simple_cells(4)[code] == add
        assert topology.simple_cells(4, removal=True)[code] == (add and runs(filled, naive.EDGE_STEPS) == 1)
        assert topology.simple_cells(0)[code] == bool(touching)


@pytest.mark.parametrize(("shape", "periodic"), [((3, 4), False), ((3, 4) if config.DISABLE_JIT else (4, 4), True)])
@pytest.mark.parametrize("meaning", [4, 8])
def test_simple_cells_keep_regions_simply_connected(shape, periodic, meaning):
    """On every simply connected region, for every cell: simple exactly when the result is one, too."""
    masks = every_mask(shape)
    masks = masks[topology.is_simply_connected(masks, meaning, periodic=periodic)]
    codes = topology.rings(masks, periodic=periodic)
    several = masks.sum((1, 2)) > 1
    for cell in naive.grid_cells(shape):
        flipped = masks.copy()
        flipped[:, *cell] ^= True
        still = topology.is_simply_connected(flipped, meaning, periodic=periodic)
        code, filled = codes[:, *cell], masks[:, *cell]
        assert (topology.simple_cells(meaning)[code] == still)[~filled].all()
        assert (topology.simple_cells(meaning, removal=True)[code] == still)[filled & several].all()


@pytest.mark.parametrize("periodic", [False, True])
def test_rings(periodic):
    mask = np.random.default_rng(3).random((4, 5)) < 0.5
    codes = topology.rings(mask, periodic=periodic)
    for row, col in naive.grid_cells(mask.shape):
        bits = [
            mask[(row + down) % 4, (col + right) % 5]
            if periodic or (0 <= row + down < 4 and 0 <= col + right < 5)
            else False
            for down, right in grid.RING
        ]
        assert codes[row, col] == sum(1 << i for i, bit in enumerate(bits) if bit)


def test_large_batches_are_cut_and_it_does_not_show(monkeypatch):
    masks = np.random.default_rng(5).random((11, 4, 5)) < 0.6
    for f in (topology.is_connected, topology.euler, topology.holes):
        whole = f(masks)
        monkeypatch.setattr(topology, "PIECE", 3 * 20)
        np.testing.assert_array_equal(f(masks), whole)
        monkeypatch.undo()


def test_batches_layouts_and_types():
    masks = np.random.default_rng(4).random((2, 3, 6, 5)) < 0.6
    for f in (topology.is_connected, topology.is_simply_connected, topology.euler, topology.holes, topology.rings):
        expected = f(masks)
        assert expected.shape[:2] == (2, 3)
        for same in (np.asfortranarray(masks), masks.astype(np.int8), masks.repeat(2, axis=-1)[..., ::2]):
            np.testing.assert_array_equal(f(same), expected)
        np.testing.assert_array_equal(f(masks[1, 2]), expected[1, 2])
        assert f(masks[:0]).shape[:2] == (0, 3)
        frozen = masks.copy()
        frozen.flags.writeable = False
        np.testing.assert_array_equal(f(frozen), expected)


def test_a_meaning_may_be_a_float():
    ring = np.ones((3, 3), bool)
    ring[1, 1] = False
    for meaning in (4.0, np.float64(8)):
        np.testing.assert_array_equal(topology.holes(ring, meaning), ~ring)
        np.testing.assert_array_equal(grid.neighbours((3, 3), connectivity=meaning).shape, (9, meaning))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: topology.is_connected([[0.5]]), TypeError, "regions must be a bool array"),
        (lambda: topology.is_connected([[2]]), ValueError, "regions must hold only 0 and 1, got values from 2 to 2"),
        (lambda: topology.is_connected([True]), ValueError, "regions must have shape"),
        (lambda: topology.is_connected([[1, 1], [1]]), ValueError, "regions must .* got rows of different lengths"),
        (lambda: topology.is_connected(np.zeros((0, 3), bool)), ValueError, "regions must have shape"),
        (lambda: topology.is_connected([[1, 1]], periodic=True), ValueError, "rows of a periodic grid's shape must be"),
        (lambda: topology.euler([[1]], 5), ValueError, "meaning must be 4 or 8, got 5"),
        (lambda: topology.euler([[1, 1]], periodic=True), ValueError, "rows of a periodic grid's shape must be"),
        (lambda: topology.holes([[1]], 0), ValueError, "meaning must be 4 or 8, got 0"),
        (lambda: topology.is_simply_connected([[1]], 1), ValueError, "meaning must be 4 or 8, got 1"),
        (lambda: topology.simple_cells(5), ValueError, "meaning must be 0, 4 or 8, got 5"),
        (lambda: topology.simple_cells(0, removal=True), ValueError, "meaning must be 4 or 8 for a removal, got 0"),
        (lambda: topology.gaps(True), ValueError, "meaning must be 4 or 8, got True"),
        (lambda: topology.as_meaning(1), ValueError, "simply_connected must be False, True, 4 or 8, got 1"),
        (lambda: topology.as_meaning("4"), ValueError, "simply_connected must be False, True, 4 or 8, got '4'"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
