"""Writing files atomically."""

from pathlib import Path


def replace(path: Path, data: bytes) -> None:
    """Write `data` to a file atomically: whoever reads it, even after a crash, sees the old content or the new."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(data)
    part.replace(path)
