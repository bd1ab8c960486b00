"""An exported file finds what the engine finds, bit for bit."""

import pytest
from export_helpers import BITS, FUNCTIONS, INTEGERS, assert_same, everything, plateau, rugged
from hypothesis import given, settings
from hypothesis import strategies as st

import metasmith as ms
from metasmith.components import COMPONENTS
from metasmith.export import exported
from metasmith.program import canonical, named, names, random_program, works_on
from metasmith.space import Space
from metasmith.testing.exported import loaded

SPACES = [Space.named("paper"), Space.named("full").on("bits")]  # what works on bits works on all variables
VARIABLES = [BITS, INTEGERS]
sizes = st.sampled_from([1, 2, 7, 20, 64, 65])


@pytest.mark.parametrize(
    ("name", "variables"),
    [(name, variables) for name in names() for variables in VARIABLES if works_on(named(name), variables.name)],
)
def test_known_algorithms(name, variables):
    program = named(name)
    direction = "min" if len(name) % 2 else "max"
    assert_same(
        loaded(exported(program, type(variables))),
        program,
        rugged,
        variables,
        evaluations=333,
        seed=4,
        direction=direction,
    )


@pytest.mark.parametrize("number", range(20))
@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_random_programs(space, number):
    program = random_program(space, number)
    for variables in VARIABLES:
        module = loaded(exported(program, type(variables)))
        direction = ("max", "min")[number % 2]
        assert_same(
            module, program, FUNCTIONS[number % 3], variables, evaluations=210, seed=number, direction=direction
        )


@settings(max_examples=20)
@given(
    st.builds(random_program, st.sampled_from(SPACES), st.integers(0, 2**32)),
    st.one_of(
        sizes.map(ms.Bits), sizes.map(lambda size: ms.Integers([2, 1, 40, 3, 5, 4, 7][:size] + [3] * max(0, size - 7)))
    ),
    st.sampled_from([1, 2, 5, 49, 50, 51, 130]),
    st.integers(0, 2**40),
    st.sampled_from(["max", "min"]),
)
def test_any_program_on_any_variables_with_any_evaluations(program, variables, evaluations, seed, direction):
    assert_same(
        loaded(exported(program, type(variables))),
        program,
        rugged,
        variables,
        evaluations=evaluations,
        seed=seed,
        direction=direction,
    )


@pytest.mark.parametrize("number", range(10))
def test_programs_for_integers_only(number):
    drawn = random_program(Space.named("full").on("integers"), number)
    program = ms.Program(5, (*ms.Program.parse("population 5; swap").snippets, *drawn.snippets))
    assert_same(loaded(exported(program, ms.Integers)), program, rugged, INTEGERS, evaluations=210, seed=number)


@pytest.mark.parametrize("population", [1, 2, 6])
@pytest.mark.parametrize("variables", VARIABLES, ids=str)
def test_every_component(variables, population):
    program = everything(variables, population)
    module = loaded(exported(program, type(variables)))
    for function in FUNCTIONS:
        assert_same(module, program, function, variables, evaluations=900, seed=1)


def test_every_component_is_in_the_program_that_is_said_to_have_all():
    for variables in VARIABLES:
        usable = {name for name, component in COMPONENTS.items() if component.kernel(variables.name)}
        assert {snippet.component for snippet in canonical(everything(variables)).snippets} == usable


@pytest.mark.slow
@pytest.mark.parametrize("variables", VARIABLES, ids=str)
def test_every_component_compiled(variables):
    program = everything(variables)
    module = loaded(exported(program, type(variables)), numba=True)
    for function in FUNCTIONS:
        for direction in ("max", "min"):
            assert_same(module, program, function, variables, evaluations=3000, seed=2, direction=direction)


FORKS = """population 10
tournament               fork 2
reset_n(n=5%)            fork 3
cross_uniform(p=0.7)
reset_adaptive           fork 2
reset_rand(p=1/d)        iterate until 5%
reset_n(n=1)             iterate until local_optimum
greedy_select            iterate until stagnation
reinitialize             iterate until 2%
best_half
sample_marginals
always_select
"""


@pytest.mark.parametrize("population", [1, 3, 10])
def test_forks_and_loops(population):
    program = ms.Program.parse(FORKS.replace("population 10", f"population {population}"))
    for variables in VARIABLES:
        assert_same(loaded(exported(program, type(variables))), program, rugged, variables, evaluations=900, seed=3)


@pytest.mark.parametrize("population", [1, 5])
def test_children_that_never_change_are_evaluated_all_the_same(population):
    program = ms.Program.parse(f"population {population}\nbest\ncross_uniform(p=0.5)")
    assert_same(loaded(exported(program, ms.Bits)), program, plateau, BITS, evaluations=50, seed=0)


def infinite(x):
    return float("inf") if x[0] else float("-inf")


def enormous(x):
    return 1e305 if x.sum() == 6 else -1e250 * (1 + x.sum())


@pytest.mark.parametrize("function", [infinite, enormous])
@pytest.mark.parametrize("direction", ["max", "min"])
@pytest.mark.parametrize("evaluations", [1, 60])
def test_values_beyond_all_bounds(function, direction, evaluations):
    program = ms.Program.parse("population 4\nreset_n(n=1)\nsimulated_annealing_select")
    assert_same(
        loaded(exported(program, ms.Bits)),
        program,
        function,
        ms.Bits(6),
        evaluations=evaluations,
        seed=1,
        direction=direction,
    )


def test_a_problem_with_a_name_of_its_own():
    """Random numbers depend on the name; a problem given as it is brings it along."""
    program, problem = named("ea"), ms.Problem(rugged, ms.Bits(30), name="another name")
    ours = ms.solve(program, problem, evaluations=200, seed=3)
    theirs = loaded(exported(program, ms.Bits)).optimize(problem, 30, evaluations=200, seed=3)
    assert (theirs.x.tolist(), theirs.fun) == (ours.x.tolist(), ours.fun)
