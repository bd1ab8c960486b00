"""A program: a population size and a sequence of snippets (paper III-A). Programs are immutable, hashable values."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from metasmith.components import COMPONENTS, Component, Role
from metasmith.components.settings import Amount
from metasmith.space.conditions import Condition
from metasmith.space.pointers import POINTERS, Pointer
from metasmith.space.spelling import suggestion

DOES = {Role.CHOOSE: "chooses", Role.SEARCH: "searches", Role.SELECT: "selects"}
"""What components of a role do, in words for error messages."""

COLUMN_GAP = 3
"""Blanks between the longest component of a text and the column of the pointers."""

LARGEST = 1_000_000
"""Largest population, which must fit into memory, and largest jump of a fork."""


class ProgramError(ValueError):
    """A text or a sequence that is no program; the message says in which line, what was expected and what it got."""

    def at(self, line: int) -> "ProgramError":
        """The same error with the number of the line."""
        return ProgramError(f"line {line}: {self}")


@dataclass(frozen=True)
class Snippet:
    """A component, its hyperparameters, and where the flow goes after it.

    amounts: one for each hyperparameter of the component.
    target: of a fork, how many snippets ahead it jumps, at least 2. condition: of an iterate, when the loop ends.
    """

    component: str
    amounts: tuple[Amount, ...] = ()
    pointer: Pointer = Pointer.FORWARD
    target: int | None = None
    condition: Condition | None = None

    def __post_init__(self) -> None:
        component = find(self.component)
        _check_amounts(component, self.amounts)
        if self.pointer not in POINTERS[component.role]:
            raise ProgramError(f"{self.component} {DOES[component.role]} and cannot {self.pointer}")
        if (self.pointer is Pointer.FORK) != (self.target is not None):
            raise ProgramError("fork has a target, and nothing else has")
        if self.target is not None and not 2 <= self.target <= LARGEST:
            raise ProgramError(
                f"expected how many lines on fork jumps, a whole number of at least 2, got '{self.target}'"
            )
        if (self.pointer is Pointer.ITERATE) != (self.condition is not None):
            raise ProgramError("iterate has a condition, and nothing else has")

    @property
    def role(self) -> Role:
        return COMPONENTS[self.component].role

    @property
    def head(self) -> str:
        """The component with its hyperparameters: `reset_n(n=1)`."""
        settings = ", ".join(
            f"{name}={amount}" for name, amount in zip(COMPONENTS[self.component].settings, self.amounts, strict=True)
        )
        return f"{self.component}({settings})" if settings else self.component

    @property
    def tail(self) -> str:
        """The pointer with its condition or target, `iterate until 5%`; empty for forward."""
        match self.pointer:
            case Pointer.ITERATE:
                return f"iterate until {self.condition}"
            case Pointer.FORK:
                return f"fork {self.target}"
            case _:
                return ""


@dataclass(frozen=True)
class Program:
    """An algorithm as a sequence of snippets. `Program.parse(str(program)) == program`."""

    population: int
    snippets: tuple[Snippet, ...]

    def __post_init__(self) -> None:
        check(self.population, self.snippets, range(1, 2 + len(self.snippets)))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a program: `population N`, then one snippet a line. Raises ProgramError."""
        from metasmith.program.reading import read  # reading makes snippets, so it imports this file

        return cls(*read(text))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.population, self.snippets)  # without the hash, which differs between processes

    @cached_property
    def _hash(self) -> int:
        """The hash, computed once, as programs are the keys of caches and archives."""
        return hash((self.population, self.snippets))

    def __str__(self) -> str:
        column = max(len(snippet.head) for snippet in self.snippets) + COLUMN_GAP
        lines = [f"{snippet.head:{column}}{snippet.tail}".rstrip() for snippet in self.snippets]
        return "\n".join([f"population {self.population}", *lines])


def find(name: str) -> Component:
    """The component called `name`, or a ProgramError that suggests one."""
    if name not in COMPONENTS:
        raise ProgramError(f"there is no component '{name}'; {suggestion(name, COMPONENTS)}")
    return COMPONENTS[name]


def check(population: int, snippets: Sequence[Snippet], lines: Sequence[int]) -> None:
    """Raise ProgramError for mistakes that no single snippet shows. lines: their numbers, the population's first."""
    if not 1 <= population <= LARGEST:
        raise ProgramError(f"expected a population from 1 to {LARGEST}, got '{population}'").at(lines[0])
    if not any(snippet.role is Role.SEARCH for snippet in snippets):
        raise ProgramError("a program needs a line that searches, such as reset_n(n=1)").at(lines[-1])
    if snippets[-1].pointer is Pointer.FORK:
        raise ProgramError(f"fork needs a later line to go to; line {lines[-1]} is the last").at(lines[-1])


def _check_amounts(component: Component, amounts: Sequence[Amount]) -> None:
    if len(amounts) > len(component.settings):
        raise ProgramError(f"{component.name} has {len(component.settings)} hyperparameters, got {len(amounts)}")
    for i, (name, allowed) in enumerate(component.settings.items()):
        if i >= len(amounts):
            raise ProgramError(
                f"{component.name} needs {name}, {allowed.words}: write {component.name}({name}={allowed.grid[0]})"
            )
        try:
            allowed.check(amounts[i])
        except ValueError as error:
            raise ProgramError(f"{name} of {component.name}: {error}") from None
