"""What a process computes with, so that those whose results may differ in their last bits are told apart."""

import math
import platform
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import version

import numpy as np

from metasmith.version import digest

Fingerprint = dict[str, str]
"""By what is compared, in words: versions, and digests of sources and of what arithmetic gives."""

POINTS = np.linspace(0.01, 20.0, 1_000)
PACKAGES = ("numpy", "numba", "llvmlite")


@lru_cache
def fingerprint() -> Fingerprint:
    """That of this process. Like processes give the same bits for the same run."""
    return {
        "metasmith's sources": digest(),
        "Python": ".".join(platform.python_version_tuple()[:2]),
        **{package: version(package) for package in PACKAGES},
        "arithmetic of the C library": _digest(
            [f(x) for f in (math.exp, math.log, math.sin, lambda x: math.pow(x, 1.7)) for x in POINTS.tolist()]
        ),
        "arithmetic of numpy": _digest([f(POINTS) for f in (np.exp, np.log, np.sin, lambda x: np.power(x, 1.7))]),
    }


def differences(theirs: Fingerprint, ours: Fingerprint) -> str:
    """In which points two fingerprints differ, in words."""
    names = dict.fromkeys([*ours, *theirs])
    return ", ".join(
        f"{name} ({theirs.get(name, 'unknown')} there, {ours.get(name, 'unknown')} here)"
        for name in names
        if theirs.get(name) != ours.get(name)
    )


def _digest(values: object) -> str:
    return blake2b(np.array(values, dtype=np.float64).tobytes(), digest_size=8).hexdigest()
