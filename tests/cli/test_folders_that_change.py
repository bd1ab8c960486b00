"""A user's file, or function, that changes the folder changes nothing for the paths that were typed."""

import json
import os
from pathlib import Path

import pytest
from cli_helpers import metasmith

import metasmith as ms
from metasmith.designers.ppo.writer_file import WriterFile
from metasmith.runs.folder import Folder

WANDERS = """
import os
import metasmith as ms
os.chdir(os.path.dirname(os.path.abspath(__file__)))

def ones(x):
    os.chdir("/")
    return float(x.sum())

ones = ms.Problem(ones, ms.Bits(12), name="ones")
others = ms.Problem(lambda x: float(x[0] - x.sum()), ms.Bits(12), name="others")
built_in = ms.problem("pbo:F2@30")
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands are typed; the file is in the folder beside it."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "wanders.py").write_text(WANDERS)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


FILE = "../there/wanders.py"


def typed(here: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command prints that is typed here."""
    os.chdir(here)
    code, out, err = metasmith(capsys, *words)
    assert (code, err) == (0, "")
    assert {path.name for path in (here.parent / "there").iterdir()} <= {"wanders.py", "__pycache__"}
    return out


@pytest.mark.slow
def test_all_that_is_done_with_a_run_is_done_where_it_was_typed(here, quick, capsys):
    printed = typed(here, capsys, "design", f"{FILE}:ones", "--evaluations", "60", "--out", "run", "--json", *quick)
    assert json.loads(printed)["run"] == "run"
    record = Folder(here / "run").design()
    (here / "run" / "design.json").unlink()
    assert json.loads(typed(here, capsys, "resume", "run", "--json"))["program"] == record["program"]
    assert json.loads(typed(here, capsys, "report", "run", "--runs", "2", "--json"))["file"] == "run/report.html"
    assert "An algorithm for" in (here / "run" / "report.html").read_text()
    typed(here, capsys, "compare", "run", "--runs", "2", "--log-ioh", "logs", "--json")
    assert any(path.name.startswith("run-ones") for path in (here / "logs").iterdir())
    typed(here, capsys, "ablate", "run", "--problem", f"{FILE}:others", "--evaluations", "60", "--runs", "2", "--json")
    printed = typed(here, capsys, "solve", f"{FILE}:ones", "--with", "run", "--log-ioh", "solved", "--json")
    assert json.loads(printed)["algorithm"] == "run"
    assert len(list((here / "solved").iterdir())) == 1


def test_the_folder_of_a_design_is_made_where_it_was_typed(here, quick, capsys):
    printed = typed(here, capsys, "design", f"{FILE}:built_in", "--evaluations", "60", "--json", *quick)
    assert Folder(here / json.loads(printed)["run"]).design() is not None


@pytest.mark.slow
def test_a_writer_learns_from_several_such_files(here, quick, capsys):
    words = ("learn", f"{FILE}:ones", f"{FILE}:others", "--writer", "writer", "--json", *quick)
    assert len(json.loads(typed(here, capsys, *words))["learned"]) == 2
    assert len(WriterFile.load(here / "writer").learned) == 2


def test_logs_and_designs_of_python_too(here):
    os.chdir(here)
    ms.solve_all("ea", f"{FILE}:ones", evaluations=50, seeds=[0], log="logs")
    assert len(list((here / "logs").iterdir())) == 1
