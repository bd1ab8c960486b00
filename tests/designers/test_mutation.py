"""Mutants are programs of the space near their parents, made of the tokens as the parents were written."""

import numpy as np
import pytest
from designer_helpers import FULL, archive_of, written
from hypothesis import given
from hypothesis import strategies as st

from metasmith.designers.contract import Archive, Member, Proposal
from metasmith.designers.mutation import AS_IT_IS, ELITE, any_snippet, elite, mutant, one_less, one_more
from metasmith.designers.reading import Reader
from metasmith.program import Program, canonical, program_of
from metasmith.space import Space, grammar, sample

SPACES = [Space.named("paper"), Space.named("full")]


@given(st.sampled_from(SPACES), st.integers(0, 2**32))
def test_a_mutant_is_a_program_of_the_space(space, seed):
    draw, read = np.random.default_rng(seed), Reader(space)
    parents = [read.proposal(sample(space, draw), "other") for _ in range(3)]
    child = mutant(parents, read, draw)
    assert grammar(space).state(child.tokens) >= 0
    assert child.program == canonical(program_of([space.tokens[number] for number in child.tokens], space))
    assert child.parent in {parent.program for parent in parents}
    assert child.source == "mutant"


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_a_mutant_does_something_else_than_its_parent_but_for_those_that_run_anew(space):
    draw, read = np.random.default_rng(0), Reader(space)
    parent = read.proposal(sample(space, np.random.default_rng(5)), "other")
    children = [mutant([parent], read, draw) for _ in range(400)]
    same = sum(child.program == parent.program for child in children) / len(children)
    assert AS_IT_IS / 2 < same < 2 * AS_IT_IS
    changed = [child.tokens for child in children if len(child.tokens) == len(parent.tokens)]
    changed = [tokens for tokens in changed if tokens != parent.tokens]
    assert changed
    assert min(np.not_equal(tokens, parent.tokens).sum() for tokens in changed) == 1


def test_the_tokens_of_a_parent_are_varied_as_it_was_written():
    """Also what has no effect, which its canonical form leaves out: its next mutant may give it one."""
    space, draw = SPACES[1], np.random.default_rng(3)
    read = Reader(space)
    parent = next(
        proposal
        for proposal in (read.proposal(sample(space, draw), "other") for _ in range(1000))
        if len(proposal.program.snippets) < sum(space.tokens[n].kind.name == "COMPONENT" for n in proposal.tokens)
    )
    kept = [mutant([parent], read, draw).tokens for _ in range(50)]
    near = [tokens for tokens in kept if len(tokens) == len(parent.tokens) and tokens != parent.tokens]
    assert min(np.not_equal(tokens, parent.tokens).sum() for tokens in near) == 1


def test_snippets_come_and_go_whole():
    space, draw = SPACES[1], np.random.default_rng(1)
    parent, donor = sample(space, draw), sample(space, draw)
    more, less = one_more(parent, donor, space, draw), one_less(parent, donor, space, draw)
    for child, sign in ((more, 1), (less, -1)):
        kinds = [[space.tokens[number].kind for number in row] for row in (parent, child)]
        components = [sum(kind.name == "COMPONENT" for kind in each) for each in kinds]
        assert components[1] == components[0] + sign
    start, end = any_snippet(parent, space, draw)
    assert 0 < start < end < len(parent)


def test_the_elite_are_the_best_that_the_space_can_write():
    draw, read = np.random.default_rng(0), Reader(FULL)
    proposals = list(
        {each.program: each for each in (read.proposal(sample(FULL, draw), "x") for _ in range(60))}.values()
    )
    archive = archive_of(proposals)
    assert elite(archive) == [member.proposal for member in archive.best[:ELITE]]
    alien = Proposal(Program.parse("population 7; reset_n(n=1)"), None, "library")
    best = written("population 1; reset_n(n=1)")
    assert elite(Archive(best=[Member(alien, 2.0, 2.0), Member(best, 1.0, 1.0)])) == [best]
