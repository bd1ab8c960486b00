"""Continual design (paper IV-C, figures 6 and 7): one writer learns seven problems in a row. What does it forget, and what does it gain?

Every variant of the writer learns the series with every seed, and every problem is also learned alone, from scratch. After each task the
writer designs at once, by taking its likeliest token everywhere, for all problems learned so far; these designs run on the test problem.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from metasmith import files
from metasmith.api import find_task, solve_all
from metasmith.designer.memory import Memory
from metasmith.designer.train import Writer
from metasmith.designer.training import Training
from metasmith.designs.asked import EFFORTS, ask
from metasmith.designs.folder import Folder
from metasmith.designs.learning import blank, remembered, taught
from metasmith.experiments.designs import Row
from metasmith.problems import problem
from metasmith.program import Program, canonical, named, program_of
from metasmith.space import END, Space
from metasmith.space.spelling import suggestion

SERIES = {
    "continual-1": ("F1", "F2", "F3", "F4", "F5", "F6", "F7"),
    "continual-2": ("F1", "F2", "F11", "F18", "F19", "F22", "F23"),
}
VARIANTS: Mapping[str, Mapping[str, float]] = {
    "EWC": {},
    "fine-tuning": {"strength": 0.0},
    "replay": {"strength": 0.0, "replay": 0.1},
}
"""How a writer is kept from forgetting: as the paper does, not at all, and by repeating the designs of earlier tasks."""

ALONE = "one-off"
"""Every problem by itself, from scratch."""

EVALUATIONS = 50_000
FIRST_EPOCHS = 5
"""Those in which what was known before must show."""


@dataclass(frozen=True)
class Scale:
    """How much is spent: on each task, and how many seeds and runs."""

    effort: str
    seeds: int
    runs: int


SCALES = {"small": Scale("quick", 1, 5), "paper": Scale("default", 3, 10), "full": Scale("default", 5, 30)}


def scale_named(name: str) -> Scale:
    if name not in SCALES:
        raise ValueError(f"there is no scale '{name}'; {suggestion(name, SCALES)}")
    return SCALES[name]


class Lesson(NamedTuple):
    """A task learned in a series, or alone.

    found: by function learned so far, the values of the writer's design on the test problem. means, best: of the training, by epoch;
    spent: evaluations up to each epoch.
    """

    variant: str
    seed: int
    function: str
    programs: dict[str, str]
    found: dict[str, list[float]]
    means: list[float]
    best: list[float]
    spent: list[int]


@dataclass(frozen=True)
class Series:
    """A writer that learns functions in a row."""

    variant: str
    seed: int
    functions: tuple[str, ...]
    scale: Scale
    out: Path
    training: Mapping[str, float] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        return self.out / f"{self.variant}-{self.seed}"

    @property
    def done(self) -> int:
        """How many were learned so far."""
        return len(list(self.folder.glob("*/lesson.json")))

    def lessons(self, workers: int) -> Iterator[Lesson]:
        """Learn what is not learned yet, and judge the writer after each task."""
        memory = blank("full", self.seed)
        for number, function in enumerate(self.functions, start=1):
            run = self.folder / f"{number}-{function}"
            if not (run / "lesson.json").is_file():
                memory, lesson = self._lesson(function, self.functions[:number], memory, run, workers)
                memory.save(run / "after.safetensors")
                files.replace(run / "lesson.json", json.dumps(lesson._asdict()).encode())
            memory = Memory.load(run / "after.safetensors")
            yield Lesson(**json.loads((run / "lesson.json").read_bytes()))

    def _lesson(self, function: str, so_far: Sequence[str], memory: Memory, run: Path, workers: int) -> tuple[Memory, Lesson]:
        name = f"pbo:{function}"
        training = {**vars(EFFORTS[self.scale.effort].get("training", Training())), **self.training}
        asked = ask(name, EVALUATIONS, effort=self.scale.effort, seed=self.seed, writer="the one before", training=Training(**training))
        design = taught(asked, find_task(name), memory, Folder(run), workers=workers)
        memory = remembered(memory, design)
        seen = {task.task.removeprefix("pbo:"): task.factors for task in memory.learned}
        programs = {each: str(inferred(memory, seen[each])) for each in so_far}
        found = {each: values(programs[each], each, self.scale.runs, workers) for each in so_far}
        epochs = [line for line in design.history if line["step"] == "epoch"]
        means, best = ([line[what] for line in epochs] for what in ("mean", "best"))
        spent = [line["ledger"]["evaluations"] for line in epochs]
        return memory, Lesson(self.variant, self.seed, function, programs, found, means, best, spent)


def inferred(memory: Memory, factors: Sequence[float]) -> Program:
    """What a writer designs for a problem that looks like this: the likeliest token everywhere."""
    space = Space.named(memory.space)
    row = Writer(space, Training(), seed=0, factors=np.array(factors), memory=memory).infer()
    numbers = [number for number in row.tolist() if number != space.number[END]]
    return canonical(program_of([space.tokens[number] for number in (*numbers, space.number[END])], space))


def values(program: str, function: str, runs: int, workers: int | None) -> list[float]:
    """What a program reaches on the test problem, on its original scale."""
    test = problem(f"pbo:{function}")
    found = solve_all(Program.parse(program), test, evaluations=EVALUATIONS, seeds=range(runs), workers=workers)
    return [test.original(result.fun) for result in found.results.values()]


def wanted(functions: Sequence[str], scale: Scale, out: Path) -> list[Series]:
    """The series to learn: every variant, and every function alone, with every seed."""
    seeds = range(scale.seeds)
    rows = [Series(name, seed, tuple(functions), scale, out, training) for seed in seeds for name, training in VARIANTS.items()]
    return rows + [Series(f"{ALONE}-{function}", seed, (function,), scale, out) for function in functions[1:] for seed in seeds]


def learned(series: Iterable[Series], on_done: Callable[[], None] = lambda: None) -> list[Lesson]:
    """All lessons of all series, as many series at a time as there are cores. on_done: called once for each lesson."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        under_way = {pool.submit(_lessons, each): each for each in series}
        done = 0
        while True:
            finished, left = wait(under_way, timeout=1, return_when=FIRST_EXCEPTION)
            for _ in range(done, now := sum(each.done for each in under_way.values())):
                on_done()
            done = now
            if not left or any(each.exception() for each in finished):
                return [lesson for each in under_way for lesson in each.result()]


def _lessons(series: Series) -> list[Lesson]:
    return list(series.lessons(workers=1))


@dataclass(frozen=True)
class Found:
    """What the lessons say. chance: the mean that random search reaches, by function."""

    functions: tuple[str, ...]
    lessons: Sequence[Lesson]
    chance: Mapping[str, float]

    @property
    def seeds(self) -> list[int]:
        return sorted({lesson.seed for lesson in self.lessons})

    def of(self, variant: str, seed: int, function: str) -> Lesson:
        """The lesson in which a function was learned. Alone: the first of a series is alone as well."""
        if variant == ALONE:
            variant = next(iter(VARIANTS)) if function == self.functions[0] else f"{ALONE}-{function}"
        return next(each for each in self.lessons if (each.variant, each.seed, each.function) == (variant, seed, function))

    def share(self, value: float, function: str) -> float:
        """A value, in percent of the way from random search to the mark."""
        return 100 * (value - self.chance[function]) / (Row(function, ()).mark - self.chance[function])

    def cell(self, variant: str, after: str, function: str) -> float:
        """The mean value on a function's test problem, over seeds, after another was learned."""
        return fmean(fmean(self.of(variant, seed, after).found[function]) for seed in self.seeds)

    def forgetting(self, variant: str) -> dict[str, float]:
        """By function but the last: how much was lost from just after it was learned to the end, in percent of the way."""
        last = self.functions[-1]
        return {
            each: self.share(self.cell(variant, each, each), each) - self.share(self.cell(variant, last, each), each)
            for each in self.functions[:-1]
        }

    def start(self, variant: str, function: str) -> float:
        """The mean worth of the programs written in the first epochs."""
        return fmean(fmean(self.of(variant, seed, function).means[:FIRST_EPOCHS]) for seed in self.seeds)

    def reached(self, variant: str, function: str) -> list[int | None]:
        """By seed: evaluations until the best program was as good as the one-off's after all its epochs; None: never."""
        spent: list[int | None] = []
        for seed in self.seeds:
            lesson, goal = self.of(variant, seed, function), self.of(ALONE, seed, function).best[-1]
            spent.append(next((n for best, n in zip(lesson.best, lesson.spent, strict=True) if best >= goal - 1e-9), None))
        return spent

    def record(self) -> dict[str, Any]:
        """For machines."""
        return {"functions": self.functions, "chance": self.chance, "lessons": [lesson._asdict() for lesson in self.lessons]}


def chances(functions: Sequence[str], runs: int) -> dict[str, float]:
    """What random search reaches on the test problems."""
    return {function: fmean(values(str(named("random")), function, runs, None)) for function in functions}
