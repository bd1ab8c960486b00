"""What the tests of the engine share: programs drawn at random, problems that remember what they were asked, a run step
by step.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from metasmith.engine import Result
from metasmith.engine.evaluators import evaluator
from metasmith.engine.loop import Run
from metasmith.engine.run import begin, prepare
from metasmith.problems import Problem
from metasmith.program import Program, random_program
from metasmith.representations import Bits, Integers, Variables
from metasmith.space import Space

SPACES = [Space.named("paper"), Space.named("full").on("bits")]  # what works on bits works on all variables
programs = st.builds(random_program, st.sampled_from(SPACES), st.integers(0, 2**32))
seeds = st.integers(0, 2**40)
variables = st.one_of(
    st.sampled_from([1, 2, 7, 20, 64, 65]).map(Bits),
    st.lists(st.sampled_from([1, 2, 3, 5, 40]), min_size=0, max_size=12).map(lambda counts: Integers([*counts, 4])),
)


def rugged(x: np.ndarray) -> float:
    """An objective of whole numbers with hills in it, on any variables."""
    weights = np.arange(len(x)) * 7 % 11 - 3
    return float((weights * x).sum() + 5 * (x[1:] != x[:-1]).sum() - 2 * (x.sum() % 3))


class Recorder:
    """A function that remembers every vector it was given and every value it gave.

    Writes to its input, as functions may.
    """

    def __init__(self, function: Callable[[np.ndarray], Any] = rugged) -> None:
        self.function = function
        self.xs: list[np.ndarray] = []
        self.values: list[Any] = []

    def __call__(self, x: np.ndarray) -> Any:
        self.xs.append(x.copy())
        self.values.append(self.function(x))
        x[:] = -1
        return self.values[-1]


def program(text: str) -> Program:
    return Program.parse(text)


def same(a: Result, b: Result) -> bool:
    """Whether two results agree in every bit but the time they took."""
    return (
        a.x.tolist() == b.x.tolist()
        and (a.fun, a.nfev, a.hit, a.violation, a.success) == (b.fun, b.nfev, b.hit, b.violation, b.success)
        and a.history.evaluations.tolist() == b.history.evaluations.tolist()
        and a.history.values.tolist() == b.history.values.tolist()
    )


class Generation(NamedTuple):
    """One generation of a run. Vectors are by place; changed: places of the children that were evaluated."""

    stage: int
    spent: int
    before: np.ndarray  # the population it began with
    parents: np.ndarray
    children: np.ndarray
    after: np.ndarray
    changed: list[int]
    values: list[float]  # what was evaluated, in order
    memory: np.ndarray  # of all snippets, afterwards


def generations(
    given: Program, function: Callable[[np.ndarray], float], variables: Variables, evaluations: int, seed: int = 0
) -> list[Generation]:
    """Every generation of a run; the first is the random population."""
    return list(watch(given, function, variables, evaluations, seed))


def watch(
    given: Program, function: Callable[[np.ndarray], float], variables: Variables, evaluations: int, seed: int
) -> Iterator[Generation]:
    recorder = Recorder(function)
    batch = Problem(
        lambda xs: [recorder(x) for x in xs], variables, batch=True, name="watched"
    )  # these go generation by generation
    ready = prepare(given, variables, evaluations)
    state, step = begin(ready, variables, evaluations, batch.name, seed), evaluator(batch)
    while state.clock[0].spent < evaluations:
        stage, before, asked = (
            int(state.clock[0].stage),
            vectors(state, state.population, variables),
            len(recorder.values),
        )
        step.advance(state, ready, np.inf)
        changed = state.todo[: state.clock[0].todo].tolist()
        yield Generation(
            stage,
            int(state.clock[0].spent),
            before,
            vectors(state, state.parents, variables),
            vectors(state, state.children, variables),
            vectors(state, state.population, variables),
            changed,
            recorder.values[asked:],
            state.memory.copy(),
        )


def vectors(state: Run, slots: np.ndarray, variables: Variables) -> np.ndarray:
    return variables.to_vectors(state.pool[slots])
