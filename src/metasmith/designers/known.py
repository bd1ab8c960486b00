"""The known algorithms as proposals: what a design begins from, so that it is never worse than what is known."""

from functools import lru_cache

from metasmith.designers.contract import Proposal
from metasmith.program import Program, ProgramError, canonical, named, names, tokens_of, works_on
from metasmith.space import Space

SOURCE = "library"


@lru_cache
def known(space: Space, representation: str) -> tuple[Proposal, ...]:
    """Every algorithm of the library that works on a representation, once, but for random search; also those that the
    space cannot write.
    """
    different: dict[Program, Proposal] = {}
    for name in names():
        program = canonical(named(name))
        if name != "random" and works_on(program, representation):
            different.setdefault(program, Proposal(program, _tokens(program, space), SOURCE))
    return tuple(different.values())


def _tokens(program: Program, space: Space) -> tuple[int, ...] | None:
    try:
        return tuple(space.number[token] for token in tokens_of(program, space))
    except ProgramError:
        return None
