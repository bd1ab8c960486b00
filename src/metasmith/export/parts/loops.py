"""Loops: each gives one turn after the other until its condition is met, and at least one."""

from collections.abc import Iterator

from metasmith.engine.lower import STAGNATION
from metasmith.export.parts.run import Run, Watch


def until_spent(run: Run, percent: float) -> Iterator[None]:
    """Turns until so many percent of the run's evaluations are spent since the loop began."""
    began = run.spent
    count = max(1, round(percent / 100 * run.evaluations))
    yield
    while run.spent - began < count:
        yield


def until_stagnation(run: Run) -> Iterator[None]:
    """Turns until a share of the run's evaluations has brought no improvement."""
    return until_no_gain(run, max(1, round(STAGNATION * run.evaluations)))


def until_local_optimum(run: Run) -> Iterator[None]:
    """Turns until as many evaluations as a solution has neighbours have brought no improvement."""
    return until_no_gain(run, run.variables.neighbours)


def until_no_gain(run: Run, patience: int) -> Iterator[None]:
    """Turns until so many evaluations have brought no improvement."""
    watch = Watch(run)
    run.watches.append(watch)
    yield
    while run.spent - watch.gained < patience:
        yield
    run.watches.remove(watch)
