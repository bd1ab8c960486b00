"""Charts, small enough for a phone: curves with bands, boxes with the runs themselves, intervals, dots and shades.

A length is a point of the figure, which is a unit of the picture. Colours are those of the page's style, by name.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metasmith.arrays import Floats
from metasmith.report.numbers import short
from metasmith.report.svg import BOLD, COLOURS, LETTER, classed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 400.0, 250.0
"""Of a chart; of a panel of several a little less, see SMALL."""

SMALL = 330.0, 235.0
TITLE = 20.0
"""Room for the title of a panel."""

TOP, BOTTOM = 12.0, 36.0
"""Room above the plot, and below it for ticks and the name of the axis."""

ROW, WIDE_ROW = 20.0, 38.0
"""The height of a row of boxes, and of one of intervals, whose name stands above."""

APART = 12.0
"""How far the words beside curves are apart at least."""

TEXT, NUMBERS = 11.0, 10.5
"""Sizes of letters."""

DESIGN, OTHER = "design", "other"
LOOKS = ("first", "second", "third", "fourth", "fifth", "sixth")
"""How something is drawn: as the design, as one of the rivals in order, or in grey as one of all others."""

STROKES: Mapping[str, tuple[float, Any]] = {
    DESIGN: (2.6, "-"), OTHER: (1.0, "-"), "first": (1.7, (0, (4, 1.2))), "second": (1.7, (0, (1.8, 1.2))),
    "third": (1.7, (0, (4.7, 1.2, 1.2, 1.2))), "fourth": (1.7, (0, (1, 1))), "fifth": (1.7, (0, (3, 1, 1, 1, 1, 1))),
    "sixth": (1.7, (0, (8, 2))),
}  # fmt: skip
"""Widths and dashes of curves, so that they can be told apart in grey as well; dashes in widths."""

BAND = 0.16
"""How dense the band around a curve is."""

DARK = 0.6
"""A shade from here on is so dark that words on it take the colour of the page."""


@dataclass(frozen=True)
class Curve:
    """A line through points; with `low` and `high` there is a band around it. What is None is left out."""

    label: str
    look: str
    xs: Sequence[float]
    ys: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    dots: bool = False

    @property
    def named(self) -> bool:
        """Whether its name stands at its end; grey ones are named in the text."""
        return self.look != OTHER and any(y is not None for y in self.ys)


@dataclass(frozen=True)
class Panel:
    """Curves over one another. across, up: names of the axes. xs, ys: what to show; all by default.

    ticks: of the axis across, if not round numbers. line: a value across the whole chart, and its name.
    """

    curves: Sequence[Curve]
    across: str
    up: str
    title: str = ""
    log: bool = False
    xs: tuple[float, float] | None = None
    ys: tuple[float, float] | None = None
    ticks: Sequence[float] | None = None
    line: tuple[float, str] | None = None

    def xlim(self) -> tuple[float, float]:
        return self.xs or _range([x for curve in self.curves for x in curve.xs])

    def ylim(self) -> tuple[float, float]:
        """The values shown, with the line among them and some air above it."""
        shown = [y for curve in self.curves for y in (*curve.ys, *curve.low, *curve.high) if y is not None]
        low, high = self.ys or widened(*_range(shown))
        if self.line is not None:
            low, high = min(low, self.line[0]), max(high, self.line[0] + 0.03 * (high - low))
        return (low, high) if high > low else widened(low, high)


@dataclass(frozen=True)
class Row:
    """A name, and numbers for it: those of the runs, or of the interval. note: what is said instead, or beside."""

    label: str
    look: str
    values: Sequence[float] = ()
    note: str = ""


def curves(*panels: Panel, columns: int = 1, note: str = "") -> "Figure":
    """Curves that are named at their ends, in one panel or in several side by side. note: below all of them."""
    columns = min(columns, len(panels))
    wide, high = (WIDTH, HEIGHT) if columns == 1 else SMALL
    high += TITLE * any(panel.title for panel in panels)
    rows = -(-len(panels) // columns)
    below = 18.0 if note else 0.0
    figure = new_figure(columns * wide, rows * high + below)
    for number, panel in enumerate(panels):
        row, column = divmod(number, columns)
        _draw_panel(figure, panel, column * wide, row * high, wide, high)
    if note:
        figure.text(0.5, 4 / (rows * high + below), note, ha="center", fontsize=NUMBERS, color=COLOURS["soft"])
    return figure


def boxes(
    rows: Sequence[Row], *, across: str, xs: tuple[float, float] | None = None, line: tuple[float, str] | None = None
) -> "Figure":
    """For each row the middle half of the values as a box, the median as a bar, and the values themselves.

    xs: what to show, all by default; what is beyond stands at the edge.
    """
    everything = [*(xs or [value for row in rows for value in row.values]), *([line[0]] if line else [])]
    low, high = widened(*_range(everything))
    left, top = 16 + max(len(row.label) for row in rows) * BOLD, TOP + (12 if line else 0)
    figure = new_figure(WIDTH, top + len(rows) * ROW + BOTTOM)
    axes = _axes(figure, left, top, WIDTH - 14 - left, len(rows) * ROW)
    _rows(axes, low, high, len(rows), across)
    axes.set_yticks(range(len(rows)), [row.label for row in rows])
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        grey = row.look == OTHER
        label.set(color=COLOURS["soft" if grey else row.look], fontweight="normal" if grey else "bold", fontsize=TEXT)
    if line is not None:
        axes.axvline(line[0], color=COLOURS["soft"], linewidth=1, linestyle=(0, (2, 3)), gid=classed("mark"))
        half = (len(line[1]) * LETTER / 2) / (WIDTH - 14 - left)  # words over a line do not leave the picture
        at = min(max((line[0] - low) / (high - low), half), 1 - half)
        axes.text(at, 1 + 4 / (len(rows) * ROW), line[1], ha="center", transform=axes.transAxes, **_note())
    for y, row in enumerate(rows):
        if not row.values:
            axes.annotate(row.note or "nothing", (0, y), (8, 0), ("axes fraction", "data"), "offset points", **_note())
            continue
        values, colour = np.clip(row.values, low, high), COLOURS[row.look]
        quarter, half, three = np.clip(np.quantile(row.values, (0.25, 0.5, 0.75)), low, high)
        axes.hlines(y, values.min(), values.max(), colors=colour, linewidth=1.2)
        (box,) = axes.barh(y, three - quarter, 0.6, quarter, facecolor=(colour, 0.2), edgecolor=colour, linewidth=1)
        box.set_gid(classed("box"))
        heights = [y + (i * 7 % 9 - 4) * 0.9 / ROW for i in range(len(values))]  # so that equal values can be seen
        axes.plot(values, heights, "o", markersize=3.6, color=(colour, 0.6), markeredgewidth=0, gid=classed("dots"))
        axes.vlines(half, y - 0.35, y + 0.35, colors=colour, linewidth=2.4)
    return figure


def intervals(rows: Sequence[Row], *, across: str, xs: tuple[float, float] | None = None) -> "Figure":
    """For each row a bar from zero to a value, and its interval; values: value, low, high. Names stand above their
    bars.

    xs: what to show beside zero, all by default; what is beyond stands at the edge.
    """
    low, high = widened(*_range([0.0, *(xs or [value for row in rows for value in row.values])]))
    figure = new_figure(WIDTH, TOP + len(rows) * WIDE_ROW + BOTTOM)
    axes = _axes(figure, 12, TOP, WIDTH - 26, len(rows) * WIDE_ROW)
    _rows(axes, low, high, len(rows), across)
    axes.set_yticks([])
    for y, row in enumerate(rows):
        value, least, most = np.clip(row.values, low, high)
        at = y + 0.18  # below the middle of the row, to leave room for its name
        (bar,) = axes.barh(at, value, 0.28, facecolor=(COLOURS[row.look], 0.45))
        bar.set_gid(classed(f"bar {row.look}"))
        ends: dict[str, Any] = {"linewidth": 1.3, "markersize": 8, "gid": classed("interval")}
        axes.plot([least, most], [at, at], "|-", color=COLOURS["ink"], **ends)
        words: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "center"}
        axes.annotate(row.label, (0, y - 0.2), fontsize=TEXT, color=COLOURS["ink"], gid=classed("label"), **words)
        axes.annotate(row.note, (1, y - 0.2), ha="right", **{**_note(), **words})
    axes.axvline(0, color=COLOURS["edge"], linewidth=1)
    return figure


def dots(rows: Mapping[str, Mapping[str, float]], looks: Mapping[str, str], named: Mapping[str, str]) -> "Figure":
    """For each row its values by name, each from 0 to 1, as marks on a line.

    looks: of the names; those without are grey. named: what is said of each look, above the chart.
    """
    left, top, high = 16 + max(map(len, rows)) * LETTER, 34.0, len(rows) * ROW
    figure = new_figure(1.4 * WIDTH, top + high + BOTTOM - 14)
    axes = _axes(figure, left, top, 1.4 * WIDTH - 20 - left, high)
    axes.set(xlim=(-0.03, 1.03), ylim=(len(rows) - 0.5, -0.5))
    axes.set_yticks(range(len(rows)), list(rows))
    axes.set_xticks([0, 1], ["worst", "best"])
    axes.grid(axis="y", color=COLOURS["faint"])
    marks = {DESIGN: ("o", 7.5, 3), OTHER: ("|", 8.0, 1)}
    for y, values in enumerate(rows.values()):
        for name, value in values.items():
            look = looks.get(name, OTHER)
            mark, size, order = marks.get(look, ("D", 5.5, 2))
            axes.plot(value, y, mark, color=COLOURS[look], markersize=size, zorder=order, clip_on=False)
    for look, words in named.items():
        mark, size, _ = marks.get(look, ("D", 5.5, 2))
        axes.plot([], [], mark, color=COLOURS[look], markersize=size, label=words)
    figure.legend(loc="upper center", ncols=len(named), frameon=False, fontsize=TEXT, labelcolor=COLOURS["ink"])
    return figure


def shades(
    *tables: tuple[str, Floats], rows: Sequence[str], columns: Sequence[str], across: str = "", up: str = "",
    words: Sequence[Sequence[Sequence[str]]] = (), breaks: Sequence[int] = (), cell: tuple[float, float] = (20.0, 16.0),
) -> "Figure":  # fmt: skip
    """Tables of shares from 0 to 1, side by side, as cells that are the denser the larger; what is no number is left
    out.

    words: in the cells of each table. breaks: rows above which there is a line.
    """
    left, top = 20 + max(map(len, rows)) * LETTER + (16 if up else 0), TOP + TITLE * any(title for title, _ in tables)
    wide, high = cell[0] * len(columns), cell[1] * len(rows)
    each = left + wide + 10
    figure = new_figure(each * len(tables), top + high + (BOTTOM if across else 26))
    for number, (title, values) in enumerate(tables):
        axes = _axes(figure, number * each + left, top, wide, high)
        axes.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5), xlabel=across)
        axes.set_ylabel(up, labelpad=9)
        axes.set_title(title, fontsize=TEXT, color=COLOURS["ink"])
        for i, j in zip(*np.nonzero(values > 0), strict=True):
            share = min(1.0, float(values[i, j]))
            axes.barh(i, 1, 1, j - 0.5, facecolor=(COLOURS[DESIGN], share), linewidth=0)
        for i, line in enumerate(words[number] if words else ()):
            for j, text in enumerate(line):
                colour = COLOURS["page" if values[i, j] > DARK else "ink"]
                axes.text(j, i, text, ha="center", va="center", fontsize=8, color=colour)
        axes.set_xticks(range(len(columns)), columns)
        axes.set_yticks(range(len(rows)), rows)
        edges: dict[str, Any] = {"colors": COLOURS["faint"], "linewidth": 0.5}
        axes.hlines(np.arange(len(rows) + 1) - 0.5, -0.5, len(columns) - 0.5, **edges)
        axes.vlines(np.arange(len(columns) + 1) - 0.5, -0.5, len(rows) - 0.5, **edges)
        axes.hlines([row - 0.5 for row in breaks], -0.5, len(columns) - 0.5, colors=COLOURS["edge"], linewidth=1)
    return figure


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure on the page's ground."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width / 72, height / 72), facecolor=COLOURS["page"])


def widened(low: float, high: float) -> tuple[float, float]:
    """A range with some air around it."""
    air = 0.04 * (high - low) or 0.05 * abs(low) or 1.0
    return low - air, high + air


def apart(heights: Sequence[float], gap: float, low: float = -math.inf, high: float = math.inf) -> list[float]:
    """Heights moved as little as can be so that no two are closer than `gap`, in the same order, from low to high if
    there is room.
    """
    from scipy.optimize import isotonic_regression

    order = np.argsort(heights, kind="stable")
    steps = gap * np.arange(len(heights))
    levels = isotonic_regression(np.asarray(heights, float)[order] - steps).x
    placed = np.empty(len(heights))
    placed[order] = np.minimum(np.maximum(levels, low), high - steps[-1]) + steps
    return placed.tolist()


def _draw_panel(figure: "Figure", panel: Panel, x: float, y: float, width: float, height: float) -> None:
    """A panel in the part of a figure that begins at (x, y), from the upper left."""
    named = [curve for curve in panel.curves if curve.named]
    ticks = _round_ticks(*panel.ylim(), log=False)
    left = 24 + max(len(short(tick)) for tick in ticks) * LETTER
    right = 8 + max((len(curve.label) for curve in named), default=0) * BOLD
    top = TOP + TITLE * bool(panel.title)
    wide, high = width - left - right, height - top - BOTTOM
    axes = _axes(figure, x + left, y + top, wide, high)
    axes.set(xscale="log" if panel.log else "linear", xlim=panel.xlim(), ylim=panel.ylim(), ylabel=panel.up)
    if panel.title:
        axes.set_title(panel.title, fontsize=TEXT, color=COLOURS["ink"])
    _name_across(axes, panel.across, panel.ticks, log=panel.log)
    axes.set_yticks(ticks, [short(tick) for tick in ticks])
    axes.grid(axis="y", color=COLOURS["faint"])
    axes.spines["left"].set_visible(False)
    for curve in sorted(panel.curves, key=lambda curve: (curve.look == DESIGN, curve.look != OTHER)):
        _draw_curve(axes, curve)
    if panel.line is not None:
        value, words = panel.line
        low, top_value = axes.get_ylim()
        below = (top_value - value) / (top_value - low) * high < 14
        axes.axhline(value, color=COLOURS["soft"], linewidth=1, linestyle=(0, (2, 3)), gid=classed("mark"))
        where: dict[str, Any] = {
            "xycoords": ("axes fraction", "data"),
            "textcoords": "offset points",
            "va": "top" if below else "bottom",
        }
        axes.annotate(words, (0, value), (4, -3 if below else 3), **{**_note(), **where})
    _name_ends(axes, named, high)


def _draw_curve(axes: "Axes", curve: Curve) -> None:
    low, high = axes.get_xlim()
    seen = [i for i, x in enumerate(curve.xs) if low <= x <= high]
    at, colour = [curve.xs[i] for i in seen], COLOURS[curve.look]
    width, dashes = STROKES[curve.look]
    if curve.low and curve.high:
        below, above = (_within(axes, [values[i] for i in seen]) for values in (curve.low, curve.high))
        there = np.flatnonzero(~(np.isnan(below) | np.isnan(above)))
        there = there[_corners(below[there]) | _corners(above[there])]
        xs = np.array(at, float)[there]
        axes.fill_between(xs, below[there], above[there], color=colour, alpha=BAND, linewidth=0, gid=classed("band"))
    ys = _within(axes, [curve.ys[i] for i in seen])
    there = ~np.isnan(ys)
    dots = {"marker": "o", "markersize": 5.2, "markeredgewidth": 0} if curve.dots else {}
    style = {"color": colour, "linewidth": width, "linestyle": dashes, "gid": classed(f"curve {curve.look}"), **dots}
    axes.plot(np.array(at, float)[there], ys[there], solid_joinstyle="round", **style)


def _corners(values: Floats) -> "np.ndarray[Any, np.dtype[np.bool_]]":
    """Which points of a line matter: not those in the midst of a level part."""
    level = values[1:] == values[:-1]
    return ~(np.append(level, False) & np.append(False, level))[: len(values)]


def _within(axes: "Axes", values: Sequence[float | None]) -> Floats:
    """Values, none far outside what is shown: numbers that are too large for a picture break it."""
    low, high = axes.get_ylim()
    room = 5 * (high - low)
    return np.clip(np.array([np.nan if value is None else value for value in values], float), low - room, high + room)


def _name_ends(axes: "Axes", named: Sequence[Curve], high: float) -> None:
    """The names of curves beside their ends, none over another."""
    if not named:
        return
    low, top = axes.get_ylim()
    named = named[::-1]  # of curves that end alike, the first is named above the others
    ends = [[y for y in curve.ys if y is not None][-1] for curve in named]
    heights = apart([high * (min(max(end, low), top) - low) / (top - low) for end in ends], APART, 0, high)
    for curve, height in zip(named, heights, strict=True):
        axes.annotate(
            curve.label, (1, height / high), (5, 0), "axes fraction", "offset points", fontsize=TEXT, fontweight="bold",
            color=COLOURS[curve.look], va="center", annotation_clip=False, gid=classed("label"),
        )  # fmt: skip


def _axes(figure: "Figure", left: float, top: float, width: float, height: float) -> "Axes":
    """Axes at a place in points, from the upper left; without ticks and without the upper and the right edge."""
    whole_width, whole_height = figure.get_size_inches() * 72
    lower = whole_height - top - height
    axes = figure.add_axes((left / whole_width, lower / whole_height, width / whole_width, height / whole_height))
    axes.set_facecolor("none")
    axes.set_axisbelow(True)
    axes.minorticks_off()
    axes.tick_params(length=0, labelsize=NUMBERS, labelcolor=COLOURS["soft"], pad=5)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(COLOURS["edge"])
    for axis in (axes.xaxis, axes.yaxis):
        axis.label.set(fontsize=TEXT, color=COLOURS["soft"])
    return axes


def _rows(axes: "Axes", low: float, high: float, count: int, across: str) -> None:
    """An axis across for a number of rows, the first at the top."""
    axes.set(xlim=(low, high), ylim=(count - 0.5, -0.5))
    _name_across(axes, across, None, log=False)
    axes.grid(axis="x", color=COLOURS["faint"])


def _name_across(axes: "Axes", name: str, ticks: Sequence[float] | None, *, log: bool) -> None:
    """The axis across: its name, and numbers that are not over one another; a number that has no room is left out."""
    low, high = axes.get_xlim()
    wide = axes.bbox.width / axes.figure.dpi * 72
    shown = [tick for tick in ticks or _round_ticks(low, high, log=log) if low <= tick <= high]
    labels, free = [], -math.inf
    for tick in shown:
        share = math.log(tick / low) / math.log(high / low) if log else (tick - low) / (high - low)
        half = len(short(tick)) * LETTER / 2
        room = share * wide - half > free
        labels.append(short(tick) if room else "")
        free = share * wide + half + 2 if room else free
    axes.set_xticks(shown, labels)
    axes.minorticks_off()
    axes.set_xlabel(name)


def _round_ticks(low: float, high: float, *, log: bool) -> list[float]:
    """About five round numbers, or the powers of ten."""
    from matplotlib.ticker import MaxNLocator

    if log:
        first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        if last - first >= 1:
            return [10.0**power for power in range(first, last + 1, max(1, -(-(last - first) // 6)))]
        return [low, high]
    ticks = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(low, high)
    return [float(f"{tick:.12g}") for tick in ticks if low <= tick <= high] or [low]


def _range(values: Iterable[float]) -> tuple[float, float]:
    listed = list(values)
    return (min(listed), max(listed)) if listed else (0.0, 1.0)


def _note() -> dict[str, Any]:
    return {"fontsize": NUMBERS, "color": COLOURS["soft"], "gid": classed("note")}
