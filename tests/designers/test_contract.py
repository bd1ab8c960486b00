"""Every designer that is found keeps the contract, whatever it does inside."""

import subprocess
import sys
from dataclasses import replace

import pytest
from designer_helpers import FULL, if_installed

from metasmith.designers import designers, find_designer
from metasmith.designers.contract import SpentError, Trial
from metasmith.testing import check_configurator, check_designer
from metasmith.testing.configurators import Toy, check_trials
from metasmith.testing.designers import TRAINING, check_counts, check_seeds

NAMES = [name for name, declaration in designers().items() if not declaration.configures]
CONFIGURATORS = {"irace": 40, "pick": 40, "smac": 10}
"""The runs that they may do in a test; SMAC thinks for a while before each."""


def test_the_folder_is_scanned_and_every_designer_says_what_it_is():
    assert {"guided", "unguided", "mixture", "ppo", "random", "evolution", "local_search", "without_network"} <= set(
        NAMES
    )
    assert set(designers()) == {*NAMES, *CONFIGURATORS}
    for name, declaration in designers().items():
        assert declaration.name == name
        assert declaration.about.endswith(".")
        assert "\n" not in declaration.about
    with pytest.raises(ValueError, match="there is no designer 'pop'; did you mean 'ppo'"):
        find_designer("pop")


@pytest.mark.parametrize("name", NAMES)
def test_contract(name):
    check_designer(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [if_installed(name) for name in CONFIGURATORS])
def test_contract_of_configurators(name):
    check_configurator(name, CONFIGURATORS[name])


class Repeats:
    """A designer that says the same whatever its seed, and more than it was asked for."""

    def __init__(self, designer):
        self.designer = designer

    def __getattr__(self, name):
        return getattr(self.designer, name)

    def propose(self, archive, count):
        return self.designer.propose(archive, count + 3)


def test_the_suite_sees_who_breaks_the_contract(monkeypatch):
    make = find_designer("random").make
    monkeypatch.setattr("metasmith.testing.designers.made", lambda name, space, seed=0: make(space, TRAINING, seed=1))
    with pytest.raises(AssertionError, match="the same with another seed"):
        check_seeds("random", FULL)
    greedy = lambda name, space, seed=0: Repeats(make(space, TRAINING, seed=seed))  # noqa: E731
    monkeypatch.setattr("metasmith.testing.designers.made", greedy)
    with pytest.raises(AssertionError, match="where 1 were asked for"):
        check_counts("random", FULL)


class Stubborn:
    """A configurator that wants the same trials whatever its seed."""

    def __init__(self, wanted):
        self.wanted = wanted

    def configure(self, measure, budget):
        measure(self.wanted)
        return [self.wanted[0].proposal]


def test_the_suite_sees_which_configurator_breaks_the_contract(monkeypatch):
    proposals = [
        replace(each, source="random") for each in find_designer("random").make(FULL, TRAINING, seed=0)._drawn(3)
    ]
    wanted = [Trial(proposal, case, 5) for proposal in proposals for case in (0, 2)]
    check_trials("random", FULL, wanted)
    with pytest.raises(AssertionError, match="case 3, which is not there"):
        check_trials("random", FULL, [*wanted, Trial(proposals[0], 3, 5)])
    with pytest.raises(AssertionError, match="another program than its tokens say"):
        check_trials("random", FULL, [Trial(replace(proposals[0], program=proposals[1].program), 0, 5)])
    with pytest.raises(AssertionError, match="does not say that it proposed a program"):
        check_trials("random", FULL, [Trial(replace(proposals[0], source="library"), 0, 5)])
    monkeypatch.setattr("metasmith.testing.configurators.made", lambda name, space, seed: Stubborn(wanted))
    with pytest.raises(AssertionError, match="the same trials with another seed"):
        check_configurator("random")


def test_a_toy_that_is_spent_says_so_and_the_same_trial_again_is_free():
    toy, (proposal,) = Toy(2), find_designer("random").make(FULL, TRAINING, seed=0)._drawn(1)
    trial = Trial(proposal, 2, 5)
    assert toy([trial]) == toy([trial])
    with pytest.raises(SpentError):
        toy([trial._replace(seed=seed) for seed in (6, 7)])


@pytest.mark.parametrize("name", [name for name in NAMES if not find_designer(name).learns])
def test_torch_is_for_those_with_a_network(name):
    code = (
        "import sys; from metasmith.designers import find_designer; from metasmith.designers.training import Training;"
        "from metasmith.designers.contract import Archive; from metasmith.space import Space;"
        f"find_designer('{name}').make(Space.named('full'), Training(), seed=0).propose(Archive(), 3);"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
