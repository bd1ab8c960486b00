"""Long work in as many processes as there are cores; a process that is killed costs the time of its item, no more.

Within `done_on(executor)`, the work is done on the workers of that executor instead.
"""

import os
import signal
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread
from typing import Any, TypeVar

from metasmith.experiments.shared import elsewhere

ATTEMPTS = 3  # an item whose process ends this often is given up

EXECUTOR: ContextVar[Executor | None] = ContextVar("executor", default=None)

T = TypeVar("T")
R = TypeVar("R")


def side_by_side(work: Callable[[T], R], items: Sequence[T], on_wait: Callable[[], None]) -> list[R]:
    """The results of `work` for all items, in their order. on_wait: called at least every second, and at the end.

    The item of a process that was killed is given to a fresh one, so `work` must be safe to repeat.
    What `work` raises is raised here and ends all, and so does Ctrl-C; what was written so far is kept.
    """
    if (executor := EXECUTOR.get()) is not None:
        return elsewhere.side_by_side(executor, work, items, on_wait, ATTEMPTS)
    results: dict[int, R] = {}
    waiting = deque(range(len(items)))
    deaths: Counter[int] = Counter()
    workers: list[_Worker] = []
    try:
        while len(results) < len(items):
            while waiting and len(workers) < min(os.cpu_count() or 1, len(items)):
                workers.append(_Worker())
            for worker in workers:
                if waiting and worker.item is None:
                    worker.item = waiting.popleft()
                    worker.give(work, items[worker.item])
            on_wait()
            wait([end for worker in workers for end in (worker.pipe, worker.process.sentinel)], timeout=1)
            for worker in list(workers):
                item, (state, value) = worker.item, worker.answer()
                if state == "ended":
                    workers.remove(worker)
                    if item is not None:
                        waiting.appendleft(item)
                        deaths[item] += 1
                        if deaths[item] == ATTEMPTS:
                            raise RuntimeError(
                                f"the process of {items[item]!r:.200} ended {ATTEMPTS} times without a result, the "
                                f"last time with exit code {value}; is there enough memory?"
                            )
                elif state == "raised":
                    raise value
                elif state == "returned":
                    assert item is not None
                    results[item], worker.item = value, None
        on_wait()
        return [results[item] for item in range(len(items))]
    finally:
        for worker in workers:
            worker.process.kill()
        for worker in workers:
            worker.process.join()


@contextmanager
def done_on(executor: Executor | None) -> Iterator[None]:
    """Meanwhile work is done on the workers of an executor, if there is one, and writes to their file systems."""
    before = EXECUTOR.set(executor)
    try:
        yield
    finally:
        EXECUTOR.reset(before)


class _Worker:
    """A process with a pipe of its own: what two processes share, such as a queue, a killed one may leave locked."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.item: int | None = None  # the number of the item it is at work on
        self.pipe, other_end = context.Pipe()
        self.process = context.Process(target=_serve, args=(other_end,), daemon=True)
        self.process.start()
        other_end.close()  # the pipe breaks with the process only if that alone holds the other end

    def give(self, work: Callable[[Any], Any], item: Any) -> None:
        with suppress(OSError):  # the process has just ended; `answer` will say so
            self.pipe.send((work, item))

    def answer(self) -> tuple[str, Any]:
        """Where the process is: ("busy", None), ("returned", result), ("raised", error) or ("ended", exit code)."""
        alive = self.process.is_alive()  # before the pipe is looked at: its last answer may still be in there
        try:
            if self.pipe.poll():
                return self.pipe.recv()
            if alive:
                return "busy", None
        except (EOFError, OSError):  # the other end of the pipe is closed
            self.process.join(1)
            self.process.kill()
            self.process.join()
        return "ended", self.process.exitcode


def _serve(pipe: Connection) -> None:
    """What a process does: the work that comes through the pipe. It leaves Ctrl-C to the one that asked."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):  # nobody is left at the other end
        while True:
            work, item = pipe.recv()
            try:
                pipe.send(("returned", work(item)))
            except Exception as error:
                pipe.send(("raised", elsewhere.portable(error)))


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def ticking(count: Callable[[], int], tick: Callable[[], None]) -> Callable[[], None]:
    """Calls `tick` once for each that `count` has gone up since the last time."""
    seen = 0

    def look() -> None:
        nonlocal seen
        for _ in range(seen, now := count()):
            tick()
        seen = now

    return look
