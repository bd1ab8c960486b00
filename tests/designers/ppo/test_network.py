"""The network looks back and never ahead, and step by step it says what it says at once."""

import math

import pytest
import torch

from metasmith.designers.ppo.network import Network, Past, sinusoids
from metasmith.designers.ppo.writer_file import Shape


def network(factors: int = 0, blocks: int = 1) -> Network:
    torch.manual_seed(3)
    return Network(Shape(tokens=11, longest=20, blocks=blocks, factors=factors))


def test_positions_are_the_sinusoids_of_the_transformer():
    positions = sinusoids(5, 8)
    for position in range(5):
        for pair in range(4):
            angle = position / 10_000 ** (2 * pair / 8)
            assert positions[position, 2 * pair] == pytest.approx(math.sin(angle), abs=1e-6)
            assert positions[position, 2 * pair + 1] == pytest.approx(math.cos(angle), abs=1e-6)


def test_the_sizes_are_those_of_the_paper():
    sizes = {name: tuple(parameter.shape) for name, parameter in network(factors=32).named_parameters()}
    assert sizes["embed.weight"] == (11, 32)
    assert sizes["problem.weight"] == (32, 32)
    assert sizes["blocks.0.qkv.weight"] == (96, 32)
    assert sizes["head.weight"] == (11, 32)
    assert network().blocks[0].heads == 8


@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize("factors", [0, 4])
def test_what_comes_later_changes_nothing_before(factors, blocks):
    net = network(factors, blocks)
    problem = torch.randn(2, factors) if factors else None
    tokens = torch.randint(0, 11, (2, 9))
    changed = tokens.clone()
    changed[:, 5:] = (changed[:, 5:] + 1) % 11
    before, after = net(tokens, problem), net(changed, problem)
    assert torch.allclose(before[:, :5], after[:, :5], atol=1e-6)
    assert not torch.allclose(before[:, 5:], after[:, 5:], atol=1e-3)


@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize("factors", [0, 4])
def test_step_by_step_is_the_same_as_at_once(factors, blocks):
    net = network(factors, blocks)
    problem = torch.randn(3, factors) if factors else None
    tokens = torch.randint(0, 11, (3, 12))
    at_once = net(tokens, problem)
    past = [Past() for _ in net.blocks]
    if problem is not None:
        net.step(net.problem(problem).unsqueeze(1), past)
    for position in range(12):
        logits = net.step(net.embedded(tokens[:, position : position + 1], position), past)
        assert torch.allclose(logits, at_once[:, position], atol=1e-5)


def test_the_problem_matters():
    net = network(factors=4)
    tokens = torch.randint(0, 11, (1, 6))
    assert not torch.allclose(net(tokens, torch.zeros(1, 4)), net(tokens, torch.ones(1, 4)), atol=1e-3)


def test_attention_is_equations_2_and_3():
    """One head of one block, computed by hand from the weights."""
    torch.manual_seed(1)
    block = Network(Shape(tokens=5, longest=9, width=4, heads=1)).blocks[0]
    x = torch.randn(1, 3, 4)
    query, key, value = (x[0] @ part.T for part in block.qkv.weight.chunk(3))
    scores = query @ key.T / math.sqrt(4) + torch.triu(torch.full((3, 3), -torch.inf), 1)
    mixed = scores.softmax(1) @ value
    seen = block.after_attention(x[0] + mixed @ block.out.weight.T)
    wanted = block.after_feed_forward(seen + block.second(torch.relu(block.first(seen))))
    assert torch.allclose(block(x)[0], wanted, atol=1e-5)
