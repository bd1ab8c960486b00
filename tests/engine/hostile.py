"""Functions that do to their process what functions should not, at some inputs only: as a file of a user's."""

import ctypes
import itertools
import os
import signal
import sys
import time
from collections import deque

import numpy as np

import metasmith as ms

SECONDS = 0.4
KEPT = []
N = 12


def bad(x) -> bool:
    """A few of the solutions, which every search comes across."""
    return bool(x[0] and x[1] and not x[3] and x.sum() > 6)


class OddError(Exception):
    """Can be pickled, but not made anew at the other end."""

    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


def segfault():
    ctypes.string_at(0)


def exits():
    os._exit(3)


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def loops():
    while True:
        pass


def holds_the_lock():
    deque(itertools.repeat(0), maxlen=0)  # endless, within one call of C


def bomb():
    while True:
        KEPT.append(np.ones(10**7))


def odd():
    raise OddError(1, 2)


def recursion():
    sys.setrecursionlimit(10**9)

    def deeper(n):
        return [deeper(n + 1)]

    deeper(0)


def interrupts():
    raise KeyboardInterrupt


def cancels():
    raise GeneratorExit("no Exception")


def forks():
    if os.fork() == 0:
        time.sleep(0.01)


def forks_and_exits():
    if os.fork() == 0:
        sys.exit()


def raises():
    raise ArithmeticError("as one should")


DEEDS = (
    segfault, exits, killed, loops, holds_the_lock, bomb, odd, recursion, interrupts, cancels, raises,
)  # fmt: skip


ENDLESS = (loops, holds_the_lock, recursion)


def doing(deed):
    """The number of ones, with a deed at bad inputs."""

    def function(x):
        if bad(x):
            deed()
        return float(x.sum())

    return function


def leaks(x):
    """Keeps so much of every call that a run fits in the limit, and two do not."""
    KEPT.append(np.ones(10**5))
    return float(x.sum())


def leaks_much(x):
    KEPT.append(np.ones(2 * 10**7))
    return float(x.sum())


def problem(deed, on_error="stop", **others):
    others = {"memory": "400 MB"} | ({"seconds": SECONDS} if deed in ENDLESS else {}) | others
    return ms.Problem(doing(deed), ms.Bits(N), name="hostile", on_error=on_error, **others)


globals().update({f"{deed.__name__}_stop": problem(deed) for deed in DEEDS})
globals().update({f"{deed.__name__}_worst": problem(deed, "worst") for deed in DEEDS})
leak = ms.Problem(leaks, ms.Bits(N), name="leak", memory="400 MB")
