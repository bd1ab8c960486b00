"""Long work on the workers of an executor, each item in a process of its own.

A process of its own, because several designs in one would share the state of torch, and a worker may have several
threads; a plain one, because the workers of Dask may have no children of multiprocessing.
"""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import suppress
from copy import copy
from threading import Thread
from traceback import format_exc
from typing import Any, NamedTuple, TypeVar

from metasmith.engine.runners.calls import Calls, Lost
from metasmith.engine.runners.executor import slots_of
from metasmith.engine.travel import as_bytes, from_bytes

T = TypeVar("T")
R = TypeVar("R")


class Answer(NamedTuple):
    """What came of an item: its result, or an error of the work."""

    result: Any = None
    error: Exception | None = None


def side_by_side(
    executor: Executor, work: Callable[[T], R], items: Sequence[T], on_wait: Callable[[], None], attempts: int
) -> list[R]:
    """The results of `work` for all items, as on the cores of this machine. attempts: of an item whose worker ends."""
    calls: Calls[int] = Calls(executor)
    results: dict[int, R] = {}
    losses: Counter[int] = Counter()
    try:
        if items:
            calls.greet(slots_of(executor))
        for number in range(len(items)):
            calls.send(number, in_a_process, work, items[number])
        while len(results) < len(items):
            on_wait()
            if (ended := calls.next(timeout=1)) is None:
                continue
            number, answer = ended
            if isinstance(answer, Lost):
                losses[number] += 1
                if losses[number] == attempts:
                    raise RuntimeError(
                        f"the worker of {items[number]!r:.200} ended {attempts} times without a result "
                        f"({answer.error}); is there enough memory?"
                    )
                calls.send(number, in_a_process, work, items[number])
            elif answer.error is not None:
                raise answer.error
            else:
                results[number] = answer.result
    finally:
        calls.cancel()
    on_wait()
    return [results[number] for number in range(len(items))]


def in_a_process(work: Callable[[Any], Any], item: Any) -> Answer:
    """Work on an item in a new process. Raises BrokenExecutor if that ends without an answer."""
    command = [sys.executable, "-P", "-c", f"from {__name__} import serve; serve()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(BrokenPipeError):  # it has ended already, and says nothing
                process.stdin.write(framed(as_bytes((work, item))))
                process.stdin.flush()
            said = process.stdout.read()
        except BaseException:
            process.kill()
            raise
    if not said:
        raise BrokenExecutor(f"its process ended with exit code {process.returncode}")
    answer = from_bytes(said)
    assert isinstance(answer, Answer)
    return answer


def framed(body: bytes) -> bytes:
    """Bytes with how many they are: the pipe stays open after them."""
    return len(body).to_bytes(8) + body


def serve() -> None:
    """What that process does: the work that it reads, to be answered on its standard output. It ends with its parent,
    whose end of the pipe then closes.
    """
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the work prints must not get into the answer
    size = int.from_bytes(sys.stdin.buffer.read(8))
    work, item = from_bytes(sys.stdin.buffer.read(size))
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        answer = as_bytes(Answer(result=work(item)))
    except Exception as error:
        answer = as_bytes(Answer(error=portable(error)))
    answers.write(answer)
    answers.close()
    os._exit(0)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def portable(error: Exception) -> Exception:
    """The error of an item as another process can read it, with where it was raised."""
    error.add_note(format_exc())
    try:
        copy(error)  # fails for errors that cannot be made anew at the other end
        as_bytes(error)
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
