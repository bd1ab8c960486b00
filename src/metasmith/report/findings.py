"""What evidence says: who is better, by how much, and how soon.

A case is a problem with the evaluations of a run on it, and what the runs of every algorithm reached.
"""

import math
from collections.abc import Iterable, Sequence
from statistics import fmean, median, stdev
from typing import Any

import numpy as np

from metasmith.report.charts import DESIGN, LOOKS, OTHER
from metasmith.report.numbers import number

Case = dict[str, Any]
Evidence = dict[str, Any]

TARGETS = 51
"""Of each problem, for the shares that are reached."""

CLOSE = 1e-9
"""Values that differ by a smaller share are the same."""

FAR = 5.0
"""What is worse than the middle one of the means by more than so many times its size is far off, as penalties are."""


IN_COLOUR = 3
"""How many of the known algorithms, the best, are drawn in colour; the others are grey."""


def looks(evidence: Evidence) -> dict[str, str]:
    """How each algorithm is drawn: the design, the best of the others in order, and the rest."""
    order = [*LOOKS[:IN_COLOUR], *[OTHER] * len(evidence["ranking"])]
    return {DESIGN: DESIGN, **dict(zip(evidence["ranking"], order, strict=False))}


def sign(case: Case) -> int:
    """1 if more is better, -1 if less is."""
    return 1 if case["direction"] == "max" else -1


def feasible(case: Case, name: str) -> list[float]:
    return [value for value in case["values"][name] if value is not None]


def mean(case: Case, name: str) -> float | None:
    values = feasible(case, name)
    return fmean(values) if values else None


def means(case: Case) -> list[float]:
    """Those of all algorithms that reach anything feasible."""
    return [average for name in case["values"] if (average := mean(case, name)) is not None]


def far_off(case: Case, value: float) -> bool:
    """Whether a value is so bad that what others reach would all look the same beside it."""
    middle = median(means(case) or [value])
    return sign(case) * (middle - value) > FAR * abs(middle) > 0


def foot(case: Case, by_chance: float | None) -> float | None:
    """Where a scale begins: at what chance alone reaches; where that is infeasible or far off, at the worst mean that
    is neither.
    """
    if by_chance is not None and not far_off(case, by_chance):
        return by_chance
    return min(
        (each for each in means(case) if not far_off(case, each)), key=lambda each: sign(case) * each, default=None
    )


def top(case: Case) -> float | None:
    """Where a scale ends: at the optimum, or at the best mean if that is not known."""
    if case["optimum"] is not None:
        return float(case["optimum"])
    return max(means(case), key=lambda each: sign(case) * each, default=None)


def cell(case: Case, name: str) -> str:
    """Mean and standard deviation; and how many runs have nothing feasible, if any."""
    values, runs = feasible(case, name), len(case["values"][name])
    if not values:
        return "infeasible"
    deviation = number(float(f"{stdev(values) if len(values) > 1 else 0.0:.2g}"))
    failed = f", {runs - len(values)} of {runs} infeasible" if len(values) < runs else ""
    return f"{number(fmean(values))} ± {deviation}{failed}"


def is_best(case: Case, name: str) -> bool:
    """Whether no algorithm has a better mean, or more feasible runs."""

    def standing(each: str) -> tuple[float, float]:
        values = feasible(case, each)
        return len(values), sign(case) * fmean(values) if values else -math.inf

    ours, others = standing(name), [standing(each) for each in case["values"]]
    return all(other <= ours or (other[0] == ours[0] and _close(other[1], ours[1])) for other in others) and ours[0] > 0


def reached(case: Case, name: str) -> int:
    """How many runs reach the optimum."""
    if case["optimum"] is None:
        return 0
    return sum(_reaches(value, case["optimum"], case) for value in feasible(case, name))


def headline(task: str, evidence: Evidence) -> str:
    """What the design is and how good it is, in one sentence."""
    return f"An algorithm for {task}: {_verdict(evidence['test'], evidence['ranking'])}"


def _verdict(test: Sequence[Case], ranking: Sequence[str]) -> str:
    empty, best = (sum(judge(case, DESIGN) for case in test) for judge in (_nothing, is_best))
    if empty:
        return f"finds nothing feasible on {_some(empty, test)}"
    if alike(test) and not any(_nothing(case, ranking[0]) for case in test):
        return _pooled(test, ranking[0])
    if len(test) == 1 and not best:
        return f"does not have the best mean on {_some(1, test)} beside {len(ranking)} known algorithms"
    return f"has the best mean on {_some(best, test)} beside {len(ranking)} known algorithms"


def _pooled(test: Sequence[Case], rival: str) -> str:
    """The means over all test problems."""
    ours, theirs = (fmean(value for case in test for value in feasible(case, name)) for name in (DESIGN, rival))
    where, runs, optimum = _some(len(test), test), len(test[0]["values"][DESIGN]) * len(test), test[0]["optimum"]
    hit, their_hit = (sum(reached(case, name) for case in test) for name in (DESIGN, rival))
    if hit == runs:
        said = f"reaches the optimum, {number(optimum)}, in every run on {where}"
    elif sign(test[0]) > 0:
        said = f"reaches {number(ours)}{'' if optimum is None else f' of {number(optimum)}'} on average on {where}"
    else:
        best = "" if optimum is None else f" and {number(optimum)} the best"
        said = f"reaches {number(ours)} on average on {where}, where less is better{best}"
    if hit == their_hit == runs:
        soon, later = (median(at for case in test for at in case["hits"][name]) for name in (DESIGN, rival))
        theirs_too = f"so does the best known algorithm beside it, {rival}, after {later:,.0f}"
        return f"{said}, after {soon:,.0f} evaluations; {theirs_too}"
    better = sign(test[0]) * (ours - theirs)
    word = (
        "the same" if _close(ours, theirs) else number(theirs) if better > 0 else f"{number(theirs)}, which is better"
    )
    beside = f"the best known algorithm beside it, {rival}, reaches {word}{_failed(test, rival)}"
    return f"{said}{_failed(test, DESIGN)}; {beside}"


def _failed(test: Sequence[Case], name: str) -> str:
    runs, well = (sum(len(case["values"][name]) for case in test), sum(len(feasible(case, name)) for case in test))
    return f" (without {runs - well} of {runs} runs that found nothing feasible)" if well < runs else ""


def _nothing(case: Case, name: str) -> bool:
    return not feasible(case, name)


def _some(count: int, test: Sequence[Case]) -> str:
    """So many of the problems; those that were learned from are said to be."""
    learned = sum(case["learned"] for case in test)
    what = judges(test)
    all_of_them = f"the {what}" if len(test) == 1 else f"the {len(test)} {what}s"
    some = all_of_them if count == len(test) or len(test) == 1 else f"{count} of {all_of_them}"
    if learned == len(test):
        return f"{some} it was learned from"
    return f"{some} ({learned} of them learned from)" if learned else some


def judges(test: Sequence[Case]) -> str:
    """What to call one of the problems that a design is judged on: a test problem only if not all were learned from."""
    return "problem" if all(case["learned"] for case in test) else "test problem"


def alike(test: Sequence[Case]) -> bool:
    """Whether a mean over the problems means something."""
    return len({(case["dimension"], case["direction"], case["optimum"]) for case in test}) == 1


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=CLOSE)


def quartiles(case: Case, name: str) -> tuple[list[float | None], ...]:
    """Lower quartile, median and upper quartile of the best so far over the runs, along the grid; a run without any is
    the worst.
    """
    runs = [[-sign(case) * np.inf if value is None else value for value in run] for run in case["curves"][name]]
    with np.errstate(invalid="ignore"):
        lower, higher, between = (
            np.quantile(runs, (0.25, 0.5, 0.75), axis=0, method=each) for each in ("lower", "higher", "linear")
        )
    rows = np.where(lower == higher, lower, between)  # beside infinity, numpy has no value for a run itself
    return tuple([float(value) if np.isfinite(value) else None for value in row] for row in rows)


def shown(case: Case, names: Iterable[str]) -> tuple[float, float]:
    """The values to show: what the quartiles are from a hundredth of the evaluations on, however bad the
    beginning was.
    """
    late = [i for i, at in enumerate(case["grid"]) if at >= case["evaluations"] / 100]
    values = [each[i] for name in names for each in quartiles(case, name) for i in late]
    return span(case, [value for value in values if value is not None])


def span(case: Case, values: Sequence[float]) -> tuple[float, float]:
    """From the least to the most. If some are far off, only what is near the scale: below it, as far as it is long."""
    low, high = foot(case, None), top(case)
    if low is not None and high is not None and any(far_off(case, value) for value in values):
        least = sign(case) * low - abs(high - low)
        values = [value for value in values if sign(case) * value >= least] or [low, high]
    return (min(values), max(values)) if values else (0.0, 0.0)


def targets(case: Case) -> list[float]:
    """From the value of the first solutions to the optimum, or to the best value of any run, in equal steps; what is
    far off is below.
    """
    every = [value for runs in case["curves"].values() for run in runs for value in run if value is not None]
    low = foot(case, begun(case))
    if low is None:
        return []
    best = case["optimum"] if case["optimum"] is not None else max(every) if sign(case) > 0 else min(every)
    return [low + (best - low) * (i + 1) / TARGETS for i in range(TARGETS)]


def begun(case: Case) -> float | None:
    """The value of the first solutions, of runs that have a feasible one."""
    firsts = [
        next((value for value in run if value is not None), None) for runs in case["curves"].values() for run in runs
    ]
    reached_any = [value for value in firsts if value is not None]
    return median(reached_any) if reached_any else None


def hits(test: Sequence[Case], name: str) -> tuple[list[float], list[float]]:
    """The share of all targets, over problems and runs, that an algorithm has hit by then: along shares of the
    evaluations, up to 1.
    """
    grid = max((case["grid"] for case in test), key=len)
    shares = [at / grid[-1] for at in grid]
    goals = [targets(case) for case in test]
    total = sum(len(each) * len(case["curves"][name]) for each, case in zip(goals, test, strict=True))
    hit_by_then = []
    for share in shares:
        hit = 0
        for case, wanted in zip(test, goals, strict=True):
            by_then = [i for i, at in enumerate(case["grid"]) if at <= share * case["evaluations"] * (1 + CLOSE)]
            best = [run[by_then[-1]] for run in case["curves"][name]] if by_then else []
            hit += sum(_reaches(value, goal, case) for value in best if value is not None for goal in wanted)
        hit_by_then.append(hit / total if total else 0.0)
    return shares, hit_by_then


def _reaches(value: float, goal: float, case: Case) -> bool:
    return sign(case) * value >= sign(case) * goal - CLOSE * abs(goal)


def way(case: Case, name: str, random: str) -> float | None:
    """How far from random search, or where else the scale begins, to the optimum, or to the best mean if that is not
    known.
    """
    ours, low, high = mean(case, name), foot(case, mean(case, random)), top(case)
    if ours is None or low is None or high is None:
        return None
    if far_off(case, ours):
        return 0.0
    return (ours - low) / (high - low) if not _close(high, low) else 1.0
