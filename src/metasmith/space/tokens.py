"""Tokens: the words that a program is written in, one after another (paper III-A)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from metasmith.components.settings import Amount
from metasmith.space.conditions import Condition
from metasmith.space.pointers import Pointer


class Kind(StrEnum):
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
    """A word of a given kind. Its text is unique among all tokens, so that a text names a token."""

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
        """Shared by all components with a hyperparameter of that name: p=0.1 serves reset_rand and cross_uniform."""
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
"""The condition of forward and fork."""
