"""The ledger: what a design has cost so far."""

from dataclasses import dataclass


@dataclass
class Ledger:
    """What a design has cost.

    runs, evaluations: those that were done. cached: runs that were asked for again and not done again.
    running_seconds: the sum over all runs. measuring_seconds, proposing_seconds: by the clock, of runs side by side
    and of the designer.
    """

    runs: int = 0
    evaluations: int = 0
    cached: int = 0
    running_seconds: float = 0.0
    measuring_seconds: float = 0.0
    proposing_seconds: float = 0.0
