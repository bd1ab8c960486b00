"""Logs read back by hand, and runs that nobody did."""

import json
from pathlib import Path
from typing import Any

import numpy as np

import metasmith as ms
from metasmith.engine import History


def read(home: Path) -> dict[str, Any]:
    """The one description in a folder, as strict JSON."""
    (file,) = home.glob("*.json")

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    return json.loads(file.read_text(), parse_constant=refuse)


def tables(home: Path) -> list[list[tuple[int, float]]]:
    """The lines of every run, in the order of the description."""
    runs: list[list[tuple[int, float]]] = []
    for scenario in read(home)["scenarios"]:
        for text in (home / scenario["path"]).read_text().split("evaluations raw_y\n")[1:]:
            runs.append([(int(line.split()[0]), float(line.split()[1])) for line in text.splitlines()])
    return runs


def made_up(problem: ms.Problem, *curves: dict[int, float], nfev: int = 100) -> ms.Runs:
    """Runs with these improvements, by evaluation."""
    results: dict[int, Any] = {}
    for seed, curve in enumerate(curves):
        when, what = np.array(list(curve), np.int64), np.array(list(curve.values()), np.float64)
        results[seed] = ms.Result(
            x=np.zeros(problem.dimension, np.int64), fun=float(what[-1]), nfev=nfev, hit=int(when[-1]),
            history=History(when, what), violation=0.0, seed=seed, seconds=0.0, success=True, message="",
        )  # fmt: skip
    return ms.Runs("made up", ms.algorithm("ea"), problem, nfev, results)
