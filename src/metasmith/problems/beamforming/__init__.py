"""Beamforming (paper IV-D): choose the phase of each element of a reflecting surface so that the users' rates are high.

`beamforming@120#7` is a surface of 120 elements with random channels number 7; `beamforming:channels.npz` has a user's
own channels, see `reading`.
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
"""Elements of a surface whose name does not say it."""

MOST = 10_000
"""Largest number of elements, which must fit into memory."""

EVALUATIONS = 50_000
"""Evaluations of a run in the paper."""

TRAINING = (40, 80, 200, 240, 360)
TEST = (120, 160, 280, 320, 400)
"""The paper's numbers of elements of the training and of the test problems."""


@lru_cache(maxsize=64)
def problem(member: str = "", dimension: int | None = None, instance: int | None = None) -> Problem:
    """A surface of `dimension` elements, by default 120, with random channels number `instance`, by default 1."""
    elements, number = ELEMENTS if dimension is None else dimension, 1 if instance is None else instance
    if not 1 <= elements <= MOST:
        raise ValueError(f"beamforming takes from 1 to {MOST} elements, got {elements}")
    return beamforming(channels(elements, number), f"beamforming@{elements}#{number}")


def task(member: str = "") -> Task:
    """The paper's ten surfaces, split into training and test problems as in the paper."""
    training, test = (tuple(problem(dimension=elements) for elements in sizes) for sizes in (TRAINING, TEST))
    return Task("beamforming", training, test, EVALUATIONS)


def of_file(path: Path) -> Task:
    """A task whose one training and test problem has the channels of a file."""
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
