"""One designer beside others, design by design: a pair shares the problem, the seed and the evaluations spent.

The design is the unit. Within a pair either designer would be ahead equally often if they did not differ, whatever the
problem; so the tests are about designers on these problems, and need nothing of how the problems compare.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from metasmith.analysis.statistics import (
    SIGNIFICANCE,
    holm,
    median_interval,
    rank_biserial,
    sign_test,
    signed_rank,
    signs,
)

SAME = 1e-9
"""Qualities that differ by less are the same: means of the same values, added up in another order."""

Qualities = Mapping[tuple[str, int], float]
"""How good the designs of a designer are, by problem and seed; larger is better."""


@dataclass(frozen=True)
class Rivalry:
    """A designer beside a rival. differences: of their designs' qualities, by problem; above zero the rival is behind.
    corrected: the p-value of the signed-rank test, corrected for the number of rivals that were declared.
    """

    rival: str
    differences: Mapping[str, Sequence[float]]
    corrected: float

    @cached_property
    def all(self) -> list[float]:
        return [each for problem in self.differences.values() for each in problem]

    @cached_property
    def interval(self) -> tuple[float, float, float]:
        """The median difference, and its 95 % confidence interval by a bootstrap over problems and their seeds."""
        return median_interval(list(self.differences.values()))

    @property
    def verdict(self) -> str:
        """What the designer is, set beside the rival."""
        if self.corrected >= SIGNIFICANCE:
            return "not told apart"
        return "better" if rank_biserial(self.all) > 0 else "worse"

    def record(self) -> dict[str, Any]:
        """For machines."""
        median, low, high = self.interval
        wins, ties, losses = signs(self.all)
        return {
            "rival": self.rival, "pairs": len(self.all), "wins": wins, "ties": ties, "losses": losses,
            "median": median, "low": low, "high": high, "rank_biserial": rank_biserial(self.all),
            "sign_p_value": sign_test(self.all), "p_value": signed_rank(self.all), "corrected": self.corrected,
            "verdict": self.verdict,
        }  # fmt: skip


def rivalries(ours: Qualities, rivals: Mapping[str, Qualities], declared: int) -> list[Rivalry]:
    """A designer beside each rival, on the problems and seeds that both have; at least one pair each.

    declared: how many rivals the p-values are corrected for. Those that are not there count as not told apart, so that
    nothing is gained by looking at one after the other.
    """
    differences = {name: paired(ours, theirs) for name, theirs in rivals.items()}
    p_values = [signed_rank([each for problem in by.values() for each in problem]) for by in differences.values()]
    corrected = holm([*p_values, *[1.0] * (declared - len(p_values))])
    return [Rivalry(name, by_problem, p) for (name, by_problem), p in zip(differences.items(), corrected, strict=False)]


def paired(ours: Qualities, theirs: Qualities) -> dict[str, list[float]]:
    """The differences of the pairs, by problem."""
    by_problem: dict[str, list[float]] = {}
    for problem, seed in ours:
        if (problem, seed) in theirs:
            difference = ours[problem, seed] - theirs[problem, seed]
            by_problem.setdefault(problem, []).append(difference if abs(difference) > SAME else 0.0)
    return by_problem
