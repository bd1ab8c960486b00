"""Files that are there whole or not at all, also after a power cut; locks; pages that are written once the work is
done.
"""

import os
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


@contextmanager
def locked(path: Path, refusal: str) -> Iterator[int]:
    """Hold a lock, a file that is made and stays, for as long as we live. Raises ValueError if another process has it.

    Yields the descriptor of the file. The lock is shared with processes that fork from this one.
    """
    with _naming(path):
        file = path.open("ab")
    with file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ValueError(refusal) from None
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
    """Write a page, in a new folder if need be."""
    make_room(path)
    path.write_text(text, encoding="utf-8")


def make_room(path: Path) -> None:
    """Make sure that a page can be written, before the work that fills it; what is there stays."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        there = path.exists()
        path.open("a").close()
        if not there:
            path.unlink()  # nobody should see an empty page if the work is stopped
    except OSError as error:
        raise ValueError(f"cannot write '{path}': {error.strerror}; choose another place") from error
