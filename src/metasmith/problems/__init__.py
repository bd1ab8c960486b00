"""Problems by name. A family's file or folder dropped in here is found; nothing else needs to change."""

from pathlib import Path

from metasmith.discovery import Members, by_name, discovered
from metasmith.problems.family import Entry, Family, Name, nearest
from metasmith.problems.limits import Limits
from metasmith.problems.problem import Batch, Compiled, How, Native, Plain, Problem
from metasmith.problems.task import Task

__all__ = [
    "Batch",
    "Compiled",
    "Entry",
    "Family",
    "How",
    "Limits",
    "Native",
    "Plain",
    "Problem",
    "Task",
    "catalogue",
    "problem",
    "task",
]


FAMILIES: Members[Family] = Members(
    lambda: by_name(discovered(__name__, "FAMILY", "metasmith.problems"), lambda family: family.name)
)
"""Every family of built-in problems by name."""


def problem(name: str) -> Problem:
    """The built-in problem of that name: `pbo:F18`, `pbo:F18@100#7` (dimension, instance), `restoration:test`."""
    family, member, parts = _find(name)
    if family.of_file and parts.file:
        return family.of_file(Path(parts.file)).test[0]
    return family.problem(member, parts.dimension, parts.instance)


def task(name: str) -> Task:
    """The built-in task of that name: `pbo:F18`, `beamforming`."""
    family, member, parts = _find(name)
    if family.of_file and parts.file:
        return family.of_file(Path(parts.file))
    if parts.dimension is not None or parts.instance is not None:
        raise ValueError(f"a task has its own dimensions and instances; ask for '{family.members[member].name}'")
    return family.task(member)


def catalogue() -> list[Entry]:
    """Every built-in problem, as `metasmith problems` lists them."""
    return [entry for family in FAMILIES.values() for entry in family.members.values()]


def _find(name: str) -> tuple[Family, str, Name]:
    parts = Name.parse(name)
    family = FAMILIES.get(parts.family)
    member = None if family is None else family.member(parts.member)
    if family is None or member is None or (parts.file and family.of_file is None):
        names = [entry.name for entry in catalogue()]
        hint = nearest(f"{parts.family}:{parts.member}", names) if family is None else family.hint(parts)
        raise ValueError(f"there is no problem '{name}'; {hint}")
    return family, member, parts
