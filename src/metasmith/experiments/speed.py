"""How fast the engine is, beside the raw evaluation of the suite it replaces, measured in the same run because machines
differ.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from metasmith.api import job
from metasmith.engine import Job, Local, run
from metasmith.problems.pbo import DIMENSION, EVALUATIONS
from metasmith.program import random_program
from metasmith.report.made import made_by
from metasmith.report.tables import Table
from metasmith.space import Space

GA = "population 50; tournament; cross_uniform(p=0.5); reset_rand(p=1/d); greedy_select"
REPEATS = 7
TURNS = 40
"""Of a single run and ioh: a run takes milliseconds, and the best of few is a matter of luck."""

TIMES = {"F1": 110, "F2": 85, "F18": 65, "F20": 95, "F22": 150, "F23": 65}
"""Raw ioh evaluations that the genetic algorithm should beat by so many times."""


@dataclass(frozen=True)
class Measure:
    """One figure: what was measured, how much it was, and what it should be: at least if in `times`, else at most."""

    what: str
    value: float
    unit: str
    wanted: float
    detail: str = ""

    @property
    def bound(self) -> str:
        return "at least" if self.unit == "times" else "at most"

    @property
    def met(self) -> bool:
        return self.value >= self.wanted if self.unit == "times" else self.value <= self.wanted


def measures(cold: bool = True) -> Iterator[Measure]:
    """All figures, one after the other. cold: also those of a first start, which compiles everything anew."""
    for function, wanted in TIMES.items():
        yield against_ioh(f"GA on {function}", [job(GA, f"pbo:{function}", evaluations=EVALUATIONS)], function, wanted)
    for name in ("rls", "ea"):
        yield against_ioh(f"{name} on F1", [job(name, "pbo:F1", evaluations=EVALUATIONS)], "F1", 60)
    sampled = [
        job(random_program(Space.named("full").on("bits"), seed), "pbo:F1", evaluations=EVALUATIONS)
        for seed in range(101)
    ]
    yield against_ioh("median random program on F1", sampled, "F1", 25)
    yield two_threads()
    yield batch()
    yield memory()
    if cold:
        yield from starts()


def page(figures: Sequence[Measure], command: str) -> str:
    """The figures as a page of the documentation."""
    rows = [
        [each.what, f"{each.value:.2f} {each.unit}", f"{each.bound} {each.wanted:g}", each.detail] for each in figures
    ]
    return f"""\
# Speed

Dimension {DIMENSION}, {EVALUATIONS:,} evaluations, one thread unless said otherwise. GA: `{GA}`.
`times`: evaluations a second of a whole run, start-up included, over those of ioh on random lists, measured in turns.

{Table(["what", "measured", "wanted", ""], rows).markdown()}

{made_by(command)}
"""


def against_ioh(what: str, jobs: list[Job], function: str, wanted: float) -> Measure:
    """Evaluations a second of the median job on one thread, over those of ioh on random lists, taking turns."""
    raw = raw_ioh(function)
    for each in jobs:
        run(each)
    ours: dict[int, float] = {}
    theirs = 0.0
    for _ in range(TURNS if len(jobs) == 1 else 3):
        theirs = max(theirs, raw())
        for number, each in enumerate(jobs):
            ours[number] = max(ours.get(number, 0.0), EVALUATIONS / seconds(partial(run, each)))
    rate = median(ours.values())
    return Measure(
        what,
        rate / theirs,
        "times",
        wanted,
        f"{rate / 1e6:.2f} million evaluations a second, ioh {theirs / 1e3:.0f} thousand",
    )


def raw_ioh(function: str) -> Callable[[], float]:
    """A function that measures how many random lists ioh evaluates a second."""
    try:
        import ioh
    except ImportError:
        raise ValueError(
            "bench measures ioh in the same run; install it with: pip install 'metasmith[bench]'"
        ) from None
    problem = ioh.get_problem(int(function[1:]), 1, DIMENSION, ioh.ProblemClass.PBO)
    lists = np.random.default_rng(0).integers(0, 2, (300, DIMENSION)).tolist()

    def rate() -> float:
        return len(lists) / seconds(lambda: [problem(x) for x in lists])

    return rate


def two_threads() -> Measure:
    """Two threads over one, on the same jobs, taking turns."""
    jobs = [job(GA, "pbo:F2", evaluations=4 * EVALUATIONS, seed=seed) for seed in range(30)]
    Local(2).run(jobs[:2])
    times = [[seconds(partial(Local(workers).run, jobs)) for workers in (1, 2)] for _ in range(REPEATS)]
    one, two = (min(column) for column in zip(*times, strict=True))
    return Measure("two threads over one", one / two, "times", 1.8, f"{os.cpu_count()} cores")


def batch() -> Measure:
    """16 random programs of the full space, on F1 in three dimensions, 5 runs of 5,000 evaluations each, one core."""
    programs = [random_program(Space.named("full").on("bits"), seed) for seed in range(16)]
    jobs = [
        job(program, f"pbo:F1@{dimension}", evaluations=5000, seed=seed)
        for program in programs
        for dimension in (100, 225, 400)
        for seed in range(5)
    ]
    Local(1).run(jobs)
    best = min(seconds(lambda: Local(1).run(jobs)) for _ in range(REPEATS))
    return Measure("a batch on F1, one core", best, "s", 0.5, f"{len(jobs)} runs, 1.2 million evaluations")


def memory() -> Measure:
    """How much a process grows by its first run of the genetic algorithm, compiled code included, above what it has
    imported.

    numba imports most of itself, and scipy where it is installed, only when it is first used; the detail says how much
    that is.
    """
    code = f"""
from pathlib import Path
from numba.core.registry import cpu_target
from metasmith.api import job
from metasmith.engine import run
used = lambda: int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20
started = used()
cpu_target.target_context.refresh()
imported = used()
run(job({GA!r}, "pbo:F1", evaluations={EVALUATIONS}))
print(used() - imported, imported - started)
"""
    run(job(GA, "pbo:F1", evaluations=100))  # so that nothing is left to compile
    grown, late = map(
        float, subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    )
    return Measure(
        "memory of a first run",
        grown,
        "MB",
        50,
        f"and {late:.0f} MB that numba imports late, {grown + late:.0f} MB in all",
    )


def starts() -> Iterator[Measure]:
    """The first `metasmith solve` ever, with nothing compiled yet, and the next one."""
    command = [sys.executable, "-m", "metasmith", "solve", "pbo:F2", "--with", GA, "--json"]
    with tempfile.TemporaryDirectory() as folder:
        environment: dict[str, Any] = {**os.environ, "METASMITH_CACHE": folder}
        for what, wanted in (("first solve, compiling", 30.0), ("later solve", 3.0)):
            yield Measure(
                what,
                seconds(lambda: subprocess.run(command, env=environment, check=True, capture_output=True)),
                "s",
                wanted,
            )


def seconds(action: Callable[[], object]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun
