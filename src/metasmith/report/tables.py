"""Tables as values: written as Markdown, CSV, LaTeX or HTML, and read back from none of them."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from markupsafe import Markup, escape

SPECIAL = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "±": r"$\pm$",
    "^": r"\^{}",
    "~": r"\~{}",
}
"""What LaTeX spells differently."""


class Strong(str):
    """A cell that stands out."""

    __slots__ = ()


def yes_or_no(good: bool) -> str:
    """A cell that stands out if the answer is no."""
    return "yes" if good else Strong("no")


@dataclass(frozen=True)
class Table:
    """head: the names of the columns. rows: of cells as they are shown. title: names its files, and is empty if the
    page has no other.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""

    @property
    def slug(self) -> str:
        """The title as part of a file's name."""
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")

    def markdown(self) -> str:
        """With columns of equal width, so that it also reads well as it is."""
        rows = [[_markdown(cell) for cell in row] for row in (self.head, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} |"
            for row in (rows[0], ["-" * width for width in widths], *rows[1:])
        )

    def csv(self) -> str:
        """Without what makes cells stand out."""
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.head, *self.rows])
        return text.getvalue()

    def latex(self) -> str:
        """A tabular with the rules of booktabs."""
        head, *rows = [" & ".join(map(_latex, row)) + r" \\" for row in (self.head, *self.rows)]
        begin = f"\\begin{{tabular}}{{l{'r' * (len(self.head) - 1)}}}"
        return "\n".join([begin, r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}", ""])

    def html(self, marked: str = "") -> Markup:
        """In a frame that scrolls; the first column names the rows, the others are numbers. marked: the name of a row
        that is coloured.
        """
        first, *others = self.head
        head = f"<th>{escape(first)}</th>" + "".join(f'<th class="number">{escape(name)}</th>' for name in others)
        rows = []
        for name, *cells in self.rows:
            row = '<tr class="design">' if marked and name == marked else "<tr>"
            rows.append(f"{row}<th>{escape(name)}</th>{''.join(map(_html, cells))}</tr>")
        table = f'<table aria-label="{escape(self.title)}">' if self.title else "<table>"
        lines = [table, f"<thead><tr>{head}</tr></thead>", "<tbody>", *rows, "</tbody>", "</table>"]
        return Markup('<div class="wide" tabindex="0">{}</div>').format(Markup("\n".join(lines)))


def _markdown(cell: str) -> str:
    plain = cell.replace("|", r"\|")
    return f"**{plain}**" if isinstance(cell, Strong) else plain


def _latex(cell: str) -> str:
    plain = "".join(SPECIAL.get(sign, sign) for sign in cell)
    return rf"\textbf{{{plain}}}" if isinstance(cell, Strong) else plain


def _html(cell: str) -> str:
    return f'<td class="number{" best" if isinstance(cell, Strong) else ""}">{escape(cell)}</td>'
