"""A solution of restoration as a plan for people: who cranks whom, who feeds what, the minutes, the violated limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metasmith.problems.restoration.instance import Instance
from metasmith.problems.restoration.kernels import (
    ALL_MINUTES,
    FITNESS,
    NEVER,
    RESERVE_MINUTES,
    restoration_bits,
    restoration_integers,
)
from metasmith.problems.restoration.layout import (
    CHOSEN,
    MINUTES,
    NAMES,
    OF_STAGE,
    ON,
    STAGES,
    STARTED,
    STARTERS,
    VIOLATED_BY,
    VIOLATION,
    WORK,
)
from metasmith.problems.restoration.system import BASE, LOADS
from metasmith.words import pack


@dataclass(frozen=True)
class Plan:
    """A solution and its evaluation.

    minutes: of all paths. fitness: minutes plus penalty. violations: by name. stages: those of each power flow.
    crankers: of each started unit, the numbers of its starters; feeders: of each load, the numbers of its units; both
    have one member each in a feasible solution.
    on: minutes until each started unit is on.
    """

    minutes: float
    fitness: float
    violations: dict[str, float]
    stages: tuple[float, ...]
    crankers: tuple[tuple[int, ...], ...]
    feeders: tuple[tuple[int, ...], ...]
    on: tuple[float, ...]

    @property
    def feasible(self) -> bool:
        return not any(self.violations.values())


def plan(instance: Instance, x: Sequence[int] | np.ndarray[Any, Any]) -> Plan:
    """The plan of a solution, which may be of integers or of bits."""
    work = np.zeros(WORK, np.uint64)
    tables, vector = instance.tables(FITNESS), np.asarray(x)
    if len(vector) == STARTED + LOADS:
        fitness = restoration_integers(vector.astype(np.int32), tables, work)
    else:
        fitness = restoration_bits(pack(vector[None])[0], tables, work)
    reals, chosen = work.view(np.float64), [_ones(int(mask)) for mask in work[CHOSEN : CHOSEN + STARTED + LOADS]]
    return Plan(
        minutes=float(reals[MINUTES]),
        fitness=float(fitness),
        violations=dict(zip(NAMES, reals[VIOLATION : VIOLATION + len(NAMES)].tolist(), strict=True)),
        stages=tuple(reals[OF_STAGE : OF_STAGE + STAGES * VIOLATED_BY].reshape(STAGES, VIOLATED_BY).sum(1).tolist()),
        crankers=tuple(chosen[:STARTED]),
        feeders=tuple(chosen[STARTED:]),
        on=tuple(reals[ON : ON + STARTED].tolist()),
    )


def explain(instance: Instance, x: np.ndarray[Any, Any]) -> list[str]:
    """The plan of a solution as lines of text, one for every unit."""
    explained = plan(instance, x)
    broken = ", ".join(f"{name} {amount:.3g}" for name, amount in explained.violations.items() if amount)
    lines = [
        f"plan: {explained.minutes:.1f} minutes of paths; "
        + (f"limits not kept: {broken}" if broken else "every limit is kept")
    ]
    for c, starter in enumerate(instance.starters):
        cranked = [a for a in range(STARTED) if c in explained.crankers[a]]
        said = [f"{instance.started[a].bus} ({instance.crank_routes[a][c].tenths / 10:.1f} min)" for a in cranked]
        power = sum(instance.started[a].crank / len(explained.crankers[a]) for a in cranked)
        of = _megawatts(power, RESERVE_MINUTES * starter.ramp)
        lines.append(f"unit {starter.bus} starts by itself and cranks {', '.join(said) or 'nothing'}: {of}")
    for a, unit in enumerate(instance.started):
        fed = [b for b in range(LOADS) if a in explained.feeders[b]]
        said = [f"{_name(instance, b)} ({instance.serve_routes[b][a].tenths / 10:.1f} min)" for b in fed]
        power = sum(instance.loads[b].p / len(explained.feeders[b]) for b in fed)
        of = _megawatts(power, min(unit.max_p, unit.ramp * max(0.0, ALL_MINUTES - explained.on[a])))
        on = "never on" if explained.on[a] == NEVER else f"on after {explained.on[a]:.1f} min"
        lines.append(f"unit {unit.bus}, {on}, feeds {', '.join(said) or 'nothing'}: {of}")
    unfed = [_name(instance, b) for b in range(LOADS) if not explained.feeders[b]]
    return [*lines, *([f"nobody feeds {', '.join(unfed)}"] if unfed else []), "loads by bus; * critical"]


def _name(instance: Instance, b: int) -> str:
    return f"{instance.loads[b].bus}{'*' if instance.loads[b].critical else ''}"


def _megawatts(power: float, most: float) -> str:
    return f"{BASE * power:.1f} of {BASE * most:.1f} MW"


def _ones(mask: int) -> tuple[int, ...]:
    """The positions of the ones."""
    return tuple(i for i in range(max(STARTERS, STARTED)) if mask >> i & 1)
