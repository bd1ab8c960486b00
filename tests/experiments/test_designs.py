"""The table of designs."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from metasmith.cli import app
from metasmith.experiments import designs
from metasmith.experiments.designs import AT_LEAST_THE_PAPER, Designed, Row
from metasmith.experiments.shared.published import alg_of, mark_of

PAGE = Path(__file__).parents[2] / "docs" / "results" / "designs.md"


def designed(function: str, values: tuple[float, float, float], seed: int = 0, seconds: float = 10.0) -> Designed:
    """A design whose runs found `values` on the three test problems, give or take one."""
    found = {
        f"pbo:{function}@625#{instance}": np.array([value - 1, value + 1])
        for instance, value in zip((1, 51, 52), values, strict=True)
    }
    return Designed(function, seed, "population 1\nreset_n(n=1)", 1_000_000, seconds, 0.1, found)


def test_a_mean_is_over_designs_on_instance_1_and_on_the_permuted_ones():
    row = Row("F2", [designed("F2", (600, 500, 400)), designed("F2", (400, 300, 200), seed=1)])
    assert row.mean == (500, 350)
    assert row.means(1) == [500, 300]


def test_every_design_has_runs_of_its_own(monkeypatch):
    """Two designs may be the same program."""
    asked: list[list[int]] = []
    ledger = {"measuring_seconds": 1.0, "proposing_seconds": 1.0, "evaluations": 9}
    monkeypatch.setattr(designs, "made", lambda wanted: {"program": "population 1", "ledger": ledger})
    monkeypatch.setattr(
        designs, "values", lambda run, problem, task, seeds, log: asked.append(list(seeds)) or np.zeros(len(seeds))
    )
    list(designs.designs(designs.wanted(["F1"], 2, Path("runs"), "quick"), lambda: None))
    assert asked == [list(range(30))] * 3 + [list(range(30, 60))] * 3


def test_goals_are_the_mark_within_a_percent_or_the_paper_s_mean():
    assert mark_of("F2") == 231.2
    assert Row("F2", []).goal == pytest.approx(231.2 * 0.99)
    assert "F14" in AT_LEAST_THE_PAPER
    assert Row("F14", []).goal == alg_of("F14") == 47.57


def test_the_report_names_what_falls_short():
    report = designs.sheet(
        [designed("F2", (230, 230, 230)), designed("F14", (47, 60, 60)), designed("F18", (4.5, 4.5, 4.5), seconds=99)]
    ).text
    assert "2 of 3 goals are met" in report
    assert "Short of the goal: F14 on instance 1." in report
    assert "10 s on average and 10 s at most; LABS 99 s at most" in report


@pytest.mark.slow
def test_the_command_makes_what_is_not_there_and_nothing_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(designs, "RUNS", 3)
    words = [
        "reproduce",
        "designs",
        "--trials",
        "1",
        "--only",
        "F1",
        "--effort",
        "quick",
        "--out",
        str(tmp_path / "runs"),
    ]
    assert CliRunner().invoke(app, [*words, "--write", str(tmp_path / "page.md")]).exit_code == 0
    page, run = (tmp_path / "page.md").read_text(), tmp_path / "runs" / "F1-mixture-0"
    before = (run / "history.jsonl").stat().st_mtime_ns
    (run / "design.json").unlink()  # as if killed at the last moment
    assert (
        CliRunner()
        .invoke(app, [*words, "--write", str(tmp_path / "again.md"), "--log-ioh", str(tmp_path / "logs")])
        .exit_code
        == 0
    )
    assert (tmp_path / "again.md").read_text().split("## ")[1] == page.split("## ")[1]
    assert (run / "history.jsonl").stat().st_mtime_ns > before
    (row,) = json.loads((tmp_path / "runs" / "designs.json").read_text())
    assert row["values"]["pbo:F1@625#1"] == [625.0] * 3
    assert "one after the other" not in page
    assert len(list((tmp_path / "logs").glob("*/*.json"))) == 3  # test problems


def test_the_page_tells_of_every_function():
    page = PAGE.read_text()
    assert all(f"| {function} " in page for function in [f"F{number}" for number in range(1, 24)])
    assert "metasmith reproduce designs" in page
    assert "better on" not in page  # runs of a design are no samples of a designer: see `reproduce designers`
