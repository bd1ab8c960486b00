"""From the tokens that a designer writes to the program that they say, each sequence once."""

from collections.abc import Sequence

from metasmith.designers.contract import Proposal
from metasmith.program import Program, canonical, program_of
from metasmith.space import END, Space


class Reader:
    """Reads token numbers as programs in canonical form."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.end = space.number[END]
        self.programs: dict[tuple[int, ...], Program] = {}

    def __call__(self, numbers: Sequence[int]) -> Program:
        """The program that token numbers say, from `begin` to the first `end`, in its canonical form."""
        tokens = self.whole(numbers)
        if tokens not in self.programs:
            self.programs[tokens] = canonical(program_of([self.space.tokens[number] for number in tokens], self.space))
        return self.programs[tokens]

    def proposal(self, numbers: Sequence[int], source: str, parent: Program | None = None) -> Proposal:
        """The proposal that token numbers say."""
        return Proposal(self(numbers), self.whole(numbers), source, parent)

    def whole(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """Token numbers up to the first `end`."""
        tokens = tuple(numbers)
        return tokens[: tokens.index(self.end) + 1]
