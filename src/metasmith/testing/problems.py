"""What every built-in problem must keep to."""

import numpy as np

from metasmith.chance import seeded
from metasmith.engine import Job, run
from metasmith.engine.evaluators import evaluator
from metasmith.problems import Native, Problem
from metasmith.program import named
from metasmith.testing.bench import quiet
from metasmith.testing.representations import random_rows

CHANGES = 3
"""Steps between a parent and a child whose value comes from the parent's."""


def check_problem(problem: Problem) -> None:
    """Raise AssertionError if a built-in problem breaks the contract."""
    variables, how = problem.variables, problem.how
    assert isinstance(how, Native), f"{problem.name} is not a built-in problem"
    rows = random_rows(variables, 20)
    work = np.zeros(how.work, np.uint64)
    plain = np.array([quiet(how.kernel)(row[: variables.cells], how.tables, work) for row in rows])
    fast = evaluator(problem).fitness(rows) * (1.0 if problem.maximise else -1.0)
    np.testing.assert_array_equal(plain, fast, err_msg=f"{problem.name}: plain and compiled")
    np.testing.assert_array_equal(problem.values(variables.to_vectors(rows)), plain)
    assert np.isfinite(plain).all(), f"{problem.name} has values that are no numbers"
    check_update(problem, how)
    for name in variables.references:
        result = run(Job(named(name), problem, 200, seed=1))
        assert result.nfev == 200
        assert result.fun == problem(result.x)
        if problem.optimum is not None:
            sign = 1.0 if problem.maximise else -1.0
            slack = 1e-9 * max(1.0, abs(problem.optimum))
            assert sign * result.fun <= sign * problem.optimum + slack, f"{problem.name}: better than the optimum"


def check_update(problem: Problem, how: Native) -> None:
    """The value from the parent's has the same bits as the value from nothing."""
    if how.update is None:
        return
    variables, rng = problem.variables, seeded("update", problem.name)
    work = np.zeros(how.work, np.uint64)
    for row in random_rows(variables, 20):
        parent = row.copy()
        value = quiet(how.kernel)(parent[: variables.cells], how.tables, work)
        for _ in range(CHANGES):
            quiet(variables.step)(row, variables.shape, rng)
            child, above = row[: variables.cells], parent[: variables.cells]
            updated = quiet(how.update)(child, above, value, how.tables, work)
            whole = quiet(how.kernel)(child, how.tables, work)
            assert updated == whole, f"{problem.name}: {updated!r} from the parent, {whole!r} from nothing"
