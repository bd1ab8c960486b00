"""The designed algorithms as pseudocode, as the paper prints some of its own."""

from collections.abc import Callable, Sequence
from pathlib import Path

from metasmith.experiments.making import core_seconds, made_all, wanted
from metasmith.experiments.pages import markdown, spent
from metasmith.experiments.references import data
from metasmith.experiments.scales import Scale
from metasmith.experiments.sheets import Sheet
from metasmith.program import one_line

NAME = "algorithms"


def sheet(functions: Sequence[str], scale: Scale, out: Path, on_done: Callable[[], None]) -> Sheet:
    """Make the designs that are not there yet, and print them; of the designs for a function the one with the best score first."""
    designs = made_all(wanted(functions, scale.trials, out, scale.effort), on_done)
    lines, parts = [], []
    for function in functions:
        mine = sorted((each for each in designs if each["task"] == f"pbo:{function}"), key=lambda each: -each["score"])
        lines += [[function, str(each["seed"]), f"{each['score']:.4f}", one_line(each["program"])] for each in mine]
        parts.append(f"## {function} {data()['functions'][function]['name']}")
        parts += [f"Seed {each['seed']}, score {each['score']:.4f}:\n\n```\n{each['pseudocode']}\n```" for each in mine]
    text = f"""\
Scores are from the final race, on training problems. In the table `;` stands for a new line.

{markdown(["function", "seed", "score", "program"], lines)}

{(chr(10) * 2).join(parts)}
"""
    fields = ("task", "seed", "score", "program", "pseudocode")
    record = [{field: each[field] for field in fields} for each in designs]
    return Sheet(NAME, "The designed algorithms", text, record, cost=spent({"the designs": sum(map(core_seconds, designs))}))
