"""How a comparison is shown."""

import numpy as np

from metasmith.analysis.compare import cell


def test_small_values_can_be_told_apart():
    assert cell(np.array([0.0391, 0.0393])) == "0.0392 ± 0.00014"
    assert cell(np.array([-0.5, -0.5])) == "-0.5 ± 0"


def test_large_values_are_short():
    assert cell(np.array([673.0, 674.0])) == "673.5 ± 0.71"
    assert cell(np.array([195625.0, 195625.0])) == "195625 ± 0"


def test_what_is_not_feasible_is_said():
    assert cell(np.array([2.0, 4.0, np.nan])) == "3 ± 1.41, 1 infeasible"
    assert cell(np.array([np.nan, np.nan])) == "infeasible in all 2 runs"
