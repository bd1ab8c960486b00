"""Calls of compiled kernels by their address, so that one compiled loop serves every component and every problem.

numba can pass functions as arguments, but takes milliseconds to look at two dozen of them each time a run starts;
addresses are numbers. In plain Python a kernel is just called. The address must be of a function compiled for exactly
the types of the arguments.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from metasmith.arrays import Tables


def call(kernel: Any, *args: Any) -> None:
    """Call a kernel that returns nothing."""
    kernel(*args)


def call_float(kernel: Any, *args: Any) -> float:
    """Call a kernel that returns a float; if it raises, so does this."""
    return float(kernel(*args))


def call_quietly(kernel: Any, *args: Any) -> float:
    """Call a kernel that returns a float; NaN if it raises."""
    try:
        return float(kernel(*args))
    except Exception:
        return float("nan")


def call_back(function: Any) -> None:
    """Call a Python function without arguments, through its C address."""
    function()


def table_of_addresses(addresses: Sequence[Any], reals: Sequence[float] = ()) -> Tables:
    """Tables whose numbers are addresses to call; without compiled code, the functions themselves."""
    plain = any(callable(each) for each in addresses)
    numbers = np.array(addresses, object if plain else np.int64)
    return Tables(numbers, np.array(reals, np.float64), np.empty((0, 0), np.uint64))


def address(function: Any) -> Any:
    """Where the code of a function that was compiled for one signature is, as long as it lives; a plain function is its
    own address.
    """
    if not hasattr(function, "overloads"):
        return function
    (result,) = function.overloads.values()
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


def _intrinsic(returns: Any, quiet: bool) -> Any:
    @intrinsic
    def at_address(typingctx: Any, kernel: Any, args: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            convention = context.call_conv
            kinds = [types.unliteral(kind) for kind in args.types]
            function = builder.inttoptr(values[0], convention.get_function_type(returns, kinds).as_pointer())
            status, result = convention.call_function(
                builder, function, returns, kinds, cgutils.unpack_tuple(builder, values[1])
            )
            if quiet:
                return builder.select(status.is_error, result.type(float("nan")), result)
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return context.get_dummy_value() if returns is types.none else result

        return returns(types.int64, args), emit

    return at_address


_call = _intrinsic(types.none, quiet=False)
_call_float = _intrinsic(types.float64, quiet=False)
_call_quietly = _intrinsic(types.float64, quiet=True)


@intrinsic
def _call_c(typingctx: Any, function: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [])
        builder.call(builder.inttoptr(values[0], kind.as_pointer()), [])
        return context.get_dummy_value()

    return types.none(types.int64), emit


@overload(call_back)
def _compiled_call_back(function: Any) -> Any:
    def compiled(function: Any) -> Any:
        _call_c(function)

    return compiled


@overload(call)
def _compiled_call(kernel: Any, *args: Any) -> Any:
    def compiled(kernel: Any, *args: Any) -> Any:
        _call(kernel, args)

    return compiled


@overload(call_float)
def _compiled_call_float(kernel: Any, *args: Any) -> Any:
    def compiled(kernel: Any, *args: Any) -> Any:
        return _call_float(kernel, args)

    return compiled


@overload(call_quietly)
def _compiled_call_quietly(kernel: Any, *args: Any) -> Any:
    def compiled(kernel: Any, *args: Any) -> Any:
        return _call_quietly(kernel, args)

    return compiled
