"""Pictures as text: elements of SVG.

Colours are the page's, by class, so that a picture is at home on a dark page too.
"""

from html import escape

from markupsafe import Markup

LETTER, BOLD = 6.3, 7.6
"""The width of a letter of 11 units in a system's font, on average and rather more than less."""


def tag(name: str, *inside: str, **attributes: object) -> str:
    """An element. `class_` is class, `text_anchor` is text-anchor; what is None is left out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}>{''.join(inside)}</{name}>" if inside else f"<{name}{given}/>"


def text(x: float, y: float, words: str, **attributes: object) -> str:
    return tag("text", escape(words), x=x, y=y, **attributes)


def path(points: list[tuple[float, float]], **attributes: object) -> str:
    """A line through points."""
    return tag("path", d="M" + "L".join(f"{_text(x)},{_text(y)}" for x, y in points), **attributes)


def picture(width: float, height: float, title: str, *inside: str, class_: str) -> Markup:
    """A whole picture, as wide as there is room. title: read out to those who cannot see it."""
    box = f"0 0 {_text(width)} {_text(height)}"
    head = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": box, "role": "img", "class_": class_}
    return Markup(tag("svg", tag("title", escape(title)), *inside, **head))


def _text(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escape(str(value))
