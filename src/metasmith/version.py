"""The version, the commit and a digest of what decides results, for those who say how something was made."""

import subprocess
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from metasmith.discovery import sources_of_others

VERSION = "0.2.0"
UNKNOWN = "unknown"

DECIDING = (
    "arrays.py", "chance.py", "components", "designers", "engine", "landscapes", "measuring", "problems", "program",
    "representations", "runs", "space", "words.py",
)  # fmt: skip
"""The sources, with the data beside them, that decide what comes out of a design."""

GROUPS = tuple(f"metasmith.{part}" for part in ("algorithms", "components", "designers", "problems", "representations"))
"""Entry points by which sources of other packages decide it too."""

PACKAGES = ("numba", "numpy", "torch")
"""The packages that everything rests on."""


@lru_cache
def commit() -> str:
    """The commit of the sources, marked if they were changed since; unknown where they are not in a repository of their
    own.
    """
    try:
        _git("ls-files", "--error-unmatch", "version.py")  # a user's repository may have us in a folder that it ignores
        changed = _git("status", "--porcelain", ".")  # of the package alone: pages of an experiment change no other
        return _git("describe", "--always", "--exclude=*") + ("-dirty" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN


@lru_cache
def digest() -> str:
    """A digest of all that decides results: the same digest, the same design from the same spec on like machines."""
    home, hashed = Path(__file__).parent, blake2b(digest_size=8)
    for part in DECIDING:
        files = [home / part] if part.endswith(".py") else sorted((home / part).rglob("*"))
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                hashed.update(f"{file.relative_to(home).as_posix()}\n".encode() + file.read_bytes())
    for source in sources_of_others(*GROUPS, pattern="*"):
        if source.is_file() and "__pycache__" not in source.parts:
            hashed.update(f"{source.name}\n".encode() + source.read_bytes())
    for package in PACKAGES:
        hashed.update(f"{package} {_version(package)}\n".encode())
    return hashed.hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)  # from its metadata: to import it would take seconds
    except PackageNotFoundError:
        return UNKNOWN


def _git(*words: str) -> str:
    package = Path(__file__).parent
    return subprocess.run(["git", *words], cwd=package, capture_output=True, text=True, check=True).stdout.strip()
