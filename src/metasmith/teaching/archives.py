"""Archives to teach with: programs that a designer without a network proposed for a task, in their order, with scores.

Beside the known algorithms there are mutants of the best and random programs, so that all that a design meets is there.
"""

from typing import Any

from metasmith.designers.training import Training
from metasmith.engine.runners.local import Local
from metasmith.measuring import Measuring, Race
from metasmith.runs.loop import Run
from metasmith.runs.spec import specify
from metasmith.teaching.tasks import random_task

BATCHES = 17
TRAINING = Training(batch=24)
MEASURING = Measuring(runs=1, again=3)
RACE = Race(finalists=2, samples=0, rounds=(1,))
"""As small as it can be: who wins is not asked."""

DESIGNER = "unguided"


def archive(number: int) -> dict[str, Any]:
    """The archive of the task of that number, as JSON has it.

    batches, programs, sources, first, scores: a list each, one entry a program, as it was first proposed and last
    measured; scores are None for those that did not reach the last rung.
    """
    taught = random_task(number)
    parts: dict[str, Any] = {"training": TRAINING, "measuring": MEASURING, "race": RACE}
    spec = specify(taught.task, seed=number, designer=DESIGNER, **parts)
    costs = spec.costs(taught.task)
    spec = specify(
        taught.task, spend=costs.total(BATCHES, TRAINING.batch), seed=number, designer=DESIGNER, **parts
    )  # fmt: skip
    run = Run(spec, taught.task, None, Local(workers=1), None)
    run.go(lambda event: None)
    batches: dict[str, int] = {}
    for step in run.history.batches:
        for program in step["programs"]:
            batches.setdefault(program, step["batch"])
    members = {str(program): member for program, member in run.archive.members.items()}
    return {
        "number": number, "family": taught.family, "representation": taught.task.representation,
        "evaluations": run.cache.ledger.evaluations, "seconds": run.cache.ledger.running_seconds,
        "batches": [batches[name] for name in members], "programs": list(members),
        "sources": [member.proposal.source for member in members.values()],
        "first": [member.first for member in members.values()],
        "scores": [member.score for member in members.values()],
    }  # fmt: skip
