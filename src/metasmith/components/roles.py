"""The three roles of a component, and how a class in this folder becomes one.

A component is a class with one kernel per representation, named after it, or one kernel `any` where the representation
does not matter. Kernels of one role share one signature; solutions live in rows of a `pool`, and rows are named by
their index, their slot:

choose(pool, population, fitness, shape, parents, memory, rng)
    Write into `parents` the slots to search from, as many as `population` has. `fitness[slot]`: larger is better.
search(pool, moving, shape, settings, others, memory, rng)
    Change the solutions at the slots `moving`, in place. `settings`: the hyperparameters, in their order.
    `others.parents[k]`: the slot that the solution at `moving[k]` was copied from; `others.population`: the slots of
    the current population; `others.fitness[slot]`: how good those are. None of these rows may be changed.
select(pool, population, children, parents, fitness, kept, variables, progress, memory, rng)
    Write into `kept` the slots of the next population, as many as `population` has; child i was made from `parents[i]`.
    `variables`: how many the problem has. `progress`: share of the run's evaluations spent.

`shape` is what the representation says of its variables: the length for bits, the number of values per position for
integers. The last SCRATCH rows of the pool hold no solutions and are free to use within a call.

`memory` belongs to the snippet for the whole run and starts as zeros. `memory[RESTARTS]` counts how often the whole
population was replaced by random solutions. In a search component `memory[TRIED]` and `memory[SUCCEEDED]` tell how many
children its stage evaluated last time and how many were at least as good as their parents. From `memory[OWN]` on it is
the component's to use: as many numbers as its function `room(population, variables)` says, none if it has no such
function.

A kernel `any` may ask for a kernel of the representation by one more argument at the end, called `fresh`, `step` or
`distance`: it is given the function of that name, see `representations/contract.py`. Kernels do not allocate.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from inspect import signature
from typing import Any, NamedTuple

from metasmith.arrays import Floats, Indices
from metasmith.components.settings import Range
from metasmith.discovery import by_name

TRIED, SUCCEEDED, RESTARTS, OWN = 0, 1, 2, 3
SCRATCH = 32
ANY = "any"


class Role(StrEnum):
    CHOOSE = "choose"
    SEARCH = "search"
    SELECT = "select"


ARGUMENTS = {
    Role.CHOOSE: ("pool", "population", "fitness", "shape", "parents", "memory", "rng"),
    Role.SEARCH: ("pool", "moving", "shape", "settings", "others", "memory", "rng"),
    Role.SELECT: (
        *("pool", "population", "children", "parents", "fitness", "kept"),
        *("variables", "progress", "memory", "rng"),
    ),
}
"""What kernels of a role are given, in order."""

ASKED_FOR = ("fresh", "step", "distance")
"""Kernels of the representation that a kernel `any` may ask for."""


class Others(NamedTuple):
    """What a search kernel sees beside the solutions that it changes; see above."""

    parents: Indices
    population: Indices
    fitness: Floats


def no_room(population: int, variables: int) -> int:
    """A component that says nothing of its memory has none."""
    return 0


@dataclass(frozen=True)
class Component:
    """One building block of programs. kernels: plain functions by representation name. room: numbers it remembers."""

    name: str
    role: Role
    meaning: str
    settings: Mapping[str, Range] = field(hash=False)
    kernels: Mapping[str, Callable[..., None]] = field(hash=False)
    room: Callable[[int, int], int] = field(default=no_room, hash=False)

    def kernel(self, representation: str) -> Callable[..., None] | None:
        """The kernel for a representation, or None if the component does not work on it."""
        return self.kernels.get(representation) or self.kernels.get(ANY)


@dataclass(frozen=True)
class MoreKernels:
    """Kernels for a component that another file defines: how a new representation teaches it to an old component."""

    component: str
    kernels: Mapping[str, Callable[..., None]] = field(hash=False)
    room: Callable[[int, int], int] | None = field(default=None, hash=False)


def choose(cls: type) -> Component:
    """Class decorator: which solutions to search from."""
    return _component(Role.CHOOSE, cls, {})


def select(cls: type) -> Component:
    """Class decorator: who survives."""
    return _component(Role.SELECT, cls, {})


def search(**settings: Range) -> Callable[[type], Component]:
    """Class decorator: make new solutions. Hyperparameters by name, in the order in which kernels find them."""

    def decorate(cls: type) -> Component:
        return _component(Role.SEARCH, cls, settings)

    return decorate


def kernels_of(component: str) -> Callable[[type], MoreKernels]:
    """Class decorator: more kernels for a component that is there already, for representations that it lacks."""

    def decorate(cls: type) -> MoreKernels:
        return MoreKernels(component, _kernels(cls), vars(cls).get("room"))

    return decorate


def joined(members: Iterable[Component | MoreKernels]) -> dict[str, Component]:
    """Components by name, in alphabetical order, with the kernels that other files add to them."""
    members = list(members)
    components = by_name((each for each in members if isinstance(each, Component)), lambda component: component.name)
    for more in members:
        if isinstance(more, MoreKernels):
            components[more.component] = _extended(components, more)
    return dict(sorted(components.items()))


def asks_for(kernel: Callable[..., None], role: Role) -> str | None:
    """Which kernel of the representation a kernel asks for, if any.

    Raises TypeError for other arguments than its role's.
    """
    names = list(signature(kernel).parameters)
    extra = names[len(ARGUMENTS[role]) :]
    if len(names) < len(ARGUMENTS[role]) or len(extra) > 1 or not set(extra) <= set(ASKED_FOR):
        expected = ", ".join(ARGUMENTS[role])
        raise TypeError(f"{kernel.__qualname__}: a {role} kernel takes ({expected}), then at most one of {ASKED_FOR}")
    return extra[0] if extra else None


def _component(role: Role, cls: type, settings: Mapping[str, Range]) -> Component:
    kernels = _kernels(cls)
    if not kernels or not cls.__doc__:
        raise TypeError(f"component {cls.__name__} needs a docstring and a kernel for at least one representation")
    for kernel in kernels.values():
        asks_for(kernel, role)
    meaning = " ".join(cls.__doc__.split("\n\n")[0].split())
    return Component(cls.__name__, role, meaning, settings, kernels, vars(cls).get("room", no_room))


def _kernels(cls: type) -> dict[str, Any]:
    return {
        name: each for name, each in vars(cls).items() if callable(each) and not name.startswith("_") and name != "room"
    }


def _extended(components: Mapping[str, Component], more: MoreKernels) -> Component:
    if more.component not in components:
        raise TypeError(f"there is no component {more.component} to add kernels to")
    component = components[more.component]
    if twice := sorted(set(component.kernels) & set(more.kernels)):
        raise TypeError(f"component {more.component} has a kernel for {twice[0]} already")
    for kernel in more.kernels.values():
        asks_for(kernel, component.role)
    room = component.room if more.room is None else _larger(component.room, more.room)
    return replace(component, kernels={**component.kernels, **more.kernels}, room=room)


def _larger(one: Callable[[int, int], int], other: Callable[[int, int], int]) -> Callable[[int, int], int]:
    return lambda population, variables: max(one(population, variables), other(population, variables))
