"""The default: a network that learns to write programs, with mutants of the best ones and random immigrants beside it.

The history says of every program whether it came from the `network`, or is a `mutant` or an `immigrant`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from metasmith.arrays import Floats
from metasmith.designers.contract import Archive, Declaration, Designer, Proposal, Standing, State
from metasmith.designers.mutation import elite, mutant
from metasmith.designers.reading import Reader
from metasmith.designers.training import Training
from metasmith.space import Space, sample

if TYPE_CHECKING:
    from metasmith.designers.ppo.designer import NetworkDesigner
    from metasmith.designers.ppo.writer_file import WriterFile


class Mixture:
    """Mixes what a network writes with mutants of the best programs so far and with random immigrants."""

    def __init__(self, network: "NetworkDesigner", space: Space, training: Training, *, seed: int) -> None:
        self.network = network
        self.read = Reader(space)
        self.training = training
        self.seed = seed

    def propose(self, archive: Archive, count: int) -> list[Proposal]:
        """The network's programs first, then the immigrants, then the mutants, once there is something to vary.

        The more often the network writes what is in the batch already, the more mutants there are, so that always as
        many different programs are tried.
        """
        others, parents = self.training.mutants + self.training.immigrants, elite(archive)
        reserved = min(others, count // 2) if parents else 0
        written = self.network.propose(archive, count - reserved)
        if not reserved:
            return written
        draw = np.random.default_rng((self.seed, self.network.writer.batch))
        entering = reserved * self.training.immigrants // others
        immigrants = [self.read.proposal(sample(self.read.space, draw), "immigrant") for _ in range(entering)]
        different = len({proposal.program for proposal in written}) + len(immigrants)
        return [*written, *immigrants, *(mutant(parents, self.read, draw) for _ in range(count - different))]

    def tell(self, standing: Standing) -> Mapping[str, float]:
        return self.network.tell(standing)

    def finalists(self, count: int) -> list[Proposal]:
        return self.network.finalists(count)

    def state(self) -> State:
        return self.network.state()

    def restore(self, state: State) -> None:
        self.network.restore(state)


def made(
    space: Space,
    training: Training,
    *,
    seed: int,
    memory: "WriterFile | None" = None,
    factors: Floats | None = None,
) -> Designer:
    """The mixture; torch is loaded here."""
    from metasmith.designers.ppo.designer import NetworkDesigner

    network = NetworkDesigner(space, training, seed=seed, memory=memory, factors=factors)
    return Mixture(network, space, training, seed=seed)


DESIGNER = Declaration("mixture", __doc__, made, learns=True)
