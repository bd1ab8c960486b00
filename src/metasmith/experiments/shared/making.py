"""Designs that experiments need: each is the folder of a run, and none that is there is made again."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from metasmith.api import design, find_task, resume
from metasmith.experiments.shared.contract import ONLY, SCALE, TRIALS, Experiment, Option, by_effort
from metasmith.experiments.shared.scales import Scale
from metasmith.experiments.shared.side_by_side import side_by_side, ticking
from metasmith.problems.pbo import EVALUATIONS
from metasmith.report.made import spent
from metasmith.report.sheet import Sheet
from metasmith.runs.efforts import DESIGNER
from metasmith.runs.folder import Folder
from metasmith.runs.spec import specify
from metasmith.version import UNKNOWN


class Wanted(NamedTuple):
    """A design to make, and the folder of its run. spend: all its evaluations, if not those of the effort."""

    run: Path
    task: str
    evaluations: int
    designer: str
    seed: int
    effort: str
    spend: int | None = None

    @property
    def asked(self) -> dict[str, Any]:
        """What is asked of the design, beside its task."""
        return {"designer": self.designer, "seed": self.seed, "effort": self.effort, "spend": self.spend}

    @property
    def done(self) -> bool:
        """Whether it is there already. Raises ValueError if another design is."""
        folder = Folder(self.run)
        if not folder.exists:
            return False
        if folder.spec() != specify(find_task(self.task, self.evaluations), name=self.task, **self.asked):
            raise ValueError(f"'{self.run}' holds a design for another spec; choose another folder with --out")
        return folder.design() is not None


def made(wanted: Wanted, workers: int | None = None) -> dict[str, Any]:
    """The record of a design that is made, gone on with, or there already."""
    if not wanted.done:
        if Folder(wanted.run).exists:
            resume(wanted.run, workers=workers)
        else:
            design(wanted.task, evaluations=wanted.evaluations, out=wanted.run, workers=workers, **wanted.asked)
    record = Folder(wanted.run).design()
    assert record is not None
    return record


def made_all(wanted: Sequence[Wanted], on_done: Callable[[], None]) -> list[dict[str, Any]]:
    """Several designs, as many at a time as there are cores, or workers elsewhere."""
    left = list(wanted)

    def count() -> int:
        left[:] = [each for each in left if not each.done]  # to look at all of them every second took a tenth of a core
        return len(wanted) - len(left)

    if count() < len(wanted):
        # elsewhere the working folder may be another
        side_by_side(_made_alone, [each._replace(run=each.run.absolute()) for each in wanted], ticking(count, on_done))
    else:
        for _ in wanted:
            on_done()
    count()
    if left:
        raise ValueError(f"'{left[0].run}' was made, but is not here; --out must be a folder that all workers share")
    return [made(each) for each in wanted]


def _made_alone(wanted: Wanted) -> None:
    made(wanted, workers=1)


def core_seconds(design: dict[str, Any]) -> float:
    """What it took to make a design, of all cores together."""
    ledger = design["ledger"]
    # by the clock two runs side by side count once; added up, what is between runs does not count
    return float(max(ledger["measuring_seconds"], ledger["running_seconds"]) + ledger["proposing_seconds"])


def cost(designs: Sequence[dict[str, Any]]) -> str:
    """What it took to make designs that nothing was run with, in words."""
    return spent({"the designs": sum(map(core_seconds, designs))}, designs=commits(designs))


def commits(designs: Sequence[dict[str, Any]]) -> set[str]:
    """The commits of the sources that designs were made with."""
    return {design.get("commit", UNKNOWN) for design in designs}


def wanted(functions: Sequence[str], seeds: int, out: Path, effort: str, designer: str = DESIGNER) -> list[Wanted]:
    """The designs to make for PBO functions."""
    if seeds < 1:
        raise ValueError(f"at least 1 design of each is needed, got {seeds}")
    return [
        Wanted(out / f"{function}-{designer}-{seed}", f"pbo:{function}", EVALUATIONS, designer, seed, effort)
        for function in functions
        for seed in range(seeds)
    ]


def of_designs(
    name: str,
    help: str,
    order: int,
    sheet: Callable[[Sequence[str], Scale, Path, Callable[[], None]], Sheet],
    only: Option = ONLY,
) -> Experiment:
    """An experiment that looks at designs for the PBO functions and runs none of them; all such share their designs."""
    return Experiment(
        name,
        help,
        order,
        options=(SCALE, TRIALS, only),
        folder=by_effort("designs"),
        steps=lambda request: ("designs", len(request.functions) * request.scale.trials),
        sheet=lambda request, tick: sheet(request.functions, request.scale, request.folder, tick),
    )
