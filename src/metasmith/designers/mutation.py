"""Variations of good programs: one token or one snippet is another. They share the batch with what the network writes.

A network that has just begun to prefer a program tries few of its neighbours; the neighbours of the best are where
better ones are.
"""

from collections.abc import Sequence

import numpy as np

from metasmith.space import Kind, Space, grammar, sample

TRIES = 100
AS_IT_IS = 0.15
"""How often a good program is written again unchanged: it runs anew, which tells the good from the lucky."""


def variation(parents: Sequence[list[int]], space: Space, draw: np.random.Generator) -> list[int]:
    """A program near one of the `parents`: token numbers from `begin` to `end`, as they are."""
    parent = parents[int(draw.integers(len(parents)))]
    if draw.random() < AS_IT_IS:
        return parent
    rules = grammar(space)
    for _ in range(TRIES):
        donor = parents[int(draw.integers(len(parents)))] if draw.random() < 0.5 else sample(space, draw)
        child = (another_token, another_snippet, one_more, one_less)[draw.choice(4, p=(0.5, 0.2, 0.15, 0.15))](
            parent, donor, space, draw
        )
        if child != parent and child[-1] == rules.end and rules.state(child) >= 0:
            return child
    return parent


def another_token(parent: list[int], donor: list[int], space: Space, draw: np.random.Generator) -> list[int]:
    """One token is another of its kind."""
    place = int(draw.integers(1, len(parent)))
    kind = space.tokens[parent[place]].kind
    same = [number for number, token in enumerate(space.tokens) if token.kind is kind]
    return [*parent[:place], same[draw.integers(len(same))], *parent[place + 1 :]]


def another_snippet(parent: list[int], donor: list[int], space: Space, draw: np.random.Generator) -> list[int]:
    """One snippet is one of the donor's."""
    start, end = any_snippet(parent, space, draw)
    return [*parent[:start], *donor[slice(*any_snippet(donor, space, draw))], *parent[end:]]


def one_more(parent: list[int], donor: list[int], space: Space, draw: np.random.Generator) -> list[int]:
    """A snippet of the donor is put before one of the parent's."""
    start, _ = any_snippet(parent, space, draw)
    return [*parent[:start], *donor[slice(*any_snippet(donor, space, draw))], *parent[start:]]


def one_less(parent: list[int], donor: list[int], space: Space, draw: np.random.Generator) -> list[int]:
    """A snippet is left out."""
    start, end = any_snippet(parent, space, draw)
    return parent[:start] + parent[end:]


def any_snippet(numbers: Sequence[int], space: Space, draw: np.random.Generator) -> tuple[int, int]:
    """Where a random snippet begins, and where it ends."""
    starts = [place for place, number in enumerate(numbers) if space.tokens[number].kind is Kind.COMPONENT]
    bounds = [*starts, len(numbers) - 1]  # the last is `end`
    chosen = int(draw.integers(len(starts)))
    return bounds[chosen], bounds[chosen + 1]
