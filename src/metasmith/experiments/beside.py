"""A design beside the known algorithms, on the test problems of its task: problems that were not touched while it was designed."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from metasmith.api import find_task, solve_all
from metasmith.arrays import Floats
from metasmith.designs.folder import Folder
from metasmith.experiments.pages import number
from metasmith.problems import Problem, Task

REFERENCES = ("rls", "ea", "fga", "umda", "ghc", "ils", "sa", "ts", "ga")


@dataclass(frozen=True)
class Row:
    """An algorithm, and for every test problem the values of its runs on the original scale."""

    algorithm: str
    values: dict[str, Floats]

    def cells(self) -> dict[str, str]:
        """For the terminal: mean and standard deviation."""
        shown = {name: f"{number(values.mean())} ± {number(values.std(ddof=1))}" for name, values in self.values.items()}
        return {"algorithm": self.algorithm, **shown}

    def record(self) -> dict[str, Any]:
        return {"algorithm": self.algorithm, "values": {name: values.tolist() for name, values in self.values.items()}}


def beside(
    run: Path,
    *,
    runs: int,
    seed: int,
    workers: int | None,
    watch: Callable[[str, int], AbstractContextManager[Callable[[], None]]],
) -> list[Row]:
    """The design of a run and every reference, the design first."""
    if runs < 2:
        raise ValueError(f"a comparison needs at least 2 runs of each, got {runs}")
    asked = Folder(run).asked()
    task = find_task(asked.task, asked.evaluations)
    algorithms = {"design": run, **dict.fromkeys(REFERENCES)}
    with watch("algorithms", len(algorithms)) as tick:
        rows = []
        for name, given in algorithms.items():
            rows.append(Row(name, {p.name: values(given or name, p, task, range(seed, seed + runs), workers) for p in task.test}))
            tick()
    return rows


def values(algorithm: Path | str, problem: Problem, task: Task, seeds: Sequence[int], workers: int | None = None) -> Floats:
    """What the runs of an algorithm found on a test problem, on the original scale. The largest has the task's evaluations."""
    evaluations = task.training_evaluations(problem)
    found = solve_all(algorithm, problem, evaluations=evaluations, seeds=seeds, workers=workers)
    if found.errors:
        raise next(iter(found.errors.values()))
    return np.array([problem.original(result.fun) for result in found.results.values()])
