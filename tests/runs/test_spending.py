"""Whatever may be spent, a design comes out, the ledger never exceeds it, and who is killed ends with the same bits."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from design_helpers import facts, tiny
from hypothesis import given, settings
from hypothesis import strategies as st

import metasmith as ms
from metasmith.designers.random import RandomDesigner
from metasmith.measuring import Race
from metasmith.runs.forecast import Plan, Progress


class DiedError(Exception):
    """The process is no more."""


def dying(step: int) -> Callable[[Plan | Progress], None]:
    """To be told how it goes, until after so many batches and rounds."""
    steps = iter(range(step))

    def tell(event: Plan | Progress) -> None:
        if isinstance(event, Progress) and next(steps, None) is None:
            raise DiedError

    return tell


def one_size(evaluations: int, instances: int = 1) -> ms.Task:
    training = tuple(ms.problem(f"pbo:F2@20#{number}") for number in range(1, instances + 1))
    return ms.Task("one-size", training, (ms.problem("pbo:F2@20#9"),), evaluations)


def several_sizes(evaluations: int) -> ms.Task:
    return ms.Task("sizes", tuple(ms.problem(f"pbo:F2@{size}") for size in (12, 20, 30)), tiny().test, evaluations)


TASKS = st.one_of(
    st.builds(one_size, st.integers(5, 120), st.integers(1, 4)),
    st.builds(several_sizes, st.integers(20, 120)),
    st.builds(lambda evaluations: ms.Task("tiny", tiny().training, tiny().test, evaluations), st.integers(20, 120)),
)


@pytest.mark.slow
@settings(max_examples=25)
@given(
    task=TASKS,
    share=st.floats(0, 1),
    effort=st.sampled_from(["quick", "default", "thorough"]),
    designer=st.sampled_from(["random", "evolution", "local_search", "mixture"]),
    step=st.integers(0, 12),
    seed=st.integers(0, 3),
)
def test_the_ledger_never_exceeds_it_and_death_changes_nothing(task, share, effort, designer, step, seed):
    most = 1000 if designer == "random" else 60
    spend = int(20 * task.evaluations * (most / 20) ** share)
    asked = {"effort": effort, "designer": designer, "spend": spend, "seed": seed}
    whole = ms.design(task, **asked)
    lengths = [evaluations for _, _, evaluations in whole.history[0]["cases"]]
    assert spend - max(lengths) < whole.ledger["evaluations"] <= spend
    assert whole.history[-1]["standing"][0][0] == str(whole.program)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        try:
            design = ms.design(task, **asked, out=path, tell=dying(step))
        except DiedError:
            design = ms.resume(path, task)
        assert facts(design) == facts(whole)


@pytest.mark.parametrize("evaluations", [1, 7, 10, 60, 500, 1000, 1500, 2000, 3000, 10_000])
@pytest.mark.parametrize("runs", [20, 33, 200])
def test_with_whole_runs_of_use_it_ends_exactly_there(evaluations, runs):
    design = ms.design(one_size(evaluations), spend=runs * evaluations, designer="random")
    assert design.ledger["evaluations"] == runs * evaluations


@pytest.mark.parametrize("effort", ["quick", "default"])
def test_200_runs_are_200_runs_with_the_default_designer(effort):
    design = ms.design(one_size(60, instances=3), spend=200 * 60, effort=effort)
    assert design.ledger["evaluations"] == 200 * 60
    assert {row[2] for line in design.history for row in line["measured"]} == {"reference", "rung", "race", "simplify"}


def test_where_sizes_differ_less_than_a_run_is_left():
    for runs in (20, 50, 77, 150):
        design = ms.design(several_sizes(1000), spend=runs * 1000, designer="evolution")
        shortest = min(evaluations for _, _, evaluations in design.history[0]["cases"])
        assert runs * 1000 - shortest < design.ledger["evaluations"] <= runs * 1000


def test_all_finalists_of_the_last_round_have_as_many_runs_but_for_one():
    design = ms.design(one_size(100), spend=300 * 100, designer="random")
    runs = [count for _, _, count in design.record()["finalists"]]
    assert max(runs) - min(runs) <= 1
    planned = sum(design.spec.race.rounds)
    assert min(runs) >= planned


def test_a_designer_that_has_nothing_else_to_say_does_not_spend_the_rest(monkeypatch):
    drawn = RandomDesigner.propose
    same: list[object] = []

    def repeated(self, archive, count):
        same[:] = same or drawn(self, archive, 1)
        return same * count

    monkeypatch.setattr(RandomDesigner, "propose", repeated)
    design = ms.design(one_size(50), spend=1000 * 50, designer="random")
    assert design.ledger["evaluations"] < 500 * 50


def test_what_a_writer_looks_at_counts(tmp_path):
    ms.learn([one_size(60)], tmp_path / "writer", spend=20_000)
    design = ms.design(one_size(60), writer=tmp_path / "writer", spend=20_000)
    assert "factors" in design.history[0]
    assert 20_000 - 60 < design.ledger["evaluations"] <= 20_000


def test_a_plan_and_every_step_are_told():
    told: list[Plan | Progress] = []
    design = ms.design(one_size(60), spend=40 * 60, tell=told.append)
    assert told[0] == Plan(40 * 60, None)
    steps = [event for event in told if isinstance(event, Progress)]
    assert {event.spend for event in steps} == {40 * 60}
    assert [event.evaluations for event in steps] == [line["ledger"]["evaluations"] for line in design.history[1:]]
    batches = [event for event in steps if event.what == "batch"]
    assert all(event.step <= event.steps for event in steps)
    assert batches[-1].step == len(batches)
    assert [event.step for event in steps if event.what == "round"] == list(range(1, len(design.spec.race.rounds) + 1))


def test_an_effort_beside_what_may_be_spent_says_how_that_is_divided():
    quick, thorough = (
        ms.design(one_size(60), spend=1000 * 60, effort=effort, designer="random") for effort in ("quick", "thorough")
    )
    assert quick.ledger["evaluations"] == thorough.ledger["evaluations"] == 1000 * 60
    assert quick.spec.race.programs < thorough.spec.race.programs


def test_numbers_of_one_s_own_are_not_laid_out():
    race = Race(finalists=1, samples=0, rounds=(2,))
    design = ms.design(one_size(60), spend=40_000, race=race, designer="random")
    assert design.spec.race == race
    assert 0 < design.ledger["evaluations"] <= 40_000
