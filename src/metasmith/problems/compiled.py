"""Built-in objectives on many vectors at once: the one place in this room where numba compiles."""

from functools import cache
from typing import Any

import numpy as np
from numba import njit

from metasmith.arrays import Floats, Solutions, Tables, Words


def evaluate_all(kernel: Any, rows: Solutions, tables: Tables, work: Words) -> Floats:
    """The kernel's value of each row; rows: (solutions, width)."""
    values = np.empty(len(rows))
    _loop(compiled(kernel), rows, tables, work, values)
    return values


@cache
def compiled(kernel: Any) -> Any:
    """The kernel compiled without numba's counting of references, as the engine does: it takes longer than most
    kernels.
    """
    return njit(nogil=True, _nrt=False)(kernel)


@njit(nogil=True)
def _loop(kernel: Any, rows: Solutions, tables: Tables, work: Words, values: Floats) -> None:
    for i in range(len(rows)):
        values[i] = kernel(rows[i], tables, work)
