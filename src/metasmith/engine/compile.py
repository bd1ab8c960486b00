"""The one place where plain kernels become machine code.

One signature per role, so that the one compiled loop, which calls kernels by their address, serves every program and
problem. Machine code is cached on disk in a folder named after a fingerprint of our sources: numba watches only a
kernel's own file, and would go on using a kernel whose helpers have changed.
"""

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

import numba
import numpy as np
from numba.core import types
from numba.extending import register_jitable

from metasmith.components import COMPONENTS, Component, Role
from metasmith.components.roles import asks_for
from metasmith.discovery import sources_of_others
from metasmith.engine.by_reference import FLOATS, INDICES, OTHERS, TABLES
from metasmith.engine.call import address
from metasmith.engine.loop import Kernels

WORDS = types.Array(types.uint64, 1, "C")
COMPILED = {"arrays.py", "words.py", "chance.py", "representations", "components", "problems", "engine", "landscapes"}
"""The rooms whose sources end up in compiled code."""

NOT_COMPILED = {"engine/isolation", "engine/runners", "engine/travel.py"}
"""What in these rooms does not: who does the runs, and where."""

GROUPS = ("metasmith.components", "metasmith.problems", "metasmith.representations")
"""Entry points by which the sources of other packages end up there too."""

KEPT = 8
"""Folders of compiled code that are kept: one for each version of our sources that was run lately."""

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
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(cache_folder())
    try:
        return numba.njit(signature, cache=True, nogil=True, _nrt=False)(function)
    finally:
        numba.config.CACHE_DIR = before


@cache
def cache_folder() -> Path:
    """Where compiled code is kept; says so when there is none yet, because the first compilation takes a while."""
    digest = hashlib.blake2b(digest_size=8)
    for part in (numba.__version__, sys.version, *(source.read_text(encoding="utf-8") for source in sources())):
        digest.update(part.encode())
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "metasmith"
    root = Path(os.environ.get("METASMITH_CACHE") or home)
    folder = root / f"compiled-{digest.hexdigest()}"
    if not folder.is_dir():
        print("metasmith: compiling the engine, once; this takes a few seconds", file=sys.stderr)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()  # to see whether it can be written to
    except OSError as error:
        reason = f"compiled code cannot be kept in '{root}': {error.strerror}"
        print(f"metasmith: {reason}; METASMITH_CACHE names another folder", file=sys.stderr)
        folder = Path(tempfile.mkdtemp(prefix="metasmith-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    else:
        others = sorted((other for other in root.glob("compiled-*") if other != folder), key=_age)
        for old in others[KEPT:]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


def sources() -> Iterator[Path]:
    """The files that compiled code is made from: ours, and those of packages that register members."""
    home = Path(__file__).parents[1]
    for file in sorted(file for file in home.rglob("*.py") if file.relative_to(home).parts[0] in COMPILED):
        if not any(file.is_relative_to(home / part) for part in NOT_COMPILED):
            yield file
    yield from sources_of_others(*GROUPS)


def _age(folder: Path) -> float:
    try:
        return -folder.stat().st_mtime
    except OSError:  # another process was faster to remove it
        return 0.0


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
        lines = (line.strip() for line in str(error).splitlines())
        reason = next((line for line in lines if line and "nopython" not in line), type(error).__name__)
        name = getattr(function, "__name__", "the function")
        raise ValueError(
            f"{name}: compiled=True needs a numba function of one {dtype.name} vector that returns a number; {reason}"
        ) from error


def _types(representation: Any) -> tuple[Any, Any, Any]:
    """The numba types of a pool, of one row of it, and of the shape."""
    cell = numba.from_dtype(np.dtype(representation.cell))
    return types.Array(cell, 2, "C"), types.Array(cell, 1, "C"), numba.typeof(representation.sized(1).shape)
