"""What a round of a program does: blocks of stages.

The engine, the pseudocode and the canonical form all start from here.

A stage is: the chooser in force, a chain of search components, evaluation. A block is the stages that one selector
governs. Programs that do the same have, as far as their structure tells, the same blocks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from metasmith.components import Role
from metasmith.components.settings import Amount
from metasmith.program.program import Program, Snippet
from metasmith.space.conditions import Condition
from metasmith.space.pointers import Pointer

CHOOSER = "traverse"
"""In force at the start of a round, until the first choose component."""

SELECTOR = "pairwise_select"
"""Governs the stages after the last select component."""


@dataclass(frozen=True)
class Step:
    """A search component in a chain.

    target: the position in the chain where a forked solution goes on, the chain's length for straight to evaluation;
    None: no fork.
    """

    component: str
    amounts: tuple[Amount, ...]
    target: int | None


@dataclass(frozen=True)
class Stage:
    """Choose, search, evaluate, select; again `until` the condition, once if there is none.

    entry: the position in the chain where solutions that the chooser's fork sends on enter; None: no fork.
    """

    chooser: str
    entry: int | None
    chain: tuple[Step, ...]
    until: Condition | None

    @property
    def restarts(self) -> bool:
        """Reinitialize alone replaces the whole population, whatever the chooser and the selector."""
        return [step.component for step in self.chain] == ["reinitialize"]


@dataclass(frozen=True)
class Block:
    """The stages that a selector governs; again `until` the condition, once if there is none."""

    stages: tuple[Stage, ...]
    selector: str
    until: Condition | None


def blocks(program: Program) -> tuple[Block, ...]:
    """What a round of `program` does, in order."""
    finished: list[Block] = []
    stages: list[Stage] = []
    chooser: str = CHOOSER
    entry: int | None = None
    left = program.snippets
    while left:
        snippet, taken = left[0], 1
        match snippet.role:
            case Role.CHOOSE:
                chooser = snippet.component
                entry = None if snippet.target is None else snippet.target - 1  # the chain starts one snippet on
            case Role.SEARCH:
                chain = _chain(left)
                stages.append(_stage(chooser, entry, chain))
                entry, taken = None, len(chain)  # a fork concerns only the chain that follows directly
            case Role.SELECT:
                if stages:
                    finished.append(_block(stages, snippet.component, snippet.condition))
                stages, entry = [], None
        left = left[taken:]
    if stages:
        finished.append(_block(stages, SELECTOR, None))
    return tuple(finished)


def _chain(snippets: Sequence[Snippet]) -> list[Snippet]:
    """The search components at the start of `snippets`, up to an iterate."""
    chain = []
    for snippet in snippets:
        if snippet.role is not Role.SEARCH:
            break
        chain.append(snippet)
        if snippet.pointer is Pointer.ITERATE:
            break
    return chain


def _stage(chooser: str, entry: int | None, chain: Sequence[Snippet]) -> Stage:
    length = len(chain)
    steps = [
        Step(
            snippet.component,
            snippet.amounts,
            _target(position, snippet.target, length),
        )
        for position, snippet in enumerate(chain)
    ]
    stage = Stage(chooser, None if entry is None else min(entry, length), tuple(steps), chain[-1].condition)
    return replace(stage, chooser=CHOOSER, entry=None) if stage.restarts else stage


def _target(position: int, jump: int | None, length: int) -> int | None:
    """Where the step at `position` forks to. At the end of a chain both ways lead to evaluation, which is no fork."""
    if jump is None or position + 1 == length:
        return None
    return min(position + jump, length)


def _block(stages: Sequence[Stage], selector: str, until: Condition | None) -> Block:
    heeded = any(not stage.restarts for stage in stages)
    return Block(tuple(stages), selector if heeded else SELECTOR, until)
