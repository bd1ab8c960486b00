"""Real irace over programs: iterated racing, which samples around the best so far and drops whoever is worse.

The space is handed to it as parameters, one for each choice that a program has. It needs R and its package irace.
"""

import math
from collections.abc import Sequence

from metasmith.designers.contract import Budget, Declaration, Measure, Proposal
from metasmith.designers.irace.racing import installed, irace
from metasmith.designers.reading import Reader
from metasmith.designers.shared.vectors import Vectors
from metasmith.designers.training import Training
from metasmith.space import Space
from metasmith.space.vector import Parameter, parameters

NAME = "irace"


class Irace:
    """Asks irace which programs to run."""

    def __init__(self, space: Space, training: Training, *, seed: int) -> None:
        self.vectors = Vectors(NAME, Reader(space), no_program=math.inf)
        self.lines = [line(parameter) for parameter in parameters(space)]
        self.seed = seed

    def configure(self, measure: Measure, budget: Budget) -> list[Proposal]:
        elites = irace(
            self.lines,
            instances=len(budget.order),
            runs=budget.runs,
            seed=self.seed,
            answer=lambda runs: self.vectors.costs(runs, measure, budget),
        )
        return self.vectors.proposals(elites)


def line(parameter: Parameter) -> str:
    """A parameter as a line of irace's parameter file."""
    text = f'{parameter.name} "" {"o" if parameter.ordered else "c"} ({quoted(parameter.values)})'
    return text if parameter.parent is None else f"{text} | {parameter.parent} %in% c({quoted(parameter.needed)})"


def quoted(values: Sequence[str]) -> str:
    return ", ".join(f'"{value}"' for value in values)


DESIGNER = Declaration(NAME, __doc__, Irace, configures=True, check=installed)
