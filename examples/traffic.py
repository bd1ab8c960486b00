"""Set the traffic lights of a town: a simulation of five milliseconds, and an hour to find an algorithm for it.

    metasmith design examples/traffic.py:task --minutes 60 --out runs/traffic
    metasmith compare runs/traffic

A town is a grid of crossings. Each light has an offset, the moment in its cycle at which it turns green for those who
drive north and south, and a share of the cycle for which it stays so. The task learns on small towns and is judged on
larger ones with other traffic.
"""

import numpy as np

import metasmith as ms

CYCLE = 12
"""Steps of a cycle; each is a value that an offset may have."""

SHARES = (3, 5, 6, 7, 9)
"""Steps of a cycle that a light may be green for north and south."""

STEPS = 260
"""Of the simulation."""

PASSING = 4
"""Cars that pass a green light in a step."""


def town(seed: int, side: int) -> ms.Problem:
    """A town of side * side crossings, with its traffic: how long do all wait together?"""
    draw = np.random.default_rng(seed)
    crossings = side * side
    arriving = draw.integers(1, 5, (STEPS, 4, side)) * (draw.random((STEPS, 4, side)) < 0.4)
    arriving[:, draw.integers(4)] *= 2  # most come from one side of the town
    turning = draw.integers(1, 4, (4, side, side))  # of ten cars, so many turn right

    def waiting(x: np.ndarray) -> int:
        offsets, greens = x[:crossings].reshape(side, side), np.array(SHARES)[x[crossings:].reshape(side, side)]
        queues = np.zeros((4, side, side), np.int64)  # by where they come from: north, east, south, west
        total = 0
        for step in range(STEPS):
            for direction, inwards in enumerate(
                ((0, slice(None)), (slice(None), -1), (-1, slice(None)), (slice(None), 0))
            ):
                queues[direction][inwards] += arriving[step, direction]
            along = (step + offsets) % CYCLE < greens
            green = np.stack([along, ~along, along, ~along])
            passing = np.minimum(queues, PASSING * green)
            queues -= passing
            right = passing * turning // 10
            ahead = passing - right
            ahead += np.roll(right, 1, axis=0)  # whoever came from the north and turned right goes on as from the east
            queues[0, 1:] += ahead[0, :-1]
            queues[1, :, :-1] += ahead[1, :, 1:]
            queues[2, :-1] += ahead[2, 1:]
            queues[3, :, 1:] += ahead[3, :, :-1]
            total += int(queues.sum())
        return total

    return ms.Problem(
        waiting,
        ms.Integers([CYCLE] * crossings + [len(SHARES)] * crossings),
        direction="min",
        name=f"town-{side}-{seed}",
    )


task = ms.Task(
    "traffic",
    training=tuple(town(seed, side) for side in (3, 4) for seed in (1, 2, 3)),
    test=tuple(town(seed, 5) for seed in (101, 102, 103)),
    evaluations=5_000,
)

if __name__ == "__main__":
    today = task.test[0]
    result = ms.solve("ea", today, evaluations=500)
    print(f"{result.fun:,.0f} steps waited by all cars together, after {result.nfev} evaluations")
