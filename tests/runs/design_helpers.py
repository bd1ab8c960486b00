"""A task so small that a design takes a moment, and what of a design must be the same every time."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import metasmith as ms
from metasmith.designers.ppo.training import Training
from metasmith.runs.spec import Race
from metasmith.runs.loop import Design
from metasmith.runs.folder import Folder
from metasmith.measuring import Measuring

SMALL: dict[str, Any] = {
    "training": Training(epochs=3, batch=6, varied=2, drawn=1),
    "measuring": Measuring(keep=0.5, runs=1, again=2),
    "race": Race(finalists=4, samples=2, rounds=(2, 2)),
}
STEPS = 1 + 3 + 2
"""The yardsticks, the epochs, the rounds."""

SOURCE = """
import metasmith as ms
from metasmith.problems import problem as p

small = ms.Task("small", training=(p("pbo:F1@30"), p("pbo:F2@40"), p("pbo:F1@40#2")), test=(p("pbo:F2@40#3"),), evaluations=400)
single = p("pbo:F2@30")
number = 3
"""


def tiny() -> ms.Task:
    training = tuple(map(ms.problem, ("pbo:F1@30", "pbo:F2@40", "pbo:F1@40#2")))
    return ms.Task("tiny", training=training, test=(ms.problem("pbo:F2@40#3"),), evaluations=600)


def designed(**others: Any) -> Design:
    return ms.design(others.pop("task", tiny()), **{**SMALL, **others})


def facts(design: Design) -> dict[str, Any]:
    """All that is known of a design but the time it took."""
    return {"record": timeless(design.record()), "history": lines(design.history), "asked": design.asked}


def lines(history: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """A history as it reads from its file, without times."""
    return [timeless(json.loads(json.dumps(line))) for line in history]


def timeless(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "ledger": {name: value for name, value in record["ledger"].items() if not name.endswith("seconds")}}


def kept(path: Path) -> dict[str, Any]:
    """What of a finished run's folder must be the same every time: the last checkpoint to the bit."""
    folder = Folder(path)
    record = folder.design()
    assert record is not None
    last = f"checkpoint-{folder.asked().training.epochs}"
    bits = {ending: (path / f"{last}.{ending}").read_bytes() for ending in ("safetensors", "json")}
    return {"design": timeless(record), "text": (path / "design.txt").read_text(), "history": lines(folder.history()), **bits}
