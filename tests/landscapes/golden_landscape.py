"""The golden cases: points, their values, and what pflacco computes of them."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

GOLDEN = Path(__file__).parents[1] / "golden" / "landscape"
CASES: dict[str, dict[str, dict[str, float]]] = json.loads((GOLDEN / "golden.json").read_text())["cases"]
CONTINUOUS = ("sphere_d5_n250", "rastrigin_d5_n500")
DISCRETE = tuple(case for case in CASES if case not in CONTINUOUS)
WALKS = tuple(case for case in CASES if case.startswith("walk_"))
SAMPLES = tuple(case for case in DISCRETE if case not in WALKS)


class Case(NamedTuple):
    points: np.ndarray[Any, Any]
    values: np.ndarray[Any, Any]
    golden: dict[str, dict[str, float]]

    @property
    def hamming(self) -> np.ndarray[Any, Any]:
        return np.array([(self.points != point).sum(axis=1) for point in self.points], dtype=np.int32)


def case(name: str) -> Case:
    with np.load(GOLDEN / "inputs.npz") as inputs:
        return Case(inputs[f"{name}__X"], inputs[f"{name}__y"], CASES[name])


def pbo_d100() -> dict[str, dict[str, float]]:
    return json.loads((GOLDEN / "pbo_d100.json").read_text())
