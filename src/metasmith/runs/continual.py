"""One writer learns task after task, and keeps what it knew (paper III-C and IV-C)."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from metasmith.designers.ppo.writer_file import Learned, WriterFile
from metasmith.designers.training import Training
from metasmith.engine import Runner
from metasmith.files import locked
from metasmith.landscapes import NAMES
from metasmith.landscapes.scaling import frozen
from metasmith.measuring import Measuring, Quality, Race
from metasmith.problems import Task
from metasmith.runs.design import Design
from metasmith.runs.efforts import PRESETS
from metasmith.runs.folder import Folder, runs_of, short
from metasmith.runs.loop import Tell, design, resume
from metasmith.runs.minutes import specified
from metasmith.runs.spec import Spec
from metasmith.space import Space


def blank(space: str, representation: str, seed: int) -> WriterFile:
    """A writer that has learned nothing yet. representation: of its first task."""
    from metasmith.designers.ppo.memory import blank as nothing_learned

    return nothing_learned(Space.named(space).on(representation), seed, len(NAMES), frozen())


def learn(
    tasks: Mapping[str, Task],
    file: Path,
    *,
    effort: str = "default",
    preset: str = "default",
    spend: int | None = None,
    minutes: float | None = None,
    seed: int = 0,
    space: str | None = None,
    designer: str | None = None,
    quality: Quality = "final",
    training: Training | None = None,
    measuring: Measuring | None = None,
    race: Race | None = None,
    runner: Runner,
    tell: Tell = lambda event: None,
    warn: Callable[[str], None] = lambda message: None,
    on_task: Callable[[Learned], None] = lambda learned: None,
) -> WriterFile:
    """Learn `tasks` one after the other, save the writer after each, and return what it remembers then.

    Tasks that it has learned are left out. Each is a run in a folder beside the file, so that whoever is killed goes on
    by asking for the same again. spend, minutes: for each task. The rest as for `specify` and `design`.
    """
    if not tasks:
        raise ValueError("there is nothing to learn; name at least one task")
    if effort == "none":
        raise ValueError("to learn takes at least one batch; the effort 'none' is for designing from what was learned")
    settings = PRESETS.get(preset)
    if space is None and settings is not None:
        space = settings.space
    first = next(iter(tasks.values()))
    with claimed(file):
        memory = WriterFile.load(file) if file.exists() else blank(space or "full", first.representation, seed)
        if space not in (None, memory.space):
            raise ValueError(
                f"the writer in '{file}' writes in the space {memory.space}, not in {space}; take another file"
            )
        for name, task in tasks.items():
            if name in {learned.task for learned in memory.learned}:
                continue
            folder = Folder(runs_of(file) / f"{len(memory.learned) + 1}-{short(name)}")
            spec = specified(
                task, runner=runner, before=folder.spec() if folder.exists else None, name=name, effort=effort,
                preset=preset, spend=spend, minutes=minutes, seed=seed, space=memory.space, designer=designer,
                quality=quality, writer=f"{file.resolve()} {memory.digest}", training=training, measuring=measuring,
                race=race,
            )  # fmt: skip
            memory = remembered(memory, taught(spec, task, memory, folder, runner=runner, tell=tell, warn=warn))
            memory.save(file)
            on_task(memory.learned[-1])
    return memory


@contextmanager
def claimed(file: Path) -> Iterator[None]:
    """Keep other processes from teaching the writer in a file, for as long as we live.

    Raises ValueError if one does: what the first to end has taught would be lost.
    """
    runs = runs_of(file)
    try:
        runs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"cannot write the runs of a writer to '{runs}': {error.strerror}") from error
    with locked(runs / "lock", f"another process is teaching the writer in '{file}'"):
        yield


def taught(
    spec: Spec,
    task: Task,
    memory: WriterFile,
    folder: Folder,
    *,
    runner: Runner,
    tell: Tell = lambda event: None,
    warn: Callable[[str], None] = lambda message: None,
) -> Design:
    """The design of one task, in its folder: begun, or gone on with."""
    if not folder.exists:
        return design(spec, task, memory=memory, folder=folder, runner=runner, tell=tell)
    if folder.spec() != spec:
        raise ValueError(
            f"'{folder.typed}' holds a run that was asked for otherwise; remove it, or take another writer file"
        )
    return resume(folder, task, runner=runner, tell=tell, warn=warn)


def remembered(memory: WriterFile, design: Design) -> WriterFile:
    """What a writer that began from `memory` remembers after a design."""
    from metasmith.designers.ppo.memory import remembered as after

    spec, state = design.spec, design.checkpoint.state
    factors, space = state.facts["factors"], Space.named(spec.space).on(design.representation)
    learned = Learned(spec.task, factors, str(design.program), design.score, spec.evaluations, spec.seed)
    return after(memory, space, spec.training, state, learned)
