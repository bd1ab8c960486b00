"""The paper's table I: designs for the 23 PBO functions beside its baselines, its own designs, and what else people
would pick.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from metasmith.analysis.statistics import SIGNIFICANCE, Sample, effect, holm, said, welch
from metasmith.api import find_task
from metasmith.experiments.shared.contract import LOG, ONLY, SCALE, TRIALS, Experiment, by_effort
from metasmith.experiments.shared.making import commits, core_seconds, made_all, wanted
from metasmith.experiments.shared.published import alg_of, alg_sample, mark_sample, titled
from metasmith.experiments.shared.records import Record, Records, tidy
from metasmith.experiments.shared.scales import Scale
from metasmith.experiments.shared.tuned import tuned
from metasmith.problems.pbo import EVALUATIONS
from metasmith.report.charts import DESIGN, OTHER, dots
from metasmith.report.made import spent
from metasmith.report.numbers import decimals, seeds
from metasmith.report.sheet import Part, Picture, Sheet
from metasmith.report.tables import Strong, Table
from metasmith.runs.efforts import DESIGNER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "pbo-table"
TUNED = "GA-irace"
"""The genetic algorithm with the settings that irace found for the function."""

COLUMNS = {
    "ILS": "ils", "SA": "sa", "TS": "ts", "GA": "ga", **({TUNED: "ga"} if tuned() else {}),
    "RLS": "rls", "EA": "ea", "fGA": "fga", "UMDA": "umda", "gHC": "ghc",
}  # fmt: skip
"""The paper's baselines, then those that people of the field would pick."""

OURS = "designs"
PUBLISHED = {"Alg*": alg_sample, "mark": mark_sample}
"""Of whose runs the mean, the standard deviation and the number are published, on instance 1."""

WORDS = ("better", "equal", "worse")
FIRST, PERMUTED = "instance 1", "permuted instances"
"""The instances that are set side by side: the first alone, and the permuted ones together."""


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
    runs = list(records(functions, scale, out, Records(out / f"{NAME}.jsonl", log), on_done))
    return shown(runs, scale, sum(map(core_seconds, designs)), commits(designs))


def records(
    functions: Sequence[str], scale: Scale, out: Path, kept: Records, on_done: Callable[[], None]
) -> Iterator[Record]:
    """The runs of all algorithms on all test problems."""
    for function in functions:
        algorithms = [(name, tuned()[function] if name == TUNED else known, 0) for name, known in COLUMNS.items()]
        algorithms += [(OURS, str(out / f"{function}-{DESIGNER}-{trial}"), trial) for trial in range(scale.trials)]
        for name, program, trial in algorithms:
            for problem in find_task(f"pbo:{function}").test:
                yield kept.of(name, program, problem, EVALUATIONS, scale.runs, trial=trial)
            on_done()


class Comparison(NamedTuple):
    """Whether designs are better than another column, by the p-value that is corrected for the number of functions."""

    verdict: str
    p_value: float
    corrected: float


@dataclass(frozen=True)
class Row:
    """A function on some instances, FIRST or PERMUTED. values: of all runs, by column. designs: of each design's."""

    function: str
    instances: str
    values: dict[str, list[float]]
    designs: list[list[float]]

    @property
    def ours(self) -> list[float]:
        return self.values[OURS]

    @cached_property
    def others(self) -> dict[str, float]:
        """The means of the other columns; Alg* is published for instance 1 only."""
        means = {name: fmean(self.values[name]) for name in COLUMNS}
        return means | {"Alg*": alg_of(self.function)} if self.instances == FIRST else means

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

    @cached_property
    def sample(self) -> Sample:
        """As many samples as there are designs."""
        return Sample.of_designs(self.designs)

    def theirs(self, name: str) -> Sample:
        """The runs of another column."""
        return PUBLISHED[name](self.function) if name in PUBLISHED else Sample.of(self.values[name])

    def cells(self, test: Comparison) -> list[str]:
        """test: that against the best other column."""
        ours = f"{decimals(self.sample.mean)} ± {decimals(self.sample.std)}"
        return [
            titled(self.function), *map(decimals, self.others.values()),
            Strong(ours) if test.verdict == "better" else ours,
            f"{test.verdict} {'to' if test.verdict == 'equal' else 'than'} {self.best} ({test.corrected:.1g})",
            "" if self.effect is None else f"{self.effect:.2f}",
        ]  # fmt: skip


class Judged(NamedTuple):
    """A function, with the tests of its designs against the best other column, and against each."""

    row: Row
    best: Comparison
    against: dict[str, Comparison]


def judged(made: Sequence[Row]) -> list[Judged]:
    """Functions on the same instances, tested together."""
    best = compared(made, [row.best for row in made])
    against = {name: compared(made, [name] * len(made)) for name in others(made[0].instances)}
    return [
        Judged(row, best[number], {name: each[number] for name, each in against.items()})
        for number, row in enumerate(made)
    ]


def compared(made: Sequence[Row], columns: Sequence[str]) -> list[Comparison]:
    """Welch's test of each function's designs against a column."""
    pairs = [(row.sample, row.theirs(name)) for row, name in zip(made, columns, strict=True)]
    p_values = [welch(*pair) for pair in pairs]
    return [
        Comparison(said(corrected, better=ours.mean > theirs.mean), p_value, corrected)
        for (ours, theirs), p_value, corrected in zip(pairs, p_values, holm(p_values), strict=True)
    ]


def rows(runs: Sequence[Record]) -> list[Row]:
    """All rows of instance 1, then all of the permuted instances."""
    made = []
    for instances in (FIRST, PERMUTED):
        for function in dict.fromkeys(function_of(each) for each in runs):
            values: dict[str, list[float]] = {}
            designs: dict[int, list[float]] = {}
            for each in runs:
                if function_of(each) == function and each.problem.endswith("#1") == (instances == FIRST):
                    values.setdefault(each.algorithm, []).extend(each.values)
                    if each.algorithm == OURS:
                        designs.setdefault(each.trial, []).extend(each.values)
            made.append(Row(function, instances, values, list(designs.values())))
    return made


def function_of(record: Record) -> str:
    return record.problem.removeprefix("pbo:").split("@")[0]


def shown(runs: Sequence[Record], scale: Scale, designing: float, made_with: Iterable[str] = ()) -> Sheet:
    """The table, what it says in words, and all numbers.

    designing: the seconds that it took to make the designs, of one core. made_with: the commits that they were made
    with.
    """
    made = rows(runs)
    first, permuted = (judged([row for row in made if row.instances == where]) for where in (FIRST, PERMUTED))
    several = scale.trials > 1
    spread = "mean and standard deviation of their means" if several else "mean and standard deviation of its runs"
    unit = f"the means of the {scale.trials} designs, each one sample," if several else "the runs of the one design"
    about = "designs for a function" if several else "this one design for a function, not about others"
    intro = f"""\
Means of {scale.runs} runs at d = 625 with {EVALUATIONS:,} evaluations, with {seeds(scale.runs)}; of the designs, which
were made with {seeds(scale.trials)}, {spread}, over runs with {seeds(scale.trials * scale.runs)}.
Alg* is the paper's published mean over its five designs, on instance 1. At {SIGNIFICANCE:.0%}: Welch's test, {unit}
against the runs of the best other column, a fixed algorithm; the p-value in brackets, corrected for the number of
functions, {len(first)}, by Holm's method. So it is about {about}. Equal: not told apart. A: how often a run of the
designs is better than one of that column, ties half; it describes runs and tests nothing, and there is none for Alg*,
whose runs are not published. Bold: the designs are better."""
    summary = f"""\
## Summary

Functions on which the designs are better, equal or worse, at {SIGNIFICANCE:.0%}, by the same test, corrected for the
functions of a line. Of Alg* and the mark mean, standard deviation and number of runs are published: how much the
paper's five designs differ among themselves is not. The mark is the best in the mean of Alg*, RLS, EA, fGA and UMDA, as
published."""
    counts = [*summed(first), *summed(permuted)]
    parts: list[Part] = [
        Picture(NAME, lambda: picture([each.row for each in first])), intro,
        "## Instance 1", table(first, "Instance 1"), "## Permuted instances", table(permuted, "Permuted instances"),
        summary, Table(["against", "where", *WORDS, "worse on"], counts, "Summary"),
    ]  # fmt: skip
    seconds = {"designs": designing, "runs": sum(each.seconds for each in runs)}
    record = {
        "records": [asdict(each) for each in runs],
        "rows": [record_of(each) for each in (*first, *permuted)],
        "core_seconds": seconds,
    }
    costs = {f"the {what}": each for what, each in seconds.items()}
    return Sheet(
        NAME, "Designs for the 23 PBO functions (table I)", parts, record,
        spent(costs, designs=made_with, runs=(each.commit for each in runs)), {f"{NAME}-runs.csv": tidy(list(runs))},
    )  # fmt: skip


def table(functions: Sequence[Judged], title: str) -> Table:
    """A function a row, an algorithm a column, and the test against the best of them."""
    head = ["function", *functions[0].row.others, OURS, f"at {SIGNIFICANCE:.0%}", "A"]
    return Table(head, [each.row.cells(each.best) for each in functions], title)


def summed(functions: Sequence[Judged]) -> Iterator[list[str]]:
    """How often better, equal, worse, on the same instances."""
    instances = functions[0].row.instances
    for other in others(instances):
        words = {each.row.function: each.against[other].verdict for each in functions}
        counts = [str(sum(word == each for each in words.values())) for word in WORDS]
        worse = ", ".join(function for function, word in words.items() if word == "worse")
        yield [other, instances, *counts, worse]


def others(instances: str) -> tuple[str, ...]:
    """What the designs are compared with."""
    return (*(PUBLISHED if instances == FIRST else ()), *COLUMNS)


def record_of(each: Judged) -> dict[str, Any]:
    """For machines."""
    row, against = each.row, {name: test._asdict() for name, test in each.against.items()}
    means = {name: fmean(values) for name, values in row.values.items()}
    return {
        "function": row.function, "instances": row.instances, "means": means, "std": row.sample.std, "best": row.best,
        **each.best._asdict(), "effect": row.effect, "against": against,
    }  # fmt: skip


def picture(made: Sequence[Row]) -> "Figure":
    """Every function on a line from the worst column to the best; penalties, below zero, count as the worst."""
    shares = {}
    for row in made:
        means = {name: fmean(values) for name, values in row.values.items()} | {"Alg*": alg_of(row.function)}
        low, high = min(mean for mean in means.values() if mean >= 0), max(means.values())
        shares[titled(row.function)] = {
            name: max(0.0, mean - low) / ((high - low) or 1.0) for name, mean in means.items()
        }
    named = {DESIGN: "our designs", "first": "the paper's Alg*", OTHER: "known algorithms"}
    return dots(shares, {OURS: DESIGN, "Alg*": "first"}, named)


EXPERIMENT = Experiment(
    name=NAME,
    help="Designs for the 23 PBO functions beside the paper's and known algorithms (table I).",
    order=1,
    options=(SCALE, TRIALS, ONLY, LOG),
    folder=by_effort("designs"),
    steps=lambda request: ("designs and algorithms", steps(request.functions, request.scale)),
    sheet=lambda request, tick: sheet(request.functions, request.scale, request.folder, tick, request.log),
)
