"""Charts: whole XML, within their frame, with every name that was given."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_helpers import of_class, parsed, texts

from metasmith.report.charts import APART, WIDTH, Curve, Row, Scale, boxes, curves, intervals, quantile
from metasmith.report.numbers import number, short, three

numbers = st.floats(-1e9, 1e9, allow_nan=False)
labels = st.text(st.characters(min_codepoint=32, max_codepoint=1000), min_size=1, max_size=20)


def within(picture: str) -> bool:
    """Whether every number is one, and every box and line begins and ends inside."""
    _, _, wide, high = map(float, parsed(picture).get("viewBox", "").split())
    xs = [
        float(value) for each in parsed(picture).iter() for name in ("x", "x1", "x2", "cx") if (value := each.get(name))
    ]
    ys = [
        float(value) for each in parsed(picture).iter() for name in ("y", "y1", "y2", "cy") if (value := each.get(name))
    ]
    return all(math.isfinite(x) and -0.1 <= x <= wide + 0.1 for x in xs) and all(-0.1 <= y <= high + 0.1 for y in ys)


@given(st.lists(numbers, min_size=1, max_size=30), st.lists(numbers, min_size=1, max_size=30), labels, st.booleans())
def test_any_curves_make_a_whole_picture(one, other, label, log):
    drawn = [
        Curve(label, "design", range(1, len(one) + 1), one, [y - 1 for y in one], [y + 1 for y in one]),
        Curve("rls", "other", range(1, len(other) + 1), other),
    ]
    picture = curves(label, drawn, across="evaluations", up="value", log=log, line=(one[0], "optimum"))
    assert within(picture)
    assert {label, "optimum", "evaluations", "value"} <= set(texts(picture))
    assert "rls" not in texts(picture)  # grey ones are named in the text


@given(st.lists(st.tuples(labels, st.lists(numbers, max_size=20)), min_size=1, max_size=12))
def test_any_rows_make_whole_boxes_and_intervals(rows):
    picture = boxes(
        "final values", [Row(label, "first", values, "infeasible") for label, values in rows], across="value"
    )
    assert within(picture)
    assert len(of_class(picture, "dot")) == sum(len(values) for _, values in rows)
    assert texts(picture).count("infeasible") >= sum(not values for _, values in rows)
    picture = intervals(
        "loss",
        [Row(label, "first", (sum(v, 0.0), min(v, default=0.0), max(v, default=0.0))) for label, v in rows],
        across="x",
    )
    assert within(picture)
    assert len(of_class(picture, "bar")) == len(rows)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8))
def test_names_beside_curves_are_not_over_one_another(ends):
    picture = curves(
        "shares",
        [Curve(f"c{i}", "first", [1, 2], [0.0, end]) for i, end in enumerate(ends)],
        across="x",
        up="y",
        ys=(0, 1),
    )
    places = sorted(float(each.get("y", "")) for each in of_class(picture, "label"))
    assert len(places) == len(ends)
    assert all(below - above >= APART - 0.11 for above, below in pairwise(places))


def test_a_curve_is_where_its_values_are():
    picture = curves(
        "a line", [Curve("c", "design", [10, 100, 1000], [0.0, 5.0, 10.0])], across="x", up="y", log=True, ys=(0, 10)
    )
    (line,) = of_class(picture, "curve")
    (plot,) = of_class(picture, "plot")
    wide, high = float(plot.get("width", "")), float(plot.get("height", ""))
    points = [tuple(map(float, point.split(","))) for point in line.get("d", "").removeprefix("M").split("L")]
    assert points == [pytest.approx(each, abs=0.06) for each in ((0, high), (wide / 2, high / 2), (wide, 0))]
    assert {"10", "100", "1k"} <= set(texts(picture))


def test_numbers_on_an_axis_are_not_over_one_another():
    sizes = [40, 80, 120, 160, 200, 240, 280, 320, 360, 400]
    picture = curves(
        "sizes", [Curve("c", "design", sizes, sizes)], across="x", up="y", log=True, ticks=sizes, ys=(0, 0)
    )
    places = [
        (float(each.get("x", "")), len(each.text or ""))
        for each in of_class(picture, "tick")
        if each.get("text-anchor") == "middle"
    ]
    assert 5 <= len(places) < len(sizes)
    assert all(right - left >= 6 * (one + other) / 2 for (left, one), (right, other) in pairwise(places))
    assert "40" in texts(picture)


def test_what_is_missing_is_left_out_and_nothing_at_all_is_no_error():
    picture = curves(
        "gaps", [Curve("c", "design", [1, 2, 3], [None, 5.0, None]), Curve("d", "first", [], [])], across="x", up="y"
    )
    assert within(picture)
    assert "d" not in texts(picture)
    assert within(curves("nothing", [], across="x", up="y"))


@given(st.lists(numbers, min_size=1, max_size=20), st.floats(0, 1))
def test_quantiles_are_numpy_s(values, share):
    assert quantile(values, share) == pytest.approx(np.quantile(values, share), rel=1e-6, abs=1e-3)


def test_quantiles_beside_infinity_are_numbers():
    assert [quantile([1, 2, 3, math.inf, math.inf], share) for share in (0.0, 0.25, 0.5, 0.7, 1.0)] == [
        1,
        2,
        3,
        math.inf,
        math.inf,
    ]
    assert [quantile([1, 2, 3, -math.inf, -math.inf], share) for share in (0.0, 0.25, 0.3, 0.5, 1.0)] == [
        -math.inf
    ] * 3 + [1, 3]


def test_what_is_beyond_stands_at_the_edge():
    rows = [Row("a", "first", [1.0, 2.0, -1e5]), Row("b", "second", [2.0, 3.0, 4.0])]
    picture = boxes("final values", rows, across="value", xs=(1.0, 4.0))
    assert within(picture)
    places = [float(each.get("cx", "")) for each in of_class(picture, "dot")]
    assert places[2] < places[0] < places[1] == places[3] < places[5]
    picture = intervals(
        "losses",
        [Row("a", "first", [1e5, 9e4, 2e5]), Row("b", "first", [2.0, 1.0, 3.0])],
        across="value",
        xs=(1.0, 3.0),
    )
    assert within(picture)
    far, near = (float(each.get("width", "")) for each in of_class(picture, "bar"))
    assert far < 2 * near


@given(numbers, st.floats(1e-6, 1e9))
def test_ticks_are_few_and_within(low, span):
    ticks = Scale(low, low + span, 0, WIDTH).ticks()
    assert len(ticks) <= 8
    assert all(low - 1e-6 * span - 1e-6 <= tick <= low + span * 1.000001 + 1e-6 for tick in ticks)


def test_numbers_are_as_people_read_them():
    assert [number(value) for value in (625.0, 219.63, 4.6785, 0.03312, 50_000, -3.5)] == [
        "625",
        "219.6",
        "4.678",
        "0.03312",
        "50,000",
        "\N{MINUS SIGN}3.5",
    ]
    assert [three(value) for value in (0.023456, -1.23456, 0.0, 312.44, 127_936.2)] == [
        "0.0235",
        "\N{MINUS SIGN}1.23",
        "0",
        "312",
        "127,936",
    ]
    assert [short(value) for value in (0.0, 10.0, 1000.0, 25_000.0, 2e6, -400.0)] == [
        "0",
        "10",
        "1k",
        "25k",
        "2M",
        "\N{MINUS SIGN}400",
    ]
