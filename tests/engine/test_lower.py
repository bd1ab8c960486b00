"""From programs to arrays: numbers at a dimension, loops in evaluations, and the same arrays for programs that do the
same.
"""

import numpy as np
import pytest
from engine_helpers import program, programs, variables
from hypothesis import given, settings
from hypothesis import strategies as st

from metasmith.components import COMPONENTS, Role
from metasmith.components.roles import search
from metasmith.components.settings import COUNTS
from metasmith.engine import Job, run
from metasmith.engine.compile import usable
from metasmith.engine.loop import COUNT, IMPROVEMENT, NO_LOOP
from metasmith.engine.lower import lower, memories
from metasmith.problems import Problem
from metasmith.program import Program, canonical
from metasmith.representations import Bits, Integers


def names(role: Role, numbers) -> list[str]:
    return [usable(role, "bits")[number].name for number in numbers]


@settings(max_examples=200)
@given(programs, variables, st.integers(1, 100_000))
def test_the_canonical_form_lowers_to_the_same_arrays(written, over, evaluations):
    a, b = lower(written, over, evaluations), lower(canonical(written), over, evaluations)
    np.testing.assert_array_equal(a.stages, b.stages)
    np.testing.assert_array_equal(a.lines, b.lines)
    np.testing.assert_array_equal(a.held, b.held)


@settings(max_examples=200)
@given(programs, variables)
def test_stages_follow_each_other_and_every_memory_is_a_snippets_own(written, over):
    stages, lines, *_ = lower(written, over, 1000)
    assert stages.first.tolist() == [0, *stages.end[:-1]]
    assert stages.end[-1] == len(lines)
    for stage in stages:
        assert stage.first < stage.end
        assert stage.block_first <= stage.block_last
        assert stage.entry == -1 or stage.first < stage.entry <= stage.end
        for j in range(stage.first, stage.end):
            assert lines[j].target == -1 or j + 2 <= lines[j].target <= stage.end
        forks = stage.entry >= 0 or (lines[stage.first : stage.end].target >= 0).any()
        assert bool(stage.forks) == forks
    by_block = {int(stage.block_first): int(stage.selector_memory) for stage in stages}
    owners = [*range(len(lines)), *stages.chooser_memory.tolist(), *by_block.values()]
    assert sorted(owners) == list(range(memories(lower(written, over, 1000))))


def test_what_the_arrays_say():
    text = """population 5
        tournament fork 2
        reset_n(n=10%)
        reset_rand(p=2/d) fork 3
        cross_n(n=2)
        reset_sweep iterate until 5%
        reinitialize
        greedy_select iterate until local_optimum
        reset_heavy(beta=1.5) iterate until stagnation"""
    stages, lines, _, settings = lower(program(text), Bits(40), 1000)
    assert names(Role.SEARCH, lines.search) == [
        "reset_n",
        "reset_rand",
        "cross_n",
        "reset_sweep",
        "reinitialize",
        "reset_heavy",
    ]
    assert settings.tolist() == [[4.0], [0.05], [2.0], [0.0], [0.0], [1.5]]
    assert lines.target.tolist() == [-1, 4, -1, -1, -1, -1]
    assert names(Role.CHOOSE, stages.chooser) == ["tournament", "traverse", "tournament"]
    assert names(Role.SELECT, stages.selector) == ["greedy_select", "greedy_select", "pairwise_select"]
    assert stages.entry.tolist() == [1, -1, -1]
    assert stages.forks.tolist() == [1, 0, 0]
    assert stages.restarts.tolist() == [0, 1, 0]
    assert list(zip(stages.loop, stages.amount, strict=True)) == [(COUNT, 50), (NO_LOOP, 0), (IMPROVEMENT, 50)]
    assert list(zip(stages.block_first, stages.block_last, strict=True)) == [(0, 1), (0, 1), (2, 2)]
    assert list(zip(stages.block_loop, stages.block_amount, strict=True)) == [
        (IMPROVEMENT, 40),
        (IMPROVEMENT, 40),
        (NO_LOOP, 0),
    ]


@pytest.mark.parametrize(
    ("text", "dimension", "number"), [("n=1", 9, 1), ("n=5%", 9, 1), ("n=5%", 100, 5), ("n=45%", 625, 281)]
)
def test_amounts_become_numbers_at_the_dimension(text, dimension, number):
    for over in (Bits(dimension), Integers(3, dimension)):
        assert lower(program(f"population 1; reset_n({text})"), over, 10).held.tolist() == [[number]]


@pytest.mark.parametrize(
    ("share", "evaluations", "amount"),
    [("5%", 1000, 50), ("5%", 10, 1), ("100%", 7, 7), ("1%", 50, 1), ("15%", 50_000, 7500)],
)
def test_shares_become_evaluations(share, evaluations, amount):
    stages = lower(program(f"population 1; reset_sweep iterate until {share}"), Bits(9), evaluations).stages
    assert stages.amount.tolist() == [amount]


@pytest.fixture
def reset_order():
    """A component that only knows permutations and integers, for as long as a test lasts."""

    @search(n=COUNTS)
    class reset_order:
        """Not for bits."""

        def integers(pool, moving, arity, settings, others, memory, rng): ...

    COMPONENTS["reset_order"] = reset_order
    usable.cache_clear()
    yield reset_order
    del COMPONENTS["reset_order"]
    usable.cache_clear()


@pytest.mark.usefixtures("reset_order")
def test_a_component_without_a_kernel_for_the_variables_is_refused():
    written = Program.parse("population 1; reset_order(n=1); reset_n(n=1)")
    assert len(lower(written, Integers(3, 9), 10).lines) == 2
    with pytest.raises(ValueError, match="reset_order does not work on bits"):
        lower(written, Bits(9), 10)
    with pytest.raises(ValueError, match="reset_order does not work on bits"):
        run(Job(written, Problem(lambda x: 0.0, Bits(9)), 10, 1))
