"""Calls on the workers of an executor: some bring an answer, some are lost with their worker.

Any executor will do, so losses are known by the names of their errors, and nothing of Dask or Ray is imported.
"""

import time
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import uuid4

from metasmith.engine.runners.fingerprint import Fingerprint, differences, fingerprint
from metasmith.engine.travel import as_bytes, from_bytes

LOST = frozenset({"BrokenExecutor", "CancelledError", "KilledWorker", "WorkerCrashedError", "NodeDiedError"})
"""Errors, by their names or those of what they inherit from, of a call whose worker has ended; others are raised."""

NAP = 0.5
"""Seconds that an unlike worker waits before it says so: an idle one that answered at once would be sent all calls."""

REFUSALS = 4
"""So many refusals a call that may be under way, and no answer of a like worker, are enough to give up."""

L = TypeVar("L")


class WorkerWarning(UserWarning):
    """Something about workers that a user should see, in one line."""


class Lost(NamedTuple):
    """Instead of an answer: the worker has ended before it came."""

    error: BaseException


class Unlike(NamedTuple):
    """The answer of a worker that computes with something else than the one that asked: it has done nothing."""

    fingerprint: Fingerprint


class Call(NamedTuple, Generic[L]):
    """A call under way. label: what the one that asked calls it, None for a greeting. body: the function and its
    arguments, pickled.
    """

    label: L | None
    body: bytes


class Calls(Generic[L]):
    """Calls of top-level functions on the workers of an executor.

    Calls that unlike workers refuse are sent again, with one warning for each kind of them.
    """

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.under_way: dict[Future[Any], Call[L]] = {}
        self._ended: SimpleQueue[Future[Any]] = SimpleQueue()
        self._refusals = 0
        self._answered = False  # whether a like worker ever has
        self._unlike: list[str] = []
        self._name, self._numbers = uuid4().hex, count()

    def greet(self, count: int) -> None:
        """Have so many workers show, before their first calls, that they are there and whether they are like this one:
        an answer to the calls may take hours.
        """
        if not self._answered:
            for _ in range(count):
                self._send(Call(None, as_bytes((str, ()))))

    def send(self, label: L, function: Callable[..., Any], *arguments: Any) -> None:
        """Call a function on some worker. Raises RuntimeError if the executor takes no more calls."""
        self._send(Call(label, as_bytes((function, arguments))))

    def _send(self, call: Call[L]) -> None:
        name = f"{self._name}-{next(self._numbers)}"  # Dask merges calls that look the same, unless it is told not to
        try:
            future = self.executor.submit(from_bytes, as_bytes(AsRead(name, fingerprint(), call.body)))
        except Exception as error:
            raise _no_more_work(f"{type(error).__name__}: {error}") from error
        self.under_way[future] = call
        future.add_done_callback(self._ended.put)

    def next(self, timeout: float | None = None) -> tuple[L, Any] | None:
        """The label of a call that has ended, with its answer or Lost; None if there is none, at the latest after
        `timeout` seconds.

        Any other error of a call is raised, and RuntimeError if the executor has lost its workers for good.
        """
        try:
            future = self._ended.get(timeout=timeout)
        except Empty:
            client = getattr(self.executor, "_client", None)  # Dask's; once it has lost its scheduler no call ends
            if getattr(client, "status", None) in ("closing", "closed"):
                self.under_way = {}  # there is nobody left to cancel them
                raise _no_more_work("the Dask scheduler has gone") from None
            return None
        call = self.under_way.pop(future, None)
        if call is None:  # cancelled some time ago
            return None
        error = CancelledError() if future.cancelled() else future.exception()
        if error is not None:
            if is_lost(error):
                return None if call.label is None else (call.label, Lost(error))
            if isinstance(error, ImportError) and "'metasmith" in str(error):
                raise RuntimeError(f"a worker lacks this version of metasmith ({error}); install it there") from error
            raise error
        answer = future.result()
        if isinstance(answer, Unlike):
            self._refused(answer.fingerprint)
            self._send(call)
            return None
        self._answered = True
        return None if call.label is None else (call.label, answer)

    def cancel(self) -> None:
        """Forget all calls under way; those that have not begun are not done."""
        under_way, self.under_way = list(self.under_way), {}
        for future in under_way:
            future.cancel()

    def _refused(self, theirs: Fingerprint) -> None:
        """Say once what an unlike worker differs in. Raises RuntimeError if there seem to be no others."""
        unlike = differences(theirs, fingerprint())
        if unlike not in self._unlike:
            self._unlike.append(unlike)
            message = f"a worker is not used, as its results might differ from those here; it has other {unlike}"
            warnings.warn(message, WorkerWarning, stacklevel=4)
        self._refusals += 1
        if not self._answered and self._refusals > REFUSALS * (1 + len(self.under_way)):
            raise RuntimeError(
                f"no worker is like this process, so none is used; they have other {'; or '.join(self._unlike)}"
            )


class AsRead:
    """What does a call as it is made anew from bytes, and then is its answer. Every worker has what does that: sent a
    function that it lacks the module of, a worker of Dask would end, one after the other, and say nothing.
    """

    def __init__(self, name: str, fingerprint: Fingerprint, body: bytes) -> None:
        self.arguments = name, fingerprint, body

    def __reduce__(self) -> Any:
        return on_worker, self.arguments


def on_worker(name: str, theirs: Fingerprint, body: bytes) -> Any:
    """What a worker does: the call, if it computes with the same as the one that asked. name: one for each call."""
    if (mine := fingerprint()) != theirs:
        time.sleep(NAP)
        return Unlike(mine)
    function, arguments = from_bytes(body)
    return function(*arguments)


def _no_more_work(why: str) -> RuntimeError:
    return RuntimeError(f"the executor takes no more work ({why}); start a new one")


def is_lost(error: BaseException) -> bool:
    """Whether an error says that the worker of a call has ended."""
    return any(kind.__name__ in LOST for kind in type(error).__mro__)
