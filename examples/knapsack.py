"""A knapsack in plain Python: from a problem of your own to an algorithm made for it.

    metasmith design examples/knapsack.py:task --effort quick --out runs/knapsack
    metasmith compare runs/knapsack

or all of it at once: python examples/knapsack.py
"""

import random

import metasmith as ms


def knapsack(seed: int, items: int) -> ms.Problem:
    """Choose items of the largest value that are not too heavy together.

    Values are near weights, which makes it hard.
    """
    draw = random.Random(seed)
    weights = [draw.randint(100, 1000) for _ in range(items)]
    values = [weight + draw.randint(-100, 100) for weight in weights]
    capacity = sum(weights) // 3

    def packed(x):  # a vector of zeros and ones; what is too heavy is worth less than nothing, the less the heavier
        chosen = [i for i, taken in enumerate(x.tolist()) if taken]
        excess = sum(weights[i] for i in chosen) - capacity
        return -excess if excess > 0 else sum(values[i] for i in chosen)

    return ms.Problem(packed, ms.Bits(items), name=f"knapsack-{items}-{seed}")


task = ms.Task(
    "knapsack",
    training=tuple(knapsack(seed, items) for items in (40, 60, 80) for seed in (1, 2, 3)),
    test=tuple(knapsack(seed, 100) for seed in (101, 102, 103)),  # larger, and never seen while designing
    evaluations=4_000,
)

if __name__ == "__main__":
    design = ms.design(task, effort="quick", seed=0)
    print(ms.pseudocode(design.program))
    for problem in task.test:
        ours = ms.solve(design.program, problem, evaluations=task.evaluations).fun
        theirs = ms.solve("ga", problem, evaluations=task.evaluations).fun
        print(f"{problem.name}: {ours:g}, a genetic algorithm {theirs:g}")
