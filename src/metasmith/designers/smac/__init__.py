"""Real SMAC over programs: a random forest learns which programs are good, and says which to try next.

The space is handed to it as parameters, one for each choice that a program has. It needs the extra `metasmith[smac]`.
"""

import json
import sys
from dataclasses import asdict
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from metasmith.designers.contract import Budget, Declaration, Measure, Proposal
from metasmith.designers.reading import Reader
from metasmith.designers.shared.talking import configured
from metasmith.designers.shared.vectors import Vectors
from metasmith.designers.training import Training
from metasmith.space import Space
from metasmith.space.vector import parameters

NAME = "smac"

NO_PROGRAM = 1.0
"""The cost of a vector that is no program: as far behind random search as the optimum is ahead of it. SMAC averages
costs and learns from them, so that it must not be much worse than others.
"""

MORE = 5
"""SMAC may ask for so many times the runs that can be paid for: many of its vectors are programs that have run."""

SETTINGS = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
"""The order of sets decides what SMAC tries, and must be the same every time."""

LARGEST_SEED = 2**32 - 1


class Smac:
    """Asks SMAC which programs to run."""

    def __init__(self, space: Space, training: Training, *, seed: int) -> None:
        self.vectors = Vectors(NAME, Reader(space), NO_PROGRAM)
        self.parameters = [asdict(parameter) for parameter in parameters(space)]
        self.seed = seed

    def configure(self, measure: Measure, budget: Budget) -> list[Proposal]:
        asked = {
            "parameters": self.parameters,
            "instances": [budget.lengths[case] for case in budget.order],
            "trials": MORE * budget.runs,
            "seed": self.seed % LARGEST_SEED,
        }
        with TemporaryDirectory(prefix="metasmith-smac-") as folder:
            (Path(folder) / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
            command = [sys.executable, "-P", str(files(__package__) / "tune.py")]
            elites = configured(
                NAME, command, Path(folder), lambda runs: self.vectors.costs(runs, measure, budget), SETTINGS
            )
        return self.vectors.proposals(elites)


def check() -> None:
    """Raise ValueError if SMAC is not installed."""
    if find_spec("smac") is None:
        raise ValueError("the designer smac needs SMAC: pip install 'metasmith[smac]'")


DESIGNER = Declaration(NAME, __doc__, Smac, configures=True, check=check)
