"""What came of several runs of one program on one problem."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from metasmith.engine.evaluators import EvaluationError
from metasmith.engine.run import Result
from metasmith.engine.runners.contract import Outcome
from metasmith.problems import Problem
from metasmith.program import Program


@dataclass(frozen=True, eq=False)
class Runs:
    """Outcomes by seed, and what they amount to. algorithm: what the program was called."""

    algorithm: str
    program: Program
    problem: Problem
    evaluations: int
    outcomes: dict[int, Outcome]

    @cached_property
    def results(self) -> dict[int, Result]:
        """The runs that ended well."""
        return {seed: outcome for seed, outcome in self.outcomes.items() if isinstance(outcome, Result)}

    @cached_property
    def errors(self) -> dict[int, EvaluationError]:
        """The runs that did not."""
        return {seed: outcome for seed, outcome in self.outcomes.items() if isinstance(outcome, EvaluationError)}

    @property
    def best(self) -> list[float]:
        """The best value of each run that ended well."""
        return [result.fun for result in self.results.values()]

    @property
    def winner(self) -> Result:
        """The best of the runs that ended well: the least violated, of those the best value."""
        return min(
            self.results.values(),
            key=lambda result: (result.violation, -result.fun if self.problem.maximise else result.fun),
        )

    @property
    def mean(self) -> float:
        """Of the best values of the runs that ended well."""
        return float(np.mean(self.best)) if self.results else float("nan")

    @property
    def std(self) -> float:
        """Standard deviation of the runs, as a sample; 0 for a single run."""
        return float(np.std(self.best, ddof=1)) if len(self.results) > 1 and np.isfinite(self.best).all() else 0.0

    def record(self) -> dict[str, Any]:
        """Fields for machines; a run that failed has its error instead of values, and what is not finite is null."""
        return {
            "problem": self.problem.name,
            "algorithm": self.algorithm,
            "evaluations": self.evaluations,
            "runs": [{"seed": seed, **self._fields(outcome)} for seed, outcome in self.outcomes.items()],
            "mean": finite(self.mean),
            "std": finite(self.std) if self.results else None,
        }

    def _fields(self, outcome: Outcome) -> dict[str, Any]:
        if isinstance(outcome, EvaluationError):
            return {"error": str(outcome)}
        violation = {} if self.problem.violation is None else {"violation": finite(outcome.violation)}
        return {"best": finite(outcome.fun), "evaluations": outcome.nfev, "hit": outcome.hit, **violation}


def finite(value: float) -> float | None:
    """JSON has no infinity and no NaN."""
    return value if np.isfinite(value) else None
