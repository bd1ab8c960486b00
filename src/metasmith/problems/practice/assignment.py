"""Generalised assignment: give every job to an agent, cheaply, within what each agent has time for."""

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Tables, Values, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Native, Problem
from metasmith.representations import Integers


@register_jitable
def overtime(x: Values, tables: Tables, work: Words) -> float:
    """By how much the agents' jobs exceed their time.

    tables.numbers: how many agents there are, the time of each, for each job the time it takes each, then its costs.
    work: the time that is left.
    """
    numbers, left = tables.numbers, work.view(np.int64)
    agents = numbers[0]
    for a in range(agents):
        left[a] = numbers[1 + a]
    for i in range(len(x)):
        left[x[i]] -= numbers[1 + agents + i * agents + x[i]]
    total = 0
    for a in range(agents):
        total += max(0, -left[a])
    return float(total)


def cost(x: Values, tables: Tables, work: Words) -> float:
    """The cost of all jobs, or the most that they could cost, tables.reals, plus the overtime."""
    above = overtime(x, tables, work)
    if above > 0.0:
        return float(tables.reals[0] + above)
    agents = tables.numbers[0]
    first = 1 + agents + len(x) * agents
    total = 0
    for i in range(len(x)):
        total += tables.numbers[first + i * agents + x[i]]
    return float(total)


def make(n: int, draws: Draws, name: str) -> Problem:
    """Three to twelve agents; who is quick is expensive. Some assignment keeps all times, which are else 80 to 95 % of
    what jobs take on average.
    """
    agents = draws.one(3, 12)
    takes = draws.whole(5, 100, n, agents)
    costs = 111 - takes + draws.whole(-10, 10, n, agents)
    average = draws.between(0.8, 0.95) * float(takes.sum()) / agents / agents
    hidden = np.argsort(draws.uniform(n, agents) + takes, axis=1, kind="stable")[:, 0]  # everybody to the quickest,
    hidden = np.where(draws.uniform(n) < 0.5, draws.order(n) % agents, hidden)  # half of them in turn
    used = np.bincount(hidden, takes[np.arange(n), hidden], agents).astype(np.int64)
    times = np.maximum(used, int(average))
    data = tables(np.concatenate([[agents], times, takes.ravel(), costs.ravel()]), [float(costs.max(axis=1).sum())])
    return Problem.native(
        cost,
        Integers(agents, n),
        name=name,
        tables=data,
        work=agents,
        direction="min",
        violation=Native(overtime, data, agents),
    )


KIND = Kind(
    "assignment",
    "Generalised assignment",
    "Cost of jobs given to agents who have little time",
    "agents; tightness",
    "tuning",
    make,
)
