"""Beamforming with a reconfigurable surface (paper, section IV-D): choose the phase of each element so that the users'
rates are high.

`beamforming@120#7` is a surface of 120 elements with channels number 7; `beamforming:channels.npz` a user's own, see
`reading`.
"""

from functools import lru_cache
from pathlib import Path

from metasmith.problems.beamforming.propagation import channels
from metasmith.problems.beamforming.reading import read
from metasmith.problems.beamforming.sum_rate import beamforming
from metasmith.problems.family import Entry, Family
from metasmith.problems.problem import Problem
from metasmith.problems.task import Task

ELEMENTS = 120
MOST = 10_000
EVALUATIONS = 50_000
TRAINING = (40, 80, 200, 240, 360)
TEST = (120, 160, 280, 320, 400)
"""Elements of the surfaces to learn from and to be judged on: the paper's."""


@lru_cache(maxsize=64)
def problem(member: str = "", dimension: int | None = None, instance: int | None = None) -> Problem:
    """A surface of `dimension` elements, 120 unless said, and random channels number `instance`, 1 unless said."""
    elements, number = ELEMENTS if dimension is None else dimension, 1 if instance is None else instance
    if not 1 <= elements <= MOST:
        raise ValueError(f"beamforming takes from 1 to {MOST} elements, got {elements}")
    return beamforming(channels(elements, number), f"beamforming@{elements}#{number}")


def task(member: str = "") -> Task:
    """The paper's split of its ten surfaces."""
    training, test = (tuple(problem(dimension=elements) for elements in sizes) for sizes in (TRAINING, TEST))
    return Task("beamforming", training, test, EVALUATIONS)


def of_file(path: Path) -> Task:
    """The channels of a file, to learn from and to be judged on."""
    mine = beamforming(read(path), f"beamforming:{path.name}")
    return Task(mine.name, (mine,), (mine,), EVALUATIONS)


FAMILY = Family(
    "beamforming",
    {
        "": Entry(
            "beamforming",
            "Beamforming",
            "One over the sum rate of users served by a reflecting surface, minimised",
            None,
        )
    },
    problem,
    task,
    of_file,
)
