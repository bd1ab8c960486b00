"""Random programs of a space, with which learned ones are compared."""

import numpy as np

from metasmith.program.program import Program
from metasmith.program.sequence import program_of
from metasmith.space import Space, sample


def random_program(space: Space, seed: int) -> Program:
    """A random program, each of whose tokens is uniform among those that the grammar allows."""
    numbers = sample(space, np.random.default_rng(seed))
    return program_of([space.tokens[number] for number in numbers], space)
