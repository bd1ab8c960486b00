"""Runs are done once, counted once, and can be told to another process."""

import numpy as np
import pytest
from measuring_helpers import EA, RANDOM, place, prepared, programs, result, told

import metasmith as ms
from metasmith.engine import EvaluationError
from metasmith.measuring import Cache, Ledger, Measurement, Place, Request
from metasmith.measuring.cache import SEEDS_APART, measured


def counts(ledger: Ledger) -> tuple[int, int, int]:
    return ledger.runs, ledger.evaluations, ledger.cached


def test_nothing_is_measured_twice(monkeypatch):
    one, two = programs(2)
    done = told(monkeypatch, lambda job: 1.0)
    measures = Cache([place(100), place(300)], seed=0)
    measures.measure([Request(one, 0, 0), Request(one, 0, 0), Request(two, 1, 0)])
    assert counts(measures.ledger) == (2, 400, 1)
    measures.measure([Request(one, 0, 0), Request(two, 1, 0), Request(two, 1, 1)])
    assert counts(measures.ledger) == (3, 700, 3)
    assert [(job.program, job.evaluations) for job in done.jobs] == [(one, 100), (two, 300), (two, 300)]


def test_the_yardsticks_are_measured_once_on_every_place(monkeypatch):
    done = told(monkeypatch, lambda job: 1.0)
    worth = prepared(place(100), place(300))
    assert [(job.program, job.evaluations) for job in done.jobs] == [(RANDOM, 100), (EA, 100), (RANDOM, 300), (EA, 300)]
    assert counts(worth.measures.ledger) == (4, 800, 0)


def test_what_is_measured_is_what_solve_finds():
    problem, program = ms.problem("pbo:F2@30"), ms.algorithm("ea")
    measures = Cache([Place(problem, 200)], seed=3)
    measures.measure([Request(program, 0, 7)])
    alone = ms.solve(program, problem, evaluations=200, seed=4 * SEEDS_APART + 7)
    found = measures.known[Request(program, 0, 7)]
    assert (found.value, found.hit, found.violation) == (alone.fun, alone.hit, 0.0)


def test_designs_share_no_seeds_with_each_other_and_with_use():
    (program,) = programs(1)
    seeds = [
        Cache([place()], seed=seed).job(Request(program, 0, run)).seed
        for seed in (0, 1)
        for run in (0, SEEDS_APART - 1)
    ]
    assert seeds == [1_000_000, 1_999_999, 2_000_000, 2_999_999]


def test_take_gives_everything_once(monkeypatch):
    told(monkeypatch, lambda job: 4.0)
    one, two = (Request(program, 0, 0) for program in programs(2))
    measures = Cache([place(10)], seed=0)
    measures.measure([one])
    assert measures.take() == [(one, Measurement(4.0, 10, 0.0, 4.0))]
    measures.measure([one, two])
    assert [request for request, _ in measures.take()] == [two]
    assert measures.take() == []


def test_what_was_written_down_is_known_and_costs_nothing(monkeypatch):
    done = told(monkeypatch, lambda job: 4.0)
    request = Request(programs(1)[0], 0, 0)
    measures = Cache([place()], seed=0)
    measures.recall([(request, Measurement(1.0, 2, 0.0, 3.0))])
    measures.measure([request])
    assert measures.known[request] == Measurement(1.0, 2, 0.0, 3.0)
    assert counts(measures.ledger) == (0, 0, 1)
    assert done.jobs == measures.take() == []


def test_what_is_expected_counts_as_a_run_once_it_is_asked_for(monkeypatch):
    done = told(monkeypatch, lambda job: 4.0)
    first, second, other = (Request(program, 0, 0) for program in programs(3))
    measures = Cache([place(100)], seed=0)
    measures.expected = {second: Measurement(1.0, 2, 0.0, 3.0), other: Measurement(9.0, 9, 0.0, 9.0)}
    measures.measure([first, second])
    assert list(measures.known) == [first, second]
    assert measures.known[second].value == 1.0
    assert counts(measures.ledger) == (2, 200, 0)
    assert [job.program for job in done.jobs] == [first.program]
    assert [request for request, _ in measures.take()] == [first, second]


def test_a_function_that_fails_ends_it_with_its_error():
    def odd(x: np.ndarray) -> float:
        raise ArithmeticError("the bridge is closed")

    measures = Cache([Place(ms.Problem(odd, ms.Bits(5)), 10)], seed=0)
    assert measures.in_python
    with pytest.raises(EvaluationError, match="ArithmeticError: the bridge is closed"):
        measures.measure([Request(programs(1)[0], 0, 0)])
    assert measures.known == {}
    assert counts(measures.ledger) == (0, 0, 0)


def test_the_area_is_the_mean_of_the_best_so_far():
    steps = [(1, 1.0), (3, 2.0), (6, 5.0)]  # 2 evaluations at 1, 3 at 2, 5 at 5
    assert measured(result(5.0, 10, hit=6, steps=steps), False) == Measurement(
        5.0, 6, 0.0, pytest.approx((2 * 1 + 3 * 2 + 5 * 5) / 10)
    )


def test_values_that_are_none_are_left_out_of_the_area():
    steps = [(1, -np.inf), (4, 2.0), (9, 4.0)]  # 5 evaluations at 2, 2 at 4
    found = measured(result(4.0, 10, hit=9, steps=steps), False)
    assert found.area == pytest.approx((5 * 2 + 2 * 4) / 7)
    assert found.share == 0.7
    assert measured(result(-np.inf, 10, steps=[(1, -np.inf)]), False) == Measurement(None, 10, 0.0, None, 0.0)


def test_a_violation_counts_unless_the_value_has_its_penalty_already():
    assert measured(result(5.0, 10, violation=2.0), False).violation == 2.0
    assert measured(result(5.0, 10, violation=2.0), True).violation == 0.0
    assert ms.problem("restoration:train").penalised
    assert not ms.Problem(np.sum, ms.Bits(9), violation=np.sum).penalised
    assert not ms.problem("pbo:F1").penalised


def test_built_in_problems_are_not_in_python():
    assert not Cache([Place(ms.problem("pbo:F1@10"), 10)], seed=0).in_python
