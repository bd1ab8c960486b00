"""What an experiment found, in every form."""

import csv
import json

from metasmith.experiments.pages import markdown
from metasmith.experiments.sheets import Sheet, Table, tables

TEXT = f"""\
Words | with a bar.

{markdown(["function", "mean"], [["F1", "625 ± 0"], ["F2", "**231.2**"]])}

## Permuted & more

{markdown(["a_b", "Alg*"], [["50 %", "**Alg***"]])}

{markdown(["c"], [["1"]])}
"""


def test_every_table_of_a_page_is_found_under_its_heading():
    assert tables(TEXT, "page") == {
        "page": Table(["function", "mean"], [["F1", "625 ± 0"], ["F2", "**231.2**"]]),
        "page-permuted-more": Table(["a_b", "Alg*"], [["50 %", "**Alg***"]]),
        "page-permuted-more-2": Table(["c"], [["1"]]),
    }


def test_csv_and_latex():
    first, second, _ = tables(TEXT, "page").values()
    assert list(csv.reader(first.csv().splitlines())) == [["function", "mean"], ["F1", "625 ± 0"], ["F2", "231.2"]]
    assert first.latex().splitlines() == [
        r"\begin{tabular}{lr}", r"\toprule", r"function & mean \\", r"\midrule", r"F1 & 625 $\pm$ 0 \\", r"F2 & \textbf{231.2} \\",
        r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip
    assert r"50 \% & \textbf{Alg*} \\" in second.latex()
    assert r"a\_b & Alg* \\" in second.latex()
    assert second.csv() == "a_b,Alg*\n50 %,Alg*\n"


def test_all_forms_are_saved(tmp_path):
    from matplotlib.figure import Figure

    sheet = Sheet("page", "A page", TEXT, {"numbers": [1]}, {"picture": Figure}, {"runs.csv": "seed\n1\n"})
    sheet.save(tmp_path / "new", "Made by hand.")
    assert sorted(file.name for file in (tmp_path / "new").iterdir()) == [
        "page-permuted-more-2.csv", "page-permuted-more-2.tex", "page-permuted-more.csv", "page-permuted-more.tex",
        "page.csv", "page.json", "page.md", "page.tex", "picture.svg", "runs.csv",
    ]  # fmt: skip
    assert json.loads((tmp_path / "new" / "page.json").read_text()) == {"numbers": [1]}
    assert sheet.page("Made by hand.").startswith("# A page\n\nMade by hand.\n\n![picture](picture.svg)\n\nWords")
