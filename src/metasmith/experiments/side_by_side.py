"""Long work in as many processes as there are cores."""

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def side_by_side(work: Callable[[T], R], items: Sequence[T], on_wait: Callable[[], None]) -> list[R]:
    """The results for all items, in their order. on_wait: called every second, and at the end.

    Whatever ends one ends all; what they have written so far is kept.
    """
    others = set(active_children())
    with ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=_begin) as pool:
        try:
            under_way = [pool.submit(work, each) for each in items]
            while True:
                done, left = wait(under_way, timeout=1, return_when=FIRST_EXCEPTION)
                for each in done:
                    each.result()  # raises what it raised
                on_wait()
                if not left:
                    return [each.result() for each in under_way]
        except BaseException as error:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(active_children()) - others:
                process.terminate()  # at once, in the middle of their work
            if isinstance(error, BrokenProcessPool):
                raise RuntimeError("a process of the experiment was killed, perhaps for want of memory") from error
            raise


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
