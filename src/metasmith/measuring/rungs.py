"""Rungs: how a batch of programs becomes rewards.

All programs run on the entry rung, the middle one; the better half also on the other two. The reward of a program is
its rank in the batch, from 0 to 1: whoever went on is before whoever did not. A program that is proposed again gets
runs with new random numbers, up to a limit, and is judged by the mean of all its runs, so what is proposed often is
estimated more precisely.
"""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from statistics import fmean
from typing import Any

from metasmith.measuring.cache import Request
from metasmith.measuring.schedule import RUNGS, Measuring, Schedule
from metasmith.measuring.scores import SHORT, Scores
from metasmith.program import Program

ENTRY_RUNG = 1
"""The rung that all programs of a batch run on: the cheapest says too little of use, and the last costs the most."""

OTHER_RUNGS = tuple(rung for rung in range(RUNGS) if rung != ENTRY_RUNG)


@dataclass(frozen=True)
class BatchResult:
    """What came of a batch, one number per program of it, and the programs that went on to all rungs, the finishers.

    rewards: ranks in the batch, from 0 to 1; where there is no race, mean scores. first: mean scores on the entry rung.
    """

    rewards: list[float]
    first: list[float]
    finishers: list[Program]


def ranks(values: Mapping[Program, Any]) -> dict[Program, int]:
    """The rank of each of n programs, from 0 for the worst to 2 (n - 1) for the best; equals share the mean of theirs.

    That is how many others it is better than, and how many it is no worse than, added up.
    """
    order = sorted(values.values())
    return {program: bisect_left(order, value) + bisect_right(order, value) - 1 for program, value in values.items()}


def mean_score(scores: Scores, program: Program, requests: Sequence[Request]) -> float:
    """The mean score of a program's runs; with equal means the program with fewer snippets is better."""
    return fmean(map(scores, requests)) - SHORT * len(program.snippets)


def cost(schedule: Schedule, measuring: Measuring, count: int) -> int:
    """The evaluations that a batch of `count` different programs spends at most."""
    further = math.ceil(measuring.keep * count)
    programs = [count if rung == ENTRY_RUNG else further for rung in range(RUNGS)]
    return sum(programs[rung] * measuring.runs * schedule.most(schedule.rungs[rung]) for rung in range(RUNGS))


def spare_runs(schedule: Schedule, left: int, race: int) -> tuple[int, ...]:
    """Runs on each rung that leave, of what is left, whole runs of the final race and as little else as possible.

    race: what the final race takes of it.
    """
    short, middle, long = (schedule.most(rung) for rung in schedule.rungs)
    whole = schedule.most(schedule.race)
    choices = [
        ((total - k * long - j * middle) % short, total, ((total - k * long - j * middle) // short, j, k))
        for total in (left % whole, left % whole + whole)
        if left - total >= race
        for k in range(total // long + 1)
        for j in range((total - k * long) // middle + 1)
    ]
    return min(choices)[-1] if choices else (0,) * RUNGS


class Rungs:
    """Measures and judges batches of programs."""

    def __init__(self, scores: Scores, measuring: Measuring, schedule: Schedule) -> None:
        self.scores = scores
        self.measuring = measuring
        self.schedule = schedule
        self.runs: dict[tuple[Program, int], list[Request]] = defaultdict(list)
        """The runs that were done, by program and rung."""

    def recall(self) -> None:
        """Take in which runs were done, after the cache has recalled them, in their order."""
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
        self._measure(different, [ENTRY_RUNG])
        keys = {program: (0, *key) for program, key in self._keys(different, [ENTRY_RUNG]).items()}
        left = sorted(different, key=lambda program: keys[program])[-math.ceil(self.measuring.keep * len(different)) :]
        self._measure(left, OTHER_RUNGS)
        keys |= {program: (1, *key) for program, key in self._keys(left, range(RUNGS)).items()}  # 1 beats 0
        first = [self.mean(program, ENTRY_RUNG) for program in programs]
        if self.measuring.keep == 1:
            return BatchResult([self.score(program) for program in programs], first, left)
        most = max(1, len(keys) - 1)
        rewards = {program: rank / 2 / most for program, rank in ranks(keys).items()}
        return BatchResult([rewards[program] for program in programs], first, left)

    def give_more(self, counts: Sequence[int]) -> None:
        """Give the best programs more runs, so many on each rung: one each in their order, again and again."""
        best, due = self.best(), []
        for rung, count in enumerate(counts):
            here = self.schedule.rungs[rung]
            for program in islice(cycle(best), count):
                done = self.runs[program, rung]
                done.append(Request(program, here[len(done) % len(here)], "rung", len(done) // len(here), rung))
                due.append(done[-1])
        self.scores.cache.measure(due)

    def best(self) -> list[Program]:
        """The programs of all batches that went on to all rungs, the best first."""
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
        """The runs due on a rung: new ones, in turns over its cases, or, if the program had enough, its last ones,
        which are in the cache.
        """
        done, here = len(self.runs[program, rung]), self.schedule.rungs[rung]
        if done >= self.measuring.again * self.measuring.runs:
            return self.runs[program, rung][-self.measuring.runs :]
        numbers = range(done, done + self.measuring.runs)
        return [Request(program, here[k % len(here)], "rung", k // len(here), rung) for k in numbers]
