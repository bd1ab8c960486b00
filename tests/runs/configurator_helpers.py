"""A configurator without any thought: it draws programs, runs them in turns, and drops the worse half."""

import numpy as np

from metasmith.designers.contract import Budget, Declaration, Measure, Proposal, Trial
from metasmith.designers.reading import Reader
from metasmith.designers.training import Training
from metasmith.space import Space, sample


class Halver:
    """Draws again whenever one is left; ends after so many rounds, or never."""

    rounds: int | None = None

    def __init__(self, space: Space, training: Training, *, seed: int) -> None:
        self.read = Reader(space)
        self.seed = seed

    def configure(self, measure: Measure, budget: Budget) -> list[Proposal]:
        draw, best = np.random.default_rng(self.seed), []
        while self.rounds is None or len(best) < self.rounds:
            left = [self.read.proposal(sample(self.read.space, draw), "halver") for _ in range(8)]
            for turn in range(4):
                case = budget.order[turn % len(budget.order)]
                costs = measure([Trial(proposal, case, turn) for proposal in left])
                order = sorted(range(len(left)), key=costs.__getitem__)
                left = [left[number] for number in order[: max(1, len(left) // 2)]]
            best.append(left[0])
        return best[::-1]


HALVER = Declaration("halver", "Halves.", Halver, configures=True)
