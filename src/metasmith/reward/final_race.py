"""The final race: the finalists with fresh seeds; after each round the better half goes on."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from metasmith.program import Program
from metasmith.reward.measuring import Request
from metasmith.reward.racing import FRESH
from metasmith.reward.worth import SHORT, Worth


class Entry(NamedTuple):
    """A finalist, the mean worth of its runs in the race, and how many they were."""

    program: Program
    score: float
    runs: int


def final_race(worth: Worth, grounds: Sequence[int], finalists: Sequence[Program], rounds: Sequence[int]) -> Iterator[list[Entry]]:
    """After each round those who ran in it, the best first. grounds: numbers of the places, which take turns.

    rounds: runs of everybody left. The first of the last round has won.
    """
    left, done = list(finalists), 0
    requests: dict[Program, list[Request]] = defaultdict(list)
    for runs in rounds:
        for program in left:
            fresh = range(done, done + runs)
            requests[program] += [Request(program, grounds[k % len(grounds)], FRESH + k // len(grounds)) for k in fresh]
        done += runs
        worth.measures.measure(request for program in left for request in requests[program][-runs:])
        standing = [Entry(program, fmean(map(worth, requests[program])) - SHORT * len(program.snippets), done) for program in left]
        standing.sort(key=lambda entry: -entry.score)
        yield standing
        left = [entry.program for entry in standing[: max(2, len(left) // 2)]]
