"""How a writer learns, in numbers: ours, and the paper's."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Training:
    """How a writer learns. The defaults are ours: ranks, a step that moves, and variations of what is good.

    advantage: by `rank` within the batch, or `raw`, the reward above a moving average, as in the paper.
    average: weight of a new batch in that average.
    varied, drawn: how many of a batch are variations of the best programs so far, and how many are drawn at random.
    strength: lambda, how hard it is to move what earlier tasks need. replay: how much the designs of earlier tasks are
    repeated.
    """

    epochs: int = 62
    batch: int = 24
    updates: int = 5
    rate: float = 3e-3
    clip: float = 0.2
    entropy: float = 0.05
    advantage: Literal["rank", "raw"] = "rank"
    average: float = 0.1
    varied: int = 6
    drawn: int = 6
    strength: float = 100.0
    replay: float = 0.0


PAPER = Training(
    epochs=100,
    batch=16,
    updates=5,
    rate=5e-5,
    clip=0.2,
    entropy=0.0,
    advantage="raw",
    varied=0,
    drawn=0,
    strength=200.0,
)
"""The numbers of the paper's section IV-A."""
