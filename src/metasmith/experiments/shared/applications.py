"""An application of the paper (tables II and III): designs beside every baseline, on the test problems of its task.

Several designs with seeds of their own, and as many runs of each as of a baseline. Of the designs together Welch's test
says whether they differ from a baseline, with the design as the unit; of each by itself a rank-sum test between runs.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean, median, stdev
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from metasmith.analysis.statistics import SIGNIFICANCE, Sample, holm, said, verdict, welch
from metasmith.api import algorithm, find_problem, find_task, solve_all
from metasmith.experiments.shared.contract import LOG, SCALE, TRIALS, Experiment, Request, Tick, by_effort
from metasmith.experiments.shared.convergence import POINTS, Trace, convergence, trace
from metasmith.experiments.shared.making import Wanted, commits, core_seconds, made_all
from metasmith.experiments.shared.scales import Scale
from metasmith.files import replace
from metasmith.problems import Problem
from metasmith.program import one_line
from metasmith.report.made import spent
from metasmith.report.numbers import seeds
from metasmith.report.sheet import Part, Picture, Sheet
from metasmith.report.tables import Table
from metasmith.runs.efforts import DESIGNER
from metasmith.version import commit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TRACED = 10
"""Runs of an algorithm on a problem of which it is kept when they became better."""

OURS = "designs"
Solver = Callable[[Problem, int, int], float]
"""A baseline that is no program: the value it reaches on a problem with so many evaluations and a seed."""


@dataclass(frozen=True)
class Application:
    """What is compared. task: its name. baselines: programs by the names people use for them; solvers: baselines that
    are no programs. measure: what is minimised. paper: what the paper's numbers can be compared with. order: of the
    algorithms in the paper, the best first. proofs: what analytical solvers say, a line each.
    """

    task: str
    title: str
    baselines: Mapping[str, str]
    measure: str
    paper: str
    order: str
    solvers: Mapping[str, Solver] = field(default_factory=dict)
    proofs: Callable[[], list[str]] = list


class Best(NamedTuple):
    """The best solution of several; the feasible first."""

    violation: float
    value: float
    x: list[int]


class Row(NamedTuple):
    """An algorithm: what its runs reach, by test problem, less is better; and how many runs ended infeasible.

    traces: of some of the runs. best: a solution. seconds: of one core. commits: of the sources that they were done
    with.
    """

    algorithm: str
    values: dict[str, list[float]]
    infeasible: dict[str, int]
    traces: Mapping[str, list[Trace]] = {}
    best: Mapping[str, Best] = {}
    seconds: float = 0.0
    commits: Sequence[str] = ()

    @classmethod
    def of(cls, record: dict[str, Any]) -> Self:
        """From JSON."""
        return cls(**{**record, "best": {name: Best(*best) for name, best in record["best"].items()}})


@dataclass(frozen=True)
class Comparison:
    """Every algorithm, the designs last. cost: what all calls together cost, in words."""

    application: Application
    rows: list[Row]
    programs: list[str]
    proofs: list[str]
    cost: str = ""

    def record(self) -> dict[str, Any]:
        """For machines."""
        return {
            "application": self.application.task,
            "rows": [row._asdict() for row in self.rows],
            "programs": self.programs,
            "proofs": self.proofs,
        }


def application_experiment(
    application: Application, help: str, order: int, needs: Mapping[str, str] | None = None
) -> Experiment:
    """An experiment with an application; it has the name of the task."""

    def steps(request: Request) -> tuple[str, int]:
        others = len(application.baselines) + len(application.solvers) + 1
        return "designs and algorithms", 2 * request.scale.trials + others

    def work(request: Request, tick: Tick) -> Sheet:
        return sheet(compare(application, request.scale, request.folder, tick, request.log))

    name, options = application.task, (SCALE.but(default="full"), TRIALS, LOG)
    return Experiment(name, help, order, options, by_effort(name), steps, work, needs or {})


def compare(
    application: Application, scale: Scale, out: Path, on_done: Callable[[], None], log: Path | None = None
) -> Comparison:
    """Make the designs that are not there yet, then run what was not run yet.

    on_done: called after each design, after the runs of each algorithm, and at the end. log: a folder for the logs of
    all runs of programs, for which they are done again.
    """
    name, runs = application.task, scale.runs
    task = find_task(name)
    todo = [
        Wanted(out / f"{name}-{seed}", name, task.evaluations, DESIGNER, seed, scale.effort)
        for seed in range(scale.trials)
    ]
    designs = made_all(todo, on_done)
    programs = [design["program"] for design in designs]

    def kept(label: str, program: str, trial: int, work: Callable[[], Row]) -> Row:
        """A row from its file, or made now. The file says what the row depends on."""
        file = out / f"{name}-{label}-{trial}.row.json"
        key = [program, [problem.name for problem in task.test], task.evaluations, trial, runs]
        if log is None and file.is_file() and (record := json.loads(file.read_bytes())).get("key") == key:
            row = Row.of(record["row"])
        else:
            row = work()._replace(commits=[commit()])
            replace(file, json.dumps({"key": key, "row": row._asdict()}).encode())
        on_done()
        return row

    def run(label: str, program: str, trial: int = 0) -> Row:
        mine = range(runs * trial, runs * (trial + 1))
        work = partial(measured, label, program, task.test, task.evaluations, mine, log)
        return kept(label, str(algorithm(program)), trial, work)

    rows = [run(label, program) for label, program in application.baselines.items()]
    for label, solver in application.solvers.items():
        rows.append(kept(label, label, 0, partial(solved, label, solver, task.test, task.evaluations, runs)))
    ours = pooled([run(OURS, program, trial) for trial, program in enumerate(programs)])
    proofs = application.proofs()
    on_done()
    seconds = {"the designs": sum(map(core_seconds, designs)), "the runs": sum(row.seconds for row in (*rows, ours))}
    cost = spent(seconds, designs=commits(designs), runs={each for row in (*rows, ours) for each in row.commits})
    return Comparison(application, [*rows, ours], programs, proofs, cost)


def measured(
    label: str,
    program: str,
    problems: Sequence[Problem],
    evaluations: int,
    seeds: Sequence[int],
    log: Path | None = None,
) -> Row:
    """Runs of a program."""
    values, infeasible, traces, best, seconds = {}, {}, {}, {}, 0.0
    for problem in problems:
        outcome = solve_all(program, problem, evaluations=evaluations, seeds=seeds, log=log)
        if outcome.errors:
            raise next(iter(outcome.errors.values()))
        results, winner = list(outcome.results.values()), outcome.winner
        values[problem.name] = [result.fun for result in results]
        infeasible[problem.name] = sum(result.violation > 0 for result in results)
        traces[problem.name] = [trace(*result.history, result.nfev) for result in results[:TRACED]]
        best[problem.name] = Best(winner.violation, winner.fun, winner.x.tolist())
        seconds += sum(result.seconds for result in results)
    return Row(label, values, infeasible, traces, best, seconds)


def solved(label: str, solver: Solver, problems: Sequence[Problem], evaluations: int, runs: int) -> Row:
    """Runs of what is no program."""
    begun = perf_counter()
    values = {problem.name: [solver(problem, evaluations, seed) for seed in range(runs)] for problem in problems}
    traces = {problem.name: followed(solver, problem, evaluations, runs) for problem in problems}
    return Row(label, values, dict.fromkeys(values, 0), traces, seconds=perf_counter() - begun)


def followed(solver: Solver, problem: Problem, evaluations: int, runs: int) -> list[Trace]:
    """Traces of what is no program: with the same seed and fewer evaluations it does the same, cut short."""
    marks = sorted({round(mark) for mark in np.geomspace(1, evaluations, POINTS // 4)})
    return [
        trace(marks, [solver(problem, mark, seed) for mark in marks], evaluations) for seed in range(min(runs, TRACED))
    ]


def pooled(rows: Sequence[Row]) -> Row:
    """The rows of several designs as one; of the traces as many of each, and no more than of others."""
    first, traced = rows[0], max(1, TRACED // len(rows))
    return Row(
        first.algorithm,
        {name: [value for row in rows for value in row.values[name]] for name in first.values},
        {name: sum(row.infeasible[name] for row in rows) for name in first.values},
        {name: [each for row in rows for each in row.traces[name][:traced]] for name in first.values},
        {name: min(row.best[name] for row in rows) for name in first.values},
        sum(row.seconds for row in rows),
        sorted({each for row in rows for each in row.commits}),
    )


def sheet(comparison: Comparison) -> Sheet:
    """The table, the tests, and what was designed."""
    application, ours = comparison.application, comparison.rows[-1]
    names, trials = list(ours.values), len(comparison.programs)
    runs = len(ours.values[names[0]]) // trials
    means = [[row.algorithm, *(cell(row, name) for name in names)] for row in comparison.rows]
    tests = judged(comparison.rows, trials)
    intro = f"""\
Mean and standard deviation of what is minimised, over {runs} runs with {seeds(runs)}; of the designs, which were made
with {seeds(trials)}, over {trials} designs with {runs} runs each, with {seeds(trials * runs)}.
{application.paper}"""
    facts = [*comparison.proofs, *gaps(ours), *orders(comparison)]
    question = "Are the designs better?"
    several = trials > 1
    unit = f"the means of the {trials} designs, each one sample," if several else "the runs of the one design"
    about = "designs for this task" if several else "this one design"
    test_text = f"""\
## {question}

Welch's test at {SIGNIFICANCE:.0%}, {unit} against the runs of each other, a fixed algorithm; the p-value in brackets,
corrected for the number of tests in the table by Holm's method. So it is about {about}. Equal: not told apart. Then how
many of the designs are better singly, by Wilcoxon's rank-sum test of {runs} runs against {runs}, not corrected: that is
about each of these designs by itself."""
    worse = [
        f"{line[0]} on {name}"
        for line in tests
        for name, word in zip(names, line[1:], strict=True)
        if not word.startswith("better")
    ]
    all_better = "Together, the designs are better than every other on every test problem."
    parts: list[Part] = [
        *pictures(comparison), intro, Table(["algorithm", *names], means),
        "\n".join(f"- {line}" for line in facts), test_text, Table(["against", *names], tests, question),
        f"Not better than: {'; '.join(worse)}." if worse else all_better, "## What was designed",
        "\n".join(f"- `{one_line(program)}`" for program in comparison.programs),
    ]  # fmt: skip
    return Sheet(application.task, application.title, parts, comparison.record(), comparison.cost)


def pictures(comparison: Comparison) -> list[Picture]:
    """The best solution of the designs, where the problem has a picture, and the best so far over the runs."""
    name = comparison.application.task
    solutions = [
        Picture(f"{name}-network", partial(best_solution, problem, comparison.rows[-1]), chart=False)
        for problem in find_task(name).test
        if problem.picture is not None
    ]
    return [*solutions, Picture(f"{name}-convergence", partial(best_so_far, comparison))]


def best_solution(problem: Problem, row: Row) -> "Figure":
    assert problem.picture is not None
    figure: Figure = problem.picture(np.array(row.best[problem.name].x))
    return figure


def best_so_far(comparison: Comparison) -> "Figure":
    problems = find_task(comparison.application.task).test
    panels = {
        problem.name: {row.algorithm: row.traces[problem.name] for row in comparison.rows} for problem in problems
    }
    optima = {problem.name: problem.optimum for problem in problems if problem.optimum is not None}
    return convergence(panels, comparison.application.measure, optima)


def judged(rows: Sequence[Row], trials: int) -> list[list[str]]:
    """Whether the designs, the last row, are better than each other row, together and singly: a line each, a cell for
    every problem. trials: how many designs there are.
    """
    *others, ours = rows
    cells = [(row, name) for row in others for name in ours.values]
    designs = {name: split(values, trials) for name, values in ours.values.items()}
    pairs = [(Sample.of_designs(designs[name]), Sample.of(row.values[name])) for row, name in cells]
    words = [
        f"{said(p_value, better=mine.mean < theirs.mean)} ({p_value:.1g})"
        for (mine, theirs), p_value in zip(pairs, holm([welch(*pair) for pair in pairs]), strict=True)
    ]
    lines: dict[str, list[str]] = {}
    for (row, name), word in zip(cells, words, strict=True):
        singly = [verdict(runs, row.values[name], maximise=False) for runs in designs[name]]
        lines.setdefault(row.algorithm, [row.algorithm]).append(f"{word}, {singly.count('better')} of {trials}")
    return list(lines.values())


def split(values: Sequence[float], trials: int) -> list[Sequence[float]]:
    """The runs of each design, of which all have as many."""
    runs = len(values) // trials
    return [values[first : first + runs] for first in range(0, len(values), runs)]


def gaps(ours: Row) -> list[str]:
    """How far the designs are from what is proved to be the best."""
    lines = []
    for name, values in ours.values.items():
        if (optimum := find_problem(name).optimum) is not None:
            mean, middle, best = (f"{what(values) / optimum - 1:.1%}" for what in (fmean, median, min))
            above = f"their mean by {mean}, their median by {middle}, their best run by {best}"
            lines.append(f"The designs are above the optimum of {name}, {optimum:.1f}: {above}.")
    return lines


def orders(comparison: Comparison) -> list[str]:
    """The order of the algorithms, beside the paper's."""
    here: dict[str, list[str]] = {}
    for name in comparison.rows[-1].values:
        ordered = sorted(comparison.rows, key=lambda row: fmean(row.values[name]))
        here.setdefault(", ".join(row.algorithm for row in ordered), []).append(name)
    ours = "; ".join(f"{order} on {' and '.join(names)}" for order, names in here.items())
    return [f"By their means, the best first: in the paper {comparison.application.order}; here {ours}."]


def cell(row: Row, name: str) -> str:
    """Mean and standard deviation on a problem, and how many runs are infeasible, if any."""
    values, infeasible = row.values[name], row.infeasible[name]
    failed = f" ({infeasible} of {len(values)} infeasible)" if infeasible else ""
    return f"{_digits(fmean(values), 4)} ± {_digits(stdev(values), 2)}{failed}"


def _digits(value: float, count: int) -> str:
    """So many digits that matter, or all before the point; zeros at the end among them, and no exponent."""
    before = math.floor(math.log10(abs(value))) + 1 if value else 1
    return f"{value:.{max(0, count - before)}f}"
