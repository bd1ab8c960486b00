"""Measure the nanoseconds that each component's kernel takes per solution, on bits and on integers.

Columns are for populations of 1 and of 50, at dimension 625.
"""

import time
from typing import Any

import numba
import numpy as np

from metasmith.chance import seeded
from metasmith.components import COMPONENTS, Role
from metasmith.components.roles import OWN, SCRATCH
from metasmith.engine.call import call
from metasmith.engine.compile import kernels, usable
from metasmith.representations import Bits, Integers

DIMENSION = 625
SECONDS = 0.02


@numba.njit
def repeat(kernel: int, args: Any, times: int) -> None:
    for _ in range(times):
        call(kernel, *args)


def main() -> None:
    for variables in (Bits(DIMENSION), Integers(4, DIMENSION)):
        compiled = kernels(
            type(variables), [name for name, component in COMPONENTS.items() if component.kernel(variables.name)]
        )
        for role in Role:
            for number, component in enumerate(usable(role, variables.name)):
                (grid,) = (each.grid for each in component.settings.values()) if component.settings else ((None,),)
                for amount in grid:
                    costs = [cost(getattr(compiled, role)[number], role, variables, size, amount) for size in (1, 50)]
                    label = f"{component.name}({amount})" if amount else component.name
                    print(f"{variables.name:9} {label:28} {costs[0]:9.1f} {costs[1]:9.1f}", flush=True)


def cost(kernel: int, role: Role, variables: Bits | Integers, size: int, amount: Any) -> float:
    """Nanoseconds a solution."""
    draw = np.random.default_rng(0)
    pool = np.zeros((2 * size + SCRATCH, variables.width), variables.dtype)
    high = 2 if variables.name == "bits" else 4
    pool[: 2 * size] = variables.to_rows(draw.integers(0, high, (2 * size, variables.n)))
    fitness = draw.integers(300, 330, 2 * size).astype(np.float64)
    population, children = np.arange(size), np.arange(size, 2 * size)
    memory, rng = np.zeros(OWN + 64 + 4 * size + variables.n // 10), seeded(1)
    args = {
        Role.CHOOSE: (pool, population, fitness, variables.shape, children.copy(), memory, rng),
        Role.SEARCH: (pool, children, variables.shape, amount.at(variables.n) if amount else 0.0, memory, rng),
        Role.SELECT: (
            pool,
            population,
            children,
            population.copy(),
            fitness,
            children.copy(),
            variables.n,
            0.5,
            memory,
            rng,
        ),
    }[role]
    repeat(kernel, args, 1)
    times, taken = 1, 0.0
    while taken < SECONDS:
        times *= 2
        begun = time.perf_counter()
        repeat(kernel, args, times)
        taken = time.perf_counter() - begun
    return taken / times / size * 1e9


if __name__ == "__main__":
    main()
