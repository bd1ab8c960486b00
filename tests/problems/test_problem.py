"""A user's problem: every kind of function, constraints, and what is said when something is wrong."""

import numba
import numpy as np
import pytest

from metasmith.problems import Batch, Compiled, Native, Plain, Problem, problem
from metasmith.representations import Bits, Integers


@numba.njit
def compiled_sum(x):
    return x.sum()


def test_a_plain_function():
    own = Problem(lambda x: int(x[0]) + 2 * int(x[-1]), Bits(5), name="ends")
    assert isinstance(own.how, Plain)
    assert own([1, 0, 0, 0, 1]) == 3.0
    np.testing.assert_array_equal(own.values([[0, 0, 0, 0, 1], [1, 1, 1, 1, 0]]), [2.0, 1.0])
    assert (own.name, own.dimension, own.maximise, own.optimum, own.on_error) == (
        "ends",
        5,
        True,
        None,
        "stop",
    )


def test_a_batch_function_gets_all_vectors_at_once():
    shapes = []

    def ones(matrix):
        shapes.append(matrix.shape)
        return matrix.sum(axis=1)

    own = Problem(ones, Bits(4), batch=True, direction="min")
    assert isinstance(own.how, Batch)
    np.testing.assert_array_equal(own.values(np.eye(4)), np.ones(4))
    assert shapes == [(4, 4)]
    assert own.name == "ones"
    assert not own.maximise


def test_a_compiled_function():
    own = Problem(compiled_sum, Integers(4, 3), compiled=True, optimum=9)
    assert isinstance(own.how, Compiled)
    assert own([3, 2, 1]) == 6.0
    assert own.optimum == 9.0


def test_functions_get_whole_numbers_even_if_given_floats_or_booleans():
    seen = []
    own = Problem(lambda x: seen.append(x.dtype) or 0, Bits(2))
    own([True, False])
    own(np.array([1.0, 0.0]))
    assert seen == [np.int64, np.int64]


def test_violation_follows_the_convention_of_the_function():
    own = Problem(lambda m: m.sum(axis=1), Bits(3), batch=True, violation=lambda m: np.maximum(m.sum(axis=1) - 1, 0))
    assert isinstance(own.violation, Batch)
    np.testing.assert_array_equal(own.violations([[1, 0, 0], [1, 1, 1]]), [0.0, 2.0])
    free = Problem(compiled_sum, Bits(3))
    assert free.violation is None
    np.testing.assert_array_equal(free.violations([[1, 1, 1]]), [0.0])


def test_native_problems_are_told_where_few_and_many_vectors_meet():
    own = problem("pbo:F3@70#7")
    assert isinstance(own.how, Native)
    many = np.random.default_rng(0).integers(0, 2, (150, 70))
    np.testing.assert_array_equal(own.values(many), np.concatenate([own.values(many[:75]), own.values(many[75:])]))


def test_original_undoes_the_scale():
    scaled = Problem.native(lambda row, tables, work: 7.0, Bits(1), name="seven", scale=(2.0, 3.0))
    assert scaled.original(scaled([0])) == 2.0
    assert Problem(sum, Bits(1)).original(5.0) == 5.0
    assert Problem(sum, Bits(1)).original(1 / 3) == 1 / 3


def test_whole_numbers_come_back_whole_on_every_instance():
    """As ranks see it, 625 on one instance must equal 625 on another."""
    for number in range(2, 101):
        own = problem(f"pbo:F1@625#{number}")
        a, b = own.scale
        assert [own.original(a * whole + b) for whole in (-138_758, -1, 0, 1, 63, 625, 195_625)] == [
            -138_758,
            -1,
            0,
            1,
            63,
            625,
            195_625,
        ]
    assert [own.original(value) for value in (np.inf, -np.inf)] == [np.inf, -np.inf]
    assert np.isnan(own.original(np.nan))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"direction": "maximum"}, "direction must be 'max' or 'min', got 'maximum'"),
        ({"on_error": "ignore"}, "on_error must be 'stop' or 'worst', got 'ignore'"),
        ({"batch": True, "compiled": True}, "either batch or compiled"),
        ({"compiled": True}, "decorate the function with @numba.njit"),
        ({"function": compiled_sum, "compiled": True, "violation": len}, "decorate the violation with @numba.njit"),
        ({"function": 3}, "function must be a function of a vector, got int"),
        ({"violation": 3}, "violation must be a function of a vector, got int"),
        ({"explain": "me"}, "explain must be a function of a vector, got str"),
        ({"picture": "me"}, "picture must be a function of a vector, got str"),
        ({"variables": 10}, r"variables must be one of Bits, Integers.*, got 10"),
    ],
)
def test_mistakes_are_one_line_that_says_what_to_do(arguments, says):
    with pytest.raises(ValueError, match=says) as caught:
        Problem(**({"function": lambda x: 0.0, "variables": Bits(3)} | arguments))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("x", [[1, 0], [1, 0, 2], [0.5, 0, 0], "101", [[1, 0, 1]]])
def test_vectors_of_another_kind_are_refused(x):
    with pytest.raises(ValueError, match="expected"):
        Problem(sum, Bits(3))(x)


def test_a_batch_function_must_return_a_value_per_vector():
    with pytest.raises(ValueError, match="one number per row: expected 2, got shape"):
        Problem(lambda m: 0.0, Bits(2), batch=True).values([[0, 0], [0, 1]])
