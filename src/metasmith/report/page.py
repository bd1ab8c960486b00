"""The report: one page that needs nothing else, neither a network nor a script."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from metasmith.components import COMPONENTS
from metasmith.program import Program, blocks
from metasmith.report.charts import DESIGN, OTHER, Curve, Row, boxes, curves, intervals, widened
from metasmith.report.diagram import diagram
from metasmith.report.findings import (
    Evidence,
    Place,
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
)
from metasmith.report.numbers import hundredths, lasting, number, plural, three

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

NARROW = 56
"""Letters of a line that fits half of the page."""

CHANCE = "random"
AT = (0.001, 0.01, 0.1, 1.0)
"""Shares of the evaluations at which the targets reached are put into numbers."""

ROLES = {"learned": "learned from", "judged": "judged on"}
STEPS = {"references": "references", "batch": "learning", "race": "final race", "inference": "writing at once"}


def page(record: dict[str, Any]) -> str:
    """The page of a design. record: `run`, `design`, `asked`, `history`, `commands`, `evidence`."""
    evidence, design = record["evidence"], record["design"]
    program = Program.parse(design["program"])
    return template("page.html").render(
        sections=SECTIONS, said=headline_of(record), design=design, evidence=evidence, record=record, judges=judges(evidence["test"]),
        facts=facts(design, evidence), diagram=diagram(program), components=components(program), flow=list(flow(program)),
        forks=forks(program), narrow=max(map(len, design["pseudocode"].splitlines())) <= NARROW,
        training=training(record["history"]), convergence=[convergence(place, evidence) for place in evidence["test"]],
        greys=[name for name, look in looks(evidence).items() if look == OTHER],
        targets=targets(evidence), values=[values(place, evidence) for place in evidence["test"]], means=means(evidence),
        cut=any(outside(place, evidence) for place in evidence["test"]),
        ablation=ablation(evidence), generalisation=generalisation(evidence), cost=cost(design, record["history"], evidence),
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
    best = sum(is_best(place, DESIGN) for place in test)
    return {
        "best mean of all on": f"{best} of {plural(len(test), judges(test))}",
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
                settings += [f"{name} = {step.amount}" for name in COMPONENTS[step.component].settings]
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
            "The loop ends when there was no improvement in as many evaluations as the problem has variables.",
        )
    if forks(program):
        yield (
            "fork",
            "Each solution, with probability 1/2, skips what comes next. One that comes out unchanged costs no evaluation.",
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
    epochs = [line for line in history if line["step"] == "batch"]
    if not epochs:
        return {"charts": [], "said": "Nothing was learned for this design: it was written at once."}
    xs = [float(line["batch"]) for line in epochs]

    def drawn(name: str, label: str, look: str) -> Curve:
        return Curve(label, look, xs, [line.get(name) for line in epochs])

    reward = curves(
        "Best and mean reward by epoch",
        [drawn("best", "best", "design"), drawn("mean", "mean", "first")],
        across="epoch",
        up="reward",
    )
    charts = [("Reward: the best program so far, and the mean of what the writer wrote", reward)]
    if any(line.get("entropy") for line in epochs):
        entropy = curves(
            "Entropy by epoch", [drawn("entropy", "entropy", "second")], across="epoch", up="entropy (nats)"
        )
        charts.append(("Entropy: how undecided the writer was", entropy))
    went = {name: f"{hundredths(epochs[0][name])} to {hundredths(epochs[-1][name])}" for name in ("best", "mean")}
    said = (
        f"{plural(len(epochs), 'epoch')}. The best reward went from {went['best']}, the mean from {went['mean']}. "
        "0 is random search, 1 the optimum, or a (1+1) EA where none is known."
    )
    return {"charts": charts, "said": said}


def convergence(place: Place, evidence: Evidence) -> tuple[str, Markup]:
    """A problem, and the best so far of every algorithm on it."""
    drawn = []
    for name, look in looks(evidence).items():
        low, middle, high = quartiles(place, name)
        drawn.append(Curve(name, look, place["grid"], middle, *((low, high) if look != OTHER else ())))
    seen = shown(place, (curve.label for curve in drawn if curve.look != OTHER))
    optimum = place["optimum"]
    line = None if optimum is None or not _near(optimum, seen) else (optimum, f"optimum {number(optimum)}")
    picture = curves(
        f"Best value so far on {place['problem']} by evaluations, median and quartiles",
        drawn, across="evaluations", up="best value so far", log=True,
        xs=(max(1.0, place["evaluations"] / 5000), place["evaluations"]), ys=widened(*seen), line=line,
    )  # fmt: skip
    return place["problem"], picture


def _near(optimum: float, seen: tuple[float, float]) -> bool:
    """Whether a line at the optimum would leave room for the curves."""
    return (
        min(abs(optimum - seen[0]), abs(optimum - seen[1])) <= 3 * (seen[1] - seen[0]) or seen[0] <= optimum <= seen[1]
    )


def targets(evidence: Evidence) -> dict[str, Any]:
    """The share of targets reached, as curves and at some shares of the evaluations."""
    test = evidence["test"]
    equal = len({place["evaluations"] for place in test}) == 1
    budget = float(test[0]["evaluations"]) if equal else 100.0
    drawn, rows = [], []
    for name, look in looks(evidence).items():
        shares, found = hits(test, name)
        drawn.append(Curve(name, look, [share * budget for share in shares], found))
        by_then = [
            max(hit for share, hit in zip(shares, found, strict=True) if share <= at * 1.0001 or share == shares[0])
            for at in AT
        ]
        rows.append((name, [f"{share:.0%}" for share in by_then]))
    picture = curves(
        "Share of targets reached by evaluations", drawn, across="evaluations" if equal else "percent of the evaluations",
        up="share of targets reached", log=True, ys=(0.0, 1.02), xs=(max(1.0, budget / 5000) if equal else 0.02, budget),
    )  # fmt: skip
    head = [number(at * budget) if equal else f"{100 * at:g}%" for at in AT]
    return {
        "chart": picture,
        "head": head,
        "rows": rows,
        "equal": equal,
        "elsewhere": any(foot(each, begun(each)) != begun(each) for each in test),
    }


def values(place: Place, evidence: Evidence) -> tuple[str, Markup]:
    """A problem, and what every run found on it."""
    rows, seen = runs(place, evidence)
    optimum = place["optimum"]
    line = (optimum, f"optimum {number(optimum)}") if optimum is not None and seen and _near(optimum, seen) else None
    better = "more is better" if sign(place) > 0 else "less is better"
    title = f"Final values on {place['problem']}"
    return place["problem"], boxes(title, rows, across=f"best value of a run ({better})", xs=seen, line=line)


def outside(place: Place, evidence: Evidence) -> bool:
    """Whether any runs are drawn at the edge."""
    rows, seen = runs(place, evidence)
    return seen is not None and any(not seen[0] <= value <= seen[1] for row in rows for value in row.values)


def runs(place: Place, evidence: Evidence) -> tuple[list[Row], tuple[float, float] | None]:
    """What every algorithm found, and which values are worth showing, if any; of one that was always far off only the
    mean.
    """
    rows = []
    for name, look in looks(evidence).items():
        found, average = feasible(place, name), mean(place, name)
        if average is not None and all(far_off(place, value) for value in found):
            rows.append(Row(name, look, [], f"far off: {number(average)} on average"))
        else:
            rows.append(Row(name, look, found, "infeasible"))
    everything = [value for row in rows for value in row.values]
    return rows, span(place, everything) if everything else None


def means(evidence: Evidence) -> dict[str, Any]:
    """Every algorithm on every test problem."""
    test = evidence["test"]
    rows = [(name, [(cell(place, name), is_best(place, name)) for place in test]) for name in looks(evidence)]
    optima = [None if place["optimum"] is None else number(place["optimum"]) for place in test]
    return {"head": [place["problem"] for place in test], "rows": rows, "optima": optima if any(optima) else None}


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
    picture = intervals("Loss without each part, with intervals", rows, across=across, xs=seen)
    table = []
    for row, part in zip(rows, parts, strict=True):
        change = [three(part[name]) for name in ("difference", "difference_low", "difference_high")]
        loss = [three(100 * part[name]) for name in ("loss", "low", "high")]
        table.append(
            (row.label, part["change"], change, loss[:1] if own else loss)
        )  # with the own unit, one interval says it all
    return {"chart": picture, "rows": table, "cut": len(near) < 3 * len(parts)}


def generalisation(evidence: Evidence) -> dict[str, Any]:
    """How far from random search to the best each algorithm comes, by dimension; and the means, by problem."""
    places = evidence["generalisation"]
    style = {name: look for name, look in looks(evidence).items() if name in places[0]["values"]}
    dimensions = sorted({place["dimension"] for place in places})
    drawn = []
    for name, look in style.items():
        by_size = [
            [way(place, name, CHANCE) for place in places if place["dimension"] == dimension]
            for dimension in dimensions
        ]
        known = [[each for each in ways if each is not None] for ways in by_size]
        middle, low, high = ([100 * what(ways) if ways else None for ways in known] for what in (_mean, min, max))
        drawn.append(Curve(name, look, dimensions, middle, low, high, dots=True))
    picture = None
    if len(dimensions) > 1:
        picture = curves(
            "Share of the way from random search to the best, by dimension", drawn, across="variables",
            up="percent of the way", log=True, ticks=dimensions,
            xs=(dimensions[0] * 0.93, dimensions[-1] * 1.07),
        )  # fmt: skip
    optimum = all(place["optimum"] is not None for place in places)
    head = [*style, *([CHANCE] if CHANCE in places[0]["values"] else [])]
    rows = [
        {
            "problem": place["problem"],
            "role": " and ".join(said for role, said in ROLES.items() if place[role]),
            "dimension": place["dimension"],
            "evaluations": place["evaluations"],
            "cells": [(_plain(mean(place, name)), is_best(place, name)) for name in head],
        }
        for place in places
    ]
    return {
        "chart": picture, "head": head, "rows": rows, "optimum": optimum, "roles": any(row["role"] for row in rows),
        "elsewhere": any(foot(each, mean(each, CHANCE)) != mean(each, CHANCE) for each in places),
    }  # fmt: skip


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _plain(value: float | None) -> str:
    return "infeasible" if value is None else number(value)


def cost(design: dict[str, Any], history: Sequence[dict[str, Any]], evidence: Evidence) -> dict[str, Any]:
    """The ledger, step by step: every step's is what was spent by its end."""
    spent: dict[str, list[float]] = {}
    before = [0.0, 0.0, 0.0, 0.0]
    for line in history:
        if "ledger" not in line:
            continue
        now = [float(line["ledger"][name]) for name in ("runs", "evaluations", "measuring_seconds", "proposing_seconds")]
        so_far = spent.setdefault(STEPS.get(line["step"], line["step"]), [0.0] * 4)
        spent[STEPS.get(line["step"], line["step"])] = [a + b - c for a, b, c in zip(so_far, now, before, strict=True)]
        before = now
    ledger = design["ledger"]
    total = [float(ledger[name]) for name in ("runs", "evaluations", "measuring_seconds", "proposing_seconds")]
    rows = [*spent.items(), ("in all", total)]
    return {
        "rows": [
            (name, [f"{runs:,.0f}", f"{count:,.0f}", lasting(measured), lasting(wrote)])
            for name, (runs, count, measured, wrote) in rows
        ],
        "uses": f"{ledger['evaluations'] / design['evaluations']:,.0f}",
        "cached": f"{ledger['cached']:,}",
        "running": lasting(ledger["running_seconds"]),
        "report": (f"{evidence['spent']['evaluations']:,}", lasting(evidence["spent"]["seconds"])),
    }
