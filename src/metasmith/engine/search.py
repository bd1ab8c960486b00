"""Ask and tell: a run whose evaluations happen elsewhere, in a laboratory or in another language."""

import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metasmith.arrays import Floats
from metasmith.engine import loop
from metasmith.engine.compile import COMPILING, compiled
from metasmith.engine.evaluators.fitness import fitness_of_values, problem_values
from metasmith.engine.run import (
    SPENT,
    TOO_LARGE,
    History,
    Job,
    Result,
    begin,
    best_vector,
    beyond,
    check,
    prepare,
    put,
    with_more_room,
)  # fmt: skip
from metasmith.problems import Problem
from metasmith.problems.problem import Direction, OnError
from metasmith.program import Program
from metasmith.representations import Variables


class Search:
    """A run that asks for values instead of computing them. It spends and returns the same as `solve` would.

    while not search.done:
        search.tell([measure(x) for x in search.ask()])
    search.result()

    Random numbers depend on `name`, as those of `solve` depend on the problem's.
    """

    def __init__(
        self,
        program: Program,
        variables: Variables,
        *,
        evaluations: int,
        seed: int = 0,
        direction: Direction = "max",
        name: str = "search",
        on_error: OnError = "stop",
        start: ArrayLike | None = None,
    ) -> None:
        self._problem = Problem(_told, variables, direction=direction, name=name, on_error=on_error)
        self._job = Job(program, self._problem, evaluations, seed, start=start)
        check(self._job)
        self.variables = variables
        with COMPILING:
            self._ready = prepare(program, variables, evaluations)
            self._propose, self._accept = compiled(loop.propose), compiled(loop.accept)
        self._state = begin(self._ready, variables, evaluations, name, seed)
        self._begun = time.perf_counter()
        self._best_violation = 0.0
        self._best_value = np.nan
        if start is not None:
            put(self._state, self._ready, variables, self._problem.checked(start))

    @property
    def spent(self) -> int:
        """Evaluations that were told so far."""
        return int(self._state.clock[0]["spent"])

    @property
    def done(self) -> bool:
        """Whether all evaluations are spent."""
        return self.spent >= self._job.evaluations

    def ask(self) -> NDArray[Any]:
        """The solutions to evaluate next, (solutions, variables); the same again until they are told."""
        clock, shape = self._state.clock[0], self.variables.shape
        while not self.done and not (clock["proposed"] and clock["todo"]):
            if clock["proposed"]:  # no child differs from its parent: a generation that costs nothing
                self._accept(self._state, self._ready.code, self._ready.kernels)
            if not loop.has_room(self._state):
                self._state = with_more_room(self._state)
            self._propose(self._state, self._ready.code, self._ready.kernels, shape)
        return self.variables.to_vectors(self._state.pool[self._slots()])

    def tell(self, values: ArrayLike, violations: ArrayLike | None = None) -> None:
        """The values of the solutions that were asked for, in their order; and how much they violate constraints.

        Raises ValueError for another number of them, and EvaluationError for one that is not a number, unless
        `on_error="worst"`; the same solutions can then be told again.
        """
        slots = self._slots()
        vectors = self.variables.to_vectors(self._state.pool[slots])
        told, violated = _numbers("values", values, len(slots)), None
        if violations is not None:
            violated = _numbers("violations", violations, len(slots))
        fitness = fitness_of_values(self._problem, vectors, told, violated, advice="Search(..., on_error='worst')")
        before = self._state.clock[0]["best"] if self.spent else -np.inf
        if fitness.max() > before:
            best = int(np.argmax(fitness))
            self._best_value = float(told[best])
            self._best_violation = 0.0 if violated is None else max(0.0, float(violated[best]))
        self._state.fitness[slots] = fitness
        self._accept(self._state, self._ready.code, self._ready.kernels)

    def result(self) -> Result:
        """What came of the run so far."""
        clock = self._state.clock[0]
        if not self.spent:
            raise ValueError("nothing was told yet: ask for solutions, evaluate them, tell their values")
        values = problem_values(self._problem, self._state.what[: clock["improvements"]])
        fun = self._best_value if beyond(self._state) else float(values[-1])
        message = SPENT if self.done else f"{self.spent} of {self._job.evaluations} evaluations spent"
        if beyond(self._state) and self._best_violation == 0 and np.isfinite(fun):
            message = f"{message}; {TOO_LARGE}"
        return Result(
            x=best_vector(self._state, self.variables),
            fun=fun,
            nfev=self.spent,
            hit=int(clock["hit"]),
            history=History(self._state.when[: clock["improvements"]].copy(), values),
            violation=self._best_violation,
            seed=self._job.seed,
            seconds=time.perf_counter() - self._begun,
            success=self.done,
            message=message,
        )

    def _slots(self) -> NDArray[np.int64]:
        """The rows of the children that are to be evaluated."""
        clock = self._state.clock[0]
        count = int(clock["todo"]) if clock["proposed"] and not self.done else 0
        return self._state.children[self._state.todo[:count]]


def _told(x: NDArray[Any]) -> float:
    """Stands for a function that is elsewhere."""
    raise ValueError("the values of this problem are told, not computed")


def _numbers(what: str, values: ArrayLike, count: int) -> Floats:
    if count == 0:
        raise ValueError("nothing was asked for: call ask first")
    expected = f"expected {count} {what}, one number for each solution that was asked for"
    try:
        numbers = np.asarray(values)
    except ValueError:
        raise ValueError(f"{expected}, got lists of different lengths") from None
    if numbers.shape != (count,) or numbers.dtype.kind not in "biuf":
        raise ValueError(f"{expected}, got an array of shape {numbers.shape} and type {numbers.dtype}")
    return numbers.astype(np.float64)
