"""Which PBO functions a problem looks like: the nearest in the space of scaled landscape factors.

`pbo_landscapes.json` holds the factors of the PBO functions, measured beforehand. Only `write()` makes it; call it
after every change of the factors:

    python -c "from metasmith.landscapes.neighbours import write; write()"
"""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metasmith.arrays import Floats
from metasmith.landscapes.factors import NAMES, Landscape, landscape
from metasmith.problems import catalogue, problem
from metasmith.problems.family import Name

FILE = Path(__file__).with_name("pbo_landscapes.json")
DIMENSIONS = (100, 225, 400, 625)
"""Dimensions at which every PBO function is measured for the file."""

SEEDS = (0, 1, 2)
"""Seeds of the samples that the factors in the file are averaged over."""

TELLING = np.array([not name.endswith("costs_runtime") for name in NAMES])
"""Which factors distances are computed from: the costs say only how large a problem is."""


class Neighbour(NamedTuple):
    """A PBO function, and its distance: Euclidean, each factor in units of its standard deviation."""

    problem: str
    distance: float


def nearest(landscape: Landscape | Floats, count: int = 3) -> list[Neighbour]:
    """The `count` PBO functions that look most alike, the most alike first.

    landscape: that of a problem, or only its scaled factors, (32,).
    """
    point = landscape.scaled if isinstance(landscape, Landscape) else landscape
    names, points = pbo_landscapes()
    closest: dict[str, float] = {}
    for name, distance in zip(names, distances(point, points), strict=True):
        without_dimension = name.partition("@")[0]
        closest[without_dimension] = min(distance, closest.get(without_dimension, np.inf))
    ranked = sorted(closest.items(), key=lambda item: item[1])
    return [Neighbour(name, float(distance)) for name, distance in ranked[:count]]


def distances(point: Floats, points: Floats) -> Floats:
    """How far scaled factors are from each of `points`, (points, 32)."""
    return np.sqrt(np.sum((points - point)[:, TELLING] ** 2, axis=1))


@cache
def pbo_landscapes() -> tuple[tuple[str, ...], Floats]:
    """The names of the measured problems, such as `pbo:F1@100`, and the scaled factors of each, (problems, 32)."""
    measured = json.loads(FILE.read_text(encoding="utf-8"))
    columns = [measured["factors"].index(name) for name in NAMES]
    return tuple(measured["problems"]), np.array(list(measured["problems"].values()))[:, columns]


def write(path: Path = FILE, dimensions: Iterable[int] = DIMENSIONS, seeds: Sequence[int] = SEEDS) -> None:
    """Write what the PBO functions look like in these dimensions: the scaled factors, averaged over the seeds."""
    functions = [entry.name for entry in catalogue() if Name.parse(entry.name).family == "pbo"]
    named = [f"{function}@{dimension}" for dimension in dimensions for function in functions]
    lines = [f"{json.dumps(name)}: {json.dumps(average(name, seeds))}" for name in named]
    averaged = ", ".join(map(str, seeds))
    about = f"Scaled factors, averaged over seeds {averaged}; written by metasmith.landscapes.neighbours.write."
    head = f'"about": {json.dumps(about)},\n"factors": {json.dumps(NAMES)},\n"problems": {{\n'
    path.write_text("{\n" + head + ",\n".join(lines) + "\n}}\n", encoding="utf-8")
    pbo_landscapes.cache_clear()


def average(name: str, seeds: Sequence[int]) -> list[float]:
    """The scaled factors of a problem, averaged over seeds, to four decimals."""
    factors = np.mean([landscape(problem(name), seed=seed).scaled for seed in seeds], axis=0)
    return [round(float(value), 4) for value in factors]
