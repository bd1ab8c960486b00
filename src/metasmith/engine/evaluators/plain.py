"""Users' Python functions of one vector: the compiled loop calls them back through a C function."""

import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numba
import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Floats, Solutions, Tables, Words
from metasmith.engine.by_reference import Reference
from metasmith.engine.call import call, call_back, table_of_addresses
from metasmith.engine.compile import COMPILING, objective, unpack
from metasmith.engine.evaluators.contract import Ready, evaluator_of
from metasmith.engine.evaluators.fitness import Vector, failure
from metasmith.engine.evaluators.sliced import Sliced
from metasmith.engine.evaluators.trace import (
    ANSWER,
    HALTED,
    HEAD,
    INSIDE,
    VARIABLES,
    Trace,
    note,
    raised,
    recalled,
    returned,
    stop_if_halted,
    to_recall,
    words_for,
)
from metasmith.engine.loop import WORST, Evaluation, Run, as_fitness
from metasmith.problems import Plain, Problem
from metasmith.problems.problem import number

CALLBACK, UNPACK = 0, 1
"""Positions of addresses in `tables.numbers`."""


class UserPlain(Sliced):
    """Calls a user's Python function for the fitness of the vector that the loop has written, until a deadline."""

    def __init__(self, problem: Problem) -> None:
        kind, vector = type(problem.variables), problem.variables.vector
        self._called = Called(problem)
        kernel = called_with_floats if np.dtype(vector) == np.float64 else called_with_integers
        with COMPILING:
            value, rows = objective(kernel, kind), unpack(kind)
        reference = Reference(table_of_addresses([self._called.address, rows]))
        evaluation = Evaluation(value, 0, reference.pointer, self._called.work, 1.0, problem.variables.cells)
        super().__init__(problem, evaluation, reference, length=10)

    def advance(self, state: Run, ready: Ready, deadline: float) -> None:
        """Do one slice; at least one evaluation of it, then as many as the deadline leaves."""
        self._called.deadline, self._called.first = deadline, True
        with self._called.listening():
            super().advance(state, ready, deadline)

    def complain(self, state: Run) -> None:
        """Raise what the function raised; if nothing, the time was up."""
        state.clock[0]["failed"] = 0
        if self._called.error is not None:
            raise self._called.error
        stop_if_halted(self._called.work)

    def fitness(self, rows: Solutions) -> Floats:
        """The fitness of many rows, one after the other."""
        trace = Trace(self.problem.variables)
        return np.array(
            [
                trace.fitness(vector[None], partial(_alone, self.problem, vector))[0]
                for vector in self.problem.variables.to_vectors(rows)
            ]
        )


@evaluator_of.register
def plain(how: Plain, problem: Problem) -> UserPlain:
    """The evaluator of a user's Python function."""
    return UserPlain(problem)


class Called:
    """A user's Python function as the compiled loop calls it back, through the C function at `address`.

    It puts the fitness of `vector` into `answer`; and leaves that alone, not a number, once the deadline has passed,
    and after an error, which is kept in `error`. Both lie in `work`, the trace of the run.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.deadline = np.inf
        self.first = True
        self.error: BaseException | None = None
        self.inside = False
        self.work = words_for(problem.variables)
        self.answer = self.work[ANSWER : ANSWER + 1].view(np.float64)
        self.vector = self.work[HEAD : HEAD + problem.variables.n].view(problem.variables.vector)
        self._callback = ctypes.CFUNCTYPE(None)(self)
        self.address: Any = self
        if not numba.config.DISABLE_JIT:
            self.address = ctypes.cast(self._callback, ctypes.c_void_p).value

    def __call__(self) -> None:
        try:
            self.inside = True
            if self.error is None and (self.first or time.perf_counter() < self.deadline):
                self.first = False  # one evaluation is always done
                self.answer[0] = fitness_of(self.problem, self.vector)
            self.inside = False
        except BaseException as error:  # an interruption too: no exception may pass through compiled code
            self.inside = False
            self.error = error

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Meanwhile Ctrl-C interrupts the user's function, but never compiled code, through which no exception can
        pass.
        """
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
            yield
            return
        signal.signal(signal.SIGINT, self._interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _interrupt(self, signal_number: int, frame: Any) -> None:
        if self.inside:
            raise KeyboardInterrupt
        self.error = KeyboardInterrupt()


def fitness_of(problem: Problem, vector: Vector) -> float:
    """The fitness of one solution. Raises EvaluationError, unless failures count as worst."""
    assert isinstance(problem.how, Plain)
    try:  # a copy each, because functions may write to what they are given, and keep it
        value = number(problem.how.function(vector.copy()))
        violation = number(problem.violation.function(vector.copy())) if isinstance(problem.violation, Plain) else 0.0
    except BaseException as error:  # SystemExit, CancelledError and whatever else is no Exception
        raised(error)
        if problem.on_error == "worst":
            return WORST
        raise failure(problem, vector, f"raised {type(error).__name__}: {error}") from error
    returned()
    fitness = as_fitness(value if problem.maximise else -value, violation)
    if fitness != fitness:
        if problem.on_error == "worst":
            return WORST
        raise failure(problem, vector, "is not a number (NaN)")
    return float(fitness)


def _alone(problem: Problem, vector: Vector) -> Floats:
    return np.array([fitness_of(problem, vector)])


def called_with_integers(row: Solutions, tables: Tables, work: Words) -> float:
    """The fitness of a row by a Python function of an int64 vector."""
    return called_with(row, work.view(np.int64), tables, work)


def called_with_floats(row: Solutions, tables: Tables, work: Words) -> float:
    """The fitness of a row by a Python function of a float64 vector."""
    return called_with(row, work.view(np.float64), tables, work)


@register_jitable
def called_with(row: Solutions, values: Solutions, tables: Tables, work: Words) -> float:
    """Write the vector, call back, and read the answer. values: the trace as numbers of the vector's type."""
    if to_recall(work):
        return recalled(work)
    head, answer = work.view(np.int64), work[ANSWER : ANSWER + 1].view(np.float64)
    answer[0] = np.nan
    if head[HALTED]:
        return answer[0]
    call(tables.numbers[UNPACK], row, values[HEAD : HEAD + head[VARIABLES]])
    head[INSIDE] = 1
    call_back(tables.numbers[CALLBACK])
    head[INSIDE] = 0
    if answer[0] == answer[0]:
        note(work, answer[0])
    return answer[0]
