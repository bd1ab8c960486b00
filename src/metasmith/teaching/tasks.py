"""Random tasks to teach with, without end: kinds of `practice:` that settings may be tuned on, and layers of the
W-model in combinations that are no function of the PBO suite. Sizes and evaluations are random too.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from metasmith.arrays import Words
from metasmith.problems import Problem, Task
from metasmith.problems.draws import Draws
from metasmith.problems.pbo.function import Function
from metasmith.problems.practice import KINDS, halves
from metasmith.problems.practice.w_model import LAYERS, LEVELS
from metasmith.words import pack

W_SHARE = 0.4
"""The share of tasks with the W-model."""

DUMMIES = (0.0, 0.0, 0.2, 0.4)
"""Shares of the bits that do not count, each as often as it is here."""

SMALLEST = (25, 59)
"""From and to how many variables the smallest training problems have."""

GROWTH = ((1.5, 2.0), (1.4, 1.8), (1.4, 1.8))
"""How many times as many variables the problems of the next size have, between these; the last are for use."""

PER_VARIABLE = (20, 300)
"""From and to how many evaluations a run has for each variable."""

INSTANCES = 3
"""Training problems of each size."""

PLAIN = 1
PERMUTED = 51
"""Instances of PBO functions: one that keeps the order of bits, and the first that permutes them."""


@dataclass(frozen=True)
class Taught:
    """A task, and its family: of one family are tasks that know something of each other."""

    number: int
    family: str
    task: Task


def random_task(number: int) -> Taught:
    """The task of that number, always the same."""
    draws = Draws("teaching", number)
    sizes = [draws.one(*SMALLEST)]
    for low, high in GROWTH:
        sizes.append(int(sizes[-1] * draws.between(low, high)))
    per_variable = math.exp(draws.between(*map(math.log, PER_VARIABLE)))
    family, make = (w_model if draws.between(0, 1) < W_SHARE else practice)(number, draws)
    training = tuple(make(n, instance) for n in sizes[:-1] for instance in range(INSTANCES))
    task = Task(f"{family}-{number}", training, (make(sizes[-1], INSTANCES),), int(per_variable * sizes[-1]))
    return Taught(number, family, task)


Make = Callable[[int, int], Problem]
"""The problem of a size and an instance."""


def practice(number: int, draws: Draws) -> tuple[str, Make]:
    """A kind of the tuning half; the instances are others than those of its own task."""
    kinds = [kind for kind in halves("tuning") if kind != "w-model"]
    kind = kinds[draws.one(0, len(kinds) - 1)]

    def make(n: int, instance: int) -> Problem:
        return KINDS[kind].make(n, Draws("taught", kind, n, number, instance), f"{kind}@{n}#{number}-{instance}")

    return kind, make


def w_model(number: int, draws: Draws) -> tuple[str, Make]:
    """At least two layers: the PBO functions have one."""
    while True:
        layer, level = draws.one(0, len(LAYERS) - 1), draws.one(0, len(LEVELS) - 1)
        dummies = DUMMIES[draws.one(0, len(DUMMIES) - 1)]
        kernel, counted, scratch = LAYERS[layer]
        simple = kernel.__name__ in ("onemax", "leading_ones")
        if (not simple) + (level > 0) + (dummies > 0) >= 2 and not (simple and level == 0):
            break

    def mask(n: int) -> Words:
        kept = Draws("dummies", number, n).uniform(1, n) >= dummies
        kept[0, 0] = True  # no mask is empty
        return counted(n) & pack(kept)

    family = f"{kernel.__name__}-{LEVELS[level].__name__}"
    function = Function(family, family, family, kernel, mask if dummies else counted, LEVELS[level], scratch=scratch)
    return family, lambda n, instance: function.at(n, PERMUTED + instance if instance else PLAIN)
