"""What the parts of a design cost at most, as those say who spend it, and what can be proposed with the rest."""

from dataclasses import dataclass
from typing import Self

from metasmith.measuring import Measuring, Race, Schedule, schedule
from metasmith.measuring.final_race import cost as race_cost
from metasmith.measuring.rungs import cost as batch_cost
from metasmith.measuring.scores import cost as reference_cost
from metasmith.problems import Task
from metasmith.runs.embedding import cost as looking_cost


@dataclass(frozen=True)
class Costs:
    """Evaluations. start: timing, looking at the problems where a writer does, the references, and `known`, the batch
    of known algorithms. final: the race.
    """

    schedule: Schedule
    measuring: Measuring
    references: int
    known: int
    start: int
    final: int

    @classmethod
    def of(cls, task: Task, measuring: Measuring, race: Race, *, looks: bool, timing: int = 0, known: int = 0) -> Self:
        """The costs of a design for `task`. looks: whether a writer with a memory looks at the problems first. timing:
        evaluations that measured how fast runs are. known: how many known algorithms it begins with.
        """
        plan = schedule(task, measuring)
        references = reference_cost(plan.cases)
        first = batch_cost(plan, measuring, known)
        start = timing + references + (looking_cost(task) if looks else 0) + first
        final = race_cost(plan, race) if race.rounds else batch_cost(plan, measuring, 1)
        return cls(plan, measuring, references, first, start, final)

    def batch(self, count: int) -> int:
        """What a batch of `count` programs costs at most."""
        return batch_cost(self.schedule, self.measuring, count)

    def total(self, batches: int, count: int) -> int:
        """What a design of so many batches of `count` programs costs at most."""
        return self.start + batches * self.batch(count) + self.final

    def least(self, batches: int, count: int) -> int:
        """What a design costs at least: half a batch of `count`, if it is to have batches."""
        return self.start + (self.batch((count + 1) // 2) if batches else 0) + self.final

    def affordable(self, left: int, count: int) -> int:
        """How many programs of a batch of `count` can be measured with so many evaluations; none if less than half."""
        return next((few for few in range(count, (count - 1) // 2, -1) if self.batch(few) <= left), 0)
