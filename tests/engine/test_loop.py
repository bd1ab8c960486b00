"""The flow of a run: rounds, stages, blocks, loops and what ends them, forks, restarts, and which selection governs
what.
"""

from itertools import groupby

import numpy as np
import pytest
from engine_helpers import Generation, generations, program, programs, rugged, seeds, variables
from hypothesis import given, settings
from scipy import stats

from metasmith.components.roles import SUCCEEDED, TRIED
from metasmith.engine.loop import INFEASIBLE, PATIENCE, WORST, as_fitness
from metasmith.engine.lower import lower
from metasmith.representations import Bits, Integers

ALPHA = 1e-4


def flat(x):
    return 0.0


def ones(x):
    return float(x.sum())


def stages(text: str, evaluations: int, function=rugged, over=None, seed: int = 0) -> list[int]:
    """The stage of each generation after the first population."""
    return [g.stage for g in generations(program(text), function, over or Bits(40), evaluations, seed)[1:]]


def stretches(
    text: str, evaluations: int, function=rugged, over=None, seed: int = 0
) -> list[tuple[int, list[Generation]]]:
    """Generations in a row in the same stage."""
    after = generations(program(text), function, over or Bits(40), evaluations, seed)[1:]
    return [(stage, list(group)) for stage, group in groupby(after, key=lambda g: g.stage)]


def spent(group: list[Generation]) -> int:
    return sum(len(g.values) for g in group)


# rounds, stages, blocks


@pytest.mark.parametrize("population", [1, 2, 5])
def test_a_round_goes_through_the_stages_in_order_again_and_again(population):
    text = f"population {population}; reset_n(n=1); traverse; reset_n(n=2); greedy_select; reset_n(n=3)"
    found = stages(text, 40 * population)
    assert found == [i % 3 for i in range(len(found))]
    assert len(found) == 39


def test_each_generation_changes_what_its_stage_says():
    text = "population 4; reset_n(n=1); traverse; reset_n(n=2); greedy_select; reset_n(n=3)"
    for g in generations(program(text), flat, Bits(40), 300)[1:]:
        assert ((g.children != g.parents).sum(axis=1) == g.stage + 1).all()


def test_a_chain_is_one_stage():
    found = generations(program("population 4; reset_sweep; reset_sweep; reset_sweep"), flat, Bits(40), 300)[1:]
    assert {g.stage for g in found} == {0}
    assert {len(g.changed) for g in found} == {4}


def test_an_iterate_repeats_its_stage_until_its_share_is_spent():
    text = "population 1; reset_n(n=1) iterate until 5%; reset_n(n=2); pairwise_select"
    found = stretches(text, 1000)
    assert [stage for stage, _ in found[:6]] == [0, 1, 0, 1, 0, 1]
    assert [spent(group) for _, group in found[:6]] == [50, 1, 50, 1, 50, 1]


def test_a_loop_ends_with_the_generation_that_reaches_its_share():
    found = stretches("population 7; reset_n(n=1) iterate until 5%; reset_n(n=2); pairwise_select", 1000)
    assert [spent(group) for _, group in found[:4]] == [56, 7, 56, 7]  # 8 generations of 7 are the first to reach 50


def test_a_loop_runs_at_least_once_and_ends_with_the_budget():
    assert stages("population 1; reset_n(n=1) iterate until 1%; reset_n(n=2)", 30) == [i % 2 for i in range(29)]
    assert stages("population 1; reset_n(n=1) iterate until 100%; reset_n(n=2)", 30) == [0] * 29


def test_an_iterate_on_a_selection_repeats_its_block():
    text = "population 1; reset_n(n=1); traverse; reset_n(n=2); greedy_select iterate until 10%; reset_n(n=3)"
    assert stages(text, 100)[:22] == [0, 1] * 5 + [2] + [0, 1] * 5 + [2]


def test_loops_within_loops():
    inner = "reset_n(n=1) iterate until 3%; traverse; reset_n(n=2); greedy_select iterate until 10%"
    text = f"population 1; {inner}; reset_n(n=3)"
    assert stages(text, 100)[:26] == ([0, 0, 0, 1] * 3 + [2]) * 2


def test_stages_that_change_nothing_are_passed_and_cost_nothing():
    found = generations(
        program("population 1; cross_n(n=1); pairwise_select; reset_n(n=1); pairwise_select"), ones, Bits(40), 300
    )[1:]
    assert [g.stage for g in found] == [i % 2 for i in range(len(found))]
    assert all(g.changed == [0] * g.stage for g in found)


def test_a_mutation_that_often_changes_nothing_takes_its_turn_all_the_same():
    """The first stage changes one solution in ten: nearly all evaluations are the second stage's."""
    for population in (1, 2):
        text = f"population {population}; reset_rand(p=0.1/d); pairwise_select; reset_n(n=5); pairwise_select"
        found = generations(program(text), rugged, Bits(100), 4000)[1:]
        by_stage = [sum(len(g.values) for g in found if g.stage == stage) for stage in (0, 1)]
        assert 0.07 < by_stage[0] / by_stage[1] < 0.13


# events


@pytest.mark.parametrize(("event", "patience"), [("stagnation", 50), ("local_optimum", 40)])
@pytest.mark.parametrize("population", [1, 3])
def test_a_loop_ends_when_nothing_has_improved_for_so_long(event, patience, population):
    text = f"population {population}; reset_n(n=1) iterate until {event}; reinitialize"
    found = stretches(text, 1000, ones)
    ended = [group for stage, group in found[:-1] if stage == 0]
    assert len(ended) > 2
    for group in ended:
        best, since = max(map(ones, group[0].before)), 0
        for i, g in enumerate(group):
            since += len(g.values)
            if max(g.values, default=-1.0) > best:
                best, since = max(g.values), 0
            assert (since >= patience) == (i == len(group) - 1)


def test_a_loop_that_cannot_improve_ends_after_its_patience_exactly():
    found = stretches("population 1; reset_n(n=1) iterate until local_optimum; reset_n(n=2)", 500, flat)
    assert [spent(group) for _, group in found[:4]] == [40, 1, 40, 1]
    found = stretches("population 1; reset_n(n=1) iterate until stagnation; reset_n(n=2)", 1000, flat)
    assert [spent(group) for _, group in found[:4]] == [50, 1, 50, 1]


def test_a_block_that_stagnates_ends():
    text = (
        "population 1; reset_n(n=1); traverse; reset_n(n=2); pairwise_select iterate until local_optimum; reinitialize"
    )
    assert stages(text, 300, flat)[:123] == ([0, 1] * 20 + [2]) * 3
    climbing = stages(text, 300, Rising())
    assert 2 not in climbing


def test_improvement_is_measured_from_the_population_that_entered_the_loop():
    """After a restart everything is worse than the best ever, and the climb must not be cut short for that."""
    text = "population 1; reset_n(n=1) iterate until local_optimum; reinitialize"
    found = stretches(text, 4000, ones, Bits(60))
    climbs = [group for stage, group in found[:-1] if stage == 0]
    assert len(climbs) > 5
    assert np.mean([g[-1].after.sum() for g in climbs]) > 55


class Rising:
    """Better every time."""

    def __init__(self):
        self.count = 0

    def __call__(self, x):
        self.count += 1
        return float(self.count)


# forks


def test_a_fork_sends_half_of_the_solutions_past_the_next_component():
    found = generations(program("population 500; reset_n(n=1) fork 2; reset_n(n=4)"), flat, Bits(200), 10_000)[1:]
    counts = np.concatenate([(g.children != g.parents).sum(axis=1) for g in found])
    assert set(counts) == {1, 3, 5}
    assert stats.binomtest(int((counts == 1).sum()), len(counts), 0.5).pvalue > ALPHA


def test_a_fork_jumps_as_far_as_it_says():
    text = "population 500; reset_n(n=1) fork 3; reset_n(n=40) fork 2; reset_n(n=10); reset_n(n=2)"
    counts = np.concatenate(
        [(g.children != g.parents).sum(axis=1) for g in generations(program(text), flat, Bits(2000), 5000)[1:]]
    )
    # 1 and 2; or 1, 40 and 2; or 1, 40, 10 and 2: fewer now and then, where a position is turned twice
    shares = [(counts <= 3).mean(), ((counts > 30) & (counts <= 43)).mean(), (counts > 43).mean()]
    assert shares == pytest.approx([0.5, 0.25, 0.25], abs=0.03)


def test_a_choosers_fork_skips_the_beginning_of_the_chain():
    found = generations(
        program("population 500; tournament fork 2; reset_n(n=1); reset_n(n=4)"), flat, Bits(200), 10_000
    )[1:]
    counts = np.concatenate([(g.children != g.parents).sum(axis=1) for g in found])
    assert set(counts) == {3, 4, 5}
    assert stats.binomtest(int((counts == 4).sum()), len(counts), 0.5).pvalue > ALPHA


def test_solutions_that_skip_everything_cost_no_evaluation():
    found = generations(program("population 500; traverse fork 2; reset_n(n=1)"), ones, Bits(200), 8000)[1:]
    for g in found[:-1]:
        moved = np.flatnonzero((g.children != g.parents).any(axis=1))
        assert g.changed == moved.tolist()
        assert 180 < len(moved) < 320
        assert g.values == [ones(x) for x in g.children[moved]]


def test_crossover_pairs_those_in_hand():
    """Where solutions skip a crossover, the rest are paired among themselves, so that genes are neither lost nor
    doubled.
    """
    found = generations(
        program("population 40; traverse fork 2; cross_uniform(p=0.5); always_select"), rugged, Bits(60), 2000
    )
    total = found[0].after.sum(axis=0)
    for g in found[1:-1]:
        np.testing.assert_array_equal(g.after.sum(axis=0), total)


# choosers, selectors, restarts


def test_the_chooser_in_force_decides_the_parents():
    text = "population 6; best; reset_n(n=1); traverse; reset_n(n=1); greedy_select"
    for g in generations(program(text), ones, Bits(40), 300)[1:]:
        if g.stage == 0:
            assert (g.parents == g.parents[0]).all()
            assert ones(g.parents[0]) == max(map(ones, g.before))
        else:
            np.testing.assert_array_equal(g.parents, g.before)


def test_each_selector_governs_the_stages_before_it():
    text = (
        "population 6; reset_n(n=7); traverse; reset_n(n=7); always_select; reset_n(n=7); greedy_select; reset_n(n=7)"
    )
    seen = set()
    for g in generations(program(text), ones, Bits(40), 800)[1:-1]:
        seen.add(g.stage)
        fitness = [ones(x) for x in g.after]
        match g.stage:
            case 0 | 1:
                np.testing.assert_array_equal(g.after, g.children)
            case 2:
                assert sorted(fitness) == sorted(map(ones, [*g.before, *g.children]))[6:]
            case 3:  # pairwise is implied
                assert fitness == [
                    max(ones(parent), ones(child)) for parent, child in zip(g.parents, g.children, strict=True)
                ]
    assert seen == {0, 1, 2, 3}


def test_pair_selectors_keep_survivors_of_pairs_and_not_of_places():
    """With everybody made from the best, who is not its descendant is gone: the paper's S = choose(S)."""
    for g in generations(program("population 6; best; reset_n(n=9); pairwise_select"), ones, Bits(40), 300)[1:-1]:
        top = max(map(ones, g.before))
        assert all(ones(x) >= top for x in g.after)


@pytest.mark.parametrize("selector", ["greedy_select", "pairwise_select", "tabu"])
def test_reinitialize_alone_replaces_the_population_whatever_selects(selector):
    text = f"population 6; best; reset_n(n=1) iterate until 20%; reinitialize; {selector}"
    found = generations(program(text), ones, Bits(60), 1000)
    restarts = [g for g in found[1:-1] if g.stage == 1]
    assert len(restarts) > 2
    for g in restarts:
        np.testing.assert_array_equal(g.after, g.children)
        assert g.changed == list(range(6))
        assert abs((g.after != g.before).mean() - 0.5) < 0.15


def test_reinitialize_in_a_chain_is_selected_like_any_other():
    for g in generations(program("population 6; reset_n(n=1); reinitialize; pairwise_select"), ones, Bits(60), 300)[
        1:-1
    ]:
        assert [ones(x) for x in g.after] == [max(ones(a), ones(b)) for a, b in zip(g.parents, g.children, strict=True)]


def test_a_memory_belongs_to_its_snippet():
    """Two sweeps in turn each go through all positions in order."""
    found = generations(
        program("population 1; reset_sweep; always_select; reset_sweep; always_select"), flat, Bits(7), 60
    )[1:]
    for stage in (0, 1):
        places = [int(np.flatnonzero(g.children[0] != g.parents[0])[0]) for g in found if g.stage == stage]
        assert places == [i % 7 for i in range(len(places))]


def test_search_learns_how_its_children_did():
    grown = generations(program("population 4; reset_adaptive"), flat, Bits(100), 400)[
        -2
    ]  # as good as the parent is a success
    assert ((grown.children != grown.parents).sum(axis=1) == 50).all()
    falling = Rising()
    shrunk = generations(program("population 4; reset_adaptive"), lambda x: -falling(x), Bits(100), 400)
    assert all(((g.children != g.parents).sum(axis=1) == 1).all() for g in shrunk[1:-1])


@settings(max_examples=40)
@given(programs, variables, seeds)
def test_every_generation_evaluates_exactly_the_children_that_changed(written, over, seed):
    found = generations(written, rugged, over, 250, seed)
    restarts = lower(written, over, 250).stages.restarts
    idle = 0
    for g in found[1:-1]:
        moved = np.flatnonzero((g.children != g.parents).any(axis=1)).tolist()
        if restarts[g.stage]:
            assert g.changed == list(range(len(g.children)))
        else:
            idle = 0 if moved else idle + len(g.children)
            assert g.changed == (moved if idle <= PATIENCE else list(range(len(g.children))))
        assert g.values == [rugged(x) for x in g.children[g.changed]]


@settings(max_examples=40)
@given(programs, variables, seeds)
def test_search_components_are_told_how_many_were_tried_and_succeeded(written, over, seed):
    stages = lower(written, over, 250).stages
    for g in generations(written, rugged, over, 250, seed)[1:-1]:
        if g.changed and not stages[g.stage].restarts:
            told = g.memory[stages[g.stage].first : stages[g.stage].end]
            succeeded = sum(value >= rugged(g.parents[i]) for i, value in zip(g.changed, g.values, strict=True))
            assert (told[:, TRIED] == len(g.changed)).all()
            assert (told[:, SUCCEEDED] == succeeded).all()


@settings(max_examples=40)
@given(programs, variables, seeds)
def test_survivors_come_from_the_population_its_children_or_the_chosen(written, over, seed):
    for g in generations(written, rugged, over, 250, seed)[1:-1]:
        known = {tuple(x) for part in (g.before, g.children) for x in part}
        assert {tuple(x) for x in g.after} <= known
        assert g.after.shape == g.before.shape


# fitness


def test_fitness_puts_feasible_first_then_value_then_violation():
    infeasible = [(5.0, np.inf), (0.0, 1e6), (9.0, 2.0), (-9.0, 1.0), (0.0, 1e-9)]
    feasible = [(-np.inf, 0.0), (-1e100, 0.0), (-1.0, 0.0), (0.0, 0.0), (3.0, -1.0), (1e100, 0.0), (np.inf, 0.0)]
    order = [WORST, *(as_fitness(value, violation) for value, violation in infeasible + feasible)]
    assert order == sorted(order)
    assert len(set(order)) == len(order)
    assert all(np.isfinite(order))
    assert as_fitness(7.0, 1.0) == as_fitness(-7.0, 1.0) < INFEASIBLE
    assert np.isnan(as_fitness(np.nan, 0.0))
    assert np.isnan(as_fitness(0.0, np.nan))


def test_integers_flow_alike():
    found = generations(
        program("population 5; tournament; cross_n(n=1); reset_creep(p=0.2); greedy_select"),
        ones,
        Integers(9, 30),
        3000,
    )
    assert found[-1].after.sum() > 5 * 30 * 7
    assert all(g.children.min() >= 0 and g.children.max() <= 8 for g in found)
