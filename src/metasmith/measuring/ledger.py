"""The ledger: what a design has cost so far."""

from dataclasses import dataclass


@dataclass
class Ledger:
    """What a design has cost.

    runs, evaluations: those that were needed, each counted once. cached: runs that were requested again.
    running_seconds: the time of all runs added up. measuring_seconds: by the clock, while runs went on side by side.
    proposing_seconds: by the clock, while the designer proposed and learned; noted by the loop of a design.
    lost: runs whose workers ended, and that were done again by others; each counts once in all else.
    """

    runs: int = 0
    evaluations: int = 0
    cached: int = 0
    running_seconds: float = 0.0
    measuring_seconds: float = 0.0
    proposing_seconds: float = 0.0
    lost: int = 0
