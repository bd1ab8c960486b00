"""What every designer must keep to, whatever it does inside."""

import json

import numpy as np

from metasmith.designers import find_designer
from metasmith.designers.contract import Archive, Designer, Member, Proposal, Standing, State
from metasmith.designers.training import Training
from metasmith.program import Program, canonical, program_of
from metasmith.space import Space
from metasmith.testing.configurators import check_configurator

TRAINING = Training(batch=10, mutants=3, immigrants=2)
BATCHES = 3


def check_designer(name: str) -> None:
    """Raise AssertionError if the designer called `name` breaks the contract, whichever of the two it has."""
    if find_designer(name).configures:
        return check_configurator(name)
    for space in (Space.named("paper"), Space.named("full").on("bits"), Space.named("full").on("integers")):
        check_proposals(name, space)
    space = Space.named("full").on("bits")
    check_counts(name, space)
    check_seeds(name, space)
    check_states(name, space)
    check_strange_programs(name, space)


def made(name: str, space: Space, seed: int = 0) -> Designer:
    """A designer at its beginning."""
    return find_designer(name).make(space, TRAINING, seed=seed)


def check_proposals(name: str, space: Space) -> None:
    """Proposals are programs of the space in canonical form, say who proposed them, and descend from the archive."""
    designer = made(name, space)
    seen: set[Program] = set()
    for batch in [*taught(designer, BATCHES, 10), designer.finalists(5)]:
        assert batch, f"{name} proposes nothing"
        for proposal in batch:
            assert proposal.source, f"{name} does not say who proposed a program"
            assert proposal.tokens is not None, f"{name} proposes what the space '{space.name}' cannot write"
            written = program_of([space.tokens[number] for number in proposal.tokens], space)
            assert proposal.program == canonical(written), f"{name} proposes another program than its tokens say"
            assert proposal.parent is None or proposal.parent in seen, f"{name} names a parent that nobody proposed"
        seen |= {proposal.program for proposal in batch}


def check_counts(name: str, space: Space) -> None:
    """A batch has at most as many different programs as were asked for."""
    for count in (1, 2, 10, 17):
        designer = made(name, space)
        for batch in taught(designer, BATCHES, count):
            different = len({proposal.program for proposal in batch})
            assert 1 <= different <= count, f"{name} proposes {different} programs where {count} were asked for"
        assert 1 <= len(designer.finalists(count)) <= count, f"{name} has more finalists than were asked for"


def check_seeds(name: str, space: Space) -> None:
    """The same seed gives the same proposals, another seed others, and every batch is another."""
    first, again, other = (taught(made(name, space, seed), BATCHES, 10) for seed in (7, 7, 8))
    assert first == again, f"{name} proposes something else with the same seed"
    assert first != other, f"{name} proposes the same with another seed"
    batches = [tuple(proposal.tokens for proposal in batch) for batch in first]
    assert len(set(batches)) == len(batches), f"{name} proposes the same batch again"


def check_states(name: str, space: Space) -> None:
    """One that is restored from its state, through JSON, goes on as if it had not stopped."""
    for stop in (0, 1, BATCHES):
        whole, cut = made(name, space), made(name, space)
        batches, _ = (taught(designer, stop, 10) for designer in (whole, cut))
        archive = archive_of([proposal for batch in batches for proposal in batch], progress=0.5)
        arrays, facts = cut.state()
        after = made(name, space)
        after.restore(State({key: np.array(value) for key, value in arrays.items()}, json.loads(json.dumps(facts))))
        assert after.propose(archive, 10) == whole.propose(archive, 10), f"{name} goes on otherwise when restored"
        assert after.finalists(4) == whole.finalists(4), f"{name} has other finalists when restored"


def check_strange_programs(name: str, space: Space) -> None:
    """Programs that the space cannot write do no harm: the library may hold some, and nobody can vary them."""
    program = Program.parse("population 7; reset_n(n=1)")
    member = Member(Proposal(program, None, "library"), 9.0, 9.0)
    batch = made(name, space).propose(Archive({program: member}, [member]), 6)
    assert all(proposal.parent is None for proposal in batch), f"{name} varies a program that it cannot write"


def taught(designer: Designer, batches: int, count: int) -> list[list[Proposal]]:
    """What a designer proposes when short programs are rewarded, a list a batch."""
    proposals: list[list[Proposal]] = []
    for batch in range(batches):
        seen = [proposal for before in proposals for proposal in before]
        now = designer.propose(archive_of(seen, progress=batch / batches), count)
        rewards = [-float(len(proposal.program.snippets)) for proposal in now]
        designer.tell(Standing(now, rewards, rewards, list(dict.fromkeys(proposal.program for proposal in now))))
        proposals.append(now)
    return proposals


def archive_of(proposals: list[Proposal], progress: float) -> Archive:
    """An archive of programs that all reached the last rung, the shorter the better."""
    members = {
        each.program: Member(each, -float(len(each.program.snippets)), -float(len(each.program.snippets)))
        for each in proposals
    }
    best = sorted(members.values(), key=lambda member: member.first, reverse=True)
    return Archive(members, best, progress)
