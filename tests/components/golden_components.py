"""Small fixed-seed runs, one per component and representation, each a file in tests/golden/components.

They only tell that something changed; whether it is right, the other tests say. After a change that is meant, write
them anew: python tests/components/golden_components.py [COMPONENT ...]
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from metasmith.components import COMPONENTS, Role
from metasmith.engine import Job, run
from metasmith.problems import Problem
from metasmith.program import Program
from metasmith.representations import KINDS, Bits, Integers, Variables
from metasmith.testing.components import program_with, written

FOLDER = Path(__file__).parents[1] / "golden" / "components"
VARIABLES: dict[str, Variables] = {"bits": Bits(70), "integers": Integers([2, 3, 5, 40] * 5)}
"""What runs are on; for kinds that are not here, 20 variables of them."""


def pairs() -> list[tuple[str, str]]:
    """Every component and every representation that it works on."""
    return [(name, kind) for name, component in COMPONENTS.items() for kind in KINDS if component.kernel(kind)]


def file_of(name: str, representation: str) -> Path:
    return FOLDER / f"{name}-{representation}.json"


def value(x: np.ndarray) -> float:
    """Whole numbers only, so that every machine agrees: uneven weights, and neighbours that want to differ."""
    weights = np.arange(len(x)) * 7 % 11 - 3
    return float((weights * x).sum() + 5 * (x[1:] != x[:-1]).sum())


def golden_run(name: str, representation: str) -> dict[str, Any]:
    """What a program with the component comes to."""
    variables = VARIABLES.get(representation) or KINDS[representation].sized(20)
    result = run(Job(program_around(name, variables), Problem(value, variables), 400, seed=1))
    return {"fun": result.fun, "hit": result.hit, "x": " ".join(str(entry) for entry in result.x)}


def program_around(name: str, variables: Variables) -> Program:
    """A program in which the component has something to do."""
    if variables.name not in VARIABLES:
        return program_with(name, variables, 6)
    line = {
        Role.CHOOSE: f"{name}; cross_n(n=1); reset_n(n=1); greedy_select",
        Role.SEARCH: f"{written(name)}; reset_n(n=1)",
        Role.SELECT: f"reset_n(n=1); {name}",
    }[COMPONENTS[name].role]
    return Program.parse(f"population 6; {line}")


if __name__ == "__main__":
    for name, representation in pairs():
        if name in (sys.argv[1:] or COMPONENTS):
            file_of(name, representation).write_text(json.dumps(golden_run(name, representation)) + "\n")
