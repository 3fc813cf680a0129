"""What clears, moves and cascades of match-3: against the obvious versions, on all small boards, by what is kept."""

import _thread
import dataclasses
import itertools
import signal
import threading
import time

import naive_match3
import numba
import numpy as np
import pytest
from reference import power
from scipy import stats

from gridlab import match3
from gridlab.match3 import cascades, rules

SLOW = numba.config.DISABLE_JIT
ALPHA = 1e-6
SEED = 20261130

SHAPES = [(1, 1), (1, 2), (2, 1), (1, 7), (7, 1), (2, 2), (2, 5), (5, 2), (3, 3), (4, 6), (6, 4), (8, 8)]
DTYPES = [dtype + order for dtype in "bhilq" for order in "<>"]
UNSIGNED = [dtype + order for dtype in "BHILQ" for order in "<>"]

both_rules = pytest.mark.parametrize("rule", ["lines", "groups"])
lengths = pytest.mark.parametrize("length", [2, 3, 4, 5, 6])


def draws(shape, n_colours, n, holes=0.2):
    """Random boards: all colours equally likely, every second board with holes."""
    rng = np.random.default_rng([SEED, *shape, n_colours])
    boards = rng.integers(0, n_colours, (n, *shape)).astype(np.int8)
    boards[::2][rng.random(boards[::2].shape) < holes] = -1
    return boards


def all_boards(shape, colours):
    """All boards of a shape."""
    cells = shape[0] * shape[1]
    return np.array(list(itertools.product(colours, repeat=cells)), np.int8).reshape(-1, *shape)


def check(boards, rule, length, *, with_moves=True):
    """Compare what clears and the moves on a batch with the obvious version."""
    before = boards.copy()
    labels = match3.matches(boards, rule=rule, length=length)
    settled = match3.is_settled(boards, rule=rule, length=length)
    assert (labels.dtype, labels.shape, settled.dtype) == (np.int32, boards.shape, bool)
    frozen = [naive_match3.as_board(board) for board in boards.tolist()]
    expected = np.array([naive_match3.matches(board, rule, length) for board in frozen])
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(settled, ~expected.any((1, 2)))
    if with_moves:
        moves = match3.moves(boards, rule=rule, length=length)
        movable = match3.is_movable(boards, rule=rule, length=length)
        assert (moves.dtype, moves.shape, movable.dtype) == (bool, (*boards.shape, 2), bool)
        expected = np.array([naive_match3.moves(board, rule, length) for board in frozen])
        np.testing.assert_array_equal(moves, expected)
        np.testing.assert_array_equal(movable, expected.any((1, 2, 3)))
    np.testing.assert_array_equal(boards, before)


# ---- what clears, and moves


@both_rules
@lengths
@pytest.mark.parametrize("n_colours", [1, 2, 3, 4, 6])
def test_matches_of_random_boards(rule, length, n_colours):
    for shape in SHAPES:
        check(draws(shape, n_colours, 4 if SLOW else 24), rule, length, with_moves=False)


@both_rules
@lengths
@pytest.mark.parametrize("n_colours", [1, 2, 3, 6])
def test_moves_of_random_boards(rule, length, n_colours):
    for shape in SHAPES:
        small = shape[0] * shape[1] < 20
        check(draws(shape, n_colours, 10 if small and not SLOW else 2), rule, length)


@both_rules
@pytest.mark.parametrize("length", [2, 3, 4, 6])
def test_all_boards_of_two_colours_and_holes(rule, length):
    for shape in [(2, 3), (3, 2), (1, 6)]:
        check(all_boards(shape, (-1, 0, 1)), rule, length)
    if length < 6:
        boards = all_boards((3, 3), (-1, 0, 1))
        assert len(boards) == 3**9
        check(boards[::31] if SLOW else boards, rule, length)


def by_shifts(boards, length):
    """Cells in lines, from whole boards compared with themselves shifted."""
    found = np.zeros(boards.shape, bool)
    for axis in (-2, -1):
        places = boards.shape[axis] - length + 1
        if places < 1:
            continue
        parts = [boards.take(range(k, k + places), axis) for k in range(length)]
        starts = np.logical_and.reduce([part == parts[0] for part in parts]) & (parts[0] >= 0)
        for k in range(length):
            index = [slice(None)] * boards.ndim
            index[axis] = slice(k, k + places)
            found[tuple(index)] |= starts
    return found


@both_rules
@pytest.mark.parametrize("length", [7, 8, 9, 10, 13])
def test_long_lines_and_large_groups(rule, length):
    for shape in [(1, 11), (11, 1)]:
        check(all_boards(shape, (-1, 0)), rule, length, with_moves=False)
    for shape in [(1, 14), (14, 1), (2, 10), (10, 2), (9, 9)]:
        check(draws(shape, 1, 4 if SLOW else 40, holes=0.1), rule, length, with_moves=False)
        boards = draws(shape, 1, 3 if SLOW else 12, holes=0.05)
        boards[::3, -1, -1] = 1
        boards[1::3, shape[0] // 2, shape[1] // 2] = 1
        check(boards, rule, length)


@pytest.mark.parametrize("length", [2, 3, 4, 5, 6, 8, 9, 17])
@pytest.mark.parametrize("shape", [(9, 9), (40, 70), (1, 300), (300, 1)])
def test_lines_by_whole_boards_compared_with_themselves(length, shape):
    for n_colours in (1, 2, 4):
        boards = draws(shape, n_colours, 2 if SLOW else 30, holes=0.05)
        labels = match3.matches(boards, length=length)
        np.testing.assert_array_equal(labels > 0, by_shifts(boards, length))
        np.testing.assert_array_equal(
            match3.is_settled(boards, length=length), ~by_shifts(boards, length).any(axis=(1, 2))
        )


def test_no_line_goes_on_in_the_next_row_or_on_the_next_board():
    board = np.array([[1, 2, 0, 0], [0, 0, 3, 0], [0, 1, 2, 3]])  # by flat index four in a row, then three
    assert not match3.matches(board).any()
    down = np.array([[[1], [0], [0]], [[0], [0], [1]]])
    assert not match3.matches(down, length=3).any()
    assert not match3.matches(board[None].repeat(3, 0).transpose(0, 2, 1)).any()


def test_a_run_of_four_is_found_with_every_length_up_to_it():
    for board in ([[1, 0, 0, 0, 0, 2]], [[1], [0], [0], [0], [0], [2]]):
        for length in (2, 3, 4):
            assert match3.matches(board, length=length).sum() == 4
        assert match3.is_settled(board, length=5)


def test_lines_that_cross_or_touch_are_one_and_their_cells_count_once():
    cross = np.array([[1, 0, 2], [0, 0, 0], [2, 0, 1]])
    assert match3.matches(cross).tolist() == [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
    assert match3.cascade(cross).cleared.tolist() == [5]
    corner = np.array([[0, 0, 0], [0, 1, 2], [0, 2, 1]])
    assert match3.matches(corner).tolist() == [[1, 1, 1], [1, 0, 0], [1, 0, 0]]
    assert match3.cascade(corner).cleared.tolist() == [5]
    touching = np.array([[0, 0, 0, 1], [2, 0, 0, 0]])
    assert match3.matches(touching).tolist() == [[1, 1, 1, 0], [0, 1, 1, 1]]
    apart = np.array([[0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]])
    assert match3.matches(apart).tolist() == [[1, 1, 1, 2, 2, 2], [3, 3, 3, 4, 4, 4]]
    full = np.zeros((30, 20), int)  # more than a byte can count
    assert match3.cascade(full).cleared.tolist() == match3.cascade(full, rule="groups").cleared.tolist() == [600]


@both_rules
def test_a_line_elsewhere_makes_no_move(rule):
    board = [[0, 0, 0, 1, 2]]
    assert np.argwhere(match3.moves(board, rule=rule)).tolist() == []
    assert np.argwhere(match3.moves([[0, 0, 1, 0, 2, -1, 0]], rule=rule)).tolist() == [[0, 2, 0]]


def test_the_two_swapped_cells_are_not_in_their_old_places():
    # 0 comes to where it would stand between 0 and where it was
    assert not match3.moves([[0, 0, 1]], rule="lines").any()
    assert not match3.moves([[0, 0, 1]], rule="groups").any()
    assert not match3.moves([[1, 0], [2, 0]], rule="groups").any()
    assert match3.moves([[1, 0, 0], [0, 2, 2]], rule="lines")[0, 0].tolist() == [False, True]


@both_rules
def test_a_large_length_takes_no_longer_than_there_are_cells(rule):
    """Done at once; looking for each cell among all found before, or once more for each cell of a line, was not."""
    row, col = np.indices((30, 30) if SLOW else (300, 300))
    board = (row > col) ^ ((row % 2 == 1) & (abs(row - col) < 2))
    assert not match3.is_movable(board, rule=rule, length=board.size - 1)
    assert not match3.moves(board, rule=rule, length=board.size - 1).any()
    line = np.zeros((1, 1000 if SLOW else 3_000_000), np.int8)
    for length, settled in ((line.size, False), (line.size // 2, False), (line.size + 1, True)):
        assert match3.is_settled(line, rule=rule, length=length) == settled


@both_rules
def test_a_length_of_more_cells_than_there_are_clears_nothing(rule):
    board = np.zeros((8, 8), int)
    for length in (65, 2**31 - 1, 2**31, 2**63, 10**30):
        assert match3.is_settled(board, rule=rule, length=length)
        assert not match3.matches(board, rule=rule, length=length).any()
        assert not match3.is_movable(np.arange(64).reshape(8, 8), rule=rule, length=length)
        end = match3.cascade(board, 3, rule=rule, length=length)
        assert (end.steps, end.score, end.settled) == (0, 0, True)
    assert match3.is_settled(board, length=9)
    assert not match3.is_settled(board, length=np.int8(8))


# ---- clear, fall, refill


@pytest.mark.parametrize("n_colours", [1, 3, 127])
def test_clear_fall_and_refill_of_random_boards(n_colours):
    for shape in SHAPES:
        boards = draws(shape, n_colours, 6 if SLOW else 40, holes=0.5)
        before = boards.copy()
        labels = np.random.default_rng(SEED).integers(-1, 3, boards.shape)
        cleared, fallen = match3.clear(boards, labels), match3.fall(boards)
        mine, theirs = np.random.default_rng(SEED), np.random.default_rng(SEED)
        refilled = match3.refill(boards, n_colours, rng=mine)
        for i, board in enumerate(map(naive_match3.as_board, boards.tolist())):
            assert naive_match3.as_board(cleared[i]) == naive_match3.clear(board, set(zip(*np.nonzero(labels[i]))))
            assert naive_match3.as_board(fallen[i]) == naive_match3.fall(board)
            assert naive_match3.as_board(refilled[i]) == naive_match3.refill(board, n_colours, theirs)
        assert mine.random() == theirs.random()
        np.testing.assert_array_equal(cleared, match3.clear(boards, labels != 0))
        np.testing.assert_array_equal(boards, before)
        for result in (cleared, fallen, refilled):
            assert result.dtype == np.int8
            assert result.flags.writeable
            assert not np.shares_memory(result, boards)


def test_all_columns_of_four_fall():
    boards = all_boards((4, 1), (-1, 0, 1))
    assert match3.fall(boards).tolist() == [[*map(list, naive_match3.fall(board))] for board in boards.tolist()]


def of_bytes(n, n_colours):
    """The faulty way: random bytes, of which the remainder is taken."""
    return np.random.default_rng(SEED).integers(0, 256, n) % n_colours


def test_the_law_of_new_cells():
    n_colours, n = 6, 2_000_000
    law = np.full(n_colours, 1 / n_colours)
    faulty = np.bincount(np.arange(256) % n_colours) / 256
    assert power(faulty, law, n, ALPHA) > 0.999
    assert stats.chisquare(np.bincount(of_bytes(n, n_colours))).pvalue < ALPHA

    boards = match3.refill(np.full((n // 500, 20, 26), -1), n_colours, rng=SEED)
    assert stats.chisquare(np.bincount(boards.ravel())).pvalue > ALPHA
    for one, other in (
        (boards[..., ::2], boards[..., 1::2]),
        (boards[:, ::2], boards[:, 1::2]),
        (boards[::2], boards[1::2]),
    ):
        pairs = np.bincount((one * n_colours + other).ravel(), minlength=n_colours**2)
        assert len(pairs) == n_colours**2
        assert stats.chisquare(pairs).pvalue > ALPHA


def test_new_cells_of_every_number_of_colours():
    for n_colours in (1, 2, 126, 127):
        boards = match3.refill(np.full((20, 30, 30), -1), n_colours, rng=SEED)
        assert np.unique(boards).tolist() == list(range(n_colours))


# ---- cascades


@both_rules
@lengths
@pytest.mark.parametrize("n_colours", [None, 1, 2, 5])
def test_cascades_are_those_played_by_hand(rule, length, n_colours):
    for shape in SHAPES[::3] if SLOW else SHAPES:
        for limit in (0, 1, 4):
            boards = draws(shape, n_colours or 3, 4)
            before = boards.copy()
            mine, theirs = np.random.default_rng(SEED), np.random.default_rng(SEED)
            options = {"rule": rule, "length": length, "limit": limit}
            ends = match3.cascade(boards, n_colours, **options, rng=mine)
            np.testing.assert_array_equal(boards, before)
            most = ends.cleared.shape[1]
            for i, board in enumerate(map(naive_match3.as_board, boards.tolist())):
                end, cleared, settled = naive_match3.cascade(board, n_colours, rule, length, limit, theirs)
                assert naive_match3.as_board(ends.boards[i]) == end
                assert ends.cleared[i].tolist() == cleared + [0] * (most - len(cleared))
                assert ends.steps[i] == len(cleared)
                assert ends.settled[i] == settled
                assert ends.score[i] == sum(step * n for step, n in enumerate(cleared, 1))
            assert most == ends.steps.max()
            assert mine.random() == theirs.random()


@both_rules
def test_whole_cascades_are_those_played_by_hand(rule):
    boards = draws((9, 9), 6, 6 if SLOW else 200, holes=0.1)
    ends = match3.cascade(boards, 6, rule=rule, rng=SEED)
    theirs = np.random.default_rng(SEED)
    for i, board in enumerate(map(naive_match3.as_board, boards.tolist())):
        end, cleared, settled = naive_match3.cascade(board, 6, rule, 3, 1000, theirs)
        assert naive_match3.as_board(ends.boards[i]) == end
        assert [x for x in ends.cleared[i].tolist() if x] == cleared
        assert settled
        assert ends.settled[i]


@both_rules
@pytest.mark.parametrize("n_colours", [None, 6])
def test_one_board_after_another_is_the_batch_and_its_stages(rule, n_colours):
    boards = draws((8, 8), 3, 10)
    ends = match3.cascade(boards, n_colours, rule=rule, limit=20, rng=SEED)
    one, other = np.random.default_rng(SEED), np.random.default_rng(SEED)
    for i, board in enumerate(boards):
        end = match3.cascade(board, n_colours, rule=rule, limit=20, rng=one)
        assert [type(x) for x in (end.steps, end.score, end.settled)] == [np.int32, np.int64, np.bool_]
        np.testing.assert_array_equal(end.boards, ends.boards[i])
        np.testing.assert_array_equal(end.cleared, ends.cleared[i, : ends.steps[i]])
        assert (end.steps, end.score, end.settled) == (ends.steps[i], ends.score[i], ends.settled[i])

        stages = match3.stages(board, n_colours, rule=rule, limit=20, rng=other)
        assert len(stages) == end.steps
        assert [np.count_nonzero(stage.labels) for stage in stages] == end.cleared.tolist()
        here = board
        for stage in stages:
            np.testing.assert_array_equal(stage.board, here)
            np.testing.assert_array_equal(stage.labels, match3.matches(here, rule=rule))
            np.testing.assert_array_equal(stage.cleared, match3.clear(here, stage.labels))
            np.testing.assert_array_equal(stage.fallen, match3.fall(stage.cleared))
            if n_colours is None:
                np.testing.assert_array_equal(stage.refilled, stage.fallen)
            else:
                filled = stage.fallen >= 0
                assert (stage.refilled >= 0).all()
                np.testing.assert_array_equal(stage.refilled[filled], stage.fallen[filled])
            here = stage.refilled
        np.testing.assert_array_equal(here, end.boards)
    assert one.random() == other.random()
    assert len(np.unique(ends.steps)) > 2  # else little was seen


def is_within(some, all_of):
    """Whether a list is another one with some entries left out."""
    rest = iter(all_of)
    return all(x in rest for x in some)


@both_rules
def test_without_new_cells_what_is_not_cleared_is_kept_in_its_order(rule):
    boards = draws((8, 7), 3, 10 if SLOW else 300)
    ends = match3.cascade(boards, rule=rule)
    assert ends.settled.all()
    assert match3.is_settled(ends.boards, rule=rule).all()
    assert ends.steps.max() > 2
    np.testing.assert_array_equal((boards >= 0).sum((1, 2)) - (ends.boards >= 0).sum((1, 2)), ends.cleared.sum(1))
    for board, end in zip(boards, ends.boards):
        for before, after in zip(board.T.tolist(), end.T.tolist()):
            assert is_within([x for x in after if x >= 0], [x for x in before if x >= 0])
    for board, end in zip(boards[:10], ends.boards):
        gone = sum(np.bincount(stage.board[stage.labels > 0], minlength=3) for stage in match3.stages(board, rule=rule))
        lost = np.bincount(board[board >= 0], minlength=3) - np.bincount(end[end >= 0], minlength=3)
        np.testing.assert_array_equal(gone, lost)


@both_rules
def test_settled_boards_stay_and_take_no_random_number(rule):
    boards = draws((6, 6), 9, 50)
    boards = boards[match3.is_settled(boards, rule=rule)]
    assert (boards < 0).any(), "some with holes, which stay too"
    rng = np.random.default_rng(SEED)
    before = rng.bit_generator.state
    for limit in (0, 1000):
        ends = match3.cascade(boards, 9, rule=rule, limit=limit, rng=rng)
        np.testing.assert_array_equal(ends.boards, boards)
        assert not np.shares_memory(ends.boards, boards)
        assert ends.settled.all()
        assert ends.cleared.shape == (len(boards), 0)
        assert not ends.steps.any()
        assert not ends.score.any()
        assert match3.stages(boards[0], 9, rule=rule, limit=limit, rng=rng) == []
    assert rng.bit_generator.state == before


def test_a_limit_cuts_a_cascade_and_the_rest_can_be_played():
    boards = draws((9, 9), 4, 20)
    board = boards[match3.cascade(boards, 4, rng=SEED).steps.argmax()]
    whole = match3.cascade(board, 4, rng=SEED)
    assert whole.settled
    assert whole.steps > 3
    none = match3.cascade(board, 4, limit=0, rng=SEED)
    assert (none.steps, none.settled, none.cleared.shape) == (0, False, (0,))
    np.testing.assert_array_equal(none.boards, board)
    for limit in range(1, int(whole.steps) + 2):
        rng = np.random.default_rng(SEED)
        first = match3.cascade(board, 4, limit=limit, rng=rng)
        assert first.steps == min(limit, whole.steps)
        assert first.settled == (limit >= whole.steps)  # the last step allowed may be the last needed
        rest = match3.cascade(first.boards, 4, rng=rng)
        np.testing.assert_array_equal(rest.boards, whole.boards)
        assert [*first.cleared, *rest.cleared] == whole.cleared.tolist()
        assert len(match3.stages(board, 4, limit=limit, rng=SEED)) == first.steps
    assert match3.stages(board, 4, limit=0, rng=SEED) == []


@both_rules
def test_a_cascade_that_practically_never_ends_is_cut(rule):
    board = draws((20, 20) if SLOW else (200, 300), 2, 2, holes=0)[1]
    end = match3.cascade(board, 2, rule=rule, limit=50, rng=SEED)
    assert (end.steps, end.settled) == (50, False)
    assert (end.cleared > 0).all()


@both_rules
def test_how_work_is_cut_does_not_matter(rule, monkeypatch):
    boards = draws((6, 5), 4, 40)[None].repeat(2, 0)

    def play():
        ends = match3.cascade(boards, 4, rule=rule, limit=30, rng=SEED)
        marks = (match3.matches, match3.moves, match3.is_settled, match3.is_movable)
        return [
            *(f(boards, rule=rule) for f in marks),
            match3.fall(boards),
            match3.refill(boards, 4, rng=SEED),
            *(getattr(ends, name) for name in ("boards", "steps", "cleared", "score", "settled")),
        ]

    expected = play()
    for work, log, piece in ((1, 2**16, 1), (100, 3, 70), (2**24, 1, 30), (31, 7, 59)):
        monkeypatch.setattr(cascades, "WORK", work)
        monkeypatch.setattr(cascades, "LOG", log)
        monkeypatch.setattr(rules, "PIECE", piece)
        monkeypatch.setattr(rules, "WORK", work)
        for one, other in zip(play(), expected):
            np.testing.assert_array_equal(one, other)


def test_a_batch_of_more_than_one_piece():
    small = draws((1, 1) if SLOW else (5, 6), 3, 7)
    times = 3 * rules.PIECE // small.size // (100 if SLOW else 1)
    boards = np.tile(small, (times, 1, 1))
    for f in (match3.matches, match3.moves, match3.is_settled, match3.is_movable, match3.fall):
        np.testing.assert_array_equal(f(boards), np.tile(f(small), (times, *[1] * (f(small).ndim - 1))))


def test_the_seed_alone_decides():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    board = np.full((9, 9), -1)
    filled = match3.refill(board, 3, rng=SEED)
    for f in (
        lambda rng=None: match3.refill(board, 3, rng=rng),
        lambda rng=None: match3.cascade(filled, 3, limit=10, rng=rng).boards,
        lambda rng=None: match3.stages(filled, 3, limit=10, rng=rng)[-1].refilled,
    ):
        np.testing.assert_array_equal(f(SEED), f(SEED))
        assert not np.array_equal(f(SEED), f(SEED + 1))
        assert not np.array_equal(f(), f())
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


LONG = {
    "cascade by lines": lambda board: match3.cascade(board, 2, limit=2**31 - 1, rng=SEED),
    "cascade by groups": lambda board: match3.cascade(board, 2, rule="groups", limit=2**31 - 1, rng=SEED),
    "moves": lambda board: match3.moves(board & board[::-1], rule="groups", length=10**5),
}


@pytest.mark.parametrize("call", LONG.values(), ids=LONG)
def test_an_interrupt_gets_through(call):
    board = draws((400, 400), 2, 2, holes=0)[1]
    match3.cascade([[0, 0, 0]], 2, limit=1)  # compiled
    match3.cascade([[0, 0, 0]], 2, rule="groups", limit=1)
    match3.moves([[0, 0, 0]], rule="groups")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, _thread.interrupt_main)
    try:
        timer.start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            call(board)
        assert time.monotonic() - start < 8  # it would have taken far longer
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


# ---- what is taken

CALLS = {
    "matches": match3.matches,
    "matches by groups": lambda boards: match3.matches(boards, rule="groups"),
    "is_settled": match3.is_settled,
    "moves": match3.moves,
    "moves by groups": lambda boards: match3.moves(boards, rule="groups"),
    "is_movable": match3.is_movable,
    "clear": lambda boards: match3.clear(boards, np.asarray(boards) == 1),
    "fall": match3.fall,
    "refill": lambda boards: match3.refill(boards, 3, rng=SEED),
    "cascade": lambda boards: match3.cascade(boards, 3, limit=5, rng=SEED).boards,
    "steps": lambda boards: match3.cascade(boards, limit=5).steps,
}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


def same(one, other):
    np.testing.assert_array_equal(one, other)
    assert one.dtype == other.dtype
    assert isinstance(one, np.bool_ | np.int32) or (one.flags.writeable and one.flags.c_contiguous)


@every_call
def test_every_integer_type_and_byte_order_is_taken(call):
    boards = draws((5, 4), 3, 4)
    boards[0, 0, 0] = rules.HIGHEST
    expected = call(boards)
    for dtype in DTYPES:
        same(call(boards.astype(np.dtype(dtype[::-1]))), expected)
    boards = np.abs(boards)
    expected = call(boards)
    for dtype in UNSIGNED:
        same(call(boards.astype(np.dtype(dtype[::-1]))), expected)
    same(call(boards == 1), call((boards == 1).astype(int)))


@every_call
@pytest.mark.parametrize("dtype", [np.int8, np.int64])
def test_every_layout_is_taken(call, dtype):
    boards = draws((5, 4), 3, 4).astype(dtype)
    expected = call(boards)
    wide = np.full((4, 10, 12), -7, dtype)
    wide[:, ::2, 1::3] = boards
    locked = boards.copy()
    locked.flags.writeable = False
    for other in (
        np.asfortranarray(boards),
        boards.transpose(0, 2, 1).copy().transpose(0, 2, 1),
        wide[:, ::2, 1::3],
        boards[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1],
        locked,
        boards.tolist(),
        tuple(map(tuple, boards.tolist())),
    ):
        before = np.array(other)
        same(call(other), expected)
        np.testing.assert_array_equal(np.asarray(other), before)
    assert (wide[:, 1::2] == -7).all()


@every_call
def test_any_leading_axes_are_taken(call):
    boards = draws((3, 4), 3, 6, holes=0.4)
    flat = call(boards)
    same(call(boards.reshape(2, 3, 3, 4)), flat.reshape(2, 3, *flat.shape[1:]))
    same(call(boards.reshape(1, 2, 3, 3, 4)), flat.reshape(1, 2, 3, *flat.shape[1:]))
    one = call(boards[0])
    assert np.shape(one) == flat.shape[1:]
    np.testing.assert_array_equal(one, flat[0])
    for ahead in ((0,), (2, 0), (0, 3)):
        none = call(np.zeros((*ahead, 3, 4), int))
        assert none.shape == (*ahead, *flat.shape[1:])
        assert none.dtype == flat.dtype


def test_a_cascade_of_no_boards():
    end = match3.cascade(np.zeros((2, 0, 3, 3), int), 3)
    shapes = [x.shape for x in (end.boards, end.steps, end.cleared, end.score, end.settled)]
    assert shapes == [(2, 0, 3, 3), (2, 0), (2, 0, 0), (2, 0), (2, 0)]
    assert [x.dtype for x in (end.boards, end.steps, end.cleared, end.score, end.settled)] == [
        np.int8,
        np.int32,
        np.int32,
        np.int64,
        bool,
    ]


def test_results_do_not_change():
    end = match3.cascade([[0, 0, 0]])
    stage = match3.stages([[0, 0, 0]])[0]
    for result, name in ((end, "boards"), (stage, "board")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, name, None)
        assert not hasattr(result, "__dict__")


# ---- what is refused


WRONG_BOARDS = [
    (np.zeros((3, 3)), TypeError, "must be an integer array of shape .*, got dtype float64"),
    (np.full((3, 3), np.nan), TypeError, "must be an integer array of shape .*, got dtype float64"),
    ([[0, 1.5]], TypeError, "must be an integer array of shape .*, got dtype float64"),
    ([[0, None]], TypeError, "must be an integer array of shape .*, got dtype object"),
    (None, TypeError, "must be an integer array of shape .*, got dtype object"),
    ([["a"]], TypeError, "must be an integer array of shape .*, got dtype <U1"),
    ([[1j]], TypeError, "must be an integer array of shape .*, got dtype complex128"),
    ([[10**30]], TypeError, "must be an integer array of shape .*, got dtype object"),
    ([[0, -2]], ValueError, "must be from -1 to 126, got values from -2 to 0"),
    ([[0, 127]], ValueError, "must be from -1 to 126, got values from 0 to 127"),
    ([[[1]], [[255]]], ValueError, "must be from -1 to 126, got values from 1 to 255"),
    (np.array([[2**64 - 1]], np.uint64), ValueError, "must be from -1 to 126, got values from 18446744073709551615 to"),
    ([0, 1, 2], ValueError, r"must have shape \(..., rows, cols\), got \(3,\)"),
    (5, ValueError, r"must have shape \(..., rows, cols\), got \(\)"),
    (np.zeros((0, 3), int), ValueError, r"must have shape .* with sides of at least 1, got \(0, 3\)"),
    (np.zeros((2, 3, 0), int), ValueError, r"must have shape .* with sides of at least 1, got \(2, 3, 0\)"),
    ([[0, 1], [2]], ValueError, r"must have shape \(..., rows, cols\), got rows of different lengths"),
]


@pytest.mark.parametrize(("boards", "error", "message"), WRONG_BOARDS)
def test_what_is_no_board_is_refused(boards, error, message):
    for f in (match3.matches, match3.is_settled, match3.moves, match3.is_movable, match3.fall, match3.cascade):
        with pytest.raises(error, match="^boards " + message):
            f(boards)
    with pytest.raises(error, match="^boards " + message):
        match3.clear(boards, [[True]])
    with pytest.raises(error, match="^boards " + message):
        match3.refill(boards, 3)
    with pytest.raises(error, match="^board " + message):
        match3.stages(boards)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"rule": "line"}, ValueError, "rule must be 'lines' or 'groups', got 'line'"),
        ({"rule": None}, ValueError, "rule must be 'lines' or 'groups', got None"),
        ({"rule": ["lines"]}, ValueError, r"rule must be 'lines' or 'groups', got \['lines'\]"),
        ({"length": 1}, ValueError, "length must be at least 2, got 1"),
        ({"length": -3}, ValueError, "length must be at least 2, got -3"),
        ({"length": 2.5}, TypeError, "length must be an integer, at least 2, got 2.5"),
        ({"length": 3.0}, TypeError, "length must be an integer, at least 2, got 3.0"),
        ({"length": True}, TypeError, "length must be an integer, at least 2, got True"),
        ({"length": None}, TypeError, "length must be an integer, at least 2, got None"),
    ],
)
def test_wrong_rules_are_refused(options, error, message):
    for f in (match3.matches, match3.is_settled, match3.moves, match3.is_movable, match3.cascade, match3.stages):
        for board in ([[0, 1]], [[0, 0, 0]]):
            with pytest.raises(error, match=message):
                f(board, **options)


def test_wrong_options_of_a_cascade_are_refused():
    for f in (match3.cascade, match3.stages, match3.refill):
        for n_colours, error, message in (
            (0, ValueError, "n_colours must be from 1 to 127, got 0"),
            (128, ValueError, "n_colours must be from 1 to 127, got 128"),
            (-1, ValueError, "n_colours must be from 1 to 127, got -1"),
            (2.0, TypeError, "n_colours must be an integer, from 1 to 127, got 2.0"),
            (True, TypeError, "n_colours must be an integer, from 1 to 127, got True"),
        ):
            with pytest.raises(error, match=message):
                f([[0, 1, 0]], n_colours)
        with pytest.raises(TypeError, match=r"rng must be a numpy Generator, a seed .* got 'seven'"):
            f([[0, 1, 0]], 3, rng="seven")
        with pytest.raises(ValueError, match=r"rng must be a numpy Generator, a seed .* got -1"):
            f([[0, 1, 0]], 3, rng=-1)
    with pytest.raises(TypeError, match="n_colours must be an integer, from 1 to 127, got None"):
        match3.refill([[0]], None)
    for f in (match3.cascade, match3.stages):
        for limit, error, message in (
            (-1, ValueError, "limit must be from 0 to 2147483647, got -1"),
            (2**31, ValueError, "limit must be from 0 to 2147483647, got 2147483648"),
            (1.5, TypeError, "limit must be an integer, from 0 to 2147483647, got 1.5"),
            (None, TypeError, "limit must be an integer, from 0 to 2147483647, got None"),
        ):
            with pytest.raises(error, match=message):
                f([[0, 1, 0]], limit=limit)


def test_cells_to_clear_of_another_shape_or_type_are_refused():
    board = np.zeros((2, 3), int)
    for cells, error, message in (
        (np.ones((3, 2), bool), ValueError, r"cells must have the boards' shape \(2, 3\), got \(3, 2\)"),
        (np.ones(3, bool), ValueError, r"cells must have the boards' shape \(2, 3\), got \(3,\)"),
        (np.ones((1, 2, 3), bool), ValueError, r"cells must have the boards' shape \(2, 3\), got \(1, 2, 3\)"),
        ([[1, 2], [3]], ValueError, r"cells must have the boards' shape \(2, 3\), got rows of different lengths"),
        (np.ones((2, 3)), TypeError, "cells must be a mask or labels, got dtype float64"),
        (None, TypeError, "cells must be a mask or labels, got dtype object"),
    ):
        with pytest.raises(error, match=message):
            match3.clear(board, cells)


def test_stages_are_of_one_board():
    with pytest.raises(ValueError, match=r"board must have shape \(rows, cols\), got \(1, 2, 3\)"):
        match3.stages(np.zeros((1, 2, 3), int))
