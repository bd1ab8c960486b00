"""Eight words at a time: the two inner loops of LABS, spelled out as vector instructions when compiled.

numba would turn the plain loops into vector code of its own, but the rows are short, and its checks and remainders then take most of the
time. Rows are named by where they start in `work`.
"""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from metasmith.arrays import Words
from metasmith.words import ZERO, U

WIDE = 8
FIELDS = 0x0F0F0F0F0F0F0F0F
"""Every second field of four bits."""


def add_moved(work: Words, out: int, a: int, b: int, distance: int) -> None:
    """Eight words at `out` become those at `a`, plus those of the row at `b` moved down by `distance` bits, 1 to 63."""
    for w in range(WIDE):
        work[out + w] = work[a + w] + ((work[b + w] >> U(distance)) | (work[b + w + 1] << U(64 - distance)))


def sum_fields(work: Words, even: int, odd: int, starts: int, triples: int, ahead: int) -> None:
    """Add up rows of four-bit fields into bytes: the even fields into the eight words at `even`, the odd ones at `odd`.

    The rows are 3 * triples, they start where the words from `starts` on say, and are read `ahead` words after that. Fields are 0 to 5, so
    that three still fit into four bits, and then go into the bytes.
    """
    for w in range(WIDE):
        evens = odds = ZERO
        for i in range(triples):
            three = ZERO
            for start in work[starts + 3 * i : starts + 3 * i + 3]:
                three += work[int(start) + ahead + w]
            evens += three & U(FIELDS)
            odds += (three >> U(4)) & U(FIELDS)
        work[even + w] = evens
        work[odd + w] = odds


# The compiled form of both.

VECTOR = ir.VectorType(ir.IntType(64), WIDE)


class Emitter:
    """Reads and writes eight words of the array that is a function's first argument."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        self.builder = builder
        self.data = context.make_array(signature.args[0])(context, builder, args[0]).data

    def at(self, start: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(self.data, [start]), VECTOR.as_pointer())

    def load(self, start: Any) -> Any:
        return self.builder.load(self.at(start), align=8)

    def store(self, value: Any, start: Any) -> None:
        self.builder.store(value, self.at(start), align=8)

    def all_equal(self, number: Any) -> Any:
        one = self.builder.insert_element(ir.Constant(VECTOR, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
        return self.builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), WIDE), None))


@intrinsic
def _add_moved(typingctx: Any, work: Any, out: Any, a: Any, b: Any, distance: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, out, a, b, distance = args
        rows = Emitter(context, builder, signature, args)
        down = builder.lshr(rows.load(b), rows.all_equal(distance))
        up = builder.shl(rows.load(builder.add(b, _number(1))), rows.all_equal(builder.sub(_number(64), distance)))
        rows.store(builder.add(rows.load(a), builder.or_(down, up)), out)
        return context.get_dummy_value()

    return types.void(work, *[types.int64] * 4), emit


@intrinsic
def _sum_fields(typingctx: Any, work: Any, even: Any, odd: Any, starts: Any, triples: Any, ahead: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, even, odd, starts, triples, ahead = args
        rows = Emitter(context, builder, signature, args)
        evens, odds = (cgutils.alloca_once_value(builder, ir.Constant(VECTOR, None)) for _ in range(2))
        fields, four = rows.all_equal(_number(FIELDS)), rows.all_equal(_number(4))
        with cgutils.for_range(builder, triples) as loop:
            first = builder.add(starts, builder.mul(loop.index, _number(3)))
            places = [builder.gep(rows.data, [builder.add(first, _number(i))]) for i in range(3)]
            one, two, three = (rows.load(builder.add(builder.load(place), ahead)) for place in places)
            total = builder.add(builder.add(one, two), three)
            builder.store(builder.add(builder.load(evens), builder.and_(total, fields)), evens)
            builder.store(builder.add(builder.load(odds), builder.and_(builder.lshr(total, four), fields)), odds)
        rows.store(builder.load(evens), even)
        rows.store(builder.load(odds), odd)
        return context.get_dummy_value()

    return types.void(work, *[types.int64] * 5), emit


def _number(value: int) -> Any:
    return ir.Constant(ir.IntType(64), value)


@overload(add_moved, inline="always")
def _compiled_add_moved(work: Any, out: Any, a: Any, b: Any, distance: Any) -> Any:
    def compiled(work: Any, out: Any, a: Any, b: Any, distance: Any) -> Any:
        return _add_moved(work, out, a, b, distance)

    return compiled


@overload(sum_fields, inline="always")
def _compiled_sum_fields(work: Any, even: Any, odd: Any, starts: Any, triples: Any, ahead: Any) -> Any:
    def compiled(work: Any, even: Any, odd: Any, starts: Any, triples: Any, ahead: Any) -> Any:
        return _sum_fields(work, even, odd, starts, triples, ahead)

    return compiled
