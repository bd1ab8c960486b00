"""Restoration as a mixed-integer linear program, solved once, or with cuts until the optimum is proved.

With exactly one choice for each unit and load, everything but the power flow is linear. Solved once, without the power
flow, this is the paper's analytical baseline (its CPLEX row), whose plan violates AC limits. With cuts it is exact:
while the best remaining plan fails a stage, the choices that the stage depends on are forbidden; the first plan that
passes is optimal, because every better one was shown to fail. Needs metasmith[milp].
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from metasmith.arrays import Floats
from metasmith.problems.restoration.instance import Instance
from metasmith.problems.restoration.kernels import (
    ALL_MINUTES,
    CRANK_MINUTES,
    CRITICAL_MINUTES,
    RESERVE_MINUTES,
    START_MINUTES,
)  # fmt: skip
from metasmith.problems.restoration.layout import STARTED, STARTERS
from metasmith.problems.restoration.plan import Plan, plan
from metasmith.problems.restoration.system import LOADS

CRANKS, CHOICES = STARTED * STARTERS, STARTED * STARTERS + LOADS * STARTED
"""The number of variables that say who cranks whom, and of all variables, which are the bits of the binary encoding."""


class Row(NamedTuple):
    """A linear constraint, low <= sum of coefficient * variable <= high. coefficients: by number of the variable."""

    low: float
    coefficients: dict[int, float]
    high: float


@dataclass(frozen=True)
class Analytical:
    """The outcome of a solver.

    x: the last plan, as integers. bound: no plan that keeps every limit takes fewer minutes. proved: whether x is
    optimal.
    """

    x: tuple[int, ...]
    plan: Plan
    bound: float
    solves: int
    seconds: float
    proved: bool
    message: str


Solver = Callable[[Floats, Sequence[Row], float], Floats | None]
"""A function of costs, rows and a time limit in seconds that returns the cheapest zeros and ones, None if time was up.

It raises ImpossibleError if no zeros and ones keep all rows.
"""


def one_shot(instance: Instance, *, solver: str = "highs", seconds: float = np.inf) -> Analytical:
    """The best plan under the linear limits alone. solver: highs, or cplex if it is installed."""
    return _solve(instance, solver, seconds, once=True)


def with_cuts(instance: Instance, *, solver: str = "highs", seconds: float = np.inf) -> Analytical:
    """The optimal plan, with a proof; if time is up before, the best bound so far."""
    return _solve(instance, solver, seconds, once=False)


def linear(instance: Instance) -> tuple[Floats, list[Row]]:
    """The costs in minutes, and the linear limits: one choice each, cranking power, unit power and ramps, deadlines."""
    crank, serve = instance.crank_routes, instance.serve_routes
    costs = np.array([route.tenths / 10 for routes in crank + serve for route in routes])
    rows = [Row(1, {_cranks(a, c): 1.0 for c in range(STARTERS)}, 1) for a in range(STARTED)]
    rows += [Row(1, {_feeds(b, a): 1.0 for a in range(STARTED)}, 1) for b in range(LOADS)]
    for c, starter in enumerate(instance.starters):
        rows.append(
            Row(
                -np.inf,
                {_cranks(a, c): unit.crank for a, unit in enumerate(instance.started)},
                RESERVE_MINUTES * starter.ramp,
            )
        )
    for a, unit in enumerate(instance.started):
        on = [START_MINUTES + crank[a][c].tenths / 10 + CRANK_MINUTES for c in range(STARTERS)]
        for deadline, loads in (
            (CRITICAL_MINUTES, [b for b in range(LOADS) if instance.loads[b].critical]),
            (ALL_MINUTES, list(range(LOADS))),
        ):
            fed = {_feeds(b, a): instance.loads[b].p for b in loads}
            can = {_cranks(a, c): -min(unit.max_p, unit.ramp * max(0.0, deadline - on[c])) for c in range(STARTERS)}
            rows.append(Row(-np.inf, fed | can, 0))
            late = [(b, c) for b in loads for c in range(STARTERS) if on[c] + serve[b][a].tenths / 10 > deadline]
            rows += [Row(-np.inf, {_feeds(b, a): 1.0, _cranks(a, c): 1.0}, 1) for b, c in late]
    return costs, rows


class ImpossibleError(Exception):
    """A solver has proved that nothing keeps all rows."""


def _solve(instance: Instance, solver: str, seconds: float, *, once: bool) -> Analytical:
    if solver not in SOLVERS:
        raise ValueError(f"there is no solver '{solver}'; there are {', '.join(SOLVERS)}")
    begun, (costs, rows) = time.perf_counter(), linear(instance)
    x: tuple[int, ...] = ()
    judged: Plan | None = None
    bound, solves = 0.0, 0
    while True:
        left = seconds - (time.perf_counter() - begun)
        try:
            bits = SOLVERS[solver](costs, rows, left) if left > 0 else None
        except ImpossibleError:
            limits = "all limits" if solves else "even the linear limits"
            raise ValueError(f"no plan keeps {limits}; choose other black-start units or a lower load level") from None
        if bits is not None:
            x = tuple(
                int(np.argmax(part))
                for part in (*bits[:CRANKS].reshape(-1, STARTERS), *bits[CRANKS:].reshape(-1, STARTED))
            )
            judged, bound, solves = plan(instance, x), round(float(costs @ bits), 1), solves + 1
        if judged is None:
            raise ValueError(
                f"a time limit of {seconds:g} s is too short for {solver} to find a single plan; give it more"
            )
        if bits is None or judged.feasible or once:
            said = (
                "proved optimal"
                if judged.feasible
                else "breaks AC limits"
                if bits is not None
                else f"time limit of {seconds:g} s reached"
            )
            message = f"{said}; no plan takes less than {bound:.1f} minutes"
            return Analytical(x, judged, bound, solves, time.perf_counter() - begun, judged.feasible, message)
        rows.append(_cut(instance, x, judged))


def _cut(instance: Instance, x: Sequence[int], judged: Plan) -> Row:
    """A row that forbids the choices on which the first stage that fails depends."""
    stage = next((stage for stage, violated in enumerate(judged.stages) if violated), len(judged.stages) - 1)
    involved = [_cranks(a, x[a]) for a in range(STARTED)]
    involved += [
        _feeds(b, x[STARTED + b]) for b in range(LOADS) if stage == 2 or (stage == 1 and instance.loads[b].critical)
    ]
    return Row(-np.inf, dict.fromkeys(involved, 1.0), len(involved) - 1)


def _highs(costs: Floats, rows: Sequence[Row], seconds: float) -> Floats | None:
    highs = _imported("highspy")
    model = highs.Highs()
    for option, value in {
        "output_flag": False,
        "parallel": "off",
        "mip_rel_gap": 0.0,
        "time_limit": float(seconds),
    }.items():
        model.setOptionValue(option, value)
    for number, cost in enumerate(costs):
        model.addCol(cost, 0.0, 1.0, 0, [], [])
        model.changeColIntegrality(number, highs.HighsVarType.kInteger)
    for row in rows:
        model.addRow(row.low, row.high, len(row.coefficients), list(row.coefficients), list(row.coefficients.values()))
    model.run()
    status = model.getModelStatus()
    if status == highs.HighsModelStatus.kInfeasible:
        raise ImpossibleError
    return np.round(model.getSolution().col_value) if status == highs.HighsModelStatus.kOptimal else None


def _cplex(costs: Floats, rows: Sequence[Row], seconds: float) -> Floats | None:
    cplex = _imported("cplex")
    model = cplex.Cplex()
    for channel in (model.set_log_stream, model.set_results_stream, model.set_warning_stream):
        channel(None)
    model.parameters.mip.tolerances.mipgap.set(0.0)
    model.parameters.timelimit.set(min(seconds, 1e9))
    model.variables.add(obj=costs.tolist(), types="B" * len(costs))
    model.linear_constraints.add(
        lin_expr=[[list(row.coefficients), list(row.coefficients.values())] for row in rows],
        senses="".join("E" if row.low == row.high else "L" for row in rows),
        rhs=[row.high for row in rows],
    )
    model.solve()
    if not model.solution.is_primal_feasible():
        if model.solution.get_status() == model.solution.status.MIP_infeasible:
            raise ImpossibleError
        return None
    optimal = model.solution.get_status() in (
        model.solution.status.MIP_optimal,
        model.solution.status.optimal_tolerance,
    )
    return np.round(model.solution.get_values()) if optimal else None


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ValueError(
            f"this needs {name}, which is not installed; 'pip install {PACKAGES[name]}' brings it"
        ) from error


PACKAGES = {"highspy": "metasmith[milp]", "cplex": "cplex"}
SOLVERS: dict[str, Solver] = {"highs": _highs, "cplex": _cplex}


def _cranks(a: int, c: int) -> int:
    return STARTERS * a + c


def _feeds(b: int, a: int) -> int:
    return CRANKS + STARTED * b + a
