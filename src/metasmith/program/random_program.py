"""A program drawn at random from a space."""

import numpy as np

from metasmith.program.program import Program
from metasmith.program.sequence import program_of
from metasmith.space import Space, sample


def random_program(space: Space, seed: int) -> Program:
    """The program of a random sequence: each token uniform among those allowed."""
    numbers = sample(space, np.random.default_rng(seed))
    return program_of([space.tokens[number] for number in numbers], space)
