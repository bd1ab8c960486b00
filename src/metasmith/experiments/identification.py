"""Do the landscape factors tell the PBO functions apart? A sample is looked for among others; the nearest should be of the same function.

Within a dimension: among the samples of all functions with other seeds. Across dimensions: among the averages of all functions there.
F2, F11 and F12 count as one: on random points they have the same values, so that no factor can tell them apart.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from metasmith.arrays import Floats
from metasmith.landscape import landscape
from metasmith.landscape.known import distances
from metasmith.problems import problem

FUNCTIONS = tuple(f"F{number}" for number in range(1, 24))
DIMENSIONS = (100, 225)
SEEDS = tuple(range(100, 110))
"""None that known problems or scaling constants were made with."""

ALIKE = ("F2", "F11", "F12")


@dataclass(frozen=True)
class Record:
    """One sample: of which function and dimension, in which dimension it was looked for, and which function was nearest."""

    function: str
    dimension: int
    seed: int
    among: int
    nearest: str

    @property
    def right(self) -> bool:
        return merged(self.function) == merged(self.nearest)

    def record(self) -> dict[str, Any]:
        return {**asdict(self), "right": self.right}


def merged(function: str) -> str:
    """The name of what functions that cannot be told apart count as."""
    return ALIKE[0] if function in ALIKE else function


def identify(
    functions: Sequence[str] = FUNCTIONS,
    dimensions: Sequence[int] = DIMENSIONS,
    seeds: Sequence[int] = SEEDS,
    tick: Callable[[], None] = lambda: None,
) -> list[Record]:
    """Look for every sample in every dimension. tick: called after each landscape."""
    if len(seeds) < 2:
        raise ValueError(f"a sample is looked for among those of other seeds; give at least 2, got {len(seeds)}")
    samples = {dimension: np.empty((len(functions), len(seeds), 32)) for dimension in dimensions}
    for dimension, points in samples.items():
        for f, function in enumerate(functions):
            for s, seed in enumerate(seeds):
                points[f, s] = landscape(problem(f"pbo:{function}@{dimension}"), seed=seed).scaled
                tick()
    return [record for dimension in dimensions for record in looked_for(samples, dimension, functions, seeds)]


def looked_for(samples: dict[int, Floats], dimension: int, functions: Sequence[str], seeds: Sequence[int]) -> Iterator[Record]:
    """The samples of one dimension, (functions, seeds, 32), looked for in all."""
    for among, points in samples.items():
        for f, function in enumerate(functions):
            for s, seed in enumerate(seeds):
                others = np.delete(points, s, axis=1) if among == dimension else points.mean(axis=1, keepdims=True)
                found = int(np.argmin(distances(samples[dimension][f, s], others.reshape(-1, 32)))) // others.shape[1]
                yield Record(function, dimension, seed, among, functions[found])


def accuracies(records: Sequence[Record]) -> dict[tuple[int, int], float]:
    """The share that was right, by dimension and the dimension it was looked for in."""
    found: dict[tuple[int, int], list[bool]] = {}
    for record in records:
        found.setdefault((record.dimension, record.among), []).append(record.right)
    return {pair: float(np.mean(right)) for pair, right in found.items()}
