"""Metasmith designs optimisation algorithms: give it a problem, get a metaheuristic made for it.

import metasmith as ms
result = ms.solve("ea", ms.problem("pbo:F2"), evaluations=50_000, seed=1)
print(result.fun, result.nfev)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from metasmith.version import VERSION

if TYPE_CHECKING:
    from metasmith.api import algorithm, design, landscape, learn, resume, solve, solve_all
    from metasmith.engine import EvaluationError, Result, Runs
    from metasmith.landscapes import Landscape
    from metasmith.logs import log_ioh
    from metasmith.problems import Problem, Task, problem, task
    from metasmith.program import Program, pseudocode
    from metasmith.representations import Bits, Integers
    from metasmith.runs.design import Design


__version__ = VERSION

_HOMES = {
    "metasmith.api": ("algorithm", "design", "landscape", "learn", "resume", "solve", "solve_all"),
    "metasmith.runs.design": ("Design",),
    "metasmith.engine": ("EvaluationError", "Result", "Runs"),
    "metasmith.landscapes": ("Landscape",),
    "metasmith.logs": ("log_ioh",),
    "metasmith.problems": ("Problem", "Task", "problem", "task"),
    "metasmith.program": ("Program", "pseudocode"),
    "metasmith.representations": ("Bits", "Integers"),
}
__all__ = [
    "Bits", "Design", "EvaluationError", "Integers", "Landscape", "Problem", "Program", "Result", "Runs", "Task",
    "algorithm", "design", "landscape", "learn", "log_ioh", "problem", "pseudocode", "resume", "solve", "solve_all",
    "task",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Names load their room when first used, so that the command line answers at once."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'metasmith' has no attribute '{name}'")
