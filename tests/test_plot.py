"""Tests of `plot`: what the artists hold, and that nothing else changes."""

import io
import itertools

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.figure import Figure
from scipy import stats

from gridlab import bench, grid, mines, plot

pytestmark = pytest.mark.once

RING = grid.parse("xxx / x.x / xxx")
RNG = np.random.default_rng(20261130)


def axes():
    return Figure().subplots()


def labelled(ax, label):
    """Find the artists that plot gave this label."""
    return [artist for artist in ax.get_children() if artist.get_label() == label]


def edges(ax):
    """Take the boundary apart: a set of unit edges ((x, y), (x, y)), and how many were drawn."""
    (patch,) = labelled(ax, "_boundary")
    units = []
    for start, end in patch.get_path().vertices.reshape(-1, 2, 2):
        n = int(np.abs(end - start).sum())
        corners = [tuple((start + (end - start) * k / n).tolist()) for k in range(n + 1)]
        units += itertools.pairwise(corners)
    return set(units), len(units)


def times(powers, sizes=(1000, 10_000, 100_000), rounds=9):
    """Make timings of calls whose time is a power of the size but for noise."""
    noise = np.random.default_rng(5)
    return pd.DataFrame(
        [
            (name, size, k, 1e-8 * size**power * np.exp(noise.normal(0, 0.1)))
            for name, power in powers.items()
            for size in sizes
            for k in range(rounds)
        ],
        columns=["call", "size", "round", "seconds"],
    )


TIMES = times({"insertion, list": 2, "shuffle, list": 1})

CALLS = {
    "region": lambda ax: plot.region(RING, marks=~RING, ax=ax),
    "board": lambda ax: plot.board([[1, 9, 0], [10, 11, 12]], marks=[[1, 0, 0], [0, 0, 0]], ax=ax),
    "colours": lambda ax: plot.colours(
        [[1, -1, 0], [2, 3, 1]], labels=[[1, 0, 2], [3, 4, 5]], marks=[[1, 0, 0]] * 2, ax=ax
    ),
    "frequencies": lambda ax: plot.frequencies([[1, 2], [3, 4]], ax=ax),
    "residuals": lambda ax: plot.residuals([[-1, 2.5]], ax=ax),
    "distribution": lambda ax: plot.distribution({"generator": ["eden"] * 3, "area": [1, 2, 4]}, "area", ax=ax),
    "law": lambda ax: plot.law([3, 7], [0.5, 0.5], ax=ax),
    "neighbourhoods": lambda ax: plot.neighbourhoods([0, 255], [0, 1], labels=["a", "b"], ax=ax),
    "timings": lambda ax: plot.timings(TIMES, slopes=bench.exponent(TIMES), ax=ax),
}


@pytest.mark.parametrize("name", CALLS)
def test_takes_and_returns_axes_and_leaves_no_trace(name):
    settings, state = dict(mpl.rcParams), np.random.get_state()[1].copy()  # noqa: NPY002
    ax = axes()
    assert CALLS[name](ax) is ax
    ax.figure.savefig(io.BytesIO(), format="png")
    assert dict(mpl.rcParams) == settings
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", CALLS)
def test_without_axes_draws_into_the_current_ones(name):
    try:
        current = plt.figure().subplots(1, 2)[1]
        assert CALLS[name](None) is current
        assert len(plt.get_fignums()) == 1
    finally:
        plt.close("all")


@pytest.mark.parametrize("name", CALLS)
def test_same_call_same_bytes(name):
    pictures = []
    for _ in range(2):
        with plot.style():
            figure = Figure()
            CALLS[name](figure.subplots())
            out = io.BytesIO()
            figure.savefig(out, format="svg", metadata={"Date": None})
            pictures.append(out.getvalue())
    assert pictures[0] == pictures[1]


def test_style_is_a_context():
    before = dict(mpl.rcParams)
    with plot.style():
        assert mpl.rcParams["image.cmap"] == "cividis"
        assert dict(mpl.rcParams) != before
    assert dict(mpl.rcParams) == before


def test_colours_differ():
    colours = [to_rgb(colour) for colour in plot.COLOURS.values()]
    assert len(set(colours)) == len(colours)


# region


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 2), (20, 30), (50, 50), (200, 200)])
def test_region_is_its_image(shape):
    mask = RNG.random(shape) < 0.5
    ax = plot.region(mask, ax=axes())
    (image,) = ax.images
    assert (image.get_array() == mask).all()
    assert image.get_interpolation() == "none"
    assert image.get_extent() == [0, shape[1], shape[0], 0]  # row 0 on top
    assert ax.get_aspect() == 1


def test_region_colours():
    ax = plot.region([[0, 1]], color=plot.COLOURS["dfs"], ax=axes())
    assert ax.images[0].to_rgba(np.array([0, 1])).tolist() == [[1, 1, 1, 1], list(to_rgba(plot.COLOURS["dfs"]))]
    # a full and an empty grid have the colours of filled and of empty cells
    for value in (0, 1):
        ax = plot.region([[value]], color="red", ax=axes())
        assert ax.images[0].to_rgba(ax.images[0].get_array())[0, 0].tolist() == ([1, 0, 0, 1] if value else [1] * 4)


@pytest.mark.parametrize("periodic", [False, True])
def test_boundary_is_the_edges_between_filled_and_not(periodic):
    for _ in range(20):
        mask = RNG.random(RNG.integers(3, 8, 2)) < 0.5
        rows, cols = mask.shape
        expected = set()
        for row, col in np.ndindex(rows + 1, cols):
            pair = [(row - 1, col), (row, col)]
            filled = [mask[r % rows, c] if periodic or 0 <= r < rows else False for r, c in pair]
            if filled[0] != filled[1]:
                expected.add(((col, row), (col + 1, row)))
        for row, col in np.ndindex(rows, cols + 1):
            pair = [(row, col - 1), (row, col)]
            filled = [mask[r, c % cols] if periodic or 0 <= c < cols else False for r, c in pair]
            if filled[0] != filled[1]:
                expected.add(((col, row), (col, row + 1)))
        found, n = edges(plot.region(mask, periodic=periodic, ax=axes()))
        assert found == expected
        assert n == len(expected)  # none drawn twice


@pytest.mark.parametrize(("shape", "lines"), [((39, 39), 76), ((1, 39), 38), ((40, 39), None), ((3, 40), None)])
def test_grid_lines_only_below_40_a_side(shape, lines):
    found = labelled(plot.region(np.zeros(shape, bool), ax=axes()), "_grid")
    assert len(found) == (0 if lines is None else 1)
    if lines is not None:
        assert len(found[0].get_path().vertices) == 2 * lines


def test_periodic_frame_is_dashed():
    for periodic in (False, True):
        ax = plot.region(RING, periodic=periodic, ax=axes())
        assert {spine.get_linestyle() == "-" for spine in ax.spines.values()} == {not periodic}
        assert all(spine.get_visible() for spine in ax.spines.values())


def test_marks_are_drawn_where_they_are():
    marks = grid.parse("... / .xx / ...")
    (patch,) = labelled(plot.region(RING, marks=marks, ax=axes()), "marks")
    path = patch.get_path()
    row, col = np.indices((3, 3)) + 0.5
    inside = path.contains_points(np.stack([col.ravel(), row.ravel()], -1)).reshape(3, 3)
    assert (inside == marks).all()
    assert patch.get_hatch()
    assert labelled(plot.region(RING, marks=np.zeros((3, 3), bool), ax=axes()), "marks") == []


@pytest.mark.parametrize("colour", plot.COLOURS.values())
def test_marks_stand_out_from_every_region_in_grey_too(colour):
    (patch,) = labelled(plot.region(RING, marks=~RING, color=colour, ax=axes()), "marks")
    grey = [0.299 * r + 0.587 * g + 0.114 * b for r, g, b in (to_rgb(colour), patch.get_facecolor()[:3], (1, 1, 1))]
    assert abs(grey[0] - grey[1]) > 0.2
    assert abs(grey[1] - grey[2]) > 0.2


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: plot.region([0, 1]), ValueError, r"region must have shape"),
        (lambda: plot.region([[0.5]]), TypeError, r"region must be a bool array"),
        (lambda: plot.region([[0, 2]]), ValueError, r"region must hold only 0 and 1"),
        (
            lambda: plot.region(np.zeros((2, 3, 3), bool)),
            ValueError,
            r"region must have shape \(rows, cols\), got \(2, 3",
        ),
        (lambda: plot.region([[1, 1]], periodic=True), ValueError, r"at least 3, got 1"),
        (
            lambda: plot.region(RING, marks=[[1]]),
            ValueError,
            r"marks must have the region's shape \(3, 3\), got \(1, 1\)",
        ),
        (lambda: plot.regions([]), ValueError, r"regions must be at least one"),
        (lambda: plot.regions([RING], titles=["a", "b"]), ValueError, r"titles must be as many as regions, 1, got 2"),
        (lambda: plot.regions([RING, RING], axes=[None]), ValueError, r"axes must be at least one for each of 2"),
        (lambda: plot.frequencies([1, 2]), ValueError, r"counts must have 2 axes"),
        (lambda: plot.frequencies([["a"]]), TypeError, r"counts must be numbers"),
        (lambda: plot.residuals([[np.nan, 1]]), ValueError, r"residuals must be finite, got 1"),
        (lambda: plot.distribution({"area": [1]}, "area"), ValueError, r"by must be one of 'area', got 'generator'"),
        (lambda: plot.distribution({"generator": ["a"]}, "area"), ValueError, r"column must be .* got 'area'"),
        (lambda: plot.distribution({"generator": ["a"], "x": [np.nan]}, "x"), ValueError, r"at least one finite value"),
        (lambda: plot.law([1, 2], [1.0]), ValueError, r"chances must be as many as counts, 2, got 1"),
        (lambda: plot.law([1, 2], [0.5, 0.6]), ValueError, r"chances must add up to 1, got 1.1"),
        (lambda: plot.law([-1, 2], [0.5, 0.5]), ValueError, r"counts must be at least 0, got -1"),
        (lambda: plot.law([0, 0], [0.5, 0.5]), ValueError, r"at least one draw"),
        (
            lambda: plot.law([1, 2], [0.5, 0.5], regions=[RING]),
            ValueError,
            r"regions must be as many as counts, 2, got 1",
        ),
        (lambda: plot.neighbourhoods([256]), ValueError, r"codes must be from 0 to 255, got 256"),
        (lambda: plot.neighbourhoods([0.5]), TypeError, r"codes must be integers"),
        (lambda: plot.neighbourhoods([1], [0, 0]), ValueError, r"categories must be as many as codes, 1, got 2"),
        (lambda: plot.neighbourhoods([1], [1], labels=["a"]), ValueError, r"categories must be from 0 to 0"),
        (lambda: plot.neighbourhoods([1], columns=0), ValueError, r"columns must be at least 1, got 0"),
        (lambda: plot.neighbourhoods([1], texts=[]), ValueError, r"texts must be as many as codes, 1, got 0"),
    ],
)
def test_bad_input_is_refused_before_anything_is_drawn(call, error, words):
    with pytest.raises(error, match=words):
        call()
    assert plt.get_fignums() == []


# regions


def test_regions_in_a_row():
    masks = [RING, np.ones((2, 5), bool), np.zeros((1, 1), bool)]
    names = ["eden", "dfs", "something else"]
    into = Figure().subplots(2, 2)
    out = plot.regions(masks, titles=names, axes=into)
    assert out.shape == (2, 2)
    for mask, name, ax in zip(masks, names, out.flat, strict=False):
        assert (ax.images[0].get_array() == mask).all()
        assert ax.get_title(loc="left") == name
        assert to_rgb(ax.images[0].cmap(1)) == to_rgb(plot.COLOURS.get(name, plot.GREY))
    assert not out[1, 1].axison


def test_regions_whose_titles_name_no_generator_are_blue():
    for titles in (None, ["one", "two"]):
        for ax in plot.regions([RING, RING], titles=titles, axes=Figure().subplots(1, 2)):
            assert to_rgb(ax.images[0].cmap(1)) == to_rgb(plot.BLUE)


def test_regions_without_axes_take_one_row_of_the_current_figure():
    try:
        out = plot.regions(np.array([RING, RING]))
        assert out.shape == (2,)
        assert plt.gcf().axes == list(out)
    finally:
        plt.close("all")


# board


def stamped(ax, label):
    """Find the cells that have a sign, by the middles of its copies."""
    cells = set()
    for patch in labelled(ax, label):
        path = patch.get_path()
        starts = np.flatnonzero(path.codes == path.MOVETO)
        for start, end in itertools.pairwise([*starts, len(path)]):
            col, row = np.floor(path.vertices[start:end].mean(0)).astype(int).tolist()
            cells.add((row, col))
    return cells


@pytest.mark.parametrize("shape", [(1, 1), (1, 12), (2, 2), (9, 9), (16, 30), (100, 100)])
def test_board_has_each_sign_in_its_cells(shape):
    shown = RNG.integers(14, size=shape)
    ax = plot.board(shown, ax=axes())
    (image,) = ax.images
    assert (image.get_array() == shown).all()
    signs = {
        **{str(number): [number] for number in range(1, 9)},
        "mine": [mines.MINE, mines.HIT],
        "flag": [mines.FLAG, mines.WRONG],
        "wrong": [mines.WRONG],
    }
    for label, values in signs.items():
        assert stamped(ax, label) == {tuple(cell) for cell in np.argwhere(np.isin(shown, values)).tolist()}, label


def test_board_squares():
    ax = plot.board([[0, 8, mines.MINE, mines.HIDDEN, mines.FLAG, mines.WRONG, mines.HIT]], ax=axes())
    (image,) = ax.images
    colours = [tuple(image.cmap(image.norm(value))) for value in image.get_array()[0]]
    opened, closed, bare, hit = map(to_rgba, plot.SQUARES)
    assert colours == [opened, opened, bare, closed, closed, bare, hit]


def test_board_of_a_game():
    game = mines.Game((9, 9), 10, rng=3)
    game.reveal(40)
    ax = plot.board(game.shown, ax=axes())
    assert (ax.images[0].get_array() == game.shown).all()
    assert labelled(ax, "mine") == [], "they are hidden"
    ax = plot.board(game.board, ax=axes())
    assert stamped(ax, "mine") == {tuple(cell) for cell in np.argwhere(game.board).tolist()}
    assert not any(labelled(ax, str(number)) for number in range(1, 9)), "a mask has no numbers"


def test_board_marks():
    board = mines.floyd((9, 9), 10, rng=3)
    opening = mines.reveal(board, int(np.flatnonzero(mines.numbers(board) == 0)[0]))
    ax = plot.board(mines.numbers(board), marks=opening, ax=axes())
    assert stamped(ax, "marks") == {tuple(cell) for cell in np.argwhere(opening).tolist()}
    assert edges(ax) == edges(plot.region(opening, ax=axes()))
    assert labelled(plot.board(board, marks=board & False, ax=axes()), "marks") == []


def test_digits_are_read_easily():
    """The contrast of every digit on an open square is at least 5; WCAG 2 asks 4.5 of a text."""

    def luminance(colour):
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
        return np.dot([0.2126, 0.7152, 0.0722], parts)

    for colour in plot.DIGITS:
        assert (luminance(plot.SQUARES[0]) + 0.05) / (luminance(colour) + 0.05) >= 5
    assert len(set(plot.DIGITS)) == 8


@pytest.mark.parametrize(
    ("shown", "marks", "error", "words"),
    [
        ([[14]], None, ValueError, "shown must be from 0 to 13, got values from 14 to 14"),
        ([[-1]], None, ValueError, "shown must be from 0 to 13"),
        ([[0.0]], None, TypeError, "shown must be a bool or integer array"),
        ([1], None, ValueError, r"shown must have shape \(rows, cols\)"),
        (np.zeros((0, 2), int), None, ValueError, "sides of at least 1"),
        ([[1]], [[1, 0]], ValueError, r"marks must have the board's shape \(1, 1\), got \(1, 2\)"),
    ],
)
def test_board_refuses(shown, marks, error, words):
    with pytest.raises(error, match=words):
        plot.board(shown, marks=marks, ax=axes())


# maps


def test_frequencies_hold_the_counts():
    counts = RNG.integers(0, 100, (7, 5))
    ax = plot.frequencies(counts, label="draws", ax=axes())
    (image,) = ax.images
    assert (image.get_array() == counts).all()
    assert image.get_cmap().name == "cividis"
    assert image.colorbar.ax.get_ylabel() == "draws"
    assert plot.frequencies(counts, vmin=0, ax=axes()).images[0].get_clim()[0] == 0


@pytest.mark.parametrize(
    ("values", "limit"), [([[-3, 1]], 3), ([[1, 2], [0, 0.5]], 2), ([[-5, -4]], 5), ([[0, 0]], 1), ([[1e-9, 0]], 1e-9)]
)
def test_residuals_are_centred_on_zero(values, limit):
    (image,) = plot.residuals(values, ax=axes()).images
    assert image.get_clim() == (-limit, limit)
    assert (image.get_array() == np.array(values)).all()
    middle = image.to_rgba(np.array([0.0]))[0, :3]
    assert middle.min() > 0.95  # zero is white
    # more is redder than less
    low, high = image.to_rgba(np.array([-limit / 2, limit / 2]))
    assert high[0] > low[0]
    assert low[2] > high[2]


def test_residuals_limit_can_be_set():
    assert plot.residuals([[1, 2]], vmax=4, ax=axes()).images[0].get_clim() == (-4, 4)


# distribution


def table(**groups):
    return pd.DataFrame(
        [(name, value) for name, values in groups.items() for value in values], columns=["generator", "x"]
    )


def test_distribution_draws_every_group_in_its_colour():
    groups = {name: RNG.normal(k, 1, 200) for k, name in enumerate(plot.COLOURS)}
    ax = plot.distribution(table(**groups), "x", ax=axes())
    assert [text.get_text() for text in ax.get_yticklabels()] == list(groups)
    assert [to_rgb(patch.get_facecolor()) for patch in ax.patches] == [
        to_rgb(colour) for colour in plot.COLOURS.values()
    ]
    # and keeps it when it is alone
    alone = plot.distribution(table(mixed=groups["mixed"]), "x", ax=axes())
    assert to_rgb(alone.patches[0].get_facecolor()) == to_rgb(plot.COLOURS["mixed"])


def test_a_generator_without_a_colour_is_grey():
    ax = plot.distribution(table(eden=[1, 2], newcomer=[2, 3]), "x", ax=axes())
    assert [to_rgb(patch.get_facecolor()) for patch in ax.patches] == [to_rgb(plot.BLUE), to_rgb(plot.GREY)]


def test_distribution_counts_what_is_there():
    values = [2, 2, 2, 4, 4, 10]
    ax = plot.distribution(table(eden=values), "x", ax=axes())
    top, corners, base = ax.patches[0].get_data()
    heights = (top - base) / 0.8 * 3  # three draws are the highest bin
    for value in range(1, 12):
        (bin_,) = np.nonzero((corners[:-1] < value) & (value < corners[1:]))[0][:1].tolist() or (None,)
        if value in values:
            assert heights[bin_] == pytest.approx(values.count(value))
    assert heights.sum() == pytest.approx(len(values))


def test_bins_of_even_numbers_hold_equally_many_values():
    for high in (10, 100, 999, 12_345):
        values = np.arange(4, 4 + 2 * high, 2)
        corners = plot.charts._bins(values.astype(float))
        counts = np.histogram(values, corners)[0]
        assert counts.sum() == len(values)
        assert len(set(counts[:-1].tolist())) <= 1
        assert len(counts) <= 81


def test_distribution_mean_and_interval():
    values = RNG.normal(10, 2, 400)
    ax = plot.distribution(table(eden=values), "x", ax=axes())
    (bar,) = ax.containers
    assert bar.lines[0].get_xdata()[0] == pytest.approx(values.mean())
    (segment,) = bar.lines[2][0].get_segments()
    half = 1.96 * values.std(ddof=1) / 20
    assert segment[:, 0].tolist() == pytest.approx([values.mean() - half, values.mean() + half])


def test_distribution_says_what_it_leaves_out():
    ax = plot.distribution(table(eden=[1, np.nan, 3], dfs=[np.nan], walk=[2]), "x", ax=axes())
    assert [t.get_text() for t in ax.get_yticklabels()] == ["eden\n(1 undefined)", "dfs\n(1 undefined)", "walk"]
    assert len(ax.patches) == 2


def test_distribution_of_one_value():
    ax = plot.distribution(table(eden=[5, 5, 5]), "x", ax=axes())
    assert ax.patches[0].get_data().edges.tolist() == [4.5, 5.5]


# law


def test_law_bars_and_chances():
    counts, chances = [20, 30, 50], [0.25, 0.25, 0.5]
    ax = plot.law(counts, chances, ax=axes())
    assert [bar.get_height() for bar in ax.patches] == [0.2, 0.3, 0.5]
    lines = next(c for c in ax.collections if c.get_label() == "exact chance")
    assert [segment[0, 1] for segment in lines.get_segments()] == chances
    assert ax.get_ylim()[0] == 0


def test_law_intervals_are_wilsons():
    counts = [0, 1, 40, 59]
    ax = plot.law(counts, [0.25] * 4, ax=axes())
    bars = next(c for c in ax.containers if hasattr(c, "has_yerr"))
    for count, segment in zip(counts, bars.lines[2][0].get_segments()):
        interval = stats.binomtest(count, 100).proportion_ci(method="wilson")
        assert segment[:, 1].tolist() == pytest.approx([interval.low, interval.high], abs=1e-4)


def test_law_draws_the_regions_under_their_bars():
    masks = [[[1, 1]], [[1], [1]]]
    ax = plot.law([1, 2], [0.5, 0.5], regions=masks, ax=axes())
    ax.figure.draw_without_rendering()
    for mask, bar, inset in zip(masks, ax.patches, ax.child_axes):
        assert (inset.images[0].get_array() == np.array(mask)).all()
        box, below = inset.get_window_extent(), bar.get_window_extent()
        assert (box.x0 + box.x1) / 2 == pytest.approx((below.x0 + below.x1) / 2, abs=1)
        assert box.y1 < below.y0


@pytest.mark.parametrize("shares", [[9, 10, 27, 19, 35], [35, 19, 27, 10, 9], [20] * 5, [0, 100], [100, 0], [100]])
@pytest.mark.parametrize("size", [(12, 3.6), (11, 3)])
def test_law_legend_covers_nothing_in_a_row_of_axes(shares, size):
    with plot.style():
        figure = Figure(figsize=size)
        row = figure.subplots(1, 3, sharey=True)
        other = shares[::-1] if min(shares) else [100 / len(shares)] * len(shares)
        for ax, counts in zip(row, (shares, other, shares), strict=True):
            masks = [RING] * len(counts)
            plot.law(1000 * np.array(counts), np.array(counts) / 100, regions=masks, ax=ax)
        figure.draw_without_rendering()
    for ax in row:
        box, frame = ax.get_legend().get_window_extent(), ax.get_window_extent()
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        assert frame.y0 <= box.y0 < box.y1 <= frame.y1
        assert not ax.get_legend().get_frame_on()
        # nothing that is drawn reaches up to the legend where the legend is
        for bar in ax.patches:
            extent = bar.get_window_extent()
            assert extent.y1 < box.y0 or extent.x1 < box.x0 or extent.x0 > box.x1
        assert ax.get_ylim() == row[0].get_ylim()
        assert ax.get_ylim()[1] > max(bar.get_height() for other in row for bar in other.patches)


def test_law_without_legend():
    assert plot.law([1, 2], [0.5, 0.5], legend=False, ax=axes()).get_legend() is None


# neighbourhoods


def cell_colours(ax, n):
    """Face colours as (picture, row, col, rgb)."""
    return ax.collections[0].get_facecolor()[:, :3].reshape(n, 3, 3, 3)


def test_neighbourhoods_fill_the_cells_of_the_code():
    codes = np.arange(256)
    ax = plot.neighbourhoods(codes, ax=axes())
    dark = cell_colours(ax, 256).sum(-1) < 1
    for code in codes:
        expected = np.zeros((3, 3), bool)
        for bit, (row, col) in enumerate(grid.RING):
            expected[1 + row, 1 + col] = code >> bit & 1
        assert (dark[code] == expected).all()
    # the squares lie where the rows and columns say: bit 0 is the cell at the right
    centres = np.array([path.vertices[:4].mean(0) for path in ax.collections[0].get_paths()]).reshape(256, 3, 3, 2)
    assert (np.diff(centres, axis=2)[..., 0] == 1).all()
    assert (np.diff(centres, axis=1)[..., 1] == 1).all()
    assert ax.yaxis_inverted()
    assert (centres[16, 0, 0] - centres[0, 0, 0]).tolist() == [0, 4]  # 16 in a row


def test_neighbourhoods_tell_categories_by_colour_sign_and_legend():
    codes, kinds = [0, 5, 255], [1, 0, 1]
    ax = plot.neighbourhoods(
        codes, kinds, labels=["agrees", "refuses", "unused"], colours=["red", "blue", "lime"], ax=axes()
    )
    assert cell_colours(ax, 3)[:, 1, 1].tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 1]]
    legend = ax.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["agrees (1)", "refuses (2)", "unused (0)"]
    assert len(set(plot.SIGNS)) == len(plot.SIGNS) == len(plot.CATEGORIES)


def test_neighbourhoods_with_texts_and_columns():
    ax = plot.neighbourhoods([0, 1, 2], texts=["×1", "×4", "×8"], columns=2, ax=axes())
    assert [text.get_text() for text in ax.texts] == ["×1", "×4", "×8"]
    assert ax.texts[2].get_position()[0] == ax.texts[0].get_position()[0]
    assert ax.texts[2].get_position()[1] > ax.texts[0].get_position()[1]


# mixing, pvalues


def test_mixing_draws_the_law_and_what_was_measured():
    law = pd.DataFrame(
        {"swaps": [0, 5, 9], "start": [1, 0.6, 0.5], "elsewhere": [0, 0.1, 0.2], "distance": [1, 0.7, 0.4]}
    )
    measured = pd.DataFrame({"swaps": [5], "start": [0.58], "elsewhere": [0.12], "error": [0.02]})
    ax = plot.mixing(law, measured=measured, ax=axes())
    lines = {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}
    assert [lines[words].get_ydata().tolist() for words, _, _ in plot.MIXING.values()] == [
        law[column].tolist() for column in plot.MIXING
    ]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines.values()}) == 3
    dots = [bars.lines[0].get_xydata().tolist() for bars in ax.containers]
    assert dots == [[[5, 0.58]], [[5, 0.12]]]
    (bar,) = ax.containers[0].lines[2][0].get_segments()
    assert np.allclose(bar[:, 1], [0.58 - 1.96 * 0.02, 0.58 + 1.96 * 0.02])
    for column in ("swaps", *plot.MIXING):
        with pytest.raises(ValueError, match=f"table must have a column '{column}'"):
            plot.mixing(law.drop(columns=column), ax=axes())
    with pytest.raises(ValueError, match="measured must have a column 'error'"):
        plot.mixing(law, measured=measured.drop(columns="error"), ax=axes())


def test_pvalues_are_a_line_a_test_and_end_in_the_strip():
    table = pd.DataFrame(
        {
            "test": ["cells", "pairs", "subsets"] * 2,
            "boards": [100] * 3 + [1000] * 3,
            "pvalue": [0.3, 0.01, np.nan, 0.2, 0.0, np.nan],
        }
    )
    ax = plot.pvalues(table, ax=axes())
    lines = [line for line in ax.lines if not line.get_label().startswith("_")]
    assert [line.get_label() for line in lines] == ["cells", "pairs", "0.05"]
    assert [line.get_xydata().tolist() for line in lines[:2]] == [
        [[100, 0.3], [1000, 0.2]],
        [[100, 0.01], [1000, plot.LEAST]],
    ]
    assert ax.get_xscale() == ax.get_yscale() == "log"
    many = pd.concat([table.assign(test=f"{k}") for k in range(9)])
    looks = {
        (line.get_color(), line.get_marker(), line.get_linestyle()) for line in plot.pvalues(many, ax=axes()).lines
    }
    assert len(looks) >= 9
    assert plot.pvalues(table[2:3], ax=axes()).get_legend() is None  # no p-value at all
    for column in table:
        with pytest.raises(ValueError, match=f"table must have a column '{column}'"):
            plot.pvalues(table.drop(columns=column), ax=axes())


# timings


def entries(ax):
    """Return the legend's texts and the looks of their markers."""
    legend = ax.get_legend()
    dots = {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}
    return {text.get_text(): dots[text.get_text()] for text in legend.get_texts()}


def test_timings_are_medians_with_the_interval_of_bench():
    ax = plot.timings(TIMES, ax=axes())
    assert ax.get_xscale() == ax.get_yscale() == "log"
    expected = bench.summary(TIMES)
    assert list(entries(ax)) == ["insertion, list", "shuffle, list"]
    for bars, (name, dots) in zip(ax.containers, entries(ax).items(), strict=True):
        own = expected[expected["call"] == name]
        assert np.allclose(dots.get_xydata(), own[["size", "median"]])
        segments = np.array(bars.lines[2][0].get_segments())
        assert np.allclose(segments[..., 1], own[["low", "high"]])
        assert np.allclose(segments[..., 0].T, own["size"])


@pytest.mark.parametrize("rounds", [1, 2, 5, 6, 7, 8, 12, 51])
def test_bars_go_from_end_to_end_below_six_rounds(rounds):
    table = times({"one": 1}, [1000], rounds)
    segment = plot.timings(table, ax=axes()).containers[0].lines[2][0].get_segments()[0]
    found = bench.summary(table).iloc[0]
    ends = (found["low"], found["high"]) if rounds >= 6 else (table["seconds"].min(), table["seconds"].max())
    assert segment[:, 1].tolist() == pytest.approx(ends)


def test_timings_with_slopes():
    slopes = bench.exponent(TIMES)
    ax = plot.timings(TIMES, slopes=slopes, ax=axes())
    for fit, (text, dots) in zip(slopes.itertuples(), entries(ax).items(), strict=True):
        assert text == f"{fit.call}: slope {fit.exponent:.2f} [{fit.low:.2f}, {fit.high:.2f}]"
        assert dots.get_linestyle() == "None"
        (line,) = labelled(ax, f"_fit {fit.call}")
        ends = np.array([1000, 100_000])
        assert np.allclose(line.get_xydata(), np.stack([ends, fit.scale * ends**fit.exponent], 1))
        assert (line.get_color(), line.get_linewidth() < 1) == (dots.get_color(), True)
        assert all(len(rest.get_xdata()) == 1 for rest in labelled(ax, f"_rest {fit.call}"))
    # medians at other sizes are joined
    part = bench.exponent(TIMES[TIMES["size"] > 1000])
    ax = plot.timings(TIMES, slopes=part, ax=axes())
    rest = [line.get_xdata().tolist() for line in labelled(ax, "_rest shuffle, list")]
    assert rest == [[1000, 10_000], [100_000]]
    # no interval, no exponent, no such call
    some = slopes.assign(low=np.nan, high=np.nan, call=["insertion, list", "elsewhere"])
    found = entries(plot.timings(TIMES, slopes=some, ax=axes()))
    assert list(found) == [f"insertion, list: slope {slopes['exponent'][0]:.2f}", "shuffle, list"]
    assert [dots.get_linestyle() for dots in found.values()] == ["None", "-"]
    none = bench.exponent(TIMES[TIMES["size"] == 1000])
    assert list(entries(plot.timings(TIMES, slopes=none, ax=axes()))) == ["insertion, list", "shuffle, list"]


@pytest.mark.parametrize(
    "names", [list(bench.CONTENDERS), [f"call {k}" for k in range(16)], [f"one, {k}" for k in range(16)]]
)
def test_timings_of_many_calls_are_told_apart(names):
    found = entries(plot.timings(times(dict.fromkeys(names, 1)), ax=axes()))
    looks = {name: (dots.get_color(), dots.get_marker(), dots.get_linestyle()) for name, dots in found.items()}
    assert len(set(looks.values())) == len(names)
    assert plot.YELLOW not in {colour for colour, *_ in looks.values()}, "too light for a line on white"
    procedures = {name.partition(",")[0] for name in names}
    for procedure in procedures:
        own = [look for name, look in looks.items() if name.partition(",")[0] == procedure]
        assert len({colour for colour, *_ in own}) == 1
        assert len({(marker, dashes) for _, marker, dashes in own}) == len(own)
    assert len({colour for colour, *_ in looks.values()}) == min(len(procedures), 8)


def test_legend_of_timings_is_beside_them_and_in_the_order_of_the_lines():
    table = times({"a": 1, "b": 2, "c": 1.5})
    table = table[(table["call"] != "b") | (table["size"] < 5000)]  # ends early, where it is not yet the slowest
    with plot.style():
        ax = plot.timings(table, ax=axes())
        ax.figure.draw_without_rendering()
    assert list(entries(ax)) == ["b", "c", "a"]
    assert ax.get_legend().get_window_extent().x0 > ax.get_window_extent().x1
    assert ax.get_legend().get_window_extent().x1 <= ax.figure.bbox.x1


@pytest.mark.parametrize(
    ("sizes", "scale", "x", "y"),
    [
        ([1000, 100_000], 1, ["1,000", "10,000", "100,000"], ["10 µs", "100 µs", "1 ms"]),
        ([1000, 2000], 1, ["1,000", "2,000"], ["10 µs", "20 µs"]),
        ([100, 10_000], 1e6, ["100", "1,000", "10,000"], ["1 s", "10 s", "100 s"]),
        ([1, 100], 1, ["1", "10", "100"], ["10 ns", "100 ns", "1 µs"]),
        ([500], 1, ["100", "200", "500", "1,000"], ["1 µs", "2 µs", "5 µs", "10 µs"]),
    ],
)
def test_ticks_of_timings_say_numbers_and_units(sizes, scale, x, y):
    rows = [("one", size, scale * 1e-8 * size) for size in sizes]
    ax = plot.timings(pd.DataFrame(rows, columns=["call", "size", "seconds"]), ax=axes())
    ax.figure.draw_without_rendering()
    for axis, expected in ((ax.xaxis, x), (ax.yaxis, y)):
        low, high = sorted(axis.get_view_interval())
        ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        assert [tick.label1.get_text() for tick in ticks] == expected
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("size", "time of one call")


def test_timings_hand_on_keywords():
    ax = plot.timings(TIMES, slopes=bench.exponent(TIMES), color="red", markersize=9, ax=axes())
    assert {dots.get_markersize() for dots in entries(ax).values()} == {9}
    assert {line.get_color() for line in ax.lines} == {"red"}


@pytest.mark.parametrize(
    ("table", "slopes", "error", "words"),
    [
        *((TIMES.drop(columns=c), None, ValueError, f"table must have a column '{c}'") for c in ("call", "seconds")),
        (pd.DataFrame(), None, ValueError, "table must have a column 'call', got none"),
        (TIMES[:0], None, ValueError, "at least one timing, got none"),
        (TIMES.assign(seconds=0.0), None, ValueError, r"table\['seconds'\] must be finite and above 0, got 0.0"),
        (TIMES.assign(seconds=np.nan), None, ValueError, r"table\['seconds'\] must be finite and above 0, got nan"),
        (TIMES.assign(size=-1), None, ValueError, r"table\['size'\] must be finite and above 0, got -1"),
        (TIMES.assign(size="many"), None, TypeError, r"table\['size'\] must be numbers, got dtype object"),
        *(
            (TIMES, bench.exponent(TIMES).drop(columns=c), ValueError, f"slopes must have a column '{c}'")
            for c in ("call", "exponent", "low", "high", "scale", "smallest", "largest")
        ),
        (TIMES, bench.exponent(TIMES).assign(scale=0.0), ValueError, r"slopes\['scale'\] must be finite and above 0"),
    ],
)
def test_timings_refuse(table, slopes, error, words):
    with pytest.raises(error, match=words):
        plot.timings(table, slopes=slopes, ax=axes())
