"""Many runs at once, on threads: compiled runs hold no lock, so two cores are twice as fast and nothing is copied."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from metasmith.engine.run import EvaluationError, Job, Result, run
from metasmith.problems import Batch, Plain

Outcome = Result | EvaluationError


def run_all(
    jobs: Sequence[Job], workers: int | None = None, on_done: Callable[[int, Outcome], None] | None = None
) -> list[Outcome]:
    """Do all jobs and return what came of each, in their order; a run whose problem fails gives its error and stops no
    other.

    workers: threads; as many as there are cores by default. on_done: called in this thread with the number and outcome
    of each.
    """
    if workers is not None and workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    python = {i for i, job in enumerate(jobs) if isinstance(job.problem.how, Plain | Batch)}
    outcomes: dict[int, Outcome] = {}
    stop = threading.Event()

    def done(number: int, outcome: Outcome) -> None:
        outcomes[number] = outcome
        if on_done is not None:
            on_done(number, outcome)

    compiled: dict[Future[Outcome], int] = {}
    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as threads:
        try:
            compiled.update((threads.submit(attempt, job, stop), i) for i, job in enumerate(jobs) if i not in python)
            for i in sorted(python):  # Python functions hold the lock, and may not like to be called twice at a time
                done(i, attempt(jobs[i], stop))
            for future in as_completed(compiled):
                done(compiled[future], future.result())
        except BaseException:  # an interrupt, or a mistake in a job: let the other threads end
            stop.set()
            for future in compiled:
                future.cancel()
            raise
    return [outcomes[i] for i in range(len(jobs))]


def attempt(job: Job, stop: threading.Event) -> Outcome:
    try:
        return run(job, stop)
    except EvaluationError as error:
        return error
