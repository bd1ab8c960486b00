"""Values of a sample: constraints, failures, and what the factors make of them."""

import numba
import numpy as np
import pytest

from metasmith.engine import EvaluationError
from metasmith.landscapes import landscape
from metasmith.landscapes.evaluate import LARGEST, evaluate, minimised
from metasmith.problems import Problem, problem
from metasmith.representations import Bits

ROWS = Bits(8).to_rows(np.array([[1, 0, 0, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0]]))


@numba.njit
def fails_at_first(x):
    if x[0] == 1 and x[3] == 0:
        raise ValueError("no")
    x[1] = 9
    return x.sum()


@numba.njit
def not_a_number_at_first(x):
    return np.nan if x[0] == 1 and x[3] == 0 else x.sum()


@numba.njit
def too_many(x):
    return max(0, x.sum() - 2)


def as_batch(function):
    return lambda m: np.array([function.py_func(x) for x in m])


def kinds(function, **more):
    yield Problem(function, Bits(8), compiled=True, **more)
    yield Problem(function.py_func, Bits(8), **more)
    if "violation" not in more:
        yield Problem(as_batch(function), Bits(8), batch=True, **more)


@pytest.mark.parametrize("number", range(2))
def test_a_failure_stops_and_says_where(number):
    for function in (fails_at_first, not_a_number_at_first):
        picky = list(kinds(function, name="picky"))[number]
        with pytest.raises(EvaluationError, match=r"picky: the value at x = \[1, 0, 0, 0, 0, 0, 0, 0\]") as caught:
            evaluate(picky, ROWS)
        assert "\n" not in str(caught.value)


def test_a_failure_may_count_as_the_worst():
    for function in (fails_at_first, not_a_number_at_first):
        for direction, worst in (("max", -np.inf), ("min", np.inf)):
            for picky in list(kinds(function, direction=direction, on_error="worst"))[:2]:
                values = evaluate(picky, ROWS)
                assert values[0] == worst
                assert np.isfinite(values[1:]).all()


def test_what_violates_the_constraints_has_no_value():
    for picky in kinds(numba.njit(lambda x: x[:3].sum()), violation=too_many):
        assert evaluate(picky, ROWS).tolist() == [1.0, 2.0, -np.inf]


def test_what_has_no_value_counts_as_the_worst_that_has_one():
    picky = Problem(sum, Bits(8))
    assert minimised(picky, np.array([3.0, -np.inf, 1.0, np.inf])).tolist() == [-3.0, -1.0, -1.0, -1.0]
    assert minimised(picky, np.full(3, -np.inf)).tolist() == [0.0, 0.0, 0.0]
    assert minimised(Problem(sum, Bits(8), direction="min"), np.array([3.0, np.inf, 1.0, 1e200])).tolist() == [
        3.0,
        LARGEST,
        1.0,
        LARGEST,
    ]


def test_the_scale_of_an_instance_is_undone():
    picky = problem("pbo:F3@50#7")
    assert picky.scale != (1.0, 0.0)
    np.testing.assert_allclose(minimised(picky, np.array([100.0, 7.0])), [-picky.original(100.0), -picky.original(7.0)])


def test_a_problem_whose_samples_all_fail_has_a_landscape():
    failed = landscape(Problem(lambda m: np.full(len(m), np.nan), Bits(8), batch=True, on_error="worst"))
    assert np.isfinite(list(failed.factors.values())).all()
    assert (failed.values == -np.inf).all()
