"""Every designer that is found keeps the contract, whatever it does inside."""

import subprocess
import sys

import pytest
from designer_helpers import FULL

from metasmith.designers import designers, find_designer
from metasmith.testing import check_designer
from metasmith.testing.designers import TRAINING, check_counts, check_seeds

NAMES = list(designers())


def test_the_folder_is_scanned_and_every_designer_says_what_it_is():
    assert {"mixture", "ppo", "random"} <= set(NAMES)
    for name, declaration in designers().items():
        assert declaration.name == name
        assert declaration.about.endswith(".")
        assert "\n" not in declaration.about
    with pytest.raises(ValueError, match="there is no designer 'pop'; did you mean 'ppo'"):
        find_designer("pop")


@pytest.mark.parametrize("name", NAMES)
def test_contract(name):
    check_designer(name)


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


@pytest.mark.parametrize("name", [name for name in NAMES if not find_designer(name).learns])
def test_torch_is_for_those_with_a_network(name):
    code = (
        "import sys; from metasmith.designers import find_designer; from metasmith.designers.training import Training;"
        "from metasmith.designers.contract import Archive; from metasmith.space import Space;"
        f"find_designer('{name}').make(Space.named('full'), Training(), seed=0).propose(Archive(), 3);"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
