"""A bench to try components on: a pool with solutions in it, and kernels called plain or compiled."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from metasmith.chance import seeded
from metasmith.components import COMPONENTS, Component, Role
from metasmith.components.roles import OWN, SCRATCH
from metasmith.engine.call import call
from metasmith.engine.compile import compiled, kernels, usable
from metasmith.representations import Bits, Integers, Variables

REPRESENTATIONS = ("bits", "integers")
ARITIES = (2, 3, 40, 7, 1)
"""Values per position, over and over, where nothing else is asked: from the fewest to many, and one with no choice at
all.
"""

GUARD = 3
"""Rows and numbers before and after each array, which no kernel may touch."""

ALPHA = 1e-4
"""A test of chance fails below this probability.

Seeds are fixed: a right implementation passes, a wrong one is far below.
"""


def variables_of(representation: str, dimension: int, arity: int | None = None) -> Variables:
    if representation == "bits":
        return Bits(dimension)
    return Integers([arity or ARITIES[i % len(ARITIES)] for i in range(dimension)])


def of_role(role: Role) -> list[str]:
    return [name for name, component in COMPONENTS.items() if component.role is role]


class Guarded:
    """Makes arrays that lie between guards, and tells whether the guards are untouched."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.guards: list[tuple[np.ndarray, np.ndarray]] = []

    def __call__(self, content: np.ndarray) -> np.ndarray:
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


def inside(whole: np.ndarray) -> slice:
    return slice(GUARD, len(whole) - GUARD)


@dataclass
class Bench:
    """What kernels are given.

    Children are still copies of their parents; slots are in no order; scratch rows hold anything.
    """

    variables: Variables
    guarded: Guarded
    pool: np.ndarray
    fitness: np.ndarray
    population: np.ndarray
    children: np.ndarray
    parents: np.ndarray
    kept: np.ndarray
    memory: np.ndarray
    rng: np.ndarray
    progress: float = 0.0

    def solutions(self, slots: np.ndarray) -> np.ndarray:
        """The solutions at some slots as vectors."""
        return self.variables.to_vectors(self.pool[slots])

    def put(self, slots: np.ndarray, vectors: np.ndarray) -> None:
        self.pool[slots] = self.variables.to_rows(np.asarray(vectors))

    def arguments(self, role: Role, moving: np.ndarray | None = None, setting: float = 0.0) -> tuple[Any, ...]:
        shape, variables = self.variables.shape, self.variables
        match role:
            case Role.CHOOSE:
                return (self.pool, self.population, self.fitness, shape, self.parents, self.memory, self.rng)
            case Role.SEARCH:
                return (
                    self.pool,
                    self.children if moving is None else moving,
                    shape,
                    float(setting),
                    self.memory,
                    self.rng,
                )
            case Role.SELECT:
                given = (self.pool, self.population, self.children, self.parents, self.fitness, self.kept)
                return (*given, variables.n, self.progress, self.memory, self.rng)

    def choose(self, name: str, how: str = "compiled") -> np.ndarray:
        """The slots that a component chooses."""
        kernel(name, self.variables, how)(*self.arguments(Role.CHOOSE))
        return self.parents.copy()

    def search(
        self, name: str, setting: float = 0.0, moving: np.ndarray | None = None, how: str = "compiled"
    ) -> np.ndarray:
        """The solutions that a component makes of the children, or of those at the slots `moving`."""
        slots = self.children if moving is None else np.ascontiguousarray(moving)
        kernel(name, self.variables, how)(*self.arguments(Role.SEARCH, slots, setting))
        return self.solutions(slots)

    def select(self, name: str, how: str = "compiled") -> np.ndarray:
        """The slots that survive a selection."""
        kernel(name, self.variables, how)(*self.arguments(Role.SELECT))
        return self.kept.copy()


def bench(variables: Variables, size: int, seed: int = 0) -> Bench:
    """A population of random solutions with random fitness, many of them equal."""
    random, guarded = np.random.default_rng([seed, size, variables.n]), Guarded(seed)
    arity = np.full(variables.n, 2) if isinstance(variables, Bits) else variables.shape
    slots = random.permutation(2 * size)
    population, children = slots[:size], slots[size:]
    parents = random.choice(population, size)
    pool = np.zeros((2 * size + SCRATCH, variables.width), variables.dtype)
    pool[: 2 * size] = variables.to_rows(random.integers(0, arity, (2 * size, variables.n)))
    pool[children] = pool[parents]
    pool[2 * size :] = random.integers(0, 2**31 - 1, (SCRATCH, variables.width))
    return Bench(
        variables,
        guarded,
        pool=guarded(pool),
        fitness=guarded(random.integers(0, size + 1, 2 * size).astype(float)),
        population=guarded(population),
        children=guarded(children),
        parents=guarded(parents),
        kept=guarded(np.full(size, -1)),
        memory=guarded(np.zeros(OWN + 64 + 4 * size + variables.n // 10)),
        rng=guarded(seeded("bench", seed)),
    )


def twin(original: Bench) -> Bench:
    """The same bench once more."""
    return copy.deepcopy(original)


def kernel(name: str, variables: Variables, how: str) -> Callable[..., None]:
    """A component's kernel as a function: `plain` Python, or the machine code that the engine runs."""
    component = COMPONENTS[name]
    if how == "plain":
        return quiet(plain_kernel(component, variables))
    number = [other.name for other in usable(component.role, variables.name)].index(name)
    address = getattr(kernels(type(variables), [name]), component.role)[number]
    return lambda *arguments: compiled(call_with)(address, arguments)


def call_with(address: Any, arguments: Any) -> None:
    call(address, *arguments)


def plain_kernel(component: Component, variables: Variables) -> Callable[..., None]:
    found = component.kernel(variables.name)
    assert found is not None
    return found


def quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """A plain function of whole words, without numpy's warnings that they overflow, as they should."""

    def quietly(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return quietly


def settings_of(name: str, dimension: int) -> list[float]:
    """The numbers that a component's hyperparameter may be at a dimension, the smallest and the largest among them."""
    return [amount.at(dimension) for allowed in COMPONENTS[name].settings.values() for amount in allowed.grid] or [0.0]
