"""The report: one page that needs nothing else, neither a network nor a script."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from metasmith.analysis.history import descended, learning, proposed_by
from metasmith.components import COMPONENTS
from metasmith.program import Program, blocks, one_line
from metasmith.report.charts import DESIGN, OTHER, Curve, Panel, Row, boxes, curves, intervals, widened
from metasmith.report.diagram import diagram
from metasmith.report.findings import (
    Case,
    Evidence,
    alike,
    begun,
    cell,
    far_off,
    feasible,
    foot,
    headline,
    hits,
    is_best,
    judges,
    looks,
    mean,
    quartiles,
    shown,
    sign,
    span,
    way,
)  # fmt: skip
from metasmith.report.numbers import hundredths, lasting, number, plural, three
from metasmith.report.svg import inline
from metasmith.report.tables import Strong, Table

SECTIONS = {
    "algorithm": "The algorithm",
    "diagram": "Flow diagram",
    "components": "What each component does",
    "training": "How it was learned",
    "convergence": "Convergence",
    "targets": "Targets reached",
    "values": "Final values",
    "ablation": "What each part is good for",
    "generalisation": "Other dimensions and instances",
    "cost": "What it cost",
    "provenance": "Provenance",
}
"""By their names in the page's address."""

MARK = b'<meta name="generator" content="metasmith">'
"""In every page of HTML, of a design or of an experiment."""

NARROW = 56
"""Letters of a line that fits half of the page."""

RANDOM = "random"
"""The name of random search among the algorithms."""

AT = (0.001, 0.01, 0.1, 1.0)
"""Shares of the evaluations at which the targets reached are put into numbers."""

ROLES = {"learned": "learned from", "judged": "judged on"}
STEPS = {"batch": "learning", "race": "final race", "inference": "writing at once"}
"""How the page names the steps of a run; the others have their own names."""


def page(record: dict[str, Any]) -> str:
    """The page of a design. record: `run`, `design`, `spec`, `history`, `commands`, `evidence`."""
    evidence, design = record["evidence"], record["design"]
    program = Program.parse(design["program"])
    test = evidence["test"]
    return template("design_page.html").render(
        sections=SECTIONS, said=headline_of(record), design=design, evidence=evidence, record=record,
        judges=judges(test), facts=facts(design, evidence), diagram=diagram(program), components=components(program),
        flow=list(flow(program)), forks=forks(program),
        narrow=max(map(len, design["pseudocode"].splitlines())) <= NARROW, training=training(record["history"]),
        descent=descent(design),
        convergence=[convergence(case, evidence) for case in test],
        greys=[name for name, look in looks(evidence).items() if look == OTHER], targets=targets(evidence),
        values=[values(case, evidence) for case in test], means=means(evidence), few=len(test) <= 2,
        cut=any(outside(case, evidence) for case in test), ablation=ablation(evidence),
        generalisation=generalisation(evidence), cost=cost(design, record["history"], evidence),
    )  # fmt: skip


def headline_of(record: dict[str, Any]) -> str:
    """The page in one sentence."""
    task = record["design"]["task"]
    return headline(Path(task).name if ".py" in task else task, record["evidence"])


@lru_cache
def template(name: str) -> Template:
    here = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    here.filters |= {"number": number, "lasting": lasting, "embedded": embedded}
    return here.get_template(name)


def embedded(picture: str) -> str:
    """An SVG as the address of an image, so that its styles stay its own."""
    return f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"


def facts(design: dict[str, Any], evidence: Evidence) -> dict[str, str]:
    """The page at a glance."""
    test, ledger = evidence["test"], design["ledger"]
    best = sum(is_best(case, DESIGN) for case in test)
    return {
        "best mean of all on": f"{best} of {plural(len(test), judges(test))}",
        **({"proposed by": design["descent"][0]["source"]} if design.get("descent") else {}),
        "evaluations of a run": f"{design['evaluations']:,}",
        "evaluations to design it": f"{ledger['evaluations'] / 1e6:,.1f} million",
        "time to design it": lasting(ledger["measuring_seconds"] + ledger["proposing_seconds"]),
    }


def components(program: Program) -> list[dict[str, str]]:
    """Every component in use, once, in the order of the flow; those that are implied too."""
    used: dict[str, list[str]] = {}
    for block in blocks(program):
        for stage in block.stages:
            if not stage.restarts:
                used.setdefault(stage.chooser, [])
            for step in stage.chain:
                settings = used.setdefault(step.component, [])
                settings += [
                    f"{name} = {amount}"
                    for name, amount in zip(COMPONENTS[step.component].settings, step.amounts, strict=True)
                ]
            if not stage.restarts:
                used.setdefault(block.selector, [])
    return [
        {
            "name": name,
            "role": str(COMPONENTS[name].role),
            "meaning": COMPONENTS[name].meaning,
            "settings": ", ".join(dict.fromkeys(settings)),
        }
        for name, settings in used.items()
    ]


def flow(program: Program) -> Iterator[tuple[str, str]]:
    """The words of loops and forks in use, and what they mean."""
    parts = blocks(program)
    stages = [stage for block in parts for stage in block.stages]
    conditions = [until for until in (*(block.until for block in parts), *(stage.until for stage in stages)) if until]
    for share in dict.fromkeys(str(each.share) for each in conditions if each.share):
        yield f"until {share}", f"The loop ends when {share} of the evaluations of the run have been spent in it."
    events = {each.event for each in conditions if each.event}
    if "stagnation" in events:
        yield "until stagnation", "The loop ends when the best has not improved for a while."
    if "local_optimum" in events:
        yield (
            "until local_optimum",
            "The loop ends when there was no improvement in as many evaluations as a solution has neighbours.",
        )
    if forks(program):
        yield (
            "fork",
            "Each solution, with probability 1/2, skips what comes next. One that comes out unchanged costs nothing.",
        )
    yield (
        "every round",
        "The whole is repeated until the evaluations are spent. The best solution ever evaluated is the result.",
    )


def forks(program: Program) -> bool:
    """Whether solutions may go different ways."""
    stages = [stage for block in blocks(program) for stage in block.stages]
    return any(stage.entry is not None or any(step.target is not None for step in stage.chain) for stage in stages)


def training(history: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The curves of learning, if there was any."""
    steps = learning(history)
    if not steps:
        return {"charts": [], "said": "Nothing was learned for this design: it was written at once."}
    xs = [float(line["batch"]) for line in steps]

    def drawn(name: str, label: str, look: str) -> Curve:
        return Curve(label, look, xs, [line.get(name) for line in steps])

    reward = curves(Panel([drawn("best", "best", DESIGN), drawn("mean", "mean", "first")], "batch", "reward"))
    title = "Reward: the best program so far, and the mean of what the writer wrote"
    charts = [(title, inline(reward, "Best and mean reward by batch"))]
    if any(line.get("entropy") for line in steps):
        entropy = curves(Panel([drawn("entropy", "entropy", "second")], "batch", "entropy (nats)"))
        charts.append(("Entropy: how undecided the writer was", inline(entropy, "Entropy by batch")))
    went = {name: f"{hundredths(steps[0][name])} to {hundredths(steps[-1][name])}" for name in ("best", "mean")}
    said = (
        f"{plural(len(steps), 'batch')}. The best reward went from {went['best']}, the mean from {went['mean']}. "
        "0 is random search, 1 the optimum, or a simple reference where none is known."
    )
    return {"charts": charts, "said": said}


def descent(design: dict[str, Any]) -> dict[str, Any]:
    """Who proposed the design, and the programs that it descends from; none if it varies no other."""
    line = design.get("descent", [])
    ancestors = [(proposed_by(each), one_line(each["program"])) for each in line[1:]]
    return {"said": descended(line), "ancestors": ancestors}


def convergence(case: Case, evidence: Evidence) -> tuple[str, Markup]:
    """A problem, and the best so far of every algorithm on it."""
    drawn = []
    for name, look in looks(evidence).items():
        low, middle, high = quartiles(case, name)
        drawn.append(Curve(name, look, case["grid"], middle, *((low, high) if look != OTHER else ())))
    seen = shown(case, (curve.label for curve in drawn if curve.look != OTHER))
    optimum = case["optimum"]
    line = None if optimum is None or not _near(optimum, seen) else (optimum, f"optimum {number(optimum)}")
    xs = (max(1.0, case["evaluations"] / 5000), case["evaluations"])
    figure = curves(Panel(drawn, "evaluations", "best value so far", log=True, xs=xs, ys=widened(*seen), line=line))
    title = f"Best value so far on {case['problem']} by evaluations, median and quartiles"
    return case["problem"], inline(figure, title)


def _near(optimum: float, seen: tuple[float, float]) -> bool:
    """Whether a line at the optimum would leave room for the curves."""
    return (
        min(abs(optimum - seen[0]), abs(optimum - seen[1])) <= 3 * (seen[1] - seen[0]) or seen[0] <= optimum <= seen[1]
    )


def targets(evidence: Evidence) -> dict[str, Any]:
    """The share of targets reached, as curves and at some shares of the evaluations."""
    test = evidence["test"]
    equal = len({case["evaluations"] for case in test}) == 1
    budget = float(test[0]["evaluations"]) if equal else 100.0
    drawn, rows = [], []
    for name, look in looks(evidence).items():
        shares, hit = hits(test, name)
        drawn.append(Curve(name, look, [share * budget for share in shares], hit))
        by_then = [
            max(part for share, part in zip(shares, hit, strict=True) if share <= at * 1.0001 or share == shares[0])
            for at in AT
        ]
        rows.append([name, *(f"{share:.0%}" for share in by_then)])
    across = "evaluations" if equal else "percent of the evaluations"
    xs = (max(1.0, budget / 5000) if equal else 0.02, budget)
    figure = curves(Panel(drawn, across, "share of targets reached", log=True, ys=(0.0, 1.02), xs=xs))
    head = [number(at * budget) if equal else f"{100 * at:g}%" for at in AT]
    return {
        "chart": inline(figure, "Share of targets reached by evaluations"),
        "table": Table(["algorithm", *head], rows, "Targets reached").html(DESIGN),
        "equal": equal,
        "elsewhere": any(foot(each, begun(each)) != begun(each) for each in test),
    }


def values(case: Case, evidence: Evidence) -> tuple[str, Markup]:
    """A problem, and what every run reached on it."""
    rows, seen = runs(case, evidence)
    optimum = case["optimum"]
    line = (optimum, f"optimum {number(optimum)}") if optimum is not None and seen and _near(optimum, seen) else None
    better = "more is better" if sign(case) > 0 else "less is better"
    figure = boxes(rows, across=f"best value of a run ({better})", xs=seen, line=line)
    return case["problem"], inline(figure, f"Final values on {case['problem']}")


def outside(case: Case, evidence: Evidence) -> bool:
    """Whether any runs are drawn at the edge."""
    rows, seen = runs(case, evidence)
    return seen is not None and any(not seen[0] <= value <= seen[1] for row in rows for value in row.values)


def runs(case: Case, evidence: Evidence) -> tuple[list[Row], tuple[float, float] | None]:
    """What every algorithm reached, and which values to show, if any; of one that was always far off only the mean."""
    rows = []
    for name, look in looks(evidence).items():
        reached, average = feasible(case, name), mean(case, name)
        if average is not None and all(far_off(case, value) for value in reached):
            rows.append(Row(name, look, [], f"far off: {number(average)} on average"))
        else:
            rows.append(Row(name, look, reached, "infeasible"))
    everything = [value for row in rows for value in row.values]
    return rows, span(case, everything) if everything else None


def means(evidence: Evidence) -> Markup:
    """Every algorithm on every test problem; the best mean of each problem stands out."""
    test = evidence["test"]
    rows = [
        [name, *(Strong(cell(case, name)) if is_best(case, name) else cell(case, name) for case in test)]
        for name in looks(evidence)
    ]
    if any(case["optimum"] is not None for case in test):
        optima = ["unknown" if case["optimum"] is None else number(case["optimum"]) for case in test]
        rows.append(["optimum", *optima])
    return Table(["algorithm", *(case["problem"] for case in test)], rows, "Final values").html(DESIGN)


def ablation(evidence: Evidence) -> dict[str, Any]:
    """What is lost without each part.

    A part matters if its interval is above zero; below, the algorithm is better without it.

    Drawn in the problem's own unit if the problems share it, else as shares of the way from random search.
    """
    test, parts = evidence["test"], evidence["ablation"]
    if not parts:
        return {"chart": None, "rows": []}
    own = alike(test)
    rows, near = [], []
    for part in parts:
        change = [part[name] for name in ("difference", "difference_low", "difference_high")]
        worse = sorted(-sign(test[0]) * each for each in change[1:])
        loss = [-sign(test[0]) * change[0], *worse] if own else [100 * part[name] for name in ("loss", "low", "high")]
        look = "first" if loss[1] > 0 else "second" if loss[2] < 0 else OTHER
        off = own and far_off(test[0], part["mean"])
        rows.append(Row(part["snippet"], look, loss, f"{part['change']}: {three(loss[0])}" if off else part["change"]))
        near += [] if off else loss
    across = "how much worse the mean value is" if own else f"loss, {evidence['loss']}"
    seen = (min(near), max(near)) if near else None
    picture = inline(intervals(rows, across=across, xs=seen), "Loss without each part, with intervals")
    table = []
    for row, part in zip(rows, parts, strict=True):
        change = [three(part[name]) for name in ("difference", "difference_low", "difference_high")]
        loss = [three(100 * part[name]) for name in ("loss", "low", "high")]
        # with the own unit, one interval says it all
        table.append((row.label, part["change"], change, loss[:1] if own else loss))
    return {"chart": picture, "rows": table, "cut": len(near) < 3 * len(parts)}


def generalisation(evidence: Evidence) -> dict[str, Any]:
    """How far from random search to the best each algorithm comes, by dimension; and the means, by problem."""
    cases = evidence["generalisation"]
    style = {name: look for name, look in looks(evidence).items() if name in cases[0]["values"]}
    sizes = sorted({case["dimension"] for case in cases})
    drawn = []
    for name, look in style.items():
        ways = [[way(case, name, RANDOM) for case in cases if case["dimension"] == size] for size in sizes]
        feasible_ways = [[each for each in row if each is not None] for row in ways]
        middle, low, high = ([100 * what(row) if row else None for row in feasible_ways] for what in (fmean, min, max))
        drawn.append(Curve(name, look, sizes, middle, low, high, dots=True))
    picture = None
    if len(sizes) > 1:
        xs = (sizes[0] * 0.93, sizes[-1] * 1.07)
        figure = curves(Panel(drawn, "variables", "percent of the way", log=True, ticks=sizes, xs=xs))
        picture = inline(figure, "Share of the way from random search to the best, by dimension")
    head = [*style, *([RANDOM] if RANDOM in cases[0]["values"] else [])]
    roles = any(case[role] for case in cases for role in ROLES)
    rows = [
        [
            case["problem"], *(_mean_cell(case, name) for name in head), f"{case['dimension']:,}",
            f"{case['evaluations']:,}",
            *([" and ".join(said for role, said in ROLES.items() if case[role])] if roles else []),
        ]
        for case in cases
    ]  # fmt: skip
    columns = ["problem", *head, "variables", "evaluations", *([""] if roles else [])]
    return {
        "chart": picture,
        "table": Table(columns, rows, "Means by problem").html(),
        "optimum": all(case["optimum"] is not None for case in cases),
        "elsewhere": any(foot(each, mean(each, RANDOM)) != mean(each, RANDOM) for each in cases),
    }


def _mean_cell(case: Case, name: str) -> str:
    average = mean(case, name)
    text = "infeasible" if average is None else number(average)
    return Strong(text) if is_best(case, name) else text


def cost(design: dict[str, Any], history: Sequence[dict[str, Any]], evidence: Evidence) -> dict[str, Any]:
    """The ledger, step by step: every step's is what was spent by its end."""
    spent: dict[str, list[float]] = {}
    before = [0.0, 0.0, 0.0, 0.0]
    for line in history:
        if "ledger" not in line:
            continue
        now = [
            float(line["ledger"][name]) for name in ("runs", "evaluations", "measuring_seconds", "proposing_seconds")
        ]
        so_far = spent.setdefault(STEPS.get(line["step"], line["step"]), [0.0] * 4)
        spent[STEPS.get(line["step"], line["step"])] = [a + b - c for a, b, c in zip(so_far, now, before, strict=True)]
        before = now
    ledger = design["ledger"]
    total = [float(ledger[name]) for name in ("runs", "evaluations", "measuring_seconds", "proposing_seconds")]
    rows = [
        [name, f"{runs:,.0f}", f"{count:,.0f}", lasting(measured), lasting(wrote)]
        for name, (runs, count, measured, wrote) in [*spent.items(), ("in all", total)]
    ]
    return {
        "table": Table(["step", "runs", "evaluations", "measuring", "writing"], rows, "What it cost").html(),
        "uses": f"{ledger['evaluations'] / design['evaluations']:,.0f}",
        "cached": f"{ledger['cached']:,}",
        "running": lasting(ledger["running_seconds"]),
        "report": (f"{evidence['spent']['evaluations']:,}", lasting(evidence["spent"]["seconds"])),
    }
