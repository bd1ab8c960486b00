"""The front door: what `import metasmith as ms` offers, and the only place where the rooms meet."""

import importlib.util
import operator
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from metasmith import problems
from metasmith.engine import Job, Outcome, Result, Runs, run, run_all
from metasmith.logs import log_ioh, make_log_folder
from metasmith.problems import Problem, Task
from metasmith.problems.family import Name
from metasmith.program import Program, named, names

if TYPE_CHECKING:
    from metasmith.designers.ppo.writer_file import Learned, WriterFile
    from metasmith.landscapes import Landscape
    from metasmith.runs.loop import Design, Plan, Progress

Algorithm = Program | str | Path
"""A program, or its name (`ea`), its file, its text (`population 1; reset_n(n=1)`), or the folder of a run that
designed one.
"""

FILE = re.compile(r"(?P<file>.*\.py)(:(?P<name>.*))?", re.DOTALL)
"""A Python file, and what it calls a problem or a task in it; folders on the way may have `.py` in their names."""

EVALUATIONS = 10_000
"""Those of use, of a problem that comes without: what a user's own function in plain Python can bear."""


def algorithm(given: Algorithm, population: int | None = None) -> Program:
    """The program meant by a name, a file or a text; with another population if asked."""
    if isinstance(given, Program):
        program = given
    elif str(given) not in names() and len(str(given)) < 256 and Path(given).is_dir():
        program = _designed(Path(given))
    elif (
        isinstance(given, Path)
        or given.endswith(".txt")
        or ("\n" not in given and len(given) < 256 and Path(given).is_file())
    ):
        program = Program.parse(_read(Path(given)))
    elif given.lstrip().startswith(("population", "#")) or "\n" in given or ";" in given:
        program = Program.parse(given)
    else:
        program = named(given)
    return program if population is None else replace(program, population=operator.index(population))


def find_problem(given: Problem | str) -> Problem:
    """The problem meant by a name (`pbo:F2@100#7`, `beamforming:channels.npz`), or by a file and what it calls it
    (`mine.py:knapsack`).
    """
    if isinstance(given, Problem):
        return given
    found = _in_file(given)
    if isinstance(found, Task):
        raise ValueError(
            f"'{given}' is a task, and a problem is needed; its test problems are {', '.join(p.name for p in found.test)}"
        )
    return problems.problem(given) if found is None else found


def find_task(given: Task | Problem | str, evaluations: int | None = None) -> Task:
    """The task meant by a name (`pbo:F2`), a problem, or a file and what it calls a task or a problem in it
    (`mine.py:knapsack`).

    evaluations: those of use, instead of the task's own.
    """
    found = (_in_file(given) or problems.task(given)) if isinstance(given, str) else given
    if isinstance(found, Problem):
        found = Task(found.name, (found,), (found,), EVALUATIONS)
    return found if evaluations is None else replace(found, evaluations=operator.index(evaluations))


def job(
    program: Algorithm,
    problem: Problem | str,
    *,
    evaluations: int,
    seed: int = 0,
    population: int | None = None,
    seconds: float | None = None,
    start: ArrayLike | None = None,
) -> Job:
    """One run to do, for `run` and `run_all`, with names looked up."""
    return Job(algorithm(program, population), find_problem(problem), evaluations, seed, seconds, start)


def solve(
    program: Algorithm,
    problem: Problem | str,
    *,
    evaluations: int,
    seed: int = 0,
    population: int | None = None,
    seconds: float | None = None,
    start: ArrayLike | None = None,
) -> Result:
    """Run an algorithm on a problem once. seconds: a limit by the clock, beside the evaluations.

    start: solutions to start from, (solutions, variables), such as `ms.landscape(problem).best(50)`; random ones fill
    the population up.
    """
    return run(
        job(program, problem, evaluations=evaluations, seed=seed, population=population, seconds=seconds, start=start)
    )


def solve_all(
    program: Algorithm,
    problem: Problem | str,
    *,
    evaluations: int,
    seeds: Sequence[int],
    population: int | None = None,
    seconds: float | None = None,
    start: ArrayLike | None = None,
    workers: int | None = None,
    on_done: Callable[[int, Outcome], None] | None = None,
    log: Path | str | None = None,
) -> Runs:
    """Run an algorithm on a problem once per seed, on all cores.

    A run whose evaluation fails gives its error and stops no other.

    log: a folder to log the runs in, as `log_ioh` does; whether that can be is found out before the first run.
    """
    seeds = [int(seed) for seed in seeds]
    if not seeds or len(set(seeds)) < len(seeds):
        raise ValueError(f"at least 1 run is needed, each with its own seed, got the seeds {seeds}")
    found, chosen = algorithm(program, population), find_problem(problem)
    if log is not None:
        make_log_folder(log)
    outcomes = run_all([Job(found, chosen, evaluations, seed, seconds, start) for seed in seeds], workers, on_done)
    name = program if isinstance(program, str) else str(program)
    runs = Runs(name, found, chosen, evaluations, dict(zip(seeds, outcomes, strict=True)))
    if log is not None and runs.results:
        log_ioh(runs, log)
    return runs


def landscape(problem: Problem | str, *, seed: int = 0) -> "Landscape":
    """What a problem looks like: the 32 landscape factors of the paper, and the solutions they were computed from."""
    from metasmith.landscapes import landscape as looked_at

    return looked_at(find_problem(problem), seed=operator.index(seed))


def design(
    task: Task | Problem | str,
    *,
    evaluations: int | None = None,
    effort: str = "default",
    preset: str = "default",
    seed: int = 0,
    workers: int | None = None,
    out: Path | str | None = None,
    writer: Path | str | None = None,
    tell: "Callable[[Plan | Progress], None]" = lambda event: None,
    **others: Any,
) -> "Design":
    """Design an algorithm for a task, or for a problem.

    evaluations: of use; the task's own by default. effort: none, quick, default or thorough. preset: default, or paper
    for the paper's numbers. out: a folder for the run, so that it can be resumed. writer: a file that `learn` made, to
    begin from; with the effort none, to design from at once. tell: called with what is planned, then with how it goes.
    others: space, designer ("ppo", "random"), quality ("final", "anytime"), or any part of `metasmith.runs.Spec`.
    """
    from metasmith.designers.ppo.writer_file import WriterFile
    from metasmith.runs.folder import Folder
    from metasmith.runs.loop import design as designed
    from metasmith.runs.spec import ask

    found, memory = find_task(task, evaluations), None
    name = _absolute(task) if isinstance(task, str) else found.name
    if writer is not None:
        memory = WriterFile.load(Path(writer))
        others = {"space": memory.space, **others, "writer": f"{Path(writer).resolve()} {memory.digest}"}
    what = ask(name, found.evaluations, effort=effort, preset=preset, seed=operator.index(seed), **others)
    return designed(what, found, memory=memory, workers=workers, folder=None if out is None else Folder(out), tell=tell)


def learn(
    tasks: "Sequence[Task | Problem | str]",
    writer: Path | str,
    *,
    evaluations: int | None = None,
    effort: str = "default",
    seed: int = 0,
    workers: int | None = None,
    tell: "Callable[[Plan | Progress], None]" = lambda event: None,
    warn: Callable[[str], None] = lambda message: None,
    on_task: "Callable[[Learned], None]" = lambda learned: None,
    **others: Any,
) -> "WriterFile":
    """Teach a writer one task after the other, and save it in a file after each.

    Tasks that it has learned are left out.

    writer: the file, made if it is not there. on_task: called after each task. The rest as for `design`.
    """
    from metasmith.runs.continual import learn as learned

    found: dict[str, Task] = {}
    for task in tasks:
        name, given = _absolute(task) if isinstance(task, str) else task.name, find_task(task, evaluations)
        if not isinstance(task, str) and name in found:
            raise ValueError(f"two tasks are called '{name}'; give them names of their own")
        found[name] = given
    others = {"effort": effort, **others}
    return learned(
        found, Path(writer), seed=operator.index(seed), workers=workers, tell=tell, warn=warn, on_task=on_task, **others
    )


def resume(
    run: Path | str,
    task: Task | Problem | None = None,
    *,
    workers: int | None = None,
    tell: "Callable[[Plan | Progress], None]" = lambda event: None,
    warn: Callable[[str], None] = lambda message: None,
) -> "Design":
    """Go on with a run that was stopped, or killed. task: as it was given to `design`, if that was not by name. warn:
    told of damage.
    """
    from metasmith.runs.folder import Folder
    from metasmith.runs.loop import resume as resumed

    asked = Folder(run).asked()
    try:
        found = find_task(task or asked.task, asked.evaluations)
    except ValueError as error:
        raise ValueError(
            f"the task of '{run}' cannot be found: {error}; if it was made in Python, use ms.resume(run, task)"
        ) from error
    return resumed(Folder(run), found, workers=workers, tell=tell, warn=warn)


def export(run: Path | str, file: Path | str) -> None:
    """Write the design of a run as a stand-alone Python file."""
    from metasmith.runs.folder import Folder
    from metasmith.runs.loop import export

    program, record = _designed(Path(run)), Folder(run).design()
    assert record is not None
    export(program, record["representation"], file)


def _in_file(given: str) -> Problem | Task | None:
    """What a Python file has under a name, if a file is meant."""
    found = FILE.fullmatch(given)
    return _from_file(Path(found["file"]), found["name"] or "") if found else None


def _absolute(name: str) -> str:
    """A task's name that means the same wherever it is read."""
    found = FILE.fullmatch(name)
    if found:
        return f"{Path(found['file']).resolve()}:{found['name'] or ''}"
    parts = Name.parse(name)
    return f"{parts.family}:{Path(parts.file).resolve()}" if parts.file else problems.task(name).name


def _from_file(path: Path, name: str) -> Problem | Task:
    """The problem or task that a Python file calls `name`."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    if not path.is_file() or specification is None or specification.loader is None:
        raise ValueError(f"there is no file '{path}'")
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module  # as an import would, and with the files beside it within reach
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        specification.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise ValueError(f"'{path}' cannot be loaded: {type(error).__name__}: {error}") from error
    found = getattr(module, name, None)
    if not isinstance(found, Problem | Task):
        known = ", ".join(key for key, value in vars(module).items() if isinstance(value, Problem | Task)) or "none"
        raise ValueError(f"'{path}' has no metasmith.Problem or Task called '{name}'; it has: {known}")
    return found


def _designed(path: Path) -> Program:
    """The design in the folder of a run."""
    from metasmith.runs.folder import Folder

    if Folder(path).design() is None:
        run = (path / "design.toml").is_file()
        why = (
            f"the run in it is not finished; 'metasmith resume {path}' goes on"
            if run
            else "it is not the folder of a run"
        )
        raise ValueError(f"there is no design in '{path}': {why}")
    return Program.parse(_read(path / "design.txt"))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ValueError(f"cannot read the algorithm file '{path}': {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"cannot read the algorithm file '{path}': it is not text") from error
