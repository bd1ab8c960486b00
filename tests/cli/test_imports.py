"""Help is instant, and whoever only looks at a run needs no network: rooms import what is heavy when they need it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import metasmith

PACKAGE = Path(metasmith.__file__).parent
ROOMS = ("cli.py", "reproduce.py", "screens.py", "figures.py", "provenance.py", "analysis", "report", "experiments")
HEAVY = ("torch", "matplotlib", "scipy", "metasmith.designers", "metasmith.runs.loop", "metasmith.runs.continual")
FILES = [
    file for room in ROOMS for file in ([PACKAGE / room] if room.endswith(".py") else (PACKAGE / room).rglob("*.py"))
]


def imported(body: list[ast.stmt]) -> Iterator[str]:
    """What is imported as soon as a file is; not what functions import, or what is for types only."""
    for statement in body:
        if isinstance(statement, ast.Import):
            yield from (name.name for name in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            yield statement.module or ""
        elif isinstance(statement, ast.Try):
            yield from imported(statement.body)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_what_is_heavy_is_imported_late(file: Path) -> None:
    names = list(imported(ast.parse(file.read_text(encoding="utf-8")).body))
    assert [name for name in names if name in HEAVY or name.startswith(tuple(f"{each}." for each in HEAVY))] == []


def test_all_rooms_are_looked_at() -> None:
    assert len(FILES) > 30
    assert list(
        imported(ast.parse("import a\nfrom b.c import d\nif True:\n    import e\ndef f():\n    import g").body)
    ) == [
        "a",
        "b.c",
    ]
