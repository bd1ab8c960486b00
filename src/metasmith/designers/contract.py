"""What a designer is, and what it is told: the contract between those who propose programs and those who measure them.

A designer never sees engines or problems: it proposes programs and is handed rewards, so it can be tested with any.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from metasmith.program import Program

Arrays = dict[str, np.ndarray[Any, Any]]
"""Arrays by name."""


class State(NamedTuple):
    """All that a designer's next proposals depend on: arrays, and facts that JSON can hold."""

    arrays: Arrays
    facts: dict[str, Any]


@dataclass(frozen=True)
class Proposal:
    """A program that a designer wants measured.

    program: in its canonical form, so that programs that do the same are the same. tokens: the sequence as it was
    written, from `begin` to `end`; None where the space cannot write the program. source: who proposed it, such as
    `network`, `mutant`, `immigrant` or `library`. parent: the program that it varies, if there is one.
    """

    program: Program
    tokens: tuple[int, ...] | None
    source: str
    parent: Program | None = None


@dataclass(frozen=True)
class Standing:
    """What came of a batch, one number per proposal.

    rewards: larger is better. first: the mean score on the first rung. finishers: the programs that reached the last.
    """

    proposals: Sequence[Proposal]
    rewards: Sequence[float]
    first: Sequence[float]
    finishers: Sequence[Program]


@dataclass(frozen=True)
class Member:
    """A program of the archive, as it was first proposed, with its mean scores when it was last measured.

    first: on the first rung. score: over all rungs, None if it did not reach the last.
    """

    proposal: Proposal
    first: float
    score: float | None = None


@dataclass
class Archive:
    """All programs so far, in the order in which they were first proposed.

    best: those that reached the last rung, the best first. progress: the share of the design's evaluations for
    proposing that is spent, from 0 to 1.
    """

    members: dict[Program, Member] = field(default_factory=dict)
    best: list[Member] = field(default_factory=list)
    progress: float = 0.0


class Designer(Protocol):
    """Proposes programs, and is told how they did. The same seed and the same answers, the same proposals."""

    def propose(self, archive: Archive, count: int) -> list[Proposal]:
        """A batch of at most `count` different programs, and at least one; a program may be in it several times."""
        ...

    def tell(self, standing: Standing) -> Mapping[str, float]:
        """What came of the last batch. Returns numbers for the history, such as a network's entropy, or none."""
        ...

    def finalists(self, count: int) -> list[Proposal]:
        """Programs for the final race, at least one and at most `count`, the one that it likes best first."""
        ...

    def state(self) -> State:
        """All that its next proposals depend on, asked for after `tell`."""
        ...

    def restore(self, state: State) -> None:
        """Go on from a state. Raises ValueError if it is that of another kind of designer or of another space."""
        ...


@dataclass(frozen=True)
class Declaration:
    """A designer as it is declared: `DESIGNER = Declaration("name", __doc__, factory)` in a module of this folder.

    make: called with the space, the `Training`, and by name `seed`; if it learns also `memory` (what a writer file
    holds, or None) and `factors` (what the problem looks like, or None). learns: whether it begins from a writer file.
    """

    name: str
    description: str | None
    make: Callable[..., Designer]
    learns: bool = False

    @property
    def about(self) -> str:
        """The first line of its description."""
        return (self.description or self.name).strip().splitlines()[0]
