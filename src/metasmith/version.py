"""The version and the commit, for those who say how something was made."""

import subprocess
from functools import lru_cache
from pathlib import Path

VERSION = "0.2.0"
UNKNOWN = "unknown"


@lru_cache
def commit() -> str:
    """The commit of the sources, marked if they were changed since; unknown where they are not in a repository of their
    own.
    """
    try:
        _git("ls-files", "--error-unmatch", "version.py")  # a user's repository may have us in a folder that it ignores
        changed = _git(
            "status", "--porcelain", "."
        )  # of the package alone: pages that an experiment has written change no other
        return _git("describe", "--always", "--exclude=*") + ("-dirty" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN


def _git(*words: str) -> str:
    package = Path(__file__).parent
    return subprocess.run(["git", *words], cwd=package, capture_output=True, text=True, check=True).stdout.strip()
