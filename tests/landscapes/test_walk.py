"""The sample: short walks of one step at a time, and the distances between their points."""

import numpy as np
import pytest

from metasmith.chance import seeded
from metasmith.landscapes.distance import between_neighbours, between_pairs, neighbours, pairs
from metasmith.landscapes.kernels import kernel
from metasmith.landscapes.walk import STEPS, walking, walks
from metasmith.representations import Bits, Integers

VARIABLES = [Bits(1), Bits(64), Bits(150), Integers(4, 120), Integers([2, 1, 3, 40, 1, 5]), Integers([1, 2])]


@pytest.mark.parametrize("variables", VARIABLES, ids=str)
def test_every_step_changes_one_variable(variables):
    rows = walks(variables, "a", 0)
    vectors = variables.to_vectors(rows)
    assert len(rows) == STEPS * max(400, 4 * variables.n)
    for vector in vectors[::37]:
        variables.check(vector)
    changed = (np.diff(vectors, axis=0) != 0).sum(axis=1)
    assert (np.delete(changed, np.s_[STEPS - 1 :: STEPS]) == 1).all()
    np.testing.assert_array_equal(between_neighbours(variables, rows), changed)


@pytest.mark.parametrize("variables", VARIABLES, ids=str)
def test_distances_count_the_variables_that_differ(variables):
    rows = walks(variables, "b", 0)[:60]
    vectors = variables.to_vectors(rows)
    np.testing.assert_array_equal(between_pairs(variables, rows), (vectors[:, None] != vectors).sum(axis=2))


def test_starts_are_uniform_and_steps_too():
    vectors = Integers(4, 100).to_vectors(walks(Integers(4, 100), "c", 0))
    starts = vectors[::STEPS]
    shares = np.bincount(starts.ravel(), minlength=4) / starts.size
    np.testing.assert_allclose(shares, 0.25, atol=0.01)
    moved = (np.diff(vectors, axis=0) != 0)[np.arange(len(vectors) - 1) % STEPS < STEPS - 1].sum(axis=0)
    assert moved.min() > 0
    assert moved.max() < 3 * moved.mean()


def test_the_sample_follows_the_seed():
    first = walks(Bits(100), "name", 0, 0)
    np.testing.assert_array_equal(first, walks(Bits(100), "name", 0, 0))
    for other in (("name", 0, 1), ("name", 1, 0), ("other", 0, 0)):
        assert (first[0] != walks(Bits(100), *other)[0]).any()


@pytest.mark.parametrize("variables", VARIABLES, ids=str)
def test_plain_equals_compiled(variables):
    plain, fast = (np.zeros((8 * STEPS, variables.width), variables.cell) for _ in range(2))
    of_pairs, of_neighbours = np.zeros((len(plain), len(plain)), np.int32), np.zeros(len(plain) - 1, np.int32)
    kind = type(variables)
    starts = np.arange(0, len(plain), STEPS)
    with np.errstate(over="ignore"):
        walking(kind)(plain, starts, variables.shape, seeded(1))
        pairs(kind)(plain, of_pairs)
        neighbours(kind)(plain, of_neighbours)
    kernel(walking(kind))(fast, starts, variables.shape, seeded(1))
    np.testing.assert_array_equal(plain, fast)
    np.testing.assert_array_equal(of_pairs, between_pairs(variables, fast))
    np.testing.assert_array_equal(of_neighbours, between_neighbours(variables, fast))
