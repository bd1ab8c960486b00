"""Compiled code on disk: a file for each version of a kernel, and none is used that is not as it was written.

numba's own files have no checksum: a damaged one ends in an error that names no file, or in an abort of LLVM, again and
again. Here such a file is compiled anew. Files are in a folder named after a fingerprint of our sources: numba watches
only a kernel's own file, and would go on using a kernel whose helpers have changed.

What is in a file is pickled, as numba does it, so that whoever can write to the folder can run code as its reader. It
must be a folder that only its user can write to, and a folder that others can write to is not used.
"""

import atexit
import hashlib
import inspect
import os
import pickle
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import FunctionCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from metasmith.discovery import sources_of_others

COMPILED = {"arrays.py", "words.py", "chance.py", "representations", "components", "problems", "engine", "landscapes"}
"""The rooms whose sources end up in compiled code."""

NOT_COMPILED = {"engine/isolation", "engine/runners", "engine/travel.py"}
"""What in these rooms does not: who does the runs, and where."""

GROUPS = ("metasmith.components", "metasmith.problems", "metasmith.representations")
"""Entry points by which the sources of other packages end up there too."""

KEPT, DAY = 8, 24 * 60 * 60
"""Folders that are kept: so many beside ours, and all that were used within a day, maybe by a process that still runs.
"""

NEEDED = 2**20
"""Bytes that must fit into a new folder; the first commands write about as many."""

DIGEST = 32
"""Bytes at the beginning of a file: the digest of all others."""


class DiskCache(FunctionCache):  # type: ignore[misc]
    """What numba asks for the compiled versions of one function, instead of its own cache."""

    def __init__(self, function: Callable[..., Any]) -> None:
        # Not numba's own: that looks for a folder in several places, among them that of the sources.
        self._py_func = function
        self._identity = f"{inspect.getfile(function)}\n{function.__qualname__}\n{source_digest(function)}"
        self._enabled = True

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """The version for a signature; None if there is none, or if it is damaged."""
        target_context.refresh()
        key = self._index_key(sig, target_context.codegen())
        file = self._file(key)
        try:
            content = file.read_bytes()
        except OSError:
            return None
        try:
            if content[:DIGEST] != digest(content[DIGEST:]):
                raise ValueError("it is not what was written")
            kept, reduced = pickle.loads(content[DIGEST:])
            return CompileResult._rebuild(target_context, *reduced) if kept == key else None
        except Exception:
            with suppress(OSError):
                file.unlink()
            say_once(f"compiled code in '{file.parent}' is damaged; it is compiled again")
            return None

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Keep a version that was compiled just now, if that can be."""
        if data.library.has_dynamic_globals:  # it holds addresses of this process
            return
        key = self._index_key(sig, data.codegen)
        content = dumps((key, data._reduce()))
        try:
            write_whole(self._file(key), digest(content) + content)
        except OSError as error:
            say_once(f"compiled code cannot be kept in '{cache_folder()}': {error.strerror}")

    def flush(self) -> None:
        """Nothing to do: versions have names of their own, and later ones other names."""

    def _file(self, key: Any) -> Path:
        name = "".join(sign if sign.isalnum() else "-" for sign in self._py_func.__qualname__)[-60:]
        version = digest(f"{self._identity}\n{key!r}".encode()).hex()[:24]
        return cache_folder() / f"{name}-{version}"


def digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=DIGEST).digest()


def source_digest(function: Callable[..., Any]) -> str:
    """The digest of the file that a function is in; OSError if it is in none."""
    return digest(Path(inspect.getfile(function)).read_bytes()).hex()


def write_whole(file: Path, content: bytes) -> None:
    """Write a file whole or not at all, also if another process writes the same one."""
    file.parent.mkdir(parents=True, exist_ok=True)  # another process may have removed it
    number, name = tempfile.mkstemp(dir=file.parent, prefix="part-")
    try:
        with os.fdopen(number, "wb") as part:
            part.write(content)
        Path(name).replace(file)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


@cache
def say_once(message: str) -> None:
    """Say something on standard error, once in a process."""
    print(f"metasmith: {message}", file=sys.stderr)


@cache
def cache_folder() -> Path:
    """Where compiled code is kept; says so when there is none yet, because the first compilation takes a while."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "metasmith"
    root = Path(os.environ.get("METASMITH_CACHE") or home)
    folder = root / f"compiled-{fingerprint()}"
    new = not folder.is_dir()
    if new:
        print("metasmith: compiling the engine, once; this takes a few seconds", file=sys.stderr)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        check_private(folder)
        with tempfile.TemporaryFile(dir=folder) as file:  # to see whether it can be written to
            file.write(bytes(NEEDED if new else 0))
        os.utime(folder)
    except OSError as error:
        reason = f"compiled code cannot be kept in '{root}': {error.strerror}"
        print(f"metasmith: {reason}; METASMITH_CACHE names another folder", file=sys.stderr)
        folder = Path(tempfile.mkdtemp(prefix="metasmith-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    else:
        others = sorted((other for other in root.glob("compiled-*") if other != folder), key=_age)
        for old in others[KEPT:]:
            if _age(old) > DAY:
                shutil.rmtree(old, ignore_errors=True)
    return folder


def check_private(folder: Path) -> None:
    """Raise PermissionError if others than its user may have put code into a folder, or put another in its place."""
    if not hasattr(os, "geteuid"):  # other systems have other rules
        return
    inside, above = folder.stat(), folder.parent.stat()
    if inside.st_uid not in (os.geteuid(), 0):
        raise PermissionError(0, "it belongs to another user, whose code would be run")
    replaceable = above.st_mode & stat.S_IWOTH and not above.st_mode & stat.S_ISVTX
    if replaceable or inside.st_mode & stat.S_IWOTH:
        raise PermissionError(0, "others can write to it, and their code would be run")


@cache
def fingerprint() -> str:
    """What compiled code depends on: our sources, and the versions of Python and of the compiler."""
    hashed = hashlib.blake2b(digest_size=8)
    versions = (numba.__version__, llvmlite.__version__, sys.version)
    for part in (*versions, *(source.read_text(encoding="utf-8") for source in sources())):
        hashed.update(part.encode())
    return hashed.hexdigest()


def sources() -> Iterator[Path]:
    """The files that compiled code is made from: ours, and those of packages that register members."""
    home = Path(__file__).parents[1]
    for file in sorted(file for file in home.rglob("*.py") if file.relative_to(home).parts[0] in COMPILED):
        if not any(file.is_relative_to(home / part) for part in NOT_COMPILED):
            yield file
    yield from sources_of_others(*GROUPS)


def _age(folder: Path) -> float:
    """Seconds since a folder was last used."""
    try:
        return time.time() - folder.stat().st_mtime
    except OSError:  # another process was faster to remove it
        return 0.0
