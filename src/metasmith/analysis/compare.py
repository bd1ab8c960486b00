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
from metasmith.api import algorithm as find_algorithm
from metasmith.arrays import Floats
from metasmith.problems import Problem, Task
from metasmith.program import named, names, works_on
from metasmith.runs.folder import Folder

USUAL = ("rls", "ea", "fga", "umda", "ghc", "ils", "sa", "ts", "ga")
"""The known algorithms that a design is set beside, where they work on the variables."""

Watch = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""Shows a bar for so many steps of something; gives what to call after each."""


@dataclass(frozen=True)
class Row:
    """An algorithm, and for every test problem the values of its runs on the original scale."""

    algorithm: str
    values: dict[str, Floats]

    def record(self) -> dict[str, Any]:
        """For machines; null where nothing feasible was reached."""
        values = {
            name: [None if np.isnan(value) else value for value in values.tolist()]
            for name, values in self.values.items()
        }
        return {"algorithm": self.algorithm, "values": values}


def beside(run: Path, *, runs: int, seed: int, workers: int | None, watch: Watch, log: Path | None = None) -> list[Row]:
    """The design of a run and every reference, the design first. log: a folder for the logs of all their runs."""
    if runs < 2:
        raise ValueError(f"a comparison needs at least 2 runs of each, got {runs}")
    home, spec, program = (
        Path.cwd(),
        Folder(run).spec(),
        find_algorithm(run),
    )  # first: the task's file may change folder
    task = find_task(spec.task, spec.evaluations)
    log = None if log is None else home / log
    seeds, rows = range(seed, seed + runs), []
    algorithms: dict[str, Algorithm] = {"design": program, **{name: name for name in references(task.representation)}}
    with watch("algorithms", len(algorithms)) as tick:
        for name, algorithm in algorithms.items():
            called = str(run) if name == "design" else name
            rows.append(Row(name, {p.name: values(algorithm, p, task, seeds, workers, log, called) for p in task.test}))
            tick()
    return rows


def references(representation: str) -> list[str]:
    """The known algorithms that a design is set beside: the usual ones, or, where none of them works, all that do."""
    library = [name for name in names() if name != "random" and works_on(named(name), representation)]
    return [name for name in USUAL if name in library] or library


def values(
    algorithm: Algorithm,
    problem: Problem,
    task: Task,
    seeds: Sequence[int],
    workers: int | None = None,
    log: Path | None = None,
    name: str | None = None,
) -> Floats:
    """What the runs of an algorithm reach on a test problem of a task, with the task's evaluations."""
    return reached(algorithm, problem, task.training_evaluations(problem), seeds, workers, log, name)


def reached(
    algorithm: Algorithm,
    problem: Problem,
    evaluations: int,
    seeds: Sequence[int],
    workers: int | None = None,
    log: Path | None = None,
    name: str | None = None,
) -> Floats:
    """What the runs of an algorithm reach on a problem, on the original scale; not a number where nothing feasible was
    reached.
    """
    outcome = solve_all(algorithm, problem, evaluations=evaluations, seeds=seeds, workers=workers, log=log, name=name)
    if outcome.errors:
        raise next(iter(outcome.errors.values()))
    results = outcome.results.values()
    return np.array([problem.original(result.fun) if result.violation <= 0 else np.nan for result in results])
