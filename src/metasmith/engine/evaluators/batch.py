"""Users' functions of many vectors at once: a generation at a time, evaluated outside the compiled loop."""

import numpy as np

from metasmith.arrays import Floats, Solutions
from metasmith.engine import loop
from metasmith.engine.compile import COMPILING, compiled
from metasmith.engine.evaluators.contract import Ready, evaluator_of
from metasmith.engine.evaluators.fitness import Vector, failure, fitness_of_values
from metasmith.engine.evaluators.trace import Trace, raised, returned
from metasmith.engine.loop import WORST, Run
from metasmith.problems import Batch, Problem

MOST = 1000
"""Vectors of a sample that the function is given at once."""


class UserBatch:
    """Has a user's function evaluate the children of a generation together."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._trace = Trace(problem.variables)
        with COMPILING:
            self._propose, self._accept = compiled(loop.propose), compiled(loop.accept)

    def advance(self, state: Run, ready: Ready, deadline: float) -> None:
        """Do one generation."""
        if not state.clock[0]["proposed"]:  # as solutions to start from are
            self._propose(state, ready.code, ready.kernels, self.problem.variables.shape)
        slots = state.children[state.todo[: state.clock[0]["todo"]]]
        if len(slots):
            state.fitness[slots] = self._fitness(self.problem.variables.to_vectors(state.pool[slots]))
        self._accept(state, ready.code, ready.kernels)

    def fitness(self, rows: Solutions) -> Floats:
        """The fitness of many rows, some at a time."""
        vectors = self.problem.variables.to_vectors(rows)
        return np.concatenate([self._fitness(vectors[first : first + MOST]) for first in range(0, len(rows), MOST)])

    def _fitness(self, vectors: Vector) -> Floats:
        return self._trace.fitness(vectors, lambda: fitness_of_all(self.problem, vectors))


@evaluator_of.register
def batch(how: Batch, problem: Problem) -> UserBatch:
    """The evaluator of a user's function of many vectors."""
    return UserBatch(problem)


def fitness_of_all(problem: Problem, vectors: Vector) -> Floats:
    """The fitness of many solutions. Raises EvaluationError, unless failures count as worst."""
    try:  # copies, because functions may write to what they are given
        values = problem.how(vectors.copy(), problem.variables)
        violations = None if problem.violation is None else problem.violation(vectors.copy(), problem.variables)
    except BaseException as error:  # SystemExit, CancelledError and whatever else is no Exception
        raised(error)
        if problem.on_error == "worst":
            return np.full(len(vectors), WORST)
        where = f"(the first of a batch of {len(vectors)}) " if len(vectors) > 1 else ""
        raise failure(problem, vectors[0], f"{where}raised {type(error).__name__}: {error}") from error
    returned()
    return fitness_of_values(problem, vectors, values, violations)
