"""Every designer that is found keeps the contract, whatever it does inside."""

import json
import subprocess
import sys

import numpy as np
import pytest
from designer_helpers import FULL, short, taught

from metasmith.designers import designers, find_designer
from metasmith.designers.contract import Archive, Designer, Member, Proposal, State
from metasmith.designers.training import Training
from metasmith.program import Program, canonical, program_of
from metasmith.space import Space

NAMES = list(designers())
SPACES = [Space.named("paper"), FULL]
TRAINING = Training(batch=10, mutants=3, immigrants=2)


def made(name: str, seed: int = 0, space: Space = FULL) -> Designer:
    return find_designer(name).make(space, TRAINING, seed=seed)


def test_the_folder_is_scanned_and_every_designer_says_what_it_is():
    assert {"mixture", "ppo", "random"} <= set(NAMES)
    for name, declaration in designers().items():
        assert declaration.name == name
        assert declaration.about.endswith(".")
        assert "\n" not in declaration.about
    with pytest.raises(ValueError, match="there is no designer 'pop'; did you mean 'ppo'"):
        find_designer("pop")


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
@pytest.mark.parametrize("name", NAMES)
def test_proposals_are_programs_of_the_space_in_canonical_form(name, space):
    designer = made(name, space=space)
    for batch in [*taught(designer, 3, 10), designer.finalists(5)]:
        assert len(batch) >= 1
        for proposal in batch:
            assert proposal.tokens is not None
            said = program_of([space.tokens[number] for number in proposal.tokens], space)
            assert proposal.program == canonical(said)
            assert proposal.source


@pytest.mark.parametrize("count", [1, 2, 10, 17])
@pytest.mark.parametrize("name", NAMES)
def test_a_batch_has_at_most_as_many_different_programs_as_asked_for(name, count):
    designer = made(name)
    for batch in taught(designer, 4, count):
        assert 1 <= len({proposal.program for proposal in batch}) <= count
    assert 1 <= len(designer.finalists(count)) <= count


@pytest.mark.parametrize("name", NAMES)
def test_parents_were_in_the_archive(name):
    seen: set[Program] = set()
    for batch in taught(made(name), 4, 10):
        assert all(proposal.parent is None or proposal.parent in seen for proposal in batch)
        seen |= {proposal.program for proposal in batch}


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_the_same_proposals_and_every_batch_others(name):
    first, again, other = (taught(made(name, seed), 3, 10) for seed in (7, 7, 8))
    assert first == again
    assert first != other
    one, two, three = ([proposal.tokens for proposal in batch] for batch in first)
    assert one != two != three


@pytest.mark.parametrize("stop", [0, 1, 3])
@pytest.mark.parametrize("name", NAMES)
def test_a_designer_restored_goes_on_as_if_it_had_not_stopped(name, stop):
    whole, cut = made(name), made(name)
    archive = Archive()
    for designer in (whole, cut):
        for batch in taught(designer, stop, 10):
            archive = Archive(
                {proposal.program: Member(proposal, 0.0, short(proposal.program)) for proposal in batch},
                [Member(proposal, 0.0, 1.0) for proposal in batch],
                0.5,
            )
    arrays, facts = cut.state()
    after = made(name)
    after.restore(State({key: np.array(value) for key, value in arrays.items()}, json.loads(json.dumps(facts))))
    assert after.propose(archive, 10) == whole.propose(archive, 10)
    assert after.finalists(4) == whole.finalists(4)


@pytest.mark.parametrize("name", NAMES)
def test_programs_that_the_space_cannot_write_do_no_harm(name):
    """The library may hold some; nobody can vary them or learn to write them."""
    designer = made(name)
    program = Program.parse("population 7; reset_n(n=1)")
    outside = Member(Proposal(program, None, "library"), 9.0, 9.0)
    archive = Archive({program: outside}, [outside])
    batch = designer.propose(archive, 6)
    assert all(proposal.parent is None for proposal in batch)


@pytest.mark.parametrize("name", [name for name in NAMES if not find_designer(name).learns])
def test_torch_is_for_those_with_a_network(name):
    code = (
        "import sys; from metasmith.designers import find_designer; from metasmith.designers.training import Training;"
        "from metasmith.designers.contract import Archive; from metasmith.space import Space;"
        f"find_designer('{name}').make(Space.named('full'), Training(), seed=0).propose(Archive(), 3);"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
