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
from metasmith.analysis.statistics import SURE, rank_sum, verdict
from metasmith.api import find_task
from metasmith.arrays import Floats
from metasmith.experiments.making import Wanted, made, wanted
from metasmith.experiments.pages import markdown, number
from metasmith.experiments.references import alg_of, data, mark_of
from metasmith.experiments.sheets import Sheet
from metasmith.program import one_line

RIVALS = ("F2", "F7", "F10", "F14", "F15", "F17", "F18", "F20", "F22", "F23")
"""Where learning is set beside random search."""

AT_LEAST_THE_PAPER = ("F7", "F11", "F12", "F14", "F17", "F18")
"""Where the goal is the paper's Alg*; elsewhere it is the mark."""

WITHIN = 0.01
"""A goal that is the mark is met by a mean that is at most this share below."""

RUNS = 30


@dataclass(frozen=True)
class Designed:
    """One design: its program, what it cost, and what its runs found, by test problem."""

    function: str
    designer: str
    seed: int
    program: str
    evaluations: int
    seconds: float
    network: float
    found: dict[str, Floats]

    def record(self) -> dict[str, Any]:
        found = {name: values.tolist() for name, values in self.found.items()}
        return {**{name: value for name, value in vars(self).items() if name != "found"}, "values": found}


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
    found = {problem.name: values(wanted.run, problem, task, seeds, log=log) for problem in task.test}
    return Designed(
        wanted.task.removeprefix("pbo:"), wanted.designer, wanted.seed, record["program"], ledger["evaluations"], seconds,
        ledger["proposing_seconds"] / seconds, found,
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
        return [float(list(each.found.values())[problem].mean()) for each in self.designed if each.designer == designer]

    def runs(self, designer: str) -> list[float]:
        """What all runs of all designs found, on all test problems."""
        return [
            value
            for each in self.designed
            if each.designer == designer
            for found in each.found.values()
            for value in found.tolist()
        ]

    def mean(self, designer: str) -> tuple[float, float] | None:
        """Of all designs: on instance 1, and on the permuted instances."""
        columns = [self.means(designer, problem) for problem in range(3)]
        return (fmean(columns[0]), fmean(columns[1] + columns[2])) if columns[0] else None


def rows(designed: Sequence[Designed]) -> list[Row]:
    functions = dict.fromkeys(each.function for each in designed)
    return [Row(function, [each for each in designed if each.function == function]) for function in functions]


def report(designed: Sequence[Designed]) -> str:
    """The tables, and what they say in words."""
    found = rows(designed)
    return f"{quality(found)}\n\n{rivalry(found)}\n\n{cost(designed)}\n\n{programs(designed)}\n"


def quality(found: Sequence[Row]) -> str:
    """Every function: the designs beside the goal."""
    lines, missed, surpassed = [], [], 0
    for row in found:
        ours = row.mean("mixture")
        assert ours is not None
        met = [each >= row.goal - 1e-9 for each in ours]
        if not all(met):
            where = " and ".join(
                name for name, well in zip(("instance 1", "the permuted instances"), met, strict=True) if not well
            )
            missed.append(f"{row.function} on {where}")
        surpassed += ours[0] > mark_of(row.function)
        spread = ", ".join(number(mean) for mean in row.means("mixture", 0))
        lines.append([
            f"{row.function} {data()['functions'][row.function]['name']}", number(alg_of(row.function)), number(mark_of(row.function)),
            "Alg*" if row.function in AT_LEAST_THE_PAPER else "mark",
            number(ours[0]), spread, number(ours[1]), "yes" if all(met) else "**no**",
        ])  # fmt: skip
    head = ["function", "Alg*", "mark", "goal", "designs, instance 1", "each of them", "designs, permuted", "goal met"]
    short = f"Short of the goal: {'; '.join(missed)}." if missed else "No goal is missed."
    return f"""\
## Beside the mark

Means of {RUNS} runs, with seeds of their own for each design, 0 to {RUNS - 1} for the first, then of the designs. Alg* is the paper's mean;
the mark is the best of Alg*, RLS, (1+1) EA, (1+1) fGA and UMDA, all on instance 1. A goal that is the mark is met within {WITHIN:.0%}, one
that is Alg* by no less; on instance 1 and on the permuted instances.

{markdown(head, lines)}

{sum(line[-1] == "yes" for line in lines)} of {len(lines)} goals are met; {surpassed} means on instance 1 are above the mark. {short}"""


def rivalry(found: Sequence[Row]) -> str:
    """Learning beside random search."""
    lines: list[list[str]] = []
    where: dict[str, list[str]] = {"better": [], "equal": [], "worse": []}
    for row in found:
        ours, rival = row.mean("mixture"), row.mean("random")
        if ours is None or rival is None:
            continue
        mine, theirs = row.runs("mixture"), row.runs("random")
        word = verdict(mine, theirs, maximise=True)
        where[word].append(row.function)
        spent = {
            name: fmean(each.evaluations for each in row.designed if each.designer == name) / 1e6
            for name in ("mixture", "random")
        }
        means = [f"{number(one)} / {number(other)}" for one, other in zip(ours, rival, strict=True)]
        lines.append(
            [
                row.function,
                *means,
                f"{word} ({rank_sum(mine, theirs):.1g})",
                f"{spent['mixture']:.0f} / {spent['random']:.0f}",
            ]
        )
    if not lines:
        return ""
    return f"""\
## Learning beside random search

PPO / random: the same number of programs written, the same race among the finalists. Random search measures more, because it hardly ever
writes a program twice. At {SURE:.0%}: Wilcoxon's rank-sum test, all runs of all designs; how often chance alone would do it in brackets.

{markdown(["function", "instance 1", "permuted", f"at {SURE:.0%}", "million evaluations"], lines)}

Learning is better on {len(where["better"])} of {len(lines)} functions, equal on {len(where["equal"])}, \
{f"behind on {', '.join(where['worse'])}" if where["worse"] else "behind on none"}."""


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

A design takes {"; ".join(parts)}. The network's share is {fmean(network):.0%} on average and {max(network):.0%} at most.
The slowest was {slow.function} with seed {slow.seed}. Seconds are by the clock, of a design that had all cores
or, made beside others as by `reproduce pbo-table`, one."""


def programs(designed: Sequence[Designed]) -> str:
    """What was designed."""
    lines = ["## The designs\n\nThose of PPO, one a line; `;` stands for a new line.\n"]
    for each in designed:
        if each.designer == "mixture":
            lines.append(f"- {each.function}, seed {each.seed}: `{one_line(each.program)}`")
    return "\n".join(lines)


def sheet(designed: Sequence[Designed]) -> Sheet:
    return Sheet("designs", "Designs", report(designed), [each.record() for each in designed])
