"""The building blocks of programs, one file each.

A file dropped in this folder is found; nothing else needs to change.
"""

from importlib import import_module
from pkgutil import iter_modules

from metasmith.components.roles import Component, MoreKernels, Role, joined
from metasmith.discovery import Members, outside

__all__ = ["COMPONENTS", "Component", "Role"]


def _members() -> list[Component | MoreKernels]:
    """What every module of this folder calls by the module's own name; then what other packages register."""
    names = sorted(module.name for module in iter_modules(__path__))
    members = [getattr(import_module(f"{__name__}.{name}"), name, None) for name in names]
    return [each for each in (*members, *outside(GROUP)) if isinstance(each, Component | MoreKernels)]


GROUP = "metasmith.components"
COMPONENTS: Members[Component] = Members(lambda: joined(_members()))
"""Every component by name, in alphabetical order."""
