"""Elastic weight consolidation, against what is computed by hand."""

import numpy as np
import pytest
import torch

from metasmith.designers.ppo.ewc import consolidated, fisher, penalty
from metasmith.designers.ppo.network import Network
from metasmith.designers.ppo.sampling import masked, score, visited, write
from metasmith.designers.ppo.writer_file import Consolidated, Shape
from metasmith.space import Space, grammar

SPACE = Space.named("paper")
RULES = grammar(SPACE)


def network(factors: int = 0) -> Network:
    torch.manual_seed(0)
    return Network(Shape(len(SPACE.tokens), longest=33, width=8, heads=2, factors=factors))


def test_the_penalty_is_half_lambda_times_fisher_times_squared_distance():
    net = network()
    anchor = {name: value.detach() - 0.5 for name, value in net.named_parameters()}
    importance = {name: torch.full_like(value, 3.0) for name, value in net.named_parameters()}
    count = sum(value.numel() for value in net.parameters())
    assert penalty(net, Consolidated(anchor, importance), 200.0).item() == pytest.approx(
        200 / 2 * 3 * 0.25 * count, rel=1e-4
    )


def test_its_slope_leads_back_to_the_anchor():
    net = network()
    held = consolidated(None, 0, net, {name: torch.ones_like(value) for name, value in net.named_parameters()})
    assert penalty(net, held, 200.0).item() == 0
    with torch.no_grad():
        net.head.bias += 0.1
    penalty(net, held, 200.0).backward()
    assert torch.allclose(net.head.bias.grad, torch.full_like(net.head.bias, 200 * 0.1))
    assert net.embed.weight.grad.abs().max() == 0


@pytest.mark.parametrize("factors", [0, 4])
def test_fisher_is_the_mean_of_squared_slopes_a_choice(factors):
    net = network(factors)
    problem = torch.linspace(-1, 1, factors)[None] if factors else None
    tokens = write(net, RULES, 3, torch.Generator().manual_seed(0), factors=problem).tokens
    importance = fisher(net, RULES, tokens, problem)
    by_hand, choices = np.zeros(net.head.bias.shape), 0
    for row in tokens:
        log_p = score(net, RULES, row[None], problem)[0][0]
        by_hand += torch.autograd.grad(log_p, net.head.bias)[0].numpy() ** 2
        state = RULES.start
        for token in row[1:]:
            choices += RULES.mask[state].sum() > 1
            state = RULES.next[state, token]
    assert choices > 3 * 5
    assert np.allclose(importance["head.bias"].numpy(), by_hand / choices, rtol=1e-4, atol=1e-8)
    assert set(importance) == {name for name, _ in net.named_parameters()}
    assert all(value.grad is None or not value.grad.any() for value in net.parameters())


def test_slopes_of_different_choices_are_uncorrelated():
    """So that the squared slope of a sequence is, on average, the sum of the squared slopes of its tokens."""
    net, whole, parts = network(), 0.0, 0.0
    for row in write(net, RULES, 200, torch.Generator().manual_seed(1)).tokens:
        states, inputs = visited(RULES, row[None]), torch.from_numpy(row[None])
        log_next = torch.log_softmax(net(inputs[:, :-1], None) + masked(RULES)[states], dim=2)[0]
        slopes = [
            torch.autograd.grad(p[t], net.head.bias, retain_graph=True)[0]
            for p, t in zip(log_next, row[1:], strict=True)
        ]
        whole += torch.stack(slopes).sum(0).square().sum().item()
        parts += torch.stack(slopes).square().sum().item()
    assert whole == pytest.approx(parts, rel=0.1)


def test_tasks_count_alike_and_the_anchor_follows():
    net = network()
    held, anchors = None, []
    for tasks, mattered in enumerate((1.0, 2.0, 6.0)):
        with torch.no_grad():
            net.head.bias += 1
        held = consolidated(
            held, tasks, net, {name: torch.full_like(value, mattered) for name, value in net.named_parameters()}
        )
        anchors.append(held.anchor["head.bias"])
    assert torch.allclose(held.fisher["head.bias"], torch.full_like(net.head.bias, (1 + 2 + 6) / 3))
    assert torch.equal(held.anchor["head.bias"], net.head.bias.detach())
    assert not torch.equal(anchors[0], anchors[1])
