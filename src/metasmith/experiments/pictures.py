"""Pictures beside the pages: the best so far over a run, and how pictures are saved. Needs metasmith[results]."""

import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from metasmith.arrays import Floats
from metasmith.experiments.pages import make_room, need
from metasmith.problems import Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Trace = tuple[list[int], list[float]]
"""The best so far of a run: at which evaluations it became better, and how good; then the end of the run."""

POINTS = 100
"""The most of a trace."""

KINDS = (".svg", ".png", ".pdf")
"""Of files that a picture can be saved as."""

MARKS = 28
"""Points of a curve as drawn."""

GAP = 0.055
"""Between labels, as a share of the height."""

STYLES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)), (0, (3, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (2, 2)))
"""Of curves, so that they can be told apart in grey as well."""


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
    found = [np.asarray(values)[np.maximum(np.searchsorted(at, marks, side="right") - 1, 0)] for at, values in traces]
    return np.quantile(found, (0.25, 0.5, 0.75), axis=0)


def convergence(
    panels: Mapping[str, Mapping[str, Sequence[Trace]]], measure: str, optima: Mapping[str, float]
) -> "Figure":
    """Best so far over evaluations, less is better: a panel for each problem, in it the traces of each algorithm.

    measure: what is minimised. optima: of problems, where they are proved.
    """
    from matplotlib.figure import Figure

    columns = min(len(panels), 3)
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(7.5, 4.6) if columns == 1 else (4.2 * columns, 3.5 * rows), layout="constrained")
    places = figure.subplots(rows, columns, squeeze=False).flatten()
    for axes, (name, curves) in zip(places, panels.items(), strict=False):
        panel(axes, curves, optima.get(name))
        axes.set_title(name, fontsize=10)
    for axes in places[len(panels) :]:
        axes.set_axis_off()
    figure.supxlabel("evaluations (median and quartiles of the runs; what is above the top is cut off)", fontsize=9)
    figure.supylabel(measure, fontsize=9)
    return figure


def panel(axes: "Axes", curves: Mapping[str, Sequence[Trace]], optimum: float | None) -> None:
    """The median as a curve, the quartiles as a band; the last algorithm, ours, in black."""
    from matplotlib.ticker import MaxNLocator, NullLocator, StrMethodFormatter

    begin, end, low, high = view(list(curves.values()), optimum)
    marks = np.geomspace(begin, end, MARKS)
    labels = []
    for number, (name, traces) in enumerate(reversed(list(curves.items()))):
        colour, width = ("black", 2.0) if number == 0 else (f"C{number - 1}", 1.3)
        band = quartiles(traces, marks)
        axes.fill_between(marks, band[0], band[2], color=colour, alpha=0.15, linewidth=0)
        axes.plot(marks, band[1], color=colour, linewidth=width, linestyle=STYLES[number % len(STYLES)])
        last = float(band[1, -1])
        labels.append((min(last, high), f"{name} (above, {last:.4g})" if last > high else name, colour))
    if optimum is not None:
        axes.axhline(optimum, color="0.5", linewidth=0.8)
        axes.annotate(
            f"proved optimum, {optimum:g}", (0.01, optimum), (0, -3), xycoords=("axes fraction", "data"), textcoords="offset points",
            fontsize=8, color="0.3", va="top",
        )  # fmt: skip
    axes.set(xscale="log", xlim=(begin, end), ylim=(low, high))
    steps = (1, 2, 5) if end < 200 * begin else (1,)
    axes.set_xticks([step * 10**power for power in range(9) for step in steps if begin <= step * 10**power <= end])
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    for (_, label, colour), up in zip(
        labels, apart([(value - low) / (high - low) for value, _, _ in labels], GAP), strict=True
    ):
        axes.annotate(
            label, (1.02, up), xycoords="axes fraction", color=colour, fontsize=8, va="center", annotation_clip=False
        )


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


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """Heights moved so that no two labels are closer than `gap`, in the same order and near where they were."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    placed = [heights[i] for i in order]
    for _ in range(100):
        for k in range(1, len(placed)):
            short = gap - (placed[k] - placed[k - 1])
            if short > 0:
                placed[k - 1] -= short / 2
                placed[k] += short / 2
    back = dict(zip(order, placed, strict=True))
    return [back[i] for i in range(len(heights))]


def drawable(problem: Problem, file: Path) -> None:
    """Say before the work if its result could not be drawn."""
    if problem.picture is None:
        raise ValueError(
            f"{problem.name} has no picture; leave out --picture, or give the problem one: Problem(..., picture=FUNCTION)"
        )
    if file.suffix.lower() not in KINDS:
        raise ValueError(f"a picture is a file whose name ends in {', '.join(KINDS)}; got '{file}'")
    need("matplotlib")
    make_room(file)


def solution(problem: Problem, x: np.ndarray[Any, Any]) -> "Figure":
    """A solution as its problem draws it."""
    assert problem.picture is not None
    try:
        figure = problem.picture(x)
    except Exception as error:
        raise ValueError(f"{problem.name}: picture raised {type(error).__name__}: {error}") from error
    if not hasattr(figure, "savefig"):
        raise ValueError(f"{problem.name}: picture must return a figure of matplotlib, got {type(figure).__name__}")
    drawn: Figure = figure
    return drawn


def save(figure: "Figure", file: Path) -> None:
    file.write_bytes(drawn(figure, file.suffix.lower()))


def drawn(figure: "Figure", kind: str = ".svg") -> bytes:
    """A figure as a file; the same picture, the same bytes."""
    import matplotlib as mpl

    dates, out = {".svg": "Date", ".pdf": "CreationDate"}, BytesIO()
    with mpl.rc_context({"svg.hashsalt": "metasmith"}):
        figure.savefig(out, format=kind[1:], metadata={dates[kind]: None} if kind in dates else {}, dpi=150)
    if kind != ".svg":
        return out.getvalue()
    # a tenth of a point is fine enough, and half the bytes
    return re.sub(rb' d="[^"]*"', lambda path: re.sub(rb"(\.\d)\d+|\s+(?=[LQCz])", rb"\1", path[0]), out.getvalue())
