"""Runs in IOHprofiler's format, which iohinspector reads: a folder of its own for every call, in the folder of an
experiment.

Stands beside the designer, the reward and the landscapes: it takes what came of runs from the engine, and asks nothing
of who wanted them.
"""

import itertools
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from metasmith.arrays import Floats
from metasmith.engine import Result, Runs
from metasmith.engine.runs import finite
from metasmith.files import replace
from metasmith.problems import Problem
from metasmith.problems.pbo import FUNCTIONS
from metasmith.program import one_line
from metasmith.version import VERSION

FORMAT = "0.3.22"
"""The version of ioh whose files these equal."""

NAME = re.compile(r"(?P<function>.+?)(@\d+)?(#(?P<instance>\d+))?", re.DOTALL)
"""The name of a problem, such as `pbo:F2@100#7`."""

SHORT = {"F22": "MIS"}
"""What ioh calls a function by another name than its title."""


def log_ioh(runs: Runs, folder: Path | str) -> Path:
    """Write the runs that ended well to a new folder in `folder`, and return that.

    Values are on the original scale, as in ioh's own logs, so that instances compare. Infinite is what has no value:
    nothing feasible yet.
    """
    if not runs.results:
        raise ValueError(f"there is nothing to log: no run of {runs.algorithm} on {runs.problem.name} ended well")
    make_log_folder(folder)
    function, instance = named(runs.problem)
    home = new_folder(Path(folder) / f"{plain(runs.algorithm)}-{plain(runs.problem.name)}")
    data = f"data_f{function.number}_{plain(function.name)}"
    (home / data).mkdir()
    scenarios = []
    for number, results in enumerate(apart(runs)):
        path = f"{data}/IOHprofiler_f{function.number}_DIM{runs.problem.dimension}{f'-{number}' if number else ''}.dat"
        (home / path).write_text("".join(table(runs.problem, result) for result in results), encoding="utf-8")
        described = [described_run(runs.problem, result, instance) for result in results]
        scenarios.append({"dimension": runs.problem.dimension, "path": path, "runs": described})
    record = {
        "version": FORMAT,
        "suite": function.suite,
        "function_id": function.number,
        "function_name": function.name,
        "maximization": runs.problem.maximise,
        "algorithm": {"name": one_line(runs.algorithm), "info": f"metasmith {VERSION}"},
        "experiment_attributes": [{"program": one_line(str(runs.program))}, {"budget": str(runs.evaluations)}],
        "run_attributes": ["seed"],
        "attributes": ["evaluations", "raw_y"],
        "scenarios": scenarios,
    }
    # Last and whole: a folder without it is passed over, so that nobody reads half of the runs.
    replace(home / f"IOHprofiler_f{function.number}_{plain(function.name)}.json", json.dumps(record).encode())
    return home


def make_log_folder(folder: Path | str, *, new: bool = False) -> None:
    """Make sure that logs can be written to a folder, before the runs that they tell of. new: nothing may be in it yet.

    An experiment that is called again logs all of its runs; beside those of the first call, a reader would count them
    twice.
    """
    if new and Path(folder).is_dir() and any(Path(folder).iterdir()):
        raise ValueError(
            f"there is something in '{folder}' already, and logs of an experiment need a new folder; name another"
        )
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder):
            pass
    except OSError as error:
        raise ValueError(
            f"cannot write logs to '{folder}': {error.strerror}; name a folder that can be written to"
        ) from error


class Function(NamedTuple):
    """What a log calls a function: the suite that it is of, its number there, its name."""

    suite: str
    number: int
    name: str


def named(problem: Problem) -> tuple[Function, int]:
    """The function and the instance that a problem is. PBO functions are called as in ioh's logs."""
    match = NAME.fullmatch(problem.name)
    assert match is not None  # every name has something in front
    name, instance = match["function"], int(match["instance"] or 1)
    if name.startswith("pbo:") and (known := FUNCTIONS.get(name.removeprefix("pbo:"))):
        title = "".join(word[0].upper() + word[1:] for word in known.title.replace("-", "").split())
        return Function("PBO", int(known.name[1:]), SHORT.get(known.name, title)), instance
    # Readers tell functions apart by number, and give theirs 16 bits: from the name, so that it is the same in every
    # log.
    return Function("metasmith", 10_000 + crc32(name.encode()) % 50_000, name), instance


def new_folder(path: Path) -> Path:
    """That folder, or the first of path-1, path-2 and so on that nobody has: making one is atomic, so several processes
    may log at once.
    """
    for number in itertools.count():
        mine = path.with_name(f"{path.name}-{number}") if number else path
        with suppress(FileExistsError):
            mine.mkdir()
            break
    return mine


def plain(name: str) -> str:
    """A name as part of a file's name; never hidden, never long."""
    return re.sub(r"[^\w.]+", "-", name)[:60].strip("-.") or "unnamed"


def apart(runs: Runs) -> Iterator[list[Result]]:
    """The runs of each data file. One that begins where the one before it ended goes to another file.

    iohinspector leaves out lines that repeat the value of the line before, and looks past the end of a run.
    """
    together: list[Result] = []
    for result in runs.results.values():
        if together and result.history.values[0] == together[-1].history.values[-1]:
            yield together
            together = []
        together.append(result)
    yield together


def table(problem: Problem, result: Result) -> str:
    """A run in a data file: every improvement, and the last evaluation."""
    evaluations, values = result.history.evaluations.tolist(), original(problem, result).tolist()
    if evaluations[-1] < result.nfev:
        evaluations, values = [*evaluations, result.nfev], [*values, values[-1]]
    lines = (f"{evaluation} {value!r}\n" for evaluation, value in zip(evaluations, values, strict=True))
    return f"evaluations raw_y\n{''.join(lines)}"


def described_run(problem: Problem, result: Result, instance: int) -> dict[str, Any]:
    """What a log says of a run as a whole; JSON has no infinity, so that the best of a run that found nothing feasible
    is null.
    """
    best = {"evals": result.hit, "y": finite(original(problem, result).tolist()[-1]), "x": result.x.tolist()}
    return {"instance": instance, "evals": result.nfev, "best": best, "seed": result.seed}


def original(problem: Problem, result: Result) -> Floats:
    """The improvements on the original scale."""
    return np.array([problem.original(value) for value in result.history.values.tolist()])
