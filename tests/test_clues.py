"""Tests of `mines.clues`: numbers, reveal, openings, islands and 3BV against the obvious ones, and their means."""

import math
from fractions import Fraction

import naive
import naive_mines
import numpy as np
import pytest
from numba import config
from scipy import ndimage

from gridlab import grid, mines
from gridlab.mines import clues

#: Boards of which all are tried: (shape, periodic).
SMALL = [((1, 1), False), ((1, 7), False), ((7, 1), False), ((2, 2), False), ((2, 4), False), ((3, 3), False)]
SMALL += [((4, 2), False), ((3, 3), True)]

#: How much smaller random tests are when kernels run as plain Python.
FEWER = 500 if config.DISABLE_JIT else 1

#: Mean and standard deviation of 3BV, and mean number of openings, over uniform boards of the three levels. Openings
#: were counted on four million boards of each: standard errors 0.0005, 0.0009 and 0.0012. The mean of 3BV is theirs
#: plus the exact one of the cells in no opening, so it has the same error.
MEANS = {
    "beginner": (15.594, 5.117, 2.742),
    "intermediate": (64.920, 11.696, 7.204),
    "expert": (173.575, 19.422, 13.333),
}

FIGURES = {
    mines.openings: lambda *board: len(naive_mines.openings(*board)),
    mines.islands: lambda *board: len(naive_mines.islands(*board)),
    mines.bbbv: naive_mines.bbbv,
}


def every_board(shape):
    """All boards of a shape."""
    n = shape[0] * shape[1]
    return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool).reshape(-1, *shape)


def random_boards(seed, periodic=False):
    """Boards of many shapes up to 20 x 20, rows and columns of one cell among them, and densities, one at a time."""
    rng, low = np.random.default_rng(seed), 3 if periodic else 1
    for _ in range(150 // (5 if config.DISABLE_JIT else 1)):
        shape = [rng.integers(low, 21), rng.choice([low, rng.integers(low, 21)])]
        yield rng.random(rng.permuted(shape)) < rng.choice([0.02, 0.1, 0.2, 0.35, 0.7])


def as_array(numbers, shape):
    """Return naive numbers as an array."""
    return np.array([numbers[cell] for cell in naive.grid_cells(shape)]).reshape(shape)


def check(board, periodic=False):
    """Compare all that is said of a board with what the naive versions say."""
    shape, cells = board.shape, naive.cells_of(board)
    shown = mines.numbers(board, periodic=periodic)
    assert shown.dtype == np.uint8
    assert shown.tolist() == as_array(naive_mines.by_counting(cells, shape, periodic), shape).tolist()
    assert shown.tolist() == as_array(naive_mines.by_adding(cells, shape, periodic), shape).tolist()
    for figure, naive_figure in FIGURES.items():
        assert figure(board, periodic=periodic) == naive_figure(cells, shape, periodic), figure.__name__


@pytest.mark.parametrize(("shape", "periodic"), SMALL)
def test_every_small_board(shape, periodic):
    boards = every_board(shape)
    for board in boards:
        check(board, periodic)
    for figure in FIGURES:  # and all in one call
        assert figure(boards, periodic=periodic).tolist() == [figure(board, periodic=periodic) for board in boards]
    shown = [mines.numbers(board, periodic=periodic) for board in boards]
    assert np.array_equal(mines.numbers(boards, periodic=periodic), shown)


@pytest.mark.parametrize("periodic", [False, True])
def test_random_boards(periodic):
    for board in random_boards(1, periodic):
        check(board, periodic)


@pytest.mark.parametrize(("shape", "periodic"), [((2, 4), False), ((3, 3), False), ((3, 3), True)])
def test_3bv_is_the_least_number_of_clicks(shape, periodic):
    for board in every_board(shape):
        assert mines.bbbv(board, periodic=periodic) == naive_mines.fewest_clicks(naive.cells_of(board), shape, periodic)


@pytest.mark.parametrize(("shape", "periodic"), SMALL)
def test_every_click_on_every_small_board(shape, periodic):
    for board in every_board(shape):
        cells = naive.cells_of(board)
        for cell in naive.grid_cells(shape):
            opened = mines.reveal(board, cell, periodic=periodic)
            assert naive.cells_of(opened) == naive_mines.reveal(cells, shape, cell, periodic)


@pytest.mark.parametrize("periodic", [False, True])
def test_clicks_on_random_boards(periodic):
    rng = np.random.default_rng(2)
    for board in random_boards(3, periodic):
        cell = int(rng.integers(board.size))
        opened = mines.reveal(board, cell, periodic=periodic)
        place = divmod(cell, board.shape[1])
        assert opened.dtype == bool
        assert naive.cells_of(opened) == naive_mines.reveal(naive.cells_of(board), board.shape, place, periodic)
        assert np.array_equal(opened, mines.reveal(board, place, periodic=periodic))


def test_the_drawing_of_the_module():
    """Two islands, the cells of one of which meet at a corner; the letters in the drawing are its islands."""
    left, right = zip(
        *(line.split("      ") for line in clues.__doc__.split("::\n\n")[1].split("\n\n")[0].splitlines())
    )
    board = mines.parse("\n".join(left))
    letters = ["".join(line.split()) for line in right]
    found = [
        {(row, col) for row, line in enumerate(letters) for col, sign in enumerate(line) if sign == letter}
        for letter in "ab"
    ]
    assert sorted(map(sorted, naive_mines.islands(naive.cells_of(board), board.shape))) == sorted(map(sorted, found))
    assert (mines.openings(board), mines.islands(board), mines.bbbv(board)) == (1, 2, 6)


def test_a_region_goes_round_a_periodic_board():
    board = grid.parse("..x.. / ..x.. / ..x..")
    assert mines.reveal(board, 0).sum() == 6
    assert mines.openings(board) == 2
    assert mines.reveal(board, 0, periodic=True).sum() == 12
    assert mines.openings(board, periodic=True) == 1


@pytest.mark.parametrize("lead", [(), (1,), (5,), (2, 3), (0,), (2, 0, 3)])
@pytest.mark.parametrize("periodic", [False, True])
def test_batches_of_any_shape(lead, periodic):
    boards = np.random.default_rng(4).random((*lead, 7, 5)) < 0.2
    shown = mines.numbers(boards, periodic=periodic)
    assert shown.shape == boards.shape
    assert shown.dtype == np.uint8
    for figure in FIGURES:
        figures = figure(boards, periodic=periodic)
        assert figures.shape == lead
        assert figures.dtype == np.int64
        for place in np.ndindex(lead):
            assert figures[place] == figure(boards[place], periodic=periodic)
    for place in np.ndindex(lead):
        assert np.array_equal(shown[place], mines.numbers(boards[place], periodic=periodic))


def test_other_layouts_and_kinds_of_input():
    boards = np.random.default_rng(5).random((6, 8, 10)) < 0.2
    sparse = np.repeat(np.repeat(boards, 2, axis=0), 3, axis=2)[::2, :, ::3]
    frozen = boards.copy()
    frozen.setflags(write=False)
    for same in (np.asfortranarray(boards), sparse, frozen, boards.astype(np.int64), boards.tolist()):
        assert np.array_equal(mines.numbers(same), mines.numbers(boards))
        assert np.array_equal(mines.bbbv(same), mines.bbbv(boards))
    assert np.array_equal(mines.numbers(boards.transpose(0, 2, 1)), mines.numbers(boards).transpose(0, 2, 1))
    assert np.array_equal(mines.numbers(boards[:, ::-1, ::-1]), mines.numbers(boards)[:, ::-1, ::-1])
    one = np.broadcast_to(boards[0], (4, 8, 10))
    assert (mines.bbbv(one) == mines.bbbv(boards[0])).all()


def test_input_is_left_alone():
    board = np.random.default_rng(6).random((9, 9)) < 0.2
    before = board.copy()
    mines.numbers(board)[:] = 0
    mines.reveal(board, 0)[:] = True
    mines.bbbv(board)
    assert np.array_equal(board, before)


@pytest.mark.parametrize(("piece", "band"), [(1, 1), (50, 12), (80, 36), (2**18, 2**13)])
@pytest.mark.parametrize("periodic", [False, True])
def test_pieces_and_bands_do_not_show(monkeypatch, piece, band, periodic):
    """Whatever the cut of a batch into pieces, and of a board into bands of rows, nothing is seen of it."""
    boards = np.random.default_rng(7).random((5, 13, 6)) < 0.2
    expected = [naive_mines.by_counting(naive.cells_of(board), board.shape, periodic) for board in boards]
    clicks = [naive_mines.bbbv(naive.cells_of(board), board.shape, periodic) for board in boards]
    monkeypatch.setattr(clues, "PIECE", piece)
    monkeypatch.setattr(clues, "BAND", band)
    assert np.array_equal(mines.numbers(boards, periodic=periodic), [as_array(n, (13, 6)) for n in expected])
    assert mines.bbbv(boards, periodic=periodic).tolist() == clicks


@pytest.mark.parametrize(
    "shape", [(300, 1), (1, 300), (211, 97)] if config.DISABLE_JIT else [(10**6, 1), (1, 10**6), (997, 1003)]
)
@pytest.mark.parametrize("periodic", [False, True])
def test_large_boards_against_a_convolution(shape, periodic):
    if periodic and 1 in shape:
        shape = tuple(max(3, side) for side in shape)
    board = np.random.default_rng(8).random(shape) < 0.3
    sums = ndimage.convolve(board.view(np.uint8), np.ones((3, 3), np.uint8), mode="wrap" if periodic else "constant")
    assert np.array_equal(mines.numbers(board, periodic=periodic), np.where(board, 9, sums))


def test_openings_of_a_large_board_against_scipy():
    board = np.random.default_rng(9).random((40, 30) if config.DISABLE_JIT else (800, 700)) < 0.12
    eight = np.ones((3, 3), int)
    zeros = mines.numbers(board) == 0
    labels, n = ndimage.label(zeros, eight)
    lone = ~ndimage.binary_dilation(zeros, eight) & ~board
    assert mines.openings(board) == n
    assert mines.islands(board) == ndimage.label(lone, eight)[1]
    assert mines.bbbv(board) == n + lone.sum()
    first = tuple(np.argwhere(zeros)[0])
    assert np.array_equal(mines.reveal(board, first), ndimage.binary_dilation(labels == labels[first], eight))


@pytest.mark.parametrize("periodic", [False, True])
def test_a_million_empty_cells_open_at_once(periodic):
    board = np.zeros((60, 60) if config.DISABLE_JIT else (1000, 1000), bool)
    assert mines.reveal(board, (3, 4), periodic=periodic).all()
    assert mines.openings(board, periodic=periodic) == 1
    assert mines.bbbv(board, periodic=periodic) == 1


@pytest.mark.parametrize("level", mines.LEVELS)
def test_means_over_uniform_boards(level):
    """Within 5.5 standard errors, a false alarm has the chance 4e-8; 0.002 is for what is not known of `MEANS`."""
    (shape, n_mines), (bbbv, sd, openings) = mines.LEVELS[level], MEANS[level]
    boards = mines.floyd(shape, n_mines, size=200_000 // FEWER, rng=10)
    clicks, found = mines.bbbv(boards), mines.openings(boards)
    error = 5.5 / math.sqrt(len(boards))
    assert abs(clicks.mean() - bbbv) < clicks.std() * error + 0.002
    assert abs(found.mean() - openings) < found.std() * error + 0.002
    assert abs(clicks.std() / sd - 1) < error  # this is wide: for a normal figure it would be error / √2
    exact = float(naive_mines.mean_alone(shape, n_mines))
    assert abs(exact + openings - bbbv) < 0.002
    alone = clicks - found
    assert abs(alone.mean() - exact) < alone.std() * error


def test_the_exact_mean_of_cells_in_no_opening():
    """The formula that the means are tested by, on all boards with three mines."""
    boards = every_board((3, 4))
    boards = boards[boards.sum((1, 2)) == 3]
    alone = mines.bbbv(boards) - mines.openings(boards)
    assert Fraction(int(alone.sum()), len(boards)) == naive_mines.mean_alone((3, 4), 3)


def test_known_extremes():
    assert mines.bbbv(np.ones((4, 4), bool)) == 0
    assert mines.bbbv([[0]]) == 1
    assert mines.numbers([[0]]).tolist() == [[0]]
    assert mines.numbers([[1]]).tolist() == [[mines.MINE]]
    ring = np.ones((3, 3), bool)
    ring[1, 1] = False
    assert mines.numbers(ring)[1, 1] == 8
    assert (mines.openings(ring), mines.islands(ring), mines.bbbv(ring)) == (0, 1, 1)
    assert mines.numbers(ring, periodic=True)[1, 1] == 8


@pytest.mark.parametrize("f", [mines.numbers, *FIGURES])
def test_refusals_of_boards(f):
    with pytest.raises(TypeError, match=r"boards must be a bool array of shape .*, got dtype float64"):
        f(np.zeros((3, 3)))
    with pytest.raises(ValueError, match=r"boards must have shape \(\.\.\., rows, cols\) .*, got \(3,\)"):
        f([0, 1, 0])
    with pytest.raises(ValueError, match=r"boards must have shape .* sides of at least 1, got \(0, 3\)"):
        f(np.zeros((0, 3), bool))
    with pytest.raises(ValueError, match="boards must hold only 0 and 1, got values from 0 to 9"):
        f([[0, 9]])
    with pytest.raises(ValueError, match="rows of a periodic grid's shape must be at least 3, got 2"):
        f(np.zeros((2, 5), bool), periodic=True)
    with pytest.raises(TypeError, match="periodic must be True or False, got 1"):
        f(np.zeros((3, 5), bool), periodic=1)


def test_refusals_of_clicks():
    board = np.zeros((3, 5), bool)
    with pytest.raises(ValueError, match="board must have 2 axes, got 3"):
        mines.reveal(board[None], 0)
    with pytest.raises(ValueError, match="cell must be from 0 to 14 on a board of 3x5, got 15"):
        mines.reveal(board, 15)
    with pytest.raises(ValueError, match=r"col of cell must be from 0 to 4 .*, got -1"):
        mines.reveal(board, (0, -1))
    with pytest.raises(TypeError, match="cell"):
        mines.reveal(board, 1.0)
    with pytest.raises(ValueError, match="rows of a periodic grid's shape must be at least 3, got 2"):
        mines.reveal(board[:2], 0, periodic=True)
