"""Runs of programs on the training problems.

What was measured once is remembered, and can be told to another process.
"""

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metasmith.engine import EvaluationError, Job, Result, run_all
from metasmith.measuring.ledger import Ledger
from metasmith.problems import Batch, Plain, Problem
from metasmith.program import Program

SEEDS_APART = 1_000_000
"""Between the run seeds of one design and the next; from the first on, so that no run of use repeats one of training."""


@dataclass(frozen=True)
class Place:
    """A training problem, with the evaluations that a run on it has."""

    problem: Problem
    evaluations: int


class Request(NamedTuple):
    """A run wanted. place: number of the training problem. run:

    0, 1, 2, ... for runs that differ only by their seed.
    """

    program: Program
    place: int
    run: int


class Measurement(NamedTuple):
    """What came of a run. value: the best found, None if no evaluation worked. hit: the evaluation that found it.

    area: the mean of the best so far, from the first feasible value on. share: of the run, how much that is.
    """

    value: float | None
    hit: int
    violation: float
    area: float | None
    share: float = 1.0


class Cache:
    """All runs so far, by request. The seed is the design's: other designs measure with other random numbers."""

    def __init__(self, places: Sequence[Place], *, seed: int, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"workers must be at least 1, got {workers}")
        self.places = tuple(places)
        self.seed = seed
        self.workers = workers
        self.ledger = Ledger()
        self.rates: list[float] = []
        """Evaluations a second of every run that this process did."""
        self.known: dict[Request, Measurement] = {}
        self.fresh: list[tuple[Request, Measurement]] = []
        """Measurement since the last `take`."""
        self.expected: dict[Request, Measurement] = {}
        """What a process before us measured beyond the step that we go on from: not run again, once it is asked for."""

    def measure(self, wanted: Iterable[Request]) -> None:
        """Do the runs that are not known yet, side by side.

        A problem whose function fails ends the design: raises EvaluationError.
        """
        wanted = list(wanted)
        new = [request for request in dict.fromkeys(wanted) if request not in self.known]
        self.ledger.cached += len(wanted) - len(new)
        todo = [request for request in new if request not in self.expected]
        begun = time.perf_counter()
        outcomes = run_all([self.job(request) for request in todo], self.workers)
        self.ledger.measuring_seconds += time.perf_counter() - begun
        found = {}
        for request, outcome in zip(todo, outcomes, strict=True):
            if isinstance(outcome, EvaluationError):
                raise outcome
            self.ledger.running_seconds += outcome.seconds
            self.rates.append(outcome.nfev / max(1e-9, outcome.seconds))
            found[request] = measured(outcome, self.places[request.place].problem.penalised)
        for request in new:
            self._learn(request, found[request] if request in found else self.expected[request])

    def job(self, request: Request) -> Job:
        place = self.places[request.place]
        return Job(request.program, place.problem, place.evaluations, (1 + self.seed) * SEEDS_APART + request.run)

    @property
    def in_python(self) -> bool:
        """Whether the problem is a Python function, of which only one can run at a time."""
        return isinstance(self.places[0].problem.how, Plain | Batch)

    def take(self) -> list[tuple[Request, Measurement]]:
        """What was measured since the last time, to be written down."""
        fresh, self.fresh = self.fresh, []
        return fresh

    def recall(self, written: Iterable[tuple[Request, Measurement]]) -> None:
        """Know again what was written down."""
        self.known.update(written)

    def _learn(self, request: Request, found: Measurement) -> None:
        self.known[request] = found
        self.fresh.append((request, found))
        self.ledger.runs += 1
        self.ledger.evaluations += self.places[request.place].evaluations


def measured(result: Result, penalised: bool) -> Measurement:
    """The few numbers of a result that count. penalised: what is violated is in the value already."""
    violation = 0.0 if penalised else float(result.violation)
    history = result.history
    until = np.append(history.evaluations[1:], result.nfev + 1)
    usable = np.isfinite(history.values)
    lengths = (until - history.evaluations)[usable]
    area = float(np.dot(history.values[usable], lengths) / lengths.sum()) if lengths.sum() else None
    share = float(lengths.sum() / result.nfev)
    return Measurement(result.fun if math.isfinite(result.fun) else None, result.hit, violation, area, share)
