"""The one place where plain kernels become machine code.

One signature per role, so that the one compiled loop, which calls kernels by their address, serves every program and
problem. Machine code is kept on disk, see `disk_cache`.
"""

import re
import threading
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from functools import cache
from typing import Any, cast

import numba
import numpy as np
from numba.core import types
from numba.extending import register_jitable

from metasmith.components import COMPONENTS, Component, Role
from metasmith.components.roles import asks_for
from metasmith.engine.by_reference import FLOATS, INDICES, OTHERS, TABLES
from metasmith.engine.call import address
from metasmith.engine.disk_cache import DiskCache
from metasmith.engine.loop import Kernels

WORDS = types.Array(types.uint64, 1, "C")
COLOUR = re.compile(r"\x1b\[[\d;]*m")
"""What numba colours its messages with."""

COMPILING = threading.RLock()
"""One thread at a time compiles: numba's settings are global, and of a function compiled twice only one is kept."""


@cache
def compiled(function: Callable[..., Any], signature: Any = None) -> Callable[..., Any]:
    """`function` as machine code that holds no lock, from the disk if it was compiled before.

    Without numba's reference counting (hence no allocation in kernels): its atomic operations, hundreds a generation,
    would be most of the time of a population of one. The caller holds all arrays for as long as a run lasts.
    With NUMBA_DISABLE_JIT it stays plain Python.
    """
    if numba.config.DISABLE_JIT:
        return function
    dispatcher = numba.njit(nogil=True, _nrt=False)(function)
    with suppress(OSError, TypeError):  # a function that is in no file, such as one of a notebook, is not kept
        dispatcher._cache = DiskCache(function)
    if signature is not None:
        dispatcher.compile(signature)
        dispatcher.disable_compile()
    return dispatcher


@cache
def usable(role: Role, representation: str) -> tuple[Component, ...]:
    """The components of a role that have a kernel for a representation; a component's number is its position here."""
    return tuple(each for each in COMPONENTS.values() if each.role == role and each.kernel(representation))


def kernels(representation: Any, components: Iterable[str]) -> Kernels:
    """The addresses of kernels for a representation, those of a role in the order of `usable`.

    All of `components` are filled in; of the others those that an earlier program needed.
    """
    addresses = _so_far(representation)
    for name in components:
        role = COMPONENTS[name].role
        number = [component.name for component in usable(role, representation.name)].index(name)
        getattr(addresses, role)[number] = _kernel(COMPONENTS[name], representation)
    return addresses


@cache
def _so_far(representation: Any) -> Kernels:
    """The kernels compiled so far. Those that no program needed yet are zero."""
    pool, _, shape = _types(representation)
    fresh = address(compiled(representation.fresh, types.void(pool, INDICES, shape, WORDS)))
    cell = object if numba.config.DISABLE_JIT else np.int64  # plain kernels have no address
    choose, search, select = (np.zeros(len(usable(role, representation.name)), cell) for role in Role)
    return Kernels(choose, search, select, fresh)


@cache
def _kernel(component: Component, representation: Any) -> int:
    """The address of a component's kernel, compiled. See components/roles.py for what each argument is."""
    pool, _, shape = _types(representation)
    signature = {
        Role.CHOOSE: types.void(pool, INDICES, FLOATS, shape, INDICES, FLOATS, WORDS),
        Role.SEARCH: types.void(pool, INDICES, shape, types.CPointer(types.float64), OTHERS, FLOATS, WORDS),
        Role.SELECT: types.void(
            pool, INDICES, INDICES, INDICES, FLOATS, INDICES, types.int64, types.float64, FLOATS, WORDS
        ),
    }[component.role]
    return address(compiled(bound(component, representation), signature))


def bound(component: Component, representation: Any) -> Callable[..., None]:
    """A component's kernel with the arguments of its role only: what else it asks for comes from the representation."""
    kernel = component.kernel(representation.name)
    assert kernel is not None
    name = asks_for(kernel, component.role)
    if name is None:
        return kernel
    inner, extra = register_jitable(kernel), getattr(representation, name)

    def choose(pool, population, fitness, shape, parents, memory, rng):  # type: ignore[no-untyped-def]
        inner(pool, population, fitness, shape, parents, memory, rng, extra)

    def search(pool, moving, shape, settings, others, memory, rng):  # type: ignore[no-untyped-def]
        inner(pool, moving, shape, settings, others, memory, rng, extra)

    def select(  # type: ignore[no-untyped-def]
        pool, population, children, parents, fitness, kept, variables, progress, memory, rng
    ):
        inner(pool, population, children, parents, fitness, kept, variables, progress, memory, rng, extra)

    by_role: dict[Role, Callable[..., None]] = {Role.CHOOSE: choose, Role.SEARCH: search, Role.SELECT: select}
    return by_role[component.role]


@cache
def objective(kernel: Callable[..., float], representation: Any) -> int:
    """The address of a kernel that gives the value of a row, compiled."""
    return address(compiled(kernel, types.float64(_types(representation)[1], TABLES, WORDS)))


@cache
def update(kernel: Callable[..., float], representation: Any) -> int:
    """The address of a kernel that gives the value of a row from its parent's, compiled."""
    row = _types(representation)[1]
    return address(compiled(kernel, types.float64(row, row, types.float64, TABLES, WORDS)))


@cache
def unpack(representation: Any) -> int:
    """The address of the kernel that writes a row as a vector."""
    vector = types.Array(numba.from_dtype(np.dtype(representation.vector)), 1, "C")
    return address(compiled(representation.unpack_row, types.void(_types(representation)[1], vector)))


def vector_objective(function: Callable[..., float], vector: Hashable) -> Callable[..., Any]:
    """A user's numba function of a vector of the type `vector`, compiled so that it returns a float64; the caller
    keeps it.
    """
    dtype = np.dtype(cast(Any, vector))
    array = types.Array(numba.from_dtype(dtype), 1, "C")
    try:
        return numba.njit(types.float64(array), nogil=True)(lambda x: 1.0 * function(x))
    except numba.core.errors.NumbaError as error:
        lines = (line.strip() for line in COLOUR.sub("", str(error)).splitlines())
        reason = next((line for line in lines if line and "nopython" not in line), type(error).__name__)
        name = getattr(function, "__name__", "the function")
        raise ValueError(
            f"{name}: compiled=True needs a numba function of one {dtype.name} vector that returns a number; {reason}"
        ) from error


def _types(representation: Any) -> tuple[Any, Any, Any]:
    """The numba types of a pool, of one row of it, and of the shape."""
    cell = numba.from_dtype(np.dtype(representation.cell))
    return types.Array(cell, 2, "C"), types.Array(cell, 1, "C"), numba.typeof(representation.sized(1).shape)
