"""Where a run stands, as its folder says: what the page shows, and what `metasmith watch --json` prints."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from metasmith.analysis.history import leader, learning
from metasmith.program import one_line
from metasmith.runs.busy import is_busy
from metasmith.runs.folder import Folder

Step = dict[str, Any]

BEST = 24
"""Of how many of the best programs so far it is said who proposed them: as many as mutants are made from."""

POINTS = 300
"""Of a curve, at most: more cannot be seen."""


def state_of(folder: Folder) -> dict[str, Any]:
    """Where a run stands. Raises ValueError if the folder is not that of a run, or its files are damaged."""
    spec, design, busy = folder.spec(), folder.design(), is_busy(folder)
    try:
        damage: list[str] = []
        steps = folder.history(damage.append)  # after the design, so that a finished run has all its steps
        spend, batches, races = spec.spend, learning(steps), [step for step in steps if step["step"] == "race"]
        ledger = {"runs": 0, "evaluations": 0, "cached": 0, **(steps[-1]["ledger"] if steps else {})}
        finished = design is not None
        rounds = next((step["race"]["rounds"] for step in steps if step["step"] == "finish"), spec.race.rounds)
        written = Path(spec.task).name if ".py" in spec.task else spec.task
        return _finite({
            "run": str(folder.path), "task": written, "designer": spec.designer, "seed": spec.seed,
            "state": "finished" if finished else _unfinished(steps, busy), "damage": damage,
            "evaluations": spec.evaluations, "spend": spend, "ledger": ledger,
            "progress": 1.0 if finished else min(1.0, ledger["evaluations"] / spend),
            "seconds": _seconds(ledger), "left": 0.0 if finished else _seconds_left(steps, spend, rounds),
            "rate": _since_references(steps, "evaluations", "measuring_seconds"),
            "at_once": _since_references(steps, "running_seconds", "measuring_seconds"),
            "batches": len(batches), "curve": _curve(batches), "sources": _sources(batches),
            "race": _race(races, rounds), "best": _best(steps, batches, design),
        })  # fmt: skip
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        problem = f"{type(error).__name__}: {error}"
        raise ValueError(f"the history of the run in '{folder.path}' cannot be understood ({problem})") from error


def waiting(path: Path) -> dict[str, Any]:
    """The state of a run whose folder is not there yet."""
    return {"run": str(path), "state": "waiting"}


def _unfinished(steps: Sequence[Step], busy: bool) -> str:
    if not busy:
        return "interrupted"
    return "running" if steps else "waiting"


def _seconds(ledger: Step) -> float:
    """How long a design has worked; pauses between a kill and a resume do not count."""
    return ledger.get("measuring_seconds", 0.0) + ledger.get("proposing_seconds", 0.0)


def _seconds_left(steps: Sequence[Step], spend: int, rounds: Sequence[int]) -> float | None:
    """About how long the rest will take at the pace so far; None before there is a pace.

    In batches by the evaluations that are left. In the final race by the runs that are left, as long as those of the
    last round took.
    """
    if len(steps) < 2:
        return None
    now, before = steps[-1], steps[-2]
    if now["step"] == "race":
        left, runs_left = len(now["standing"]), 0
        earlier = before["standing"][0][2] if before["step"] == "race" else 0
        runs = left * (now["standing"][0][2] - earlier)
        for each in rounds[now["round"] :]:
            left = max(2, left // 2)
            runs_left += left * each
        return (_seconds(now["ledger"]) - _seconds(before["ledger"])) / max(1, runs) * runs_left
    spent, begun = now["ledger"]["evaluations"], steps[0]["ledger"]
    if spent == begun["evaluations"]:
        return None
    return (_seconds(now["ledger"]) - _seconds(begun)) / (spent - begun["evaluations"]) * max(0, spend - spent)


def _since_references(steps: Sequence[Step], amount: str, per: str) -> float | None:
    """The ratio of two entries of the ledger without the first step, whose runs wait for the compiler."""
    if not steps:
        return None
    first, last = steps[0]["ledger"], steps[-1]["ledger"]
    return (last[amount] - first[amount]) / (last[per] - first[per]) if last[per] > first[per] else None


def _curve(batches: Sequence[Step]) -> list[dict[str, Any]]:
    """The best score so far and the mean of a batch by the evaluations spent, thinned out but for the last."""
    every = max(1, math.ceil(len(batches) / POINTS))
    return [
        {"evaluations": step["ledger"]["evaluations"], "best": step["best"], "mean": step["mean"]}
        for step in batches[::-1][::every][::-1]
    ]


def _sources(batches: Sequence[Step]) -> list[dict[str, Any]]:
    """How many programs each source proposed, how many of them went on to all rungs, and how many are among the best.

    A program that is proposed again counts again, but among the best for whoever proposed it first.
    """
    proposed: Counter[str] = Counter()
    went_on: Counter[str] = Counter()
    first: dict[str, str] = {}
    scores: dict[str, float] = {}
    for step in batches:
        for program, source, score in zip(step["programs"], step["sources"], step["scores"], strict=True):
            proposed[source] += 1
            first.setdefault(program, source)
            if score is not None:
                went_on[source] += 1
                scores[program] = score
    among_best = Counter(first[program] for program in sorted(scores, key=lambda program: -scores[program])[:BEST])
    return [
        {"source": source, "proposed": count, "went_on": went_on[source], "among_best": among_best[source]}
        for source, count in proposed.most_common()
    ]


def _race(races: Sequence[Step], rounds: Sequence[int]) -> dict[str, Any] | None:
    """The final race after its last round so far: who ran in it, the best first."""
    if not races:
        return None
    last = races[-1]
    standing = [
        {"program": one_line(program), "source": source, "score": score, "runs": runs}
        for (program, score, runs), source in zip(last["standing"], last["sources"], strict=True)
    ]
    return {"round": last["round"], "rounds": len(rounds), "standing": standing}


def _best(steps: Sequence[Step], batches: Sequence[Step], design: Step | None) -> dict[str, Any] | None:
    """The best program so far: the leader of the batches, then of the race, then the design.

    batch: in which it was first proposed; None if for the final race only.
    """
    last = leader(steps)
    if last is None:
        return None
    batch = next((step for step in batches if last.program in step["programs"]), None)
    source = last.source if batch is None else batch["sources"][batch["programs"].index(last.program)]
    return {
        **last.record(), "score": last.score if design is None else design["score"], "source": source,
        "batch": None if batch is None else batch["batch"],
    }  # fmt: skip


def _finite(value: Any) -> Any:
    """The same without numbers that JSON does not have: None instead."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
