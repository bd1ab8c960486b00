"""Every component keeps the contract of its role, on every representation, at awkward dimensions and population sizes."""

import numpy as np
import pytest
from component_bench import REPRESENTATIONS, Bench, bench, of_role, settings_of, twin, variables_of

from metasmith.components import COMPONENTS, Role
from metasmith.components.roles import OWN, SUCCEEDED, TRIED
from metasmith.engine import Job, run
from metasmith.problems import Problem
from metasmith.program import Program
from metasmith.representations import Bits

DIMENSIONS = (1, 7, 64, 65, 100)
SIZES = (1, 2, 3, 50)


def at_every_dimension(role: Role | None = None):
    """With every component, of a role or of all, on every representation that it works on."""
    names = list(COMPONENTS) if role is None else of_role(role)
    pairs = [(name, each) for name in names for each in REPRESENTATIONS if COMPONENTS[name].kernel(each)]

    def decorate(test):
        return pytest.mark.parametrize(("name", "representation"), pairs)(
            pytest.mark.parametrize("dimension", DIMENSIONS)(test)
        )

    return decorate


def assert_solutions(given: Bench, slots: np.ndarray) -> None:
    """Every row is a solution: bits beyond the length are zero, integers below their number of values."""
    rows = given.pool[slots]
    np.testing.assert_array_equal(given.variables.to_rows(given.variables.to_vectors(rows)), rows)
    for vector in given.variables.to_vectors(rows):
        given.variables.check(vector)


def assert_rest_untouched(now: Bench, then: Bench, *written: str) -> None:
    assert now.guarded.untouched()
    for name in {"pool", "fitness", "population", "children", "parents", "kept"} - set(written):
        np.testing.assert_array_equal(getattr(now, name), getattr(then, name), err_msg=name)


@at_every_dimension(Role.CHOOSE)
def test_choosers_write_slots_of_the_population_and_nothing_else(name, representation, dimension):
    for size in SIZES:
        given = bench(variables_of(representation, dimension), size)
        for _ in range(3):
            before = twin(given)
            given.parents[:] = -1
            given.choose(name)
            assert_rest_untouched(given, before, "parents")
            assert np.isin(given.parents, given.population).all()


@at_every_dimension(Role.SEARCH)
def test_searchers_change_the_rows_in_hand_and_nothing_else(name, representation, dimension):
    for size in SIZES:
        given = bench(variables_of(representation, dimension), size)
        for setting in settings_of(name, dimension):
            given.memory[:] = 0.0  # each setting is a snippet of its own
            for count in {1, (size + 1) // 2, size}:
                moving = given.guarded(given.children[:count])
                before = twin(given)
                given.search(name, setting, moving)
                assert_rest_untouched(given, before, "pool")
                others = np.setdiff1d(np.arange(2 * size), moving)
                np.testing.assert_array_equal(given.pool[others], before.pool[others])
                np.testing.assert_array_equal(moving, given.children[:count])
                assert_solutions(given, moving)
                assert given.memory[TRIED] == given.memory[SUCCEEDED] == 0.0


@at_every_dimension(Role.SELECT)
def test_selectors_write_slots_of_population_and_children_and_nothing_else(name, representation, dimension):
    for size in SIZES:
        given = bench(variables_of(representation, dimension), size)
        for progress in (0.01, 0.5, 1.0):
            given.progress = progress
            given.kept[:] = -1
            before = twin(given)
            given.select(name)
            assert_rest_untouched(given, before, "kept")
            assert np.isin(given.kept, np.concatenate([given.population, given.children])).all()


@at_every_dimension()
def test_plain_kernel_equals_compiled_kernel_and_draws_the_same_numbers(name, representation, dimension):
    role = COMPONENTS[name].role
    grid = settings_of(name, dimension)
    for size in (1, 2, 3, 50 if dimension == 65 else 8):
        for setting in {min(grid), grid[len(grid) // 2], max(grid)}:
            plain = bench(variables_of(representation, dimension), size, seed=1)
            fast = twin(plain)
            for turn in range(2):
                for given, how in ((plain, "plain"), (fast, "compiled")):
                    if role is Role.SEARCH:
                        given.memory[TRIED], given.memory[SUCCEEDED] = 10.0, 10.0 * turn
                        given.search(name, setting, how=how)
                    else:
                        getattr(given, role)(name, how=how)
                for part in ("pool", "parents", "kept", "memory", "rng"):
                    np.testing.assert_array_equal(getattr(plain, part), getattr(fast, part), err_msg=part)


@at_every_dimension()
def test_it_runs_in_a_program(name, representation, dimension):
    variables = variables_of(representation, dimension)
    problem = Problem(lambda x: float(x.sum() - 3 * x[0]), variables)
    for size in SIZES:
        result = run(Job(Program.parse(f"population {size}; {around(name)}"), problem, 130, seed=size))
        variables.check(result.x)
        assert result.nfev == 130
        assert result.fun == problem(result.x)
        assert result.fun >= result.history.values[0]


def around(name: str) -> str:
    """A program that uses a component."""
    settings = ", ".join(f"{setting}={allowed.grid[1]}" for setting, allowed in COMPONENTS[name].settings.items())
    match COMPONENTS[name].role:
        case Role.CHOOSE:
            return f"{name}; reset_n(n=1)"
        case Role.SEARCH:
            return f"{name}({settings})" if settings else name
        case Role.SELECT:
            return f"reset_n(n=1); {name}"


def test_what_works_on_bits_works_on_integers():
    for name, component in COMPONENTS.items():
        assert component.kernel("integers") is not None, name
    assert [name for name, component in COMPONENTS.items() if not component.kernel("bits")] == ["swap"]


def test_memory_of_own_starts_where_the_engine_does_not_write():
    assert max(TRIED, SUCCEEDED) < OWN


def test_the_bench_sees_a_kernel_that_writes_beyond_its_rows():
    given = bench(Bits(65), 3)
    assert given.guarded.untouched()
    whole, _ = given.guarded.guards[0]
    whole[-1, 0] ^= np.uint64(1)
    assert not given.guarded.untouched()


def test_the_bench_sees_a_bit_beyond_the_length():
    given = bench(Bits(65), 3)
    given.pool[given.children[0], 1] |= np.uint64(2)
    with pytest.raises(AssertionError):
        assert_solutions(given, given.children)
