"""Measure an evaluation of beamforming in microseconds of CPU: of unlike solutions, one element apart, within runs."""

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
        surface = problem(f"beamforming@{elements}")
        say(surface, "anew", evaluation(surface, unlike(elements)))
        say(surface, "one element changed", evaluation(surface, one_apart(elements)))
        for algorithm in ALGORITHMS:
            say(surface, f"a run of {algorithm}", within(surface, algorithm))


def say(surface: Problem, what: str, taken: float) -> None:
    most = WANTED.get(what)
    judged = "" if most is None else f"{'ok' if taken <= most else 'MISS'} (at most {most:g})"
    print(f"{surface.name:20} {what:28} {taken:6.2f} us  {judged}".rstrip(), flush=True)


def unlike(elements: int) -> Values:
    return np.random.default_rng(0).integers(0, 4, (SOLUTIONS, elements), dtype=np.int32)


def one_apart(elements: int) -> Values:
    """Each solution differs from the one before in one element."""
    rng = np.random.default_rng(0)
    rows = np.tile(unlike(elements)[0], (SOLUTIONS, 1))
    for i, element in enumerate(rng.integers(0, elements, SOLUTIONS)):
        rows[i:, element] = (rows[i, element] + rng.integers(1, 4)) % 4
    return rows


def evaluation(surface: Problem, rows: Values) -> float:
    how = surface.how
    assert isinstance(how, Native)
    work = np.zeros(how.work, np.uint64)
    evaluate_all(how.kernel, rows[:2], how.tables, work)
    taken = []
    for _ in range(REPEATS):
        begun = time.process_time()
        evaluate_all(how.kernel, rows, how.tables, work)
        taken.append(time.process_time() - begun)
    return min(taken) / len(rows) * 1e6


def within(surface: Problem, algorithm: str) -> float:
    """Of a whole run, the algorithm's own work included."""
    solve(algorithm, surface, evaluations=100)
    taken = []
    for seed in range(3):
        begun = time.process_time()
        solve(algorithm, surface, evaluations=EVALUATIONS, seed=seed)
        taken.append(time.process_time() - begun)
    return min(taken) / EVALUATIONS * 1e6


if __name__ == "__main__":
    main()
