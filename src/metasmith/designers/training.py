"""How designers propose and learn, in numbers: ours, and the paper's."""

from dataclasses import dataclass
from typing import Literal, get_args

from metasmith.checks import whole_number

Advantage = Literal["rank", "raw"]


@dataclass(frozen=True)
class Training:
    """How a designer proposes and learns. The defaults are ours: ranks, a step that moves, and mutants of what is good.

    batch: programs that are proposed at a time. advantage: by `rank` within the batch, or `raw`, the reward above a
    moving average, as in the paper. average: the weight of a new batch in that average.
    known: whether the first batch are the known algorithms, the best of which are in the final race as well.
    mutants, immigrants: how many of a batch of the mixture vary the best programs so far, and are drawn at random.
    strength: lambda, how hard it is to move what earlier tasks need. replay: how much the designs of earlier tasks are
    repeated.
    """

    batch: int = 24
    updates: int = 5
    rate: float = 3e-3
    clip: float = 0.2
    entropy: float = 0.05
    advantage: Advantage = "rank"
    average: float = 0.1
    known: bool = True
    mutants: int = 6
    immigrants: int = 6
    strength: float = 100.0
    replay: float = 0.0

    def check(self) -> None:
        """Raise ValueError for numbers that no design can have."""
        for name, least in (("batch", 1), ("updates", 1), ("mutants", 0), ("immigrants", 0)):
            whole_number(name, getattr(self, name), least)
        if self.advantage not in get_args(Advantage):
            raise ValueError(f"advantage must be 'rank' or 'raw', got {self.advantage!r}")


PAPER = Training(
    batch=16,
    updates=5,
    rate=5e-5,
    clip=0.2,
    entropy=0.0,
    advantage="raw",
    known=False,
    mutants=0,
    immigrants=0,
    strength=200.0,
)
"""The numbers of the paper's section IV-A."""
