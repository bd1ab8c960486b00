"""Tables: one value, written in every form."""

import csv
from io import StringIO
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from metasmith.report.tables import Strong, Table, yes_or_no

FIRST = Table(["function", "mean"], [["F1", "625 ± 0"], ["F2", Strong("231.2")]])
SECOND = Table(["a_b", "Alg*"], [["50 %", Strong("Alg*")]], "Permuted & more")
texts = st.text(st.characters(min_codepoint=32, max_codepoint=1000), min_size=1, max_size=12)


def test_csv_and_latex():
    assert list(csv.reader(FIRST.csv().splitlines())) == [["function", "mean"], ["F1", "625 ± 0"], ["F2", "231.2"]]
    assert FIRST.latex().splitlines() == [
        r"\begin{tabular}{lr}", r"\toprule", r"function & mean \\", r"\midrule", r"F1 & 625 $\pm$ 0 \\",
        r"F2 & \textbf{231.2} \\", r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip
    assert r"50 \% & \textbf{Alg*} \\" in SECOND.latex()
    assert r"a\_b & Alg* \\" in SECOND.latex()
    assert SECOND.csv() == "a_b,Alg*\n50 %,Alg*\n"


def test_markdown_reads_well_as_it_is():
    assert FIRST.markdown().splitlines() == [
        "| function | mean      |",
        "| -------- | --------- |",
        "| F1       | 625 ± 0   |",
        "| F2       | **231.2** |",
    ]


def test_html_marks_a_row_and_what_stands_out():
    whole = ElementTree.fromstring(
        Table(["a", "<b>"], [["x & y", "1"], ["design", Strong("2")]], "A title").html("design")
    )
    assert [cell.text for cell in whole.iter("th")] == ["a", "<b>", "x & y", "design"]
    assert [(cell.text, cell.get("class")) for cell in whole.iter("td")] == [("1", "number"), ("2", "number best")]
    assert [row.get("class") for row in whole.iter("tr")] == [None, None, "design"]
    (table,) = whole.iter("table")
    assert table.get("aria-label") == "A title"


@given(st.lists(st.lists(texts, min_size=2, max_size=2), min_size=1, max_size=4))
def test_any_cells_come_out_of_csv_as_they_went_in(rows):
    assert list(csv.reader(StringIO(Table(["a", "b"], rows).csv(), newline=""))) == [["a", "b"], *rows]


@given(st.lists(st.text("ab|. ", min_size=1, max_size=6).map(str.strip), min_size=2, max_size=4))
def test_a_bar_in_a_cell_makes_no_column_in_markdown(cells):
    html = MarkdownIt("commonmark").enable("table").render(Table(["x", "y"], [cells[:2]]).markdown())
    assert html.count("<td>") == 2


def test_the_answer_no_stands_out():
    assert [isinstance(yes_or_no(good), Strong) for good in (True, False)] == [False, True]
    assert [yes_or_no(True), yes_or_no(False)] == ["yes", "no"]
