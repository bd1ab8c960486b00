"""Tables by reference: a compiled objective gets one pointer instead of the two dozen numbers that describe three
arrays.

Objectives are called for every child, and copying the descriptions took as long as counting the ones of 625 bits. In
plain Python, tables are just the tuple they are.
"""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model

from metasmith.arrays import Tables

ARRAYS = {
    "numbers": types.Array(types.int64, 1, "C"),
    "reals": types.Array(types.float64, 1, "C"),
    "words": types.Array(types.uint64, 2, "C"),
}
"""What tables hold, in this order."""


class Reference:
    """Holds on to tables and to the memory that a pointer to them points to: each array as numba describes it.

    given: what to give to an objective, the pointer, or in plain Python the tables.
    """

    def __init__(self, tables: Tables) -> None:
        rows = [(0, 0, array.size, array.itemsize, array.ctypes.data, *array.shape, *array.strides) for array in tables]
        self._tables = tables
        self._memory = np.array([number for row in rows for number in row], np.int64)
        self.given: Any = tables if numba.config.DISABLE_JIT else self._memory.ctypes.data


class TablesReference(types.Type):  # type: ignore[misc]
    """The type of a pointer to descriptions of tables."""

    def __init__(self) -> None:
        super().__init__("TablesReference")


REFERENCE = TablesReference()


@register_model(TablesReference)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(64))


@infer_getattr
class _Attributes(AttributeTemplate):  # type: ignore[misc]
    key = TablesReference

    def generic_resolve(self, kind: Any, name: str) -> Any:
        return ARRAYS.get(name)


@lower_getattr_generic(TablesReference)
def _array(context: Any, builder: Any, kind: Any, pointer: Any, name: str) -> Any:
    """Read the description of one array from memory."""
    before = list(ARRAYS)[: list(ARRAYS).index(name)]
    start = sum(8 * (5 + 2 * ARRAYS[other].ndim) for other in before)
    place = builder.add(pointer, ir.IntType(64)(start))
    array = builder.load(builder.inttoptr(place, context.get_data_type(ARRAYS[name]).as_pointer()))
    array.set_metadata(
        "invariant.load", builder.module.add_metadata([])
    )  # nobody writes to it, so once read it need not be read again
    return array
