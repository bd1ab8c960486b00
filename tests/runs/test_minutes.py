"""Minutes become evaluations once, from measured speed, and stay what they were."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from design_helpers import facts, tiny

import metasmith as ms
from metasmith.engine import Job, Local, Outcome
from metasmith.runs import minutes as timing
from metasmith.runs.folder import Folder
from metasmith.runs.forecast import Speed, design_seconds
from metasmith.runs.minutes import MARGIN, TIMING_SHARE, measured, payable, specified
from metasmith.runs.spec import TooFewError, specify


class Clocked:
    """Does runs on a clock of its own: an evaluation takes so many seconds, whatever the machine."""

    def __init__(self, seconds: float, at_once: int = 1) -> None:
        self.seconds = seconds
        self.now = 0.0
        self.at_a_time = at_once
        self.jobs: list[Job] = []
        self.lost = 0

    def run(self, jobs: Sequence[Job], on_done: Callable[[int, Outcome], None] | None = None) -> list[Outcome]:
        self.jobs += jobs
        self.now += self.seconds * sum(job.evaluations for job in jobs) / min(len(jobs), self.at_a_time or 1)
        return Local(1).run(jobs, on_done)

    def at_once(self, problem: ms.Problem) -> int:
        return self.at_a_time

    def perf_counter(self) -> float:
        return self.now


def task(evaluations: int = 100) -> ms.Task:
    return ms.Task("one", (ms.problem("pbo:F2@20"),), (ms.problem("pbo:F2@20"),), evaluations)


@pytest.fixture
def clocked(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Clocked]:
    """A runner whose clock is the one that is looked at."""

    def made(seconds: float, at_once: int = 1) -> Clocked:
        runner = Clocked(seconds, at_once)
        monkeypatch.setattr(timing, "time", runner)
        return runner

    return made


@pytest.mark.parametrize("seconds", [1e-6, 1e-3, 5e-3, 1.0])
@pytest.mark.parametrize("at_once", [1, 8])
def test_the_speed_is_what_it_is_and_costs_little_of_the_time(seconds, at_once, clocked):
    runner = clocked(seconds, at_once)
    speed = measured(task(10_000), runner, 3600)
    assert speed.seconds == {20: pytest.approx(seconds)}
    assert speed.at_once == at_once
    assert speed.evaluations == sum(job.evaluations for job in runner.jobs)
    assert speed.measuring == pytest.approx(runner.now)
    assert runner.now <= TIMING_SHARE * 3600
    assert speed.evaluations <= 100 * 10_000 + 2 * at_once


def test_every_size_is_timed_once(clocked):
    runner = clocked(1e-3)
    assert set(measured(tiny(), runner, 600).seconds) == {30, 40}
    assert {job.problem.name for job in runner.jobs} == {"pbo:F1@30#1", "pbo:F2@40#1"}


def test_what_is_spent_on_it_is_a_small_share_of_what_may_be(clocked):
    speed = measured(task(), clocked(1e-9), 3600, spend=20 * 100)
    assert speed.evaluations <= TIMING_SHARE * 20 * 100


@pytest.mark.parametrize(("seconds", "at_once"), [(5e-3, 2), (5e-3, 64), (0.05, 4), (1e-6, 2)])
def test_an_hour_is_used_and_not_exceeded(seconds, at_once):
    speed = Speed({20: seconds}, at_once, 100, 1.0)
    where = task(2000)
    spec = payable(60, speed, where)
    planned = design_seconds(spec, spec.costs(where), speed)
    assert 0.85 * MARGIN * 3600 < planned <= MARGIN * 3600
    more = replace(spec, spend=round(1.3 * spec.spend))
    assert design_seconds(more, more.costs(where), speed) > planned
    assert payable(120, speed, where).spend > 1.5 * spec.spend


def test_runs_side_by_side_are_as_many_as_the_runner_does_at_once():
    where, hour = task(2000), 60
    alone, many = (payable(hour, Speed({20: 5e-3}, count, 100, 1.0), where).spend for count in (1, 8))
    assert 4 * alone < many <= 8.5 * alone


def test_of_minutes_and_evaluations_whichever_is_less_counts(clocked):
    runner = clocked(1e-3)
    long = specified(task(), runner=runner, minutes=600, spend=5000)
    assert (long.spend, long.minutes) == (5000, 600)
    short = specified(task(), runner=runner, minutes=1, spend=10**12)
    assert 2000 < short.spend < 60 * 1000
    assert short.spend == pytest.approx(specified(task(), runner=runner, minutes=1).spend, rel=0.05)


def test_too_few_minutes_are_one_line_that_says_how_many_it_takes(clocked):
    runner = clocked(1.0)
    with pytest.raises(
        ValueError, match=r"^2 minutes are too few .* 100 evaluations each; give at least [\d.]+$"
    ) as told:
        specified(task(), runner=runner, minutes=2)
    enough = float(str(told.value).rpartition(" ")[2])
    assert 20 * 100 / 60 < enough < 60
    assert specified(task(), runner=runner, minutes=enough).spend >= 20 * 100
    with pytest.raises(TooFewError):
        specified(task(), runner=runner, minutes=100, spend=1999)
    for minutes in (-1, math.inf, math.nan):
        with pytest.raises(ValueError, match=f"minutes must be more than 0, got {minutes}"):
            specified(task(), runner=runner, minutes=minutes)


def test_a_mistake_is_told_before_anything_is_run(clocked, tmp_path):
    runner = clocked(1.0)
    with pytest.raises(ValueError, match="there is no effort 'quik'"):
        specified(task(), runner=runner, minutes=1, effort="quik")
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not empty"):
        ms.design(task(), minutes=1, runner=runner, out=tmp_path)
    assert runner.jobs == []


def test_a_function_that_fails_says_so():
    broken = ms.Problem(lambda x: 1 / 0, ms.Bits(9), name="broken")
    with pytest.raises(ms.EvaluationError, match="ZeroDivisionError"):
        ms.design(broken, minutes=1, evaluations=50)


def test_the_evaluations_are_written_down_and_a_resumed_run_does_not_measure_again(clocked, tmp_path, monkeypatch):
    runner = clocked(5e-3)

    def dying(event: object) -> None:
        if getattr(event, "step", 0) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ms.design(task(), minutes=2, designer="evolution", runner=runner, out=tmp_path / "run", tell=dying)
    spec = Folder(tmp_path / "run").spec()
    assert (spec.minutes, spec.timing > 0) == (2, True)
    costs = spec.costs(task())
    assert Folder(tmp_path / "run").history()[0]["ledger"]["evaluations"] == costs.references + spec.timing
    monkeypatch.setattr(timing, "measured", lambda *given: pytest.fail("measured again"))
    design = ms.resume(tmp_path / "run", task(), workers=3)
    assert design.spec == spec
    assert spec.spend - 100 < design.ledger["evaluations"] <= spec.spend
    monkeypatch.setattr(timing, "measured", lambda *given: Speed({20: 5e-3}, 1, spec.timing, 1.0))
    monkeypatch.setattr(timing, "payable", lambda *given, **others: spec)
    whole = ms.design(task(), minutes=2, designer="evolution")
    assert facts(design) == facts(whole)


def test_the_same_algorithm_comes_of_the_evaluations_alone(clocked):
    """What measuring the speed took is beside the design."""
    timed = ms.design(task(), minutes=2, designer="evolution", runner=clocked(5e-3))
    alone = ms.design(task(), spend=timed.spec.spend - timed.spec.timing, designer="evolution")
    assert (alone.program, alone.score) == (timed.program, timed.score)
    assert alone.ledger["evaluations"] == timed.ledger["evaluations"] - timed.spec.timing


def test_learning_goes_on_with_what_was_measured_first(clocked, tmp_path):
    runner, file = clocked(5e-3), tmp_path / "writer"

    def dying(event: object) -> None:
        if getattr(event, "step", 0) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ms.learn([task()], file, minutes=10, runner=runner, tell=dying)
    (run,) = (Folder(path) for path in Path(f"{file}.runs").iterdir() if path.is_dir())
    spec = run.spec()
    assert spec.minutes == 10
    runner.seconds *= 3
    assert len(ms.learn([task()], file, minutes=10, runner=runner).learned) == 1
    assert run.spec() == spec


def test_other_minutes_are_another_run(clocked, tmp_path):
    runner, file = clocked(5e-3), tmp_path / "writer"

    def dying(event: object) -> None:
        if getattr(event, "step", 0) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ms.learn([task()], file, minutes=10, runner=runner, tell=dying)
    with pytest.raises(ValueError, match="holds a run that was asked for otherwise"):
        ms.learn([task()], file, minutes=11, runner=runner)


def test_a_spec_that_has_minutes_lays_out_what_is_left_after_timing():
    one, other = (specify(task(), spend=5000 + more, timing=more) for more in (0, 300))
    assert (one.training, one.measuring, one.race) == (other.training, other.measuring, other.race)
