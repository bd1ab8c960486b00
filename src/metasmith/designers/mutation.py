"""Mutants: programs near the best so far, with one token or one snippet changed.

A network that has just begun to prefer a program tries few of its neighbours; the neighbours of the best are where
better ones are.
"""

from collections.abc import Sequence

import numpy as np

from metasmith.designers.contract import Archive, Proposal
from metasmith.designers.reading import Reader
from metasmith.space import Kind, Space, grammar, sample

ELITE = 24
"""How many of the best programs so far are varied."""

TRIES = 100
AS_IT_IS = 0.15
"""How often a good program is proposed again unchanged: it runs anew, which tells the good from the lucky."""

Tokens = Sequence[int]


def elite(archive: Archive) -> list[Proposal]:
    """The best programs so far that the space can write, the best first."""
    return [member.proposal for member in archive.best[:ELITE] if member.proposal.tokens is not None]


def mutant(parents: Sequence[Proposal], read: Reader, draw: np.random.Generator) -> Proposal:
    """A program near one of the `parents`, all of which have tokens; now and then the parent itself."""
    parent = parents[int(draw.integers(len(parents)))]
    assert parent.tokens is not None
    if draw.random() < AS_IT_IS:
        return Proposal(parent.program, parent.tokens, "mutant", parent.program)
    for _ in range(TRIES):
        tokens = changed(parent.tokens, [each.tokens for each in parents if each.tokens is not None], read.space, draw)
        if tokens is not None and read(tokens) != parent.program:
            return read.proposal(tokens, "mutant", parent.program)
    return Proposal(parent.program, parent.tokens, "mutant", parent.program)


def changed(parent: Tokens, donors: Sequence[Tokens], space: Space, draw: np.random.Generator) -> Tokens | None:
    """The tokens of a parent with one change; None if the space does not allow what came of it, or nothing did.

    What comes in is from one of the donors or, half of the time, from a random program.
    """
    donor = donors[int(draw.integers(len(donors)))] if draw.random() < 0.5 else sample(space, draw)
    change = (another_token, another_snippet, one_more, one_less)[draw.choice(4, p=(0.5, 0.2, 0.15, 0.15))]
    child, rules = change(parent, donor, space, draw), grammar(space)
    return child if child != list(parent) and child[-1] == rules.end and rules.state(child) >= 0 else None


def another_token(parent: Tokens, donor: Tokens, space: Space, draw: np.random.Generator) -> list[int]:
    """One token is another of its kind."""
    position = int(draw.integers(1, len(parent)))
    kind = space.tokens[parent[position]].kind
    same = [number for number, token in enumerate(space.tokens) if token.kind is kind]
    return [*parent[:position], same[draw.integers(len(same))], *parent[position + 1 :]]


def another_snippet(parent: Tokens, donor: Tokens, space: Space, draw: np.random.Generator) -> list[int]:
    """One snippet is one of the donor's."""
    start, end = any_snippet(parent, space, draw)
    return [*parent[:start], *donor[slice(*any_snippet(donor, space, draw))], *parent[end:]]


def one_more(parent: Tokens, donor: Tokens, space: Space, draw: np.random.Generator) -> list[int]:
    """A snippet of the donor is put before one of the parent's."""
    start, _ = any_snippet(parent, space, draw)
    return [*parent[:start], *donor[slice(*any_snippet(donor, space, draw))], *parent[start:]]


def one_less(parent: Tokens, donor: Tokens, space: Space, draw: np.random.Generator) -> list[int]:
    """A snippet is left out."""
    start, end = any_snippet(parent, space, draw)
    return [*parent[:start], *parent[end:]]


def any_snippet(numbers: Tokens, space: Space, draw: np.random.Generator) -> tuple[int, int]:
    """Where a random snippet begins, and where it ends."""
    starts = [position for position, number in enumerate(numbers) if space.tokens[number].kind is Kind.COMPONENT]
    bounds = [*starts, len(numbers) - 1]  # the last is `end`
    chosen = int(draw.integers(len(starts)))
    return bounds[chosen], bounds[chosen + 1]
