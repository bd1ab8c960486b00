"""The best of the known algorithms by a halving race: it proposes nothing new, and shows what designing has to beat.

All of them run on the same cases with the same random numbers, the better half goes on to more runs, again and again,
and the last few go on to the final race.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from metasmith.components import COMPONENTS
from metasmith.designers.contract import Budget, Declaration, Measure, Proposal, Trial
from metasmith.designers.known import known
from metasmith.designers.training import Training
from metasmith.program import works_on
from metasmith.representations import KINDS
from metasmith.space import Space

NAME = "pick"

HANDFUL = 4
"""With so many programs or fewer, a round is the last one."""


class Pick:
    """Races the library. seed: decides who runs where not all can, and who is before whom where two are equal."""

    def __init__(self, space: Space, training: Training, *, seed: int) -> None:
        programs = library(space)
        self.field = [programs[number] for number in np.random.default_rng(seed).permutation(len(programs))]

    def configure(self, measure: Measure, budget: Budget) -> list[Proposal]:
        left = self.field[: budget.evaluations // min(budget.lengths[case] for case in budget.order)]
        order, rounds = layout(len(left), budget)
        total, done = {proposal.program: 0.0 for proposal in left}, 0
        for programs, runs in rounds:
            left = left[:programs]
            for first in range(done, done + runs, len(order)):  # once through the cases at a time, to be told of often
                turns = range(first, min(first + len(order), done + runs))
                trials = [Trial(proposal, order[turn % len(order)], turn) for turn in turns for proposal in left]
                for trial, cost in zip(trials, measure(trials), strict=True):
                    total[trial.proposal.program] += cost
            left = sorted(left, key=lambda proposal: total[proposal.program])
            done += runs
        return left


def library(space: Space) -> list[Proposal]:
    """The known algorithms that work on the variables: on every kind for which the space has kernels throughout."""
    kinds = [kind for kind in KINDS if all(COMPONENTS[name].kernel(kind) for name in space.components)]
    everything = {proposal.program: proposal for kind in KINDS for proposal in known(space, kind)}
    return [each for each in everything.values() if all(works_on(each.program, kind) for kind in kinds)]


def layout(field: int, budget: Budget) -> tuple[Sequence[int], list[tuple[int, int]]]:
    """The order of cases, and for each round how many programs are in it and how many runs each has, for the budget.

    Programs are halved and runs doubled from round to round, so that all rounds cost about the same. Where little may
    be spent there are fewer rounds; where it is not enough for two, the cheapest cases are the first.
    """
    sizes = [field]
    while sizes[-1] > HANDFUL:
        sizes.append((sizes[-1] + 1) // 2)
    cheap = sorted(budget.order, key=lambda case: budget.lengths[case])
    choices = [
        (order, sizes[:count])
        for order, fewest in ((budget.order, min(2, len(sizes))), (cheap, 1))
        for count in range(len(sizes), fewest - 1, -1)
    ]
    for order, programs in choices:
        runs = affordable(programs, [budget.lengths[case] for case in order], budget.evaluations)
        if runs:
            return order, list(zip(programs, runs, strict=True))
    return budget.order, []


def affordable(programs: Sequence[int], lengths: Sequence[int], evaluations: int) -> list[int]:
    """The most runs of each program in each round that the evaluations pay for; none if that is less than one run each.

    programs: how many are in each round. lengths: the evaluations of runs on the cases, in their order.
    """

    def doubling(last: int) -> list[int]:
        return [max(1, last >> further) for further in reversed(range(len(programs)))]

    most = range(1, evaluations // min(lengths) + 1)
    last = bisect_right(most, evaluations, key=lambda last: cost(programs, doubling(last), lengths))
    return doubling(last) if last else []


def cost(programs: Sequence[int], runs: Sequence[int], lengths: Sequence[int]) -> int:
    """The evaluations of rounds with so many programs, and so many runs of each."""
    until = list(accumulate(runs))
    passed = [count // len(lengths) * sum(lengths) + sum(lengths[: count % len(lengths)]) for count in until]
    return sum(many * (now - before) for many, now, before in zip(programs, passed, [0, *passed], strict=False))


DESIGNER = Declaration(NAME, __doc__, Pick, configures=True)
