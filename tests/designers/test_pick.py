"""The race among the known algorithms: all run, the better half goes on, and nothing is spent that is not there."""

from itertools import pairwise
from typing import Any

import pytest
from designer_helpers import FULL
from hypothesis import given
from hypothesis import strategies as st

import metasmith as ms
from metasmith.designers.contract import Budget, Trial
from metasmith.designers.known import known
from metasmith.designers.pick import Pick, cost, layout, library
from metasmith.designers.training import Training
from metasmith.space import Space
from metasmith.testing import check_designer
from metasmith.testing.configurators import Toy

LIBRARY = {proposal.program for proposal in known(FULL, "bits")}


def picked(runs: int, seed: int = 0) -> tuple[list[Any], Toy]:
    toy = Toy(runs)
    return Pick(FULL, Training(), seed=seed).configure(toy, toy.budget), toy


def test_contract():
    check_designer("pick")


@pytest.mark.parametrize("space", ["full", "paper"])
@pytest.mark.parametrize("representation", ["bits", "integers", "permutations"])
def test_the_field_is_what_works_on_the_variables(space, representation):
    on = Space.named(space).on(representation)
    field = library(on)
    assert set(field) <= set(known(on, representation))
    if space == "full" or representation == "bits":
        assert set(field) == set(known(on, representation))


def test_all_run_and_the_better_half_goes_on_with_common_seeds():
    liked, toy = picked(1000)
    runs: dict[Any, list[tuple[int, int]]] = {}
    for trial in toy.trials:
        runs.setdefault(trial.proposal.program, []).append((trial.case, trial.seed))
    assert set(runs) == LIBRARY
    counts = sorted(map(len, runs.values()), reverse=True)
    survivors = [sum(count >= each for count in counts) for each in sorted(set(counts))]
    assert survivors == [len(LIBRARY), *((size + 1) // 2 for size in survivors[:-1])]
    assert all(less == more // 2 for less, more in pairwise(done for _, done in layout(len(LIBRARY), toy.budget)[1]))
    longest = max(runs.values(), key=len)
    assert all(mine == longest[: len(mine)] for mine in runs.values())
    assert [case for case, _ in longest[: len(toy.budget.order)]] == list(toy.budget.order)
    assert {runs[proposal.program] == longest for proposal in liked} == {True}


def test_the_best_of_a_toy_is_liked_best():
    """The toy rewards short programs."""
    liked, _ = picked(2000)
    assert len(liked[0].program.snippets) == min(len(program.snippets) for program in LIBRARY)


@pytest.mark.parametrize("runs", [1, 5, 15, 30, 60, 130, 5000])
def test_whatever_may_be_spent_it_is_not_exceeded_and_hardly_anything_is_left_of_much(runs):
    liked, toy = picked(runs)
    assert liked
    assert toy.left < toy.budget.evaluations
    tried = {trial.proposal.program for trial in toy.trials}
    assert tried == LIBRARY or len(tried) == toy.budget.evaluations // 5
    if runs >= 1000:
        assert toy.left < 0.05 * toy.budget.evaluations


@given(
    field=st.integers(1, 100),
    evaluations=st.integers(0, 1_000_000),
    lengths=st.lists(st.integers(1, 1000), min_size=1, max_size=4),
    data=st.data(),
)
def test_every_layout_is_within_the_budget(field, evaluations, lengths, data):
    turns = data.draw(st.lists(st.integers(0, len(lengths) - 1), min_size=1, max_size=9))
    order, rounds = layout(field, Budget(evaluations, lengths, turns))
    assert sorted(order) == sorted(turns)
    assert bool(rounds) == (evaluations >= field * min(lengths[case] for case in turns))
    if rounds:
        assert rounds[0][0] == field
        programs, runs = zip(*rounds, strict=True)
        assert min(runs) >= 1
        assert cost(programs, runs, [lengths[case] for case in order]) <= evaluations


def test_the_cost_is_that_of_the_trials():
    measured: list[Trial] = []
    budget = Budget(5000, (5, 10, 20), (2, 1, 2, 0))

    def measure(trials):
        measured.extend(trials)
        return [0.0] * len(trials)

    Pick(FULL, Training(), seed=0).configure(measure, budget)
    order, rounds = layout(len(LIBRARY), budget)
    programs, runs = zip(*rounds, strict=True)
    spent = sum(budget.lengths[trial.case] for trial in measured)
    assert spent == cost(programs, runs, [budget.lengths[case] for case in order]) <= 5000


def task(evaluations: int) -> ms.Task:
    training = tuple(ms.problem(f"pbo:F2@20#{number}") for number in (1, 2))
    return ms.Task("one-size", training, (ms.problem("pbo:F2@20#9"),), evaluations)


@pytest.mark.parametrize("evaluations", [20, 300])
@pytest.mark.parametrize("runs", [20, 33, 500])
def test_the_design_is_a_known_algorithm_and_says_so(evaluations, runs):
    spend = runs * evaluations
    design = ms.design(task(evaluations), designer="pick", spend=spend)
    assert 0.99 * spend <= design.ledger["evaluations"] <= spend
    assert design.program in LIBRARY
    assert {source for step in design.history for source in step.get("sources", [])} == {"library"}
    assert design.record()["descent"][0]["source"] == "library"


def test_permutations_have_known_algorithms_too():
    problem = ms.Problem(lambda x: float(sum(abs(x - range(8)))), ms.Permutation(8), direction="min")
    assert (
        ms.design(problem, evaluations=100, designer="pick", spend=5000).record()["descent"][0]["source"] == "library"
    )
