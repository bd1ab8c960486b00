"""The paths between buses that take the least time to energise."""

import heapq
from collections.abc import Sequence
from typing import NamedTuple

from metasmith.problems.restoration.system import Branch


class Route(NamedTuple):
    """A path. tenths: of minutes that it takes to energise. branches: their numbers, in order from the source."""

    tenths: int
    branches: tuple[int, ...]

    @property
    def mask(self) -> int:
        """The branches as bits."""
        return sum(1 << number for number in self.branches)


def routes(branches: Sequence[Branch], source: int) -> dict[int, Route]:
    """The shortest path from a bus to every other (Dijkstra).

    Ties go to the path whose list of branch numbers, from the source, comes first.
    """
    beside: dict[int, list[tuple[int, int]]] = {}
    for number, branch in enumerate(branches):
        beside.setdefault(branch.start, []).append((number, branch.end))
        beside.setdefault(branch.end, []).append((number, branch.start))
    shortest: dict[int, Route] = {}
    waiting = [(Route(0, ()), source)]
    while waiting:
        route, bus = heapq.heappop(waiting)
        if bus not in shortest:
            shortest[bus] = route
            for number, other in beside[bus]:
                heapq.heappush(
                    waiting, (Route(route.tenths + branches[number].tenths, (*route.branches, number)), other)
                )
    return shortest
