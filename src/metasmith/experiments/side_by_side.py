"""Long work in as many processes as there are cores."""

import os
import signal
from collections.abc import Callable, Sequence
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def side_by_side(work: Callable[[T], R], items: Sequence[T], on_wait: Callable[[], None]) -> list[R]:
    """The results for all items, in their order. on_wait: called every second, and at the end.

    Whatever ends one ends all; what they have written so far is kept.
    """
    with get_context("spawn").Pool(initializer=_begin) as pool:
        under_way = [pool.apply_async(work, (each,)) for each in items]
        while True:
            left = [each for each in under_way if not each.ready()]
            for each in under_way:
                if each.ready():
                    each.get()  # raises what it raised
            on_wait()
            if not left:
                return [each.get() for each in under_way]
            left[0].wait(1)


def _begin() -> None:
    """What a process does first: leave Ctrl-C to the one that asked, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


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
