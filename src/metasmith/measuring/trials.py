"""Trials: single runs that a configurator wants, and the programs ranked by them."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import cycle, islice

from metasmith.measuring.cache import Request
from metasmith.measuring.rungs import Rungs, mean_score
from metasmith.measuring.schedule import Measuring, Schedule
from metasmith.measuring.scores import Scores
from metasmith.program import Program


def turns(schedule: Schedule) -> list[int]:
    """The numbers of cases in the order in which a program should run on them, again and again.

    Every rung has as many turns as it counts, spread evenly, the last rung first; its cases take turns in them.
    """
    due, order, total = [0] * len(schedule.rungs), [], sum(schedule.weights)
    seen = [0] * len(schedule.rungs)
    for _ in range(total * max(map(len, schedule.rungs))):
        due = [waiting + weight for waiting, weight in zip(due, schedule.weights, strict=True)]
        rung = max(range(len(due)), key=lambda each: (due[each], each))
        due[rung] -= total
        order.append(schedule.rungs[rung][seen[rung] % len(schedule.rungs[rung])])
        seen[rung] += 1
    return order


class Trials(Rungs):
    """Measures the trials of a configurator; whatever else is measured in its design runs on the rungs."""

    def __init__(self, scores: Scores, measuring: Measuring, schedule: Schedule) -> None:
        super().__init__(scores, measuring, schedule)
        self.trials: dict[Program, list[Request]] = defaultdict(list)
        self.liked: list[Program] = []
        """What the configurator ended with, the best first."""

    def measure(self, wanted: Sequence[Request]) -> list[float]:
        """The scores of trials."""
        self.scores.cache.measure(wanted)
        for request in dict.fromkeys(wanted):
            if request not in self.trials[request.program]:
                self.trials[request.program].append(request)
        return [mean_score(self.scores, request.program, [request]) for request in wanted]

    def best(self) -> list[Program]:
        """What the configurator likes; then programs by how often they were tried, as whoever was thought better was
        tried more often, and by their scores; then those that ran on the rungs.
        """
        return list(dict.fromkeys([*self._tried(), *super().best()]))

    def give_more(self, counts: Sequence[int]) -> None:
        """Give the best of those that were tried more runs, so many on each rung: one each in their order, again and
        again.
        """
        tried, due = self._tried(), []
        for rung, count in enumerate(counts):
            here = self.schedule.rungs[rung]
            for number, program in enumerate(islice(cycle(tried), count)):
                done = len(self.runs[program, rung]) + number // len(tried)
                due.append(Request(program, here[done % len(here)], "rung", done // len(here), rung))
        self.measure(due)

    def _tried(self) -> list[Program]:
        order = sorted(self.trials, key=lambda program: (-len(self.trials[program]), -self.score(program)))
        return list(dict.fromkeys([*self.liked, *order]))

    def leader(self) -> Program:
        """The best so far, of those that were tried."""
        most = max(map(len, self.trials.values()))
        return max((each for each, runs in self.trials.items() if len(runs) == most), key=self.score)

    def score(self, program: Program) -> float:
        """The mean score of a program's trials; over all rungs if it had none."""
        trials = self.trials.get(program)
        return mean_score(self.scores, program, trials) if trials else super().score(program)
