"""Files that are there whole or not at all, also after a power cut; locks; pages that are written once the work is
done.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # there is none on Windows
    fcntl = None  # type: ignore[assignment]


def replace(path: Path, data: bytes) -> None:
    """Write `data` to a file atomically: whoever reads it, even after a crash, sees the old content or the new."""
    part = path.with_name(f"{path.name}.part")
    with _naming(path):
        try:
            part.write_bytes(data)
            with part.open("rb+") as file:
                os.fsync(file.fileno())  # else a power cut may leave the new name with nothing behind it
            part.replace(path)
        except OSError:
            with suppress(OSError):
                part.unlink()  # on a full disk every byte counts
            raise
    _sync_folder(path.parent)


def append(path: Path, data: bytes) -> None:
    """Write `data` at the end of a file, and return once the disk has it."""
    there = path.exists()
    with _naming(path), path.open("ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if not there:
        _sync_folder(path.parent)


ATTEMPTS, PAUSE = 5, 0.02
"""How often a lock is tried before it counts as another's, and seconds between: `is_busy` holds it for a moment."""


@contextmanager
def locked(path: Path, refusal: str) -> Iterator[int]:
    """Hold a lock, a file that is made and stays, for as long as we live. Raises ValueError if another process has it.

    Yields the descriptor of the file. The lock is shared with processes that fork from this one.
    """
    with _naming(path):
        file = path.open("ab")
    with file:
        if fcntl is not None:
            for attempt in range(ATTEMPTS):
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if attempt == ATTEMPTS - 1:
                        raise ValueError(refusal) from None
                    time.sleep(PAUSE)
        yield file.fileno()


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Have errors name the file: those of a write that does not fit on the disk name none."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _sync_folder(path: Path) -> None:
    """Have the disk know the names in a folder, where folders can be opened."""
    with suppress(OSError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def save(path: Path, text: str) -> None:
    """Write a page whole or not at all, in a new folder if need be."""
    make_room(path)
    overwrite(path, text.encode())


def overwrite(path: Path, data: bytes) -> None:
    """Write what a user asked for, whole or not at all; to what is no file, such as /dev/stdout, as it comes."""
    if path.exists() and not path.is_file():
        path.write_bytes(data)
    else:
        replace(path.resolve(), data)  # a link stays one


def make_room(path: Path, mark: bytes = b"") -> None:
    """Make sure that a file can be written, before the work that fills it; what is there stays.

    mark: what is in every such file of ours. Raises ValueError if a file is there without it, which is somebody else's.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        there = path.exists()
        path.open("a").close()
        if not there:
            path.unlink()  # nobody should see an empty page if the work is stopped
        content = path.read_bytes() if mark and path.is_file() else b""
    except OSError as error:
        raise ValueError(f"cannot write '{path}': {error.strerror}; choose another place") from error
    if content and mark not in content:
        raise ValueError(f"'{path}' is there already, and metasmith did not write it; choose another name")
