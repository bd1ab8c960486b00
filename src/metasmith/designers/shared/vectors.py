"""Configurators that are handed the space as parameters, and say which of their vectors to run."""

from collections.abc import Sequence
from dataclasses import dataclass

from metasmith.designers.contract import Budget, Measure, Proposal, Trial
from metasmith.designers.reading import Reader
from metasmith.designers.shared.talking import Configuration, Run
from metasmith.space.vector import tokens


@dataclass(frozen=True)
class Vectors:
    """Reads vectors as programs, and has them measured. name: the configurator's. no_program: the cost of a vector that
    is none.
    """

    name: str
    read: Reader
    no_program: float

    def proposal(self, configuration: Configuration) -> Proposal | None:
        """The program that a vector says; None if nothing in it searches."""
        numbers = tokens(self.read.space, configuration)
        return None if numbers is None else self.read.proposal(numbers, self.name)

    def proposals(self, configurations: Sequence[Configuration]) -> list[Proposal]:
        """Those of several that are programs."""
        return [proposal for proposal in map(self.proposal, configurations) if proposal is not None]

    def costs(self, runs: Sequence[Run], measure: Measure, budget: Budget) -> list[float]:
        """The costs of runs; the instances are the cases in the order of the budget."""
        programs = [self.proposal(run.configuration) for run in runs]
        trials = {
            number: Trial(program, budget.order[run.instance], run.seed)
            for number, (program, run) in enumerate(zip(programs, runs, strict=True))
            if program is not None
        }
        measured = dict(zip(trials, measure(list(trials.values())), strict=True)) if trials else {}
        return [measured.get(number, self.no_program) for number in range(len(runs))]
