"""Whenever the process dies, and whatever is damaged, a run that is resumed ends as if nothing had happened."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from design_helpers import SMALL, STEPS, DiedError, changed_first, dead_after, designed, dying, facts, kept, lines, tiny

import metasmith as ms
from metasmith.designers.training import Training
from metasmith.engine import Local
from metasmith.runs.checkpoint import batches
from metasmith.runs.folder import Folder
from metasmith.runs.spec import Spec
from metasmith.version import digest


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was not killed."""
    path = tmp_path_factory.mktemp("whole") / "run"
    designed(out=path)
    return path


@pytest.mark.parametrize("step", range(STEPS))
def test_death_after_any_step_changes_nothing(step, whole, tmp_path):
    path = dead_after(step, tmp_path / "run")
    warnings: list[str] = []
    design = ms.resume(path, tiny(), warn=warnings.append)
    assert kept(path) == kept(whole)
    assert lines(design.history) == lines(Folder(whole).history())
    assert warnings == []


@pytest.mark.parametrize("step", [0, 2, 4])
def test_the_random_designer_survives_too(step, tmp_path):
    designed(out=tmp_path / "whole", designer="random")
    path = dead_after(step, tmp_path / "run", designer="random")
    ms.resume(path, tiny())
    assert kept(path) == kept(tmp_path / "whole")


def test_a_run_may_die_again_and_again(whole, tmp_path):
    path = dead_after(1, tmp_path / "run")
    for _ in range(STEPS - 2):
        with pytest.raises(DiedError):
            ms.resume(path, tiny(), tell=dying(1))
    ms.resume(path, tiny())
    assert kept(path) == kept(whole)


@pytest.fixture(scope="module")
def moments(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Copies of a run's folder before every change of a file, and within every write."""
    root = tmp_path_factory.mktemp("moments")
    copies: list[Path] = []

    def copy() -> None:
        if (root / "run").is_dir():
            copies.append(root / f"{len(copies)}")
            shutil.copytree(root / "run", copies[-1])

    def seen(change: Callable[..., None]) -> Callable[..., None]:
        def copied_first(*given: object, **options: object) -> None:
            copy()
            change(*given, **options)

        return copied_first

    write, append = Path.write_bytes, Folder.append

    def written(path: Path, data: bytes) -> None:
        copy()
        write(path, data[: len(data) // 2])
        copy()
        write(path, data)

    def appended(folder: Folder, line: dict[str, object]) -> None:
        copy()
        history = folder.path / "history.jsonl"
        before = history.read_bytes() if history.is_file() else b""
        text = json.dumps(line).encode()
        for part in (text[: len(text) // 2], text):  # without and with all but the end of the line
            write(history, before + part)
            copy()
        write(history, before)
        append(folder, line)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "write_bytes", written)
        patch.setattr(Path, "replace", seen(Path.replace))
        patch.setattr(Path, "unlink", seen(Path.unlink))
        patch.setattr(Folder, "append", appended)
        designed(out=root / "run")
    return copies


@pytest.mark.slow
def test_death_at_any_moment_changes_nothing(moments, whole):
    assert len(moments) > 30
    resumed = 0
    for moment in moments:
        if not (moment / "design.toml").is_file():
            with pytest.raises(ValueError, match="is not the folder of a run"):
                ms.resume(moment, tiny())
            continue
        warnings: list[str] = []
        ms.resume(moment, tiny(), warn=warnings.append)
        assert kept(moment) == kept(whole), moment
        assert warnings == []
        resumed += 1
    assert resumed > 30


def test_what_was_measured_is_not_measured_again(whole, tmp_path, monkeypatch):
    total = len(_runs(whole))
    for step in range(STEPS):
        path = dead_after(step, tmp_path / f"{step}")
        before, done = len(_runs(path)), []

        def counted(threads, jobs, done=done, run=Local.run):
            done.extend(jobs)
            return run(threads, jobs)

        with monkeypatch.context() as patch:
            patch.setattr("metasmith.engine.Local.run", counted)
            ms.resume(path, tiny())
        assert before + len(done) == total


def _runs(path: Path) -> list[list[object]]:
    return [row for line in Folder(path).history() for row in line["measured"]]


def test_a_finished_run_is_resumed_without_a_run(whole, tmp_path, monkeypatch):
    path = Path(shutil.copytree(whole, tmp_path / "run"))
    monkeypatch.setattr(
        "metasmith.engine.Local.run", lambda threads, jobs: [] if not jobs else pytest.fail("ran again")
    )
    ms.resume(path, tiny())
    assert kept(path) == kept(whole)


def truncated(path: Path) -> None:
    file = newest(path, "safetensors")
    file.write_bytes(file.read_bytes()[:-1000])


def emptied(path: Path) -> None:
    newest(path, "safetensors").write_bytes(b"")


def flipped(path: Path) -> None:
    file = newest(path, "safetensors")
    data = bytearray(file.read_bytes())
    data[-5000] ^= 1
    file.write_bytes(data)


def garbage(path: Path) -> None:
    newest(path, "json").write_bytes(b"\x00\xff garbage")


def other_json(path: Path) -> None:
    newest(path, "json").write_text("[1, 2]")


def without_tensors(path: Path) -> None:
    newest(path, "safetensors").unlink()


def both(path: Path) -> None:
    for batch in batches(path):
        (path / f"checkpoint-{batch}.safetensors").write_bytes(b"noise")


def newest(path: Path, ending: str) -> Path:
    return path / f"checkpoint-{batches(path)[0]}.{ending}"


DAMAGES = [truncated, emptied, flipped, garbage, other_json, without_tensors, both]


@pytest.mark.parametrize(
    ("damage", "step"), [*((damage, 3) for damage in DAMAGES), (flipped, STEPS - 1), (both, STEPS - 1)]
)
def test_a_damaged_checkpoint_is_told_and_passed_over(damage, step, whole, tmp_path):
    path = dead_after(step, tmp_path / "run")
    newest_batch = batches(path)[0]
    damage(path)
    warnings: list[str] = []
    ms.resume(path, tiny(), warn=warnings.append)
    assert kept(path) == kept(whole)
    assert len(warnings) == (2 if damage is both else 1)
    assert warnings[0].startswith(f"the checkpoint of batch {newest_batch} is damaged (")
    assert all("\n" not in warning for warning in warnings)


def test_a_second_death_loses_nothing_that_was_measured(whole, tmp_path):
    path = dead_after(STEPS - 1, tmp_path / "run")
    done = len(_runs(path))
    both(path)
    with pytest.raises(DiedError):
        ms.resume(path, tiny(), tell=dying(2))
    assert len(_runs(path)) == done
    ms.resume(path, tiny())
    assert kept(path) == kept(whole)


def test_a_run_does_not_go_on_with_other_problems(tmp_path):
    path = dead_after(2, tmp_path / "run")
    other = ms.Task("tiny", (ms.problem("pbo:F18@20"),), (ms.problem("pbo:F18@20"),), tiny().evaluations)
    with pytest.raises(ValueError, match="was begun on other problems"):
        ms.resume(path, other)


def test_only_one_process_at_a_time_works_on_a_run(tmp_path):
    path = dead_after(2, tmp_path / "run")
    with Folder(path).claimed(), pytest.raises(ValueError, match="another process is at work"):
        ms.resume(path, tiny())
    ms.resume(path, tiny())


def no_checkpoint(path: Path) -> None:
    for file in path.glob("checkpoint-*"):
        file.unlink()


def no_design(path: Path) -> None:
    (path / "design.json").unlink()


def design_of_noise(path: Path) -> None:
    (path / "design.json").write_bytes(b'{"task": "ti')


def last_line_cut(path: Path) -> None:
    history = path / "history.jsonl"
    history.write_bytes(history.read_bytes()[:-20])


def middle_line_lost(path: Path) -> None:
    history = path / "history.jsonl"
    first, *_, last = history.read_bytes().splitlines(keepends=True)
    history.write_bytes(first + b"noise\n" + last)


def no_history(path: Path) -> None:
    (path / "history.jsonl").unlink()


def all_but_what_was_asked(path: Path) -> None:
    for file in path.iterdir():
        if file.name != "design.toml":
            file.unlink()


LOSSES = [
    no_checkpoint,
    no_design,
    design_of_noise,
    last_line_cut,
    middle_line_lost,
    no_history,
    all_but_what_was_asked,
]


@pytest.mark.parametrize("loss", LOSSES)
def test_whatever_is_lost_is_made_again(loss, whole, tmp_path):
    path = Path(shutil.copytree(whole, tmp_path / "run"))
    loss(path)
    ms.resume(path, tiny())
    assert kept(path) == kept(whole)


@pytest.mark.parametrize("loss", [no_checkpoint, last_line_cut, middle_line_lost, no_history])
def test_whatever_is_lost_in_the_middle_is_made_again(loss, whole, tmp_path):
    path = dead_after(3, tmp_path / "run")
    loss(path)
    warnings: list[str] = []
    ms.resume(path, tiny(), warn=warnings.append)
    assert kept(path) == kept(whole)
    second = f"'{path / 'history.jsonl'}' is damaged in line 2: neither that line nor what follows counts"
    ends = "the history ends before the checkpoint of batch 3: it is damaged; beginning again"
    assert warnings == {no_checkpoint: [], middle_line_lost: [second, ends]}.get(loss, [ends])


def test_other_workers_may_go_on(whole, tmp_path):
    path = dead_after(2, tmp_path / "run", workers=1)
    ms.resume(path, tiny(), workers=4)
    assert kept(path) == kept(whole)


@pytest.mark.parametrize("step", [1, 3])
def test_raw_rewards_are_compared_with_the_same_average(step, tmp_path):
    others = {"training": replace(SMALL["training"], advantage="raw"), "quality": "anytime", "seed": 5}
    designed(out=tmp_path / "whole", **others)
    path = dead_after(step, tmp_path / "run", **others)
    ms.resume(path, tiny())
    assert kept(path) == kept(tmp_path / "whole")


@pytest.mark.parametrize("step", [2, 3])
def test_where_few_are_feasible_a_resumed_run_ends_the_same(step, tmp_path):
    """Not even the references are: the scale comes from the first programs that are."""

    def narrow(x: np.ndarray) -> float:
        return float(max(0, 13 - x.sum()))

    task = ms.Problem(lambda x: float(x @ np.arange(16)), ms.Bits(16), violation=narrow, name="narrow")
    others = {
        "task": task,
        "evaluations": 12,
        "training": Training(batch=3, mutants=0, immigrants=0, known=False),
        "seed": 4,
    }
    design = designed(out=tmp_path / "whole", **others)
    feasible = [sum(row[7] == 0 for row in line["measured"]) for line in design.history]
    assert feasible[:2] == [0, 1]
    assert sum(feasible[2:4]) > 0
    path = dead_after(step, tmp_path / "run", **others)
    ms.resume(path, task)
    assert kept(path) == kept(tmp_path / "whole")


def test_a_problem_that_was_mended_goes_on(tmp_path):
    """A failure in the middle costs nothing that was done before it."""
    calls = iter(range(2000))

    def weight(x: np.ndarray) -> float:
        return float(x @ np.arange(12))

    def failing(x: np.ndarray) -> float:
        return weight(x) if next(calls, None) is not None else float("nan")

    def task(function: Callable[[np.ndarray], float]) -> ms.Problem:
        return ms.Problem(function, ms.Bits(12), name="weight", isolate=False)  # so that calls are counted here

    whole = designed(task=task(weight), evaluations=60, out=tmp_path / "whole")
    with pytest.raises(ms.EvaluationError, match="not a number"):
        designed(task=task(failing), evaluations=60, out=tmp_path / "run")
    assert 0 < len(_runs(tmp_path / "run")) < len(_runs(tmp_path / "whole"))
    warnings: list[str] = []
    mended = ms.resume(tmp_path / "run", task(weight), warn=warnings.append)
    (warning,) = warnings
    assert warning.startswith("the code or the data of the task has changed since the run was begun: ")
    assert mended.history[0]["code"] != whole.history[0]["code"]
    changed_first(tmp_path / "run", code=whole.history[0]["code"])
    again = ms.resume(tmp_path / "run", task(weight), warn=pytest.fail)
    assert facts(again) == facts(whole)
    assert kept(tmp_path / "run") == kept(tmp_path / "whole")


def test_a_run_of_another_space_is_not_gone_on_with(tmp_path):
    path = dead_after(2, tmp_path / "run")
    changed_first(path, vocabulary="another")
    with pytest.raises(ValueError, match="the design space has changed since the run in"):
        ms.resume(path, tiny())


def test_two_checkpoints_are_kept(whole):
    names = sorted(path.name for path in whole.iterdir())
    kinds = ("json", "safetensors")
    assert names == sorted(
        [
            "design.toml",
            "design.json",
            "design.txt",
            "history.jsonl",
            "lock",
            *(f"checkpoint-{i}.{kind}" for i in (2, 3) for kind in kinds),
        ]
    )
    assert Spec.parse((whole / "design.toml").read_text()).designer == "mixture"


def other_code(path: Path) -> None:
    """As if other code had begun the run."""
    changed_first(path, made={"metasmith": "0.0.9", "commit": "abc", "digest": "another"})


def test_a_run_that_goes_on_with_other_code_says_so_and_keeps_what_was_recorded(whole, tmp_path):
    path = dead_after(2, tmp_path / "run")
    other_code(path)
    warnings: list[str] = []
    design = ms.resume(path, tiny(), warn=warnings.append)
    (warning,) = warnings
    assert warning.startswith("the run was begun with other code (metasmith 0.0.9, commit abc) than it goes on with (")
    assert "\n" not in warning
    assert [i for i, step in enumerate(design.history) if "made" in step] == [0, 3]
    record = design.record()
    assert (record["metasmith"], record["commit"], record["digest"]) == ("0.0.9", "abc", "another")
    assert [made["digest"] for made in record["resumed"]] == [digest()]
    untouched = Folder(whole).design()
    assert (untouched["digest"], untouched["resumed"]) == (digest(), [])
    assert record["program"] == untouched["program"]
    (path / "design.json").unlink()
    assert ms.resume(path, tiny()).record()["resumed"] == record["resumed"]


def test_a_run_of_an_earlier_version_is_told_in_one_line(tmp_path):
    (tmp_path / "asked.toml").write_text('task = "pbo:F1"')
    with pytest.raises(ValueError, match=r"is of an earlier version of metasmith; design anew, or use that version$"):
        ms.resume(tmp_path)
