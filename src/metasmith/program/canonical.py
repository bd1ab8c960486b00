"""The canonical form: one program stands for all that have the same blocks, in caches and in comparisons."""

from collections.abc import Sequence

from metasmith.program.program import Program, Snippet
from metasmith.program.stages import CHOOSER, SELECTOR, Block, Stage, Step, blocks
from metasmith.space.conditions import Condition
from metasmith.space.pointers import Pointer


def canonical(program: Program) -> Program:
    """`program` without what has no effect: unused choosers and selectors, forks without a choice, jumps past the end.

    The last selector is written even where it would be implied, unless no stage depends on it.
    """
    return Program(program.population, tuple(_snippets(blocks(program))))


def _snippets(parts: Sequence[Block]) -> list[Snippet]:
    snippets: list[Snippet] = []
    in_force = CHOOSER
    coming = [stage for block in parts for stage in block.stages]
    for block in parts:
        joined = False  # whether the next chain, without a chooser between, would continue the previous one
        for stage in block.stages:
            chooser = _next_chooser(coming)
            coming = coming[1:]
            if joined or (not stage.restarts and (chooser != in_force or stage.entry is not None)):
                snippets.append(_chooser(chooser, stage.entry))
                in_force = chooser
            snippets += [_search(i, step, stage) for i, step in enumerate(stage.chain)]
            joined = stage.until is None
        if block is not parts[-1] or not _implied(block):
            snippets.append(Snippet(block.selector, pointer=_loop(block.until), condition=block.until))
    return snippets


def _next_chooser(coming: Sequence[Stage]) -> str:
    """The chooser of the next stage that uses one: restarts use none, so it may be written before them."""
    return next((stage.chooser for stage in coming if not stage.restarts), CHOOSER)


def _implied(block: Block) -> bool:
    """Whether the selector of the last block can be left out: all its stages restart, and the block does not loop."""
    return block.selector == SELECTOR and block.until is None and all(stage.restarts for stage in block.stages)


def _chooser(name: str, entry: int | None) -> Snippet:
    if entry is None:
        return Snippet(name)
    return Snippet(name, pointer=Pointer.FORK, target=entry + 1)  # the chain starts one snippet on


def _search(position: int, step: Step, stage: Stage) -> Snippet:
    if step.target is not None:
        return Snippet(step.component, step.amounts, Pointer.FORK, target=step.target - position)
    until = stage.until if position == len(stage.chain) - 1 else None
    return Snippet(step.component, step.amounts, _loop(until), condition=until)


def _loop(until: Condition | None) -> Pointer:
    return Pointer.ITERATE if until else Pointer.FORWARD
