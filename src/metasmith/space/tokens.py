"""Tokens: the words of the sequence that a program is written as (paper III-A)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from metasmith.components.settings import Amount
from metasmith.space.conditions import Condition
from metasmith.space.pointers import Pointer


class Kind(StrEnum):
    """The kinds of token, of which the grammar says which may follow which."""

    BEGIN = "begin"
    END = "end"
    POPULATION = "population"
    COMPONENT = "component"
    SETTING = "setting"
    POINTER = "pointer"
    TARGET = "target"
    CONDITION = "condition"


@dataclass(frozen=True)
class Token:
    """A word of some kind. Its text is unique among the tokens of all kinds, so that a file can name it by its text."""

    kind: Kind
    text: str

    @classmethod
    def population(cls, size: int) -> Self:
        return cls(Kind.POPULATION, f"population {size}")

    @classmethod
    def component(cls, name: str) -> Self:
        return cls(Kind.COMPONENT, name)

    @classmethod
    def setting(cls, name: str, amount: Amount) -> Self:
        """A value of a hyperparameter, shared by all components that have one of that name, such as p=0.1."""
        return cls(Kind.SETTING, f"{name}={amount}")

    @classmethod
    def pointer(cls, pointer: Pointer) -> Self:
        return cls(Kind.POINTER, str(pointer))

    @classmethod
    def target(cls, jump: int) -> Self:
        return cls(Kind.TARGET, f"target {jump}")

    @classmethod
    def condition(cls, condition: Condition) -> Self:
        return cls(Kind.CONDITION, f"until {condition}")

    def __str__(self) -> str:
        return self.text


BEGIN = Token(Kind.BEGIN, "begin")
END = Token(Kind.END, "end")
ONCE = Token(Kind.CONDITION, "once")
"""The condition after the pointers forward and fork, which do not loop."""
