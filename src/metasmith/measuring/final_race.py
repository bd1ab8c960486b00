"""The final race: the finalists with fresh seeds; after each round the better half goes on."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from metasmith.measuring.cache import Request
from metasmith.measuring.rungs import FRESH, mean_score, places
from metasmith.measuring.scores import Scores
from metasmith.program import Program


class Entry(NamedTuple):
    """A finalist, the mean worth of its runs in the race, and how many they were."""

    program: Program
    score: float
    runs: int


def final_race(
    worth: Scores, grounds: Sequence[int], finalists: Sequence[Program], rounds: Sequence[int]
) -> Iterator[list[Entry]]:
    """After each round those who ran in it, the best first. grounds: numbers of the places, which take turns.

    rounds: runs of everybody left. The first of the last round has won. Grounds of several sizes are judged by places
    on each, added up, because a point is worth different amounts at different sizes; one size, by means.
    """
    left, done = list(finalists), 0
    requests: dict[Program, list[Request]] = defaultdict(list)
    for runs in rounds:
        for program in left:
            fresh = range(done, done + runs)
            requests[program] += [Request(program, grounds[k % len(grounds)], FRESH + k // len(grounds)) for k in fresh]
        done += runs
        worth.measures.measure(request for program in left for request in requests[program][-runs:])
        total = _places(worth, {program: requests[program] for program in left})
        standing = [Entry(program, mean_score(worth, program, requests[program]), done) for program in left]
        standing.sort(key=lambda entry: (-total[entry.program], -entry.score))
        yield standing
        left = [entry.program for entry in standing[: max(2, len(left) // 2)]]


def _places(worth: Scores, ran: dict[Program, list[Request]]) -> dict[Program, int]:
    """The places of programs on the problems of each size, added up."""
    total: dict[Program, int] = defaultdict(int)
    size = [place.problem.dimension for place in worth.measures.places]
    for one in sorted({size[request.place] for requests in ran.values() for request in requests}):
        here = {
            program: [request for request in requests if size[request.place] == one]
            for program, requests in ran.items()
        }
        for program, place in places(
            {program: mean_score(worth, program, requests) for program, requests in here.items()}
        ).items():
            total[program] += place
    return total
