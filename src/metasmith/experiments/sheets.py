"""What an experiment found, for people and for machines: a page, tables as CSV and LaTeX, JSON, and pictures."""

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from metasmith.experiments.pictures import save
from metasmith.files import replace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPECIAL = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "±": r"$\pm$",
    "^": r"\^{}",
    "~": r"\~{}",
}
"""What LaTeX spells differently."""


class Table(NamedTuple):
    """Cells as they are shown; `**` around one makes it stand out."""

    head: Sequence[str]
    lines: Sequence[Sequence[str]]

    def csv(self) -> str:
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows(
            [self.head, *([_plain(cell) for cell in line] for line in self.lines)]
        )
        return text.getvalue()

    def latex(self) -> str:
        """A tabular with the rules of booktabs."""
        rows = [" & ".join(map(_latex, line)) + r" \\" for line in (self.head, *self.lines)]
        columns = "l" + "r" * (len(self.head) - 1)
        return "\n".join(
            [
                f"\\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                rows[0],
                r"\midrule",
                *rows[1:],
                r"\bottomrule",
                r"\end{tabular}",
                "",
            ]
        )


@dataclass(frozen=True)
class Sheet:
    """text: the page without its head; its tables are also saved one by one. record: all numbers. raw: other files, by
    name.

    cost: what all calls together cost, a line of the head.
    """

    name: str
    title: str
    text: str
    record: Any
    pictures: Mapping[str, "Callable[[], Figure]"] = field(default_factory=dict)
    raw: Mapping[str, str] = field(default_factory=dict)
    cost: str = ""

    def save(self, folder: Path, head: str) -> None:
        """Everything, in a folder. head: how it was made."""
        folder.mkdir(parents=True, exist_ok=True)
        texts = {f"{self.name}.md": self.page(head), f"{self.name}.json": json.dumps(self.record) + "\n", **self.raw}
        for name, table in tables(self.text, self.name).items():
            texts |= {f"{name}.csv": table.csv(), f"{name}.tex": table.latex()}
        for name, text in texts.items():
            replace(folder / name, text.encode())
        self.draw(folder)

    def draw(self, folder: Path) -> None:
        """The pictures, as SVG."""
        for name, make in self.pictures.items():
            save(make(), folder / f"{name}.svg")

    def page(self, head: str) -> str:
        """As a page of the documentation. head: how it was made."""
        shown = "".join(f"![{name}]({name}.svg)\n\n" for name in self.pictures)
        cost = f"\n{self.cost}" if self.cost else ""
        return f"# {self.title}\n\n{head}{cost}\n\n{shown}{self.text.strip()}\n"


def tables(text: str, name: str) -> dict[str, Table]:
    """The tables of a page, called by its name and the heading above them; a second one below a heading has a number
    too.
    """
    found: dict[str, Table] = {}
    called, lines = name, list[list[str]]()
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            lines.append([cell.strip() for cell in line.strip("|").split(" | ")])
        elif lines:
            free = next(
                each for each in chain([called], (f"{called}-{number}" for number in count(2))) if each not in found
            )
            found[free], lines = Table(lines[0], lines[2:]), []
        if line.startswith("#"):
            called = f"{name}-{re.sub(r'[^a-z0-9]+', '-', line.lower()).strip('-')}"
    return found


def _plain(cell: str) -> str:
    """Without what makes it stand out; the star of Alg* stays."""
    return cell.removeprefix("**").removesuffix("**")


def _latex(cell: str) -> str:
    plain = "".join(SPECIAL.get(sign, sign) for sign in _plain(cell))
    return rf"\textbf{{{plain}}}" if cell.startswith("**") else plain
