"""Kernels are compiled when they are first needed, each once."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numba
import pytest
from engine_helpers import program, same

from metasmith.components import COMPONENTS, Role
from metasmith.engine import Job, run
from metasmith.engine.compile import compiled, kernels, usable
from metasmith.problems import Problem, problem
from metasmith.program import named
from metasmith.representations import Bits, Integers


def working(representation: str) -> list[str]:
    """The components that work on a representation."""
    return [name for name, component in COMPONENTS.items() if component.kernel(representation)]


def test_components_have_a_number_in_their_role():
    for representation in ("bits", "integers"):
        every = [component for role in Role for component in usable(role, representation)]
        assert sorted(component.name for component in every) == working(representation)
        assert all(component.role is role for role in Role for component in usable(role, representation))


@pytest.mark.parametrize("representation", [Bits, Integers])
def test_every_kernel_has_an_address_of_its_own(representation):
    found = kernels(representation, working(representation.name))
    addresses = [*found.choose, *found.search, *found.select, found.fresh]
    assert 0 not in addresses
    assert len(set(addresses)) == len(addresses) == len(working(representation.name)) + 1


def test_compiling_leaves_numbas_settings_alone():
    before = numba.config.CACHE_DIR
    compiled.__wrapped__(lambda x: x)
    assert before == numba.config.CACHE_DIR


@pytest.mark.slow
def test_a_users_function_may_be_compiled_by_many_threads_at_once():
    gate = threading.Barrier(4)

    def one(seed, function):
        gate.wait()
        return run(
            Job(
                program("population 3; reset_n(n=1)"),
                Problem(function, Bits(12), compiled=True, name="pbo:F1@12#1"),
                300,
                seed,
            )
        )

    before = numba.config.CACHE_DIR
    for _ in range(3):
        function = numba.njit(lambda x: x.sum())
        with ThreadPoolExecutor(4) as threads:
            results = list(threads.map(one, range(4), [function] * 4))
        for seed, result in enumerate(results):
            assert same(result, run(Job(program("population 3; reset_n(n=1)"), problem("pbo:F1@12"), 300, seed)))
    assert before == numba.config.CACHE_DIR


def test_a_compiled_function_is_let_go_with_its_problem():
    def solved() -> weakref.ref:
        function = numba.njit(lambda x: 1.0 * x.sum())
        run(Job(named("ea"), Problem(function, Bits(9), compiled=True), 20, 0))
        return weakref.ref(function)

    function = solved()
    gc.collect()
    assert function() is None
