"""The paper's figure 5: how the writer learns, problem by problem, from scratch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from metasmith.arrays import Floats
from metasmith.experiments.making import cost, made_all, wanted
from metasmith.experiments.pages import markdown, seeds
from metasmith.experiments.scales import Scale
from metasmith.experiments.sheets import Sheet
from metasmith.runs.folder import Folder

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "one-off-curves"
SHOWN = ("F1", "F3", "F14", "F15", "F17", "F20")
"""Those of the paper's figure."""

SOME = 5
"""Epochs that are averaged at the beginning and at the end."""


@dataclass(frozen=True)
class Curves:
    """The training for a function. means, best: the worth of what the writer wrote and the best so far, (trials,
    epochs).
    """

    function: str
    means: Floats
    best: Floats


def sheet(functions: Sequence[str], scale: Scale, out: Path, on_done: Callable[[], None]) -> Sheet:
    """Make the designs that are not there yet, and show how they were learned."""
    designs = made_all(wanted(functions, scale.trials, out, scale.effort), on_done)
    found = [curves(function, scale.trials, out) for function in functions]
    lines = [
        [
            each.function,
            f"{first:.3f}",
            f"{last:.3f}",
            f"{fmean(each.best[:, -1]):.3f}",
            "yes" if last > first else "**no**",
        ]
        for each in found
        for first, last in [(float(each.means[:, :SOME].mean()), float(each.means[:, -SOME:].mean()))]
    ]
    text = f"""\
Scores by epoch: 0 is random search, 1 the optimum, or a (1+1) EA where none is known (F18). Mean: of what the writer itself wrote, on
problems of middle size; best: of the best program so far, on all sizes; it can fall, because programs that are written again are measured
again. Lines are averages over designs with {seeds(scale.trials)}, bands their range.

{markdown(["function", f"mean, first {SOME} epochs", f"mean, last {SOME}", "best at the end", "learns"], lines)}
"""
    record = [{"function": each.function, "means": each.means.tolist(), "best": each.best.tolist()} for each in found]
    return Sheet(
        NAME, "Training from scratch (figure 5)", text, record, {NAME: lambda: picture(found)}, cost=cost(designs)
    )


def curves(function: str, trials: int, out: Path) -> Curves:
    """What the histories of the runs say."""
    histories = [Folder(out / f"{function}-mixture-{trial}").history() for trial in range(trials)]
    batches = [[line for line in history if line["step"] == "batch"] for history in histories]
    least = min(map(len, batches))  # the cheaper the programs, the more batches a budget pays for
    means, best = (np.array([[line[what] for line in lines[:least]] for lines in batches]) for what in ("mean", "best"))
    return Curves(function, means, best)


def picture(found: Sequence[Curves]) -> "Figure":
    from matplotlib.figure import Figure

    columns = min(3, len(found))
    lines = -(-len(found) // columns)
    figure = Figure(figsize=(3.4 * columns, 2.7 * lines), layout="constrained")
    places = figure.subplots(lines, columns, squeeze=False).flat
    for axes, each in zip(places, found, strict=False):
        draw(axes, each)
    for axes in list(figure.axes)[len(found) :]:
        axes.remove()
    figure.axes[0].legend(frameon=False, fontsize=8)
    return figure


def draw(axes: "Axes", found: Curves) -> None:
    epochs = range(1, found.means.shape[1] + 1)
    for label, values in (("best so far", found.best), ("mean", found.means)):
        (line,) = axes.plot(epochs, values.mean(axis=0), label=label)
        axes.fill_between(
            epochs, values.min(axis=0), values.max(axis=0), color=line.get_color(), alpha=0.15, linewidth=0
        )
    axes.set(title=found.function, xlabel="batch", ylabel="score")
