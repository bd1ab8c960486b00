"""A script that prints the landscapes of small problems, for a test that runs it with NUMBA_DISABLE_JIT."""

import json
from collections.abc import Iterator

import numpy as np

from metasmith.landscapes import Landscape, landscape
from metasmith.problems import Problem, problem
from metasmith.representations import Integers


def weighted(x: np.ndarray) -> float:
    return float((x * np.arange(1, len(x) + 1)).sum() % 7)


def problems() -> Iterator[Problem]:
    yield problem("pbo:F2@9#60")
    yield Problem(weighted, Integers([2, 3, 1, 4]), direction="min")


def as_text(looked_at: Landscape) -> str:
    """A landscape in every bit."""
    return json.dumps(
        [[value.hex() for value in looked_at.factors.values()], looked_at.samples.tolist(), looked_at.values.tolist()]
    )


if __name__ == "__main__":
    with np.errstate(over="ignore"):
        for problem in problems():
            print(as_text(landscape(problem)))
