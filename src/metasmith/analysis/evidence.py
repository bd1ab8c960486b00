"""The evidence for a design: its runs beside the known algorithms, over dimensions and instances, and without each of
its parts.

It is made once, and kept in the folder of the run as `evidence.json`; what `metasmith report` shows is read from there.
"""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from time import perf_counter
from typing import Any

import numpy as np

from metasmith import version
from metasmith.analysis.ablate import Part, ablated, wanted
from metasmith.analysis.compare import Watch, references
from metasmith.api import algorithm, find_problem, find_task, solve_all
from metasmith.arrays import Floats
from metasmith.engine import Result
from metasmith.figures import drawing, explanation
from metasmith.files import replace
from metasmith.loading import FILE as IN_FILE
from metasmith.problems import Problem, Task
from metasmith.problems.family import Name
from metasmith.program import Program
from metasmith.provenance import circumstances
from metasmith.runs.checksums import opened, sealed
from metasmith.runs.efforts import EFFORTS
from metasmith.runs.folder import Folder, runs_of
from metasmith.runs.spec import Spec, specify
from metasmith.version import VERSION

FORMAT = 2
FILE = "evidence.json"
DESIGN, RANDOM = "design", "random"
"""The names of the design and of random search among the algorithms; what a design must beat everywhere."""

POINTS = 100
"""Of a trajectory, spread evenly on a log axis."""

DIMENSIONS = (64, 100, 225, 400, 625, 900)
INSTANCES = (1, 21, 71)
"""Where designs for the PBO functions are tried further: as it is, with bits inverted, and with bits reordered; the
last two are neither learned from nor judged on.
"""

LOSS = "percent of the way from random search to the design"
"""What a hundredth of a loss is, as `ablation` has it."""

RIVALS = 3
"""How many of the known algorithms, the best on the test problems, go along everywhere."""


def records(
    run: Path, *, runs: int, seed: int, workers: int | None, watch: Watch, ready: Callable[[], None]
) -> dict[str, Any]:
    """What there is to say of the design in a run's folder: `run`, `design`, `spec`, `history`, `commands`, and
    `evidence`, which is made if it is not there.

    runs: of each algorithm on each problem, with seeds from `seed` on. watch: a bar for so many steps of something.
    ready: called when nothing is wrong with what was asked, before the long work.
    """
    if runs < 2:
        raise ValueError(f"a report needs at least 2 runs of each, got {runs}")
    if seed < 0:
        raise ValueError(f"seeds are whole numbers from 0 on, got {seed}")
    if workers is not None and workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    folder = Folder(run)
    spec, program = folder.spec(), algorithm(folder.path)
    task = the_task(spec.task, spec.evaluations)
    ready()
    settings = {
        "format": FORMAT, "task": spec.task, "digest": digest(spec.task), "evaluations": spec.evaluations,
        "program": str(program), "runs": runs, "seed": seed, "metasmith": VERSION, "code": version.digest(),
    }  # fmt: skip
    file = folder.path / FILE  # not by the path as typed: the user's code may change folder
    shown = kept(file, settings)
    if shown is None:
        shown = {"settings": settings, **evidence(program, task, runs, seed, workers, watch)}
        replace(file, sealed(shown)[0])
    steps = [
        {
            name: value
            for name, value in line.items()
            if name not in ("names", "measured", "programs", "tokens", "parents", "first", "scores")
        }
        for line in folder.history()
    ]
    ended = [
        f"# interrupted after batch {line['batches']}, then: metasmith finish {quote(run.as_posix())}"
        for line in steps
        if line["step"] == "finish"
    ]
    commands = [typed(spec, run), *ended, f"metasmith report {quote(run.as_posix())} --runs {runs} --seed {seed}"]
    return {
        "run": run.as_posix(), "design": folder.design(), "spec": spec.toml(), "history": steps, "commands": commands,
        "evidence": shown,
    }  # fmt: skip


def digest(task: str) -> str | None:
    """Of the file that a task is in, or its data; what that file reads or imports is not looked at.

    None if there is no file.
    """
    in_file = IN_FILE.fullmatch(task)
    file = in_file["file"] if in_file else Name.parse(task).file
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None


def typed(spec: Spec, run: Path) -> str:
    """The command that makes the design, if there is one; else in a comment why not."""
    if spec.writer and (why := gone(spec.writer, run)):
        return f"# {why}; what the writer knew then is in {(run / 'writer.safetensors').as_posix()}"
    options = {name: getattr(spec, name) for name in ("seed", "space", "designer", "quality", "writer")}
    words = ["metasmith design", quote(spec.task), f"--evaluations {spec.evaluations}"]
    words += [f"--{name} {value}" for name, value in options.items() if name != "writer"]
    words += [f"--writer {quote(spec.writer.rpartition(' ')[0])}"] if spec.writer else []
    for effort, preset in (*((effort, "default") for effort in EFFORTS), ("default", "paper")):
        with suppress(ValueError):
            task = find_task(spec.task, spec.evaluations)
            of_effort = {"name": spec.task, "effort": effort, "preset": preset, **options}
            how = [f"--effort {effort}" if preset == "default" else f"--preset {preset}"]
            if specify(task, **of_effort) == spec:
                return " ".join([*words, *how, f"--out {quote(run.as_posix())}"])
            if specify(task, spend=spec.spend, minutes=spec.minutes, timing=spec.timing, **of_effort) == spec:
                how += [f"--spend {spec.spend - spec.timing}"]  # the timing of minutes is no part of the design
                return " ".join([*words, *how, f"--out {quote(run.as_posix())}"])
    return f"# the design was asked for in Python, with numbers of its own: see {run.as_posix()}/design.toml"


def gone(writer: str, run: Path) -> str:
    """Why no command begins from the writer that a run began from; nothing if it is still in its file. writer: the
    file, and its digest.
    """
    from metasmith.designers.ppo.writer_file import WriterFile

    name, _, digest_then = writer.rpartition(" ")
    if not name:
        return "the design is a task of an experiment, one of several that a writer learned"
    file = Path(name)
    if run.resolve().parent.name == runs_of(file).name:
        return f"the design is a task that 'metasmith learn' taught the writer {file.as_posix()}"
    with suppress(ValueError):
        if WriterFile.load(file).digest == digest_then:
            return ""
    return f"the design began from the writer {file.as_posix()}, which has learned more since, or is gone"


def kept(path: Path, settings: dict[str, Any]) -> dict[str, Any] | None:
    """The evidence that is there, if it is whole and was made with the same settings."""
    try:
        there, _ = opened(path.read_bytes())
    except (OSError, ValueError):
        return None
    return there if there.get("settings") == settings else None


def the_task(name: str, evaluations: int) -> Task:
    try:
        return find_task(name, evaluations)
    except ValueError as error:
        raise ValueError(
            f"the task of this run cannot be found: {error}; a report needs one with a name, or in a file"
        ) from error


def evidence(program: Program, task: Task, runs: int, seed: int, workers: int | None, watch: Watch) -> dict[str, Any]:
    """What the runs of a design show, as fields for machines. Values are on the original scale."""
    begun, runner = perf_counter(), Runner({DESIGN: program}, task, range(seed, seed + runs), workers)
    others = references(task.representation)
    with watch("algorithms", 1 + len(others)) as tick:
        test = compared(runner, (DESIGN, *others), task.test, tick, trajectories=True)
    ranking = best_first(test, others)
    further = (DESIGN, *ranking[:RIVALS], RANDOM)
    with watch("algorithms on other problems", len(further)) as tick:
        general = compared(runner, further, other_problems(task), tick)
    parts, whole = list[Part](), "There is nothing to take away: what the program needs is all there is."
    with watch("parts removed", len(wanted(program))) as tick:

        def done() -> None:
            runner.evaluations += runs * sum(record["evaluations"] for record in test)
            tick()

        try:
            budgets = task.training_evaluations
            parts = ablated(
                program, task.test, evaluations=budgets, runs=runs, seed=seed, workers=workers, on_done=done
            ).parts
        except ValueError as error:  # losses cannot be told as shares
            whole = f"Not done: {error}."
    return {
        "ranking": ranking,
        "learned": [problem.name for problem in task.training],
        "judged": [problem.name for problem in task.test],
        "plans": [record.pop("plan") for record in test if "plan" in record],
        "test": test,
        "generalisation": general,
        "ablation": [asdict(part) for part in parts],
        "loss": LOSS,
        "whole": whole,
        "spent": {"evaluations": runner.evaluations, "seconds": perf_counter() - begun},
        "made": circumstances(),
    }


class Runner:
    """Runs algorithms on problems, none twice. programs: those that have no name in the library. evaluations: spent so
    far.
    """

    def __init__(self, programs: dict[str, Program], task: Task, seeds: Sequence[int], workers: int | None) -> None:
        self.programs, self.task, self.seeds, self.workers = programs, task, seeds, workers
        self.cache: dict[tuple[str, Problem], list[Result]] = {}
        self.evaluations = 0

    def __call__(self, name: str, problem: Problem) -> list[Result]:
        if (name, problem) not in self.cache:
            evaluations, program = self.task.training_evaluations(problem), self.programs.get(name, name)
            outcome = solve_all(program, problem, evaluations=evaluations, seeds=self.seeds, workers=self.workers)
            if outcome.errors:
                raise next(iter(outcome.errors.values()))
            self.cache[name, problem] = list(outcome.results.values())
            self.evaluations += sum(result.nfev for result in outcome.results.values())
        return self.cache[name, problem]


def compared(
    runner: Runner,
    names: Sequence[str],
    problems: Sequence[Problem],
    tick: Callable[[], None],
    trajectories: bool = False,
) -> list[dict[str, Any]]:
    """A case for every problem: what it is, and the `values` of the runs by algorithm, null where nothing is feasible.

    With trajectories also the `hits`, the evaluations of the last improvements; `grid`, evaluations, and `curves`, the
    best values by then, one a run, null before the first feasible one; and the `plan` that is the solution of the
    design's best run, if the problem explains itself.
    """
    cases = [case(problem, runner.task) for problem in problems]
    for name in names:
        for problem, record in zip(problems, cases, strict=True):
            results = runner(name, problem)
            record["values"][name] = [
                finite(problem.original(each.fun)) if each.violation <= 0 else None for each in results
            ]
            if trajectories:
                record["grid"] = grid = spread(record["evaluations"])
                record.setdefault("hits", {})[name] = [each.hit for each in results]
                record.setdefault("curves", {})[name] = [curve(each, problem, grid) for each in results]
                if name == DESIGN and problem.explain is not None:
                    record["plan"] = plan(problem, results)
        tick()
    return cases


def case(problem: Problem, task: Task) -> dict[str, Any]:
    """A problem with the evaluations of a run on it, and room for what the runs reach."""
    optimum = None if problem.optimum is None else finite(problem.original(problem.optimum), 12)
    return {
        "problem": problem.name,
        "dimension": problem.dimension,
        "evaluations": task.training_evaluations(problem),
        "learned": problem in task.training,
        "judged": problem in task.test,
        "direction": problem.direction,
        "optimum": optimum,  # of twelve digits, so that it is the same on all instances
        "values": {},
    }


def spread(evaluations: int) -> list[int]:
    """At most POINTS numbers of evaluations, from the first to the last, evenly on a log axis."""
    return [int(each) for each in np.unique(np.geomspace(1, evaluations, POINTS).round())]


def curve(result: Result, problem: Problem, grid: Sequence[int]) -> list[float | None]:
    """The best value after each of `grid` evaluations."""
    last = np.searchsorted(result.history.evaluations, grid, side="right") - 1
    values = [problem.original(float(result.history.values[i])) if i >= 0 else np.nan for i in last]
    return [finite(value, 7) for value in values]


def finite(value: float, digits: int = 17) -> float | None:
    """JSON has no infinity and no NaN. digits: how many of them matter."""
    return float(f"{value:.{digits}g}") if np.isfinite(value) else None


def plan(problem: Problem, results: Sequence[Result]) -> dict[str, Any]:
    """What the best solution means, in the problem's own words."""
    best = min(results, key=lambda result: (result.violation, -result.fun if problem.maximise else result.fun))
    lines = explanation(problem, best.x)
    picture = {"picture": drawing(problem, best.x).decode()} if problem.picture else {}
    value = finite(problem.original(best.fun))
    return {"problem": problem.name, "value": value, "seed": best.seed, "lines": lines, **picture}


def best_first(cases: Sequence[dict[str, Any]], names: Sequence[str]) -> list[str]:
    """Algorithms by their mean rank over problems, the best first."""
    ranks = dict.fromkeys(names, 0.0)
    for record in cases:
        for name in names:
            ranks[name] += sum(standing(record, other) > standing(record, name) for other in names)
            ranks[name] += sum(standing(record, other) == standing(record, name) for other in names) / 2
    return sorted(names, key=lambda name: ranks[name])


def standing(record: dict[str, Any], name: str) -> tuple[float, float, float]:
    """How good an algorithm is on a problem: feasible, then the mean, then how soon it is there."""
    values = record["values"][name]
    feasible: Floats = np.array([value for value in values if value is not None], dtype=float)
    mean = float(feasible.mean()) * (1 if record["direction"] == "max" else -1) if len(feasible) else -np.inf
    return len(feasible) / len(values), mean, -float(np.mean(record["hits"][name]))


def other_problems(task: Task) -> list[Problem]:
    """Where a design is tried further: other dimensions and instances if the family has them, else what was learned
    from and judged on.
    """
    if task.name.startswith("pbo:"):
        return [
            find_problem(f"{task.name}@{dimension}#{instance}") for dimension in DIMENSIONS for instance in INSTANCES
        ]
    return list(dict.fromkeys((*task.training, *task.test)))
