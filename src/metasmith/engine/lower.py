"""From a program, as it was written, to the arrays that the compiled loop reads."""

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np

from metasmith.arrays import Floats
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
    lines: list[tuple[int, int]] = []
    settings: list[list[float]] = []
    stages: list[dict[str, int]] = []
    structure = blocks(program)
    for number, block in enumerate(structure):
        block_loop, block_amount = loop(block.until, variables.neighbours, evaluations)
        first_of_block = len(stages)
        for stage in block.stages:
            first = len(lines)
            for step in stage.chain:
                lines.append((numbers[step.component], -1 if step.target is None else first + step.target))
                settings.append([amount.at(variables.n) for amount in step.amounts])
            kind, amount = loop(stage.until, variables.neighbours, evaluations)
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
        addresses(held := rectangle(settings)),
        held,
    )


def rectangle(rows: Sequence[Sequence[float]]) -> Floats:
    """Rows of different lengths as one array, filled up with zeros; a column at least."""
    filled = np.zeros((len(rows), max(1, *map(len, rows))))
    for i, row in enumerate(rows):
        filled[i, : len(row)] = row
    return filled


def addresses(rows: Floats) -> Any:
    """Where each row begins in memory; in plain Python the rows themselves."""
    if numba.config.DISABLE_JIT:
        return list(rows)
    return np.array([row.ctypes.data for row in rows], np.int64)


def memories(code: Code) -> int:
    """How many snippets of a lowered program have a memory."""
    return int(code.stages["selector_memory"].max()) + 1


def loop(condition: Condition | None, neighbours: int, evaluations: int) -> tuple[int, int]:
    """What ends a loop, and after how many evaluations."""
    match condition:
        case None:
            return NO_LOOP, 0
        case Condition(event=Event.LOCAL_OPTIMUM):
            return IMPROVEMENT, neighbours
        case Condition(event=Event.STAGNATION):
            return IMPROVEMENT, max(1, round(STAGNATION * evaluations))
        case Condition(share=share):
            assert share is not None
            return COUNT, max(1, round(share.number / 100 * evaluations))
