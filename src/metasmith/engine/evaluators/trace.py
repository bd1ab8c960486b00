"""The trace of a run: which evaluation of a user's function is under way, and the fitness of all before it.

In an isolated process it lies in memory that outlives the process. Whoever started it can then tell which solution
ended it, and have the run done again: what was noted is recalled instead of computed, so that a crash costs little.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Floats, Words
from metasmith.engine.apart import apart
from metasmith.representations import Variables

INSIDE, DONE, RECALLED, HALTED, TOGETHER, VARIABLES, ANSWER = range(7)
"""Positions of whole numbers at the head of a trace.

INSIDE: 1 while the user's function is called. DONE: evaluations so far. RECALLED: how many of them are recalled instead
of computed. HALTED: 1 if none beyond those is to be computed. TOGETHER: solutions of the call under way. VARIABLES: of
a solution. ANSWER: where a Python function that is called back leaves the fitness, a float.
"""

HEAD = 8
"""Words of the head; after it come the solution that is evaluated and the journal: the fitness of all evaluations."""

MOST = 2**22
"""Evaluations that the journal of an isolated run has room for."""


class Isolated:
    """What an isolated process knows of itself. words: of the trace, which its parent can read."""

    def __init__(self, words: Words, out_of_memory: Callable[[MemoryError], None]) -> None:
        self.words = words
        self.out_of_memory = out_of_memory
        """Ends the process, and with it whatever the function has leaked."""
        self.forked = False
        """Whether this is a copy of the process that the user's function made by forking."""


here: Isolated | None = None
"""This process, if it is an isolated one."""


class TimeUpError(RuntimeError):
    """The time of a run is up, and its next evaluation is not to be done."""


def words_for(variables: Variables) -> Words:
    """The words of a trace: those that are shared with the parent, or, where there is none, without a journal.

    A run within an evaluation, which a user's function may do, has words of its own.
    """
    shared = here is not None and not here.words.view(np.int64)[INSIDE]
    words: Words = here.words if here and shared else apart(words=((HEAD + variables.n,), np.uint64))["words"]
    words.view(np.int64)[VARIABLES] = variables.n
    return words


def returned() -> None:
    """To be called when a user's function has returned: a copy of an isolated process that it forked ends here."""
    if here is not None and here.forked:
        os._exit(0)


def raised(error: BaseException) -> None:
    """To be called with what a user's function raised: interrupts go on; an isolated process without memory ends."""
    returned()
    if isinstance(error, KeyboardInterrupt) and here is None:
        raise error
    if isinstance(error, MemoryError) and here is not None:
        here.out_of_memory(error)


def stop_if_halted(words: Words) -> None:
    """Raise TimeUpError if a value is missing because none beyond those noted is to be computed."""
    if words.view(np.int64)[HALTED]:
        raise TimeUpError


class Trace:
    """The trace of evaluations outside compiled code."""

    def __init__(self, variables: Variables) -> None:
        words = words_for(variables)
        self.head = words.view(np.int64)[:HEAD]
        self.solution = words[HEAD : HEAD + variables.n].view(variables.vector)
        self.journal = words[HEAD + variables.n :].view(np.float64)

    def fitness(self, vectors: np.ndarray[Any, Any], compute: Callable[[], Floats]) -> Floats:
        """The fitness of vectors that are evaluated together: computed and noted, or recalled."""
        first = int(self.head[DONE])
        noted = slice(first, first + len(vectors))
        if first < self.head[RECALLED]:
            fitness = self.journal[noted].copy()
        elif self.head[HALTED]:
            raise TimeUpError
        else:
            with self.inside(vectors):
                fitness = compute()
            if len(self.journal[noted]) == len(fitness):
                self.journal[noted] = fitness
        self.head[DONE] += len(vectors)
        return fitness

    @contextmanager
    def inside(self, vectors: np.ndarray[Any, Any]) -> Iterator[None]:
        """Meanwhile the user's code is called for these vectors."""
        self.solution[:] = vectors[0]
        self.head[TOGETHER] = len(vectors)
        self.head[INSIDE] = 1
        try:
            yield
        finally:
            self.head[INSIDE] = 0


@register_jitable
def to_recall(words: Words) -> bool:
    """Whether the next fitness was noted before."""
    head = words.view(np.int64)
    return head[DONE] < head[RECALLED]


@register_jitable
def recalled(words: Words) -> float:
    """The fitness that was noted of the next evaluation."""
    head = words.view(np.int64)
    head[DONE] += 1
    return words[HEAD + head[VARIABLES] :].view(np.float64)[head[DONE] - 1]


@register_jitable
def note(words: Words, fitness: float) -> None:
    """Note the fitness of an evaluation that was done."""
    head = words.view(np.int64)
    at = HEAD + head[VARIABLES] + head[DONE]
    if at < len(words):
        words.view(np.float64)[at] = fitness
    head[DONE] += 1
