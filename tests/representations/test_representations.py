"""Rows become vectors and back, fresh solutions are uniform, and nonsense is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metasmith.chance import seeded
from metasmith.representations import KINDS, Bits, Integers
from metasmith.testing import check_representation

DIMENSIONS = (1, 7, 63, 64, 65, 100, 128, 625)
arities = st.lists(st.integers(1, 50), min_size=1, max_size=20).filter(lambda counts: max(counts) > 1)


def fresh(variables, count):
    pool = np.full((count + 5, variables.width), 3, variables.cell)
    slots = np.arange(5, count + 5)
    with np.errstate(over="ignore"):
        variables.fresh(pool, slots, variables.shape, seeded("fresh", variables.n))
    return pool, slots


@pytest.mark.parametrize("n", DIMENSIONS)
def test_rows_of_bits_and_back(n):
    vectors = np.random.default_rng(n).integers(0, 2, (9, n))
    rows = Bits(n).to_rows(vectors)
    assert rows.shape == (9, Bits(n).width) == (9, -(-n // 64))
    assert rows.dtype == np.uint64
    for i, bit in enumerate(vectors[0]):
        assert (int(rows[0, i // 64]) >> i % 64) & 1 == bit
    assert_back(Bits(n), rows, vectors)


@given(arities)
def test_rows_of_integers_and_back(counts):
    variables = Integers(counts)
    vectors = np.random.default_rng(0).integers(0, counts, (9, len(counts)))
    rows = variables.to_rows(vectors)
    assert rows.shape == (9, variables.width)
    assert rows.dtype == np.int32
    assert_back(variables, rows, vectors)


def assert_back(variables, rows, vectors):
    found = variables.to_vectors(rows)
    np.testing.assert_array_equal(found, vectors)
    assert found.dtype == np.int64
    one = np.full(variables.n, -1)
    for row, vector in zip(rows, vectors, strict=True):
        variables.unpack_row(row, one)
        np.testing.assert_array_equal(one, vector)
        variables.check(vector)


def test_no_rows_are_no_vectors():
    for variables in (Bits(65), Integers(3, 7)):
        assert variables.to_vectors(np.zeros((0, variables.width), variables.cell)).shape == (0, variables.n)


@pytest.mark.parametrize("n", DIMENSIONS)
def test_fresh_bits_are_fair_and_stay_within_their_length(n):
    pool, slots = fresh(Bits(n), 500)
    vectors = Bits(n).to_vectors(pool[slots])
    np.testing.assert_array_equal(Bits(n).to_rows(vectors), pool[slots])
    ones = vectors.sum(axis=0)
    assert stats.chi2.sf((((ones - 250) ** 2) / 125).sum(), n) > 1e-4
    assert (pool[:5] == 3).all()


def test_fresh_integers_are_uniform_at_each_position():
    counts = [2, 3, 1, 40, 7]
    pool, slots = fresh(Integers(counts), 4000)
    for j, count in enumerate(counts):
        seen = np.bincount(pool[slots, j], minlength=count)
        assert len(seen) == count
        assert count == 1 or stats.chisquare(seen).pvalue > 1e-4
    assert (pool[:5] == 3).all()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Bits(0), "at least one variable, got 0"),
        (lambda: Bits(-3), "at least one variable, got -3"),
        (lambda: Integers(4), r"needs the number of variables too: Integers\(4, 120\)"),
        (lambda: Integers([4, 4], 3), "got 2 counts of values for 3 variables"),
        (lambda: Integers([]), "at least one variable with two values"),
        (lambda: Integers(1, 9), "at least one variable with two values"),
        (lambda: Integers([4, 0]), "at least one variable with two values"),
        (lambda: Integers(4, 0), "at least one variable with two values"),
    ],
)
def test_impossible_variables(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_integers_are_written_in_two_ways():
    assert Integers(4, 3) == Integers([4, 4, 4]) == Integers((4, 4, 4), 3)
    assert hash(Integers(4, 3)) == hash(Integers([4, 4, 4]))
    assert Integers([4, 4, 9]) != Integers(4, 3)
    assert Integers([4, 4, 9]).n == 3
    assert Integers([4, 4, 9]).shape.tolist() == [4, 4, 9]


def test_what_they_are_called():
    assert str(Bits(7)) == "7 bits"
    assert str(Integers(4, 3)) == "3 integers of 4 values"
    assert str(Integers([4, 9])) == "2 integers of 4 to 9 values"


@pytest.mark.parametrize(
    ("variables", "vector"),
    [
        (Bits(3), [0, 1]), (Bits(3), [0, 1, 2]), (Bits(3), [0, 1, -1]), (Bits(3), [0, 1, 0.5]), (Bits(3), [[0, 1, 1]]),
        (Integers([2, 3]), [2, 0]), (Integers([2, 3]), [0, -1]), (Integers([2, 3]), [0, 1, 1]),
        (Integers([2, 3]), [0, 1.5]), (Integers([2, 3]), [0, float("nan")]), (Integers([2, 3]), [0, float("inf")]),
    ],
)  # fmt: skip
def test_vectors_of_something_else_are_refused(variables, vector):
    with pytest.raises(ValueError, match="expected a vector of"):
        variables.check(np.array(vector))


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_contract(kind):
    check_representation(kind)
