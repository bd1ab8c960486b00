"""What a task looks like to a network: the landscape factors of its training problems (paper III-C)."""

from collections.abc import Sequence

import numpy as np

from metasmith.arrays import Floats
from metasmith.landscapes import NAMES, Landscape, sample_size
from metasmith.landscapes.scaling import Scaling, scaled
from metasmith.problems import Problem, Task


def looked_at(task: Task) -> list[Problem]:
    """The problems that stand for a task: the first training problem of each dimension."""
    return list({problem.dimension: problem for problem in reversed(task.training)}.values())


def cost(task: Task) -> int:
    """The evaluations that it takes to look at them."""
    return sum(map(sample_size, looked_at(task)))


def embedding(landscapes: Sequence[Landscape], scaling: Scaling | None = None) -> Floats:
    """The scaled factors, (32,), averaged over problems."""
    rows = [
        scaled(NAMES, np.array(list(each.factors.values())), each.problem.dimension, scaling) for each in landscapes
    ]
    mean: Floats = np.mean(rows, axis=0)
    return mean
