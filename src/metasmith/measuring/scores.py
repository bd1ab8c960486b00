"""Results of runs on one scale, whatever the problem:

0 is random search, 1 the optimum, or what a (1+1) EA finds if none is known.
"""

import math
from typing import Literal

from metasmith.measuring.cache import Cache, Measurement, Request
from metasmith.program import Program, named

Quality = Literal["final", "anytime"]

EARLY = 1e-6
"""What reaching the best possible value at once is worth beyond reaching it at the end: less than any better value."""

SHORT = 1e-9
"""What a program one component shorter is worth, all else equal."""

FLOOR = -10.0
"""No feasible result is worth less; infeasible ones are."""

WITHOUT = -1.0
"""What the time before the first feasible value is worth, where the whole run counts."""

REFERENCES = ("random", "ea")
YARDSTICK = 999_999
"""The number of their runs, which belong to no race."""


class Scores:
    """Puts what was measured on one scale. quality: the final value of a run, or the mean of its best-so-far."""

    def __init__(self, measures: Cache, quality: Quality = "final") -> None:
        self.measures = measures
        self.quality = quality
        self.best: dict[int, float] = {}
        self.reached: dict[int, set[Program]] = {}
        self._seen = 0
        self._scales: dict[int, tuple[float, float]] = {}

    def prepare(self) -> None:
        """Measure the yardsticks: random search and a (1+1) EA, once on every training problem."""
        places = range(len(self.measures.places))
        self.measures.measure(Request(named(name), place, YARDSTICK) for place in places for name in REFERENCES)

    def __call__(self, request: Request) -> float:
        """The worth of a run that was measured, without what depends on the program."""
        self._look()
        found = self.measures.known[request]
        if found.value is None:
            return FLOOR - 1
        if found.violation > 0:
            return FLOOR - 1 / (1 + 1 / found.violation)  # of an endless violation too
        place = self.measures.places[request.place]
        low, unit = self._scale(request.place)
        early = EARLY * (1 - found.hit / place.evaluations) if self._is_best(request.place, found) else 0.0
        value = found.value if self.quality == "final" else found.area
        assert value is not None
        worth = max(FLOOR, (self._sign(request.place) * value - low) / unit)
        return (worth if self.quality == "final" else found.share * worth + (1 - found.share) * WITHOUT) + early

    def _is_best(self, number: int, found: Measurement) -> bool:
        """Whether a run reached the optimum, or, if that is not known, a value that several programs reached and none
        surpassed.
        """
        assert found.value is not None
        sign, optimum = self._sign(number), self.measures.places[number].problem.optimum
        if optimum is not None:
            return sign * found.value >= sign * optimum - 1e-9 * abs(optimum)
        return sign * found.value >= self.best[number] and len(self.reached[number]) > 1

    def _look(self) -> None:
        """Note the best value of every place, and who reached it, among what was measured since the last look."""
        if len(self.measures.known) == self._seen:
            return
        for request in list(self.measures.known)[self._seen :]:
            found = self.measures.known[request]
            if found.value is None or found.violation > 0:
                continue
            value = self._sign(request.place) * found.value
            if value > self.best.get(request.place, -math.inf):
                self.best[request.place] = value
                self.reached[request.place] = set()
            if value == self.best[request.place]:
                self.reached[request.place].add(request.program)
        self._seen = len(self.measures.known)

    def _scale(self, number: int) -> tuple[float, float]:
        """The value that is worth nothing, and the difference that is worth one."""
        if number not in self._scales:
            sign, optimum = self._sign(number), self.measures.places[number].problem.optimum
            feasible = [
                sign * found.value
                for request, found in self.measures.known.items()
                if request.place == number and found.value is not None and found.violation <= 0
            ]  # the yardsticks first, as far as they are feasible
            low = min(feasible[:2])
            high = max(feasible[:2]) if optimum is None else sign * optimum
            scale = low, (high - low if high > low else abs(low) or 1.0)
            if len(feasible) < 2:
                return scale  # not for good: whoever resumes must find the same
            self._scales[number] = scale
        return self._scales[number]

    def _sign(self, number: int) -> float:
        return 1.0 if self.measures.places[number].problem.maximise else -1.0
