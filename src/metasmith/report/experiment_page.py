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
    """The pages that experiments left in a folder."""
    return sorted(folder.glob("*.md"))


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
                place_picture(inner, (file.parent / str(inner.attrs["src"])).read_text(encoding="utf-8"))
    text = RendererHTML().render(tokens, parser.options, {})
    return text.replace("<table>", '<div class="wide" tabindex="0"><table>').replace("</table>", "</table></div>")


def place_picture(image: Token, picture: str) -> None:
    """Put a picture in the place of its link: a chart in the colours of the page, any other as it is."""
    if is_chart(picture):
        image.type, image.tag, image.content = "html_inline", "", str(themed(picture))
    else:
        image.attrs |= {"src": embedded(picture), "class": "drawn"}
