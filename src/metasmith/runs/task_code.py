"""A digest of the user's code and data that a task is made of, so that a run does not go on with others unnoticed."""

import dis
from hashlib import blake2b
from inspect import getclosurevars
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from metasmith.loading import FILE
from metasmith.problems import Task
from metasmith.problems.family import Name


def code_digest(name: str, task: Task) -> str | None:
    """Of the file that the task, or its data, is in; of a task that was made in Python, of its functions and what they
    use. None if there is nothing of the user's in it.

    What a file reads or imports is not looked at.
    """
    if file := _file(name):
        return blake2b(file.read_bytes(), digest_size=16).hexdigest() if file.is_file() else None
    parts: list[str] = []
    for problem in (*task.training, *task.test):
        for role in (problem.how, problem.violation):
            if (function := getattr(role, "function", None)) is not None:
                parts.append(_described(function, set()))
    return blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest() if parts else None


def _file(name: str) -> Path | None:
    """The file that a task's name means."""
    if match := FILE.fullmatch(name):
        return Path(match["file"])
    try:
        file = Name.parse(name).file
    except ValueError:
        return None
    return Path(file) if file and Path(file).is_file() else None


def _described(value: Any, seen: set[int]) -> str:
    """What a value is, the same in every process. Lists and the like are not looked into: functions keep notes there.

    seen: the functions that are described already.
    """
    function = getattr(value, "py_func", value)  # of numba's, what was compiled
    if callable(function) and not isinstance(function, FunctionType | type):
        function = type(function).__call__
    if isinstance(function, FunctionType):
        if id(function) in seen:
            return ""
        seen.add(id(function))
        return f"{_instructions(function.__code__)} {_uses(function, seen)}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {blake2b(value.tobytes(), digest_size=16).hexdigest()}"
    if isinstance(value, tuple):
        return f"({', '.join(_described(each, seen) for each in value)})"
    return repr(value) if isinstance(value, bool | int | float | complex | str | bytes | None) else type(value).__name__


def _uses(function: FunctionType, seen: set[int]) -> list[tuple[str, str]]:
    """The functions and data that a function has from outside, but for what it writes itself, such as a counter."""
    try:
        outside = getclosurevars(function)
    except ValueError:  # something has no value yet
        return []
    written = {each.argval for each in dis.get_instructions(function) if each.opname in ("STORE_GLOBAL", "STORE_DEREF")}
    values = {**outside.globals, **outside.nonlocals}
    defaults = _described(function.__defaults__ or (), seen)
    return [("", defaults), *((name, _described(values[name], seen)) for name in sorted(values) if name not in written)]


def _instructions(code: CodeType) -> str:
    """What a function does, wherever it stands in its file."""
    constants = [
        _instructions(each) if isinstance(each, CodeType) else f"{sorted(map(repr, each))}"
        if isinstance(each, frozenset) else repr(each)
        for each in code.co_consts
    ]  # fmt: skip
    return f"{code.co_code.hex()} {code.co_names} {constants}"
