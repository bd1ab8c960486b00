"""Commands as a person types them: what they print, and one line with exit code 2 for every mistake."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from metasmith import cli


def metasmith(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command, run in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["metasmith", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
    printed = capsys.readouterr()
    return int(ended.value.code or 0), printed.out, printed.err


def test_solve_prints_the_fields_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = metasmith(capsys, "solve", "pbo:F1@40", "--with", "rls", "--evaluations", "900", "--runs", "3", "--seed", "5", "--json")
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


def test_lists_say_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert [row["name"] for row in json.loads(metasmith(capsys, "problems", "--json")[1])][:2] == ["pbo:F1", "pbo:F2"]
    names = {row["name"] for row in json.loads(metasmith(capsys, "components", "--json")[1])}
    assert {"reset_n(n)", "tournament", "greedy_select"} <= names
    assert {"ea", "rls", "ils", "sa", "ts", "ga", "umda", "ghc", "fga", "random", "aldes-f1"} <= {
        row["name"] for row in json.loads(metasmith(capsys, "algorithms", "--json")[1])
    }
    assert "S_new = reset_n(S, n=1)" in metasmith(capsys, "algorithms", "aldes-f1")[1]
    assert "LeadingOnes" in metasmith(capsys, "problems")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("solve", "pbo:F24"), "there is no problem 'pbo:F24'; did you mean"),
        (("solve", "pbo:F20@99"), "square number"),
        (("solve", "pbo:F2#101"), "101"),
        (("solve", "pbo:F2", "--evaluations", "-5"), "at least 1 evaluation, a whole number, got -5"),
        (("solve", "pbo:F2", "--evaluations", "many"), "--evaluations"),
        (("solve", "pbo:F2", "--runs", "0"), "at least 1 run"),
        (("solve", "pbo:F2", "--workers", "0"), "workers must be at least 1"),
        (("solve", "pbo:F2", "--population", "0"), "a population from 1 to"),
        (("solve", "pbo:F2", "--with", "rsl"), "did you mean 'rls'?"),
        (("solve", "pbo:F2", "--with", "nowhere.txt"), "cannot read the algorithm file 'nowhere.txt'"),
        (("solve", "pbo:F2", "--with", "population 1; reset_n(n=0)"), "line 2:"),
        (("solve", "nowhere.py:mine"), "there is no file 'nowhere.py'"),
        (("solve",), "problem"),
        (("sovle", "pbo:F2"), "sovle"),
        (("solve", "pbo:F2", "--bananas"), "--bananas"),
        (("bench", "--write", f"{__file__}/page.md"), "cannot write"),  # told before the work, not after
        (("references", "--write", f"{__file__}/page.md"), "cannot write"),
        (("algorithms", "eaa"), "did you mean 'ea'?"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = metasmith(capsys, *words)
    assert code == 2
    assert out == ""
    assert err.startswith("metasmith: ")
    assert err.count("\n") == 1
    assert said in err


def test_runs_that_fail_are_told_after_those_that_did_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import metasmith as ms\nodd = ms.Problem(lambda x: float('nan') if x[0] else 1.0, ms.Bits(9))\n")
    words = ("solve", f"{file}:odd", "--with", "population 1; reset_n(n=1)", "--evaluations", "2", "--runs", "12", "--json")
    code, out, err = metasmith(capsys, *words)
    rows = json.loads(out)["runs"]
    assert code == 2
    assert 0 < sum("error" in row for row in rows) < 12
    assert "is not a number (NaN)" in err


def test_it_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "metasmith", "--help"], capture_output=True, text=True, check=True)
    assert "solve" in done.stdout
