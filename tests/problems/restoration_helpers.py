"""The two instances of the restoration problem, and a plan for each that is proved optimal."""

from metasmith.problems.restoration.instance import Instance

INSTANCES = {"train": Instance.of((33, 37)), "test": Instance.of((30, 35))}
OPTIMAL = {
    "train": [1, 0, 0, 0, 0, 0, 1, 1, 7, 0, 1, 1, 2, 7, 2, 2, 3, 0, 4, 5, 5, 3, 0, 0, 6, 6, 6, 1, 7],
    "test": [1, 1, 1, 0, 1, 0, 1, 0, 7, 5, 0, 0, 1, 7, 1, 1, 3, 5, 2, 4, 4, 3, 5, 6, 6, 6, 6, 0, 7],
}
