"""The schedule: which cases there are, on which rung each is, and which are for the final race.

Rungs are numbered by cost, from 0. Use is what the algorithm is designed for: runs on the test problems, with the
evaluations of the task.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from metasmith.checks import whole_number
from metasmith.problems import Problem, Task

RUNGS = 3

SHARES = (1 / 20, 1 / 10, 1 / 5)
"""Where all training problems are of one size, runs on the rungs have these shares of the evaluations of whole runs."""

LEAST = 1000
"""The fewest evaluations of a shortened run: in fewer, large populations hardly leave their first solutions."""

RISING, EQUAL = (1, 2, 4), (1, 1, 1)
"""Weights of the rungs: if each is nearer to use than the one before, and if none is."""


@dataclass(frozen=True)
class Case:
    """A training problem, with the evaluations that a run on it has."""

    problem: Problem
    evaluations: int


@dataclass(frozen=True)
class Measuring:
    """How the programs of a batch are measured.

    keep: the share of programs that go on from the entry rung to the others; 1: all, no race.
    runs: how many a program gets on each rung it reaches, whenever it is proposed. again: how many times at most, the
    first included.
    evaluations: those of each run; None: as many per variable as in use. instances: training problems of each size at
    most; None: all there are. sizes: how many sizes at most, from the smallest to the largest; one: the nearest to use.
    shortest: the fewest evaluations of a shortened run, None: 1000; where it is given, equal cases are one.
    """

    keep: float = 0.5
    runs: int = 3
    again: int = 4
    evaluations: int | None = None
    instances: int | None = None
    sizes: int | None = None
    shortest: int | None = None

    def check(self) -> None:
        """Raise ValueError for numbers that no design can have."""
        if not 0 < self.keep <= 1:
            raise ValueError(f"keep is a share above 0, 1 at most, got {self.keep}")
        for name in ("runs", "again", "evaluations", "instances"):
            if getattr(self, name) is not None:
                whole_number(name, getattr(self, name), 1)


@dataclass(frozen=True)
class Schedule:
    """The cases by number: those of each rung, and those of the final race. weights: how much each rung counts."""

    cases: tuple[Case, ...]
    rungs: tuple[tuple[int, ...], ...]
    race: tuple[int, ...]
    weights: tuple[int, ...] = RISING

    def most(self, numbers: Sequence[int]) -> int:
        """The evaluations of a run on the most expensive of some cases."""
        return max(self.cases[number].evaluations for number in numbers)


def schedule(task: Task, measuring: Measuring) -> Schedule:
    """The cases that programs for `task` are measured on, and their order."""
    cases: list[Case] = []
    sizes, use = {problem.dimension for problem in task.training}, [problem.dimension for problem in task.test]
    chosen = sizes if measuring.sizes is None else spread(sizes, measuring.sizes, use)
    for problem in task.training:
        of_this_size = sum(case.problem.dimension == problem.dimension for case in cases)
        if problem.dimension in chosen and (measuring.instances is None or of_this_size < measuring.instances):
            cases.append(Case(problem, measuring.evaluations or task.training_evaluations(problem)))
    if len(chosen) > 1 or measuring.evaluations is not None:
        return by_size(cases, use)
    if measuring.shortest is None:
        return by_evaluations(cases)
    return merged(by_evaluations(cases, measuring.shortest))


def spread(sizes: Collection[int], count: int, use: Collection[int]) -> set[int]:
    """So many of some sizes, evenly from the smallest to the largest; one alone is the nearest to those of use."""
    order = sorted(sizes)
    if count == 1:
        return {min(order, key=lambda size: (max(min(use) - size, size - max(use), 0), -size))}
    return set(order) if count >= len(order) else {order[i * (len(order) - 1) // (count - 1)] for i in range(count)}


def by_size(cases: Sequence[Case], use: Collection[int]) -> Schedule:
    """Rungs of cases with few, more and many evaluations, as small, middle and large problems have; a race on the last.

    If there are fewer cases than rungs, some cases are on several rungs. use: the sizes of the test problems. Usually
    they are at least as large as the largest training problem. If not, no rung is nearer to use than another: all
    count the same, and the race goes down to the case whose size is nearest to the smallest test problem.
    """
    order = sorted(range(len(cases)), key=lambda number: cases[number].evaluations)
    if len(order) < RUNGS:
        rungs = [order[rung * len(order) // RUNGS :][:1] for rung in range(RUNGS)]
    else:
        bounds = [round(rung * len(order) / RUNGS) for rung in range(RUNGS + 1)]
        rungs = [order[first:last] for first, last in pairwise(bounds)]
    nearest = min(cases, key=lambda case: (abs(case.problem.dimension - min(use)), -case.evaluations))
    least = min(nearest.evaluations, *(cases[number].evaluations for number in rungs[-1]))
    race = tuple(number for number, case in enumerate(cases) if case.evaluations >= least)
    beyond = min(use) >= max(case.problem.dimension for case in cases)
    return Schedule(tuple(cases), tuple(map(tuple, rungs)), race, RISING if beyond else EQUAL)


def by_evaluations(cases: Sequence[Case], shortest: int = LEAST) -> Schedule:
    """Rungs of short, longer and long runs on the same problems, which are of one size; a race of whole runs.

    shortest: the fewest evaluations of a shortened run. Loops until a share, and until stagnation, last for a share of
    the run, so a program does much the same in a short run as in a long one.
    """
    count = len(cases)
    shorter = [
        replace(case, evaluations=min(case.evaluations, max(shortest, round(share * case.evaluations))))
        for share in SHARES
        for case in cases
    ]
    rungs = tuple(tuple(range(rung * count, (rung + 1) * count)) for rung in range(RUNGS))
    return Schedule((*shorter, *cases), rungs, tuple(range(RUNGS * count, (RUNGS + 1) * count)))


def merged(schedule: Schedule) -> Schedule:
    """The same with equal cases as one, on which the references need to run only once."""
    cases = tuple(dict.fromkeys(schedule.cases))
    number = [cases.index(case) for case in schedule.cases]
    rungs = tuple(tuple(number[each] for each in rung) for rung in schedule.rungs)
    return replace(schedule, cases=cases, rungs=rungs, race=tuple(number[each] for each in schedule.race))
