"""The paper's claim that designs are diverse: how different ours are, and which known algorithm each is nearest to."""

from collections.abc import Callable, Sequence
from pathlib import Path

from metasmith.analysis.diversity import Designed, compared
from metasmith.experiments.shared.making import cost, made_all, of_designs, wanted
from metasmith.experiments.shared.scales import Scale
from metasmith.program import Program
from metasmith.report.analyses import diversity_lines, diversity_table
from metasmith.report.numbers import seeds
from metasmith.report.sheet import Part, Sheet

NAME = "diversity"


def sheet(functions: Sequence[str], scale: Scale, out: Path, on_done: Callable[[], None]) -> Sheet:
    """Make the designs that are not there yet, and show how different they are."""
    wishes = wanted(functions, scale.trials, out, scale.effort)
    designs = made_all(wishes, on_done)
    diversity = compared(
        [
            Designed(each.run, each.task, Program.parse(design["program"]))
            for each, design in zip(wishes, designs, strict=True)
        ]
    )
    text = f"""\
Designs with {seeds(scale.trials)} for each function. The distance of two programs is the least that turns the text of
one into that of the other, line by line, over the lines of the longer: 0 is the same, 1 has nothing in common. In
effect: without choices among a single solution, and without loops that the rounds repeat anyway."""
    summary = "\n".join(f"- {line[0].upper()}{line[1:]}." for line in diversity_lines(diversity))
    parts: list[Part] = [text, summary, diversity_table(diversity)]
    return Sheet(NAME, "How different the designs are", parts, diversity.record(), cost=cost(designs))


EXPERIMENT = of_designs(
    NAME, "How different the designed algorithms are, and which known algorithm each is nearest to.", 4, sheet
)
