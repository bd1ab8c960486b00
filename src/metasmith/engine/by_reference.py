"""Several arrays by reference: a compiled kernel gets one pointer instead of the dozens of numbers that describe them.

Kernels are called for every child or every generation, and copying the descriptions of three arrays took as long as
counting the ones of 625 bits. What a kernel does not use costs nothing. In plain Python it is just the named tuple.
"""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model

from metasmith.arrays import Indices, Tables
from metasmith.components.roles import Others

INDICES = types.Array(types.int64, 1, "C")
FLOATS = types.Array(types.float64, 1, "C")


class ArraysReference(types.Type):  # type: ignore[misc]
    """The type of a pointer to descriptions of arrays. arrays: their types by name, in the order of the named tuple."""

    def __init__(self, name: str, arrays: dict[str, Any]) -> None:
        self.arrays = arrays
        super().__init__(f"Reference({name})")


TABLES = ArraysReference("Tables", {"numbers": INDICES, "reals": FLOATS, "words": types.Array(types.uint64, 2, "C")})
OTHERS = ArraysReference("Others", {"parents": INDICES, "population": INDICES, "fitness": FLOATS})


class Reference:
    """Holds on to arrays and to the memory that a pointer to them points to: each array as numba describes it.

    pointer: what to hand to a kernel, valid as long as this lives; in plain Python the named tuple itself.
    """

    def __init__(self, arrays: Tables) -> None:
        self._arrays = arrays
        self._memory = np.zeros(described_by(TABLES), np.int64)
        self.pointer = refer(arrays, self._memory)


def refer(arrays: Tables | Others, memory: Indices) -> Any:
    """A pointer to descriptions of the arrays, written to `memory`; in plain Python the named tuple itself."""
    if numba.config.DISABLE_JIT:
        return arrays
    rows = [(0, 0, each.size, each.itemsize, each.ctypes.data, *each.shape, *each.strides) for each in arrays]
    memory[:] = [number for row in rows for number in row]
    return memory.ctypes.data


def described_by(kind: ArraysReference) -> int:
    """How many numbers describe the arrays of a reference."""
    return sum(5 + 2 * array.ndim for array in kind.arrays.values())


@register_model(ArraysReference)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(64))


@infer_getattr
class _Attributes(AttributeTemplate):  # type: ignore[misc]
    key = ArraysReference

    def generic_resolve(self, kind: Any, name: str) -> Any:
        return kind.arrays.get(name)


@lower_getattr_generic(ArraysReference)
def _array(context: Any, builder: Any, kind: Any, pointer: Any, name: str) -> Any:
    """Read the description of one array from memory."""
    names = list(kind.arrays)
    start = sum(8 * (5 + 2 * kind.arrays[other].ndim) for other in names[: names.index(name)])
    place = builder.add(pointer, ir.IntType(64)(start))
    array = builder.load(builder.inttoptr(place, context.get_data_type(kind.arrays[name]).as_pointer()))
    # Nobody writes to the descriptions, so once read they need not be read again.
    array.set_metadata("invariant.load", builder.module.add_metadata([]))
    return array
