"""Charts: whole XML, within their frame, with every name that was given, and what they show is where it should be."""

import math
import re
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_helpers import of_class, parsed, texts

from metasmith.report.charts import (
    APART,
    DESIGN,
    LOOKS,
    OTHER,
    STROKES,
    Curve,
    Panel,
    Row,
    apart,
    boxes,
    curves,
    dots,
    intervals,
    shades,
)  # fmt: skip
from metasmith.report.svg import COLOURS, chart, inline, is_chart, themed

numbers = st.floats(-1e9, 1e9, allow_nan=False)
labels = st.text(st.characters(min_codepoint=32, max_codepoint=1000), min_size=1, max_size=20)


def drawn(figure: Any) -> str:
    return chart(figure, "A title")


def within(picture: str) -> bool:
    """Whether every number is one, and every word begins inside."""
    _, _, wide, high = map(float, parsed(picture).get("viewBox", "").split())
    words = list(parsed(picture).iter("{http://www.w3.org/2000/svg}text"))
    places = [(float(word.get("x", "")), float(word.get("y", ""))) for word in words]
    paths = [each.get("d", "") for each in parsed(picture).iter("{http://www.w3.org/2000/svg}path")]
    whole = all(re.fullmatch(r"[MLQCz\d. -]*", path) for path in paths)
    return whole and all(-0.1 <= x <= wide + 0.1 and -0.1 <= y <= high + 0.1 for x, y in places)


def points(element: ElementTree.Element) -> list[tuple[float, float]]:
    """The corners of the path in an element."""
    (path,) = element.iter("{http://www.w3.org/2000/svg}path")
    pairs = re.findall(r"(-?[\d.]+) (-?[\d.]+)", path.get("d", ""))
    return [(float(x), float(y)) for x, y in pairs]


def width(element: ElementTree.Element) -> float:
    xs = [x for x, _ in points(element)]
    return max(xs) - min(xs)


@settings(max_examples=25)
@given(st.lists(numbers, min_size=1, max_size=30), st.lists(numbers, min_size=1, max_size=30), labels, st.booleans())
def test_any_curves_make_a_whole_picture(one, other, label, log):
    panel = [
        Curve(label, DESIGN, range(1, len(one) + 1), one, [y - 1 for y in one], [y + 1 for y in one]),
        Curve("rls", OTHER, range(1, len(other) + 1), other),
    ]
    picture = drawn(curves(Panel(panel, "evaluations", "value", log=log, xs=(1, 31), line=(one[0], "optimum"))))
    assert within(picture)
    assert {label.strip(), "optimum", "evaluations", "value"} <= {word.strip() for word in texts(picture)}
    assert "rls" not in texts(picture)  # grey ones are named in the text


@settings(max_examples=25)
@given(st.lists(st.tuples(labels, st.lists(numbers, max_size=20)), min_size=1, max_size=12))
def test_any_rows_make_whole_boxes_and_intervals(rows):
    picture = drawn(boxes([Row(label, "first", values, "infeasible") for label, values in rows], across="value"))
    assert within(picture)
    marks = [use for each in of_class(picture, "dots") for use in each.iter("{http://www.w3.org/2000/svg}use")]
    assert len(marks) == sum(len(values) for _, values in rows)
    assert texts(picture).count("infeasible") >= sum(not values for _, values in rows)
    values = [(sum(v, 0.0), min(v, default=0.0), max(v, default=0.0)) for _, v in rows]
    picture = drawn(intervals([Row(label, "first", v) for (label, _), v in zip(rows, values, strict=True)], across="x"))
    assert within(picture)
    assert len(of_class(picture, "bar")) == len(rows)


@settings(max_examples=25)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=8))
def test_names_beside_curves_are_not_over_one_another(ends):
    panel = [Curve(f"c{i}", "first", [1, 2], [0.0, end]) for i, end in enumerate(ends)]
    picture = drawn(curves(Panel(panel, "x", "y", ys=(0, 1))))
    places = sorted(float(each[0].get("y", "")) for each in of_class(picture, "label"))
    assert len(places) == len(ends)
    assert all(below - above >= APART - 0.11 for above, below in pairwise(places))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_heights_are_moved_apart_in_order_and_no_further_than_needed(heights):
    placed, order = apart(heights, 0.05), np.argsort(heights, kind="stable")
    assert (np.diff(np.array(placed)[order]) > 0.05 - 1e-9).all()
    assert np.abs(np.mean(placed) - np.mean(heights)) < 1e-9
    assert apart(placed, 0.05 - 1e-9) == pytest.approx(placed)
    bounded = apart(heights, 0.05, 0.0, 1.0)
    assert min(bounded) >= 0
    assert max(bounded) <= 1
    assert (np.diff(np.array(bounded)[order]) > 0.05 - 1e-9).all()


def test_of_curves_that_end_alike_the_first_is_named_above():
    picture = drawn(curves(Panel([Curve(name, "first", [1, 2], [0, 1]) for name in ("a", "b")], "x", "y")))
    above, below = sorted(of_class(picture, "label"), key=lambda each: float(each[0].get("y", "")))
    assert (above[0].text, below[0].text) == ("a", "b")


def test_a_curve_is_where_its_values_are():
    line = Curve("c", DESIGN, [10, 100, 1000], [0.0, 4.0, 8.0])
    picture = drawn(curves(Panel([line], "x", "y", log=True, ys=(0, 8))))
    (left, bottom), middle, (right, top) = points(of_class(picture, "curve")[0])
    assert middle == pytest.approx(((left + right) / 2, (top + bottom) / 2), abs=0.11)
    ticks = {word.text: word for word in parsed(picture).iter("{http://www.w3.org/2000/svg}text")}
    for text, x in (("10", left), ("100", middle[0]), ("1k", right)):
        assert float(ticks[text].get("x", "")) == pytest.approx(x, abs=0.11)
    assert bottom - top == pytest.approx(float(ticks["0"].get("y", "")) - 12 - 4, abs=2)


def test_numbers_on_an_axis_are_not_over_one_another():
    sizes = [40, 80, 120, 160, 200, 240, 280, 320, 360, 400]
    panel = Panel([Curve("c", DESIGN, sizes, sizes)], "x", "y", log=True, ticks=sizes, ys=(0, 0))
    picture = drawn(curves(panel))
    words = [word for word in parsed(picture).iter("{http://www.w3.org/2000/svg}text") if word.text in map(str, sizes)]
    places = [(float(word.get("x", "")), len(word.text or "")) for word in words]
    assert 5 <= len(places) < len(sizes)
    assert all(right - left >= 6 * (one + other) / 2 for (left, one), (right, other) in pairwise(places))
    assert "40" in texts(picture)


def test_what_is_missing_is_left_out_and_nothing_at_all_is_no_error():
    panel = [Curve("c", DESIGN, [1, 2, 3], [None, 5.0, None]), Curve("d", "first", [], [])]
    picture = drawn(curves(Panel(panel, "x", "y")))
    assert within(picture)
    assert "d" not in texts(picture)
    nothing = [Curve("c", DESIGN, [1, 2], [None, None], [None, None], [None, None])]
    assert within(drawn(curves(Panel(nothing, "x", "y"))))
    assert within(drawn(curves(Panel([], "x", "y"))))


def test_what_is_beyond_stands_at_the_edge():
    rows = [Row("a", "first", [1.0, 2.0, -1e5]), Row("b", "second", [2.0, 3.0, 4.0])]
    picture = drawn(boxes(rows, across="value", xs=(1.0, 4.0)))
    assert within(picture)
    uses = [each.iter("{http://www.w3.org/2000/svg}use") for each in of_class(picture, "dots")]
    places = [float(use.get("x", "")) for each in uses for use in each]
    assert places[2] < places[0] < places[1] == places[3] < places[5]
    losses = [Row("a", "first", [1e5, 9e4, 2e5]), Row("b", "first", [2.0, 1.0, 3.0])]
    picture = drawn(intervals(losses, across="value", xs=(1.0, 3.0)))
    assert within(picture)
    far, near = (width(each) for each in of_class(picture, "bar"))
    assert near < far < 2 * near


def test_several_panels_have_titles_and_axes_of_their_own():
    panels = [Panel([Curve("c", DESIGN, [1, 2], [0, top])], "x", f"up {top}", f"panel {top}") for top in (1, 5, 9, 13)]
    picture = drawn(curves(*panels, columns=3, note="below all"))
    assert {"panel 1", "panel 13", "up 5", "up 9", "below all"} <= set(texts(picture))
    assert len(of_class(picture, "curve")) == 4
    assert within(picture)


def test_dots_are_from_worst_to_best():
    figure = dots({"F1": {"ours": 1.0, "theirs": 0.25}, "F2": {"ours": 0.5}}, {"ours": DESIGN}, {DESIGN: "our designs"})
    assert within(drawn(figure))
    assert {"F1", "F2", "our designs", "worst", "best"} <= set(texts(drawn(figure)))
    placed = [
        tuple(float(each[0]) for each in line.get_data()) for line in figure.axes[0].lines if len(line.get_xdata())
    ]
    assert placed == [(1.0, 0.0), (0.25, 0.0), (0.5, 1.0)]


def test_shades_are_denser_the_larger_the_share():
    values = np.array([[1.0, 0.5], [np.nan, 0.0]])
    figure = shades(("one", values), rows=["a", "b"], columns=["x", "y"], words=[[["p", "q"], ["", "r"]]])
    cells = [(cell.get_x() + 0.5, cell.get_y() + 0.5, cell.get_facecolor()[3]) for cell in figure.axes[0].patches]
    assert cells == [(0, 0, 1.0), (1, 0, 0.5)]
    assert {"a", "b", "x", "y", "p", "q", "r", "one"} <= set(texts(drawn(figure)))
    colours = {text.get_text(): text.get_color() for text in figure.axes[0].texts}
    assert (colours["p"], colours["q"]) == (COLOURS["page"], COLOURS["ink"])


def example() -> Any:
    return curves(Panel([Curve("a & <b> $c$", DESIGN, [1, 2], [0, 1], [0, 0], [1, 1])], "x", "y"))


def test_the_same_figure_gives_the_same_bytes():
    assert chart(example(), "one") == chart(example(), "one")


def test_ids_are_used_and_no_other_picture_has_them():
    first, second = ({each.get("id") for each in parsed(chart(example(), name)).iter()} for name in ("one", "two"))
    assert first & second == {None}
    assert len(first) > 1
    picture = chart(example(), "one")
    referred = set(re.findall(r'(?:url\(|href=")#(\w+)', picture))
    assert referred == first - {None}


def test_a_chart_has_a_title_and_words_that_are_words():
    picture = chart(example(), "A & B")
    root = parsed(picture)
    assert (root[0].tag.rpartition("}")[2], root[0].text) == ("title", "A & B")
    assert (root.get("role"), root.get("class")) == ("img", "chart")
    assert "a & <b> $c$" in texts(picture)  # a dollar is a dollar
    assert "font-family" not in picture
    assert is_chart(picture)
    assert not is_chart("<?xml ...><svg></svg>")


def test_a_chart_in_a_page_takes_the_colours_of_the_page():
    picture = str(inline(example(), "one"))
    assert not re.search("#[0-9a-f]{6}", picture)
    assert set(COLOURS) >= set(re.findall(r"var\(--(\w+)\)", picture)) >= {"design", "soft", "page"}
    assert themed(chart(example(), "one")) == picture


def test_the_colours_are_those_of_the_style():
    """Every colour has a light and a dark form in the style of the pages; light ones are those that figures have."""
    from importlib.resources import files

    style = (files("metasmith.report") / "page.css").read_text()
    light, dark = (dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", part)) for part in re.split("@media", style, maxsplit=1))
    assert {name: light[name] for name in COLOURS} == COLOURS
    assert set(COLOURS) <= set(dark)
    assert {DESIGN, OTHER, *LOOKS} == set(STROKES) <= set(COLOURS)


def test_ticks_are_few_and_within():
    for low, span in ((0.0, 1.0), (-3.7, 12.5), (1e6, 3.0), (0.001, 1e-6), (-1e9, 2e9)):
        panel = Panel([Curve("c", DESIGN, [0, 1], [low, low + span])], "x", "y", ys=(low, low + span))
        ticks = curves(panel).axes[0].get_yticks()
        assert 1 <= len(ticks) <= 8
        assert all(low <= tick <= low + span for tick in ticks)
        assert all(math.isfinite(tick) for tick in ticks)
