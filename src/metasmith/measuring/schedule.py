"""Where programs run: rungs that lead from cheap to dear for those of a batch, and the grounds of the final race."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from metasmith.measuring.cache import Place

RUNGS = 3

SHARES = (1 / 20, 1 / 10, 1 / 5)
"""Of the evaluations of use, what a run on each rung has if all training problems are of one size."""

LEAST = 1000
"""But so many at least, or all: in fewer, large populations are hardly past their first solutions."""

NEARER, ALIKE = (1, 2, 4), (1, 1, 1)
"""What rungs count if each is nearer to use than the one before, and if none is."""


@dataclass(frozen=True)
class Schedule:
    """rungs and grounds: numbers of places. weights: how much each rung counts."""

    places: tuple[Place, ...]
    rungs: tuple[tuple[int, ...], ...]
    grounds: tuple[int, ...]
    weights: tuple[int, ...] = NEARER


def by_size(places: Sequence[Place], use: Collection[int]) -> Schedule:
    """Rungs of small, middle and large problems, the race on the large.

    Of too few places for all rungs, some are on several.

    use: the sizes of the problems that the program is for. If some are smaller than the largest places, all rungs count
    the same, and the race is also on the place nearest to the smallest of them and on all that are larger.
    """
    order = sorted(range(len(places)), key=lambda number: places[number].evaluations)
    if len(order) < RUNGS:
        rungs = [order[rung * len(order) // RUNGS :][:1] for rung in range(RUNGS)]
    else:
        bounds = [round(rung * len(order) / RUNGS) for rung in range(RUNGS + 1)]
        rungs = [order[first:last] for first, last in pairwise(bounds)]
    nearest = min(places, key=lambda place: (abs(place.problem.dimension - min(use)), -place.evaluations))
    least = min(nearest.evaluations, *(places[number].evaluations for number in rungs[-1]))
    grounds = tuple(number for number, place in enumerate(places) if place.evaluations >= least)
    beyond = min(use) >= max(place.problem.dimension for place in places)
    return Schedule(tuple(places), tuple(map(tuple, rungs)), grounds, NEARER if beyond else ALIKE)


def by_evaluations(places: Sequence[Place]) -> Schedule:
    """Rungs of runs with few, more and many evaluations on the same problems, the race with all: for problems of one
    size.

    Loops are told how long to last in shares of the run, so a program does much the same in a short run as in a long
    one.
    """
    count = len(places)
    shorter = [
        replace(place, evaluations=min(place.evaluations, max(LEAST, round(share * place.evaluations))))
        for share in SHARES
        for place in places
    ]
    rungs = tuple(tuple(range(rung * count, (rung + 1) * count)) for rung in range(RUNGS))
    return Schedule((*shorter, *places), rungs, tuple(range(RUNGS * count, (RUNGS + 1) * count)))
