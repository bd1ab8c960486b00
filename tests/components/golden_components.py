"""Small fixed-seed runs, one per component and representation, kept in tests/golden/components.json.

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
from metasmith.representations import Bits, Integers

FILE = Path(__file__).parents[1] / "golden" / "components.json"
VARIABLES = {"bits": Bits(70), "integers": Integers([2, 3, 5, 40] * 5)}


def value(x: np.ndarray) -> float:
    """Whole numbers only, so that every machine agrees: uneven weights, and neighbours that want to differ."""
    weights = np.arange(len(x)) * 7 % 11 - 3
    return float((weights * x).sum() + 5 * (x[1:] != x[:-1]).sum())


def results(name: str) -> dict[str, Any]:
    """What a program with the component comes to, by representation that it works on."""
    program = Program.parse(f"population 6; {around(name)}")
    found = {}
    for representation, variables in VARIABLES.items():
        if COMPONENTS[name].kernel(representation) is None:
            continue
        result = run(Job(program, Problem(value, variables), 400, seed=1))
        found[representation] = {"fun": result.fun, "hit": result.hit, "x": " ".join(str(entry) for entry in result.x)}
    return found


def around(name: str) -> str:
    """A program in which the component has something to do."""
    settings = [f"{setting}={allowed.grid[1]}" for setting, allowed in COMPONENTS[name].settings.items()]
    match COMPONENTS[name].role:
        case Role.CHOOSE:
            return f"{name}; cross_n(n=1); reset_n(n=1); greedy_select"
        case Role.SEARCH:
            return f"{name}({settings[0]}); reset_n(n=1)" if settings else f"{name}; reset_n(n=1)"
        case Role.SELECT:
            return f"reset_n(n=1); {name}"


if __name__ == "__main__":
    known = json.loads(FILE.read_text()) if FILE.exists() else {}
    known |= {name: results(name) for name in sys.argv[1:] or COMPONENTS}
    FILE.write_text(json.dumps({name: known[name] for name in COMPONENTS if name in known}, indent=1) + "\n")
