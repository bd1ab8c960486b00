"""A task: the problems and the budget that an algorithm is designed for."""

from collections import Counter
from dataclasses import dataclass

from metasmith.problems.problem import Problem


@dataclass(frozen=True)
class Task:
    """Training problems, test problems, and the evaluations of use: those of a run on every test problem."""

    name: str
    training: tuple[Problem, ...]
    test: tuple[Problem, ...]
    evaluations: int

    def __post_init__(self) -> None:
        if not self.training or not self.test:
            raise ValueError(f"task {self.name} needs at least one training and one test problem")
        if len(kinds := sorted({problem.variables.name for problem in (*self.training, *self.test)})) > 1:
            raise ValueError(f"task {self.name} has problems of {' and '.join(kinds)}; one algorithm works on one kind")
        for problems in (self.training, self.test):
            if twice := [name for name, count in Counter(problem.name for problem in problems).items() if count > 1]:
                raise ValueError(
                    f"task {self.name} has several problems named '{twice[0]}'; give each a name of its own"
                )
        if self.evaluations < 1:
            raise ValueError(f"task {self.name} needs at least 1 evaluation, got {self.evaluations}")

    @property
    def representation(self) -> str:
        """The name of the representation of its problems, such as `bits`."""
        return self.training[0].variables.name

    def training_evaluations(self, problem: Problem) -> int:
        """Evaluations of a run on a training problem.

        They are `evaluations` at a dimension between those of the test problems; smaller and larger problems get as
        many per variable as the nearest test problem.
        """
        sizes = [test.dimension for test in self.test]
        nearest = min(max(problem.dimension, min(sizes)), max(sizes))
        return max(1, self.evaluations * problem.dimension // nearest)
