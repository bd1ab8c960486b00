"""Each equation of the training against a case computed by hand."""

import math

import numpy as np
import pytest
import torch

from metasmith.designers.ppo.loss import annealed, moving_average, ppo_loss, rank_advantage, raw_advantage
from metasmith.designers.ppo.network import Network
from metasmith.designers.ppo.sampling import score, write
from metasmith.designers.ppo.writer_file import Shape
from metasmith.space import Space, grammar


def test_the_loss_clips_what_would_gain_too_much():
    ratio = torch.tensor([1.5, 1.5, 0.5, 0.5, 1.1])
    advantage = torch.tensor([2.0, -2.0, 2.0, -2.0, 1.0])
    # min(1.5 * 2, 1.2 * 2) = 2.4; min(-3, -2.4) = -3; min(1, 1.6) = 1; min(-1, -1.6) = -1.6; 1.1
    wanted = -(2.4 - 3.0 + 1.0 - 1.6 + 1.1) / 5
    assert float(ppo_loss(ratio.log(), torch.zeros(5), advantage, 0.2)) == pytest.approx(wanted, abs=1e-6)


def test_before_the_first_update_the_gradient_is_that_of_the_policy():
    log_p = torch.tensor([-3.0, -5.0], requires_grad=True)
    ppo_loss(log_p, log_p.detach(), torch.tensor([1.0, -0.5]), 0.2).backward()
    assert log_p.grad.tolist() == pytest.approx([-0.5, 0.25])


def test_the_gradient_of_the_loss_is_what_small_steps_say():
    space = Space.named("paper")
    torch.manual_seed(0)
    net, rules = Network(Shape(len(space.tokens), longest=64)).double(), grammar(space)
    tokens = write(net, rules, 6, torch.Generator().manual_seed(1)).tokens
    advantage = torch.linspace(-1, 1, 6, dtype=torch.float64)
    old = score(net, rules, tokens)[0].detach() + 0.05 * torch.randn(
        6, dtype=torch.float64, generator=torch.Generator().manual_seed(2)
    )

    def loss() -> torch.Tensor:
        return ppo_loss(score(net, rules, tokens)[0], old, advantage, 0.2)

    loss().backward()
    drawn = np.random.default_rng(0)
    for parameter in net.parameters():
        flat = parameter.data.view(-1)
        for i in drawn.integers(0, len(flat), 3):
            kept, step = float(flat[i]), 1e-6
            flat[i] = kept + step
            up = float(loss().detach())
            flat[i] = kept - step
            down = float(loss().detach())
            flat[i] = kept
            assert (up - down) / (2 * step) == pytest.approx(float(parameter.grad.view(-1)[i]), abs=1e-7, rel=1e-4)


def test_the_baseline_moves_a_little_with_every_batch():
    assert moving_average(None, torch.tensor([1.0, 3.0]), 0.1) == 2.0
    assert moving_average(2.0, torch.tensor([12.0]), 0.1) == pytest.approx(3.0)
    assert raw_advantage(torch.tensor([1.0, 5.0]), 3.0).tolist() == [-2.0, 2.0]


def test_ranks_are_free_of_scale_and_fair_to_equals():
    rewards = torch.tensor([10.0, 0.1, 10.0, 1e9])
    # the best beats 3 of 3; each ten beats one and loses to one; the worst loses to all
    assert rank_advantage(rewards).tolist() == pytest.approx([0.0, -1.0, 0.0, 1.0])
    assert rank_advantage(rewards * 7 - 3).tolist() == rank_advantage(rewards).tolist()
    assert rank_advantage(torch.tensor([4.0])).tolist() == [0.0]
    assert rank_advantage(torch.tensor([2.0, 2.0])).tolist() == [0.0, 0.0]


def test_the_learning_rate_falls_with_what_is_spent():
    assert [annealed(5e-5, progress) for progress in (0.0, 0.5, 0.99)] == pytest.approx([5e-5, 2.5e-5, 5e-7])
    assert math.isclose(annealed(1.0, 0.75), 0.25)
