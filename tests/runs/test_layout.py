"""A design is laid out for what it may spend; an effort without that has its own numbers."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import metasmith as ms
from metasmith.api import find_task
from metasmith.designers.known import known
from metasmith.designers.training import Training
from metasmith.measuring import Measuring, Race, schedule
from metasmith.measuring.final_race import runs_of_rounds
from metasmith.measuring.rungs import cost
from metasmith.problems import Task
from metasmith.runs.efforts import EFFORTS, Settings
from metasmith.runs.layout import BATCHES, FEWEST_PROGRAMS, RACE_SHARE, START_SHARE, laid_out
from metasmith.runs.spec import Spec, TooFewError, specify
from metasmith.space import Space

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "what-it-costs.md"

SPENT = {
    "pbo:F5": {"none": 3_420_000, "quick": 16_092_000, "default": 185_532_000, "thorough": 958_620_000},
    "mine": {"none": 212_000, "quick": 884_000, "default": 9_920_000, "thorough": 50_912_000},
}
"""What the efforts take without the known algorithms. On `mine`, whose optimum is not known, there are two more runs of
the second reference on each of its four cases than at first.
"""


def of_sizes(*sizes: int, instances: int = 1, evaluations: int = 1000, use: int = 40) -> Task:
    """A task with so many training problems of each size."""
    training = (ms.problem(f"pbo:F1@{size}#{number}") for size in sizes for number in range(1, instances + 1))
    return Task("sized", tuple(training), (ms.problem(f"pbo:F1@{use}#9"),), evaluations)


def task_called(name: str) -> Task:
    return find_task(ms.problem("pbo:F18@50"), 2000) if name == "mine" else ms.task(name)


def cost_of_known(task: Task, settings: Settings) -> int:
    """What the batch of known algorithms costs at most."""
    count = len(known(Space.named("full").on(task.representation), task.representation))
    return cost(schedule(task, settings.measuring), settings.measuring, count) if settings.training.known else 0


@pytest.mark.parametrize("effort", EFFORTS)
@pytest.mark.parametrize("name", SPENT)
def test_an_effort_alone_has_the_numbers_it_always_had(name, effort):
    settings = EFFORTS[effort]
    task = task_called(name)
    spec = specify(task, effort=effort, designer="random")
    assert spec.spend == SPENT[name][effort] + cost_of_known(task, settings)
    assert (spec.training, spec.measuring, spec.race) == (settings.training, settings.measuring, settings.race)
    assert (spec.minutes, spec.timing, spec.race.rest, spec.race.favourite) == (None, 0, False, True)


def test_the_efforts_are_what_they_always_were():
    assert EFFORTS["none"].race == Race(0, 23, (2, 2, 4))
    assert EFFORTS["quick"].training == Training(batch=16, mutants=4, immigrants=4)
    assert (EFFORTS["quick"].measuring, EFFORTS["quick"].race) == (Measuring(runs=1), Race(10, 4, (4, 4, 8)))
    default = EFFORTS["default"]
    assert (default.training, default.measuring, default.race) == (Training(), Measuring(), Race(24, 8, (6, 6, 12, 24)))
    assert EFFORTS["thorough"].race == Race(60, 20, (6, 6, 12, 24, 48))
    assert [settings.batches for settings in EFFORTS.values()] == [0, 20, 62, 200]


@pytest.mark.parametrize("name", SPENT)
def test_what_is_enough_for_an_effort_leaves_its_numbers(name):
    for effort in ("quick", "default", "thorough"):
        settings = EFFORTS[effort]
        task = task_called(name)
        spec = specify(task, effort=effort, spend=SPENT[name][effort] + cost_of_known(task, settings))
        assert (spec.training, spec.measuring) == (settings.training, settings.measuring)
        assert spec.race == replace(settings.race, rest=True)


SIZES = st.lists(st.integers(2, 400), min_size=1, max_size=12, unique=True)


@given(
    sizes=SIZES,
    instances=st.integers(1, 12),
    use=st.integers(2, 400),
    evaluations=st.integers(1, 60_000),
    runs=st.floats(20, 1000),
    effort=st.sampled_from(["quick", "default", "thorough"]),
)
def test_every_layout_is_within_what_may_be_spent(sizes, instances, use, evaluations, runs, effort):
    task = of_sizes(*sizes, instances=instances, evaluations=evaluations, use=use)
    spend, least = int(runs * evaluations), 20 * evaluations
    try:
        spec = specify(task, effort=effort, spend=spend)
    except TooFewError as error:
        least = error.least
        spec = specify(task, effort=effort, spend=least)
    # more than twenty runs of use, only where even a run on the nearest size takes far more than one of use
    nearest = min(task.training_evaluations(problem) for problem in task.training)
    assert least == 20 * evaluations or 20 * evaluations < least < 30 * max(nearest, evaluations) + 100
    costs, settings = spec.costs(task), EFFORTS[effort]
    fewest = costs.least(settings.batches, spec.training.batch)
    assert fewest <= spec.spend
    assert FEWEST_PROGRAMS <= spec.training.batch <= settings.training.batch
    assert 1 <= spec.measuring.runs <= settings.measuring.runs
    assert all(mine <= theirs for mine, theirs in zip(spec.race.rounds, settings.race.rounds, strict=False))
    assert spec.race.programs <= settings.race.programs
    assert spec.race.rest
    chosen = {case.problem for case in costs.schedule.cases}
    assert chosen <= set(task.training)
    if chosen < set(task.training) and len(chosen) > 1:  # so few problems that the shares can be kept
        assert costs.references <= START_SHARE * spec.spend
        assert costs.final <= max(RACE_SHARE * spec.spend, 2 * costs.schedule.most(costs.schedule.race))
        assert costs.total(BATCHES, FEWEST_PROGRAMS) - costs.final <= spec.spend


@given(runs=st.integers(20, 3000), effort=st.sampled_from(["quick", "default", "thorough"]))
def test_more_to_spend_never_makes_less_of_anything(runs, effort):
    task = of_sizes(40, instances=3, evaluations=10_000)

    def amounts(spend: int) -> list[int]:
        spec = specify(task, effort=effort, spend=spend)
        return [len(spec.costs(task).schedule.race), spec.race.programs, sum(runs_of_rounds(spec.race))]

    less, more = amounts(runs * 10_000), amounts((runs + 20) * 10_000)
    assert all(one <= other for one, other in zip(less, more, strict=True))


def test_fewer_than_twenty_runs_worth_is_one_line_that_says_the_least():
    for task in (of_sizes(40, evaluations=500), of_sizes(20, 30, 40, evaluations=500), ms.task("pbo:F5")):
        least = 20 * task.evaluations
        assert specify(task, spend=least).spend == least
        with pytest.raises(ValueError, match=f"are too few .* give at least {least:,}$") as caught:
            specify(task, spend=least - 1)
        assert "\n" not in str(caught.value)


def test_what_a_writer_looks_at_is_paid_first():
    task = of_sizes(40, evaluations=500)
    with pytest.raises(TooFewError) as caught:
        specify(task, spend=20 * 500, writer="file digest")
    spec = specify(task, spend=caught.value.least, writer="file digest")
    assert spec.costs(task).start > 20 * 500
    assert spec.costs(task).least(1, spec.training.batch) <= spec.spend


def test_the_smallest_layout():
    """Twenty runs' worth: one problem of each kind that is cheapest to begin with, three or four programs raced."""
    task = of_sizes(40, instances=3, evaluations=10_000)
    settings = laid_out(EFFORTS["quick"], task, 20 * 10_000)
    assert settings.measuring == Measuring(runs=1, instances=1, shortest=1000)
    assert settings.race == Race(finalists=3, samples=0, rounds=(1, 1), rest=True)
    assert settings.training.batch == 4
    short = laid_out(EFFORTS["quick"], replace(task, evaluations=300), 20 * 300)
    assert short.measuring.shortest == 60


def test_the_designer_s_favourite_is_no_part_of_the_smallest_races():
    task = of_sizes(40, evaluations=1000)
    smallest = laid_out(EFFORTS["default"], task, 8 * 1000).race
    assert smallest == Race(finalists=2, samples=0, rounds=(1,), favourite=False, rest=True)


def row(name: str, task: Task, runs: int) -> str:
    """A row of the guide's table."""
    spec = specify(task, effort="default", spend=runs * task.evaluations)
    costs = spec.costs(task)
    batches = (spec.spend - costs.start - costs.final) // costs.batch(spec.training.batch)
    problems = len({case.problem for case in costs.schedule.cases})
    rung, whole = (costs.schedule.most(numbers) for numbers in (costs.schedule.rungs[1], costs.schedule.race))
    cells = [
        name, runs, problems, f"{costs.references / spec.spend:.0%}",
        f"{costs.known / spec.spend:.0%}",
        f"{batches} of {spec.training.batch}, {spec.measuring.runs} x {rung:,}",
        f"{spec.race.programs} programs, {', '.join(map(str, spec.race.rounds))} x {whole:,}",
        f"{costs.final / spec.spend:.0%}",
    ]  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def test_the_guide_s_table_is_what_is_laid_out():
    """Run with `python -m pytest -k guide_s_table`; what it says is missing goes to the guide."""
    mine = of_sizes(40, instances=3, evaluations=10_000)
    rows = [
        row(name, task, runs)
        for name, task in (("one size", mine), ("three sizes", ms.task("pbo:F5")))
        for runs in (20, 50, 200, 1000)
    ]
    assert re.findall(r"^\| (?:one|three) sizes? .*", GUIDE.read_text(), re.MULTILINE) == rows


def test_a_spec_laid_out_goes_to_toml_and_back():
    spec = specify(of_sizes(20, 30, 40, instances=4), spend=20 * 1000, minutes=1.5, timing=40)
    assert spec.measuring.sizes == 1
    assert Spec.parse(spec.toml()) == spec
