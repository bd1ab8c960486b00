"""Families of built-in problems, and the names of their members.

`pbo:F18@100#7` is member F18 of the family `pbo` at dimension 100, instance 7; `beamforming:channels.npz` is the
problem of the family `beamforming` with the data of a user's file.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
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
    """Problems that are made in the same way, such as the functions of a suite.

    members: the rows of the catalogue, by member name; the only member of a family of one is "".
    problem: a function of member, dimension and instance, the latter two None where the name does not say.
    task: a function of the member.
    of_file: for families that read a user's data, the task of a file, whose one problem is for training and test.
    """

    name: str
    members: Mapping[str, Entry]
    problem: Callable[[str, int | None, int | None], Problem]
    task: Callable[[str], Task]
    of_file: Callable[[Path], Task] | None = None

    def member(self, name: str) -> str | None:
        """The member called `name`, whether in upper or lower case; None if there is none."""
        return next((member for member in self.members if member.lower() == name.lower()), None)

    def hint(self, parts: "Name") -> str:
        """The end of an error message: what to write instead of a name of this family that is not there."""
        names = [entry.name for entry in self.members.values()]
        if self.of_file:
            return f"write '{self.name}@120' for a size, or '{self.name}:FILE' with the ending of the file"
        if parts.file:
            return (
                f"{self.name} reads no files; write a name such as '{names[0]}', or '{names[0]}@100#7' for an instance"
            )
        if not parts.member:
            return f"{self.name} is a family of problems; did you mean '{names[0]}'?"
        return nearest(f"{self.name}:{parts.member}", names)


@dataclass(frozen=True)
class Name:
    """The parts of a problem's name. file: the path of a user's file, instead of all parts but the family, or empty."""

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
                f"'{text}' is not a problem's name; "
                "write one like 'pbo:F18', 'pbo:F18@100#7' (dimension, instance) or 'beamforming:my.npz'"
            )
        dimension, instance = (None if match[part] is None else int(match[part]) for part in ("dimension", "instance"))
        return cls(match["family"].lower(), match["member"] or "", dimension, instance)


def nearest(name: str, names: Sequence[str]) -> str:
    """The end of an error message: the name that is spelled most like `name`, or where to find all names."""
    spelled = {each.lower(): each for each in names}
    close = get_close_matches(name.lower(), spelled, n=1)
    return f"did you mean '{spelled[close[0]]}'?" if close else "`metasmith problems` lists them"
