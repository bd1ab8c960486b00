"""Portfolio: choose assets, in equal shares, with little risk for their return; not too few, not too many, and not too
many of a sector.

Risk has three parts: the market moves all assets, a sector its own, and every asset moves by itself.
"""

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Tables, Words, tables
from metasmith.problems.draws import Draws
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Native, Problem
from metasmith.representations import Bits
from metasmith.words import has

SECTORS, FEWEST, MOST, OF_A_SECTOR, ASSETS = 0, 1, 2, 3, 4
"""Positions in `tables.numbers`."""

FACTS = 5
"""Numbers of each asset: its sector, how much it moves with the market, with its sector and by itself, its return."""

WORST, RETURN = 0, 1
"""Positions in `tables.reals`: the largest risk of an asset, which no portfolio exceeds, and what return is worth."""


@register_jitable
def disallowed(x: Words, tables: Tables, work: Words) -> float:
    """By how many assets a choice is too small or too large, and its sectors are too large. work: assets by sector."""
    numbers, assets = tables.numbers, work.view(np.int64)
    sectors = numbers[SECTORS]
    for s in range(sectors):
        assets[s] = 0
    chosen = 0
    for i in range((len(numbers) - ASSETS) // FACTS):
        if has(x, i):
            assets[numbers[ASSETS + FACTS * i]] += 1
            chosen += 1
    total = max(0, numbers[FEWEST] - chosen) + max(0, chosen - numbers[MOST])
    for s in range(sectors):
        total += max(0, assets[s] - numbers[OF_A_SECTOR])
    return float(total)


def risk_less_return(x: Words, tables: Tables, work: Words) -> float:
    """The variance of a portfolio less a multiple of its return, or the worst plus what is disallowed.

    work: assets by sector, then how much these move.
    """
    above = disallowed(x, tables, work)
    if above > 0.0:
        return float(tables.reals[WORST] + above)
    numbers, sums = tables.numbers, work.view(np.int64)
    sectors = numbers[SECTORS]
    for s in range(sectors, 2 * sectors):
        sums[s] = 0
    chosen, market, alone, paid = 0, 0, 0, 0
    for i in range((len(numbers) - ASSETS) // FACTS):
        if has(x, i):
            first = ASSETS + FACTS * i
            chosen += 1
            market += numbers[first + 1]
            sums[sectors + numbers[first]] += numbers[first + 2]
            alone += numbers[first + 3] * numbers[first + 3]
            paid += numbers[first + 4]
    variance = market * market + alone
    for s in range(sectors, 2 * sectors):
        variance += sums[s] * sums[s]
    return float(variance / (chosen * chosen) - tables.reals[RETURN] * (paid / chosen))


def make(n: int, draws: Draws, name: str) -> Problem:
    """Four to ten sectors; from a tenth of the assets to a fifth of them, at most half as many again as fit evenly."""
    sectors = draws.one(4, 10)
    fewest, most = max(1, n // 10), max(2, n // 5)
    of_a_sector = -(-3 * most // (2 * sectors))
    market, sector, alone = draws.whole(5, 15, n), draws.whole(0, 20, n), draws.whole(10, 60, n)
    paid = draws.one(0, 3) * market + draws.whole(0, 40, n)  # more for more risk
    assets = np.column_stack([draws.order(n) % sectors, market, sector, alone, paid])
    worst = float((market**2 + sector**2 + alone**2).max())
    data = tables(
        np.concatenate([[sectors, fewest, most, of_a_sector], assets.ravel()]), [worst, draws.between(0.5, 4)]
    )
    return Problem.native(
        risk_less_return,
        Bits(n),
        name=name,
        tables=data,
        work=2 * sectors,
        direction="min",
        violation=Native(disallowed, data, sectors),
    )


KIND = Kind(
    "portfolio",
    "Portfolio",
    "Risk less return of chosen assets, limited in number and by sector",
    "sectors; what return is worth; whether risk pays",
    "tuning",
    make,
)
