"""The best so far over the runs of several algorithms: what is kept of a run, and how it is drawn."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from metasmith.arrays import Floats
from metasmith.report.charts import DESIGN, LOOKS, Curve, Panel, curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Trace = tuple[list[int], list[float]]
"""The best so far of a run: at which evaluations it became better, and how good; then the end of the run."""

POINTS = 100
"""The most of a trace."""

MARKS = 28
"""Points of a curve as drawn."""

NOTE = "median and quartiles of the runs; what is above the top is cut off"


def trace(evaluations: ArrayLike, values: ArrayLike, spent: int) -> Trace:
    """A history with at most POINTS points, about evenly on a logarithmic axis; the first stays, and the last is where
    the run ended.
    """
    at, best = np.asarray(evaluations), np.asarray(values)
    marks = np.geomspace(at[0], spent, POINTS - 1)
    kept = np.unique(np.searchsorted(at, marks, side="right") - 1)
    return [*at[kept].tolist(), spent], [*best[kept].tolist(), float(best[-1])]


def quartiles(traces: Sequence[Trace], marks: Floats) -> Floats:
    """(3, marks): the quarter, half and three quarters of the best so far of several runs."""
    best = [np.asarray(values)[np.maximum(np.searchsorted(at, marks, side="right") - 1, 0)] for at, values in traces]
    return np.quantile(best, (0.25, 0.5, 0.75), axis=0)


def convergence(
    panels: Mapping[str, Mapping[str, Sequence[Trace]]], measure: str, optima: Mapping[str, float]
) -> "Figure":
    """Best so far over evaluations, less is better: a panel for each problem, in it the traces of each algorithm, ours
    the last.

    measure: what is minimised. optima: of problems, where they are proved.
    """
    drawn = [panel(name, algorithms, measure, optima.get(name)) for name, algorithms in panels.items()]
    return curves(*drawn, columns=3, note=NOTE)


def panel(name: str, algorithms: Mapping[str, Sequence[Trace]], measure: str, optimum: float | None) -> Panel:
    """The median as a curve, the quartiles as a band."""
    begin, end, low, high = view(list(algorithms.values()), optimum)
    marks = np.geomspace(begin, end, MARKS)
    drawn = []
    for look, (label, traces) in zip((DESIGN, *LOOKS), reversed(list(algorithms.items())), strict=False):
        below, middle, above = quartiles(traces, marks).tolist()
        named = f"{label} ({middle[-1]:.4g})" if middle[-1] > high else label
        drawn.append(Curve(named, look, marks.tolist(), middle, below, above))
    line = None if optimum is None else (optimum, f"proved optimum, {optimum:g}")
    steps = (1, 2, 5) if end < 200 * begin else (1,)
    ticks = [step * 10**power for power in range(9) for step in steps if begin <= step * 10**power <= end]
    return Panel(drawn, "evaluations", measure, name, log=True, xs=(begin, end), ys=(low, high), ticks=ticks, line=line)


def view(rows: Sequence[Sequence[Trace]], optimum: float | None) -> tuple[float, float, float, float]:
    """Which evaluations and values are shown: from where the first median comes below the top, so high that most runs
    end well within.

    First solutions, and penalties, are so high that with them all the rest would be flat.
    """
    end = max(at[-1] for traces in rows for at, _ in traces)
    marks = np.geomspace(1, end, 10 * MARKS)
    medians = np.array([quartiles(traces, marks)[1] for traces in rows])
    least = float(medians.min()) if optimum is None else optimum
    room = max(3 * (float(np.quantile(medians[:, -1], 0.75)) - least), 0.05 * abs(least), 1e-12)
    begin = float(marks[(medians.min(axis=0) < least + room).argmax()])
    return min(max(begin, end / 1000), end / 10), end, least - 0.08 * room, least + room
