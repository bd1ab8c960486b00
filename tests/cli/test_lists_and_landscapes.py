"""Commands that say what there is, and what a problem looks like."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_helpers import metasmith

import metasmith as ms


def test_lists_say_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert [row["name"] for row in json.loads(metasmith(capsys, "problems", "--json")[1])][:3] == [
        "beamforming",
        "pbo:F1",
        "pbo:F2",
    ]
    names = {row["name"] for row in json.loads(metasmith(capsys, "components", "--json")[1])}
    assert {"reset_n(n)", "tournament", "greedy_select"} <= names
    assert {"ea", "rls", "ils", "sa", "ts", "ga", "umda", "ghc", "fga", "random", "aldes-f1"} <= {
        row["name"] for row in json.loads(metasmith(capsys, "algorithms", "--json")[1])
    }
    assert "S_new = reset_n(S, n=1)" in metasmith(capsys, "algorithms", "aldes-f1")[1]
    assert "LeadingOnes" in metasmith(capsys, "problems")[1]


def test_landscape_prints_json_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = metasmith(capsys, "landscape", "pbo:F18@100#7", "--seed", "3", "--json")
    found, expected = json.loads(out), ms.landscape("pbo:F18@100#7", seed=3)
    assert (code, err) == (0, "")
    assert list(found) == ["problem", "seed", "evaluations", "factors", "nearest"]
    assert (found["problem"], found["seed"], found["evaluations"]) == ("pbo:F18@100#7", 3, 10_000)
    assert {factor["name"]: factor["value"] for factor in found["factors"]} == expected.factors
    assert [factor["scaled"] for factor in found["factors"]] == expected.scaled.tolist()
    assert [list(near) for near in found["nearest"]] == [["problem", "distance"]] * 3
    assert found["nearest"][0]["problem"] == "pbo:F18"


def test_landscape_shows_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(
        "import metasmith as ms\nown = ms.Problem(sum, ms.Integers(4, 9), direction='min', name='own')\n"
    )
    code, out, err = metasmith(capsys, "landscape", f"{tmp_path}/mine.py:own")
    expected = ms.landscape(f"{tmp_path}/mine.py:own")
    first, head, *factors, last = out.splitlines()
    assert (code, err) == (0, "")
    assert first == "own: 9 integers of 4 values, minimise; 10,000 evaluations, seed 0"
    assert head.split() == ["factor", "value", "as", "the", "network", "sees", "it"]
    assert [line.split()[0] for line in factors] == list(expected.factors)
    assert [float(line.split()[1]) for line in factors] == pytest.approx(list(expected.factors.values()), rel=1e-5)
    assert [float(line.split()[2]) for line in factors] == pytest.approx(expected.scaled.tolist(), abs=6e-4)
    assert last.startswith("nearest: pbo:F")
    assert last.count(" at ") == 3


def test_a_landscape_of_a_problem_that_fails_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(
        "import metasmith as ms\nodd = ms.Problem(lambda x: 1 / 0, ms.Bits(9), name='odd')\n"
    )
    code, out, err = metasmith(capsys, "landscape", f"{tmp_path}/mine.py:odd")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "ZeroDivisionError" in err


def test_reproduce_says_which_experiments_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("reproduce",), ("reproduce", "--help")):
        code, out, err = metasmith(capsys, *words)
        assert (code, err) == (0, "")
        assert "designs" in out
        assert "identification" in out


def test_it_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "metasmith", "--help"], capture_output=True, text=True, check=True)
    assert "solve" in done.stdout
