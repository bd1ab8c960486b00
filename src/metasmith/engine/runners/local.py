"""All cores of this machine: threads for compiled runs, which hold no lock, and for users' functions processes."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import Any, cast

from metasmith.engine.evaluators import EvaluationError
from metasmith.engine.isolation import Task, do, isolated
from metasmith.engine.run import Job, Result, check, run
from metasmith.engine.runners.contract import Outcome
from metasmith.engine.travel import Packed, Packing
from metasmith.problems import Batch, Plain, Problem

ONE_AT_A_TIME = threading.RLock()
"""Held while a user's Python function is called in this process: it may not like to be called twice at a time."""


class Local:
    """Does runs on this machine. workers: how many at a time, by default as many as there are cores."""

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"workers must be at least 1, got {workers}")
        self.workers = workers or os.cpu_count() or 1
        self.lost = 0
        self._packed = Packing()

    def run(self, jobs: Sequence[Job], on_done: Callable[[int, Outcome], None] | None = None) -> list[Outcome]:
        """Do all jobs; see the contract. A user's Python function that is not isolated is called one job at a time."""
        outcomes: dict[int, Outcome] = {}
        stop = threading.Event()
        for job in jobs:
            check(job)
        bodies = {problem: self._packed(problem) for problem in {job.problem for job in jobs} if isolated(problem)}

        def done(number: int, outcome: Outcome) -> None:
            outcomes[number] = outcome
            if on_done is not None:
                on_done(number, outcome)

        alone = [i for i, job in enumerate(jobs) if self.at_once(job.problem) == 1]
        together: dict[Future[Outcome], int] = {}
        with ThreadPoolExecutor(self.workers) as threads:
            try:
                for i in sorted({*range(len(jobs))} - {*alone}):
                    together[threads.submit(attempt, jobs[i], bodies.get(jobs[i].problem), stop)] = i
                for i in alone:  # Python functions hold the lock, and may not like to be called twice at a time
                    done(i, attempt(jobs[i], bodies.get(jobs[i].problem), stop))
                for future in as_completed(together):
                    done(together[future], future.result())
            except BaseException:  # an interrupt, or a mistake in a job: let the other threads end
                stop.set()
                for future in together:
                    future.cancel()
                raise
        return [outcomes[i] for i in range(len(jobs))]

    def at_once(self, problem: Problem) -> int:
        """As many as there are workers; one at a time where a Python function in this process holds the lock."""
        return 1 if in_python(problem) and not isolated(problem) else self.workers


def in_python(problem: Problem) -> bool:
    """Whether a problem is evaluated by a user's Python function."""
    return isinstance(problem.how, Plain | Batch)


def attempt(job: Job, body: Packed | None, stop: threading.Event) -> Outcome:
    """What comes of a job: its result, or the error of its problem. body: of a problem that is to be isolated."""
    try:
        if body is None and in_python(job.problem):
            with ONE_AT_A_TIME:  # also where several threads of an executor have a runner each
                return run(job, stop)
        if body is None:
            return run(job, stop)
        what = (job.program, job.evaluations, job.seed, job.seconds, job.start)
        return cast(Result, do(Task(job.problem, body, run_on, what, job.evaluations, job.seconds), stop))
    except EvaluationError as error:
        return error


def run_on(problem: Problem, *others: Any) -> Result:
    """A run on a problem, with all else that makes a job."""
    program, *rest = others
    return run(Job(program, problem, *rest))
