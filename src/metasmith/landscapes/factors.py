"""The 32 landscape factors of the paper, computed from one sample of short random walks on any problem.

Flacco (Kerschke and Trautmann 2019) defines them for real variables. Here distances are those of the representation,
and what depends on the order of rows or on the clock is replaced by something that does not.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from metasmith.arrays import Floats, Indices, Solutions
from metasmith.landscapes import dispersion, information, meta_model, nearest_better
from metasmith.landscapes.distance import between_neighbours, between_pairs
from metasmith.landscapes.evaluate import evaluate, minimised
from metasmith.landscapes.scaling import scaled
from metasmith.landscapes.walk import STEPS, TRIALS, many, walks
from metasmith.problems import Problem
from metasmith.representations import Variables

NAMES = (
    *dispersion.NAMES,
    *meta_model.NAMES, "ela_meta.costs_runtime",
    *information.NAMES, "ic.costs_runtime",
    *nearest_better.NAMES, "nbc.costs_runtime",
)  # fmt: skip
"""The factors in the order of the paper's table, called as flacco calls them."""


@dataclass(frozen=True, eq=False)
class Landscape:
    """The landscape factors of a problem, with the sample that they were computed from.

    factors: by name, in the order of NAMES. scaled: the same for a network's input, (32,).
    samples: rows of the representation, (evaluations, width), trial after trial and walk after walk.
    values: of each sample; the worst infinity where an evaluation failed or a constraint is violated.
    """

    problem: Problem
    seed: int
    factors: dict[str, float]
    scaled: Floats
    samples: Solutions
    values: Floats

    @property
    def evaluations(self) -> int:
        return len(self.values)

    def record(self) -> dict[str, Any]:
        """The landscape as fields of JSON."""
        factors = [
            {"name": name, "value": value, "scaled": seen}
            for (name, value), seen in zip(self.factors.items(), self.scaled.tolist(), strict=True)
        ]
        return {"problem": self.problem.name, "seed": self.seed, "evaluations": self.evaluations, "factors": factors}

    def best(self, count: int) -> Indices:
        """The best distinct samples, best first, from which runs may start: (count, variables), or fewer rows."""
        distinct: dict[bytes, int] = {}
        for i in np.argsort(-self.values if self.problem.maximise else self.values, kind="stable"):
            if len(distinct) >= count:
                break
            distinct.setdefault(self.samples[i].tobytes(), i)
        return self.problem.variables.to_vectors(self.samples[list(distinct.values())])


def sample_size(problem: Problem) -> int:
    """Evaluations that `landscape` spends on a problem."""
    return TRIALS * STEPS * many(problem.variables)


def landscape(problem: Problem, *, seed: int = 0) -> Landscape:
    """Sample a problem and compute its factors; they depend on nothing but the problem and the seed."""
    samples = [walks(problem.variables, problem.name, seed, trial) for trial in range(TRIALS)]
    values = [evaluate(problem, rows) for rows in samples]
    factors = measure(problem.variables, samples, np.split(minimised(problem, np.concatenate(values)), TRIALS))
    return Landscape(
        problem=problem,
        seed=seed,
        factors=dict(zip(NAMES, factors.tolist(), strict=True)),
        scaled=scaled(NAMES, factors, problem.dimension),
        samples=np.concatenate(samples),
        values=np.concatenate(values),
    )


def measure(variables: Variables, samples: list[Solutions], values: list[Floats]) -> Floats:
    """The factors, (32,), of samples and their values, one array per trial.

    samples: random walks as `walks` makes them. values: all finite, less is better.
    """
    starts, at_starts = (
        np.concatenate([rows[::STEPS] for rows in samples]),
        np.concatenate([y[::STEPS] for y in values]),
    )
    spread = np.linspace(0, len(starts) - 1, dispersion.POINTS).astype(np.int64)
    mixed = nearest_better.mixed_points(STEPS)
    in_trials = [
        np.concatenate([
            information.information(y, between_neighbours(variables, rows)),
            nearest_better.nearest_better(between_pairs(variables, rows[mixed]), y[mixed]),
        ])
        for rows, y in zip(samples, values, strict=True)
    ]  # fmt: skip
    averages = np.mean(in_trials, axis=0)
    content, links = np.split(averages, [len(information.NAMES)])
    regression, walking, linking = costs(variables.n, len(starts), sum(map(len, values)), len(mixed))
    return np.concatenate([
        dispersion.dispersion(between_pairs(variables, starts[spread]), at_starts[spread]),
        meta_model.meta_model(variables.to_vectors(starts), at_starts), [regression],
        content, [walking],
        links, [linking],
    ])  # fmt: skip


def costs(variables: int, starts: int, points: int, linked: int) -> Floats:
    """Flacco's three costs as the logarithm of a number of operations, the same on every machine."""
    # departs: the paper measures seconds, which differ from run to run.
    return np.log10([float(starts) * variables**2, float(points) * variables, float(TRIALS) * linked**2 * variables])
