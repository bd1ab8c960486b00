"""Rewards of a batch of programs by a race: all run on problems of middle size, the better half also on the smallest
and the largest.

A program that is written again gets fresh runs, up to a number, and is judged by the mean of all: what the writer
likes, it knows well.
"""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from metasmith.measuring.cache import Cache, Request
from metasmith.measuring.schedule import RUNGS, Schedule
from metasmith.measuring.scores import SHORT, Scores
from metasmith.program import Program

FIRST = 1
"""The rung that all run on.

What is good on the smallest problems need not be on large ones; the largest cost the most.
"""

FRESH = 500_000
"""Runs from this number on belong to the final race, and to no reward."""


@dataclass(frozen=True)
class Measuring:
    """How programs of a batch are measured.

    keep: the share of programs that go on from the first rung to the others; 1: all, no race.
    runs: how many a program gets on each rung it reaches. again: how often it gets them anew when it is written again.
    evaluations: those of each run; None: as many per variable as in use. instances: training problems of each size;
    None: all there are.
    """

    keep: float = 0.5
    runs: int = 3
    again: int = 4
    evaluations: int | None = None
    instances: int | None = None


@dataclass(frozen=True)
class Standing:
    """What a race found, one per program of the batch. rewards: larger is better. first: the mean worth on the first
    rung.

    finishers: the programs that reached the last rung.
    """

    rewards: list[float]
    first: list[float]
    finishers: list[Program]


def places(values: Mapping[Program, Any]) -> dict[Program, int]:
    """How many others each is better than, and how many it is no worse than, added up: equals share a place."""
    order = sorted(values.values())
    return {program: bisect_left(order, value) + bisect_right(order, value) - 1 for program, value in values.items()}


def mean_score(worth: Scores, program: Program, requests: Sequence[Request]) -> float:
    """The mean worth of a program's runs; of two alike the shorter program is better."""
    return fmean(map(worth, requests)) - SHORT * len(program.snippets)


class Rungs:
    """Cache and judges batches of programs."""

    def __init__(self, worth: Scores, measuring: Measuring, course: Schedule) -> None:
        self.worth = worth
        self.measuring = measuring
        self.course = course
        self.runs: dict[tuple[Program, int], list[Request]] = defaultdict(list)
        """By program and rung, those done."""

    def recall(self, measures: Cache) -> None:
        """Know again which runs were done, after `measures` has been told."""
        for request in measures.known:
            if request.run < FRESH:
                self.runs[request.program, request.run % RUNGS].append(request)

    def __call__(self, programs: Sequence[Program]) -> Standing:
        """Race the programs of a batch; those written twice run once."""
        different = list(dict.fromkeys(programs))
        self._measure(different, FIRST)
        keys = {program: (0, *key) for program, key in self._keys(different, [FIRST]).items()}
        left = sorted(different, key=lambda program: keys[program])[-math.ceil(self.measuring.keep * len(different)) :]
        for rung in range(RUNGS):
            if rung != FIRST:
                self._measure(left, rung)
        keys |= {program: (1, *key) for program, key in self._keys(left, range(RUNGS)).items()}
        first = [self.mean(program, FIRST) for program in programs]
        if self.measuring.keep == 1:
            return Standing([self.score(program) for program in programs], first, left)
        most = max(1, len(keys) - 1)
        rewards = {program: place / 2 / most for program, place in places(keys).items()}
        return Standing([rewards[program] for program in programs], first, left)

    def sorted(self, programs: Sequence[Program]) -> list[Program]:
        """Programs that reached the last rung, the worst first."""
        keys = self._keys(programs, range(RUNGS))
        return sorted(programs, key=lambda program: keys[program])

    def _keys(self, programs: Sequence[Program], rungs: Sequence[int]) -> dict[Program, tuple[float, float]]:
        """What programs are compared by: their places on `rungs`, all of which they have run on, then their means on
        the last.

        Places rather than means, because what a point is worth differs from size to size.
        """
        total: dict[Program, float] = defaultdict(float)
        means: dict[Program, float] = {}
        for rung in rungs:
            means = {program: self.mean(program, rung) for program in programs}
            for program, place in places(means).items():
                total[program] += self.course.weights[rung] * place
        return {program: (total[program], means[program]) for program in programs}

    def mean(self, program: Program, rung: int) -> float:
        """The mean worth of a program's runs on a rung."""
        return mean_score(self.worth, program, self.runs[program, rung])

    def score(self, program: Program) -> float:
        """The mean worth of a program that reached the last rung, over all rungs."""
        return fmean(self.mean(program, rung) for rung in range(RUNGS))

    def best(self, count: int) -> list[Program]:
        """The best of the programs that reached the last rung."""
        reached = [program for (program, rung), runs in self.runs.items() if rung == RUNGS - 1 and runs]
        return self.sorted(reached)[::-1][:count]

    def _measure(self, programs: Sequence[Program], rung: int) -> None:
        wanted = {program: self._next(program, rung) for program in programs}
        self.worth.measures.measure(request for requests in wanted.values() for request in requests)
        for program, requests in wanted.items():
            self.runs[program, rung] += [request for request in requests if request not in self.runs[program, rung]]

    def _next(self, program: Program, rung: int) -> list[Request]:
        """The runs due on a rung: fresh ones, in turns over its places, or the last again if the program had enough."""
        done, here = len(self.runs[program, rung]), self.course.rungs[rung]
        if done >= self.measuring.again * self.measuring.runs:
            return self.runs[program, rung][-self.measuring.runs :]
        numbers = range(done, done + self.measuring.runs)
        return [Request(program, here[k % len(here)], RUNGS * (k // len(here)) + rung) for k in numbers]
