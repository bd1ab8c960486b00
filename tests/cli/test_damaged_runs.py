"""Commands on a run whose files are damaged, or on a disk that is full, say so in one line, and where."""

import errno
import os
import shutil
from pathlib import Path

import pytest
from cli_helpers import metasmith

from metasmith.runs.folder import Folder

KINDS = ["null", "[]", "3", '"text"', "{}", "{", "", '{"step": 3}', "[" * 100_000]


@pytest.fixture
def mine(run: Path, tmp_path: Path) -> Path:
    """A copy of a finished run."""
    return Path(shutil.copytree(run, tmp_path / "run"))


COMMANDS = [
    ("show", "{run}"),
    ("report", "{run}", "--runs", "2"),
    ("compare", "{run}", "--runs", "2"),
    ("export", "{run}", "{run}/solver.py"),
    ("diversity", "{run}"),
    ("solve", "pbo:F1@30", "--with", "{run}", "--evaluations", "50"),
    ("ablate", "{run}", "--runs", "2"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_design_of_another_kind_is_one_line_that_names_the_file(words, mine, capsys):
    for kind in KINDS:
        (mine / "design.json").write_text(kind)
        code, out, err = metasmith(capsys, *(word.format(run=mine) for word in words))
        said = (
            f"metasmith: '{mine / 'design.json'}' is damaged; 'metasmith resume {mine}' makes it again from the history"
        )
        assert (code, out, err) == (2, "", f"{said}\n")


READERS_OF_THE_SPEC = [words for words in COMMANDS if words[0] not in ("solve", "export")] + [("resume", "{run}")]


@pytest.mark.parametrize("words", READERS_OF_THE_SPEC, ids=lambda words: words[0])
def test_a_damaged_spec_is_one_line_that_names_the_file(words, mine, capsys):
    file = mine / "design.toml"
    file.write_bytes(file.read_bytes().replace(b"seed = 0", b"seed = 8"))
    code, out, err = metasmith(capsys, *(word.format(run=mine) for word in words))
    said = f"metasmith: '{file}' is damaged, or was changed: put the right file there, or design anew\n"
    assert (code, out, err) == (2, "", said)


@pytest.mark.parametrize("kind", KINDS)
def test_a_history_of_another_kind_is_told_and_the_rest_shown(kind, mine, capsys):
    history = mine / "history.jsonl"
    first, second, *_ = history.read_text().splitlines()
    history.write_text(f"{first}\n{second}\n{kind}\n")
    said = f"metasmith: '{history}' is damaged in line 3: neither that line nor what follows counts\n"
    code, out, err = metasmith(capsys, "show", str(mine))
    assert (code, err) == (0, said)
    assert "in 1 batch\n" in out
    code, _, err = metasmith(capsys, "resume", str(mine), "--json")
    assert code == 0
    assert err.startswith(said)
    assert len(Folder(mine).history(pytest.fail)) > 2


def test_damaged_runs_are_left_out_of_a_folder_of_runs(run, mine, capsys):
    shutil.copytree(run, mine.parent / "other")
    (mine / "design.json").write_text("3")
    code, _, err = metasmith(capsys, "diversity", str(mine.parent))
    assert (code, err) == (0, f"metasmith: left out '{mine}', which is damaged\n")


@pytest.mark.slow
def test_a_damaged_page_of_evidence_is_made_again(mine, capsys):
    metasmith(capsys, "report", str(mine), "--runs", "2")
    whole = (mine / "evidence.json").read_bytes()
    for kind in ["3", whole.decode().replace('"values": ', '"valves": ')]:
        (mine / "evidence.json").write_text(kind)
        code, _, err = metasmith(capsys, "report", str(mine), "--runs", "2")
        assert (code, err) == (0, "")
        assert b'"values": ' in (mine / "evidence.json").read_bytes()


def test_a_full_disk_is_one_line_that_says_how_to_go_on(file, quick, tmp_path, capsys, monkeypatch):
    sync, left = os.fsync, iter(range(9))

    def full(descriptor: int) -> None:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(descriptor)

    path = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        code, out, err = metasmith(capsys, "design", f"{file}:small", "--out", str(path), "--json", *quick)
    assert (code, out) == (2, "")
    assert err.startswith(f"metasmith: No space left on device: {path}/")
    assert err.endswith(f"; mend it, and 'metasmith resume {path}' goes on\n")
    assert metasmith(capsys, "resume", str(path), "--json")[0] == 0
