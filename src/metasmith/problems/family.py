"""A family of built-in problems, and how its members are named:

`pbo:F18@100#7` is member F18, dimension 100, instance 7.

`beamforming:channels.npz` is what a user's file makes of the family.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from metasmith.problems.problem import Problem
from metasmith.problems.task import Task

NAME = re.compile(r"(?P<family>\w+)(:(?P<member>[\w-]+))?(@(?P<dimension>\d+))?(#(?P<instance>\d+))?")
FILE = re.compile(r"(?P<family>\w+):(?P<file>.+\.\w+)")


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
    of_file: where a family takes a user's data, the task of a file: its one problem, to learn from and to be judged on.
    """

    name: str
    members: Mapping[str, Entry]
    problem: Callable[[str, int | None, int | None], Problem]
    task: Callable[[str], Task]
    of_file: Callable[[Path], Task] | None = None

    def member(self, given: str) -> str | None:
        """The member of that name, in whatever case it was written."""
        return next((member for member in self.members if member.lower() == given.lower()), None)


@dataclass(frozen=True)
class Name:
    """The parts of a problem's name. file: instead of all but the family, or empty."""

    family: str
    member: str
    dimension: int | None
    instance: int | None
    file: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        match = NAME.fullmatch(text.strip())
        if match is None and (match := FILE.fullmatch(text.strip())):
            return cls(match["family"].lower(), "", None, None, match["file"])
        if match is None:
            raise ValueError(
                f"'{text}' is not a problem's name; write one like 'pbo:F18', 'pbo:F18@100#7' (dimension, instance) or 'beamforming:my.npz'"
            )
        dimension, instance = (None if match[part] is None else int(match[part]) for part in ("dimension", "instance"))
        return cls(match["family"].lower(), match["member"] or "", dimension, instance)
