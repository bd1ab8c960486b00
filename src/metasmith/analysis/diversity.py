"""How different designs are: from the known algorithms, from each other, by how they read and by what they do.

The distance of two programs is the least that turns the text of one into that of the other, in canonical form, line by
line: a line added, left out or with another component counts 1, another hyperparameter 1/4, another pointer or
condition 1/4. The population is a line; between one solution and many it counts 1, between two sizes 1/4. Divided by
the lines of the longer: 0 is the same, 1 has nothing in common.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from metasmith.analysis.compare import USUAL
from metasmith.api import algorithm
from metasmith.components import Role
from metasmith.program import Pointer, Program, Snippet, blocks, canonical, named, names, random_program
from metasmith.program.stages import CHOOSER, SELECTOR
from metasmith.runs.folder import Folder
from metasmith.space import Space

SETTING = FLOW = 0.25
"""What another hyperparameter counts, and another pointer or condition."""

LIKE_PAIRWISE = ("greedy_select", "round_robin_select")
"""With one solution they keep the better of parent and child, of equals the child, as pairwise_select does."""

RANDOM = 50
"""Random programs, for what the mean distance is where nobody chooses."""


class Line(NamedTuple):
    """A line of a program."""

    component: str
    setting: str
    flow: str


class Designed(NamedTuple):
    """A design, and what it was for."""

    run: Path
    task: str
    program: Program


class Near(NamedTuple):
    """The nearest to a program, and how far it is."""

    name: str
    distance: float


@dataclass(frozen=True)
class Row:
    """A design, the known algorithms nearest to it as it reads and in effect, and the nearest other design, if there is
    one.
    """

    design: str
    task: str
    program: str
    nearest_known: Near
    in_effect: Near
    other: Near | None

    def record(self) -> dict[str, Any]:
        """For machines."""
        nearest = {"nearest_known": self.nearest_known, "in_effect": self.in_effect, "other": self.other}
        names = {"design": self.design, "task": self.task, "program": self.program}
        return {**names, **{name: each and each._asdict() for name, each in nearest.items()}}


@dataclass(frozen=True)
class Spread:
    """The mean distance of designs for one task, of designs for different tasks, and to the nearest known algorithm;
    and how many programs there are.
    """

    same_task: float | None
    other_tasks: float | None
    nearest_known: float
    different: int


@dataclass(frozen=True)
class Diversity:
    """Rows, and what they amount to. random: the mean distance of random programs. components: which share of the
    designs has each.
    """

    rows: list[Row]
    as_read: Spread
    in_effect: Spread
    random: float
    components: dict[str, float]

    def record(self) -> dict[str, Any]:
        """For machines."""
        spreads = {"as_read": asdict(self.as_read), "in_effect": asdict(self.in_effect)}
        rest = {"random": self.random, "components": self.components}
        return {"designs": [row.record() for row in self.rows], **spreads, **rest}


def designs_in(folders: Sequence[Path]) -> tuple[list[Designed], list[Path]]:
    """The designs of runs, or of all runs in folders; and the runs in folders that are not finished."""
    designs: dict[Path, Designed] = {}
    left_out = []
    for folder in folders:
        inner = sorted((file.parent for file in folder.rglob("design.toml")), key=by_number)
        runs = [folder] if Folder(folder).exists else inner
        if not runs:
            raise ValueError(f"'{folder}' is not the folder of a run, and there is none in it")
        unfinished = [run for run in runs if run != folder and Folder(run).design() is None]
        left_out += unfinished
        for run in runs:
            if run not in unfinished:
                designs[run.resolve()] = Designed(run, Folder(run).spec().task, algorithm(run))
    if not designs:
        where, first = " and ".join(map(str, folders)), left_out[0]
        advice = f"'metasmith resume {first}' goes on, 'metasmith finish {first}' ends it"
        raise ValueError(f"no run in {where} is finished; {advice}")
    return list(designs.values()), left_out


def by_number(run: Path) -> list[str]:
    """A key to sort paths by that has F2 before F10."""
    return [part.zfill(9) if part.isdigit() else part for part in re.split(r"(\d+)", str(run))]


def compared(designs: Sequence[Designed]) -> Diversity:
    """Designs beside the known algorithms, and beside each other."""
    library = {name: named(name) for name in dict.fromkeys([*USUAL, *names()])}  # of equals, the usual names first
    plain = {name: in_effect(program) for name, program in library.items()}
    programs, effects = [canonical(each.program) for each in designs], [in_effect(each.program) for each in designs]
    rows = []
    for i, (design, program, effect) in enumerate(zip(designs, programs, effects, strict=True)):
        others = {str(each.run): programs[j] for j, each in enumerate(designs) if j != i}
        rows.append(
            Row(
                str(design.run), design.task, str(program), nearest(program, library), nearest(effect, plain),
                nearest(program, others) if others else None,
            )
        )  # fmt: skip
    tasks = [each.task for each in designs]
    as_read = spread(programs, tasks, [row.nearest_known.distance for row in rows])
    effective = spread(effects, tasks, [row.in_effect.distance for row in rows])
    return Diversity(rows, as_read, effective, among_random(), used(programs))


def nearest(program: Program, among: dict[str, Program]) -> Near:
    """The nearest by name; of equally near ones the first."""
    return min((Near(name, distance(program, other)) for name, other in among.items()), key=lambda near: near.distance)


def spread(programs: Sequence[Program], tasks: Sequence[str], nearest_known: Sequence[float]) -> Spread:
    """What the distances amount to. nearest_known: of each program."""
    pairs = [
        (tasks[i] == tasks[j], distance(programs[i], programs[j])) for i, j in combinations(range(len(programs)), 2)
    ]
    same, other = ([apart for alike, apart in pairs if alike is wanted] for wanted in (True, False))
    same_task, other_tasks = (fmean(each) if each else None for each in (same, other))
    return Spread(same_task, other_tasks, fmean(nearest_known), len(set(programs)))


def among_random() -> float:
    """The mean distance of programs that nobody chose."""
    space = Space.named("full").on("bits")
    programs = [random_program(space, seed) for seed in range(RANDOM)]
    return fmean(distance(a, b) for a, b in combinations(programs, 2))


def used(programs: Sequence[Program]) -> dict[str, float]:
    """The share of programs that each component is in, the commonest first."""
    counts = Counter(
        name for program in programs for name in sorted({snippet.component for snippet in program.snippets})
    )
    return {name: count / len(programs) for name, count in counts.most_common()}


def distance(one: Program, other: Program) -> float:
    """How differently two programs read, 0 to 1."""
    a, b = lines(one), lines(other)
    return edits(a, b) / max(len(a), len(b))


@cache
def lines(program: Program) -> tuple[Line, ...]:
    """What is compared: the population, then the snippets of the canonical form."""
    form = canonical(program)
    size = Line("one solution" if form.population == 1 else "population", str(form.population), "")
    return (
        size,
        *(Line(snippet.component, ", ".join(map(str, snippet.amounts)), snippet.tail) for snippet in form.snippets),
    )


def edits(a: Sequence[Line], b: Sequence[Line]) -> float:
    """The least that turns the lines `a` into the lines `b`."""
    row = [float(j) for j in range(len(b) + 1)]
    for i, mine in enumerate(a, start=1):
        above, row = row, [float(i)]
        for j, theirs in enumerate(b, start=1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + change(mine, theirs)))
    return row[-1]


def change(a: Line, b: Line) -> float:
    """What it counts to turn one line into another."""
    if a.component != b.component:
        return 1.0
    return SETTING * (a.setting != b.setting) + FLOW * (a.flow != b.flow)


def in_effect(program: Program) -> Program:
    """What a program comes to, in canonical form: without choices among one solution, and without loops that the rounds
    repeat anyway.
    """
    snippets: Iterable[Snippet] = canonical(program).snippets
    if program.population == 1:
        snippets = [alone(snippet) for snippet in snippets]
    form = canonical(Program(program.population, tuple(snippets)))
    parts = blocks(form)
    if len(parts) > 1:
        return form
    once = {Role.SELECT} | ({Role.SEARCH} if len(parts[0].stages) == 1 else set())
    return canonical(
        replace(
            form, snippets=tuple(unlooped(snippet) if snippet.role in once else snippet for snippet in form.snippets)
        )
    )


def alone(snippet: Snippet) -> Snippet:
    """What a snippet does to a single solution."""
    if snippet.role is Role.CHOOSE:
        return replace(snippet, component=CHOOSER)
    return replace(snippet, component=SELECTOR) if snippet.component in LIKE_PAIRWISE else snippet


def unlooped(snippet: Snippet) -> Snippet:
    return replace(snippet, pointer=Pointer.FORWARD, condition=None) if snippet.pointer is Pointer.ITERATE else snippet
