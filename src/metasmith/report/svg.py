"""Pictures as text: elements of SVG, and figures of matplotlib as SVG that is at home on a light and on a dark page."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from markupsafe import Markup

from metasmith.figures import figure_bytes
from metasmith.files import overwrite

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LETTER, BOLD = 6.3, 7.6
"""The width of a letter of 11 units in a system's font, on average and rather more than less."""

COLOURS = {
    "page": "#fdfdfc", "ink": "#1d2025", "soft": "#5b626c", "faint": "#e6e6e2", "edge": "#8b929b",
    "design": "#1f5fbf", "first": "#b85300", "second": "#2a7a4a", "third": "#8646a0", "other": "#a3a8ae",
    "fourth": "#b3261e", "fifth": "#7a5c00", "sixth": "#00727a",
}  # fmt: skip
"""The light colours of page.css by their names there; a figure that is drawn in them is dark on a dark page."""

FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
SVG = "http://www.w3.org/2000/svg"
USED = re.compile(r'(?:url\(|href=")#(\w+)')
SIZE = 1.2
"""Of a point of a figure, in pixels, where there is room."""

CLASS = "class:"
"""Begins a gid that names classes; any other gid is left out."""


def tag(name: str, *inside: str, **attributes: object) -> str:
    """An element. `class_` is class, `text_anchor` is text-anchor; what is None is left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(inside)}</{name}>" if inside else f"<{name}{written}/>"


def text(x: float, y: float, words: str, **attributes: object) -> str:
    return tag("text", escape(words), x=x, y=y, **attributes)


def path(points: list[tuple[float, float]], **attributes: object) -> str:
    """A line through points."""
    return tag("path", d="M" + "L".join(f"{_text(x)},{_text(y)}" for x, y in points), **attributes)


def picture(width: float, height: float, title: str, *inside: str, class_: str) -> Markup:
    """A whole picture, as wide as there is room. title: read out to those who cannot see it."""
    box = f"0 0 {_text(width)} {_text(height)}"
    head = {"xmlns": SVG, "viewBox": box, "role": "img", "class_": class_}
    return Markup(tag("svg", tag("title", escape(title)), *inside, **head))


def classed(names: str) -> str:
    """What to give an artist of matplotlib as its gid so that its element has these classes."""
    return f"{CLASS}{names}"


def inline(figure: "Figure", title: str) -> Markup:
    """A chart in a page, in the colours of the page."""
    return themed(chart(figure, title))


def save_chart(figure: "Figure", file: Path, title: str) -> None:
    """Write a chart as a picture of its own, on a light ground and in a font that most have."""
    overwrite(file, chart(figure, title).replace("<svg", f'<svg font-family="{FONTS}"', 1).encode())


def themed(picture: str) -> Markup:
    """A chart with its colours by their names in the page's style."""
    for name, colour in COLOURS.items():
        picture = picture.replace(colour, f"var(--{name})")
    return Markup(picture)


def is_chart(picture: str) -> bool:
    """Whether a picture was drawn in colours of the page; those of problems have their own."""
    return picture.startswith("<svg") and 'class="chart"' in picture.partition(">")[0]


def chart(figure: "Figure", title: str) -> str:
    """A figure as small SVG: words as words, in the font of the page, and ids that no other picture has."""
    from matplotlib.text import Text

    for words in figure.findobj(Text):
        words.set_parse_math(False)  # a dollar is a dollar
    drawn = figure_bytes(figure, style={"svg.fonttype": "none"})
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(drawn)
    prefix = hashlib.sha256(title.encode() + drawn).hexdigest()[:6]
    names = {name: f"p{prefix}{number}" for number, name in enumerate(dict.fromkeys(USED.findall(drawn.decode())))}
    _tidy(root, names)
    width, height = (f"{SIZE * 72 * inches:.0f}" for inches in figure.get_size_inches())
    root.attrib = {
        "viewBox": root.get("viewBox", ""), "width": width, "height": height, "style": f"max-width:{width}px",
        "role": "img", "class": "chart",
    }  # fmt: skip
    heading = ElementTree.Element("title")
    heading.text = title
    root.insert(0, heading)
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>") + "\n"


def _tidy(element: ElementTree.Element, names: Mapping[str, str]) -> None:
    """Leave out of an element what changes nothing. names: the ids that are referred to, and what they become."""
    children = list(element)
    for child in children:
        element.remove(child)
        _tidy(child, names)
        kind = child.tag.removeprefix(f"{{{SVG}}}")
        if kind in ("metadata", "style") or (kind in ("g", "defs") and not len(child)):
            continue
        element.extend(list(child) if kind == "g" and not child.attrib else [child])
    element.text, element.tail = (words if words and words.strip() else None for words in (element.text, element.tail))
    element.attrib = {key: value for key, value in _attributes(element.attrib, names) if value}
    styles = {child.attrib.get("style", "") for child in element}
    if len(element) > 1 and len(styles) == 1 and all(child.tag == f"{{{SVG}}}use" for child in element):
        element.set("style", styles.pop())  # many marks, one style
        for child in element:
            del child.attrib["style"]


def _attributes(attributes: Mapping[str, str], names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The attributes of an element, with a tenth of a point for every number, and its classes."""
    for key, value in attributes.items():
        match key:
            case "id" if value.startswith(CLASS):
                yield "class", value.removeprefix(CLASS)
            case "id":
                yield key, names.get(value, "")
            case "clip-path" | "{http://www.w3.org/1999/xlink}href":
                yield key.partition("}")[2] or key, re.sub(r"#(\w+)", lambda link: f"#{names[link[1]]}", value)
            case "style":
                shorter = re.sub(r"font-family:[^;]*;|stroke-dashoffset: 0;", "", value).replace("700", "600")
                yield key, re.sub(r"(?<=[:;]) +", "", shorter)
            case "transform" if value.startswith("rotate(-0 "):
                pass
            case "d":
                yield key, re.sub(r" *([MLQCz]) *|\.0(?!\d)", r"\1", value).strip()
            case _:
                yield key, re.sub(r"(\.\d)\d+", r"\1", value)


def _text(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escape(str(value))
