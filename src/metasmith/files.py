"""Files that are there whole or not at all, and pages that can be written once the work is done."""

from pathlib import Path


def replace(path: Path, data: bytes) -> None:
    """Write `data` to a file atomically: whoever reads it, even after a crash, sees the old content or the new."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(data)
    part.replace(path)


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
