"""The network as a designer: it proposes what it writes, and learns from all that was in the batch."""

from collections.abc import Mapping

from metasmith.arrays import Floats
from metasmith.designers.contract import Archive, Proposal, Standing, State
from metasmith.designers.ppo.sampling import padded
from metasmith.designers.ppo.writer import Writer
from metasmith.designers.ppo.writer_file import WriterFile
from metasmith.designers.reading import Reader
from metasmith.designers.training import Training
from metasmith.space import Space

SOURCE = "network"


class NetworkDesigner:
    """Proposes what a writer writes, and teaches it what came of a batch."""

    def __init__(
        self,
        space: Space,
        training: Training,
        *,
        seed: int,
        memory: WriterFile | None = None,
        factors: Floats | None = None,
    ) -> None:
        self.writer = Writer(space, training, seed=seed, factors=factors, memory=memory)
        self.read = Reader(space)
        self.progress = 0.0

    def propose(self, archive: Archive, count: int) -> list[Proposal]:
        self.progress = archive.progress
        return [self.read.proposal(row.tolist(), SOURCE) for row in self.writer.write(count)]

    def tell(self, standing: Standing) -> Mapping[str, float]:
        """Learn from all that the space can write, whoever proposed it."""
        rows, own, rewards = [], [], []
        for proposal, reward in zip(standing.proposals, standing.rewards, strict=True):
            if proposal.tokens is not None:
                rows.append(proposal.tokens)
                own.append(proposal.source == SOURCE)
                rewards.append(reward)
        if not rows:
            self.writer.batch += 1
            return {}
        return self.writer.learn(padded(rows, self.read.end), own, rewards, self.progress)._asdict()

    def finalists(self, count: int) -> list[Proposal]:
        """The program of the likeliest tokens, then samples."""
        rows = [self.writer.infer(), *self.writer.write(count - 1)] if count > 1 else [self.writer.infer()]
        return [self.read.proposal(row.tolist(), SOURCE) for row in rows]

    def state(self) -> State:
        return self.writer.state()

    def restore(self, state: State) -> None:
        self.writer.restore(state)
