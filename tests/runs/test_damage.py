"""What was damaged, exchanged or mixed with another run is noticed: it is left out or refused, never believed."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from design_helpers import SMALL, dead_after, designed, kept, lines, spend_for, tiny

import metasmith as ms
from metasmith.runs.checkpoint import batches
from metasmith.runs.checksums import sealed
from metasmith.runs.folder import NEEDED, Folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run."""
    path = tmp_path_factory.mktemp("whole") / "run"
    designed(out=path)
    return path


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of another one."""
    path = tmp_path_factory.mktemp("other") / "run"
    designed(out=path, seed=1)
    return path


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that died in its final race."""
    return dead_after(4, tmp_path_factory.mktemp("stopped") / "run")


@pytest.fixture
def run(stopped: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(stopped, tmp_path / "run"))


def contents(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


Lines = list[bytes]


def doubled(rows: Lines) -> tuple[Lines, int]:
    return [*rows[:2], rows[1], *rows[2:]], 3


def exchanged(rows: Lines) -> tuple[Lines, int]:
    return [rows[0], rows[2], rows[1], *rows[3:]], 2


def left_out(rows: Lines) -> tuple[Lines, int]:
    return [rows[0], *rows[2:]], 2


def other_value(rows: Lines) -> tuple[Lines, int]:
    changed = re.sub(rb'("measured": \[\[.*?)\d\.\d+', rb"\g<1>1000000.0", rows[3], count=1)
    assert changed != rows[3]
    return [*rows[:3], changed, *rows[4:]], 4


def other_digit(rows: Lines) -> tuple[Lines, int]:
    changed = re.sub(rb'"evaluations": (\d)', rb'"evaluations": 9\1', rows[0])
    assert changed != rows[0]
    return [changed, *rows[1:]], 1


@pytest.mark.parametrize("damage", [doubled, exchanged, left_out, other_value, other_digit])
def test_a_history_counts_up_to_the_first_line_that_is_not_as_it_was_written(damage, run, whole):
    file = run / "history.jsonl"
    rows, first_damaged = damage(file.read_bytes().splitlines())
    file.write_bytes(b"".join(row + b"\n" for row in rows))
    warnings: list[str] = []
    assert len(Folder(run).history(warnings.append)) == first_damaged - 1
    assert warnings == [f"'{file}' is damaged in line {first_damaged}: neither that line nor what follows counts"]
    resumed: list[str] = []
    ms.resume(run, tiny(), warn=resumed.append)
    assert kept(run) == kept(whole)
    assert resumed[:1] == warnings


def other_rate(text: str) -> str:
    assert "rate = 0.003" in text
    return text.replace("rate = 0.003", "rate = 0.083")


def without_its_end(text: str) -> str:
    return text[: text.index("[race]")]


@pytest.mark.parametrize("damage", [other_rate, without_its_end, lambda text: "", lambda text: text[1:]])
def test_a_damaged_spec_is_refused_and_nothing_is_touched(damage: Callable[[str], str], run):
    file = run / "design.toml"
    file.write_text(damage(file.read_text()))
    before = contents(run)
    with pytest.raises(ValueError, match=r"^'.*design\.toml' (is damaged|cannot be|has no checksum)") as caught:
        ms.resume(run, tiny())
    assert "\n" not in str(caught.value)
    assert contents(run) == before


def test_the_spec_of_another_run_is_refused_and_nothing_is_touched(run, other):
    shutil.copy(other / "design.toml", run)
    before = contents(run)
    with pytest.raises(ValueError, match=r"'.*design\.toml' is not the spec that the run was begun with; put that one"):
        ms.resume(run, tiny())
    assert contents(run) == before


def test_the_checkpoint_of_another_run_is_passed_over(run, other, whole):
    for file in run.glob("checkpoint-*"):
        file.unlink()
    for batch in batches(other):
        for ending in ("json", "safetensors"):
            shutil.copy(other / f"checkpoint-{batch}.{ending}", run)
    warnings: list[str] = []
    ms.resume(run, tiny(), warn=warnings.append)
    assert [warning.partition(";")[0] for warning in warnings] == [
        f"the checkpoint of batch {batch} is damaged (it is of another run)" for batch in batches(other)
    ]
    assert kept(run) == kept(whole)


def test_the_history_of_another_run_is_refused(run, other):
    shutil.copy(other / "history.jsonl", run)
    with pytest.raises(ValueError, match="is not the spec that the run was begun with"):
        ms.resume(run, tiny())


def test_a_damaged_design_is_told_and_made_again(whole, tmp_path):
    path = Path(shutil.copytree(whole, tmp_path / "run"))
    file = path / "design.json"
    file.write_text(file.read_text().replace('"score": ', '"score": 9'))
    assert Folder(path).design() is None
    with pytest.raises(ValueError, match=rf"^'{file}' is damaged; 'metasmith resume {path}' makes it again from"):
        ms.algorithm(path)
    ms.resume(path, tiny())
    assert kept(path) == kept(whole)


def test_the_text_of_a_design_is_for_people(whole, tmp_path):
    path = Path(shutil.copytree(whole, tmp_path / "run"))
    (path / "design.txt").write_text("population 1\nreset_n(n=1)")
    assert str(ms.algorithm(path)) == Folder(whole).design()["program"]


def unchecked(path: Path) -> Path:
    """As earlier versions wrote a run."""
    spec, history, design = (path / name for name in ("design.toml", "history.jsonl", "design.json"))
    spec.write_text(spec.read_text().partition("\n")[2])
    steps = [json.loads(line) for line in history.read_text().splitlines()]
    history.write_text("".join(json.dumps({k: v for k, v in step.items() if k != "checksum"}) + "\n" for step in steps))
    record = json.loads(design.read_text())
    del record["checksum"]
    design.write_text(json.dumps(record))
    return path


def test_a_run_without_checksums_is_read_with_a_warning_and_not_gone_on_with(whole, tmp_path, capsys):
    path = unchecked(Path(shutil.copytree(whole, tmp_path / "run")))
    folder = Folder(path)
    for _ in range(2):
        assert folder.spec() == Folder(whole).spec()
    said = f"'{path / 'design.toml'}' has no checksum, as in earlier versions of metasmith"
    assert capsys.readouterr().err == f"metasmith: {said}: the files beside it are believed\n"
    assert lines(folder.history()) == lines(Folder(whole).history())
    assert folder.design() == Folder(whole).design()
    assert str(ms.algorithm(path)) == folder.design()["program"]
    with pytest.raises(ValueError, match=r"has no checksum, so the run cannot go on: .*; design anew$"):
        ms.resume(path, tiny())


KINDS = ["null", "[]", "3", '"text"', "{}", "{", "", "[" * 100_000, '{"step": 3}', '{"step": "batch", "mean": "high"}']


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("checked", [True, False])
def test_json_of_another_kind_is_no_design_and_no_step(kind, checked, whole, tmp_path):
    path = Path(shutil.copytree(whole, tmp_path / "run"))
    if not checked:
        unchecked(path)
    (path / "design.json").write_text(kind)
    first, *_ = (path / "history.jsonl").read_text().splitlines()
    (path / "history.jsonl").write_text(f"{first}\n{kind}\n")
    folder, warnings = Folder(path), list[str]()
    assert folder.design() is None
    assert folder.damaged
    assert len(folder.history(warnings.append)) == 1
    assert warnings == [f"'{path / 'history.jsonl'}' is damaged in line 2: neither that line nor what follows counts"]


@pytest.mark.parametrize("name", ["task", "program", "score", "ledger", "evaluations"])
def test_a_design_with_fields_of_another_kind_is_none(name, whole, tmp_path):
    path = unchecked(Path(shutil.copytree(whole, tmp_path / "run")))
    record = json.loads((path / "design.json").read_text())
    for value in (None, [], {}):
        (path / "design.json").write_text(json.dumps({**record, name: value}))
        assert Folder(path).design() is None


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_a_design_that_lacks_a_field_is_none_whatever_its_checksum(name, whole, tmp_path):
    path = Path(shutil.copytree(whole, tmp_path / "run"))
    record = Folder(path).design()
    del record[name]
    (path / "design.json").write_bytes(sealed(record)[0])
    assert Folder(path).design() is None


def test_a_run_does_not_go_on_with_another_writer(tmp_path):
    for seed, name in enumerate(("one", "other")):
        ms.learn([tiny()], tmp_path / name, seed=seed, spend=spend_for(tiny(), 1, True, SMALL), **SMALL)
    path = tmp_path / "run"
    design = designed(writer=tmp_path / "one", out=path)
    shutil.copy(tmp_path / "other", path / "writer.safetensors")
    with pytest.raises(
        ValueError, match=r"'.*writer\.safetensors' is not the writer that the run began from; put that"
    ):
        ms.resume(path, tiny())
    shutil.copy(tmp_path / "one", path / "writer.safetensors")
    assert ms.resume(path, tiny()).program == design.program
