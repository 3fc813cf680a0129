"""Exact laws of shuffles and placers: against the programs run through all their choices, and published values."""

from fractions import Fraction
from itertools import islice, permutations, product
from math import comb, exp, factorial, log

import naive
import naive_shuffles
import numba
import numpy as np
import pytest

from gridlab import laws, mines, published
from gridlab.laws import mixing

SLOW = bool(numba.config.DISABLE_JIT)


# ---- orders


# Over 123, 132, 213, 231, 312, 321.
THREE = {
    "fisher_yates": (1, 1, 1, 1, 1, 1),
    "naive_shuffle": (4, 5, 5, 5, 4, 4),
    "sattolo": (0, 0, 0, 1, 1, 0),
    "round_index": (1, 2, 1, 1, 2, 1),
    "swaps": (15, 14, 14, 12, 12, 14),
    "comparator_v8": (6, 1, 2, 1, 1, 5),
    "comparator_merge": (2, 2, 1, 1, 1, 1),
}


def test_every_shuffle_has_a_law():
    assert set(laws.SHUFFLES) == {"fisher_yates", "swaps", *published.SHUFFLES} == set(THREE)
    assert all(f.__name__ == name for name, f in laws.SHUFFLES.items())


@pytest.mark.parametrize("name", THREE)
def test_laws_of_three_items(name):
    law = laws.SHUFFLES[name](3)
    assert law.orders.tolist() == [list(order) for order in permutations(range(3))]
    assert law.chances == tuple(Fraction(n, sum(THREE[name])) for n in THREE[name])


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", THREE)
def test_law_of_orders_is_that_of_the_program(name, n):
    if name == "swaps" and n == 5:
        n = 2  # 25**5 ways
    law = laws.SHUFFLES[name](n)
    program = naive.law(lambda choose: naive_shuffles.SHUFFLES[name](choose, n))
    listed = dict(zip(map(tuple, law.orders.tolist()), law.chances, strict=True))
    assert {order: p for order, p in listed.items() if p} == program
    assert len(listed) == factorial(n)
    assert law.distance == naive_shuffles.from_uniform(program, factorial(n))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_fisher_yates_is_uniform_and_the_others_are_not(n):
    distances = {name: f(n).distance for name, f in laws.SHUFFLES.items()}
    assert distances["fisher_yates"] == 0
    if n > 2:
        assert min(p for name, p in distances.items() if name != "fisher_yates") > Fraction(1, 50)
    assert distances["sattolo"] == 1 - Fraction(1, n)


@pytest.mark.parametrize("name", THREE)
def test_items_of_a_law(name):
    with pytest.raises(ValueError, match="n must be from 1 to 7, got 8"):
        laws.SHUFFLES[name](8)
    with pytest.raises(ValueError, match="n must be from 1 to 7, got 0"):
        laws.SHUFFLES[name](0)
    with pytest.raises(TypeError, match="n must be an integer"):
        laws.SHUFFLES[name](3.0)


# ---- boards


def chances(law):
    """What a placer can make, as {set of flat cells: Fraction}."""
    return {
        frozenset(np.flatnonzero(board).tolist()): p for board, p in zip(law.regions, law.chances, strict=True) if p
    }


def test_every_placer_has_a_law():
    assert set(laws.PLACERS) | {"collide"} == set(mines.PLACERS) | set(published.PLACERS)
    assert all(f.__name__ in (name, "fair") for name, f in laws.PLACERS.items())


@pytest.mark.parametrize(
    ("shape", "n_mines", "safe"),
    [((1, 1), 0, None), ((1, 1), 1, None), ((1, 1), 0, [0]), ((1, 2), 1, None), ((2, 2), 2, [])]
    + [((1, 3), n, None) for n in range(4)]
    + [((2, 2), n, None) for n in range(5)]
    + [((1, 5), n, None) for n in range(6)]
    + [((2, 3), n, [1]) for n in range(6)]
    + [((2, 3), n, [(0, 0), (1, 2)]) for n in range(5)],
)
@pytest.mark.parametrize("name", naive_shuffles.PLACERS)
def test_law_of_boards_is_that_of_the_program(name, shape, n_mines, safe):
    law = laws.PLACERS[name](shape, n_mines, safe=safe)
    cells = list(range(shape[0] * shape[1]))
    flat = np.flatnonzero(mines.as_safe(shape, safe)).tolist()
    assert chances(law) == naive.law(lambda choose: naive_shuffles.PLACERS[name](choose, cells, n_mines, flat))
    assert sum(law.chances) == 1
    fair = laws.PLACERS["floyd"](shape, n_mines, safe=safe)
    assert chances(fair) == naive.law(lambda choose: naive_shuffles.fair(choose, cells, n_mines, flat))
    assert np.array_equal(law.regions, fair.regions)
    assert law.regions.shape == (comb(len(cells) - len(flat), n_mines), *shape)


@pytest.mark.parametrize(("shape", "safe"), [((1, 1), None), ((1, 5), None), ((2, 3), None), ((2, 4), [1, 6])])
@pytest.mark.parametrize("name", naive_shuffles.FAIR)
def test_the_draws_of_the_right_placers_make_all_boards_alike(name, shape, safe):
    """Every way of every procedure is followed: that all boards have one chance is found, not taken for granted."""
    cells = range(shape[0] * shape[1])
    flat = np.flatnonzero(mines.as_safe(shape, safe)).tolist()
    for n_mines in range(len(cells) - len(flat) + 1):
        law = naive.law(lambda choose, m=n_mines: naive_shuffles.FAIR[name](choose, cells, m, flat))
        assert law == chances(laws.PLACERS[name](shape, n_mines, safe=safe))
        assert set(law.values()) == {Fraction(1, comb(len(cells) - len(flat), n_mines))}
    assert set(naive_shuffles.FAIR) == {name for name, f in laws.PLACERS.items() if f.__name__ == "fair"}


def test_boards_are_in_the_order_of_regions():
    """So that laws of boards are compared and written as tables like those of growers."""
    law = laws.PLACERS["probe_right"]((1, 4), 2)
    assert law.chances == tuple(Fraction(n, 16) for n in (3, 2, 3, 3, 2, 3))
    assert laws.table(law).region.tolist() == ["xx..", "x.x.", "x..x", ".xx.", ".x.x", "..xx"]
    assert laws.distance(law) == Fraction(1, 12)
    assert laws.distance(law, laws.PLACERS["insert_short"]((1, 4), 2)) == Fraction(1, 2)
    assert laws.distance(laws.PLACERS["select"]((1, 4), 2)) == 0


@pytest.mark.parametrize(("n", "n_mines"), [(1, 0), (1, 1), (2, 1), (3, 1), (3, 2), (4, 2), (5, 2), (5, 4), (6, 3)])
def test_swaps_as_the_chain_of_sets(n, n_mines):
    """Chances of cells, the law of boards, and the distance, after each number of swaps."""
    swaps = list(range(7))
    start, elsewhere = laws.swap_chances(n, n_mines, swaps)
    distances = laws.swap_distance(n, n_mines, swaps)
    for k, law in enumerate(islice(naive_shuffles.swap_laws(n, n_mines), 7)):
        assert chances(laws.PLACERS["swap"]((1, n), n_mines, swaps=k)) == law
        by_cell = [float(sum(p for board, p in law.items() if cell in board)) for cell in range(n)]
        np.testing.assert_allclose(by_cell[:n_mines], start[k] if n_mines else [], rtol=0, atol=1e-14)
        np.testing.assert_allclose(by_cell[n_mines:], elsewhere[k] if n_mines < n else [], rtol=0, atol=1e-14)
        exact = naive_shuffles.from_uniform(law, comb(n, n_mines))
        assert abs(distances[k] - float(exact)) < 1e-13
        assert laws.distance(laws.PLACERS["swap"]((1, n), n_mines, swaps=k)) == exact


def test_boards_refused():
    for f in laws.PLACERS.values():
        with pytest.raises(ValueError, match="n_mines must be from 0 to 3 on 3 cells that are not safe, got 4"):
            f((2, 2), 4, safe=[0])
        with pytest.raises(ValueError, match="n_mines must be from 0 to 4"):
            f((2, 2), -1)
        with pytest.raises(TypeError, match="safe must be"):
            f((2, 2), 1, safe="corner")
        with pytest.raises(ValueError, match=r"at most 100000 boards .* got 99: there are .* boards"):
            f((16, 30), 99)
    for name in published.SHUFFLES:
        with pytest.raises(ValueError, match=f"not safe must be from 0 to 16 for the law of {name}, got 17"):
            laws.PLACERS[name]((1, 17), 1)
    with pytest.raises(ValueError, match="swaps must be from 0 to 2000, got 2001"):
        laws.PLACERS["swap"]((2, 2), 1, swaps=2001)


# ---- swaps on large boards


def test_known_chances_after_swaps():
    start, elsewhere = laws.swap_chances(480, 99, 100)
    assert (round(start, 4), round(elsewhere, 4)) == (0.7291, 0.0704)
    assert isinstance(start, float)
    swaps = np.array([[0, 10], [100, 10**9]])
    start, elsewhere = laws.swap_chances(480, 99, swaps)
    assert start.shape == elsewhere.shape == (2, 2)
    np.testing.assert_allclose(99 * start + 381 * elsewhere, 99)  # no mine is lost
    assert (start[0, 0], elsewhere[0, 0]) == (1, 0)
    np.testing.assert_allclose(start[1, 1], 99 / 480)


@pytest.mark.parametrize("n", [1, 2, 3, 1000, 10**9])
def test_chances_after_swaps_lose_no_digits(n):
    for m in {0, 1, n // 2, n}:
        for swaps in (0, 1, 2, 7, 10**9):
            # L^k to 30 digits: by squaring, of whole numbers scaled by 10^40
            one, kept, power, k = 10**40, 10**40, 10**40 * (n - 2) // n if n > 1 else 10**40, swaps
            while k:
                kept = kept * power // one if k & 1 else kept
                power, k = power * power // one, k // 2
            start, elsewhere = laws.swap_chances(n, m, swaps)
            assert np.isnan(start) if m == 0 else start == pytest.approx(m / n + (1 - m / n) * kept / one, rel=1e-14)
            assert (
                np.isnan(elsewhere) if m == n else elsewhere == pytest.approx(m * (one - kept) / (n * one), rel=1e-14)
            )


KNOWN = {  # distances after swaps, and the swaps needed for 0.25, 0.01, 1e-3, 1e-6
    (480, 99): (
        {100: "1.000", 200: "1.000", 500: "0.801", 1000: "0.132", 1500: "0.0167", 2000: "0.0021"},
        (845, 1623, 2175, 3829),
    ),
    (81, 10): ({100: "0.273", 200: "0.024"}, (105, 236, 328, 605)),
    (256, 40): ({}, (406, 824, 1118, 1999)),
}


@pytest.mark.parametrize(("n", "n_mines"), KNOWN)
def test_known_distances(n, n_mines):
    distances, needed = KNOWN[n, n_mines]
    for swaps, known in distances.items():
        assert f"{laws.swap_distance(n, n_mines, swaps):.{len(known) - 2}f}" == known
    assert tuple(laws.swaps_needed(n, n_mines, distance) for distance in (0.25, 0.01, 1e-3, 1e-6)) == needed
    assert laws.swaps_needed(n, n - n_mines, 0.01) == needed[1]


@pytest.mark.parametrize(("n", "n_mines"), [(40, 1), (40, 3), (40, 20), (41, 33), (200, 9), (300, 150), (480, 99)])
def test_distance_as_by_the_full_matrix(n, n_mines):
    """Both ways to compute it, and on both sides of where one takes over from the other."""
    h = np.arange(max(0, 2 * n_mines - n), n_mines + 1)
    matrix = np.zeros((len(h), len(h)))
    for i, mines_in in enumerate(h):
        mines_out, free_in = n_mines - mines_in, n_mines - mines_in
        free_out = n - n_mines - mines_out
        if i + 1 < len(h):
            matrix[i, i + 1] = 2 * mines_out * free_in / n**2
        if i:
            matrix[i, i - 1] = 2 * mines_in * free_out / n**2
        matrix[i, i] = 1 - matrix[i].sum()
    uniform = np.array([comb(n_mines, x) * comb(n - n_mines, n_mines - x) / comb(n, n_mines) for x in h.tolist()])
    near = mixing._Chain(n, n_mines).near
    swaps = np.unique([0, 1, 2, 5, near // 2, near - 1, near, near + 1, 2 * near, 4 * near])
    expected = [abs(np.linalg.matrix_power(matrix, k)[-1] - uniform).sum() / 2 for k in swaps.tolist()]
    np.testing.assert_allclose(laws.swap_distance(n, n_mines, swaps), expected, rtol=0, atol=1e-12)
    assert laws.swap_distance(n, n_mines, near) == pytest.approx(
        laws.swap_distance(n, n_mines, [0, near])[1], rel=1e-12
    )


@pytest.mark.parametrize(("n", "n_mines"), [(2, 1), (3, 2), (17, 5), (100, 50), (100, 99), (1000, 3), (2000, 700)])
def test_swaps_needed_are_the_least(n, n_mines):
    for distance in (0.999, 0.9, 0.5, 0.1, 1e-4, 1e-9, 1e-30):
        needed = laws.swaps_needed(n, n_mines, distance)
        after = laws.swap_distance(n, n_mines, needed)
        assert isinstance(needed, int)
        assert after <= distance
        assert needed == 0 or laws.swap_distance(n, n_mines, needed - 1) > distance


def test_distance_never_grows():
    distances = laws.swap_distance(120, 37, np.arange(1500))
    assert np.diff(distances).max() < 1e-13
    assert distances[0] == pytest.approx(1, abs=1e-14)
    assert laws.swap_distance(120, 37, 2**61) == 0


def test_the_smallest_distances_follow_the_second_eigenvalue():
    """Long after, only one term is left, and a swap takes the share 2/n of the distance."""
    far, farther = laws.swap_distance(480, 99, [50_000, 50_001])
    assert 0 < far < 1e-80
    assert farther / far == pytest.approx(1 - 2 / 480, rel=1e-12)


def test_a_million_cells():
    """The set of mines mixes round (n/4) ln n swaps: from there on, in a window of n/4, the distance falls."""
    n, m = (10**4, 2000) if SLOW else (10**6, 200_000)
    middle = n / 4 * log(n)
    before, after = laws.swaps_needed(n, m, 0.85), laws.swaps_needed(n, m, 1e-2)
    assert middle - n < before < middle < after < middle + 2.5 * n
    # then the mean of h decides: it is off by a size of sqrt(n) exp(−2k/n) in normal standard deviations
    shift = (n - 1) ** 0.5 * exp(-2 * after / n)
    assert laws.swap_distance(n, m, after) == pytest.approx(shift / (2 * np.pi) ** 0.5, rel=0.01)


@pytest.mark.parametrize("f", [laws.swap_chances, laws.swap_distance])
def test_swaps_refused(f):
    for wrong in (-1, [3, -1], 2**63):
        with pytest.raises(ValueError, match=r"swaps must be at least 0"):
            f(10, 3, wrong)
    with pytest.raises(ValueError, match=r"below 2\*\*62, got -1$"):
        f(10, 3, -1)
    for wrong in (1.0, "many", [0.5], True, None, [[1], [1, 2]], 2**64):
        with pytest.raises(TypeError, match="swaps must be an integer, at least 0 and below"):
            f(10, 3, wrong)
    with pytest.raises(ValueError, match="n_mines must be from 0 to 10 on 10 cells, got 11"):
        f(10, 11, 1)
    with pytest.raises(ValueError, match="n_cells must be "):
        f(0, 0, 1)
    assert [np.shape(x) for x in np.atleast_2d(f(10, 3, []))] == [(0,)] * (2 if f is laws.swap_chances else 1)


def test_distances_refused():
    for wrong in (0, -0.1, 1.1, float("nan"), 10**400):
        with pytest.raises(ValueError, match="distance must be above 0 and up to 1"):
            laws.swaps_needed(10, 3, wrong)
    for wrong in ("near", None):
        with pytest.raises(TypeError, match="distance must be a number"):
            laws.swaps_needed(10, 3, wrong)
    assert laws.swaps_needed(10, 3, 1) == laws.swaps_needed(10, 0, 0.1) == laws.swaps_needed(10, 10, 0.1) == 0
    with pytest.raises(ValueError, match="n_cells must be from 1 to 1000000, got 1000001"):
        laws.swaps_needed(10**6 + 1, 3, 0.1)
    with pytest.raises(ValueError, match="n_cells must be from 1 to 1000000, got 1000001"):
        laws.swap_distance(10**6 + 1, 3, 1)


# ---- colliding and rejecting


def test_known_moments():
    moments = laws.collide_moments(480, 99)
    assert round(moments.mean, 2) == 89.54
    assert round(laws.reject_draws(100, 99).mean, 1) == 418.7
    assert moments.exact == laws.reject_draws(480, 99).exact


@pytest.mark.parametrize(("n", "n_mines"), [(n, m) for n in (1, 2, 3, 5) for m in range(n + 1)])
def test_moments_of_colliding_by_all_draws(n, n_mines):
    counts = [len(set(draws)) for draws in product(range(n), repeat=n_mines)]
    moments = laws.collide_moments(n, n_mines)
    assert moments.mean == pytest.approx(np.mean(counts), abs=1e-12)
    assert moments.variance == pytest.approx(np.var(counts), abs=1e-12)
    assert moments.exact == pytest.approx(counts.count(n_mines) / len(counts), abs=1e-12)


@pytest.mark.parametrize(("n", "n_mines"), [(1, 0), (1, 1), (2, 2), (5, 3), (6, 6)])
def test_moments_of_rejecting_by_the_law_of_its_draws(n, n_mines):
    """The chance of each number of mines after each number of draws, until hardly any has not enough."""
    law, mean, square = {0: 1.0}, 0.0, 0.0
    for draws in range(1, 2000):
        following = dict.fromkeys(range(n_mines + 1), 0.0)
        for count, p in law.items():
            if count < n_mines:
                following[count] += p * count / n
                following[count + 1] += p * (n - count) / n
        law = following
        mean += draws * law[n_mines]
        square += draws**2 * law[n_mines]
    moments = laws.reject_draws(n, n_mines)
    assert moments.mean == pytest.approx(mean, abs=1e-9)
    assert moments.variance == pytest.approx(square - mean**2, abs=1e-9)


def test_moments_on_many_cells():
    """No digits are lost where few mines collide: then the expected number of collisions is m(m − 1)/2n."""
    n, m = 10**7, 2
    moments = laws.collide_moments(n, m)
    assert (moments.mean, moments.exact) == (pytest.approx(2 - 1e-7, rel=1e-12), pytest.approx(1 - 1e-7, rel=1e-14))
    assert moments.variance == pytest.approx(1e-7 - 1e-14, rel=1e-7)
    assert laws.reject_draws(n, n).mean == pytest.approx(n * (log(n) + 0.5772156649), rel=1e-7)


@pytest.mark.parametrize("f", [laws.collide_moments, laws.reject_draws])
def test_moments_refused(f):
    with pytest.raises(ValueError, match="n_mines must be from 0 to 5 on 5 cells, got 6"):
        f(5, 6)
    with pytest.raises(ValueError, match="n_cells must be from 1 to 10000000, got 0"):
        f(0, 0)
    with pytest.raises(TypeError, match="n_cells must be an integer"):
        f(5.0, 3)
