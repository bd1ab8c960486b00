"""Write runs in IOHprofiler's format, which iohinspector and IOHanalyzer read.

Each call makes a folder of its own inside the folder of an experiment. The results come from the engine; nothing here
depends on which command or experiment asked for the runs.
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
"""Version of the `ioh` package whose file format this is."""

NAME = re.compile(r"(?P<function>.+?)(@\d+)?(#(?P<instance>\d+))?", re.DOTALL)
"""A problem's name, such as `pbo:F2@100#7`: the function, its dimension, its instance."""

SHORT = {"F22": "MIS"}
"""Names of PBO functions in ioh's logs, where they are not the title with its words joined."""


def log_ioh(runs: Runs, folder: Path | str) -> Path:
    """Write the runs that did not fail to a new folder inside `folder`, and return the new folder.

    Values are on the original scale, as in ioh's own logs, so that instances compare. They are infinite as long as
    nothing feasible was evaluated.
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
    # Written last and whole: readers skip a folder without it, so nobody reads half of the runs.
    replace(home / f"IOHprofiler_f{function.number}_{plain(function.name)}.json", json.dumps(record).encode())
    return home


def make_log_folder(folder: Path | str, *, new: bool = False) -> None:
    """Make a folder for logs, and raise before the runs begin if nothing can be written to it.

    new: the folder must be empty. An experiment that is called again logs all of its runs again, and a reader would
    count those of the first call twice.
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
    """How a log names a function: by its suite, its number in the suite, and its name."""

    suite: str
    number: int
    name: str


def named(problem: Problem) -> tuple[Function, int]:
    """The function and the number of the instance that a problem is; PBO functions have the names of ioh's logs."""
    match = NAME.fullmatch(problem.name)
    assert match is not None  # the pattern fits every name that is not empty
    name, instance = match["function"], int(match["instance"] or 1)
    if name.startswith("pbo:") and (function := FUNCTIONS.get(name.removeprefix("pbo:"))):
        title = "".join(word[0].upper() + word[1:] for word in function.title.replace("-", "").split())
        return Function("PBO", int(function.name[1:]), SHORT.get(function.name, title)), instance
    # Readers tell functions apart by a number of 16 bits; taken from the name, it is the same in every log.
    return Function("metasmith", 10_000 + crc32(name.encode()) % 50_000, name), instance


def new_folder(path: Path) -> Path:
    """Make the first of the folders path, path-1, path-2, ... that does not exist yet, and return it.

    Making a folder is atomic, so that several processes may log at once.
    """
    for number in itertools.count():
        mine = path.with_name(f"{path.name}-{number}") if number else path
        with suppress(FileExistsError):
            mine.mkdir()
            break
    return mine


def plain(name: str) -> str:
    """A name with only the characters that a file's name may have, 60 at most, and no dot in front."""
    return re.sub(r"[^\w.]+", "-", name)[:60].strip("-.") or "unnamed"


def apart(runs: Runs) -> Iterator[list[Result]]:
    """The runs of each data file: a run that begins with the value the run before it ended with starts another file.

    iohinspector drops lines that repeat the value of the line before, even across the border of two runs.
    """
    together: list[Result] = []
    for result in runs.results.values():
        if together and result.history.values[0] == together[-1].history.values[-1]:
            yield together
            together = []
        together.append(result)
    yield together


def table(problem: Problem, result: Result) -> str:
    """A run as lines of a data file: one for every improvement, and one for the last evaluation."""
    evaluations, values = result.history.evaluations.tolist(), original(problem, result).tolist()
    if evaluations[-1] < result.nfev:
        evaluations, values = [*evaluations, result.nfev], [*values, values[-1]]
    lines = (f"{evaluation} {value!r}\n" for evaluation, value in zip(evaluations, values, strict=True))
    return f"evaluations raw_y\n{''.join(lines)}"


def described_run(problem: Problem, result: Result, instance: int) -> dict[str, Any]:
    """A run as fields of the log's JSON file; the best value of a run without a feasible solution is null."""
    best = {"evals": result.hit, "y": finite(original(problem, result).tolist()[-1]), "x": result.x.tolist()}
    return {"instance": instance, "evals": result.nfev, "best": best, "seed": result.seed}


def original(problem: Problem, result: Result) -> Floats:
    """The values of a run's improvements on the original scale."""
    return np.array([problem.original(value) for value in result.history.values.tolist()])
