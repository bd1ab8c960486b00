"""Meta models equal flacco's regressions; products of variables are estimated, within a band."""

import numpy as np
import pytest
from golden_landscape import CONTINUOUS, SAMPLES, case
from hypothesis import given, settings
from hypothesis import strategies as st

from metasmith.landscapes.meta_model import NAMES, fit, meta_model, pairs_share, weighted_products

SIMPLE = [name for name in NAMES if "lin_simple" in name]
QUADRATIC = ["ela_meta.quad_simple.adj_r2", "ela_meta.quad_simple.cond"]


def factors(points, values):
    return dict(zip(NAMES, meta_model(points, values), strict=True))


@pytest.mark.parametrize("name", [*CONTINUOUS, *SAMPLES])
def test_the_linear_model_is_that_of_pflacco(name):
    points, values, golden = case(name)
    model = factors(points, values)
    for factor in SIMPLE:
        assert model[factor] == pytest.approx(golden["ela_meta"][factor], rel=1e-6, abs=1e-6), factor


@pytest.mark.parametrize("name", [*CONTINUOUS, "quaternary_d12_n300"])
def test_the_quadratic_model_is_that_of_pflacco_where_variables_have_more_than_two_values(name):
    points, values, golden = case(name)
    model = factors(points, values)
    for factor in QUADRATIC:
        assert model[factor] == pytest.approx(golden["ela_meta"][factor], rel=1e-6), factor


@pytest.mark.parametrize("name", SAMPLES)
def test_products_explain_about_what_the_whole_regression_says(name):
    points, values, golden = case(name)
    assert factors(points, values)["ela_meta.lin_w_interact.adj_r2"] == pytest.approx(
        golden["ela_meta"]["ela_meta.lin_w_interact.adj_r2"], abs=0.025
    )


@pytest.mark.parametrize("name", ["leadingones_d20_n400", "labs_d20_n1000"])
def test_of_two_values_the_quadratic_model_is_the_linear_one(name):
    points, values, _ = case(name)
    model = factors(points, values)
    assert model["ela_meta.quad_simple.adj_r2"] == model["ela_meta.lin_simple.adj_r2"]
    assert model["ela_meta.quad_simple.cond"] == model["ela_meta.lin_simple.coef.max_by_min"]
    assert model["ela_meta.quad_w_interact.adj_r2"] == model["ela_meta.lin_w_interact.adj_r2"]


def test_a_sum_of_products_is_explained_by_products_only():
    points = np.random.default_rng(1).integers(0, 2, (2000, 30))
    signs = 2 * points - 1
    model = factors(points, (signs * np.roll(signs, 1, axis=1)).sum(axis=1).astype(float))
    assert model["ela_meta.lin_simple.adj_r2"] == pytest.approx(0, abs=0.03)
    assert model["ela_meta.lin_w_interact.adj_r2"] == pytest.approx(1, abs=0.1)


def test_noise_is_explained_by_nothing():
    random = np.random.default_rng(2)
    model = factors(random.integers(0, 4, (2000, 25)), random.normal(size=2000))
    assert max(abs(model[name]) for name in NAMES if name.endswith("adj_r2")) < 0.05


def test_chance_is_taken_off_without_bias():
    random = np.random.default_rng(3)
    shares = [
        pairs_share(z, z, random.normal(size=300), 0) / 2
        for z in (random.choice([-1.0, 1.0], (300, 12)) for _ in range(300))
    ]
    assert abs(np.mean(shares)) < 4 * np.std(shares) / np.sqrt(300)


def test_squares_and_products_of_squares_are_found():
    points = np.random.default_rng(4).integers(0, 4, (3000, 12))
    bend = (points - 1.5) ** 2
    assert factors(points, bend.sum(axis=1))["ela_meta.quad_simple.adj_r2"] == pytest.approx(1)
    assert factors(points, bend.sum(axis=1))["ela_meta.quad_simple.cond"] == pytest.approx(1)
    products = factors(points, (bend[:, 0] - 1.25) * (bend[:, 1] - 1.25) + points[:, 2] * (bend[:, 3] - 1.25))
    assert products["ela_meta.quad_w_interact.adj_r2"] == pytest.approx(1, abs=0.1)


def test_variables_that_do_not_vary_do_not_count():
    points, values, _ = case("quaternary_d12_n300")
    np.testing.assert_array_equal(meta_model(np.insert(points, 5, 3, axis=1), values), meta_model(points, values))


def test_two_values_and_more_may_be_mixed():
    random = np.random.default_rng(5)
    points = np.concatenate([random.integers(0, 2, (2000, 6)), random.integers(0, 5, (2000, 6))], axis=1)
    model = factors(points, (points**2).sum(axis=1).astype(float))
    assert model["ela_meta.quad_simple.adj_r2"] == pytest.approx(1)
    assert model["ela_meta.quad_simple.cond"] == pytest.approx(1)


def test_one_value_has_no_model():
    assert meta_model(np.eye(5), np.full(5, 7.0)).tolist() == [0, 7, 0, 0, 1, 0, 0, 1, 0]


def test_the_ratio_of_coefficients_has_a_bound():
    points = np.random.default_rng(6).integers(0, 2, (500, 9))
    assert factors(points, points[:, 3].astype(float))["ela_meta.lin_simple.coef.max_by_min"] == pytest.approx(1000)


def test_the_fit_is_least_squares():
    random = np.random.default_rng(7)
    columns, y = random.normal(size=(200, 7)), random.normal(size=200)
    weights, rest, _ = fit(columns, y)
    np.testing.assert_allclose(weights, np.linalg.lstsq(columns, y)[0], rtol=1e-7)
    np.testing.assert_allclose(columns.T @ rest, 0, atol=1e-6)


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_a_matrix_times_itself_may_be_weighted(seed):
    random = np.random.default_rng(seed)
    a, weights = random.normal(size=(40, 6)), random.normal(size=40)
    np.testing.assert_allclose(weighted_products(a, a, weights), weighted_products(a, a.copy(), weights), atol=1e-12)
