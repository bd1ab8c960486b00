"""The structure of a program: a round is a sequence of blocks, a block a sequence of stages.

A stage is the chooser in force, a chain of search components, and evaluation. A block is the stages that one selector
governs. The engine, the pseudocode and the canonical form are made from the blocks; programs with the same blocks do
the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from metasmith.components import Role
from metasmith.components.settings import Amount
from metasmith.program.program import Program, Snippet
from metasmith.space.conditions import Condition
from metasmith.space.pointers import Pointer

CHOOSER = "traverse"
"""The chooser in force at the start of a round, until the first choose component."""

SELECTOR = "pairwise_select"
"""The selector of the stages after the last select component."""


@dataclass(frozen=True)
class Step:
    """A search component in a chain.

    target: the position in the chain to which its fork sends solutions; the chain's length means evaluation, None that
    it does not fork.
    """

    component: str
    amounts: tuple[Amount, ...]
    target: int | None


@dataclass(frozen=True)
class Stage:
    """Choose, search, evaluate, select; again `until` the condition, once if there is none.

    entry: the position in the chain to which the chooser's fork sends solutions; None if it does not fork.
    """

    chooser: str
    entry: int | None
    chain: tuple[Step, ...]
    until: Condition | None

    @property
    def restarts(self) -> bool:
        """Whether the chain is reinitialize alone, which replaces the whole population without chooser and selector."""
        return [step.component for step in self.chain] == ["reinitialize"]


@dataclass(frozen=True)
class Block:
    """The stages that a selector governs; again `until` the condition, once if there is none."""

    stages: tuple[Stage, ...]
    selector: str
    until: Condition | None


def blocks(program: Program) -> tuple[Block, ...]:
    """The blocks of a round of `program`, in order."""
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
    """The target of the step at `position`. The last step of a chain has none: both ways lead to evaluation."""
    if jump is None or position + 1 == length:
        return None
    return min(position + jump, length)


def _block(stages: Sequence[Stage], selector: str, until: Condition | None) -> Block:
    selects = any(not stage.restarts for stage in stages)
    return Block(tuple(stages), selector if selects else SELECTOR, until)
