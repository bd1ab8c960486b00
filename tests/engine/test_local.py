"""Many runs at once: the same bits for any number of workers and any order, and one that fails disturbs no other."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from engine_helpers import program, programs, rugged, same, seeds
from hypothesis import given, settings
from hypothesis import strategies as st

from metasmith.engine import EvaluationError, InterruptedRunError, Job, Local, OnExecutor, Result, run
from metasmith.problems import Problem, problem
from metasmith.representations import Bits, Integers

CLIMB = program("population 5; reset_n(n=1)")
ENDLESS = Job(CLIMB, problem("pbo:F18@100"), 10**10, 1)
PROBLEMS = [
    problem("pbo:F1@20#3"),
    problem("pbo:F18@40"),
    problem("beamforming@12"),
    Problem(rugged, Integers(4, 9)),
    Problem(lambda xs: xs.sum(axis=1), Bits(9), batch=True),
]
jobs = st.lists(
    st.builds(Job, programs, st.sampled_from(PROBLEMS), st.sampled_from([1, 60, 400]), seeds), min_size=1, max_size=12
)


@pytest.mark.slow
@settings(max_examples=25)
@given(jobs, st.randoms(use_true_random=False))
def test_results_depend_on_neither_workers_nor_order(work, random):
    alone = [run(job) for job in work]
    order = list(range(len(work)))
    random.shuffle(order)
    for workers in (1, 2, 4):
        assert all(map(same, Local(workers).run(work), alone))
        shuffled = Local(workers).run([work[i] for i in order])
        assert all(same(shuffled[place], alone[i]) for place, i in enumerate(order))


def test_no_jobs_no_outcomes():
    assert Local().run([]) == []


def test_as_many_workers_as_there_are_cores_by_default():
    outcomes = Local().run([Job(CLIMB, problem("pbo:F1@20"), 100, seed) for seed in range(5)])
    assert [outcome.seed for outcome in outcomes] == list(range(5))


@pytest.mark.parametrize("workers", [0, -1])
def test_workers_are_at_least_one(workers):
    with pytest.raises(ValueError, match=f"workers must be at least 1, got {workers}"):
        Local(workers)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_run_that_fails_gives_its_error_and_stops_no_other(workers):
    def fails(x):
        raise ValueError("no")

    good = Job(CLIMB, problem("pbo:F1@20"), 400, 1)
    plain = Job(CLIMB, Problem(rugged, Bits(20)), 400, 1)
    bad = Job(CLIMB, Problem(fails, Bits(20), name="bad"), 400, 1)
    outcomes = Local(workers).run([good, bad, plain, good, bad])
    assert [isinstance(outcome, EvaluationError) for outcome in outcomes] == [False, True, False, False, True]
    assert "bad: the value at x = " in str(outcomes[1])
    for place, job in ((0, good), (2, plain), (3, good)):
        assert same(outcomes[place], run(job))


@pytest.mark.parametrize("workers", [1, 3])
def test_everyone_is_reported_once_in_the_calling_thread(workers):
    work = [Job(CLIMB, PROBLEMS[i % 4], 200, i) for i in range(12)]
    reported: dict[int, Result] = {}
    threads = set()

    def on_done(number, outcome):
        assert number not in reported
        reported[number] = outcome
        threads.add(threading.get_ident())

    outcomes = Local(workers).run(work, on_done)
    assert threads == {threading.get_ident()}
    assert sorted(reported) == list(range(12))
    assert all(reported[i] is outcomes[i] for i in range(12))


@pytest.mark.parametrize("elsewhere", [False, True])
def test_python_functions_that_are_not_isolated_are_called_one_at_a_time(elsewhere, tmp_path):
    """Also if they were sent to several threads, each of which unpacks a function of its own."""
    busy = str(tmp_path / "busy")  # a lock that can be sent to others

    def alone(x):
        os.mkdir(busy)  # noqa: PTH102
        time.sleep(0.0005)
        os.rmdir(busy)  # noqa: PTH106
        return float(x.sum())

    jobs = [Job(CLIMB, Problem(alone, Bits(9), isolate=False), 40, seed) for seed in range(6)]
    if elsewhere:
        with ThreadPoolExecutor(4) as threads:
            outcomes = OnExecutor(threads).run(jobs)
    else:
        outcomes = Local(4).run(jobs)
    assert all(isinstance(outcome, Result) for outcome in outcomes)


@pytest.mark.parametrize("culprit", ["function", "report", "job"])
def test_an_interrupt_or_a_mistake_stops_all_runs_soon(culprit):
    def interrupted(x):
        raise KeyboardInterrupt

    def report(number, outcome):
        raise KeyboardInterrupt

    others = {
        "function": Job(CLIMB, Problem(interrupted, Bits(9), isolate=False), 40, 1),
        "report": Job(CLIMB, problem("pbo:F1@20"), 40, 1),
        "job": Job(CLIMB, problem("pbo:F1@20"), 0, 1),
    }
    run(Job(CLIMB, ENDLESS.problem, 10, 1))
    begun = time.perf_counter()
    with pytest.raises(ValueError if culprit == "job" else KeyboardInterrupt):
        Local(2 + (culprit != "function")).run(
            [ENDLESS, others[culprit], ENDLESS], report if culprit == "report" else None
        )
    assert time.perf_counter() - begun < 3


def test_a_run_that_is_asked_to_stop_says_so():
    stop = threading.Event()
    stop.set()
    with pytest.raises(InterruptedRunError, match="stopped after 0 of 10000000000 evaluations"):
        run(ENDLESS, stop)


def test_compiled_runs_hold_no_lock():
    """While a compiled run is on its way, Python goes on: no wait is anywhere near as long as the run."""
    job = Job(CLIMB, problem("pbo:F18@20000"), 2000, 1)
    run(Job(CLIMB, job.problem, 1, 1))
    with ThreadPoolExecutor(1) as threads:
        begun = last = time.perf_counter()
        future, longest = threads.submit(run, job), 0.0
        while not future.done():
            time.sleep(0.001)
            longest, last = max(longest, time.perf_counter() - last), time.perf_counter()
    assert longest < 0.5 * (last - begun)
