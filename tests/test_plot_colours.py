"""Tests of `plot.colours`: each colour and sign in its cells, lines around components, marks."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.path import Path
from test_plot import axes, edges, labelled

from gridlab import components, grid, plot

pytestmark = pytest.mark.once

RNG = np.random.default_rng(20261130)


def linear(colour):
    """Return a colour's red, green and blue as amounts of light."""
    return np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)])


def contrast(one, other):
    """Contrast of two colours, from 1 to 21 (WCAG 2)."""
    low, high = sorted(np.dot([0.2126, 0.7152, 0.0722], linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def inside(polygon, n=50):
    """Rasterise a sign's polygon."""
    row, col = (np.indices((n, n)) + 0.5) * 100 / n
    path = Path([*polygon, polygon[0]], closed=True)
    return path.contains_points(np.stack([col.ravel(), row.ravel()], -1)).reshape(n, n)


def cells_with(ax, label):
    """Find the cells in which a patch has something, by the middle of each of its copies."""
    cells = set()
    for patch in labelled(ax, label):
        path = patch.get_path()
        starts = np.flatnonzero(path.codes == path.MOVETO)
        for start, end in itertools.pairwise([*starts, len(path)]):
            low, high = path.vertices[start:end].min(0), path.vertices[start:end].max(0)
            col, row = np.floor((low + high) / 2).astype(int).tolist()
            cells.add((row, col))
    return cells


def where(mask):
    """Return the cells of a mask as a set."""
    return {tuple(cell) for cell in np.argwhere(mask).tolist()}


def squares(ax):
    """Return the colour that each cell of the picture has."""
    (image,) = ax.images
    return image.to_rgba(image.get_array())


# tiles


def test_eight_tiles_each_with_its_own_colour_name_and_sign():
    assert len(plot.TILES) == 8
    for part in ("name", "fill", "polygons"):
        assert len({getattr(tile, part) for tile in plot.TILES}) == 8, part
    pictures = [np.any([inside(polygon) for polygon in tile.polygons], axis=0) for tile in plot.TILES]
    for (one, mine), (other, theirs) in itertools.combinations(zip(plot.TILES, pictures), 2):
        assert (mine ^ theirs).sum() > 0.15 * (mine | theirs).sum(), f"{one.name}, {other.name}"


@pytest.mark.parametrize("tile", plot.TILES, ids=lambda tile: tile.name)
def test_signs_are_seen_and_keep_clear_of_the_edge(tile):
    assert contrast(tile.fill, tile.ink) >= 4.5
    for polygon in tile.polygons:
        corners = np.array(polygon)
        assert (15 < corners).all() and (corners < 85).all()  # noqa: PT018
        assert abs((corners.min(0) + corners.max(0)) / 2 - 50).max() < 4, "in the middle"


def test_the_ring_has_a_hole():
    (ring,) = (tile for tile in plot.TILES if "ring" in tile.name)
    seen = inside(ring.polygons[0])
    assert not seen[24:26, 24:26].any()
    assert seen[24, 7:17].any() and seen[24, 33:43].any()  # noqa: PT018


def test_fills_are_told_apart_with_any_colour_vision():
    """Two tiles that look alike to somebody differ in their signs; most differ in colour to everybody."""
    # G. M. Machado et al. (2009): what is left of linear red, green and blue without the long, middle, short cones
    sights = {
        "protanopia": [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        "deuteranopia": [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.01182, 0.04294, 0.968881],
        ],
        "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
    }
    for name, sight in sights.items():
        seen = [np.array(sight) @ linear(tile.fill) for tile in plot.TILES]
        apart = [np.linalg.norm(a - b) > 0.1 for a, b in itertools.combinations(seen, 2)]
        assert np.mean(apart) > 0.8, name


# boards


@pytest.mark.parametrize("shape", [(1, 1), (1, 12), (9, 9), (39, 20)])
def test_each_colour_and_sign_in_its_cells(shape):
    board = RNG.integers(-1, 8, shape)
    ax = plot.colours(board, ax=axes())
    seen = squares(ax)
    for number, tile in enumerate(plot.TILES):
        assert cells_with(ax, tile.name) == where(board == number), tile.name
        assert (seen[board == number] == to_rgba(tile.fill)).all()
    assert (seen[board == -1][:, :3] > 0.95).all(), "empty cells are pale"
    assert ax.images[0].get_extent() == [0, shape[1], shape[0], 0]


def test_a_colour_looks_the_same_on_every_board():
    for board in ([[2]], [[2, 0]], [[2, 7]], np.full((200, 200), 2, np.int8)):
        ax = plot.colours(board, ax=axes())
        assert squares(ax)[0, 0].tolist() == list(to_rgba(plot.TILES[2].fill))


def test_large_boards_have_no_signs():
    ax = plot.colours(RNG.integers(0, 8, (40, 10)), ax=axes())
    assert all(labelled(ax, tile.name) == [] for tile in plot.TILES)


def test_many_colours_have_a_shade_each_and_on_small_boards_their_number():
    board = np.arange(-1, 254).reshape(15, 17)
    ax = plot.colours(board, ax=axes())
    assert len(np.unique(squares(ax).reshape(-1, 4), axis=0)) == 255
    assert [patch for patch in ax.patches if not patch.get_label().startswith("_")] == [], "too large for numbers"
    small = np.arange(-1, 11).reshape(3, 4)
    ax = plot.colours(small, ax=axes())
    for number in range(11):
        assert cells_with(ax, str(number)) == where(small == number)
    assert labelled(ax, "-1") == []


def test_labels_of_clusters_are_told_from_their_neighbours_and_the_background():
    labels = components.label(RNG.random((120, 120)) < 0.55, background=0)
    ax = plot.colours(labels, background=0, ax=axes())
    seen = squares(ax)[..., :3]
    assert (seen[labels == 0] > 0.95).all()
    assert len(np.unique(seen.reshape(-1, 3), axis=0)) == labels.max() + 1 < 1000
    shades = np.array([seen[labels == label][0] for label in range(1, labels.max() + 1)])
    assert np.linalg.norm(np.diff(shades, axis=0), axis=1).min() > 0.2
    assert np.linalg.norm(shades - seen[labels == 0][0], axis=1).min() > 0.2


def test_background_is_pale_without_a_sign():
    ax = plot.colours([[0, 1]], background=0, ax=axes())
    assert cells_with(ax, plot.TILES[0].name) == set()
    assert cells_with(ax, plot.TILES[1].name) == {(0, 1)}
    assert (squares(ax)[0, 0] > 0.95).all()


# lines and marks


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("background", [None, 2])
def test_lines_are_around_components(periodic, background):
    for _ in range(10):
        board = RNG.integers(0, 3, RNG.integers(1, 8, 2))
        labels = components.label(board, periodic=periodic, background=background)
        ax = plot.colours(board, labels=labels, periodic=periodic, ax=axes())
        rows, cols = board.shape
        around = labels if periodic else np.pad(labels, 1)
        expected = set()
        for row, col in np.ndindex(rows + 1, cols):
            pair = (
                (labels[(row - 1) % rows, col], labels[row % rows, col]) if periodic else around[row : row + 2, col + 1]
            )
            expected |= {((col, row), (col + 1, row))} if pair[0] != pair[1] else set()
        for row, col in np.ndindex(rows, cols + 1):
            pair = (
                (labels[row, (col - 1) % cols], labels[row, col % cols]) if periodic else around[row + 1, col : col + 2]
            )
            expected |= {((col, row), (col, row + 1))} if pair[0] != pair[1] else set()
        (patch,) = labelled(ax, "labels")
        patch.set_label("_boundary")
        found, n = edges(ax)
        assert found == expected
        assert n == len(expected)


def test_marks_are_outlined_and_the_others_fade():
    board = grid.parse("..x / .xx")
    marks = board
    ax = plot.colours(board.astype(int), marks=marks, ax=axes())
    assert cells_with(ax, "faded") == where(~marks)
    assert edges(ax) == edges(plot.region(marks, ax=axes()))
    ax = plot.colours(board.astype(int), marks=marks & False, ax=axes())
    assert labelled(ax, "faded") == labelled(ax, "_boundary") == []


def test_periodic_frame_is_dashed():
    for periodic in (False, True):
        ax = plot.colours([[0, 1], [1, 2]], periodic=periodic, ax=axes())
        assert {spine.get_linestyle() == "-" for spine in ax.spines.values()} == {not periodic}


@pytest.mark.parametrize("layout", ["int8", "read-only", "fortran", "list", "uint64"])
def test_any_integers_are_drawn_and_none_is_changed(layout):
    board = np.array([[0, 1, 2], [3, 4, 5]])
    given = {
        "int8": board.astype(np.int8),
        "read-only": board.copy(),
        "fortran": np.asfortranarray(board),
        "list": board.tolist(),
        "uint64": board.astype(np.uint64),
    }[layout]
    if layout == "read-only":
        given.setflags(write=False)
    ax = plot.colours(given, labels=board + 1, marks=board > 2, ax=axes())
    assert (ax.images[0].get_array() == board + 1).all()
    assert (np.asarray(given) == board).all()


@pytest.mark.parametrize(
    ("board", "options", "error", "words"),
    [
        ([[-2]], {}, ValueError, r"board must be from -1 to 2\*\*63 - 1, got values from -2 to -2"),
        ([[0.0]], {}, TypeError, "board must be an integer array .* got dtype float64"),
        ([[2**64 - 1]], {}, ValueError, "board must be from -1 .* to 18446744073709551615"),
        ([[1], [2, 3]], {}, ValueError, "board must have shape .* rows of different lengths"),
        ([1], {}, ValueError, r"board must have shape \(\.\.\., rows, cols\), got \(1,\)"),
        ([[[1]]], {}, ValueError, r"board must have shape \(rows, cols\) .* got \(1, 1, 1\)"),
        (np.zeros((0, 2), int), {}, ValueError, r"board must have shape .* sides of at least 1, got \(0, 2\)"),
        ([[1]], {"labels": [[-1]]}, ValueError, "labels must be from 0 .* got values from -1 to -1"),
        ([[1]], {"background": "3"}, TypeError, "background must be an integer, got '3'"),
        ([[1]], {"background": np.nan}, TypeError, "background must be an integer, got nan"),
        ([[1]], {"periodic": 3.0}, TypeError, "periodic must be True or False, got 3.0"),
        ([[1]], {"marks": [[1, 0]]}, ValueError, r"marks must have the board's shape \(1, 1\), got \(1, 2\)"),
        ([[1]], {"labels": [[1, 0]]}, ValueError, r"labels must have the board's shape \(1, 1\), got \(1, 2\)"),
        ([[1]], {"labels": [[0.5]]}, TypeError, "labels must be an integer array"),
    ],
)
def test_refuses(board, options, error, words):
    ax = Figure().subplots()
    with pytest.raises(error, match=words):
        plot.colours(board, **options, ax=ax)
    assert not ax.images
