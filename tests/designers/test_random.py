"""The random designer draws programs, every batch others, and learns nothing."""

from metasmith.designers.contract import Archive, Standing
from metasmith.designers.random import RandomDesigner
from metasmith.designers.training import Training
from metasmith.space import Space

FULL = Space.named("full")


def batches(designer: RandomDesigner, count: int, reward: float = 0.0) -> list[list[tuple[int, ...] | None]]:
    written = []
    for _ in range(count):
        batch = designer.propose(Archive(), 20)
        written.append([proposal.tokens for proposal in batch])
        designer.tell(Standing(batch, [reward * i for i in range(20)], [0.0] * 20, []))
    return written


def designer(seed: int = 0) -> RandomDesigner:
    return RandomDesigner(FULL, Training(), seed=seed)


def test_every_batch_has_programs_of_its_own():
    programs = [set(batch) for batch in batches(designer(), 3)]
    assert all(len(one) == 20 for one in programs)
    assert all(one.isdisjoint(other) for i, one in enumerate(programs) for other in programs[:i])


def test_rewards_change_nothing():
    assert batches(designer(), 3, reward=1.0) == batches(designer(), 3, reward=-2.0) != batches(designer(1), 3)


def test_it_says_where_programs_come_from():
    proposals = [*designer().propose(Archive(), 3), *designer().finalists(2)]
    assert [(proposal.source, proposal.parent) for proposal in proposals] == [("immigrant", None)] * 5
