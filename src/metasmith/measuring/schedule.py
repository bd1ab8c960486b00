"""The schedule: the cases that programs run on, in rungs of rising cost for a batch, and those of the final race."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from metasmith.problems import Problem, Task

RUNGS = 3

SHARES = (1 / 20, 1 / 10, 1 / 5)
"""Shares of the evaluations of use that a run has on each rung, where all training problems are of one size."""

LEAST = 1000
"""The fewest evaluations of a shortened run: in fewer, large populations hardly leave their first solutions."""

NEARER, ALIKE = (1, 2, 4), (1, 1, 1)
"""Weights of the rungs if each is nearer to use than the one before, and if none is."""


@dataclass(frozen=True)
class Case:
    """A training problem, with the evaluations that a run on it has."""

    problem: Problem
    evaluations: int


@dataclass(frozen=True)
class Measuring:
    """How the programs of a batch are measured.

    keep: the share of programs that go on from the first rung to the others; 1: all, no race.
    runs: how many a program gets on each rung it reaches. again: how often it gets them anew when it is proposed again.
    evaluations: those of each run; None: as many per variable as in use. instances: training problems of each size;
    None: all there are.
    """

    keep: float = 0.5
    runs: int = 3
    again: int = 4
    evaluations: int | None = None
    instances: int | None = None


@dataclass(frozen=True)
class Schedule:
    """The cases by number: those of each rung, and those of the final race. weights: how much each rung counts."""

    cases: tuple[Case, ...]
    rungs: tuple[tuple[int, ...], ...]
    race: tuple[int, ...]
    weights: tuple[int, ...] = NEARER

    def most(self, numbers: Sequence[int]) -> int:
        """The evaluations of a run on the most expensive of some cases."""
        return max(self.cases[number].evaluations for number in numbers)


def schedule(task: Task, measuring: Measuring) -> Schedule:
    """The cases that programs for `task` are measured on, and their order."""
    cases: list[Case] = []
    for problem in task.training:
        alike = sum(case.problem.dimension == problem.dimension for case in cases)
        if measuring.instances is None or alike < measuring.instances:
            cases.append(Case(problem, measuring.evaluations or task.training_evaluations(problem)))
    one_size = len({case.problem.dimension for case in cases}) == 1
    if one_size and measuring.evaluations is None:
        return by_evaluations(cases)
    return by_size(cases, [problem.dimension for problem in task.test])


def by_size(cases: Sequence[Case], use: Collection[int]) -> Schedule:
    """Rungs of small, middle and large problems, and a final race on the large ones.

    If there are fewer cases than rungs, some cases are on several rungs.

    use: the sizes of the problems that the program is for. If some are smaller than the largest cases, all rungs count
    the same, and the race is also on the case nearest to the smallest of them and on all that are larger.
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
    return Schedule(tuple(cases), tuple(map(tuple, rungs)), race, NEARER if beyond else ALIKE)


def by_evaluations(cases: Sequence[Case]) -> Schedule:
    """Rungs of runs with few, more and many evaluations on problems of one size, and a final race with all of them.

    Loops are told how long to last in shares of the run, so a program does much the same in a short run as in a long
    one.
    """
    count = len(cases)
    shorter = [
        replace(case, evaluations=min(case.evaluations, max(LEAST, round(share * case.evaluations))))
        for share in SHARES
        for case in cases
    ]
    rungs = tuple(tuple(range(rung * count, (rung + 1) * count)) for rung in range(RUNGS))
    return Schedule((*shorter, *cases), rungs, tuple(range(RUNGS * count, (RUNGS + 1) * count)))
