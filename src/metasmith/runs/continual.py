"""One writer learns task after task, and keeps what it knew (paper III-C and IV-C)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from metasmith.designers.ppo.ewc import consolidated, fisher
from metasmith.designers.ppo.writer_file import Learned, WriterFile
from metasmith.designers.ppo.sampling import write
from metasmith.designers.ppo.writer import Writer, one_thread
from metasmith.designers.ppo.training import Training
from metasmith.runs.spec import PRESETS, Spec, ask
from metasmith.runs.loop import Design, Plan, Progress, design, resume
from metasmith.runs.folder import Folder, short
from metasmith.landscapes import NAMES
from metasmith.landscapes.scaling import frozen
from metasmith.problems import Task
from metasmith.space import Space

SAMPLES = 200
"""Programs that say how much each parameter matters to a task."""


def blank(space: str, representation: str, seed: int) -> WriterFile:
    """A writer that has learned nothing yet. representation: of its first task."""
    writer = Writer(Space.named(space).on(representation), Training(), seed=seed, factors=np.zeros(len(NAMES)))
    return WriterFile(space, writer.tokens, writer.network.shape, frozen(), writer.network.state_dict(), None)


def learn(
    tasks: Mapping[str, Task],
    file: Path,
    *,
    seed: int = 0,
    workers: int | None = None,
    tell: Callable[[Plan | Progress], None] = lambda event: None,
    warn: Callable[[str], None] = lambda message: None,
    on_task: Callable[[Learned], None] = lambda learned: None,
    **others: Any,
) -> WriterFile:
    """Learn `tasks` one after the other, save the writer after each, and return what it knows then.

    Tasks it has learned are left out.

    Each is a run in a folder beside the file, so that whoever is killed goes on by asking for the same again.
    others: what `ask` takes, such as `effort`.
    """
    preset = PRESETS.get(others.get("preset", "default"), {})
    space = others.pop("space", preset.get("space"))
    if not tasks:
        raise ValueError("there is nothing to learn; name at least one task")
    first = next(iter(tasks.values()))
    memory = WriterFile.load(file) if file.exists() else blank(space or "full", first.representation, seed)
    if space not in (None, memory.space):
        raise ValueError(f"the writer in '{file}' writes in the space {memory.space}, not in {space}; take another file")
    for name, task in tasks.items():
        if name in {learned.task for learned in memory.learned}:
            continue
        asked = ask(name, task.evaluations, seed=seed, space=memory.space, writer=f"{file.resolve()} {memory.digest}", **others)
        if not asked.training.epochs:
            raise ValueError("to learn takes at least 1 epoch; the effort 'none' is for designing from what was learned")
        folder = Folder(runs_of(file) / f"{len(memory.learned) + 1}-{short(name)}")
        memory = remembered(memory, taught(asked, task, memory, folder, workers=workers, tell=tell, warn=warn))
        memory.save(file)
        on_task(memory.learned[-1])
    return memory


def runs_of(file: Path) -> Path:
    """Where the runs of a writer are."""
    return file.with_name(f"{file.name}.runs")


def taught(asked: Spec, task: Task, memory: WriterFile, folder: Folder, **others: Any) -> Design:
    """The design of one task, in its folder: begun, or gone on with."""
    if not folder.exists:
        others.pop("warn", None)
        return design(asked, task, memory=memory, folder=folder, **others)
    if folder.asked() != asked:
        raise ValueError(f"'{folder.path}' holds a run that was asked for otherwise; remove it, or take another writer file")
    return resume(folder, task, **others)


def remembered(memory: WriterFile, design: Design) -> WriterFile:
    """What a writer knows after a design: its weights, how much each matters to all tasks so far, and the design
    itself.
    """
    asked, facts = design.asked, design.checkpoint.facts
    space = Space.named(asked.space).on(design.representation)
    writer = Writer(space, asked.training, seed=asked.seed, factors=np.array(facts["factors"]), memory=memory)
    writer.restore(*design.checkpoint)
    with one_thread():
        draw = torch.Generator().manual_seed(asked.seed)
        tokens = write(writer.network, writer.grammar, SAMPLES, draw, factors=writer.factors).tokens
        importance = fisher(writer.network, writer.grammar, tokens, writer.factors)
        known = consolidated(writer.known, len(memory.learned), writer.network, importance)
    weights = {name: value.detach().clone() for name, value in writer.network.state_dict().items()}
    learned = Learned(asked.task, facts["factors"], str(design.program), design.score, asked.evaluations, asked.seed)
    tasks = (*memory.learned, learned)
    after = replace(memory, tokens=writer.tokens, shape=writer.network.shape, weights=weights, known=known, learned=tasks)
    return after.keeping(memory)
