"""A configurator that is a process of its own: it says what to run, we say what came of it, and it says what is best.

The two talk through a socket of this machine that nobody else is let in to, and that listens no more once the process
is there. The process ends with us, whatever ends us: then nobody answers it.

It says `runs 2`, then a line for each run: the number of an instance and a seed, then name=value for every parameter
that has a value, all separated by tabs. It hears a line with their costs. In the end it says `elites 3`, and a line for
each, the best first.
"""

import math
import os
import secrets
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

PATIENCE = 10
"""Seconds that a process has to end, once it says nothing more."""

Configuration = dict[str, str]
"""The values of parameters by name."""


class Run(NamedTuple):
    """A run that a configurator wants. instance: its number, from 0."""

    instance: int
    seed: int
    configuration: Configuration


Answer = Callable[[Sequence[Run]], Sequence[float]]
"""The costs of runs: lower is better."""


def configured(
    name: str, command: Sequence[str], folder: Path, answer: Answer, settings: Mapping[str, str] | None = None
) -> list[Configuration]:
    """What a configurator ends with, the best first.

    name: of the configurator. command: starts it, in `folder`, where it may leave files; the port to connect to is
    added. settings: of its environment. What `answer` raises ends it. Raises ValueError with its last words if it ends
    by itself.
    """
    with _talking(name, command, folder, settings or {}) as (said, heard):
        while True:
            what, count = _line(said).split()
            lines = [_values(_line(said)) for _ in range(int(count))]
            if what == "elites":
                return [values for _, values in lines]
            costs = answer([Run(*_numbers(first), values) for first, values in lines])
            heard.write(" ".join("Inf" if cost == math.inf else repr(float(cost)) for cost in costs) + "\n")
            heard.flush()


class _SilenceError(Exception):
    """The process says nothing more."""


def _line(said: IO[str]) -> str:
    """The next line that the process says."""
    line = said.readline()
    if not line.endswith("\n"):
        raise _SilenceError
    return line[:-1]


def _values(line: str) -> tuple[str, Configuration]:
    """What a line says first, and the values of parameters in it."""
    first, *values = line.split("\t")
    return first, {name: value for name, _, value in (each.partition("=") for each in values)}


def _numbers(text: str) -> tuple[int, int]:
    """The number of an instance, and a seed."""
    instance, seed = text.split()
    return int(instance), int(seed)


@contextmanager
def _talking(
    name: str, command: Sequence[str], folder: Path, settings: Mapping[str, str]
) -> Iterator[tuple[IO[str], IO[str]]]:
    """A process that has begun, to read from and to write to. It ends with the context."""
    word, errors = secrets.token_hex(16), folder / "errors.txt"
    environment = {**os.environ, **settings, "METASMITH_WORD": word, "TMPDIR": str(folder)}
    with errors.open("wb") as file, socket.create_server(("127.0.0.1", 0)) as server:
        process = subprocess.Popen(
            [*command, str(server.getsockname()[1])], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=file, start_new_session=True,
        )  # fmt: skip
        try:
            with _connected(server, process, word) as connection:
                server.close()
                with connection.makefile("r", newline="\n") as said, connection.makefile("w", newline="\n") as heard:
                    yield said, heard
        except (_SilenceError, ConnectionError):
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            raise ValueError(f"{name} ended: {_last_words(errors, process.returncode)}") from None
        finally:
            process.kill()
            process.wait()


def _connected(server: socket.socket, process: subprocess.Popen[bytes], word: str) -> socket.socket:
    """The connection of the one that knows the word."""
    server.settimeout(0.1)
    while process.poll() is None:
        with suppress(TimeoutError, ConnectionError):
            connection, _ = server.accept()
            connection.settimeout(PATIENCE)
            if connection.recv(len(word) + 1, socket.MSG_WAITALL) == f"{word}\n".encode():
                connection.settimeout(None)
                return connection
            connection.close()
    raise _SilenceError


def _last_words(errors: Path, code: int | None) -> str:
    """The end of what a process wrote to its standard error, in one line."""
    lines = [line.strip() for line in errors.read_text(errors="replace").split("\n")]
    words = [line for line in lines if line and line != "Execution halted"]
    return " ".join(words[-2:]) or f"exit code {code}"
