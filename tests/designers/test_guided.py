"""The guided designer proposes what its network expects most of, and learns from the archive what that is."""

from collections import Counter

import numpy as np
import pytest
from designer_helpers import FULL, archive_of, taught

from metasmith.designers.contract import Archive
from metasmith.designers.guided import made, shipped
from metasmith.designers.guided.designer import AGAIN, IMMIGRANTS, GuidedDesigner
from metasmith.designers.random import RandomDesigner
from metasmith.designers.training import Training

TRAINING = Training()


def drawn(count, seed=0):
    return RandomDesigner(FULL, TRAINING, seed=seed).propose(Archive(), count)


def sweeps(program):
    """A reward for sweeps, and for few lines."""
    return sum(snippet.component == "reset_sweep" for snippet in program.snippets) - 0.1 * len(program.snippets)


def mean_reward(network, batches=6):
    proposals = taught(GuidedDesigner(FULL, TRAINING, seed=3, network=network), batches, 24, sweeps)
    return np.mean([sweeps(each.program) for batch in proposals[1:] for each in batch])


def test_it_learns_in_a_few_batches_what_is_rewarded_here():
    """A reward that no task has taught: with the network what is proposed is better than without."""
    assert mean_reward(shipped()) > mean_reward(None) + 0.3


def test_it_begins_with_what_is_good_elsewhere():
    """With nothing known of the task, what it chooses is what the network expects most of in any task."""
    network, designer = shipped(), made(FULL, TRAINING, seed=0)
    batch = [each.program for each in designer.propose(Archive(), 24)]
    expected = lambda programs: np.mean(network.features(programs) @ network.weights["mean"])  # noqa: E731
    assert expected(batch) > expected([each.program for each in drawn(200)]) + 0.3


@pytest.mark.parametrize("network", [None, shipped()])
def test_a_batch_has_new_programs_and_some_good_ones_again(network):
    archive = archive_of(drawn(60))
    designer, again = GuidedDesigner(FULL, TRAINING, seed=0, network=network), 0
    for _ in range(20):
        batch = designer.propose(archive, 24)
        assert len({each.program for each in batch}) == 24
        again += sum(each.program in archive.members for each in batch)
        assert all(each.parent == each.program for each in batch if each.program in archive.members)
        designer.batch += 1
    assert 0.5 * AGAIN < again / 480 < 2 * AGAIN


def test_without_a_network_candidates_are_taken_as_they_come():
    archive = archive_of(drawn(60))
    designer, sources = GuidedDesigner(FULL, TRAINING, seed=0, network=None), Counter()
    for _ in range(20):
        batch = designer.propose(archive, 24)
        sources.update(each.source for each in batch if each.program not in archive.members)
        designer.batch += 1
    assert 0.5 * IMMIGRANTS < sources["immigrant"] / sources.total() < 2 * IMMIGRANTS


def test_a_mutant_of_a_mutant_names_the_program_of_the_elite_that_it_comes_from():
    archive = archive_of(drawn(60))
    parents = {member.proposal.program for member in archive.best[:24]}
    batch = made(FULL, TRAINING, seed=1).propose(archive, 24)
    assert {each.parent for each in batch if each.source == "mutant"} <= parents


def test_batches_of_one_or_two_work():
    archive = archive_of(drawn(60))
    for count in (1, 2, 3):
        assert len(made(FULL, TRAINING, seed=0).propose(archive, count)) == count
