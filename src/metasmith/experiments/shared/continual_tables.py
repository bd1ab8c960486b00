"""Continual design as tables, pages and pictures, and the experiments that make them."""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from metasmith.experiments.shared.continual import (
    ALONE,
    FIRST_BATCHES,
    SERIES,
    VARIANTS,
    Outcome,
    learned,
    said_by,
    wanted,
)
from metasmith.experiments.shared.contract import LOG, SCALE, TRIALS, Experiment, Request, Tick, by_scale
from metasmith.report.charts import DESIGN, Curve, Panel, curves, shades
from metasmith.report.numbers import decimals, seeds
from metasmith.report.sheet import Part, Picture, Sheet
from metasmith.report.tables import Table, yes_or_no

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INFERENCES = {"likeliest tokens": False, "winner of a race": True}
"""How a writer designs at once: as the paper does, and as `metasmith design --effort none` does; whether there is a
race.
"""

HEAD = """\
After each task the writer designs at once for all problems learned so far. Likeliest tokens: the program that takes the
likeliest token everywhere, as in the paper. Winner of a race: that one and 23 samples meet in 96 short runs on training
problems, as a user gets it with `metasmith design --effort none`. The series were learned with {series}; every design
ran with {runs}."""

WITHIN = 0.05
"""How far the last problem of a series may be below one-off."""


def series_experiment(name: str, series: str, help: str, order: int, sheet: Callable[[Outcome], Sheet]) -> Experiment:
    """An experiment with a series of tasks; experiments with the same series share their folder."""

    def steps(request: Request) -> tuple[str, int]:
        return "tasks", sum(len(each.functions) for each in wanted(SERIES[series], request.scale, request.folder))

    def work(request: Request, tick: Tick) -> Sheet:
        stages = learned(wanted(SERIES[series], request.scale, request.folder), tick)
        return sheet(said_by(series, request.scale, stages, request.log))

    return Experiment(name, help, order, (SCALE, TRIALS, LOG), by_scale(series), steps, work)


def continual_sheet(outcome: Outcome, name: str, title: str) -> Sheet:
    """All of a series: what is forgotten, what is kept, what is gained."""
    pictures = [
        Picture(f"{name}-kept", lambda: kept(outcome)),
        Picture(f"{name}-curves", lambda: training_curves(outcome, outcome.functions[1:])),
    ]
    runs = len(next(iter(outcome.stages[0].reached.values())))
    head = HEAD.format(series=seeds(len(outcome.seeds)), runs=seeds(runs))
    parts = [*pictures, head, *forgetting(outcome), *last(outcome), *transfer(outcome)]
    for variant in VARIANTS:
        for how, raced in INFERENCES.items():
            parts += matrix(outcome, variant, how, raced)
    return Sheet(name, title, parts, outcome.record(), outcome.cost)


def transfer_sheet(outcome: Outcome, name: str, title: str, functions: Sequence[str]) -> Sheet:
    """The training curves of some functions alone, with the numbers that belong to them."""
    parts = [Picture(name, lambda: training_curves(outcome, functions)), *transfer(outcome)]
    return Sheet(name, title, parts, outcome.record(), outcome.cost)


def forgetting(outcome: Outcome) -> list[Part]:
    """What was lost, by variant."""
    rows = []
    for how, raced in INFERENCES.items():
        for variant in VARIANTS:
            lost = outcome.forgetting(variant, raced=raced).values()
            by_seed = [fmean(outcome.forgetting(variant, [seed], raced=raced).values()) for seed in outcome.seeds]
            cells = [f"{value:.1f}" for value in (*lost, fmean(lost))]
            rows.append([variant, how, *cells, ", ".join(f"{value:.1f}" for value in by_seed)])
    mean = {variant: fmean(outcome.forgetting(variant).values()) for variant in VARIANTS}
    halved = mean["EWC"] <= mean["fine-tuning"] / 2
    said = f"With EWC the mean is {'at most half' if halved else '**more than half**'} of that without"
    if mean["fine-tuning"] <= 0:
        said = "**Without EWC nothing is forgotten**, so that there is nothing to halve"
    text = """\
## Forgetting

From just after a problem was learned to the end of the series, in percent of the way from random search to the mark; on
F22 and F23, where random search is penalised, from 0 to the mark. Below zero: better. Where the mark is passed, as on
F2, more than 100 can be lost."""
    head = ["variant", "design", *outcome.functions[:-1], "mean", "by seed"]
    numbers = f"({mean['EWC']:.1f} and {mean['fine-tuning']:.1f}, likeliest tokens)"
    return [text, Table(head, rows, "Forgetting"), f"{said} {numbers}."]


def last(outcome: Outcome) -> list[Part]:
    """Is the last problem still learned?"""
    function = outcome.functions[-1]
    rows, said = [], []
    for how, raced in INFERENCES.items():
        means = {variant: outcome.cell(variant, function, function, raced=raced) for variant in (ALONE, *VARIANTS)}
        rows += [
            [variant, how, decimals(mean), f"{outcome.share(mean, function):.1f}"] for variant, mean in means.items()
        ]
        short = (means[ALONE] - means["EWC"]) / abs(means[ALONE])
        said.append(f"{'within' if short <= WITHIN else '**not within**'} {WITHIN:.0%} of one-off ({how})")
    text = f"""\
## The last problem

What the writer designs at once for {function} after learning it: alone, and as the last of the series."""
    table = Table(["variant", "design", "mean", "percent of the way"], rows, "The last problem")
    return [text, table, f"With EWC the mean is {', '.join(said)}."]


def transfer(outcome: Outcome) -> list[Part]:
    """What is gained for problems to come."""
    rows = []
    for function in outcome.functions[1:]:
        starts = [outcome.start(variant, function) for variant in (ALONE, "EWC")]
        spent = [millions(outcome.spent_until_as_good(variant, function)) for variant in (ALONE, "EWC")]
        rows.append([function, *(f"{start:.3f}" for start in starts), yes_or_no(starts[1] > starts[0]), *spent])
    text = f"""\
## Forward transfer

Start: the mean score of what the writer itself wrote in the first {FIRST_BATCHES} batches, on problems of middle size.
Then, with {seeds(len(outcome.seeds))}, millions of evaluations until the best program is as good as the best of the
one-off training at its end."""
    head = ["function", "start one-off", "start continual", "higher", "one-off", "continual"]
    return [text, Table(head, rows, "Forward transfer")]


def millions(spent: Sequence[int | None]) -> str:
    return ", ".join("never" if each is None else f"{each / 1e6:.0f}" for each in spent)


def matrix(outcome: Outcome, variant: str, how: str, raced: bool) -> list[Part]:
    """Test performance on a problem after training up to another."""
    rows = []
    for count, after in enumerate(outcome.functions, start=1):
        cells = [decimals(outcome.cell(variant, after, each, raced=raced)) for each in outcome.functions[:count]]
        rows.append([after, *cells, *[""] * (len(outcome.functions) - count)])
    title = f"{variant}, {how}"
    text = f"""\
## {title}

Rows: the last problem learned. Columns: the test problem (d = 625, instance 1, 50,000 evaluations). Mean over
{len(outcome.seeds)} seeds."""
    return [text, Table(["after", *outcome.functions], rows, title)]


def kept(outcome: Outcome) -> "Figure":
    """The paper's figure 6: the means after each task; the paler, the less is left of what was reached just after
    learning it.
    """
    size = len(outcome.functions)
    shares, words = [], []
    for variant in VARIANTS:
        left, cells = np.full((size, size), np.nan), [[""] * size for _ in range(size)]
        for i, after in enumerate(outcome.functions):
            for j, function in enumerate(outcome.functions[: i + 1]):
                mean, first = outcome.cell(variant, after, function), outcome.cell(variant, function, function)
                left[i, j] = 0.9 * np.clip(outcome.share(mean, function) / outcome.share(first, function), 0, 1)
                cells[i][j] = decimals(mean)
        shares.append((variant, left))
        words.append(cells)
    return shades(
        *shares, rows=outcome.functions, columns=outcome.functions, across="test problem", up="after learning",
        words=words, cell=(44.0, 30.0),
    )  # fmt: skip


def training_curves(outcome: Outcome, functions: Sequence[str]) -> "Figure":
    """The paper's figure 7: the mean score of what the writer itself wrote, alone and as part of the series, averaged
    over seeds.
    """
    panels = []
    for function in functions:
        drawn = []
        for variant, name, look in ((ALONE, ALONE, "first"), ("EWC", "continual", DESIGN)):
            means = np.mean([outcome.of(variant, seed, function).means for seed in outcome.seeds], axis=0).tolist()
            drawn.append(Curve(name, look, range(1, len(means) + 1), means))
        panels.append(Panel(drawn, "batch", "mean score", function))
    return curves(*panels, columns=3 if len(functions) > 4 else 2)
