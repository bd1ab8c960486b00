"""What an evaluator is: how the children of a run, and samples of a landscape, get their fitness.

Every way to evaluate a problem gives one: `evaluator(problem)` looks at the type of `problem.how`. A new way registers
itself with `@evaluator_of.register`, in a file of this folder.
"""

from functools import singledispatch
from typing import Any, Protocol

from metasmith.arrays import Floats, Solutions
from metasmith.engine.loop import Code, Kernels, Run
from metasmith.problems import Problem


class Ready(Protocol):
    """What an evaluator needs of a program that is ready to run."""

    @property
    def code(self) -> Code: ...

    @property
    def kernels(self) -> Kernels: ...


class Evaluator(Protocol):
    """Evaluates solutions of one problem. Not to be shared by runs that go on at the same time."""

    def advance(self, state: Run, ready: Ready, deadline: float) -> None:
        """Take a run some way on: about a twentieth of a second, or a generation. Raises EvaluationError."""
        ...

    def fitness(self, rows: Solutions) -> Floats:
        """The fitness of many rows, where larger is better. Raises EvaluationError, unless failures count as worst."""
        ...


def evaluator(problem: Problem) -> Evaluator:
    """The evaluator of a problem."""
    return evaluator_of(problem.how, problem)


@singledispatch
def evaluator_of(how: Any, problem: Problem) -> Evaluator:
    """The evaluator for a way to evaluate; see above."""
    raise TypeError(f"{problem.name}: there is no evaluator for {type(how).__name__}")
