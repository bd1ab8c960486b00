"""What commands show of a run: `show`, `compare`, `ablate`, `report`, `export`."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_helpers import metasmith, small_design

import metasmith as ms
from metasmith.runs.folder import Folder
from metasmith.screens import SPELLED


def test_show_a_run_that_is_finished(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, err = metasmith(capsys, "show", str(run), "--json")
    found = json.loads(printed)
    assert (code, err) == (0, "")
    assert list(found) == ["task", "finished", "design", "batches", "best", "spent", "spend"]
    assert (found["finished"], found["batches"]) == (True, 2)
    in_file = json.loads((run / "design.json").read_text())
    assert {**found["design"], "checksum": in_file["checksum"]} == in_file
    code, printed, _ = metasmith(capsys, "show", str(run))
    assert code == 0
    assert found["design"]["pseudocode"] in printed
    assert found["design"]["program"] in printed
    assert "in 2 batches" in printed
    assert f"\nproposed by: {found['design']['descent'][0]['source']} (batch " in printed


def test_show_a_run_that_is_not_finished(unfinished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(metasmith(capsys, "show", str(unfinished), "--json")[1])
    assert (found["finished"], found["design"], found["batches"]) == (False, None, 1)
    code, printed, _ = metasmith(capsys, "show", str(unfinished))
    assert code == 0
    assert f"stopped after 1 batch; 'metasmith resume {unfinished}' goes on, 'metasmith finish {unfinished}'" in printed
    with Folder(unfinished).claimed():
        printed = metasmith(capsys, "show", str(unfinished))[1]
    assert f"under way, with 1 batch so far; 'metasmith watch {unfinished}' shows how it goes" in printed
    first, batch = (json.loads(line) for line in (unfinished / "history.jsonl").read_text().splitlines())
    best = found["best"]
    assert (best["program"], best["score"]) == (batch["leader"], batch["best"])
    assert best["source"] == batch["sources"][batch["programs"].index(best["program"])]
    assert best["pseudocode"] == ms.pseudocode(ms.Program.parse(best["program"]))
    assert found["spent"] == batch["ledger"]["evaluations"] > first["ledger"]["evaluations"]
    assert best["pseudocode"] in printed
    assert best["program"] in printed
    assert f"score {best['score']:.4f} (mean over all rungs), proposed by: {best['source']}" in printed
    assert f"spent {found['spent']:,} of {found['spend']:,} evaluations" in printed


def test_show_a_run_that_has_no_batch_yet(unfinished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Path(shutil.copytree(unfinished, tmp_path / "run"))
    for steps in (1, 0):
        history = (run / "history.jsonl").read_text().splitlines(keepends=True)
        (run / "history.jsonl").write_text("".join(history[:steps]))
        found = json.loads(metasmith(capsys, "show", str(run), "--json")[1])
        assert (found["best"], found["batches"], found["spent"] > 0) == (None, 0, steps == 1)
        code, printed, _ = metasmith(capsys, "show", str(run))
        assert code == 0
        assert f"stopped after 0 batches; 'metasmith resume {run}' goes on\n" in printed
    code, _, err = metasmith(capsys, "finish", str(run))
    assert code == 2
    assert "has no batch yet to choose from" in err


def test_finish_ends_a_run_and_says_so(unfinished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Path(shutil.copytree(unfinished, tmp_path / "run"))
    code, printed, err = metasmith(capsys, "finish", str(run), "--workers", "2", "--json")
    made = json.loads(printed)
    assert (code, err) == (0, "")
    assert (made["run"], made["finished_early"]) == (str(run), True)
    code, printed, _ = metasmith(capsys, "show", str(run))
    assert code == 0
    assert made["pseudocode"] in printed
    assert "finished early" in printed
    shown = json.loads(metasmith(capsys, "show", str(run), "--json")[1])
    assert (shown["finished"], shown["best"]["program"]) == (True, made["program"])
    assert metasmith(capsys, "solve", "pbo:F1@30", "--with", str(run), "--evaluations", "50")[0] == 0
    again = json.loads(metasmith(capsys, "resume", str(run), "--json")[1])
    assert again["program"] == made["program"]


def test_export_writes_a_file_that_does_the_same(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = metasmith(capsys, "export", str(run), str(tmp_path / "own_algorithm.py"))
    assert code == 0
    assert f"wrote {tmp_path / 'own_algorithm.py'}" in printed
    specification = importlib.util.spec_from_file_location("own_algorithm", tmp_path / "own_algorithm.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    problem = ms.Problem(lambda x: float(x.sum()), ms.Bits(20), name="ones")
    found = module.optimize(problem, 20, evaluations=200, seed=3)
    assert found.nfev == 200
    assert found.fun == problem(found.x)


def test_compare_runs_the_design_beside_the_known(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, err = metasmith(capsys, "compare", str(run), "--runs", "2", "--seed", "5", "--json")
    rows = json.loads(printed)
    assert (code, err) == (0, "")
    assert [row["algorithm"] for row in rows][:3] == ["design", "rls", "ea"]
    problem = ms.problem("pbo:F2@40#3")
    for row, algorithm in zip(rows, (run, "rls"), strict=False):
        runs = ms.solve_all(algorithm, problem, evaluations=400, seeds=[5, 6])
        assert row["values"] == {"pbo:F2@40#3": [problem.original(value) for value in runs.best]}
    code, printed, _ = metasmith(capsys, "compare", str(run), "--runs", "2")
    assert code == 0
    assert printed.startswith("algorithm")
    assert "design" in printed
    assert "±" in printed


def test_ablate_takes_the_test_problems_and_evaluations_of_a_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, err = metasmith(capsys, "ablate", str(run), "--runs", "2", "--seed", "5", "--json")
    found, problem = json.loads(printed), ms.problem("pbo:F2@40#3")
    assert (code, err) == (0, "")
    assert found["problems"] == ["pbo:F2@40#3"]
    runs = ms.solve_all(run, problem, evaluations=400, seeds=[5, 6])
    assert found["mean"] == pytest.approx(problem.original(runs.mean))
    asked = ("--problem", "pbo:F1@20", "--runs", "2", "--seed", "5", "--json")
    scaled = json.loads(metasmith(capsys, "ablate", str(run), *asked)[1])
    assert scaled["mean"] == ms.solve_all(run, "pbo:F1@20", evaluations=200, seeds=[5, 6]).mean  # as many per variable
    fewer = json.loads(metasmith(capsys, "ablate", str(run), *asked, "--evaluations", "30")[1])
    assert fewer["mean"] == ms.solve_all(run, "pbo:F1@20", evaluations=30, seeds=[5, 6]).mean


def test_compare_logs_the_design_and_the_known(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = metasmith(capsys, "compare", str(run), "--runs", "2", "--log-ioh", str(tmp_path), "--json")
    logged = {
        found["algorithm"]["name"]: found
        for found in (json.loads(file.read_text()) for file in tmp_path.glob("*/*.json"))
    }
    assert code == 0
    assert {str(run), "rls", "ea"} < set(logged)
    for row in json.loads(printed):
        (scenario,) = logged[str(run) if row["algorithm"] == "design" else row["algorithm"]]["scenarios"]
        assert [each["best"]["y"] for each in scenario["runs"]] == pytest.approx(row["values"]["pbo:F2@40#3"])


def test_compare_works_on_integers(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small_design(f"{file}:bowl", evaluations=40, out=tmp_path / "run")
    code, printed, _ = metasmith(capsys, "compare", str(tmp_path / "run"), "--runs", "2", "--json")
    assert code == 0
    assert all(row["values"]["bowl"][0] >= 0 for row in json.loads(printed))


def test_report_writes_a_page_and_keeps_the_numbers(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("report", str(run), "--runs", "2", "--workers", "1", "--out", str(tmp_path / "new" / "page.html"))
    code, printed, err = metasmith(capsys, *words, "--json")
    found = json.loads(printed)
    assert (code, err) == (0, "")
    assert list(found) == ["run", "file", "said", "evidence"]
    text = Path(found["file"]).read_text()
    assert found["said"].startswith("An algorithm for mine.py:small: ")
    assert found["said"] in text
    before = Path(found["evidence"]).stat().st_mtime_ns
    code, printed, _ = metasmith(capsys, *words)
    assert (code, printed.splitlines()[0]) == (0, f"{found['said']}.")
    assert Path(found["evidence"]).stat().st_mtime_ns == before  # nothing is measured twice
    assert Path(found["file"]).read_text() == text
    assert not (run / "report.html").exists()


def typed(*words: str, encoding: str = "ascii") -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, whose streams have an encoding of their own."""
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "metasmith", *words]
    return subprocess.run(command, capture_output=True, text=True, encoding=encoding, env=environment, check=False)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "{run}"), "best    "),
        (("compare", "{run}", "--runs", "2"), " +- "),
        (("ablate", "{run}", "--runs", "2"), "on pbo:F2@40#3: mean "),
        (("report", "{run}", "--runs", "2", "--out", "{page}"), "An algorithm for mine.py:small"),
    ],
)
def test_streams_that_lack_our_signs_get_others(words: tuple[str, ...], said: str, run: Path, tmp_path: Path) -> None:
    done = typed(*(word.format(run=run, page=tmp_path / "page.html") for word in words))
    assert (done.returncode, done.stderr) == (0, "")
    assert said in done.stdout
    assert "?" not in done.stdout.replace("spent?", "")


def test_a_curve_has_a_height_without_blocks_too(run: Path) -> None:
    plain, blocks = (typed("show", str(run), encoding=encoding).stdout for encoding in ("ascii", "utf-8"))
    curves = [next(line for line in text.splitlines() if line.startswith("mean ")) for text in (plain, blocks)]
    spelled = "".join(SPELLED.get(sign, sign) for sign in curves[1])
    assert curves[0] == spelled != curves[1]
