"""Labels of components against other libraries and the obvious version; their table; the published flat flood."""

import itertools
import subprocess
import sys

import naive_components
import numba
import numpy as np
import pandas as pd
import pytest
import scipy.ndimage
import skimage.measure

from gridlab import components, grid, published, shapes

SLOW = numba.config.DISABLE_JIT
SEED = 20261130
N = 3 if SLOW else 25  # grids of each shape and number of colours

SHAPES = [
    (1, 1),
    (1, 2),
    (2, 1),
    (1, 7),
    (7, 1),
    (2, 2),
    (2, 3),
    (3, 2),
    (2, 9),
    (9, 2),
    (3, 3),
    (4, 5),
    (7, 6),
    (3, 17),
]
EMPTY = [(0, 0), (0, 4), (4, 0), (0, 3, 3), (2, 0, 3), (2, 3, 0), (0, 0, 0), (3, 0, 2, 2), (0, 3, 0, 5)]
DTYPES = [*np.typecodes["AllInteger"], "?"]
WIDE = (80, 70) if SLOW else (600, 500)

every_labeller = pytest.mark.parametrize("label", components.LABELLERS.values(), ids=components.LABELLERS)
both_ways = pytest.mark.parametrize("connectivity", [4, 8])


def draws(shape, n_colours, n=N):
    """Random grids, all colours equally likely."""
    return np.random.default_rng([SEED, *shape, n_colours]).integers(0, n_colours, (n, *shape))


def renumbered(labels):
    """Number labels anew in the order of their first cells; 0 stays."""
    values, first, place = np.unique(labels, return_index=True, return_inverse=True)
    number = np.zeros(len(values), int)
    labelled = np.flatnonzero(values)
    number[labelled[np.argsort(first[labelled])]] = np.arange(1, len(labelled) + 1)
    return number[place].reshape(labels.shape)


def by_scipy(values, connectivity):
    """Label the cells of each colour by themselves, and then number all anew."""
    structure = np.ones((3, 3)) if connectivity == 8 else None
    labels = np.zeros(values.shape, int)
    for colour in np.unique(values):
        found, _ = scipy.ndimage.label(values == colour, structure)
        labels[found > 0] = found[found > 0] + labels.max()
    return renumbered(labels)


def by_skimage(values, connectivity):
    """Label as scikit-image does, with a background that does not occur."""
    return skimage.measure.label(values, connectivity=1 if connectivity == 4 else 2, background=-1)


def spiral(n):
    """One corridor of 0 from the corner to the middle of an n×n grid, between walls of 1 that hang together too."""
    walls = np.ones((n, n), np.int8)
    row, col, step, length = 0, -1, (0, 1), n
    while length > 0:
        for _ in range(2 if length < n else 1):
            stop = row + step[0] * length, col + step[1] * length
            rows, cols = sorted((row, stop[0])), sorted((col, stop[1]))
            walls[max(rows[0], 0) : rows[1] + 1, max(cols[0], 0) : cols[1] + 1] = 0
            row, col = stop
            step = step[1], -step[0]
        length -= 1 if length == n else 2
    return walls


def comb(n):
    """Teeth of 1 that hang together along the last row only."""
    teeth = np.zeros((n, n), np.int8)
    teeth[:, ::2] = 1
    teeth[-1] = 1
    return teeth


# ---- labels on open grids


@every_labeller
@both_ways
@pytest.mark.parametrize("n_colours", [1, 2, 3, 6])
def test_labels_are_those_of_other_libraries(label, connectivity, n_colours):
    for shape in SHAPES:
        batch = draws(shape, n_colours)
        labels = label(batch, connectivity=connectivity)
        for values, found in zip(batch, labels):
            np.testing.assert_array_equal(found, by_skimage(values, connectivity))
            np.testing.assert_array_equal(found, by_scipy(values, connectivity))
            assert found.tolist() == naive_components.label(values.tolist(), connectivity)


@every_labeller
@both_ways
@pytest.mark.parametrize("n_colours", [2, 4, 1000])
def test_labels_of_a_large_grid(label, connectivity, n_colours):
    values = draws(WIDE, n_colours, 1)[0]
    np.testing.assert_array_equal(label(values, connectivity=connectivity), by_skimage(values, connectivity))


@every_labeller
@both_ways
def test_labels_of_smooth_grids(label, connectivity):
    """Colours that run long: bands of a smoothed field."""
    field = scipy.ndimage.gaussian_filter(np.random.default_rng(SEED).normal(size=WIDE), 4)
    values = np.digitize(field, np.quantile(field, [0.2, 0.5, 0.8]))
    np.testing.assert_array_equal(label(values, connectivity=connectivity), by_skimage(values, connectivity))


@every_labeller
@both_ways
@pytest.mark.parametrize("shape", [(1, 20_000), (2, 17_000), (17_000, 2), (7, 2500)])
def test_labels_of_stripes_on_long_rows(label, connectivity, shape):
    """Every cell hangs on one neighbour alone, also where work is cut within a row: on the left, or on any above it."""
    row, col = np.indices(shape)
    for values in (row, col, (row + col) % 5, (row - col) % 5):
        np.testing.assert_array_equal(label(values, connectivity=connectivity), by_skimage(values, connectivity))


@every_labeller
@pytest.mark.parametrize("shape", [(16, 16), (20, 25), (257, 1), (1, 300), (300, 300)])
def test_a_checkerboard_has_a_label_a_cell(label, shape):
    """So more than 255, and more than 65,535."""
    values = np.indices(shape).sum(axis=0) % 2
    expected = np.arange(1, values.size + 1).reshape(shape)
    np.testing.assert_array_equal(label(values), expected)
    wide = min(shape) > 1
    by_corners = 1 + values if wide else expected
    np.testing.assert_array_equal(label(values, connectivity=8), by_corners)
    np.testing.assert_array_equal(label(values, background=0), renumbered(expected * values))


@every_labeller
@both_ways
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 40 if SLOW else 512])
def test_labels_of_a_spiral_and_a_comb(label, connectivity, n):
    for values in (spiral(n), comb(n), comb(n)[::-1], comb(n).T, 1 - comb(n), np.rot90(spiral(n))):
        np.testing.assert_array_equal(label(values, connectivity=connectivity), by_skimage(values, connectivity))
    if n > 2:
        assert label(spiral(n)).max() == 2
        assert label(comb(n)).max() == 1 + n // 2


@every_labeller
def test_labels_count_first_cells(label):
    """Row by row: the first cell of each component has the next number."""
    labels = label(draws((40, 50), 3, 3))
    for board in labels.reshape(3, -1):
        values, first = np.unique(board, return_index=True)
        assert values.tolist() == list(range(1, board.max() + 1))
        assert (np.diff(first) > 0).all()


@every_labeller
@both_ways
def test_the_end_of_a_row_does_not_touch_the_start_of_the_next(label, connectivity):
    assert label([[0, 0, 1], [1, 0, 0]], connectivity=connectivity).tolist() == [[1, 1, 2], [3, 1, 1]]
    for rows, cols in [(4, 3), (5, 4), (6, 6)]:  # in flat order the cells of colour 1 are one run, on three rows
        flat = np.zeros(rows * cols, int)
        flat[cols - 1 : 2 * cols + 1] = 1
        labels = label(flat.reshape(rows, cols), connectivity=connectivity)
        np.testing.assert_array_equal(labels, by_skimage(flat.reshape(rows, cols), connectivity))


# ---- periodic grids


@every_labeller
@both_ways
@pytest.mark.parametrize("n_colours", [1, 2, 3, 6])
def test_labels_on_periodic_grids(label, connectivity, n_colours):
    for shape in SHAPES:
        batch = draws(shape, n_colours)
        labels = label(batch, connectivity=connectivity, periodic=True)
        for values, found in zip(batch, labels):
            assert found.tolist() == naive_components.label(values.tolist(), connectivity, periodic=True)


@every_labeller
@both_ways
def test_every_small_periodic_grid(label, connectivity):
    """All grids of two colours up to nine cells, and with one of the two as background."""
    for shape in [(1, 1), (1, 2), (1, 3), (1, 5), (2, 2), (2, 3), (2, 4), *([] if SLOW else [(3, 3)])]:
        for rows, cols in {shape, shape[::-1]}:
            batch = np.array(list(itertools.product([0, 1], repeat=rows * cols))).reshape(-1, rows, cols)
            for background in (None, 0):
                options = {"connectivity": connectivity, "periodic": True, "background": background}
                labels = label(batch, **options).tolist()
                assert labels == [naive_components.label(values, **options) for values in batch.tolist()]


@every_labeller
@both_ways
def test_sides_of_one_and_two_on_a_periodic_grid(label, connectivity):
    options = {"connectivity": connectivity, "periodic": True}
    assert label([[1], [2], [1]], **options).tolist() == [[1], [2], [1]]
    assert label([[1, 2, 1]], **options).tolist() == [[1, 2, 1]]
    assert label([[1], [2]], **options).tolist() == [[1], [2]]
    assert label([[1, 2], [2, 1]], **options).tolist() == ([[1, 2], [3, 4]] if connectivity == 4 else [[1, 2], [2, 1]])
    assert label([[5]], **options).tolist() == [[1]]


@every_labeller
def test_the_seam_of_a_large_periodic_grid(label):
    """Shifted round the torus a grid has the same components."""
    values = draws(WIDE, 2, 1)[0]
    for connectivity in (4, 8):
        options = {"connectivity": connectivity, "periodic": True}
        labels = label(values, **options)
        for shift in [(1, 0), (0, 1), (33, 21)]:
            moved = np.roll(label(np.roll(values, shift, (0, 1)), **options), (-shift[0], -shift[1]), (0, 1))
            np.testing.assert_array_equal(renumbered(moved), labels)
        assert labels.max() < label(values, connectivity=connectivity).max()


# ---- background


@every_labeller
@both_ways
@pytest.mark.parametrize("periodic", [False, True])
def test_cells_of_the_background_have_no_label(label, connectivity, periodic):
    for shape in SHAPES:
        batch = draws(shape, 3) - 1
        options = {"connectivity": connectivity, "periodic": periodic}
        for background in (-1, 0, 1):
            labels = label(batch, background=background, **options)
            assert ((labels == 0) == (batch == background)).all()
            for values, found in zip(batch.tolist(), labels.tolist()):
                assert found == naive_components.label(values, background=background, **options)
        for background in (-2, 2, 10**30, -(2**63), 2**63):
            np.testing.assert_array_equal(label(batch, background=background, **options), label(batch, **options))


@every_labeller
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_at_the_ends_of_a_type(label, dtype):
    """Also a background beyond them, which no cell can have, whatever it would be wrapped to."""
    info = np.iinfo(dtype) if dtype != "?" else None
    low, high = (0, 1) if info is None else (info.min, info.max)
    values = np.array([[low, high, low], [low, high, high], [high, low, low]], dtype)
    expected = [[1, 2, 3], [1, 2, 2], [4, 5, 5]]
    assert label(values).tolist() == expected
    assert label(values, background=int(low)).tolist() == [[0, 1, 0], [0, 1, 1], [2, 0, 0]]
    assert label(values, background=int(high)).tolist() == [[1, 0, 2], [1, 0, 0], [0, 3, 3]]
    for background in (low - 1, high + 1, low - 2**8, high + 2**16, low - 2**32, high + 2**64, -(2**64) + high):
        background = int(background)
        if not low <= background <= high:
            assert label(values, background=background).tolist() == expected


@every_labeller
def test_neighbours_that_differ_little_are_told_apart(label):
    """No two values of 64 bits are taken for one: not by way of a float, nor by their low bits."""
    for base in (2**53, 2**62, 2**63 - 2):
        assert label([[base, base + 1]]).tolist() == [[1, 2]]
    big = np.array([[2**64 - 1, 2**63, 2**63 - 1, 2**32, 0, 2**16, 2**8]], np.uint64)
    assert label(big).tolist() == [list(range(1, 8))]
    assert label(np.array([[-(2**63), 0, 2**32, 2**63 - 1]])).tolist() == [[1, 2, 3, 4]]
    assert label(big, background=-1).tolist() == [list(range(1, 8))]
    assert label(big, background=2**64 - 1).tolist() == [[0, 1, 2, 3, 4, 5, 6]]


# ---- what comes in, what comes out


@every_labeller
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_integer_type_order_and_layout(label, dtype):
    values = draws((7, 9), 2 if dtype == "?" else 3, 4)
    for periodic, connectivity in itertools.product([False, True], [4, 8]):
        options = {"periodic": periodic, "connectivity": connectivity}
        expected = label(values, **options)
        for order in "<>":
            array = values.astype(np.dtype(dtype).newbyteorder(order))
            wide = np.zeros((8, 14, 18), array.dtype)
            wide[::2, ::2, ::2] = array
            read_only = array.copy()
            read_only.flags.writeable = False
            layouts = {
                "plain": array,
                "fortran": np.asfortranarray(array),
                "transposed": array.transpose(2, 0, 1).copy().transpose(1, 2, 0),
                "strided": wide[::2, ::2, ::2],
                "backwards": array[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1],
                "rows backwards": array[:, ::-1].copy()[:, ::-1],
                "read-only": read_only,
                "list": array.tolist(),
                "unaligned": np.frombuffer(bytearray(b"x" + array.tobytes()), array.dtype, offset=1).reshape(
                    array.shape
                ),
            }
            for layout, given in layouts.items():
                labels = label(given, **options)
                np.testing.assert_array_equal(labels, expected, layout)
                assert labels.dtype == np.int32
                assert labels.dtype.isnative
                assert labels.flags.c_contiguous
                assert labels.flags.writeable
                assert labels.flags.owndata or labels.base.flags.writeable


@every_labeller
def test_one_row_for_all_boards_of_a_batch(label):
    """Strides of 0: the same cells again and again."""
    values = draws((6, 8), 2, 1)[0]
    many = np.broadcast_to(values, (5, 6, 8))
    np.testing.assert_array_equal(label(many), np.stack([label(values)] * 5))
    np.testing.assert_array_equal(label(np.broadcast_to(values[0], (6, 8))), by_skimage(np.tile(values[0], (6, 1)), 4))


@every_labeller
def test_leading_axes_are_a_batch(label):
    batch = draws((4, 5), 2, 24)
    one_by_one = np.stack([label(values) for values in batch])
    assert label(batch[0]).shape == (4, 5)
    for lead in [(24,), (4, 6), (2, 3, 4), (1, 24, 1)]:
        labels = label(batch.reshape(*lead, 4, 5))
        np.testing.assert_array_equal(labels, one_by_one.reshape(*lead, 4, 5))
        assert (labels.max(axis=(-2, -1)) <= 20).all()


@every_labeller
def test_many_boards_of_many_cells(label):
    """A batch that is not worked on in one go: as each by itself."""
    shape = (3, 40, 30) if SLOW else (9, 900, 800)
    batch = np.random.default_rng(SEED).integers(0, 3, shape, np.uint8)
    labels = label(batch)
    for values, found in zip(batch, labels):
        np.testing.assert_array_equal(found, by_skimage(values, 4))


@every_labeller
@both_ways
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("background", [None, 0])
def test_many_small_boards(label, connectivity, periodic, background):
    """Work is cut within boards; boards do not touch, whatever stands at the end of one and the start of the next."""
    options = {"connectivity": connectivity, "periodic": periodic, "background": background}
    for shape in [(4, 5), (1, 9), (9, 1), (3, 3)]:
        batch = np.concatenate([draws(shape, 2, 900), np.zeros((3, *shape), int), draws(shape, 4, 900)])
        labels = label(batch, **options).tolist()
        assert labels == [naive_components.label(values, **options) for values in batch.tolist()]


@every_labeller
@pytest.mark.parametrize("shape", EMPTY)
@pytest.mark.parametrize("periodic", [False, True])
def test_grids_and_batches_without_a_cell(label, shape, periodic):
    for dtype in ("i1", "u8", ">i4", "?"):
        labels = label(np.zeros(shape, dtype), periodic=periodic, background=0)
        assert labels.shape == shape
        assert labels.dtype == np.int32


@every_labeller
def test_input_stays_as_it_is(label):
    for values in (draws((6, 7), 3, 2), draws((6, 7), 3, 2).astype("i4"), draws((6, 7), 2, 2).astype(bool)):
        before = values.copy()
        labels = label(values, periodic=True, connectivity=8, background=1)
        np.testing.assert_array_equal(values, before)
        assert not np.shares_memory(labels, values)
        labels[:] = 0
        np.testing.assert_array_equal(values, before)


@both_ways
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("background", [None, 1])
def test_all_labellers_agree(connectivity, periodic, background):
    assert list(components.LABELLERS) == ["flood", "union_find", "runs"]
    options = {"connectivity": connectivity, "periodic": periodic, "background": background}
    for shape in [*SHAPES, (2, 120), (120, 2), (1, 200), (200, 1), WIDE]:
        for n_colours in (2, 4):
            batch = draws(shape, n_colours, 1 if shape == WIDE else N)
            expected = components.label(batch, **options)
            for label in components.LABELLERS.values():
                np.testing.assert_array_equal(label(batch, **options), expected)


# ---- what is refused


@every_labeller
@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([[1.0, 2.0]], "float64"),
        ([[np.nan, np.nan]], "float64"),
        (np.ones((2, 2), np.float16), "float16"),
        ([[1j]], "complex128"),
        ([[None]], "object"),
        ([[2**70]], "object"),
        (None, "object"),
        ([["a"]], "<U1"),
        ([[b"a"]], r"\|S1"),
        (np.zeros((2, 2), "M8[s]"), r"datetime64\[s\]"),
        (np.zeros((2, 2), "m8[s]"), r"timedelta64\[s\]"),
        (np.zeros((2, 2), [("a", "i4")]), r"\[\('a', '<i4'\)\]"),
    ],
)
def test_other_types_are_refused(label, values, dtype):
    """So NaN is never compared."""
    with pytest.raises(TypeError, match=rf"^grids must be an integer array .* got dtype {dtype}$"):
        label(values)


@every_labeller
@pytest.mark.parametrize(("values", "shape"), [(3, r"\(\)"), ([1, 2], r"\(2,\)"), (np.zeros(0, int), r"\(0,\)")])
def test_fewer_than_two_axes_are_refused(label, values, shape):
    with pytest.raises(ValueError, match=rf"^grids must have shape \(\.\.\., rows, cols\), got {shape}$"):
        label(values)


@every_labeller
def test_rows_of_different_lengths_are_refused(label):
    with pytest.raises(ValueError, match=r"^grids must have shape .* got rows of different lengths$"):
        label([[1, 2], [3]])


@every_labeller
@pytest.mark.parametrize("connectivity", [4.0, 8.0, "4", True, None, [4], np.float64(8), 6, 0, 1, 2, -4, 16, 2**70])
@pytest.mark.parametrize("shape", [(2, 2), (0, 3)])
def test_another_connectivity_is_refused(label, connectivity, shape):
    with pytest.raises((TypeError, ValueError), match=r"^connectivity must be 4 or 8, got ") as caught:
        label(np.zeros(shape, int), connectivity=connectivity)
    number = isinstance(connectivity, int) and not isinstance(connectivity, bool)
    assert caught.type is (ValueError if number else TypeError)


@every_labeller
def test_numbers_of_numpy_are_taken(label):
    values = draws((5, 6), 3, 1)[0]
    expected = label(values, connectivity=8, periodic=True, background=1)
    found = label(values, connectivity=np.uint8(8), periodic=np.True_, background=np.int16(1))
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(label(values > 0, background=True), label(values > 0, background=1))
    np.testing.assert_array_equal(label(values > 0, background=np.False_), label(values > 0, background=0))


@every_labeller
@pytest.mark.parametrize("shape", [(2, 2), (0, 3)])
def test_other_options_out_of_range_are_refused(label, shape):
    values = np.zeros(shape, int)
    for background in (1.0, 0.0, np.nan, "0", [0], 1j):
        with pytest.raises(TypeError, match=r"^background must be an integer or None, got "):
            label(values, background=background)
    for periodic in (1, 0, None, "yes"):
        with pytest.raises(TypeError, match=r"^periodic must be True or False, got "):
            label(values, periodic=periodic)
    with pytest.raises(TypeError):
        label(values, 4)


# ---- lists of cells


@pytest.mark.parametrize("periodic", [False, True])
@both_ways
@pytest.mark.parametrize("background", [None, 0])
def test_groups_list_the_cells_of_each_label(connectivity, periodic, background):
    options = {"connectivity": connectivity, "periodic": periodic, "background": background}
    for shape in SHAPES:
        for values in draws(shape, 3, 5):
            labels = np.ravel(naive_components.label(values.tolist(), **options))
            groups = components.groups(values, **options)
            assert isinstance(groups, list)
            expected = [np.flatnonzero(labels == k).tolist() for k in range(1, labels.max() + 1)]
            assert [cells.tolist() for cells in groups] == expected
            assert all(cells.dtype == np.int64 for cells in groups)


def test_groups_of_one_grid_only():
    assert components.groups([[0, 0, 1], [1, 0, 0]])[1].tolist() == [2]
    assert components.groups([[1, 1]], background=1) == []
    for shape in [(0, 0), (0, 3), (3, 0)]:
        assert components.groups(np.zeros(shape, int)) == []
    for shape in [(1, 2, 2), (0, 2, 2), (3,)]:
        with pytest.raises(ValueError, match="must have shape"):
            components.groups(np.zeros(shape, int))
    with pytest.raises(TypeError, match=r"got dtype float64"):
        components.groups([[1.0]])
    with pytest.raises(TypeError, match=r"connectivity must be 4 or 8, got 4\.0"):
        components.groups([[1]], connectivity=4.0)


# ---- large grids: no recursion, no memory beyond some labels

LARGE = """
import resource
import sys

sys.path.insert(0, {tests!r})
import numpy as np
from test_components import comb, spiral

from gridlab import components

n = 4096
grids = {{"spiral": spiral(n), "comb": comb(n), "comb lying": np.ascontiguousarray(comb(n).T)}}
expected = {{"spiral": 2, "comb": 1 + n // 2, "comb lying": 1 + n // 2}}
label = components.LABELLERS[{name!r}]
for connectivity in (4, 8):
    label(grids["comb"][:9, :9].copy(), connectivity=connectivity)  # compiled before anything is measured
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
for name, grid in grids.items():
    for connectivity in (4, 8):
        labels = label(grid, connectivity=connectivity)
        assert labels.max() == expected[name], name
        assert (labels == labels[0, 0]).sum() == (grid == grid[0, 0]).sum() or name != "spiral", name
        del labels
print((peak() - before) * (1 if sys.platform == "darwin" else 1024) / n**2)
"""


@pytest.mark.skipif(SLOW, reason="the same kernels on 17 million cells, as plain Python")
@every_labeller
def test_a_spiral_and_a_comb_of_17_million_cells(label, root):
    """In a process of its own, whose peak of memory is that of the labels and at most three numbers a cell more."""
    pytest.importorskip("resource", reason="peak memory is known to Unix only")
    code = LARGE.format(tests=str(root / "tests"), name=label.__name__)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root)
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) < 16 + 2  # bytes a cell


# ---- the flat fault as a control


def test_the_published_flood_labels_a_helical_grid():
    for shape in SHAPES:
        for n_colours in (1, 2, 4):
            batch = draws(shape, n_colours)
            labels = published.flat_groups(batch)
            assert labels.tolist() == [naive_components.helical(values) for values in batch.tolist()]
            if 1 in shape:
                np.testing.assert_array_equal(labels, components.label(batch))


def test_the_tests_see_the_fault_of_the_published_flood():
    """The comparison that every labeller stands must fail: on most grids of two colours, and on the least."""
    least = np.array([[0, 1], [1, 0]])
    assert published.flat_groups(least).tolist() == [[1, 2], [2, 3]]
    for shape, share in [((4, 5), 0.3), ((7, 6), 0.7), ((12, 12), 0.95)]:
        batch = draws(shape, 2, 40)
        wrong = [
            not np.array_equal(found, by_skimage(values, 4))
            for values, found in zip(batch, published.flat_groups(batch))
        ]
        assert np.mean(wrong) > share


def test_the_published_flood_takes_what_a_labeller_takes():
    values = draws((5, 4), 2, 6)
    expected = published.flat_groups(values)
    assert expected.dtype == np.int32
    for given in (values.astype(">u2"), np.asfortranarray(values), values.astype(bool), values.tolist()):
        np.testing.assert_array_equal(published.flat_groups(given), expected)
    np.testing.assert_array_equal(published.flat_groups(values.reshape(2, 3, 5, 4)), expected.reshape(2, 3, 5, 4))
    for shape in EMPTY:
        assert published.flat_groups(np.zeros(shape, int)).shape == shape
    with pytest.raises(TypeError, match=r"grids must be an integer array .* got dtype float64"):
        published.flat_groups([[1.0]])
    with pytest.raises(ValueError, match=r"grids must have shape \(\.\.\., rows, cols\), got \(2,\)"):
        published.flat_groups([1, 2])
    with pytest.raises(ValueError, match="rows of different lengths"):
        published.flat_groups([[1, 2], [3]])


# ---- the table


INTEGERS = ["component", "area", "row", "col", "rows", "cols", "perimeter"]
COLUMNS = ["board", "component", "area", "row", "col", "rows", "cols", "perimeter", "touches_border"]


def small_labels():
    """Labels of many small grids: of components, and of any cells, which need not hold together."""
    for shape in SHAPES:
        batch = draws(shape, 3)
        yield batch, np.array([by_skimage(values, 4) for values in batch]).reshape(batch.shape)
        yield batch, np.array([renumbered(values) for values in batch]).reshape(batch.shape)


@pytest.mark.parametrize("periodic", [False, True])
def test_the_table_is_that_of_the_obvious_version(periodic):
    for batch, labels in small_labels():
        found = components.table(labels, batch, periodic=periodic)
        assert found.columns.tolist() == [*COLUMNS[:2], "colour", *COLUMNS[2:]]
        expected = [
            {"board": k} | line
            for k in range(len(batch))
            for line in naive_components.table(labels[k].tolist(), batch[k].tolist(), periodic)
        ]
        assert found.to_dict("records") == expected
        pd.testing.assert_frame_equal(components.table(labels, periodic=periodic), found.drop(columns="colour"))


def test_the_table_against_scikit_image():
    for values in [draws(WIDE, 2, 1)[0], draws((40, 30), 5, 1)[0]]:
        labels = by_skimage(values, 4)
        table = components.table(labels, values)
        parts = skimage.measure.regionprops(labels, values)
        assert table["component"].tolist() == [part.label for part in parts]
        assert table["area"].tolist() == [part.area for part in parts]
        boxes = table["row"], table["col"], table["row"] + table["rows"], table["col"] + table["cols"]
        assert list(zip(*boxes)) == [part.bbox for part in parts]
        assert table["colour"].tolist() == values.ravel()[np.unique(labels, return_index=True)[1]].tolist()


@pytest.mark.parametrize("periodic", [False, True])
def test_perimeters_against_shapes(periodic):
    values = draws((9, 11), 2, 20)
    labels = components.label(values, periodic=periodic)
    table = components.table(labels, periodic=periodic)
    masks = labels[table["board"]] == table["component"].to_numpy()[:, None, None]
    measures = shapes.measure(masks, periodic=periodic, columns=["area", "perimeter"])
    pd.testing.assert_frame_equal(table[["area", "perimeter"]], measures)


@pytest.mark.parametrize("periodic", [False, True])
def test_boxes_against_crop(periodic):
    for _, labels in small_labels():
        table = components.table(labels, periodic=periodic)
        for line in table.itertuples():
            mask = labels[line.board] == line.component
            box = np.roll(mask, (-line.row, -line.col), (0, 1))[: line.rows, : line.cols]
            np.testing.assert_array_equal(box, grid.crop(mask, periodic=periodic))


def test_a_box_across_the_seam():
    labels = components.label(grid.parse("x.x / ... / x.x"), periodic=True, background=0)
    assert components.table(labels, periodic=True)[INTEGERS].to_numpy().tolist() == [[1, 4, 2, 2, 2, 2, 8]]
    ring = [[1, 0, 1, 0], [0, 0, 0, 0]]  # ties: across the seam only if it must be, else as far on as can be
    assert components.table(ring, periodic=True)[["col", "cols"]].to_numpy().tolist() == [[0, 3]]
    tie = [[0, 1, 0, 1]]
    assert components.table(tie, periodic=True)[["col", "cols"]].to_numpy().tolist() == [[1, 3]]
    late = [[1, 0, 0, 1, 0, 0, 1, 1]]  # two runs of two empty columns
    assert components.table(late, periodic=True)[["col", "cols"]].to_numpy().tolist() == [[6, 6]]


def test_short_sides_of_a_periodic_grid():
    """A cell that is its own neighbour has no edge there; two cells that are neighbours twice have two."""
    perimeter = lambda labels: components.table(labels, periodic=True)["perimeter"].tolist()  # noqa: E731
    assert perimeter([[1]]) == [0]
    assert perimeter([[1, 2]]) == [2, 2]
    assert perimeter([[1, 2], [3, 4]]) == [4, 4, 4, 4]
    assert perimeter([[1, 1], [2, 2]]) == [4, 4]
    assert perimeter([[1], [2], [3]]) == [2, 2, 2]
    assert perimeter([[1, 1, 2]]) == [2, 2]


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_table_takes_any_integer_type_and_layout(dtype):
    labels = by_skimage(draws((5, 6), 3, 1)[0], 4)
    if dtype == "?":
        labels = np.minimum(labels, 1)
    labels = np.stack([labels, labels[::-1]])
    labels[:, 2, 3] = 0
    labels = np.array([renumbered(board) for board in labels])
    values = np.where(labels > 0, labels % 2, 2)
    expected = components.table(labels, values)
    for order in "<>":
        given = labels.astype(np.dtype(dtype).newbyteorder(order))
        read_only = given.copy()
        read_only.flags.writeable = False
        turned = given[:, ::-1, ::-1].copy()[:, ::-1, ::-1]
        for array in (given, np.asfortranarray(given), turned, read_only, given.tolist()):
            pd.testing.assert_frame_equal(components.table(array, values), expected)
        colours = np.asfortranarray(values.astype(np.dtype(dtype).newbyteorder(order)))
        found = components.table(labels, colours)["colour"]
        assert found.dtype == np.dtype(dtype)
        assert found.tolist() == expected["colour"].tolist()


def test_colours_of_64_bits_stay_what_they_are():
    values = np.array([[2**64 - 1, 2**63, 0]], np.uint64)
    assert components.table([[1, 2, 3]], values)["colour"].tolist() == [2**64 - 1, 2**63, 0]


@pytest.mark.parametrize("shape", EMPTY)
@pytest.mark.parametrize("periodic", [False, True])
def test_the_table_of_nothing(shape, periodic):
    full = components.table([[1, 1]], np.array([[3, 3]], np.int8), periodic=periodic)
    assert full.dtypes.astype(str).to_dict() == dict.fromkeys(full.columns, "int64") | {
        "colour": "int8",
        "touches_border": "bool",
    }
    none = components.table(np.zeros(shape, np.int32), np.zeros(shape, np.int8), periodic=periodic)
    pd.testing.assert_frame_equal(none, full[:0])
    pd.testing.assert_frame_equal(
        components.table(np.zeros((2, 3, 4), int), periodic=periodic), none.drop(columns="colour")
    )


def test_boards_are_counted_through_leading_axes():
    values = draws((3, 4), 2, 6).reshape(2, 3, 3, 4)
    values[0, 1] = 0  # one component
    labels = components.label(values, background=0)  # and none
    table = components.table(labels)
    for k, (i, j) in enumerate(np.ndindex(2, 3)):
        alone = components.table(labels[i, j])
        here = table[table["board"] == k].drop(columns="board").reset_index(drop=True)
        pd.testing.assert_frame_equal(here, alone.drop(columns="board"))
    assert 1 not in table["board"].to_numpy()


def test_the_table_of_many_boards_and_of_a_large_one():
    """Work that is not done in one go: as each board by itself, and as a large one in parts."""
    shape = (3, 30, 20) if SLOW else (7, 1100, 900)
    values = np.random.default_rng(SEED).integers(0, 3, shape)
    labels = components.label(values, periodic=True)
    table = components.table(labels, values, periodic=True)
    alone = [components.table(*pair, periodic=True).assign(board=k) for k, pair in enumerate(zip(labels, values))]
    pd.testing.assert_frame_equal(table, pd.concat(alone, ignore_index=True))
    for one in (np.concatenate(labels), np.concatenate(labels, axis=1)):  # larger than a piece in either direction
        colours = one % 7 + 1
        whole = components.table(colours, colours)
        parts = skimage.measure.regionprops(colours)
        assert whole["area"].tolist() == [part.area for part in parts]
        assert [tuple(box) for box in whole[["row", "col"]].to_numpy()] == [part.bbox[:2] for part in parts]
        framed = np.pad(colours == 2, 1)
        assert whole["perimeter"][1] == sum((framed != np.roll(framed, 1, axis)).sum() for axis in (0, 1))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[1.0, 2.0]], r"labels must be an integer array of shape \(\.\.\., rows, cols\), got dtype float64"),
        ([["a"]], r"labels must be an integer array .* got dtype <U1"),
        ([[None]], "labels must be an integer array .* got dtype object"),
        ([[1j]], "labels must be an integer array .* got dtype complex128"),
    ],
)
def test_labels_of_a_wrong_type_are_refused(labels, message):
    with pytest.raises(TypeError, match=message):
        components.table(labels)
    with pytest.raises(TypeError, match=message.replace("labels", "grids")):
        components.table([[1]], labels)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, 2], r"labels must have shape \(\.\.\., rows, cols\), got \(2,\)"),
        (3, r"labels must have shape \(\.\.\., rows, cols\), got \(\)"),
        ([[1, 2], [3]], "labels must have shape .* got rows of different lengths"),
        ([[0, -1]], "labels must be at least 0, got -1"),
        (
            [[1, 3]],
            "labels must be from 1 to the greatest of a board with none left out, got no 2 among the 3 of board 0",
        ),
        ([[[1, 2]], [[2, 0]]], "got no 1 among the 2 of board 1"),
        ([[2**62, 1]], f"got no 2 among the {2**62} of board 0"),
        (np.array([[[1, 1]], [[2**64 - 1, 2]]], np.uint64), f"got no 1 among the {2**64 - 1} of board 1"),
    ],
)
def test_labels_out_of_range_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        components.table(labels)


def test_components_of_two_colours_are_refused():
    labels = [[[1, 1]], [[1, 2]], [[2, 1]]]
    colours = [[[5, 5]], [[5, 6]], [[6, 5]]]
    assert components.table(labels, colours)["colour"].tolist() == [5, 5, 6, 5, 6]
    with pytest.raises(ValueError, match="one colour in each component, got 4 and 5 in component 1 of board 0"):
        components.table(labels, [[[5, 4]], [[5, 6]], [[6, 5]]])
    with pytest.raises(ValueError, match="got 4 and 5 in component 1 of board 0"):
        components.table(labels, [[[4, 5]], [[5, 6]], [[6, 5]]])
    with pytest.raises(ValueError, match="got 0 and 9 in component 2 of board 1"):
        components.table([[[1, 2, 2]], [[1, 2, 2]]], [[[5, 9, 9]], [[5, 9, 0]]])


def test_other_arguments_of_the_table_are_checked():
    with pytest.raises(ValueError, match=r"grids must have the shape \(1, 2\) of labels, got \(2, 1\)"):
        components.table([[1, 2]], [[1], [2]])
    for periodic in (1, None, "yes"):
        with pytest.raises(TypeError, match=f"periodic must be True or False, got {periodic!r}"):
            components.table([[1]], periodic=periodic)
