"""Where to put sensors so that storms leave no gaps: a simulation of five milliseconds, and an hour for a design.

    metasmith design examples/sensors.py:task --minutes 60 --out runs/sensors
    metasmith compare runs/sensors

A sensor may stand at each of many sites, and sees the places around it. In a storm some of them fail. They should cost
little, and in the mean over many storms nearly every place should still be seen. The task learns in small regions, and
is judged in larger ones.
"""

import numpy as np

import metasmith as ms

STORMS = 800
SEEN = 0.97
"""The share of places that must be seen, in the mean over all storms."""


def region(seed: int, sites: int) -> ms.Problem:
    """A region with so many sites for sensors, and four times as many places to watch."""
    draw = np.random.default_rng(seed)
    where, places = draw.random((sites, 2)), draw.random((4 * sites, 2))
    cost = draw.integers(10, 100, sites)
    radius = np.sqrt(10 / sites / np.pi) * draw.uniform(0.6, 1.4, sites)  # a place is within reach of about ten sites
    reach = np.linalg.norm(where[:, None] - places[None], axis=2) < radius[:, None]
    stands = draw.random((STORMS, sites)) < 0.85  # whether a sensor survives a storm
    reachable = reach.any(axis=0).mean()

    def price(x: np.ndarray) -> int:
        return int(cost @ x)

    def gaps(x: np.ndarray) -> float:
        """How many places too few are seen."""
        seen = 0
        for stand in stands:  # every storm is simulated
            working = np.flatnonzero(x * stand)
            seen += int(reach[working].any(axis=0).sum())
        return max(0.0, SEEN * reachable * len(places) - seen / STORMS)

    return ms.Problem(price, ms.Bits(sites), direction="min", violation=gaps, name=f"region-{sites}-{seed}")


task = ms.Task(
    "sensors",
    training=tuple(region(seed, sites) for sites in (60, 90, 120) for seed in (1, 2)),
    test=tuple(region(seed, 150) for seed in (101, 102, 103)),
    evaluations=5_000,
)

if __name__ == "__main__":
    result = ms.solve("ea", task.test[0], evaluations=500)
    print(f"a price of {result.fun:,.0f}, with gaps of {result.violation:.2f} places")
