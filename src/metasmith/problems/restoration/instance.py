"""An instance: which two units start by themselves, and how much load there is."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metasmith.arrays import Tables, tables
from metasmith.problems.restoration.elimination import elimination
from metasmith.problems.restoration.layout import STARTED, STARTERS
from metasmith.problems.restoration.paths import Route, routes
from metasmith.problems.restoration.system import Load, Unit, system


@dataclass(frozen=True)
class Instance:
    """A blackout to recover from.

    starters: the units that start by themselves, the largest first. started: the other units. loads: at the load level.
    """

    starters: tuple[Unit, ...]
    started: tuple[Unit, ...]
    loads: tuple[Load, ...]

    @classmethod
    def of(cls, black_start: Sequence[int], load: float = 0.75) -> "Instance":
        """The instance of two black-start units, named by their buses, that restores the share `load` of all loads."""
        if not isinstance(black_start, Sequence) or not isinstance(load, int | float):
            raise ValueError(
                "an instance is two buses and a share of the loads, as in Instance.of((30, 35), 0.75); "
                f"got {black_start!r}, {load!r}"
            )
        units = {unit.bus: unit for unit in system().units}
        for bus in black_start:
            if bus not in units:
                raise ValueError(f"there is no unit at bus {bus!r}; units are at {', '.join(map(str, units))}")
        if len(set(black_start)) != STARTERS or len(black_start) != STARTERS:
            raise ValueError(f"restoration needs two different black-start units, got {list(black_start)}")
        if not 0 < load <= 1:
            raise ValueError(f"the load level is a share above 0, 1 at most, got {load}")
        starters = sorted((units[bus] for bus in black_start), key=lambda unit: -unit.max_p)
        started = [unit for unit in units.values() if unit not in starters]
        loads = [each._replace(p=load * each.p, q=load * each.q) for each in system().loads]
        return cls(tuple(starters), tuple(started), tuple(loads))

    @cached_property
    def crank_routes(self) -> list[list[Route]]:
        """The path on which each starter can crank each started unit: [started unit][starter]."""
        from_starters = [routes(system().branches, unit.bus) for unit in self.starters]
        return [[each[unit.bus] for each in from_starters] for unit in self.started]

    @cached_property
    def serve_routes(self) -> list[list[Route]]:
        """The path on which each started unit can feed each load: [load][started unit]."""
        from_started = [routes(system().branches, unit.bus) for unit in self.started]
        return [[each[load.bus] for each in from_started] for load in self.loads]

    def tables(self, output: int) -> Tables:
        """The tables that the kernels read, arranged as `layout` says. output: FITNESS or VIOLATED."""
        order, branches, units = elimination(), system().branches, self.starters + self.started
        starts, ends = (
            [order.rank[branch.start] for branch in branches],
            [order.rank[branch.end] for branch in branches],
        )
        numbers = [
            [output],
            starts,
            ends,
            [order.block(start, end) for start, end in zip(starts, ends, strict=True)],
            [order.block(end, start) for start, end in zip(starts, ends, strict=True)],
            order.first,
            [column for _, column in order.pairs],
            order.targets,
            order.target_first,
            [order.rank[unit.bus] for unit in units],
            [order.rank[load.bus] for load in self.loads],
            [load.critical for load in self.loads],
            [route.tenths for row in self.crank_routes for route in row],
            [route.tenths for row in self.serve_routes for route in row],
        ]
        reals = [
            [part for branch in branches for y in branch.admittances for part in (y.real, y.imag)],
            [branch.rating for branch in branches],
            [unit.max_p for unit in units],
            [unit.max_q for unit in units],
            [unit.min_q for unit in units],
            [unit.crank for unit in units],
            [unit.ramp for unit in units],
            [load.p for load in self.loads],
            [load.q for load in self.loads],
        ]
        words = np.zeros((STARTED + len(self.loads), STARTED), np.uint64)
        for row, options in enumerate(self.crank_routes + self.serve_routes):
            words[row, : len(options)] = [route.mask for route in options]
        return tables(np.concatenate(numbers), np.concatenate(reals), words)
