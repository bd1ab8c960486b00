"""Figures of matplotlib as files, and solutions as their problems draw them."""

import re
import warnings
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from metasmith.files import make_room
from metasmith.problems import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = (".svg", ".png", ".pdf")
"""The endings of files that a figure can be saved as."""


def check_drawable(problem: Problem, file: Path) -> None:
    """Raise ValueError, before the work, if a solution of the problem could not be drawn to the file."""
    if problem.picture is None:
        advice = "leave out --picture, or give the problem one: Problem(..., picture=FUNCTION)"
        raise ValueError(f"{problem.name} has no picture; {advice}")
    if file.suffix.lower() not in KINDS:
        raise ValueError(f"a picture is a file whose name ends in {', '.join(KINDS)}; got '{file.name}'")
    make_room(file)


def solution_figure(problem: Problem, x: np.ndarray[Any, Any]) -> "Figure":
    """A solution as its problem draws it."""
    assert problem.picture is not None
    try:
        figure = problem.picture(x)
    except Exception as error:
        raise ValueError(f"{problem.name}: picture raised {type(error).__name__}: {error}") from error
    if not hasattr(figure, "savefig"):
        raise ValueError(f"{problem.name}: picture must return a figure of matplotlib, got {type(figure).__name__}")
    drawn: Figure = figure
    return drawn


def save_figure(figure: "Figure", file: Path) -> None:
    """Write a figure as the kind of file that its name says."""
    file.write_bytes(figure_bytes(figure, file.suffix.lower()))


def figure_bytes(figure: "Figure", kind: str = ".svg", style: Mapping[str, Any] = MappingProxyType({})) -> bytes:
    """A figure as a file; the same figure gives the same bytes. style: matplotlib's rc parameters, by name."""
    import matplotlib as mpl

    dates, out = {".svg": "Date", ".pdf": "CreationDate"}, BytesIO()
    parameters: dict[Any, Any] = {"svg.hashsalt": "metasmith", **style}
    with mpl.rc_context(parameters), warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "Glyph"
        )  # a letter that matplotlib's own font lacks; the reader's may have it
        figure.savefig(out, format=kind[1:], metadata={dates[kind]: None} if kind in dates else {}, dpi=150)
    if kind != ".svg":
        return out.getvalue()
    # A tenth of a point is fine enough, and half the bytes.
    return re.sub(rb' d="[^"]*"', lambda path: re.sub(rb"(\.\d)\d+|\s+(?=[LQCz])", rb"\1", path[0]), out.getvalue())
