"""The tables of the applications."""

import json

import pytest
from typer.testing import CliRunner

import metasmith as ms
from metasmith.cli import app
from metasmith.experiments import applications
from metasmith.experiments.applications import APPLICATIONS, Found, Row, report, said
from metasmith.program import names

LOW, HIGH = [1.0, 1.1, 1.2, 1.05, 1.15], [2.0, 2.1, 2.2, 1.9, 2.3]


def row(name: str, values: list[float], infeasible: int = 0) -> Row:
    return Row(name, {"beamforming@120#1": values}, {"beamforming@120#1": infeasible})


def test_the_smaller_is_better_if_it_is_not_chance():
    assert said(LOW, HIGH) == "better (0.008)"
    assert said(HIGH, LOW) == "worse (0.008)"
    assert said(LOW, [*LOW[1:], 1.01]).startswith("equal (")


def test_the_report_says_against_what_the_designs_fall_short():
    programs = ["population 1\nreset_n(n=1)"]
    good = report(Found("beamforming", [row("random", HIGH), row("designs", LOW)], programs, ["proved"]))
    assert "The designs are better than every other on every test problem." in good
    assert "| random    | 2.1 ± 0.16 " in good
    assert "\n- proved\n" in good
    bad = report(Found("beamforming", [row("random", LOW, 2), row("designs", HIGH)], programs, []))
    assert "Not better than: random on beamforming@120#1." in bad
    assert "(2 of 5 infeasible)" in bad


def test_baselines_are_known_programs():
    for application in APPLICATIONS.values():
        assert set(application.baselines.values()) <= set(names())


@pytest.mark.slow
def test_the_optimum_of_restoration_is_proved():
    once, proved = applications.restoration_proofs()
    assert "822.3 minutes, but it breaks AC limits, and with the penalty is 1262.7" in once
    assert "879.4 minutes, proved optimal" in proved


def test_the_command_makes_designs_and_nothing_twice(tmp_path, monkeypatch):
    """On surfaces of a few elements."""
    few = ms.Task("few", (ms.problem("beamforming@6"),), (ms.problem("beamforming@8"), ms.problem("beamforming@9")), 200)
    monkeypatch.setattr(applications, "find_task", lambda name: few)
    made = []
    program = "population 2\nreset_n(n=1)\ngreedy_select"
    monkeypatch.setattr(applications, "made_all", lambda todo, tick: made.extend(todo) or [{"program": program} for _ in todo])
    words = ["reproduce", "beamforming", "--trials", "2", "--scale", "small", "--out", str(tmp_path / "runs"), "--json"]
    found = json.loads(CliRunner().invoke(app, [*words, "--log-ioh", str(tmp_path / "logs")]).stdout)
    assert [line["algorithm"] for line in found["rows"]] == ["random", "ILS", "SA", "GA", "Alg_beam", "sequential", "designs"]
    assert [len(line["values"]["beamforming@9#1"]) for line in found["rows"]] == [5] * 6 + [10]
    assert [(words[0].name, *words[1:]) for words in made] == [
        (f"beamforming-{seed}", "beamforming", 200, "ppo", seed, "quick") for seed in (0, 1)
    ]
    assert len(list((tmp_path / "logs").glob("*/*.json"))) == 2 * (5 + 2)  # test problems; programs


def test_a_folder_for_logs_is_refused_before_the_designs(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(applications, "made_all", lambda *words: pytest.fail("designed"))
    words = ["reproduce", "beamforming", "--out", str(tmp_path / "runs"), "--log-ioh", str(tmp_path / "file")]
    assert "cannot write logs to" in str(CliRunner().invoke(app, words).exception)


def test_too_few_to_compare_is_one_line(tmp_path):
    result = CliRunner().invoke(app, ["reproduce", "beamforming", "--trials", "0", "--out", str(tmp_path)])
    assert "needs at least 1 design, got 0" in str(result.exception)
