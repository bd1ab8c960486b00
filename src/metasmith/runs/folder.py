"""The folder of a run: its spec, its history, a checkpoint, the design. Whoever is killed goes on from there.

design.toml              the spec, and in its first line a checksum of the others
history.jsonl            one line a step: the references, every batch, every round of the final race
writer.safetensors       what the writer knew before, if it began from a writer file
checkpoint-12.*          the designer after batch 12 (safetensors and JSON); the last two are kept
design.json, design.txt  the design
lock                     held by the process at work

Every line of the history has a checksum of itself and of the one before, the first step and every checkpoint have that
of the spec, and `design.json` has its own: what was damaged, exchanged or mixed with another run does not count.
"""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import chain, count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from metasmith.designers.ppo.writer_file import WriterFile
from metasmith.files import append, locked, replace
from metasmith.runs import checkpoint
from metasmith.runs.checkpoint import Checkpoint, Damaged
from metasmith.runs.checksums import checksum, opened, sealed
from metasmith.runs.spec import Spec
from metasmith.runs.unchecked import read_design, read_step

NEEDED = {"task", "evaluations", "seed", "representation", "program", "pseudocode", "score", "ledger"}
"""What a design says at least."""

EARLIER = "asked.toml"
"""The spec of a run of version 0.1, which later versions cannot go on with."""

CHECKED = re.compile(rb"# checksum ([0-9a-f]{32}) of what follows[^\n]*\n(.*)", re.DOTALL)
"""A spec with its checksum."""

Warn = Callable[[str], None]


def say(message: str) -> None:
    """Warn on standard error."""
    print(f"metasmith: {message}", file=sys.stderr)


say_once = cache(say)


class Folder:
    """The files of one run. typed: the path as the user gave it, for messages; the user's code may change folder."""

    def __init__(self, path: Path | str) -> None:
        self.typed = Path(path)
        self.path = self.typed.absolute()
        self._last = ""
        """The checksum of the last line of the history; a run that goes on rewinds its history first."""
        self._claim: tuple[int, int] | None = None
        """The process that claimed the folder, and its descriptor of the lock."""

    def create(self, spec: Spec, memory: WriterFile | None = None) -> None:
        """Begin a run here. Raises ValueError if the folder holds anything."""
        self._make()
        text = spec.toml().encode()
        try:
            if memory is not None:
                memory.save(self._writer)
            head = f"# checksum {checksum(text)} of what follows; a changed file is not gone on with\n"
            replace(self._spec, head.encode() + text)
        except OSError as error:
            raise ValueError(f"cannot write a run to '{self.typed}': {error.strerror}") from error

    def _make(self) -> None:
        """Make the folder. Raises ValueError if it cannot be, or if it holds anything."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"cannot write a run to '{self.typed}': {error.strerror}") from error
        self.check_free()

    def check_free(self) -> None:
        """Raise ValueError if the folder is there and holds anything."""
        # a process that died at once may have left these
        begun = (self._writer.name, f"{self._writer.name}.part", f"{self._spec.name}.part", self._lock.name)
        try:
            empty = not self.path.exists() or all(file.name in begun for file in self.path.iterdir())
        except OSError as error:
            raise ValueError(f"cannot write a run to '{self.typed}': {error.strerror}") from error
        if not empty:
            again = f"; 'metasmith resume {self.typed}' goes on with the run in it" if self.exists else ""
            raise ValueError(f"'{self.typed}' is not empty{again}; choose another folder")

    @property
    def exists(self) -> bool:
        """Whether a run was begun here."""
        return self._spec.is_file()

    @property
    def checksum(self) -> str | None:
        """That of the spec, which tells this run from others; None in a run of an earlier version."""
        match = CHECKED.fullmatch(self._spec.read_bytes()) if self.exists else None
        return match and match[1].decode()

    def spec(self) -> Spec:
        """What was asked. Raises ValueError if this is not the folder of a run, or the spec is damaged."""
        shown = self.typed / self._spec.name
        try:
            data = self._spec.read_bytes()
        except OSError:
            if (self.path / EARLIER).is_file():
                raise ValueError(
                    f"the run in '{self.typed}' is of an earlier version of metasmith; design anew, or use that version"
                ) from None
            raise ValueError(f"'{self.typed}' is not the folder of a run: it has no {self._spec.name}") from None
        if match := CHECKED.fullmatch(data):
            if checksum(match[2]) != match[1].decode():
                raise ValueError(f"'{shown}' is damaged, or was changed: put the right file there, or design anew")
            data = match[2]
        else:
            say_once(
                f"'{shown}' has no checksum, as in earlier versions of metasmith: the files beside it are believed"
            )
        try:
            return Spec.parse(data.decode())
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"'{shown}' cannot be understood: {error}") from error

    def check_resumable(self) -> None:
        """Raise ValueError if the files of the run have no checksums."""
        if self.checksum is None:
            raise ValueError(
                f"'{self.typed / self._spec.name}' has no checksum, so the run cannot go on: an earlier version of "
                "metasmith began it, or the file is damaged; design anew"
            )

    def memory(self) -> WriterFile | None:
        """What the writer knew before, if it began from a writer file."""
        spec = self.spec()
        if not spec.writer:
            return None
        memory = WriterFile.load(self._writer)
        if memory.digest != spec.writer.rpartition(" ")[2]:
            raise ValueError(
                f"'{self.typed / self._writer.name}' is not the writer that the run began from; "
                "put that one there, or design anew"
            )
        return memory

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep other processes from working on the run, for as long as we live. In a new folder, claim, then create.

        Raises ValueError if another process is at work, or if the folder holds anything that is not a run.
        """
        if not self.exists:
            self._make()
        with locked(self._lock, f"another process is at work on the run in '{self.typed}'") as lock:
            self._claim = os.getpid(), lock
            try:
                yield
            finally:
                self._claim = None

    def _check_claim(self) -> None:
        """Raise ValueError if whoever writes now is not the one who claimed the folder."""
        if self._claim is None:
            return
        owner, lock = self._claim
        if owner != os.getpid():
            raise ValueError(f"a process that forked from the one at work on '{self.typed}' cannot go on with the run")
        try:
            same = os.path.samestat(os.fstat(lock), self._lock.stat())
        except OSError:
            same = False
        if not same:
            raise ValueError(f"'{self.typed}' was removed, moved or replaced while a process was at work on its run")

    def append(self, step: dict[str, Any]) -> None:
        """Write down a step."""
        self._check_claim()
        line, last = sealed(step, self._last)
        append(self._history, line + b"\n")
        self._last = last

    def history(self, warn: Warn = say) -> list[dict[str, Any]]:
        """The steps so far, up to the first that is not as it was written, which is told.

        A last line without an end is not: whoever wrote it was killed.
        """
        if not self._history.is_file():
            return []
        steps, last, checked = [], "", self.checksum is not None
        for number, line in enumerate(self._history.read_bytes().split(b"\n")[:-1], start=1):
            try:
                step, last = opened(line, last) if checked else (read_step(line), "")
            except ValueError:
                file = self.typed / self._history.name
                warn(f"'{file}' is damaged in line {number}: neither that line nor what follows counts")
                break
            steps.append(step)
        return steps

    def rewind(self, steps: list[dict[str, Any]]) -> None:
        """Make these the steps so far."""
        self._check_claim()
        lines, self._last = [], ""
        for step in steps:
            line, self._last = sealed(step, self._last)
            lines.append(line + b"\n")
        replace(self._history, b"".join(lines))

    def keep(self, checkpointed: Checkpoint) -> None:
        """Save a checkpoint."""
        self._check_claim()
        checkpoint.keep(self.path, checkpointed, self.checksum or "")

    def checkpoints(self) -> Iterator[Checkpoint | Damaged]:
        """The checkpoints, the newest first."""
        return checkpoint.checkpoints(self.path, self.checksum or "")

    def finish(self, design: dict[str, Any]) -> None:
        """Save the design: as text for people, and with all that is recorded of it."""
        self._check_claim()
        replace(self.path / "design.txt", (design["program"] + "\n").encode())
        replace(self._design, sealed(design, indent=1)[0] + b"\n")

    def design(self) -> dict[str, Any] | None:
        """The design, if there is one that is whole."""
        try:
            data = self._design.read_bytes()
            record = opened(data)[0] if self.checksum is not None else read_design(data)
        except (OSError, ValueError):
            return None
        return record if record.keys() >= NEEDED else None

    def no_design(self) -> str:
        """Why there is no design, and what to do."""
        if not self.exists:
            return f"there is no design in '{self.typed}': it is not the folder of a run"
        if self._design.exists():
            file = self.typed / self._design.name
            return f"'{file}' is damaged; 'metasmith resume {self.typed}' makes it again from the history"
        ways = f"'metasmith resume {self.typed}' goes on, 'metasmith finish {self.typed}' ends it"
        unfinished = f"the run in it is not finished; {ways}"
        return f"there is no design in '{self.typed}': {unfinished}"

    @property
    def damaged(self) -> bool:
        """Whether there is a design, but not as it was written."""
        return self._design.exists() and self.design() is None

    @property
    def _spec(self) -> Path:
        return self.path / "design.toml"

    @property
    def _writer(self) -> Path:
        return self.path / "writer.safetensors"

    @property
    def _history(self) -> Path:
        return self.path / "history.jsonl"

    @property
    def _design(self) -> Path:
        return self.path / "design.json"

    @property
    def _lock(self) -> Path:
        return self.path / "lock"


def runs_of(writer: Path) -> Path:
    """Where the runs are that taught the writer in a file."""
    return writer.with_name(f"{writer.name}.runs")


def short(task: str) -> str:
    """A task's name as part of a file's name."""
    return re.sub(r"[^\w.]+", "-", Path(task).name if ".py" in task else task)


def free_folder(task: str, seed: int) -> Path:
    """A folder for a run, below `runs`, that is not there yet."""
    name = f"{short(task)}-{seed}"
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(path for path in map(Path("runs").joinpath, names) if not path.exists())


@contextmanager
def passing_folder(task: str, seed: int) -> Iterator[Folder | None]:
    """A folder for a run that was given none, among the temporary files: removed when all goes well, else named in a
    note on the error, so that nothing is lost. None where no temporary files can be made.
    """
    try:
        path = Path(mkdtemp(prefix=f"metasmith-{short(task)[:60]}-{seed}-"))
    except OSError:
        yield None
        return
    try:
        yield Folder(path)
    except BaseException as error:
        if (path / "history.jsonl").is_file():
            error.add_note(f"what was done until then is kept: ms.resume('{path}', task) goes on, with the task")
        else:
            shutil.rmtree(path, ignore_errors=True)
        raise
    shutil.rmtree(path, ignore_errors=True)
