"""The mixture: a network, mutants of the best and random immigrants, each as many as asked for."""

from collections import Counter

import pytest
from designer_helpers import FULL, archive_of, taught, written

from metasmith.designers import find_designer
from metasmith.designers.contract import Archive, Designer, Proposal, Standing
from metasmith.designers.training import Training

ONE, TWO = written("population 1; reset_n(n=1)"), written("population 5; reset_rand(p=1/d); tabu")


def mixture(seed: int = 0, **numbers: int) -> Designer:
    return find_designer("mixture").make(FULL, Training(**{"mutants": 3, "immigrants": 3, **numbers}), seed=seed)


def tokens(proposals: list[Proposal]) -> list[tuple[int, ...] | None]:
    return [proposal.tokens for proposal in proposals]


def test_the_first_batch_is_the_networks():
    alone = find_designer("ppo").make(FULL, Training(), seed=0)
    assert mixture().propose(Archive(), 12) == alone.propose(Archive(), 12)


@pytest.mark.parametrize(
    ("count", "sources"),
    [
        (12, {"network": 6, "immigrant": 3, "mutant": 3}),
        (20, {"network": 14, "immigrant": 3, "mutant": 3}),
        (8, {"network": 4, "immigrant": 2, "mutant": 2}),
        (1, {"network": 1}),
    ],
)
def test_a_batch_holds_as_many_of_each_as_asked_for_and_half_are_the_networks(count, sources):
    batch = mixture().propose(archive_of([ONE, TWO]), count)
    assert Counter(proposal.source for proposal in batch) == sources
    assert [proposal.source for proposal in batch] == sorted(
        (proposal.source for proposal in batch), key=["network", "immigrant", "mutant"].index
    )
    assert {proposal.parent for proposal in batch if proposal.source == "mutant"} <= {ONE.program, TWO.program}
    assert all(proposal.parent is None for proposal in batch if proposal.source != "mutant")


def test_what_the_network_repeats_is_made_up_for_by_mutants(monkeypatch):
    designer = mixture()
    monkeypatch.setattr(designer.network, "propose", lambda archive, count: [ONE] * count)
    batch = designer.propose(archive_of([ONE, TWO]), 12)
    assert [proposal.source for proposal in batch].count("mutant") == 3 + 5  # of six that are the same, five


def test_immigrants_and_mutants_are_others_in_every_batch():
    """Also if nothing has changed in between; and the same again after the same batches."""

    def outsiders(designer: Designer) -> list[tuple[set, set]]:
        batches = []
        for _ in range(3):
            batch = designer.propose(archive_of([ONE, TWO]), 24)
            sources = ("immigrant", "mutant")
            batches.append(tuple({each.tokens for each in batch if each.source == source} for source in sources))
            designer.tell(Standing(batch, [0.0] * len(batch), [0.0] * len(batch), []))
        return batches

    batches = outsiders(mixture(mutants=6, immigrants=6))
    for i, (immigrants, mutants) in enumerate(batches):
        for other_immigrants, other_mutants in batches[:i]:
            assert immigrants.isdisjoint(other_immigrants)
            assert len(mutants & other_mutants) < len(mutants) / 2
    assert outsiders(mixture(mutants=6, immigrants=6)) == batches
    assert outsiders(mixture(seed=1, mutants=6, immigrants=6)) != batches


def test_without_mutants_and_immigrants_it_is_the_network_alone():
    alone = find_designer("ppo").make(FULL, Training(), seed=0)
    assert taught(mixture(mutants=0, immigrants=0), 3, 8) == taught(alone, 3, 8)
