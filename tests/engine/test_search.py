"""Ask and tell: spends and returns the same as `solve`, wherever the values come from."""

import numpy as np
import pytest
from engine_helpers import programs, rugged, same, seeds, variables
from hypothesis import given, settings
from hypothesis import strategies as st

from metasmith.engine import EvaluationError, Job, Search, run
from metasmith.problems import Problem
from metasmith.program import Program
from metasmith.representations import Bits, Integers

EA = Program.parse("population 1; reset_rand(p=1/d); pairwise_select")
GA = Program.parse("population 10; tournament; cross_uniform(p=0.5); reset_rand(p=1/d); greedy_select")


def searched(search: Search, function=rugged, violation=None) -> None:
    while not search.done:
        xs = search.ask()
        search.tell([function(x) for x in xs], None if violation is None else [violation(x) for x in xs])


@settings(max_examples=60)
@given(programs, variables, st.integers(1, 300), seeds, st.sampled_from(["max", "min"]))
def test_it_spends_and_returns_the_same_as_a_run(program, over, evaluations, seed, direction):
    search = Search(program, over, evaluations=evaluations, seed=seed, direction=direction, name="f")
    searched(search)
    ours = run(Job(program, Problem(rugged, over, name="f", direction=direction), evaluations, seed))
    assert same(search.result(), ours)


@pytest.mark.parametrize("direction", ["max", "min"])
@pytest.mark.parametrize("limit", [2, 6, 40])
def test_violations_count_as_in_a_run(direction, limit):
    def violation(x):
        return float(max(0, limit - x.sum()))

    search = Search(GA, Bits(30), evaluations=200, seed=4, direction=direction, name="f")
    searched(search, violation=violation)
    problem = Problem(rugged, Bits(30), name="f", direction=direction, violation=violation)
    assert same(search.result(), run(Job(GA, problem, 200, 4)))


def test_solutions_to_start_from():
    start = np.tri(4, 30, dtype=int)
    search = Search(GA, Bits(30), evaluations=100, seed=4, name="f", start=start)
    assert search.ask()[:4].tolist() == start.tolist()
    searched(search)
    assert same(search.result(), run(Job(GA, Problem(rugged, Bits(30), name="f"), 100, 4, start=start)))


def test_asking_again_gives_the_same_until_it_is_told():
    search = Search(GA, Integers(4, 9), evaluations=25)
    first = search.ask()
    assert len(first) == 10
    assert search.ask().tolist() == first.tolist()
    assert (search.spent, search.done) == (0, False)
    search.tell(np.arange(10))
    assert search.spent == 10
    searched(search)
    assert (search.spent, search.done, len(search.ask())) == (25, True, 0)


def test_results_on_the_way():
    search = Search(GA, Bits(12), evaluations=30)
    with pytest.raises(ValueError, match="nothing was told yet"):
        search.result()
    xs = search.ask()
    search.tell([float(x.sum()) for x in xs])
    result = search.result()
    assert (result.nfev, result.success, result.fun) == (10, False, max(x.sum() for x in xs))
    assert result.message == "10 of 30 evaluations spent"


def test_what_cannot_be_told():
    search = Search(EA, Bits(12), evaluations=5)
    with pytest.raises(ValueError, match="call ask first"):
        search.tell([1.0])
    search.ask()
    with pytest.raises(ValueError, match="expected 1 values, one number for each solution"):
        search.tell([1.0, 2.0])
    for wrong in (["a"], [1j], [[1.0], [1.0, 2.0]]):
        with pytest.raises(ValueError, match="expected 1 values, one number for each solution"):
            search.tell(wrong)
    with pytest.raises(EvaluationError, match=r"is not a number .*Search\(..., on_error='worst'\)"):
        search.tell([np.nan])
    search.tell([3.0])
    assert search.result().fun == 3.0


def test_failures_may_count_as_worst():
    search = Search(EA, Bits(12), evaluations=20, on_error="worst", name="f")
    searched(search, lambda x: np.nan if x[0] else float(x.sum()))
    problem = Problem(lambda x: np.nan if x[0] else float(x.sum()), Bits(12), on_error="worst", name="f")
    assert same(search.result(), run(Job(EA, problem, 20, 0)))


@pytest.mark.parametrize("direction", ["max", "min"])
@pytest.mark.parametrize("value", [1e305, -1e305, np.inf, 7.0])
@pytest.mark.parametrize("violation", [-1.0, 0.0, 2.0, np.inf])
def test_extreme_values_and_violations_are_told_as_in_a_run(value, violation, direction):
    search = Search(EA, Bits(6), evaluations=3, direction=direction, name="f")
    searched(search, lambda x: value, lambda x: violation)
    problem = Problem(lambda x: value, Bits(6), direction=direction, name="f", violation=lambda x: violation)
    ours = run(Job(EA, problem, 3, 0))
    assert (search.result().fun, search.result().violation) == (ours.fun, ours.violation)
