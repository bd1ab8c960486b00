"""Checksums in a run's files: what was damaged is noticed, and never believed."""

import json
from hashlib import blake2b
from typing import Any

SIZE = 16
"""Of a checksum in bytes; half as many as it has hexadecimal digits."""

FIELD = b'"checksum": "'


def checksum(data: bytes) -> str:
    return blake2b(data, digest_size=SIZE).hexdigest()


def sealed(record: dict[str, Any], before: str = "", indent: int | None = None) -> tuple[bytes, str]:
    """A record as JSON, with its checksum as the last field; and that. before: the checksum of the record before it."""
    body = json.dumps(record, indent=indent).encode().removesuffix(b"}").rstrip()
    space, end = (b" ", b"}") if indent is None else (b"\n" + b" " * indent, b"\n}")
    written = checksum(before.encode() + body)
    return body + b"," + space + FIELD + written.encode() + b'"' + end, written


def opened(data: bytes, before: str = "") -> tuple[dict[str, Any], str]:
    """The record that was sealed, and its checksum. Raises ValueError if it is not what was written, or not there."""
    head, _, tail = data.rpartition(FIELD)
    written = tail[: 2 * SIZE].decode("ascii", "replace")
    whole = written == checksum(before.encode() + head.rstrip(b" ,\n"))
    if not whole or b"".join(tail[2 * SIZE :].split()) != b'"}':
        raise ValueError("it is not what was written")
    try:
        record = json.loads(data)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    del record["checksum"]
    return record, written
