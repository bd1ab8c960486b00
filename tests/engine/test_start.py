"""Runs that start from given solutions: they take the places of random ones, and nothing else changes."""

import numba
import numpy as np
import pytest
from engine_helpers import Recorder, program, programs, rugged, same, seeds, variables
from hypothesis import given, settings
from hypothesis import strategies as st

from metasmith.engine import Job, Local, run
from metasmith.problems import Problem, problem
from metasmith.representations import Bits, Integers

CLIMB = program("population 6; tournament; reset_n(n=1)")


def drawn(over, count, seed=0):
    """Solutions drawn apart from the engine."""
    high = 2 if over.name == "bits" else np.array(over.arity)
    return np.random.default_rng(seed).integers(0, high, (count, over.n))


@settings(max_examples=80)
@given(programs, variables, st.integers(0, 120), st.sampled_from([1, 2, 49, 130]), seeds)
def test_they_are_evaluated_first_and_random_ones_fill_up(written, over, count, evaluations, seed):
    recorder, without, start = Recorder(), Recorder(), drawn(over, count)
    result = run(Job(written, Problem(recorder, over, name="same"), evaluations, seed, start=start))
    run(Job(written, Problem(without, over, name="same"), evaluations, seed))
    places, used = min(written.population, evaluations), min(count, written.population, evaluations)
    assert result.nfev == len(recorder.values) == evaluations
    assert np.array_equal(recorder.xs[:used], start[:used].reshape(used, over.n)) or not used
    assert np.array_equal(recorder.xs[used:places], without.xs[used:places])
    assert result.fun == max(recorder.values)


@settings(max_examples=40)
@given(programs, variables, st.sampled_from([60, 300]), seeds)
def test_the_random_ones_given_back_change_nothing(written, over, evaluations, seed):
    recorder = Recorder()
    first = run(Job(written, Problem(recorder, over, name="same"), evaluations, seed))
    again = run(
        Job(written, Problem(rugged, over, name="same"), evaluations, seed, start=recorder.xs[: written.population])
    )
    assert same(first, again)


@numba.njit
def ones(x):
    return x.sum()


@settings(max_examples=30)
@given(programs, st.sampled_from([1, 60, 700]), seeds)
def test_every_kind_of_function_gives_the_same_bits(written, evaluations, seed):
    ways = [
        problem("pbo:F1@65#1"),
        Problem(ones, Bits(65), compiled=True, name="pbo:F1@65#1"),
        Problem(lambda x: x.sum(), Bits(65), name="pbo:F1@65#1"),
        Problem(lambda xs: xs.sum(axis=1), Bits(65), batch=True, name="pbo:F1@65#1"),
    ]
    start = drawn(Bits(65), 4)
    results = [run(Job(written, way, evaluations, seed, start=start)) for way in ways]
    assert all(same(results[0], other) for other in results[1:])
    assert all(
        same(results[0], other) for other in Local(2).run([Job(written, ways[0], evaluations, seed, start=start)] * 3)
    )


def test_what_is_given_is_found_at_once_and_left_as_it_was():
    start = np.vstack([np.zeros((2, 30), bool), np.ones((1, 30), bool)])
    before = start.copy()
    result = run(Job(CLIMB, problem("pbo:F1@30"), 500, 1, start=start))
    assert (result.fun, result.hit, result.nfev) == (30, 3, 500)
    np.testing.assert_array_equal(start, before)


@pytest.mark.parametrize(
    "kind", [list, np.array, lambda rows: np.array(rows, float), lambda rows: np.array(rows, np.uint8)]
)
def test_any_array_of_whole_numbers_will_do(kind):
    recorder = Recorder()
    run(Job(CLIMB, Problem(recorder, Integers([3, 5])), 9, 1, start=kind([[2, 4], [0, 1]])))
    assert [x.tolist() for x in recorder.xs[:2]] == [[2, 4], [0, 1]]


@pytest.mark.parametrize(
    ("over", "start", "said"),
    [
        (Bits(4), [1, 0, 1, 0], "got an array of shape (4,)"),
        (Bits(4), [[1, 0, 1]], "a vector of 4 zeros and ones"),
        (Bits(4), [[1, 0, 1, 2]], "a vector of 4 zeros and ones"),
        (Bits(4), [[0, 0, 0, 0], [1, 0, 1, -1]], "a vector of 4 zeros and ones"),
        (Bits(4), [[0, 0, 0, 0.5]], "a vector of 4 zeros and ones"),
        (Bits(4), [[0, 0, 0, 0], [1]], "all of one length"),
        (Bits(4), [["0", "1", "0", "1"]], "got an array of shape (1, 4)"),
        (Bits(4), "best", "got an array of shape ()"),
        (Bits(4), np.zeros((1, 1, 4)), "got an array of shape (1, 1, 4)"),
        (Integers([3, 5]), [[3, 0]], "2 integers of 3 to 5 values"),
        (Integers([3, 5]), [[0, -1]], "2 integers of 3 to 5 values"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line_and_nothing_is_evaluated(over, start, said):
    recorder = Recorder()
    with pytest.raises(ValueError, match="start solutions do not fit mine: ") as caught:
        run(Job(CLIMB, Problem(recorder, over, name="mine"), 50, 1, start=start))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert recorder.values == []
