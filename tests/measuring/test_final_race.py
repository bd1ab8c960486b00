"""The final race: fresh runs for everybody left, the better half goes on, the best mean wins."""

from collections import Counter
from dataclasses import replace
from statistics import fmean

import pytest
from measuring_helpers import ALL, BEYOND, LONG_ONE, SHORT_ONE, case, prepared, programs, rungs_on, told

from metasmith.measuring import by_size, final_race
from metasmith.measuring.final_race import Race, cost, runs_of_rounds, shrunk
from metasmith.measuring.scores import SHORT

CASES = (case(100), case(200), case(300))


def test_the_better_half_goes_on_and_two_remain(monkeypatch):
    told(monkeypatch, lambda job: float(job.program.population))
    scores = prepared(*CASES)
    entrants = programs(11)
    rounds = list(final_race(scores, [2], entrants, [2, 2, 4, 1]))
    assert [len(standing) for standing in rounds] == [11, 5, 2, 2]
    assert [{entry.runs for entry in standing} for standing in rounds] == [{2}, {4}, {8}, {9}]
    assert [entry.program for entry in rounds[1]] == entrants[:-6:-1]
    assert rounds[-1][0].program == entrants[-1]


def test_the_score_is_the_mean_of_all_runs_of_the_race(monkeypatch):
    """A good start does not save who is worse on the whole."""
    one, two = programs(2)
    values = {one: iter([90, 90, 10, 10]), two: iter([60, 60, 60, 60])}
    told(monkeypatch, lambda job: float(next(values[job.program])))
    first, last = final_race(prepared(*CASES), [2], [one, two], [2, 2])
    assert [(entry.program, entry.score, entry.runs) for entry in first] == [
        (one, pytest.approx(0.9 - SHORT), 2),
        (two, pytest.approx(0.6 - SHORT), 2),
    ]
    assert [(entry.program, entry.score, entry.runs) for entry in last] == [
        (two, pytest.approx(0.6 - SHORT), 4),
        (one, pytest.approx(0.5 - SHORT), 4),
    ]


def test_the_winner_has_the_best_mean_of_its_round(monkeypatch):
    told(monkeypatch, lambda job: float((job.program.population * 7919 + job.seed * 31) % 97))
    scores = prepared(*CASES)
    for standing in final_race(scores, [2], programs(8), [3, 3, 6]):
        for entry in standing:
            runs = [
                scores(request)
                for request in scores.cache.measurements
                if request.program == entry.program and request.purpose == "race"
            ]
            assert entry.score == pytest.approx(fmean(runs) - SHORT)
            assert len(runs) == entry.runs
        assert [entry.score for entry in standing] == sorted((entry.score for entry in standing), reverse=True)


def test_sizes_count_the_same_however_far_apart_programs_are_on_them(monkeypatch):
    """One is far ahead on the small problem and last on both others: the best mean, but not the best ranks."""
    one, two, three = programs(3)
    values = {10: {one: 90, two: 30, three: 10}, 20: {one: 40, two: 43, three: 41}, 30: {one: 40, two: 43, three: 41}}
    told(monkeypatch, lambda job: float(values[job.problem.dimension][job.program]))
    scores = prepared(*[case(100, dimension=size) for size in values])
    (standing,) = final_race(scores, (0, 1, 2), [one, two, three], [6])
    assert [entry.program for entry in standing] == [
        two,
        one,
        three,
    ]  # ranks 1 + 2 + 2, 2 + 0 + 0, 0 + 1 + 1; of equals the better mean
    assert standing[1].score == pytest.approx((0.9 + 0.4 + 0.4) / 3 - SHORT)
    assert standing[0].score < standing[1].score


def test_runs_are_fresh_and_the_same_for_all(monkeypatch):
    done = told(monkeypatch, lambda job: float(job.program.population))
    scores = prepared(*CASES)
    rungs, entrants = rungs_on(scores, replace(ALL, runs=3)), programs(4)
    rungs(entrants)
    before = {(job.program, job.problem, job.seed) for job in done.jobs}
    done.jobs.clear()
    list(final_race(scores, by_size(scores.cache.cases, BEYOND).race, entrants, [4]))
    assert before.isdisjoint((job.program, job.problem, job.seed) for job in done.jobs)
    assert len(done.jobs) == len({(job.program, job.problem, job.seed) for job in done.jobs}) == 16
    runs = [{(job.problem, job.seed) for job in done.jobs if job.program == program} for program in entrants]
    assert runs == [runs[0]] * 4
    assert all(request.purpose == "race" for request, _ in scores.cache.take()[-16:])


def test_it_is_run_on_the_largest_problems_in_turns(monkeypatch):
    done = told(monkeypatch, lambda job: 1.0)
    cases = [case(300), case(100), case(200), case(300)]
    scores = prepared(*cases)
    done.jobs.clear()
    list(final_race(scores, by_size(cases, BEYOND).race, [SHORT_ONE, LONG_ONE], [3]))
    largest = (cases[0].problem, cases[3].problem)
    assert {job.evaluations for job in done.jobs} == {300}
    assert Counter((job.program, job.problem) for job in done.jobs) == {
        (program, problem): runs
        for program in (SHORT_ONE, LONG_ONE)
        for problem, runs in zip(largest, (2, 1), strict=True)
    }


def test_a_single_finalist_wins(monkeypatch):
    told(monkeypatch, lambda job: 40.0)
    rounds = list(final_race(prepared(case(100)), [0], [SHORT_ONE], [2, 2]))
    assert [[(entry.program, entry.runs) for entry in standing] for standing in rounds] == [
        [(SHORT_ONE, 2)],
        [(SHORT_ONE, 4)],
    ]


@pytest.mark.parametrize("entrants", [11, 3, 1])
def test_it_never_costs_more_than_it_says_and_just_that_if_all_take_part(entrants, monkeypatch):
    told(monkeypatch, lambda job: float(job.program.population))
    cases, race = [case(100), case(200), case(300)], Race(finalists=6, samples=4, rounds=(2, 2, 4, 1))
    scores, schedule = prepared(*cases), by_size(cases, BEYOND)
    before = scores.cache.ledger.evaluations
    list(final_race(scores, schedule.race, programs(entrants), race.rounds))
    spent, most = scores.cache.ledger.evaluations - before, cost(schedule, race)
    assert most == 300 * (11 * 2 + 5 * 2 + 2 * 4 + 2 * 1)
    assert spent == most if entrants == 11 else 0 < spent < most


def test_equal_ranks_are_told_apart_by_the_score(monkeypatch):
    """Each is first on one size and last on another; the one with the higher mean wins, whoever comes first."""
    one, two = programs(2)
    values = {(one, 10): 90.0, (one, 30): 10.0, (two, 10): 20.0, (two, 30): 60.0}
    told(monkeypatch, lambda job: values[job.program, job.problem.dimension])
    sizes = case(100, dimension=10), case(300, dimension=30)
    for entrants in ([one, two], [two, one]):
        (standing,) = final_race(prepared(*sizes), [0, 1], entrants, [2])
        assert [entry.program for entry in standing] == [one, two]


@pytest.mark.parametrize(("spend", "runs"), [(0, (4, 4)), (1, (5, 4)), (2, (5, 5)), (7, (8, 7)), (40, (24, 24))])
def test_the_last_round_spends_what_is_left_in_turns(spend, runs, monkeypatch):
    """Of four programs two are in the last round; the first of them, which was ahead, is given a run first."""
    told(monkeypatch, lambda job: float(job.program.population))
    scores = prepared(case(100))
    before = scores.cache.ledger.evaluations
    planned = 100 * (4 * 2 + 2 * 2)
    most = before + planned + 100 * spend + 99
    first, last = final_race(scores, [0], programs(4), [2, 2], most)
    assert {entry.runs for entry in first} == {2}
    assert tuple(entry.runs for entry in last) == runs
    assert scores.cache.ledger.evaluations == most - 99


def test_what_is_left_is_counted_by_the_length_of_each_run(monkeypatch):
    """Cases of 100 and 300 take turns: after one run each on the first, the next is on the second."""
    told(monkeypatch, lambda job: float(job.program.population))
    for left, runs in ((299, 2), (300, 3), (599, 3), (600, 4), (700, 5), (800, 6)):
        scores = prepared(case(100), case(300))
        before = scores.cache.ledger.evaluations
        (standing,) = final_race(scores, [0, 1], programs(2), [1], before + 200 + left)
        assert sum(entry.runs for entry in standing) == runs
        assert before + 200 <= scores.cache.ledger.evaluations <= before + 200 + left


@pytest.mark.parametrize("race", [Race(), Race(10, 4, (4, 4, 8)), Race(0, 23, (2, 2, 4)), Race(1, 0, (3,))])
def test_a_smaller_race_has_the_same_proportions_and_costs_no_more_than_it_may(race):
    schedule = by_size([case(300)], BEYOND)
    whole = cost(schedule, race)
    assert shrunk(race, schedule, whole) == race
    assert shrunk(race, schedule, 10 * whole) == race
    before = whole
    for most in range(whole, 2 * 300, -300):
        smaller = shrunk(race, schedule, most)
        assert cost(schedule, smaller) <= min(most, before)
        assert 2 <= smaller.programs <= race.programs
        assert smaller.proposals * race.programs <= race.proposals * smaller.programs
        assert 1 <= len(smaller.rounds) <= len(race.rounds)
        before = cost(schedule, smaller)
    least = shrunk(race, schedule, 0)
    assert (least.programs, least.rounds) == (2, (1,))
    assert runs_of_rounds(least) == [2]


def test_a_size_that_only_some_have_run_on_does_not_count(monkeypatch):
    """What is left may pay for one more run of some, on a case of another size."""
    told(monkeypatch, lambda job: float(job.program.population))
    scores = prepared(case(100, dimension=10), case(100, dimension=20))
    writers = programs(2)
    spend = scores.cache.ledger.evaluations + 3 * 100
    (standing,) = final_race(scores, [0, 1], writers, [1], spend)
    assert [(entry.program, entry.runs) for entry in standing] == [(writers[1], 1), (writers[0], 2)]
