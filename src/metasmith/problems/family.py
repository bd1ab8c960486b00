"""A family of built-in problems, and how its members are named: `pbo:F18@100#7` is member F18, dimension 100, instance 7."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

from metasmith.problems.problem import Problem
from metasmith.problems.task import Task

NAME = re.compile(r"(?P<family>\w+)(:(?P<member>[\w-]+))?(@(?P<dimension>\d+))?(#(?P<instance>\d+))?")


@dataclass(frozen=True)
class Entry:
    """A row of `metasmith problems`."""

    name: str
    title: str
    meaning: str
    optimum: float | None


@dataclass(frozen=True)
class Family:
    """Problems that are made alike. A module of this folder with a `FAMILY` is found by its name.

    members: by member name; the only member of a family of one is "".
    problem: from member, dimension and instance, None where the name does not say.
    """

    name: str
    members: Mapping[str, Entry]
    problem: Callable[[str, int | None, int | None], Problem]
    task: Callable[[str], Task]

    def member(self, given: str) -> str | None:
        """The member of that name, in whatever case it was written."""
        return next((member for member in self.members if member.lower() == given.lower()), None)


@dataclass(frozen=True)
class Name:
    """The parts of a problem's name."""

    family: str
    member: str
    dimension: int | None
    instance: int | None

    @classmethod
    def parse(cls, text: str) -> Self:
        match = NAME.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"'{text}' is not a problem's name; write one like 'pbo:F18' or 'pbo:F18@100#7' (dimension, instance)")
        dimension, instance = (None if match[part] is None else int(match[part]) for part in ("dimension", "instance"))
        return cls(match["family"].lower(), match["member"] or "", dimension, instance)
