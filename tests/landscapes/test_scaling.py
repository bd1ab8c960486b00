"""What a network is given."""

import numpy as np
import pytest

from metasmith.landscapes import NAMES
from metasmith.landscapes.scaling import evened, frozen, scaled


@pytest.mark.parametrize(
    ("name", "value", "even"),
    [
        ("disp.ratio_mean_02", 0.98, -2.0),
        ("disp.diff_mean_02", -3.0, -3.0),
        ("ela_meta.lin_simple.intercept", -99.0, -2.0),
        ("ela_meta.lin_simple.intercept", 9.0, 1.0),
        ("ela_meta.lin_simple.coef.min", 0.0, -5.0),
        ("ela_meta.lin_simple.coef.max", 1e40, 15.0),
        ("ela_meta.lin_simple.coef.max_by_min", 1e9, 3.0),
        ("ela_meta.quad_simple.cond", 0.5, 0.0),
        ("ic.eps_max", 0.01, -2.0),
        ("ic.eps_s", -1.5, -1.5),
        ("ic.h_max", np.nan, 0.0),
        ("disp.ratio_median_25", np.inf, 0.0),
    ],
)
def test_the_even_scale(name, value, even):
    assert evened(name, value, 100) == pytest.approx(even)


def test_the_constants_are_those_of_every_factor():
    mean, deviation = frozen()["mean"], frozen()["deviation"]
    assert set(mean) == set(deviation) == set(NAMES)
    assert min(deviation.values()) > 0
    assert (mean["ic.h_max"], deviation["ic.h_max"]) == (0.69527, 0.20769)


def test_the_mean_becomes_zero_and_a_deviation_one():
    mean, deviation = frozen()["mean"]["ic.m0"], frozen()["deviation"]["ic.m0"]
    assert scaled(("ic.m0",), np.array([mean]), 100).tolist() == [0.0]
    assert scaled(("ic.m0",), np.array([mean + deviation]), 100).tolist() == [1.0]


def test_a_network_may_have_constants_of_its_own():
    own = {"mean": {"ic.m0": 1.0}, "deviation": {"ic.m0": 2.0}}
    assert scaled(("ic.m0",), np.array([2.0]), 100, own).tolist() == [0.5]


def test_it_has_bounds_and_six_decimals():
    assert scaled(("ic.h_max", "ic.m0"), np.array([1e9, -1e9]), 100).tolist() == [4.0, -4.0]
    (rounded,) = scaled(("ic.m0",), np.array([1 / 3]), 100).tolist()
    assert rounded == round(rounded, 6)
