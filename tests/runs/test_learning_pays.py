"""Learning pays: what the designer writes late is far better than what chance writes, and so is what it designs."""

from statistics import fmean

import pytest
from design_helpers import designed

import metasmith as ms
from metasmith.designers.training import Training
from metasmith.measuring import Measuring, Race
from metasmith.runs.design import Design

SEEDS = range(6)
"""A claim about a designer takes several designs: one may be lucky."""


def task(function: str) -> ms.Task:
    """Small permuted instances to learn from, and another to be judged on."""
    training = tuple(
        ms.problem(f"pbo:{function}@{size}#{instance}") for size, instance in ((40, 60), (60, 61), (80, 62))
    )
    return ms.Task(function, training=training, test=(ms.problem(f"pbo:{function}@80#90"),), evaluations=4000)


def by(designer: str, function: str, seed: int) -> Design:
    settings = {"race": Race(finalists=8, samples=4, rounds=(4, 4, 8)), "training": Training(batch=20)}
    return designed(task(function), batches=30, designer=designer, seed=seed, measuring=Measuring(), **settings)


def late(design: Design) -> float:
    """The mean score, on problems of middle size, of what the writer itself wrote in the last ten batches."""
    return fmean([line["mean"] for line in design.history if line["step"] == "batch"][-10:])


def judged(design: Design) -> float:
    (problem,) = task(design.spec.task).test
    return problem.original(ms.solve_all(design.program, problem, evaluations=4000, seeds=range(30)).mean)


@pytest.mark.slow
def test_learning_beats_chance_for_the_same_evaluations():
    """LeadingOnes with epistasis, where chance seldom gets far: 23.0 on average were learned, 21.5 drawn."""
    learned, drawn = ([by(designer, "F14", seed) for seed in SEEDS] for designer in ("mixture", "random"))
    assert {each.spec.spend for each in learned} == {each.spec.spend for each in drawn}
    assert fmean(map(late, learned)) > fmean(map(late, drawn)) + 0.03
    assert fmean(map(judged, learned)) > fmean(map(judged, drawn)) + 0.7


@pytest.mark.slow
def test_what_is_written_late_is_far_better_than_what_chance_writes():
    learned, drawn = by("mixture", "F10", 0), by("random", "F10", 0)
    assert late(learned) > late(drawn) + 0.3
