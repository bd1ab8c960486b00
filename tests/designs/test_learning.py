"""Learning pays: what the designer writes late is far better than what chance writes, for the same evaluations."""

from statistics import fmean

import pytest

import metasmith as ms
from metasmith.designer.training import Training
from metasmith.designs.asked import Race
from metasmith.designs.designing import Design


def task() -> ms.Task:
    training = tuple(map(ms.problem, ("pbo:F2@30", "pbo:F2@40#2", "pbo:F2@50#3")))
    return ms.Task("leading ones", training=training, test=(ms.problem("pbo:F2@50#9"),), evaluations=1000)


def by(designer: str, seed: int) -> Design:
    race = Race(finalists=6, samples=4, rounds=(2, 2, 4))
    return ms.design(task(), designer=designer, seed=seed, training=Training(epochs=30, batch=20), race=race)


def means(design: Design) -> list[float]:
    return [line["mean"] for line in design.history if line["step"] == "epoch"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_the_designer_learns_what_chance_does_not_find(seed):
    learned, drawn = by("ppo", seed), by("random", seed)
    assert drawn.ledger["evaluations"] >= 0.98 * learned.ledger["evaluations"]
    early, late, chance = fmean(means(learned)[:5]), fmean(means(learned)[-10:]), fmean(means(drawn))
    assert late > chance + 0.3
    assert late > early + 0.2
    assert learned.score > drawn.score - 0.01
    (held_out,) = task().test
    found = [ms.solve_all(program, held_out, evaluations=1000, seeds=range(20)).mean for program in (learned.program, "ea")]
    assert found[0] > found[1]
