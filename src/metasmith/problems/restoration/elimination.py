"""The order of Gaussian elimination, and the blocks of the matrix that it fills; fixed for the network of all branches.

The matrix of the power flow has a block of 2 x 2 for every bus and two for every pair of buses that are joined by a
branch or, through fill-in, by an elimination.
"""

from functools import cache
from itertools import accumulate
from typing import NamedTuple

from metasmith.problems.restoration.system import BUSES, system


class Elimination(NamedTuple):
    """The order of elimination. Buses are numbered by their rank in it.

    Blocks: the diagonal, then `pairs` of the upper triangle, then their transposes.

    rank: of a bus in the order, by its name. pairs: (bus, later bus), by bus. first: where the pairs of each bus begin.
    targets: for each bus, and each two pairs (i, j) of it, the block that changes when the bus is eliminated.
    target_first: where those of each bus begin.
    """

    rank: dict[int, int]
    pairs: tuple[tuple[int, int], ...]
    first: tuple[int, ...]
    targets: tuple[int, ...]
    target_first: tuple[int, ...]

    def block(self, row: int, column: int) -> int:
        """The number of a block."""
        if row == column:
            return row
        number = self.pairs.index((min(row, column), max(row, column)))
        return BUSES + number + (len(self.pairs) if row > column else 0)


PAIRS, TARGETS = 67, 135
"""The lengths of `pairs` and `targets`, constants so that kernels know the size of their scratch."""


@cache
def elimination() -> Elimination:
    """The order of minimum degree: next comes the bus with the fewest neighbours left."""
    joined: dict[int, set[int]] = {bus: set() for bus in range(1, BUSES + 1)}
    for branch in system().branches:
        joined[branch.start].add(branch.end)
        joined[branch.end].add(branch.start)
    order, later = [], []
    while joined:
        bus = min(joined, key=lambda bus: (len(joined[bus]), bus))
        neighbours = joined.pop(bus)
        for other in neighbours:
            joined[other] |= neighbours - {other}
            joined[other].discard(bus)
        order.append(bus)
        later.append(neighbours)
    rank = {bus: number for number, bus in enumerate(order)}
    columns = [sorted(rank[other] for other in neighbours) for neighbours in later]
    pairs = tuple((row, column) for row, others in enumerate(columns) for column in others)
    bare = Elimination(rank, pairs, offsets(*map(len, columns)), (), offsets(*(len(others) ** 2 for others in columns)))
    return bare._replace(targets=tuple(bare.block(i, j) for others in columns for i in others for j in others))


def offsets(*sizes: int) -> tuple[int, ...]:
    """Where each of several stretches begins, and where the last one ends."""
    return tuple(accumulate(sizes, initial=0))
