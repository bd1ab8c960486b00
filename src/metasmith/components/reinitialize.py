"""Reinitialize: leave everything behind."""

from collections.abc import Callable
from typing import Any

from metasmith.arrays import Floats, Indices, Solutions, State
from metasmith.components.roles import Others, search


@search()
class reinitialize:
    """Fresh random solutions; alone in its stage it replaces the whole population."""

    def any(
        pool: Solutions, moving: Indices, shape: Any, settings: Floats, others: Others, memory: Floats, rng: State,
        fresh: Callable[..., None],
    ) -> None:  # fmt: skip
        fresh(pool, moving, shape, rng)
