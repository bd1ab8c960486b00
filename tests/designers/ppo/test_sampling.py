"""Programs written under the mask are programs, and their probabilities are probabilities."""

import math

import numpy as np
import pytest
import torch

from metasmith.designers.ppo.network import Network
from metasmith.designers.ppo.sampling import masked, score, visited, write
from metasmith.designers.ppo.writer_file import Shape
from metasmith.program import program_of
from metasmith.space import Space, grammar

SPACES = [Space.named("paper"), Space.named("full")]
TINY = Space.parse(
    "tiny",
    """
    populations = [1, 5]
    components = ["reset_sweep", "tournament", "greedy_select"]
    conditions = ["5%"]
    targets = []
    longest = 2
    """,
)


def network(space: Space, factors: int = 0, seed: int = 0) -> Network:
    torch.manual_seed(seed)
    return Network(Shape(len(space.tokens), longest=64, factors=factors))


def draw(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_everything_written_is_a_program(space):
    written = write(network(space), grammar(space), 200, draw())
    for row in written.tokens:
        program_of([space.tokens[number] for number in row], space)  # raises if it is none
    assert len({tuple(row) for row in written.tokens}) > 150


@pytest.mark.parametrize("factors", [0, 3])
@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_writing_and_scoring_agree(space, factors):
    net, rules = network(space, factors), grammar(space)
    problem = torch.randn(1, factors) if factors else None
    written = write(net, rules, 64, draw(), factors=problem)
    log_p, _ = score(net, rules, written.tokens, problem.expand(64, -1) if factors else None)
    assert torch.allclose(written.log_p, log_p, atol=1e-5)


def test_the_probabilities_of_all_programs_add_up_to_one():
    rules, length = grammar(TINY), 12
    every = [[0]]
    finished = []
    while every:
        prefix = every.pop()
        state = rules.state(prefix)
        if prefix[-1] == rules.end:
            finished.append(prefix + [rules.end] * (length - len(prefix)))
        else:
            every += [[*prefix, int(token)] for token in np.flatnonzero(rules.mask[state])]
    assert len(finished) > 20
    log_p, _ = score(network(TINY), rules, np.array(finished))
    assert float(log_p.detach().exp().sum()) == pytest.approx(1.0, abs=1e-5)


def test_programs_turn_up_as_often_as_their_probability_says():
    net, rules = network(TINY, seed=4), grammar(TINY)
    written = write(net, rules, 4000, draw(1))
    counts: dict[tuple[int, ...], int] = {}
    for row in written.tokens:
        counts[tuple(row)] = counts.get(tuple(row), 0) + 1
    for row, log_p in zip(written.tokens, written.log_p, strict=True):
        p = math.exp(float(log_p))
        assert abs(counts[tuple(row)] - 4000 * p) <= 5 * math.sqrt(4000 * p * (1 - p)) + 1


def test_the_greedy_program_takes_the_likeliest_token_everywhere():
    space = SPACES[1]
    net, rules = network(space), grammar(space)
    (row,) = write(net, rules, 1, draw(), greedy=True).tokens
    logits = net(torch.from_numpy(row[None, :-1]))[0] + masked(rules)[visited(rules, row[None])[0]]
    assert logits.argmax(1).tolist() == row[1:].tolist()
    assert (write(net, rules, 3, draw(7), greedy=True).tokens == row).all()


def test_the_generator_decides_and_nothing_else():
    net, rules = network(SPACES[1]), grammar(SPACES[1])
    torch.manual_seed(1)
    first = write(net, rules, 20, draw(5)).tokens
    torch.manual_seed(2)
    np.testing.assert_array_equal(first, write(net, rules, 20, draw(5)).tokens)
    assert first.tolist() != write(net, rules, 20, draw(6)).tokens.tolist()


def test_a_low_temperature_is_less_daring():
    net, rules = network(SPACES[1]), grammar(SPACES[1])
    kinds = [len({tuple(row) for row in write(net, rules, 100, draw(), temperature=t).tokens}) for t in (0.02, 1.0)]
    assert kinds[0] < kinds[1] / 2


def test_only_real_choices_have_entropy():
    """On equal logits a choice among k tokens has entropy log k; certain tokens do not count."""
    net, rules = network(TINY), grammar(TINY)
    for parameter in net.head.parameters():
        torch.nn.init.zeros_(parameter)
    names = [str(token.text) for token in TINY.tokens]
    row = [0, *(names.index(text) for text in ("population 1", "reset_sweep", "forward", "once", "end"))]
    _, entropy = score(net, rules, np.array([row]))
    # the population: 2 ways; a component: 3; a pointer of a search component without targets: 2; then 3 components or
    # the end: 4
    assert float(entropy[0].detach()) == pytest.approx(sum(map(math.log, (2, 3, 2, 4))) / 4, abs=1e-5)


def test_masked_tokens_are_impossible_whatever_their_logit():
    rules = grammar(TINY)
    assert torch.isinf(masked(rules)).equal(torch.from_numpy(~rules.mask))
    negative = torch.full((1, len(TINY.tokens)), -5.0)
    p = torch.softmax(negative + masked(rules)[[rules.start]], dim=1)[0]
    assert p[~torch.from_numpy(rules.mask[rules.start])].sum() == 0
    assert float(p.sum()) == pytest.approx(1.0)


def test_a_mixed_batch_of_lengths_is_padded_with_end():
    rules = grammar(TINY)
    tokens = write(network(TINY), rules, 50, draw()).tokens
    ends = [row.tolist().index(rules.end) for row in tokens]
    assert len(set(ends)) > 1
    for row, end in zip(tokens, ends, strict=True):
        assert (row[end:] == rules.end).all()
