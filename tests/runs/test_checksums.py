"""A record that was sealed is read again, or said to be damaged."""

import json
import math

import pytest

from metasmith.runs.checksums import checksum, opened, sealed

RECORD = {
    "step": "batch",
    "values": [0.1, -1e-300, math.inf, None],
    "text": 'a "checksum": "0"} ü\n',
    "inner": {"b": []},
}


@pytest.mark.parametrize("indent", [None, 1])
def test_what_is_sealed_is_json_and_is_read_again(indent):
    data, written = sealed(RECORD, indent=indent)
    assert opened(data) == (RECORD, written)
    assert json.loads(data) == {**RECORD, "checksum": written}
    assert (b"\n" in data) == (indent == 1)


def test_any_byte_that_changes_is_noticed():
    data, _ = sealed(RECORD)
    for position in range(len(data)):
        for bit in range(8):
            changed = bytearray(data)
            changed[position] ^= 1 << bit
            with pytest.raises(ValueError, match=r"."):
                opened(bytes(changed))


def test_any_cut_is_noticed():
    data, _ = sealed(RECORD)
    for length in range(len(data)):
        with pytest.raises(ValueError, match=r"."):
            opened(data[:length])


def test_a_record_counts_only_after_the_one_it_was_written_after():
    _, first = sealed({"number": 1})
    second, _ = sealed({"number": 2}, first)
    assert opened(second, first)[0] == {"number": 2}
    for before in ("", first[::-1]):
        with pytest.raises(ValueError, match="not what was written"):
            opened(second, before)


def test_brackets_without_end_are_one_line():
    data, written = sealed({"a": []})
    deep = data.replace(b"[]", b"[" * 100_000 + b"]" * 100_000)
    with pytest.raises(ValueError, match="not what was written"):
        opened(deep)
    honest = deep.replace(written.encode(), checksum(deep.rpartition(b",")[0]).encode())
    with pytest.raises(ValueError, match="nested too deep"):
        opened(honest)


def test_nothing_may_follow_the_checksum():
    """A reader that looks for the last field only would take what is written after it."""
    data, _ = sealed({"number": 1})
    assert opened(data + b"\n") == opened(data)
    for longer in (data.removesuffix(b"}") + b', "number": 2}', data + b"}", data + b" 1"):
        with pytest.raises(ValueError, match="not what was written"):
            opened(longer)
