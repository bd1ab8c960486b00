"""The analytical solver: one shot breaks AC limits, cuts prove the optimum, and a time limit is kept."""

import sys

import numpy as np
import pytest

from metasmith.problems.restoration import milp, restoration
from metasmith.problems.restoration.instance import Instance
from metasmith.problems.restoration.milp import CHOICES, linear, one_shot, with_cuts
from metasmith.problems.restoration.plan import plan

pytest.importorskip("highspy", reason="the analytical solver is an extra: pip install metasmith[milp]")
TRAIN, TEST = Instance.of((33, 37)), Instance.of((30, 35))


@pytest.mark.parametrize(("instance", "minutes", "fitness"), [(TRAIN, 836.2, 1183.5), (TEST, 822.3, 1262.7)])
def test_one_shot_finds_a_plan_that_breaks_ac_limits(instance, minutes, fitness):
    solved = one_shot(instance)
    assert solved.bound == solved.plan.minutes == minutes
    assert solved.plan.fitness == pytest.approx(fitness, abs=0.05)
    assert (solved.proved, solved.solves, solved.plan.feasible) == (False, 1, False)
    assert solved.message == f"breaks AC limits; no plan takes less than {minutes} minutes"
    assert all(solved.plan.violations[name] == 0 for name in ("one_hot", "bs_cranking", "nbs_power", "deadline"))


@pytest.mark.slow
def test_cplex_proves_the_same():
    pytest.importorskip("cplex", reason="CPLEX is not free; it is tested where somebody has it")
    assert one_shot(TEST, solver="cplex").plan.minutes == 822.3
    solved = with_cuts(TEST, solver="cplex")
    assert (solved.proved, solved.plan.minutes) == (True, 879.4)
    with pytest.raises(ValueError, match="no plan keeps even the linear limits"):
        one_shot(Instance.of((30, 33)), solver="cplex")


@pytest.mark.slow
@pytest.mark.parametrize(("instance", "optimum"), [(TRAIN, 841.4), (TEST, 879.4), (Instance.of((30, 35), 0.8), 900.0)])
def test_cuts_prove_the_optimum(instance, optimum):
    solved = with_cuts(instance)
    assert solved.bound == solved.plan.minutes == solved.plan.fitness == optimum
    assert solved.proved
    assert solved.plan.feasible
    assert plan(instance, solved.x) == solved.plan
    assert solved.message.startswith("proved optimal")


def test_the_linear_part_has_184_variables_and_47_rows():
    costs, rows = linear(TEST)
    assert (len(costs), len(rows)) == (CHOICES, 47) == (184, 47)


def test_a_time_limit_is_one_line():
    with pytest.raises(
        ValueError, match=r"a time limit of 1e-06 s is too short for highs to find a single plan; give it more"
    ):
        with_cuts(TEST, seconds=1e-6)


def test_a_time_limit_between_two_solves_leaves_the_bound(monkeypatch):
    times = iter([0.0, 0.0, 5.0, 6.0])
    monkeypatch.setattr("metasmith.problems.restoration.milp.time.perf_counter", lambda: next(times))
    solved = with_cuts(TEST, seconds=4)
    assert (solved.bound, solved.solves, solved.proved) == (822.3, 1, False)
    assert solved.message == "time limit of 4 s reached; no plan takes less than 822.3 minutes"


def test_units_that_cannot_do_it_are_one_line():
    with pytest.raises(
        ValueError, match="no plan keeps even the linear limits; choose other black-start units or a lower load level"
    ):
        one_shot(Instance.of((30, 33)))


def test_other_units_have_another_optimum():
    units = Instance.of((35, 37))
    solved = with_cuts(units)
    assert solved.proved
    assert solved.plan.minutes >= one_shot(units).bound
    assert restoration(units, name="mine")(solved.x) == pytest.approx(solved.plan.minutes)


def test_when_cuts_leave_nothing_it_is_the_limits_of_all_stages(monkeypatch):
    """A solver that finds a plan which fails, then nothing more."""
    failing = iter([np.eye(CHOICES)[0]])

    def solver(costs, rows, seconds):
        for solved in failing:
            return solved
        raise milp.ImpossibleError

    monkeypatch.setitem(milp.SOLVERS, "highs", solver)
    with pytest.raises(
        ValueError, match="no plan keeps all limits; choose other black-start units or a lower load level"
    ):
        with_cuts(TEST)


def test_a_solver_that_is_not_there_is_one_line(monkeypatch):
    with pytest.raises(ValueError, match="there is no solver 'gurobi'; there are highs, cplex"):
        one_shot(TEST, solver="gurobi")
    monkeypatch.setitem(sys.modules, "cplex", None)
    with pytest.raises(ValueError, match="this needs cplex, which is not installed; 'pip install cplex' brings it"):
        one_shot(TEST, solver="cplex")
