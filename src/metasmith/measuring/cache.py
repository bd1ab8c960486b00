"""The cache: every run of a program on a case is done once and kept; written down, it serves a later process too."""

import math
import time
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from metasmith.chance import seeded
from metasmith.engine import EvaluationError, Job, Result, Runner
from metasmith.measuring.ledger import Ledger
from metasmith.measuring.schedule import Case
from metasmith.program import Program

Purpose = Literal["reference", "rung", "race", "trial"]

TRAINING = 1 << 62
"""Seeds of training are at least this large; those on test problems are small, so that none repeats a training run."""


class Request(NamedTuple):
    """A run that is wanted, of a program on a case.

    case: its number in the schedule. purpose: what the run is for. repeat: 0, 1, 2, ... for runs that differ by their
    random numbers only; of a configurator's trial, its seed. rung: the number of the rung, if that is the purpose; a
    case may be on several rungs.
    """

    program: Program
    case: int
    purpose: Purpose
    repeat: int
    rung: int | None = None


class Measurement(NamedTuple):
    """What came of a run.

    value: the best of the run, None if every evaluation failed. hit: the evaluation at which it was first reached.
    violation: how much its solution violates constraints, 0 if it is feasible. area: the mean, over the evaluations
    since the first feasible one, of the best value so far. share: how much of the run these evaluations are.
    """

    value: float | None
    hit: int
    violation: float
    area: float | None
    share: float = 1.0


class Cache:
    """All measurements so far, by request. seed: the design's, so that designs share no random numbers."""

    def __init__(self, cases: Sequence[Case], *, seed: int, runner: Runner) -> None:
        self.cases = tuple(cases)
        self.seed = seed
        self.runner = runner
        self.ledger = Ledger()
        self.rates: list[float] = []
        """Evaluations a second of every run that this process did."""
        self.measurements: dict[Request, Measurement] = {}
        self.fresh: list[tuple[Request, Measurement]] = []
        """Measurements that are not written down yet: those since the last `take`."""
        self.logged: dict[Request, Measurement] = {}
        """Measurements that a resumed design logged after its last checkpoint: taken from here once requested."""

    def measure(self, wanted: Iterable[Request]) -> None:
        """Do the runs that are not in the cache, side by side.

        Those that are logged count in the ledger like the others. Raises EvaluationError if a problem's function fails,
        which ends the design.
        """
        wanted = list(wanted)
        new = [request for request in dict.fromkeys(wanted) if request not in self.measurements]
        self.ledger.cached += len(wanted) - len(new)
        todo = [request for request in new if request not in self.logged]
        begun, lost = time.perf_counter(), self.runner.lost
        outcomes = self.runner.run([self.job(request) for request in todo])
        self.ledger.measuring_seconds += time.perf_counter() - begun
        self.ledger.lost += self.runner.lost - lost
        done = {}
        for request, outcome in zip(todo, outcomes, strict=True):
            if isinstance(outcome, EvaluationError):
                raise outcome
            self.ledger.running_seconds += outcome.seconds
            self.rates.append(outcome.nfev / max(1e-9, outcome.seconds))
            done[request] = measured(outcome, self.cases[request.case].problem.penalised)
        for request in new:
            self._keep(request, done[request] if request in done else self.logged[request])

    def cost(self, wanted: Iterable[Request]) -> int:
        """The evaluations that runs would take that are not in the cache."""
        new = {request for request in wanted if request not in self.measurements}
        return sum(self.cases[request.case].evaluations for request in new)

    def job(self, request: Request) -> Job:
        case = self.cases[request.case]
        return Job(request.program, case.problem, case.evaluations, run_seed(self.seed, request))

    @property
    def at_once(self) -> int:
        """How many runs go on at the same time; the problems of a task are all evaluated alike."""
        return self.runner.at_once(self.cases[0].problem)

    def take(self) -> list[tuple[Request, Measurement]]:
        """The measurements since the last time, to be written down."""
        fresh, self.fresh = self.fresh, []
        return fresh

    def recall(self, written: Iterable[tuple[Request, Measurement]]) -> None:
        """Take in what was written down; the ledger that belongs to it is recalled by the history."""
        self.measurements.update(written)

    def _keep(self, request: Request, measurement: Measurement) -> None:
        self.measurements[request] = measurement
        self.fresh.append((request, measurement))
        self.ledger.runs += 1
        self.ledger.evaluations += self.cases[request.case].evaluations


def run_seed(design: int, request: Request) -> int:
    """The seed of a run: another for every design, purpose, rung and repeat; common to all programs and cases."""
    (state,) = seeded("run", design, request.purpose, request.rung, request.repeat)
    return TRAINING | int(state) % TRAINING


def measured(result: Result, penalised: bool) -> Measurement:
    """The few numbers of a result that count. penalised: whether a violation is in the value already."""
    violation = 0.0 if penalised else float(result.violation)
    history = result.history
    until = np.append(history.evaluations[1:], result.nfev + 1)  # the best so far is constant between improvements
    usable = np.isfinite(history.values)
    lengths = (until - history.evaluations)[usable]
    area = float(np.dot(history.values[usable], lengths) / lengths.sum()) if lengths.sum() else None
    share = float(lengths.sum() / result.nfev)
    return Measurement(result.fun if math.isfinite(result.fun) else None, result.hit, violation, area, share)
