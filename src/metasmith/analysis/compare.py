"""A design beside the known algorithms, on the test problems of its task, with seeds that were not used while it was
designed.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from metasmith.api import Algorithm, find_task, solve_all
from metasmith.arrays import Floats
from metasmith.experiments.pages import number
from metasmith.problems import Problem, Task
from metasmith.runs.folder import Folder

REFERENCES = ("rls", "ea", "fga", "umda", "ghc", "ils", "sa", "ts", "ga")


@dataclass(frozen=True)
class Row:
    """An algorithm, and for every test problem the values of its runs on the original scale."""

    algorithm: str
    values: dict[str, Floats]

    def cells(self) -> dict[str, str]:
        """For the terminal: mean and standard deviation."""
        return {"algorithm": self.algorithm, **{name: cell(values) for name, values in self.values.items()}}

    def record(self) -> dict[str, Any]:
        known = {
            name: [None if np.isnan(value) else value for value in values.tolist()]
            for name, values in self.values.items()
        }
        return {"algorithm": self.algorithm, "values": known}


def cell(values: Floats) -> str:
    """Mean and standard deviation; and how many runs found nothing feasible, if any."""
    feasible = values[~np.isnan(values)]
    failed = f", {len(values) - len(feasible)} infeasible" if len(feasible) < len(values) else ""
    if not len(feasible):
        return f"infeasible in all {len(values)} runs"
    mean, deviation = feasible.mean(), feasible.std(ddof=1) if len(feasible) > 1 else 0.0
    if abs(mean) < 1:  # as in beamforming, where two decimals are the same for all
        return f"{mean:.4g} ± {deviation:.2g}{failed}"
    return f"{number(mean)} ± {number(deviation)}{failed}"


def beside(
    run: Path,
    *,
    runs: int,
    seed: int,
    workers: int | None,
    watch: Callable[[str, int], AbstractContextManager[Callable[[], None]]],
    log: Path | None = None,
) -> list[Row]:
    """The design of a run and every reference, the design first. log: a folder for the logs of all their runs."""
    if runs < 2:
        raise ValueError(f"a comparison needs at least 2 runs of each, got {runs}")
    asked = Folder(run).spec()
    task = find_task(asked.task, asked.evaluations)
    algorithms = {"design": run, **dict.fromkeys(REFERENCES)}
    with watch("algorithms", len(algorithms)) as tick:
        rows = []
        for name, given in algorithms.items():
            rows.append(
                Row(
                    name,
                    {p.name: values(given or name, p, task, range(seed, seed + runs), workers, log) for p in task.test},
                )
            )
            tick()
    return rows


def values(
    algorithm: Algorithm,
    problem: Problem,
    task: Task,
    seeds: Sequence[int],
    workers: int | None = None,
    log: Path | None = None,
) -> Floats:
    """What the runs of an algorithm found on a test problem, on the original scale; not a number where nothing feasible
    was found.
    """
    return reached(algorithm, problem, task.training_evaluations(problem), seeds, workers, log)


def reached(
    algorithm: Algorithm,
    problem: Problem,
    evaluations: int,
    seeds: Sequence[int],
    workers: int | None = None,
    log: Path | None = None,
) -> Floats:
    """The same with so many evaluations, on any problem."""
    found = solve_all(algorithm, problem, evaluations=evaluations, seeds=seeds, workers=workers, log=log)
    if found.errors:
        raise next(iter(found.errors.values()))
    results = found.results.values()
    return np.array([problem.original(result.fun) if result.violation <= 0 else np.nan for result in results])
