"""Values from the parent's: asked for where the parent's value is known, and with the same result."""

import numpy as np
import pytest
from engine_helpers import SPACES, same

from metasmith.arrays import tables
from metasmith.engine import Job, run
from metasmith.problems import Problem
from metasmith.program import Program, named, random_program
from metasmith.representations import Bits, Integers
from metasmith.testing.problems import check_problem

CALLS, UPDATES = 0, 1
"""Positions in the tables where kernels count how often they were called."""


def weighted(row, tables, work):
    """The weighted sum of some numbers; whole numbers, so that sums and differences are exact."""
    tables.reals[CALLS] += 1.0
    total = 0.0
    for i in range(len(row)):
        total += (i + 1) * float(row[i] & 1023)
    return total


def from_parent(row, parent, value, tables, work):
    """The same from the parent's value, where they differ."""
    tables.reals[UPDATES] += 1.0
    for i in range(len(row)):
        value += (i + 1) * (float(row[i] & 1023) - float(parent[i] & 1023))
    return value


def problem(variables, *, updated: bool, direction="max") -> Problem:
    return Problem.native(
        weighted, variables, name="weighted", tables=tables(reals=[0.0, 0.0]), direction=direction,
        update=from_parent if updated else None,
    )  # fmt: skip


@pytest.mark.parametrize("direction", ["max", "min"])
@pytest.mark.parametrize("variables", [Integers([3, 5, 2, 9, 4, 7, 6]), Integers(4, 20), Bits(130)], ids=str)
def test_runs_are_the_same_and_take_fewer_whole_evaluations(variables, direction):
    programs = [*(random_program(space, seed) for space in SPACES for seed in range(12)), named("ils"), named("ga")]
    fewer = 0
    for program in programs:
        whole, quick = (problem(variables, updated=updated, direction=direction) for updated in (False, True))
        results = [run(Job(program, each, 300, seed=3)) for each in (whole, quick)]
        assert same(*results), program
        calls, updates = quick.how.tables.reals
        assert calls + updates == 300 == whole.how.tables.reals[CALLS]
        fewer += calls < 300
    assert fewer > len(programs) / 2


def test_the_first_solutions_and_restarts_have_no_parents():
    quick = problem(Integers(4, 9), updated=True)
    run(Job(Program.parse("population 5; reinitialize"), quick, 100, seed=1))
    assert quick.how.tables.reals.tolist() == [100.0, 0.0]
    climbing = problem(Integers(4, 9), updated=True)
    run(Job(Program.parse("population 5; reset_n(n=1)"), climbing, 100, seed=1))
    assert climbing.how.tables.reals.tolist() == [5.0, 95.0]


def test_the_suite_checks_updates():
    check_problem(problem(Integers(4, 9), updated=True))

    def wrong(row, parent, value, tables, work):
        return value + 1.0

    broken = Problem.native(weighted, Integers(4, 9), name="weighted", tables=tables(reals=[0.0, 0.0]), update=wrong)
    with pytest.raises(AssertionError, match="from the parent"):
        check_problem(broken)


def test_rows_are_handed_over_without_padding():
    lengths = set()

    def length(row, tables, work):
        return float(len(row))

    for n in (1, 2, 3, 8, 9):
        lengths.add(run(Job(named("rls"), Problem.native(length, Integers(3, n), name="length"), 20, seed=1)).fun - n)
    assert lengths == {0.0}
    assert Problem.native(length, Integers(3, 9), name="length").values(np.zeros((200, 9), int)).tolist() == [9.0] * 200
