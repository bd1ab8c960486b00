"""What an experiment leaves: a page of text, tables and pictures, and the same for machines as CSV, LaTeX and JSON."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metasmith.figures import save_figure
from metasmith.files import replace
from metasmith.report.svg import save_chart
from metasmith.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Picture:
    """A picture that is drawn when it is saved. name: of its file, without the ending. chart: whether it is in the
    colours of the page; a picture by a problem has its own.
    """

    name: str
    draw: "Callable[[], Figure]"
    chart: bool = True

    def save(self, folder: Path) -> None:
        file = folder / f"{self.name}.svg"
        if self.chart:
            save_chart(self.draw(), file, self.name)
        else:
            save_figure(self.draw(), file)


Part = str | Table | Picture
"""A piece of a page; text is Markdown, and may have several paragraphs and headings."""


@dataclass(frozen=True)
class Sheet:
    """A page and its numbers. parts: the page without its head. record: all numbers, for machines. cost: what all calls
    together cost, a line of the head. files: other files to save, by name.
    """

    name: str
    title: str
    parts: Sequence[Part]
    record: Any
    cost: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The page without its head and its pictures, for the terminal."""
        return "\n\n".join(_markdown(part) for part in self.parts if not isinstance(part, Picture)) + "\n"

    def page(self, head: str) -> str:
        """The page as Markdown. head: how it was made."""
        top = f"{head}\n{self.cost}" if self.cost else head
        return "\n\n".join([f"# {self.title}", top, *map(_markdown, self.parts)]) + "\n"

    def tables(self) -> dict[str, Table]:
        """The tables by the names of their files; of two with the same title the second has a number too."""
        named: dict[str, Table] = {}
        for table in self.parts:
            if isinstance(table, Table):
                name = f"{self.name}-{table.slug}".removesuffix("-")
                numbered = chain([name], (f"{name}-{number}" for number in count(2)))
                named[next(each for each in numbered if each not in named)] = table
        return named

    def save(self, folder: Path, head: str) -> None:
        """Everything, in a folder. head: how it was made."""
        folder.mkdir(parents=True, exist_ok=True)
        texts = {f"{self.name}.md": self.page(head), f"{self.name}.json": json.dumps(self.record) + "\n", **self.files}
        for name, table in self.tables().items():
            texts |= {f"{name}.csv": table.csv(), f"{name}.tex": table.latex()}
        for name, text in texts.items():
            replace(folder / name, text.encode())
        self.draw(folder)

    def draw(self, folder: Path) -> None:
        """The pictures, as SVG."""
        for part in self.parts:
            if isinstance(part, Picture):
                part.save(folder)


def _markdown(part: Part) -> str:
    match part:
        case Table():
            return part.markdown()
        case Picture():
            return f"![{part.name}]({part.name}.svg)"
        case _:
            return part.strip("\n")
