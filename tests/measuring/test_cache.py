"""Runs are done once, counted once, and can be told to another process."""

import numpy as np
import pytest
from measuring_helpers import EA, RANDOM, case, prepared, programs, result, told

import metasmith as ms
from metasmith.engine import EvaluationError, Local
from metasmith.measuring import Cache, Case, Ledger, Measurement, Request
from metasmith.measuring.cache import TRAINING, measured, run_seed


def counts(ledger: Ledger) -> tuple[int, int, int]:
    return ledger.runs, ledger.evaluations, ledger.cached


def test_nothing_is_measured_twice(monkeypatch):
    one, two = programs(2)
    done = told(monkeypatch, lambda job: 1.0)
    cache = Cache([case(100), case(300)], seed=0, runner=Local())
    cache.measure([Request(one, 0, "rung", 0, 1), Request(one, 0, "rung", 0, 1), Request(two, 1, "rung", 0, 1)])
    assert counts(cache.ledger) == (2, 400, 1)
    cache.measure([Request(one, 0, "rung", 0, 1), Request(two, 1, "rung", 0, 1), Request(two, 1, "rung", 1, 1)])
    assert counts(cache.ledger) == (3, 700, 3)
    assert [(job.program, job.evaluations) for job in done.jobs] == [(one, 100), (two, 300), (two, 300)]


def test_the_references_are_measured_once_on_every_place(monkeypatch):
    done = told(monkeypatch, lambda job: 1.0)
    scores = prepared(case(100), case(300))
    assert [(job.program, job.evaluations) for job in done.jobs] == [(RANDOM, 100), (EA, 100), (RANDOM, 300), (EA, 300)]
    assert counts(scores.cache.ledger) == (4, 800, 0)


def test_runs_that_workers_lost_are_counted_apart():
    class Losing(Local):
        def run(self, jobs, on_done=None):
            self.lost += len(jobs)  # each by the worker that had it first
            return super().run(jobs, on_done)

    (one,) = programs(1)
    cache = Cache([Case(ms.problem("pbo:F1@10"), 100)], seed=0, runner=Losing(1))
    for repeat in range(2):
        cache.measure([Request(one, 0, "race", repeat)])
    assert counts(cache.ledger) == (2, 200, 0)
    assert cache.ledger.lost == 2


def test_what_is_measured_is_what_solve_finds():
    problem, program = ms.problem("pbo:F2@30"), ms.algorithm("ea")
    cache, request = Cache([Case(problem, 200)], seed=3, runner=Local()), Request(program, 0, "race", 7)
    cache.measure([request])
    alone = ms.solve(program, problem, evaluations=200, seed=run_seed(3, request))
    measurement = cache.measurements[request]
    assert (measurement.value, measurement.hit, measurement.violation) == (alone.fun, alone.hit, 0.0)


def test_no_two_meanings_share_a_seed_and_none_is_a_seed_of_use():
    (program,) = programs(1)
    purposes = [("reference", None), ("race", None), *(("rung", rung) for rung in range(3))]
    seeds = [
        Cache([case()], seed=design, runner=Local()).job(Request(program, 0, purpose, repeat, rung)).seed
        for design in (0, 1, 11)
        for purpose, rung in purposes
        for repeat in range(200)
    ]
    assert len(set(seeds)) == len(seeds)
    assert min(seeds) >= TRAINING
    assert max(seeds) < 2 * TRAINING


def test_programs_and_cases_share_the_random_numbers_of_a_repeat():
    jobs = [
        Cache([case(), case(300)], seed=5, runner=Local()).job(Request(each, number, "race", 2))
        for each in programs(2)
        for number in (0, 1)
    ]
    assert len({job.seed for job in jobs}) == 1


def test_take_gives_everything_once(monkeypatch):
    told(monkeypatch, lambda job: 4.0)
    one, two = (Request(program, 0, "rung", 0, 1) for program in programs(2))
    cache = Cache([case(10)], seed=0, runner=Local())
    cache.measure([one])
    assert cache.take() == [(one, Measurement(4.0, 10, 0.0, 4.0))]
    cache.measure([one, two])
    assert [request for request, _ in cache.take()] == [two]
    assert cache.take() == []


def test_what_was_written_down_is_known_and_costs_nothing(monkeypatch):
    done = told(monkeypatch, lambda job: 4.0)
    request = Request(programs(1)[0], 0, "rung", 0, 1)
    cache = Cache([case()], seed=0, runner=Local())
    cache.recall([(request, Measurement(1.0, 2, 0.0, 3.0))])
    cache.measure([request])
    assert cache.measurements[request] == Measurement(1.0, 2, 0.0, 3.0)
    assert counts(cache.ledger) == (0, 0, 1)
    assert done.jobs == cache.take() == []


def test_what_is_expected_counts_as_a_run_once_it_is_asked_for(monkeypatch):
    done = told(monkeypatch, lambda job: 4.0)
    first, second, other = (Request(program, 0, "rung", 0, 1) for program in programs(3))
    cache = Cache([case(100)], seed=0, runner=Local())
    cache.logged = {second: Measurement(1.0, 2, 0.0, 3.0), other: Measurement(9.0, 9, 0.0, 9.0)}
    cache.measure([first, second])
    assert list(cache.measurements) == [first, second]
    assert cache.measurements[second].value == 1.0
    assert counts(cache.ledger) == (2, 200, 0)
    assert [job.program for job in done.jobs] == [first.program]
    assert [request for request, _ in cache.take()] == [first, second]


def test_a_function_that_fails_ends_it_with_its_error():
    def odd(x: np.ndarray) -> float:
        raise ArithmeticError("the bridge is closed")

    cache = Cache([Case(ms.Problem(odd, ms.Bits(5)), 10)], seed=0, runner=Local())
    assert cache.at_once == Local().workers
    with pytest.raises(EvaluationError, match="ArithmeticError: the bridge is closed"):
        cache.measure([Request(programs(1)[0], 0, "rung", 0, 1)])
    assert cache.measurements == {}
    assert counts(cache.ledger) == (0, 0, 0)


def test_the_area_is_the_mean_of_the_best_so_far():
    steps = [(1, 1.0), (3, 2.0), (6, 5.0)]  # 2 evaluations at 1, 3 at 2, 5 at 5
    assert measured(result(5.0, 10, hit=6, steps=steps), False) == Measurement(
        5.0, 6, 0.0, pytest.approx((2 * 1 + 3 * 2 + 5 * 5) / 10)
    )


def test_values_that_are_none_are_left_out_of_the_area():
    steps = [(1, -np.inf), (4, 2.0), (9, 4.0)]  # 5 evaluations at 2, 2 at 4
    measurement = measured(result(4.0, 10, hit=9, steps=steps), False)
    assert measurement.area == pytest.approx((5 * 2 + 2 * 4) / 7)
    assert measurement.share == 0.7
    assert measured(result(-np.inf, 10, steps=[(1, -np.inf)]), False) == Measurement(None, 10, 0.0, None, 0.0)


def test_a_violation_counts_unless_the_value_has_its_penalty_already():
    assert measured(result(5.0, 10, violation=2.0), False).violation == 2.0
    assert measured(result(5.0, 10, violation=2.0), True).violation == 0.0
    assert ms.problem("restoration:train").penalised
    assert not ms.Problem(np.sum, ms.Bits(9), violation=np.sum).penalised
    assert not ms.problem("pbo:F1").penalised


def test_built_in_problems_are_not_in_python():
    assert Cache([Case(ms.problem("pbo:F1@10"), 10)], seed=0, runner=Local(3)).at_once == 3
