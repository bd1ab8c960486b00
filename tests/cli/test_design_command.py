"""`metasmith design`, `resume` and `learn`: what they print and keep, and how to go on when they are stopped."""

import json
import shutil
from pathlib import Path

import pytest
from cli_helpers import SMALL, SOURCE, metasmith

import metasmith as ms
from metasmith.runs.folder import Folder


def test_design_prints_json_for_machines(
    file: Path, run: Path, quick: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = run.parent / "json"
    code, printed, err = metasmith(capsys, "design", f"{file}:small", "--out", str(out), "--json", *quick)
    found = json.loads(printed)
    assert (code, err) == (0, "")
    assert list(found) == [
        "run", "task", "evaluations", "seed", "representation", "program", "pseudocode", "score", "descent",
        "finalists", "ledger", "finished_early", "metasmith", "commit", "digest", "resumed",
    ]  # fmt: skip
    assert found["run"] == str(out)
    assert found["task"] == f"{file}:small"
    in_file = json.loads((out / "design.json").read_text())
    assert list(in_file)[-1] == "checksum"
    assert in_file == {name: value for name, value in found.items() if name != "run"} | {
        "checksum": in_file["checksum"]
    }
    assert found["program"] == str(ms.algorithm(run))


def test_design_shows_the_algorithm_its_score_and_its_cost(
    file: Path, quick: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, err = metasmith(
        capsys, "design", f"{file}:small", "--out", str(tmp_path / "run"), "--seed", "7", *quick
    )
    assert code == 0
    assert err.startswith("spending up to ")
    for said in (
        "Input: initial solutions S",
        "population ",
        "with 400 evaluations, seed 7",
        "\nscore ",
        "\nmean ",
        "\nentropy ",
        "\ncost ",
    ):
        assert said in printed
    assert f"kept in {tmp_path / 'run'}; see also: metasmith compare" in printed


def test_design_takes_all_that_can_be_asked(
    file: Path, quick: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (
        "--evaluations",
        "90",
        "--space",
        "paper",
        "--designer",
        "random",
        "--quality",
        "anytime",
        "--workers",
        "1",
        "--seed",
        "4",
    )
    code, _, _ = metasmith(capsys, "design", f"{file}:small", *words, "--out", str(tmp_path / "run"), "--json", *quick)
    spec = Folder(tmp_path / "run").spec()
    assert code == 0
    assert (spec.evaluations, spec.space, spec.designer, spec.quality, spec.seed) == (
        90,
        "paper",
        "random",
        "anytime",
        4,
    )
    assert spec.training == SMALL.training


def test_design_finds_a_folder_of_its_own(
    file: Path,
    quick: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    folders = [json.loads(metasmith(capsys, "design", f"{file}:single", "--json", *quick)[1])["run"] for _ in range(2)]
    assert folders == ["runs/mine.py-single-0", "runs/mine.py-single-0-2"]
    assert all((tmp_path / folder / "design.json").is_file() for folder in folders)


def test_a_relative_file_is_found_from_everywhere(
    file: Path,
    quick: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(file.parent)
    assert metasmith(capsys, "design", "mine.py:single", "--out", str(tmp_path / "run"), *quick)[0] == 0
    monkeypatch.chdir(tmp_path)
    assert metasmith(capsys, "resume", "run")[0] == 0
    assert metasmith(capsys, "compare", "run", "--runs", "2")[0] == 0


def test_learn_then_show_then_design_at_once(
    file: Path, quick: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = tmp_path / "writer.safetensors"
    words = ("learn", f"{file}:small", f"{file}:single", "--writer", str(writer), *quick)
    code, printed, err = metasmith(capsys, *words)
    assert code == 0
    assert err.count("spending up to ") == 4  # before and after the references
    assert f"learned {file}:small: score " in printed
    assert "tasks learned: 2" in printed
    code, printed, err = metasmith(capsys, *words, "--json")
    learned = json.loads(printed)["learned"]
    assert (code, err) == (0, "")
    assert [task["task"] for task in learned] == [f"{file}:small", f"{file}:single"]
    assert json.loads(metasmith(capsys, "show", str(writer), "--json")[1])["learned"] == learned
    assert (
        "; ".join(" ".join(line.split()) for line in learned[1]["program"].splitlines())
        in metasmith(capsys, "show", str(writer))[1]
    )
    words = ("design", f"{file}:single", "--writer", str(writer), "--effort", "none", "--out", str(tmp_path / "run"))
    code, printed, _ = metasmith(capsys, *words)
    assert code == 0
    assert "population " in printed
    assert json.loads(metasmith(capsys, "show", str(tmp_path / "run"), "--json")[1])["batches"] == 0


def test_a_writer_that_is_damaged_is_refused_in_one_line(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "writer").write_bytes(b"noise")
    for words in (
        ("show",),
        ("learn", f"{file}:small", "--writer"),
        ("design", f"{file}:small", "--out", str(tmp_path / "run"), "--writer"),
    ):
        code, printed, err = metasmith(capsys, *words, str(tmp_path / "writer"))
        assert (code, printed) == (2, "")
        assert err == f"metasmith: '{tmp_path / 'writer'}' is not a writer file, or is damaged\n"
    assert (tmp_path / "writer").read_bytes() == b"noise"


def test_resume_goes_on_and_ends_the_same(
    run: Path, unfinished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = shutil.copytree(unfinished, tmp_path / "run")
    code, printed, err = metasmith(capsys, "resume", str(path), "--json")
    found, wanted = json.loads(printed), json.loads((run / "design.json").read_text())
    assert (code, err) == (0, "")
    assert found["run"] == str(path)
    assert [found[name] for name in ("program", "score", "finalists")] == [
        wanted[name] for name in ("program", "score", "finalists")
    ]
    code, printed, _ = metasmith(capsys, "resume", str(path))
    assert code == 0
    assert f"kept in {path}" in printed


def test_resume_tells_of_damage(unfinished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = shutil.copytree(unfinished, tmp_path / "run")
    (path / "checkpoint-1.safetensors").write_bytes(b"noise")
    code, printed, err = metasmith(capsys, "resume", str(path), "--json")
    assert code == 0
    assert json.loads(printed)["run"] == str(path)
    assert err.startswith("metasmith: the checkpoint of batch 1 is damaged (")
    assert err.count("\n") == 1


def test_a_problem_that_fails_says_how_to_go_on(
    file: Path, quick: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mended.py"
    mine.write_text(SOURCE)
    folder = tmp_path / "run"
    code, out, err = metasmith(capsys, "design", f"{mine}:odd", "--evaluations", "30", "--out", str(folder), *quick)
    assert (code, out) == (2, "")
    plan, said = err.splitlines()
    assert plan.startswith("spending up to ")
    assert said.startswith("metasmith: odd: the value at x = ")
    assert "is not a number (NaN)" in said
    assert said.endswith(f"; mend it, and 'metasmith resume {folder}' goes on")
    mine.write_text(SOURCE.replace('float("nan")', "float(x.sum())"))
    code, out, _ = metasmith(capsys, "resume", str(folder), "--json")
    assert code == 0
    assert json.loads(out)["score"] > 0


def test_an_interrupt_says_how_to_go_on(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*given: object, **options: object) -> None:
        raise KeyboardInterrupt

    for name, words, hint in (
        ("design", ("pbo:F2", "--out", "there"), ""),
        ("resume", (str(run),), f"; 'metasmith resume {run}' goes on"),
    ):
        monkeypatch.setattr(f"metasmith.api.{name}", interrupted)
        code, out, err = metasmith(capsys, name, *words)
        assert (code, out, err) == (130, "", f"metasmith: interrupted{hint}\n")


def test_design_spends_what_it_may_and_no_more(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("design", f"{file}:single", "--evaluations", "60", "--seed", "1", "--json")
    code, printed, _ = metasmith(capsys, *words, "--spend", str(200 * 60), "--out", str(tmp_path / "spend"))
    assert code == 0
    assert json.loads(printed)["ledger"]["evaluations"] == 200 * 60
    code, printed, _ = metasmith(
        capsys, *words, "--minutes", "5", "--spend", str(30 * 60), "--out", str(tmp_path / "both")
    )
    assert code == 0
    assert 29 * 60 < json.loads(printed)["ledger"]["evaluations"] <= 30 * 60
    assert "minutes = 5.0" in (tmp_path / "both" / "design.toml").read_text()
