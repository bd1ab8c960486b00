"""Built-in problems: their kernels are called inside the compiled loop, with the row as it is."""

from weakref import WeakKeyDictionary

import numpy as np

from metasmith.arrays import Floats, Solutions
from metasmith.engine.apart import apart
from metasmith.engine.by_reference import Reference
from metasmith.engine.compile import COMPILING, objective, update
from metasmith.engine.evaluators.contract import evaluator_of
from metasmith.engine.evaluators.sliced import Sliced
from metasmith.engine.loop import Evaluation
from metasmith.problems import Native, Problem

FIRST, STEPS = 5000, 10**9
"""Evaluations of a first slice at most, and steps: an evaluation takes at most about as many as there are pairs of
variables.
"""

REFERENCES: WeakKeyDictionary[Native, Reference] = WeakKeyDictionary()
"""References to the tables of problems in use: to describe them anew would take a tenth of the start of a run."""


@evaluator_of.register
def builtin(how: Native, problem: Problem) -> Sliced:
    """The evaluator of a built-in problem."""
    return _sliced(how, problem, 1.0 if problem.maximise else -1.0)


def values_of(how: Native, problem: Problem, rows: Solutions) -> Floats:
    """What another kernel of a built-in problem says of rows, such as how much they violate its constraints."""
    return _sliced(how, problem, 1.0).fitness(rows)


def _sliced(how: Native, problem: Problem, sign: float) -> Sliced:
    representation = type(problem.variables)
    tables = REFERENCES.get(how) or REFERENCES.setdefault(how, Reference(how.tables))
    with COMPILING:
        value = objective(how.kernel, representation)
        from_parent = 0 if how.update is None else update(how.update, representation)
    work = apart(work=((how.work,), np.uint64))["work"]
    evaluation = Evaluation(value, from_parent, tables.pointer, work, sign, problem.variables.cells)
    return Sliced(problem, evaluation, tables, max(10, min(FIRST, STEPS // problem.dimension**2)))
