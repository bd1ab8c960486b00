"""What the tests of exported files share: loading them with and without numba, and problems to try them on."""

from collections.abc import Callable
from itertools import zip_longest
from types import ModuleType
from typing import Any

import numpy as np

import metasmith as ms
from metasmith.components import COMPONENTS, Role
from metasmith.representations import Variables


def optimized(module: ModuleType, function: Callable[..., Any], variables: Variables, **options: Any) -> Any:
    """What an exported file finds."""
    values = {} if isinstance(variables, ms.Bits) else {"values": variables.arity}
    return module.optimize(function, variables.n, **values, **options)


def assert_same(
    module: ModuleType,
    program: ms.Program,
    function: Callable[..., Any],
    variables: Variables,
    *,
    evaluations: int,
    seed: int,
    direction: Any = "max",
) -> None:
    """An exported file and the engine agree in every bit."""
    ours = ms.solve(program, ms.Problem(function, variables, direction=direction), evaluations=evaluations, seed=seed)
    theirs = optimized(module, function, variables, evaluations=evaluations, seed=seed, direction=direction)
    assert (theirs.x.tolist(), theirs.fun, theirs.nfev) == (ours.x.tolist(), ours.fun, ours.nfev), program
    assert theirs.x.dtype == np.int64


LOOPS = ("", "iterate until stagnation", "iterate until local_optimum", "iterate until 4%")


def everything(variables: Variables, population: int = 6) -> ms.Program:
    """A program of all components that work on the variables, in as many blocks as it takes, with forks and loops."""
    lines = [f"population {population}"]
    usable = [component for component in COMPONENTS.values() if component.kernel(variables.name)]
    roles = [[component for component in usable if component.role is role] for role in Role]
    for number, found in enumerate(zip_longest(*roles)):
        chooser, searcher, selector = (component or role[0] for component, role in zip(found, roles, strict=True))
        settings = ", ".join(f"{name}={allowed.grid[1]}" for name, allowed in searcher.settings.items())
        lines += [
            f"{chooser.name} {('', 'fork 2', 'fork 3')[number % 3]}",
            f"{searcher.name}({settings})" if settings else searcher.name,
            f"reset_n(n=5%) {('fork 2', 'fork 3', '')[number % 3]}",
            f"cross_uniform(p=0.5) {('iterate until 2%', '')[number % 2]}",
            f"{selector.name} {LOOPS[number % 4]}",
        ]
    return ms.Program.parse("\n".join([*lines, "reinitialize"]))


def rugged(x: np.ndarray) -> float:
    """Whole numbers with hills in between, on any variables."""
    weights = np.arange(len(x)) * 7 % 11 - 3
    return float((weights * x).sum() + 5 * (x[1:] != x[:-1]).sum() - 2 * (x.sum() % 3))


def plateau(x: np.ndarray) -> int:
    """The same for all solutions."""
    return 3


def fraction(x: np.ndarray) -> np.float64:
    """Not whole, and written over what it was given, as functions may."""
    value = np.sqrt(1.0 + x.sum()) - 0.3 * x[0]
    x[:] = -1
    return value


FUNCTIONS = (rugged, plateau, fraction)
BITS = ms.Bits(70)
INTEGERS = ms.Integers([3, 1, 40, 2, 5, 7, 4, 2, 2, 9, 3])
