"""One run of a program on a problem: from (program, problem, evaluations, seed) to a result, always the same one."""

import math
import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from metasmith.arrays import Floats, Indices
from metasmith.chance import seeded
from metasmith.checks import whole_number
from metasmith.components import COMPONENTS
from metasmith.components.roles import OWN, SCRATCH, Others
from metasmith.engine import loop
from metasmith.engine.apart import apart
from metasmith.engine.by_reference import OTHERS, described_by, refer
from metasmith.engine.compile import COMPILING, compiled, kernels
from metasmith.engine.evaluators import evaluator
from metasmith.engine.evaluators.builtin import values_of
from metasmith.engine.evaluators.fitness import Vector, problem_values
from metasmith.engine.evaluators.trace import TimeUpError, Trace
from metasmith.engine.loop import CLOCK, INFEASIBLE, WORST, Code, Kernels, Run
from metasmith.engine.lower import lower, memories
from metasmith.problems import Native, Problem
from metasmith.program import Program, canonical
from metasmith.program.stages import CHOOSER, SELECTOR
from metasmith.representations import Variables

HISTORY = 1024
"""Improvements that a run has room for at first; doubled whenever it is full."""

MOST = 2**62
"""The most evaluations that can be counted."""


SPENT = "all evaluations spent"
TOO_LARGE = "values of this size are not told apart; scale them to less than 1e200"
"""What a run says of itself if it ended as it should, and if fitness cannot hold its values."""


class InterruptedRunError(RuntimeError):
    """The run was asked to stop."""


class History(NamedTuple):
    """Every improvement of the best: at which evaluation, and to what value."""

    evaluations: Indices
    values: Floats


@dataclass(frozen=True, eq=False)
class Job:
    """One run to do. seconds: a limit by the clock, beside the evaluations.

    start: solutions to start from, (solutions, variables), instead of as many random ones; those beyond the population
    are left out.
    """

    program: Program
    problem: Problem
    evaluations: int
    seed: int
    seconds: float | None = None
    start: ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class Result:
    """What came of a run, in scipy's words: x, fun, nfev. hit: the evaluation of the last improvement.

    violation: how much x violates the constraints; if it does, or if its value is infinite or beyond 1e200,
    the value was asked for once more, beyond the evaluations.
    success: whether all evaluations were spent; if not, the message says why.
    """

    x: Vector
    fun: float
    nfev: int
    hit: int
    history: History
    violation: float
    seed: int
    seconds: float
    success: bool
    message: str

    def __repr__(self) -> str:
        return f"Result(fun={self.fun:g}, nfev={self.nfev}, hit={self.hit}, seed={self.seed}, message={self.message!r})"


def run(job: Job, stop: threading.Event | None = None) -> Result:
    """Do one run. Raises EvaluationError if the problem's function fails, InterruptedRunError once `stop` is set."""
    check(job)
    with COMPILING:
        ready = prepare(job.program, job.problem.variables, job.evaluations)
    evaluates = evaluator(job.problem)
    state = begin(ready, job.problem.variables, job.evaluations, job.problem.name, job.seed)
    if job.start is not None:
        put(state, ready, job.problem.variables, job.problem.checked(job.start))
    clock = state.clock[0]
    begun = time.perf_counter()
    deadline = begun + job.seconds if job.seconds is not None else np.inf
    while clock["spent"] < job.evaluations:
        if stop is not None and stop.is_set():
            raise InterruptedRunError(f"stopped after {clock['spent']} of {job.evaluations} evaluations")
        if not loop.has_room(state):
            state = with_more_room(state)
        try:
            evaluates.advance(state, ready, deadline)
        except TimeUpError:
            break
        if time.perf_counter() >= deadline:
            break
    return finish(job, state, time.perf_counter() - begun)


def check(job: Job) -> None:
    """Raise ValueError for a job that cannot be done."""
    whole_number("seed", job.seed)
    if not isinstance(job.evaluations, int | np.integer) or not 1 <= job.evaluations <= MOST:
        raise ValueError(f"a run needs at least 1 evaluation, a whole number, got {job.evaluations}")
    if job.seconds is not None and not job.seconds > 0:
        raise ValueError(f"a time limit is a number of seconds above 0, got {job.seconds}")
    if job.start is not None:
        try:
            job.problem.checked(job.start)
        except ValueError as error:
            raise ValueError(f"start solutions do not fit {job.problem.name}: {error}") from None


class Ready(NamedTuple):
    """A program ready to run on some variables with some evaluations.

    room: numbers that the memory of a snippet holds. identity: what its random numbers depend on, beside the problem's
    name and the seed.
    """

    population: int
    code: Code
    kernels: Kernels
    room: int
    identity: str


@lru_cache(maxsize=4096)
def prepare(program: Program, variables: Variables, evaluations: int) -> Ready:
    """Lower a program and compile what it needs.

    Programs that do the same get the same random numbers, hence the same results.
    """
    program = canonical(program)
    code = lower(program, variables, evaluations)
    names = {CHOOSER, SELECTOR, *(snippet.component for snippet in program.snippets)}
    room = OWN + max(COMPONENTS[name].room(program.population, variables.n) for name in names)
    identity = f"{program}\n{variables.name} {variables.n}\nevaluations {evaluations}"
    addresses = kernels(cast(Hashable, type(variables)), names)
    return Ready(program.population, code, addresses, room, identity)


def begin(ready: Ready, variables: Variables, evaluations: int, name: str, seed: int) -> Run:
    """A run before its first evaluation. name: the problem's."""
    size = ready.population
    room = min(HISTORY, evaluations) + size
    slots = ((size,), np.int64)
    arrays = apart(
        clock=((1,), CLOCK),
        pool=((2 * size + SCRATCH, variables.width), variables.cell),
        fitness=((2 * size,), np.float64),
        population=slots,
        children=slots,
        parents=slots,
        todo=slots,
        moving=slots,
        moving_parents=slots,
        at=slots,
        kept=slots,
        used=((2 * size,), np.int64),
        memory=((memories(ready.code), ready.room), np.float64),
        when=((room,), np.int64),
        what=((room,), np.float64),
        rng=((1,), np.uint64),
        descriptions=((2, described_by(OTHERS)), np.int64),
    )
    raw = arrays["pool"].view(np.uint64)
    # The descriptions are in the same block as all arrays, so they live as long as the run.
    descriptions = arrays.pop("descriptions")
    others, others_moving = (
        refer(Others(arrays[parents], arrays["population"], arrays["fitness"]), description)
        for parents, description in zip(("parents", "moving_parents"), descriptions, strict=True)
    )
    arrays["clock"][["evaluations", "variables", "moved"]] = (evaluations, variables.n, 1)
    best = np.zeros(raw.shape[1], np.uint64)
    clock = arrays.pop("clock").view(np.recarray)
    state = Run(**arrays, clock=clock, raw=raw, best=best, others=others, others_moving=others_moving)
    state.population[:] = np.arange(size)
    state.rng[:] = seeded(ready.identity, name, seed)
    return state


def put(state: Run, ready: Ready, variables: Variables, vectors: Vector) -> None:
    """Begin a run with given solutions, as many as the population has room for; random ones fill it up."""
    rows = variables.to_rows(vectors[: ready.population])
    with COMPILING:
        propose = compiled(loop.propose)
    propose(state, ready.code, ready.kernels, variables.shape)
    state.pool[state.children[: len(rows)]] = rows


def with_more_room(state: Run) -> Run:
    """The same run with twice the room for its history."""
    return state._replace(
        when=np.resize(state.when, 2 * len(state.when)), what=np.resize(state.what, 2 * len(state.what))
    )


def finish(job: Job, state: Run, seconds: float) -> Result:
    """The result of a run that is over."""
    clock, problem = state.clock[0], job.problem
    if clock["proposed"]:  # the time was up within a generation
        clock["todo"] = clock["done"]
        loop.record(state)
    x = best_vector(state, problem.variables)
    values = problem_values(problem, state.what[: clock["improvements"]])
    fun, violation = float(values[-1]), 0.0
    if beyond(state):
        fun, violation = described(problem, x)
    elif isinstance(problem.violation, Native):
        violation = float(values_of(problem.violation, problem, state.best.view(problem.variables.cell)[None])[0])
    complete = bool(clock["spent"] >= job.evaluations)
    message = SPENT if complete else f"time limit of {job.seconds} s reached after {clock['spent']} evaluations"
    if beyond(state) and violation == 0 and np.isfinite(fun):
        message = f"{message}; {TOO_LARGE}"
    return Result(
        x=x,
        fun=fun,
        nfev=int(clock["spent"]),
        hit=int(clock["hit"]),
        history=History(state.when[: clock["improvements"]].copy(), values),
        violation=violation,
        seed=job.seed,
        seconds=seconds,
        success=complete,
        message=message,
    )


def beyond(state: Run) -> bool:
    """Whether the value of the best solution is not known, because it was compared by its violation or by a bound."""
    best = state.clock[0]["best"]
    return bool(WORST < best <= INFEASIBLE or best >= -WORST)


def best_vector(state: Run, variables: Variables) -> Vector:
    """The best solution so far."""
    return variables.to_vectors(state.best.view(variables.cell)[None])[0]


def described(problem: Problem, x: Vector) -> tuple[float, float]:
    """The value and the violation of a solution, asked for once more; not a number where the function now fails."""
    violated = math.nan

    def value() -> Floats:
        nonlocal violated
        try:
            values = problem.values(x[None])
            violated = max(0.0, float(problem.violations(x[None])[0]))
            return values
        except Exception:
            return np.array([math.nan])

    try:
        fun = float(Trace(problem.variables).fitness(x[None], value)[0])
    except TimeUpError:
        fun = math.nan
    return (math.nan if fun == WORST else fun), violated
