"""Kinds of problems that practitioners bring, drawn at random in any size: `practice:set-cover@100#7` is set cover with
100 variables, instance 7.

On bits and on integers, with and without constraints, easy and deceptive. Instances of a kind differ in more than their
data: how many constraints, how tight, how rugged. All numbers come from `Draws`, so an instance is the same for ever.

Half of the kinds are for tuning, the other half is reported: see `Half`. The folder is scanned for a KIND.
"""

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from metasmith.problems.draws import Draws
from metasmith.problems.family import Entry, Family
from metasmith.problems.practice.kind import Half, Kind
from metasmith.problems.problem import Problem
from metasmith.problems.task import Task

__all__ = ["FAMILY", "KINDS", "Half", "Kind", "halves", "problem", "task"]

DIMENSION = 200
"""Variables of problems whose name does not say it."""

SMALLEST, LARGEST = 8, 1000

EVALUATIONS = 20_000
"""Evaluations of a run on a test problem; on training problems as many per variable as at 200 variables."""

TRAINING = {50: (11, 12, 13), 80: (14, 15, 16), 120: (17, 18, 19)}
TEST = {200: (1, 2), 300: (3,), 500: (4,)}
"""Instances of the training and of the test problems, by the number of variables."""


def _scan() -> dict[str, Kind]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    kinds: list[Kind] = [module.KIND for module in modules if hasattr(module, "KIND")]
    return {kind.name: kind for kind in sorted(kinds, key=lambda kind: kind.name)}


KINDS: dict[str, Kind] = _scan()
"""Every kind by name."""


def halves(half: Half) -> tuple[str, ...]:
    """The names of the kinds of one half."""
    return tuple(name for name, kind in KINDS.items() if kind.half == half)


@lru_cache(maxsize=512)
def problem(member: str, dimension: int | None = None, instance: int | None = None) -> Problem:
    """A problem of kind `member` with so many variables, by default 200, and an instance, by default 1."""
    n, number = DIMENSION if dimension is None else dimension, 1 if instance is None else instance
    if not SMALLEST <= n <= LARGEST:
        raise ValueError(f"practice:{member} takes from {SMALLEST} to {LARGEST} variables, got {n}")
    return KINDS[member].make(n, Draws("practice", member, n, number), f"practice:{member}@{n}#{number}")


def task(member: str) -> Task:
    """The task to train on small instances, and to be tested on larger ones."""
    training, test = (
        tuple(problem(member, n, number) for n, numbers in sizes.items() for number in numbers)
        for sizes in (TRAINING, TEST)
    )
    return Task(f"practice:{member}", training, test, EVALUATIONS)


FAMILY = Family(
    "practice",
    {
        name: Entry(f"practice:{name}", kind.title, kind.meaning, kind.optimum(DIMENSION))
        for name, kind in KINDS.items()
    },
    problem,
    task,
)
