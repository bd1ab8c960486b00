"""The building blocks of programs, one file each.

A file dropped in this folder is found; nothing else needs to change.
"""

from importlib import import_module
from pkgutil import iter_modules

from metasmith.components.roles import Component, Role

__all__ = ["COMPONENTS", "Component", "Role"]


def _scan() -> dict[str, Component]:
    found = {}
    for module in sorted(module.name for module in iter_modules(__path__)):
        component = getattr(import_module(f"{__name__}.{module}"), module, None)
        if isinstance(component, Component):
            found[component.name] = component
    return found


COMPONENTS: dict[str, Component] = _scan()
"""Every component by name, in alphabetical order."""
