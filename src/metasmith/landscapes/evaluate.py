"""The values of a sample, whatever kind of function the problem has, and the same made comparable."""

from collections.abc import Hashable
from typing import Any, cast

import numpy as np

from metasmith.arrays import Floats, Indices, Solutions, Words
from metasmith.engine.by_reference import Reference
from metasmith.engine.call import address, call, call_float, call_quietly
from metasmith.engine.compile import objective, unpack, vector_objective
from metasmith.engine.loop import as_fitness
from metasmith.engine.run import COMPILING, fitness_of, fitness_of_all, problem_values
from metasmith.landscapes.kernels import kernel
from metasmith.problems import Batch, Compiled, Native, Plain, Problem

BATCH = 1000
"""Vectors that a user's function of many vectors is given at once."""

LARGEST = 1e30
"""Values beyond are taken for this, so that their squares are still numbers."""


def evaluate(problem: Problem, rows: Solutions) -> Floats:
    """The value of each row; the worst infinity where it failed, if the problem says so, or violates the constraints."""
    variables, sign = problem.variables, 1.0 if problem.maximise else -1.0
    representation, found = cast(Hashable, type(variables)), np.empty(len(rows))
    match problem.how:
        case Native(compute, tables, work):
            known = Reference(tables)
            with COMPILING:
                value = objective(compute, representation)
            kernel(evaluate_rows)(rows, value, known.given, np.zeros(work, np.uint64), found)
            return found
        case Compiled(function):
            with COMPILING:
                value, vectors = address(vector_objective(function)), unpack(representation)
                violation = (
                    address(vector_objective(problem.violation.function))
                    if isinstance(problem.violation, Compiled)
                    else 0
                )
            kernel(evaluate_vectors)(rows, vectors, value, violation, np.zeros(variables.n, np.int64), sign, found)
            failed = np.isnan(found)
            if failed.any() and problem.on_error == "stop":
                fitness_of_all(problem, variables.to_vectors(rows[failed][:1]))  # raises, and says what is wrong
            found[failed] = -np.inf
        case Plain():
            found[:] = [fitness_of(problem, vector) for vector in variables.to_vectors(rows)]
        case Batch():
            for first in range(0, len(rows), BATCH):
                found[first : first + BATCH] = fitness_of_all(
                    problem, variables.to_vectors(rows[first : first + BATCH])
                )
    return problem_values(problem, found)


def minimised(problem: Problem, values: Floats) -> Floats:
    """Values as the factors are computed from: less is better, all finite, the scaling of an instance undone.

    What has no value, because it failed or is infeasible, counts as the worst that has one.
    """
    a, b = problem.scale
    y = (b - values) / a if problem.maximise else (values - b) / a
    finite = np.isfinite(y)
    worst = y[finite].max() if finite.any() else 0.0
    return np.clip(np.where(finite, y, worst), -LARGEST, LARGEST)


def evaluate_rows(rows: Solutions, objective: int, tables: Any, work: Words, found: Floats) -> None:
    """The value of each row by a built-in problem's kernel."""
    for i in range(len(rows)):
        found[i] = call_float(objective, rows[i], tables, work)


def evaluate_vectors(
    rows: Solutions, unpack: int, objective: int, violation: int, vector: Indices, sign: float, found: Floats
) -> None:
    """The fitness of each row by a user's compiled function; not a number where it fails. violation:

    0 without constraints.
    """
    for i in range(len(rows)):
        call(unpack, rows[i], vector)
        value = sign * call_quietly(objective, vector)
        violated = 0.0
        if violation:
            call(unpack, rows[i], vector)  # again, because functions may write to what they are given
            violated = call_quietly(violation, vector)
        found[i] = as_fitness(value, violated)
