"""The designed algorithms as pseudocode, as the paper prints some of its own, and what they are made of."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from metasmith.components import COMPONENTS, Role
from metasmith.experiments.shared.making import cost, made_all, of_designs, wanted
from metasmith.experiments.shared.published import titled
from metasmith.experiments.shared.scales import Scale
from metasmith.program import Program, one_line
from metasmith.report.charts import shades
from metasmith.report.sheet import Part, Picture, Sheet
from metasmith.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "algorithms"


def sheet(functions: Sequence[str], scale: Scale, out: Path, on_done: Callable[[], None]) -> Sheet:
    """Make the designs that are not there yet, and print them; of the designs for a function the one with the best
    score first.
    """
    designs = made_all(wanted(functions, scale.trials, out, scale.effort), on_done)
    rows, printed = [], []
    for function in functions:
        mine = sorted((each for each in designs if each["task"] == f"pbo:{function}"), key=lambda each: -each["score"])
        rows += [[function, str(each["seed"]), f"{each['score']:.4f}", one_line(each["program"])] for each in mine]
        printed.append(f"## {titled(function)}")
        printed += [
            f"Seed {each['seed']}, score {each['score']:.4f}:\n\n```\n{each['pseudocode']}\n```" for each in mine
        ]
    text = """\
The darker a cell of the picture, the more of a function's designs have the component; white: none has.

Scores are from the final race, on training problems. In the table `;` stands for a new line."""
    fields = ("task", "seed", "score", "program", "pseudocode")
    record = [{field: each[field] for field in fields} for each in designs]
    picture = Picture("algorithms-components", lambda: drawn_components(designs, functions))
    parts: list[Part] = [picture, text, Table(["function", "seed", "score", "program"], rows), *printed]
    return Sheet(NAME, "The designed algorithms", parts, record, cost=cost(designs))


def drawn_components(designs: Sequence[dict[str, Any]], functions: Sequence[str]) -> "Figure":
    """A column for each function, a row for each component, role by role."""
    rows, shares = component_shares(designs, functions)
    firsts = [next(row for row, name in enumerate(rows) if COMPONENTS[name].role is role) for role in list(Role)[1:]]
    return shades(("", shares), rows=rows, columns=functions, breaks=firsts)


def component_shares(
    designs: Sequence[dict[str, Any]], functions: Sequence[str]
) -> tuple[list[str], "np.ndarray[Any, np.dtype[np.float64]]"]:
    """The components, role by role, and the share of a function's designs that each is in, (components, functions)."""
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
    return rows, shares


EXPERIMENT = of_designs(NAME, "The designed algorithms as pseudocode (as the paper prints some of its own).", 3, sheet)
