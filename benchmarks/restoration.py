"""Measure an evaluation of a restoration problem, with its three AC power flows, in microseconds of CPU time.

Solutions are random ones, and those that the paper's algorithm evaluates on its way; the cache of power flows is
emptied before each. The best of many repeats counts. Then whole runs are measured, with the cache.
"""

import time
from typing import Any

import numba
import numpy as np

from metasmith.arrays import Floats, Solutions, Words
from metasmith.engine import Job, run
from metasmith.engine.by_reference import Reference
from metasmith.engine.call import call_float
from metasmith.engine.compile import objective
from metasmith.problems import Native, problem
from metasmith.program import named

SOLUTIONS = 500
REPEATS = 40
RUN = 50_000
WANTED = 60.0


@numba.njit
def evaluate(kernel: int, rows: Solutions, tables: Any, work: Words, values: Floats) -> None:
    for i in range(len(rows)):
        work[:] = 0
        values[i] = call_float(kernel, rows[i], tables, work)


def main() -> None:
    for name in ("restoration:test", "restoration:train", "restoration:test-binary"):
        system = problem(name)
        assert isinstance(system.how, Native)
        draw = np.random.default_rng(0)
        high = 2 if system.variables.name == "bits" else np.array(system.variables.arity)
        drawn = draw.integers(0, high, (SOLUTIONS, system.dimension))
        near = np.array(
            [run(Job(named("aldes-restoration"), system, 50 * (1 + i), seed=i)).x for i in range(SOLUTIONS // 5)]
        )
        for what, vectors in (("random", drawn), ("found on the way", near)):
            rows, tables = system.variables.to_rows(vectors), Reference(system.how.tables)
            kernel, work = objective(system.how.kernel, type(system.variables)), np.zeros(system.how.work, np.uint64)
            values, taken = np.empty(len(rows)), []
            evaluate(kernel, rows, tables.given, work, values)
            for _ in range(REPEATS):
                begun = time.process_time()
                evaluate(kernel, rows, tables.given, work, values)
                taken.append(time.process_time() - begun)
            say(name, what, min(taken) / len(rows))
        for algorithm in ("ils", "ga", "aldes-restoration"):
            begun = time.process_time()
            run(Job(named(algorithm), system, RUN, seed=0))
            say(name, f"a run of {algorithm}", (time.process_time() - begun) / RUN)


def say(name: str, what: str, seconds: float) -> None:
    print(
        f"{'ok  ' if seconds * 1e6 <= WANTED else 'MISS'} {name:24} {what:26} "
        f"{seconds * 1e6:6.1f} us (at most {WANTED:g})",
        flush=True,
    )


if __name__ == "__main__":
    main()
