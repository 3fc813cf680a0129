"""Tests of `grid`: text and arrays, neighbours, the padded grid, and the checks all modules share."""

import naive
import numpy as np
import pytest

from gridlab import grid

SHAPES = [((1, 1), False), ((1, 5), False), ((4, 1), False), ((3, 4), False), ((3, 3), True), ((3, 5), True)]


def test_text_and_back():
    for mask in np.random.default_rng(1).random((50, 4, 6)) < 0.5:
        assert (grid.parse(grid.text(mask)) == mask).all()
    assert (grid.parse("x#1X\n\n .0 ..") == [[True] * 4, [False] * 4]).all()


@pytest.mark.parametrize(("shape", "periodic"), SHAPES)
@pytest.mark.parametrize("connectivity", [4, 8])
def test_neighbours(shape, periodic, connectivity):
    table = grid.neighbours(shape, periodic=periodic, connectivity=connectivity)
    assert table.shape == (shape[0] * shape[1], connectivity)
    for cell, near in zip(naive.grid_cells(shape), table.tolist(), strict=True):
        found = sorted(divmod(other, shape[1]) for other in near if other >= 0)
        assert found == sorted(naive.around(cell, shape, periodic, naive.STEPS[connectivity]))
    assert (table >= 0).all() == periodic or shape == (1, 1)


@pytest.mark.parametrize(("shape", "periodic"), SHAPES)
def test_a_step_on_the_padded_grid_leads_to_the_neighbour(shape, periodic):
    home, steps = grid.padded(shape, periodic=periodic)
    inside = [(row + 1) * (shape[1] + 2) + col + 1 for row, col in naive.grid_cells(shape)]
    assert home[inside].tolist() == inside
    leads_to = dict(zip([grid.WALL, *inside], [-1, *range(len(inside))], strict=True))
    table = grid.neighbours(shape, periodic=periodic, connectivity=8)
    for cell, near in zip(inside, table.tolist(), strict=True):
        assert [leads_to[other] for other in home[cell + steps].tolist()] == near


def test_checks_return_what_they_checked():
    assert grid.as_int("n", np.int8(3), 0) == 3
    assert grid.as_int("n", np.array(3), 0, 3) == 3
    assert grid.as_shape(np.array([2, 3], np.uint8)) == (2, 3)
    mask = np.zeros((2, 3), bool)
    assert grid.as_masks("m", mask) is mask
    assert grid.as_grids("g", mask) is mask
    assert grid.as_grids("g", np.zeros((0, 0), np.uint64)).shape == (0, 0)
    assert grid.as_masks("m", [[0, 1]]).dtype == bool
    rng = np.random.default_rng(1)
    assert grid.as_rng(rng) is rng
    assert grid.as_rng([1, 2]).random() == np.random.default_rng([1, 2]).random()
    assert grid.empty((2, 3)).shape == (1, 2, 3)
    assert not grid.empty((2, 3), 5).any()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: grid.parse(" / "), ValueError, "picture must have at least one cell, got none"),
        (lambda: grid.parse("xx / x"), ValueError, "picture must have rows of 2 cells, got 1 in row 1"),
        (lambda: grid.parse("xo"), ValueError, "picture must be made of x # 1 and . 0, got 'o' at row 0, column 1"),
        (lambda: grid.parse(None), TypeError, "picture must be a text, got None"),
        (lambda: grid.text(np.zeros((2, 2, 2), bool)), ValueError, "mask must have 2 axes, got 3"),
        (lambda: grid.neighbours((2, 2), connectivity=6), ValueError, "connectivity must be 4 or 8, got 6"),
        (
            lambda: grid.neighbours((2, 2), periodic=True),
            ValueError,
            "rows of a periodic grid's shape must be at least",
        ),
        (lambda: grid.padded((2, 0)), ValueError, "cols of the grid's shape must be at least 1, got 0"),
        (lambda: grid.as_int("n", 5, 0, 4, where=" here"), ValueError, "n must be from 0 to 4 here, got 5"),
        (lambda: grid.as_int("n", np.True_, 0), TypeError, "n must be an integer, at least 0, got"),
        (lambda: grid.as_grids("g", [[0.0]]), TypeError, "g must be an integer array of shape .* got dtype float64"),
        (lambda: grid.as_grids("g", [1, 2]), ValueError, r"g must have shape \(\.\.\., rows, cols\), got \(2,\)"),
        (lambda: grid.as_grids("g", [[1], [2, 3]]), ValueError, "g must have shape .* rows of different lengths"),
        (
            lambda: grid.as_grids("g", np.broadcast_to(np.int8(1), (2**16, 2**16))),
            ValueError,
            r"g must have at most 2\*\*30 cells a grid, got 65536x65536",
        ),
        (lambda: grid.as_masks("m", [[0.0]]), TypeError, "m must be a bool array of shape .* got dtype float64"),
        (lambda: grid.as_masks("m", [[np.nan]]), TypeError, "m must be a bool array"),
        (lambda: grid.as_masks("m", [[-1, 1]]), ValueError, "m must hold only 0 and 1, got values from -1 to 1"),
        (lambda: grid.empty((2, 2), -1), ValueError, "size must be at least 0, got -1"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("picture", "periodic", "expected"),
    [
        ("... / .x. / .xx", False, "x. / xx"),
        ("x..x / x...", False, "x..x / x..."),
        ("x..x / x...", True, "xx / .x"),
        ("x..x / .... / x...", True, ".x / xx"),
        ("x.x. / xxxx", True, "x.x. / xxxx"),
        (
            "x...x..",
            True,
            "x..x",
        ),  # one of two gaps of the same kind is longer: round the seam there are two, three here
        (".x.", True, "x"),
        ("x", True, "x"),
    ],
)
def test_crop(picture, periodic, expected):
    mask = grid.parse(picture)
    before = mask.copy()
    cropped = grid.crop(mask, periodic=periodic)
    assert (cropped == grid.parse(expected)).all()
    assert cropped.shape == grid.parse(expected).shape
    cropped[:] = False
    assert (mask == before).all()


def test_crop_of_bad_input():
    with pytest.raises(ValueError, match="mask must have at least one filled cell, got none"):
        grid.crop(np.zeros((2, 3), bool))
    with pytest.raises(ValueError, match="mask must have 2 axes, got 3"):
        grid.crop(np.ones((2, 3, 4), bool))
    with pytest.raises(TypeError, match="periodic must be True or False, got 1"):
        grid.crop([[True]], periodic=1)
