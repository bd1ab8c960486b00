"""The parent's side of one worker: errands are sent to it, its limits are kept, and it is replaced when it dies."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

from metasmith.engine.evaluators import EvaluationError
from metasmith.engine.evaluators.fitness import failure
from metasmith.engine.isolation.board import Board
from metasmith.engine.isolation.worker import KEPT, Answer, Errand, Place
from metasmith.engine.isolation.zygote import FORK, HERE, KILL
from metasmith.engine.run import InterruptedRunError, Result
from metasmith.engine.travel import Packed
from metasmith.loading import folders_of_users
from metasmith.problems import Limits, Problem

LOOK = 0.1
"""Seconds between looks at a worker: limits hold, and interrupts are heard, to within this time."""

GRACE = 1.0
"""Seconds that an evaluation may go on beyond the time limit of its run."""

LOSSES = 3
"""How often a worker may be lost outside of any evaluation before that is an error."""

GROWTH = 2**30
"""Bytes by which a worker without a limit may grow between runs before a fresh one takes its place."""

START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[3]); "
    "from metasmith.engine.isolation.zygote import main; main(int(sys.argv[1]), int(sys.argv[2]))"
)


class Task(NamedTuple):
    """What a child is to do: `function(problem, *arguments)`.

    evaluations: how many it does at most. seconds: the time it has; it keeps to that itself between evaluations.
    subject: what it evaluates, if that is not the value. bounds: whether compiled functions check their indices, for
    which they are compiled in a worker of its own.
    """

    problem: Problem
    packed: Packed
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    evaluations: int
    seconds: float | None = None
    subject: str = ""
    bounds: bool = False


class Ended(NamedTuple):
    """How a worker ended, in words.

    over: whether the time of its run was up. starved: whether the function had no memory left.
    """

    how: str
    over: bool = False
    starved: bool = False


class LostError(RuntimeError):
    """A zygote is gone. Nobody's function is to blame: whatever it was to do can be done by another."""


class Child:
    """A zygote, its worker if there is one, and the board between us."""

    def __init__(self) -> None:
        self.board = Board()
        self._control, theirs = socket.socketpair()
        # an empty one is the working folder, whatever is there
        path = json.dumps([str(each) for each in sys.path if str(each)])
        command = [sys.executable, "-P", "-c", START, str(theirs.fileno()), str(self.board.fd), path]
        self._zygote = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=_errors(),  # what the user's function prints is no output of ours
            pass_fds=(theirs.fileno(), self.board.fd),
            start_new_session=True,  # an interrupt from the terminal is for us alone
        )
        theirs.close()
        self._channel = Connection(os.dup(self._control.fileno()))
        self._worker: Connection | None = None
        self._kept: list[str] = []
        self._memory: int | None = None
        self._bounds = False
        self._grown_at_first: int | None = None
        self._run_began: float | None = None

    def do(self, task: Task, stop: threading.Event | None = None) -> Any:
        """What the function of a task returns.

        Where a worker dies in an evaluation, that has failed: an EvaluationError that names the solution or, if the
        problem says so, the worst value. Raises InterruptedRunError once `stop` is set, and LostError.
        """
        begun, losses, starved_at, repeated = time.perf_counter(), 0, -1, False
        self.board.begin(task.problem.variables, task.evaluations + 1)  # one more to describe what came out
        self._run_began = None
        while True:
            answer = self._attempt(task, stop)
            if isinstance(answer, Answer):
                value = self._value(task, answer)
                took = time.perf_counter() - begun
                return replace(value, seconds=took) if repeated and isinstance(value, Result) else value
            repeated = True
            number, _ = self.board.evaluation
            if answer.over and number:
                self.board.again(halted=True)  # for the best so far
            elif not self.board.inside:
                losses += 1
                if losses == LOSSES:
                    raise EvaluationError(f"{task.problem.name}: the code around its function {answer.how}")
                self.board.again()
            elif answer.starved and number > starved_at:
                starved_at = number  # what leaked before may be to blame: once more, in a fresh process
                self.board.again()
            else:
                self._blame(task, answer)
                self.board.again()

    def _blame(self, task: Task, ended: Ended) -> None:
        """Count the evaluation under way as failed, or raise the error that names its solution."""
        _, together = self.board.evaluation
        where = f"(the first of a batch of {together}) " if together > 1 else ""
        what = f"{where}{ended.how}"
        if task.subject:
            raise failure(task.problem, self.board.x, what, "", task.subject)
        if task.problem.on_error == "stop" or not self.board.count_as_worst():
            raise failure(task.problem, self.board.x, what)

    def _attempt(self, task: Task, stop: threading.Event | None) -> Answer | Ended:
        """Have a worker do a task, and wait for what comes of it."""
        limits = task.problem.limits or Limits()
        memory = limits.memory
        if self._worker is None or (memory, task.bounds) != (self._memory, self._bounds):
            self._replace(memory, task.bounds)
        new = task.packed.key not in self._kept
        body = task.packed.body if new else None
        errand = Errand(task.packed.key, body, task.function, task.arguments, _place(), memory, task.bounds)
        if new:
            self._kept = [*self._kept, task.packed.key][-KEPT:]
        assert self._worker is not None
        try:
            self._worker.send(errand)
        except OSError:
            return self._ended()
        return self._awaited(limits.seconds, task.seconds, stop)

    def _awaited(self, seconds: float | None, of_run: float | None, stop: threading.Event | None) -> Answer | Ended:
        """The answer of the worker, or how it ended. seconds, of_run: the limits of an evaluation and of the run."""
        worker = self._worker
        assert worker is not None
        look = LOOK if seconds is None else min(LOOK, seconds / 4)
        seen, since = None, 0.0
        while True:
            ready = wait([worker, self._channel], look)
            if worker in ready:
                try:
                    answer: Answer = worker.recv()
                except (EOFError, OSError):
                    return self._ended()
                return self._ended()._replace(how=answer.value, starved=True) if answer.what == "starved" else answer
            if ready:
                return self._ended()
            if stop is not None and stop.is_set():
                self._kill()
                raise InterruptedRunError("stopped within a run")
            now, under_way = time.perf_counter(), (self.board.inside, *self.board.evaluation)
            if self._run_began is None and any(under_way[:2]):
                self._run_began = now  # what came before were the start of a process, and its compilations
            elif of_run is not None and self._run_began and now - self._run_began >= of_run + GRACE:
                return self._kill()._replace(how=f"took longer than the run's {of_run:g} s", over=True)
            if under_way != seen:
                seen, since = under_way, now
            elif self.board.inside and seconds is not None and now - since >= seconds:
                return self._kill()._replace(how=f"took longer than {seconds:g} s")

    def _value(self, task: Task, answer: Answer) -> Any:
        """What a worker answered; one that has grown too much is replaced before the next task."""
        if self._grown_at_first is None:
            self._grown_at_first = answer.grown
        most = self._grown_at_first + GROWTH if self._memory is None else self._memory // 2
        if answer.grown > most or answer.what == "broke":  # who knows what is left of it
            self._kill()
        if answer.what == "returned":
            return answer.value
        if answer.what == "failed":
            raise EvaluationError(answer.value)
        if answer.what == "refused":
            raise ValueError(answer.value)
        raise RuntimeError(f"{task.problem.name}: {answer.value}")

    def _replace(self, memory: int | None, bounds: bool) -> None:
        """Have the zygote fork a fresh worker."""
        if self._worker is not None:
            self._kill()
        try:
            self._channel.send_bytes(FORK)
            _, fds, _, _ = socket.recv_fds(self._control, len(HERE), 1)
        except OSError as error:
            raise LostError(str(error)) from error
        if not fds:
            raise LostError("it has ended")
        self._worker = Connection(fds[0])
        self._kept, self._memory, self._bounds, self._grown_at_first = [], memory, bounds, None

    def _kill(self) -> Ended:
        """End the worker."""
        with suppress(OSError):
            self._channel.send_bytes(KILL)
        return self._ended()

    def _ended(self) -> Ended:
        """How the worker ended, once it has."""
        assert self._worker is not None
        try:
            if not self._channel.poll(LOOK):
                self._channel.send_bytes(KILL)  # its end of the pipe is closed, and it lives on
            status = int(self._channel.recv_bytes())
        except (EOFError, OSError) as error:
            raise LostError(str(error)) from error
        self._worker.close()
        self._worker = None
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            name = signal.Signals(number).name if number in set(signal.Signals) else number
            return Ended(f"ended the process with signal {name}")
        return Ended(f"ended the process with exit code {os.WEXITSTATUS(status)}")

    @property
    def alive(self) -> bool:
        """Whether the zygote is there."""
        return self._zygote.poll() is None

    def close(self) -> None:
        """End the zygote, and with it the worker."""
        for each in (self._channel, self._control, self._worker, self.board):
            if each is not None:
                each.close()
        try:
            self._zygote.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._zygote.kill()
            self._zygote.wait()


def _place() -> Place:
    try:
        folder = str(Path.cwd())
    except OSError:  # it was removed
        folder = ""
    return Place(folder, [str(each) for each in sys.path], folders_of_users())


def _errors() -> Any:
    """Where errors go; nowhere, if this process has closed them."""
    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return 2
