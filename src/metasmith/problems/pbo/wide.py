"""The inner loops of LABS on eight words at a time, written out as vector instructions when compiled.

numba would vectorise the plain loops by itself, but the rows are short, and its checks and remainders would take most
of the time. Rows are given by the index of their first word in `work`.
"""

from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from metasmith.arrays import Words
from metasmith.words import ZERO, U

WIDE = 8
"""Words that are processed at a time."""

FIELDS = 0x0F0F0F0F0F0F0F0F
"""The mask of every second field of four bits."""


def add_moved(work: Words, out: int, a: int, b: int, distance: int) -> None:
    """Write to the eight words at `out` those at `a` plus the row at `b` shifted down by `distance` bits, 1 to 63."""
    for w in range(WIDE):
        work[out + w] = work[a + w] + ((work[b + w] >> U(distance)) | (work[b + w + 1] << U(64 - distance)))


def sum_fields(work: Words, even: int, odd: int, starts: int, triples: int, ahead: int) -> None:
    """Add up rows of four-bit fields into bytes: the even fields into the eight words at `even`, the odd ones at `odd`.

    There are 3 * triples rows; the words from `starts` on say where each starts, and it is read `ahead` words further.
    Fields are at most 5, so that the sum of three still fits into four bits before it is added to the bytes.
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


def sum_squares(work: Words, sums: int, sets: int, stride: int, first: int, blocks: int) -> int:
    """The sum of squares of 32 * blocks autocorrelations, each twice its agreements less its pairs.

    The k-th has -first - 2k pairs, none if that is negative. Its agreements are the sum of byte k of the row at `sums`,
    byte k + 2 of the next row, and bytes k + 4 and k + 6 of the two after it, over all sets, eight rows apart.
    """
    octets = work.view(np.uint8)
    total = 0
    for k in range(32 * blocks):
        agreements = 0
        for row in range(sets):
            for i in range(4):
                agreements += int(octets[8 * (sums + (8 * row + i) * stride) + k + 2 * i])
        total += (2 * agreements + min(first + 2 * k, 0)) ** 2
    return total


# The three functions as vector instructions.

VECTOR = ir.VectorType(ir.IntType(64), WIDE)


class Emitter:
    """Emits the instructions that read and write eight words of the array that is a function's first argument."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        self.builder = builder
        self.data = context.make_array(signature.args[0])(context, builder, args[0]).data

    def at(self, start: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(self.data, [start]), VECTOR.as_pointer())

    def load(self, start: Any) -> Any:
        return self.builder.load(self.at(start), align=8)

    def store(self, value: Any, start: Any) -> None:
        self.builder.store(value, self.at(start), align=8)


@intrinsic
def _add_moved(typingctx: Any, work: Any, out: Any, a: Any, b: Any, distance: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, out, a, b, distance = args
        rows = Emitter(context, builder, signature, args)
        down = builder.lshr(rows.load(b), _all_equal(builder, VECTOR, distance))
        up = builder.shl(
            rows.load(builder.add(b, _number(1))), _all_equal(builder, VECTOR, builder.sub(_number(64), distance))
        )
        rows.store(builder.add(rows.load(a), builder.or_(down, up)), out)
        return context.get_dummy_value()

    return types.void(work, *[types.int64] * 4), emit


@intrinsic
def _sum_fields(typingctx: Any, work: Any, even: Any, odd: Any, starts: Any, triples: Any, ahead: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, even, odd, starts, triples, ahead = args
        rows = Emitter(context, builder, signature, args)
        evens, odds = (cgutils.alloca_once_value(builder, ir.Constant(VECTOR, None)) for _ in range(2))
        fields, four = _all_equal(builder, VECTOR, _number(FIELDS)), _all_equal(builder, VECTOR, _number(4))
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


SHORTS = ir.VectorType(ir.IntType(16), 16)
LONGS = ir.VectorType(ir.IntType(64), 4)


@intrinsic
def _sum_squares(typingctx: Any, work: Any, sums: Any, sets: Any, stride: Any, first: Any, blocks: Any) -> Any:
    """Reads 32 bytes as 16 pairs, low and high, because widening them so needs no shuffles, which are slow."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, sums, sets, stride, first, blocks = args
        octets = builder.bitcast(Emitter(context, builder, signature, args).data, ir.IntType(8).as_pointer())
        total = cgutils.alloca_once_value(builder, ir.Constant(LONGS, None))
        halves = [cgutils.alloca_once(builder, SHORTS) for _ in range(2)]
        with cgutils.for_range(builder, blocks) as block:
            k = builder.mul(block.index, _number(32))
            for half in halves:
                builder.store(ir.Constant(SHORTS, None), half)
            with cgutils.for_range(builder, sets) as one:
                row = builder.add(sums, builder.mul(builder.mul(one.index, _number(8)), stride))
                for i in range(4):
                    start = builder.mul(builder.add(row, builder.mul(stride, _number(i))), _number(8))
                    place = builder.gep(octets, [builder.add(builder.add(start, k), _number(2 * i))])
                    pairs = builder.load(builder.bitcast(place, SHORTS.as_pointer()), align=1)
                    low = builder.and_(pairs, ir.Constant(SHORTS, [0x00FF] * 16))
                    high = builder.lshr(pairs, ir.Constant(SHORTS, [8] * 16))
                    for half, addend in zip(halves, (low, high), strict=True):
                        builder.store(builder.add(builder.load(half), addend), half)
            begin = builder.trunc(builder.add(first, builder.add(k, k)), ir.IntType(16))
            for odd, half in enumerate(halves):
                lags = builder.add(
                    _all_equal(builder, SHORTS, begin), ir.Constant(SHORTS, [4 * m + 2 * odd for m in range(16)])
                )
                nothing = ir.Constant(SHORTS, None)
                less = builder.select(builder.icmp_signed("<", lags, nothing), lags, nothing)
                twice = builder.shl(builder.load(half), ir.Constant(SHORTS, [1] * 16))
                squares = _squares_of_pairs(builder, builder.add(twice, less))
                low = builder.and_(squares, ir.Constant(LONGS, [0xFFFFFFFF] * 4))
                high = builder.lshr(squares, ir.Constant(LONGS, [32] * 4))
                builder.store(builder.add(builder.load(total), builder.add(low, high)), total)
        lanes = builder.load(total)
        return reduce(builder.add, [builder.extract_element(lanes, _number(lane)) for lane in range(4)])

    return types.int64(work, *[types.int64] * 5), emit


def _squares_of_pairs(builder: Any, shorts: Any) -> Any:
    """a * a + b * b of every two neighbours, one instruction on most processors: 8 numbers of 32 bits, in 4 of 64."""
    squares = []
    for odd in range(2):
        mask = ir.Constant(ir.VectorType(ir.IntType(32), 8), [2 * m + odd for m in range(8)])
        wide = builder.sext(builder.shuffle_vector(shorts, shorts, mask), ir.VectorType(ir.IntType(32), 8))
        squares.append(builder.mul(wide, wide))
    return builder.bitcast(builder.add(*squares), LONGS)


def _all_equal(builder: Any, vector: Any, number: Any) -> Any:
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), vector.count), None))


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


@overload(sum_squares, inline="always")
def _compiled_sum_squares(work: Any, sums: Any, sets: Any, stride: Any, first: Any, blocks: Any) -> Any:
    def compiled(work: Any, sums: Any, sets: Any, stride: Any, first: Any, blocks: Any) -> Any:
        return _sum_squares(work, sums, sets, stride, first, blocks)

    return compiled
