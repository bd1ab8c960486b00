"""Users' numba functions of a vector: called inside the compiled loop by their address, after the row is unpacked."""

from collections.abc import Hashable
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Floats, Solutions, Tables, Words
from metasmith.engine.by_reference import Reference
from metasmith.engine.call import address, call, call_float, call_quietly, table_of_addresses
from metasmith.engine.compile import COMPILING, objective, unpack, vector_objective
from metasmith.engine.evaluators import trace
from metasmith.engine.evaluators.bounds import check_here
from metasmith.engine.evaluators.contract import evaluator_of
from metasmith.engine.evaluators.fitness import EvaluationError, Vector, failure
from metasmith.engine.evaluators.sliced import Sliced, fitness_by
from metasmith.engine.evaluators.trace import (
    HALTED,
    HEAD,
    INSIDE,
    VARIABLES,
    note,
    recalled,
    stop_if_halted,
    to_recall,
    words_for,
)
from metasmith.engine.loop import WORST, Evaluation, Run, as_fitness
from metasmith.problems import Compiled, Problem

FUNCTION, VIOLATION, UNPACK = 0, 1, 2
"""Positions of addresses in `tables.numbers`; the address of no function is 0."""

SIGN, WHEN_FAILED = 0, 1
"""Positions in `tables.reals`."""

RAISE, COUNT_AS_WORST, NOT_A_NUMBER = 0.0, 1.0, 2.0
"""What to do when the function fails."""


COMPILED: WeakKeyDictionary[Compiled, dict[Hashable, Any]] = WeakKeyDictionary()
"""Users' functions as the loop calls them, of the problems in use, by the type of their vectors."""


class UserCompiled(Sliced):
    """Calls a user's numba function, and that for violated constraints if there is one.

    Where nothing is isolated, it is checked first that they keep to the bounds of arrays.
    """

    def __init__(self, how: Compiled, problem: Problem) -> None:
        if trace.here is None:  # isolated processes are asked for it by who sends them work
            check_here(problem)
        kind, vector = type(problem.variables), cast(Hashable, problem.variables.vector)
        kernel = value_of_floats if np.dtype(problem.variables.vector) == np.float64 else value_of_integers
        with COMPILING:
            self._functions = [_compiled(how, vector)]
            if isinstance(problem.violation, Compiled):
                self._functions.append(_compiled(problem.violation, vector))
            self._addresses = [*[*map(address, self._functions), 0][:2], unpack(kind)]
            self._value = objective(kernel, kind)
        tolerant = COUNT_AS_WORST if problem.on_error == "worst" else RAISE
        self._work = words_for(problem.variables)
        super().__init__(problem, *self._evaluation(problem, tolerant), length=10)

    def _evaluation(self, problem: Problem, when_failed: float) -> tuple[Evaluation, Reference]:
        sign = 1.0 if problem.maximise else -1.0
        reference = Reference(table_of_addresses(self._addresses, [sign, when_failed]))
        return Evaluation(self._value, 0, reference.pointer, self._work, 1.0, problem.variables.cells), reference

    def complain(self, state: Run) -> None:
        """Raise the error of a value that is not a number, unless the time was up."""
        stop_if_halted(self._work)
        super().complain(state)

    def fitness(self, rows: Solutions) -> Floats:
        """The fitness of many rows, asked for without raising; then the first failure is asked for once more, to say
        why.
        """
        evaluation, _tables = self._evaluation(self.problem, NOT_A_NUMBER)
        fitness = fitness_by(evaluation, rows)
        bad = np.isnan(fitness)
        if bad.any() and self.problem.on_error == "stop":
            raise self._why(self.problem.variables.to_vectors(rows[bad][:1])[0])
        fitness[bad] = WORST
        return fitness

    def _why(self, vector: Vector) -> EvaluationError:
        try:
            self.problem.values(vector[None])
            self.problem.violations(vector[None])
        except Exception as error:
            return failure(self.problem, vector, f"raised {type(error).__name__}: {error}")
        return failure(self.problem, vector, "is not a number (NaN)")


def _compiled(how: Compiled, vector: Hashable) -> Any:
    """A user's function as the loop calls it, compiled once for as long as its problem lives."""
    by_type = COMPILED.setdefault(how, {})
    if vector not in by_type:
        by_type[vector] = vector_objective(how.function, vector)
    return by_type[vector]


@evaluator_of.register
def compiled(how: Compiled, problem: Problem) -> UserCompiled:
    """The evaluator of a user's numba function."""
    return UserCompiled(how, problem)


def value_of_integers(row: Solutions, tables: Tables, work: Words) -> float:
    """The fitness of a row by a function of an int64 vector."""
    return value_of_vector(row, work.view(np.int64), tables, work)


def value_of_floats(row: Solutions, tables: Tables, work: Words) -> float:
    """The fitness of a row by a function of a float64 vector."""
    return value_of_vector(row, work.view(np.float64), tables, work)


@register_jitable
def value_of_vector(row: Solutions, values: Solutions, tables: Tables, work: Words) -> float:
    """The fitness of a row. values: the trace as numbers of the vector's type.

    The vector is written anew for each function, because functions may write to what they get.
    """
    if to_recall(work):
        return recalled(work)
    head, numbers, when_failed = work.view(np.int64), tables.numbers, tables.reals[WHEN_FAILED]
    if head[HALTED]:
        return np.nan
    vector = values[HEAD : HEAD + head[VARIABLES]]
    call(numbers[UNPACK], row, vector)
    head[INSIDE] = 1
    value = called(numbers[FUNCTION], vector, when_failed)
    violated = 0.0
    if numbers[VIOLATION]:
        call(numbers[UNPACK], row, vector)
        violated = called(numbers[VIOLATION], vector, when_failed)
    head[INSIDE] = 0
    fitness = as_fitness(tables.reals[SIGN] * value, violated)
    if fitness != fitness and when_failed == COUNT_AS_WORST:
        fitness = WORST
    note(work, fitness)
    return fitness


@register_jitable
def called(function: int, vector: Solutions, when_failed: float) -> float:
    """What a function says of a vector; where it raises, that is raised, or the value is not a number."""
    if when_failed == RAISE:
        return call_float(function, vector)
    return call_quietly(function, vector)
