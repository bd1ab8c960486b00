"""Real irace over programs: iterated racing, which samples around the best so far and drops whoever is worse.

The space is handed to it as parameters, one for each choice that a program has. It needs R and its package irace.
"""

import math
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from itertools import count

from metasmith.designers.contract import Budget, Declaration, Measure, Proposal, SpentError, Trial
from metasmith.designers.irace.racing import LEAST, installed, irace
from metasmith.designers.reading import Reader
from metasmith.designers.shared.vectors import Vectors
from metasmith.designers.training import Training
from metasmith.program import Program
from metasmith.space import Space
from metasmith.space.vector import Parameter, parameters

NAME = "irace"

ENOUGH = 0.1
"""The share of the budget that is enough to begin again with."""

ANOTHER = 1_000_003
"""From one seed of irace to the next."""


class Irace:
    """Asks irace which programs to run."""

    def __init__(self, space: Space, training: Training, *, seed: int) -> None:
        self.vectors = Vectors(NAME, Reader(space), no_program=math.inf)
        self.lines = [line(parameter) for parameter in parameters(space)]
        self.seed = seed

    def configure(self, measure: Measure, budget: Budget) -> list[Proposal]:
        """irace counts what it asks for, also runs that were done before; it begins again with what is left of them."""
        paid: set[tuple[Program, int, int]] = set()
        liked: list[Proposal] = []

        def counted(trials: Sequence[Trial]) -> list[float]:
            costs = measure(trials)
            paid.update((trial.proposal.program, trial.case, trial.seed) for trial in trials)
            return costs

        left = budget
        for attempt in count():
            with suppress(SpentError) if liked else nullcontext():
                elites = irace(
                    self.lines,
                    instances=len(budget.order),
                    runs=left.runs,
                    seed=self.seed + attempt * ANOTHER,
                    answer=lambda runs: self.vectors.costs(runs, counted, budget),
                )
                liked += self.vectors.proposals(elites)  # after those of the one that had the most runs
            evaluations = budget.evaluations - sum(budget.lengths[case] for _, case, _ in paid)
            if evaluations >= left.evaluations or evaluations < ENOUGH * budget.evaluations:
                break
            left = replace(budget, evaluations=evaluations)
            if left.runs < LEAST:
                break
        return liked


def line(parameter: Parameter) -> str:
    """A parameter as a line of irace's parameter file."""
    text = f'{parameter.name} "" {"o" if parameter.ordered else "c"} ({quoted(parameter.values)})'
    return text if parameter.parent is None else f"{text} | {parameter.parent} %in% c({quoted(parameter.needed)})"


def quoted(values: Sequence[str]) -> str:
    return ", ".join(f'"{value}"' for value in values)


DESIGNER = Declaration(NAME, __doc__, Irace, configures=True, check=installed)
