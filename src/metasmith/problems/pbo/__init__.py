"""The 23 pseudo-Boolean functions of the PBO suite (Doerr et al. 2020), all maximised, with their instances 1 to 100.

One file per idea; a file's FUNCTIONS are found. They equal those of the `ioh` package.
"""

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from metasmith.problems.family import Entry, Family
from metasmith.problems.pbo.function import Function
from metasmith.problems.problem import Problem
from metasmith.problems.task import Task

DIMENSION = 625
EVALUATIONS = 50_000
TRAINING = {100: (61, 11, 62), 225: (63, 12, 64), 400: (65, 13, 66)}
"""Instances to learn from, by dimension.

Most are reordered, so that the order of the bits cannot be exploited; one keeps the order, with some bits inverted, so
that no design relies on their being out of order either.
"""
TEST = (1, 51, 52)


def _scan() -> dict[str, Function]:
    found: list[Function] = []
    for module in iter_modules(__path__):
        found += getattr(import_module(f"{__name__}.{module.name}"), "FUNCTIONS", [])
    return {function.name: function for function in sorted(found, key=lambda function: int(function.name[1:]))}


FUNCTIONS: dict[str, Function] = _scan()
"""Every function by name, F1 to F23."""


@lru_cache(maxsize=512)
def problem(member: str, dimension: int | None = None, instance: int | None = None) -> Problem:
    """Function `member` at a dimension, 625 unless said, and an instance, 1 unless said."""
    return FUNCTIONS[member].at(DIMENSION if dimension is None else dimension, 1 if instance is None else instance)


def task(member: str) -> Task:
    """Learn on small transformed instances, be judged at dimension 625."""
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
