"""What an experiment found as one HTML page: the pages in its folder, with their tables and pictures."""

from collections.abc import Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markupsafe import Markup

from metasmith.report.page import embedded, template


def pages_in(folder: Path) -> list[Path]:
    """The pages that experiments left in a folder."""
    return sorted(folder.glob("*.md"))


def experiment(files: Sequence[Path]) -> str:
    """One page of several, in their order."""
    pages = [(file.stem, title(file), Markup(html(file))) for file in files]
    return template("experiment.html").render(title=", ".join(name for _, name, _ in pages), pages=pages)


def title(file: Path) -> str:
    """The first heading."""
    return file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def html(file: Path) -> str:
    """A page of Markdown as HTML: pictures inside, wide tables in a frame that scrolls.

    HTML in it is shown, not obeyed.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(file.read_text(encoding="utf-8"))
    for token in tokens:
        for inner in token.children or ():
            if inner.type == "image":
                picture = file.parent / str(inner.attrs["src"])
                inner.attrs |= {"src": embedded(picture.read_text(encoding="utf-8")), "class": "drawn"}
    text = RendererHTML().render(tokens, parser.options, {})
    return text.replace("<table>", '<div class="wide" tabindex="0"><table>').replace("</table>", "</table></div>")
