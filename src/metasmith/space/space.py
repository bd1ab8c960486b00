"""Design spaces: the programs that a designer may write, declared in the TOML files beside this one."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import files
from typing import Self

from metasmith.components import COMPONENTS, Role
from metasmith.components.settings import Amount
from metasmith.space.conditions import Condition
from metasmith.space.pointers import Pointer
from metasmith.space.spelling import suggestion
from metasmith.space.tokens import BEGIN, END, ONCE, Token


@dataclass(frozen=True)
class Space:
    """A design space: the choices that a designer has at every position of a program.

    grids: the values of a hyperparameter, by its name; the component's own grid serves those that are missing.
    targets: how many components ahead a fork may jump. longest: the largest number of components in a program.
    """

    name: str
    populations: tuple[int, ...]
    components: tuple[str, ...]
    conditions: tuple[Condition, ...]
    targets: tuple[int, ...]
    longest: int
    grids: Mapping[str, tuple[Amount, ...]] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in self.components:
            if name not in COMPONENTS:
                raise ValueError(f"space '{self.name}': there is no component '{name}'; {suggestion(name, COMPONENTS)}")
            for setting, allowed in COMPONENTS[name].settings.items():
                for amount in self.grids.get(setting, ()):
                    allowed.check(amount)
        if not any(COMPONENTS[name].role is Role.SEARCH for name in self.components):
            raise ValueError(f"space '{self.name}' needs a component that searches, such as reset_n")
        if not self.populations or min(self.populations) < 1 or self.longest < 1 or min(self.targets, default=2) < 2:
            raise ValueError(f"space '{self.name}': populations and longest are at least 1, targets at least 2")

    @classmethod
    def named(cls, name: str) -> Self:
        """The space in the data file of that name: `paper` or `full`."""
        if name not in names():
            raise ValueError(f"there is no space '{name}'; {suggestion(name, names())}")
        return cls.parse(name, (files("metasmith.space") / f"{name}.toml").read_text(encoding="utf-8"))

    @classmethod
    def parse(cls, name: str, text: str) -> Self:
        """Read a space from TOML. `components` left out means all there are."""
        data = tomllib.loads(text)
        return cls(
            name,
            populations=tuple(data["populations"]),
            components=tuple(data.get("components", COMPONENTS)),
            conditions=tuple(Condition.parse(word) for word in data["conditions"]),
            targets=tuple(data["targets"]),
            longest=data["longest"],
            grids={
                setting: tuple(Amount.parse(word) for word in words) for setting, words in data.get("grids", {}).items()
            },
        )

    def on(self, representation: str) -> Self:
        """This space with only those components that have a kernel for `representation`, such as `bits`."""
        return replace(
            self, components=tuple(name for name in self.components if COMPONENTS[name].kernel(representation))
        )

    def settings(self, component: str) -> tuple[tuple[Token, ...], ...]:
        """For each hyperparameter of a component, in order, the tokens that it may be."""
        return tuple(
            tuple(Token.setting(name, amount) for amount in self.grids.get(name, allowed.grid))
            for name, allowed in COMPONENTS[component].settings.items()
        )

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Every token of the space, kind by kind; the number of a token is its index here.

        There is no token for the population where the space has one size only.
        """
        return (
            BEGIN,
            END,
            *(Token.population(size) for size in self.populations if len(self.populations) > 1),
            *(Token.component(name) for name in self.components),
            *dict.fromkeys(token for name in self.components for tokens in self.settings(name) for token in tokens),
            *(Token.pointer(pointer) for pointer in Pointer),
            *(Token.target(jump) for jump in self.targets),
            ONCE,
            *(Token.condition(condition) for condition in self.conditions),
        )

    @property
    def most_tokens(self) -> int:
        """The most tokens of a sequence: begin, population and end; of each component itself, its hyperparameters, a
        pointer, a target and a condition.
        """
        return 3 + self.longest * (4 + max(len(self.settings(name)) for name in self.components))

    @cached_property
    def number(self) -> dict[Token, int]:
        """The number of each token: its index in `tokens`."""
        return {token: i for i, token in enumerate(self.tokens)}


def names() -> list[str]:
    """The names of all spaces."""
    data = files("metasmith.space").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in data if file.name.endswith(".toml"))
