"""The paper's figure 5: how the writer learns, problem by problem, from scratch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from metasmith.analysis.history import learning
from metasmith.arrays import Floats
from metasmith.experiments.shared.contract import ONLY
from metasmith.experiments.shared.making import cost, made_all, of_designs, wanted
from metasmith.experiments.shared.scales import Scale
from metasmith.report.charts import DESIGN, Curve, Panel, curves
from metasmith.report.numbers import seeds
from metasmith.report.sheet import Part, Picture, Sheet
from metasmith.report.tables import Table, yes_or_no
from metasmith.runs.efforts import DESIGNER
from metasmith.runs.folder import Folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "one-off-curves"
SHOWN = ("F1", "F3", "F14", "F15", "F17", "F20")
"""Those of the paper's figure."""

SOME = 5
"""Epochs that are averaged at the beginning and at the end."""


@dataclass(frozen=True)
class Training:
    """The training for a function. means, best: the scores of what the writer wrote and the best so far, (trials,
    batches).
    """

    function: str
    means: Floats
    best: Floats


def sheet(functions: Sequence[str], scale: Scale, out: Path, on_done: Callable[[], None]) -> Sheet:
    """Make the designs that are not there yet, and show how they were learned."""
    designs = made_all(wanted(functions, scale.trials, out, scale.effort), on_done)
    trainings = [training(function, scale.trials, out) for function in functions]
    rows = [
        [each.function, f"{first:.3f}", f"{last:.3f}", f"{fmean(each.best[:, -1]):.3f}", yes_or_no(last > first)]
        for each in trainings
        for first, last in [(float(each.means[:, :SOME].mean()), float(each.means[:, -SOME:].mean()))]
    ]
    text = f"""\
Scores by batch: 0 is random search, 1 the optimum, or a (1+1) EA where none is known (F18). Mean: of what the writer
itself wrote, on problems of middle size; best: of the best program so far, on all sizes; it can fall, because programs
that are written again are measured again. Lines are averages over designs with {seeds(scale.trials)}, bands their
range."""
    head = ["function", f"mean, first {SOME} batches", f"mean, last {SOME}", "best at the end", "learns"]
    record = [
        {"function": each.function, "means": each.means.tolist(), "best": each.best.tolist()} for each in trainings
    ]
    parts: list[Part] = [Picture(NAME, lambda: picture(trainings)), text, Table(head, rows)]
    return Sheet(NAME, "Training from scratch (figure 5)", parts, record, cost=cost(designs))


def training(function: str, trials: int, out: Path) -> Training:
    """What the histories of the runs say."""
    histories = [Folder(out / f"{function}-{DESIGNER}-{trial}").history() for trial in range(trials)]
    batches = [learning(history) for history in histories]
    least = min(map(len, batches))  # the cheaper the programs, the more batches a budget pays for
    means, best = (np.array([[line[what] for line in lines[:least]] for lines in batches]) for what in ("mean", "best"))
    return Training(function, means, best)


def picture(trainings: Sequence[Training]) -> "Figure":
    """A panel for each function."""
    panels = []
    for each in trainings:
        batches = range(1, each.means.shape[1] + 1)
        drawn = [
            Curve(name, look, batches, *(what(values, axis=0).tolist() for what in (np.mean, np.min, np.max)))
            for name, look, values in (("best", DESIGN, each.best), ("mean", "first", each.means))
        ]
        panels.append(Panel(drawn, "batch", "score", each.function))
    return curves(*panels, columns=3)


EXPERIMENT = of_designs(
    NAME, "How the writer learns, problem by problem (figure 5).", 2, sheet, ONLY.but(default=",".join(SHOWN))
)
