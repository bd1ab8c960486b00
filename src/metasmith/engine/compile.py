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
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import types

from metasmith.components import COMPONENTS, Component, Role
from metasmith.engine.by_reference import REFERENCE
from metasmith.engine.call import address
from metasmith.engine.loop import Kernels

INDICES = types.Array(types.int64, 1, "C")
FLOATS = types.Array(types.float64, 1, "C")
WORDS = types.Array(types.uint64, 1, "C")
COMPILED = {"arrays.py", "words.py", "chance.py", "representations", "components", "problems", "engine", "landscapes"}
"""The rooms whose sources end up in compiled code."""

KEPT = 8
"""Folders of compiled code that are kept: one for each version of our sources that was run lately."""


@cache
def compiled(function: Callable[..., Any], signature: Any = None) -> Callable[..., Any]:
    """`function` as machine code that holds no lock, from the disk if it was compiled before.

    Without numba's reference counting (hence no allocation in kernels): its atomic operations, hundreds a generation,
    would be most of the time of a population of one. The caller holds all arrays for as long as a run lasts. With
    NUMBA_DISABLE_JIT it stays plain Python.
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
    home = Path(__file__).parents[1]
    sources = sorted(source for source in home.rglob("*.py") if source.relative_to(home).parts[0] in COMPILED)
    digest = hashlib.blake2b(digest_size=8)
    for part in (numba.__version__, sys.version, *(source.read_text() for source in sources)):
        digest.update(part.encode())
    root = Path(
        os.environ.get("METASMITH_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "metasmith"
    )
    folder = root / f"compiled-{digest.hexdigest()}"
    if not folder.is_dir():
        print("metasmith: compiling the engine, once; this takes a few seconds", file=sys.stderr)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()  # can we write there?
    except OSError as error:
        print(
            f"metasmith: compiled code cannot be kept in '{root}': {error.strerror}; METASMITH_CACHE names another folder",
            file=sys.stderr,
        )
        folder = Path(tempfile.mkdtemp(prefix="metasmith-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    else:
        others = sorted((other for other in root.glob("compiled-*") if other != folder), key=_age)
        for old in others[KEPT:]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


def _age(folder: Path) -> float:
    try:
        return -folder.stat().st_mtime
    except OSError:  # another process was faster to remove it
        return 0.0


@cache
def usable(role: Role, representation: str) -> tuple[Component, ...]:
    """The components of a role that have a kernel for a representation; a component's number is its place here."""
    return tuple(
        component for component in COMPONENTS.values() if component.role == role and component.kernel(representation)
    )


def kernels(representation: Any, components: Iterable[str]) -> Kernels:
    """The addresses of kernels for a representation, those of a role in the order of `usable`, with the `components`
    named filled in.
    """
    found = _known(representation)
    for name in components:
        role = COMPONENTS[name].role
        number = [component.name for component in usable(role, representation.name)].index(name)
        getattr(found, role)[number] = _kernel(COMPONENTS[name], representation)
    return found


@cache
def _known(representation: Any) -> Kernels:
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
        Role.SEARCH: types.void(pool, INDICES, shape, types.float64, FLOATS, WORDS),
        Role.SELECT: types.void(
            pool, INDICES, INDICES, INDICES, FLOATS, INDICES, types.int64, types.float64, FLOATS, WORDS
        ),
    }[component.role]
    kernel = component.kernel(representation.name)
    assert kernel is not None
    return address(compiled(kernel, signature))


@cache
def objective(kernel: Callable[..., float], representation: Any) -> int:
    """The address of a built-in problem's kernel, compiled."""
    return address(compiled(kernel, types.float64(_types(representation)[1], REFERENCE, WORDS)))


@cache
def unpack(representation: Any) -> int:
    """The address of the kernel that writes a row as a vector."""
    return address(compiled(representation.unpack_row, types.void(_types(representation)[1], INDICES)))


@cache
def vector_objective(function: Callable[..., float]) -> Callable[..., Any]:
    """A user's numba function of an int64 vector, compiled so that it returns a float64."""
    try:
        return numba.njit(types.float64(INDICES), nogil=True)(lambda x: 1.0 * function(x))
    except numba.core.errors.NumbaError as error:
        reason = next(
            (line.strip() for line in str(error).splitlines() if line.strip() and "nopython" not in line),
            type(error).__name__,
        )
        name = getattr(function, "__name__", "the function")
        raise ValueError(
            f"{name}: compiled=True needs a numba function of one int64 vector that returns a number; {reason}"
        ) from error


def _types(representation: Any) -> tuple[Any, Any, Any]:
    """The numba types of a pool, of one row of it, and of the shape."""
    cell = numba.from_dtype(np.dtype(representation.dtype))
    return types.Array(cell, 2, "C"), types.Array(cell, 1, "C"), numba.typeof(representation.example.shape)
