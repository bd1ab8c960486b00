"""The random writer writes programs, always the same ones, and learns nothing."""

import numpy as np
import pytest

from metasmith.designers.ppo.sampling import Written
from metasmith.designers.ppo.training import Training
from metasmith.designers.ppo.writer import Lesson, Writer
from metasmith.designers.random import RandomDesigner
from metasmith.program import program_of
from metasmith.space import END, Space

SPACES = [Space.named("paper"), Space.named("full")]
TRAINING = Training(epochs=3, batch=20)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_everything_it_writes_is_a_program(space):
    writer = RandomDesigner(space, TRAINING, seed=0)
    rows = [*writer.write().tokens, *writer.final(5)]
    assert len(rows) == 20 + 1 + 5
    for row in rows:
        program_of([space.tokens[number] for number in row], space)  # raises if it is none
    assert len({tuple(row) for row in rows[:20]}) == 20


def test_rows_are_padded_with_end_like_those_of_a_network():
    written = RandomDesigner(SPACES[1], TRAINING, seed=0).write()
    assert written.tokens.dtype == Writer(SPACES[1], TRAINING, seed=0).write().tokens.dtype
    end = SPACES[1].number[END]
    assert (written.tokens[:, -1] == end).all()
    assert (written.tokens[:, -2] != end).any()
    assert written.log_p.shape == (20,)


def history(writer: RandomDesigner, epochs: int) -> list[list[list[int]]]:
    found = []
    for _ in range(epochs):
        written = writer.write()
        found.append(written.tokens.tolist())
        writer.learn(written, [0.0] * len(written.tokens))
    return [*found, [row.tolist() for row in writer.final(2)]]


def test_the_same_seed_the_same_programs():
    first, again, other = (history(RandomDesigner(SPACES[1], TRAINING, seed=seed), 3) for seed in (7, 7, 8))
    assert first == again
    assert first != other


def test_every_epoch_has_programs_of_its_own():
    epochs = history(RandomDesigner(SPACES[1], TRAINING, seed=0), 3)
    programs = [{tuple(row[: row.index(SPACES[1].number[END])]) for row in epoch} for epoch in epochs]
    assert all(one.isdisjoint(other) for i, one in enumerate(programs) for other in programs[:i])


def test_rewards_change_nothing():
    one, other = (RandomDesigner(SPACES[1], TRAINING, seed=0) for _ in range(2))
    assert one.learn(one.write(), [1.0] * 20) == Lesson(0.0, 0.0)
    other.learn(other.write(), list(range(20)))
    assert isinstance(one.write(), Written)
    np.testing.assert_array_equal(one.write().tokens, other.write().tokens)


def test_a_restored_writer_goes_on():
    whole = history(RandomDesigner(SPACES[1], TRAINING, seed=0), 3)
    before = RandomDesigner(SPACES[1], TRAINING, seed=0)
    history(before, 2)
    after = RandomDesigner(SPACES[1], TRAINING, seed=0)
    after.restore(*before.state())
    assert history(after, 1) == whole[2:]
