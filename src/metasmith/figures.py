"""Figures of matplotlib as files, and solutions as their problems explain and draw them."""

import re
import warnings
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from metasmith.engine.evaluators.trace import Trace
from metasmith.engine.isolation import call
from metasmith.files import make_room, overwrite
from metasmith.problems import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = {
    ".svg": b"<dc:title>metasmith</dc:title>",
    ".png": b"Software\0metasmith",
    ".pdf": b"/Creator (metasmith)",
}
"""The endings of files that a figure can be saved as, and what is in every such file of ours."""


def check_drawable(problem: Problem, file: Path) -> None:
    """Raise ValueError, before the work, if a solution of the problem could not be drawn to the file."""
    if problem.picture is None:
        advice = "leave out --picture, or give the problem one: Problem(..., picture=FUNCTION)"
        raise ValueError(f"{problem.name} has no picture; {advice}")
    if file.suffix.lower() not in KINDS:
        raise ValueError(f"a picture is a file whose name ends in {', '.join(KINDS)}; got '{file.name}'")
    make_room(file, KINDS[file.suffix.lower()])


def explanation(problem: Problem, x: np.ndarray[Any, Any]) -> list[str]:
    """A solution as its problem explains it, in lines."""
    lines: list[str] = call(problem, _explained, x, subject="explain")
    return lines


def drawing(problem: Problem, x: np.ndarray[Any, Any], kind: str = ".svg") -> bytes:
    """A solution as its problem draws it, as a file of some kind."""
    drawn: bytes = call(problem, _drawn, x, kind, subject="picture")
    return drawn


def _explained(problem: Problem, x: np.ndarray[Any, Any]) -> list[str]:
    assert problem.explain is not None
    return [str(line) for line in _said(problem, "explain", problem.explain, x)]


def _drawn(problem: Problem, x: np.ndarray[Any, Any], kind: str) -> bytes:
    assert problem.picture is not None
    figure = _said(problem, "picture", problem.picture, x)
    if not hasattr(figure, "savefig"):
        raise ValueError(f"{problem.name}: picture must return a figure of matplotlib, got {type(figure).__name__}")
    return figure_bytes(figure, kind)


def _said(problem: Problem, name: str, function: Callable[..., Any], x: np.ndarray[Any, Any]) -> Any:
    try:
        with Trace(problem.variables).inside(x[None]):
            return function(x)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ValueError(f"{problem.name}: {name} raised {type(error).__name__}: {error}") from error


def save_figure(figure: "Figure", file: Path) -> None:
    """Write a figure as the kind of file that its name says."""
    overwrite(file, figure_bytes(figure, file.suffix.lower()))


def figure_bytes(figure: "Figure", kind: str = ".svg", style: Mapping[str, Any] = MappingProxyType({})) -> bytes:
    """A figure as a file; the same figure gives the same bytes. style: matplotlib's rc parameters, by name."""
    import matplotlib as mpl

    facts: dict[str, dict[str, Any]] = {
        ".svg": {"Date": None, "Creator": "metasmith"},
        ".pdf": {"CreationDate": None, "Creator": "metasmith"},
        ".png": {"Software": "metasmith"},
    }
    out = BytesIO()
    parameters: dict[Any, Any] = {"svg.hashsalt": "metasmith", **style}
    with mpl.rc_context(parameters), warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "Glyph"
        )  # a letter that matplotlib's own font lacks; the reader's may have it
        figure.savefig(out, format=kind[1:], metadata=facts[kind], dpi=150)
    if kind != ".svg":
        return out.getvalue()
    # A tenth of a point is fine enough, and half the bytes.
    return re.sub(rb' d="[^"]*"', lambda path: re.sub(rb"(\.\d)\d+|\s+(?=[LQCz])", rb"\1", path[0]), out.getvalue())
