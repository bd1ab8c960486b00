"""Schedules: which problems a batch runs on first, and where the final race is."""

import pytest
from measuring_helpers import BEYOND, case

import metasmith as ms
from metasmith.measuring import Case, Measuring, by_evaluations, by_size, schedule
from metasmith.measuring.schedule import merged, spread


def test_rungs_lead_from_cheap_to_dear_and_the_race_is_on_the_dearest():
    assert by_size([case(300), case(100), case(200)], BEYOND).rungs == ((1,), (2,), (0,))
    assert by_size([case(300), case(100), case(200)], BEYOND).race == (0,)
    nine = by_size([case(100 * size) for size in (9, 8, 7, 6, 5, 4, 3, 2, 1)], BEYOND)
    assert nine.rungs == ((8, 7, 6), (5, 4, 3), (2, 1, 0))
    assert nine.race == (0, 1, 2)
    assert [len(rung) for rung in by_size([case(100)] * 7, BEYOND).rungs] == [2, 3, 2]


def test_all_places_as_dear_as_the_last_rung_are_in_the_race():
    assert by_size([case(100)] * 7, BEYOND).race == tuple(range(7))


def test_each_rung_counts_twice_the_one_before_if_use_is_larger_than_all_places():
    assert by_size(beams(), [360, 400]).weights == (1, 2, 4)
    assert by_evaluations([case(50_000)]).weights == (1, 2, 4)


def test_rungs_count_the_same_if_use_is_among_the_places_and_the_race_goes_down_to_the_nearest():
    """Use at 120 to 400, cases at 40 to 360: the race is on all from 80 on."""
    schedule = by_size(beams(), [120, 160, 400])
    assert schedule.rungs == ((0, 1), (2,), (3, 4))
    assert schedule.weights == (1, 1, 1)
    assert schedule.race == (1, 2, 3, 4)
    assert by_size(beams(), [30]).race == (0, 1, 2, 3, 4)


def test_the_large_places_are_in_the_race_whatever_the_use():
    assert by_size(beams(), [359]).race == (2, 3, 4)


def beams() -> list[Case]:
    """One case of each size; from 200 on they have the same evaluations."""
    return [case(min(50_000, 400 * size), dimension=size) for size in (40, 80, 200, 240, 360)]


def test_one_place_or_two_are_enough_for_all_rungs():
    assert by_size([case(100)], BEYOND).rungs == ((0,), (0,), (0,))
    assert by_size([case(300), case(100)], BEYOND).rungs == ((1,), (1,), (0,))


def test_problems_of_one_size_run_with_fewer_evaluations_until_the_race():
    one, two = case(50_000), case(50_000)
    schedule = by_evaluations([one, two])
    assert [(each.problem, each.evaluations) for each in schedule.cases] == [
        (problem, evaluations) for evaluations in (2500, 5000, 10_000, 50_000) for problem in (one.problem, two.problem)
    ]
    assert schedule.rungs == ((0, 1), (2, 3), (4, 5))
    assert schedule.race == (6, 7)


def test_no_run_is_too_short_to_say_anything():
    assert [each.evaluations for each in by_evaluations([case(8000)]).cases] == [1000, 1000, 1600, 8000]
    assert [each.evaluations for each in by_evaluations([case(3000)]).cases] == [1000, 1000, 1000, 3000]
    assert [each.evaluations for each in by_evaluations([case(600)]).cases] == [600] * 4


@pytest.mark.parametrize(
    ("count", "use", "sizes"),
    [
        (5, [400], {10, 20, 30, 40, 50}),
        (9, [400], {10, 20, 30, 40, 50}),
        (3, [400], {10, 30, 50}),
        (2, [400], {10, 50}),
        (1, [400], {50}),
        (1, [22], {20}),
        (1, [18, 41], {40}),
        (1, [5], {10}),
        (1, [35], {40}),
    ],
)
def test_fewer_sizes_are_spread_and_one_is_the_nearest_to_use(count, use, sizes):
    assert spread([30, 10, 50, 20, 40], count, use) == sizes


def test_equal_cases_are_one():
    one, two = case(600), case(600)
    schedule = by_evaluations([one, two], shortest=60)
    assert [each.evaluations for each in schedule.cases] == [60, 60, 60, 60, 120, 120, 600, 600]
    fewer = merged(schedule)
    assert [(each.problem, each.evaluations) for each in fewer.cases] == [
        (problem, evaluations) for evaluations in (60, 120, 600) for problem in (one.problem, two.problem)
    ]
    assert fewer.rungs == ((0, 1), (0, 1), (2, 3))
    assert fewer.race == (4, 5)
    for rung, before in zip((*fewer.rungs, fewer.race), (*schedule.rungs, schedule.race), strict=True):
        assert [fewer.cases[number] for number in rung] == [schedule.cases[number] for number in before]


def test_one_of_several_sizes_has_shortened_runs():
    training = tuple(ms.problem(f"pbo:F1@{size}") for size in (20, 30, 40))
    task = ms.Task("sizes", training, (ms.problem("pbo:F1@50"),), 10_000)
    one = schedule(task, Measuring(sizes=1, shortest=500))
    assert {each.problem.dimension for each in one.cases} == {40}
    assert [each.evaluations for each in one.cases] == [500, 800, 1600, 8000]
    assert [each.evaluations for each in schedule(task, Measuring(sizes=2)).cases] == [4000, 8000]
    assert schedule(task, Measuring(sizes=3)) == schedule(task, Measuring())
