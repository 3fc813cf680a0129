"""Works on boards: mines placed, numbers, openings, 3BV, a click."""

import numpy as np
import scipy  # its modules load on first use

from ... import mines
from . import common
from .kinds import Contender, Work

__all__ = ["WORKS"]


def _boards(rng, items, *, rows, cols, count):
    """Place mines on boards."""
    return mines.floyd((rows, cols), count, size=items, rng=rng)


def _chosen(draws):
    """Count the different cells of each list of cells."""
    return [len(np.unique(np.asarray(cells))) for cells in draws]


def _reveal(boards, items):
    """Click in the middle of each board."""
    return [mines.reveal(board, (board.shape[0] // 2, board.shape[1] // 2)) for board in boards[:items]]


def _play(asked, items):
    """Place mines beside a first click, work out all numbers, and count the clicks that a board takes."""
    boards = mines.floyd(asked.shape, asked.count, safe=[(0, 0)], size=items, rng=asked.rng)
    return list(zip(mines.numbers(boards), mines.bbbv(boards)))


def _play_one_by_one(asked, items):
    """Do the same with one board a call."""
    return [_play(asked, 1)[0] for _ in range(items)]


def _played(results):
    """Count the mines of each board that was played."""
    return [int(np.count_nonzero(np.isin(shown, (-1, mines.MINE)))) for shown, _ in results]


def _sorted_boards(asked, items):
    """Give boards whose mines come first, to be permuted."""
    boards = np.zeros((items, asked.shape[0] * asked.shape[1]), bool)
    boards[:, : asked.count] = True
    return asked.rng, boards


def _permute(given, items):
    rng, boards = given
    return rng.permuted(boards[:items], axis=1)


def _partition(asked, items):
    """Mine the cells that have the least of as many random numbers."""
    n_cells = asked.shape[0] * asked.shape[1]
    boards = np.zeros((items, n_cells), bool)
    least = asked.rng.random(boards.shape).argpartition(asked.count, axis=1)[:, : asked.count]
    np.put_along_axis(boards, least, True, axis=1)
    return boards


def _choose(**options):
    """Draw cells without replacement; they are not yet on a board."""
    return lambda asked, items: [
        asked.rng.choice(asked.shape[0] * asked.shape[1], asked.count, replace=False, **options) for _ in range(items)
    ]


def _sorted_row(asked, items):
    """Give one board as `numpy.random.Generator.shuffle` likes it: bytes, the mines first."""
    return asked.rng, _sorted_boards(asked, 1)[1][0].view(np.uint8)


def _shuffle(given, items):
    rng, cells = given
    for _ in range(items):
        rng.shuffle(cells)
    return [cells] * items


def _convolve(boards, items):
    """Count the mines around each cell; a mine itself counts 16, so that it can be told."""
    kernel = np.array([[1, 1, 1], [1, 16, 1], [1, 1, 1]], np.uint8)
    return [scipy.ndimage.convolve(board, kernel, mode="constant") for board in boards[:items]]


def _convolved(counts):
    """Turn such counts into numbers."""
    return [np.where(count < 16, count, mines.MINE) for count in counts]


def _convolve_twice(boards, items):
    """Count the mines in each 3×3, along the rows and then along the columns."""
    sums = (scipy.ndimage.convolve1d(board, [1, 1, 1], axis=0, mode="constant") for board in boards[:items])
    counts = [scipy.ndimage.convolve1d(part, [1, 1, 1], axis=1, mode="constant") for part in sums]
    return [np.where(board, mines.MINE, count) for board, count in zip(boards, counts)]


def _summed(boards, items):
    """Add three rows and then three columns, of some boards at a time that the quickest memory holds."""
    shown = np.empty(boards[:items].shape, np.uint8)
    some = max(1, 2**17 // boards[0].size)
    for k in range(0, items, some):
        cells = boards[k : k + some][: items - k].view(np.uint8)
        rows = cells.copy()
        rows[:, 1:] += cells[:, :-1]
        rows[:, :-1] += cells[:, 1:]
        counts = shown[k : k + some]
        counts[:] = rows
        counts[:, :, 1:] += rows[:, :, :-1]
        counts[:, :, :-1] += rows[:, :, 1:]
        np.maximum(counts, cells * np.uint8(mines.MINE), out=counts)  # which takes far less time than a mask
    return shown


def _shifted(boards, items):
    """Add up the eight shifted copies of all boards."""
    boards = boards[:items]
    n, rows, cols = boards.shape
    framed = np.zeros((n, rows + 2, cols + 2), np.uint8)
    framed[:, 1:-1, 1:-1] = boards
    shown = np.zeros(boards.shape, np.uint8)
    for down, across in ((0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2)):
        shown += framed[:, down : down + rows, across : across + cols]
    return np.maximum(shown, boards * np.uint8(mines.MINE), out=shown)


def _zeros(boards, items):
    """Give the cells without a mine on or around them, by gridlab's numbers."""
    return mines.numbers(boards[:items]) == 0


def _label_reveal(boards, items):
    """Find the part of the zeros around the middle by labelling all, and its rim by dilation."""
    opened = []
    for board in boards[:items]:
        zeros = scipy.ndimage.convolve(board, common._CORNERS.astype(np.uint8), mode="constant") == 0
        labels, _ = scipy.ndimage.label(zeros, common._CORNERS)
        middle = labels[board.shape[0] // 2, board.shape[1] // 2]
        opened.append(scipy.ndimage.binary_dilation(labels == middle, common._CORNERS))
    return opened


def _ms_lists(ms_toollib, boards, items):
    """Give boards as that package has them: lists of numbers, -1 on mines."""
    return [np.where(shown == mines.MINE, -1, shown.astype(int)).tolist() for shown in mines.numbers(boards[:items])]


def _ms_openings(ms_toollib, boards, items):
    return [ms_toollib.cal_op(board) for board in boards[:items]]


def _ms_bbbv(ms_toollib, boards, items):
    return [ms_toollib.cal_bbbv(board) for board in boards[:items]]


def _ms_play(ms_toollib, asked, items):
    """Place mines, with all numbers, beside a first click, and count the clicks that a board takes."""
    boards = [ms_toollib.laymine(*asked.shape, asked.count, 0, 0) for _ in range(items)]
    return [(board, ms_toollib.cal_bbbv(board)) for board in boards]


_EXPERT, _BEGINNER, _MILLION = common._sizes(16, 30, 99), common._sizes(9, 9, 10), common._sizes(1000, 1000, 200_000)
_TINY_BOARD = common._sizes(6, 7, 9)
_READY = "the zeros are given"


#: The works by name: the part of gridlab, a dot, and a word.
WORKS = {
    "mines.expert": Work(
        "boards placed, {rows}×{cols} cells, {count} mines",
        "boards",
        common._request,
        _EXPERT,
        _TINY_BOARD,
        common._drawn("partial_shuffle", 10_000, mines.partial_shuffle),
        (
            Contender(
                "numpy", "permuted(axis=1)", 1000, _permute, prepare=_sorted_boards, answer=common._filled, reach=12
            ),
            Contender("numpy", "argpartition of random numbers", 1000, _partition, answer=common._filled),
        ),
    ),
    "mines.beginner": Work(
        "boards placed, {rows}×{cols} cells, {count} mines",
        "boards",
        common._request,
        _BEGINNER,
        _TINY_BOARD,
        common._drawn("partial_shuffle", 50_000, mines.partial_shuffle),
        (
            Contender(
                "numpy", "permuted(axis=1)", 5000, _permute, prepare=_sorted_boards, answer=common._filled, reach=20
            ),
            Contender("numpy", "argpartition of random numbers", 5000, _partition, answer=common._filled),
        ),
    ),
    "mines.large": Work(
        "boards placed, {rows}×{cols} cells, {count:,} mines",
        "boards",
        common._request,
        _MILLION,
        _TINY_BOARD,
        common._drawn("floyd", 5, mines.floyd),
        (
            Contender("numpy", "choice(replace=False)", 2, _choose(), answer=_chosen, reach=2.5),
            Contender("numpy", "choice(replace=False, shuffle=False)", 2, _choose(shuffle=False), answer=_chosen),
        ),
    ),
    "mines.shuffle": Work(
        "Fisher–Yates shuffle, {rows}×{cols} cells",
        "boards",
        common._request,
        _MILLION,
        _TINY_BOARD,
        common._drawn("shuffle", 2, mines.shuffle),
        (
            Contender(
                "numpy",
                "shuffle, of bytes",
                1,
                _shuffle,
                prepare=_sorted_row,
                answer=common._filled,
                reach=2,
                note="a loop in JavaScript took 22 ms on another machine, where this took 14 ms",
            ),
        ),
    ),
    "mines.numbers": Work(
        "numbers, {rows}×{cols} cells",
        "boards",
        _boards,
        _MILLION,
        _TINY_BOARD,
        common._ours("numbers", 1, common._of(mines.numbers)),
        (
            Contender(
                "scipy",
                "ndimage.convolve",
                1,
                _convolve,
                prepare=common._bytes,
                answer=_convolved,
                reach=80,
                note="gridlab's time is twice that of a copy of the board, and grows when others use the cache",
            ),
            Contender("scipy", "ndimage.convolve1d, twice", 1, _convolve_twice, prepare=common._bytes),
            Contender("numpy", "sums of rows and of columns", 1, _summed),
        ),
    ),
    "mines.numbers_batch": Work(
        "numbers, {rows}×{cols} cells, in batch",
        "boards",
        _boards,
        _EXPERT,
        _TINY_BOARD,
        common._ours("numbers", 5000, common._of(mines.numbers)),
        (
            Contender("numpy", "sums of eight shifted copies", 5000, _shifted, reach=3),
            Contender("numpy", "sums of rows and of columns", 5000, _summed),
        ),
    ),
    "mines.play": Work(
        "mines, numbers and 3BV, {rows}×{cols} cells, {count} mines",
        "boards",
        common._request,
        _EXPERT,
        _TINY_BOARD,
        common._ours("floyd, numbers, bbbv", 2000, _play, _played),
        (Contender("ms-toollib", "laymine, cal_bbbv", 200, _ms_play, module="ms_toollib", answer=_played, reach=9),),
    ),
    "mines.play_one": Work(
        "mines, numbers and 3BV, {rows}×{cols} cells, {count} mines, one board a call",
        "boards",
        common._request,
        _BEGINNER,
        _TINY_BOARD,
        common._ours("floyd, numbers, bbbv", 20, _play_one_by_one, _played),
        (Contender("ms-toollib", "laymine, cal_bbbv", 200, _ms_play, module="ms_toollib", answer=_played),),
    ),
    "mines.bbbv": Work(
        "3BV, {rows}×{cols} cells",
        "boards",
        _boards,
        _EXPERT,
        _TINY_BOARD,
        common._ours("bbbv", 2000, common._of(mines.bbbv)),
        (
            Contender(
                "ms-toollib",
                "cal_bbbv",
                200,
                _ms_bbbv,
                module="ms_toollib",
                prepare=_ms_lists,
                note="in its favour: the numbers are given",
            ),
        ),
    ),
    "mines.openings": Work(
        "openings, {rows}×{cols} cells",
        "boards",
        _boards,
        _EXPERT,
        _TINY_BOARD,
        common._ours("openings", 2000, common._of(mines.openings)),
        (
            Contender(
                "ms-toollib",
                "cal_op",
                200,
                _ms_openings,
                module="ms_toollib",
                prepare=_ms_lists,
                note="in its favour: the numbers are given",
            ),
            Contender(
                "scipy",
                "ndimage.label, all in one image",
                2000,
                common._label_stacked(True),
                prepare=_zeros,
                note=f"in its favour: {_READY}",
            ),
            Contender(
                "connected-components-3d",
                "board by board",
                200,
                common._cc3d(True),
                module="cc3d",
                prepare=lambda cc3d, boards, items: _zeros(boards, items),
                note=f"in its favour: {_READY}",
            ),
            Contender(
                "connected-components-3d",
                "all in one image",
                2000,
                common._cc3d_stacked(True),
                module="cc3d",
                prepare=lambda cc3d, boards, items: _zeros(boards, items),
                note=f"in its favour: {_READY}",
            ),
        ),
    ),
    "mines.reveal": Work(
        "a click that opens a board without mines, {rows}×{cols} cells",
        "clicks",
        lambda rng, items, **sizes: np.zeros((items, sizes["rows"], sizes["cols"]), bool),
        common._sizes(1000, 1000, 0),
        common._sizes(6, 7, 0),
        common._ours("reveal", 1, _reveal),
        (
            Contender(
                "scipy",
                "ndimage.convolve, label, binary_dilation",
                1,
                _label_reveal,
                prepare=common._bytes,
            ),
        ),
    ),
}
