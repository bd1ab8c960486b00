"""Problems on their way to other processes and machines, with all of the user's code that they need."""

import sys
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from inspect import getclosurevars
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import cloudpickle

from metasmith.discovery import sources_of_others
from metasmith.loading import folders_of_users
from metasmith.problems import Problem
from metasmith.version import GROUPS

PACKING = threading.Lock()
"""One thread at a time packs: which modules travel whole is a global setting of cloudpickle."""


from_bytes = cloudpickle.loads
"""What `as_bytes` was given, made anew: a function of Python's own, so that every worker has it. It runs what it reads,
and is for bytes of processes that we started or connected to ourselves; nothing is ever read from a file with it.
"""


def as_bytes(value: Any) -> bytes:
    """Anything of ours, such as a call or its answer, as bytes for another process."""
    return cloudpickle.dumps(value)


class CannotTravelError(ValueError):
    """A problem cannot be sent to another process: says what of it, and why."""


class Packed(NamedTuple):
    """A problem as bytes, and a key that is the same for the same bytes."""

    key: str
    body: bytes


def packed(problem: Problem) -> Packed:
    """A problem as bytes that any process with metasmith can make it from.

    Code beside the user's file or script travels with it; installed packages must be there at the other end.
    """
    try:
        with PACKING, travelling_whole():
            body = cloudpickle.dumps(problem)
    except Exception as error:
        what = next(_what_cannot(problem), "its function")
        raise CannotTravelError(
            f"{problem.name}: {what} cannot be sent to another process: {error}; "
            "make it inside the function, or stay in this process with Problem(..., isolate=False)"
        ) from error
    return Packed(blake2b(body, digest_size=16).hexdigest(), body)


class Packing:
    """Packs every problem once, however often it is sent."""

    def __init__(self) -> None:
        self._packed: WeakKeyDictionary[Problem, Packed] = WeakKeyDictionary()

    def __call__(self, problem: Problem) -> Packed:
        if problem not in self._packed:
            self._packed[problem] = packed(problem)
        return self._packed[problem]


def unpacked(body: bytes) -> Problem:
    """The problem that was packed, made anew here."""
    problem = from_bytes(body)
    assert isinstance(problem, Problem)
    return problem


@contextmanager
def travelling_whole() -> Iterator[None]:
    """Meanwhile what is pickled from the user's own modules is pickled with its code, not by its name."""
    modules = list(_of_user())
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def _of_user() -> Iterator[ModuleType]:
    """The modules in memory that lie beside the user's files or below: another process may not find them by name."""
    homes = [Path(folder) for folder in folders_of_users()]
    script = getattr(sys.modules["__main__"], "__file__", None)
    homes.append(Path(script).resolve().parent if script else Path.cwd())  # a notebook has no file
    installed = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib", "scripts")}
    registered = set(sources_of_others(*GROUPS))
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not file or name == "__main__" or name.partition(".")[0] == "metasmith":
            continue
        path = Path(file)
        if any(path.is_relative_to(place) for place in installed) or path in registered:
            continue
        if any(path.is_relative_to(home) for home in homes):
            yield module


def _what_cannot(problem: Problem) -> Iterator[str]:
    """What of a problem cannot be pickled, by the name that the user's function has for it."""
    for role, holder in (("function", problem.how), ("violation", problem.violation), ("explain", problem.explain)):
        function: Any = getattr(holder, "function", holder)
        try:
            names = getclosurevars(getattr(function, "py_func", function))
        except TypeError:
            continue
        for name, value in {**names.nonlocals, **names.globals}.items():
            if not _can(value):
                yield f"'{name}' ({type(value).__name__}), which the {role} uses,"


def _can(value: Any) -> bool:
    try:
        with PACKING, travelling_whole():
            cloudpickle.dumps(value)
    except Exception:
        return False
    return True
