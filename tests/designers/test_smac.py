"""Real SMAC, in a process of its own."""

import importlib.util

import pytest
from designer_helpers import FULL, if_installed

from metasmith.designers import find_designer, smac
from metasmith.designers.contract import Proposal
from metasmith.designers.training import Training
from metasmith.space.vector import Parameter
from metasmith.testing.configurators import Toy

needs_smac = pytest.mark.parametrize("name", [if_installed("smac")])


def test_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr(smac, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"the designer smac needs SMAC: pip install 'metasmith\[smac\]'"):
        find_designer("smac").check()


def test_it_is_found_where_it_is_installed():
    there = importlib.util.find_spec("smac") is not None
    if there:
        find_designer("smac").check()
    assert isinstance(if_installed("smac"), str) == there


@pytest.mark.slow
@needs_smac
def test_it_ends_by_itself_with_what_it_likes(name, monkeypatch):
    monkeypatch.setattr(smac, "MORE", 1)
    toy = Toy(1000)
    budget = type(toy.budget)(12 * 20, toy.budget.lengths, toy.budget.order)
    finalists = find_designer(name).make(FULL, Training(), seed=0).configure(toy, budget)
    assert len(finalists) == 1
    assert isinstance(finalists[0], Proposal)
    assert finalists[0].program in {trial.proposal.program for trial in toy.trials}
    assert 5 < len(toy.trials) <= budget.runs


@pytest.mark.slow
@needs_smac
def test_its_end_is_one_line(name, monkeypatch):
    nothing = [Parameter("nothing", ())]
    monkeypatch.setattr(smac, "parameters", lambda space: nothing)
    toy = Toy(10)
    with pytest.raises(ValueError, match=r"^smac ended: ") as error:
        find_designer(name).make(FULL, Training(), seed=0).configure(toy, toy.budget)
    assert "\n" not in str(error.value)
