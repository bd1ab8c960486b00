"""The path between two buses that is energised soonest."""

import heapq
from collections.abc import Sequence
from typing import NamedTuple

from metasmith.problems.restoration.system import Branch


class Route(NamedTuple):
    """tenths: of a minute, in all. branches: in order from the source."""

    tenths: int
    branches: tuple[int, ...]

    @property
    def mask(self) -> int:
        """The branches as bits."""
        return sum(1 << number for number in self.branches)


def routes(branches: Sequence[Branch], source: int) -> dict[int, Route]:
    """The shortest path from a bus to every other (Dijkstra); of equals the one whose branches come first by number,
    from the source.
    """
    beside: dict[int, list[tuple[int, int]]] = {}
    for number, branch in enumerate(branches):
        beside.setdefault(branch.start, []).append((number, branch.end))
        beside.setdefault(branch.end, []).append((number, branch.start))
    found: dict[int, Route] = {}
    waiting = [(Route(0, ()), source)]
    while waiting:
        route, bus = heapq.heappop(waiting)
        if bus not in found:
            found[bus] = route
            for number, other in beside[bus]:
                heapq.heappush(
                    waiting, (Route(route.tenths + branches[number].tenths, (*route.branches, number)), other)
                )
    return found
