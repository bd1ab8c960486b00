"""From a program, as it was written, to the arrays that the compiled loop reads."""

import numpy as np

from metasmith.components import Role
from metasmith.engine.compile import usable
from metasmith.engine.loop import COUNT, IMPROVEMENT, LINE, NO_LOOP, STAGE, Code
from metasmith.program.program import Program
from metasmith.program.stages import blocks
from metasmith.representations import Variables
from metasmith.space.conditions import Condition, Event

STAGNATION = 0.05
"""Share of the run's evaluations without an improvement that is called stagnation."""


def lower(program: Program, variables: Variables, evaluations: int) -> Code:
    """The program as arrays, for problems with these variables and runs of so many evaluations.

    Raises ValueError if one of its components does not work on the variables.
    """
    numbers = {
        component.name: number
        for role in Role
        for number, component in enumerate(usable(role, variables.name))
    }  # fmt: skip
    for snippet in program.snippets:
        if snippet.component not in numbers:
            raise ValueError(f"{snippet.component} does not work on {variables.name}")
    lines: list[tuple[int, int, float]] = []
    stages: list[dict[str, int]] = []
    structure = blocks(program)
    for number, block in enumerate(structure):
        block_loop, block_amount = loop(block.until, variables.n, evaluations)
        first_of_block = len(stages)
        for stage in block.stages:
            first = len(lines)
            for step in stage.chain:
                setting = step.amount.at(variables.n) if step.amount else 0.0
                lines.append((numbers[step.component], -1 if step.target is None else first + step.target, setting))
            kind, amount = loop(stage.until, variables.n, evaluations)
            stages.append({
                "chooser": numbers[stage.chooser],
                "entry": -1 if stage.entry is None else first + stage.entry,
                "first": first,
                "end": len(lines),
                "forks": stage.entry is not None or any(step.target is not None for step in stage.chain),
                "restarts": stage.restarts,
                "selector": numbers[block.selector],
                "selector_memory": number,  # counted on from the memories of lines and choosers below
                "loop": kind,
                "amount": amount,
                "block_first": first_of_block,
                "block_last": first_of_block + len(block.stages) - 1,
                "block_loop": block_loop,
                "block_amount": block_amount,
            })  # fmt: skip
    for number, row in enumerate(stages):
        row["chooser_memory"] = len(lines) + number
        row["selector_memory"] += len(lines) + len(stages)
    return Code(
        np.array([tuple(int(row[name]) for name in STAGE.names or ()) for row in stages], STAGE).view(np.recarray),
        np.array(lines, LINE).view(np.recarray),
    )


def memories(code: Code) -> int:
    """How many snippets of a lowered program have a memory."""
    return int(code.stages["selector_memory"].max()) + 1


def loop(condition: Condition | None, variables: int, evaluations: int) -> tuple[int, int]:
    """What ends a loop, and after how many evaluations."""
    match condition:
        case None:
            return NO_LOOP, 0
        case Condition(event=Event.LOCAL_OPTIMUM):
            return IMPROVEMENT, variables
        case Condition(event=Event.STAGNATION):
            return IMPROVEMENT, max(1, round(STAGNATION * evaluations))
        case Condition(share=share):
            assert share is not None
            return COUNT, max(1, round(share.number / 100 * evaluations))
