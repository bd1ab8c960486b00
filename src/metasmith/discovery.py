"""Members of open sets: those of a folder of ours, and those that other packages register by entry points."""

import sys
from collections import UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, TypeVar

T = TypeVar("T")


class Members(UserDict[str, T]):
    """The members of an open set by name, looked for when they are first asked for.

    Not sooner, because a module of another package that imports our contract is not ready yet while it does so.
    """

    def __init__(self, load: Callable[[], Mapping[str, T]]) -> None:
        self._load = load

    @cached_property
    def data(self) -> dict[str, T]:  # type: ignore[override]
        return dict(self._load())


def discovered(package: str, attribute: str, group: str) -> list[Any]:
    """What the modules of `package` call `attribute`, by their names, then what entry points of `group` name."""
    folder = import_module(package).__path__
    modules = [import_module(f"{package}.{name}") for name in sorted(module.name for module in iter_modules(folder))]
    ours = [getattr(module, attribute) for module in modules if hasattr(module, attribute)]
    return ours + outside(group)


def outside(group: str) -> list[Any]:
    """What the entry points of a group name. One that cannot be loaded is left out, with a line that says so."""
    loaded = []
    for point in registered(group):
        try:
            loaded.append(point.load())
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".replace("\n", " ")
            print(f"metasmith: left out '{point.name}' of another package ({point.value}): {reason}", file=sys.stderr)
    return loaded


def registered(group: str) -> list[EntryPoint]:
    """The entry points of a group, by name."""
    return sorted(entry_points(group=group), key=lambda point: (point.name, point.value))


def by_name(members: Iterable[T], name: Callable[[T], str]) -> dict[str, T]:
    """Members by their names. Of two with one name the first counts, ours before others', and the other is left out."""
    named: dict[str, T] = {}
    for member in members:
        if named.setdefault(name(member), member) is not member:
            print(f"metasmith: left out another '{name(member)}': that name is taken", file=sys.stderr)
    return named


def sources_of_others(*groups: str, pattern: str = "*.py") -> Iterator[Path]:
    """The files of packages that register members of these groups: the Python files, or those of another pattern."""
    packages = {point.module.partition(".")[0] for group in groups for point in registered(group)}
    for package in sorted(packages - {"metasmith"}):
        spec = find_spec(package)
        if spec is not None and spec.origin:
            file = Path(spec.origin)
            yield from sorted(file.parent.rglob(pattern)) if file.name == "__init__.py" else [file]
