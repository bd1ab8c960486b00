"""Trials: the order of cases, who is the best, and runs that are given beyond them."""

from collections import Counter
from itertools import accumulate

import pytest
from measuring_helpers import BEYOND, HALF, case, prepared, programs, told

from metasmith.measuring import Request, by_size
from metasmith.measuring.schedule import EQUAL, RISING, Schedule
from metasmith.measuring.scores import SHORT
from metasmith.measuring.trials import Trials, turns


def scheduled(*rungs: tuple[int, ...], weights: tuple[int, ...] = RISING) -> Schedule:
    return Schedule((), rungs, (), weights)


def test_cases_take_turns_and_those_nearest_to_use_have_the_most():
    assert turns(scheduled((0,), (1,), (2,))) == [2, 1, 2, 0, 2, 1, 2]
    assert turns(scheduled((0,), (1,), (2,), weights=EQUAL)) == [2, 1, 0]
    order = turns(scheduled((0, 1), (2, 3, 4), (5,)))
    assert Counter(order) == {0: 2, 1: 1, 2: 2, 3: 2, 4: 2, 5: 12}
    of_last = accumulate(number == 5 for number in order)
    assert all(abs(seen - count * 4 / 7) < 1 for count, seen in enumerate(of_last, start=1))  # at any time


@pytest.fixture
def trials(monkeypatch):
    told(monkeypatch, lambda job: float(job.program.population))
    scores = prepared(case(100), case(200), case(300))
    return Trials(scores, HALF, by_size(scores.cache.cases, BEYOND))


def tried(program, *seeds, where=0):
    return [Request(program, where, "trial", seed) for seed in seeds]


def test_the_scores_of_trials_come_back_and_each_is_one_run(trials):
    one, two = programs(2)
    spent = trials.scores.cache.ledger.evaluations
    wanted = [*tried(one, 5, 6), *tried(two, 5, where=2), *tried(one, 5)]
    assert trials.scores.cache.cost(wanted) == 100 + 100 + 300
    assert trials.measure(wanted) == pytest.approx([0.01 - SHORT, 0.01 - SHORT, 0.02 - SHORT, 0.01 - SHORT], abs=1e-12)
    assert trials.scores.cache.ledger.evaluations == spent + 500
    assert trials.scores.cache.cost(wanted) == 0
    assert {program: len(runs) for program, runs in trials.trials.items()} == {one: 2, two: 1}


def test_seeds_are_common_to_programs_and_differ_from_those_of_rungs(trials):
    one, two = programs(2)
    jobs = [trials.scores.cache.job(each) for each in (*tried(one, 5, 6), *tried(two, 5))]
    assert jobs[0].seed == jobs[2].seed != jobs[1].seed
    assert trials.scores.cache.job(Request(one, 0, "rung", 5, 0)).seed != jobs[0].seed


def test_the_best_are_those_that_are_liked_then_those_that_were_tried_most(trials):
    one, two, three, four = programs(4)
    trials([four])
    trials.measure([*tried(one, 1, 2, 3), *tried(two, 1), *tried(three, 1, 2, 3)])
    assert trials.leader() == three
    assert trials.best() == [three, one, two, four]  # the last ran on the rungs only
    trials.liked = [two]
    assert trials.best() == [two, three, one, four]
    assert trials.score(four) == pytest.approx(0.04 - SHORT)


def test_more_runs_are_new_ones_of_those_that_were_tried(trials):
    one, two, known = programs(3)
    trials([known])
    trials.measure([*tried(one, 1), *tried(two, 1, 2)])
    before = trials.scores.cache.ledger.runs
    trials.give_more((3, 1, 0))
    assert trials.scores.cache.ledger.runs == before + 4
    assert {program: len(runs) for program, runs in trials.trials.items()} == {one: 2, two: 5}
    assert trials.best()[-1] == known
