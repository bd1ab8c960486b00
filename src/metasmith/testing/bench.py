"""A bench to try components on: a pool with solutions in it, and kernels called plain or compiled."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metasmith.chance import seeded
from metasmith.components import COMPONENTS, Role
from metasmith.components.roles import OWN, SCRATCH, Others
from metasmith.engine.by_reference import OTHERS, described_by, refer
from metasmith.engine.call import call
from metasmith.engine.compile import _so_far, bound, compiled, kernels, usable
from metasmith.engine.run import prepare
from metasmith.representations import Variables

Array = NDArray[Any]

GUARD = 3
"""Rows and numbers before and after each array, which no kernel may touch."""


def forget() -> None:
    """Forget which components there are, after a test has added some or taken them away."""
    for cached in (usable, _so_far, prepare):
        cached.cache_clear()


def of_role(role: Role) -> list[str]:
    """The components of a role."""
    return [name for name, component in COMPONENTS.items() if component.role is role]


class Guarded:
    """Makes arrays that lie between guards, and tells whether the guards are untouched."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.guards: list[tuple[Array, Array]] = []

    def __call__(self, content: Array) -> Array:
        whole = np.empty((len(content) + 2 * GUARD, *content.shape[1:]), content.dtype)
        whole[:GUARD] = self.random.integers(0, 2**31 - 1, whole[:GUARD].shape)
        whole[-GUARD:] = self.random.integers(0, 2**31 - 1, whole[-GUARD:].shape)
        whole[GUARD:-GUARD] = content
        self.guards.append((whole, whole.copy()))
        return whole[GUARD:-GUARD]

    def untouched(self) -> bool:
        return all(
            (np.delete(now, inside(now), 0) == np.delete(then, inside(then), 0)).all() for now, then in self.guards
        )


def inside(whole: Array) -> slice:
    return slice(GUARD, len(whole) - GUARD)


@dataclass
class Bench:
    """What kernels are given.

    Children are still copies of their parents; slots are in no order; scratch rows hold anything.
    """

    variables: Variables
    guarded: Guarded
    pool: Array
    fitness: Array
    population: Array
    children: Array
    parents: Array
    parent_of: Array
    kept: Array
    memory: Array
    rng: Array
    progress: float = 0.0

    def solutions(self, slots: Array) -> Array:
        """The solutions at some slots as vectors."""
        return self.variables.to_vectors(self.pool[slots])

    def put(self, slots: Array, vectors: Array) -> None:
        self.pool[slots] = self.variables.to_rows(np.asarray(vectors))

    def arguments(self, role: Role, moving: Array | None = None, settings: Sequence[float] = ()) -> dict[str, Any]:
        """What a kernel of a role is given, by name."""
        common = {"pool": self.pool, "population": self.population, "fitness": self.fitness}
        after = {"memory": self.memory, "rng": self.rng}
        match role:
            case Role.CHOOSE:
                return {**common, "shape": self.variables.shape, "parents": self.parents, **after}
            case Role.SEARCH:
                slots = self.children if moving is None else moving
                others = Others(np.ascontiguousarray(self.parent_of[slots]), self.population, self.fitness)
                return {
                    "pool": self.pool,
                    "moving": slots,
                    "shape": self.variables.shape,
                    "settings": np.array([*settings, 0.0]),
                    "others": others,
                    **after,
                }
            case Role.SELECT:
                families = {"children": self.children, "parents": self.parents}
                progress = {"variables": self.variables.n, "progress": self.progress}
                return {
                    "pool": self.pool,
                    "population": self.population,
                    **families,
                    "fitness": self.fitness,
                    "kept": self.kept,
                    **progress,
                    **after,
                }

    def room_for(self, name: str) -> None:
        """Give the component as much memory as it says it needs, and not a number more."""
        size = OWN + COMPONENTS[name].room(len(self.population), self.variables.n)
        if len(self.memory) != size:
            kept = np.zeros(size)
            kept[:OWN] = self.memory[:OWN]
            self.memory = self.guarded(kept)

    def choose(self, name: str, how: str = "compiled") -> Array:
        """The slots that a component chooses."""
        self.room_for(name)
        kernel(name, self.variables, how)(**self.arguments(Role.CHOOSE))
        return self.parents.copy()

    def search(
        self, name: str, setting: float | Sequence[float] = (), moving: Array | None = None, how: str = "compiled"
    ) -> Array:
        """The solutions that a component makes of the children, or of those at the slots `moving`."""
        self.room_for(name)
        slots = self.children if moving is None else np.ascontiguousarray(moving)
        settings = [setting] if isinstance(setting, float | int) else setting
        kernel(name, self.variables, how)(**self.arguments(Role.SEARCH, slots, settings))
        return self.solutions(slots)

    def select(self, name: str, how: str = "compiled") -> Array:
        """The slots that survive a selection."""
        self.room_for(name)
        kernel(name, self.variables, how)(**self.arguments(Role.SELECT))
        return self.kept.copy()


def bench(variables: Variables, size: int, seed: int = 0) -> Bench:
    """A population of random solutions with random fitness, many of them equal."""
    random, guarded = np.random.default_rng([seed, size, variables.n]), Guarded(seed)
    slots = random.permutation(2 * size)
    population, children = slots[:size], slots[size:]
    parents = random.choice(population, size)
    pool = np.zeros((2 * size + SCRATCH, variables.width), variables.cell)
    arguments = (pool, np.arange(2 * size), variables.shape, seeded("solutions", seed, size, variables.n))
    quiet(compiled(call_with))(kernels(type(variables), ()).fresh, arguments)
    pool[children] = pool[parents]
    pool[2 * size :] = random.integers(0, 2**31 - 1, (SCRATCH, variables.width))
    parent_of = np.zeros(2 * size, np.int64)
    parent_of[children] = parents
    return Bench(
        variables,
        guarded,
        pool=guarded(pool),
        fitness=guarded(random.integers(0, size + 1, 2 * size).astype(float)),
        population=guarded(population),
        children=guarded(children),
        parents=guarded(parents),
        parent_of=guarded(parent_of),
        kept=guarded(np.full(size, -1)),
        memory=guarded(np.zeros(OWN)),
        rng=guarded(seeded("bench", seed)),
    )


def twin(original: Bench) -> Bench:
    """The same bench once more."""
    return copy.deepcopy(original)


def kernel(name: str, variables: Variables, how: str) -> Callable[..., None]:
    """A component's kernel as a function of named arguments:

    `plain` Python, or the machine code that the engine runs.
    """
    component = COMPONENTS[name]
    if how == "plain":
        plain = quiet(bound(component, type(variables)))
        return lambda **arguments: plain(*arguments.values())
    number = [other.name for other in usable(component.role, variables.name)].index(name)
    address = getattr(kernels(type(variables), [name]), component.role)[number]

    def fast(**arguments: Any) -> None:
        memory = np.zeros(described_by(OTHERS), np.int64)
        if "others" in arguments:
            arguments["others"] = refer(arguments["others"], memory)
        if "settings" in arguments:
            settings = arguments["settings"]
            arguments["settings"] = settings.ctypes.data
        compiled(call_with)(address, tuple(arguments.values()))

    return fast


def call_with(address: Any, arguments: Any) -> None:
    """Call a kernel by its address."""
    call(address, *arguments)


def quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """A plain function of whole words, without numpy's warnings that they overflow, as they should."""

    def quietly(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return quietly


def settings_of(name: str, dimension: int) -> list[tuple[float, ...]]:
    """Hyperparameters that a component may have at a dimension: all of the first, with the middle of the others."""
    grids = [[amount.at(dimension) for amount in allowed.grid] for allowed in COMPONENTS[name].settings.values()]
    if not grids:
        return [()]
    rest = tuple(grid[len(grid) // 2] for grid in grids[1:])
    return [(first, *rest) for first in grids[0]]
