"""Which snippet matters: each in turn is taken out of a program, or gives way to the neutral choice, and runs say what
is lost.

Neutral is what the language does where nothing is written: traverse, pairwise_select, forward. A loss is a share of the
way from random search to the program, so that problems compare; it is the mean over problems. Where random search is
penalised that way is endless and all losses are small; the difference of the means is in the problem's own unit.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from metasmith.analysis.compare import reached
from metasmith.analysis.statistics import mean_interval
from metasmith.api import algorithm, find_problem, find_task
from metasmith.arrays import Floats
from metasmith.components import Role
from metasmith.problems import Problem
from metasmith.program import Pointer, Program, ProgramError, Snippet, canonical, named, names
from metasmith.program.stages import CHOOSER, SELECTOR
from metasmith.runs.folder import Folder

NEUTRAL = {Role.CHOOSE: CHOOSER, Role.SELECT: SELECTOR}
EVALUATIONS = 50_000
"""Of each run of an algorithm that was not designed for a task: those of `solve`."""

Evaluations = Callable[[Problem], int] | int
"""Of each run: on each problem, or on all."""


@dataclass(frozen=True)
class Part:
    """A snippet, and what its change does. line: in the text of the canonical program, from 1. program: the text after
    the change.

    loss: share of the way from random search to the original, above 0 where the change is worse; low, high: its 95 %
    confidence interval. mean: over the problems, of the mean on the original scale; difference: from that of the
    original, with its interval.
    """

    line: int
    snippet: str
    change: str
    program: str
    loss: float
    low: float
    high: float
    mean: float
    difference: float
    difference_low: float
    difference_high: float


@dataclass(frozen=True)
class Variant:
    """A program with one snippet changed."""

    line: int
    snippet: str
    change: str
    program: Program


@dataclass(frozen=True)
class Ablation:
    """A program in canonical form, its mean and that of random search, its parts, and the changes that make no other
    program.
    """

    program: str
    mean: float
    random: float
    parts: list[Part]
    left_out: list[str]

    def record(self) -> dict[str, Any]:
        return asdict(self)


def ablated(
    program: Program,
    problems: Sequence[Problem],
    *,
    evaluations: Evaluations,
    runs: int,
    seed: int = 0,
    workers: int | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> Ablation:
    """The parts of a program, the most important first, with its mean and that of random search, and the changes that
    were left out.

    evaluations: of each run, on each problem. on_done: called after each program.
    """
    if runs < 2:
        raise ValueError(f"an interval needs at least 2 runs of each, got {runs}")
    original, random = canonical(program), named("random")
    variants, left_out = changes(program)
    seeds, values = range(seed, seed + runs), dict[Program, Floats]()
    for each in wanted(program):
        spent = [evaluations if isinstance(evaluations, int) else evaluations(problem) for problem in problems]
        values[each] = np.array(
            [reached(each, p, budget, seeds, workers) for p, budget in zip(problems, spent, strict=True)]
        )
        on_done()
    values = complete(values, problems)
    shares = losses(values, problems, original, random)
    parts = [
        Part(
            v.line, v.snippet, v.change, str(v.program), *mean_interval(shares[v.program]),
            float(values[v.program].mean()), *mean_interval((values[v.program] - values[original]).mean(axis=0)),
        )
        for v in variants
    ]  # fmt: skip
    parts.sort(key=lambda part: -part.loss)
    return Ablation(str(original), float(values[original].mean()), float(values[random].mean()), parts, left_out)


def wanted(program: Program) -> list[Program]:
    """What has to run: the program, random search, and every variant once."""
    return list(
        dict.fromkeys([canonical(program), named("random"), *(variant.program for variant in changes(program)[0])])
    )


def changes(program: Program) -> tuple[list[Variant], list[str]]:
    """Every variant of a program, line by line; and which changes are left out, with why."""
    original = canonical(program)
    variants: list[Variant] = []
    left_out: list[str] = []
    for i, snippet in enumerate(original.snippets):
        line, printed = i + 2, f"{snippet.head} {snippet.tail}".rstrip()  # the population is line 1
        seen = {original: "the program is the same"}
        for change, snippets in changed(original.snippets, i):
            try:
                variant = canonical(replace(original, snippets=snippets))
                why = seen.get(variant, "")
            except ProgramError:
                why = "nothing else searches"
            if why:
                left_out.append(f"line {line}, {printed}, {change}: {why}")
                continue
            seen[variant] = f"the same as {change}"
            variants.append(Variant(line, printed, change, variant))
    return variants, left_out


def changed(snippets: tuple[Snippet, ...], i: int) -> Iterator[tuple[str, tuple[Snippet, ...]]]:
    """What can be done to snippet i, in words, and the snippets then."""
    snippet = snippets[i]
    neutral = NEUTRAL.get(snippet.role, snippet.component)
    if snippet.pointer is not Pointer.FORWARD:
        forward = replace(snippet, pointer=Pointer.FORWARD, target=None, condition=None)
        yield f"{snippet.pointer} removed", (*snippets[:i], forward, *snippets[i + 1 :])
    if snippet.component != neutral:
        yield f"replaced by {neutral}", (*snippets[:i], replace(snippet, component=neutral), *snippets[i + 1 :])
    else:
        yield "removed", without(snippets, i)


def without(snippets: Sequence[Snippet], i: int) -> tuple[Snippet, ...]:
    """The snippets but for number i.

    Forks still lead where they led; the loop of a chain stays, if there is a chain left.
    """
    before = [
        nearer(snippet) if j < i < j + (snippet.target or 0) else snippet for j, snippet in enumerate(snippets[:i])
    ]
    if snippets[i].role is Role.SEARCH and snippets[i].pointer is Pointer.ITERATE and before:
        last = before[-1]
        if last.role is Role.SEARCH and last.pointer is not Pointer.ITERATE:
            before[-1] = replace(last, pointer=Pointer.ITERATE, target=None, condition=snippets[i].condition)
    return (*before, *snippets[i + 1 :])


def nearer(fork: Snippet) -> Snippet:
    """A fork with one line fewer to jump over; none left: no fork."""
    assert fork.target is not None
    return (
        replace(fork, target=fork.target - 1)
        if fork.target > 2
        else replace(fork, pointer=Pointer.FORWARD, target=None)
    )


def complete(values: dict[Program, Floats], problems: Sequence[Problem]) -> dict[Program, Floats]:
    """What each program reached, (problems, runs); a run without anything feasible counts as the worst that has it."""
    everything = np.array(list(values.values()))
    worst = []
    for p, problem in enumerate(problems):
        feasible = everything[:, p][~np.isnan(everything[:, p])]
        if not len(feasible):
            raise ValueError(f"no run finds anything feasible on {problem.name}; try more evaluations")
        worst.append(feasible.min() if problem.maximise else feasible.max())
    return {program: np.where(np.isnan(each), np.array(worst)[:, None], each) for program, each in values.items()}


def losses(
    values: dict[Program, Floats], problems: Sequence[Problem], original: Program, random: Program
) -> dict[Program, Floats]:
    """What each program loses against the original with the same seed, (runs,), as a share of the way from random
    search.
    """
    sign = np.array([1.0 if problem.maximise else -1.0 for problem in problems])
    way = sign * (values[original] - values[random]).mean(axis=1)
    lost = {program: sign[:, None] * (values[original] - each) for program, each in values.items()}
    for p, problem in enumerate(problems):
        if way[p] <= 0 and any(each[p].any() for each in lost.values()):
            advice = "try another problem, or more evaluations"
            raise ValueError(f"the program is no better than random search on {problem.name}; {advice}")
    way[way <= 0] = 1.0  # all runs of all programs end alike: nothing is lost
    return {program: (each / way[:, None]).mean(axis=0) for program, each in lost.items()}


def meant(text: str, problem: str | None, evaluations: int | None) -> tuple[Program, list[Problem], Evaluations]:
    """What the words of a command mean: a program, the problems, and the evaluations on each."""
    program = algorithm(text)
    if text not in names() and len(text) < 256 and Path(text).is_dir():
        spec = Folder(text).spec()
        own = None if problem is None else find_problem(problem)  # first: the task's file may change folder
        task = find_task(spec.task, spec.evaluations)
        problems = list(task.test) if own is None else [own]
        return program, problems, task.training_evaluations if evaluations is None else evaluations
    if problem is None:
        raise ValueError(f"'{text}' was not designed for a task; say on which problem, such as --problem pbo:F2@100")
    return program, [find_problem(problem)], EVALUATIONS if evaluations is None else evaluations
