"""A package of somebody else's, installed beside ours: what it registers works everywhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from metasmith.discovery import Members, outside

PACKAGE = Path(__file__).parents[1] / "examples" / "outside"


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The folder that the package is installed in."""
    folder = tmp_path_factory.mktemp("outside")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # Copied first: building leaves files beside the sources.
    subprocess.run(["cp", "-r", str(PACKAGE), str(folder / "package")], check=True)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--target", str(folder / "site")]
    subprocess.run([*pip, *options, str(folder / "package")], check=True)
    return folder


def python(installed: Path, *words: str) -> str:
    """What Python prints that finds the package."""
    paths = [str(installed / "site"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, *words], cwd=installed, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.slow
def test_its_own_tests_pass(installed):
    assert "2 passed" in python(
        installed, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(installed / "package" / "tests")
    )


@pytest.mark.slow
def test_its_members_are_listed_designed_with_exported_and_reported(installed):
    assert "learn_best(p)" in python(installed, "-m", "metasmith", "components")
    assert "Number partitioning" in python(installed, "-m", "metasmith", "problems")
    metasmith = ("-m", "metasmith")
    design = ("design", "partition", "--effort", "quick", "--evaluations", "600", "--out", "run", "--json")
    record = json.loads(python(installed, *metasmith, *design))
    assert record["task"] == "partition"
    python(installed, *metasmith, "report", "run", "--runs", "2")
    assert "partition@100#1" in (installed / "run" / "report.html").read_text(encoding="utf-8")
    (installed / "taught.txt").write_text("population 5; learn_best(p=0.2); reset_n(n=1); pairwise_select")
    solve = ("solve", "partition@50#3", "--with", "taught.txt", "--evaluations", "2000", "--json")
    solved = json.loads(python(installed, *metasmith, *solve))
    export = (
        "import metasmith as ms; from metasmith.export import exported; from pathlib import Path; "
        "Path('alone.py').write_text(exported(ms.algorithm('taught.txt'), ms.Bits))"
    )
    python(installed, "-c", export)
    text = (installed / "alone.py").read_text(encoding="utf-8")
    assert "import metasmith" not in text
    assert "def learn_best(" in text
    check = "import alone; r = alone.optimize(lambda x: int(x.sum()), 40, evaluations=500, seed=1); print(r.fun)"
    assert float(python(installed, "-c", check)) > 25
    assert solved["mean"] < 10_000


def test_a_broken_package_is_one_line_and_left_out(monkeypatch, capsys):
    class Broken:
        name, value = "bad", "nowhere:thing"

        def load(self):
            raise ImportError("no module\nnamed nowhere")

    monkeypatch.setattr("metasmith.discovery.registered", lambda group: [Broken()])
    assert outside("metasmith.components") == []
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "metasmith: left out 'bad' of another package (nowhere:thing): ImportError: no module named nowhere"


def test_members_are_looked_for_when_they_are_first_asked_for():
    looked = []

    def load():
        looked.append(1)
        return {"one": 1}

    members = Members(load)
    assert looked == []
    assert (list(members), members["one"], "two" in members) == (["one"], 1, False)
    assert looked == [1]
