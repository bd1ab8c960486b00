"""What an experiment leaves, in every form."""

import json
from pathlib import Path

from metasmith.report.charts import new_figure
from metasmith.report.sheet import Picture, Sheet
from metasmith.report.tables import Strong, Table

FIRST = Table(["function", "mean"], [["F1", "625 ± 0"], ["F2", Strong("231.2")]])
SECOND, THIRD = Table(["a_b"], [["1"]], "Permuted & more"), Table(["c"], [["2"]], "Permuted & more")
PARTS = [
    "Words | with a bar.",
    FIRST,
    Picture("picture", lambda: new_figure(90, 60)),
    "## Permuted & more",
    SECOND,
    THIRD,
]
SHEET = Sheet("page", "A page", PARTS, {"numbers": [1]}, files={"runs.csv": "seed\n1\n"})


def test_tables_are_named_by_their_titles():
    assert SHEET.tables() == {"page": FIRST, "page-permuted-more": SECOND, "page-permuted-more-2": THIRD}


def test_all_forms_are_saved(tmp_path: Path):
    SHEET.save(tmp_path / "new", "Made by hand.")
    assert sorted(file.name for file in (tmp_path / "new").iterdir()) == [
        "page-permuted-more-2.csv", "page-permuted-more-2.tex", "page-permuted-more.csv", "page-permuted-more.tex",
        "page.csv", "page.json", "page.md", "page.tex", "picture.svg", "runs.csv",
    ]  # fmt: skip
    assert json.loads((tmp_path / "new" / "page.json").read_text()) == {"numbers": [1]}
    assert (tmp_path / "new" / "page.csv").read_text() == FIRST.csv()
    assert (tmp_path / "new" / "page.md").read_text() == SHEET.page("Made by hand.")


def test_the_page_has_all_parts_in_order():
    page = SHEET.page("Made by hand.")
    assert page.startswith("# A page\n\nMade by hand.\n\nWords | with a bar.\n\n| function | mean")
    assert "| **231.2** |\n\n![picture](picture.svg)\n\n## Permuted & more\n\n| a_b |" in page
    costly = Sheet("page", "A page", ["Words."], [], "It took long.")
    assert costly.page("Made by hand.") == "# A page\n\nMade by hand.\nIt took long.\n\nWords.\n"


def test_the_text_for_the_terminal_has_no_pictures():
    assert "picture.svg" not in SHEET.text
    assert SHEET.text.startswith("Words | with a bar.\n\n| function")


def test_pictures_of_problems_are_saved_as_they_are(tmp_path: Path):
    from matplotlib.figure import Figure

    for chart, begin in ((True, "<svg"), (False, "<?xml")):
        Picture("one", Figure, chart).save(tmp_path)
        assert (tmp_path / "one.svg").read_text().startswith(begin)
