"""Metasmith designs optimisation algorithms: give it a problem, get a metaheuristic made for it.

import metasmith as ms
result = ms.solve("ea", ms.problem("pbo:F2"), evaluations=50_000, seed=1)
print(result.fun, result.nfev)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from metasmith.version import VERSION

if TYPE_CHECKING:
    from metasmith.api import Search, algorithm, design, finish, landscape, learn, resume, solve, solve_all
    from metasmith.engine import EvaluationError, Result, Runs
    from metasmith.landscapes import Landscape
    from metasmith.logs import log_ioh
    from metasmith.problems import Problem, Task, problem, task
    from metasmith.program import Program, pseudocode
    from metasmith.representations import Bits, Integers
    from metasmith.runs.design import Design
    from metasmith.watching import watch


__version__ = VERSION

_HOMES = {
    "metasmith.api": ("Search", "algorithm", "design", "finish", "landscape", "learn", "resume", "solve", "solve_all"),
    "metasmith.runs.design": ("Design",),
    "metasmith.engine": ("EvaluationError", "Result", "Runs"),
    "metasmith.landscapes": ("Landscape",),
    "metasmith.logs": ("log_ioh",),
    "metasmith.problems": ("Problem", "Task", "problem", "task"),
    "metasmith.program": ("Program", "pseudocode"),
    "metasmith.watching": ("watch",),
}
__all__ = [
    "Bits", "Design", "EvaluationError", "Integers", "Landscape", "Problem", "Program", "Result", "Runs", "Search",
    "Task", "algorithm", "design", "finish", "landscape", "learn", "log_ioh", "problem", "pseudocode", "resume",
    "solve", "solve_all", "task", "watch",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted({*__all__, *_kinds()})


def __getattr__(name: str) -> Any:
    """Names load their room when first used, so that the command line answers at once."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    if not name.startswith("_") and name in _kinds():
        return _kinds()[name]
    raise AttributeError(f"module 'metasmith' has no attribute '{name}'")


def _kinds() -> dict[str, Any]:
    """Every kind of variables by the name of its class, those of other packages too: `ms.Bits`."""
    from metasmith.representations import KINDS

    return {kind.__name__: kind for kind in KINDS.values()}
