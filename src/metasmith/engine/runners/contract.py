"""What a runner is: does many runs, and says what came of each. Whoever runs, the bits are the same."""

from collections.abc import Callable, Sequence
from typing import Protocol

from metasmith.engine.evaluators import EvaluationError
from metasmith.engine.run import Job, Result
from metasmith.problems import Problem

Outcome = Result | EvaluationError


class Runner(Protocol):
    """Does runs. Where they are done, and how many at a time, is no part of what they result in.

    lost: runs so far whose workers ended, and that were done again.
    """

    lost: int

    def run(self, jobs: Sequence[Job], on_done: Callable[[int, Outcome], None] | None = None) -> list[Outcome]:
        """Do all jobs and return what came of each, in their order.

        A run whose problem fails gives its error and stops no other. on_done: called in this thread with the number and
        the outcome of each job, as they end.
        """
        ...

    def at_once(self, problem: Problem) -> int:
        """How many runs on a problem go on at the same time."""
        ...
