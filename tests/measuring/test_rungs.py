"""Races: all run on the middle rung, the better share on the others, and the winner is who would have won without a
race.
"""

from collections import Counter
from dataclasses import replace

import pytest
from measuring_helpers import ALL, BEYOND, HALF, SHORT_ONE, case, prepared, programs, rungs_on, told

from metasmith.engine import Local
from metasmith.measuring import Request, Rungs, Scores, by_evaluations, by_size, final_race
from metasmith.measuring.cache import Cache
from metasmith.measuring.rungs import ENTRY_RUNG, spare_runs
from metasmith.measuring.schedule import EQUAL
from metasmith.measuring.scores import SHORT


@pytest.mark.parametrize("count", [1, 2])
def test_a_race_on_few_places_repeats_no_run(count, monkeypatch):
    done = told(monkeypatch, lambda job: float(job.program.population))
    rungs = rungs_on(prepared(*[case(100 * size) for size in range(1, count + 1)]), replace(ALL, runs=2))
    rungs(programs(3))
    runs = [(job.program, job.problem, job.seed) for job in done.jobs]
    assert len(runs) == len(set(runs)) == 2 * count + 3 * 3 * 2


def test_without_a_race_rewards_are_mean_scores(monkeypatch):
    """Scores on a case: what was values, of 100. Two runs a rung; the last rung has two cases, which take turns."""
    one, two = programs(2)
    values = {
        (one, 100): 10,
        (one, 200): 20,
        (one, 300): 30,
        (one, 400): 50,
        (two, 100): 90,
        (two, 200): 60,
        (two, 300): 0,
        (two, 400): 20,
    }
    told(monkeypatch, lambda job: float(values[job.program, job.evaluations]))
    rungs = rungs_on(prepared(case(100), case(200), case(300), case(400)), replace(ALL, runs=2))
    assert rungs.schedule.rungs == ((0,), (1, 2), (3,))
    standing = rungs([one, two, one])
    first, second = (0.1 + (0.2 + 0.3) / 2 + 0.5) / 3 - SHORT, (0.9 + (0.6 + 0.0) / 2 + 0.2) / 3 - SHORT
    assert standing.rewards == pytest.approx([first, second, first])
    assert standing.first == pytest.approx([0.25 - SHORT, 0.3 - SHORT, 0.25 - SHORT])


def test_the_better_half_goes_on(monkeypatch):
    done = told(monkeypatch, lambda job: float(job.program.population))
    rungs = rungs_on(prepared(case(100), case(200), case(300)), HALF)
    writers = programs(9)
    done.jobs.clear()
    standing = rungs(writers)
    assert Counter(job.evaluations for job in done.jobs) == {100: 5, 200: 9, 300: 5}
    assert {job.program for job in done.jobs if job.evaluations == 300} == set(writers[-5:])
    assert standing.rewards == [i / 8 for i in range(9)]
    assert standing.finishers == writers[-5:]
    assert rungs.best()[:2] == [writers[8], writers[7]]


def test_who_does_badly_later_ranks_below_who_went_as_far(monkeypatch):
    one, two, three, four = programs(4)
    values = {
        (one, 200): 1,
        (two, 200): 2,
        (three, 200): 50,
        (four, 200): 60,
        (three, 100): 90,
        (four, 100): 10,
        (three, 300): 1,
        (four, 300): 0,
    }
    told(monkeypatch, lambda job: float(values[job.program, job.evaluations]))
    rungs = rungs_on(prepared(case(100), case(200), case(300)), HALF)
    assert rungs([one, two, three, four]).rewards == [0, 1 / 3, 1, 2 / 3]


def test_ranks_count_rather_than_means(monkeypatch):
    """Who is far ahead on the first rung has the best mean of all rungs, and the lowest ranks on two of three."""
    one, two, three = programs(3)
    values = {
        100: {one: 90, two: 10, three: 20},
        200: {one: 30, two: 31, three: 32},
        300: {one: 30, two: 31, three: 32},
    }
    told(monkeypatch, lambda job: float(values[job.evaluations][job.program]))
    rungs = rungs_on(prepared(case(100), case(200), case(300)), ALL)
    standing = rungs([one, two, three])
    assert standing.rewards.index(max(standing.rewards)) == 0
    assert set(standing.finishers) == {one, two, three}
    assert rungs.best() == [three, two, one]


def test_rungs_count_as_much_as_the_course_says(monkeypatch):
    """Best on two rungs of three: not enough if the last counts for more than both, enough if all count the same."""
    one, two = programs(2)
    values = {100: {one: 90, two: 10}, 200: {one: 90, two: 10}, 300: {one: 10, two: 90}}
    told(monkeypatch, lambda job: float(values[job.evaluations][job.program]))
    best = {}
    for use in (10, 9):  # the cases have ten variables
        scores = prepared(case(100), case(200), case(300))
        rungs = Rungs(scores, ALL, by_size(scores.cache.cases, [use]))
        rungs([one, two])
        best[use] = rungs.best()[:1]
    assert best == {10: [two], 9: [one]}


def test_equal_programs_are_rewarded_alike_wherever_they_stand_in_the_batch(monkeypatch):
    told(monkeypatch, lambda job: float(job.program.population >= 3))
    rungs = rungs_on(prepared(case(100), case(200), case(300)), replace(ALL, keep=0.99))
    rewards = rungs(programs(5)).rewards
    assert rewards[0] == rewards[1] < rewards[2] == rewards[3] == rewards[4]


def test_programs_written_twice_run_once_and_are_rewarded_alike(monkeypatch):
    done = told(monkeypatch, lambda job: float(job.program.population))
    rungs = rungs_on(prepared(case(100), case(200), case(300)), HALF)
    one, two = programs(2)
    done.jobs.clear()
    assert rungs([two, one, two]).rewards == [1, 0, 1]
    assert len(done.jobs) == 2 + 1 + 1


def test_a_batch_of_one_is_a_race_too(monkeypatch):
    told(monkeypatch, lambda job: 7.0)
    rungs = rungs_on(prepared(case(100)), HALF)
    standing = rungs([SHORT_ONE])
    assert standing.rewards == [0]
    assert standing.first == pytest.approx([0.07 - SHORT])


def test_a_race_names_the_winner_for_less(monkeypatch):
    """Known means, no noise: the race agrees with measuring everything, and spends less."""
    told(monkeypatch, lambda job: float(job.program.population * 37 % 101))
    writers, spent, won = programs(24), [], []
    for measuring in (HALF, ALL):
        rungs = rungs_on(prepared(case(100), case(200), case(400)), measuring)
        rewards = rungs(writers).rewards
        won.append((writers[rewards.index(max(rewards))], rungs.best()[0]))
        spent.append(rungs.scores.cache.ledger.evaluations)
    wanted = max(writers, key=lambda program: program.population * 37 % 101)
    assert won == [(wanted, wanted)] * 2
    references = 2 * (100 + 200 + 400)
    assert spent == [references + 24 * 200 + 12 * (100 + 400), references + 24 * (100 + 200 + 400)]


def test_what_is_written_again_gets_fresh_runs_up_to_a_number(monkeypatch):
    done = told(monkeypatch, lambda job: float(job.seed % 3))
    rungs = rungs_on(prepared(case(100), case(200), case(300)), replace(ALL, runs=2, again=3))
    done.jobs.clear()
    for turn in range(5):
        rungs([SHORT_ONE])
        assert len(done.jobs) == 3 * 2 * min(turn + 1, 3)
    assert len({(job.problem, job.seed) for job in done.jobs}) == 18
    assert rungs.scores.cache.ledger.cached == 2 * 3 * 2


def test_all_runs_of_a_program_count(monkeypatch):
    values = iter([10, 10, 10, 40, 40, 40])
    told(monkeypatch, lambda job: float(next(values)))
    rungs = rungs_on(prepared(case(100), case(200), case(300)), ALL)
    assert rungs([SHORT_ONE]).rewards == pytest.approx([0.1 - SHORT])
    assert rungs([SHORT_ONE]).rewards == pytest.approx([0.25 - SHORT])


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_race_recalled_goes_on_as_if_it_had_not_stopped(count, monkeypatch):
    done = told(monkeypatch, lambda job: float((job.program.population * 31 + job.seed) % 50))
    cases, measuring = [case(100 * size) for size in range(1, count + 1)], replace(HALF, runs=2, again=2)
    before = rungs_on(prepared(*cases), measuring)
    batches = [programs(6), programs(9)[3:], programs(7)[1:]]
    for batch in batches[:2]:
        before(batch)
    list(final_race(before.scores, by_size(cases, BEYOND).race, before.best()[:3], [2]))
    cache = Cache(cases, seed=0, runner=Local())
    cache.recall(before.scores.cache.measurements.items())
    after = rungs_on(Scores(cache), measuring)
    after.recall()
    assert after.runs == before.runs
    assert after.best() == before.best()
    done.jobs.clear()
    wanted = before(batches[2])
    jobs = [(job.program, job.problem, job.evaluations, job.seed) for job in done.jobs]
    done.jobs.clear()
    assert after(batches[2]) == wanted
    assert [(job.program, job.problem, job.evaluations, job.seed) for job in done.jobs] == jobs


def test_requests_of_a_rung_go_to_its_places(monkeypatch):
    told(monkeypatch, lambda job: 1.0)
    rungs = rungs_on(prepared(*[case(100 * size) for size in range(1, 7)]), replace(ALL, runs=3))
    rungs([SHORT_ONE])
    for rung, cases in enumerate(([0, 1, 0], [2, 3, 2], [4, 5, 4])):
        requests = rungs.runs[SHORT_ONE, rung]
        assert [request.case for request in requests] == cases
        assert all(
            isinstance(request, Request) and request[2:] == ("rung", k // 2, rung) for k, request in enumerate(requests)
        )


@pytest.mark.parametrize("turned", [False, True])
def test_of_programs_with_equal_ranks_the_better_on_the_last_rung_is_the_better_one(turned, monkeypatch):
    """One is ahead on the smallest problem, the other on the largest, and they are equal in the middle."""
    one, two = programs(2)
    values = {100: {one: 90, two: 10}, 200: {one: 50, two: 50}, 300: {one: 40, two: 41}}
    told(monkeypatch, lambda job: float(values[job.evaluations][job.program]))
    scores = prepared(case(100), case(200), case(300))
    schedule = by_size(scores.cache.cases, [9])
    assert schedule.weights == EQUAL
    rungs = Rungs(scores, replace(ALL, keep=0.99), schedule)
    batch = [two, one] if turned else [one, two]
    assert dict(zip(batch, rungs(batch).rewards, strict=True)) == {one: 0, two: 1}
    assert rungs.best() == [two, one]


@pytest.mark.parametrize("measuring", [HALF, ALL, replace(HALF, keep=0.3, runs=2)])
def test_a_batch_never_costs_more_than_it_says(measuring, monkeypatch):
    told(monkeypatch, lambda job: float(job.program.population))
    rungs = rungs_on(prepared(case(100), case(200), case(300)), measuring)
    ledger = rungs.scores.cache.ledger
    for batch, exact in ((programs(7), True), (programs(9)[5:], True), (programs(4) * 2, False)):
        before = ledger.evaluations
        rungs(batch)
        spent, most = ledger.evaluations - before, rungs.cost(len(batch))
        assert spent == most if exact else 0 < spent < most


def test_the_rungs_after_the_first_are_measured_side_by_side(monkeypatch):
    told(monkeypatch, lambda job: float(job.program.population))
    rungs, calls = rungs_on(prepared(case(100), case(200), case(300)), HALF), []
    monkeypatch.setattr(rungs.scores.cache, "measure", lambda wanted, measure=rungs.scores.cache.measure: (
        calls.append(wanted := list(wanted)), measure(wanted)
    ))  # fmt: skip
    rungs(programs(4))
    assert [sorted({request.rung for request in call}) for call in calls] == [[ENTRY_RUNG], [0, 2]]


@pytest.mark.parametrize(
    ("left", "race", "counts"),
    [
        (10_000, 0, (0, 0, 0)),
        (10_000, 10_000, (0, 0, 0)),
        (13_000, 10_000, (1, 0, 1)),
        (14_000, 0, (0, 0, 2)),
        (10_500, 10_000, (0, 0, 0)),
        (21_500, 10_000, (1, 0, 0)),
    ],
)
def test_what_pays_for_no_whole_run_pays_for_runs_on_the_rungs(left, race, counts):
    """Runs of 1,000, 1,000 and 2,000 on the rungs, and of 10,000 in the race."""
    schedule = by_evaluations([case(10_000)])
    spare = spare_runs(schedule, left, race)
    assert sum(spare) == sum(counts)
    spent = sum(count * length for count, length in zip(spare, (1000, 1000, 2000), strict=True))
    assert spent == sum(count * length for count, length in zip(counts, (1000, 1000, 2000), strict=True))
    assert left - spent >= race


def test_a_whole_run_is_given_up_where_nothing_is_left_then():
    """Of 2,000 left after a run of 1,500 only 500 would be over; two runs of 1,000 leave nothing."""
    schedule = by_evaluations([case(1500)])
    assert sum(spare_runs(schedule, 1500 + 500, 0)) == 2
    assert spare_runs(schedule, 1500 + 500, 1500) == (0, 0, 0)


def test_the_best_programs_are_given_more_runs(monkeypatch):
    told(monkeypatch, lambda job: float(job.program.population))
    scores = prepared(case(100), case(200), case(300))
    rungs = rungs_on(scores, ALL)
    entrants = programs(3)
    rungs(entrants)
    before = {key: list(runs) for key, runs in rungs.runs.items()}
    spent = scores.cache.ledger.runs
    rungs.give_more((1, 0, 4))
    assert scores.cache.ledger.runs == spent + 5
    more = {key: len(runs) - len(before[key]) for key, runs in rungs.runs.items()}
    best = rungs.best()
    assert best == entrants[::-1]
    assert [more[program, 0] for program in best] == [1, 0, 0]
    assert [more[program, 1] for program in best] == [0, 0, 0]
    assert [more[program, 2] for program in best] == [2, 1, 1]
    assert all(len(runs) == len(set(runs)) for runs in rungs.runs.values())
