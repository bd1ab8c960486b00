"""What a design will spend, where it stands, and how long it takes."""

from statistics import median
from typing import NamedTuple

from metasmith.measuring import Cache, Ledger

SLOWER = 1.5
"""How much longer an evaluation takes in the programs that designers propose than in the references, on average."""

PROPOSING_SECONDS = 0.06
"""What a network takes to propose a batch and to learn from it."""


class Plan(NamedTuple):
    """What a design will yet spend at most, and about how long that takes, once runs have shown how fast it is."""

    evaluations: int
    seconds: float | None


class Progress(NamedTuple):
    """Where a design stands after a step.

    what, step: `batch` and its number, or `round` of the final race. steps: how many rounds there are; of batches about
    how many there will be. evaluations: spent so far, of those of the budget. left: seconds.
    In batches, best: the best score so far over all rungs; mean: that of what the network wrote in the last batch, or
    of the whole batch where there is none, on the first rung; entropy: how undecided the network was. In the final
    race, of those left in it: the best and the mean.
    """

    what: str
    step: int
    steps: int
    best: float
    mean: float
    entropy: float | None
    evaluations: int
    budget: int
    rate: float
    left: float


def seconds_for(cache: Cache, evaluations: int, batches: float) -> float:
    """About how long it takes to spend so many evaluations, by the runs so far."""
    ledger = cache.ledger
    rate = median(cache.rates or [ledger.evaluations / max(1e-9, ledger.running_seconds)]) * cache.at_once
    return SLOWER * evaluations / rate + PROPOSING_SECONDS * batches


def rate(ledger: Ledger) -> float:
    """Evaluations a second of all workers together, so far."""
    return ledger.evaluations / max(1e-9, ledger.measuring_seconds)


def seconds_left(ledger: Ledger, progress: float, race: int) -> float:
    """How long the other batches and the final race will take. progress: the share of the batches that is done."""
    batches = (ledger.measuring_seconds + ledger.proposing_seconds) / max(1e-9, progress) * (1 - progress)
    return batches + race / rate(ledger)
