"""Bits in words: every operation against what it means on a vector, plain and compiled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasmith.engine.compile import compiled
from metasmith.words import (
    ALL,
    count_ones,
    exchange,
    flip,
    hamming,
    has,
    lowest,
    pack,
    popcount,
    running_parity,
    tail_mask,
    unpack,
    unpack_row,
    words_for,
)

words = st.integers(0, 2**64 - 1).map(np.uint64)
vectors = st.integers(1, 300).flatmap(lambda n: st.lists(st.integers(0, 1), min_size=n, max_size=n)).map(np.array)
EDGES = [0, 1, 2, 2**63, 2**64 - 1, 2**63 - 1, 0x5555555555555555]


def as_row(vector: np.ndarray) -> np.ndarray:
    return pack(vector[None])[0]


@given(vectors)
def test_packing_and_back(vector):
    row = as_row(vector)
    assert len(row) == words_for(len(vector))
    assert row.dtype == np.uint64
    np.testing.assert_array_equal(unpack(row[None], len(vector))[0], vector)
    assert sum(int(word) << 64 * w for w, word in enumerate(row)) == sum(int(bit) << i for i, bit in enumerate(vector))
    unpacked = np.full(len(vector), 7)
    unpack_row(row, unpacked)
    np.testing.assert_array_equal(unpacked, vector)


@given(vectors, st.data())
def test_one_bit_of_a_row(vector, data):
    i = data.draw(st.integers(0, len(vector) - 1))
    row = as_row(vector)
    assert has(row, i) == vector[i]
    flip(row, i)
    vector[i] ^= 1
    np.testing.assert_array_equal(row, as_row(vector))


@given(vectors)
def test_counting(vector):
    assert count_ones(as_row(vector)) == vector.sum()
    assert hamming(as_row(vector), as_row(vector[::-1].copy())) == (vector != vector[::-1]).sum()


@given(vectors, st.randoms())
def test_exchange_swaps_where_the_mask_has_ones(vector, random):
    other, mask = (np.array([random.randint(0, 1) for _ in vector]) for _ in range(2))
    a, b = as_row(vector), as_row(other)
    exchange(a, b, as_row(mask))
    np.testing.assert_array_equal(a, as_row(np.where(mask, other, vector)))
    np.testing.assert_array_equal(b, as_row(np.where(mask, vector, other)))


@given(words)
def test_running_parity(word):
    expected = np.bitwise_xor.accumulate(unpack(np.array([[word]]), 64)[0])
    np.testing.assert_array_equal(unpack(np.array([[running_parity(word)]]), 64)[0], expected)


@pytest.mark.parametrize("length", [1, 2, 63, 64, 65, 127, 128, 129, 625])
def test_the_tail_mask_has_ones_where_the_last_word_has_bits(length):
    assert int(tail_mask(length)) == 2 ** ((length - 1) % 64 + 1) - 1
    assert words_for(length) == -(-length // 64)
    full = as_row(np.ones(length, int))
    assert full[-1] == tail_mask(length)
    assert (full[:-1] == ALL).all()


def every(values: np.ndarray, length: int, out: np.ndarray, rows: np.ndarray) -> None:
    """All operations on some words, for comparing the compiled with the plain."""
    for i in range(len(values)):
        word = values[i]
        out[i, 0] = popcount(word)
        out[i, 1] = lowest(word) if word else -1
        out[i, 2] = np.int64(running_parity(word) >> np.uint64(1))
        out[i, 3] = count_ones(rows[i])
        out[i, 4] = hamming(rows[i], rows[0])
        out[i, 5] = has(rows[i], length - 1)
        out[i, 6] = words_for(length)
        out[i, 7] = np.int64(tail_mask(length) >> np.uint64(1))
        flip(rows[i], length - 1)
        exchange(rows[i], rows[len(rows) - 1], rows[0])


@pytest.mark.parametrize("length", [1, 64, 65, 100, 129])
def test_compiled_equals_plain(length):
    random = np.random.default_rng(length)
    values = np.append(np.array(EDGES, np.uint64), random.integers(0, 2**64 - 1, 100, dtype=np.uint64, endpoint=True))
    rows = pack(random.integers(0, 2, (len(values), length)))
    plain, fast = np.zeros((len(values), 8), np.int64), np.zeros((len(values), 8), np.int64)
    plain_rows, fast_rows = rows.copy(), rows.copy()
    every(values, length, plain, plain_rows)
    compiled(every)(values, length, fast, fast_rows)
    np.testing.assert_array_equal(plain, fast)
    np.testing.assert_array_equal(plain_rows, fast_rows)
    np.testing.assert_array_equal(plain[:, 0], [bin(int(value)).count("1") for value in values])
    np.testing.assert_array_equal(plain[1:, 1], [bin(int(value))[::-1].index("1") for value in values[1:]])
