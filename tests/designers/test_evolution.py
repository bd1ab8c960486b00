"""Evolution varies the best programs so far, from a random start, and gets better by that alone."""

from statistics import fmean

import pytest
from designer_helpers import FULL, archive_of, short, taught

from metasmith.designers.contract import Archive, Standing
from metasmith.designers.evolution import EvolutionDesigner
from metasmith.designers.mutation import ELITE
from metasmith.designers.random import RandomDesigner
from metasmith.designers.training import Training
from metasmith.program import Program


def many_loops(program: Program) -> float:
    """A toy reward that random programs seldom earn much of."""
    return float(str(program).count("iterate"))


def test_the_first_batch_is_drawn_at_random_and_all_others_are_mutants():
    first, *others = taught(EvolutionDesigner(FULL, Training(), seed=0), 4, 12)
    assert {(proposal.source, proposal.parent) for proposal in first} == {("immigrant", None)}
    assert {proposal.source for batch in others for proposal in batch} == {"mutant"}


def test_parents_are_of_the_best():
    drawn = RandomDesigner(FULL, Training(), seed=0).propose(Archive(), 100)
    archive = archive_of(drawn)
    best = {member.proposal.program for member in archive.best[:ELITE]}
    mutants = EvolutionDesigner(FULL, Training(), seed=0).propose(archive, 60)
    parents = {proposal.parent for proposal in mutants}
    assert parents <= best
    assert len(parents) > ELITE / 2


@pytest.mark.slow
def test_it_gets_better_at_whatever_is_rewarded():
    for reward in (short, many_loops):
        evolved, drawn = (
            [fmean(reward(proposal.program) for proposal in batch) for batch in taught(designer, 25, 20, reward)]
            for designer in (kind(FULL, Training(), seed=0) for kind in (EvolutionDesigner, RandomDesigner))
        )
        assert fmean(evolved[-5:]) > max(drawn)
        assert fmean(evolved[-5:]) > evolved[0] + 1


def test_the_finalists_are_the_elite_first_and_something_even_without_one():
    designer = EvolutionDesigner(FULL, Training(), seed=0)
    assert len(designer.finalists(3)) == 3
    archive = archive_of(RandomDesigner(FULL, Training(), seed=0).propose(Archive(), 10))
    designer.propose(archive, 5)
    assert designer.finalists(4) == [member.proposal for member in archive.best[:4]]


def test_the_elite_survives():
    designer = EvolutionDesigner(FULL, Training(), seed=0)
    taught(designer, 3, 10)
    after = EvolutionDesigner(FULL, Training(), seed=0)
    after.restore(designer.state())
    assert after.elite == designer.elite
    assert any(proposal.parent for proposal in after.elite)
    assert after.finalists(30) == designer.finalists(30)


def test_every_batch_has_mutants_of_its_own():
    """Also if the elite is the same as before."""
    designer = EvolutionDesigner(FULL, Training(), seed=0)
    archive = archive_of(RandomDesigner(FULL, Training(), seed=0).propose(Archive(), 10))
    batches = []
    for _ in range(3):
        batch = designer.propose(archive, 40)
        designer.tell(Standing(batch, [0.0] * 40, [0.0] * 40, []))
        batches.append({proposal.tokens for proposal in batch} - {member.proposal.tokens for member in archive.best})
    assert all(len(one & other) < len(one) / 2 for i, one in enumerate(batches) for other in batches[:i])
