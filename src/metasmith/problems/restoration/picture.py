"""A plan drawn on the network: who cranks whom and when, who feeds what, which branches."""

from collections.abc import Sequence
from math import atan2, cos, pi, sin
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from metasmith.problems.restoration.instance import Instance
from metasmith.problems.restoration.kernels import NEVER
from metasmith.problems.restoration.layout import STARTERS
from metasmith.problems.restoration.places import PLACES
from metasmith.problems.restoration.plan import Plan, explain, plan
from metasmith.problems.restoration.system import system

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHADES = (
    ("#ffd92f", "#fc8d62", "#e5c494", "#f4a6b8", "#e8732e", "#fff2ae", "#d98880", "#c9a227"),
    ("#66c2a5", "#8da0cb", "#a6d96a", "#b3cde3", "#b39ddb", "#4fa3d1", "#ccebc5", "#5fb0a8"),
)
"""Colours of units: warm if the first starter cranks them, cool if the second does; light, as numbers stand on them."""

STROKES: dict[str, dict[str, Any]] = {
    "cranking": {"color": "black", "linewidth": 3.0},
    "critical loads": {"color": "black", "linewidth": 1.8, "linestyle": (0, (4, 1.5))},
    "the other loads": {"color": "black", "linewidth": 1.6, "linestyle": (0, (1, 1.5))},
    "left dead": {"color": "0.8", "linewidth": 1.0},
}
"""Line styles of branches, by what they are first energised for; they can be told apart in grey as well."""

UNIT, LOAD = 0.46, 0.17
"""The side of a unit's square, and the radius of a load's circle."""


def picture(instance: Instance, x: np.ndarray[Any, Any]) -> "Figure":
    """The restored network as a figure of matplotlib."""
    from matplotlib.figure import Figure

    drawn = plan(instance, x)
    figure = Figure(figsize=(10, 7.5))
    axes = figure.add_axes((0, 0.1, 1, 0.81), aspect="equal", xlim=(-1.5, 13.4), ylim=(-0.5, 8.5))
    axes.set_axis_off()
    strokes = purposes(instance, drawn)
    for number, branch in enumerate(system().branches):
        (x1, y1), (x2, y2) = PLACES[branch.start], PLACES[branch.end]
        (line,) = axes.plot([x1, x2], [y1, y2], zorder=1, solid_capstyle="round", **STROKES[strokes[number]])
        line.set_gid(f"branch-{branch.start}-{branch.end}")
    draw_buses(axes, instance, drawn)
    draw_legend(figure, instance)
    figure.suptitle(fill(explain(instance, x)[0], 100), fontsize=11)
    return figure


def purposes(instance: Instance, drawn: Plan) -> list[str]:
    """What each branch is first energised for: a key of STROKES."""
    strokes = ["left dead"] * len(system().branches)
    fed = [
        (load.critical, instance.serve_routes[b][a]) for b, load in enumerate(instance.loads) for a in drawn.feeders[b]
    ]
    stages = {
        "the other loads": [route for _, route in fed],
        "critical loads": [route for critical, route in fed if critical],
        "cranking": [instance.crank_routes[a][c] for a, crankers in enumerate(drawn.crankers) for c in crankers],
    }
    for stroke, routes in stages.items():
        for route in routes:
            for number in route.branches:
                strokes[number] = stroke
    return strokes


def draw_buses(axes: "Axes", instance: Instance, drawn: Plan) -> None:
    """Draw squares for units and circles for loads, a circle inside the square where a bus has both."""
    from matplotlib.patches import Circle, Rectangle

    starters, started = ([unit.bus for unit in units] for units in (instance.starters, instance.started))
    loads, shades = {load.bus: b for b, load in enumerate(instance.loads)}, unit_shades(drawn)
    for bus, (across, up) in PLACES.items():
        words = []
        if bus in starters + started:
            shade = "black" if bus in starters else shades[started.index(bus)]
            corner = (across - UNIT / 2, up - UNIT / 2)
            axes.add_patch(
                Rectangle(corner, UNIT, UNIT, facecolor=shade, edgecolor="black", zorder=2, gid=f"unit-{bus}")
            )
        if bus in started:
            a = started.index(bus)
            words.append(
                f"{drawn.on[a]:.1f} min, by {listed(starters, drawn.crankers[a])}"
                if drawn.on[a] < NEVER
                else "never on"
            )
        if bus in loads:
            feeders = drawn.feeders[loads[bus]]
            shade, width = (
                shades[feeders[0]] if len(feeders) == 1 else "white",
                2.2 if instance.loads[loads[bus]].critical else 0.7,
            )
            axes.add_patch(
                Circle(
                    (across, up), LOAD, facecolor=shade, edgecolor="black", linewidth=width, zorder=3, gid=f"load-{bus}"
                )
            )
            words.append(f"fed by {listed(started, feeders)}" if feeders else "not fed")
        elif bus not in starters + started:
            axes.add_patch(
                Circle(
                    (across, up), LOAD, facecolor="white", edgecolor="0.6", linewidth=0.7, zorder=3, gid=f"bus-{bus}"
                )
            )
        star = "*" if bus in loads and instance.loads[loads[bus]].critical else ""
        ink = "white" if bus in starters and bus not in loads else "black"
        axes.text(across, up, f"{bus}{star}", ha="center", va="center_baseline", fontsize=8, color=ink, zorder=4)
        put_words(axes, bus, "\n".join(fill(line, 16) for line in words))


def listed(buses: Sequence[int], numbers: Sequence[int]) -> str:
    return ", ".join(str(buses[number]) for number in numbers)


def unit_shades(drawn: Plan) -> list[str]:
    """The colour of each started unit; white if nobody or more than one starts it."""
    shades, taken = [], [0] * STARTERS
    for crankers in drawn.crankers:
        if len(crankers) == 1:
            (c,) = crankers
            shades.append(SHADES[c][taken[c]])
            taken[c] += 1
        else:
            shades.append("white")
    return shades


def put_words(axes: "Axes", bus: int, words: str) -> None:
    """Write `words` beside a bus, on the side with no branch near."""
    across, up = PLACES[bus]
    others = [
        PLACES[branch.end if branch.start == bus else branch.start]
        for branch in system().branches
        if bus in (branch.start, branch.end)
    ]
    taken = [atan2(y - up, x - across) for x, y in others]
    sides = [pi / 4 * k for k in range(8)]
    free = max(sides, key=lambda side: min(abs((side - angle + pi) % (2 * pi) - pi) for angle in taken))
    horizontal, vertical = round(cos(free)), round(sin(free))
    axes.text(
        across + 0.28 * cos(free), up + 0.28 * sin(free), words, fontsize=7, zorder=4, linespacing=1.1,
        ha={-1: "right", 0: "center", 1: "left"}[horizontal], va={-1: "top", 0: "center", 1: "bottom"}[vertical],
    )  # fmt: skip


def draw_legend(figure: "Figure", instance: Instance) -> None:
    from matplotlib.lines import Line2D

    def mark(shape: str, label: str, **style: Any) -> Line2D:
        return Line2D([], [], linestyle="", marker=shape, markersize=10, markeredgecolor="black", label=label, **style)

    first, second = (unit.bus for unit in instance.starters)
    handles = [
        mark("s", "unit that starts by itself", color="black"),
        mark("s", f"unit cranked by {first} (warm), and when it is on", color=SHADES[0][1]),
        mark("s", f"unit cranked by {second} (cool), and when it is on", color=SHADES[1][1]),
        mark("o", "load, in the colour of the unit that feeds it", color="white", markeredgewidth=0.7),
        mark("o", "critical load (*)", color="white", markeredgewidth=2.2),
        *(
            Line2D([], [], label=f"branch {'' if name == 'left dead' else 'energised for '}{name}", **style)
            for name, style in STROKES.items()
        ),
    ]
    figure.legend(handles=handles, loc="lower center", ncols=3, frameon=False, fontsize=8, handlelength=3)
