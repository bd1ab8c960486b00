"""The process that calls the user's code: does what it is sent, with its trace where its parent can read it."""

import ctypes
import mmap
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

try:
    import resource
except ImportError:  # there is none on Windows, where nothing is isolated
    resource = None  # type: ignore[assignment]

from metasmith.engine.evaluators import EvaluationError, trace
from metasmith.engine.evaluators.bounds import check_all_indices
from metasmith.engine.travel import from_bytes, unpacked
from metasmith.loading import Beside, folders_of_users
from metasmith.problems import Problem

KEPT = 256
"""Problems that a worker keeps; their parent knows which, as both forget the oldest."""

PR_SET_PDEATHSIG = 1


class Place(NamedTuple):
    """Where code is meant to run: the working folder, where modules are looked for, and folders of users' files."""

    folder: str
    path: list[str]
    beside: list[str]


class Errand(NamedTuple):
    """Something to do with a problem: `function(problem, *arguments)`.

    body: the packed problem, if the worker does not have it by its key. memory: the limit of the process, which is set
    with the first errand. bounds: whether compiled functions check their indices, from the first errand on.
    """

    key: str
    body: bytes | None
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    place: Place
    memory: int | None
    bounds: bool


class Answer(NamedTuple):
    """What came of an errand.

    what: `returned` with the value; `failed`, `refused` or `broke` with the message of an EvaluationError, of a
    ValueError and of any other error; `starved` if the function had no memory left.
    grown: bytes of memory that the process holds beyond those it started with.
    """

    what: str
    value: Any
    grown: int


def serve(connection: Connection, board_fd: int) -> None:
    """Do errands until nobody sends any."""
    _end_with_parent()
    problems: dict[str, Problem] = {}
    limited, ours, at_start = False, os.getpid(), _resident()
    os.register_at_fork(after_in_child=_mark_as_copy)
    while True:
        body = connection.recv_bytes()
        try:
            errand: Errand = from_bytes(body)
        except BaseException as error:  # such as a module that this process does not find
            connection.send(Answer("broke", f"{type(error).__name__}: {error}", 0))
            continue
        if not limited:
            _limit(errand.memory)
            if errand.bounds:
                check_all_indices()
            limited = True
        words = np.frombuffer(mmap.mmap(board_fd, 0), np.uint64)
        trace.here = trace.Isolated(words, lambda error: _give_up(connection, error))
        what, value = _done(errand, problems)
        if os.getpid() != ours:
            os._exit(0)  # a copy that the user's code has made
        connection.send(Answer(what, value, _resident() - at_start))


def _done(errand: Errand, problems: dict[str, Problem]) -> tuple[str, Any]:
    try:
        _go_to(errand.place)
        if errand.body is not None:
            problems[errand.key] = unpacked(errand.body)
            while len(problems) > KEPT:
                del problems[next(iter(problems))]
        return "returned", errand.function(problems[errand.key], *errand.arguments)
    except EvaluationError as error:
        return "failed", str(error)
    except ValueError as error:
        return "refused", str(error)
    except BaseException as error:
        return "broke", f"{type(error).__name__}: {error}"


def _go_to(place: Place) -> None:
    with suppress(OSError):
        os.chdir(place.folder)
    sys.path[:] = place.path
    if folders_of_users() != place.beside:
        for folder in reversed(place.beside):
            Beside.of(Path(folder))


def _limit(memory: int | None) -> None:
    """Allow so many bytes beyond what the process has now; asking for more raises MemoryError."""
    if memory is not None:
        pages = int(Path("/proc/self/statm").read_text().split()[5]) if sys.platform == "linux" else 0
        most = memory + pages * mmap.PAGESIZE
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _give_up(connection: Connection, error: MemoryError) -> None:
    """End, saying that there was no memory left."""
    with suppress(BaseException):
        connection.send(Answer("starved", f"raised MemoryError: {error}".rstrip(": "), 0))
    os._exit(1)


def _resident() -> int:
    """Bytes of memory that this process holds."""
    if sys.platform == "linux":
        return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _mark_as_copy() -> None:
    if trace.here is not None:
        trace.here.forked = True


def _end_with_parent() -> None:
    """Have the system end this process when its zygote is gone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == 1:
            os._exit(1)  # it was gone before
