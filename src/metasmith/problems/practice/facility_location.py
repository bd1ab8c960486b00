"""Facility location with capacities: from which site to serve every customer; sites that serve none are free."""

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Tables, Values, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Native, Problem
from metasmith.representations import Integers

SIDE = 1000
"""Of the square that sites and customers are in."""


@register_jitable
def shortage(x: Values, tables: Tables, work: Words) -> float:
    """By how much the customers of sites ask for more than these have.

    tables.numbers: how many sites there are, the capacity and the cost of each, then for each customer the demand and
    what it costs to serve it from each site. work: the demand at each site.
    """
    numbers, asked = tables.numbers, work.view(np.int64)
    sites = numbers[0]
    for s in range(sites):
        asked[s] = 0
    for i in range(len(x)):
        asked[x[i]] += numbers[1 + 2 * sites + i * (1 + sites)]
    total = 0
    for s in range(sites):
        total += max(0, asked[s] - numbers[1 + s])
    return float(total)


def cost(x: Values, tables: Tables, work: Words) -> float:
    """What sites and service cost, or the most that they could, tables.reals, plus the shortage."""
    above = shortage(x, tables, work)
    if above > 0.0:
        return float(tables.reals[0] + above)
    numbers, asked = tables.numbers, work.view(np.int64)
    sites = numbers[0]
    total = 0
    for i in range(len(x)):
        total += numbers[2 + 2 * sites + i * (1 + sites) + x[i]]
    for s in range(sites):
        if asked[s] > 0:
            total += numbers[1 + sites + s]
    return float(total)


def make(n: int, draws: Draws, name: str) -> Problem:
    """A site for every five to ten customers, and capacity for one and a half to four times their demand."""
    sites = max(2, n // draws.one(5, 10))
    where, customers = draws.whole(0, SIDE, sites, 2), draws.whole(0, SIDE, n, 2)
    demand = draws.whole(5, 35, n)
    served = np.abs(customers[:, None] - where[None]).sum(axis=2) * demand[:, None] // 100  # along streets
    even = draws.between(1.5, 4) * float(demand.sum()) / sites
    needed = np.bincount(draws.order(n) % sites, demand, sites).astype(np.int64)  # some assignment keeps all capacities
    capacity = np.maximum(needed, np.floor(even * (0.5 + draws.uniform(sites))).astype(np.int64))
    price = int(served.min(axis=1).sum()) // sites
    costs = draws.whole(1, 3, sites) * price * draws.one(1, 4) // 2
    worst = float(served.max(axis=1).sum() + costs.sum())
    data = tables(np.concatenate([[sites], capacity, costs, np.column_stack([demand, served]).ravel()]), [worst])
    return Problem.native(
        cost,
        Integers(sites, n),
        name=name,
        tables=data,
        work=sites,
        direction="min",
        violation=Native(shortage, data, sites),
    )


KIND = Kind(
    "facility-location",
    "Facility location",
    "Cost of sites that serve all customers within their capacity",
    "sites; capacity; cost of a site",
    "reported",
    make,
)
