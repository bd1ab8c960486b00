"""What records say: who is better, by how much, and how soon. A place is a problem and what was found on it."""

import math
from collections.abc import Iterable, Sequence
from statistics import fmean, median, stdev
from typing import Any

from metasmith.report.charts import DESIGN, LOOKS, OTHER, quantile
from metasmith.report.numbers import number

Place = dict[str, Any]
Evidence = dict[str, Any]

TARGETS = 51
"""Of each problem, for the shares that are reached."""

CLOSE = 1e-9
"""Values that differ by a smaller share are the same."""

FAR = 5.0
"""What is worse than the middle one of the means by more than so many times its size is far off, as penalties are."""


def looks(evidence: Evidence) -> dict[str, str]:
    """How each algorithm is drawn: the design, the best of the others in order, and the rest."""
    order = [*LOOKS, *[OTHER] * len(evidence["ranking"])]
    return {DESIGN: DESIGN, **dict(zip(evidence["ranking"], order, strict=False))}


def sign(place: Place) -> int:
    """1 if more is better, -1 if less is."""
    return 1 if place["direction"] == "max" else -1


def feasible(place: Place, name: str) -> list[float]:
    return [value for value in place["values"][name] if value is not None]


def mean(place: Place, name: str) -> float | None:
    values = feasible(place, name)
    return fmean(values) if values else None


def means(place: Place) -> list[float]:
    """Those of all algorithms that found anything feasible."""
    return [found for name in place["values"] if (found := mean(place, name)) is not None]


def far_off(place: Place, value: float) -> bool:
    """Whether a value is so bad that what others found would all look the same beside it."""
    middle = median(means(place) or [value])
    return sign(place) * (middle - value) > FAR * abs(middle) > 0


def foot(place: Place, chance: float | None) -> float | None:
    """Where a scale begins: at what chance finds; where that is infeasible or far off, at the worst mean that is
    neither.
    """
    if chance is not None and not far_off(place, chance):
        return chance
    return min(
        (each for each in means(place) if not far_off(place, each)), key=lambda each: sign(place) * each, default=None
    )


def top(place: Place) -> float | None:
    """Where a scale ends: at the optimum, or at the best mean if that is not known."""
    if place["optimum"] is not None:
        return float(place["optimum"])
    return max(means(place), key=lambda each: sign(place) * each, default=None)


def cell(place: Place, name: str) -> str:
    """Mean and standard deviation; and how many runs found nothing feasible, if any."""
    values, runs = feasible(place, name), len(place["values"][name])
    if not values:
        return "infeasible"
    deviation = number(float(f"{stdev(values) if len(values) > 1 else 0.0:.2g}"))
    failed = f", {runs - len(values)} of {runs} infeasible" if len(values) < runs else ""
    return f"{number(fmean(values))} ± {deviation}{failed}"


def is_best(place: Place, name: str) -> bool:
    """Whether no algorithm has a better mean, or more feasible runs."""

    def standing(each: str) -> tuple[float, float]:
        values = feasible(place, each)
        return len(values), sign(place) * fmean(values) if values else -math.inf

    ours, others = standing(name), [standing(each) for each in place["values"]]
    return all(other <= ours or (other[0] == ours[0] and _close(other[1], ours[1])) for other in others) and ours[0] > 0


def reached(place: Place, name: str) -> int:
    """How many runs found the optimum."""
    if place["optimum"] is None:
        return 0
    return sum(_reaches(value, place["optimum"], place) for value in feasible(place, name))


def headline(task: str, evidence: Evidence) -> str:
    """What the design is and how good it is, in one sentence."""
    return f"An algorithm for {task}: {_verdict(evidence['test'], evidence['ranking'])}"


def _verdict(test: Sequence[Place], ranking: Sequence[str]) -> str:
    empty, best = (sum(judge(place, DESIGN) for place in test) for judge in (_nothing, is_best))
    if empty:
        return f"finds nothing feasible on {_some(empty, test)}"
    if alike(test) and not any(_nothing(place, ranking[0]) for place in test):
        return _pooled(test, ranking[0])
    if len(test) == 1 and not best:
        return f"does not have the best mean on {_some(1, test)} beside {len(ranking)} known algorithms"
    return f"has the best mean on {_some(best, test)} beside {len(ranking)} known algorithms"


def _pooled(test: Sequence[Place], rival: str) -> str:
    """The means over all test problems."""
    ours, theirs = (fmean(value for place in test for value in feasible(place, name)) for name in (DESIGN, rival))
    where, runs, optimum = _some(len(test), test), len(test[0]["values"][DESIGN]) * len(test), test[0]["optimum"]
    hit, their_hit = (sum(reached(place, name) for place in test) for name in (DESIGN, rival))
    if hit == runs:
        said = f"reaches the optimum, {number(optimum)}, in every run on {where}"
    elif sign(test[0]) > 0:
        said = f"reaches {number(ours)}{'' if optimum is None else f' of {number(optimum)}'} on average on {where}"
    else:
        best = "" if optimum is None else f" and {number(optimum)} the best"
        said = f"reaches {number(ours)} on average on {where}, where less is better{best}"
    if hit == their_hit == runs:
        soon, later = (median(at for place in test for at in place["hits"][name]) for name in (DESIGN, rival))
        return f"{said}, after {soon:,.0f} evaluations; so does the best known algorithm beside it, {rival}, after {later:,.0f}"
    better = sign(test[0]) * (ours - theirs)
    word = (
        "the same" if _close(ours, theirs) else number(theirs) if better > 0 else f"{number(theirs)}, which is better"
    )
    return f"{said}{_failed(test, DESIGN)}; the best known algorithm beside it, {rival}, reaches {word}{_failed(test, rival)}"


def _failed(test: Sequence[Place], name: str) -> str:
    runs, well = (
        sum(map(len, found))
        for found in ([place["values"][name] for place in test], [feasible(place, name) for place in test])
    )
    return f" (without {runs - well} of {runs} runs that found nothing feasible)" if well < runs else ""


def _nothing(place: Place, name: str) -> bool:
    return not feasible(place, name)


def _some(count: int, test: Sequence[Place]) -> str:
    """So many of the problems; those that were learned from are said to be."""
    known = sum(place["learned"] for place in test)
    what = judges(test)
    all_of_them = f"the {what}" if len(test) == 1 else f"the {len(test)} {what}s"
    some = all_of_them if count == len(test) or len(test) == 1 else f"{count} of {all_of_them}"
    if known == len(test):
        return f"{some} it was learned from"
    return f"{some} ({known} of them learned from)" if known else some


def judges(test: Sequence[Place]) -> str:
    """What to call one of the problems that a design is judged on: a test problem only if not all were learned from."""
    return "problem" if all(place["learned"] for place in test) else "test problem"


def alike(test: Sequence[Place]) -> bool:
    """Whether a mean over the problems means something."""
    return len({(place["dimension"], place["direction"], place["optimum"]) for place in test}) == 1


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=CLOSE)


def quartiles(place: Place, name: str) -> tuple[list[float | None], ...]:
    """Lower quartile, median and upper quartile of the best so far over the runs, along the grid; a run without any is
    the worst.
    """
    worst = -sign(place) * math.inf
    columns = [
        [worst if value is None else value for value in column] for column in zip(*place["curves"][name], strict=True)
    ]
    return tuple([_finite(quantile(column, share)) for column in columns] for share in (0.25, 0.5, 0.75))


def shown(place: Place, names: Iterable[str]) -> tuple[float, float]:
    """The values worth showing: what the quartiles are from a hundredth of the evaluations on, however bad the
    beginning was.
    """
    late = [i for i, at in enumerate(place["grid"]) if at >= place["evaluations"] / 100]
    values = [each[i] for name in names for each in quartiles(place, name) for i in late]
    return span(place, [value for value in values if value is not None])


def span(place: Place, values: Sequence[float]) -> tuple[float, float]:
    """From the least to the most. If some are far off, only what is near the scale: below it, as far as it is long."""
    low, high = foot(place, None), top(place)
    if low is not None and high is not None and any(far_off(place, value) for value in values):
        least = sign(place) * low - abs(high - low)
        values = [value for value in values if sign(place) * value >= least] or [low, high]
    return (min(values), max(values)) if values else (0.0, 0.0)


def targets(place: Place) -> list[float]:
    """From what the first solutions are worth to the optimum, or to the best that was found, in equal steps; what is
    far off is below.
    """
    every = [value for runs in place["curves"].values() for run in runs for value in run if value is not None]
    low = foot(place, begun(place))
    if low is None:
        return []
    best = place["optimum"] if place["optimum"] is not None else max(every) if sign(place) > 0 else min(every)
    return [low + (best - low) * (i + 1) / TARGETS for i in range(TARGETS)]


def begun(place: Place) -> float | None:
    """What the first solutions are worth, of runs that found any."""
    firsts = [
        next((value for value in run if value is not None), None) for runs in place["curves"].values() for run in runs
    ]
    known = [value for value in firsts if value is not None]
    return median(known) if known else None


def hits(test: Sequence[Place], name: str) -> tuple[list[float], list[float]]:
    """The share of all targets, over problems and runs, that an algorithm has hit by then: along shares of the
    evaluations, up to 1.
    """
    grid = max((place["grid"] for place in test), key=len)
    shares = [at / grid[-1] for at in grid]
    goals = [targets(place) for place in test]
    asked = sum(len(each) * len(place["curves"][name]) for each, place in zip(goals, test, strict=True))
    found = []
    for share in shares:
        hit = 0
        for place, wanted in zip(test, goals, strict=True):
            by_then = [i for i, at in enumerate(place["grid"]) if at <= share * place["evaluations"] * (1 + CLOSE)]
            best = [run[by_then[-1]] for run in place["curves"][name]] if by_then else []
            hit += sum(_reaches(value, goal, place) for value in best if value is not None for goal in wanted)
        found.append(hit / asked if asked else 0.0)
    return shares, found


def _reaches(value: float, goal: float, place: Place) -> bool:
    return sign(place) * value >= sign(place) * goal - CLOSE * abs(goal)


def way(place: Place, name: str, chance: str) -> float | None:
    """How far from random search, or where else the scale begins, to the optimum, or to the best mean if that is not
    known.
    """
    ours, low, high = mean(place, name), foot(place, mean(place, chance)), top(place)
    if ours is None or low is None or high is None:
        return None
    if far_off(place, ours):
        return 0.0
    return (ours - low) / (high - low) if not _close(high, low) else 1.0


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
