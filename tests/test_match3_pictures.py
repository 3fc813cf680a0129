"""Tests of boards as text."""

import numpy as np
import pytest

from gridlab import match3

pytestmark = pytest.mark.once

RNG = np.random.default_rng(20261130)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (5, 7), (30, 40)])
def test_text_and_parse_are_inverse(shape):
    board = RNG.integers(-1, 36, shape).astype(np.int8)
    board.flat[:1] = -1
    back = match3.parse(match3.text(board))
    assert back.dtype == np.int8
    assert np.array_equal(back, board)
    for layout in (board.astype(np.int64), np.asfortranarray(board), board.tolist()):
        assert match3.text(layout) == match3.text(board)


def test_signs_are_as_said():
    assert match3.text(np.arange(-1, 36)[None]) == ".0123456789abcdefghijklmnopqrstuvwxyz"
    assert match3.parse("\n 0 1 \n\t.2\n\n").tolist() == match3.parse("01/.2").tolist() == [[0, 1], [-1, 2]]


@pytest.mark.parametrize(
    ("board", "error", "words"),
    [
        ([[36]], ValueError, "colours of board must be from -1 to 35, got 36"),
        ([[-2]], ValueError, "colours of board must be from -1 to 35, got -2"),
        ([[0.0]], TypeError, "board must be an integer array"),
        ([0], ValueError, r"board must have shape \(rows, cols\) .* got \(1,\)"),
        (np.zeros((0, 3), int), ValueError, r"sides of at least 1, got \(0, 3\)"),
    ],
)
def test_text_refuses(board, error, words):
    with pytest.raises(error, match=words):
        match3.text(board)


@pytest.mark.parametrize(
    ("picture", "error", "words"),
    [
        (3, TypeError, "picture must be a text, got 3"),
        (" \n", ValueError, "at least one cell, got none"),
        ("01\n0", ValueError, "rows of 2 cells, got 1 in row 1"),
        ("01\n\n01", ValueError, "rows of 2 cells, got 0 in row 1"),
        ("01\n0A", ValueError, "0 to 9, a to z and ., got 'A' at row 1, column 1"),
    ],
)
def test_parse_refuses(picture, error, words):
    with pytest.raises(error, match=words):
        match3.parse(picture)
