"""The known algorithms as proposals."""

import pytest

from metasmith.designers.known import known
from metasmith.program import canonical, named, names, program_of, works_on
from metasmith.space import Space


@pytest.mark.parametrize("representation", ["bits", "integers", "permutations"])
@pytest.mark.parametrize("space", ["full", "paper"])
def test_all_that_works_is_there_once_but_random_search(space, representation):
    on = Space.named(space).on(representation)
    proposals = known(on, representation)
    programs = [proposal.program for proposal in proposals]
    works = {canonical(named(name)) for name in names() if works_on(named(name), representation)}
    assert set(programs) == works - {canonical(named("random"))}
    assert len(set(programs)) == len(programs)
    assert {proposal.source for proposal in proposals} == {"library"}
    for proposal in proposals:
        if proposal.tokens is not None:
            written = program_of([on.tokens[number] for number in proposal.tokens], on)
            assert canonical(written) == proposal.program


def test_most_can_be_varied_where_the_space_has_everything():
    proposals = known(Space.named("full").on("bits"), "bits")
    assert sum(proposal.tokens is not None for proposal in proposals) > len(proposals) / 2
