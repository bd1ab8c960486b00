"""What a kind of problem declares: how instances of any size are made, and whether designers may be tuned on it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from metasmith.problems.draws import Draws
from metasmith.problems.problem import Problem

Half = Literal["tuning", "reported"]
"""tuning: settings of designers may be chosen by what designs reach on it. reported: nobody looks at designs for it
before these settings are final.
"""


@dataclass(frozen=True)
class Kind:
    """A kind of problem, in a file of its own in this folder, which is scanned.

    make: a function of the number of variables, the random numbers of the instance, and its name.
    varies: what instances draw beside their data, in words, so that no two ask quite the same.
    optimum: for kinds whose best value depends on the number of variables alone.

    Solutions that violate constraints are worse than all others, the less the smaller the violation (Deb 2000): it is
    added to the worst value that a feasible solution may have.
    """

    name: str
    title: str
    meaning: str
    varies: str
    half: Half
    make: Callable[[int, Draws, str], Problem]
    optimum: Callable[[int], float | None] = lambda n: None
