"""Proximal policy optimisation of the writer (paper III-B, training), one equation a function."""

import torch
from torch import Tensor


def ppo_loss(log_p: Tensor, log_p_old: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """Equation (7), to be minimised. One ratio h_k per program, not per token. All (programs,)."""
    ratio = (log_p - log_p_old).exp()
    return -torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()


def moving_average(baseline: float | None, rewards: Tensor, weight: float) -> float:
    """The baseline b after a batch: mostly what it was, a little of the batch's mean."""
    mean = float(rewards.mean())
    return mean if baseline is None else (1 - weight) * baseline + weight * mean


def raw_advantage(rewards: Tensor, baseline: float) -> Tensor:
    """R_k - b, as in the paper."""
    return rewards - baseline


def rank_advantage(rewards: Tensor) -> Tensor:
    """How a program ranks within its batch, from -1 to 1, equals alike: free of the scale of rewards."""
    beaten = (rewards.unsqueeze(1) > rewards.unsqueeze(0)).sum(1)
    beating = (rewards.unsqueeze(1) < rewards.unsqueeze(0)).sum(1)
    return (beaten - beating) / max(1, len(rewards) - 1)


def annealed(rate: float, progress: float) -> float:
    """The learning rate of a batch: from `rate` down to nothing as progress goes from 0 to 1."""
    return rate * (1 - progress)
