"""What a task looks like to a network: the landscape factors of its training problems (paper III-C)."""

import numpy as np

from metasmith.arrays import Floats
from metasmith.landscapes import NAMES, landscape
from metasmith.landscapes.scaling import Scaling, scaled
from metasmith.problems import Task


def embedding(task: Task, scaling: Scaling | None = None) -> Floats:
    """The scaled factors, (32,): of the first training problem of each dimension, then their mean."""
    firsts = {problem.dimension: problem for problem in reversed(task.training)}
    found = [np.array(list(landscape(problem).factors.values())) for problem in firsts.values()]
    mean: Floats = np.mean([scaled(NAMES, each, dimension, scaling) for each, dimension in zip(found, firsts, strict=True)], axis=0)
    return mean
