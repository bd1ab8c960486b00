"""Runs that are told instead of done, so that every number of a test can be computed by hand."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from metasmith.engine import Job, Local, Result
from metasmith.engine.run import History
from metasmith.measuring import Cache, Case, Measuring, Rungs, Scores, by_size
from metasmith.problems import Problem
from metasmith.program import Program, named
from metasmith.representations import Bits

RANDOM, EA = named("random"), named("ea")
HALF = Measuring(keep=0.5, runs=1, again=9)
ALL = Measuring(keep=1.0, runs=1, again=9)
BEYOND = [1000]
"""Sizes of use larger than all cases."""

SHORT_ONE = Program.parse("population 1; reset_n(n=1)")
LONG_ONE = Program.parse("population 1; reset_n(n=1); reset_sweep; pairwise_select")


def programs(count: int) -> list[Program]:
    """Different programs of one length."""
    return [Program.parse(f"population {size}; reset_n(n=1)") for size in range(1, count + 1)]


def case(evaluations: int = 100, *, optimum: float | None = 100.0, direction: str = "max", dimension: int = 10) -> Case:
    return Case(
        Problem(never, Bits(dimension), direction=direction, optimum=optimum, name=f"told@{evaluations}"), evaluations
    )


def never(x: np.ndarray) -> float:
    raise AssertionError("told runs evaluate nothing")


def result(
    fun: float,
    evaluations: int,
    *,
    hit: int | None = None,
    violation: float = 0.0,
    steps: Iterable[tuple[int, float]] = (),
) -> Result:
    """The result of a run that reached `fun`, by default at its last evaluation. steps: its history."""
    when, what = zip(*(list(steps) or [(1, fun)]), strict=True)
    return Result(
        x=np.zeros(1, np.int64),
        fun=fun,
        nfev=evaluations,
        hit=evaluations if hit is None else hit,
        history=History(np.array(when), np.array(what, dtype=float)),
        violation=violation,
        seed=0,
        seconds=0.0,
        success=True,
        message="",
    )


class Told:
    """Stands in for a runner: asks `outcome` what comes of a job, and remembers the jobs."""

    def __init__(self, outcome: Callable[[Job], Result | float]) -> None:
        self.outcome = outcome
        self.jobs: list[Job] = []

    def __call__(self, jobs: list[Job]) -> list[Result]:
        self.jobs += jobs
        outcomes = [self.outcome(job) for job in jobs]
        return [
            each if isinstance(each, Result) else result(each, job.evaluations)
            for job, each in zip(jobs, outcomes, strict=True)
        ]


def told(
    patch: pytest.MonkeyPatch, outcome: Callable[[Job], Result | float], *, random: float = 0.0, ea: float = 50.0
) -> Told:
    """Have the cache told what `outcome` says of a job, and of the references what is given."""
    stand_in = Told(lambda job: {RANDOM: random, EA: ea}[job.program] if job.program in (RANDOM, EA) else outcome(job))
    patch.setattr("metasmith.engine.Local.run", lambda threads, jobs: stand_in(jobs))
    return stand_in


def prepared(*cases: Case, quality: str = "final") -> Scores:
    scores = Scores(Cache(cases, seed=0, runner=Local()), quality)
    scores.prepare()
    return scores


def rungs_on(scores: Scores, measuring: Measuring) -> Rungs:
    return Rungs(scores, measuring, by_size(scores.cache.cases, BEYOND))
