"""Minutes as evaluations: computed once, before a design begins, so that whoever resumes it has the same number."""

import math
import time
from typing import Any

from metasmith.engine import EvaluationError, Job, Runner
from metasmith.measuring.cache import TRAINING
from metasmith.measuring.scores import references
from metasmith.problems import Problem, Task
from metasmith.program import named
from metasmith.runs.embedding import looked_at
from metasmith.runs.forecast import Speed, design_seconds
from metasmith.runs.spec import Spec, TooFewError, specify

MARGIN = 0.92
"""The share of the time that is planned for: what is measured in a moment may be wrong for an hour."""

TIMING_SHARE, TIMING_SECONDS, TIMING_RUNS = 0.02, 8.0, 100
"""What may go to measuring how fast runs are: about so much of the time and of the evaluations, and so many seconds and
runs' worth at most.
"""


def specified(
    task: Task,
    *,
    runner: Runner,
    spend: int | None = None,
    minutes: float | None = None,
    before: Spec | None = None,
    **others: Any,
) -> Spec:
    """The spec of a design that spends at most `spend`, or takes about so many minutes, whichever is less.

    before: the spec of the run that is gone on with, if there is one: what it may spend stays the same. others: as for
    `specify`.
    """
    if minutes is None:
        return specify(task, spend=spend, **others)
    if not 0 < minutes < math.inf:
        raise ValueError(f"minutes must be more than 0, got {minutes:g}")
    specify(task, spend=spend, **others)  # a mistake is told before anything is run
    if before is not None and before.minutes == minutes:
        return specify(task, spend=before.spend, minutes=minutes, timing=before.timing, **others)
    return payable(minutes, measured(task, runner, 60 * minutes, spend), task, spend, **others)


def measured(task: Task, runner: Runner, seconds: float, spend: int | None = None) -> Speed:
    """How fast random search is on the training problems, one of each size, as many runs at a time as can be.

    seconds, spend: what there is for the whole design.
    """
    problems = looked_at(task)
    allowed = min(TIMING_SHARE * seconds, TIMING_SECONDS) / len(problems)
    most = TIMING_RUNS * task.evaluations if spend is None else int(TIMING_SHARE * spend)
    begun, spent, paces = time.perf_counter(), 0, {}
    for problem in problems:
        paces[problem.dimension], evaluations = pace(problem, runner, allowed, most // len(problems))
        spent += evaluations
    return Speed(paces, runner.at_once(problems[0]), spent, time.perf_counter() - begun)


def pace(problem: Problem, runner: Runner, allowed: float, most: int) -> tuple[float, int]:
    """Seconds per evaluation of runs side by side, and the evaluations that it took to see that.

    Runs become longer until they take a good part of the seconds allowed, or have taken that of the evaluations. The
    first only warms up: processes start, and code is compiled.
    """
    count, evaluations = runner.at_once(problem), 1
    _side_by_side(problem, runner, count, evaluations)
    spent = count
    while True:
        seconds = _side_by_side(problem, runner, count, evaluations)
        spent += count * evaluations
        longer = max(2, min(100, int(allowed / 2 / seconds)))
        if seconds >= allowed / 4 or spent + longer * count * evaluations > most:
            return seconds / evaluations, spent
        evaluations *= longer


def _side_by_side(problem: Problem, runner: Runner, count: int, evaluations: int) -> float:
    """How long so many runs of random search take by the clock. Raises EvaluationError if the function fails."""
    search = named(references(problem)[0])
    begun = time.perf_counter()
    for outcome in runner.run([Job(search, problem, evaluations, TRAINING - 1 - seed) for seed in range(count)]):
        if isinstance(outcome, EvaluationError):
            raise outcome
    return time.perf_counter() - begun


def payable(minutes: float, speed: Speed, task: Task, spend: int | None = None, **others: Any) -> Spec:
    """The spec with the most evaluations that so many minutes pay for, at most `spend`."""

    def spec_for(evaluations: int) -> Spec:
        return specify(task, spend=evaluations, minutes=minutes, timing=speed.evaluations, **others)

    def seconds(evaluations: int) -> float:
        spec = spec_for(evaluations)
        return design_seconds(spec, spec.costs(task), speed)

    least = 1
    try:
        spec_for(least)
    except TooFewError as error:
        least = error.least
    planned = MARGIN * 60 * minutes - speed.measuring
    most = speed.evaluations + int(planned * speed.at_once / min(speed.seconds.values()))
    if spend is not None:
        most = min(most, spend)
        if spend < least:
            raise TooFewError(spend, task.evaluations, least)
    if seconds(least) > planned:
        needed = 1.01 * (seconds(least) + speed.measuring) / MARGIN / 60  # of more time a little more goes to timing
        raise ValueError(
            f"{minutes:g} minutes are too few for a design whose runs have {task.evaluations:,} evaluations each; "
            f"give at least {math.ceil(10 * needed) / 10:g}"
        )
    if most <= least or seconds(most) <= planned:
        return spec_for(max(least, most))
    low, high = least, most
    while high - low > max(1, low // 1000):
        middle = (low + high) // 2
        low, high = (middle, high) if seconds(middle) <= planned else (low, middle)
    return spec_for(low)
