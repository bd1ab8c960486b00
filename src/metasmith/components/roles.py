"""The three roles of a component, and how a class in this folder becomes one.

A component is a class with one kernel per representation, named after it, or one kernel `any` where the representation
does not matter. Kernels of one role share one signature; solutions live in rows of a `pool`, and rows are named by
their index, their slot:

choose(pool, population, fitness, shape, parents, memory, rng)
    Write into `parents` the slots to search from, as many as `population` has. `fitness[slot]`: larger is better.
search(pool, moving, shape, setting, memory, rng)
    Change the solutions at the slots `moving`, in place.
select(pool, population, children, parents, fitness, kept, variables, progress, memory, rng)
    Write into `kept` the slots of the next population, as many as `population` has; child i was made from `parents[i]`.
    `variables`: how many the problem has. `progress`: share of the run's evaluations spent.

`shape` is what the representation says of its variables: the length for bits, the number of values per position for
integers. The last SCRATCH rows of the pool hold no solutions and are free to use within a call. `memory` belongs to the
snippet for the whole run and starts as zeros. In a search component `memory[TRIED]` and `memory[SUCCEEDED]` tell how
many children its stage evaluated last time and how many were at least as good as their parents; from `memory[OWN]` on
it is the component's to use, with room for 64 numbers, four more per solution and one more per ten variables. Kernels
do not allocate.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from metasmith.components.settings import Range

TRIED, SUCCEEDED, OWN = 0, 1, 2
SCRATCH = 32


class Role(StrEnum):
    CHOOSE = "choose"
    SEARCH = "search"
    SELECT = "select"


@dataclass(frozen=True)
class Component:
    """One building block of programs. `kernels`: plain functions by representation name."""

    name: str
    role: Role
    meaning: str
    settings: Mapping[str, Range] = field(hash=False)
    kernels: Mapping[str, Callable[..., None]] = field(hash=False)

    def kernel(self, representation: str) -> Callable[..., None] | None:
        """The kernel for a representation, or None if the component does not work on it."""
        return self.kernels.get("any") or self.kernels.get(representation)


def choose(cls: type) -> Component:
    """Class decorator: which solutions to search from."""
    return _component(Role.CHOOSE, cls, {})


def select(cls: type) -> Component:
    """Class decorator: who survives."""
    return _component(Role.SELECT, cls, {})


def search(**settings: Range) -> Callable[[type], Component]:
    """Class decorator: make new solutions. At most one hyperparameter, by name."""

    def decorate(cls: type) -> Component:
        return _component(Role.SEARCH, cls, settings)

    return decorate


def _component(role: Role, cls: type, settings: Mapping[str, Range]) -> Component:
    if len(settings) > 1:
        raise TypeError(f"component {cls.__name__} has {len(settings)} hyperparameters; kernels take one")
    kernels: dict[str, Any] = {
        name: value for name, value in vars(cls).items() if callable(value) and not name.startswith("_")
    }
    if not kernels or not cls.__doc__:
        raise TypeError(f"component {cls.__name__} needs a docstring and a kernel for at least one representation")
    return Component(cls.__name__, role, cls.__doc__.strip().splitlines()[0], settings, kernels)
