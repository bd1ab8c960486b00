"""What an experiment found as one page."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from metasmith.cli import app
from metasmith.report.charts import Curve, Panel, curves
from metasmith.report.experiment_page import experiment_page, pages_in
from metasmith.report.sheet import Picture, Sheet
from metasmith.report.tables import Strong, Table

MEANS = Table(["function", "mean"], [["F1", Strong("625")], ["F2", "231"]], "Means")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    from matplotlib.figure import Figure

    chart = Picture("chart", lambda: curves(Panel([Curve("one", "design", [1, 2], [1, 2])], "x", "y")))
    parts = [chart, Picture("own", Figure, chart=False), "Words with <b>signs</b>.\n\n## Means", MEANS]
    Sheet("first", "A table", parts, []).save(tmp_path, "Made by `metasmith`.")
    Sheet("second", "Another", ["Nothing."], []).save(tmp_path, "Made by hand.")
    return tmp_path


def test_all_pages_of_a_folder_are_in_it_with_their_tables_and_pictures(folder: Path) -> None:
    text = experiment_page(pages_in(folder))
    whole = ElementTree.fromstring(text.partition("<body>")[2].partition("</body>")[0].strip())
    assert [section.get("id") for section in whole.iter("section")] == ["first", "second"]
    assert [heading.text for heading in whole.iter("h1")] == ["A table", "Another"]
    assert [cell.text or cell[0].text for cell in whole.iter("td")] == ["F1", "625", "F2", "231"]
    (picture,) = whole.iter("img")
    assert picture.get("src", "").startswith("data:image/svg+xml;base64,")
    (chart,) = whole.iter("{http://www.w3.org/2000/svg}svg")
    assert "one" in [word.text for word in chart.iter("{http://www.w3.org/2000/svg}text")]
    assert "var(--design)" in text  # a chart is in the colours of the page, a problem's picture in its own
    assert "Words with <b>" not in text  # signs are shown, not obeyed
    assert [link.get("href") for link in whole.iter("a")] == ["#first", "#second"]


def test_the_command(folder: Path) -> None:
    assert "first.md, second.md" in CliRunner().invoke(app, ["report", str(folder)]).stdout
    assert (folder / "report.html").read_text() == experiment_page(pages_in(folder))


def test_a_folder_with_nothing_in_it_is_one_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["report", str(tmp_path)])
    assert "is not the folder of a run" in str(result.exception)


def test_an_experiment_that_has_not_ended_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "F1-mixture-0").mkdir()
    (tmp_path / "F1-mixture-0" / "design.toml").touch()
    result = CliRunner().invoke(app, ["report", str(tmp_path)])
    assert "holds runs, but no experiment that has ended; 'metasmith reproduce' goes on" in str(result.exception)


@pytest.mark.parametrize(
    "source",
    ["/etc/hostname", "../secret.svg", "inside.txt", "link.svg", "{outside}/secret.svg"],
)
def test_no_file_but_the_pictures_of_the_folder_is_shown(source: str, folder: Path) -> None:
    outside = folder.parent / f"{folder.name}-outside"
    outside.mkdir()
    for file in (outside / "secret.svg", folder.parent / "secret.svg", folder / "inside.txt"):
        file.write_text("<svg>secret</svg>")
    (folder / "link.svg").symlink_to(outside / "secret.svg")
    page = folder / "third.md"
    page.write_text(f"# Third\n\nbefore ![a <name>]({source.format(outside=outside)}) after\n")
    text = experiment_page([page])
    assert "before a &lt;name&gt; after" in text
    assert "<img" not in text
    assert "base64" not in text


def test_a_page_that_is_a_link_to_another_place_is_none(folder: Path) -> None:
    (folder / "other.md").symlink_to("/etc/hostname")
    assert [page.name for page in pages_in(folder)] == ["first.md", "second.md"]


def test_the_command_overwrites_reports_and_nothing_else(folder: Path) -> None:
    words = ["report", str(folder), "--out", str(folder / "page.html")]
    assert [CliRunner().invoke(app, words).exit_code for _ in range(2)] == [0, 0]
    (folder / "page.html").write_text("<!DOCTYPE html><p>Mine</p>")
    assert "metasmith did not write it; choose another name" in str(CliRunner().invoke(app, words).exception)
    assert (folder / "page.html").read_text() == "<!DOCTYPE html><p>Mine</p>"
