"""How good the designs are: several for every PBO function, at dimension 625, beside the paper's and the best of what
others would pick.

Every design is a run's folder under `out`; one that is there already is not made again, one that was killed is gone on
with.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from metasmith.analysis.compare import values
from metasmith.analysis.statistics import SIGNIFICANCE, rank_sum, verdict
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
RIVALS = ("F2", "F7", "F10", "F14", "F15", "F17", "F18", "F20", "F22", "F23")
"""Where learning is set beside random search."""

AT_LEAST_THE_PAPER = ("F7", "F11", "F12", "F14", "F17", "F18")
"""Where the goal is the paper's Alg*; elsewhere it is the mark."""

WITHIN = 0.01
"""A goal that is the mark is met by a mean that is at most this share below."""

RUNS = 30


@dataclass(frozen=True)
class Designed:
    """One design: its program, what it cost, and what its runs reach, by test problem."""

    function: str
    designer: str
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


def rivals(functions: Sequence[str], seeds: int, out: Path, effort: str) -> list[Wanted]:
    """All by learning, then those by random search."""
    others = [function for function in functions if function in RIVALS]
    return [*wanted(functions, seeds, out, effort), *wanted(others, seeds, out, effort, "random")]


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
        wanted.task.removeprefix("pbo:"), wanted.designer, wanted.seed, record["program"], ledger["evaluations"],
        seconds, ledger["proposing_seconds"] / seconds, reached,
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

    def means(self, designer: str, problem: int) -> list[float]:
        """The mean of every design on a test problem."""
        return [
            float(list(each.reached.values())[problem].mean()) for each in self.designed if each.designer == designer
        ]

    def runs(self, designer: str) -> list[float]:
        """What all runs of all designs reach, on all test problems."""
        mine = [each for each in self.designed if each.designer == designer]
        return [value for each in mine for reached in each.reached.values() for value in reached.tolist()]

    def mean(self, designer: str) -> tuple[float, float] | None:
        """Of all designs: on instance 1, and on the permuted instances."""
        columns = [self.means(designer, problem) for problem in range(3)]
        return (fmean(columns[0]), fmean(columns[1] + columns[2])) if columns[0] else None


def rows(designed: Sequence[Designed]) -> list[Row]:
    functions = dict.fromkeys(each.function for each in designed)
    return [Row(function, [each for each in designed if each.function == function]) for function in functions]


def sheet(designed: Sequence[Designed]) -> Sheet:
    """The tables, and what they say in words."""
    by_function = rows(designed)
    parts = [*quality(by_function), *rivalry(by_function), cost(designed), programs(designed)]
    return Sheet(NAME, "Designs", parts, [each.record() for each in designed])


def quality(by_function: Sequence[Row]) -> list[Part]:
    """Every function: the designs beside the goal."""
    lines, missed, surpassed = [], [], 0
    for row in by_function:
        ours = row.mean("mixture")
        assert ours is not None
        met = [each >= row.goal - 1e-9 for each in ours]
        if not all(met):
            names = ("instance 1", "the permuted instances")
            where = " and ".join(name for name, well in zip(names, met, strict=True) if not well)
            missed.append(f"{row.function} on {where}")
        surpassed += ours[0] > mark_of(row.function)
        spread = ", ".join(decimals(mean) for mean in row.means("mixture", 0))
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


def rivalry(by_function: Sequence[Row]) -> list[Part]:
    """Learning beside random search, where both were done."""
    lines: list[list[str]] = []
    where: dict[str, list[str]] = {"better": [], "equal": [], "worse": []}
    for row in by_function:
        ours, rival = row.mean("mixture"), row.mean("random")
        if ours is None or rival is None:
            continue
        mine, theirs = row.runs("mixture"), row.runs("random")
        word = verdict(mine, theirs, maximise=True)
        where[word].append(row.function)
        spent = [
            f"{fmean(each.evaluations for each in row.designed if each.designer == name) / 1e6:.0f}"
            for name in ("mixture", "random")
        ]
        means = [f"{decimals(one)} / {decimals(other)}" for one, other in zip(ours, rival, strict=True)]
        lines.append([row.function, *means, f"{word} ({rank_sum(mine, theirs):.1g})", " / ".join(spent)])
    if not lines:
        return []
    text = f"""\
## Learning beside random search

The default designer / random: the same budget, the same race among the finalists. At {SIGNIFICANCE:.0%}: Wilcoxon's
rank-sum test, all runs of all designs; the p-value in brackets."""
    head = ["function", "instance 1", "permuted", f"at {SIGNIFICANCE:.0%}", "million evaluations"]
    behind = f"behind on {', '.join(where['worse'])}" if where["worse"] else "behind on none"
    better, equal = (len(where[word]) for word in ("better", "equal"))
    return [
        text,
        Table(head, lines, "Learning beside random search"),
        f"Learning is better on {better} of {len(lines)} functions, equal on {equal}, {behind}.",
    ]


def cost(designed: Sequence[Designed]) -> str:
    """Time and evaluations."""
    learned = [each for each in designed if each.designer == "mixture"]
    slow = max(learned, key=lambda each: each.seconds)
    others = [each.seconds for each in learned if each.function != "F18"]
    labs = [each.seconds for each in learned if each.function == "F18"]
    parts = [f"{fmean(others):.0f} s on average and {max(others):.0f} s at most"] if others else []
    parts += [f"LABS {max(labs):.0f} s at most"] if labs else []
    network = [each.network for each in learned]
    return f"""\
## Cost

A design takes {"; ".join(parts)}. The network's share is {fmean(network):.0%} on average and {max(network):.0%} at
most. The slowest was {slow.function} with seed {slow.seed}. Seconds are by the clock, of a design that had all cores
or, made beside others as by `reproduce pbo-table`, one."""


def programs(designed: Sequence[Designed]) -> str:
    """What was designed."""
    lines = [
        f"- {each.function}, seed {each.seed}: `{one_line(each.program)}`"
        for each in designed
        if each.designer == "mixture"
    ]
    return "\n".join(
        ["## The designs\n\nThose of the default designer, one a line; `;` stands for a new line.\n", *lines]
    )


def asked_for(request: Request) -> list[Wanted]:
    """The designs that a request is about."""
    options = request.options
    return rivals(request.functions, options["trials"], request.folder, options["effort"])


EXPERIMENT = Experiment(
    name=NAME,
    help="Learning beside random search, and what a design costs: several designs for every PBO function, timed one "
    "after the other.",
    order=5,
    options=(
        TRIALS.but(type=int, default=3, help="Designs of each kind, with seeds from 0 on."),
        ONLY,
        Option("effort", str, "default", "Of each design: quick, default or thorough."),
        LOG,
    ),
    folder=lambda request: effort_folder("designs", request.options["effort"]),
    steps=lambda request: ("designs", len(asked_for(request))),
    sheet=lambda request, tick: sheet(list(designs(asked_for(request), tick, request.log))),
    spreads=False,
)
