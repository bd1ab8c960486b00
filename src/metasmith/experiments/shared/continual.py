"""Continual design (paper IV-C, figures 6 and 7): one writer learns seven problems in a row. What does it forget, and
what does it gain?

Every variant of the writer learns the series with every seed, and every problem is also learned alone, from scratch.
After each task the writer designs at once for all problems learned so far: the program of its likeliest tokens, as in
the paper, and the winner of a short race among that and samples, as `metasmith design --effort none` does. These
designs run on the test problem.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from metasmith import files
from metasmith.analysis.history import learning
from metasmith.api import design as designed
from metasmith.api import find_task, solve_all
from metasmith.engine import Local
from metasmith.experiments.shared.making import core_seconds
from metasmith.experiments.shared.published import mark_of
from metasmith.experiments.shared.scales import Scale
from metasmith.experiments.shared.side_by_side import side_by_side, ticking
from metasmith.problems import problem
from metasmith.problems.pbo import EVALUATIONS
from metasmith.program import Program
from metasmith.report.made import made_with
from metasmith.runs.efforts import EFFORTS
from metasmith.runs.folder import Folder
from metasmith.runs.spec import Spec, specify
from metasmith.space import Space
from metasmith.version import commit

if TYPE_CHECKING:
    from metasmith.designers.ppo.writer_file import WriterFile
    from metasmith.runs.design import Design

SERIES = {
    "continual-1": ("F1", "F2", "F3", "F4", "F5", "F6", "F7"),
    "continual-2": ("F1", "F2", "F11", "F18", "F19", "F22", "F23"),
}
VARIANTS: Mapping[str, Mapping[str, float]] = {
    "EWC": {},
    "fine-tuning": {"strength": 0.0},
    "replay": {"strength": 0.0, "replay": 0.1},
}
"""How a writer is kept from forgetting: as the paper does, not at all, and by repeating earlier designs."""

ALONE = "one-off"
"""Every problem by itself, from scratch."""

FIRST_BATCHES = 5
"""Those in which what was known before must show."""


class Stage(NamedTuple):
    """After a task was learned in a series, or alone.

    reached, raced: by function learned so far, the values of the writer's designs on the test problem, that of the
    likeliest tokens and the winner of a race. means, best: of the training, by batch; spent: evaluations up to each
    batch. seconds: of one core.
    """

    variant: str
    seed: int
    function: str
    programs: dict[str, str]
    reached: dict[str, list[float]]
    raced: dict[str, list[float]]
    means: list[float]
    best: list[float]
    spent: list[int]
    seconds: float = 0.0
    commit: str = "unknown"


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
        return len(list(self.folder.glob("*/raced.json")))

    def stages(self, workers: int) -> Iterator[Stage]:
        """Learn what is not learned yet, and judge the writer after each task."""
        from metasmith.designers.ppo.writer_file import WriterFile
        from metasmith.runs.continual import blank, remembered, taught

        memory = blank("full", "bits", self.seed)
        for number, function in enumerate(self.functions, start=1):
            run = self.folder / f"{number}-{function}"
            spec = self._spec(function, memory)
            if not (run / "stage.json").is_file():
                made = taught(spec, find_task(spec.task), memory, Folder(run), runner=Local(workers))
                memory = remembered(memory, made)
                memory.save(run / "after.safetensors")
                learned = self._learned(function, self.functions[:number], memory, made, workers)
                files.replace(run / "stage.json", json.dumps(learned).encode())
            if not (run / "raced.json").is_file():
                raced = {
                    each: self._raced(each, run / "after.safetensors", workers) for each in self.functions[:number]
                }
                files.replace(run / "raced.json", json.dumps(raced).encode())
            raced, memory = json.loads((run / "raced.json").read_bytes()), WriterFile.load(run / "after.safetensors")
            design = Folder(run).design()
            assert design is not None
            kept = json.loads((run / "stage.json").read_bytes())
            if Folder(run).spec() != spec or len(kept.get("reached", {}).get(function, ())) != self.scale.runs:
                raise ValueError(f"'{run}' was learned otherwise; choose another folder with --out")
            yield Stage(**kept, raced=raced, seconds=core_seconds(design))

    def _spec(self, function: str, memory: "WriterFile") -> Spec:
        from metasmith.designers.training import Training

        training = Training(**{**vars(EFFORTS[self.scale.effort].training), **self.training})
        task = find_task(f"pbo:{function}", EVALUATIONS)
        return specify(task, effort=self.scale.effort, seed=self.seed, writer=memory.digest, training=training)

    def _learned(
        self, function: str, so_far: Sequence[str], memory: "WriterFile", design: "Design", workers: int
    ) -> dict[str, Any]:
        """All of a stage but the races."""
        seen = {task.task.removeprefix("pbo:"): task.factors for task in memory.learned}
        programs = {each: str(inferred(memory, seen[each])) for each in so_far}
        reached = {each: values(programs[each], each, self.scale.runs, workers) for each in so_far}
        batches = learning(design.history)
        means, best = ([line[what] for line in batches] for what in ("mean", "best"))
        return {
            "variant": self.variant, "seed": self.seed, "function": function, "programs": programs, "reached": reached,
            "means": means, "best": best, "spent": [line["ledger"]["evaluations"] for line in batches],
            "commit": commit(),
        }  # fmt: skip

    def _raced(self, function: str, writer: Path, workers: int) -> list[float]:
        """What a writer's design at once reaches, as a user would ask for it."""
        made = designed(
            f"pbo:{function}", evaluations=EVALUATIONS, writer=writer, effort="none", seed=self.seed, workers=workers
        )
        return values(str(made.program), function, self.scale.runs, workers)


def inferred(memory: "WriterFile", factors: Sequence[float]) -> Program:
    """What a writer designs for a problem that looks like this: the likeliest token everywhere."""
    from metasmith.designers.ppo.writer import Writer
    from metasmith.designers.reading import Reader
    from metasmith.designers.training import Training

    space = Space.named(memory.space).on("bits")
    row = Writer(space, Training(), seed=0, factors=np.array(factors), memory=memory).infer()
    return Reader(space)(row.tolist())


def values(program: str, function: str, runs: int, workers: int | None, log: Path | None = None) -> list[float]:
    """What a program reaches on the test problem, on its original scale."""
    test = problem(f"pbo:{function}")
    outcome = solve_all(program, test, evaluations=EVALUATIONS, seeds=range(runs), workers=workers, log=log)
    return [test.original(result.fun) for result in outcome.results.values()]


def wanted(functions: Sequence[str], scale: Scale, out: Path) -> list[Series]:
    """The series to learn: every variant, and every function alone, with every seed."""
    seeds = range(scale.trials)
    rows = [
        Series(name, seed, tuple(functions), scale, out, training)
        for seed in seeds
        for name, training in VARIANTS.items()
    ]
    return rows + [
        Series(f"{ALONE}-{function}", seed, (function,), scale, out) for function in functions[1:] for seed in seeds
    ]


def learned(series: Sequence[Series], on_done: Callable[[], None] = lambda: None) -> list[Stage]:
    """All stages of all series, as many series at a time as there are cores. on_done: called once for each stage."""
    items = [replace(each, out=each.out.absolute()) for each in series]  # elsewhere the working folder may be another
    stages = side_by_side(_stages, items, ticking(lambda: sum(each.done for each in series), on_done))
    return [stage for each in stages for stage in each]


def _stages(series: Series) -> list[Stage]:
    return list(series.stages(workers=1))


@dataclass(frozen=True)
class Outcome:
    """What the stages say. random: the mean that random search reaches, by function."""

    functions: tuple[str, ...]
    stages: Sequence[Stage]
    random: Mapping[str, float]

    @property
    def seeds(self) -> list[int]:
        return sorted({stage.seed for stage in self.stages})

    def of(self, variant: str, seed: int, function: str) -> Stage:
        """The stage in which a function was learned. Alone: the first of a series is alone as well."""
        if variant == ALONE:
            variant = next(iter(VARIANTS)) if function == self.functions[0] else f"{ALONE}-{function}"
        return next(
            each for each in self.stages if (each.variant, each.seed, each.function) == (variant, seed, function)
        )

    def share(self, value: float, function: str) -> float:
        """A value in percent of the way from random search, or from 0 where that is penalised, to the mark."""
        low = max(0.0, self.random[function])
        return 100 * (value - low) / (mark_of(function) - low)

    def cell(self, variant: str, after: str, function: str, seeds: Sequence[int] = (), *, raced: bool = False) -> float:
        """The mean value on a function's test problem, over seeds, after another was learned."""
        stages = [self.of(variant, seed, after) for seed in seeds or self.seeds]
        return fmean(fmean((stage.raced if raced else stage.reached)[function]) for stage in stages)

    def forgetting(self, variant: str, seeds: Sequence[int] = (), *, raced: bool = False) -> dict[str, float]:
        """By function but the last: what was lost from just after it was learned to the end, in percent of the way."""
        lost = {}
        for each in self.functions[:-1]:
            first, last = (self.cell(variant, after, each, seeds, raced=raced) for after in (each, self.functions[-1]))
            lost[each] = self.share(first, each) - self.share(last, each)
        return lost

    def start(self, variant: str, function: str) -> float:
        """The mean score of the programs written in the first batches."""
        return fmean(fmean(self.of(variant, seed, function).means[:FIRST_BATCHES]) for seed in self.seeds)

    def spent_until_as_good(self, variant: str, function: str) -> list[int | None]:
        """By seed: evaluations until the best program was as good as the one-off's at the end; None: never."""
        spent: list[int | None] = []
        for seed in self.seeds:
            stage, goal = self.of(variant, seed, function), self.of(ALONE, seed, function).best[-1]
            spent.append(
                next((n for best, n in zip(stage.best, stage.spent, strict=True) if best >= goal - 1e-9), None)
            )
        return spent

    @property
    def cost(self) -> str:
        """What learning cost, in words."""
        minutes = sum(stage.seconds for stage in self.stages) / 60
        commits = made_with("runs were done", (stage.commit for stage in self.stages))
        took = f"Learning took {minutes:.1f} core-minutes in all calls together"
        return f"{took}; the runs and races after it are not counted.{commits}"

    def record(self) -> dict[str, Any]:
        """For machines."""
        return {
            "functions": self.functions,
            "random": self.random,
            "stages": [stage._asdict() for stage in self.stages],
        }


def said_by(name: str, scale: Scale, stages: Sequence[Stage], log: Path | None = None) -> Outcome:
    """All that a series says. log: a folder for logs of random search and of the programs of likeliest tokens, which
    run again for it.
    """
    functions = SERIES[name]
    if log is not None:
        for function, program in sorted({pair for stage in stages for pair in stage.programs.items()}):
            values(program, function, scale.runs, None, log)
    random = {function: fmean(values("random", function, scale.runs, None, log)) for function in functions}
    return Outcome(functions, stages, random)
