"""Configuration: choose an option for every part of a product; how good an option is depends on those of other parts.

Random tables over integers: every part has one, over its own options and those of one or two others.
"""

import numpy as np

from metasmith.arrays import Tables, Values, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Problem
from metasmith.representations import Integers


def worth(x: Values, tables: Tables, work: Words) -> float:
    """The sum over all parts of what their tables say.

    tables.numbers: how many others a part depends on; for each part where its table begins, the others, and the options
    of each of these; then the tables, the options of the last other next to one another.
    """
    numbers, others = tables.numbers, tables.numbers[0]
    width = 1 + 2 * others
    total = 0
    for i in range(len(x)):
        first = 1 + i * width
        entry = np.int64(x[i])
        for k in range(first + 1, first + 1 + others):
            entry = entry * numbers[k + others] + x[numbers[k]]
        total += numbers[numbers[first] + entry]
    return float(total)


def make(n: int, draws: Draws, name: str) -> Problem:
    """Two to seven options; what is said of a part is anything from its own choice to a matter of its others alone."""
    others, most, share = draws.one(1, 2), draws.one(3, 7), draws.between(0, 1)
    options = draws.whole(2, most, n)
    depends = (np.arange(n)[:, None] + 1 + draws.different(n, others, n - 1)) % n
    entries, starts, start = [], [], 1 + n * (1 + 2 * others)
    for i in range(n):
        shape = [int(options[i]), *(int(options[k]) for k in depends[i])]
        own = draws.uniform(shape[0]).reshape(-1, *[1] * others)
        table = np.floor(1000 * (share * own + (1 - share) * draws.uniform(*shape))).astype(np.int64)
        entries.append(table.ravel())
        starts.append(start)
        start += table.size
    numbers = np.concatenate([[others], np.column_stack([starts, depends, options[depends]]).ravel(), *entries])
    return Problem.native(worth, Integers(options.tolist()), name=name, tables=tables(numbers))


KIND = Kind(
    "configuration",
    "Configuration",
    "Worth of options whose value depends on those of other parts",
    "options; others that a part depends on, and how much",
    "tuning",
    make,
)
