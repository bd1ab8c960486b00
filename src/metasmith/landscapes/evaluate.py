"""The values of a sample, whatever kind of function the problem has, and the same made comparable."""

import numpy as np

from metasmith.arrays import Floats, Solutions
from metasmith.engine.evaluators import evaluator
from metasmith.engine.evaluators.fitness import problem_values
from metasmith.engine.isolation import call
from metasmith.problems import Native, Problem

LARGEST = 1e30
"""Values beyond are taken for this, so that their squares are still numbers."""


def evaluate(problem: Problem, rows: Solutions) -> Floats:
    """The value of each row; the worst infinity where it failed, if that is allowed, or violates the constraints."""
    fitness: Floats = call(problem, _fitness, rows, evaluations=len(rows))
    if isinstance(problem.how, Native):  # its values have no bounds that fitness must keep
        return fitness if problem.maximise else -fitness
    return problem_values(problem, fitness)


def _fitness(problem: Problem, rows: Solutions) -> Floats:
    return evaluator(problem).fitness(rows)


def minimised(problem: Problem, values: Floats) -> Floats:
    """Values as the factors are computed from: less is better, all finite, the scaling of an instance undone.

    What has no value, because it failed or is infeasible, counts as the worst that has one.
    """
    a, b = problem.scale
    y = (b - values) / a if problem.maximise else (values - b) / a
    finite = np.isfinite(y)
    worst = y[finite].max() if finite.any() else 0.0
    return np.clip(np.where(finite, y, worst), -LARGEST, LARGEST)
