"""Results on one scale: free of the problem's units, fair to both directions, and infeasible is below all."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measuring_helpers import ALL, BEYOND, SHORT_ONE, Place, place, prepared, programs, racing_on, result, told

from metasmith.measuring import Cache, Request, Scores, by_size, final_race
from metasmith.measuring.cache import Measurement
from metasmith.measuring.scores import EARLY, FLOOR, REFERENCES, SHORT, YARDSTICK
from metasmith.program import Program, named


def known(
    place: Place, found: dict[Program, Measurement], *, random: float, ea: float, quality: str = "final"
) -> Scores:
    """The scale of a place where this was found, once by every program."""
    measures = Cache([place], seed=0)
    last = place.evaluations
    yardsticks = zip(REFERENCES, (random, ea), strict=True)
    measures.recall(
        (Request(named(name), 0, YARDSTICK), Measurement(value, last, 0.0, value)) for name, value in yardsticks
    )
    measures.recall((Request(program, 0, 0), each) for program, each in found.items())
    return Scores(measures, quality)


def worths(place: Place, values: list[float], *, random: float, ea: float) -> list[float]:
    writers = programs(len(values))
    found = {
        program: Measurement(value, place.evaluations, 0.0, value)
        for program, value in zip(writers, values, strict=True)
    }
    worth = known(place, found, random=random, ea=ea)
    return [worth(Request(program, 0, 0)) for program in writers]


def test_random_search_is_worth_0_and_the_optimum_1():
    assert worths(place(optimum=110), [10, 60, 110], random=10, ea=20) == [0, 0.5, 1]


def test_where_no_optimum_is_known_the_ea_is_worth_1():
    assert worths(place(optimum=None), [10, 20, 40], random=10, ea=20) == [0, 1, 3]


def test_minimisation_is_the_mirror_image():
    up = worths(place(optimum=110), [10, 60, 110, 3], random=10, ea=20)
    down = worths(place(optimum=-110, direction="min"), [-10, -60, -110, -3], random=-10, ea=-20)
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

    plain = worths(place(optimum=optimum), values, random=-40, ea=30)
    there = place(optimum=None if optimum is None else moved(optimum), direction=direction)
    assert worths(there, [moved(value) for value in values], random=moved(-40), ea=moved(30)) == plain


def test_reaching_the_optimum_early_beats_late():
    soon, late, never = programs(3)
    found = {
        soon: Measurement(100.0, 10, 0.0, 0.0),
        late: Measurement(100.0, 90, 0.0, 0.0),
        never: Measurement(99.0, 1, 0.0, 0.0),
    }
    worth = known(place(100), found, random=0, ea=50)
    assert worth(Request(soon, 0, 0)) == pytest.approx(1 + 0.9 * EARLY, rel=EARLY / 1000)
    assert worth(Request(late, 0, 0)) == pytest.approx(1 + 0.1 * EARLY, rel=EARLY / 1000)
    assert worth(Request(never, 0, 0)) == 0.99


@pytest.mark.parametrize("direction", ["max", "min"])
def test_a_best_value_that_several_share_counts_as_reached(direction, monkeypatch):
    sign = 1 if direction == "max" else -1
    first, second, better, worse = programs(4)
    values = {first: 70, second: 70, better: 80, worse: 60}
    told(monkeypatch, lambda job: result(sign * values[job.program], 100, hit=20), random=0, ea=sign * 50)
    worth = prepared(place(optimum=None, direction=direction))

    def after(program: Program) -> list[float]:
        worth.measures.measure([Request(program, 0, 0)])
        return [worth(request) for request in worth.measures.known if request.program in values]

    early = 0.8 * EARLY
    assert after(first) == pytest.approx([1.4], rel=EARLY / 1000)
    assert after(worse) == pytest.approx([1.4, 1.2], rel=EARLY / 1000)
    assert after(second) == pytest.approx([1.4 + early, 1.2, 1.4 + early], rel=EARLY / 1000)
    assert after(better) == pytest.approx([1.4, 1.2, 1.4, 1.6], rel=EARLY / 1000)


def test_infeasible_is_below_every_feasible_and_failed_below_that():
    kinds = programs(6)
    found = [
        Measurement(-1e9, 1, 0.0, -1e9),
        Measurement(100.0, 1, 0.01, 100.0),
        Measurement(100.0, 1, 5.0, None),
        Measurement(100.0, 1, 1e300, None),
        Measurement(100.0, 1, math.inf, None),
        Measurement(None, 1, 0.0, None),
    ]
    worth = known(place(), dict(zip(kinds, found, strict=True)), random=0, ea=50)
    scores = [worth(Request(program, 0, 0)) for program in kinds]
    assert scores[0] == FLOOR
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[1] > scores[2] > scores[3]
    assert not any(map(math.isnan, scores))


def test_the_scale_is_the_same_whenever_it_is_asked_for(monkeypatch):
    """Where no yardstick was feasible, it comes from the first programs that were; whoever resumes knows more of them."""
    first, second, third = programs(3)
    values = {first: 10.0, second: 30.0, third: 20.0}
    told(monkeypatch, lambda job: values[job.program], random=math.nan, ea=math.nan)
    worth = prepared(place(optimum=None))
    for program in values:
        worth.measures.measure([Request(program, 0, 0)])
        worth(Request(program, 0, 0))
    resumed = Scores(worth.measures)
    assert [resumed(Request(program, 0, 0)) for program in values] == [
        worth(Request(program, 0, 0)) for program in values
    ]


def test_anytime_ranks_a_fast_riser_above_a_slow_one(monkeypatch):
    fast, slow = programs(2)
    steps = {fast: [(1, 0.0), (3, 80.0)], slow: [(1, 0.0), (9, 80.0)]}
    told(monkeypatch, lambda job: result(80.0, 10, hit=steps[job.program][-1][0], steps=steps[job.program]))
    for quality, wanted in (("anytime", [0.64, 0.16]), ("final", [0.8, 0.8])):
        worth = prepared(place(10), quality=quality)
        requests = [Request(program, 0, 0) for program in (fast, slow)]
        worth.measures.measure(requests)
        assert [worth(request) for request in requests] == pytest.approx(
            wanted
        )  # 8 of 10 evaluations at 80, and 2 of 10


@pytest.mark.parametrize(
    "longer", ["population 1; reset_n(n=1); reset_sweep", "population 1; reset_n(n=1); reset_sweep; pairwise_select"]
)
def test_of_two_equals_the_shorter_wins(longer, monkeypatch):
    long = Program.parse(longer)
    told(monkeypatch, lambda job: 100.0)
    worth = prepared(place(100), place(200), place(300))
    racing = racing_on(worth, ALL)
    rewards = racing([long, SHORT_ONE]).rewards
    assert rewards[1] - rewards[0] == pytest.approx(SHORT * (len(long.snippets) - 1))
    assert racing.best(1) == [SHORT_ONE]
    (standing,) = final_race(worth, by_size(worth.measures.places, BEYOND).grounds, [long, SHORT_ONE], [2])
    assert standing[0].program == SHORT_ONE
