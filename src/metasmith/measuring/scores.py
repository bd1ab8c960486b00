"""Scores: results of runs on one scale, whatever the problem.

0 is the worse of two references, which is random search but for chance; 1 is the optimum, or the better reference where
no optimum is known, so that scores above 1 occur.
"""

import math
from collections.abc import Sequence
from statistics import median
from typing import Literal

from metasmith.measuring.cache import Cache, Measurement, Request
from metasmith.measuring.schedule import Case
from metasmith.problems import Problem
from metasmith.program import Program, named

Quality = Literal["final", "anytime"]

EARLY = 1e-6
"""The bonus for reaching the best possible value at once instead of at the end."""

SHORT = 1e-9
"""The bonus of a program that is one snippet shorter, all else equal."""

FLOOR = -10.0
"""No feasible result scores less; infeasible ones score down to one less, the more they violate."""

BEFORE_FEASIBLE = -1.0
"""The score of the time before the first feasible value, where the whole run counts."""


def references(problem: Problem) -> tuple[str, str]:
    """The algorithms that scale the scores on a problem: random search, and a simple algorithm that works there."""
    return problem.variables.references


REFERENCE_RUNS = 3
"""Runs of the simple algorithm where no optimum is known, so that 1 is their median: one alone may get stuck."""


def reference_runs(case: Case) -> list[tuple[str, int]]:
    """The runs that scale the scores on a case: names of algorithms, and which run of each it is."""
    low, high = references(case.problem)
    runs = REFERENCE_RUNS if case.problem.optimum is None and high != low else 1
    return list(dict.fromkeys([(low, 0), *((high, repeat) for repeat in range(runs))]))


def cost(cases: Sequence[Case]) -> int:
    """The evaluations that the references take."""
    return sum(len(reference_runs(case)) * case.evaluations for case in cases)


class Scores:
    """Puts measurements on one scale. quality: the final value of a run, or the mean of its best-so-far.

    best, reached: by case, the best value so far, and the programs that reached it. Where no optimum is known the bonus
    for being early depends on them, so the score of a run may change by that much during a design.
    """

    def __init__(self, cache: Cache, quality: Quality = "final") -> None:
        self.cache = cache
        self.quality = quality
        self.best: dict[int, float] = {}
        self.reached: dict[int, set[Program]] = {}
        self._seen = 0
        self._scales: dict[int, tuple[float, float]] = {}

    def prepare(self) -> None:
        """Measure the references on every case."""
        self.cache.measure(
            Request(named(name), number, "reference", repeat)
            for number, case in enumerate(self.cache.cases)
            for name, repeat in reference_runs(case)
        )

    def __call__(self, request: Request) -> float:
        """The score of a run that was measured; the bonus for short programs comes on top, in `rungs.mean_score`."""
        self._look()
        measurement = self.cache.measurements[request]
        if measurement.value is None:
            return FLOOR - 1
        if measurement.violation > 0:
            return FLOOR - 1 / (1 + 1 / measurement.violation)  # also if the violation is infinite
        evaluations = self.cache.cases[request.case].evaluations
        low, unit = self._scale(request.case)
        early = EARLY * (1 - measurement.hit / evaluations) if self._is_best(request.case, measurement) else 0.0
        value = measurement.value if self.quality == "final" else measurement.area
        assert value is not None
        score = max(FLOOR, (self._sign(request.case) * value - low) / unit)
        if self.quality == "anytime":
            score = measurement.share * score + (1 - measurement.share) * BEFORE_FEASIBLE
        return score + early

    def _is_best(self, number: int, measurement: Measurement) -> bool:
        """Whether a run reached the optimum; if none is known, a value that two programs reached and none surpassed.

        One program alone may have been lucky, and better values may be there.
        """
        assert measurement.value is not None
        sign, optimum = self._sign(number), self.cache.cases[number].problem.optimum
        if optimum is not None:
            return sign * measurement.value >= sign * optimum - 1e-9 * abs(optimum)
        return sign * measurement.value >= self.best[number] and len(self.reached[number]) > 1

    def _look(self) -> None:
        """Note the best value on every case, and who reached it, among the measurements since the last look."""
        if len(self.cache.measurements) == self._seen:
            return
        for request in list(self.cache.measurements)[self._seen :]:
            measurement = self.cache.measurements[request]
            if measurement.value is None or measurement.violation > 0:
                continue
            value = self._sign(request.case) * measurement.value
            if value > self.best.get(request.case, -math.inf):
                self.best[request.case] = value
                self.reached[request.case] = set()
            if value == self.best[request.case]:
                self.reached[request.case].add(request.program)
        self._seen = len(self.cache.measurements)

    def _scale(self, number: int) -> tuple[float, float]:
        """The value that scores 0, and the difference from it that scores 1."""
        if number not in self._scales:
            sign, optimum = self._sign(number), self.cache.cases[number].problem.optimum
            feasible = self._feasible(number)
            low = min(feasible[:2])
            high = max(feasible[:2]) if optimum is None else sign * optimum
            scale = low, (high - low if high > low else abs(low) or 1.0)  # some unit, where both are equal
            if len(feasible) < 2:
                return scale  # not kept, because more runs will change it, also for whoever resumes
            self._scales[number] = scale
        return self._scales[number]

    def _feasible(self, number: int) -> list[float]:
        """Feasible values on a case: of random search, the median of the simple algorithm, then all others.

        Where one of the two is infeasible, the next feasible run stands for it.
        """
        sign, case = self._sign(number), self.cache.cases[number]
        found: dict[Program, list[float]] = {named(name): [] for name, _ in reference_runs(case)}
        others: list[float] = []
        for request, measurement in self.cache.measurements.items():
            if request.case == number and measurement.value is not None and measurement.violation <= 0:
                mine = found.get(request.program) if request.purpose == "reference" else None
                (others if mine is None else mine).append(sign * measurement.value)
        return [*(median(values) for values in found.values() if values), *others]

    def _sign(self, number: int) -> float:
        return 1.0 if self.cache.cases[number].problem.maximise else -1.0
