"""Elastic weight consolidation (paper III-C): parameters that earlier tasks need are hard to move.

See Kirkpatrick et al. 2017.
"""

import torch
from torch import Tensor

from metasmith.arrays import Indices
from metasmith.designers.ppo.network import Network
from metasmith.designers.ppo.sampling import score, visited
from metasmith.designers.ppo.writer_file import Consolidated
from metasmith.space import Grammar


def penalty(network: Network, held: Consolidated[Tensor], strength: float) -> Tensor:
    """Equation (8): lambda / 2 times the sum over parameters of F (Theta - Theta*)^2.

    departs: the paper adds it to an objective that is maximised; it is a penalty, so it is added to the loss, which is
    minimised.
    """
    moved = [
        (held.fisher[name] * (value - held.anchor[name]).square()).sum() for name, value in network.named_parameters()
    ]
    return strength / 2 * torch.stack(moved).sum()


def fisher(network: Network, grammar: Grammar, tokens: Indices, factors: Tensor | None = None) -> dict[str, Tensor]:
    """The diagonal of the Fisher information of one choice of a token, from sequences that the network sampled.

    The mean over sequences of the squared slope of log p, which is the sum of that of their choices, because those of
    different choices are uncorrelated; divided by how many choices a sequence has.
    """
    importance = {name: torch.zeros_like(value) for name, value in network.named_parameters()}
    choices = int((grammar.mask.sum(1) > 1)[visited(grammar, tokens)].sum())
    for row in tokens:
        network.zero_grad()
        log_p, _ = score(network, grammar, row[None], factors)
        log_p.sum().backward()  # type: ignore[no-untyped-call]
        for name, value in network.named_parameters():
            if value.grad is not None:
                importance[name] += value.grad.square() / choices
    network.zero_grad()
    return importance


def consolidated(
    before: Consolidated[Tensor] | None, tasks: int, network: Network, importance: dict[str, Tensor]
) -> Consolidated[Tensor]:
    """What is held after one more task than `tasks`: all parameters where they are now, each task counting alike.

    The mean over tasks, not the sum: with that, every task is harder to learn than the one before.
    """
    anchor = {name: value.detach().clone() for name, value in network.named_parameters()}
    if before is None:
        return Consolidated(anchor, importance)
    return Consolidated(
        anchor, {name: (tasks * before.fisher[name] + importance[name]) / (tasks + 1) for name in importance}
    )
