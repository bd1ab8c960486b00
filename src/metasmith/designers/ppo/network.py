"""The network that writes programs (paper III-B): embedding, one transformer block, a head over the vocabulary.

A lean block of our own (one product for queries, keys and values, fused attention): a stock module would take a third
of the time between two batches.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as f

from metasmith.designers.contract import Arrays
from metasmith.designers.ppo.writer_file import Shape


class Network(nn.Module):
    """Logits of the next token after each token of a sequence, before the grammar mask."""

    positions: Tensor

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embed = nn.Embedding(shape.tokens, shape.width)  # a one-hot token times W_seq
        self.problem = nn.Linear(shape.factors, shape.width, bias=False) if shape.factors else None  # W_probl
        self.register_buffer("positions", sinusoids(shape.longest + 1, shape.width), persistent=False)
        self.blocks = nn.ModuleList(Block(shape.width, shape.heads) for _ in range(shape.blocks))
        self.head = nn.Linear(shape.width, shape.tokens)  # W_l

    def forward(self, tokens: Tensor, factors: Tensor | None = None) -> Tensor:
        """tokens: (programs, length). factors: (programs, factors). Returns logits, (programs, length, tokens)."""
        x = self.embedded(tokens, 0)
        if self.problem is not None:
            assert factors is not None
            x = torch.cat([self.problem(factors).unsqueeze(1), x], dim=1)  # the problem's token in front
        for block in self.blocks:
            x = block(x)
        return self.head(x[:, -tokens.shape[1] :])

    def embedded(self, tokens: Tensor, start: int) -> Tensor:
        """Tokens at positions from `start` on, as the block sees them."""
        return self.embed(tokens) + self.positions[start : start + tokens.shape[1]]

    def step(self, x: Tensor, past: "list[Past]") -> Tensor:
        """Logits after one more embedded token, (programs, 1, width); `past` remembers those before it."""
        for block, memory in zip(self.blocks, past, strict=True):
            x = block(x, memory)
        return self.head(x[:, -1])


class Past:
    """Keys and values of the tokens so far, so that a step costs one token."""

    def __init__(self) -> None:
        self.keys: Tensor | None = None
        self.values: Tensor | None = None

    def extended(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        self.keys = keys if self.keys is None else torch.cat([self.keys, keys], dim=2)
        self.values = values if self.values is None else torch.cat([self.values, values], dim=2)
        return self.keys, self.values


class Block(nn.Module):
    """Masked multi-head attention and a feed-forward network, each with a residual connection and layer normalisation
    after it.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)  # W_q, W_k, W_v: equation (2)
        self.out = nn.Linear(width, width, bias=False)  # W_0
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)
        self.after_attention = nn.LayerNorm(width)
        self.after_feed_forward = nn.LayerNorm(width)

    def forward(self, x: Tensor, past: Past | None = None) -> Tensor:
        programs, length, width = x.shape
        heads = self.qkv(x).view(programs, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        query, key, value = heads.unbind(0)
        if past is not None:
            key, value = past.extended(key, value)
        mixed = f.scaled_dot_product_attention(query, key, value, is_causal=past is None)  # equation (3)
        x = self.after_attention(x + self.out(mixed.transpose(1, 2).reshape(programs, length, width)))
        return self.after_feed_forward(x + self.second(f.relu(self.first(x))))


def sinusoids(length: int, width: int) -> Tensor:
    """Sinusoidal positions (Vaswani et al. 2017), (length, width)."""
    angles = torch.arange(length).unsqueeze(1) * torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    return torch.stack([angles.sin(), angles.cos()], dim=2).reshape(length, width)


def as_arrays(tensors: dict[str, Tensor]) -> Arrays:
    """Tensors as arrays of their own."""
    return {name: value.detach().clone().numpy() for name, value in tensors.items()}


def as_tensors(arrays: Arrays) -> dict[str, Tensor]:
    """Arrays as tensors of their own."""
    return {name: torch.from_numpy(value.copy()) for name, value in arrays.items()}
