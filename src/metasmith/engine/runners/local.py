"""All cores of this machine: compiled runs on threads hold no lock, so two are twice as fast and nothing is copied."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from metasmith.engine.evaluators import EvaluationError
from metasmith.engine.run import Job, run
from metasmith.engine.runners.contract import Outcome
from metasmith.problems import Batch, Plain, Problem


class Local:
    """Does runs on this machine. workers: how many at a time, by default as many as there are cores."""

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"workers must be at least 1, got {workers}")
        self.workers = workers or os.cpu_count() or 1

    def run(self, jobs: Sequence[Job], on_done: Callable[[int, Outcome], None] | None = None) -> list[Outcome]:
        """Do all jobs; see the contract. Those with a user's Python function are done one after the other."""
        outcomes: dict[int, Outcome] = {}
        stop = threading.Event()

        def done(number: int, outcome: Outcome) -> None:
            outcomes[number] = outcome
            if on_done is not None:
                on_done(number, outcome)

        alone = [i for i, job in enumerate(jobs) if in_python(job.problem)]
        together: dict[Future[Outcome], int] = {}
        with ThreadPoolExecutor(self.workers) as threads:
            try:
                together |= {
                    threads.submit(attempt, job, stop): i for i, job in enumerate(jobs) if not in_python(job.problem)
                }
                for i in alone:  # Python functions hold the lock, and may not like to be called twice at a time
                    done(i, attempt(jobs[i], stop))
                for future in as_completed(together):
                    done(together[future], future.result())
            except BaseException:  # an interrupt, or a mistake in a job: let the other threads end
                stop.set()
                for future in together:
                    future.cancel()
                raise
        return [outcomes[i] for i in range(len(jobs))]

    def at_once(self, problem: Problem) -> int:
        """As many as there are threads; one at a time where a Python function holds the lock."""
        return 1 if in_python(problem) else self.workers


def in_python(problem: Problem) -> bool:
    """Whether a problem is evaluated by a user's Python function."""
    return isinstance(problem.how, Plain | Batch)


def attempt(job: Job, stop: threading.Event) -> Outcome:
    """What comes of a job: its result, or the error of its problem."""
    try:
        return run(job, stop)
    except EvaluationError as error:
        return error
