"""A writer learns whatever reward it is handed, and the same way every time."""

import numpy as np
import pytest
import torch

from metasmith.designers import train
from metasmith.designers.ppo.ewc import Consolidated
from metasmith.designers.ppo.loss import ppo_loss
from metasmith.designers.ppo.sampling import Written, padded, score
from metasmith.designers.ppo.training import PAPER, Training
from metasmith.designers.ppo.writer import Writer, one_thread
from metasmith.program import Program, tokens_of
from metasmith.space import Space

FULL = Space.named("full").on("bits")
WANTED = [FULL.number[token] for token in FULL.tokens if token.text in ("reset_n", "n=1")]


def wish(tokens: np.ndarray) -> list[float]:
    """A reward for programs that say `reset_n` and `n=1` often."""
    return [float(np.isin(row, WANTED).sum()) for row in tokens]


def taught(training: Training, seed: int) -> tuple[Writer, list[float]]:
    writer, means = Writer(FULL, training, seed=seed), []
    for _ in range(training.epochs):
        written = writer.write()
        means.append(float(np.mean(wish(written.tokens))))
        writer.learn(written, wish(written.tokens))
    return writer, means


def test_the_default_learns_what_is_rewarded():
    for seed in (0, 1):
        writer, means = taught(Training(), seed)
        assert np.mean(means[:5]) < 2
        assert np.mean(means[-5:]) > 5
        assert wish(writer.infer()[None])[0] >= np.mean(means[-5:])


def test_the_paper_s_step_hardly_moves():
    _, means = taught(PAPER, 0)
    assert abs(np.mean(means[-10:]) - np.mean(means[:10])) < 1


def test_the_paper_s_numbers():
    assert (PAPER.epochs, PAPER.batch, PAPER.updates, PAPER.rate, PAPER.clip) == (100, 16, 5, 5e-5, 0.2)
    assert (PAPER.advantage, PAPER.entropy) == ("raw", 0.0)


@pytest.mark.parametrize(
    "training", [Training(epochs=4), Training(epochs=4, advantage="raw", entropy=0.0)], ids=["rank", "raw"]
)
def test_the_same_seed_the_same_bits(training):
    torch.manual_seed(1)
    first, means = taught(training, 7)
    torch.manual_seed(2)
    again, same = taught(training, 7)
    assert means == same
    for one, other in zip(first.network.parameters(), again.network.parameters(), strict=True):
        assert torch.equal(one, other)
    assert taught(training, 8)[1] != means


def test_raw_advantages_remember_the_batches_before():
    writer = Writer(FULL, Training(batch=2, advantage="raw", average=0.5), seed=0)
    for rewards, baseline in (([1.0, 3.0], 2.0), ([4.0, 8.0], 4.0)):
        writer.learn(writer.write(), rewards)
        assert writer.baseline == baseline


def test_the_learning_rate_is_annealed(monkeypatch):
    writer = Writer(FULL, Training(epochs=4, batch=2, updates=1), seed=0)
    rates = []
    monkeypatch.setattr(writer.optimiser, "step", rates.append)
    for _ in range(4):
        writer.learn(writer.write(), [0.0, 1.0])
    assert rates == pytest.approx([3e-3, 2.25e-3, 1.5e-3, 0.75e-3])


def test_threads_are_put_back():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)


def test_random_numbers_of_others_are_left_alone():
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    Writer(FULL, Training(batch=2), seed=0).write()
    assert torch.equal(torch.rand(3), wanted)


def test_a_writer_with_a_problem_token_writes_other_programs_for_other_problems():
    factors = np.linspace(-1, 1, 32)
    first, again, other = (
        Writer(FULL, Training(batch=8), seed=0, factors=each).write() for each in (factors, factors, -factors)
    )
    assert np.array_equal(first.tokens, again.tokens)
    assert not np.allclose(first.log_p, other.log_p)


def test_what_is_known_holds_the_network_back():
    def moved(strength: float) -> float:
        writer = Writer(FULL, Training(batch=8, strength=strength), seed=0)
        start = {name: value.detach().clone() for name, value in writer.network.named_parameters()}
        writer.known = Consolidated(start, {name: torch.ones_like(value) for name, value in start.items()})
        for _ in range(3):
            written = writer.write()
            writer.learn(written, wish(written.tokens))
        return sum(
            float((value.detach() - start[name]).square().sum()) for name, value in writer.network.named_parameters()
        )

    assert moved(200.0) < 0.5 * moved(0.0)


def test_what_others_wrote_can_only_become_likelier(monkeypatch):
    """Ranks of four from -1 to 1; of the two that the network did not write, the bad one counts for nothing."""
    writer, seen = Writer(FULL, Training(batch=4, varied=0, drawn=0), seed=0), []
    monkeypatch.setattr(
        train,
        "ppo_loss",
        lambda log_p, old, advantage, clip: seen.append(advantage.tolist()) or ppo_loss(log_p, old, advantage, clip),
    )
    written = writer.write()
    assert written.own == 4
    writer.learn(written._replace(own=2), [3.0, 1.0, 2.0, 0.0])
    assert seen[0] == pytest.approx([1.0, -1 / 3, 1 / 3, 0.0])


def test_a_network_that_is_sure_of_something_bad_recovers():
    """It writes one program only, the worst in the batch, beside good ones that it would never write: it turns away
    from it.
    """
    bad, good = ([[FULL.number[token] for token in tokens_of(Program.parse(text), FULL)]] for text in (
        "population 1; reset_sweep; reset_sweep; reset_sweep; pairwise_select", "population 1; reset_n(n=1)",
    ))  # fmt: skip
    writer = Writer(FULL, Training(), seed=0)

    def sure(rows: list[list[int]], own: int) -> Written:
        tokens = padded(rows, writer.grammar.end)
        return Written(tokens, score(writer.network, writer.grammar, tokens)[0].detach(), own)

    def likely(rows: list[list[int]]) -> float:
        return float(sure(rows, 1).log_p.exp())

    for _ in range(60):
        writer.epoch = 0  # no annealing
        writer.learn(sure([*bad * 6, *good * 6], 12), [1.0] * 6 + [0.0] * 6)
    assert likely(bad) > 0.9
    for _ in range(60):
        writer.epoch = 0
        written = writer.write(good, lambda row: row.tobytes())
        writer.learn(written, [float(row[: len(good[0])].tolist() == good[0]) for row in written.tokens])
    assert likely(bad) < 0.5
