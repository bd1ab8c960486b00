"""Configurators in the loop of a design: they choose the runs, all else is as for designers that propose batches.

Every time a configurator has trials measured is a batch of the history. There is no checkpoint: a run that was killed
begins with its configurator from the start, and what it measured before is in the log.
"""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

from metasmith.designers.contract import (
    Archive,
    Budget,
    Configurator,
    Member,
    Proposal,
    SpentError,
    Standing,
    State,
    Trial,
)
from metasmith.measuring import Request
from metasmith.measuring.trials import Trials, turns
from metasmith.runs.history import batch_fields

if TYPE_CHECKING:
    from metasmith.runs.loop import Run, Tell


class Configuring:
    """A configurator at work; to the rest of the loop a designer that has finalists, and nothing else to say."""

    def __init__(self, configurator: Configurator, run: "Run") -> None:
        assert isinstance(run.rungs, Trials)
        self.configurator = configurator
        self.run = run
        self.trials = run.rungs
        self.since = time.perf_counter()
        """When the configurator was last left to itself."""

    def go(self, tell: "Tell") -> None:
        """Let the configurator spend what there is for proposing, and tell how it goes."""
        schedule, evaluations = self.run.costs.schedule, self._left()
        budget = Budget(evaluations, [case.evaluations for case in schedule.cases], turns(schedule))
        self.since = time.perf_counter()
        try:
            liked = self.configurator.configure(partial(self.measure, tell), budget)
        except SpentError:
            liked = []
        self._clock()
        self.trials.liked = [proposal.program for proposal in liked if proposal.program in self.trials.trials]
        self.run._rank()
        if not self.trials.trials:
            name = self.run.spec.designer
            raise ValueError(f"{evaluations:,} evaluations before the final race are too few for {name}; give more")

    def measure(self, tell: "Tell", trials: Sequence[Trial]) -> list[float]:
        """The costs of trials, which become a batch of the history. Raises SpentError if they are too many."""
        self._clock()
        run = self.run
        wanted = [Request(trial.proposal.program, trial.case, "trial", trial.seed) for trial in trials]
        if len(run.history.batches) == run.last_batch:
            run._cut_short()
            raise SpentError
        if run.cache.cost(wanted) > self._left():
            raise SpentError
        scores = self.trials.measure(wanted)
        proposals = {trial.proposal.program: trial.proposal for trial in trials}
        run._archived(members := [self._member(proposal, trials, scores) for proposal in proposals.values()])
        leader, first = self.trials.leader(), [member.first for member in members]
        score, mean, number = self.trials.score(leader), fmean(first), len(run.history.batches) + 1
        run.history.note({
            "step": "batch", "batch": number, "mean": mean, "best": score, "leader": str(leader), "rewards": first,
            **batch_fields(members),
        })  # fmt: skip
        share = run._progress()
        tell(run._going("batch", number, max(number, round(number / share)) if share else number, score, mean, None))
        self.since = time.perf_counter()
        return [-score for score in scores]

    def _member(self, proposal: Proposal, trials: Sequence[Trial], scores: Sequence[float]) -> Member:
        """A program with its mean score in these trials, and in all so far once these were on every rung."""
        now = [score for trial, score in zip(trials, scores, strict=True) if trial.proposal.program == proposal.program]
        cases = {request.case for request in self.trials.trials[proposal.program]}
        everywhere = all(cases & set(rung) for rung in self.trials.schedule.rungs)
        return Member(proposal, fmean(now), self.trials.score(proposal.program) if everywhere else None)

    def _clock(self) -> None:
        """Note how long the configurator was left to itself."""
        self.run.cache.ledger.proposing_seconds += time.perf_counter() - self.since
        self.since = time.perf_counter()

    def _left(self) -> int:
        """The evaluations that are left for proposing."""
        return self.run._left() - self.run.costs.final

    def propose(self, archive: Archive, count: int) -> list[Proposal]:
        return []

    def tell(self, standing: Standing) -> Mapping[str, float]:
        return {}

    def finalists(self, count: int) -> list[Proposal]:
        return [member.proposal for member in self.run.archive.best[:count]]

    def state(self) -> State:
        return State({}, {})

    def restore(self, state: State) -> None:
        """There is nothing to go on from."""
