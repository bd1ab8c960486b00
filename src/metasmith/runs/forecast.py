"""What a design will spend, where it stands, and how long it takes."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

from metasmith.measuring import Cache, Ledger
from metasmith.measuring.final_race import runs_of_rounds
from metasmith.measuring.rungs import ENTRY_RUNG, OTHER_RUNGS
from metasmith.runs.costs import Costs

if TYPE_CHECKING:
    from metasmith.runs.spec import Spec

ENGINE_SECONDS, SECONDS_PER_VARIABLE = 0.1e-6, 1e-9
"""What an evaluation takes longer in the programs that designers propose than in the references, on average: the
engine's part, which counts where the function takes next to no time.
"""

PROPOSING_SECONDS = 0.06
"""What a network takes to propose a batch and to learn from it."""

STARTING_SECONDS = 5.0
"""What it takes to load a network before the first batch."""

RUN_SECONDS = 0.002
"""What it takes to begin a run, in a process of its own."""


class Plan(NamedTuple):
    """What a design will yet spend at most, and about how long that takes, once runs have shown how fast it is."""

    evaluations: int
    seconds: float | None


class Progress(NamedTuple):
    """Where a design stands after a step.

    what, step: `batch` and its number, or `round` of the final race. steps: how many rounds there are; of batches about
    how many there will be. evaluations: spent so far, of all that may be (`spend`). left: seconds.
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
    spend: int
    rate: float
    left: float


class Speed(NamedTuple):
    """How fast runs are.

    seconds: of an evaluation of random search, by the clock, while as many runs as can be go on, by the dimension of
    the problem. at_once: how many runs that are. evaluations, measuring: what it took to see that, and how long.
    """

    seconds: Mapping[int, float]
    at_once: int
    evaluations: int
    measuring: float


def proposed(seconds: float, dimension: int) -> float:
    """How long an evaluation takes in programs that are proposed, if it takes so many seconds in a reference."""
    return seconds + ENGINE_SECONDS + SECONDS_PER_VARIABLE * dimension


def design_seconds(spec: "Spec", costs: Costs, speed: Speed) -> float:
    """About how long a whole design takes, from its references on.

    Runs of a step go on side by side, and the next step waits for all of them.
    """
    cases, schedule, measuring = costs.schedule.cases, costs.schedule, spec.measuring

    def evaluations(numbers: Sequence[int]) -> float:
        return fmean(cases[number].evaluations for number in numbers)

    def seconds(numbers: Sequence[int], runs: float) -> float:
        """Of so many runs on some cases in turns."""
        sizes = {number: cases[number].problem.dimension for number in numbers}
        each = fmean(cases[k].evaluations * proposed(speed.seconds[size], size) for k, size in sizes.items())
        return math.ceil(runs / speed.at_once) * (each + RUN_SECONDS)

    entering = spec.training.batch * measuring.runs
    going_on = math.ceil(measuring.keep * spec.training.batch) * measuring.runs
    others = [number for rung in OTHER_RUNGS for number in schedule.rungs[rung]]
    batch = seconds(schedule.rungs[ENTRY_RUNG], entering) + seconds(others, len(OTHER_RUNGS) * going_on)
    in_batch = entering * evaluations(schedule.rungs[ENTRY_RUNG])
    in_batch += going_on * sum(evaluations(schedule.rungs[rung]) for rung in OTHER_RUNGS)
    race = sum(seconds(schedule.race, runs) for runs in runs_of_rounds(spec.race))
    in_race = sum(runs_of_rounds(spec.race)) * evaluations(schedule.race)
    batches = max(0.0, spec.spend - costs.start - in_race) / in_batch
    start = seconds(range(len(cases)), costs.references / evaluations(range(len(cases))))
    known = costs.known / in_batch * batch
    return STARTING_SECONDS + start + known + batches * (batch + PROPOSING_SECONDS) + race


def seconds_for(cache: Cache, evaluations: int, batches: float) -> float:
    """About how long it takes to spend so many evaluations, by the runs so far."""
    ledger = cache.ledger
    rate = median(cache.rates or [ledger.evaluations / max(1e-9, ledger.running_seconds)])
    each = proposed(1 / rate, max(case.problem.dimension for case in cache.cases))
    return each * evaluations / cache.at_once + PROPOSING_SECONDS * batches


def rate(ledger: Ledger, timing: int) -> float:
    """Evaluations a second of all workers together, so far. timing: those before the clock of the ledger began."""
    return (ledger.evaluations - timing) / max(1e-9, ledger.measuring_seconds)


def seconds_left(ledger: Ledger, timing: int, progress: float, race: int) -> float:
    """How long the other batches and the final race will take. progress: the share of the batches that is done."""
    batches = (ledger.measuring_seconds + ledger.proposing_seconds) / max(1e-9, progress) * (1 - progress)
    return batches + race / max(1e-9, rate(ledger, timing))
