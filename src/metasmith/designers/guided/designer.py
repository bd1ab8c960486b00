"""Evolution guided by a network, and the same without one."""

import numpy as np

from metasmith.designers.contract import Archive, Proposal
from metasmith.designers.evolution import EvolutionDesigner
from metasmith.designers.guided.network import Network
from metasmith.designers.guided.regression import Regression, values
from metasmith.designers.mutation import elite, mutant
from metasmith.designers.training import Training
from metasmith.program import Program
from metasmith.space import Space, sample

CANDIDATES = 12
"""Programs that are made for each that is proposed."""

IMMIGRANTS, AGAIN, FURTHER = 0.1, 0.1, 0.3
"""Shares: of candidates that are drawn at random, of a batch that is good programs again, and of mutants that are
changed once more, and once more, and so on.
"""


class GuidedDesigner(EvolutionDesigner):
    """Proposes those of many mutants of its elite that the network expects most of; any of them, without a network.

    Each is the best of the candidates by coefficients that are drawn anew (Thompson sampling), so that a batch has
    what may be good beside what should be.
    """

    def __init__(self, space: Space, training: Training, *, seed: int, network: Network | None) -> None:
        super().__init__(space, training, seed=seed)
        self.network = network

    def propose(self, archive: Archive, count: int) -> list[Proposal]:
        self.elite = elite(archive)
        draw = np.random.default_rng((self.seed, self.batch))
        repeats = min(int(draw.binomial(count, AGAIN)), len(self.elite), count - 1)
        candidates = self._candidates(archive, CANDIDATES * count, draw)
        chosen = self._chosen(archive, candidates, count - repeats, draw)
        again = draw.choice(len(self.elite), min(len(self.elite), count - len(chosen)), replace=False)
        return [*chosen, *(repeated(self.elite[k]) for k in again)] or self._fresh(count)

    def _candidates(self, archive: Archive, count: int, draw: np.random.Generator) -> list[Proposal]:
        """Programs that were not measured yet, all different; about `count`, fewer where few are left."""
        candidates: dict[Program, Proposal] = {}
        for _ in range(count):
            if not self.elite or draw.random() < IMMIGRANTS:
                proposal = self.read.proposal(sample(self.read.space, draw), "immigrant")
            else:
                proposal = mutant(self.elite, self.read, draw)
                while draw.random() < FURTHER:
                    further = mutant([proposal], self.read, draw)
                    proposal = Proposal(further.program, further.tokens, "mutant", proposal.parent)
            if proposal.program not in archive.members:
                candidates.setdefault(proposal.program, proposal)
        return list(candidates.values())

    def _chosen(
        self, archive: Archive, candidates: list[Proposal], count: int, draw: np.random.Generator
    ) -> list[Proposal]:
        if self.network is None or not candidates:
            return candidates[:count]
        members = list(archive.members.values())
        programs = [member.proposal.program for member in members] + [each.program for each in candidates]
        features = self.network.features(programs)
        known, new = features[: len(members)], features[len(members) :]
        regression = Regression.fitted(self.network.weights, known, *values(members))
        chosen: dict[int, Proposal] = {}
        for expected in regression.drawn(new, min(count, len(candidates)), draw):
            expected[list(chosen)] = -np.inf
            best = int(np.argmax(expected))
            chosen[best] = candidates[best]
        return list(chosen.values())


def repeated(proposal: Proposal) -> Proposal:
    """A good program once more: it runs anew, which tells the good from the lucky."""
    return Proposal(proposal.program, proposal.tokens, "mutant", proposal.program)
