"""When, with which sources and packages, and on what machine something is made."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from metasmith.version import VERSION, commit

NAMED = ("numpy", "numba", "torch", "ioh")
"""The packages of others whose versions are recorded."""


def circumstances() -> dict[str, Any]:
    """The day, the commit, the versions of packages and the kind of machine, by name."""
    return {
        "day": f"{datetime.now(UTC):%Y-%m-%d}",
        "commit": commit(),
        "packages": {"metasmith": VERSION} | {name: number for name in NAMED if (number := _version(name))},
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
