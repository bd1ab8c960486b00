"""Functions that fail, take too long, or have constraints: errors name the input, limits hold, feasible comes first."""

import subprocess
import sys
import time

import numba
import numpy as np
import pytest
from engine_helpers import Recorder, program, programs, rugged, same, seeds
from hypothesis import given, settings
from hypothesis import strategies as st

from metasmith.engine import EvaluationError, Job, run
from metasmith.problems import Problem, problem
from metasmith.representations import Bits, Integers

CLIMB = program("population 5; reset_n(n=1)")


def answer(value):
    """A function that gives `value` for every vector that starts with a one, and the number of ones for the others."""
    return lambda x: value if x[0] == 1 else float(x.sum())


def raise_on_one(x):
    if x[0] == 1:
        raise KeyError("no such thing")
    return float(x.sum())


def by_row(function):
    """A plain function as a batch function."""
    return lambda xs: [function(x) for x in xs]


@numba.njit
def raising(x):
    if x[0] == 1:
        raise ValueError("not this one")
    return x.sum()


@numba.njit
def nan_on_one(x):
    return np.nan if x[0] == 1 else float(x.sum())


def failure(function, over=None, **how) -> str:
    """The message of the error that a run ends with."""
    with pytest.raises(EvaluationError) as caught:
        run(Job(CLIMB, Problem(function, over or Bits(6), name="mine", **how), 500, 1))
    return str(caught.value)


FAILURES = {
    "raises": (raise_on_one, {}, "raised KeyError: 'no such thing'"),
    "NaN": (answer(np.nan), {}, "is not a number (NaN)"),
    "None": (answer(None), {}, "raised TypeError: the function must return one number, got None"),
    "a word": (answer("high"), {}, "raised TypeError: the function must return one number, got 'high'"),
    "a complex number": (answer(1j), {}, "raised TypeError"),
    "a vector": (lambda x: x, {}, "raised TypeError"),
    "batch raises": (by_row(raise_on_one), {"batch": True}, "raised KeyError: 'no such thing'"),
    "batch NaN": (by_row(answer(np.nan)), {"batch": True}, "is not a number (NaN)"),
    "batch None": (
        lambda xs: None,
        {"batch": True},
        "raised ValueError: a batch function must return one number per row",
    ),
    "batch too short": (lambda xs: [1.0], {"batch": True}, "expected 5, got shape (1,)"),
    "batch too deep": (lambda xs: xs, {"batch": True}, "expected 5, got shape (5, 6)"),
    "compiled raises": (raising, {"compiled": True}, "raised ValueError: not this one"),
    "compiled NaN": (nan_on_one, {"compiled": True}, "is not a number (NaN)"),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_a_failure_ends_the_run_and_names_the_input(kind):
    function, how, says = FAILURES[kind]
    message = failure(function, **how)
    assert message.startswith("mine: the value at x = [")
    assert says in message
    assert "on_error='worst'" in message


@pytest.mark.parametrize("kind", ["raises", "NaN", "None", "batch NaN", "compiled raises", "compiled NaN"])
def test_the_input_named_is_the_one_that_failed(kind):
    function, how, _ = FAILURES[kind]
    assert "x = [1, " in failure(function, **how)
    assert "x = [1, " in failure(function, Integers(2, 9), **how)


def test_long_inputs_are_shortened():
    assert "..., " in failure(answer(None), Bits(500))
    assert len(failure(answer(None), Bits(500))) < 300


@pytest.mark.parametrize(
    "kind", ["raises", "NaN", "None", "batch raises", "batch NaN", "compiled raises", "compiled NaN"]
)
@pytest.mark.parametrize("direction", ["max", "min"])
def test_failures_may_count_as_the_worst(kind, direction):
    function, how, _ = FAILURES[kind]
    result = run(Job(CLIMB, Problem(function, Bits(6), on_error="worst", direction=direction, **how), 600, 1))
    assert result.nfev == 600
    assert result.x[0] == 0
    if kind != "batch raises":  # there a generation fails together, and not much is found
        assert result.fun == (5.0 if direction == "max" else 0.0)
    assert result.fun == result.x.sum()


@pytest.mark.parametrize("direction", ["max", "min"])
def test_plain_and_compiled_count_failures_alike(direction):
    how = {"on_error": "worst", "direction": direction, "name": "one"}
    ways = [Problem(raise_on_one, Bits(9), **how)]
    ways += [Problem(function, Bits(9), compiled=True, **how) for function in (raising, nan_on_one)]
    for text in (
        "population 7; tournament; cross_n(n=1); reset_n(n=1); greedy_select",
        "population 1; reset_rand(p=1/d); tabu",
    ):
        results = [run(Job(program(text), way, 300, 4)) for way in ways]
        assert same(results[0], results[1])
        assert same(results[0], results[2])


def test_when_everything_fails_the_result_says_so():
    for direction, worst in (("max", -np.inf), ("min", np.inf)):
        result = run(Job(CLIMB, Problem(answer(np.nan), Integers([2, 2]), on_error="worst", direction=direction), 1, 3))
        if result.x[0] == 1:
            assert result.fun == worst
        never = run(Job(CLIMB, Problem(lambda x: None, Bits(6), on_error="worst", direction=direction), 40, 1))
        assert (never.fun, never.nfev, never.hit) == (worst, 40, 1)


def test_interrupts_are_not_failures():
    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(Job(CLIMB, Problem(interrupted, Bits(6), on_error="worst"), 10, 1))


# constraints


def excess(x):
    """Violated by every one beyond the third."""
    return max(0, int(x.sum()) - 3)


@numba.njit
def compiled_excess(x):
    return max(0, x.sum() - 3)


@numba.njit
def compiled_ones(x):
    return x.sum()


@settings(max_examples=40)
@given(programs, st.sampled_from([1, 8, 300]), seeds, st.sampled_from(["max", "min"]))
def test_feasible_comes_before_infeasible_then_the_better_value(written, evaluations, seed, direction):
    recorder = Recorder()
    result = run(Job(written, Problem(recorder, Bits(20), violation=excess, direction=direction), evaluations, seed))
    sign = 1 if direction == "max" else -1
    ranked = [(-excess(x), 0 if excess(x) else sign * rugged(x)) for x in recorder.xs[:evaluations]]
    assert result.violation == excess(result.x) == -max(ranked)[0]
    assert result.fun == rugged(result.x)
    assert result.hit == 1 + ranked.index(max(ranked))
    if not result.violation:
        assert result.fun == result.history.values[-1] == sign * max(ranked)[1]


def test_constraints_are_the_same_plain_batch_and_compiled():
    ways = [
        Problem(lambda x: x.sum(), Bits(20), violation=excess, name="one"),
        Problem(
            lambda xs: xs.sum(axis=1), Bits(20), violation=lambda xs: [excess(x) for x in xs], batch=True, name="one"
        ),
        Problem(compiled_ones, Bits(20), violation=compiled_excess, compiled=True, name="one"),
    ]
    for text in (
        "population 5; reset_n(n=1)",
        "population 6; nich; cross_uniform(p=0.5); reset_rand(p=1/d); round_robin_select",
    ):
        results = [run(Job(program(text), way, 1500, 1)) for way in ways]
        assert results[0].fun == 3.0
        assert results[0].violation == 0.0
        assert same(results[0], results[1])
        assert same(results[0], results[2])


@pytest.mark.parametrize("selector", ["simulated_annealing_select", "round_robin_select", "greedy_select"])
def test_constraints_do_not_keep_selection_from_climbing(selector):
    """Most of the first population is infeasible, far below every value: annealing must not take that for a slope."""
    climb = program(f"population 10; reset_n(n=1); {selector}")
    constrained = Problem(lambda x: x[20:].sum(), Bits(60), violation=lambda x: max(0, x[:20].sum() - 9))
    assert [run(Job(climb, constrained, 8000, seed)).fun for seed in range(3)] == [40.0] * 3


def test_improvements_of_an_infeasible_solution_have_no_value_yet():
    result = run(
        Job(program("population 1; reset_sweep"), Problem(lambda x: x.sum(), Bits(100), violation=excess), 300, 1)
    )
    assert result.violation == 0.0
    assert result.history.values[0] == -np.inf
    assert np.isfinite(result.history.values[-1])


def test_a_violation_that_fails_is_a_failure():
    def broken(x):
        raise ZeroDivisionError("oh")

    with pytest.raises(EvaluationError, match="raised ZeroDivisionError: oh"):
        run(Job(CLIMB, Problem(rugged, Bits(6), violation=broken), 10, 1))
    assert run(Job(CLIMB, Problem(rugged, Bits(6), violation=broken, on_error="worst"), 10, 1)).fun == -np.inf
    with pytest.raises(EvaluationError, match="not a number"):
        run(Job(CLIMB, Problem(rugged, Bits(6), violation=lambda x: np.nan), 10, 1))


# time


def slow(x):
    time.sleep(0.01)
    return float(x.sum())


@pytest.mark.parametrize("batch", [False, True])
def test_a_slow_function_stops_at_the_time_limit(batch):
    asked = Problem(by_row(slow) if batch else slow, Bits(20), batch=batch)
    twenty = program("population 20; reset_n(n=1)")
    run(Job(twenty, asked, 1, 1))  # compiling is not what is limited
    begun = time.perf_counter()
    result = run(Job(twenty, asked, 10_000, 1, seconds=0.3))
    assert 0.3 <= time.perf_counter() - begun < 3
    assert 1 <= result.nfev < 60
    assert not result.success
    assert result.message == f"time limit of 0.3 s reached after {result.nfev} evaluations"
    assert result.fun == result.x.sum() == max(result.history.values)


@pytest.mark.parametrize("function", ["native", "compiled"])
def test_a_long_compiled_run_stops_at_the_time_limit(function):
    asked = problem("pbo:F18@625") if function == "native" else Problem(crawling, Bits(20), compiled=True)
    run(Job(CLIMB, asked, 10, 1))  # compiling is not what is limited
    begun = time.perf_counter()
    result = run(Job(CLIMB, asked, 10**9, 1, seconds=0.3))
    assert 0.3 <= time.perf_counter() - begun < 3
    assert result.nfev > 20
    assert not result.success
    assert result.message.startswith("time limit of 0.3 s reached after")


@numba.njit
def crawling(x):
    """Takes about a millisecond."""
    total = 0.0
    for i in range(300_000):
        total += np.sin(i + x[0])
    return total


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_a_limit_is_a_time(seconds):
    with pytest.raises(ValueError, match="a time limit is a number of seconds above 0, got"):
        run(Job(CLIMB, problem("pbo:F1@20"), 100, 1, seconds=seconds))


def test_a_function_may_end_the_run_but_not_the_process():
    def leaves(x):
        raise SystemExit(3)

    assert "raised SystemExit: 3" in failure(leaves)
    assert "raised SystemExit: 3" in failure(leaves, batch=True)
    assert "raised SystemExit: 3" in failure(rugged, violation=leaves)
    assert run(Job(CLIMB, Problem(leaves, Bits(6), batch=True, on_error="worst"), 10, 1)).nfev == 10


def test_errors_are_one_line():
    def many_lines(x):
        raise ValueError("one\ntwo")

    assert "\n" not in failure(many_lines, Integers(10**6, 12))


@numba.njit
def erases(x):
    x[:] = 0
    return 1.0


def test_the_violation_sees_the_solution_whatever_the_objective_did_to_it():
    missing = numba.njit(lambda x: 5.0 - x.sum())
    result = run(Job(CLIMB, Problem(erases, Bits(5), compiled=True, violation=missing), 500, 1))
    assert result.violation == 0.0
    assert result.x.tolist() == [1] * 5


@pytest.mark.parametrize("function", [lambda x, y: 1.0, lambda x: x, lambda x: None, lambda x: "3", lambda x: 1j])
def test_a_compiled_function_that_cannot_be_an_objective_is_refused_in_one_line(function):
    with pytest.raises(
        ValueError, match="compiled=True needs a numba function of one int64 vector that returns a number"
    ) as caught:
        run(Job(CLIMB, Problem(numba.njit(function), Bits(5), compiled=True), 10, 1))
    assert "\n" not in str(caught.value)


def test_a_compiled_function_may_return_a_truth_value():
    assert run(Job(CLIMB, Problem(numba.njit(lambda x: x[0] == 1), Bits(5), compiled=True), 100, 1)).fun == 1.0


@pytest.mark.parametrize("seconds", [1e-9])
def test_without_time_there_is_still_one_evaluation(seconds):
    recorder = Recorder()
    result = run(Job(CLIMB, Problem(recorder, Bits(20)), 100, 1, seconds=seconds))
    assert result.nfev == len(recorder.values) == result.hit == 1
    assert result.fun == recorder.values[0]
    assert run(Job(CLIMB, problem("pbo:F1@20"), 10**7, 1, seconds=seconds)).nfev >= 1


def test_a_limit_that_is_not_reached_changes_nothing():
    jobs = [Job(CLIMB, problem("pbo:F1@20"), 5000, 1, seconds) for seconds in (None, 60.0)]
    assert same(*map(run, jobs))


INTERRUPTED = """
import os, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it, which is inherited
import metasmith as ms

def seven(x):
    return 7.0

problem = ms.Problem(seven, ms.Bits(400), direction="min")
# a program that spends most of its time in compiled code
program = "population 50; nich; cross_uniform(p=0.5); reset_rand(p=0.3); round_robin_select"
ms.solve(program, problem, evaluations=1000)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
begun = time.perf_counter()
try:
    result = ms.solve(program, problem, evaluations=10**9)
except KeyboardInterrupt:
    print("interrupted", time.perf_counter() - begun < 5)
print(ms.solve(program, problem, evaluations=1000).fun)
"""


@pytest.mark.parametrize("attempt", range(3))
def test_ctrl_c_gets_through_compiled_code_and_leaves_no_trace(attempt):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    assert done.stdout.split() == ["interrupted", "True", "7.0"]
