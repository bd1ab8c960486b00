"""The reference says what there is, and whoever reads the documentation finds what it points to."""

import importlib.util
import re
import shlex
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

from metasmith.cli import app

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TODAY = [page for page in PAGES if page.parent.name != "results"]
"""Results say what was typed when they were made."""


def generator() -> ModuleType:
    specification = importlib.util.spec_from_file_location("generate", REFERENCE / "generate.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_the_generated_pages_are_up_to_date() -> None:
    for name, text in generator().pages().items():
        file = REFERENCE / name
        assert file.is_file(), f"docs/reference/{name} is missing; run: python docs/reference/generate.py"
        assert file.read_text(encoding="utf-8") == text, (
            f"docs/reference/{name} is out of date; run: python docs/reference/generate.py"
        )


def test_the_page_of_commands_has_every_command() -> None:
    headings = re.findall(r"^## (.*)", (REFERENCE / "commands.md").read_text(), re.MULTILINE)
    assert headings == sorted(headings)
    assert {"design", "solve", "report", "reproduce pbo-table", "reproduce restoration"} <= set(headings)


def test_the_page_of_json_has_every_command() -> None:
    rows = re.findall(r"^\| (`.*?`) \|", (REFERENCE / "json.md").read_text(), re.MULTILINE)
    told = {name.removeprefix("reproduce ") for row in rows for name in re.findall("`(.*?)`", row)}
    commands: Any = typer.main.get_command(app)
    assert {*commands.commands, *commands.commands["reproduce"].commands} - {"reproduce"} <= told


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for text, target in re.findall(r"\[([^\]]+)\]\(([^)\s]+)\)", page.read_text()):
        if not target.startswith("https://"):
            assert (page.parent / target.partition("#")[0]).exists(), f"[{text}]({target})"


@pytest.mark.parametrize("page", TODAY, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_and_options_are_there(page: Path) -> None:
    for line in re.findall(r"^(?: {4})?(metasmith .*)", page.read_text(), re.MULTILINE):
        words = shlex.split(re.sub(r"\s+# .*", "", line))[1:]
        command: Any = typer.main.get_command(app)
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]
        options = {name for parameter in command.params for name in [*parameter.opts, *parameter.secondary_opts]}
        assert not hasattr(command, "commands"), line
        assert {word for word in words if word.startswith("--")} <= options, line


def test_whatever_departs_from_the_paper_is_on_the_page_for_it() -> None:
    page = (ROOT / "docs" / "departures.md").read_text()
    sources = [file.relative_to(ROOT) for file in (ROOT / "src").rglob("*.py") if "departs:" in file.read_text()]
    assert len(sources) > 3
    for file in sources:
        assert f"(../{file.as_posix()})" in page, (
            f"{file} departs from the paper; docs/departures.md needs a line on it"
        )


@pytest.mark.parametrize("folder", ["guides", "reference", "results", "design"])
def test_the_index_names_every_page(folder: str) -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    for page in sorted((ROOT / "docs" / folder).glob("*.md")):
        assert f"({folder}/{page.name})" in index, f"{page.name} needs a line in docs/README.md"
