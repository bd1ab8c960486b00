"""Continual design as tables, a page and pictures."""

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from metasmith.experiments.continual import ALONE, FIRST_EPOCHS, VARIANTS, Found
from metasmith.experiments.pages import markdown, number, seeds
from metasmith.experiments.sheets import Sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLES = {
    "continual-1": "Continual design, task 1 (figure 6)",
    "continual-2": "Continual design, task 2 (figures 6 and 7)",
    "transfer-curves": "What earlier tasks are worth to later ones (figure 7)",
}
SHOWN = ("F11", "F18", "F19", "F22")
"""Those of the paper's figure 7."""

INFERENCES = {"likeliest tokens": False, "winner of a race": True}
"""How a writer designs at once: as the paper does, and as `metasmith design --effort none` does; whether there is a
race.
"""

HEAD = """\
After each task the writer designs at once for all problems learned so far. Likeliest tokens: the program that takes the likeliest token
everywhere, as in the paper. Winner of a race: that one and 23 samples meet in 96 short runs on training problems, as a user gets it with
`metasmith design --effort none`. The series were learned with {series}; every design ran with {runs}."""

DARK = 0.6
"""What is left from here on is drawn so dark that words on it are white."""

WITHIN = 0.05
"""How far the last problem of a series may be below one-off."""


def report(found: Found) -> str:
    """The tables, and what they say in words."""
    matrices = [matrix(found, variant, raced) for variant in VARIANTS for raced in INFERENCES.values()]
    runs = len(next(iter(found.stages[0].found.values())))
    head = HEAD.format(series=seeds(len(found.seeds)), runs=seeds(runs))
    return "\n\n".join([head, forgetting(found), last(found), transfer(found), *matrices])


def matrix(found: Found, variant: str, raced: bool) -> str:
    """Test performance on a problem after training up to another."""
    lines = []
    for number_of, after in enumerate(found.functions, start=1):
        cells = [number(found.cell(variant, after, each, raced=raced)) for each in found.functions[:number_of]]
        lines.append([after, *cells, *[""] * (len(found.functions) - number_of)])
    return f"""\
## {variant}, {"winner of a race" if raced else "likeliest tokens"}

Rows: the last problem learned. Columns: the test problem (d = 625, instance 1, 50,000 evaluations). Mean over {len(found.seeds)} seeds.

{markdown(["after", *found.functions], lines)}"""


def forgetting(found: Found) -> str:
    """What was lost, by variant."""
    lines = []
    for how, raced in INFERENCES.items():
        for variant in VARIANTS:
            lost = found.forgetting(variant, raced=raced).values()
            by_seed = (f"{fmean(found.forgetting(variant, [seed], raced=raced).values()):.1f}" for seed in found.seeds)
            lines.append([variant, how, *(f"{value:.1f}" for value in lost), f"{fmean(lost):.1f}", ", ".join(by_seed)])
    mean = {variant: fmean(found.forgetting(variant).values()) for variant in VARIANTS}
    halved = mean["EWC"] <= mean["fine-tuning"] / 2
    said = f"With EWC the mean is {'at most half' if halved else '**more than half**'} of that without"
    if mean["fine-tuning"] <= 0:
        said = "**Without EWC nothing is forgotten**, so that there is nothing to halve"
    return f"""\
## Forgetting

From just after a problem was learned to the end of the series, in percent of the way from random search to the mark; on F22 and F23, where
random search is penalised, from 0 to the mark. Below zero: better. Where the mark is passed, as on F2, more than 100 can be lost.

{markdown(["variant", "design", *found.functions[:-1], "mean", "by seed"], lines)}

{said} ({mean["EWC"]:.1f} and {mean["fine-tuning"]:.1f}, likeliest tokens)."""


def last(found: Found) -> str:
    """Is the last problem still learned?"""
    function = found.functions[-1]
    lines, said = [], []
    for how, raced in INFERENCES.items():
        means = {variant: found.cell(variant, function, function, raced=raced) for variant in (ALONE, *VARIANTS)}
        lines += [[variant, how, number(mean), f"{found.share(mean, function):.1f}"] for variant, mean in means.items()]
        short = (means[ALONE] - means["EWC"]) / abs(means[ALONE])
        said.append(f"{'within' if short <= WITHIN else '**not within**'} {WITHIN:.0%} of one-off ({how})")
    return f"""\
## The last problem

What the writer designs at once for {function} after learning it: alone, and as the last of the series.

{markdown(["variant", "design", "mean", "percent of the way"], lines)}

With EWC the mean is {", ".join(said)}."""


def transfer(found: Found) -> str:
    """What is gained for problems to come."""
    lines = []
    for function in found.functions[1:]:
        starts = [found.start(variant, function) for variant in (ALONE, "EWC")]
        spent = [found.reached(variant, function) for variant in (ALONE, "EWC")]
        lines.append(
            [
                function,
                *(f"{start:.3f}" for start in starts),
                "yes" if starts[1] > starts[0] else "**no**",
                *map(millions, spent),
            ]
        )
    return f"""\
## Forward transfer

Start: the mean worth of what the writer itself wrote in the first {FIRST_EPOCHS} epochs, on problems of middle size. Then, with
{seeds(len(found.seeds))}, millions of evaluations until the best program is as good as the best of the one-off training at its end.

{markdown(["function", "start one-off", "start continual", "higher", "one-off", "continual"], lines)}"""


def millions(spent: list[int | None]) -> str:
    return ", ".join("never" if each is None else f"{each / 1e6:.0f}" for each in spent)


def sheet(found: Found, name: str) -> Sheet:
    pictures = {f"{name}-kept": lambda: kept(found), f"{name}-curves": lambda: learned(found, found.functions[1:])}
    return Sheet(name, TITLES[name], report(found), found.record(), pictures, cost=found.cost)


def transfer_sheet(found: Found) -> Sheet:
    """Figure 7 alone, with the numbers that belong to it."""
    name = "transfer-curves"
    return Sheet(
        name, TITLES[name], transfer(found), found.record(), {name: lambda: learned(found, SHOWN)}, cost=found.cost
    )


def kept(found: Found) -> "Figure":
    """The paper's figure 6: what is kept."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2 * len(VARIANTS), 4.6), layout="constrained")
    for axes, variant in zip(figure.subplots(1, len(VARIANTS), squeeze=False)[0], VARIANTS, strict=True):
        heat(axes, found, variant)
    return figure


def learned(found: Found, functions: Sequence[str]) -> "Figure":
    """The paper's figure 7: the training curves."""
    from matplotlib.figure import Figure

    columns = 3 if len(functions) > 4 else 2
    figure = Figure(figsize=(3.6 * columns, 6.0), layout="constrained")
    for axes, function in zip(figure.subplots(2, columns).flat, functions, strict=True):
        curves(axes, found, function)
    return figure


def heat(axes: "Axes", found: Found, variant: str) -> None:
    """The means after each task; the paler, the less is left of what was reached just after learning it."""
    size = len(found.functions)
    left = np.full((size, size), np.nan)
    for i, after in enumerate(found.functions):
        for j, function in enumerate(found.functions[: i + 1]):
            mean, first = found.cell(variant, after, function), found.cell(variant, function, function)
            left[i, j] = found.share(mean, function) / found.share(first, function)
            axes.text(
                j,
                i,
                number(mean),
                ha="center",
                va="center",
                fontsize=8,
                color="white" if left[i, j] > DARK else "black",
            )
    axes.imshow(np.clip(left, 0, 1), vmin=0, vmax=1.1, cmap="Blues")
    axes.set_xticks(range(size), found.functions)
    axes.set_yticks(range(size), found.functions)
    axes.set(title=variant, xlabel="test problem", ylabel="after learning")


def curves(axes: "Axes", found: Found, function: str) -> None:
    """The mean worth of what the writer itself wrote, alone and as part of the series, averaged over seeds."""
    for variant in (ALONE, "EWC"):
        means = [found.of(variant, seed, function).means for seed in found.seeds]
        axes.plot(
            range(1, len(means[0]) + 1), np.mean(means, axis=0), label="continual" if variant == "EWC" else variant
        )
    axes.set(title=function, xlabel="epoch", ylabel="mean worth of what it wrote")
    axes.legend(frameon=False)
