"""Do the landscape factors tell the PBO functions apart?

A sample is looked for among others; the nearest should be of the same function.

Within a dimension: among the samples of all functions with other seeds. Across dimensions: among the averages of all
functions there. F2, F11 and F12 count as one: on random points they have the same values, so that no factor can tell
them apart.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from metasmith.arrays import Floats
from metasmith.experiments.shared.contract import ONLY, Experiment, Option, Request
from metasmith.experiments.shared.published import FUNCTIONS
from metasmith.landscapes import landscape
from metasmith.landscapes.neighbours import distances
from metasmith.problems import problem
from metasmith.report.sheet import Part, Sheet
from metasmith.report.tables import Table, yes_or_no

NAME = "identification"
DIMENSIONS = (100, 225)
FRESH = 100
"""From this seed on, none is one that the stored landscapes or scaling constants were made with."""

SEEDS = tuple(range(FRESH, FRESH + 10))
ALIKE = ("F2", "F11", "F12")

WITHIN, ACROSS = 0.95, 0.80
"""Shares that should be right, at least: in the sample's own dimension, and in another."""


@dataclass(frozen=True)
class Record:
    """One sample: of which function and dimension, in which dimension it was looked for, and which function was
    nearest.
    """

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


def looked_for(
    samples: dict[int, Floats], dimension: int, functions: Sequence[str], seeds: Sequence[int]
) -> Iterator[Record]:
    """The samples of one dimension, (functions, seeds, 32), looked for in all."""
    for among, points in samples.items():
        for f, function in enumerate(functions):
            for s, seed in enumerate(seeds):
                others = np.delete(points, s, axis=1) if among == dimension else points.mean(axis=1, keepdims=True)
                apart = distances(samples[dimension][f, s], others.reshape(-1, 32))
                yield Record(function, dimension, seed, among, functions[int(np.argmin(apart)) // others.shape[1]])


def accuracies(records: Sequence[Record]) -> dict[tuple[int, int], float]:
    """The share that was right, by dimension and the dimension it was looked for in."""
    by_pair: dict[tuple[int, int], list[bool]] = {}
    for record in records:
        by_pair.setdefault((record.dimension, record.among), []).append(record.right)
    return {pair: float(np.mean(right)) for pair, right in by_pair.items()}


def wanted(dimension: int, among: int) -> float:
    """The share that should be right, at least."""
    return WITHIN if dimension == among else ACROSS


def record(records: Sequence[Record]) -> dict[str, Any]:
    """Fields for machines."""
    shares = [
        {
            "dimension": of,
            "among": among,
            "accuracy": share,
            "wanted": wanted(of, among),
            "met": share >= wanted(of, among),
        }
        for (of, among), share in accuracies(records).items()
    ]
    return {"accuracies": shares, "samples": [each.record() for each in records]}


def sheet(records: Sequence[Record]) -> Sheet:
    """How many are right, and which functions are confused."""
    shares = [
        [str(of), str(among), f"{share:.3f}", f"{wanted(of, among):.2f}", yes_or_no(share >= wanted(of, among))]
        for (of, among), share in accuracies(records).items()
    ]
    samples, functions = len({(each.function, each.seed) for each in records}), len({each.function for each in records})
    first, last = min(each.seed for each in records), max(each.seed for each in records)
    text = f"""\
## Recognised

{samples} samples of {functions} functions in each dimension, with the seeds {first} to {last}; the nearest of the
others should be of the same function. Within a dimension it is looked for among the samples with other seeds, across
dimensions among the averages of the functions. {", ".join(ALIKE)} count as one: on random points they have the same
values."""
    recognised = Table(["dimension", "looked for in", "right", "wanted", "met"], shares, "Recognised")
    return Sheet(NAME, "Landscapes", [text, recognised, "## Confused", confused(records)], record(records))


def confused(records: Sequence[Record]) -> Part:
    """Which functions are taken for which, the most often first."""
    wrong = Counter((each.function, each.nearest, each.dimension, each.among) for each in records if not each.right)
    samples = Counter((each.function, each.dimension, each.among) for each in records)
    rows = [
        [function, nearest, str(of), str(among), f"{times} of {samples[function, of, among]}"]
        for (function, nearest, of, among), times in wrong.most_common()
    ]
    if not rows:
        return "No function is taken for another."
    return Table(["function", "taken for", "dimension", "looked for in", "times"], rows, "Confused")


def identified(request: Request, tick: Callable[[], None]) -> Sheet:
    """The sheet for what was asked."""
    seeds = range(FRESH, FRESH + request.options["samples"])
    return sheet(identify(request.functions, seeds=seeds, tick=tick))


EXPERIMENT = Experiment(
    name=NAME,
    help="Whether the landscape factors tell the PBO functions apart.",
    order=6,
    options=(Option("samples", int, 10, "Of each function in each dimension."), ONLY),
    folder=lambda request: Path("runs/identification"),
    steps=lambda request: ("landscapes", len(request.functions) * len(DIMENSIONS) * request.options["samples"]),
    sheet=identified,
    spreads=False,
)
