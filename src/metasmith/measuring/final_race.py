"""The final race: the finalists run with new random numbers, and after each round the better half goes on."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from metasmith.checks import whole_number
from metasmith.measuring.cache import Request
from metasmith.measuring.rungs import mean_score, ranks
from metasmith.measuring.schedule import Schedule
from metasmith.measuring.scores import Scores
from metasmith.program import Program


@dataclass(frozen=True)
class Race:
    """Who is in the final race, and for how long.

    finalists: how many of the best programs of all batches. samples: how many the designer proposes for it, beside the
    one that it likes best, which for a network is the one of its likeliest tokens.
    rounds: runs of everybody left, after each of which the better half goes on. A design without rounds has no race:
    it is the program that the designer likes best.
    """

    finalists: int = 24
    samples: int = 8
    rounds: tuple[int, ...] = (6, 6, 12, 24)

    def check(self) -> None:
        """Raise ValueError for numbers that no design can have."""
        whole_number("finalists", self.finalists, 0)
        whole_number("samples", self.samples, 0)
        for runs in self.rounds:
            whole_number("round", runs, 1)

    @property
    def proposals(self) -> int:
        """How many programs the designer proposes for the race: the one it likes best, and samples."""
        return 1 + self.samples


class Entry(NamedTuple):
    """A finalist, the mean score of its runs in the race, and how many they were."""

    program: Program
    score: float
    runs: int


def cost(schedule: Schedule, race: Race) -> int:
    """The evaluations that the final race spends at most."""
    total, left = 0, race.finalists + race.proposals
    for runs in race.rounds:
        total += left * runs * schedule.most(schedule.race)
        left = _going_on(left)
    return total


def final_race(
    scores: Scores, cases: Sequence[int], finalists: Sequence[Program], rounds: Sequence[int]
) -> Iterator[list[Entry]]:
    """After each round those who ran in it, the best first. cases: numbers of the cases, which take turns.

    rounds: runs of everybody left. The first of the last round has won. Programs are judged by their ranks on the cases
    of each size, added up, because a point means more on some sizes than on others.
    """
    left, done = list(finalists), 0
    requests: dict[Program, list[Request]] = defaultdict(list)
    for runs in rounds:
        for program in left:
            numbers = range(done, done + runs)
            requests[program] += [Request(program, cases[k % len(cases)], "race", k // len(cases)) for k in numbers]
        done += runs
        scores.cache.measure(request for program in left for request in requests[program][-runs:])
        total = _summed_ranks(scores, {program: requests[program] for program in left})
        standing = [Entry(program, mean_score(scores, program, requests[program]), done) for program in left]
        standing.sort(key=lambda entry: (-total[entry.program], -entry.score))
        yield standing
        left = [entry.program for entry in standing[: _going_on(len(left))]]


def _going_on(left: int) -> int:
    """How many go on to the next round: half of them, but two at least, or it would be no race."""
    return max(2, left // 2)


def _summed_ranks(scores: Scores, ran: dict[Program, list[Request]]) -> dict[Program, int]:
    """The ranks of programs on the cases of each size, added up."""
    total: dict[Program, int] = defaultdict(int)
    sizes = [case.problem.dimension for case in scores.cache.cases]
    for size in sorted({sizes[request.case] for requests in ran.values() for request in requests}):
        means = {
            program: mean_score(scores, program, [request for request in requests if sizes[request.case] == size])
            for program, requests in ran.items()
        }
        for program, rank in ranks(means).items():
            total[program] += rank
    return total
