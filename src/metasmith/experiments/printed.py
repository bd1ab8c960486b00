"""The designed algorithms as pseudocode, as the paper prints some of its own, and what they are made of."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from metasmith.components import COMPONENTS, Role
from metasmith.experiments.making import cost, made_all, wanted
from metasmith.experiments.pages import markdown
from metasmith.experiments.references import data
from metasmith.experiments.scales import Scale
from metasmith.experiments.sheets import Sheet
from metasmith.program import Program, one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "algorithms"


def sheet(functions: Sequence[str], scale: Scale, out: Path, on_done: Callable[[], None]) -> Sheet:
    """Make the designs that are not there yet, and print them; of the designs for a function the one with the best
    score first.
    """
    designs = made_all(wanted(functions, scale.trials, out, scale.effort), on_done)
    lines, parts = [], []
    for function in functions:
        mine = sorted((each for each in designs if each["task"] == f"pbo:{function}"), key=lambda each: -each["score"])
        lines += [[function, str(each["seed"]), f"{each['score']:.4f}", one_line(each["program"])] for each in mine]
        parts.append(f"## {function} {data()['functions'][function]['name']}")
        parts += [f"Seed {each['seed']}, score {each['score']:.4f}:\n\n```\n{each['pseudocode']}\n```" for each in mine]
    text = f"""\
The darker a cell of the picture, the more of a function's designs have the component; white: none has.

Scores are from the final race, on training problems. In the table `;` stands for a new line.

{markdown(["function", "seed", "score", "program"], lines)}

{(chr(10) * 2).join(parts)}
"""
    fields = ("task", "seed", "score", "program", "pseudocode")
    record = [{field: each[field] for field in fields} for each in designs]
    pictures = {"algorithms-components": partial(drawn_components, designs, functions)}
    return Sheet(NAME, "The designed algorithms", text, record, pictures, cost=cost(designs))


def drawn_components(designs: Sequence[dict[str, Any]], functions: Sequence[str]) -> "Figure":
    """A column for each function, a row for each component, role by role."""
    from matplotlib.figure import Figure

    rows = [
        name
        for role in Role
        for name, component in COMPONENTS.items()
        if component.role is role and component.kernel("bits")
    ]
    shares = np.zeros((len(rows), len(functions)))
    for column, function in enumerate(functions):
        mine = [each["program"] for each in designs if each["task"] == f"pbo:{function}"]
        for program in mine:
            for name in {snippet.component for snippet in Program.parse(program).snippets}:
                shares[rows.index(name), column] += 1 / len(mine)
    figure = Figure(figsize=(2.6 + 0.3 * len(functions), 0.8 + 0.24 * len(rows)), layout="constrained")
    axes = figure.subplots()
    axes.imshow(shares, cmap="Greys", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(functions)), functions, fontsize=8)
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    axes.set_xticks(np.arange(-0.5, len(functions)), minor=True)
    axes.set_yticks(np.arange(-0.5, len(rows)), minor=True)
    axes.grid(which="minor", color="0.9", linewidth=0.5)
    axes.tick_params(which="both", length=0)
    for role in list(Role)[1:]:  # a line where another role begins
        axes.axhline(
            next(row for row, name in enumerate(rows) if COMPONENTS[name].role is role) - 0.5,
            color="0.4",
            linewidth=0.8,
        )
    return figure
