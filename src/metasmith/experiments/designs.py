"""How good the designs are, and what they cost: several for every PBO function, at dimension 625, beside the paper's
and the best of what others would pick.

Every design is a run's folder under `out`; one that is there already is not made again, one that was killed is gone on
with.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from metasmith.analysis.compare import values
from metasmith.api import find_task
from metasmith.arrays import Floats
from metasmith.experiments.shared.contract import LOG, ONLY, TRIALS, Experiment, Option, Request, effort_folder
from metasmith.experiments.shared.making import Wanted, made, wanted
from metasmith.experiments.shared.published import alg_of, mark_of, titled
from metasmith.program import one_line
from metasmith.report.numbers import decimals
from metasmith.report.sheet import Part, Sheet
from metasmith.report.tables import Table, yes_or_no

NAME = "designs"
AT_LEAST_THE_PAPER = ("F7", "F11", "F12", "F14", "F17", "F18")
"""Where the goal is the paper's Alg*; elsewhere it is the mark."""

WITHIN = 0.01
"""A goal that is the mark is met by a mean that is at most this share below."""

RUNS = 30


@dataclass(frozen=True)
class Designed:
    """One design: its program, what it cost, and what its runs reach, by test problem."""

    function: str
    seed: int
    program: str
    evaluations: int
    seconds: float
    network: float
    reached: dict[str, Floats]

    def record(self) -> dict[str, Any]:
        """For machines."""
        reached = {name: values.tolist() for name, values in self.reached.items()}
        return {**{name: value for name, value in vars(self).items() if name != "reached"}, "values": reached}


def designs(todo: Sequence[Wanted], on_done: Callable[[], None], log: Path | None = None) -> Iterator[Designed]:
    """Make the designs that are not there yet, one after the other, and judge all on the test problems.

    log: a folder for the logs of the test runs.
    """
    for each in todo:
        yield judged(each, log)
        on_done()


def judged(wanted: Wanted, log: Path | None = None) -> Designed:
    """What a design does on the test problems of its task."""
    record, task = made(wanted), find_task(wanted.task)
    ledger = record["ledger"]
    seconds = ledger["measuring_seconds"] + ledger["proposing_seconds"]
    seeds = range(wanted.seed * RUNS, (wanted.seed + 1) * RUNS)  # of its own: two designs may be the same program
    reached = {problem.name: values(wanted.run, problem, task, seeds, log=log) for problem in task.test}
    return Designed(
        wanted.task.removeprefix("pbo:"), wanted.seed, record["program"], ledger["evaluations"], seconds,
        ledger["proposing_seconds"] / seconds, reached,
    )  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A function: the designs made for it."""

    function: str
    designed: Sequence[Designed]

    @property
    def goal(self) -> float:
        mark = mark_of(self.function)
        return alg_of(self.function) if self.function in AT_LEAST_THE_PAPER else mark - WITHIN * abs(mark)

    def means(self, problem: int) -> list[float]:
        """The mean of every design on a test problem."""
        return [float(list(each.reached.values())[problem].mean()) for each in self.designed]

    @property
    def mean(self) -> tuple[float, float]:
        """Of all designs: on instance 1, and on the permuted instances."""
        return fmean(self.means(0)), fmean(self.means(1) + self.means(2))


def rows(designed: Sequence[Designed]) -> list[Row]:
    functions = dict.fromkeys(each.function for each in designed)
    return [Row(function, [each for each in designed if each.function == function]) for function in functions]


def sheet(designed: Sequence[Designed]) -> Sheet:
    """The tables, and what they say in words."""
    parts = [*quality(rows(designed)), cost(designed), programs(designed)]
    return Sheet(NAME, "Designs", parts, [each.record() for each in designed])


def quality(by_function: Sequence[Row]) -> list[Part]:
    """Every function: the designs beside the goal."""
    lines, missed, surpassed = [], [], 0
    for row in by_function:
        ours = row.mean
        met = [each >= row.goal - 1e-9 for each in ours]
        if not all(met):
            names = ("instance 1", "the permuted instances")
            where = " and ".join(name for name, well in zip(names, met, strict=True) if not well)
            missed.append(f"{row.function} on {where}")
        surpassed += ours[0] > mark_of(row.function)
        spread = ", ".join(decimals(mean) for mean in row.means(0))
        lines.append([
            titled(row.function), decimals(alg_of(row.function)), decimals(mark_of(row.function)),
            "Alg*" if row.function in AT_LEAST_THE_PAPER else "mark", decimals(ours[0]), spread, decimals(ours[1]),
            yes_or_no(all(met)),
        ])  # fmt: skip
    head = ["function", "Alg*", "mark", "goal", "designs, instance 1", "each of them", "designs, permuted", "goal met"]
    short = f"Short of the goal: {'; '.join(missed)}." if missed else "No goal is missed."
    text = f"""\
## Beside the mark

Means of {RUNS} runs, with seeds of their own for each design, 0 to {RUNS - 1} for the first, then of the designs. Alg*
is the paper's mean; the mark is the best of Alg*, RLS, (1+1) EA, (1+1) fGA and UMDA, all on instance 1. A goal that is
the mark is met within {WITHIN:.0%}, one that is Alg* by no less; on instance 1 and on the permuted instances."""
    reached = f"{len(lines) - len(missed)} of {len(lines)} goals are met"
    return [
        text,
        Table(head, lines, "Beside the mark"),
        f"{reached}; {surpassed} means on instance 1 are above the mark. {short}",
    ]


def cost(designed: Sequence[Designed]) -> str:
    """Time and evaluations."""
    slow = max(designed, key=lambda each: each.seconds)
    others = [each.seconds for each in designed if each.function != "F18"]
    labs = [each.seconds for each in designed if each.function == "F18"]
    parts = [f"{fmean(others):.0f} s on average and {max(others):.0f} s at most"] if others else []
    parts += [f"LABS {max(labs):.0f} s at most"] if labs else []
    network = [each.network for each in designed]
    return f"""\
## Cost

A design takes {"; ".join(parts)}. The network's share is {fmean(network):.0%} on average and {max(network):.0%} at
most. The slowest was {slow.function} with seed {slow.seed}. Seconds are by the clock, of a design that had all cores
or, made beside others as by `reproduce pbo-table`, one."""


def programs(designed: Sequence[Designed]) -> str:
    """What was designed."""
    lines = [f"- {each.function}, seed {each.seed}: `{one_line(each.program)}`" for each in designed]
    return "\n".join(["## The designs\n\nOne a line; `;` stands for a new line.\n", *lines])


def asked_for(request: Request) -> list[Wanted]:
    """The designs that a request is about."""
    options = request.options
    return wanted(request.functions, options["trials"], request.folder, options["effort"])


EXPERIMENT = Experiment(
    name=NAME,
    help="Designs beside the mark, and what a design costs: several for every PBO function, timed one after the other.",
    order=5,
    options=(
        TRIALS.but(type=int, default=3, help="Designs for each function, with seeds from 0 on."),
        ONLY,
        Option("effort", str, "default", "Of each design: quick, default or thorough."),
        LOG,
    ),
    folder=lambda request: effort_folder("designs", request.options["effort"]),
    steps=lambda request: ("designs", len(asked_for(request))),
    sheet=lambda request, tick: sheet(list(designs(asked_for(request), tick, request.log))),
    spreads=False,
)
