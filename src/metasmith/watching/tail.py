"""A run as its folder grows, read by however many look at it, and read again only when a file has changed."""

import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

from metasmith.runs.busy import is_busy
from metasmith.runs.folder import Folder
from metasmith.watching.state import state_of, waiting

POLL = 0.5
"""Seconds between two looks at the files."""

SHARE = 0.05
"""Of the time, at most, that goes into reading a long history again and again."""


HISTORY = "history.jsonl"


class Look(NamedTuple):
    """A state and its number, which rises whenever the state has changed."""

    number: int
    state: dict[str, Any]


class Tail:
    """The state of a run, for several threads."""

    def __init__(self, run: Path | str) -> None:
        self.folder = Folder(Path(run).absolute())  # whoever changes the working folder does not change what is watched
        self._mutex = threading.Lock()
        self._seen: object = None
        self._next = 0.0
        self._look = Look(0, waiting(self.folder.path))

    def look(self, *, last: bool = False) -> Look:
        """Where the run stands; as it was a moment ago, if that is less work. last: in any case as it is now."""
        with self._mutex:
            if time.monotonic() >= self._next or last:
                begun = time.monotonic()
                seen = *map(_version, self._files()), is_busy(self.folder)
                if seen != self._seen:
                    self._look, self._seen = Look(self._look.number + 1, self._read()), seen
                now = time.monotonic()
                self._next = now + max(POLL, (now - begun) / SHARE)
            return self._look

    def age(self) -> float | None:
        """Seconds since the last step was written down."""
        version = _version(self.folder.path / HISTORY)
        return None if version is None else max(0.0, time.time() - version[-1] / 1e9)

    def _files(self) -> list[Path]:
        return [self.folder.path / name for name in ("design.toml", HISTORY, "design.json")]

    def _read(self) -> dict[str, Any]:
        """The state; whatever is wrong with the files is said instead of ending the page."""
        if not self.folder.exists and self._look.state["state"] == "waiting":
            return self._look.state
        try:
            return state_of(self.folder)
        except (ValueError, OSError) as error:
            return {"run": str(self.folder.path), "state": "unreadable", "error": str(error)}


def _version(file: Path) -> tuple[int, int, int] | None:
    """Another value whenever a file has changed; the last number is when, in nanoseconds."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns
