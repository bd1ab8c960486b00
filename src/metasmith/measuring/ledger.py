"""One ledger counts what a design costs."""

from dataclasses import dataclass


@dataclass
class Ledger:
    """runs and evaluations: what was done. cached: runs that were asked for again and not done again.

    running_seconds: the sum over all runs. measuring_seconds, writing_seconds: by the clock, for runs side by side and
    for the network.
    """

    runs: int = 0
    evaluations: int = 0
    cached: int = 0
    running_seconds: float = 0.0
    measuring_seconds: float = 0.0
    writing_seconds: float = 0.0
