"""Runs on the workers of any `concurrent.futures.Executor`: many machines, if that has them."""

import os
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from metasmith.engine.evaluators import EvaluationError
from metasmith.engine.run import Job
from metasmith.engine.runners.calls import Calls, Lost, WorkerWarning
from metasmith.engine.runners.contract import Outcome
from metasmith.engine.runners.worker import Done, Errand, Missing, do
from metasmith.engine.travel import Packed, Packing
from metasmith.problems import Problem

SECONDS = 0.5
"""Of a batch, about: an empty call on Dask takes 6 ms of processor time, so that this is 1 %."""

MOST = 200
"""Runs of a batch."""

LOSSES = 3
"""A run that was alone in a batch so often when its worker ended is given up."""

LOOK = 5.0
"""Seconds after which it is looked again how many workers there are."""


@dataclass(frozen=True)
class Batch:
    """Jobs, by their numbers, that a worker does in one call. whole: whether it is sent their problems as well."""

    numbers: list[int]
    whole: bool = False

    def halves(self) -> "list[Batch]":
        middle = len(self.numbers) // 2
        return [Batch(half) for half in (self.numbers[:middle], self.numbers[middle:]) if half]


class OnExecutor:
    """Does runs on the workers of an executor, in batches that take about half a second.

    slots: how many runs go on at the same time; by default as many as the executor has workers, of Dask threads of
    workers, looked up again as it goes. most: batches under way at most, by default two for each slot.

    A batch whose worker ends is halved and sent again, so that a run that ends its worker is alone in the end.
    lost: runs that were lost with their workers so far, and done again.
    """

    def __init__(self, executor: Executor, slots: int | None = None, most: int | None = None) -> None:
        if not isinstance(executor, Executor):
            advice = "; use client.get_executor(pure=False, retries=0)" if hasattr(executor, "get_executor") else ""
            raise ValueError(f"expected a concurrent.futures.Executor, got {type(executor).__name__}{advice}")
        for name, number in (("slots", slots), ("workers", most)):
            if number is not None and number < 1:
                raise ValueError(f"{name} must be at least 1, got {number}")
        self.executor = executor
        self.lost = 0
        self._calls: Calls[Batch] = Calls(executor)
        self._most = most
        self._fixed = slots
        self._looked: tuple[float, int] | None = None  # when, and how many slots there were
        self._packed = Packing()
        self._pace: float | None = None  # seconds of an evaluation, the latest batches counting most

    @property
    def slots(self) -> int:
        """How many runs go on at the same time; 0 while there are no workers."""
        if self._fixed is not None:
            return self._fixed
        if self._looked is None or time.monotonic() - self._looked[0] > LOOK:
            self._looked = time.monotonic(), slots_of(self.executor)
        return self._looked[1]

    def at_once(self, problem: Problem) -> int:
        """As many as there are slots, or batches under way."""
        return max(1, min(self.slots, self._most or self.slots))

    def run(self, jobs: Sequence[Job], on_done: Callable[[int, Outcome], None] | None = None) -> list[Outcome]:
        """Do all jobs; see the contract. Raises CannotTravelError for a problem that cannot be sent to workers."""
        packages = [self._packed(job.problem) for job in jobs]
        outcomes: dict[int, Outcome] = {}
        again: deque[Batch] = deque()  # what comes back, to be sent before anything else
        waiting = deque(range(len(jobs)))
        losses: Counter[int] = Counter()

        def done(number: int, outcome: Outcome) -> None:
            outcomes[number] = outcome
            if on_done is not None:
                on_done(number, outcome)

        try:
            if jobs:
                self._calls.greet(self.slots)
            while len(outcomes) < len(jobs):
                while (again or waiting) and len(self._calls.under_way) < (self._most or 2 * max(1, self.slots)):
                    batch = again.popleft() if again else self._next(jobs, waiting)
                    self._send(batch, jobs, packages)
                if (ended := self._wait()) is None:
                    continue
                batch, answer = ended
                if isinstance(answer, Missing):
                    again.appendleft(Batch(batch.numbers, whole=True))
                elif isinstance(answer, Lost):
                    self.lost += len(batch.numbers)
                    if len(batch.numbers) > 1:
                        again.extend(batch.halves())
                        continue
                    (number,) = batch.numbers
                    losses[number] += 1
                    if losses[number] < LOSSES:
                        again.append(batch)
                    else:
                        done(number, given_up(jobs[number], answer.error))
                else:
                    assert isinstance(answer, Done)
                    self._learn(answer.seconds, sum(jobs[number].evaluations for number in batch.numbers))
                    for number, outcome in zip(batch.numbers, answer.outcomes, strict=True):
                        done(number, outcome)
        except BaseException:  # an interrupt, or an error that is no loss: what has not begun need not be done
            self._calls.cancel()
            raise
        return [outcomes[number] for number in range(len(jobs))]

    def _next(self, jobs: Sequence[Job], waiting: deque[int]) -> Batch:
        """A batch of the jobs that wait; smaller ones towards the end, so that all workers end at the same time."""
        most = min(MOST, max(1, len(waiting) // (2 * max(1, self.slots))))
        numbers: list[int] = []
        seconds = 0.0
        while waiting and len(numbers) < most and seconds < SECONDS:
            numbers.append(waiting.popleft())
            seconds += SECONDS if self._pace is None else self._pace * jobs[numbers[-1]].evaluations
        return Batch(numbers)

    def _send(self, batch: Batch, jobs: Sequence[Job], packages: Sequence[Packed]) -> None:
        errands = []
        for number in batch.numbers:
            job = jobs[number]
            start = None if job.start is None else np.asarray(job.start)
            key = packages[number].key
            errands.append(Errand(job.program, key, job.evaluations, job.seed, job.seconds, start))
        bodies = {packages[number].key: packages[number].body for number in batch.numbers} if batch.whole else {}
        self._calls.send(batch, do, errands, bodies)

    def _wait(self) -> tuple[Batch, Done | Missing | Lost] | None:
        """The next batch that ends, and its answer; None now and then, so that new workers are seen."""
        ended = self._calls.next(timeout=LOOK)
        if ended is None and self.slots == 0:
            warnings.warn("no workers are left; waiting for new ones", WorkerWarning, stacklevel=3)
        return ended

    def _learn(self, seconds: float, evaluations: int) -> None:
        """Half of what is expected is the latest batch: the first ones may have compiled what they needed."""
        pace = seconds / evaluations
        self._pace = pace if self._pace is None else (self._pace + pace) / 2


def slots_of(executor: Executor) -> int:
    """How many calls an executor does at the same time."""
    if (client := getattr(executor, "_client", None)) is not None and hasattr(client, "nthreads"):  # Dask's
        try:
            return sum(client.nthreads().values())
        except Exception:  # it is closed; whoever sends a call is told so
            return 1
    return getattr(executor, "_max_workers", None) or os.cpu_count() or 1


def given_up(job: Job, error: BaseException) -> EvaluationError:
    """The error of a run that ends its worker every time."""
    why = " ".join(f"{type(error).__name__}: {error}".split())
    return EvaluationError(
        f"{job.problem.name}: the worker of the run with seed {job.seed} ended {LOSSES} times, the last time with "
        f"{why:.200}; is there enough memory?"
    )
