"""A writer learns whatever reward it is handed, and the same way every time."""

import numpy as np
import pytest
import torch

from metasmith.designers.ppo import writer as module
from metasmith.designers.ppo.loss import ppo_loss
from metasmith.designers.ppo.sampling import padded, score
from metasmith.designers.ppo.writer import Writer
from metasmith.designers.ppo.writer_file import Consolidated
from metasmith.designers.training import PAPER, Training
from metasmith.program import Program, tokens_of
from metasmith.space import Space

FULL = Space.named("full").on("bits")
WANTED = [FULL.number[token] for token in FULL.tokens if token.text in ("reset_n", "n=1")]


BATCH, BATCHES = 24, 62
"""Of the default effort."""


def wish(rows: list[np.ndarray]) -> list[float]:
    """A reward for programs that say `reset_n` and `n=1` often."""
    return [float(np.isin(row, WANTED).sum()) for row in rows]


def lesson(writer: Writer, rows: list[np.ndarray], rewards: list[float], progress: float = 0.0) -> module.Lesson:
    return writer.learn(np.stack(rows), [True] * len(rows), rewards, progress)


def taught(training: Training, seed: int, batches: int = BATCHES) -> tuple[Writer, list[float]]:
    writer, means = Writer(FULL, training, seed=seed), []
    for batch in range(batches):
        rows = writer.write(training.batch)
        means.append(float(np.mean(wish(rows))))
        lesson(writer, rows, wish(rows), batch / batches)
    return writer, means


@pytest.mark.slow
def test_the_default_learns_what_is_rewarded():
    for seed in (0, 1):
        writer, means = taught(Training(), seed)
        assert np.mean(means[:5]) < 2
        assert np.mean(means[-5:]) > 5
        assert wish([writer.infer()])[0] >= np.mean(means[-5:])


@pytest.mark.slow
def test_the_paper_s_step_hardly_moves():
    _, means = taught(PAPER, 0, 100)
    assert abs(np.mean(means[-10:]) - np.mean(means[:10])) < 1


def test_the_paper_s_numbers():
    assert (PAPER.batch, PAPER.updates, PAPER.rate, PAPER.clip) == (16, 5, 5e-5, 0.2)
    assert (PAPER.advantage, PAPER.entropy) == ("raw", 0.0)


@pytest.mark.parametrize("training", [Training(), Training(advantage="raw", entropy=0.0)], ids=["rank", "raw"])
def test_the_same_seed_the_same_bits(training):
    torch.manual_seed(1)
    first, means = taught(training, 7, 4)
    torch.manual_seed(2)
    again, same = taught(training, 7, 4)
    assert means == same
    for one, other in zip(first.network.parameters(), again.network.parameters(), strict=True):
        assert torch.equal(one, other)
    assert taught(training, 8, 4)[1] != means


def test_raw_advantages_remember_the_batches_before():
    writer = Writer(FULL, Training(batch=2, advantage="raw", average=0.5), seed=0)
    for rewards, baseline in (([1.0, 3.0], 2.0), ([4.0, 8.0], 4.0)):
        lesson(writer, writer.write(2), rewards)
        assert writer.baseline == baseline


def test_the_learning_rate_is_annealed(monkeypatch):
    writer = Writer(FULL, Training(updates=1), seed=0)
    rates = []
    monkeypatch.setattr(writer.optimiser, "step", rates.append)
    for progress in (0.0, 0.25, 0.5, 0.75):
        lesson(writer, writer.write(2), [0.0, 1.0], progress)
    assert rates == pytest.approx([3e-3, 2.25e-3, 1.5e-3, 0.75e-3])


def test_random_numbers_of_others_are_left_alone():
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    Writer(FULL, Training(), seed=0).write(2)
    assert torch.equal(torch.rand(3), wanted)


def test_a_writer_with_a_problem_token_writes_other_programs_for_other_problems():
    factors = np.linspace(-1, 1, 32)
    first, again, other = (
        np.stack(Writer(FULL, Training(), seed=0, factors=each).write(8)) for each in (factors, factors, -factors)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_what_was_learned_before_holds_the_network_back():
    def moved(strength: float) -> float:
        writer = Writer(FULL, Training(strength=strength), seed=0)
        start = {name: value.detach().clone() for name, value in writer.network.named_parameters()}
        writer.held = Consolidated(start, {name: torch.ones_like(value) for name, value in start.items()})
        for _ in range(3):
            rows = writer.write(8)
            lesson(writer, rows, wish(rows))
        return sum(
            float((value.detach() - start[name]).square().sum()) for name, value in writer.network.named_parameters()
        )

    assert moved(200.0) < 0.5 * moved(0.0)


def test_what_others_wrote_can_only_become_likelier(monkeypatch):
    """Ranks of four from -1 to 1; of the two that the network did not write, the bad one counts for nothing."""
    writer, seen = Writer(FULL, Training(), seed=0), []
    monkeypatch.setattr(
        module,
        "ppo_loss",
        lambda log_p, old, advantage, clip: seen.append(advantage.tolist()) or ppo_loss(log_p, old, advantage, clip),
    )
    writer.learn(np.stack(writer.write(4)), [True, False, True, False], [3.0, 0.0, 1.0, 2.0], 0.0)
    assert seen[0] == pytest.approx([1.0, 0.0, -1 / 3, 1 / 3])


def test_the_first_step_is_from_where_the_network_wrote(monkeypatch):
    """The probabilities that ratios are taken to are those of before the first update, in every update."""
    writer, seen = Writer(FULL, Training(updates=3), seed=0), []
    monkeypatch.setattr(
        module,
        "ppo_loss",
        lambda log_p, old, advantage, clip: seen.append(old) or ppo_loss(log_p, old, advantage, clip),
    )
    rows = np.stack(writer.write(6))
    before = score(writer.network, writer.grammar, rows)[0].detach()
    lesson(writer, list(rows), wish(list(rows)))
    assert len(seen) == 3
    assert all(torch.allclose(old, before, atol=1e-5) for old in seen)


def test_every_batch_is_written_with_random_numbers_of_its_own():
    """Also by a network that learns nothing in between: otherwise it would write the same programs again."""
    writer = Writer(FULL, Training(rate=0.0), seed=0)
    written = []
    for _ in range(4):
        rows = writer.write(BATCH)
        written.append({row.tobytes() for row in rows})
        lesson(writer, rows, wish(rows))
    assert all(len(one & other) <= 1 for i, one in enumerate(written) for other in written[:i])


def test_a_network_that_is_sure_of_something_bad_recovers():
    """It writes one program only, the worst in the batch, beside good ones that it would never write: it turns away."""
    bad, good = (
        [FULL.number[token] for token in tokens_of(Program.parse(text), FULL)]
        for text in (
            "population 1; reset_sweep; reset_sweep; reset_sweep; pairwise_select",
            "population 1; reset_n(n=1)",
        )
    )
    writer = Writer(FULL, Training(), seed=0)
    end = writer.grammar.end

    def likely(row: list[int]) -> float:
        return float(score(writer.network, writer.grammar, padded([row], end))[0].detach().exp())

    for _ in range(60):
        writer.learn(padded([bad] * 6 + [good] * 6, end), [True] * 12, [1.0] * 6 + [0.0] * 6, 0.0)
    assert likely(bad) > 0.9
    for _ in range(60):
        rows = [*(row.tolist() for row in writer.write(12)), *[good] * 12]
        rewards = [float(row[: len(good)] == good) for row in rows]
        writer.learn(padded(rows, end), [True] * 12 + [False] * 12, rewards, 0.0)
    assert likely(bad) < 0.5
