"""The control that learning is compared with: programs drawn at random, under the same grammar and through the same
hands.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from metasmith.arrays import Indices
from metasmith.designers.ppo.sampling import Written, padded
from metasmith.designers.ppo.training import Training
from metasmith.designers.ppo.writer import Lesson
from metasmith.space import END, Space, sample


class RandomDesigner:
    """Writes programs at random and learns nothing. The same seed, the same programs."""

    def __init__(self, space: Space, training: Training, *, seed: int) -> None:
        self.space = space
        self.training = training
        self.seed = seed
        self.epoch = 0

    def write(
        self, best: Sequence[list[int]] = (), meaning: Callable[[Indices], Hashable] = lambda row: row.tobytes()
    ) -> Written:
        """A batch of programs, whatever was best so far."""
        return self._drawn(self.training.batch)

    def final(self, samples: int) -> list[Indices]:
        """The last programs: there is no best one, so all are samples."""
        return list(self._drawn(1 + samples).tokens)

    def learn(self, written: Written, rewards: Sequence[float]) -> Lesson:
        """Learn nothing, but count the epoch."""
        self.epoch += 1
        return Lesson(0.0, 0.0)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that the next epochs depend on: tensors by name, and facts."""
        return {}, {"epoch": self.epoch}

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Go on from a state."""
        self.epoch = facts["epoch"]

    def _drawn(self, count: int) -> Written:
        draw = np.random.default_rng((self.seed, self.epoch))
        rows = [sample(self.space, draw) for _ in range(count)]
        return Written(padded(rows, self.space.number[END]), torch.zeros(count), count)
