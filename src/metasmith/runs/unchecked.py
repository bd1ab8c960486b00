"""Runs of earlier versions, whose files have no checksums: read as far as what is there can be what it should be."""

import json
from dataclasses import fields
from typing import Any

from metasmith.measuring import Ledger


def read_step(line: bytes) -> dict[str, Any]:
    """A step of a run of an earlier version. Raises ValueError if it cannot be one."""
    step = _object(line)
    numbers = [step.get(name, 0.0) for name in ("mean", "best", "entropy")]
    if not isinstance(step.get("step"), str) or not _is_ledger(step.get("ledger")) or not all(map(_is_number, numbers)):
        raise ValueError("it is not a step")
    return step


def read_design(data: bytes) -> dict[str, Any]:
    """The design of a run of an earlier version. Raises ValueError if it cannot be one."""
    record = _object(data)
    words = [record.get(name) for name in ("task", "representation", "program", "pseudocode")]
    numbers = [record.get(name) for name in ("evaluations", "seed", "score")]
    fits = all(isinstance(word, str) for word in words) and all(map(_is_number, numbers))
    if not fits or not _is_ledger(record.get("ledger")):
        raise ValueError("it is not a design")
    return record


def _object(data: bytes) -> dict[str, Any]:
    try:
        record = json.loads(data)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if not isinstance(record, dict):
        raise ValueError("it is not an object")
    return record


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _is_ledger(value: Any) -> bool:
    return isinstance(value, dict) and all(_is_number(value.get(each.name)) for each in fields(Ledger))
