"""Uniform random sampling of token sequences under the mask; learned sampling is compared with it."""

import numpy as np

from metasmith.space.grammar import grammar
from metasmith.space.space import Space
from metasmith.space.tokens import BEGIN, END


def sample(space: Space, rng: np.random.Generator) -> list[int]:
    """Token numbers of a random sequence, from `begin` to `end`; each token uniform among those allowed."""
    rules = grammar(space)
    numbers, state = [space.number[BEGIN]], rules.start
    while numbers[-1] != space.number[END]:
        options = rules.options[state]
        numbers.append(options[rng.integers(len(options))])
        state = int(rules.next[state, numbers[-1]])
    return numbers
