"""One run of a program on a problem: from (program, problem, evaluations, seed) to a result, always the same one."""

import ctypes
import signal
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numba
import numpy as np
from numpy.typing import ArrayLike

from metasmith.arrays import Floats, Indices, Solutions
from metasmith.chance import seeded
from metasmith.components.roles import OWN, SCRATCH
from metasmith.engine import loop
from metasmith.engine.apart import apart
from metasmith.engine.by_reference import Reference
from metasmith.engine.call import address
from metasmith.engine.compile import compiled, kernels, objective, unpack, vector_objective
from metasmith.engine.loop import CLOCK, INFEASIBLE, WORST, Code, Kernels, Run
from metasmith.engine.lower import lower, memories
from metasmith.problems import Batch, Compiled, Native, Plain, Problem
from metasmith.problems.problem import number
from metasmith.program import Program, canonical
from metasmith.program.stages import CHOOSER, SELECTOR
from metasmith.representations import Variables

HISTORY = 1024
"""Improvements that a run has room for at first; doubled whenever it is full."""

MOST = 2**62
"""The most evaluations that can be counted."""

SLICE_SECONDS = 0.05
"""A compiled run comes up for air about this often: time limits and interruptions hold to within it, or one generation."""


COMPILING = threading.Lock()
"""One thread at a time compiles: numba's settings are global, and of a function compiled twice only one would be kept."""


class EvaluationError(RuntimeError):
    """A problem's function failed: says on which input and how."""


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

    violation: how much x violates the constraints; if it does, its value was asked for once more, beyond the
    evaluations.
    success: whether all evaluations were spent; if not, the message says why.
    """

    x: Indices
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
        go_on = driver(job.problem, ready)
    state = start(job, ready)
    clock = state.clock[0]
    begun = time.perf_counter()
    deadline = begun + job.seconds if job.seconds is not None else np.inf
    while clock["spent"] < job.evaluations:
        if stop is not None and stop.is_set():
            raise InterruptedRunError(f"stopped after {clock['spent']} of {job.evaluations} evaluations")
        if not loop.has_room(state):
            state = with_more_room(state)
        go_on(state, deadline)
        if time.perf_counter() >= deadline:
            break
    return finish(job, state, time.perf_counter() - begun)


def check(job: Job) -> None:
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

    identity: what its random numbers depend on, beside the problem's name and the seed.
    """

    population: int
    code: Code
    kernels: Kernels
    identity: str


@lru_cache(maxsize=4096)
def prepare(program: Program, variables: Variables, evaluations: int) -> Ready:
    """Lower a program and compile what it needs.

    Programs that do the same get the same random numbers, hence the same results.
    """
    program = canonical(program)
    code = lower(program, variables, evaluations)
    names = {CHOOSER, SELECTOR, *(snippet.component for snippet in program.snippets)}
    identity = f"{program}\n{variables.name} {variables.n}\nevaluations {evaluations}"
    return Ready(program.population, code, kernels(type(variables), names), identity)


def start(job: Job, ready: Ready) -> Run:
    """A run before its first evaluation."""
    variables, size = job.problem.variables, ready.population
    room = min(HISTORY, job.evaluations) + size
    width, places = variables.width, ((size,), np.int64)
    arrays = apart(
        clock=((1,), CLOCK),
        pool=((2 * size + SCRATCH, width), variables.dtype),
        fitness=((2 * size,), np.float64),
        population=places,
        children=places,
        parents=places,
        todo=places,
        moving=places,
        at=places,
        kept=places,
        used=((2 * size,), np.int64),
        memory=((memories(ready.code), OWN + 64 + 4 * size + variables.n // 10), np.float64),
        best=((width,), variables.dtype),
        when=((room,), np.int64),
        what=((room,), np.float64),
        rng=((1,), np.uint64),
    )
    state = Run(**{**arrays, "clock": arrays["clock"].view(np.recarray)})
    arrays["clock"][["evaluations", "variables", "failed", "moved"]] = (job.evaluations, variables.n, -1, 1)
    state.population[:] = np.arange(size)
    state.rng[:] = seeded(ready.identity, job.problem.name, job.seed)
    if job.start is not None:
        given = variables.to_rows(np.asarray(job.start, np.int64)[:size])
        with COMPILING:
            compiled(loop.propose)(state, ready.code, ready.kernels, variables.shape)  # a random population
        state.pool[state.children[: len(given)]] = given
    return state


def driver(problem: Problem, ready: Ready) -> Callable[[Run, float], None]:
    """The function that takes a run some way on: in slices of about SLICE_SECONDS, or one generation of a function of
    many vectors.
    """
    variables, code, components = problem.variables, ready.code, ready.kernels
    shape, representation = variables.shape, cast(Hashable, type(variables))
    sign = 1.0 if problem.maximise else -1.0
    match problem.how:
        case Native(kernel, tables, work):
            advance, value, scratch = (
                compiled(loop.advance),
                objective(kernel, representation),
                apart(work=((work,), np.uint64))["work"],
            )
            known = Reference(tables)
            return sliced(
                lambda state, until: advance(state, code, components, shape, value, known.given, scratch, sign, until),
                problem,
            )
        case Compiled(function):
            advance, value, rows = (
                compiled(loop.advance_vectors),
                address(vector_objective(function)),
                unpack(representation),
            )
            violation = (
                address(vector_objective(problem.violation.function)) if isinstance(problem.violation, Compiled) else 0
            )
            tolerant, vector = problem.on_error == "worst", apart(vector=((variables.n,), np.int64))["vector"]
            return sliced(
                lambda state, until: advance(
                    state, code, components, shape, rows, value, violation, tolerant, vector, sign, until
                ),
                problem,
            )
        case Plain():
            advance, rows = compiled(loop.advance_python), unpack(representation)
            called = Called(problem)

            def some_way(state: Run, until: int) -> None:
                with called.listening():
                    advance(state, code, components, shape, rows, called.address, called.vector, called.found, until)
                called.complain()

            go_on = sliced(some_way, problem)

            def until_the_deadline(state: Run, deadline: float) -> None:
                called.deadline, called.first = deadline, True
                go_on(state, deadline)

            return until_the_deadline
        case Batch():
            propose, accept = compiled(loop.propose), compiled(loop.accept)

            def generation(state: Run, deadline: float) -> None:
                if not state.clock[0]["proposed"]:  # as solutions to start from are
                    propose(state, code, components, shape)
                evaluate(problem, state)
                accept(state, code, components)

            return generation


def sliced(advance: Callable[[Run, int], None], problem: Problem) -> Callable[[Run, float], None]:
    """Slices of a compiled run, of as many evaluations as take SLICE_SECONDS. A slice may end within a generation."""
    # At first: a user's function may take long, a built-in one at most about as many steps as there are pairs of
    # variables.
    length = max(10, min(5000, 10**9 // problem.dimension**2)) if isinstance(problem.how, Native) else 10

    def failed(state: Run) -> Indices:
        return problem.variables.to_vectors(state.pool[state.clock.failed])[0]

    def one_slice(state: Run, deadline: float) -> None:
        nonlocal length
        clock, begun = state.clock[0], time.perf_counter()
        try:
            advance(state, int(clock["spent"]) + int(clock["done"]) + length)
        except EvaluationError:
            raise
        except Exception as error:
            raise failure(problem, failed(state), f"raised {type(error).__name__}: {error}") from error
        if clock["failed"] >= 0:
            raise failure(problem, failed(state), "is not a number (NaN)")
        length = max(1, int(length * min(8.0, SLICE_SECONDS / max(1e-9, time.perf_counter() - begun))))

    return one_slice


class Called:
    """A user's Python function as the compiled loop calls it back, through the C function at `address`: for the fitness
    of `vector`.

    It puts it into `found`, and leaves that alone once the deadline has passed, and after an error, which is kept for
    `complain`.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.deadline = np.inf
        self.first = True
        self.error: BaseException | None = None
        self.inside = False
        arrays = apart(vector=((problem.variables.n,), np.int64), found=((1,), np.float64))
        self.vector, self.found = arrays["vector"], arrays["found"]
        self._callback = ctypes.CFUNCTYPE(None)(self)
        self.address: Any = self if numba.config.DISABLE_JIT else ctypes.cast(self._callback, ctypes.c_void_p).value

    def __call__(self) -> None:
        try:
            self.inside = True
            if self.error is None and (self.first or time.perf_counter() < self.deadline):
                self.first = False  # one evaluation is always done
                self.found[0] = fitness_of(self.problem, self.vector)
            self.inside = False
        except BaseException as error:  # an interruption too: no exception may pass through compiled code
            self.inside = False
            self.error = error

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Meanwhile Ctrl-C interrupts the user's function, but never what surrounds it, from where no exception would
        get through.
        """
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
            yield
            return
        signal.signal(signal.SIGINT, self._interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _interrupt(self, number: int, frame: Any) -> None:
        if self.inside:
            raise KeyboardInterrupt
        self.error = KeyboardInterrupt()

    def complain(self) -> None:
        """Raise what was caught."""
        if self.error is not None:
            raise self.error


def fitness_of(problem: Problem, vector: Indices) -> float:
    """The fitness of one solution. Raises EvaluationError, unless failures count as worst."""
    assert isinstance(problem.how, Plain)
    try:  # a copy each, because functions may write to what they are given, and keep it
        value = number(problem.how.function(vector.copy()))
        violation = number(problem.violation.function(vector.copy())) if isinstance(problem.violation, Plain) else 0.0
    except (Exception, SystemExit) as error:
        if problem.on_error == "worst":
            return WORST
        raise failure(problem, vector, f"raised {type(error).__name__}: {error}") from error
    fitness = loop.as_fitness(value if problem.maximise else -value, violation)
    if fitness != fitness:
        if problem.on_error == "worst":
            return WORST
        raise failure(problem, vector, "is not a number (NaN)")
    return float(fitness)


def evaluate(problem: Problem, state: Run) -> None:
    """Evaluate the children that need it with the user's function of many vectors."""
    slots = state.children[state.todo[: state.clock[0]["todo"]]]
    if len(slots):
        state.fitness[slots] = fitness_of_all(problem, problem.variables.to_vectors(state.pool[slots]))


def fitness_of_all(problem: Problem, vectors: Indices) -> Floats:
    """The fitness of many solutions. Raises EvaluationError, unless failures count as worst."""
    sign = 1.0 if problem.maximise else -1.0
    try:
        values = problem.how(
            vectors.copy(), problem.variables
        )  # a copy, because functions may write to what they are given
        violations = (
            np.zeros(len(values)) if problem.violation is None else problem.violation(vectors.copy(), problem.variables)
        )
    except (Exception, SystemExit) as error:
        if problem.on_error == "worst":
            return np.full(len(vectors), WORST)
        where = f"(the first of a batch of {len(vectors)}) " if len(vectors) > 1 else ""
        raise failure(problem, vectors[0], f"{where}raised {type(error).__name__}: {error}") from error
    found = np.array(
        [loop.as_fitness(sign * value, violation) for value, violation in zip(values, violations, strict=True)]
    )
    bad = np.isnan(found)
    if bad.any():
        if problem.on_error == "stop":
            raise failure(problem, vectors[int(np.argmax(bad))], "is not a number (NaN)")
        found[bad] = WORST
    return found


def failure(problem: Problem, vector: Indices, what: str) -> EvaluationError:
    x = np.array2string(vector, threshold=12, edgeitems=5, separator=", ", max_line_width=10_000)
    told = " ".join(f"{problem.name}: the value at x = {x} {what}".split())
    return EvaluationError(f"{told}; Problem(..., on_error='worst') goes on past such inputs")


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
    x = problem.variables.to_vectors(state.best[None])[0]
    values = problem_values(problem, state.what[: clock["improvements"]])
    fun, violation = float(values[-1]), 0.0
    if (
        clock["best"] <= INFEASIBLE and clock["best"] > WORST
    ):  # an infeasible solution was compared by its violation, so its value is not known
        fun, violation = described(problem, x)
    elif isinstance(problem.violation, Native):
        violation = violation_of(problem.violation, problem.variables, state.best)
    complete = bool(clock["spent"] >= job.evaluations)
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
        message="all evaluations spent"
        if complete
        else f"time limit of {job.seconds} s reached after {clock['spent']} evaluations",
    )


def violation_of(how: Native, variables: Variables, row: Solutions) -> float:
    """How much a solution of a built-in problem violates the constraints."""
    with COMPILING:
        kernel = objective(how.kernel, cast(Hashable, type(variables)))
    known = Reference(how.tables)
    return float(compiled(loop.value_of)(kernel, row, known.given, np.zeros(how.work, np.uint64)))


def described(problem: Problem, x: Indices) -> tuple[float, float]:
    """The value and the violation of a solution, asked for once more; not a number where the function now fails."""
    try:
        return float(problem.values(x[None])[0]), float(problem.violations(x[None])[0])
    except Exception:
        return float("nan"), float("nan")


def problem_values(problem: Problem, fitness: Floats) -> Floats:
    """Fitness as values of the problem; what has none, because it failed or was infeasible, is the worst infinity."""
    known = np.where(fitness >= -WORST, np.inf, fitness)
    return np.where(fitness <= INFEASIBLE, -np.inf, known) * (1.0 if problem.maximise else -1.0)
