"""The front door: what `import metasmith as ms` offers, and the only place where the rooms meet."""

import importlib.util
import operator
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from metasmith import problems
from metasmith.engine import Job, Outcome, Result, Runs, run, run_all
from metasmith.problems import Problem
from metasmith.program import Program, named

Algorithm = Program | str | Path
"""A program, or its name (`ea`), its file, or its text (`population 1; reset_n(n=1)`)."""


def algorithm(given: Algorithm, population: int | None = None) -> Program:
    """The program meant by a name, a file or a text; with another population if asked."""
    if isinstance(given, Program):
        program = given
    elif isinstance(given, Path) or given.endswith(".txt") or ("\n" not in given and len(given) < 256 and Path(given).is_file()):
        program = Program.parse(_read(Path(given)))
    elif given.lstrip().startswith(("population", "#")) or "\n" in given or ";" in given:
        program = Program.parse(given)
    else:
        program = named(given)
    return program if population is None else replace(program, population=operator.index(population))


def find_problem(given: Problem | str) -> Problem:
    """The problem meant by a name (`pbo:F2@100#7`), or by a file and what it calls a problem in it (`mine.py:knapsack`)."""
    if isinstance(given, Problem):
        return given
    file, found, name = given.partition(".py")
    return _from_file(Path(f"{file}.py"), name.removeprefix(":")) if found else problems.problem(given)


def job(
    program: Algorithm,
    problem: Problem | str,
    *,
    evaluations: int,
    seed: int = 0,
    population: int | None = None,
    seconds: float | None = None,
) -> Job:
    """One run to do, for `run` and `run_all`, with names looked up."""
    return Job(algorithm(program, population), find_problem(problem), evaluations, seed, seconds)


def solve(
    program: Algorithm,
    problem: Problem | str,
    *,
    evaluations: int,
    seed: int = 0,
    population: int | None = None,
    seconds: float | None = None,
) -> Result:
    """Run an algorithm on a problem once. seconds: a limit by the clock, beside the evaluations."""
    return run(job(program, problem, evaluations=evaluations, seed=seed, population=population, seconds=seconds))


def solve_all(
    program: Algorithm,
    problem: Problem | str,
    *,
    evaluations: int,
    seeds: Sequence[int],
    population: int | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    on_done: Callable[[int, Outcome], None] | None = None,
) -> Runs:
    """Run an algorithm on a problem once per seed, on all cores. A run whose evaluation fails gives its error and stops no other."""
    seeds = [int(seed) for seed in seeds]
    if not seeds or len(set(seeds)) < len(seeds):
        raise ValueError(f"at least 1 run is needed, each with its own seed, got the seeds {seeds}")
    found, chosen = algorithm(program, population), find_problem(problem)
    outcomes = run_all([Job(found, chosen, evaluations, seed, seconds) for seed in seeds], workers, on_done)
    name = program if isinstance(program, str) else str(program)
    return Runs(name, found, chosen, evaluations, dict(zip(seeds, outcomes, strict=True)))


def _from_file(path: Path, name: str) -> Problem:
    """The problem that a Python file calls `name`."""
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
    if not isinstance(found, Problem):
        known = ", ".join(key for key, value in vars(module).items() if isinstance(value, Problem)) or "none"
        raise ValueError(f"'{path}' has no metasmith.Problem called '{name}'; it has: {known}")
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ValueError(f"cannot read the algorithm file '{path}': {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"cannot read the algorithm file '{path}': it is not text") from error
