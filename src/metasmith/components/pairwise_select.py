"""Pairwise: every solution has its own descent."""

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.components.roles import select


@select
class pairwise_select:
    """The better of each parent and its child, ties to the child."""

    def any(
        pool: Solutions, population: Indices, children: Indices, parents: Indices, fitness: Floats, kept: Indices,
        variables: int, progress: float, memory: Floats, rng: State,
    ) -> None:  # fmt: skip
        for i in range(len(kept)):
            kept[i] = children[i] if fitness[children[i]] >= fitness[parents[i]] else parents[i]
