"""The front door: what `import metasmith as ms` offers, and the only place where the rooms meet."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from metasmith import engine, problems
from metasmith.checks import whole_number
from metasmith.engine import (
    EvaluationError,
    Job,
    Local,
    OnExecutor,
    Outcome,
    Result,
    Runner,
    Runs,
    executor_at,
)
from metasmith.loading import FILE, load_file
from metasmith.logs import log_ioh, make_log_folder
from metasmith.problems import Problem, Task
from metasmith.problems.family import Name
from metasmith.problems.problem import Direction, OnError
from metasmith.program import Program, named, names
from metasmith.representations import Variables

if TYPE_CHECKING:
    from metasmith.designers.ppo.writer_file import Learned, WriterFile
    from metasmith.designers.training import Training
    from metasmith.landscapes import Landscape
    from metasmith.measuring import Measuring, Quality, Race
    from metasmith.runs.design import Design
    from metasmith.runs.folder import Folder
    from metasmith.runs.forecast import Plan, Progress

Algorithm = Program | str | Path
"""A program, its name (`ea`), its file, its text (`population 1; reset_n(n=1)`), or the folder of its run."""

EVALUATIONS = 10_000
"""Those of use, of a problem that comes without: what a user's own function in plain Python can bear."""


def algorithm(meant: Algorithm, population: int | None = None) -> Program:
    """The program meant by a name, a file, a text or the folder of a run; with another population if that is given."""
    if isinstance(meant, Program):
        program = meant
    elif str(meant) not in names() and len(str(meant)) < 256 and Path(meant).is_dir():
        from metasmith.runs.folder import Folder

        program = Program.parse(_record(Folder(meant))["program"])
    elif (
        isinstance(meant, Path)
        or meant.endswith(".txt")
        or ("\n" not in meant and len(meant) < 256 and Path(meant).is_file())
    ):
        program = Program.parse(_read(Path(meant)))
    elif meant.lstrip().startswith(("population", "#")) or "\n" in meant or ";" in meant:
        program = Program.parse(meant)
    else:
        program = named(meant)
    return program if population is None else replace(program, population=whole_number("population", population))


def find_problem(meant: Problem | str) -> Problem:
    """The problem meant by a name (`pbo:F2@100#7`), or by a file and what it calls the problem (`mine.py:knapsack`)."""
    if isinstance(meant, Problem):
        return meant
    member = _in_file(meant)
    if isinstance(member, Task):
        tests = ", ".join(problem.name for problem in member.test)
        raise ValueError(f"'{meant}' is a task, and a problem is needed; its test problems are {tests}")
    return problems.problem(meant) if member is None else member


def find_task(meant: Task | Problem | str, evaluations: int | None = None) -> Task:
    """The task meant by a name (`pbo:F2`), a problem, or a file and what it calls either (`mine.py:knapsack`).

    evaluations: those of use, instead of the task's own.
    """
    task = (_in_file(meant) or problems.task(meant)) if isinstance(meant, str) else meant
    if isinstance(task, Problem):
        task = Task(task.name, (task,), (task,), EVALUATIONS)
    return task if evaluations is None else replace(task, evaluations=whole_number("evaluations", evaluations))


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
    """One run to do, with names looked up."""
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
    one = job(program, problem, evaluations=evaluations, seed=seed, population=population, seconds=seconds, start=start)
    (outcome,) = Local(1).run([one])
    if isinstance(outcome, EvaluationError):
        raise outcome
    return outcome


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
    executor: Executor | None = None,
    on: str | None = None,
    runner: Runner | None = None,
    on_done: Callable[[int, Outcome], None] | None = None,
    log: Path | str | None = None,
    name: str | None = None,
) -> Runs:
    """Run an algorithm on a problem once per seed, on all cores.

    A run whose evaluation fails gives its error and stops no other.

    log: a folder to log the runs in, as `log_ioh` does; whether that can be is found out before the first run.
    name: what the algorithm is called in what is logged and shown; as it was given by default.
    workers: how many runs at a time, by default as many as there are cores. executor: any
    `concurrent.futures.Executor`, whose workers do the runs, such as Dask's on many machines. on: the address of a
    cluster, `dask://HOST:8786` or `dask:SCHEDULER_FILE`; workers are then the batches of runs under way at most.
    runner: who does the runs otherwise. Whoever does them, results are the same.
    """
    seeds = [whole_number("seed", seed) for seed in seeds]
    if not seeds or len(set(seeds)) < len(seeds):
        raise ValueError(f"at least 1 run is needed, each with its own seed, got the seeds {seeds}")
    home = Path.cwd()  # the user's code may change folder
    chosen, where = algorithm(program, population), find_problem(problem)
    if log is not None:
        log = home / log
        make_log_folder(log)
    jobs = [Job(chosen, where, evaluations, seed, seconds, start) for seed in seeds]
    with _runner(workers, executor, on, runner) as does_runs:
        outcomes = does_runs.run(jobs, on_done)
    runs = Runs(name or str(program), chosen, where, evaluations, dict(zip(seeds, outcomes, strict=True)))
    if log is not None and runs.results:
        log_ioh(runs, log)
    return runs


class Search(engine.Search):
    """A run that asks for values instead of computing them: for evaluations in a laboratory, or in another language.

    It spends and returns the same as `solve` on a problem called `name`:

    search = ms.Search("ea", ms.Bits(100), evaluations=1000)
    while not search.done:
        search.tell([measure(x) for x in search.ask()])
    print(search.result())
    """

    def __init__(
        self,
        program: Algorithm,
        variables: Variables,
        *,
        evaluations: int,
        seed: int = 0,
        direction: Direction = "max",
        name: str = "search",
        on_error: OnError = "stop",
        population: int | None = None,
        start: ArrayLike | None = None,
    ) -> None:
        super().__init__(
            algorithm(program, population), variables, evaluations=evaluations, seed=seed, direction=direction,
            name=name, on_error=on_error, start=start,
        )  # fmt: skip


def landscape(problem: Problem | str, *, seed: int = 0) -> "Landscape":
    """What a problem looks like: the 32 landscape factors of the paper, and the solutions they were computed from."""
    from metasmith.landscapes import landscape as looked_at

    return looked_at(find_problem(problem), seed=whole_number("seed", seed))


def design(
    task: Task | Problem | str,
    *,
    evaluations: int | None = None,
    effort: str = "default",
    preset: str = "default",
    spend: int | None = None,
    minutes: float | None = None,
    space: str | None = None,
    designer: str | None = None,
    quality: "Quality" = "final",
    seed: int = 0,
    workers: int | None = None,
    executor: Executor | None = None,
    on: str | None = None,
    runner: Runner | None = None,
    out: Path | str | None = None,
    writer: Path | str | None = None,
    training: "Training | None" = None,
    measuring: "Measuring | None" = None,
    race: "Race | None" = None,
    tell: "Callable[[Plan | Progress], None]" = lambda event: None,
) -> "Design":
    """Design an algorithm for a task, or for a problem.

    evaluations: of use; the task's own by default. effort: none, quick, default or thorough. preset: default, or paper
    for the paper's numbers. spend: all evaluations of the design, for which the effort's numbers are laid out; at least
    twenty runs' worth. minutes: about how long it may take instead; of both, whichever is less. space: what may be
    written, full or paper. designer: mixture (the default), guided, ppo, evolution, local_search, random, pick, irace,
    smac, ... quality: what counts, the final value of a run or the anytime mean. out: a folder for the run, so that it
    can be resumed; without one the run is kept among the temporary files until it ends well, and an error has a note
    that says where. writer: a file that `learn` made, to begin from; with the effort none, to design from at
    once. training, measuring, race: numbers of one's own instead of the effort's. workers, executor, on, runner: who
    does the runs, as for `solve_all`; no part of what is designed. tell: called with what is planned, then with how it
    goes.
    """
    from metasmith.designers.ppo.writer_file import WriterFile
    from metasmith.runs.folder import Folder, passing_folder
    from metasmith.runs.loop import design as designed
    from metasmith.runs.minutes import specified

    # all paths first: the user's code may change folder
    memory, beginning, name, seed = None, "", _absolute(task), whole_number("seed", seed)
    kept = passing_folder(name, seed) if out is None else nullcontext(Folder(out))
    if writer is not None:
        memory = WriterFile.load(Path(writer))
        space, beginning = space or memory.space, f"{Path(writer).resolve()} {memory.digest}"
    chosen = find_task(task, evaluations)
    if minutes is not None and out is not None:
        Folder(out).check_free()  # before the user's function is timed
    with _runner(workers, executor, on, runner) as does_runs:
        spec = specified(
            chosen,
            runner=does_runs,
            name=name,
            effort=effort,
            preset=preset,
            spend=None if spend is None else whole_number("spend", spend),
            minutes=minutes,
            seed=seed,
            space=space,
            designer=designer,
            quality=quality,
            writer=beginning,
            training=training,
            measuring=measuring,
            race=race,
        )
        with kept as folder:
            return designed(spec, chosen, memory=memory, runner=does_runs, folder=folder, tell=tell)


def learn(
    tasks: "Sequence[Task | Problem | str]",
    writer: Path | str,
    *,
    evaluations: int | None = None,
    effort: str = "default",
    preset: str = "default",
    spend: int | None = None,
    minutes: float | None = None,
    space: str | None = None,
    designer: str | None = None,
    quality: "Quality" = "final",
    seed: int = 0,
    workers: int | None = None,
    executor: Executor | None = None,
    on: str | None = None,
    runner: Runner | None = None,
    training: "Training | None" = None,
    measuring: "Measuring | None" = None,
    race: "Race | None" = None,
    tell: "Callable[[Plan | Progress], None]" = lambda event: None,
    warn: Callable[[str], None] | None = None,
    on_task: "Callable[[Learned], None]" = lambda learned: None,
) -> "WriterFile":
    """Teach a writer one task after the other, and save it in a file after each.

    Tasks that it has learned are left out.

    writer: the file, made if it is not there. spend, minutes: for each task. warn: as for `resume`. on_task: called
    after each task. The rest as for `design`.
    """
    from metasmith.runs.continual import learn as learned
    from metasmith.runs.folder import say

    # all paths first: the user's code may change folder
    file, named_tasks = Path(writer).absolute(), [(_absolute(task), task) for task in tasks]
    by_name: dict[str, Task] = {}
    for name, task in named_tasks:
        if not isinstance(task, str) and name in by_name:
            raise ValueError(f"two tasks are called '{name}'; give them names of their own")
        by_name[name] = find_task(name if isinstance(task, str) else task, evaluations)
    with _runner(workers, executor, on, runner) as does_runs:
        return learned(
            by_name,
            file,
            effort=effort,
            preset=preset,
            spend=None if spend is None else whole_number("spend", spend),
            minutes=minutes,
            seed=whole_number("seed", seed),
            space=space,
            designer=designer,
            quality=quality,
            training=training,
            measuring=measuring,
            race=race,
            runner=does_runs,
            tell=tell,
            warn=warn or say,
            on_task=on_task,
        )


def resume(
    run: Path | str,
    task: Task | Problem | None = None,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    on: str | None = None,
    runner: Runner | None = None,
    tell: "Callable[[Plan | Progress], None]" = lambda event: None,
    warn: Callable[[str], None] | None = None,
) -> "Design":
    """Go on with a run that was stopped, or killed.

    task: as it was given to `design`, if that was not by name. workers, executor, on, runner: as for `solve_all`, and
    not necessarily those that began it. warn: told of damage, and of code that has changed; by default that is printed
    on standard error.
    """
    return _gone_on_with(run, task, workers, executor, on, runner, tell, warn)


def finish(
    run: Path | str,
    task: Task | Problem | None = None,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    on: str | None = None,
    runner: Runner | None = None,
    tell: "Callable[[Plan | Progress], None]" = lambda event: None,
    warn: Callable[[str], None] | None = None,
) -> "Design":
    """End a run that was stopped without another batch: race the best programs so far; the winner is the design.

    The final race costs at most half of what was spent before. The rest as for `resume`.
    """
    return _gone_on_with(run, task, workers, executor, on, runner, tell, warn, early=True)


def _gone_on_with(
    run: Path | str,
    task: Task | Problem | None,
    workers: int | None,
    executor: Executor | None,
    on: str | None,
    runner: Runner | None,
    tell: "Callable[[Plan | Progress], None]",
    warn: Callable[[str], None] | None,
    early: bool = False,
) -> "Design":
    from metasmith.runs.folder import Folder, say
    from metasmith.runs.loop import resume as resumed

    folder = Folder(run)
    spec = folder.spec()
    try:
        chosen = find_task(task or spec.task, spec.evaluations)
    except ValueError as error:
        call = f"ms.{'finish' if early else 'resume'}(run, task)"
        raise ValueError(
            f"the task of '{folder.typed}' cannot be found: {error}; if it was made in Python, use {call}"
        ) from error
    with _runner(workers, executor, on, runner) as does_runs:
        return resumed(folder, chosen, runner=does_runs, early=early, tell=tell, warn=warn or say)


def export(run: Path | str, file: Path | str) -> None:
    """Write the design of a run as a stand-alone Python file."""
    from metasmith.runs.design import export as exported
    from metasmith.runs.folder import Folder

    record = _record(Folder(run))
    exported(Program.parse(record["program"]), record["representation"], file)


@contextmanager
def _runner(workers: int | None, executor: Executor | None, on: str | None, runner: Runner | None) -> Iterator[Runner]:
    """Who does the runs: the one place where a number of workers, an executor or an address becomes a runner."""
    names = {"executor": executor, "on": on, "runner": runner}
    several = [name for name, value in names.items() if value is not None]
    if len(several) > 1:
        raise ValueError(f"runs are done in one place; give only one of {' and '.join(several)}")
    if workers is not None and on is None and several:
        raise ValueError(f"the {several[0]} knows how many it does at once; give workers or {several[0]}, not both")
    if on is not None:
        with executor_at(on) as connected:
            yield OnExecutor(connected, most=workers)
    elif executor is not None:
        yield OnExecutor(executor)
    else:
        yield runner or Local(None if workers is None else whole_number("workers", workers))


def _in_file(text: str) -> Problem | Task | None:
    """What a Python file has under a name, if a file is meant."""
    match = FILE.fullmatch(text)
    return _from_file(Path(match["file"]), match["name"] or "") if match else None


def _absolute(task: Task | Problem | str) -> str:
    """A task's name that means the same wherever it is read."""
    if not isinstance(task, str):
        return task.name
    if match := FILE.fullmatch(task):
        return f"{Path(match['file']).resolve()}:{match['name'] or ''}"
    parts = Name.parse(task)
    return f"{parts.family}:{Path(parts.file).resolve()}" if parts.file else problems.task(task).name


def _from_file(path: Path, name: str) -> Problem | Task:
    """The problem or task that a Python file calls `name`."""
    module = load_file(path)
    member = getattr(module, name, None)
    if not isinstance(member, Problem | Task):
        names = ", ".join(key for key, value in vars(module).items() if isinstance(value, Problem | Task)) or "none"
        raise ValueError(f"'{path}' has no metasmith.Problem or Task called '{name}'; it has: {names}")
    return member


def _record(folder: "Folder") -> dict[str, Any]:
    """What is recorded of the design in the folder of a run. Raises ValueError if there is none."""
    if (record := folder.design()) is None:
        raise ValueError(folder.no_design())
    return record


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ValueError(f"cannot read the algorithm file '{path}': {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"cannot read the algorithm file '{path}': it is not text") from error
