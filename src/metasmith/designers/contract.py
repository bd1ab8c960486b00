"""What a designer is, and what it is told: the contract between those who propose programs and those who measure them.

A designer never sees engines or problems: it proposes programs and is handed rewards, so it can be tested with any.
There are two kinds. A `Designer` proposes batches, and the rungs say how they did. A `Configurator`, such as irace,
also chooses which program runs when and on which case, and compares programs in its own way.
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


class Trial(NamedTuple):
    """A run that a configurator wants: of a program, on the training case of that number, with a seed.

    The same trial again is the same run, and costs nothing. Programs whose trials have the same seed on a case run with
    the same random numbers.
    """

    proposal: Proposal
    case: int
    seed: int


@dataclass(frozen=True)
class Budget:
    """What a configurator may spend.

    evaluations: all together. lengths: the evaluations of a run on each training case. order: the numbers of cases in
    the order in which programs should run on them, again and again; the nearer to use, the more often.
    """

    evaluations: int
    lengths: Sequence[int]
    order: Sequence[int]

    @property
    def runs(self) -> int:
        """The number of runs that this pays for, if the cases take turns."""
        return self.evaluations * len(self.order) // sum(self.lengths[case] for case in self.order)


class SpentError(Exception):
    """The budget of a configurator does not pay for the trials that it wants; nothing more will be measured."""


Measure = Callable[[Sequence[Trial]], list[float]]
"""Does trials side by side; returns a cost for each: lower is better, -1 the optimum if that is known, 0 random search.
Raises SpentError once the budget is spent.
"""


class Configurator(Protocol):
    """Chooses programs, and when to run which of them on what. The same seed and the same costs, the same trials."""

    def configure(self, measure: Measure, budget: Budget) -> list[Proposal]:
        """Spend the budget; return programs for the final race, the best first, none if it has no opinion.

        Once `measure` raises SpentError, it returns what it has, or lets that pass: what had the most trials then goes
        on to the final race. Whatever else `measure` raises must pass. A run that was killed begins with this from the
        start, and is told the same costs.
        """
        ...


@dataclass(frozen=True)
class Declaration:
    """A designer as it is declared: `DESIGNER = Declaration("name", __doc__, factory)` in a module of this folder.

    make: called with the space, the `Training`, and by name `seed`; if it learns also `memory` (what a writer file
    holds, or None) and `factors` (what the problem looks like, or None). learns: whether it begins from a writer file.
    configures: whether it is a Configurator. check: raises ValueError, saying what to do, if it cannot work here, as
    something is not installed.
    """

    name: str
    description: str | None
    make: Callable[..., Any]
    learns: bool = False
    configures: bool = False
    check: Callable[[], Any] = lambda: None

    @property
    def about(self) -> str:
        """The first line of its description."""
        return (self.description or self.name).strip().splitlines()[0]
