"""Pages of results: how they say what made them, and how they are saved."""

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from time import perf_counter
from typing import TYPE_CHECKING, Any

from metasmith.version import UNKNOWN, commit

if TYPE_CHECKING:
    from metasmith.experiments.sheets import Sheet

NAMED = ("metasmith", "numpy", "numba", "torch", "ioh")


def provenance(command: str) -> str:
    """One line: the command, the day, the commit, the versions and the kind of machine."""
    facts = circumstances()
    packages = ", ".join(f"{name} {found}" for name, found in facts["packages"].items())
    return f"Made by `{command}` on {facts['day']}, commit {facts['commit']}, {packages}; {facts['machine']}."


def circumstances() -> dict[str, Any]:
    """The same without the command, by name."""
    return {
        "day": f"{datetime.now(UTC):%Y-%m-%d}",
        "commit": commit(),
        "packages": {name: found for name in NAMED if (found := _version(name))},
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def took(seconds: float) -> str:
    """A line for what can be gone on with."""
    return f"This call took {seconds / 60:.0f} minutes, beside what was kept of earlier ones."


def spent(seconds: Mapping[str, float], *, designs: Iterable[str] = (), runs: Iterable[str] = ()) -> str:
    """A line for what all calls together cost. seconds: of one core, by what they were spent on. designs, runs: the
    commits of both.
    """
    parts = " and ".join(f"{number(each / 60)} for {what}" for what, each in seconds.items())
    together = f"All calls together took {number(sum(seconds.values()) / 60)} core-minutes: {parts}."
    return f"{together}{made_with('designs were made', designs)}{made_with('runs were done', runs)}"


def made_with(what: str, commits: Iterable[str]) -> str:
    """Which commits it was, if they are known and others than now."""
    names = sorted(set(commits))
    if not names or names in ([UNKNOWN], [commit()]):
        return ""
    return f" The {what} with the commit{'s' if len(names) > 1 else ''} {', '.join(names)}."


def seeds(count: int) -> str:
    """So many seeds, from 0 on, in words."""
    return f"the seeds 0 to {count - 1}" if count > 1 else "the seed 0"


def need(*packages: str) -> None:
    """Say at once, before long work, what is not installed."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        extra = "milp" if missing == ["highspy"] else "results"
        raise ValueError(f"{' and '.join(missing)} must be installed for this: pip install 'metasmith[{extra}]'")


def markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table that also reads well as it is."""
    widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
    whole = [head, ["-" * width for width in widths], *lines]
    return "\n".join(
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |" for line in whole
    )


class Page:
    """What will be written once the work is done. file: a page, if one is asked for. command, options: what was typed
    to make it.
    """

    def __init__(self, file: Path | None, command: str, **options: object) -> None:
        options |= {"write": file}
        if file is not None:
            make_room(file)
        typed = {
            name: value.as_posix() if isinstance(value, Path) else str(value)
            for name, value in options.items()
            if value is not None
        }
        self.command = " ".join([command, *(f"--{name} {quote(value)}" for name, value in typed.items() if value)])
        self.file, self.begun = file, perf_counter()

    def write(self, sheet: "Sheet", folder: Path) -> None:
        """Save what was found in its folder; and write the page, and the pictures beside it, if a file is asked for."""
        head = f"{provenance(self.command)}\n{took(perf_counter() - self.begun)}"
        sheet.save(folder, head)
        if self.file is not None:
            save(self.file, sheet.page(head))
            sheet.draw(self.file.parent)


def save(path: Path, text: str) -> None:
    """Write a page, in a new folder if need be."""
    make_room(path)
    path.write_text(text, encoding="utf-8")


def make_room(path: Path) -> None:
    """Make sure that a page can be written, before the work that fills it; what is there stays."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        there = path.exists()
        path.open("a").close()
        if not there:
            path.unlink()  # nobody should find an empty page if the work is stopped
    except OSError as error:
        raise ValueError(f"cannot write '{path}': {error.strerror}; choose another place") from error


def number(value: float) -> str:
    """Two decimals below ten, one above, no trailing zeros."""
    text = f"{value:.{2 if abs(value) < 10 else 1}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
