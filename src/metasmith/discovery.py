"""Members of open sets: those of a folder of ours, and those that other packages register by entry points."""

import sys
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from typing import Any


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
