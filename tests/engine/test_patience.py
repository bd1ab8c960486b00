"""Children equal to their parents cost nothing, until so many in a row that the run would not end."""

import subprocess
import sys

import numpy as np

import metasmith as ms


def test_a_run_that_can_change_nothing_ends():
    """Nobody to cross with: every child is its parent, and without patience no evaluation would ever be spent."""
    code = """
import metasmith as ms
for problem in (ms.Problem(lambda x: float(x.sum()), ms.Bits(6)), "pbo:F1@20"):
    result = ms.solve("population 1; cross_uniform(p=0.5)", problem, evaluations=30)
    assert (result.nfev, result.message) == (30, "all evaluations spent")
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)  # apart, as nothing stops a compiled loop


def test_patience_lasts_two_hundred_children():
    """One bit that is flipped with probability q, and every child is accepted.

    A child that is not flipped is evaluated only after 200 others in a row, so for every flip there are on average
    (1 - q)^200 / q such evaluations: 0.25, where patience of 100 would have 3.2, and one of 400 next to none.
    """
    q, seen = 0.025, []

    def noted(x: np.ndarray) -> float:
        seen.append(int(x[0]))
        return 0.0

    problem = ms.Problem(noted, ms.Bits(1), isolate=False)  # so that we see what it notes
    ms.solve(f"population 1; reset_rand(p={q}); always_select", problem, evaluations=20_000)
    flips = int(np.count_nonzero(np.diff(seen)))
    idle = len(seen) - 1 - flips
    assert 0.15 < idle / flips < 0.4
