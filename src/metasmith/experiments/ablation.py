"""What each snippet of a program is good for: the program without it, or with the neutral choice instead, beside the whole.

A stand-in: small, and to be replaced by the experiment of that name.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metasmith.api import solve_all
from metasmith.arrays import Floats
from metasmith.components import Role
from metasmith.problems import Problem
from metasmith.program import Program, ProgramError
from metasmith.program.stages import CHOOSER, SELECTOR

DRAWS = 1000
"""Of the bootstrap."""


@dataclass(frozen=True)
class Part:
    """A change of one line, and what it cost: a loss of the mean as a share of it, and its 95 % interval."""

    line: int
    snippet: str
    change: str
    program: str
    loss: float
    low: float
    high: float
    mean: float


def ablation(
    program: Program,
    problems: Sequence[Problem],
    *,
    evaluations: Callable[[Problem], int] | int,
    runs: int,
    seed: int = 0,
    workers: int | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> list[Part]:
    """Every snippet removed, or replaced by the neutral one of its role."""

    def values(given: Program) -> list[Floats]:
        found = []
        for problem in problems:
            spent = evaluations if isinstance(evaluations, int) else evaluations(problem)
            best = solve_all(given, problem, evaluations=spent, seeds=range(seed, seed + runs), workers=workers).best
            found.append(np.array([problem.original(value) for value in best]) * (1 if problem.maximise else -1))
        return found

    whole, draw = values(program), np.random.default_rng(seed)
    parts = []
    for line, change, changed in changes(program):
        theirs = values(changed)
        losses = np.zeros(DRAWS)
        for ours, other in zip(whole, theirs, strict=True):
            unit = abs(ours.mean()) or 1.0
            losses += (draw.choice(ours, (DRAWS, runs)).mean(1) - draw.choice(other, (DRAWS, runs)).mean(1)) / unit / len(whole)
        loss = float(np.mean([(a.mean() - b.mean()) / (abs(a.mean()) or 1.0) for a, b in zip(whole, theirs, strict=True)]))
        low, high = (float(each) for each in np.quantile(losses, (0.025, 0.975)))
        mean = float(np.mean([abs(other.mean()) for other in theirs]))
        parts.append(Part(line, program.snippets[line].head, change, str(changed), loss, low, high, mean))
        on_done()
    return parts


def changes(program: Program) -> Iterator[tuple[int, str, Program]]:
    for line, snippet in enumerate(program.snippets):
        neutral = {Role.CHOOSE: CHOOSER, Role.SELECT: SELECTOR}.get(snippet.role)
        try:
            if neutral is None:
                rest = program.snippets[:line] + program.snippets[line + 1 :]
                yield line, "removed", Program(program.population, rest)
            elif neutral != snippet.component:
                other = replace(snippet, component=neutral)
                yield (
                    line,
                    f"{neutral} instead",
                    Program(program.population, (*program.snippets[:line], other, *program.snippets[line + 1 :])),
                )
        except (ProgramError, IndexError):
            continue
