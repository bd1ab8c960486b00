"""The default without its network has mutants where that writes, and as many immigrants as the default."""

from collections import Counter

from designer_helpers import FULL, archive_of, taught

from metasmith.designers.contract import Archive
from metasmith.designers.random import RandomDesigner
from metasmith.designers.training import Training
from metasmith.designers.without_network import WithoutNetwork


def test_a_quarter_of_a_batch_are_immigrants_and_the_rest_mutants():
    training = Training()
    archive = archive_of(RandomDesigner(FULL, training, seed=0).propose(Archive(), 30))
    batch = WithoutNetwork(FULL, training, seed=0).propose(archive, training.batch)
    assert Counter(proposal.source for proposal in batch) == {"mutant": 18, "immigrant": 6}


def test_small_batches_have_mutants_too():
    archive = archive_of(RandomDesigner(FULL, Training(), seed=0).propose(Archive(), 30))
    batch = WithoutNetwork(FULL, Training(), seed=0).propose(archive, 4)
    assert Counter(proposal.source for proposal in batch) == {"mutant": 2, "immigrant": 2}


def test_every_batch_has_immigrants_of_its_own():
    batches = taught(WithoutNetwork(FULL, Training(), seed=0), 4, 24)
    drawn = [{each.tokens for each in batch if each.source == "immigrant"} for batch in batches]
    assert all(len(one & other) < 3 for i, one in enumerate(drawn) for other in drawn[:i])
