"""The folder of a run: its spec, its history, a checkpoint, the design. Whoever is killed goes on from there.

design.toml              the spec
history.jsonl            one line a step: the references, every batch, every round of the final race
writer.safetensors       what the writer knew before, if it began from a writer file
checkpoint-12.*          the designer after batch 12 (safetensors and JSON); the last two are kept
design.json, design.txt  the design
"""

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # there is none on Windows
    fcntl = None  # type: ignore[assignment]

from metasmith.designers.ppo.writer_file import WriterFile
from metasmith.files import replace
from metasmith.runs.spec import Spec

NEEDED = {"task", "evaluations", "seed", "representation", "program", "pseudocode", "score", "ledger"}
"""What a design says at least."""

ATTEMPTS, PAUSE = 5, 0.02
"""How often a run is claimed before it counts as another's, and seconds between: `is_busy` holds the lock a moment."""

EARLIER = "asked.toml"
"""The spec of a run of version 0.1, which later versions cannot go on with."""


class Folder:
    """The files of one run."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def create(self, spec: Spec, memory: WriterFile | None = None) -> None:
        """Begin a run here. Raises ValueError if the folder holds anything."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            # a process that died at once may have left these
            begun = (self._writer.name, f"{self._writer.name}.part", f"{self._spec.name}.part")
            if any(file.name not in begun for file in self.path.iterdir()):
                again = f"; 'metasmith resume {self.path}' goes on with the run in it" if self._spec.is_file() else ""
                raise ValueError(f"'{self.path}' is not empty{again}; choose another folder")
            if memory is not None:
                memory.save(self._writer)
            replace(self._spec, spec.toml().encode())
        except OSError as error:
            raise ValueError(f"cannot write a run to '{self.path}': {error.strerror}") from error

    @property
    def exists(self) -> bool:
        """Whether a run was begun here."""
        return self._spec.is_file()

    def spec(self) -> Spec:
        """What was asked. Raises ValueError if this is not the folder of a run."""
        try:
            return Spec.parse(self._spec.read_text(encoding="utf-8"))
        except OSError:
            if (self.path / EARLIER).is_file():
                raise ValueError(
                    f"the run in '{self.path}' is of an earlier version of metasmith; design anew, or use that version"
                ) from None
            raise ValueError(f"'{self.path}' is not the folder of a run: it has no {self._spec.name}") from None
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"'{self._spec}' cannot be understood: {error}") from error

    def memory(self) -> WriterFile | None:
        """What the writer knew before, if it began from a writer file."""
        return WriterFile.load(self._writer) if self.spec().writer else None

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep other processes from going on with the run, for as long as we live.

        Raises ValueError if one already does.
        """
        if fcntl is None:
            yield
            return
        with (self.path / "lock").open("w") as file:
            for attempt in range(ATTEMPTS):
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except OSError:
                    if attempt == ATTEMPTS - 1:
                        raise ValueError(f"another process is at work on the run in '{self.path}'") from None
                    time.sleep(PAUSE)
            yield

    def append(self, step: dict[str, Any]) -> None:
        """Write down a step."""
        with self._history.open("ab") as file:
            file.write(json.dumps(step).encode() + b"\n")

    def history(self) -> list[dict[str, Any]]:
        """The steps so far, up to the first line that is not whole: whoever wrote it was killed."""
        if not self._history.is_file():
            return []
        steps = []
        for text in self._history.read_bytes().split(b"\n")[:-1]:
            try:
                step = json.loads(text)
            except ValueError:
                break
            if not isinstance(step, dict):
                break
            steps.append(step)
        return steps

    def rewind(self, steps: list[dict[str, Any]]) -> None:
        """Make these the steps so far."""
        replace(self._history, b"".join(json.dumps(step).encode() + b"\n" for step in steps))

    def finish(self, design: dict[str, Any]) -> None:
        """Save the design: as text for people and `solve --with`, and with all that is recorded of it."""
        replace(self.path / "design.txt", (design["program"] + "\n").encode())
        replace(self._design, (json.dumps(design, indent=1) + "\n").encode())

    def design(self) -> dict[str, Any] | None:
        """The design, if there is one that is whole."""
        try:
            record = json.loads(self._design.read_bytes())
        except (OSError, ValueError):
            return None
        return record if isinstance(record, dict) and record.keys() >= NEEDED else None

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
