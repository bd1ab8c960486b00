"""What a network is worth: how well it ranks the next mutants of archives of families that it was not taught with."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

import numpy as np
from scipy.stats import spearmanr

from metasmith.designers.contract import Arrays
from metasmith.designers.guided.network import Network
from metasmith.designers.guided.regression import Regression, values
from metasmith.teaching.training import Lesson

AFTER = (0, 1, 2, 4, 8, 14)
"""Batches of the task that the regression has seen; the first are the known algorithms."""

AHEAD = 3
FEWEST = 8
"""Batches whose mutants are ranked, and the fewest mutants of which a correlation is asked for."""


def folds(families: Sequence[str], count: int) -> list[set[str]]:
    """Families in so many parts, every third family in the same one, for three parts."""
    different = sorted(set(families))
    return [set(different[k::count]) for k in range(count)]


def correlations(weights: Arrays, numbers: dict[str, int], lessons: Sequence[Lesson]) -> dict[int, float]:
    """Spearman's correlation of what is expected of mutants with their scores on the entry rung, the mean over
    archives, by how many batches were seen.
    """
    network = Network({name: value.astype(np.float64) for name, value in weights.items()}, numbers)
    by_batches: dict[int, list[float]] = defaultdict(list)
    for each in lessons:
        features = network.features([member.proposal.program for member in each.members])
        mutants = np.array(each.sources) == "mutant"
        for batches in AFTER:
            before = np.flatnonzero(each.batches <= batches)
            after = np.flatnonzero((each.batches > batches) & (each.batches <= batches + AHEAD) & mutants)
            first = [each.members[k].first for k in after]
            if len(after) < FEWEST or len(set(first)) == 1:
                continue
            seen = values([each.members[k] for k in before])
            regression = Regression.fitted(network.weights, features[before], *seen)
            by_batches[batches].append(float(spearmanr(features[after] @ regression.mean, first).statistic))
    return {batches: fmean(some) for batches, some in by_batches.items()}
