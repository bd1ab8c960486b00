"""Random numbers: the published generator, the right distributions, the same numbers compiled and plain."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metasmith.chance import (
    SPARSE,
    another,
    below,
    bernoulli_word,
    binomial_table,
    draw,
    fingerprint,
    from_table,
    heads,
    positions,
    seeded,
    skips,
    subset,
    uniform,
)
from metasmith.engine.compile import compiled
from metasmith.representations import Integers
from metasmith.words import pack, unpack, words_for

ALPHA = 1e-4
PUBLISHED = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
"""The first numbers of SplitMix64 from the state 1234567, as other implementations print them."""


@pytest.fixture(autouse=True)
def _whole_words_may_overflow():
    with np.errstate(over="ignore"):
        yield


# Loops around each function. They are compiled like kernels, hence do not allocate: `scratch` is for what they need.


def draw_each(out, rng):
    for i in range(len(out)):
        out[i] = np.int64(draw(rng) >> np.uint64(1))


def uniform_each(out, rng):
    for i in range(len(out)):
        out[i] = int(uniform(rng) * 1000)


def below_each(out, bound, rng):
    for i in range(len(out)):
        out[i] = below(bound, rng)


def another_each(out, value, values, rng):
    for i in range(len(out)):
        out[i] = another(value, values, rng)


def heads_each(out, rng):
    for i in range(len(out)):
        out[i] = heads(rng)


def table_each(out, p, trials, scratch, rng):
    binomial_table(p, trials, scratch)
    for i in range(len(out)):
        out[i] = from_table(scratch, rng)


def words_each(out, p, rng):
    for i in range(len(out)):
        out[i] = bernoulli_word(p, rng)


def subset_each(out, first, length, count, rng):
    for i in range(len(out)):
        subset(out[i], first, length, count, rng)


def positions_each(out, first, length, count, scratch, rng):
    """Counts each position, and on the way that they come in order."""
    for i in range(len(out)):
        last = -1
        for k in range(positions(scratch, first, length, count, rng)):
            out[i, scratch[k]] += 1 if scratch[k] > last else 100
            last = scratch[k]


def skips_each(out, p, length, rng):
    for i in range(len(out)):
        for j in skips(p, length, rng):
            out[i, j] += 1


def fill(loop, out, *arguments, seed=0, how="compiled"):
    """`out`, filled by a loop; and the state of the random numbers afterwards."""
    rng = seeded(seed)
    (compiled(loop) if how == "compiled" else loop)(out, *arguments, rng)
    return out, int(rng[0])


def numbers(loop, count, *arguments, seed=0):
    return fill(loop, np.zeros(count, np.int64), *arguments, seed=seed)[0]


def sets(loop, rows, *arguments, seed=0):
    """Random sets as zeros and ones, (rows, positions)."""
    length = arguments[1]
    if loop is subset_each:
        return unpack(
            fill(loop, np.full((rows, words_for(length)), 2**64 - 1, np.uint64), *arguments, seed=seed)[0], length
        )
    scratch = [np.full(length, 9, np.int32)] if loop is positions_each else []
    return fill(loop, np.zeros((rows, length), np.int32), *arguments, *scratch, seed=seed)[0]


def test_the_generator_is_splitmix64():
    rng = np.array([1234567], np.uint64)
    assert [int(draw(rng)) for _ in PUBLISHED] == PUBLISHED


def test_seeds_tell_all_parts_apart_and_stay_what_they_are():
    assert seeded("a", 1) == seeded("a", 1)
    states = [
        int(seeded(*parts)[0])
        for parts in [("a", 1), ("a", 2), ("b", 1), ("a1",), ("a", "", 1), (1, "a"), ("ab", 1), ("a", "b1")]
    ]
    assert len(set(states)) == len(states)
    assert int(seeded("metasmith", 1)[0]) == 9215417906900701879


LOOPS = [
    (draw_each, np.int64, ()),
    (uniform_each, np.int64, ()),
    *[(below_each, np.int64, (bound,)) for bound in (1, 2, 3, 1000, 2**32 - 1)],
    *[(another_each, np.int64, (value, values)) for value, values in [(0, 1), (0, 2), (1, 2), (3, 7), (6, 7)]],
    (heads_each, np.int64, ()),
    *[(words_each, np.uint64, (p,)) for p in (1e-9, 0.01, 0.1, 0.25, 0.5, 0.7, 1 - 1e-12, 1.0)],
]


@pytest.mark.parametrize(("loop", "dtype", "arguments"), LOOPS)
def test_compiled_equals_plain(loop, dtype, arguments):
    assert_same(loop, np.zeros(300, dtype), *arguments)


@pytest.mark.parametrize(("p", "trials"), [(0.01, 100), (0.12, 100), (0.001, 12000), (0.9, 13), (1e-9, 5)])
def test_compiled_tables_equal_plain_ones(p, trials):
    tables = [np.zeros(64), np.zeros(64)]
    fast = fill(table_each, np.zeros(300, np.int64), p, trials, tables[0])
    plain = fill(table_each, np.zeros(300, np.int64), p, trials, tables[1], how="plain")
    np.testing.assert_array_equal(tables[0], tables[1])
    np.testing.assert_array_equal(fast[0], plain[0])


@pytest.mark.parametrize("length", [1, 7, 64, 65, 200])
@pytest.mark.parametrize("count", [0, 1, SPARSE, SPARSE + 1, 60, 500])
def test_compiled_sets_equal_plain_ones(length, count):
    for first in (0, 1):
        assert_same(subset_each, np.zeros((5, words_for(length)), np.uint64), first, length, count)
        assert_same(positions_each, np.zeros((5, length), np.int32), first, length, count, np.zeros(length, np.int32))


@pytest.mark.parametrize("length", [1, 7, 64, 65, 200])
@pytest.mark.parametrize("p", [1e-9, 0.01, 0.05, 0.3, 0.9, 1.0])
def test_compiled_skips_equal_plain_ones(length, p):
    assert_same(skips_each, np.zeros((5, length), np.int32), p, length)


def assert_same(loop, out, *arguments):
    """Compiled and plain give the same numbers and leave the generator in the same state."""
    fast, plain = fill(loop, out.copy(), *arguments), fill(loop, out.copy(), *arguments, how="plain")
    np.testing.assert_array_equal(fast[0], plain[0])
    assert fast[1] == plain[1]


def test_uniform_numbers():
    assert stats.chisquare(np.bincount(numbers(uniform_each, 100_000), minlength=1000)).pvalue > ALPHA
    rng = seeded("range")
    values = [uniform(rng) for _ in range(1000)]
    assert 0.0 <= min(values) < 0.01
    assert 0.99 < max(values) < 1.0


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 64, 1000])
def test_below_is_uniform(bound):
    counts = np.bincount(numbers(below_each, 100_000, bound), minlength=bound)
    assert len(counts) == bound
    assert bound == 1 or stats.chisquare(counts).pvalue > ALPHA


@pytest.mark.parametrize(("value", "values"), [(0, 2), (1, 2), (0, 5), (2, 5), (4, 5)])
def test_another_is_uniform_among_the_others(value, values):
    counts = np.bincount(numbers(another_each, 40_000, value, values), minlength=values)
    assert counts[value] == 0
    assert values == 2 or stats.chisquare(np.delete(counts, value)).pvalue > ALPHA


def test_another_of_one_value_is_that_value():
    assert another(0, 1, seeded(0)) == 0


def test_coins_are_fair_and_independent():
    coins = numbers(heads_each, 100_000)
    assert stats.chisquare(np.bincount(4 * coins[:-2:3] + 2 * coins[1:-1:3] + coins[2::3], minlength=8)).pvalue > ALPHA


@pytest.mark.parametrize("p", [1e-9, 0.001, 0.02, 0.25, 0.3, 0.5, 0.7, 0.999])
def test_64_coins_at_once(p):
    coins = unpack(fill(words_each, np.zeros(20_000, np.uint64), p)[0][:, None], 64)
    assert stats.binomtest(int(coins.sum()), coins.size, p).pvalue > ALPHA
    if 0.01 < p < 0.99:
        ones = coins.sum(axis=0)
        assert (
            stats.chi2.sf(((ones - 20_000 * p) ** 2 / (20_000 * p * (1 - p))).sum(), 64) > ALPHA
        )  # each place of the word
        spread = coins.sum(axis=1).var() / (64 * p * (1 - p))
        assert abs(spread - 1) < 5 * (2 / 20_000) ** 0.5  # not in step with each other


def test_coins_that_always_succeed():
    assert bernoulli_word(1.0, seeded(0)) == 2**64 - 1


@pytest.mark.parametrize(("p", "trials"), [(0.01, 100), (0.12, 100), (1e-4, 625), (0.5, 24), (0.9, 13), (0.3, 1)])
def test_numbers_from_a_binomial_table(p, trials):
    table = np.zeros(64)
    drawn = numbers(table_each, 50_000, p, trials, table)
    np.testing.assert_allclose(table, stats.binom.cdf(np.arange(64), trials, p), rtol=1e-9)
    expected = stats.binom.pmf(np.arange(trials + 1), trials, p) * len(drawn)
    counts = np.bincount(drawn, minlength=trials + 1)
    assert len(counts) == trials + 1
    usual = expected > 5
    observed, wanted = (
        np.append(counts[usual], counts[~usual].sum()),
        np.append(expected[usual], expected[~usual].sum()),
    )
    assert stats.chisquare(observed[wanted > 0], wanted[wanted > 0]).pvalue > ALPHA


@pytest.mark.parametrize("loop", [subset_each, positions_each])
@pytest.mark.parametrize(
    ("first", "length", "count"), [(0, 5, 2), (1, 6, 2), (0, 15, 13), (1, 16, 13), (0, 20, 19), (0, 7, 1)]
)
def test_every_set_of_a_size_is_as_likely(loop, first, length, count):
    """Few positions one by one, many from coins that are corrected: both kinds are here."""
    rows = sets(loop, 30_000, first, length, count)
    every = [sum(1 << i for i in chosen) for chosen in combinations(range(first, length), count)]
    seen = dict(zip(*np.unique(rows @ (1 << np.arange(length)), return_counts=True), strict=True))
    assert set(seen) <= set(every)
    assert stats.chisquare([seen.get(number, 0) for number in every]).pvalue > ALPHA


@pytest.mark.parametrize("loop", [subset_each, positions_each])
@pytest.mark.parametrize("length", [1, 2, 63, 64, 65, 130])
def test_sets_have_the_size_asked_or_all_there_is(loop, length):
    for first in (0, 1):
        for count in (0, 1, 12, 13, 64, 129, 1000):
            rows = sets(loop, 20, first, length, count)
            assert (rows.sum(axis=1) == min(count, length - first)).all()
            assert first == 0 or (rows[:, 0] == 0).all()


@pytest.mark.parametrize(("p", "length"), [(0.01, 100), (0.12, 100), (0.13, 100), (0.7, 100), (0.9, 5), (1e-9, 50)])
def test_skips_are_independent_coins(p, length):
    hits = sets(skips_each, 20_000, p, length)
    assert set(np.unique(hits)) <= {0, 1}
    assert stats.binomtest(int(hits.sum()), hits.size, p).pvalue > ALPHA
    if p > 1e-6:
        assert stats.chisquare(hits.sum(axis=0)).pvalue > ALPHA
        spread = hits.sum(axis=1).var() / (length * p * (1 - p))
        assert abs(spread - 1) < 0.1


def test_skips_go_in_order_and_take_all_when_certain():
    assert list(skips(1.0, 9, seeded(0))) == list(range(9))
    places = list(skips(0.3, 1000, seeded(0)))
    assert all(a < b for a, b in pairwise(places))


@given(st.integers(1, 200), st.data())
def test_fingerprints_tell_solutions_apart(length, data):
    a, b = (np.array(data.draw(st.lists(st.integers(0, 1), min_size=length, max_size=length))) for _ in range(2))
    with np.errstate(over="ignore"):
        for rows in (pack(np.array([a, b])), Integers(2, length).to_rows(np.array([a, b])).view(np.uint64)):
            assert (fingerprint(rows[0]) == fingerprint(rows[1])) == (a == b).all()
            assert fingerprint(rows[0]) == int(fingerprint(rows[0])) < 2**53


def test_fingerprints_of_neighbours_do_not_collide():
    rows = pack(np.vstack([np.zeros(625, int), np.eye(625, dtype=int), np.tri(625, dtype=int)]))
    marks = [fingerprint(row) for row in rows]
    assert len(set(marks)) == len({row.tobytes() for row in rows})
