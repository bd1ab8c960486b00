"""The canonical form: of all programs with the same blocks, the one that is cached, compared and shown."""

from collections.abc import Sequence

from metasmith.program.program import Program, Snippet
from metasmith.program.stages import CHOOSER, SELECTOR, Block, Stage, Step, blocks
from metasmith.space.conditions import Condition
from metasmith.space.pointers import Pointer


def canonical(program: Program) -> Program:
    """`program` without what can have no effect: idle choosers and selectors, forks that lead to one place, jumps past
    the end.

    The last selector is written even where it would be implied, unless nothing heeds it.
    """
    return Program(program.population, tuple(_snippets(blocks(program))))


def _snippets(parts: Sequence[Block]) -> list[Snippet]:
    snippets: list[Snippet] = []
    in_force = CHOOSER
    coming = [stage for block in parts for stage in block.stages]
    for block in parts:
        joined = False  # whether the next chain would run on from the one before
        for stage in block.stages:
            chooser = _heeded(coming)
            coming = coming[1:]
            if joined or (not stage.restarts and (chooser != in_force or stage.entry is not None)):
                snippets.append(_chooser(chooser, stage.entry))
                in_force = chooser
            snippets += [_search(i, step, stage) for i, step in enumerate(stage.chain)]
            joined = stage.until is None
        if block is not parts[-1] or not _implied(block):
            snippets.append(Snippet(block.selector, pointer=_loop(block.until), condition=block.until))
    return snippets


def _heeded(coming: Sequence[Stage]) -> str:
    """The first chooser that the stages to come heed: a restart heeds none, so the next stage's may stand before it."""
    return next((stage.chooser for stage in coming if not stage.restarts), CHOOSER)


def _implied(block: Block) -> bool:
    """Whether a last block needs no selector: it restarts, once."""
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
