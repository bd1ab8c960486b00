"""A problem: its variables, its objective, and what else is known of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numba
import numpy as np
from numpy.typing import ArrayLike

from metasmith.arrays import Floats, Tables, tables
from metasmith.problems.compiled import evaluate_all
from metasmith.problems.limits import Limits
from metasmith.representations import KINDS, Variables

Direction = Literal["max", "min"]
OnError = Literal["stop", "worst"]
Kernel = Callable[..., float]
Explain = Callable[[np.ndarray[Any, Any]], list[str]]
Picture = Callable[[np.ndarray[Any, Any]], Any]

FEW = 100
"""Up to so many vectors, the plain kernel is done before numba has compiled it."""

DIGITS = 12
"""Undoing a scale leaves noise after these; with it equals would not be equal, and 62.99999999999 would miss the target
63.
"""


@dataclass(frozen=True, eq=False)
class Native:
    """A built-in objective, plain Python that the engine compiles: kernel(row, tables, work) -> float.

    row: one solution, as its representation lays it out, without padding. work: scratch of the kernel's own, (work,)
    words, zero at first.
    update: a second kernel that gives the same bits from the parent's value, where few changes cost little:
    update(row, parent_row, parent_value, tables, work) -> float.
    """

    kernel: Kernel
    tables: Tables
    work: int
    update: Kernel | None = None

    def __post_init__(self) -> None:
        for array, cell in zip(self.tables, (np.int64, np.float64, np.uint64), strict=True):
            if array.dtype != cell or not array.flags.c_contiguous:
                raise ValueError(
                    "make the tables of a problem with metasmith.arrays.tables, which gives them their types"
                )

    def __call__(self, vectors: np.ndarray[Any, Any], variables: Variables) -> Floats:
        rows = np.ascontiguousarray(variables.to_rows(vectors)[:, : variables.cells])
        work = np.zeros(self.work, np.uint64)
        if len(rows) > FEW:
            return evaluate_all(self.kernel, rows, self.tables, work)
        return np.array([self.kernel(row, self.tables, work) for row in rows], dtype=np.float64)


@dataclass(frozen=True)
class Compiled:
    """The user's numba function of one vector."""

    function: Callable[..., Any]

    def __call__(self, vectors: np.ndarray[Any, Any], variables: Variables) -> Floats:
        return np.array([number(self.function(vector)) for vector in vectors], dtype=np.float64)


@dataclass(frozen=True)
class Plain:
    """The user's Python function of one vector."""

    function: Callable[..., Any]

    def __call__(self, vectors: np.ndarray[Any, Any], variables: Variables) -> Floats:
        return np.array([number(self.function(vector)) for vector in vectors], dtype=np.float64)


@dataclass(frozen=True)
class Batch:
    """The user's function of many vectors, (solutions, variables), that returns as many values."""

    function: Callable[..., Any]

    def __call__(self, vectors: np.ndarray[Any, Any], variables: Variables) -> Floats:
        values = np.asarray(self.function(vectors))
        if values.shape != (len(vectors),) or values.dtype.kind not in "biuf":
            got = f"shape {values.shape} of {values.dtype}"
            raise ValueError(f"a batch function must return one number per row: expected {len(vectors)}, got {got}")
        return values.astype(np.float64)


def number(value: Any) -> float:
    """What a user's function returned, if it is one real number."""
    if isinstance(value, float | int):
        return float(value)
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "biuf":
        raise TypeError(f"the function must return one number, got {value!r}")
    return float(array.reshape(()))


How = Native | Compiled | Plain | Batch
"""How a problem is evaluated."""


class Problem:
    """An objective over some variables: `Problem(function, Bits(100))`; called with a vector it gives the value.

    function: of one vector; with `batch=True` of a matrix (solutions, variables), returning a vector; with
    `compiled=True` a numba function of one vector, which then runs inside the compiled loop. Values larger than 1e200
    in size may count as equal, and a run then says so.
    violation: a function of the same kind, how much the constraints are violated; 0 is feasible.
    optimum: the best value, where it is known.
    on_error: an evaluation that fails or is not a number ends the run ("stop") or counts as the worst value ("worst").
    seconds: how long one call of the function may take. memory: how much its process may use beyond what it starts
    with, in bytes or as "2 GB". Beyond either an evaluation has failed.
    isolate: whether the function is called in processes of their own, on all cores, so that a crash is a failed
    evaluation too; otherwise in this process, one call at a time, without limits.
    explain: lines for people on what a vector means, shown for the best solution of all runs.
    picture: the same as a figure of matplotlib.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        variables: Variables,
        *,
        direction: Direction = "max",
        name: str | None = None,
        batch: bool = False,
        compiled: bool = False,
        optimum: float | None = None,
        violation: Callable[..., Any] | None = None,
        on_error: OnError = "stop",
        seconds: float | None = None,
        memory: int | str | None = None,
        isolate: bool = True,
        explain: Explain | None = None,
        picture: Picture | None = None,
    ) -> None:
        if batch and compiled:
            raise ValueError(
                "a problem's function is either batch or compiled; choose one of batch=True and compiled=True"
            )
        kind = Batch if batch else Compiled if compiled else Plain
        for role, given in (
            ("function", function),
            ("violation", violation),
            ("explain", explain),
            ("picture", picture),
        ):
            if given is None and role != "function":
                continue
            if not callable(given):
                raise ValueError(f"{role} must be a function of a vector, got {type(given).__name__}")
            plain = not hasattr(given, "py_func") and not numba.config.DISABLE_JIT
            if compiled and role in ("function", "violation") and plain:
                raise ValueError(f"compiled=True needs a numba function; decorate the {role} with @numba.njit")
        self._set(
            kind(function),
            variables,
            direction=direction,
            name=name if name not in (None, "") else str(getattr(function, "__name__", type(function).__name__)),
            optimum=optimum,
            violation=None if violation is None else kind(violation),
            on_error=on_error,
            limits=Limits.of(seconds, memory, isolate),
            explain=explain,
            picture=picture,
        )

    @classmethod
    def native(
        cls,
        kernel: Kernel,
        variables: Variables,
        *,
        name: str,
        tables: Tables = tables(),  # noqa: B008  (never written)
        work: int = 0,
        update: Kernel | None = None,
        direction: Direction = "max",
        optimum: float | None = None,
        scale: tuple[float, float] = (1.0, 0.0),
        violation: Native | None = None,
        explain: Explain | None = None,
        picture: Picture | None = None,
    ) -> Self:
        """A built-in problem; see `Native`. scale: (a, b) if the value is a * original + b.

        violation: as in a user's problem, but the value has a penalty for it already, and runs compare values alone.
        """
        problem = cls.__new__(cls)
        problem._set(
            Native(kernel, tables, work, update), variables, direction=direction, name=name, optimum=optimum,
            scale=scale, violation=violation, explain=explain, picture=picture,
        )  # fmt: skip
        return problem

    def _set(
        self,
        how: How,
        variables: Variables,
        *,
        direction: Direction,
        name: str,
        optimum: float | None,
        scale: tuple[float, float] = (1.0, 0.0),
        violation: How | None = None,
        on_error: OnError = "stop",
        limits: Limits | None = None,
        explain: Explain | None = None,
        picture: Picture | None = None,
    ) -> None:
        if not isinstance(variables, tuple(KINDS.values())):
            kinds = ", ".join(kind.__name__ for kind in KINDS.values())
            raise ValueError(f"variables must be one of {kinds}, such as Bits(100), got {variables!r}")
        if np.dtype(variables.vector) not in (np.dtype(np.int64), np.dtype(np.float64)):
            raise ValueError(f"vectors of {variables} must be int64 or float64, got {np.dtype(variables.vector)}")
        if not isinstance(name, str):
            raise ValueError(f"a problem's name must be text, got {name!r}")
        if direction not in get_args(Direction):
            raise ValueError(f"direction must be 'max' or 'min', got {direction!r}")
        if on_error not in get_args(OnError):
            raise ValueError(f"on_error must be 'stop' or 'worst', got {on_error!r}")
        self.how = how
        self.variables = variables
        self.direction = direction
        self.name = name
        self.optimum = None if optimum is None else float(optimum)
        self.scale = scale
        self.violation = violation
        self.on_error = on_error
        self.limits = limits
        self.explain = explain
        self.picture = picture

    @property
    def isolated(self) -> bool:
        """Whether the problem's code is the user's, to be called in processes of their own."""
        return self.limits is not None

    @property
    def penalised(self) -> bool:
        """Whether a penalty for violated constraints is in the value, so that values alone are compared."""
        return isinstance(self.violation, Native)

    @property
    def dimension(self) -> int:
        """Number of variables."""
        return self.variables.n

    @property
    def maximise(self) -> bool:
        return self.direction == "max"

    def original(self, value: float) -> float:
        """`value` with the scaling of the instance undone, so that instances compare; whole numbers come back whole."""
        a, b = self.scale
        return value if self.scale == (1.0, 0.0) else float(f"{(value - b) / a:.{DIGITS}g}")

    def __call__(self, x: Sequence[int] | np.ndarray[Any, Any]) -> float:
        """The value of one vector."""
        return float(self.values(np.asarray(x)[None])[0])

    def values(self, vectors: ArrayLike) -> Floats:
        """The values of many vectors, (solutions, variables)."""
        return self.how(self.checked(vectors), self.variables)

    def violations(self, vectors: ArrayLike) -> Floats:
        """How much each of many vectors violates the constraints; zeros where there are none."""
        checked = self.checked(vectors)
        return np.zeros(len(checked)) if self.violation is None else self.violation(checked, self.variables)

    def checked(self, vectors: ArrayLike) -> np.ndarray[Any, Any]:
        """Many vectors, (solutions, variables). Raises ValueError if one is not a vector of the variables."""
        try:
            matrix = np.asarray(vectors)
        except ValueError:
            raise ValueError(f"expected vectors of {self.variables}, all of one length") from None
        if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
            raise ValueError(
                f"expected vectors of {self.variables}, got an array of shape {matrix.shape} and type {matrix.dtype}"
            )
        for vector in matrix:
            self.variables.check(vector)
        return matrix.astype(self.variables.vector)

    def __repr__(self) -> str:
        return f"Problem({self.name!r}, {self.variables}, {self.direction})"
