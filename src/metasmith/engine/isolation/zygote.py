"""The process that forks workers. It has the engine loaded, and never calls the user's code.

It ends, and its worker with it, when whoever started it is gone, however that came about.
"""

import os
import signal
import socket
from contextlib import suppress
from multiprocessing.connection import Connection, wait

FORK, KILL = b"fork", b"kill"
"""What a zygote is told. It answers a fork with a socket to the worker, and says with which status a worker ended."""

HERE = b"!"
"""What comes with the socket: one cannot be sent without a byte."""


def main(control_fd: int, board_fd: int) -> None:
    """Fork workers when told to, until nobody is left to tell. Takes file descriptors: of a socket, and of a trace."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for whoever started us
    warm()
    control = socket.socket(fileno=control_fd)
    channel, (woken, wake) = Connection(os.dup(control_fd)), os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)  # so that the end of a worker wakes us up
    signal.set_wakeup_fd(wake)
    worker = 0
    try:
        while True:
            ready = wait([channel, woken])
            if woken in ready:
                os.read(woken, 512)
            if worker and (ended := os.waitpid(worker, os.WNOHANG)) != (0, 0):
                kill(worker)  # what it has started goes with it
                worker = 0
                channel.send_bytes(str(ended[1]).encode())
            if channel in ready:
                told = channel.recv_bytes()
                if told == FORK:
                    worker = fork(control, board_fd, (woken, wake, channel.fileno()))
                elif told == KILL:
                    kill(worker)
    except (EOFError, OSError):
        kill(worker)


def warm() -> None:
    """Load all that workers need, compiled code included, so that they need not."""
    from metasmith.engine.isolation import worker  # noqa: F401
    from metasmith.engine.run import Job, run
    from metasmith.problems import Problem
    from metasmith.program import named
    from metasmith.representations import Bits

    run(Job(named("ea"), Problem(lambda x: float(x.sum()), Bits(8)), 20, 0))


def fork(control: socket.socket, board_fd: int, ours: tuple[int, ...]) -> int:
    """Fork a worker, and hand its socket to whoever started us. ours: file descriptors that are not for the worker."""
    from metasmith.engine.isolation.worker import serve

    theirs, its = socket.socketpair()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # the end of the last worker is not for the next one
    pid = os.fork()
    if pid == 0:
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            os.setpgid(0, 0)
            for end in (*ours, control.detach(), theirs.detach()):
                os.close(end)
            serve(Connection(its.detach()), board_fd)
        finally:
            os._exit(1)  # never back into the loop of the zygote
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    with suppress(OSError):
        os.setpgid(pid, pid)  # here too, so that it has happened whoever comes first
    socket.send_fds(control, [HERE], [theirs.fileno()])
    theirs.close()
    its.close()
    return pid


def kill(worker: int) -> None:
    """End a worker and all that it has started."""
    if worker:
        with suppress(OSError):
            os.killpg(worker, signal.SIGKILL)
