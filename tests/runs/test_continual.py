"""Learning pays: what the designer writes late is far better than what chance writes, and so is what it designs."""

from statistics import fmean

import pytest

import metasmith as ms
from metasmith.designers.ppo.training import Training
from metasmith.runs.spec import Race
from metasmith.runs.loop import Design

SEEDS = (0, 1)


def task(function: str) -> ms.Task:
    """Small permuted instances to learn from, and another to be judged on."""
    training = tuple(ms.problem(f"pbo:{function}@{size}#{instance}") for size, instance in ((40, 60), (60, 61), (80, 62)))
    return ms.Task(function, training=training, test=(ms.problem(f"pbo:{function}@80#90"),), evaluations=4000)


def by(designer: str, function: str, seed: int) -> Design:
    race = Race(finalists=8, samples=4, rounds=(4, 4, 8))
    return ms.design(task(function), designer=designer, seed=seed, training=Training(epochs=30, batch=20), race=race)


def late(design: Design) -> float:
    """The mean worth, on problems of middle size, of what the writer itself wrote in the last ten batches."""
    return fmean([line["mean"] for line in design.history if line["step"] == "epoch"][-10:])


def judged(design: Design) -> float:
    (problem,) = task(design.asked.task).test
    return problem.original(ms.solve_all(design.program, problem, evaluations=4000, seeds=range(30)).mean)


@pytest.mark.slow
def test_learning_beats_chance_for_the_same_evaluations():
    """LeadingOnes with epistasis, where chance does not find the best: 23 and 25 were learned, 21 and 20 drawn."""
    learned, drawn = ([by(designer, "F14", seed) for seed in SEEDS] for designer in ("ppo", "random"))
    assert sum(each.ledger["evaluations"] for each in learned) <= sum(each.ledger["evaluations"] for each in drawn)
    assert fmean(map(late, learned)) > fmean(map(late, drawn)) + 0.03
    assert fmean(map(judged, learned)) > fmean(map(judged, drawn)) + 1.5


@pytest.mark.slow
def test_what_is_written_late_is_far_better_than_what_chance_writes():
    learned, drawn = by("ppo", "F10", 0), by("random", "F10", 0)
    assert late(learned) > late(drawn) + 0.3
