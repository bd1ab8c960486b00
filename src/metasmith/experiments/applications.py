"""The paper's two applications (tables II and III): designs beside every baseline, on the test problems.

Five designs with seeds of their own, 30 runs each; the baselines 30 runs. A rank-sum test (Wilcoxon) says whether a difference is one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np

from metasmith.api import find_task, solve_all
from metasmith.experiments.designs import made
from metasmith.experiments.pages import markdown, provenance
from metasmith.experiments.pictures import POINTS, Trace, convergence, draw_solution, save, trace
from metasmith.problems import Problem
from metasmith.problems.beamforming.sequential import sequential
from metasmith.problems.restoration import BLACK_START
from metasmith.problems.restoration.instance import Instance
from metasmith.problems.restoration.milp import one_shot, with_cuts
from metasmith.program import one_line

SURE = 0.05
"""A difference is one if it came about by chance less often than this."""

TRACED = 10
"""Runs of an algorithm on a problem whose course is kept."""

OURS = "designs"
Other = Callable[[Problem, int, int], float]
"""A baseline that is no program: the value found on a problem with so many evaluations and a seed."""


@dataclass(frozen=True)
class Application:
    """What is compared. baselines: programs by the names people know them by; others: what is no program."""

    task: str
    title: str
    baselines: Mapping[str, str]
    others: Mapping[str, Other]
    measure: str
    """What is minimised."""
    paper: str
    """What the paper's numbers can be compared with."""
    proofs: Callable[[], list[str]] = list
    """What analytical solvers say, a line each."""


def restoration_proofs() -> list[str]:
    """The optimum, which a solver proves in seconds, and what the same solver says if it looks at the linear limits only."""
    test = Instance.of(BLACK_START["test"])
    once, proved = one_shot(test), with_cuts(test)
    return [
        f"Analytical, one shot (the linear limits only, as the paper's CPLEX row): {once.plan.minutes:.1f} minutes, but it breaks AC "
        f"limits, and with the penalty is {once.plan.fitness:.1f}.",
        f"Analytical, with cuts for AC limits: {proved.plan.minutes:.1f} minutes, {'proved optimal' if proved.proved else 'not proved'}, "
        f"{proved.solves} solves. A decomposition beats every metaheuristic here; the one shot is not the limit of exact methods.",
    ]


APPLICATIONS = {
    "beamforming": Application(
        "beamforming",
        "Beamforming (table II)",
        {"random": "random", "ILS": "ils", "SA": "sa", "GA": "ga-beamforming", "Alg_beam": "aldes-beamforming"},
        {"sequential": lambda problem, evaluations, seed: sequential(problem, evaluations=evaluations, seed=seed).fun},
        "1 / sum rate",
        "The channels are drawn by our generator from the authors' distribution: the numbers are of the same kind and size as the\n"
        "paper's, but of other instances. Orders of algorithms can be compared, third digits cannot.",
    ),
    "restoration": Application(
        "restoration",
        "Power restoration (table III)",
        {"random": "random", "ILS": "ils", "GA": "ga", "Alg_restor": "aldes-restoration"},
        {},
        "minutes of paths, and penalty",
        "The paper gives no instance data: its minutes (3016 to 3697) are of another instance and cannot be compared with ours. What\n"
        "can be is the form of the problem and the order of the algorithms.",
        restoration_proofs,
    ),
}


class Row(NamedTuple):
    """An algorithm: what its runs found, by test problem, less is better; and how many runs ended infeasible.

    traces: the course of some of the runs, spread over the designs. best: the best solution, the feasible first.
    """

    algorithm: str
    values: dict[str, list[float]]
    infeasible: dict[str, int]
    traces: Mapping[str, list[Trace]] = {}
    best: Mapping[str, list[int]] = {}


@dataclass(frozen=True)
class Found:
    application: str
    rows: list[Row]
    programs: list[str]
    proofs: list[str]

    def record(self) -> dict[str, Any]:
        return {
            "application": self.application,
            "rows": [row._asdict() for row in self.rows],
            "programs": self.programs,
            "proofs": self.proofs,
        }


def compare(name: str, out: Path, *, designs: int, runs: int, effort: str, on_done: Callable[[], None]) -> Found:
    """Make the designs that are not there yet, then run all. on_done: called after each design and each baseline."""
    if designs < 1 or runs < 2:
        raise ValueError(f"a comparison needs at least 1 design and 2 runs of each, got {designs} and {runs}")
    application = APPLICATIONS[name]
    task = find_task(application.task)
    programs = []
    for seed in range(designs):
        record = made(out / f"{name}-{seed}", application.task, task.evaluations, "ppo", seed, effort).design()
        assert record is not None
        programs.append(record["program"])
        on_done()
    rows = []
    for label, program in application.baselines.items():
        rows.append(measured(label, [program], task.test, task.evaluations, runs))
        on_done()
    for label, other in application.others.items():
        values = {problem.name: [other(problem, task.evaluations, seed) for seed in range(runs)] for problem in task.test}
        traces = {problem.name: followed(other, problem, task.evaluations, runs) for problem in task.test}
        rows.append(Row(label, values, dict.fromkeys(values, 0), traces))
        on_done()
    rows.append(measured(OURS, programs, task.test, task.evaluations, runs))
    return Found(name, rows, programs, application.proofs())


def measured(label: str, programs: Sequence[str], problems: Sequence[Problem], evaluations: int, runs: int) -> Row:
    """Runs of programs, all with the same seeds."""
    values: dict[str, list[float]] = {problem.name: [] for problem in problems}
    infeasible = dict.fromkeys(values, 0)
    traces, best = {}, {}
    for problem in problems:
        results = []
        for program in programs:
            for result in solve_all(program, problem, evaluations=evaluations, seeds=range(runs)).results.values():
                values[problem.name].append(result.fun)
                infeasible[problem.name] += result.violation > 0
                results.append(result)
        spread = results[:: max(1, len(results) // TRACED)][:TRACED]
        traces[problem.name] = [trace(*result.history, result.nfev) for result in spread]
        best[problem.name] = min(results, key=lambda result: (result.violation, result.fun)).x.tolist()
    return Row(label, values, infeasible, traces, best)


def followed(other: Other, problem: Problem, evaluations: int, runs: int) -> list[Trace]:
    """The course of what is no program: with the same seed and fewer evaluations it is the same, cut short."""
    marks = sorted({round(mark) for mark in np.geomspace(1, evaluations, POINTS // 4)})
    return [trace(marks, [other(problem, mark, seed) for mark in marks], evaluations) for seed in range(min(runs, TRACED))]


def rank_sum(one: Sequence[float], other: Sequence[float]) -> float:
    """How often chance alone would set two samples so far apart (Wilcoxon's rank-sum test, two-sided)."""
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(one, other).pvalue) if len(set(one) | set(other)) > 1 else 1.0


def report(found: Found) -> str:
    """The table, the tests, and what was designed."""
    application = APPLICATIONS[found.application]
    ours = found.rows[-1]
    names = list(ours.values)
    lines = [[row.algorithm, *(cell(row, name) for name in names)] for row in found.rows]
    tests = [[row.algorithm, *(verdict(ours.values[name], row.values[name]) for name in names)] for row in found.rows[:-1]]
    worse = [f"{line[0]} on {name}" for line in tests for name, said in zip(names, line[1:], strict=True) if not said.startswith("better")]
    said = f"Not better than: {'; '.join(worse)}." if worse else "The designs are better than every other on every test problem."
    programs = "\n".join(f"- `{one_line(program)}`" for program in found.programs)
    runs = len(ours.values[names[0]]) // len(found.programs)
    return f"""\
Mean and standard deviation of what is minimised, over {runs} runs; of the designs over {len(found.programs)} designs with {runs} runs each.
{application.paper}

{markdown(["algorithm", *names], lines)}
{"".join(f"{chr(10)}- {line}" for line in found.proofs)}

## Are the designs better?

Wilcoxon's rank-sum test at {SURE:.0%}, all runs of all designs against those of each other; how often chance alone would do it in brackets.

{markdown(["against", *names], tests)}

{said}

## What was designed

{programs}
"""


def cell(row: Row, name: str) -> str:
    values, infeasible = row.values[name], row.infeasible[name]
    failed = f" ({infeasible} of {len(values)} infeasible)" if infeasible else ""
    return f"{fmean(values):.4g} ± {stdev(values):.2g}{failed}"


def verdict(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """Whether ours are smaller."""
    chance = rank_sum(ours, theirs)
    word = "equal" if chance >= SURE else "better" if fmean(ours) < fmean(theirs) else "worse"
    return f"{word} ({chance:.1g})"


def page(found: Found, command: str, seconds: float, pictures: Sequence[str] = ()) -> str:
    """The report as a page of the documentation."""
    title = APPLICATIONS[found.application].title
    shown = "".join(f"\n![{picture}]({picture})\n" for picture in pictures)
    return f"# {title}\n\n{provenance(command)}\nThe whole took {seconds / 60:.0f} minutes.\n{shown}\n{report(found)}"


def draw(found: Found, stem: Path) -> list[str]:
    """The best solution of the designs, where the problem has a picture, and the best so far over the runs. Returns the files' names."""
    application = APPLICATIONS[found.application]
    problems, names = find_task(application.task).test, []
    for problem in problems:
        if problem.picture is not None:
            file = stem.with_name(f"{stem.name}-network.svg")
            draw_solution(problem, np.array(found.rows[-1].best[problem.name]), file)
            names.append(file.name)
    panels = {problem.name: {row.algorithm: row.traces[problem.name] for row in found.rows} for problem in problems}
    optima = {problem.name: problem.optimum for problem in problems if problem.optimum is not None}
    file = stem.with_name(f"{stem.name}-convergence.svg")
    save(convergence(panels, application.measure, optima), file)
    return [*names, file.name]
