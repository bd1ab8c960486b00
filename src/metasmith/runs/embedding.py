"""What a task looks like to a network: the landscape factors of its training problems (paper III-C)."""

from collections.abc import Sequence

import numpy as np

from metasmith.arrays import Floats
from metasmith.landscapes import NAMES, Landscape
from metasmith.landscapes.scaling import Scaling, scaled
from metasmith.problems import Problem, Task


def looked_at(task: Task) -> list[Problem]:
    """The problems that stand for a task: the first training problem of each dimension."""
    return list({problem.dimension: problem for problem in reversed(task.training)}.values())


def embedding(landscapes: Sequence[Landscape], scaling: Scaling | None = None) -> Floats:
    """The scaled factors, (32,), averaged over problems."""
    found = [scaled(NAMES, np.array(list(each.factors.values())), each.problem.dimension, scaling) for each in landscapes]
    mean: Floats = np.mean(found, axis=0)
    return mean
