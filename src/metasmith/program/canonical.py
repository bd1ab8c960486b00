"""The canonical form: one program stands for all that do the same, in caches and in comparisons.

It is the one place that says what has no effect. `tidied` leaves out what the structure already shows to be idle;
`canonical` also what can do nothing to a single solution, and loops that the rounds, or an inner loop, repeat anyway.
"""

from collections.abc import Sequence
from dataclasses import replace

from metasmith.components import COMPONENTS
from metasmith.components.roles import NOTHING
from metasmith.program.program import Program, Snippet
from metasmith.program.stages import CHOOSER, SELECTOR, Block, Stage, Step, blocks
from metasmith.space.conditions import Condition
from metasmith.space.pointers import Pointer


def canonical(program: Program) -> Program:
    """`program` without what has no effect: what `tidied` leaves out, choices and crossovers of a single solution, and
    loops that the rounds repeat anyway.

    It finds what `program` finds, to the bit where both draw the same random numbers. They do, but for
    round_robin_select of a single solution and forks past a crossover of it, whose draws decide nothing.
    """
    parts = blocks(program)
    if program.population == 1:
        parts = tuple(_alone(block) for block in parts)
    return Program(program.population, tuple(_snippets(_unlooped(parts))))


def tidied(program: Program) -> Program:
    """`program` without unused choosers and selectors, forks without a choice, and jumps past the end: the one that
    stands for all with the same blocks.

    The last selector is written even where it would be implied, unless no stage depends on it.
    """
    return Program(program.population, tuple(_snippets(blocks(program))))


def _alone(block: Block) -> Block:
    """What a block does to a single solution. The engine asks no chooser then; components say themselves what they
    come to.
    """
    stages = tuple(_without_idle(replace(stage, chooser=CHOOSER)) for stage in block.stages)
    return replace(block, stages=stages, selector=COMPONENTS[block.selector].alone or block.selector)


def _without_idle(stage: Stage) -> Stage:
    """A stage without the steps that change nothing in a single solution.

    If all others are gone, or only reinitialize is left, which would then restart, they stay; so do those that fork.
    """
    idle = {
        position
        for position, step in enumerate(stage.chain)
        if COMPONENTS[step.component].alone == NOTHING and step.target is None
    }
    left = [position for position in range(len(stage.chain)) if position not in idle]
    names = [stage.chain[position].component for position in left]
    if not idle or names in ([], ["reinitialize"]):
        return stage

    def moved(position: int | None) -> int | None:
        return None if position is None else sum(each < position for each in left)

    chain = []
    for number, position in enumerate(left):
        step = stage.chain[position]
        target = moved(step.target)
        leads = target is not None and target > number + 1 and number + 1 < len(left)
        chain.append(replace(step, target=target if leads else None))
    shorter = replace(stage, chain=tuple(chain), entry=moved(stage.entry) or None)
    return _without_idle(shorter)  # where a fork led past nothing else, it is none, and its step may be idle too


def _unlooped(parts: Sequence[Block]) -> list[Block]:
    """The blocks without loops that change nothing: a round begins anew by itself, and a loop around a single loop that
    lasts as long has one turn.
    """
    if len(parts) == 1:
        (block,) = parts
        stages = tuple(replace(stage, until=None) for stage in block.stages) if len(block.stages) == 1 else block.stages
        return [replace(block, stages=stages, until=None)]
    return [replace(block, until=None) if _one_turn(block) else block for block in parts]


def _one_turn(block: Block) -> bool:
    """Whether the loop of a block ends with that of its only stage."""
    if len(block.stages) > 1 or block.until is None or (inner := block.stages[0].until) is None:
        return False
    if block.until.share is None or inner.share is None:
        return block.until == inner
    return block.until.share.number <= inner.share.number


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
