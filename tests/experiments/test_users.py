"""Users' kinds of problems: the design is the unit, its rival is picked in hindsight, and what was killed goes on."""

import json
from pathlib import Path

import pytest
from scipy.stats import mannwhitneyu
from typer.testing import CliRunner

import metasmith as ms
from metasmith.api import find_task
from metasmith.cli import app
from metasmith.experiments import users
from metasmith.experiments.shared.records import Record
from metasmith.experiments.users import Row, Setting, chosen, known, rows
from metasmith.problems.practice import KINDS, halves
from metasmith.program import names
from metasmith.runs.folder import Folder
from metasmith.runs.spec import specify

COVER, SAT = "practice:set-cover@200#1", "practice:max-sat@200#1"
"""The first is minimised, the second maximised."""

PROGRAM = "population 1\nreset_n(n=1)\npairwise_select"


def record(algorithm: str, trial: int, values: list[float], problem: str = COVER) -> Record:
    return Record(algorithm, trial, problem, PROGRAM, 20_000, list(range(len(values))), values, [1], 30.0, "1234567")


def test_a_design_counts_as_the_mean_of_its_runs_and_so_does_a_known_algorithm():
    runs = [record("ea", trial, [trial, trial + 2.0]) for trial in range(3)]
    runs += [record("designs", trial, [10.0 * trial, 10.0 * trial + 4]) for trial in range(3)]
    (row,) = rows(runs)
    assert (row.problem, row.kind, row.designs, row.known) == (COVER, "set-cover", [2, 12, 22], {"ea": [1, 2, 3]})


@pytest.mark.parametrize(("problem", "best", "sign"), [(COVER, "low", -1), (SAT, "high", 1)])
def test_the_rival_is_the_best_in_the_mean_whichever_way_is_better(problem, best, sign):
    row = Row(problem, [4.0, 8.5, 9.5], {"low": [5.0, 6.0, 7.0], "high": [7.0, 8.0, 9.0]})
    assert row.best == best
    rival = row.known[best]
    assert row.gain == pytest.approx(sign * (22 / 3 - sum(rival) / 3))
    better = sum((ours - theirs) * sign > 0 for ours in row.designs for theirs in rival)
    assert row.effect == pytest.approx(better / 9)
    assert row.p_value == pytest.approx(mannwhitneyu(row.designs, rival, method="exact").pvalue)


def example(gaps: list[float], setting: Setting) -> users.Sheet:
    """Instances on which eight designs are so much better than the known algorithm, whose means are 50 to 57."""
    runs = []
    for instance, gap in enumerate(gaps):
        for trial in range(8):
            problem = f"practice:set-cover@200#{instance}"
            runs.append(record("ea", trial, [50.0 + trial], problem))
            runs.append(record("designs", trial, [50.5 + trial - gap], problem))
    ledger = {"running_seconds": 60.0, "measuring_seconds": 1.0, "proposing_seconds": 0.0}
    return users.shown(setting, runs, [{"program": PROGRAM, "ledger": ledger, "commit": "1234567"}] * 8)


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    return Setting(("set-cover",), "quick", "mixture", 8, 1, tmp_path)


def test_the_page_says_how_often_designs_are_better_and_whether_ever_worse(setting):
    page = example([20, 30, 0, 40], setting)
    assert "never significantly worse than the best known algorithm: yes" in page.text.lower()
    assert "Significantly better on 3 of 4 instances, two thirds or more: yes; better in the mean on 3." in page.text
    assert page.tables()["users-summary"].rows == [[name, "3", "1", "0", "3 of 4"] for name in ("set-cover", "all")]
    assert [row["verdict"] for row in page.record["rows"]] == ["better", "better", "equal", "better"]
    assert page.record["programs"] == {"set-cover": [PROGRAM] * 8}
    json.dumps(page.record)
    page = example([20, -30], setting)
    assert "Never significantly worse than the best known algorithm: no" in page.text
    assert "1 of 2 instances, two thirds or more: no" in page.text
    assert page.cost.startswith("All calls together took 24 core-minutes: 8 for the designs and 16 for the runs.")


def test_what_many_instances_show_by_chance_is_no_difference(setting):
    """A gap that is a difference by itself is none among sixteen."""
    assert example([5.0], setting).record["rows"][0]["verdict"] == "better"
    among = example([5.0] + [0.0] * 15, setting).record["rows"][0]
    assert (among["verdict"], among["p_value"] < 0.05 < among["corrected"]) == ("equal", True)


def test_kinds_are_those_of_one_half():
    assert chosen("reported", "") == halves("reported")
    assert chosen("tuning", "set-cover, MAX-SAT") == ("max-sat", "set-cover")
    with pytest.raises(ValueError, match="the tuning half has no kind 'traps'"):
        chosen("tuning", "traps")
    with pytest.raises(ValueError, match=r"name kinds such as .*, got ' ,'"):
        chosen("tuning", " ,")  # which is not the same as none
    with pytest.raises(ValueError, match="there is no half 'other'"):
        chosen("other", "")
    for words, least in ((["--trials", "1"], 2), (["--runs", "0"], 1)):
        told = CliRunner().invoke(app, ["reproduce", "users", *words])
        assert f"expected at least {least}, got {' '.join(words)}" in str(told.exception)


def test_every_known_algorithm_takes_part_but_random_search():
    assert {"ea", "umda", "sa"} <= set(known("traps")) <= set(names()) - {"random", "rls-swap"}
    assert "random" not in known("scheduling")
    assert {kind for kind in KINDS if "ea" not in known(kind)} == set()


def test_a_killed_experiment_goes_on_with_the_same_numbers(tmp_path, monkeypatch):
    """With designs that are there already, few evaluations and two known algorithms."""
    monkeypatch.setattr(users, "EVALUATIONS", 300)
    monkeypatch.setattr(users, "known", lambda kind: ["ea", "rls"])
    setting = Setting(("max-sat",), "quick", "mixture", 2, 3, tmp_path)
    for each in setting.designs("max-sat"):
        task = find_task(each.task, each.evaluations)
        folder = Folder(each.run)
        folder.create(specify(task, name=each.task, designer=each.designer, seed=each.seed, effort=each.effort))
        ledger = {"running_seconds": 6.0, "measuring_seconds": 1.0, "proposing_seconds": 0.0}
        folder.finish({
            "task": each.task, "evaluations": each.evaluations, "seed": each.seed, "representation": "bits",
            "score": 1.0, "program": PROGRAM, "pseudocode": "flip a bit", "ledger": ledger, "commit": "1234567",
        })  # fmt: skip
    ticks: list[None] = []
    first = users.sheet(setting, lambda: ticks.append(None))
    assert len(ticks) == users.steps(setting) == 6
    problem = ms.problem("practice:max-sat@500#4")
    values = ms.solve_all("ea", problem, evaluations=300, seeds=range(3, 6)).best
    assert first.record["rows"][-1]["known"]["ea"][1] == pytest.approx(sum(values) / 3)
    assert first.record["rows"][-1]["designs"] == first.record["rows"][-1]["known"]["rls"]  # the same program
    kept = tmp_path / "users.jsonl"
    lines = kept.read_text().splitlines(keepends=True)
    kept.write_text("".join(lines[:5]) + lines[5][:30])
    again = users.sheet(setting, lambda: None)
    assert again.record["rows"] == first.record["rows"]
    assert len(kept.read_text().splitlines()) == len(lines)


@pytest.mark.slow
def test_the_command(tmp_path):
    words = ["reproduce", "users", "--half", "tuning", "--only", "assignment", "--trials", "2", "--runs", "1"]
    words += ["--out", str(tmp_path / "runs"), "--write", str(tmp_path / "page.md")]
    assert CliRunner().invoke(app, words).exit_code == 0
    page = (tmp_path / "page.md").read_text()
    assert "| assignment@500#4 " in page
    assert "- assignment: `population " in page
    (row, *_) = json.loads((tmp_path / "runs" / "users.json").read_text())["rows"]
    assert set(row["known"]) == set(known("assignment"))
