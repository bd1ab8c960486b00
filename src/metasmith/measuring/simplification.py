"""Simplification: parts of the winner that make no difference go.

The winner of the final race and the programs that have one part less run side by side, with random numbers that nobody
had before. All parts that do not seem to matter are then left out at once, and what is left runs twice as often: if it
is as good as the winner, within a tolerance, it takes its place, and its own parts are looked at; if not, only the
better half of these parts is left out. When nothing goes any more, everybody whose case is not clear has twice the
runs.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from statistics import fmean
from typing import NamedTuple

from metasmith.checks import whole_number
from metasmith.measuring.cache import Request
from metasmith.measuring.rungs import mean_score
from metasmith.measuring.schedule import Schedule
from metasmith.measuring.scores import Scores
from metasmith.program import Program, ProgramError
from metasmith.program.parts import Part, parts, without

FIRST_RUNS, FEWEST_RUNS = 4, 2
"""Of the programs that are compared first: so many if they can be paid, so many at least."""

FEWEST_IN_ALL = 8
"""With fewer runs nothing can be said of two programs: then the winner stays as it is."""

SEEMS, CLEAR = 1.0, 2.0
"""Standard errors: a part that loses less than the tolerance and one of them may be idle; one that loses more than the
tolerance and two is needed.
"""

FAR = 5.0
"""No run counts for more than so many spreads: a single infeasible one would outweigh all others."""


@dataclass(frozen=True)
class Simplification:
    """How the winner of the final race is simplified.

    runs: what may be spent on it, in runs on the most expensive case of the race; 0: the winner stays as it is.
    tolerance: how much worse the shorter program may be on average, in spreads, the standard deviations of runs.
    """

    runs: int = 0
    tolerance: float = 0.2

    def check(self) -> None:
        """Raise ValueError for numbers that no design can have."""
        whole_number("runs", self.runs, 0)
        if not 0 <= self.tolerance < math.inf:
            raise ValueError(f"tolerance is a number of spreads, at least 0, got {self.tolerance}")


class Trial(NamedTuple):
    """A shorter program, how much better it is than the winner, in spreads, and the standard error of that."""

    program: Program
    difference: float
    error: float


class Look(NamedTuple):
    """What was seen after some runs. program: what stands now. runs: of each program that was tried. trials: those, the
    best first.
    """

    program: Program
    runs: int
    trials: list[Trial]


def cost(schedule: Schedule, simplification: Simplification) -> int:
    """The evaluations that a simplification spends at most."""
    return simplification.runs * schedule.most(schedule.race)


def with_fewer_runs(simplification: Simplification, schedule: Schedule, most: int) -> Simplification:
    """The same with no more runs than so many evaluations pay for; without any if these are too few."""
    runs = min(simplification.runs, most // schedule.most(schedule.race))
    return replace(simplification, runs=runs if runs >= FEWEST_IN_ALL else 0)


def simplified(
    scores: Scores,
    cases: Sequence[int],
    winner: Program,
    tolerance: float,
    most: int,
    *,
    several: bool = False,
    all_of_it: bool = False,
) -> Iterator[Look]:
    """A look after each time that programs have run; the program of the last is the design, if there is one.

    cases: numbers of the cases, which take turns. most: what the ledger may come to. several: whether the population
    stays as it is. all_of_it: whether what is left of `most` pays for more runs of the winner and of what takes its
    place. In the end all that once took its place are beside the winner again, and the last of these is the design that
    does not seem to be worse.
    """
    beside, line = Beside(scores, cases, winner, most), [winner]
    for look in _shorter(beside, tolerance, several):
        line += [look.program] if look.program != line[-1] else []
        yield look
    more = beside.rest(list(dict.fromkeys([winner, line[-1]]))) if all_of_it else []
    scores.cache.measure(more)
    if more or len(line) > 1:
        trials = [beside.judged(program, beside.done(program)) for program in line[1:]]
        stand = [trial.program for trial in trials if trial.difference >= -tolerance - SEEMS * trial.error]
        standing = stand[-1] if stand else winner
        yield Look(standing, beside.done(standing), trials)


def _shorter(beside: "Beside", tolerance: float, several: bool) -> Iterator[Look]:
    """Looks for shorter programs until no more can be paid, or all parts are needed."""
    standing, runs = beside.winner, FIRST_RUNS
    needed, looked, tried = set[Program](), set[tuple[Program, int]](), set[tuple[Program, int]]()
    while True:
        shorter = {variant: part for variant, part in variants(standing, several).items() if variant not in needed}
        runs = beside.payable(list(shorter), runs)
        if not shorter or not runs or (standing, runs) in looked:
            return
        looked.add((standing, runs))
        trials = beside.trials(list(shorter), runs)
        yield Look(standing, runs, trials)
        needed |= {trial.program for trial in trials if trial.difference < -tolerance - CLEAR * trial.error}
        idle = [shorter[trial.program] for trial in trials if trial.difference >= -tolerance - SEEMS * trial.error]
        before = standing
        while idle and standing == before:
            joint = _without_most(standing, idle)
            more = beside.payable([joint], 2 * runs)
            if joint != before and more >= runs and (joint, more) not in tried:
                tried.add((joint, more))
                (trial,) = beside.trials([joint], more)
                standing = joint if trial.difference >= -tolerance else standing
                yield Look(standing, more, [trial])
            idle = idle[: len(idle) // 2]
        if standing == before:
            runs *= 2


def _without_most(program: Program, idle: Sequence[Part]) -> Program:
    """A program without some of its parts, but for the last of them if without these nothing would search."""
    for count in range(len(idle), 0, -1):
        with suppress(ProgramError):
            return without(program, idle[:count])
    return program


def variants(program: Program, several: bool = False) -> dict[Program, Part]:
    """The programs with one part less, each with the part that it lacks. several: but for the population."""
    found: dict[Program, Part] = {}
    for part in parts(program):
        with suppress(ProgramError):
            if part.line > 1 or not several:
                found.setdefault(without(program, [part]), part)
    found.pop(program, None)
    return found


class Beside:
    """Runs programs beside the winner, which has twice their runs, as all are compared with it.

    Number k of each program is on the same case, with the same seed.
    """

    def __init__(self, scores: Scores, cases: Sequence[int], winner: Program, most: int) -> None:
        self.scores = scores
        self.cases = cases
        self.winner = winner
        self.most = most

    def payable(self, programs: Sequence[Program], runs: int) -> int:
        """So many runs of each program, or fewer, if only those can be paid; 0 if not even the fewest can."""
        left = self.most - self.scores.cache.ledger.evaluations
        for count in range(runs, FEWEST_RUNS - 1, -1):
            if self.scores.cache.cost(self._requests(programs, count)) <= left:
                return count
        return 0

    def trials(self, programs: Sequence[Program], runs: int) -> list[Trial]:
        """How much better programs are than the winner in so many runs, the best first, after those that are due."""
        self.scores.cache.measure(self._requests(programs, runs))
        return sorted((self.judged(program, runs) for program in programs), key=lambda trial: -trial.difference)

    def judged(self, program: Program, runs: int) -> Trial:
        """How much better a program is than the winner, by its first runs and all of the winner's."""
        theirs = defaultdict(list)
        for k in range(self.done(self.winner)):
            theirs[self.cases[k % len(self.cases)]].append(self.scores(_request(self.winner, self.cases, k)))
        means, spreads = {case: fmean(found) for case, found in theirs.items()}, self._spreads()
        ahead = fmean(self._ahead(program, k, means, spreads) for k in range(runs))
        return Trial(program, ahead, math.sqrt(1 / runs + 1 / self.done(self.winner)))

    def done(self, program: Program) -> int:
        """How many runs a program has had."""
        count = 0
        while _request(program, self.cases, count) in self.scores.cache.measurements:
            count += 1
        return count

    def mean(self, program: Program, runs: int) -> float:
        """The mean score of a program's first runs."""
        requests = [_request(program, self.cases, k) for k in range(runs)]
        return mean_score(self.scores, program, requests)

    def rest(self, programs: Sequence[Program]) -> list[Request]:
        """More runs of programs in turns, as many as can be paid."""
        left, found = self.most - self.scores.cache.ledger.evaluations, list[Request]()
        done = {program: self.done(program) for program in programs}
        while True:
            for program in programs:
                request = _request(program, self.cases, done[program])
                left -= self.scores.cache.cases[request.case].evaluations
                if left < 0:
                    return found
                found.append(request)
                done[program] += 1

    def _ahead(self, program: Program, k: int, means: dict[int, float], spreads: dict[int, float]) -> float:
        """How much better run number k of a program is than the mean of the winner on its case, in spreads."""
        case = self.cases[k % len(self.cases)]
        difference = self.scores(_request(program, self.cases, k)) - means[case]
        if difference == 0:
            return 0.0
        return math.copysign(FAR if spreads[case] == 0 else min(FAR, abs(difference) / spreads[case]), difference)

    def _spreads(self) -> dict[int, float]:
        """By case, the standard deviation of the winner's whole runs, in the race and since, on cases of its size."""
        cache = self.scores.cache
        sizes = {case: cache.cases[case].problem.dimension for case in self.cases}
        by_case = defaultdict(list)
        for request in cache.measurements:
            if request.program == self.winner and request.case in sizes and request.purpose in ("race", "simplify"):
                by_case[request.case].append(self.scores(request))
        return {case: _deviation([by_case[each] for each in sizes if sizes[each] == sizes[case]]) for case in sizes}

    def _requests(self, programs: Sequence[Program], runs: int) -> list[Request]:
        """The runs of programs, and of the winner."""
        due = {**dict.fromkeys(programs, runs), self.winner: 2 * runs}
        return [_request(program, self.cases, k) for program, count in due.items() for k in range(count)]


def _request(program: Program, cases: Sequence[int], k: int) -> Request:
    return Request(program, cases[k % len(cases)], "simplify", k // len(cases))


def _deviation(groups: Sequence[Sequence[float]]) -> float:
    """The standard deviation within groups; where no group has two values, that of all together, 0 of one alone."""
    several = [group for group in groups if len(group) > 1]
    if not several:
        several = [[value for group in groups for value in group]]
    squares = sum((value - fmean(group)) ** 2 for group in several for value in group)
    return math.sqrt(squares / max(1, sum(len(group) - 1 for group in several)))
