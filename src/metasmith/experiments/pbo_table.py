"""The paper's table I: designs for the 23 PBO functions beside its baselines, its own designs, and what else people
would pick.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from metasmith.analysis.statistics import SURE, effect, rank_sum, said, verdict
from metasmith.api import find_task
from metasmith.experiments.making import commits, core_seconds, made_all, wanted
from metasmith.experiments.pages import markdown, number, seeds, spent
from metasmith.experiments.records import Record, Records, tidy
from metasmith.experiments.references import Sample, alg_of, alg_sample, chance, data, mark_sample
from metasmith.experiments.scales import Scale
from metasmith.experiments.sheets import Sheet
from metasmith.problems.pbo import EVALUATIONS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "pbo-table"
COLUMNS = {
    "ILS": "ils",
    "SA": "sa",
    "TS": "ts",
    "GA": "ga",
    "RLS": "rls",
    "EA": "ea",
    "fGA": "fga",
    "UMDA": "umda",
    "gHC": "ghc",
}
"""The paper's baselines, then those that people of the field would pick."""

OURS = "designs"
PUBLISHED = {"Alg*": alg_sample, "mark": mark_sample}
"""Of whose runs a mean, a standard deviation and a number are known, on instance 1."""

WORDS = ("better", "equal", "worse")
PLACES = ("instance 1", "permuted instances")


def steps(functions: Sequence[str], scale: Scale) -> int:
    """How often `sheet` says that something is done."""
    return len(functions) * (2 * scale.trials + len(COLUMNS))


def sheet(
    functions: Sequence[str], scale: Scale, out: Path, on_done: Callable[[], None], log: Path | None = None
) -> Sheet:
    """Make the designs that are not there yet, and all runs, and set them side by side.

    on_done: called for each design, then for each algorithm on a function. log: a folder for the logs of all runs.
    """
    designs = made_all(wanted(functions, scale.trials, out, scale.effort), on_done)
    found = list(records(functions, scale, out, Records(out / f"{NAME}.jsonl", log), on_done))
    return shown(found, scale, sum(map(core_seconds, designs)), commits(designs))


def records(
    functions: Sequence[str], scale: Scale, out: Path, kept: Records, on_done: Callable[[], None]
) -> Iterator[Record]:
    """The runs of all algorithms on all test problems."""
    for function in functions:
        algorithms = [(name, known, 0) for name, known in COLUMNS.items()]
        algorithms += [(OURS, str(out / f"{function}-mixture-{trial}"), trial) for trial in range(scale.trials)]
        for name, given, trial in algorithms:
            for problem in find_task(f"pbo:{function}").test:
                yield kept.of(name, given, problem, EVALUATIONS, scale.runs, trial=trial)
            on_done()


@dataclass(frozen=True)
class Row:
    """A function in one place: on instance 1, or on the permuted instances together. values: of all runs, by column."""

    function: str
    place: str
    values: dict[str, list[float]]

    @property
    def ours(self) -> list[float]:
        return self.values[OURS]

    @cached_property
    def others(self) -> dict[str, float]:
        """The means of the other columns; Alg* is known on instance 1 only."""
        means = {name: fmean(self.values[name]) for name in COLUMNS}
        return means | {"Alg*": alg_of(self.function)} if self.place == PLACES[0] else means

    @property
    def best(self) -> str:
        """The best other column; of equals the first."""
        return max(self.others, key=lambda name: self.others[name])

    @property
    def effect(self) -> float | None:
        """How often a run of the designs is better than one of the best other column; None of Alg*, whose runs are not
        published.
        """
        return None if self.best in PUBLISHED else effect(self.ours, self.values[self.best])

    def against(self, name: str) -> tuple[str, float]:
        """Whether the designs are better than a column, and how often chance alone would set them so far apart."""
        if name in PUBLISHED:
            ours, theirs = Sample.of(self.ours), PUBLISHED[name](self.function)
            found = chance(ours, theirs)
            return said(found, better=ours.mean > theirs.mean), found
        return verdict(self.ours, self.values[name], maximise=True), rank_sum(self.ours, self.values[name])

    def cells(self) -> list[str]:
        word, found = self.against(self.best)
        strong = "**" if word == "better" else ""
        ours = f"{strong}{number(fmean(self.ours))} ± {number(stdev(self.ours))}{strong}"
        return [
            f"{self.function} {data()['functions'][self.function]['name']}", *map(number, self.others.values()), ours,
            f"{word} {'to' if word == 'equal' else 'than'} {self.best} ({found:.1g})", "" if self.effect is None else f"{self.effect:.2f}",
        ]  # fmt: skip


def rows(found: Sequence[Record]) -> list[Row]:
    """All rows of instance 1, then all of the permuted instances."""
    made = []
    for place in PLACES:
        for function in dict.fromkeys(function_of(each) for each in found):
            values: dict[str, list[float]] = {}
            for each in found:
                if function_of(each) == function and each.problem.endswith("#1") == (place == PLACES[0]):
                    values.setdefault(each.algorithm, []).extend(each.values)
            made.append(Row(function, place, values))
    return made


def function_of(record: Record) -> str:
    return record.problem.removeprefix("pbo:").split("@")[0]


def shown(found: Sequence[Record], scale: Scale, designing: float, made_with: Iterable[str] = ()) -> Sheet:
    """The table, what it says in words, and all numbers.

    designing: the seconds that it took to make the designs, of one core. made_with: the commits that they were made
    with.
    """
    made = rows(found)
    tables = []
    for place in PLACES:
        alg = ["Alg*"] if place == PLACES[0] else []
        head = ["function", *COLUMNS, *alg, OURS, f"at {SURE:.0%}", "A"]
        tables.append(markdown(head, [row.cells() for row in made if row.place == place]))
    text = f"""\
Means of {scale.runs} runs at d = 625 with {EVALUATIONS:,} evaluations, with {seeds(scale.runs)}; of the designs, which were made
with {seeds(scale.trials)}, mean and standard deviation over all their runs, with {seeds(scale.trials * scale.runs)}.
Alg* is the paper's published mean over its five designs, on instance 1. At {SURE:.0%}: Wilcoxon's rank-sum test, all runs of the designs
against those of the best other column; how often chance alone would do it in brackets. A: how often a run of the designs is better than
one of that column, ties half. Where Alg*, whose runs are not published, is the best other column: Welch's test, and no A. Bold: the
designs are better.

## Instance 1

{tables[0]}

## Permuted instances

{tables[1]}

## Summary

Functions on which the designs are better, equal or worse, at {SURE:.0%}; against Alg* and the mark, of which mean, standard deviation and
number of runs are published, by Welch's test. The mark is the best in the mean of Alg*, RLS, EA, fGA and UMDA, as published.

{markdown(["against", "where", *WORDS, "worse on"], list(summed(made)))}
"""
    seconds = {"designs": designing, "runs": sum(each.seconds for each in found)}
    record = {
        "records": [asdict(each) for each in found],
        "rows": [record_of(row) for row in made],
        "core_seconds": seconds,
    }
    return Sheet(
        NAME, "Designs for the 23 PBO functions (table I)", text, record,
        {NAME: lambda: picture([row for row in made if row.place == PLACES[0]])}, {f"{NAME}-runs.csv": tidy(list(found))},
        spent({f"the {what}": each for what, each in seconds.items()}, designs=made_with, runs=(each.commit for each in found)),
    )  # fmt: skip


def summed(made: Sequence[Row]) -> Iterator[list[str]]:
    """How often better, equal, worse."""
    for place in PLACES:
        here = [row for row in made if row.place == place]
        for other in others(place):
            words = {row.function: row.against(other)[0] for row in here}
            counts = [str(sum(word == each for each in words.values())) for word in WORDS]
            yield [other, place, *counts, ", ".join(function for function, word in words.items() if word == "worse")]


def others(place: str) -> tuple[str, ...]:
    """What the designs are compared with."""
    return (*(PUBLISHED if place == PLACES[0] else ()), *COLUMNS)


def record_of(row: Row) -> dict[str, Any]:
    means = {name: fmean(values) for name, values in row.values.items()}
    against = {name: dict(zip(("said", "chance"), row.against(name), strict=True)) for name in others(row.place)}
    return {
        "function": row.function, "place": row.place, "means": means, "std": stdev(row.ours), "best": row.best, **against[row.best],
        "effect": row.effect, "against": against,
    }  # fmt: skip


def picture(made: Sequence[Row]) -> "Figure":
    """Every function on a line from the worst column to the best; penalties, which are below zero, count as the worst."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 1.2 + 0.27 * len(made)), layout="constrained")
    axes = figure.subplots()
    for line, row in enumerate(made):
        means = {name: fmean(values) for name, values in row.values.items()} | {"Alg*": alg_of(row.function)}
        low, high = min(mean for mean in means.values() if mean >= 0), max(means.values())
        unit = (high - low) or 1.0
        for name, mean in means.items():
            style = {OURS: ("o", "C0", 60, 3), "Alg*": ("D", "C1", 32, 2)}.get(name, ("|", "0.45", 60, 1))
            axes.scatter(
                max(0.0, mean - low) / unit, line, marker=style[0], color=style[1], s=style[2], zorder=style[3]
            )
    axes.set_yticks(
        range(len(made)), [f"{row.function} {data()['functions'][row.function]['name']}" for row in made], fontsize=8
    )
    axes.invert_yaxis()
    axes.set_xticks([0, 1], ["worst column", "best column"])
    axes.grid(axis="y", color="0.92")
    axes.spines[["top", "right", "left"]].set_visible(False)
    for marker, colour, label in (
        ("o", "C0", "our designs"),
        ("D", "C1", "the paper's Alg*"),
        ("|", "0.45", "known algorithms"),
    ):
        axes.scatter([], [], marker=marker, color=colour, label=label)
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    return figure
