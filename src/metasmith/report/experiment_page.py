"""What an experiment left as one HTML page: the pages in its folder, with their tables and pictures."""

from collections.abc import Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from metasmith.report.design_page import embedded, template
from metasmith.report.svg import is_chart, themed


def pages_in(folder: Path) -> list[Path]:
    """The pages that experiments left in a folder; none that is a link to somewhere else."""
    return sorted(page for page in folder.glob("*.md") if page.resolve().is_relative_to(folder.resolve()))


def experiment_page(files: Sequence[Path]) -> str:
    """One page of several, in their order."""
    pages = [(file.stem, title(file), Markup(html(file))) for file in files]
    return template("experiment_page.html").render(title=", ".join(name for _, name, _ in pages), pages=pages)


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
                if is_ours(picture, file.parent):
                    place_picture(inner, picture.read_text(encoding="utf-8"))
                else:
                    inner.type, inner.tag = "text", ""  # what it is called, without it
    text = RendererHTML().render(tokens, parser.options, {})
    return text.replace("<table>", '<div class="wide" tabindex="0"><table>').replace("</table>", "</table></div>")


def is_ours(picture: Path, folder: Path) -> bool:
    """Whether a picture is one that an experiment draws: an SVG in its folder.

    A page may name any file of the machine that it is read on, and whoever is sent the report would see that.
    """
    return picture.suffix == ".svg" and picture.resolve().is_relative_to(folder.resolve())


def place_picture(image: Token, picture: str) -> None:
    """Put a picture in the place of its link: a chart in the colours of the page, any other as it is."""
    if is_chart(picture):
        image.type, image.tag, image.content = "html_inline", "", str(themed(picture))
    else:
        image.attrs |= {"src": embedded(picture), "class": "drawn"}
