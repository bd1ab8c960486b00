"""Writing programs with the network, and asking how likely it is to write them (paper III-B, masked sampling)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from metasmith.arrays import Indices
from metasmith.designers.ppo.network import Network, Past
from metasmith.space import Grammar

NEVER = float("-inf")
IMPOSSIBLE = -80.0
"""The least logarithm of a probability in the entropy: less adds nothing to it, and makes numbers that are slow."""


class Written(NamedTuple):
    """Token numbers from `begin` on, padded with `end`, (programs, length), and their log probabilities."""

    tokens: Indices
    log_p: Tensor


@torch.inference_mode()
def write(
    network: Network,
    grammar: Grammar,
    count: int,
    draw: torch.Generator,
    *,
    greedy: bool = False,
    temperature: float = 1.0,
    factors: Tensor | None = None,
) -> Written:
    """Write `count` programs token by token.

    greedy: always the likeliest token. temperature: above 1 more daring, below less.
    """
    mask = masked(grammar)
    end = grammar.end
    past = [Past() for _ in network.blocks]
    if network.problem is not None:
        assert factors is not None
        network.step(network.problem(factors).expand(count, -1).unsqueeze(1), past)
    state = np.full(count, grammar.start)
    token = torch.zeros((count, 1), dtype=torch.long)  # begin is token 0
    written = [token]
    log_p = torch.zeros(count)
    while (token != end).any():
        logits = network.step(network.embedded(token, len(written) - 1), past) / temperature
        # departs: the paper multiplies logits by the mask, which turns a negative one into plus infinity; we add it
        log_next = torch.log_softmax(logits + mask[state], dim=1)
        token = log_next.argmax(1, keepdim=True) if greedy else torch.multinomial(log_next.exp(), 1, generator=draw)
        log_p += log_next.gather(1, token).squeeze(1)
        state = grammar.next[state, token.squeeze(1).numpy()]
        written.append(token)
    return Written(torch.cat(written, dim=1).numpy(), log_p)


def score(
    network: Network, grammar: Grammar, tokens: Indices, factors: Tensor | None = None, states: Indices | None = None
) -> tuple[Tensor, Tensor]:
    """The logarithm of the probability of each sequence, and the mean entropy of its choices, (programs,) each.

    states: what `visited` says, if it was computed before.
    """
    states = visited(grammar, tokens) if states is None else states
    inputs = torch.from_numpy(tokens)
    problems = None if factors is None else factors.expand(len(tokens), -1)
    log_next = torch.log_softmax(network(inputs[:, :-1], problems) + masked(grammar)[states], dim=2)
    log_p = log_next.gather(2, inputs[:, 1:].unsqueeze(2)).squeeze(2).sum(1)
    possible = log_next.clamp(min=IMPOSSIBLE)
    entropy = -(possible.exp() * possible).sum(2)
    choices = torch.from_numpy(grammar.mask.sum(1) > 1)[states]
    return log_p, (entropy * choices).sum(1) / choices.sum(1)


def padded(rows: Sequence[Sequence[int]], end: int) -> Indices:
    """Sequences of token numbers as one matrix, the shorter ones filled with `end`."""
    tokens = np.full((len(rows), max(map(len, rows))), end)
    for i, row in enumerate(rows):
        tokens[i, : len(row)] = row
    return tokens


def visited(grammar: Grammar, tokens: Indices) -> Indices:
    """The state of the grammar before each token after `begin`, (programs, length - 1)."""
    states = np.empty((len(tokens), tokens.shape[1] - 1), np.int64)
    states[:, 0] = grammar.start
    for i in range(1, states.shape[1]):
        states[:, i] = grammar.next[states[:, i - 1], tokens[:, i]]
    return states


def masked(grammar: Grammar) -> Tensor:
    """Zero where a token may come next, minus infinity where not, (states, tokens)."""
    return torch.where(torch.from_numpy(grammar.mask), 0.0, NEVER)
