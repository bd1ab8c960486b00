"""Number partitioning: split numbers into two groups whose sums are as equal as can be."""

import numpy as np

from metasmith.arrays import Tables, Words, tables
from metasmith.problems import Entry, Family, Problem, Task
from metasmith.representations import Bits
from metasmith.words import has

LARGEST = 10_000
EVALUATIONS = 5_000


def difference(row: Words, tables: Tables, work: Words) -> float:
    """The sum of one group less that of the other, without its sign."""
    total = 0
    for i in range(len(tables.numbers)):
        total += tables.numbers[i] if has(row, i) else -tables.numbers[i]
    return float(abs(total))


def partition(member: str, dimension: int | None, instance: int | None) -> Problem:
    """`partition@60#3`: 60 random numbers, instance 3."""
    n, number = dimension or 100, instance or 1
    numbers = np.random.default_rng([n, number]).integers(1, LARGEST, n)
    return Problem.native(
        difference, Bits(n), name=f"partition@{n}#{number}", tables=tables(numbers=numbers), direction="min"
    )


def task(member: str) -> Task:
    """Learn from 40 to 80 numbers, judge on 100."""
    training = tuple(partition("", n, instance) for n in (40, 60, 80) for instance in (11, 12))
    return Task("partition", training, (partition("", 100, 1),), EVALUATIONS)


FAMILY = Family(
    "partition",
    {"": Entry("partition", "Number partitioning", "The difference of the sums of two groups of numbers", None)},
    problem=partition,
    task=task,
)
