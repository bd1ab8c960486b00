"""Landscape factors standardised for a network's input, comparable across problems and dimensions.

First each factor is brought to a scale on which problems spread evenly; then it is standardised by the mean and the
standard deviation over the PBO functions. These are frozen in `scaling.json`: a network trained with some constants
would recognise nothing under others.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import numpy as np

from metasmith.arrays import Floats

WITHIN = 4.0
"""Standard deviations at which scaled factors are clipped."""

DECIMALS = 6
"""Decimals of a scaled factor, few enough for machines that differ in the last bit to agree."""


Scaling = Mapping[str, Mapping[str, float]]
"""The constants to standardise with: under `mean` and under `deviation` a number for each factor."""


def scaled(names: Sequence[str], factors: Floats, dimension: int, scaling: Scaling | None = None) -> Floats:
    """Standardised factors, (32,). scaling: the constants of a network that learned with others than `frozen`."""
    spread_out = np.array([evened(name, value, dimension) for name, value in zip(names, factors.tolist(), strict=True)])
    mean, deviation = (
        np.array([(scaling or frozen())[part][name] for name in names]) for part in ("mean", "deviation")
    )
    clipped: Floats = np.clip((spread_out - mean) / deviation, -WITHIN, WITHIN).astype(np.float64)
    return np.round(clipped, DECIMALS) + 0.0  # no minus zero


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
    """The constants in `scaling.json`."""
    constants = json.loads(files("metasmith.landscapes").joinpath("scaling.json").read_text(encoding="utf-8"))
    return {part: constants[part] for part in ("mean", "deviation")}
