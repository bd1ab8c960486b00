"""Amounts, and the ranges of hyperparameters; roles, and what makes a class a component."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasmith.components import COMPONENTS, Role
from metasmith.components.roles import choose, search, select
from metasmith.components.settings import COUNTS, EXPONENTS, SHARES, Amount

numbers = st.one_of(st.floats(1e-9, 1e9), st.integers(0, 10**6).map(float))


@given(numbers, st.sampled_from(["", "%", "/d"]))
def test_amounts_are_text_both_ways(number, unit):
    amount = Amount(number, unit)
    assert Amount.parse(str(amount)) == amount


@pytest.mark.parametrize("text", ["", "-1", "x", "1 %", "1/n", "%", "1e400", "nan", ".5", "1/d%"])
def test_other_words_are_no_amounts(text):
    with pytest.raises(ValueError, match=r"expected a number such as 3, 0\.7, 5% or 1/d"):
        Amount.parse(text)


@pytest.mark.parametrize(
    ("text", "dimension", "number"),
    [
        ("3", 2, 3.0), ("0.7", 100, 0.7), ("5%", 100, 5.0), ("5%", 625, 31.0), ("1%", 7, 1.0), ("100%", 7, 7.0),
        ("1/d", 50, 0.02), ("0.5/d", 4, 0.125), ("4/d", 2, 1.0),
    ],
)  # fmt: skip
def test_amounts_are_numbers_at_a_dimension(text, dimension, number):
    assert Amount.parse(text).at(dimension) == number


@pytest.mark.parametrize(
    ("allowed", "inside", "outside"),
    [
        (COUNTS, "1 2 1000 0.5% 100%", "0 1.5 101% 0% 1/d"),
        (SHARES, "0.1 1 1e-9 0.5/d 200/d", "0 1.1 5% 0/d"),
        (EXPONENTS, "1.5 4 1.0001", "1 4.5 10% 2/d"),
    ],
)
def test_ranges_say_what_they_expect(allowed, inside, outside):
    for text in inside.split():
        allowed.check(Amount.parse(text))
    for text in outside.split():
        with pytest.raises(ValueError, match="expected a"):
            allowed.check(Amount.parse(text))


@pytest.mark.parametrize("allowed", [COUNTS, SHARES, EXPONENTS])
def test_every_value_on_a_grid_is_in_its_range_and_there_once(allowed):
    for amount in allowed.grid:
        allowed.check(amount)
    assert len(set(allowed.grid)) == len(allowed.grid)


def test_components_are_found_in_alphabetical_order_with_a_meaning():
    assert list(COMPONENTS) == sorted(COMPONENTS)
    assert {component.role for component in COMPONENTS.values()} == set(Role)
    for name, component in COMPONENTS.items():
        assert component.name == name
        assert component.meaning.endswith(".")


def test_the_language_has_every_component_of_its_table():
    table = """traverse roulette_wheel tournament nich reset_n reset_rand reset_creep cross_n cross_uniform reinitialize
        greedy_select
        pairwise_select round_robin_select simulated_annealing_select tabu always_select"""
    assert set(table.split()) <= set(COMPONENTS)


def test_a_component_needs_a_docstring_and_a_kernel():
    with pytest.raises(TypeError, match="needs a docstring and a kernel"):

        @choose
        class silent:
            def any(pool, population, fitness, shape, parents, memory, rng): ...

    with pytest.raises(TypeError, match="needs a docstring and a kernel"):

        @select
        class idle:
            """Does nothing."""


def test_a_kernel_for_any_representation_serves_all():
    @choose
    class everywhere:
        """Takes anything. And more."""

        def any(pool, population, fitness, shape, parents, memory, rng): ...

    @search(n=COUNTS)
    class somewhere:
        """Takes bits.

        Only bits.
        """

        def bits(pool, moving, shape, settings, others, memory, rng): ...

        def _helper(pool): ...

    assert everywhere.kernel("bits") is everywhere.kernel("permutations") is not None
    assert somewhere.kernel("integers") is None
    assert list(somewhere.kernels) == ["bits"]
    assert somewhere.meaning == "Takes bits."
    assert (somewhere.role, somewhere.name, list(somewhere.settings)) == (Role.SEARCH, "somewhere", ["n"])
