"""Microseconds of CPU that beamforming takes per evaluation: of unlike solutions, of solutions one element apart, and
within runs.
"""

import time

import numpy as np

from metasmith.api import solve
from metasmith.arrays import Values
from metasmith.problems import Native, Problem, problem
from metasmith.problems.compiled import evaluate_all

ELEMENTS = (40, 120, 400)
ALGORITHMS = ("ea", "rls", "sa", "ils", "ga-beamforming", "aldes-beamforming")
SOLUTIONS = 2000
EVALUATIONS = 50_000
REPEATS = 30
WANTED = {"anew": 15.0, "one element changed": 3.0}


def main() -> None:
    for elements in ELEMENTS:
        asked = problem(f"beamforming@{elements}")
        say(asked, "anew", evaluation(asked, unlike(elements)))
        say(asked, "one element changed", evaluation(asked, one_apart(elements)))
        for algorithm in ALGORITHMS:
            say(asked, f"a run of {algorithm}", within(asked, algorithm))


def say(asked: Problem, what: str, taken: float) -> None:
    most = WANTED.get(what)
    judged = "" if most is None else f"{'ok' if taken <= most else 'MISS'} (at most {most:g})"
    print(f"{asked.name:20} {what:28} {taken:6.2f} us  {judged}".rstrip(), flush=True)


def unlike(elements: int) -> Values:
    return np.random.default_rng(0).integers(0, 4, (SOLUTIONS, elements), dtype=np.int32)


def one_apart(elements: int) -> Values:
    """Each solution differs from the one before in one element."""
    rng = np.random.default_rng(0)
    rows = np.tile(unlike(elements)[0], (SOLUTIONS, 1))
    for i, element in enumerate(rng.integers(0, elements, SOLUTIONS)):
        rows[i:, element] = (rows[i, element] + rng.integers(1, 4)) % 4
    return rows


def evaluation(asked: Problem, rows: Values) -> float:
    how = asked.how
    assert isinstance(how, Native)
    work = np.zeros(how.work, np.uint64)
    evaluate_all(how.kernel, rows[:2], how.tables, work)
    taken = []
    for _ in range(REPEATS):
        begun = time.process_time()
        evaluate_all(how.kernel, rows, how.tables, work)
        taken.append(time.process_time() - begun)
    return min(taken) / len(rows) * 1e6


def within(asked: Problem, algorithm: str) -> float:
    """Of a whole run, the algorithm's own work included."""
    solve(algorithm, asked, evaluations=100)
    taken = []
    for seed in range(3):
        begun = time.process_time()
        solve(algorithm, asked, evaluations=EVALUATIONS, seed=seed)
        taken.append(time.process_time() - begun)
    return min(taken) / EVALUATIONS * 1e6


if __name__ == "__main__":
    main()
