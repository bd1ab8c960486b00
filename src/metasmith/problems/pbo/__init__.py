"""The 23 pseudo-Boolean functions of the PBO suite (Doerr et al. 2020), all maximised, with their instances 1 to 100.

Their values equal those of the `ioh` package. The folder is scanned for FUNCTIONS.
"""

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from metasmith.problems.family import Entry, Family
from metasmith.problems.pbo.function import Function
from metasmith.problems.problem import Problem
from metasmith.problems.task import Task

DIMENSION = 625
"""Dimension of the test problems, the paper's, and of problems whose name does not say it."""

EVALUATIONS = 50_000
"""Evaluations of a run in the paper."""

TRAINING = {100: (61, 11, 62), 225: (63, 12, 64), 400: (65, 13, 66)}
"""Instances of the training problems, by dimension.

Instances from 51 on permute the bits, so that no design exploits their order; one in three keeps the order and inverts
some bits, so that no design relies on a permutation either.
"""

TEST = (1, 51, 52)
"""Instances of the test problems."""


def _scan() -> dict[str, Function]:
    functions: list[Function] = []
    for module in iter_modules(__path__):
        functions += getattr(import_module(f"{__name__}.{module.name}"), "FUNCTIONS", [])
    return {function.name: function for function in sorted(functions, key=lambda function: int(function.name[1:]))}


FUNCTIONS: dict[str, Function] = _scan()
"""Every function by name, F1 to F23."""


@lru_cache(maxsize=512)
def problem(member: str, dimension: int | None = None, instance: int | None = None) -> Problem:
    """Function `member` at a dimension, by default 625, and an instance, by default 1."""
    return FUNCTIONS[member].at(DIMENSION if dimension is None else dimension, 1 if instance is None else instance)


def task(member: str) -> Task:
    """The task to train on small transformed instances of a function, and to test at dimension 625."""
    training = tuple(
        problem(member, dimension, number) for dimension, numbers in TRAINING.items() for number in numbers
    )
    test = tuple(problem(member, DIMENSION, number) for number in TEST)
    return Task(f"pbo:{member}", training, test, EVALUATIONS)


FAMILY = Family(
    "pbo",
    {name: Entry(f"pbo:{name}", f.title, f.meaning, f.optimum(DIMENSION)) for name, f in FUNCTIONS.items()},
    problem,
    task,
)
