"""Boards of match-3: each against its exact law on all boards, the proofs of what there is, and what is refused."""

import _thread
import functools
import itertools
import math
import signal
import threading
import time

import numpy as np
import pytest
from numba import config
from reference import power
from scipy import stats

from gridlab.match3 import arrangements, board, reshuffle
from gridlab.match3 import boards as module

SLOW = config.DISABLE_JIT
ALPHA = 1e-6
SEED = 20261130


# ---- the obvious, slow versions: a board is a dict of cell to colour


def as_dict(array):
    return {cell: int(colour) for cell, colour in np.ndenumerate(np.asarray(array)) if colour >= 0}


def group_of(cells, cell):
    """All cells of the group of a cell."""
    found, todo = {cell}, [cell]
    while todo:
        row, col = todo.pop()
        for other in ((row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)):
            if other not in found and cells.get(other) == cells[cell]:
                found.add(other)
                todo.append(other)
    return found


def clears_at(cells, cell, rule, length):
    """Whether a match holds the cell."""
    if rule == "groups":
        return len(group_of(cells, cell)) >= length
    row, col = cell
    for down, right in ((0, 1), (1, 0)):
        for back in range(length):
            line = [(row + down * step, col + right * step) for step in range(-back, length - back)]
            if all(cells.get(other) == cells[cell] for other in line):
                return True
    return False


def is_settled(cells, rule, length):
    return not any(clears_at(cells, cell, rule, length) for cell in cells)


def makes_match(cells, one, other, rule, length):
    """Whether swapping two cells is a move."""
    if other not in cells or cells[one] == cells[other]:
        return False
    swapped = {**cells, one: cells[other], other: cells[one]}
    return clears_at(swapped, one, rule, length) or clears_at(swapped, other, rule, length)


def is_movable(cells, rule, length):
    return any(
        makes_match(cells, (row, col), other, rule, length)
        for row, col in cells
        for other in ((row, col + 1), (row + 1, col))
    )


@functools.cache
def all_boards(shape, n_colours, rule, length, settled, movable):
    """All boards with a property, as tuples of colours."""
    return list(
        boards_with(itertools.product(range(n_colours), repeat=math.prod(shape)), shape, rule, length, settled, movable)
    )


def boards_with(every, shape, rule, length, settled, movable):
    for colours in every:
        cells = as_dict(np.reshape(colours, shape))
        if settled and not is_settled(cells, rule, length):
            continue
        if movable and not is_movable(cells, rule, length):
            continue
        yield colours


def counts_of(boards, law):
    """How often each board of a list of all was drawn; there must be no other."""
    flat = np.asarray(boards).reshape(len(boards), -1).astype(np.int64) + 1
    base = flat.max() + 1
    weights = base ** np.arange(flat.shape[1])
    place = {int((np.array(colours) + 1) @ weights): i for i, colours in enumerate(law)}
    keys, found = np.unique(flat @ weights, return_counts=True)
    counts = np.zeros(len(law))
    for key, number in zip(keys.tolist(), found):
        counts[place[key]] = number  # a KeyError is a board without the property
    return counts


# ---- the law

CASES = [
    ((2, 4), 2, "lines", 3),
    ((1, 5), 2, "lines", 3),
    ((5, 1), 3, "lines", 2),
    ((2, 4), 2, "groups", 3),
    ((1, 5), 3, "groups", 3),
    ((2, 3), 3, "groups", 2),
    ((3, 3), 2, "lines", 3),
    ((3, 3), 2, "groups", 4),
    ((4, 3), 2, "lines", 3),
    ((4, 3), 2, "groups", 3),
    ((2, 4), 3, "lines", 2),
    ((3, 3), 3, "lines", 3),
    ((3, 3), 3, "groups", 3),
]
PROPERTIES = [(True, False), (True, True), (False, True), (False, False)]


@pytest.mark.parametrize(("settled", "movable"), PROPERTIES)
@pytest.mark.parametrize("case", CASES[:6] if SLOW else CASES, ids=str)
def test_every_board_with_the_property_has_the_same_chance(case, settled, movable):
    shape, n_colours, rule, length = case
    law = all_boards(*case, settled, movable)
    options = {"rule": rule, "length": length, "settled": settled, "movable": movable}
    size = (20 if SLOW else 100) * len(law)
    boards = board(shape, n_colours, **options, size=size, rng=SEED)
    assert boards.shape == (size, *shape)
    assert boards.dtype == np.int8
    assert len(law) == 1 or stats.chisquare(counts_of(boards, law)).pvalue > ALPHA


def cell_by_cell(shape, n_colours, length, size, rng):
    """The faulty way: fill in order, and draw only that cell again which would end a line."""
    rng = np.random.default_rng(rng)
    boards = np.full((size, *shape), -1, np.int8)
    for row, col in np.ndindex(shape):
        todo = np.arange(size)
        while len(todo):
            boards[todo, row, col] = rng.integers(n_colours, size=len(todo))
            some = boards[todo]
            left, up = (
                some[:, row, max(0, col - length + 1) : col + 1],
                some[:, max(0, row - length + 1) : row + 1, col],
            )
            ends = [
                (line == line[:, -1:]).all(1) if line.shape[1] == length else np.zeros(len(todo), bool)
                for line in (left, up)
            ]
            todo = todo[ends[0] | ends[1]]
    return boards


def law_cell_by_cell(law, shape, n_colours, length):
    """The exact chance of each settled board of the faulty way: one over the colours that each cell could get."""
    chances = []
    for colours in law:
        cells, filled, chance = as_dict(np.reshape(colours, shape)), {}, 1
        for cell, colour in sorted(cells.items()):
            fits = [x for x in range(n_colours) if not clears_at({**filled, cell: x}, cell, "lines", length)]
            chance /= len(fits)
            filled[cell] = colour
        chances.append(chance)
    assert math.isclose(sum(chances), 1)
    return chances


def law_of_one_half(law, rows_above):
    """The exact chance of each settled board when only the lower half is drawn again where the joined ones clear."""
    above = [colours[:rows_above] for colours in law]
    fits = {half: above.count(half) for half in set(above)}
    return [1 / len(fits) / fits[half] for half in above]


def test_faulty_ways_are_found_out():
    shape, n_colours = ((2, 3) if SLOW else (3, 3)), 3
    law = all_boards(shape, n_colours, "lines", 3, True, False)
    n = (3000 if SLOW else 100) * len(law)
    uniform = [1 / len(law)] * len(law)

    faulty = law_cell_by_cell(law, shape, n_colours, 3)
    if not SLOW:
        assert power(faulty, uniform, n, ALPHA) > 0.999
        counts = counts_of(cell_by_cell(shape, n_colours, 3, n, SEED), law)
        assert stats.chisquare(counts, np.array(faulty) * n).pvalue > ALPHA
        assert stats.chisquare(counts).pvalue < ALPHA

    law = all_boards((4, 3), 2, "lines", 3, True, False)  # cut as `board` does
    faulty, n = law_of_one_half(law, 6), 400 * len(law)
    uniform = [1 / len(law)] * len(law)
    assert math.isclose(sum(faulty), 1)
    assert power(faulty, uniform, n, ALPHA) > 0.999
    counts = np.random.default_rng(SEED).multinomial(n, faulty)
    assert stats.chisquare(counts).pvalue < ALPHA


def something_clears(boards, rule):
    """Whether boards have three equal cells that clear, by comparing whole boards with themselves one step aside."""
    right, down = boards[:, :, 1:] == boards[:, :, :-1], boards[:, 1:] == boards[:, :-1]
    clears = (right[:, :, 1:] & right[:, :, :-1]).any((1, 2)) | (down[:, 1:] & down[:, :-1]).any((1, 2))
    if rule == "groups":  # those round a corner, too
        for across in (right[:, 1:], right[:, :-1]):
            for along in (down[:, :, 1:], down[:, :, :-1]):
                clears |= (across & along).any((1, 2))
    return clears


def plainly(shape, n_colours, rule, size, rng):
    """Settled boards the plain way: draw boards until enough of them are settled."""
    rng = np.random.default_rng(rng)
    found = []
    while sum(map(len, found)) < size:
        boards = rng.integers(n_colours, size=(100_000, *shape), dtype=np.int8)
        found.append(boards[~something_clears(boards, rule)])
    return np.concatenate(found)[:size]


def difference(one, other):
    """The p-value of the hypothesis that two batches have one law, by their equal neighbours and their colours."""
    pvalues = []
    sums = []
    features = []
    for boards in (one, other):
        pairs = [boards[:, :, 1:] == boards[:, :, :-1], boards[:, 1:] == boards[:, :-1]]
        pairs = np.concatenate([some.reshape(len(boards), -1) for some in pairs], axis=1)
        sums.append(np.bincount(pairs.sum(1), minlength=pairs.shape[1] + 1))
        features.append(np.concatenate([pairs, boards.reshape(len(boards), -1) == 0], axis=1))
    # each pair of neighbours and each cell on its own: the largest difference of shares
    shares = np.array([some.mean(0) for some in features])
    variance = sum(share * (1 - share) / len(some) for share, some in zip(shares, features))
    largest = np.abs((shares[0] - shares[1]) / np.sqrt(variance)).max()
    pvalues.append(2 * stats.norm.sf(largest) * shares.shape[1])
    # the number of equal pairs of a board, rare ones put together
    table = np.array(sums)
    often = (table >= 20).all(0)
    table = np.column_stack([table[:, often], table[:, ~often].sum(1)])
    pvalues.append(stats.chi2_contingency(table[:, table.sum(0) > 0]).pvalue)
    return 2 * min(pvalues)


@pytest.mark.parametrize(
    ("shape", "n_colours", "rule"),
    [((6, 6), 4, "lines"), ((9, 9), 6, "lines"), ((6, 6), 6, "groups"), ((7, 5), 5, "groups")],
)
def test_larger_boards_are_like_those_of_plain_rejection(shape, n_colours, rule):
    size = 300 if SLOW else 20_000
    plain = plainly(shape, n_colours, rule, size, SEED)
    boards = board(shape, n_colours, rule=rule, size=size, rng=SEED)
    assert difference(boards, plain) > ALPHA
    if rule == "lines" and not SLOW:
        assert difference(cell_by_cell(shape, n_colours, 3, size, SEED), plain) < ALPHA


@pytest.mark.parametrize("movable", [False, True])
@pytest.mark.parametrize(
    ("shape", "n_colours", "rule", "length"),
    [
        ((9, 9), 6, "lines", 3),
        ((5, 13), 3, "lines", 3),
        ((12, 12), 2, "lines", 5),
        ((8, 3), 4, "lines", 2),
        ((1, 40), 2, "lines", 4),
        ((9, 9), 6, "groups", 3),
        ((4, 11), 4, "groups", 4),
        ((13, 5), 3, "groups", 7),
        ((40, 1), 3, "groups", 2),
        ((6, 6), 2, "groups", 15),
        ((5, 5), 127, "groups", 2),
    ],
)
def test_boards_have_the_property(shape, n_colours, rule, length, movable):
    n = 2 if SLOW else 50
    for some in board(shape, n_colours, rule=rule, length=length, movable=movable, size=n, rng=SEED):
        cells = as_dict(some)
        assert len(cells) == math.prod(shape)
        assert max(cells.values()) < n_colours
        assert is_settled(cells, rule, length)
        assert not movable or is_movable(cells, rule, length)


def test_a_large_board_of_many_colours():
    drawn = board((30, 40) if SLOW else (300, 400), 127, rng=SEED)
    assert set(np.unique(drawn)) == set(range(127))
    assert not something_clears(drawn[None], "lines")


# ---- what there is


def asked(settled, movable):
    return {"settled": settled, "movable": movable}


@pytest.mark.parametrize("rule", ["lines", "groups"])
@pytest.mark.parametrize("n_colours", [1, 2, 3])
def test_a_board_is_refused_where_there_is_none(rule, n_colours, monkeypatch):
    monkeypatch.setattr(module, "LIMIT", 2**12 if SLOW else 2**26)
    cells = {1: 16, 2: 8 if SLOW else 9, 3: 6}[n_colours]
    shapes = [shape for shape in itertools.product(range(1, 8), repeat=2) if math.prod(shape) <= cells]
    if n_colours == 2:
        shapes += [(3, 4), (4, 3), (4, 4)]
    for shape, length, (settled, movable) in itertools.product(shapes, range(2, 7), PROPERTIES):
        if rule == "lines" and length > 4 and math.prod(shape) > cells:
            continue  # all of many boards without a move
        every = itertools.product(range(n_colours), repeat=math.prod(shape))
        exists = next(boards_with(every, shape, rule, length, settled, movable), None) is not None
        call = functools.partial(board, shape, n_colours, rule=rule, length=length, **asked(settled, movable), rng=SEED)
        if exists:
            assert call().shape == shape
        else:
            with pytest.raises(ValueError, match=r"^(n_colours|shape) must (be|have) .* got \d"):
                call()


def witness(rows, cols, rule, length):
    """The settled board of two colours with a move, and the move, of the proof in `_check_possible`; rows <= cols."""
    row, col = np.indices((rows, cols))
    if rows == 1:
        colours = np.where(col < length - 1, 0, (col - length) % 2)
        return colours, (0, length - 1), (0, length)
    if rule == "lines":
        colours = (row + col - length) % 2
        colours[0, : length - 1] = 0
        colours[0, length - 1 :] = (np.arange(length - 1, cols) - length) % 2
        return colours, (0, length - 1), (1, length - 1)
    if length <= cols:
        return (row + col // (length - 1)) % 2, (0, length - 1), (1, length - 1)
    if (rows, cols, length) == (3, 3, 4):
        return row % 2, (0, 2), (1, 2)
    k = -(-(length + 2) // rows)
    m = k * rows - 2 - length
    column = col + (row >= rows - m)
    colours = np.where(column < k, 0, (column - k + 1) % 2)
    colours[0, 1] = colours[1, 0] = 1
    return colours, (0, 0), (0, 1)


@pytest.mark.parametrize("rule", ["lines", "groups"])
def test_the_boards_of_the_proof_are_settled_and_have_their_move(rule):
    seen = 0
    for rows in range(1, 8):
        for cols in range(rows, 10):
            for length in range(2, rows * cols + 1):
                try:
                    module._check_possible(rows, cols, 2, rule == "groups", length, True, True, "")
                except ValueError:
                    continue
                if rule == "lines" and length > cols:
                    continue
                colours, one, other = witness(rows, cols, rule, length)
                cells = as_dict(colours)
                assert is_settled(cells, rule, length), (rows, cols, length)
                assert makes_match(cells, one, other, rule, length), (rows, cols, length)
                seen += 1
    assert seen > 200


# ---- pieces, seeds, guards


@pytest.mark.parametrize("rule", ["lines", "groups"])
@pytest.mark.parametrize(("settled", "movable"), PROPERTIES)
def test_what_is_drawn_depends_neither_on_pieces_nor_on_the_size_of_the_batch(rule, settled, movable, monkeypatch):
    f = functools.partial(board, (4, 5), 3, rule=rule, **asked(settled, movable))
    drawn = f(size=7, rng=SEED)
    again = functools.partial(reshuffle, drawn, rule=rule, **asked(settled, movable))
    arranged = again(rng=SEED)
    assert np.array_equal(drawn[0], f(rng=SEED))
    assert np.array_equal(drawn[:4], f(size=4, rng=SEED))
    for piece in (1, 5, 40):
        monkeypatch.setattr(module, "PIECE", piece)
        assert np.array_equal(drawn, f(size=7, rng=SEED))
        assert np.array_equal(arranged, again(rng=SEED))


def test_large_blocks_are_drawn_in_several_goes(monkeypatch):
    monkeypatch.setattr(module, "LEAF", 6)
    for options in ({"settled": False}, {"length": 9}, {"length": 100, "rule": "groups"}):
        boards = board((8, 8), 3, **options, size=50, rng=SEED)
        assert stats.chisquare(np.bincount(boards.ravel())).pvalue > ALPHA
        assert (
            max(math.prod(np.diff(block[:4])[::2]) for block in module._plan(8, 8, True, 1000) if not any(block[4:6]))
            <= 6
        )


def test_seeds_generators_and_global_state():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    for f in (functools.partial(board, (6, 6), 4, size=3), functools.partial(reshuffle, board((6, 6), 6, rng=1))):
        rng = np.random.default_rng(SEED)
        first, second = f(rng=rng), f(rng=rng)
        assert np.array_equal(first, f(rng=SEED))
        assert not np.array_equal(first, second)
        assert not np.array_equal(f(), f())
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_one_none_and_no_boards():
    one = board((4, 4), 3, rng=SEED)
    assert one.shape == (4, 4)
    assert np.array_equal(board((4, 4), 3, size=1, rng=SEED), one[None])
    assert board((4, 4), 3, size=0).shape == (0, 4, 4)
    assert board((1, 1), 1).tolist() == [[0]]
    assert reshuffle(np.zeros((0, 4, 4), int)).shape == (0, 4, 4)


@pytest.mark.parametrize("rule", ["lines", "groups"])
def test_boards_too_rare_are_given_up(rule, monkeypatch):
    monkeypatch.setattr(module, "LIMIT", 2**14)
    monkeypatch.setattr(module, "PIECE", 2**10)
    words = (
        r"shape must be small enough .* got 100x100 with 3 colours: [\d,]+ cells were drawn for 0 of 5 boards; ask for"
    )
    with pytest.raises(ValueError, match=words):
        board((100, 100), 3, rule=rule, size=5, rng=SEED)
    # a batch may take longer than one board
    drawn = board((9, 9), 6, size=100, rng=SEED)
    assert drawn.shape == (100, 9, 9)


@pytest.mark.parametrize(
    "call", [lambda: board((100, 100), 3), lambda: reshuffle(np.indices((60, 60)).sum(0) % 3 // 1)]
)
def test_an_interrupt_gets_through(call, monkeypatch):
    for room in (module, arrangements):
        monkeypatch.setattr(room, "LIMIT", 2**60)
    board((3, 3), 3)  # compiled
    reshuffle(board((6, 6), 6, rng=1))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, _thread.interrupt_main)
    try:
        timer.start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            call()
        assert time.monotonic() - start < 30  # it would have taken for ever
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


# ---- arrangements

BOARDS = [
    ([[0, 0, 1], [1, 2, 2]], "lines", 3),  # no move, as no colour has three cells
    ([[0, 0, 1], [1, 2, 2]], "lines", 2),
    ([[0, 0, 1, -1], [1, 2, 2, 0]], "lines", 3),
    ([[0, 1, 1, 0, 1, 0, 0]], "lines", 3),
    ([[0, 1, 1, 0], [-1, 3, 1, 3]], "groups", 3),
    ([[0, 0, 1], [1, 2, 2], [0, 1, 2]], "lines", 3),
    ([[0, 0, 1], [1, 2, 2], [0, 1, 2]], "groups", 3),
    ([[0, 1, 1, 0], [1, -1, 0, 1], [0, 0, 1, 1]], "lines", 3),
    ([[0, 0, 0, 1, 0], [1, 1, 1, 0, 1]], "groups", 4),
]


def all_arrangements(start, rule, length, settled, movable):
    """All arrangements of a board's filled cells with a property, as tuples of colours."""
    start = np.array(start)
    colours = np.bincount(start[start >= 0])
    every = [()]
    for cell in start.ravel():  # all ways on from all beginnings
        nexts = [-1] if cell < 0 else range(len(colours))
        every = [(*way, x) for way in every for x in nexts if x < 0 or way.count(x) < colours[x]]
    return list(boards_with(every, start.shape, rule, length, settled, movable))


@pytest.mark.parametrize(("settled", "movable"), PROPERTIES)
@pytest.mark.parametrize("case", BOARDS[:5] if SLOW else BOARDS, ids=str)
def test_every_arrangement_with_the_property_has_the_same_chance(case, settled, movable):
    start, rule, length = case
    law = all_arrangements(start, rule, length, settled, movable)
    size = (20 if SLOW else 100) * max(1, len(law))
    batch = np.broadcast_to(np.array(start), (size, *np.shape(start)))
    if not law:
        with pytest.raises(ValueError, match="board must have"):
            reshuffle(batch, rule=rule, length=length, **asked(settled, movable), rng=SEED)
        return
    drawn = reshuffle(batch, rule=rule, length=length, **asked(settled, movable), rng=SEED)
    assert drawn.dtype == np.int8
    assert stats.chisquare(counts_of(drawn, law)).pvalue > ALPHA


IN_HALVES = [
    ([[0, 0, 1, -1], [1, 2, 2, 0]], "lines", 2),
    ([[0, 0, 0, 1, 0], [1, 1, 1, 0, 1], [-1, -1, -1, -1, -1]], "groups", 4),
    ([[0, 1, 1, 0], [1, -1, 0, 1], [0, 0, 1, 1]], "lines", 3),
    ([[0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 1, -1, 1]], "lines", 3),
]


def only_in_halves(monkeypatch):
    monkeypatch.setattr(arrangements, "PATIENCE", -1)
    monkeypatch.setattr(arrangements, "_check_arrangements", lambda boards, *_: np.full(len(boards), 1e30))


def tops(case):
    """The rows that are drawn in halves."""
    start, rule, length = case
    return arrangements._halves(np.array(start, np.int8), rule == "groups", length, length)[1][-1]


@pytest.mark.parametrize("movable", [False, True])
@pytest.mark.parametrize("case", IN_HALVES[:2] if SLOW else IN_HALVES, ids=str)
def test_every_arrangement_has_the_same_chance_in_halves(case, movable, monkeypatch):
    start, rule, length = case
    assert 0 < tops(case) < len(start)
    law = all_arrangements(start, rule, length, True, movable)
    only_in_halves(monkeypatch)
    batch = np.broadcast_to(np.array(start), ((20 if SLOW else 100) * len(law), *np.shape(start)))
    drawn = reshuffle(batch, rule=rule, length=length, movable=movable, rng=SEED)
    assert stats.chisquare(counts_of(drawn, law)).pvalue > ALPHA


@pytest.mark.skipif(SLOW, reason="many boards")
def test_halves_that_keep_whatever_fits_are_found_out(monkeypatch):
    """Without the chance to be kept, boards whose last rows can be arranged in few ways come too often."""
    start, rule, length = case = IN_HALVES[3]
    law = all_arrangements(start, rule, length, True, False)
    below = tops(case) * 4
    faulty = []
    for colours in law:
        upper, lower = [[x for x in part if x >= 0] for part in (colours[:below], colours[below:])]
        ways = math.factorial(len(lower)) / math.prod(math.factorial(n) for n in np.bincount(lower).tolist())
        faulty.append((9 / 15) ** upper.count(0) * (6 / 15) ** upper.count(1) / ways)
    faulty = np.array(faulty) / sum(faulty)
    n = 100 * len(law)
    assert power(faulty, np.full(len(law), 1 / len(law)), n, ALPHA) > 0.999

    halves = arrangements._halves

    def careless(*arguments):
        plan, (pool, counts, logs, factorials, _, top) = halves(*arguments)
        return plan, (pool, counts, 0 * logs, 0 * factorials, 0.0, top)

    only_in_halves(monkeypatch)
    monkeypatch.setattr(arrangements, "_halves", careless)
    drawn = reshuffle(np.broadcast_to(np.array(start), (n, 4, 4)), movable=False, rng=SEED)
    counts = counts_of(drawn, law)
    assert stats.chisquare(counts, faulty * n).pvalue > ALPHA
    assert stats.chisquare(counts).pvalue < ALPHA


@pytest.mark.parametrize(
    ("shape", "n_colours", "rule"), [((4, 9), 4, "lines"), ((9, 5), 4, "groups"), ((15, 15), 6, "groups")]
)
def test_a_larger_board_is_reshuffled_in_halves(shape, n_colours, rule, monkeypatch):
    if SLOW:
        shape = (4, 5)
    start = board(shape, n_colours, rule=rule, rng=SEED)
    start[1, 2] = -1
    only_in_halves(monkeypatch)
    drawn = [reshuffle(start, rule=rule, rng=SEED)]
    monkeypatch.setattr(arrangements, "PIECE", 100)
    drawn += [reshuffle(start, rule=rule, rng=SEED)]
    assert np.array_equal(*drawn)  # in whatever pieces
    assert not np.array_equal(drawn[0], start)
    assert np.array_equal(drawn[0] < 0, start < 0)
    assert np.array_equal(np.sort(drawn[0], axis=None), np.sort(start, axis=None))
    assert is_settled(as_dict(drawn[0]), rule, 3)
    assert is_movable(as_dict(drawn[0]), rule, 3)


def test_a_faulty_shuffle_is_found_out():
    """To swap each cell with any cell, not with one of those left, is not uniform; nor is it when settled."""
    start = BOARDS[0][0]
    law = all_arrangements(start, "lines", 3, True, False)
    ways = dict.fromkeys(law, 0)
    for picks in itertools.product(range(6), repeat=6):
        cells = list(itertools.chain(*start))
        for cell, pick in enumerate(picks):
            cells[cell], cells[pick] = cells[pick], cells[cell]
        if tuple(cells) in ways:
            ways[tuple(cells)] += 1
    faulty = np.array(list(ways.values())) / sum(ways.values())
    n = 200 * len(law)
    assert power(faulty, np.full(len(law), 1 / len(law)), n, ALPHA) > 0.999
    assert stats.chisquare(np.random.default_rng(SEED).multinomial(n, faulty)).pvalue < ALPHA


def test_a_batch_of_boards_keeps_cells_and_shape():
    n = 2 if SLOW else 30
    boards = board((9, 9), 6, size=2 * n, rng=SEED).reshape(2, n, 9, 9)
    boards[:, :, 3, 2:5] = -1
    boards[:, :, 8, 0] = -1
    for layout in (boards, boards.astype(np.int64)[:, ::-1], np.asfortranarray(boards)):
        before = layout.copy()
        layout.flags.writeable = False
        drawn = reshuffle(layout, rng=SEED)
        assert np.array_equal(before, layout)
        assert drawn.shape == boards.shape
        assert np.array_equal(drawn < 0, layout < 0)
        assert np.array_equal(np.sort(drawn, axis=None), np.sort(layout, axis=None))
        for some, was in zip(drawn.reshape(-1, 9, 9), layout.reshape(-1, 9, 9)):
            assert np.array_equal(np.sort(some, axis=None), np.sort(was, axis=None))
            assert is_settled(as_dict(some), "lines", 3)
            assert is_movable(as_dict(some), "lines", 3)


NONE = [
    (np.zeros((9, 9), int), {}, "at least 2 colours .* got 1 in board 0 of 1"),
    (np.full((3, 3), -1), {}, "at least 2 colours .* got 0"),
    (np.arange(81).reshape(9, 9), {}, "at least 3 cells of one colour .* got 1 "),
    (np.arange(81).reshape(9, 9), {"rule": "groups"}, "at least 3 cells of one colour .* got 1 "),
    (np.repeat(np.arange(40), 2).reshape(8, 10), {}, "at least 3 cells of one colour .* got 2 "),
    ([[0, 0, -1, 0, 1]], {}, "at least 1 run of 3 filled cells .* got 0"),
    ([[0, 0], [0, 1]], {}, "at least 1 run of 3 filled cells .* got 0"),
    (np.arange(81).reshape(9, 9) // 60, {}, "at most 54 cells of one colour .* got 60"),
    (np.zeros((3, 3), int), {"movable": False}, "at most 6 cells of one colour .* got 9"),
    ([[[0, 1, 0], [0, 2, 1]], [[0, 0, 0], [0, 0, 1]]], {}, "at most 4 cells of one colour .* got 5 in board 1 of 2"),
    ([[0, 0], [0, 1]], {"rule": "groups"}, "none was found for board 0 of 1 in [\\d,]+ cells drawn"),
    ([[0, 0, 0, -1, 1]], {}, "none was found"),
    (np.zeros((9, 9), int), {"rule": "groups", "movable": False}, "at most 54 cells of one colour .* got 81"),
    (np.arange(81).reshape(9, 9) // 80, {"rule": "groups"}, "at most 54 cells of one colour .* got 80"),
    (np.arange(36).reshape(6, 6) // 26, {"rule": "groups"}, "at most 24 cells of one colour .* got 26"),
]


@pytest.mark.parametrize(("start", "options", "words"), NONE)
def test_an_arrangement_that_does_not_exist_is_refused_at_once(start, options, words, monkeypatch):
    reshuffle(board((6, 6), 6, rng=1))  # compiled
    monkeypatch.setattr(arrangements, "LIMIT", math.inf)  # it is not needed
    start_time = time.monotonic()
    with pytest.raises(ValueError, match=f"board must have .*{words}"):
        reshuffle(start, **options, rng=SEED)
    assert time.monotonic() - start_time < (60 if SLOW else 5)


def test_arrangements_too_rare_are_given_up(monkeypatch):
    monkeypatch.setattr(arrangements, "LIMIT", 2**14)
    monkeypatch.setattr(arrangements, "PIECE", 2**10)
    with pytest.raises(ValueError, match=r"none was found for board 0 of 1 in [\d,]+ cells drawn: make a new board"):
        reshuffle(np.indices((30, 30)).sum(0) % 2, rng=SEED)


# ---- refusals


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (((0, 4), 3), {}, ValueError, "rows of the grid's shape must be at least 1, got 0"),
        ((4, 3), {}, TypeError, "shape must be a pair"),
        (((4, 4), 0), {}, ValueError, "n_colours must be from 1 to 127, got 0"),
        (((4, 4), 128), {}, ValueError, "n_colours must be from 1 to 127, got 128"),
        (((4, 4), 2.0), {}, TypeError, "n_colours must be an integer"),
        (((4, 4), 3), {"rule": "squares"}, ValueError, "rule must be"),
        (((4, 4), 3), {"length": 1}, ValueError, "length must be at least 2"),
        (((4, 4), 3), {"settled": 1}, TypeError, "settled must be True or False, got 1"),
        (((4, 4), 3), {"movable": None}, TypeError, "movable must be True or False, got None"),
        (((4, 4), 3), {"size": -1}, ValueError, "size must be at least 0, got -1"),
        (((4, 4), 3), {"size": 10**15}, MemoryError, "size must be small enough"),
        (((4, 4), 3), {"rng": -1}, ValueError, "rng must be"),
        (
            ((4, 4), 1),
            {},
            ValueError,
            r"n_colours must be at least 2 for boards of 4x4 that are settled \(lines of 3\), got 1",
        ),
        (((1, 2), 3), {"movable": True}, ValueError, "shape must have a side of at least 3 .* got 1x2"),
        (((1, 3), 3), {"movable": True}, ValueError, "shape must have at least 4 cells .* got 1x3"),
    ],
)
def test_bad_input_is_refused_in_words(arguments, options, error, words):
    with pytest.raises(error, match=words):
        board(*arguments, **options)


@pytest.mark.parametrize(
    ("start", "options", "error"),
    [
        ([[0.5, 1]], {}, TypeError),
        ([0, 1], {}, ValueError),
        ([[0, 127]], {}, ValueError),
        ([[0, -2]], {}, ValueError),
        ([[0, 1]], {"rule": 3}, (TypeError, ValueError)),
        ([[0, 1]], {"settled": "yes"}, TypeError),
    ],
)
def test_bad_boards_are_refused(start, options, error):
    with pytest.raises(error):
        reshuffle(start, **options)
