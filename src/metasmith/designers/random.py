"""Programs drawn at random: the control that learning is compared with, under the same grammar."""

from collections.abc import Mapping

import numpy as np

from metasmith.designers.contract import Archive, Declaration, Proposal, Standing, State
from metasmith.designers.reading import Reader
from metasmith.designers.training import Training
from metasmith.space import Space, sample


class RandomDesigner:
    """Proposes programs at random and learns nothing."""

    def __init__(self, space: Space, training: Training, *, seed: int) -> None:
        self.read = Reader(space)
        self.seed = seed
        self.batch = 0

    def propose(self, archive: Archive, count: int) -> list[Proposal]:
        return self._drawn(count)

    def tell(self, standing: Standing) -> Mapping[str, float]:
        self.batch += 1
        return {}

    def finalists(self, count: int) -> list[Proposal]:
        """It likes none best, so all are drawn at random."""
        return self._drawn(count)

    def state(self) -> State:
        return State({}, {"batch": self.batch})

    def restore(self, state: State) -> None:
        self.batch = state.facts["batch"]

    def _drawn(self, count: int) -> list[Proposal]:
        draw = np.random.default_rng((self.seed, self.batch))
        return [self.read.proposal(sample(self.read.space, draw), "immigrant") for _ in range(count)]


DESIGNER = Declaration("random", __doc__, RandomDesigner)
