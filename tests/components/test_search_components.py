"""What each search component does to solutions: how many positions, which ones, and to what value."""

from itertools import pairwise

import numpy as np
import pytest
from component_helpers import ALPHA, REPRESENTATIONS, variables_of
from scipy import stats

from metasmith.components.roles import SUCCEEDED, TRIED
from metasmith.components.shared.strength import DOWN, UP
from metasmith.representations import Integers
from metasmith.testing.bench import Bench, bench

on_both = pytest.mark.parametrize("representation", REPRESENTATIONS)
MANY = 4000
D = 100


def many(representation: str, dimension: int = D, arity: int = 5, seed: int = 0) -> Bench:
    return bench(variables_of(representation, dimension, arity), MANY, seed)


def changes(given: Bench, name: str, setting: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """The children before and after a component."""
    before = given.solutions(given.children)
    return before, given.search(name, setting)


def assert_uniform(counts: np.ndarray) -> None:
    assert stats.chisquare(counts).pvalue > ALPHA


def assert_distributed(drawn: np.ndarray, probabilities: np.ndarray) -> None:
    """`drawn` are numbers 0, 1, ... with these probabilities; rare ones are taken together."""
    counts = np.bincount(drawn, minlength=len(probabilities)).astype(float)
    assert len(counts) == len(probabilities)
    expected = probabilities / probabilities.sum() * len(drawn)
    assert counts[expected < 1e-6].sum() == 0
    common = expected >= 5
    observed = np.append(counts[common], counts[~common].sum())
    wanted = np.append(expected[common], expected[~common].sum())
    known = wanted > 1e-6
    assert known.sum() > 1
    assert stats.chisquare(observed[known], wanted[known]).pvalue > ALPHA


def assert_neighbours_independent(changed: np.ndarray) -> None:
    """Whether a position changes says nothing about the next one."""
    left, right = changed[:, :-1].ravel(), changed[:, 1:].ravel()
    table = [[(left & right).sum(), (left & ~right).sum()], [(~left & right).sum(), (~left & ~right).sum()]]
    assert stats.chi2_contingency(table).pvalue > ALPHA


def assert_new_values_uniform(before: np.ndarray, after: np.ndarray, arity: int) -> None:
    """Given that a value changes, each of the others is as likely."""
    moved = before != after
    steps = (after[moved] - before[moved]) % arity
    assert steps.min() >= 1
    if arity > 2:
        assert_uniform(np.bincount(steps, minlength=arity)[1:])
        for value in range(arity):
            assert_uniform(np.bincount(after[moved & (before == value)], minlength=arity)[np.arange(arity) != value])


# reset_n


@on_both
@pytest.mark.parametrize("n", [1, 2, 3, 12, 13, 45, 99, 100, 250])
def test_reset_n_changes_exactly_n_positions_each_as_likely(representation, n):
    before, after = changes(many(representation, seed=n), "reset_n", n)
    changed = before != after
    assert (changed.sum(axis=1) == min(n, D)).all()
    assert_uniform(changed.sum(axis=0))


@on_both
@pytest.mark.parametrize("n", [2, 13, 50])
def test_reset_n_takes_every_pair_of_positions_as_often(representation, n):
    before, after = changes(many(representation, 51), "reset_n", n)
    changed = (before != after).astype(int)
    together = (changed.T @ changed)[np.triu_indices(51, 1)]
    share = n * (n - 1) / (51 * 50)
    assert together.mean() == pytest.approx(MANY * share)
    z = (together - MANY * share) / np.sqrt(MANY * share * (1 - share))
    assert abs(z).max() < 5
    assert z.std() < 1.1


def test_reset_n_gives_every_other_value_as_often():
    before, after = changes(many("integers"), "reset_n", 20)
    assert_new_values_uniform(before, after, 5)


@on_both
def test_reset_n_changes_the_only_variable(representation):
    before, after = changes(many(representation, 1), "reset_n", 3)
    assert (before != after).all()


# reset_rand, and reset_creep where it is the same


@on_both
@pytest.mark.parametrize("p", [1 / D, 0.1, 0.12, 0.13, 0.7])
@pytest.mark.parametrize("name", ["reset_rand", "reset_creep"])
def test_each_position_changes_with_probability_p(name, representation, p):
    before, after = changes(many(representation, seed=round(100 * p)), name, p)
    changed = before != after
    assert_distributed(changed.sum(axis=1), stats.binom.pmf(np.arange(D + 1), D, p))
    assert_uniform(changed.sum(axis=0))
    assert_neighbours_independent(changed)


@on_both
@pytest.mark.parametrize("dimension", [1, 2, 7, 12, 65])
@pytest.mark.parametrize("p", [0.02, 0.5, 0.9])
def test_reset_rand_at_other_dimensions(representation, dimension, p):
    before, after = changes(many(representation, dimension), "reset_rand", p)
    assert_distributed((before != after).sum(axis=1), stats.binom.pmf(np.arange(dimension + 1), dimension, p))


@on_both
@pytest.mark.parametrize("name", ["reset_rand", "reset_creep"])
def test_every_position_changes_when_p_is_one(name, representation):
    for dimension in (1, 12, 64, 100):
        before, after = changes(many(representation, dimension), name, 1.0)
        assert (before != after).all()


@pytest.mark.parametrize("p", [0.05, 0.7])
def test_reset_rand_gives_every_other_value_as_often(p):
    assert_new_values_uniform(*changes(many("integers"), "reset_rand", p), 5)


def test_reset_rand_goes_on_as_it_began():
    given = many("bits")
    counts = [(given.solutions(given.children) != given.search("reset_rand", 1 / D)).sum(axis=1) for _ in range(2)]
    for drawn in counts:  # the second time from the table that it remembers
        assert_distributed(drawn, stats.binom.pmf(np.arange(D + 1), D, 1 / D))


# reset_creep


@pytest.mark.parametrize(("arity", "longest"), [(5, 1), (19, 1), (20, 2), (40, 4)])
def test_creep_takes_small_steps_both_ways(arity, longest):
    before, after = changes(many("integers", arity=arity), "reset_creep", 0.5)
    steps = after - before
    assert after.min() == 0
    assert after.max() == arity - 1
    inner = (before >= longest) & (before < arity - longest) & (steps != 0)
    assert sorted(set(steps[inner])) == [step for step in range(-longest, longest + 1) if step]
    assert_uniform(np.unique(steps[inner], return_counts=True)[1])
    assert abs(steps).max() == longest


def test_creep_turns_back_at_the_ends():
    given = bench(Integers(40, D), MANY)
    before = np.zeros((MANY, D), int)
    before[::2] = 39
    given.put(given.children, before)
    after = given.search("reset_creep", 1.0)
    for ends, step in ((slice(0, None, 2), -1), (slice(1, None, 2), 1)):
        steps = (after - before)[ends] * step
        assert set(np.unique(steps)) == {1, 2, 3, 4}
        assert_uniform(np.bincount(steps.ravel())[1:])


# cross_n and cross_uniform


def opposites(representation: str, dimension: int, size: int = MANY) -> Bench:
    """Children whose first half is all zeros and whose second half is all ones."""
    given = bench(variables_of(representation, dimension, 3), size)
    given.put(given.children, np.repeat([[0], [1]], size // 2, axis=0).repeat(dimension, axis=1))
    return given


@on_both
@pytest.mark.parametrize("n", [1, 2, 3, 12, 13, 14, 45, 99, 200])
def test_cross_n_cuts_n_times_each_cut_as_likely(representation, n):
    after = opposites(representation, D).search("cross_n", n)
    swapped = after[: MANY // 2]
    assert (after[MANY // 2 :] == 1 - swapped).all()
    cuts = swapped[:, 1:] != swapped[:, :-1]
    assert (cuts.sum(axis=1) == min(n, D - 1)).all()
    assert (swapped[:, 0] == 0).all()  # which of the two keeps its beginning makes no difference
    assert_uniform(cuts.sum(axis=0))


@on_both
@pytest.mark.parametrize("p", [1 / D, 0.1, 0.5, 0.7, 1.0])
def test_cross_uniform_exchanges_each_position_with_probability_p(representation, p):
    after = opposites(representation, D).search("cross_uniform", p)
    swapped = after[: MANY // 2] == 1
    assert (after[MANY // 2 :] == 1 - swapped).all()
    if p == 1.0:
        assert swapped.all()
        return
    assert_distributed(swapped.sum(axis=1), stats.binom.pmf(np.arange(D + 1), D, p))
    assert_uniform(swapped.sum(axis=0))
    assert_neighbours_independent(swapped)


@on_both
def test_cross_uniform_exchanges_words_that_differ_anywhere(representation):
    """Where parents agree there is nothing to exchange; that must not change how the rest is exchanged."""
    given = bench(variables_of(representation, 256, 3), MANY)
    before = np.zeros((MANY, 256), int)
    before[MANY // 2 :, 200] = 1
    given.put(given.children, before)
    after = given.search("cross_uniform", 0.3)
    assert after[:, :200].sum() == after[:, 201:].sum() == 0
    assert stats.binomtest(int(after[: MANY // 2, 200].sum()), MANY // 2, 0.3).pvalue > ALPHA


@on_both
@pytest.mark.parametrize(
    ("name", "setting"), [("cross_n", 1), ("cross_n", 30), ("cross_uniform", 0.5), ("cross_uniform", 1.0)]
)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 10])
def test_crossover_pairs_i_with_half_the_number_on_and_keeps_every_gene(representation, name, setting, size):
    given = bench(variables_of(representation, 200, 50), size, seed=3)
    given.put(
        given.children, np.random.default_rng(size).integers(0, 2 if representation == "bits" else 50, (size, 200))
    )
    before, after = changes(given, name, setting)
    half = size // 2
    for i in range(half):
        pair = [i, i + half]
        np.testing.assert_array_equal(np.sort(after[pair], axis=0), np.sort(before[pair], axis=0))
        assert (after[i] != before[i]).any()
    if size % 2:
        np.testing.assert_array_equal(after[-1], before[-1])


# reinitialize


@on_both
def test_reinitialize_is_uniform_whatever_was_there(representation):
    arity = 2 if representation == "bits" else 5
    before, after = changes(many(representation), "reinitialize")
    for value in range(arity):
        assert_uniform(np.bincount(after[before == value], minlength=arity))
        assert_uniform((after == value).sum(axis=0))
        assert_neighbours_independent(after == value)


def test_reinitialize_heeds_the_number_of_values_of_each_position():
    given = bench(Integers([2, 3, 40, 1]), MANY)
    after = given.search("reinitialize")
    for position, arity in enumerate((2, 3, 40)):
        assert_uniform(np.bincount(after[:, position], minlength=arity))
    assert after[:, 3].max() == 0


# reset_heavy


@on_both
@pytest.mark.parametrize("beta", [1.2, 1.5, 3.0, 4.0])
def test_heavy_changes_a_power_law_number_of_positions(representation, beta):
    before, after = changes(many(representation, seed=7), "reset_heavy", beta)
    changed = before != after
    probabilities = np.append(0.0, np.arange(1, D // 2 + 1.0) ** -beta)
    assert_distributed(changed.sum(axis=1), probabilities)
    assert_uniform(changed.sum(axis=0))


@on_both
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_heavy_changes_one_position_where_half_is_no_more(representation, dimension):
    before, after = changes(many(representation, dimension), "reset_heavy", 1.5)
    assert ((before != after).sum(axis=1) == 1).all()


# reset_adaptive


@on_both
def test_adaptive_grows_with_success_and_shrinks_with_failure(representation):
    given = many(representation)
    strength = 1.0
    for succeeded in [100.0] * 12 + [0.0] * 6 + [37.0, 36.0] + [0.0] * 40 + [100.0] * 60:
        given.memory[TRIED], given.memory[SUCCEEDED] = 100.0, succeeded
        before, after = changes(given, "reset_adaptive")
        strength = min(max(1.0, strength * (UP if succeeded > 100 / np.e else DOWN)), D / 2)
        counts = (before != after).sum(axis=1)
        assert set(counts) <= {int(strength), int(strength) + 1}
        assert abs(counts.mean() - strength) < 5 * 0.5 / MANY**0.5
    assert strength == D / 2


@on_both
def test_adaptive_begins_with_one_position_and_learns_nothing_from_nothing(representation):
    given = many(representation)
    for _ in range(3):
        before, after = changes(given, "reset_adaptive")
        assert ((before != after).sum(axis=1) == 1).all()


def test_adaptive_rests_where_one_in_e_succeeds():
    assert UP > 1 > DOWN
    assert np.log(UP) / np.e + np.log(DOWN) * (1 - 1 / np.e) == pytest.approx(0, abs=1e-3)


@on_both
def test_adaptive_on_one_variable(representation):
    given = many(representation, 1)
    given.memory[TRIED] = given.memory[SUCCEEDED] = 1.0
    for _ in range(5):
        before, after = changes(given, "reset_adaptive")
        assert (before != after).all()


# reset_sweep


@on_both
@pytest.mark.parametrize("length", [1, 7, 20])
def test_each_offspring_sweeps_the_positions_in_order_round_and_round(representation, length):
    """Also where the population divides their number, so that one position for all would leave most of them out."""
    given = bench(variables_of(representation, length, 5), 5)
    places = []
    for _ in range(2 * length):
        before, after = changes(given, "reset_sweep")
        rows, positions = np.nonzero(before != after)
        assert rows.tolist() == [0, 1, 2, 3, 4]
        places.append(positions.tolist())
    assert places[0][0] == 0
    for own in zip(*places, strict=True):
        assert all(b == (a + 1) % length for a, b in pairwise(own))
    assert len(set(places[0])) == min(length, 5)


def test_sweep_gives_every_other_value_as_often():
    assert_new_values_uniform(*changes(many("integers"), "reset_sweep"), 5)


# sample_marginals


def mixed(given: Bench, shares: list[float]) -> None:
    """Make each position of the children one in its share of them, all positions in step, zero elsewhere."""
    rank = np.arange(len(given.children))[:, None] / len(given.children)
    given.put(given.children, (rank < np.array(shares)).astype(int))


@pytest.mark.parametrize("size", [4000, 51, 50, 3, 1])
def test_marginals_on_bits_are_those_of_the_chosen_within_margins(size):
    shares = [0.0, 1.0, 0.5, 0.25, 0.03, 0.9, 0.004, 0.998] * 13
    given = bench(variables_of("bits", len(shares)), size, seed=1)
    ones, drawn = np.zeros(len(shares)), 0
    while drawn < 4000:
        mixed(given, shares)
        wanted = given.solutions(given.children).mean(axis=0).clip(1 / len(shares), 1 - 1 / len(shares))
        ones += given.search("sample_marginals").sum(axis=0)
        drawn += size
    z = (ones - drawn * wanted) / np.sqrt(drawn * wanted * (1 - wanted))
    assert abs(z).max() < 4.5
    assert 0.7 < z.std() < 1.3


def test_marginals_on_integers_are_those_of_the_chosen_within_margins():
    arity, d = 4, 40
    given = bench(Integers(arity, d), MANY)
    before = np.random.default_rng(1).choice(arity, (MANY, d), p=[0.6, 0.3, 0.1, 0.0])
    before[:, 7] = 2
    given.put(given.children, before)
    after = given.search("sample_marginals")
    for position in range(d):
        share = np.bincount(before[:, position], minlength=arity) / MANY
        wanted = share * (1 - 1 / d) + (1 - share) / (arity - 1) / d if share.max() == 1 else share
        found, possible = np.bincount(after[:, position], minlength=arity), wanted > 0
        assert not found[~possible].any()
        assert stats.chisquare(found[possible], MANY * wanted[possible]).pvalue > ALPHA


@on_both
def test_marginals_forget_which_positions_went_together(representation):
    given = bench(variables_of(representation, 64, 2), MANY)
    mixed(given, [0.5] * 64)
    after = given.search("sample_marginals") == 1
    assert_neighbours_independent(after)
    assert_uniform(after.sum(axis=0))


@on_both
def test_marginals_leave_both_ways_open_on_one_variable(representation):
    given = bench(variables_of(representation, 1, 2), MANY)
    for value in (0, 1):
        given.put(given.children, np.full((MANY, 1), value))
        assert stats.binomtest(int(given.search("sample_marginals").sum()), MANY, 0.5).pvalue > ALPHA


# swap


def test_swap_exchanges_two_different_values_every_pair_of_positions_as_often():
    before, after = changes(many("integers", 20), "swap")
    changed = before != after
    assert (changed.sum(axis=1) == 2).all()
    np.testing.assert_array_equal(np.sort(before), np.sort(after))
    pairs = np.array([np.flatnonzero(row) for row in changed])
    assert_uniform(
        np.bincount(pairs[:, 0] * 20 + pairs[:, 1], minlength=400)[np.triu(np.ones((20, 20), bool), 1).ravel()]
    )


def test_swap_puts_no_value_where_it_does_not_fit():
    given = bench(Integers([2, 7, 40, 3, 1, 7] * 5), MANY)
    before, after = changes(given, "swap")
    for vector in after:
        given.variables.check(vector)
    assert ((before != after).sum(axis=1) == 2).mean() > 0.99
    np.testing.assert_array_equal(np.sort(before), np.sort(after))


def test_swap_where_nothing_fits_changes_nothing():
    given = bench(Integers([*[1] * 8, 2]), 50)
    before, after = changes(given, "swap")
    np.testing.assert_array_equal(before, after)
