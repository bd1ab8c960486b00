"""What search kernels are told in a run: the parents of the solutions in hand, the population, and restarts."""

from collections.abc import Iterator

import numpy as np
import probes
import pytest
from engine_helpers import generations, program, rugged

import metasmith as ms
from metasmith.components import COMPONENTS
from metasmith.components.roles import RESTARTS
from metasmith.engine.lower import lower
from metasmith.export import exported, source
from metasmith.representations import Bits, Integers
from metasmith.testing.bench import forget
from metasmith.testing.exported import loaded, optimized

VARIABLES = [Bits(40), Integers([3, 1, 40, 2, 5, 7, 4, 2, 2, 9, 3])]


@pytest.fixture(autouse=True)
def components() -> Iterator[None]:
    """The probes among the components, for as long as a test lasts."""
    names = ("back_to_parent", "like_the_best")
    COMPONENTS.update({name: getattr(probes, name) for name in names})
    forget()
    yield
    for name in names:
        del COMPONENTS[name]
    forget()


@pytest.mark.parametrize("variables", VARIABLES, ids=str)
def test_parents_are_those_of_the_solutions_in_hand_also_where_some_went_another_way(variables):
    """Half of the children skip the way back: they differ from their parents, the others do not."""
    text = "population 8; tournament; reset_n(n=2) fork 2; back_to_parent; always_select"
    steps = generations(program(text), rugged, variables, 300)[1:]
    apart = [
        int((child != parent).sum())
        for step in steps
        for child, parent in zip(step.children, step.parents, strict=True)
    ]
    assert set(apart) <= {0, 1, 2}  # a position with one value cannot change
    assert 0.3 < np.mean(np.array(apart) > 0) < 0.7


@pytest.mark.parametrize("variables", VARIABLES, ids=str)
def test_without_forks_all_children_are_in_hand(variables):
    steps = generations(program("population 5; tournament; reset_n(n=2); back_to_parent"), rugged, variables, 60)[1:]
    assert all((step.children == step.parents).all() for step in steps)


def test_every_snippet_is_told_of_every_restart():
    text = "population 4; reset_sweep iterate until 4%; tabu; reset_n(n=1) iterate until 2%; reinitialize"
    stages = lower(program(text), Bits(30), 500).stages
    restarts = 0
    for step in generations(program(text), rugged, Bits(30), 500)[1:-1]:
        restarts += int(stages[step.stage].restarts)
        assert set(step.memory[:, RESTARTS]) == {restarts}
    assert restarts > 5


@pytest.mark.parametrize("variables", VARIABLES, ids=str)
@pytest.mark.parametrize(
    "text",
    [
        "population 6; like_the_best; reset_n(n=1); pairwise_select iterate until 5%; reinitialize",
        "population 6; tournament fork 2; reset_n(n=2); like_the_best fork 2; back_to_parent; reset_n(n=1);"
        "reinitialize",
        "population 5; reset_n(n=2) fork 2; back_to_parent; greedy_select iterate until 10%; reinitialize;"
        "like_the_best",
    ],
)
def test_exported_files_are_told_the_same(text, variables, monkeypatch):
    monkeypatch.setattr(source, "copied_packages", lambda: frozenset({"metasmith", "probes"}))
    for cached in (source.source, source.kernel_of, source._classes_of_kernels):
        cached.cache_clear()
    problem = ms.Problem(rugged, variables, isolate=False)  # only this process has the probes
    ours = ms.solve(program(text), problem, evaluations=600, seed=3)
    file = loaded(exported(program(text), type(variables)))
    theirs = optimized(file, rugged, variables, evaluations=600, seed=3)
    assert (theirs.x.tolist(), theirs.fun) == (ours.x.tolist(), ours.fun)
