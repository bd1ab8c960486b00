"""Always: selection without pressure, the comma of evolution strategies."""

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.components.roles import select


@select
class always_select:
    """The children replace the population."""

    def any(
        pool: Solutions, population: Indices, children: Indices, parents: Indices, fitness: Floats, kept: Indices,
        variables: int, progress: float, memory: Floats, rng: State,
    ) -> None:  # fmt: skip
        for i in range(len(kept)):
            kept[i] = children[i]
