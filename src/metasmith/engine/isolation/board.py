"""The parent's view of a worker's trace: memory that both share, and that is there when the worker is not."""

import mmap
import os
import tempfile
from typing import Any

import numpy as np

from metasmith.arrays import Words
from metasmith.engine.evaluators.trace import DONE, HALTED, HEAD, INSIDE, MOST, RECALLED, TOGETHER, VARIABLES
from metasmith.engine.loop import WORST
from metasmith.representations import Variables


class Board:
    """Words in a file that has no name and is never on a disk. It grows with what is to be evaluated."""

    def __init__(self) -> None:
        if hasattr(os, "memfd_create"):
            self.fd = os.memfd_create("metasmith-trace")
        else:
            with tempfile.TemporaryFile() as file:
                self.fd = os.dup(file.fileno())
        self._words: Words = np.empty(0, np.uint64)

    def begin(self, variables: Variables, evaluations: int) -> None:
        """Make ready for evaluations of solutions of some variables."""
        size = HEAD + variables.n + min(evaluations, MOST)
        if size > len(self._words):
            os.ftruncate(self.fd, size * 8)
            self._words = np.frombuffer(mmap.mmap(self.fd, size * 8), np.uint64)
        self._head = self._words.view(np.int64)[:HEAD]
        self._head[:] = 0
        self._head[VARIABLES] = variables.n
        self._variables = variables
        self._journal = self._words[HEAD + variables.n :].view(np.float64)

    def again(self, *, halted: bool = False) -> None:
        """Make ready to do the same again: what was noted is recalled. halted: nothing beyond it is computed."""
        done = min(int(self._head[DONE]), len(self._journal))
        self._head[:] = 0
        self._head[[RECALLED, HALTED, VARIABLES]] = (done, halted, self._variables.n)

    def count_as_worst(self) -> bool:
        """Note the evaluation under way as one that failed; whether there was room to."""
        first, together = self.evaluation
        noted = self._journal[first : first + together]
        noted[:] = WORST
        self._head[DONE] += together
        return len(noted) == together

    @property
    def inside(self) -> bool:
        """Whether the user's function is being called, or was when the worker ended."""
        return bool(self._head[INSIDE])

    @property
    def evaluation(self) -> tuple[int, int]:
        """The number of the evaluation under way, from 0, and how many solutions are evaluated together."""
        return int(self._head[DONE]), max(1, int(self._head[TOGETHER]))

    @property
    def x(self) -> np.ndarray[Any, Any]:
        """The solution that is evaluated, or the first of those that are."""
        vector: np.ndarray[Any, Any] = self._words[HEAD : HEAD + self._variables.n].view(self._variables.vector).copy()
        return vector

    def close(self) -> None:
        os.close(self.fd)
