"""What a run keeps count of: solutions and their fitness, evaluations, the best so far."""

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from metasmith.arrays import Floats, Indices, Solutions
from metasmith.chance import seeded
from metasmith.components.roles import OWN, RESTARTS, SCRATCH, SUCCEEDED, TRIED, Others
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
    """One run. Solutions are rows of a pool; population, children and parents are lists of rows, called slots."""

    def __init__(
        self, function: Callable[..., Any], variables: Any, evaluations: int, seed: int, direction: str
    ) -> None:
        if direction not in ("max", "min"):
            raise ValueError(f"direction must be 'max' or 'min', got {direction!r}")
        name = str(getattr(function, "name", None) or getattr(function, "__name__", type(function).__name__))
        self.function, self.variables = function, variables
        self.sign = 1.0 if direction == "max" else -1.0
        self.dimension, self.evaluations, self.spent = variables.n, at_least_one("evaluations", evaluations), 0
        self.rng = seeded(f"{PROGRAM}\n{variables.name} {variables.n}\nevaluations {self.evaluations}", name, seed)
        self.shape = variables.shape
        self.pool = np.zeros((2 * POPULATION + SCRATCH, variables.width), variables.cell)
        self.fitness = np.zeros(2 * POPULATION)  # by slot, larger is better
        self.population = np.arange(POPULATION)
        self.children = np.arange(POPULATION, 2 * POPULATION)
        self.parents = np.zeros(POPULATION, np.int64)  # of each child
        self.parent_of = np.zeros(2 * POPULATION, np.int64)  # the same by the child's slot
        self.kept = np.zeros(POPULATION, np.int64)  # who survives
        self.memories: list[Floats] = []
        self.evaluated = self.children[:0]  # the latest evaluated children, by position
        self.idle = 0  # children in a row that came out unchanged
        self.watches: list[Watch] = []
        self.best, self.value, self.row = -np.inf, np.nan, self.pool[0].copy()
        self.warnings = np.geterr()

    def vectors(self, rows: Solutions) -> Any:
        """Rows as vectors."""
        return self.variables.to_vectors(rows)

    def result(self) -> Result:
        """Run the algorithm."""
        try:
            with np.errstate(over="ignore"):  # random numbers are made of products that overflow
                algorithm(self)
        except Spent:
            pass
        return Result(self.vectors(self.row[None])[0], float(self.value), self.spent)

    def new_memory(self, room: int) -> Floats:
        """What a component remembers, so many numbers, nothing at first."""
        self.memories.append(np.zeros(OWN + room))
        return self.memories[-1]

    def copy_parents(self) -> None:
        """Begin the children as copies of their parents."""
        self.pool[self.children] = self.pool[self.parents]
        self.parent_of[self.children] = self.parents

    def others(self, slots: Indices) -> Others:
        """What a search component sees beside the solutions at these slots."""
        return Others(self.parent_of[slots], self.population, self.fitness)

    def note_restart(self) -> None:
        """Let all components know that the population is new."""
        for memory in self.memories:
            memory[RESTARTS] += 1

    def evaluate_changed(self) -> int:
        """Evaluate the children that differ from their parents, the others keep the fitness; return how many were
        evaluated.
        """
        self.fitness[self.children] = self.fitness[self.parents]
        raw = self.pool.view(np.uint64)  # compared as they are in memory, whatever they hold
        changed = np.flatnonzero((raw[self.children] != raw[self.parents]).any(axis=1))
        self.idle = 0 if len(changed) else self.idle + POPULATION
        return self.evaluate(changed) if self.idle <= PATIENCE else self.evaluate_all()

    def evaluate_all(self) -> int:
        """Evaluate all children."""
        return self.evaluate(np.arange(POPULATION))

    def evaluate(self, positions: Indices) -> int:
        """Evaluate the children at these positions, as far as the evaluations last."""
        self.evaluated = positions[: self.evaluations - self.spent]
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
