"""Random programs on small problems, as a script that prints their results: the same ones compiled and, with
NUMBA_DISABLE_JIT, plain.
"""

import json
from collections.abc import Iterator

import numpy as np
from engine_helpers import SPACES, rugged

from metasmith.engine import Job, Result, run
from metasmith.problems import Problem, problem
from metasmith.program import random_program
from metasmith.representations import Integers

HOW_MANY = 25


def jobs() -> Iterator[Job]:
    built_in = [problem(name) for name in ("pbo:F1@20#3", "pbo:F18@17", "pbo:F2@65#60", "beamforming@9")]
    problems = [*built_in, Problem(rugged, Integers([2, 3, 40, 1, 5, 7, 4]))]
    for number in range(HOW_MANY):
        for space in SPACES:
            yield Job(random_program(space, number), problems[number % 5], 130, seed=number)
    yield Job(random_program(SPACES[1], 1), problems[0], 130, seed=1, start=np.tri(20, dtype=np.int64))
    for number, name in enumerate(("restoration:test", "restoration:train-binary")):
        yield Job(random_program(SPACES[number], number), problem(name), 40, seed=number)


def as_text(result: Result) -> str:
    """A result in every bit."""
    evaluations, values = result.history
    return json.dumps(
        [
            result.x.tolist(),
            result.fun.hex(),
            result.nfev,
            evaluations.tolist(),
            [float(value).hex() for value in values],
        ]
    )


if __name__ == "__main__":
    with np.errstate(over="ignore"):
        for job in jobs():
            print(as_text(run(job)))
