"""The final race: the finalists run with new random numbers, and after each round the better half goes on."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
    favourite: whether what the designer likes best is in the race, where it proposes nothing else. rest: whether the
    last round has as many runs more as the design may still spend.
    """

    finalists: int = 24
    samples: int = 8
    rounds: tuple[int, ...] = (6, 6, 12, 24)
    favourite: bool = True
    rest: bool = False

    def check(self) -> None:
        """Raise ValueError for numbers that no design can have."""
        whole_number("finalists", self.finalists, 0)
        whole_number("samples", self.samples, 0)
        for runs in self.rounds:
            whole_number("round", runs, 1)

    @property
    def proposals(self) -> int:
        """How many programs the designer proposes for the race: the one it likes best, and samples."""
        return 1 + self.samples if self.favourite else 0

    @property
    def programs(self) -> int:
        """How many programs take part at most."""
        return self.finalists + self.proposals


class Entry(NamedTuple):
    """A finalist, the mean score of its runs in the race, and how many they were."""

    program: Program
    score: float
    runs: int


def cost(schedule: Schedule, race: Race) -> int:
    """The evaluations that the final race spends at most."""
    return sum(runs_of_rounds(race)) * schedule.most(schedule.race)


def runs_of_rounds(race: Race) -> list[int]:
    """The runs of each round, of all programs in it together, at most."""
    left, total = race.programs, []
    for runs in race.rounds:
        total.append(left * runs)
        left = _going_on(left)
    return total


def shrunk(race: Race, schedule: Schedule, most: int) -> Race:
    """The largest race in the proportions of `race` that costs at most so much; the smallest if none does.

    Programs and runs become fewer alike, and there are no more rounds than it takes to come down to two programs.
    """
    for percent in range(100, 0, -1):
        programs = max(min(2, race.programs), round(race.programs * percent / 100))
        proposals = programs * race.proposals // race.programs
        halvings = max(1, (programs - 1).bit_length())
        rounds = tuple(max(1, round(runs * percent / 100)) for runs in race.rounds[:halvings])
        smaller = replace(
            race, finalists=programs - proposals, samples=max(0, proposals - 1), rounds=rounds, favourite=proposals > 0
        )
        if cost(schedule, smaller) <= most:
            break
    return smaller


def final_race(
    scores: Scores,
    cases: Sequence[int],
    finalists: Sequence[Program],
    rounds: Sequence[int],
    spend: int | None = None,
) -> Iterator[list[Entry]]:
    """After each round those who ran in it, the best first. cases: numbers of the cases, which take turns.

    rounds: runs of everybody left. The first of the last round has won. Programs are judged by their ranks on the cases
    of each size, added up, because a point means more on some sizes than on others.
    spend: what the ledger may come to; if given, the last round has as many runs more as that pays for.
    """
    left, done = list(finalists), 0
    requests: dict[Program, list[Request]] = defaultdict(list)
    for number, runs in enumerate(rounds, start=1):
        due = dict.fromkeys(left, runs)
        if spend is not None and number == len(rounds):
            lengths = [scores.cache.cases[case].evaluations for case in cases]
            _add_what_is_left(due, lengths, done, spend - scores.cache.ledger.evaluations)
        for program, count in due.items():
            numbers = range(done, done + count)
            requests[program] += [Request(program, cases[k % len(cases)], "race", k // len(cases)) for k in numbers]
        done += runs
        scores.cache.measure(request for program, count in due.items() for request in requests[program][-count:])
        total = _summed_ranks(scores, {program: requests[program] for program in left})
        standing = [
            Entry(program, mean_score(scores, program, requests[program]), len(requests[program])) for program in left
        ]
        standing.sort(key=lambda entry: (-total[entry.program], -entry.score))
        yield standing
        left = [entry.program for entry in standing[: _going_on(len(left))]]


def _going_on(left: int) -> int:
    """How many go on to the next round: half of them, but two at least, or it would be no race."""
    return max(2, left // 2)


def _add_what_is_left(due: dict[Program, int], lengths: Sequence[int], done: int, left: int) -> None:
    """Add runs to those that are due, one after the other in turns over the programs, until no other can be paid.

    lengths: evaluations of the cases in their order. done: runs of each program so far. left: evaluations.
    """
    runs = max(due.values())
    left -= len(due) * sum(lengths[k % len(lengths)] for k in range(done, done + runs))
    while True:
        for program in due:
            left -= lengths[(done + due[program]) % len(lengths)]
            if left < 0:
                return
            due[program] += 1


def _summed_ranks(scores: Scores, ran: dict[Program, list[Request]]) -> dict[Program, int]:
    """The ranks of programs on the cases of each size that all have run on, added up."""
    total: dict[Program, int] = defaultdict(int)
    sizes = [case.problem.dimension for case in scores.cache.cases]
    for size in sorted(set.intersection(*({sizes[each.case] for each in requests} for requests in ran.values()))):
        means = {
            program: mean_score(scores, program, [request for request in requests if sizes[request.case] == size])
            for program, requests in ran.items()
        }
        for program, rank in ranks(means).items():
            total[program] += rank
    return total
