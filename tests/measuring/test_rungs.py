"""Races: all run on the middle rung, the better share on the others, and the winner is who would have won without a
race.
"""

from collections import Counter
from dataclasses import replace

import pytest
from measuring_helpers import ALL, BEYOND, HALF, SHORT_ONE, place, prepared, programs, racing_on, told

from metasmith.measuring import Request, Rungs, Scores, by_size, final_race
from metasmith.measuring.cache import Cache
from metasmith.measuring.scores import SHORT


@pytest.mark.parametrize("count", [1, 2])
def test_a_race_on_few_places_repeats_no_run(count, monkeypatch):
    done = told(monkeypatch, lambda job: float(job.program.population))
    racing = racing_on(prepared(*[place(100 * size) for size in range(1, count + 1)]), replace(ALL, runs=2))
    racing(programs(3))
    runs = [(job.program, job.problem, job.seed) for job in done.jobs]
    assert len(runs) == len(set(runs)) == 2 * count + 3 * 3 * 2


def test_without_a_race_rewards_are_mean_worths(monkeypatch):
    """Scores on a place: what was found, of 100. Two runs a rung; the last rung has two places, which take turns."""
    one, two = programs(2)
    found = {
        (one, 100): 10,
        (one, 200): 20,
        (one, 300): 30,
        (one, 400): 50,
        (two, 100): 90,
        (two, 200): 60,
        (two, 300): 0,
        (two, 400): 20,
    }
    told(monkeypatch, lambda job: float(found[job.program, job.evaluations]))
    racing = racing_on(prepared(place(100), place(200), place(300), place(400)), replace(ALL, runs=2))
    assert racing.course.rungs == ((0,), (1, 2), (3,))
    standing = racing([one, two, one])
    first, second = (0.1 + (0.2 + 0.3) / 2 + 0.5) / 3 - SHORT, (0.9 + (0.6 + 0.0) / 2 + 0.2) / 3 - SHORT
    assert standing.rewards == pytest.approx([first, second, first])
    assert standing.first == pytest.approx([0.25 - SHORT, 0.3 - SHORT, 0.25 - SHORT])


def test_the_better_half_goes_on(monkeypatch):
    done = told(monkeypatch, lambda job: float(job.program.population))
    racing = racing_on(prepared(place(100), place(200), place(300)), HALF)
    writers = programs(9)
    done.jobs.clear()
    standing = racing(writers)
    assert Counter(job.evaluations for job in done.jobs) == {100: 5, 200: 9, 300: 5}
    assert {job.program for job in done.jobs if job.evaluations == 300} == set(writers[-5:])
    assert standing.rewards == [i / 8 for i in range(9)]
    assert standing.finishers == writers[-5:]
    assert racing.best(2) == [writers[8], writers[7]]


def test_who_does_badly_later_ranks_below_who_went_as_far(monkeypatch):
    one, two, three, four = programs(4)
    found = {
        (one, 200): 1,
        (two, 200): 2,
        (three, 200): 50,
        (four, 200): 60,
        (three, 100): 90,
        (four, 100): 10,
        (three, 300): 1,
        (four, 300): 0,
    }
    told(monkeypatch, lambda job: float(found[job.program, job.evaluations]))
    racing = racing_on(prepared(place(100), place(200), place(300)), HALF)
    assert racing([one, two, three, four]).rewards == [0, 1 / 3, 1, 2 / 3]


def test_places_count_rather_than_means(monkeypatch):
    """Far ahead on one rung and last on two is the sum of places of being in the middle on two and last on one; the
    last rung decides.
    """
    one, two, three = programs(3)
    found = {100: {one: 90, two: 10, three: 20}, 200: {one: 30, two: 31, three: 32}, 300: {one: 30, two: 31, three: 32}}
    told(monkeypatch, lambda job: float(found[job.evaluations][job.program]))
    racing = racing_on(prepared(place(100), place(200), place(300)), ALL)
    standing = racing([one, two, three])
    assert standing.rewards.index(max(standing.rewards)) == 0
    assert racing.sorted([three, two, one]) == [one, two, three]
    assert set(standing.finishers) == {one, two, three}
    assert racing.best(2) == [three, two]


def test_rungs_count_as_much_as_the_course_says(monkeypatch):
    """Best on two rungs of three: not enough if the last counts for more than both, enough if all count the same."""
    one, two = programs(2)
    found = {100: {one: 90, two: 10}, 200: {one: 90, two: 10}, 300: {one: 10, two: 90}}
    told(monkeypatch, lambda job: float(found[job.evaluations][job.program]))
    best = {}
    for use in (10, 9):  # the places have ten variables
        worth = prepared(place(100), place(200), place(300))
        racing = Rungs(worth, ALL, by_size(worth.measures.places, [use]))
        racing([one, two])
        best[use] = racing.best(1)
    assert best == {10: [two], 9: [one]}


def test_equal_programs_are_rewarded_alike_wherever_they_stand_in_the_batch(monkeypatch):
    told(monkeypatch, lambda job: float(job.program.population >= 3))
    racing = racing_on(prepared(place(100), place(200), place(300)), replace(ALL, keep=0.99))
    rewards = racing(programs(5)).rewards
    assert rewards[0] == rewards[1] < rewards[2] == rewards[3] == rewards[4]


def test_programs_written_twice_run_once_and_are_rewarded_alike(monkeypatch):
    done = told(monkeypatch, lambda job: float(job.program.population))
    racing = racing_on(prepared(place(100), place(200), place(300)), HALF)
    one, two = programs(2)
    done.jobs.clear()
    assert racing([two, one, two]).rewards == [1, 0, 1]
    assert len(done.jobs) == 2 + 1 + 1


def test_a_batch_of_one_is_a_race_too(monkeypatch):
    told(monkeypatch, lambda job: 7.0)
    racing = racing_on(prepared(place(100)), HALF)
    standing = racing([SHORT_ONE])
    assert standing.rewards == [0]
    assert standing.first == pytest.approx([0.07 - SHORT])


def test_a_race_names_the_winner_for_less(monkeypatch):
    """Known means, no noise: the race agrees with measuring everything, and spends less."""
    told(monkeypatch, lambda job: float(job.program.population * 37 % 101))
    writers, spent, won = programs(24), [], []
    for measuring in (HALF, ALL):
        racing = racing_on(prepared(place(100), place(200), place(400)), measuring)
        rewards = racing(writers).rewards
        won.append((writers[rewards.index(max(rewards))], racing.best(1)[0]))
        spent.append(racing.worth.measures.ledger.evaluations)
    wanted = max(writers, key=lambda program: program.population * 37 % 101)
    assert won == [(wanted, wanted)] * 2
    yardsticks = 2 * (100 + 200 + 400)
    assert spent == [yardsticks + 24 * 200 + 12 * (100 + 400), yardsticks + 24 * (100 + 200 + 400)]


def test_what_is_written_again_gets_fresh_runs_up_to_a_number(monkeypatch):
    done = told(monkeypatch, lambda job: float(job.seed % 3))
    racing = racing_on(prepared(place(100), place(200), place(300)), replace(ALL, runs=2, again=3))
    done.jobs.clear()
    for turn in range(5):
        racing([SHORT_ONE])
        assert len(done.jobs) == 3 * 2 * min(turn + 1, 3)
    assert len({(job.problem, job.seed) for job in done.jobs}) == 18
    assert racing.worth.measures.ledger.cached == 2 * 3 * 2


def test_all_runs_of_a_program_count(monkeypatch):
    values = iter([10, 10, 10, 40, 40, 40])
    told(monkeypatch, lambda job: float(next(values)))
    racing = racing_on(prepared(place(100), place(200), place(300)), ALL)
    assert racing([SHORT_ONE]).rewards == pytest.approx([0.1 - SHORT])
    assert racing([SHORT_ONE]).rewards == pytest.approx([0.25 - SHORT])


@pytest.mark.parametrize("places", [1, 2, 5])
def test_a_race_recalled_goes_on_as_if_it_had_not_stopped(places, monkeypatch):
    done = told(monkeypatch, lambda job: float((job.program.population * 31 + job.seed) % 50))
    grounds, measuring = [place(100 * size) for size in range(1, places + 1)], replace(HALF, runs=2, again=2)
    before = racing_on(prepared(*grounds), measuring)
    batches = [programs(6), programs(9)[3:], programs(7)[1:]]
    for batch in batches[:2]:
        before(batch)
    list(final_race(before.worth, by_size(grounds, BEYOND).grounds, before.best(3), [2]))
    measures = Cache(grounds, seed=0)
    measures.recall(before.worth.measures.known.items())
    after = racing_on(Scores(measures), measuring)
    after.recall(measures)
    assert after.runs == before.runs
    assert after.best(9) == before.best(9)
    done.jobs.clear()
    wanted = before(batches[2])
    asked = [(job.program, job.problem, job.evaluations, job.seed) for job in done.jobs]
    done.jobs.clear()
    assert after(batches[2]) == wanted
    assert [(job.program, job.problem, job.evaluations, job.seed) for job in done.jobs] == asked


def test_requests_of_a_rung_go_to_its_places(monkeypatch):
    told(monkeypatch, lambda job: 1.0)
    racing = racing_on(prepared(*[place(100 * size) for size in range(1, 7)]), replace(ALL, runs=3))
    racing([SHORT_ONE])
    for rung, places in enumerate(([0, 1, 0], [2, 3, 2], [4, 5, 4])):
        requests = racing.runs[SHORT_ONE, rung]
        assert [request.place for request in requests] == places
        assert all(isinstance(request, Request) and request.run % 3 == rung for request in requests)
