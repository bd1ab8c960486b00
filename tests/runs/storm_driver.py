"""Forks processes that design, learn or do an experiment, kills them at random moments, and has others go on.

`python storm_driver.py KIND KILLS FOLDER` prints, in its last line, as JSON, at how many lines of history they were
killed, and whether all that was killed ended as what was not. A process with everything loaded forks in a moment; it
must have no threads.
"""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from traceback import print_exc
from typing import Any

import numpy as np
from design_helpers import SMALL, designed, kept, spend_for, tiny

import metasmith as ms
from metasmith.api import find_task
from metasmith.cli import app
from metasmith.experiments.shared import making, scales
from metasmith.runs.efforts import EFFORTS, Settings
from metasmith.runs.folder import Folder, runs_of


def constrained() -> ms.Problem:
    """A user's function in plain Python, of integers, with a constraint."""

    def cost(x: np.ndarray) -> float:
        return float(((x - np.arange(8) % 5) ** 2).sum())

    def violation(x: np.ndarray) -> float:
        return float(max(0, 9 - x.sum()))

    return ms.Problem(cost, ms.Integers(5, 8), direction="min", violation=violation, name="constrained", isolate=False)


def ordered() -> ms.Problem:
    """A batch function of permutations, called in processes of its own, which die with ours."""
    return ms.Problem(lambda x: x @ np.arange(12.0), ms.Permutation(12), batch=True, name="ordered")


TASKS: dict[str, Callable[[], ms.Task | ms.Problem]] = {
    "bits": tiny,
    "constrained": constrained,
    "isolated": ordered,
}


def work_on_design(kind: str, path: Path) -> None:
    task = TASKS[kind]()
    if Folder(path).exists:
        ms.resume(path, task)
    else:
        designed(task, evaluations=300, batches=40 if kind == "isolated" else 6, out=path)  # longer than its start


def teach(path: Path) -> None:
    other = ms.Task("other", tiny().training[:2], tiny().test, 200)
    for task in (tiny(), other):
        ms.learn([task], path, spend=spend_for(find_task(task), 3, True, SMALL), **SMALL)


def experiment(path: Path) -> None:
    """A table of one function, with designs of few batches, in this process instead of in several."""
    EFFORTS["quick"] = Settings(4, **SMALL)  # type: ignore[index]
    scales.SCALES["small"] = scales.Scale("quick", 1, 2)
    making.side_by_side = lambda work, items, on_wait: [work(item) for item in items]
    app(
        ["reproduce", "pbo-table", "--scale", "small", "--only", "F1", "--out", str(path)],
        standalone_mode=False,
    )


def table(path: Path) -> list[Any]:
    records = [json.loads(line) for line in (path / "pbo-table.jsonl").read_text().splitlines()]
    return [kept(path / "F1-mixture-0"), *({**record, "seconds": None} for record in records)]


WORK: dict[str, Callable[[Path], None]] = {
    **{kind: lambda path, kind=kind: work_on_design(kind, path) for kind in TASKS},
    "learn": teach,
    "experiment": experiment,
}
RESULTS: dict[str, Callable[[Path], Any]] = {
    **dict.fromkeys(TASKS, kept),
    "learn": Path.read_bytes,
    "experiment": table,
}


def forked(kind: str, path: Path) -> int:
    """The number of a process that does the work, or goes on with it."""
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "a process with threads cannot fork safely"
    if process := os.fork():
        return process
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        WORK[kind](path)
        os._exit(0)
    except BaseException:
        print_exc()
        os._exit(1)


def waited_for(process: int) -> None:
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0


def lines(path: Path) -> int:
    """How many steps there are in all histories of the work."""
    return sum(file.read_bytes().count(b"\n") for home in (path, runs_of(path)) for file in home.rglob("history.jsonl"))


def storm(kind: str, kills: int, home: Path) -> dict[str, Any]:
    WORK[kind](home / "first")  # so that all is loaded, and compiled
    begun = time.monotonic()
    waited_for(forked(kind, home / "whole"))
    length, whole = time.monotonic() - begun, RESULTS[kind](home / "whole")
    draw, met, number, same = random.Random(kind), list[int](), 0, []
    while len(met) < kills:
        path, number = home / f"killed{number}", number + 1
        while len(met) < kills:
            process = forked(kind, path)
            within = length if kind == "isolated" else length / 2  # half, so that most are met; but a start takes long
            moment, over = time.monotonic() + draw.random() * within, False
            while time.monotonic() < moment and not over:
                time.sleep(0.0005)
                over = os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
            if over:
                waited_for(process)
                break
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            met.append(lines(path))
        else:
            waited_for(forked(kind, path))
        same.append(RESULTS[kind](path) == whole)
    return {"kills": len(met), "moments": sorted(set(met)), "same": same}


if __name__ == "__main__":
    print(json.dumps(storm(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))))
