"""The kernels of this room: plain Python, compiled and kept on disk as the engine's are, by one thread at a time."""

from collections.abc import Callable

from metasmith.engine.compile import COMPILING, compiled

Kernel = Callable[..., None]


def kernel(function: Kernel) -> Kernel:
    """`function` as machine code; without numba's compiler, as it is."""
    with COMPILING:
        return compiled(function)
