"""`metasmith solve`: what it prints, logs, explains and draws."""

import json
from pathlib import Path

import pytest
from cli_helpers import metasmith

import metasmith as ms


def test_solve_prints_the_fields_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = metasmith(
        capsys, "solve", "pbo:F1@40", "--with", "rls", "--evaluations", "900", "--runs", "3", "--seed", "5", "--json"
    )
    found = json.loads(out)
    assert code == 0
    assert list(found) == ["problem", "algorithm", "evaluations", "runs", "mean", "std"]
    assert [run["seed"] for run in found["runs"]] == [5, 6, 7]
    assert all(run["evaluations"] == 900 and 0 < run["hit"] <= 900 and run["best"] == 40 for run in found["runs"])
    assert (found["mean"], found["std"]) == (40, 0)


def test_solve_shows_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = metasmith(capsys, "solve", "pbo:F1@40", "--with", "rls", "--evaluations", "900", "--runs", "2")
    assert code == 0
    assert "rls on pbo:F1@40#1: 40 bits, maximise" in out
    assert "mean 40" in out
    assert "optimum 40" in out


def test_solve_logs_its_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "solve",
        "pbo:F1@40#3",
        "--with",
        "rls",
        "--evaluations",
        "300",
        "--runs",
        "3",
        "--log-ioh",
        str(tmp_path / "logs"),
        "--json",
    )
    printed = [metasmith(capsys, *words)[1] for _ in range(2)]
    logs = [json.loads(file.read_text()) for file in (tmp_path / "logs").glob("*/*.json")]
    assert printed[0] == printed[1]
    assert {path.name for path in (tmp_path / "logs").iterdir()} == {"rls-pbo-F1-40-3", "rls-pbo-F1-40-3-1"}
    problem, found = ms.problem("pbo:F1@40#3"), json.loads(printed[0])
    for log in logs:
        runs = [run for scenario in log["scenarios"] for run in scenario["runs"]]
        assert [run["seed"] for run in runs] == [0, 1, 2]
        assert [run["best"]["y"] for run in runs] == pytest.approx(
            [problem.original(run["best"]) for run in found["runs"]]
        )


def test_solve_refuses_a_folder_for_logs_before_it_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import metasmith as ms\ndef never(x):\n    raise SystemError\nproblem = ms.Problem(never, ms.Bits(3))\n"
    )
    code, out, err = metasmith(capsys, "solve", f"{file}:problem", "--log-ioh", str(file))
    assert (code, out) == (2, "")
    assert err == f"metasmith: cannot write logs to '{file}': File exists; name a folder that can be written to\n"


def test_solve_explains_the_best_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = metasmith(
        capsys, "solve", "restoration:test", "--with", "aldes-restoration", "--evaluations", "300", "--runs", "2"
    )
    best = min(float(line.split()[1]) for line in out.splitlines()[2:4])
    assert code == 0
    assert "violation" in out.splitlines()[1]
    assert out.splitlines()[5].startswith("plan: ")
    assert float(out.splitlines()[5].split()[1]) <= best
    assert "unit 35 starts by itself and cranks" in out
    file = tmp_path / "mine.py"
    file.write_text("import metasmith as ms\nodd = ms.Problem(sum, ms.Bits(3), explain=lambda x: 1 / 0, name='odd')\n")
    code, out, err = metasmith(capsys, "solve", f"{file}:odd", "--evaluations", "5")
    assert (code, err) == (2, "metasmith: odd: explain raised ZeroDivisionError: division by zero\n")


def test_solve_draws_the_best_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "solve",
        "restoration:test",
        "--with",
        "aldes-restoration",
        "--evaluations",
        "300",
        "--runs",
        "2",
        "--picture",
    )
    code, out, _ = metasmith(capsys, *words, str(tmp_path / "plan.svg"))
    assert code == 0
    assert out.endswith(f"wrote {tmp_path / 'plan.svg'}\n")
    (said,) = [line for line in out.splitlines() if line.startswith("plan: ")]
    assert said[:40] in (tmp_path / "plan.svg").read_text()
    code, out, _ = metasmith(capsys, *words, str(tmp_path / "new" / "plan.PNG"), "--json")
    assert (code, list(json.loads(out))) == (0, ["problem", "algorithm", "evaluations", "runs", "mean", "std"])
    assert (tmp_path / "new" / "plan.PNG").read_bytes().startswith(b"\x89PNG")


OWN_PICTURES = """import metasmith as ms
from matplotlib.figure import Figure
good = ms.Problem(sum, ms.Bits(3), picture=lambda x: Figure(), name='good')
odd = ms.Problem(sum, ms.Bits(3), picture=lambda x: 1 / 0, name='odd')
blank = ms.Problem(sum, ms.Bits(3), picture=lambda x: None, name='blank')
"""


def test_a_user_may_draw_too_and_is_told_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(OWN_PICTURES)
    words, file = ("--evaluations", "5", "--picture", str(tmp_path / "own.svg")), tmp_path / "mine.py"
    assert metasmith(capsys, "solve", f"{file}:good", *words)[0] == 0
    assert "<svg" in (tmp_path / "own.svg").read_text()
    code, _, err = metasmith(capsys, "solve", f"{file}:odd", *words)
    assert (code, err) == (2, "metasmith: odd: picture raised ZeroDivisionError: division by zero\n")
    code, _, err = metasmith(capsys, "solve", f"{file}:blank", *words)
    assert (code, err) == (2, "metasmith: blank: picture must return a figure of matplotlib, got NoneType\n")


@pytest.mark.parametrize("raised", ["asyncio.CancelledError", "GeneratorExit", "Mine", "SystemExit"])
@pytest.mark.parametrize("role", ["explain", "picture"])
def test_whatever_explain_and_picture_raise_is_one_line(
    role: str, raised: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "import asyncio\nclass Mine(BaseException): pass\n"
    text += f"def raises(x):\n    raise {raised}('odd')\nodd = ms.Problem(sum, ms.Bits(3), {role}=raises, name='odd')\n"
    (tmp_path / "mine.py").write_text(f"import metasmith as ms\n{text}")
    words = ("--picture", str(tmp_path / "own.svg")) if role == "picture" else ()
    code, _, err = metasmith(capsys, "solve", f"{tmp_path / 'mine.py'}:odd", "--evaluations", "5", *words)
    assert (code, err) == (2, f"metasmith: odd: {role} raised {raised.partition('.')[2] or raised}: odd\n")


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_only_pictures_of_ours_are_overwritten(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(OWN_PICTURES)
    file, words = tmp_path / f"own.{kind}", ("solve", f"{tmp_path / 'mine.py'}:good", "--evaluations", "5", "--picture")
    file.write_bytes(b"a photograph")
    code, out, err = metasmith(capsys, *words, str(file))
    assert (code, out, file.read_bytes()) == (2, "", b"a photograph")
    assert err == f"metasmith: '{file}' is there already, and metasmith did not write it; choose another name\n"
    file.unlink()
    for _ in range(2):
        assert metasmith(capsys, *words, str(file))[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__") == ["mine.py", file.name]


def test_runs_that_fail_are_told_after_those_that_did_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import metasmith as ms\nodd = ms.Problem(lambda x: float('nan') if x[0] else 1.0, ms.Bits(9))\n")
    words = (
        "solve",
        f"{file}:odd",
        "--with",
        "population 1; reset_n(n=1)",
        "--evaluations",
        "2",
        "--runs",
        "12",
        "--json",
    )
    code, out, err = metasmith(capsys, *words)
    rows = json.loads(out)["runs"]
    assert code == 2
    assert 0 < sum("error" in row for row in rows) < 12
    assert "is not a number (NaN)" in err


def test_solve_with_a_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = metasmith(capsys, "solve", "pbo:F1@40", "--with", str(run), "--evaluations", "300", "--json")
    assert code == 0
    assert json.loads(printed)["mean"] == ms.solve(ms.algorithm(run), "pbo:F1@40", evaluations=300).fun
