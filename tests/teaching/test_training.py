"""The network learns from archives what holds in all of them, and what it needs to see of a new one."""

import numpy as np
import pytest

from metasmith.designers.contract import Archive
from metasmith.designers.random import RandomDesigner
from metasmith.designers.training import Training
from metasmith.space import Space
from metasmith.teaching.card import correlations, folds
from metasmith.teaching.training import lesson, trained, vocabulary

FULL = Space.named("full").on("bits")


def toy_archive(number, batches=6, size=24):
    """Where short programs are good in every task, and a component in half of them."""
    rng = np.random.default_rng(number)
    proposals = RandomDesigner(FULL, Training(), seed=number).propose(Archive(), batches * size)
    sign = 1 if number % 2 else -1
    scores = [
        -len(each.program.snippets) + 3 * sign * ("reset_sweep" in str(each.program)) + 0.1 * rng.standard_normal()
        for each in proposals
    ]
    return {
        "family": f"toy-{number % 2}", "programs": [str(each.program) for each in proposals],
        "batches": [1 + k // size for k in range(len(proposals))], "sources": ["mutant"] * len(proposals),
        "first": scores, "scores": scores,
    }  # fmt: skip


@pytest.mark.slow
def test_it_knows_what_holds_everywhere_and_learns_what_differs():
    archives = [toy_archive(number) for number in range(14)]
    words = vocabulary(archives)
    numbers = {word: number for number, word in enumerate(words)}
    lessons = [lesson(each, numbers) for each in archives]
    before = correlations(trained(lessons[:10], len(words), steps=1), numbers, lessons[10:])
    after = correlations(trained(lessons[:10], len(words), steps=150), numbers, lessons[10:])
    assert after[0] > max(0.3, before[0])  # of a task of which nothing is known yet
    assert after[4] > after[0] + 0.1  # the rest is learned within the task


def test_the_same_seed_is_the_same_network():
    archives = [toy_archive(number, batches=4, size=8) for number in range(3)]
    words = vocabulary(archives)
    lessons = [lesson(each, {word: number for number, word in enumerate(words)}) for each in archives]
    one, other, third = (trained(lessons, len(words), steps=3, seed=seed) for seed in (0, 0, 1))
    assert all((one[name] == other[name]).all() for name in one)
    assert any((one[name] != third[name]).any() for name in one)


def test_every_family_is_left_out_once():
    families = ["a", "b", "c", "d", "a", "e"]
    parts = folds(families, 3)
    assert sorted(family for part in parts for family in part) == ["a", "b", "c", "d", "e"]
