"""What a user's function may use: the time of one call, and memory."""

import math
import os
import re
from dataclasses import dataclass
from typing import Self

UNITS = {"": 1, "B": 1}
UNITS |= {f"{letter}B": 1000**power for power, letter in enumerate("KMGT", start=1)}
UNITS |= {f"{letter}IB": 1024**power for power, letter in enumerate("KMGT", start=1)}

LEAST = 10**7
"""Bytes; with fewer, not even an array could be made."""


@dataclass(frozen=True)
class Limits:
    """Limits of a function that is called in a process of its own; None: none.

    seconds: of one call. memory: bytes that the process may use beyond what it starts with.
    """

    seconds: float | None = None
    memory: int | None = None

    @classmethod
    def of(cls, seconds: float | None, memory: int | str | None, isolate: bool) -> Self | None:
        """The limits as a user writes them; None if the function is not isolated, and so has none."""
        if not isolate:
            if seconds is not None or memory is not None:
                raise ValueError("limits of seconds and memory need a process of their own; leave out isolate=False")
            return None
        if not hasattr(os, "fork") and (seconds is not None or memory is not None):
            raise ValueError("limits of seconds and memory cannot be kept on this system; leave them out")
        if seconds is not None and not (isinstance(seconds, int | float) and 0 < seconds < math.inf):
            raise ValueError(f"seconds is the time of one call, a number above 0, got {seconds!r}")
        return cls(None if seconds is None else float(seconds), None if memory is None else _bytes(memory))


def _bytes(memory: int | str) -> int:
    parts = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-zA-Z]*)", str(memory).strip())
    if parts is None or isinstance(memory, bool) or parts[2].upper() not in UNITS:
        raise ValueError(f"memory is a number of bytes, or such as '500 MB' or '2 GB', got {memory!r}")
    size = round(float(parts[1]) * UNITS[parts[2].upper()])
    if size < LEAST:
        raise ValueError(f"memory must be at least {LEAST // 10**6} MB, got {memory!r}")
    return size
