"""The examples do what they say."""

from importlib import import_module
from pathlib import Path

import pytest

import metasmith as ms
from metasmith.analysis.compare import USUAL, values

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.slow
def test_a_design_for_the_knapsack_beats_the_reference_algorithms_on_unseen_instances(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    task = import_module("knapsack").task
    design = ms.design(task, effort="quick", seed=0)
    for problem in task.test:
        ours, *others = (values(each, problem, task, range(15)).mean() for each in (design.program, *USUAL))
        assert ours > max(others), problem.name
