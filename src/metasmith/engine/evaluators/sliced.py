"""Compiled runs in slices: the loop comes up for air about every twentieth of a second, whatever it evaluates by."""

import time
from typing import cast

import numpy as np

from metasmith.arrays import Floats, Solutions
from metasmith.engine import loop
from metasmith.engine.by_reference import Reference
from metasmith.engine.compile import COMPILING, compiled
from metasmith.engine.evaluators.contract import Ready
from metasmith.engine.evaluators.fitness import EvaluationError, Vector, failure
from metasmith.engine.loop import Evaluation, Run
from metasmith.problems import Problem

SLICE_SECONDS = 0.05
"""Time limits and interruptions hold to within this time, or one evaluation of a user's function."""


class Sliced:
    """Takes runs on by the compiled loop, in slices of as many evaluations as take SLICE_SECONDS.

    length: evaluations of the first slice. tables: kept here for as long as the loop points to them.
    """

    def __init__(self, problem: Problem, evaluation: Evaluation, tables: Reference, length: int) -> None:
        self.problem = problem
        self.evaluation = evaluation
        self.length = length
        self._tables = tables
        self._shape = problem.variables.shape
        with COMPILING:
            self._loop = compiled(loop.advance)

    def advance(self, state: Run, ready: Ready, deadline: float) -> None:
        """Do one slice. It may end within a generation."""
        clock, begun = state.clock[0], time.perf_counter()
        until = int(clock["spent"]) + int(clock["done"]) + self.length
        try:
            self._loop(state, ready.code, ready.kernels, self._shape, self.evaluation, until)
        except EvaluationError:
            raise
        except Exception as error:
            raise failure(self.problem, self.next_child(state), f"raised {type(error).__name__}: {error}") from error
        if clock["failed"]:
            self.complain(state)
        share = SLICE_SECONDS / max(1e-9, time.perf_counter() - begun)
        self.length = max(1, int(self.length * min(8.0, share)))

    def complain(self, state: Run) -> None:
        """Raise the error of a value that is not a number."""
        raise failure(self.problem, self.next_child(state), "is not a number (NaN)")

    def next_child(self, state: Run) -> Vector:
        """The child that is to be evaluated next, or could not be."""
        slot = state.children[state.todo[state.clock[0]["done"]]]
        return cast(Vector, self.problem.variables.to_vectors(state.pool[slot][None])[0])

    def fitness(self, rows: Solutions) -> Floats:
        """The fitness of many rows; not a number where an evaluation fails."""
        return fitness_by(self.evaluation, rows)


def fitness_by(evaluation: Evaluation, rows: Solutions) -> Floats:
    """The fitness of many rows by the compiled loop."""
    fitness = np.empty(len(rows))
    with COMPILING:
        evaluate = compiled(loop.evaluate_rows)
    evaluate(rows, evaluation, fitness)
    return fitness
