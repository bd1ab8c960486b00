"""Files that are there whole or not at all, and pages that can be written once the work is done."""

from pathlib import Path


def replace(path: Path, data: bytes) -> None:
    """Write `data` to a file atomically: whoever reads it, even after a crash, sees the old content or the new."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(data)
    part.replace(path)


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
