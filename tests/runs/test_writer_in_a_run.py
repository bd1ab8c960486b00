"""One writer learns task after task: it can be stopped anywhere, keeps what it learned, and designs at once."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from design_helpers import SMALL, designed, facts, spend_for, tiny

import metasmith as ms
from metasmith.designers.ppo.writer_file import WriterFile
from metasmith.designers.training import Training
from metasmith.landscapes import landscape, sample_size
from metasmith.runs.continual import blank, remembered
from metasmith.runs.embedding import embedding, looked_at


def other() -> ms.Task:
    """A second task."""
    training = tuple(map(ms.problem, ("pbo:F7@30", "pbo:F7@40#2", "pbo:F8@40")))
    return ms.Task("other", training=training, test=(ms.problem("pbo:F7@40#3"),), evaluations=600)


def embedded(task: ms.Task) -> list[float]:
    """What a task looks like."""
    return embedding([landscape(problem) for problem in looked_at(task)]).tolist()


def learned(file: Path, *tasks: ms.Task, **others: Any) -> WriterFile:
    """What a writer remembers after three batches of each task."""
    tasks, settings = tasks or (tiny(), other()), {**SMALL, **others}
    spend = max(spend_for(task, 3, True, settings) for task in tasks)
    return ms.learn(tasks, file, **{"spend": spend, **settings})


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a writer that has learned two tasks."""
    file = tmp_path_factory.mktemp("writers") / "writer.safetensors"
    learned(file)
    return file


def bits(file: Path) -> dict[str, Any]:
    """All that a writer knows."""
    memory = WriterFile.load(file)
    assert memory.consolidated is not None
    parts = {"weights": memory.weights, "anchor": memory.consolidated.anchor, "fisher": memory.consolidated.fisher}
    tensors = {f"{part} {name}": value.tobytes() for part, values in parts.items() for name, value in values.items()}
    return {**tensors, "learned": memory.learned}


def test_a_writer_remembers_what_it_learned(writer):
    memory = WriterFile.load(writer)
    assert [task.task for task in memory.learned] == ["tiny", "other"]
    assert memory.learned[0].factors == pytest.approx(embedded(tiny()), abs=1e-6)
    assert all(ms.Program.parse(task.program).snippets for task in memory.learned)
    assert memory.consolidated is not None
    assert all(np.array_equal(memory.weights[name], value) for name, value in memory.consolidated.anchor.items())
    assert sum(float(value.sum()) for value in memory.consolidated.fisher.values()) > 0


def test_one_after_the_other_is_the_same_as_both(writer, tmp_path):
    learned(tmp_path / "writer.safetensors", tiny())
    learned(tmp_path / "writer.safetensors", tiny(), other())
    assert bits(tmp_path / "writer.safetensors") == bits(writer)


def test_the_second_task_starts_from_the_first(writer, tmp_path):
    learned(tmp_path / "alone.safetensors", other())
    assert bits(tmp_path / "alone.safetensors")["learned"] != bits(writer)["learned"][1:]


@pytest.mark.parametrize("steps", [1, 4, 8, 10])
def test_whoever_is_interrupted_goes_on_with_the_same_command(writer, tmp_path, steps):
    file, left = tmp_path / "writer.safetensors", iter(range(steps))

    def tell(event: object) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learned(file, tell=tell)
    learned(file)
    assert bits(file) == bits(writer)


def test_whoever_died_while_a_folder_was_made_goes_on(writer, tmp_path):
    file = tmp_path / "writer.safetensors"
    run = tmp_path / "writer.safetensors.runs" / "1-tiny"
    run.mkdir(parents=True)
    (run / "writer.safetensors").write_bytes(b"half")
    (run / "design.toml.part").write_bytes(b"task = ")
    learned(file)
    assert bits(file) == bits(writer)


def test_looking_is_counted_and_not_done_again(writer, tmp_path):
    design = designed(other(), writer=writer, out=tmp_path / "run")
    first, looked = design.history[0], sum(sample_size(problem) for problem in looked_at(other()))
    assert looked == 20_000  # two dimensions, 10,000 at least
    assert first["factors"] == embedded(other())
    assert first["ledger"]["evaluations"] == looked + 2 * sum(case[2] for case in first["cases"])


@pytest.mark.slow
def test_a_run_that_began_from_another_writer_is_not_gone_on_with(tmp_path):
    """After the first task the file was lost, and another task was learned first: the second run has another start."""
    file = tmp_path / "writer.safetensors"
    learned(file, tiny(), other())
    file.unlink()
    third = ms.Task("third", other().training, other().test, 600)
    with pytest.raises(ValueError, match="asked for otherwise"):
        learned(file, third, other())


def test_a_run_that_was_asked_for_otherwise_is_not_gone_on_with(tmp_path):
    file = tmp_path / "writer.safetensors"
    learned(file, tiny())
    file.unlink()
    with pytest.raises(ValueError, match="asked for otherwise; remove it"):
        learned(file, tiny(), seed=1)


def test_a_writer_designs_at_once(writer):
    """No batch, only a race among what it writes."""
    design = ms.design(tiny(), writer=writer, effort="none")
    assert [line["step"] for line in design.history] == ["references", "race", "race", "race"]
    assert facts(ms.design(tiny(), writer=writer, effort="none")) == facts(design)
    assert facts(ms.design(tiny(), writer=writer, effort="none", seed=1)) != facts(design)


def test_a_design_may_begin_from_a_writer_and_be_resumed_without_its_file(writer, tmp_path):
    file = tmp_path / "moved.safetensors"
    file.write_bytes(writer.read_bytes())
    whole = designed(other(), writer=file, out=tmp_path / "run")
    file.unlink()
    (tmp_path / "run" / "design.json").unlink()
    assert facts(ms.resume(tmp_path / "run", other())) == facts(whole)
    whole.save(tmp_path / "again")
    assert facts(ms.resume(tmp_path / "again", other())) == facts(whole)


@pytest.mark.slow
def test_a_task_on_bits_leaves_alone_what_is_for_integers_only(tmp_path):
    integers = (ms.problem("beamforming@6"),)
    file = tmp_path / "writer"
    first = learned(file, ms.Task("integers", integers, integers, 300))
    second = learned(file, tiny())
    third = learned(file, ms.Task("integers again", integers, integers, 300))
    assert [sorted(memory.tokens) == sorted(first.tokens) for memory in (second, third)] == [True, True]
    rows = [memory.weights["embed.weight"][memory.tokens.index("swap")] for memory in (first, second, third)]
    assert np.array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[1], rows[2])
    for name, tasks in {"bits": [tiny()], "both": [tiny(), other()]}.items():
        assert len(learned(tmp_path / name, *tasks).tokens) == len(first.tokens) - 1


@pytest.mark.slow
def test_what_was_learned_holds_the_writer_back(tmp_path):
    """The stronger, the less it moves in the second task where the first needs it."""
    moved = []
    for strength in (0.0, 1e6):
        memory = blank("full", "bits", 0)
        for task in (tiny(), other()):
            before, training = memory, Training(batch=6, strength=strength, known=False)
            memory = remembered(memory, designed(task, writer=_file(tmp_path, memory), training=training))
        assert before.consolidated is not None
        anchor, fisher = before.consolidated
        moved.append(sum(float((fisher[name] * (memory.weights[name] - anchor[name]) ** 2).sum()) for name in anchor))
    assert moved[1] < moved[0] / 10


def _file(folder: Path, memory: WriterFile) -> Path:
    memory.save(folder / "now.safetensors")
    return folder / "now.safetensors"


def test_what_cannot_be_asked_of_a_writer(writer, tmp_path):
    with pytest.raises(ValueError, match="the effort 'none' needs a writer"):
        ms.design(tiny(), effort="none")
    with pytest.raises(ValueError, match="no writer file"):
        ms.design(tiny(), writer=tmp_path / "none")
    with pytest.raises(ValueError, match="is for designers with a network"):
        ms.design(tiny(), writer=writer, designer="random")
    with pytest.raises(ValueError, match="to learn takes at least one batch"):
        ms.learn([tiny()], tmp_path / "new", effort="none")
    with pytest.raises(ValueError, match="nothing to learn; name at least one task"):
        ms.learn([], tmp_path / "new")
    with pytest.raises(ValueError, match="two tasks are called 'tiny'"):
        ms.learn([tiny(), tiny()], tmp_path / "new")
    with pytest.raises(ValueError, match="writes in the space full, not in paper"):
        ms.learn([tiny()], writer, space="paper")
    with pytest.raises(ValueError, match="is a folder, and a writer is a file"):
        ms.learn([tiny()], tmp_path)
