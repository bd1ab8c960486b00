"""Children that are kept from one call to the next, because to start one takes a second."""

import atexit
import os
import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from metasmith.engine.evaluators import EvaluationError
from metasmith.engine.evaluators.bounds import can_be_checked, mistake, solutions
from metasmith.engine.isolation.child import LOSSES, Child, LostError, Task
from metasmith.engine.run import InterruptedRunError
from metasmith.engine.travel import packed
from metasmith.problems import Problem

AVAILABLE = hasattr(os, "fork")
"""Whether this system has what isolation needs; Windows has not."""


class _Idle:
    """The children that nobody uses now. They belong to the process that started them, not to copies of it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.owner = os.getpid()
        self.children: list[Child] = []

    def take(self) -> Child:
        """A child that is alive."""
        with self.lock:
            if self.owner != os.getpid():
                self.owner, self.children = os.getpid(), []
            while self.children:
                child = self.children.pop()
                if child.alive:
                    return child
                child.close()
        return Child()

    def put(self, child: Child) -> None:
        with self.lock:
            self.children.append(child)

    def close(self) -> None:
        """End all of them."""
        with self.lock:
            children, self.children = self.children, []
        if self.owner == os.getpid():
            for child in children:
                child.close()


_idle = _Idle()
atexit.register(_idle.close)


def isolated(problem: Problem) -> bool:
    """Whether the code of a problem is called in processes of their own."""
    return problem.isolated and AVAILABLE


def call(
    problem: Problem, function: Callable[..., Any], *arguments: Any, evaluations: int = 0, subject: str = ""
) -> Any:
    """What `function(problem, *arguments)` returns, called in an isolated process if the problem is to be isolated.

    evaluations: how many it does at most. subject: what it evaluates, if that is not the value. Arguments and what is
    returned are copies.
    """
    if not isolated(problem):
        return function(problem, *arguments)
    return do(Task(problem, packed(problem), function, arguments, evaluations, subject=subject))


def do(task: Task, stop: threading.Event | None = None) -> Any:
    """What the function of a task returns, in an isolated process; see `Child.do`.

    Compiled functions are checked before: that of a problem which goes beyond an array is an EvaluationError.
    """
    if not task.subject and can_be_checked(task.problem):
        _check_bounds(task, stop)
    return _done(task, stop)


PATIENCE = 10.0
"""Seconds that the check of a compiled function may take; one that is not done by then passes."""

_checking: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
_mistakes: dict[str, str] = {}
"""What was said of the functions of problems, by their keys; empty if there is nothing to say."""


def _check_bounds(task: Task, stop: threading.Event | None) -> None:
    key, seconds = task.packed.key, min(PATIENCE, task.seconds or PATIENCE)
    with _checking[key]:
        if key not in _mistakes:
            vectors = solutions(task.problem.variables)
            check = Task(task.problem, task.packed, mistake, (vectors,), len(vectors), seconds, bounds=True)
            try:
                _mistakes[key] = _done(check, stop)
            except InterruptedRunError:
                raise
            except (EvaluationError, RuntimeError, ValueError):  # runs meet the same, if they come there, and say it
                _mistakes[key] = ""
    if _mistakes[key]:
        raise EvaluationError(_mistakes[key])


def _done(task: Task, stop: threading.Event | None) -> Any:
    for _ in range(LOSSES):
        child = _idle.take()
        try:
            value = child.do(task, stop)
        except LostError:
            child.close()
        except (EvaluationError, InterruptedRunError, RuntimeError, ValueError):
            _idle.put(child)
            raise
        except BaseException:  # an interrupt: nobody knows where it left the child
            child.close()
            raise
        else:
            _idle.put(child)
            return value
    raise RuntimeError(f"processes for {task.problem.name} ended {LOSSES} times before it was called; is there memory?")
