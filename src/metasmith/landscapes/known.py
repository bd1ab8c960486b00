"""Problems that are known already: which of them does a problem look like?

`known.json` holds what the PBO functions look like. It is made by `write()` and by nothing else. After a change of the
factors:

    python -c "from metasmith.landscapes.known import write; write()"
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

FILE = Path(__file__).with_name("known.json")
DIMENSIONS = (100, 225, 400, 625)
SEEDS = (0, 1, 2)

TELLING = np.array([not name.endswith("costs_runtime") for name in NAMES])
"""Factors that say something about the problem, not only how large it is."""


class Neighbour(NamedTuple):
    """A known problem, and how far it is, in standard deviations over all factors."""

    problem: str
    distance: float


def nearest(given: Landscape | Floats, count: int = 3) -> list[Neighbour]:
    """The known problems that look most alike, the most alike first. given: a landscape or its scaled factors, (32,)."""
    point = given.scaled if isinstance(given, Landscape) else given
    names, points = known()
    closest: dict[str, float] = {}
    for name, distance in zip(names, distances(point, points), strict=True):
        without_dimension = name.partition("@")[0]
        closest[without_dimension] = min(distance, closest.get(without_dimension, np.inf))
    found = sorted(closest.items(), key=lambda item: item[1])
    return [Neighbour(name, float(distance)) for name, distance in found[:count]]


def distances(point: Floats, points: Floats) -> Floats:
    """How far scaled factors are from each of `points`, (points, 32)."""
    return np.sqrt(np.sum((points - point)[:, TELLING] ** 2, axis=1))


@cache
def known() -> tuple[tuple[str, ...], Floats]:
    """Names with dimensions, and the scaled factors of each, (known problems, 32)."""
    found = json.loads(FILE.read_text(encoding="utf-8"))
    columns = [found["factors"].index(name) for name in NAMES]
    return tuple(found["problems"]), np.array(list(found["problems"].values()))[:, columns]


def write(path: Path = FILE, dimensions: Iterable[int] = DIMENSIONS, seeds: Sequence[int] = SEEDS) -> None:
    """Write what the PBO functions look like in these dimensions: the scaled factors, averaged over the seeds."""
    functions = [entry.name for entry in catalogue() if Name.parse(entry.name).family == "pbo"]
    named = [f"{function}@{dimension}" for dimension in dimensions for function in functions]
    lines = [f"{json.dumps(name)}: {json.dumps(average(name, seeds))}" for name in named]
    about = f"Scaled factors, averaged over seeds {', '.join(map(str, seeds))}; written by metasmith.landscapes.known.write."
    head = f'"about": {json.dumps(about)},\n"factors": {json.dumps(NAMES)},\n"problems": {{\n'
    path.write_text("{\n" + head + ",\n".join(lines) + "\n}}\n", encoding="utf-8")
    known.cache_clear()


def average(name: str, seeds: Sequence[int]) -> list[float]:
    """The scaled factors of a problem, averaged over seeds, to four decimals."""
    asked = problem(name)
    return [round(float(value), 4) for value in np.mean([landscape(asked, seed=seed).scaled for seed in seeds], axis=0)]
