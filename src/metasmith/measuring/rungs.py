"""Rungs: rewards of a batch of programs by a race. All run on problems of middle size, the better half also on others.

A program that is proposed again gets fresh runs, up to a number, and is judged by the mean of all: what a designer
likes is known well.
"""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from metasmith.measuring.cache import Request
from metasmith.measuring.schedule import RUNGS, Measuring, Schedule
from metasmith.measuring.scores import SHORT, Scores
from metasmith.program import Program

FIRST = 1
"""The rung that all run on: small problems say little of large ones, and the largest cost the most."""

OTHERS = tuple(rung for rung in range(RUNGS) if rung != FIRST)


@dataclass(frozen=True)
class BatchResult:
    """What came of a batch, one number per program of it, and the programs that reached the last rung.

    rewards: larger is better. first: the mean score on the first rung.
    """

    rewards: list[float]
    first: list[float]
    finishers: list[Program]


def ranks(values: Mapping[Program, Any]) -> dict[Program, int]:
    """How many others each is better than, and how many it is no worse than, added up: equals share a rank."""
    order = sorted(values.values())
    return {program: bisect_left(order, value) + bisect_right(order, value) - 1 for program, value in values.items()}


def mean_score(scores: Scores, program: Program, requests: Sequence[Request]) -> float:
    """The mean score of a program's runs; of two alike the shorter program is better."""
    return fmean(map(scores, requests)) - SHORT * len(program.snippets)


def cost(schedule: Schedule, measuring: Measuring, count: int) -> int:
    """The evaluations that a batch of `count` different programs spends at most."""
    further = math.ceil(measuring.keep * count)
    programs = [count if rung == FIRST else further for rung in range(RUNGS)]
    return sum(programs[rung] * measuring.runs * schedule.most(schedule.rungs[rung]) for rung in range(RUNGS))


class Rungs:
    """Measures and judges batches of programs."""

    def __init__(self, scores: Scores, measuring: Measuring, schedule: Schedule) -> None:
        self.scores = scores
        self.measuring = measuring
        self.schedule = schedule
        self.runs: dict[tuple[Program, int], list[Request]] = defaultdict(list)
        """The runs that were done, by program and rung."""

    def recall(self) -> None:
        """Take in which runs were done, after the cache has recalled them."""
        for request in self.scores.cache.measurements:
            if request.purpose == "rung":
                assert request.rung is not None
                self.runs[request.program, request.rung].append(request)

    def cost(self, count: int) -> int:
        """The evaluations that a batch of `count` different programs spends at most."""
        return cost(self.schedule, self.measuring, count)

    def __call__(self, programs: Sequence[Program]) -> BatchResult:
        """Race the programs of a batch; those that are in it twice run once."""
        different = list(dict.fromkeys(programs))
        self._measure(different, [FIRST])
        keys = {program: (0, *key) for program, key in self._keys(different, [FIRST]).items()}
        left = sorted(different, key=lambda program: keys[program])[-math.ceil(self.measuring.keep * len(different)) :]
        self._measure(left, OTHERS)
        keys |= {program: (1, *key) for program, key in self._keys(left, range(RUNGS)).items()}
        first = [self.mean(program, FIRST) for program in programs]
        if self.measuring.keep == 1:
            return BatchResult([self.score(program) for program in programs], first, left)
        most = max(1, len(keys) - 1)
        rewards = {program: rank / 2 / most for program, rank in ranks(keys).items()}
        return BatchResult([rewards[program] for program in programs], first, left)

    def best(self) -> list[Program]:
        """The programs that reached the last rung, the best first."""
        reached = [program for (program, rung), runs in self.runs.items() if rung == RUNGS - 1 and runs]
        keys = self._keys(reached, range(RUNGS))
        return sorted(reached, key=lambda program: keys[program])[::-1]

    def mean(self, program: Program, rung: int) -> float:
        """The mean score of a program's runs on a rung."""
        return mean_score(self.scores, program, self.runs[program, rung])

    def score(self, program: Program) -> float:
        """The mean score, over all rungs, of a program that reached the last."""
        return fmean(self.mean(program, rung) for rung in range(RUNGS))

    def _keys(self, programs: Sequence[Program], rungs: Sequence[int]) -> dict[Program, tuple[float, float]]:
        """What programs are compared by: their ranks on `rungs`, all of which they have run on, then their means on
        the last.

        Ranks rather than means, because a point means more on some sizes than on others.
        """
        total: dict[Program, float] = defaultdict(float)
        means: dict[Program, float] = {}
        for rung in rungs:
            means = {program: self.mean(program, rung) for program in programs}
            for program, rank in ranks(means).items():
                total[program] += self.schedule.weights[rung] * rank
        return {program: (total[program], means[program]) for program in programs}

    def _measure(self, programs: Sequence[Program], rungs: Sequence[int]) -> None:
        """Do the runs that programs are due on some rungs, all side by side."""
        wanted = {(program, rung): self._next(program, rung) for rung in rungs for program in programs}
        self.scores.cache.measure(request for requests in wanted.values() for request in requests)
        for key, requests in wanted.items():
            self.runs[key] += [request for request in requests if request not in self.runs[key]]

    def _next(self, program: Program, rung: int) -> list[Request]:
        """The runs due on a rung: fresh ones, in turns over its cases, or the last again if the program had enough."""
        done, here = len(self.runs[program, rung]), self.schedule.rungs[rung]
        if done >= self.measuring.again * self.measuring.runs:
            return self.runs[program, rung][-self.measuring.runs :]
        numbers = range(done, done + self.measuring.runs)
        return [Request(program, here[k % len(here)], "rung", k // len(here), rung) for k in numbers]
