"""How much is spent on an experiment."""

from dataclasses import dataclass

from metasmith.space.spelling import suggestion


@dataclass(frozen=True)
class Scale:
    """effort: of each design. trials: designs, with seeds from 0 on. runs: of each algorithm on each test problem."""

    effort: str
    trials: int
    runs: int


SCALES = {"small": Scale("quick", 1, 5), "paper": Scale("default", 3, 10), "full": Scale("default", 5, 30)}
"""To see that it works; to see what the paper shows; to publish."""


def scale_named(name: str) -> Scale:
    if name not in SCALES:
        raise ValueError(f"there is no scale '{name}'; {suggestion(name, SCALES)}")
    return SCALES[name]
