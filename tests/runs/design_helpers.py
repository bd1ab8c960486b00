"""A task so small that a design takes a moment, and what of a design must be the same every time."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import metasmith as ms
from metasmith.api import find_task
from metasmith.designers.training import Training
from metasmith.measuring import Measuring, Race
from metasmith.runs.checkpoint import batches
from metasmith.runs.costs import Costs
from metasmith.runs.design import Design
from metasmith.runs.folder import Folder
from metasmith.runs.forecast import Plan, Progress

SMALL: dict[str, Any] = {
    "training": Training(batch=6, mutants=2, immigrants=1, known=False),
    "measuring": Measuring(keep=0.5, runs=1, again=2),
    "race": Race(finalists=4, samples=2, rounds=(2, 2)),
}
STEPS = 1 + 3 + 2
"""The references, the batches, the rounds."""

SOURCE = """
import metasmith as ms
from metasmith.problems import problem as p

training = (p("pbo:F1@30"), p("pbo:F2@40"), p("pbo:F1@40#2"))
small = ms.Task("small", training=training, test=(p("pbo:F2@40#3"),), evaluations=400)
single = p("pbo:F2@30")
number = 3
"""


def tiny() -> ms.Task:
    training = tuple(map(ms.problem, ("pbo:F1@30", "pbo:F2@40", "pbo:F1@40#2")))
    return ms.Task("tiny", training=training, test=(ms.problem("pbo:F2@40#3"),), evaluations=600)


def designed(task: ms.Task | ms.Problem | None = None, *, batches: int = 3, **others: Any) -> Design:
    """A design of so many batches."""
    task, others = tiny() if task is None else task, {**SMALL, **others}
    spend = spend_for(find_task(task, others.get("evaluations")), batches, "writer" in others, others)
    return ms.design(task, **{"spend": spend, **others})


class DiedError(Exception):
    """The process is no more."""


def dying(step: int) -> Callable[[Plan | Progress], None]:
    """To be told how it goes, until after a step."""
    steps = iter(range(step))

    def tell(event: Plan | Progress) -> None:
        begun = not isinstance(event, Plan) or event.seconds is not None
        if begun and next(steps, None) is None:
            raise DiedError

    return tell


def dead_after(step: int, path: Path, **others: object) -> Path:
    """The folder of a run whose process died after a step."""
    with pytest.raises(DiedError):
        designed(out=path, tell=dying(step), **others)
    return path


def changed_first(path: Path, **fields: object) -> None:
    """As if the first step had been written with other fields."""
    folder = Folder(path)
    first, *rest = folder.history()
    folder.rewind([{**first, **fields}, *rest])


def spend_for(task: ms.Task, batches: int, looks: bool, settings: dict[str, Any]) -> int:
    """The evaluations that so many batches take at most, with what is before and after them."""
    costs = Costs.of(task, settings["measuring"], settings["race"], looks=looks)
    return costs.start + batches * costs.batch(settings["training"].batch) + costs.final


def facts(design: Design) -> dict[str, Any]:
    """All that is recorded of a design but the time it took."""
    return {"record": timeless(design.record()), "history": lines(design.history), "spec": design.spec}


def lines(history: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """A history as it reads from its file, without times."""
    return [timeless(json.loads(json.dumps(line))) for line in history]


def timeless(record: dict[str, Any]) -> dict[str, Any]:
    return {
        **record,
        "ledger": {name: value for name, value in record["ledger"].items() if not name.endswith("seconds")},
    }


def kept(path: Path) -> dict[str, Any]:
    """What of a finished run's folder must be the same every time: the last checkpoint to the bit."""
    folder = Folder(path)
    record = folder.design()
    assert record is not None
    last = f"checkpoint-{batches(path)[0]}"
    bits = {ending: (path / f"{last}.{ending}").read_bytes() for ending in ("safetensors", "json")}
    return {
        "design": timeless(record),
        "text": (path / "design.txt").read_text(),
        "history": lines(folder.history()),
        **bits,
    }
