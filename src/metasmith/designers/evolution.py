"""Evolution: mutants of the best programs so far, from a first batch that is drawn at random."""

from collections.abc import Mapping

import numpy as np

from metasmith.designers.contract import Archive, Declaration, Proposal, Standing, State
from metasmith.designers.mutation import elite, mutant
from metasmith.designers.reading import Reader
from metasmith.designers.training import Training
from metasmith.program import Program
from metasmith.space import Space, sample


class EvolutionDesigner:
    """Proposes mutants of its elite, and learns nothing else."""

    def __init__(self, space: Space, training: Training, *, seed: int) -> None:
        self.read = Reader(space)
        self.seed = seed
        self.batch = 0
        self.elite: list[Proposal] = []

    def propose(self, archive: Archive, count: int) -> list[Proposal]:
        self.elite = elite(archive)
        return self._fresh(count)

    def tell(self, standing: Standing) -> Mapping[str, float]:
        self.batch += 1
        return {}

    def finalists(self, count: int) -> list[Proposal]:
        """The best of its elite, then fresh proposals; those of the last batch are in the archive."""
        return [*self.elite, *self._fresh(count)][:count]

    def state(self) -> State:
        elite = [(each.tokens, each.source, each.parent and str(each.parent)) for each in self.elite]
        return State({}, {"batch": self.batch, "elite": elite})

    def restore(self, state: State) -> None:
        self.batch = state.facts["batch"]
        self.elite = [
            self.read.proposal(tokens, source, parent and Program.parse(parent))
            for tokens, source, parent in state.facts["elite"]
        ]

    def _fresh(self, count: int) -> list[Proposal]:
        draw = np.random.default_rng((self.seed, self.batch))
        if not self.elite:
            return [self.read.proposal(sample(self.read.space, draw), "immigrant") for _ in range(count)]
        return [mutant(self.elite, self.read, draw) for _ in range(count)]


DESIGNER = Declaration("evolution", __doc__, EvolutionDesigner)
