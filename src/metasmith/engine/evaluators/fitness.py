"""Between values of a problem and fitness, the number that solutions are compared by; and what to say of failures."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from metasmith.arrays import Floats
from metasmith.engine.loop import INFEASIBLE, WORST, as_fitness
from metasmith.problems import Problem

Vector = NDArray[Any]
ADVICE = "Problem(..., on_error='worst')"


class EvaluationError(RuntimeError):
    """A problem's function failed: says on which input and how."""


def fitness_of_values(
    problem: Problem, vectors: Vector, values: Floats, violations: Floats | None = None, *, advice: str = ADVICE
) -> Floats:
    """The fitness that values and violations amount to, one per vector.

    Raises EvaluationError for one that is no number.
    """
    violated = np.zeros(len(values)) if violations is None else violations
    sign = 1.0 if problem.maximise else -1.0
    fitness = np.array([as_fitness(sign * value, each) for value, each in zip(values, violated, strict=True)])
    bad = np.isnan(fitness)
    if bad.any():
        if problem.on_error == "stop":
            raise failure(problem, vectors[int(np.argmax(bad))], "is not a number (NaN)", advice)
        fitness[bad] = WORST
    return fitness


def failure(
    problem: Problem, vector: Vector, what: str, advice: str = ADVICE, subject: str = "the value"
) -> EvaluationError:
    """The error of an evaluation. what: what the subject at the vector is or did. advice: how to go on past it."""
    x = np.array2string(vector, threshold=12, edgeitems=5, separator=", ", max_line_width=10_000)
    message = " ".join(f"{problem.name}: {subject} at x = {x} {what}".split())
    return EvaluationError(f"{message}; {advice} goes on past such inputs" if advice else message)


def problem_values(problem: Problem, fitness: Floats) -> Floats:
    """Fitness as values of the problem; what has none, because it failed or is infeasible, is the worst infinity."""
    values = np.where(fitness >= -WORST, np.inf, fitness)
    return np.where(fitness <= INFEASIBLE, -np.inf, values) * (1.0 if problem.maximise else -1.0)
