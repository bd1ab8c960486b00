"""Kinds of problems that practitioners bring: several designs for each, beside every known algorithm, on instances that
are larger than those they were designed on.

The design is the unit: it counts as the mean of its runs, and so does a known algorithm, as often as there are designs.
On every instance the designs are set beside the known algorithm that is best there, picked in hindsight.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, get_args

from metasmith.analysis.statistics import SIGNIFICANCE, effect, holm, rank_sum, said
from metasmith.api import find_problem, find_task
from metasmith.experiments.shared.contract import ONLY, TRIALS, Experiment, Option, Request, effort_folder
from metasmith.experiments.shared.making import Wanted, commits, core_seconds, made_all
from metasmith.experiments.shared.records import Record, Records, tidy
from metasmith.problems.practice import EVALUATIONS, TRAINING, Half, halves
from metasmith.program import named, names, one_line, works_on
from metasmith.report.made import spent
from metasmith.report.numbers import number, seeds
from metasmith.report.sheet import Part, Sheet
from metasmith.report.tables import Strong, Table, yes_or_no
from metasmith.runs.efforts import DESIGNER
from metasmith.space.spelling import suggestion

NAME = "users"
OURS = "designs"
WORDS = ("better", "equal", "worse")
GOAL = 2 / 3
"""The share of the instances on which designs should be better."""


@dataclass(frozen=True)
class Setting:
    """What is asked. trials: designs of each kind, with seeds from 0 on. runs: of each on every instance."""

    kinds: tuple[str, ...]
    effort: str
    designer: str
    trials: int
    runs: int
    out: Path

    def designs(self, kind: str) -> list[Wanted]:
        return [
            Wanted(
                self.out / f"{kind}-{self.designer}-{seed}",
                f"practice:{kind}",
                EVALUATIONS,
                self.designer,
                seed,
                self.effort,
            )
            for seed in range(self.trials)
        ]


def chosen(half: Half, only: str) -> tuple[str, ...]:
    """The kinds of a half, or those of them that `only` names, such as `traps,knapsack`."""
    if half not in get_args(Half):
        raise ValueError(f"there is no half '{half}'; {suggestion(half, get_args(Half))}")
    kinds = halves(half)
    wanted = [word.strip().lower() for word in only.split(",") if word.strip()]
    if only and not wanted:
        raise ValueError(f"name kinds such as {','.join(kinds[:2])}, got '{only}'")
    for word in wanted:
        if word not in kinds:
            raise ValueError(f"the {half} half has no kind '{word}'; {suggestion(word, kinds)}")
    return tuple(kind for kind in kinds if kind in wanted or not wanted)


def known(kind: str) -> list[str]:
    """Every algorithm of the library that works on the variables, but for random search."""
    representation = find_task(f"practice:{kind}").representation
    return [name for name in names() if name != "random" and works_on(named(name), representation)]


def steps(setting: Setting) -> int:
    """How often `sheet` says that something is done."""
    return sum(2 * setting.trials + len(known(kind)) for kind in setting.kinds)


def sheet(setting: Setting, on_done: Callable[[], None]) -> Sheet:
    """Make the designs that are not there yet, do the runs that were not done yet, and set them side by side."""
    setting.out.mkdir(parents=True, exist_ok=True)
    designs = made_all([each for kind in setting.kinds for each in setting.designs(kind)], on_done)
    kept = Records(setting.out / f"{NAME}.jsonl")
    runs = [record for kind in setting.kinds for record in records(kind, setting, kept, on_done)]
    return shown(setting, runs, designs)


def records(kind: str, setting: Setting, kept: Records, on_done: Callable[[], None]) -> Iterator[Record]:
    """The runs of all known algorithms and of all designs on the test problems of a kind."""
    test = find_task(f"practice:{kind}").test
    for name in known(kind):
        for problem in test:
            for trial in range(setting.trials):
                yield kept.of(name, name, problem, EVALUATIONS, setting.runs, trial=trial)
        on_done()
    for trial, wanted in enumerate(setting.designs(kind)):
        for problem in test:
            yield kept.of(OURS, str(wanted.run), problem, EVALUATIONS, setting.runs, trial=trial)
        on_done()


@dataclass(frozen=True)
class Row:
    """An instance. designs: the mean of the runs of each. known: the same of the known algorithms, by name."""

    problem: str
    designs: list[float]
    known: dict[str, list[float]]

    @property
    def kind(self) -> str:
        return self.problem.removeprefix("practice:").split("@")[0]

    @property
    def maximise(self) -> bool:
        return find_problem(self.problem).maximise

    @cached_property
    def best(self) -> str:
        """The known algorithm with the best mean, picked in hindsight; of equals the first."""
        sign = 1 if self.maximise else -1
        return max(self.known, key=lambda name: sign * fmean(self.known[name]))

    @property
    def rival(self) -> list[float]:
        return self.known[self.best]

    @property
    def gain(self) -> float:
        """By how much the mean of the designs is better than the rival's."""
        return (fmean(self.designs) - fmean(self.rival)) * (1 if self.maximise else -1)

    @cached_property
    def effect(self) -> float:
        """How often a design is better than the rival, ties half."""
        larger = effect(self.designs, self.rival)
        return larger if self.maximise else 1 - larger

    @cached_property
    def p_value(self) -> float:
        return rank_sum(self.designs, self.rival)

    def record(self, corrected: float) -> dict[str, Any]:
        """For machines."""
        return {
            **asdict(self), "kind": self.kind, "best": self.best, "gain": self.gain, "effect": self.effect,
            "p_value": self.p_value, "corrected": corrected, "verdict": verdict(self, corrected),
        }  # fmt: skip


def rows(runs: Sequence[Record]) -> list[Row]:
    """An instance each, in the order of the runs."""
    means: dict[str, dict[str, list[float]]] = {}
    for each in runs:
        means.setdefault(each.problem, {}).setdefault(each.algorithm, []).append(fmean(each.values))
    return [Row(problem, of.pop(OURS), of) for problem, of in means.items()]


def verdict(row: Row, corrected: float) -> str:
    """What the designs are on an instance, beside the best known algorithm there."""
    return said(corrected, better=row.effect > 0.5)


def shown(setting: Setting, runs: Sequence[Record], designs: Sequence[dict[str, Any]]) -> Sheet:
    """The tables, and what they say in words. designs: their records, kind by kind."""
    made = rows(runs)
    judged = list(zip(made, holm([row.p_value for row in made]), strict=True))
    intro = f"""\
Designs of effort {setting.effort} for {len(setting.kinds)} kinds of problems, made with {seeds(setting.trials)} on
instances of {min(TRAINING)} to {max(TRAINING)} variables; then on larger instances, with {EVALUATIONS:,} evaluations,
beside the best known algorithm, picked in hindsight on each instance. A design counts as the mean of {setting.runs}
runs, a known algorithm as {setting.trials} such means, all with seeds of their own. At {SIGNIFICANCE:.0%}: Wilcoxon's
rank-sum test of these means, the p-value corrected for {len(made)} instances (Holm); before correction in brackets. A:
how often a design is better, ties half. *: with constraints; solutions that violate them are worse than all others."""
    programs = [design["program"] for design in designs]
    by_kind = {
        kind: programs[first : first + setting.trials]
        for kind, first in zip(setting.kinds, range(0, len(programs), setting.trials), strict=True)
    }
    lines = [f"- {kind}: `{one_line(program)}`" for kind, of in by_kind.items() for program in of]
    parts: list[Part] = [
        intro, table(judged), "## Summary", summary(judged), goals(judged), "## What was designed", "\n".join(lines),
    ]  # fmt: skip
    seconds = {"designs": sum(map(core_seconds, designs)), "runs": sum(each.seconds for each in runs)}
    record = {
        "rows": [row.record(corrected) for row, corrected in judged], "programs": by_kind, "core_seconds": seconds,
    }  # fmt: skip
    costs = {f"the {what}": each for what, each in seconds.items()}
    return Sheet(
        NAME, "Users' kinds of problems", parts, record,
        spent(costs, designs=commits(designs), runs=(each.commit for each in runs)),
        {f"{NAME}-runs.csv": tidy(list(runs))},
    )  # fmt: skip


Judged = Sequence[tuple[Row, float]]
"""Instances, each with its corrected p-value."""


def table(judged: Judged) -> Table:
    """An instance a row."""
    lines = []
    for row, corrected in judged:
        word = verdict(row, corrected)
        cell = f"{word}, {corrected:.2g} ({row.p_value:.1g})"
        ours = f"{number(fmean(row.designs))} ± {number(stdev(row.designs))}"
        theirs = f"{number(fmean(row.rival))} ± {number(stdev(row.rival))}"
        problem = find_problem(row.problem)
        lines.append([
            row.problem.removeprefix("practice:"), f"{problem.variables}{'' if problem.violation is None else ' *'}",
            problem.direction, ours, theirs, row.best, f"{row.effect:.2f}",
            cell if word == "equal" else Strong(cell),
        ])  # fmt: skip
    head = ["instance", "variables", "", OURS, "best known", "which", "A", f"at {SIGNIFICANCE:.0%}"]
    return Table(head, lines, "Instances")


def summary(judged: Judged) -> Table:
    """How often better, equal, worse: a kind a row, then all."""
    kinds = list(dict.fromkeys(row.kind for row, _ in judged))
    lines = []
    for kind in (*kinds, "all"):
        here = [each for each in judged if kind in (each[0].kind, "all")]
        ahead = sum(row.gain > 0 for row, _ in here)
        lines.append([kind, *(str(count(here, word)) for word in WORDS), f"{ahead} of {len(here)}"])
    return Table(["kind", *WORDS, "better in the mean"], lines, "Summary")


def count(judged: Judged, word: str) -> int:
    return sum(verdict(row, corrected) == word for row, corrected in judged)


def goals(judged: Judged) -> str:
    """Whether designs are never worse, and better often enough."""
    better, worse, ahead = count(judged, "better"), count(judged, "worse"), sum(row.gain > 0 for row, _ in judged)
    share = f"{better} of {len(judged)} instances, two thirds or more: {yes_or_no(better >= GOAL * len(judged))}"
    return f"""\
- Never significantly worse than the best known algorithm: {yes_or_no(worse == 0)}.
- Significantly better on {share}; better in the mean on {ahead}."""


def asked(request: Request) -> Setting:
    """What a request is about."""
    options = request.options
    for name, least in (("trials", 2), ("runs", 1)):  # one design says nothing about the next
        if options[name] < least:
            raise ValueError(f"expected at least {least}, got --{name} {options[name]}")
    return Setting(
        chosen(options["half"], options["only"]), options["effort"], options["designer"], options["trials"],
        options["runs"], request.folder,
    )  # fmt: skip


EXPERIMENT = Experiment(
    name=NAME,
    help="Designs for kinds of problems that practitioners bring, beside the best known algorithm of each instance.",
    order=14,
    options=(
        Option("half", str, "reported", "Which kinds: reported, or tuning, by which settings of designers are chosen."),
        ONLY.but(help="Only these kinds of the half, such as traps,knapsack."),
        TRIALS.but(type=int, default=8, help="Designs of each kind, with seeds from 0 on."),
        Option("runs", int, 5, "Runs of each design on each instance."),
        Option("effort", str, "quick", "Of each design: quick, default or thorough."),
        Option("designer", str, DESIGNER, "Who designs, as in `metasmith design`."),
    ),
    folder=lambda request: effort_folder(f"{NAME}-{request.options['half']}", request.options["effort"]),
    steps=lambda request: ("designs and algorithms", steps(asked(request))),
    sheet=lambda request, tick: sheet(asked(request), tick),
)
