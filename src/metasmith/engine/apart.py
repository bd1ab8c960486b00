"""Arrays of one run, apart from those of others.

Cores share memory in lines of 64 bytes, and numpy hands out small arrays side by side. Two threads that write to one
line slow each other down to half their speed, so each run takes its arrays from a block of its own.
"""

from math import prod
from typing import Any

import numpy as np

LINE = 64


def apart(**wanted: tuple[tuple[int, ...], Any]) -> dict[str, Any]:
    """Arrays of zeros by name, each (shape, dtype), from one block of memory, each beginning on a line of its own."""
    sizes = {name: -(-prod(shape) * np.dtype(kind).itemsize // LINE) * LINE for name, (shape, kind) in wanted.items()}
    block = np.zeros(sum(sizes.values()) + 2 * LINE, np.uint8)
    start = -block.ctypes.data % LINE
    arrays = {}
    for name, (shape, kind) in wanted.items():
        arrays[name] = np.ndarray(shape, kind, block.data, start)
        start += sizes[name]
    return arrays
