"""Efforts and presets: how much a design spends, and on what, where nothing else is said."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from metasmith.designers.training import PAPER, Training
from metasmith.measuring import Measuring, Race

DESIGNER = "mixture"
"""The default."""


@dataclass(frozen=True)
class Settings:
    """What an effort or a preset stands for. batches: how many are paid for at least."""

    batches: int
    training: Training = field(default_factory=Training)
    measuring: Measuring = field(default_factory=Measuring)
    race: Race = field(default_factory=Race)
    space: str = "full"
    designer: str = DESIGNER


EFFORTS: Mapping[str, Settings] = {
    "none": Settings(0, Training(known=False), race=Race(finalists=0, samples=23, rounds=(2, 2, 4))),
    "quick": Settings(
        20,
        Training(batch=16, mutants=4, immigrants=4),
        Measuring(runs=1),
        Race(finalists=10, samples=4, rounds=(4, 4, 8)),
    ),
    "default": Settings(62),
    "thorough": Settings(
        200,
        Training(batch=40, mutants=10, immigrants=10),
        race=Race(finalists=60, samples=20, rounds=(6, 6, 12, 24, 48)),
    ),
}
"""How much is spent: nothing on learning, about a tenth of the default, the default, and five times as much."""

PRESETS: Mapping[str, Settings | None] = {
    "default": None,
    "paper": Settings(
        100,
        PAPER,
        Measuring(keep=1.0, runs=5, again=1, evaluations=5000, instances=1),
        Race(finalists=0, samples=0, rounds=()),
        space="paper",
        designer="ppo",
    ),
}
"""The paper's section IV-A: every program runs 5 times on one instance of each size, and the greedy program is the
design. By default an effort decides.
"""
