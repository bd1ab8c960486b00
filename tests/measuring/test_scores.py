"""Results on one scale: free of the problem's units, fair to both directions, and infeasible is below all."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measuring_helpers import ALL, BEYOND, SHORT_ONE, Case, case, prepared, programs, result, rungs_on, told

from metasmith.engine import Local
from metasmith.measuring import Cache, Request, Scores, by_size, final_race
from metasmith.measuring.cache import Measurement
from metasmith.measuring.scores import EARLY, FLOOR, SHORT, references
from metasmith.program import Program, named


def scored(
    case: Case, measurements: dict[Program, Measurement], *, random: float, ea: float, quality: str = "final"
) -> Scores:
    """The scale of a case with these measurements, one of every program."""
    cache = Cache([case], seed=0, runner=Local())
    last = case.evaluations
    by_reference = zip(references(case.problem), (random, ea), strict=True)
    cache.recall(
        (Request(named(name), 0, "reference", 0), Measurement(value, last, 0.0, value)) for name, value in by_reference
    )
    cache.recall((Request(program, 0, "rung", 0, 1), each) for program, each in measurements.items())
    return Scores(cache, quality)


def scores_of(case: Case, values: list[float], *, random: float, ea: float) -> list[float]:
    writers = programs(len(values))
    measurements = {
        program: Measurement(value, case.evaluations, 0.0, value)
        for program, value in zip(writers, values, strict=True)
    }
    scores = scored(case, measurements, random=random, ea=ea)
    return [scores(Request(program, 0, "rung", 0, 1)) for program in writers]


def test_random_search_scores_0_and_the_optimum_1():
    assert scores_of(case(optimum=110), [10, 60, 110], random=10, ea=20) == [0, 0.5, 1]


def test_where_no_optimum_is_known_the_ea_scores_1():
    assert scores_of(case(optimum=None), [10, 20, 40], random=10, ea=20) == [0, 1, 3]


def test_minimisation_is_the_mirror_image():
    up = scores_of(case(optimum=110), [10, 60, 110, 3], random=10, ea=20)
    down = scores_of(case(optimum=-110, direction="min"), [-10, -60, -110, -3], random=-10, ea=-20)
    assert up == down


@given(
    st.lists(st.integers(-500, 100), min_size=1, max_size=5),
    st.integers(-8, 8).map(lambda power: 2.0**power),
    st.integers(-1000, 1000),
    st.sampled_from([100.0, None]),
    st.sampled_from(["max", "min"]),
)
def test_units_do_not_matter(values, unit, shift, optimum, direction):
    sign = 1 if direction == "max" else -1

    def moved(value: float) -> float:
        return sign * unit * value + shift

    plain = scores_of(case(optimum=optimum), values, random=-40, ea=30)
    there = case(optimum=None if optimum is None else moved(optimum), direction=direction)
    assert scores_of(there, [moved(value) for value in values], random=moved(-40), ea=moved(30)) == plain


def test_reaching_the_optimum_early_beats_late():
    soon, late, never = programs(3)
    measurements = {
        soon: Measurement(100.0, 10, 0.0, 0.0),
        late: Measurement(100.0, 90, 0.0, 0.0),
        never: Measurement(99.0, 1, 0.0, 0.0),
    }
    scores = scored(case(100), measurements, random=0, ea=50)
    assert scores(Request(soon, 0, "rung", 0, 1)) == pytest.approx(1 + 0.9 * EARLY, rel=EARLY / 1000)
    assert scores(Request(late, 0, "rung", 0, 1)) == pytest.approx(1 + 0.1 * EARLY, rel=EARLY / 1000)
    assert scores(Request(never, 0, "rung", 0, 1)) == 0.99


@pytest.mark.parametrize("direction", ["max", "min"])
def test_a_best_value_that_several_share_counts_as_reached(direction, monkeypatch):
    sign = 1 if direction == "max" else -1
    first, second, better, worse = programs(4)
    values = {first: 70, second: 70, better: 80, worse: 60}
    told(monkeypatch, lambda job: result(sign * values[job.program], 100, hit=20), random=0, ea=sign * 50)
    scores = prepared(case(optimum=None, direction=direction))

    def after(program: Program) -> list[float]:
        scores.cache.measure([Request(program, 0, "rung", 0, 1)])
        return [scores(request) for request in scores.cache.measurements if request.program in values]

    early = 0.8 * EARLY
    assert after(first) == pytest.approx([1.4], rel=EARLY / 1000)
    assert after(worse) == pytest.approx([1.4, 1.2], rel=EARLY / 1000)
    assert after(second) == pytest.approx([1.4 + early, 1.2, 1.4 + early], rel=EARLY / 1000)
    assert after(better) == pytest.approx([1.4, 1.2, 1.4, 1.6], rel=EARLY / 1000)


def test_infeasible_is_below_every_feasible_and_failed_below_that():
    kinds = programs(6)
    measurements = [
        Measurement(-1e9, 1, 0.0, -1e9),
        Measurement(100.0, 1, 0.01, 100.0),
        Measurement(100.0, 1, 5.0, None),
        Measurement(100.0, 1, 1e300, None),
        Measurement(100.0, 1, math.inf, None),
        Measurement(None, 1, 0.0, None),
    ]
    scores = scored(case(), dict(zip(kinds, measurements, strict=True)), random=0, ea=50)
    values = [scores(Request(program, 0, "rung", 0, 1)) for program in kinds]
    assert values[0] == FLOOR
    assert values == sorted(values, reverse=True)
    assert values[0] > values[1] > values[2] > values[3]
    assert not any(map(math.isnan, values))


def test_the_scale_is_the_same_whenever_it_is_asked_for(monkeypatch):
    """Where no reference was feasible, it comes from the first programs that were; who resumes has seen more."""
    first, second, third = programs(3)
    values = {first: 10.0, second: 30.0, third: 20.0}
    told(monkeypatch, lambda job: values[job.program], random=math.nan, ea=math.nan)
    scores = prepared(case(optimum=None))
    for program in values:
        scores.cache.measure([Request(program, 0, "rung", 0, 1)])
        scores(Request(program, 0, "rung", 0, 1))
    resumed = Scores(scores.cache)
    assert [resumed(Request(program, 0, "rung", 0, 1)) for program in values] == [
        scores(Request(program, 0, "rung", 0, 1)) for program in values
    ]


def test_anytime_ranks_a_fast_riser_above_a_slow_one(monkeypatch):
    fast, slow = programs(2)
    steps = {fast: [(1, 0.0), (3, 80.0)], slow: [(1, 0.0), (9, 80.0)]}
    told(monkeypatch, lambda job: result(80.0, 10, hit=steps[job.program][-1][0], steps=steps[job.program]))
    for quality, wanted in (("anytime", [0.64, 0.16]), ("final", [0.8, 0.8])):
        scores = prepared(case(10), quality=quality)
        requests = [Request(program, 0, "rung", 0, 1) for program in (fast, slow)]
        scores.cache.measure(requests)
        assert [scores(request) for request in requests] == pytest.approx(
            wanted
        )  # 8 of 10 evaluations at 80, and 2 of 10


@pytest.mark.parametrize(
    "longer", ["population 1; reset_n(n=1); reset_sweep", "population 1; reset_n(n=1); reset_sweep; pairwise_select"]
)
def test_of_two_equals_the_shorter_wins(longer, monkeypatch):
    long = Program.parse(longer)
    told(monkeypatch, lambda job: 100.0)
    scores = prepared(case(100), case(200), case(300))
    rungs = rungs_on(scores, ALL)
    rewards = rungs([long, SHORT_ONE]).rewards
    assert rewards[1] - rewards[0] == pytest.approx(SHORT * (len(long.snippets) - 1))
    assert rungs.best()[0] == SHORT_ONE
    (standing,) = final_race(scores, by_size(scores.cache.cases, BEYOND).race, [long, SHORT_ONE], [2])
    assert standing[0].program == SHORT_ONE
