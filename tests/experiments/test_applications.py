"""The tables of the applications."""

import json
from typing import Any

import pytest
from scipy.stats import mannwhitneyu, ttest_ind
from typer.testing import CliRunner

import metasmith as ms
from metasmith.cli import app
from metasmith.experiments.beamforming import BEAMFORMING
from metasmith.experiments.restoration import RESTORATION, proofs
from metasmith.experiments.shared import applications
from metasmith.experiments.shared.applications import Application, Best, Comparison, Row, cell, judged, sheet
from metasmith.experiments.shared.convergence import trace
from metasmith.program import names

LOW, HIGH = [1.0, 1.1, 1.2, 1.05, 1.15], [2.0, 2.1, 2.2, 1.9, 2.3]


def row(name: str, values: list[float], infeasible: int = 0) -> Row:
    return Row(name, {"beamforming@120#1": values}, {"beamforming@120#1": infeasible})


def report(application: Application, rows: list[Row], programs: list[str], proofs: list[str]) -> str:
    return sheet(Comparison(application, rows, programs, proofs)).text


def said(ours: list[float], theirs: list[float], trials: int = 1) -> str:
    ((_, cell),) = judged([row("random", theirs), row("designs", ours)], trials)
    return cell


def test_the_smaller_is_better_if_it_is_not_chance():
    p_value = f"{ttest_ind(LOW, HIGH, equal_var=False).pvalue:.1g}"
    assert said(LOW, HIGH) == f"better ({p_value}), 1 of 1"
    assert said(HIGH, LOW) == f"worse ({p_value}), 0 of 1"
    assert said(LOW, [*LOW[1:], 1.01]).startswith("equal (")


def test_designs_are_the_samples():
    """Of four designs three are a little better and one much worse; in runs that would be a difference."""
    ours, theirs = [*(0.9, 1.0) * 45, *(1.9, 2.0) * 15], [1.0, 1.1] * 15
    p_value = ttest_ind([0.95, 0.95, 0.95, 1.95], theirs, equal_var=False).pvalue
    assert said(ours, theirs, 4) == f"equal ({p_value:.1g}), 3 of 4"
    assert mannwhitneyu(ours, theirs).pvalue < 0.05


def test_the_tests_of_a_table_are_corrected_for_their_number():
    rows = [row("random", HIGH), row("GA", HIGH), row("designs", LOW)]
    once = ttest_ind(LOW, HIGH, equal_var=False).pvalue
    assert [cell for _, cell in judged(rows, 1)] == [f"better ({2 * once:.1g}), 1 of 1"] * 2


def test_the_report_says_against_what_the_designs_fall_short():
    programs = ["population 1\nreset_n(n=1)"]
    good = report(BEAMFORMING, [row("random", HIGH), row("designs", LOW)], programs, ["proved"])
    assert "Together, the designs are better than every other on every test problem." in good
    assert "| random    | 2.100 ± 0.16 " in good
    assert "\n- proved\n" in good
    bad = report(BEAMFORMING, [row("random", LOW, 2), row("designs", HIGH)], programs, [])
    assert "Not better than: random on beamforming@120#1." in bad
    assert "(2 of 5 infeasible)" in bad


def test_designs_are_also_judged_singly():
    """The first of two designs is better than the other algorithm, the second is not."""
    programs = ["population 1\nreset_n(n=1)", "population 2\nreset_n(n=1)"]
    text = report(BEAMFORMING, [row("random", HIGH), row("designs", LOW + HIGH)], programs, [])
    assert "| random  | equal (0.5), 1 of 2 " in text
    assert "rank-sum test of 5 runs against 5" in text
    assert "the means of the 2 designs, each one sample, against" in text


def test_the_order_is_beside_the_papers():
    values = {"GA": [2.0, 2.0], "ILS": [1.0, 1.5], "designs": [1.0, 1.0]}
    rows = [row(name, reached) for name, reached in values.items()]
    text = report(RESTORATION, rows, ["population 1\nreset_n(n=1)"], [])
    orders = "in the paper its designs, GA, ILS; here designs, ILS, GA on beamforming@120#1."
    assert f"- By their means, the best first: {orders}\n" in text


def test_spreads_are_written_out_whatever_their_size():
    assert cell(row("random", [1800.0, 2000.0, 2000.0]), "beamforming@120#1") == "1933 ± 115"
    assert cell(row("random", [0.0341, 0.0344]), "beamforming@120#1") == "0.03425 ± 0.00021"
    assert cell(row("random", [0.0340, 0.0342]), "beamforming@120#1") == "0.03410 ± 0.00014"
    assert cell(row("random", [2.0, 2.0]), "beamforming@120#1") == "2.000 ± 0.0"


def test_baselines_are_known_programs():
    for application in (BEAMFORMING, RESTORATION):
        assert set(application.baselines.values()) <= set(names())


@pytest.mark.slow
def test_the_optimum_of_restoration_is_proved():
    once, proved = proofs()
    assert "822.3 minutes, but it breaks AC limits, and with the penalty is 1262.7" in once
    assert "879.4 minutes, proved optimal" in proved


def designed(program: str) -> dict[str, Any]:
    """What a design that took a minute says of itself."""
    return {
        "program": program,
        "ledger": {"measuring_seconds": 55.0, "running_seconds": 50.0, "proposing_seconds": 5.0},
    }


@pytest.mark.slow
def test_the_command_makes_designs_and_nothing_twice(tmp_path, monkeypatch):
    """On surfaces of a few elements."""
    few = ms.Task(
        "few", (ms.problem("beamforming@6"),), (ms.problem("beamforming@8"), ms.problem("beamforming@9")), 200
    )
    monkeypatch.setattr(applications, "find_task", lambda name: few)
    made = []
    program = "population 2\nreset_n(n=1)\ngreedy_select"
    monkeypatch.setattr(
        applications, "made_all", lambda todo, tick: made.extend(todo) or [designed(program) for _ in todo]
    )
    words = ["reproduce", "beamforming", "--trials", "2", "--scale", "small", "--out", str(tmp_path / "runs"), "--json"]
    words += ["--write", str(tmp_path / "page.md"), "--log-ioh", str(tmp_path / "logs")]
    printed = json.loads(CliRunner().invoke(app, words).stdout)
    assert [line["algorithm"] for line in printed["rows"]] == [
        "random",
        "ILS",
        "SA",
        "GA",
        "Alg_beam",
        "sequential",
        "designs",
    ]
    assert [len(line["values"]["beamforming@9#1"]) for line in printed["rows"]] == [5] * 6 + [10]
    for line in printed["rows"]:
        for values, courses in zip(line["values"].values(), line["traces"].values(), strict=True):
            assert [course[1][-1] for course in courses] == values
    violation, value, x = printed["rows"][-1]["best"]["beamforming@9#1"]
    assert (violation, value) == (0, min(printed["rows"][-1]["values"]["beamforming@9#1"]))
    assert ms.problem("beamforming@9")(x) == value
    assert "![beamforming-convergence](beamforming-convergence.svg)" in (tmp_path / "page.md").read_text()
    assert (tmp_path / "beamforming-convergence.svg").is_file()
    assert "core-minutes: 2 for the designs and " in (tmp_path / "page.md").read_text()
    assert [(words[0].name, *words[1:]) for words in made] == [
        (f"beamforming-{seed}", "beamforming", 200, "mixture", seed, "quick", None) for seed in (0, 1)
    ]
    assert len(list((tmp_path / "logs").glob("*/*.json"))) == 2 * (5 + 2)  # test problems; programs
    ours = printed["rows"][-1]["values"]["beamforming@9#1"]
    assert ours[:5] != ours[5:]  # two designs that are the same program: their runs are not
    monkeypatch.setattr(applications, "solve_all", lambda *given, **options: pytest.fail("run again"))
    again = json.loads(CliRunner().invoke(app, words[:-2]).stdout)
    assert again == printed
    assert f"there is something in '{tmp_path / 'logs'}' already" in str(CliRunner().invoke(app, words).exception)
    monkeypatch.undo()
    monkeypatch.setattr(applications, "find_task", lambda name: few)
    monkeypatch.setattr(
        applications, "made_all", lambda todo, tick: [designed(program.replace("2", "3")) for _ in todo]
    )
    other = json.loads(CliRunner().invoke(app, words[:-2]).stdout)["rows"]
    assert other[:-1] == printed["rows"][:-1]
    assert other[-1] != printed["rows"][-1]  # another program is another row
    few = ms.Task("fewer", few.training, few.test[1:], 200)
    fewer = json.loads(CliRunner().invoke(app, words[:-2]).stdout)["rows"]
    assert [list(line["values"]) for line in fewer] == [["beamforming@9#1"]] * 7  # other problems are other rows


def test_a_folder_for_logs_is_refused_before_the_designs(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(applications, "made_all", lambda *words: pytest.fail("designed"))
    words = ["reproduce", "beamforming", "--out", str(tmp_path / "runs"), "--log-ioh", str(tmp_path / "file")]
    assert "cannot write logs to" in str(CliRunner().invoke(app, words).exception)


def test_too_few_to_compare_is_one_line(tmp_path):
    result = CliRunner().invoke(app, ["reproduce", "beamforming", "--trials", "0", "--out", str(tmp_path)])
    assert "at least 1 design of each kind is needed, got --trials 0" in str(result.exception)


def few_runs() -> Comparison:
    """On the applications' own test problems, with made-up runs."""
    courses = [trace([1, 10, 40], [3000.0, 1500.0, last], 100) for last in (950.0, 960.0, 990.0)]
    optimal = [1, 1, 1, 0, 1, 0, 1, 0, 7, 5, 0, 0, 1, 7, 1, 1, 3, 5, 2, 4, 4, 3, 5, 6, 6, 6, 6, 0, 7]
    name = "restoration:test"
    rows = [
        Row(label, {name: [950.0, 960.0, 990.0]}, {name: 0}, {name: courses}, {name: Best(0.0, 879.4, optimal)})
        for label in ("GA", "designs")
    ]
    return Comparison(RESTORATION, rows, ["population 1\nreset_n(n=1)"], [])


def test_the_page_says_how_far_from_the_optimum_the_designs_are():
    said = (
        "above the optimum of restoration:test, 879.4: their mean by 9.9%, their median by 9.2%, their best run by 8.0%"
    )
    assert said in sheet(few_runs()).text


def test_pictures_are_written_beside_the_page(tmp_path):
    comparison = few_runs()
    sheet(comparison).draw(tmp_path)
    assert "plan: 879.4 minutes of paths; every limit is kept" in (tmp_path / "restoration-network.svg").read_text()
    assert "proved optimum, 879.4" in (tmp_path / "restoration-convergence.svg").read_text()
    assert json.loads(json.dumps(comparison.record()))["rows"][0]["traces"]["restoration:test"][0] == [
        [1, 10, 40, 100],
        [3000, 1500, 950, 950],
    ]


def test_the_course_of_what_is_no_program_is_that_of_its_runs():
    sequential, surface = BEAMFORMING.solvers["sequential"], ms.problem("beamforming@8")
    courses = applications.followed(sequential, surface, 60, 3)
    assert len(courses) == 3
    for seed, (evaluations, values) in enumerate(courses):
        assert (evaluations[0], evaluations[-1]) == (1, 60)
        assert values == sorted(values, reverse=True)
        assert values[-1] == sequential(surface, 60, seed)
