"""Every component keeps the contract of its role, and the suite that says so sees what does not."""

import numpy as np
import pytest

from metasmith.components import COMPONENTS
from metasmith.components.roles import OWN, RESTARTS, SUCCEEDED, TRIED, asks_for, choose, joined, kernels_of, search
from metasmith.components.settings import COUNTS, SHARES
from metasmith.representations import Bits
from metasmith.testing import check_component
from metasmith.testing.bench import bench
from metasmith.testing.components import assert_solutions, check_searching, check_selecting


@pytest.mark.parametrize("name", COMPONENTS)
def test_contract(name):
    check_component(name)


def test_what_works_on_bits_works_on_integers():
    for name, component in COMPONENTS.items():
        if component.kernel("bits"):
            assert component.kernel("integers") is not None, name


def test_memory_of_own_starts_where_the_engine_does_not_write():
    assert max(TRIED, SUCCEEDED, RESTARTS) < OWN


def test_the_bench_sees_a_kernel_that_writes_beyond_its_rows():
    here = bench(Bits(65), 3)
    assert here.guarded.untouched()
    whole, _ = here.guarded.guards[0]
    whole[-1, 0] ^= np.uint64(1)
    assert not here.guarded.untouched()


def test_the_bench_sees_a_bit_beyond_the_length():
    here = bench(Bits(65), 3)
    here.pool[here.children[0], 1] |= np.uint64(2)
    with pytest.raises(AssertionError):
        assert_solutions(here, here.children)


def wrong_search(pool, moving, length, settings, others, memory, rng):
    pool[others.parents[0], 0] ^= np.uint64(1)


def wrong_select(pool, population, children, parents, fitness, kept, variables, progress, memory, rng):
    kept[:] = 2 * len(kept)


def forgetful(pool, moving, length, settings, others, memory, rng):
    memory[OWN + 1] = 1.0


@pytest.mark.parametrize(
    ("name", "kernel", "check"),
    [
        ("reset_sweep", wrong_search, check_searching),
        ("tabu", wrong_select, check_selecting),
        ("reset_sweep", forgetful, check_searching),
    ],
)
def test_the_suite_sees_kernels_that_break_the_contract(name, kernel, check, monkeypatch):
    """A parent that is changed, a slot that is nobody's, more memory than was asked for."""
    monkeypatch.setattr("metasmith.testing.bench.kernel", lambda *which: lambda **given: kernel(*given.values()))
    with pytest.raises((AssertionError, IndexError)):
        check(name, Bits(65))


def test_a_component_has_as_many_hyperparameters_as_it_likes():
    @search(n=COUNTS, p=SHARES)
    class several:
        """Does nothing."""

        def any(pool, moving, shape, settings, others, memory, rng):
            pass

    assert list(several.settings) == ["n", "p"]


def test_arguments_that_no_kernel_of_the_role_has_are_refused():
    with pytest.raises(TypeError, match="a search kernel takes"):

        @search()
        class few:
            """Does nothing."""

            def any(pool, moving):
                pass

    with pytest.raises(TypeError, match="at most one of"):

        @choose
        class many:
            """Does nothing."""

            def any(pool, population, fitness, shape, parents, memory, rng, weather):
                pass


def test_a_kernel_may_ask_for_one_of_the_representation():
    assert asks_for(COMPONENTS["nich"].kernels["any"], COMPONENTS["nich"].role) == "distance"
    assert asks_for(COMPONENTS["reinitialize"].kernels["any"], COMPONENTS["reinitialize"].role) == "fresh"
    assert asks_for(COMPONENTS["reset_n"].kernels["bits"], COMPONENTS["reset_n"].role) is None


@search()
class walk:
    """Does nothing."""

    def bits(pool, moving, shape, settings, others, memory, rng):
        pass

    def room(population, variables):
        return 3


def test_kernels_for_a_component_may_stand_in_another_file():
    @kernels_of("walk")
    class more:
        def numbers(pool, moving, shape, settings, others, memory, rng):
            pass

        def room(population, variables):
            return population

    (component,) = joined([more, walk]).values()
    assert set(component.kernels) == {"bits", "numbers"}
    assert [component.room(size, 9) for size in (1, 5)] == [3, 5]
    with pytest.raises(TypeError, match="no component walk to add kernels to"):
        joined([more])
    with pytest.raises(TypeError, match="has a kernel for numbers already"):
        joined([walk, more, more])
