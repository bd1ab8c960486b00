"""Is the default designer better than its rivals, at the same evaluations? The design is the unit.

What is compared, how it is judged and how it is tested stands here, and is written to `declared.json` before the first
run; a folder for which something else was declared is refused. Options choose a part of it, and nothing beyond. Every
design is a run's folder, and all runs are kept: whoever was killed is gone on with, to the same numbers.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from metasmith.analysis.pairs import Qualities, Rivalry, rivalries
from metasmith.analysis.statistics import SIGNIFICANCE, signs
from metasmith.experiments.shared.contract import ONLY, Experiment, Option, Request, Tick
from metasmith.experiments.shared.making import Wanted, commits, core_seconds, made_all
from metasmith.experiments.shared.published import titled
from metasmith.experiments.shared.records import Records
from metasmith.files import replace
from metasmith.problems import problem
from metasmith.problems.pbo import DIMENSION, EVALUATIONS
from metasmith.provenance import circumstances
from metasmith.report.charts import DESIGN, LOOKS, OTHER, Curve, Panel, curves
from metasmith.report.made import spent
from metasmith.report.numbers import MINUS, decimals
from metasmith.report.sheet import Part, Picture, Sheet
from metasmith.report.tables import Strong, Table
from metasmith.runs.efforts import DESIGNER
from metasmith.space.spelling import suggestion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "designers"
FILE = "declared.json"
FUNCTIONS = ("F7", "F14", "F16", "F17", "F18", "F19", "F22", "F23")
SEEDS = 8
MILLION = 1_000_000
DEFAULT = DESIGNER
WITHOUT = "without_network"
"""The default without its network."""

RIVALS: Mapping[int, tuple[str, ...]] = {
    2: (WITHOUT, "random", "evolution", "ppo", "local_search", "irace", "smac", "pick"),
    16: (WITHOUT, "random", "evolution", "ppo", "local_search", "irace", "smac", "pick"),
    95: (WITHOUT, "random", "evolution"),
}
"""The rivals of the default, by millions of evaluations that a design may spend."""

PARTS: Mapping[tuple[int, str], tuple[str, ...]] = {(16, "smac"): ("F7", "F14", "F22", "F23")}
"""Where a rival designs for some of the functions only: SMAC's model takes longer than the runs."""

INSTANCES = (1, 51, 52, 73, 74)
"""On which designs are judged, at dimension 625: the test instances, and two that no training or choice has used."""

RUNS = 6
"""Of a design on an instance, with seeds of its own; designs with the same seed have the same."""

UNITS: Mapping[str, tuple[float, float]] = {
    "F7": (503.4, 570.2), "F14": (23.0, 67.1), "F16": (304.9, 352.6), "F17": (65.2, 119.0), "F18": (4.06, 4.48),
    "F19": (608.7, 614.9), "F22": (274.4, 300.9), "F23": (22.93, 23.97),
}  # fmt: skip
"""What has the quality 0, the best mean of nine known algorithms, and 1, the best of five designs of version 0.1: 30
runs of each on the instances 1, 51 and 52, measured before anything was compared.
"""

TEST = "Wilcoxon's signed-rank test over pairs of designs, two-sided, corrected by Holm's method for all rivals"


def declaration() -> dict[str, Any]:
    """All that is fixed before the first run, as JSON has it."""
    return json.loads(json.dumps({
        "functions": FUNCTIONS, "seeds": list(range(SEEDS)), "default": DEFAULT, "rivals": RIVALS,
        "parts": [[*where, functions] for where, functions in PARTS.items()], "instances": INSTANCES, "runs": RUNS,
        "dimension": DIMENSION, "evaluations": EVALUATIONS, "units": UNITS, "test": TEST, "significance": SIGNIFICANCE,
    }))  # fmt: skip


def declare(folder: Path) -> dict[str, Any]:
    """What was declared in a folder, when, and with which commit; written now if nothing was. Raises ValueError if it
    is not what stands here.
    """
    file = folder / FILE
    if not file.is_file():
        facts = circumstances()
        text = json.dumps({"declared": declaration(), "day": facts["day"], "commit": facts["commit"]}, indent=1)
        folder.mkdir(parents=True, exist_ok=True)
        replace(file, text.encode())
    kept: dict[str, Any] = json.loads(file.read_bytes())
    other = [name for name, value in declaration().items() if kept["declared"].get(name) != value]
    if other:
        raise ValueError(f"'{file}' declares another comparison ({', '.join(other)}); choose another folder with --out")
    return kept


@dataclass(frozen=True)
class Asked:
    """The part of what is declared that is asked for. absent: rivals that cannot work here, each with why."""

    functions: tuple[str, ...]
    seeds: int
    budgets: tuple[int, ...]
    rivals: tuple[str, ...]
    absent: Mapping[str, str]

    @classmethod
    def of(cls, request: Request) -> Self:
        options, names = request.options, list(dict.fromkeys(name for rivals in RIVALS.values() for name in rivals))
        functions = chosen("function", ",".join(request.functions), FUNCTIONS)
        budgets = [int(each) for each in chosen("budget", options["budgets"], list(map(str, RIVALS)))]
        rivals = chosen("designer", options["designers"], [DEFAULT, *names])
        if not 1 <= options["seeds"] <= SEEDS:
            raise ValueError(f"the seeds 0 to {SEEDS - 1} are declared; expected --seeds 1 to {SEEDS}")
        absent = {name: why for name in rivals if name != DEFAULT and (why := missing(name))}
        there = tuple(name for name in rivals if name not in (DEFAULT, *absent))
        return cls(tuple(functions), options["seeds"], tuple(budgets), there, absent)

    def designs(self, out: Path) -> list[Wanted]:
        """Every design, cheap ones first, and those of a pair together."""
        return [
            Wanted(
                out / f"{budget}M" / f"{function}-{name}-{seed}", f"pbo:{function}", EVALUATIONS, name, seed, "default",
                budget * MILLION,
            )
            for budget in self.budgets
            for seed in range(self.seeds)
            for function in self.functions
            for name in (DEFAULT, *self.rivals_at(budget))
            if function in PARTS.get((budget, name), FUNCTIONS)
        ]  # fmt: skip

    def rivals_at(self, budget: int) -> list[str]:
        return [name for name in RIVALS[budget] if name in self.rivals]

    @property
    def said(self) -> str:
        """Which part of what is declared this is; nothing if it is all."""
        whole = [*dict.fromkeys(name for budget in self.budgets for name in RIVALS[budget])]
        parts = {
            "functions": (self.functions, FUNCTIONS), "seeds": (range(self.seeds), range(SEEDS)),
            "budgets": (self.budgets, tuple(RIVALS)), "rivals": ((*self.rivals, *self.absent), whole),
        }  # fmt: skip
        lacking = [
            f"{len(some)} of {len(every)} {what} ({', '.join(map(str, some))})"
            for what, (some, every) in parts.items()
            if set(some) < set(every)
        ]
        absent = "; ".join(f"{name} ({why})" for name, why in self.absent.items())
        sentences = [f"This is a part of what was declared: {'; '.join(lacking)}."] if lacking else []
        return " ".join([*sentences, *([f"Left out, because they cannot work here: {absent}."] if absent else [])])


def chosen(what: str, words: str, declared: Sequence[str]) -> list[str]:
    """The declared members that a list such as `F7,F14` names, in their order; all if it is empty."""
    wanted = [word.strip() for word in words.split(",") if word.strip()]
    if words and not wanted:
        raise ValueError(f"name {what}s such as {','.join(declared[:2])}, got '{words}'")
    for word in wanted:
        if word not in declared:
            raise ValueError(f"no {what} '{word}' was declared; {suggestion(word, declared)}")
    return [each for each in declared if each in wanted or not wanted]


def missing(name: str) -> str:
    """Why a designer cannot work here; nothing if it can."""
    from metasmith.designers import designers

    if name not in designers():
        return "there is no such designer"
    try:
        designers()[name].check()
    except ValueError as error:
        return str(error)
    return ""


@dataclass(frozen=True)
class Judged:
    """A design and what it reaches. budget: in millions of evaluations. source: who proposed it. values: of all runs,
    on the original scale, by problem.
    """

    function: str
    designer: str
    budget: int
    seed: int
    program: str
    source: str
    score: float
    evaluations: int
    seconds: float
    values: dict[str, list[float]]

    @property
    def mean(self) -> float:
        return fmean(value for values in self.values.values() for value in values)

    @property
    def quality(self) -> float:
        """The mean in the unit of the function."""
        known, best = UNITS[self.function]
        return (self.mean - known) / (best - known)

    def record(self) -> dict[str, Any]:
        """For machines."""
        return {**vars(self), "mean": self.mean, "quality": self.quality}


def judged(wanted: Wanted, design: dict[str, Any], records: Records) -> Judged:
    """Run a design on all instances, as far as that is not done."""
    assert wanted.spend is not None
    function = wanted.task.removeprefix("pbo:")
    values = {}
    for instance in INSTANCES:
        test = problem(f"{wanted.task}@{DIMENSION}#{instance}")
        values[test.name] = records.of(
            wanted.designer, design["program"], test, EVALUATIONS, RUNS, trial=wanted.seed
        ).values
    return Judged(
        function, wanted.designer, wanted.spend // MILLION, wanted.seed, design["program"],
        design["descent"][0]["source"], design["score"], design["ledger"]["evaluations"], core_seconds(design), values,
    )  # fmt: skip


def compare(asked: Asked, out: Path, tick: Callable[[], None]) -> Sheet:
    """Declare, design, judge and test."""
    declared = declare(out)
    todo = asked.designs(out)
    designs = made_all(todo, tick)
    records, results = Records(out / f"{NAME}.jsonl"), []
    for wanted, design in zip(todo, designs, strict=True):
        results.append(judged(wanted, design, records))
        tick()
    cost = spent({"the designs": sum(map(core_seconds, designs))}, designs=commits(designs))
    return sheet(results, asked, declared, cost)


def sheet(results: Sequence[Judged], asked: Asked, declared: Mapping[str, Any], cost: str = "") -> Sheet:
    """The tests at every budget, the means, who proposed the winners, and what was spent."""
    tests = {budget: compared([each for each in results if each.budget == budget]) for budget in asked.budgets}
    instances = ", ".join(map(str, INSTANCES[:-1]))
    text = f"""\
{asked.said}

Every designer made designs for the same functions with the same seeds, and spent the same evaluations: one ledger, one
space, the same training problems, references and final race. Functions, seeds, budgets, rivals, instances and tests
were declared on {declared["day"]}, with the commit {declared["commit"]}, before the first run (`{FILE}`).

A design is judged by the mean of {len(INSTANCES) * RUNS} runs at d = {DIMENSION} with {EVALUATIONS:,} evaluations,
{RUNS} on each of the instances {instances} and {INSTANCES[-1]}, the last two of which no training and no choice has
used. Its quality is that mean in a unit of the function: 0 is the best of nine known algorithms, 1 the best of five
designs of version 0.1, numbers that were fixed before.

The design is the unit: a pair are two designs for the same function with the same seed. Wins are pairs in which the
design of `{DEFAULT}` is the better one. Difference: the median over pairs of its quality less the rival's, with a 95 %
confidence interval by a bootstrap over functions and their seeds. r: the matched-pairs rank-biserial correlation, from
{MINUS}1 to 1. p: of the sign test; of Wilcoxon's signed-rank test; and the latter corrected by Holm's method for all
rivals that were declared at the budget, which decides at {SIGNIFICANCE:.0%}. The tests are about these functions; the
interval also says how much functions differ. Not told apart does not mean equal."""
    parts: list[Part] = [Picture(NAME, partial(picture, results)), text.strip()]
    for budget, rivals in tests.items():
        here = [each for each in results if each.budget == budget]
        parts += [
            f"## {budget} million evaluations", *tested(budget, rivals), "Means over the designs, the best in bold:",
            means(budget, here),
        ]  # fmt: skip
    who = "Of the designs: which source proposed them, the share of the budget that they spent, and the time."
    parts += [f"## Who proposed the winners, and what they cost\n\n{who}", origins(results)]
    record = {
        **declared, "absent": dict(asked.absent), "designs": [each.record() for each in results],
        "rivalries": [{"budget": budget, **each.record()} for budget, rivals in tests.items() for each in rivals],
    }  # fmt: skip
    return Sheet(NAME, "Designers", parts, record, cost)


def compared(results: Sequence[Judged]) -> list[Rivalry]:
    """The default beside each rival, at one budget."""
    qualities: dict[str, dict[tuple[str, int], float]] = {}
    for each in results:
        qualities.setdefault(each.designer, {})[each.function, each.seed] = each.quality
    ours: Qualities = qualities.pop(DEFAULT)
    there = {name: theirs for name, theirs in qualities.items() if theirs.keys() & ours.keys()}
    return rivalries(ours, there, declared=len(RIVALS[results[0].budget]))


def tested(budget: int, rivals: Sequence[Rivalry]) -> list[Part]:
    """The tests as a table, and in words."""
    if not rivals:
        return ["No rival is there."]
    rows, said = [], dict[str, list[str]]()
    for each in rivals:
        record = each.record()
        difference = f"{_signed(record['median'])} ({_signed(record['low'])} to {_signed(record['high'])})"
        verdict = Strong(each.verdict) if each.verdict in ("better", "worse") else each.verdict
        rows.append([
            each.rival, str(record["pairs"]), f"{record['wins']}:{record['ties']}:{record['losses']}", difference,
            _signed(record["rank_biserial"]),
            *(f"{record[name]:.2g}" for name in ("sign_p_value", "p_value", "corrected")), verdict,
        ])  # fmt: skip
        said.setdefault(each.verdict, []).append(each.rival)
    links = {"better": "better than", "worse": "worse than", "not told apart": "not told apart from"}
    words = "; ".join(f"{links[word]} {', '.join(names)}" for word, names in said.items())
    head = [
        "rival", "pairs", "wins:ties:losses", "difference", "r", "sign p", "p", "p corrected", f"{DEFAULT} is",
    ]  # fmt: skip
    return [
        Table(head, rows, f"At {budget} million"), f"At {budget} million evaluations `{DEFAULT}` is {words}.",
        "Wins, ties and losses by function:", by_function(budget, rivals),
    ]  # fmt: skip


def by_function(budget: int, rivals: Sequence[Rivalry]) -> Table:
    """A function a row, a rival a column."""
    functions = dict.fromkeys(function for each in rivals for function in each.differences)
    rows = [
        [
            titled(function),
            *(
                ":".join(map(str, signs(by[function]))) if function in (by := each.differences) else ""
                for each in rivals
            ),
        ]
        for function in functions
    ]
    return Table(["function", *(each.rival for each in rivals)], rows, f"By function at {budget} million")


def means(budget: int, results: Sequence[Judged]) -> Table:
    """A function a row, a designer a column; what has the quality 0 and 1 beside them."""
    names = list(dict.fromkeys(each.designer for each in results))
    rows = []
    for function in dict.fromkeys(each.function for each in results):
        cells = {
            name: fmean(mine)
            for name in names
            if (mine := [each.mean for each in results if (each.function, each.designer) == (function, name)])
        }
        best = max(cells.values())
        shown = [
            "" if name not in cells else Strong(decimals(cells[name])) if cells[name] == best else decimals(cells[name])
            for name in names
        ]
        rows.append([titled(function), *map(decimals, UNITS[function]), *shown])
    middle = [f"{median(each.quality for each in results if each.designer == name):.2f}" for name in names]
    rows.append(["median quality", "0", "1", *middle])
    return Table(["function", "known", "version 0.1", *names], rows, f"Means at {budget} million")


def origins(results: Sequence[Judged]) -> Table:
    """Who proposed the designs that won the final races, and what these spent."""
    rows = []
    for budget, name in dict.fromkeys((each.budget, each.designer) for each in results):
        mine = [each for each in results if (each.budget, each.designer) == (budget, name)]
        sources = Counter(each.source for each in mine).most_common()
        shares = [each.evaluations / (budget * MILLION) for each in mine]
        rows.append([
            name, str(budget), str(len(mine)), ", ".join(f"{source} {count}" for source, count in sources),
            f"{min(shares):.1%} to {max(shares):.1%}", f"{fmean(each.seconds for each in mine):.0f}",
        ])  # fmt: skip
    head = ["designer", "million evaluations", "designs", "proposed by", "spent", "core-seconds each"]
    return Table(head, rows, "Who proposed the winners")


def picture(results: Sequence[Judged]) -> "Figure":
    """Quality against evaluations spent: over all designs, then function by function; medians, as a penalty would hide
    all else.
    """
    names = sorted(dict.fromkeys(each.designer for each in results), key=lambda name: name != DEFAULT)
    looks = dict(zip(names, (DESIGN, *LOOKS, *[OTHER] * len(names)), strict=False))
    functions = list(dict.fromkeys(each.function for each in results))
    budgets = sorted({each.budget for each in results})
    across: dict[str, Any] = {
        "log": True, "xs": (budgets[0] * MILLION / 1.5, budgets[-1] * MILLION * 1.5),
        "ticks": [budget * MILLION for budget in budgets],
    }  # fmt: skip
    panels = []
    for function in (None, *functions):
        drawn = []
        for name, look in looks.items():
            mine = [each for each in results if each.designer == name and function in (None, each.function)]
            by_budget = {budget: [each for each in mine if each.budget == budget] for budget in budgets}
            # of all functions, or of none: means over some of them cannot be set beside others
            whole = len(functions) if function is None else 1
            there = [at for at, some in by_budget.items() if len({each.function for each in some}) == whole]
            if there:
                drawn.append(curve(name, look, {at: by_budget[at] for at in there}, overall=function is None))
        title = f"all {len(functions)}" if function is None else titled(function)
        panels.append(
            Panel(drawn, "evaluations of a design", "quality" if function is None else "mean", title, **across)
        )
    grey = ", ".join(name for name, look in looks.items() if look == OTHER)
    note = "medians of the designs, and quartiles around the default's"
    return curves(*panels, columns=3, note=f"{note}; in grey {grey}" if grey else note)


def curve(name: str, look: str, by_budget: Mapping[int, Sequence[Judged]], *, overall: bool) -> Curve:
    """A designer over the budgets; overall with a band around the default."""
    xs = [budget * MILLION for budget in by_budget]
    if not overall:
        return Curve(name, look, xs, [median(each.mean for each in some) for some in by_budget.values()], dots=True)
    low, middle, high = np.transpose([
        np.quantile([each.quality for each in some], (0.25, 0.5, 0.75)) for some in by_budget.values()
    ]).tolist()  # fmt: skip
    if look != DESIGN:
        low, high = [], []
    return Curve(name, look, xs, middle, low, high, dots=True)


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", MINUS)


def steps(request: Request) -> tuple[str, int]:
    return "designs made, then judged", 2 * len(Asked.of(request).designs(request.folder))


def work(request: Request, tick: Tick) -> Sheet:
    return compare(Asked.of(request), request.folder, tick)


EXPERIMENT = Experiment(
    name=NAME,
    help="Is the default designer better than its rivals, at the same evaluations? The design is the unit.",
    order=13,
    options=(
        ONLY.but(default=",".join(FUNCTIONS), help="Only these functions, of those that are declared."),
        Option("designers", str, "", "Only these rivals of the default, such as random,evolution; else all there are."),
        Option("budgets", str, ",".join(map(str, RIVALS)), "Only designs of so many million evaluations."),
        Option("seeds", int, SEEDS, "Designs of each designer for each function, with seeds from 0 on."),
    ),
    folder=lambda request: Path("runs/designers"),
    steps=steps,
    sheet=work,
)
