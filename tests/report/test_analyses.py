"""How a comparison is shown."""

import numpy as np

from metasmith.report.analyses import mean_and_deviation


def test_small_values_can_be_told_apart():
    assert mean_and_deviation(np.array([0.0391, 0.0393])) == "0.0392 ± 0.00014"
    assert mean_and_deviation(np.array([-0.5, -0.5])) == "-0.5 ± 0"


def test_large_values_are_short():
    assert mean_and_deviation(np.array([673.0, 674.0])) == "673.5 ± 0.71"
    assert mean_and_deviation(np.array([195625.0, 195625.0])) == "195625 ± 0"


def test_what_is_not_feasible_is_said():
    assert mean_and_deviation(np.array([2.0, 4.0, np.nan])) == "3 ± 1.41, 1 infeasible"
    assert mean_and_deviation(np.array([np.nan, np.nan])) == "infeasible in all 2 runs"
