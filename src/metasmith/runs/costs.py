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
    """Evaluations. start: looking at the problems, where a writer does, and the references. final: the final race."""

    schedule: Schedule
    measuring: Measuring
    start: int
    final: int

    @classmethod
    def of(cls, task: Task, measuring: Measuring, race: Race, *, looks: bool) -> Self:
        """The costs of a design for `task`. looks: whether a writer with a memory looks at the problems first."""
        plan = schedule(task, measuring)
        start = reference_cost(plan.cases) + (looking_cost(task) if looks else 0)
        final = race_cost(plan, race) if race.rounds else batch_cost(plan, measuring, 1)
        return cls(plan, measuring, start, final)

    def batch(self, count: int) -> int:
        """What a batch of `count` programs costs at most."""
        return batch_cost(self.schedule, self.measuring, count)

    def affordable(self, left: int, count: int) -> int:
        """How many programs of a batch of `count` can be measured with so many evaluations; none if less than half."""
        return next((few for few in range(count, (count - 1) // 2, -1) if self.batch(few) <= left), 0)
