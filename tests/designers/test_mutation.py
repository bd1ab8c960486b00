"""Variations are valid programs near their parents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasmith.designers.mutation import AS_IT_IS, any_snippet, one_less, one_more, variation
from metasmith.designers.ppo.training import Training
from metasmith.designers.ppo.writer import Writer
from metasmith.program import program_of, random_program, tokens_of
from metasmith.space import END, Space, grammar, sample

SPACES = [Space.named("paper"), Space.named("full")]


@given(st.sampled_from(SPACES), st.integers(0, 2**32))
def test_a_variation_is_a_program_of_the_space(space, seed):
    draw = np.random.default_rng(seed)
    child = variation([sample(space, draw) for _ in range(3)], space, draw)
    assert grammar(space).state(child) >= 0
    program_of([space.tokens[number] for number in child], space)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_most_variations_differ_from_their_parent_in_one_place(space):
    draw = np.random.default_rng(0)
    parent = [space.number[token] for token in tokens_of(random_program(space, 5), space)]
    children = [variation([parent], space, draw) for _ in range(400)]
    same = sum(child == parent for child in children) / len(children)
    assert AS_IT_IS / 2 < same < 2 * AS_IT_IS
    changed = [child for child in children if len(child) == len(parent) and child != parent]
    assert changed
    assert min(np.not_equal(child, parent).sum() for child in changed) == 1


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


def test_a_batch_holds_as_many_variations_as_asked():
    space = SPACES[1]
    writer = Writer(space, Training(batch=10, varied=4, drawn=0), seed=0)
    best = [[space.number[token] for token in tokens_of(random_program(space, 5), space)]]
    written = writer.write(best)
    alone = Writer(space, Training(batch=6), seed=0).write()
    assert len(written.tokens) == 10
    width = min(written.tokens.shape[1], alone.tokens.shape[1])
    assert (written.tokens[:6, :width] == alone.tokens[:, :width]).all()
    assert np.allclose(written.log_p[:6], alone.log_p, atol=1e-4)


def test_some_of_a_batch_are_drawn_and_repetitions_are_made_up_for_by_variations():
    space = SPACES[1]
    best = [[space.number[token] for token in tokens_of(random_program(space, 5), space)]]
    training = Training(batch=12, varied=3, drawn=3)
    alone, alike = (Writer(space, training, seed=0).write(best, *meaning) for meaning in ((), (lambda row: 0,)))
    assert (alone.own, alike.own) == (6, 6)
    assert (len(alone.tokens), len(alike.tokens)) == (12, 17)  # of six that mean the same, five are made up for
    end = space.number[END]
    one, other = (
        [[number for number in row.tolist() if number != end] for row in each.tokens] for each in (alone, alike)
    )
    assert other[:12] == one
