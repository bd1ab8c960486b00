"""Measure the CPU seconds of one problem's landscape factors at dimension 625, sampling and evaluation included."""

import os
import time
from collections.abc import Iterator
from statistics import median

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = (
    "1"  # read when numpy is imported
)

import numba
import numpy as np

from metasmith.landscapes import landscape
from metasmith.problems import Problem, problem
from metasmith.report.tables import Table
from metasmith.representations import Integers

DIMENSION = 625
REPEATS = 3
GOAL = 1.0
"""Seconds, for each PBO function."""


@numba.njit
def equal_neighbours(x: np.ndarray) -> int:
    return (x[1:] == x[:-1]).sum()


def main() -> None:
    lines = []
    for sampled in problems():
        landscape(sampled)  # compiles
        taken = median(seconds(sampled, seed) for seed in range(REPEATS))
        met = "" if sampled.variables.name != "bits" else "yes" if taken < GOAL else "no"
        lines.append([sampled.name, str(sampled.variables), f"{taken:.2f}", met])
    print(Table(["problem", "variables", "CPU seconds", f"below {GOAL:g}"], lines).markdown())


def problems() -> Iterator[Problem]:
    """Every PBO function, and a user's compiled function of integers."""
    for number in range(1, 24):
        yield problem(f"pbo:F{number}@{DIMENSION}")
    yield Problem(equal_neighbours, Integers(4, DIMENSION), compiled=True, isolate=False)


def seconds(sampled: Problem, seed: int) -> float:
    begun = time.process_time()
    landscape(sampled, seed=seed)
    return time.process_time() - begun


if __name__ == "__main__":
    main()
