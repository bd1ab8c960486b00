"""Teach the network of the designer `guided`, from nothing to the file that is shipped, with its card.

Archives of random tasks are made side by side, and kept; a network learns from all of them. How well it knows families
that it was not taught with is measured with others, each of which learns from all but some families.
"""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from metasmith.experiments.shared.contract import Experiment, Option, Request, Tick
from metasmith.experiments.shared.side_by_side import side_by_side, ticking
from metasmith.files import replace
from metasmith.report.sheet import Part, Sheet
from metasmith.report.tables import Table

NAME = "teach"
FILE = "network.safetensors"
TASKS = 400
FOLDS = 3


def sheet(request: Request, tick: Tick) -> Sheet:
    """Make the archives that are not there yet, teach the networks that are not there yet, and say what they know."""
    folder, tasks, steps = request.folder, request.options["tasks"], request.options["steps"]
    if tasks < FOLDS or steps < 1:
        raise ValueError(f"expected --tasks of at least {FOLDS} and --steps of at least 1, got {tasks} and {steps}")
    kept = folder / "archives"
    kept.mkdir(parents=True, exist_ok=True)
    numbers = range(tasks)
    done = ticking(lambda: sum((kept / f"{number}.json").is_file() for number in numbers), tick)
    side_by_side(partial(make_archive, kept), [k for k in numbers if not (kept / f"{k}.json").is_file()], done)
    learned = side_by_side(partial(teach, folder, tasks, steps), list(range(-1, FOLDS)), lambda: None)
    for _ in learned:
        tick()
    return card(folder, tasks, steps, learned)


def make_archive(kept: Path, number: int) -> None:
    """The archive of a task, in a file."""
    from metasmith.teaching.archives import archive

    replace(kept / f"{number}.json", json.dumps(archive(number)).encode())


def teach(folder: Path, tasks: int, steps: int, fold: int) -> dict[str, Any]:
    """A network that is taught with all families but those of a fold, and what it knows of these; the one to be
    shipped, of all families, is the fold -1.
    """
    file = folder / f"known-{tasks}-{steps}-{fold}.json"
    if file.is_file():
        return json.loads(file.read_bytes())
    from metasmith.designers.ppo.settings import own_settings
    from metasmith.teaching.card import correlations, folds
    from metasmith.teaching.training import lesson, trained, vocabulary

    archives = [json.loads((folder / "archives" / f"{number}.json").read_bytes()) for number in range(tasks)]
    words = vocabulary(archives)
    numbers = {word: number for number, word in enumerate(words)}
    held = set() if fold < 0 else folds([each["family"] for each in archives], FOLDS)[fold]
    lessons = [lesson(each, numbers) for each in archives]
    with own_settings():
        weights = trained([each for each in lessons if each.family not in held], len(words), steps=steps)
    small = {name: value.astype(np.float32) for name, value in weights.items()}
    replace(folder / (FILE if fold < 0 else f"without-{fold}.safetensors"), save(small, {"words": json.dumps(words)}))
    others = [each for each in lessons if each.family in held] or lessons
    known = {
        "families": sorted(held), "archives": len(lessons) - len(others) if held else len(lessons),
        "programs": sum(len(each.members) for each in lessons),
        "evaluations": sum(each["evaluations"] for each in archives),
        "seconds": sum(each["seconds"] for each in archives),
        "correlations": correlations(weights, numbers, others),
    }  # fmt: skip
    replace(file, json.dumps(known).encode())
    return json.loads(json.dumps(known))


def card(folder: Path, tasks: int, steps: int, learned: list[dict[str, Any]]) -> Sheet:
    """What was taught with what, and what is known of it."""
    whole = learned[0]
    after = sorted(map(int, whole["correlations"]))
    rows = [
        [", ".join(each["families"]) or "none", str(each["archives"]),
         *(f"{each['correlations'][str(batches)]:.2f}" for batches in after)]
        for each in learned
    ]  # fmt: skip
    text = f"""\
The network of the designer `guided`, taught with {whole["programs"]:,} programs that were measured in {tasks} random
tasks ({whole["evaluations"] / 1e9:.1f} billion evaluations, {whole["seconds"] / 3600:.1f} core-hours), in {steps:,}
steps. It sees programs only, not what problems look like. The file is `{folder / FILE}`.

Spearman's correlation of what is expected of mutants with what they then scored in one run, the mean over archives,
after so many batches of the task itself; the first batch are the known algorithms. In the first row the network was
taught with the same archives; in the others it was taught without the families that are named, and is asked about
these."""
    limits = """\
Limits: the tasks are on bits and on integers, of 25 to 190 variables, with 20 to 300 evaluations for each; components
that were not among them are told apart, but nothing is known of them."""
    head = ["left out", "archives", *(f"after {batches}" for batches in after)]
    parts: list[Part] = [text, Table(head, rows), limits]
    return Sheet(NAME, "What the network was taught", parts, learned)


EXPERIMENT = Experiment(
    name=NAME,
    help="Teach the network of the designer `guided` on random tasks: the file that is shipped, and its card.",
    order=30,
    options=(
        Option("tasks", int, TASKS, "How many random tasks it learns from."),
        Option("steps", int, 3000, "How many steps it learns for."),
    ),
    folder=lambda request: Path(f"runs/{NAME}"),
    steps=lambda request: ("archives and networks", request.options["tasks"] + FOLDS + 1),
    sheet=sheet,
)
