"""Published numbers on the PBO functions at dimension 625, instance 1, and which functions there are.

Two sources, both in `data/pbo_d625.json`: the reference algorithms of IOHprofiler, and table I of the paper.
"""

import json
import math
from functools import lru_cache
from importlib.resources import files
from typing import Any

from metasmith.analysis.statistics import Sample
from metasmith.problems import pbo
from metasmith.space.spelling import suggestion

FUNCTIONS = tuple(pbo.FUNCTIONS)
REFERENCE = ("rls", "ea", "fga", "umda", "ghc")
"""The reference algorithms of IOHprofiler."""

PAPER = ("ils", "sa", "ts", "ga")
"""The paper's baselines."""

MARK = ("rls", "ea", "fga", "umda")
"""Beside the paper's designs, those whose best is the mark; gHC, which needs the bits in order, is not among them."""


def chosen(only: str) -> tuple[str, ...]:
    """The functions meant by a list such as `F2,F18`; all if it is empty."""
    words = {word.strip().upper() for word in only.split(",") if word.strip()}
    if only and not words:
        raise ValueError(f"name functions such as F2,F18, got '{only}'")
    for word in sorted(words - set(FUNCTIONS)):
        hint = "separate them by commas" if " " in word else suggestion(word, FUNCTIONS)
        raise ValueError(f"there is no function '{word}'; {hint}")
    return tuple(function for function in FUNCTIONS if function in words or not words)


def titled(function: str) -> str:
    """A function with its name: F1 OneMax."""
    return f"{function} {data()['functions'][function]['name']}"


def alg_of(function: str) -> float:
    """The mean of the paper's designs, on instance 1."""
    return alg_sample(function).mean


def mark_of(function: str) -> float:
    """The best mean of the paper's designs and of algorithms that people would pick."""
    return mark_sample(function).mean


def alg_sample(function: str) -> Sample:
    """What is published of the runs of the paper's designs."""
    return _paper(function, "aldes")


def mark_sample(function: str) -> Sample:
    """What is published of the runs that the mark is the mean of; of equals the paper's designs."""
    return max(alg_sample(function), *(_reference(function, name) for name in MARK), key=lambda each: each.mean)


def published(function: str, algorithm: str) -> tuple[Sample | None, str]:
    """What others reached with an algorithm, and which source says so."""
    if algorithm in REFERENCE:
        return _reference(function, algorithm), "reference"
    if algorithm in PAPER:
        return _paper(function, algorithm), "paper"
    return None, ""


@lru_cache
def data() -> dict[str, Any]:
    """The file of published numbers."""
    return json.loads((files("metasmith.experiments.shared") / "data" / "pbo_d625.json").read_text(encoding="utf-8"))


def _reference(function: str, algorithm: str) -> Sample:
    return Sample(*data()["functions"][function]["reference"][algorithm])


def _paper(function: str, algorithm: str) -> Sample:
    mean, variance, runs = data()["functions"][function]["paper"][algorithm]
    return Sample(mean, math.sqrt(variance), runs)
