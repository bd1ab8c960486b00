"""The IEEE 39-bus system, read from `ieee39.json`, which names its sources. Power is per unit of 100 MVA."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

BUSES, BRANCHES, UNITS, LOADS = 39, 46, 10, 21
BASE = 100.0
"""The unit of power, in MVA."""


class Branch(NamedTuple):
    """A line, or a transformer with its tap at `start`. tenths: of minutes that it takes to energise."""

    start: int
    end: int
    r: float
    x: float
    b: float
    tap: float
    rating: float
    tenths: int

    @property
    def admittances(self) -> tuple[complex, complex, complex]:
        """The admittances at the start, at the end, and between the two."""
        series, half = 1 / complex(self.r, self.x), complex(0, self.b / 2)
        return (series + half) / self.tap**2, series + half, -series / self.tap


class Unit(NamedTuple):
    """A generating unit. crank: the power that it takes to start it. ramp: the power that it adds per minute."""

    bus: int
    max_p: float
    max_q: float
    min_q: float
    crank: float
    ramp: float


class Load(NamedTuple):
    """The power that a bus consumed before the blackout."""

    bus: int
    p: float
    q: float
    critical: bool


class System(NamedTuple):
    """The network before the blackout."""

    branches: tuple[Branch, ...]
    units: tuple[Unit, ...]
    loads: tuple[Load, ...]


@cache
def system() -> System:
    """The 39-bus system."""
    data = json.loads(Path(__file__).with_name("ieee39.json").read_text(encoding="utf-8"))
    branches = tuple(
        Branch(
            row["from"],
            row["to"],
            row["r"],
            row["x"],
            row["b"],
            row["tap"],
            row["rating"] / BASE,
            round(10 * row["minutes"]),
        )
        for row in _rows(data["branches"])
    )
    units = tuple(
        Unit(
            row["bus"],
            row["max_p"] / BASE,
            row["max_q"] / BASE,
            row["min_q"] / BASE,
            row["crank"] / BASE,
            row["ramp"] / BASE,
        )
        for row in _rows(data["units"])
    )
    loads = tuple(Load(row["bus"], row["p"] / BASE, row["q"] / BASE, row["critical"]) for row in _rows(data["loads"]))
    return System(branches, units, loads)


def _rows(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (dict(zip(table["columns"], row, strict=True)) for row in table["rows"])
