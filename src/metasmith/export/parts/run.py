"""What a run keeps count of: solutions and their fitness, evaluations, the best so far."""

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from metasmith.arrays import Floats, Indices, Solutions
from metasmith.chance import seeded
from metasmith.components.roles import OWN, SUCCEEDED, TRIED
from metasmith.engine.loop import PATIENCE
from metasmith.export.parts.algorithm import POPULATION, PROGRAM, algorithm
from metasmith.problems.problem import number

LOWEST, HIGHEST = -1e200, 1e300
"""No fitness is beyond these, so that differences of fitness are numbers even where values are infinite."""


class Result(NamedTuple):
    """The best solution, its value, and how many evaluations were spent."""

    x: Indices
    fun: float
    nfev: int


class Spent(Exception):  # noqa: N818
    """All evaluations are spent: ends the algorithm, wherever it is."""


class Run:
    """One run. Solutions are rows of a pool; population, children and parents are lists of rows, called slots.

    shape: the number of bits, or how many values each position has. vectors: makes vectors of rows.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        variables: str,
        shape: Any,
        pool: Solutions,
        vectors: Callable[[Solutions], Indices],
        evaluations: int,
        seed: int,
        direction: str,
    ) -> None:
        if direction not in ("max", "min"):
            raise ValueError(f"direction must be 'max' or 'min', got {direction!r}")
        dimension = shape if isinstance(shape, int) else len(shape)
        name = str(getattr(function, "name", None) or getattr(function, "__name__", type(function).__name__))
        self.function, self.vectors = function, vectors
        self.sign = 1.0 if direction == "max" else -1.0
        self.dimension, self.evaluations, self.spent = dimension, evaluations, 0
        self.rng = seeded(f"{PROGRAM}\n{variables} {dimension}\nevaluations {evaluations}", name, seed)
        self.shape, self.pool = shape, pool
        self.fitness = np.zeros(2 * POPULATION)  # by slot, larger is better
        self.population = np.arange(POPULATION)
        self.children = np.arange(POPULATION, 2 * POPULATION)
        self.parents = np.zeros(POPULATION, np.int64)  # of each child
        self.kept = np.zeros(POPULATION, np.int64)  # who survives
        self.evaluated = self.children[:0]  # the latest evaluated children, by place
        self.idle = 0  # children in a row that came out unchanged
        self.watches: list[Watch] = []
        self.best, self.value, self.row = -np.inf, np.nan, pool[0].copy()
        self.warnings = np.geterr()

    def result(self) -> Result:
        """Run the algorithm."""
        try:
            with np.errstate(over="ignore"):  # random numbers are made of products that overflow
                algorithm(self)
        except Spent:
            pass
        fun = self.sign * np.inf if self.best >= HIGHEST else self.value
        return Result(self.vectors(self.row[None])[0], float(fun), self.spent)

    def new_memory(self) -> Floats:
        """What a component remembers, nothing at first."""
        return np.zeros(OWN + 64 + 4 * POPULATION + self.dimension // 10)

    def copy_parents(self) -> None:
        """Begin the children as copies of their parents."""
        self.pool[self.children] = self.pool[self.parents]

    def evaluate_changed(self) -> int:
        """Evaluate the children that differ from their parents, the others keep the fitness; return how many were
        evaluated.
        """
        self.fitness[self.children] = self.fitness[self.parents]
        changed = np.flatnonzero((self.pool[self.children] != self.pool[self.parents]).any(axis=1))
        self.idle = 0 if len(changed) else self.idle + POPULATION
        return self.evaluate(changed) if self.idle <= PATIENCE else self.evaluate_all()

    def evaluate_all(self) -> int:
        """Evaluate all children."""
        return self.evaluate(np.arange(POPULATION))

    def evaluate(self, places: Indices) -> int:
        """Evaluate the children at `places`, as far as the evaluations last."""
        self.evaluated = places[: self.evaluations - self.spent]
        slots = self.children[self.evaluated]
        top = -np.inf
        with np.errstate(**self.warnings):  # as the caller has them
            for slot, x in zip(slots.tolist(), self.vectors(self.pool[slots]), strict=True):
                value = number(self.function(x))
                if math.isnan(value):
                    raise ValueError(
                        f"the function's value at x = {self.vectors(self.pool[slot][None])[0]} is not a number (NaN)"
                    )
                fitness = min(max(self.sign * value, LOWEST), HIGHEST)
                if fitness > self.best:
                    self.best, self.value, self.row = fitness, value, self.pool[slot].copy()
                self.fitness[slot] = fitness
                self.spent += 1
                top = max(top, fitness)
        if self.spent >= self.evaluations:
            raise Spent
        for watch in self.watches:
            if top > watch.best:
                watch.best, watch.gained = top, self.spent
        return len(self.evaluated)

    def replace_population(self, slots: Indices) -> None:
        """Make the solutions at `slots` the population; the next children get rows that it does not use."""
        self.population[:] = slots
        free = np.ones(2 * POPULATION, np.bool_)
        free[self.population] = False
        self.children[:] = np.flatnonzero(free)[:POPULATION]


class Watch:
    """What a loop that waits for improvements knows: the best fitness since it began, and the evaluations spent when it
    came.
    """

    def __init__(self, run: Run) -> None:
        self.best, self.gained = run.fitness[run.population].max(), run.spent


def tell(run: Run, memory: Floats) -> None:
    """Let a search component know how many of its children were evaluated and how many are at least as good as their
    parents.
    """
    children, parents = run.children[run.evaluated], run.parents[run.evaluated]
    memory[TRIED] = len(children)
    memory[SUCCEEDED] = np.count_nonzero(run.fitness[children] >= run.fitness[parents])


def at_least_one(name: str, value: object) -> int:
    """`value`, if it is a whole number of at least 1."""
    try:
        whole = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        whole = 0
    if whole < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
    return whole
