"""Whether users' compiled functions keep to the bounds of arrays: asked at a few solutions, before anything else.

At full speed nobody looks at indices: a function that reads beyond an array goes on with whatever is there.
"""

import os
import time
from collections.abc import Hashable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, cast
from weakref import WeakSet

import numba
import numpy as np
from numba.core import config
from numba.core.dispatcher import Dispatcher

from metasmith.arrays import Floats, Solutions
from metasmith.chance import seeded
from metasmith.engine.compile import COMPILING, compiled, vector_objective
from metasmith.engine.evaluators.fitness import EvaluationError, Vector, failure
from metasmith.engine.evaluators.trace import TimeUpError, Trace
from metasmith.problems import Compiled, Problem
from metasmith.representations import Variables

SOLUTIONS = 16
"""How many solutions the functions of a problem are asked about."""

ENOUGH = 1.0
"""Seconds after which no more are asked about."""

OUT_OF_BOUNDS = "index is out of bounds"
"""What numba says where it checks indices. What functions raise by themselves is an ordinary failure."""

CHECKED: WeakSet[Problem] = WeakSet()
"""Problems in use that were checked in this process, and whose functions kept to the bounds."""


def can_be_checked(problem: Problem) -> bool:
    """Whether a problem has a compiled function of the user's; plain Python checks every index."""
    return isinstance(problem.how, Compiled) and not config.DISABLE_JIT


def check_here(problem: Problem) -> None:
    """Raise EvaluationError if a function of a problem goes beyond an array; called in this process, and once."""
    if problem not in CHECKED and can_be_checked(problem):
        if what := mistake(problem, solutions(problem.variables)):
            raise EvaluationError(what)
        CHECKED.add(problem)


def solutions(variables: Variables) -> Vector:
    """The solutions to ask about, random but always the same, (solutions, variables)."""
    rows: Solutions = np.zeros((SOLUTIONS, variables.width), variables.cell)
    with COMPILING:
        fresh = compiled(type(variables).fresh)
    fresh(rows, np.arange(SOLUTIONS), variables.shape, seeded("bounds"))
    return variables.to_vectors(rows)


def mistake(problem: Problem, vectors: Vector) -> str:
    """At which solution a function goes beyond an array, in a line; empty if that happens at none of the vectors."""
    asked = {"the value": problem.how, "the violation": problem.violation}
    compiled_ones = {subject: how.function for subject, how in asked.items() if isinstance(how, Compiled)}
    vector = cast(Hashable, problem.variables.vector)
    with COMPILING:
        functions = [checking(function, vector) for function in compiled_ones.values()]
    trace, begun = Trace(problem.variables), time.perf_counter()
    with suppress(TimeUpError):
        for x in vectors:
            if number := int(max(0, trace.fitness(x[None], partial(first_beyond, functions, x))[0])):
                what = "indexes an array out of bounds, which is not noticed at full speed; mend the function"
                return str(failure(problem, x, what, "", list(compiled_ones)[number - 1]))
            if time.perf_counter() - begun > ENOUGH:
                break
    return ""


def first_beyond(functions: Sequence[Any], x: Vector) -> Floats:
    """The number, from 1, of the first function that goes beyond an array at a solution; 0 if none does."""
    for number, function in enumerate(functions, start=1):
        try:
            function(x.copy())  # functions may write to what they get
        except Exception as error:  # other errors are for the runs, which may never come here
            if isinstance(error, IndexError) and OUT_OF_BOUNDS in str(error):
                return np.array([float(number)])
    return np.zeros(1)


def checking(function: Any, vector: Hashable) -> Any:
    """A user's function of a vector, compiled so that indices are checked: all of them after `check_all_indices`,
    otherwise those in the function itself, not those in functions that it calls.
    """
    if not config.BOUNDSCHECK and isinstance(function, Dispatcher):
        options = {**function.targetoptions, "boundscheck": True}
        function = numba.jit(locals=function.locals, **options)(function.py_func)
    return vector_objective(function, vector)


def check_all_indices() -> None:
    """Have every function that is compiled from now on check its indices, and none kept on disk. There is no way back:
    this is for a process that does nothing else.
    """
    os.environ["NUMBA_BOUNDSCHECK"] = "1"
    config.reload_config()
    Dispatcher.enable_caching = lambda self: None  # a function compiled without checks would be taken, or one with kept
