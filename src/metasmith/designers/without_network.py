"""The default without its network: what the network would write are mutants, and the rest is the same.

It is there to be compared with: whatever the default is better by, the network is worth.
"""

import numpy as np

from metasmith.designers.contract import Declaration, Proposal
from metasmith.designers.evolution import EvolutionDesigner
from metasmith.designers.training import Training
from metasmith.space import Space, sample


class WithoutNetwork(EvolutionDesigner):
    """Proposes mutants of its elite, and as many random immigrants beside them as the default."""

    def __init__(self, space: Space, training: Training, *, seed: int) -> None:
        super().__init__(space, training, seed=seed)
        self.immigrants = training.immigrants

    def _fresh(self, count: int) -> list[Proposal]:
        entering = min(self.immigrants, count // 2)
        draw = np.random.default_rng((self.seed, self.batch, 1))
        immigrants = [self.read.proposal(sample(self.read.space, draw), "immigrant") for _ in range(entering)]
        return [*super()._fresh(count - entering), *immigrants]


DESIGNER = Declaration("without_network", __doc__, WithoutNetwork)
