"""Factors as a network takes them: of one size, whatever the problem and its dimension.

First each factor is brought to a scale on which problems spread evenly; then the mean and the standard deviation over
the PBO functions, frozen in `scaling.json`, are taken off. They are part of what a trained network knows: changed, it
would recognise nothing.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import numpy as np

from metasmith.arrays import Floats

WITHIN = 4.0
"""Beyond this many standard deviations it makes no difference."""

DECIMALS = 6
"""Kept, so that machines that differ in the last bit agree."""


Scaling = Mapping[str, Mapping[str, float]]
"""By factor: the `mean` and the `deviation` that are taken off."""


def scaled(names: Sequence[str], factors: Floats, dimension: int, scaling: Scaling | None = None) -> Floats:
    """The factors, (32,), as a network takes them. scaling: of a network that learned with other constants than ours."""
    spread_out = np.array([evened(name, value, dimension) for name, value in zip(names, factors.tolist(), strict=True)])
    mean, deviation = (
        np.array([(scaling or frozen())[part][name] for name in names]) for part in ("mean", "deviation")
    )
    found: Floats = np.clip((spread_out - mean) / deviation, -WITHIN, WITHIN).astype(np.float64)
    return np.round(found, DECIMALS) + 0.0  # no minus zero


def evened(name: str, value: float, dimension: int) -> float:
    """One factor on an even scale; zero if it is not finite."""
    if not np.isfinite(value):
        return 0.0
    if name.startswith("disp.ratio"):
        return dimension * (value - 1.0)  # the more variables, the closer are all distances to their mean
    if name.endswith("intercept"):
        return float(np.sign(value) * np.log10(1.0 + abs(value)))
    if name.endswith(("coef.min", "coef.max", "eps_max")):
        return float(np.log10(min(max(value, 1e-5), 1e15)))
    if name.endswith(("max_by_min", "cond")):
        return float(np.log10(min(max(value, 1.0), 1e3)))
    return value


@cache
def frozen() -> Scaling:
    """Our constants."""
    found = json.loads(files("metasmith.landscapes").joinpath("scaling.json").read_text(encoding="utf-8"))
    return {part: found[part] for part in ("mean", "deviation")}
