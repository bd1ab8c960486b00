"""Charts, small enough for a phone: curves with bands, boxes with the runs themselves, and changes with their
intervals.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from metasmith.report.numbers import short
from metasmith.report.svg import BOLD, LETTER, path, picture, tag, text

WIDTH = 400.0
HEIGHT = 250.0
TOP, BOTTOM = 12.0, 40.0
"""Room above the plot, and below it for ticks and the name of the axis."""

ROW = 20.0
"""Of a chart with a row for each of several things."""

APART = 12.0
"""How far the words beside curves are apart at least."""

DESIGN, OTHER = "design", "other"
LOOKS = ("first", "second", "third")
"""Classes of what is drawn: the design, the rivals in order, and all others, which are grey."""


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


@dataclass(frozen=True)
class Scale:
    """Values to places.

    The values from `low` to `high` lie between `start` and `end`, others outside; with `cut` at the edge.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    cut: bool = False

    def __call__(self, value: float) -> float:
        low, high, at = (
            (math.log(each) for each in (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        )
        share = (at - low) / (high - low) if high > low else 0.5
        least, most = (0.0, 1.0) if self.cut else (-5.0, 5.0)
        return self.start + min(most, max(least, share)) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """About five round numbers, or the powers of ten."""
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            if last - first >= 1:
                return [10.0**power for power in range(first, last + 1, max(1, -(-(last - first) // 6)))]
            return [self.low, self.high]
        if not self.high > self.low:
            return [self.low]
        rough = (self.high - self.low) / 6
        size = 10.0 ** math.floor(math.log10(rough))
        step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        return [step * i for i in range(first, math.floor(self.high / step + 1e-9) + 1)]


def curves(
    title: str,
    drawn: Sequence[Curve],
    *,
    across: str,
    up: str,
    log: bool = False,
    xs: tuple[float, float] | None = None,
    ys: tuple[float, float] | None = None,
    ticks: Sequence[float] | None = None,
    line: tuple[float, str] | None = None,
) -> Markup:
    """Curves that are named at their ends, the grey ones apart. across, up: names of the axes. xs, ys: what to show;
    all by default.

    ticks: of the axis across, if not round numbers. line: a value across the whole chart, and its name.
    """
    x_low, x_high = xs or _range([x for curve in drawn for x in curve.xs])
    y_low, y_high = ys or widened(
        *_range([y for curve in drawn for y in (*curve.ys, *curve.low, *curve.high) if y is not None])
    )
    if line is not None:
        y_low, y_high = min(y_low, line[0]), max(y_high, line[0] + 0.03 * (y_high - y_low))
    named = [curve for curve in drawn if curve.look != OTHER and any(y is not None for y in curve.ys)]
    left = 10 + max(len(short(tick)) for tick in Scale(y_low, y_high, 0, 1).ticks()) * LETTER + 14
    right = 8 + max((len(curve.label) for curve in named), default=0) * BOLD
    wide, high = WIDTH - left - right, HEIGHT - TOP - BOTTOM
    x, y = Scale(x_low, x_high, 0, wide, log), Scale(y_low, y_high, high, 0)
    inside = [tag("line", x1=0, x2=wide, y1=y(tick), y2=y(tick), class_="grid") for tick in y.ticks()]
    if line is not None:
        inside.append(tag("line", x1=0, x2=wide, y1=y(line[0]), y2=y(line[0]), class_="mark"))
    inside += [_band(curve, x, y) for curve in reversed(named)]
    inside += [
        _line(curve, x, y) for curve in sorted(drawn, key=lambda curve: curve.look != OTHER) if curve.look != DESIGN
    ]
    inside += [_line(curve, x, y) for curve in drawn if curve.look == DESIGN]
    plot = tag(
        "svg", *inside, x=left, y=TOP, width=wide, height=high, class_="plot"
    )  # of its own, so that what leaves it is cut off
    outside = [_across(x, left, TOP + high, across, ticks), _up(y, left, up)]
    if line is not None:
        outside.append(text(left + 4, TOP + y(line[0]) + (13 if y(line[0]) < 14 else -4), line[1], class_="note"))
    outside += _labels(named, y, left + wide + 5, high)
    return picture(WIDTH, HEIGHT, title, plot, *outside, class_="chart")


@dataclass(frozen=True)
class Row:
    """A name, and numbers for it: those of the runs, or of the interval."""

    label: str
    look: str
    values: Sequence[float] = field(default_factory=list)
    note: str = ""


def boxes(
    title: str,
    rows: Sequence[Row],
    *,
    across: str,
    xs: tuple[float, float] | None = None,
    line: tuple[float, str] | None = None,
) -> Markup:
    """For each row the middle half of the values as a box, the median, all from least to most, and the values
    themselves.

    xs: what to show, all by default; what is beyond stands at the edge.
    """
    everything = [*(xs or [value for row in rows for value in row.values]), *([line[0]] if line else [])]
    low, high = widened(*_range(everything))
    left, top, height = _left(rows), TOP + (12 if line else 0), len(rows) * ROW
    x = Scale(low, high, left, WIDTH - 14, cut=True)
    parts = _columns(x, top, height)
    if line is not None:
        parts += [
            tag("line", x1=x(line[0]), x2=x(line[0]), y1=top, y2=top + height, class_="mark"),
            _above(x(line[0]), top - 4, line[1]),
        ]
    for i, row in enumerate(rows):
        middle = top + (i + 0.5) * ROW
        parts.append(text(left - 8, middle + 4, row.label, text_anchor="end", class_=f"label {row.look}"))
        if not row.values:
            parts.append(text(left + 8, middle + 4, row.note or "nothing", class_="note"))
            continue
        quarter, half, three = (x(quantile(row.values, share)) for share in (0.25, 0.5, 0.75))
        parts.append(
            tag(
                "line", x1=x(min(row.values)), x2=x(max(row.values)), y1=middle, y2=middle, class_=f"whisker {row.look}"
            )
        )
        parts.append(
            tag("rect", x=quarter, y=middle - 6, width=max(1.0, three - quarter), height=12.0, class_=f"box {row.look}")
        )
        parts += [
            tag("circle", cx=x(value), cy=middle + (i * 7 % 9 - 4) * 0.9, r=1.8, class_=f"dot {row.look}")
            for i, value in enumerate(row.values)
        ]
        parts.append(tag("line", x1=half, x2=half, y1=middle - 7, y2=middle + 7, class_=f"median {row.look}"))
    parts.append(_across(x, 0, top + height, across))
    return picture(WIDTH, top + height + BOTTOM, title, *parts, class_="chart")


def intervals(title: str, rows: Sequence[Row], *, across: str, xs: tuple[float, float] | None = None) -> Markup:
    """For each row a bar from zero to a value, and its interval; values: value, low, high.

    The names stand above their bars.

    xs: what to show beside zero, all by default; what is beyond stands at the edge.
    """
    low, high = widened(*_range([0.0, *(xs or [value for row in rows for value in row.values])]))
    each, left, top = 38.0, 12.0, TOP
    height = len(rows) * each
    x = Scale(low, high, left, WIDTH - 14, cut=True)
    parts = _columns(x, top, height)
    for i, row in enumerate(rows):
        value, least, most = row.values
        middle = top + i * each + 26
        parts.append(text(left, middle - 11, row.label, class_="label"))
        parts.append(text(WIDTH - 14, middle - 11, row.note, text_anchor="end", class_="note"))
        bar = min(x(0), x(value)), max(1.0, abs(x(value) - x(0)))
        parts.append(tag("rect", x=bar[0], y=middle - 5, width=bar[1], height=10.0, class_=f"bar {row.look}"))
        parts.append(tag("line", x1=x(least), x2=x(most), y1=middle, y2=middle, class_="interval"))
        parts += [
            tag("line", x1=x(end), x2=x(end), y1=middle - 4, y2=middle + 4, class_="interval") for end in (least, most)
        ]
    parts.append(tag("line", x1=x(0), x2=x(0), y1=top, y2=top + height, class_="axis"))
    parts.append(_across(x, 0, top + height, across))
    return picture(WIDTH, top + height + BOTTOM, title, *parts, class_="chart")


def quantile(values: Sequence[float], share: float) -> float:
    """Between the two nearest values, as numpy has it."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    part = place - below
    return (
        (1 - part) * ordered[below] + part * ordered[below + 1] if part else ordered[below]
    )  # 0 times infinity is not a number


def widened(low: float, high: float) -> tuple[float, float]:
    """A range with some air around it."""
    air = 0.04 * (high - low) or 0.05 * abs(low) or 1.0
    return low - air, high + air


def _range(values: Sequence[float]) -> tuple[float, float]:
    return (min(values), max(values)) if values else (0.0, 1.0)


def _points(curve: Curve, ys: Sequence[float | None], x: Scale, y: Scale) -> list[tuple[float, float]]:
    return [(x(at), y(value)) for at, value in zip(curve.xs, ys, strict=True) if value is not None and at >= x.low]


def _line(curve: Curve, x: Scale, y: Scale) -> str:
    points = _points(curve, curve.ys, x, y)
    if not points:
        return ""
    dots = [tag("circle", cx=px, cy=py, r=2.6, class_=f"dot {curve.look}") for px, py in points] if curve.dots else []
    return path(points, class_=f"curve {curve.look}") + "".join(dots)


def _band(curve: Curve, x: Scale, y: Scale) -> str:
    below, above = (
        _points(curve, curve.low, x, y) if curve.low else [],
        _points(curve, curve.high, x, y) if curve.high else [],
    )
    return path([*below, *reversed(above)], class_=f"band {curve.look}") if below and above else ""


def _labels(named: Sequence[Curve], y: Scale, at: float, high: float) -> list[str]:
    """The names of curves beside their ends, none over another."""
    ends = [(y([each for each in curve.ys if each is not None][-1]), curve) for curve in named]
    ends.sort(key=lambda end: end[0])
    places: list[float] = []
    for place, _ in ends:
        places.append(max(place, places[-1] + APART if places else -math.inf))
    lowest = high
    for i in reversed(range(len(places))):
        places[i] = min(places[i], lowest)
        lowest = places[i] - APART
    return [
        text(at, TOP + place + 4, curve.label, class_=f"label {curve.look}")
        for place, (_, curve) in zip(places, ends, strict=True)
    ]


def _across(x: Scale, left: float, y: float, name: str, ticks: Sequence[float] | None = None) -> str:
    parts = [tag("line", x1=left + x.start, x2=left + x.end, y1=y, y2=y, class_="axis")]
    free = -math.inf
    for tick in ticks or x.ticks():
        parts.append(tag("line", x1=left + x(tick), x2=left + x(tick), y1=y, y2=y + 4, class_="axis"))
        half = len(short(tick)) * LETTER / 2
        if x(tick) - half > free:  # too near the one before, a number is left out
            parts.append(text(left + x(tick), y + 16, short(tick), text_anchor="middle", class_="tick"))
            free = x(tick) + half + 2
    parts.append(text(left + (x.start + x.end) / 2, y + 32, name, text_anchor="middle", class_="name"))
    return "".join(parts)


def _up(y: Scale, left: float, name: str) -> str:
    parts = [text(left - 6, TOP + y(tick) + 4, short(tick), text_anchor="end", class_="tick") for tick in y.ticks()]
    middle = TOP + (y.start + y.end) / 2
    parts.append(text(11, middle, name, text_anchor="middle", class_="name", transform=f"rotate(-90 11 {middle:.1f})"))
    return "".join(parts)


def _columns(x: Scale, top: float, height: float) -> list[str]:
    return [tag("line", x1=x(tick), x2=x(tick), y1=top, y2=top + height, class_="grid") for tick in x.ticks()]


def _above(x: float, y: float, words: str) -> str:
    """Words over a place, not beyond the picture."""
    half = len(words) * LETTER / 2
    return text(min(max(x, half), WIDTH - half), y, words, text_anchor="middle", class_="note")


def _left(rows: Sequence[Row]) -> float:
    return 16 + max(len(row.label) for row in rows) * BOLD
