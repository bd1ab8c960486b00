"""The paper's table I: its numbers are those of the runs, and an experiment that was killed goes on."""

import csv
import json
from statistics import mean, stdev

import pytest
from scipy.stats import ttest_ind_from_stats
from typer.testing import CliRunner

import metasmith as ms
from metasmith.cli import app
from metasmith.experiments import pbo_table
from metasmith.experiments.pbo_table import COLUMNS, Row, rows, sheet
from metasmith.experiments.records import Record, Records
from metasmith.experiments.references import Sample
from metasmith.experiments.scales import Scale
from metasmith.program import names

WORDS = ["reproduce", "pbo-table", "--scale", "small", "--only", "F1,F2"]


def record(algorithm: str, instance: int, values: list[float], trial: int = 0, function: str = "F2") -> Record:
    return Record(algorithm, trial, f"pbo:{function}@625#{instance}", "population 1", 50_000, values, [1] * len(values))


def example(ours: float) -> list[Record]:
    """ILS finds 100 to 104, every other column 9; the designs `ours` to `ours` + 4."""
    found = [record(name, instance, [9.0] * 5) for name in COLUMNS for instance in (1, 51, 52) if name != "ILS"]
    found += [record("ILS", instance, [100.0 + k for k in range(5)]) for instance in (1, 51, 52)]
    return found + [record("designs", instance, [ours + k for k in range(5)], trial) for trial in (0, 1) for instance in (1, 51, 52)]


def test_columns_are_known_programs():
    assert set(COLUMNS.values()) <= set(names())


def test_rows_pool_designs_and_permuted_instances():
    first, permuted = rows(example(300.0))
    assert (first.place, permuted.place) == ("instance 1", "permuted instances")
    assert [len(first.ours), len(permuted.ours), len(permuted.values["EA"])] == [10, 20, 10]
    assert first.best == "ILS"
    assert first.against("gHC")[0] == first.against("Alg*")[0] == first.against("mark")[0] == "better"


def only_ours(function: str, values: list[float]) -> Row:
    return Row(function, "instance 1", {"designs": values})


def test_what_is_published_has_a_spread_too():
    """The mark on F2 is 231.2 ± 28.2 in five runs: our mean is above, but not more than chance does."""
    values = [240.0, 241.0, 242.0, 243.0, 244.0]
    word, chance = only_ours("F2", values).against("mark")
    assert word == "equal"
    assert chance == pytest.approx(ttest_ind_from_stats(242, stdev(values), 5, 231.2, 28.2082, 5, equal_var=False).pvalue, rel=1e-4)
    assert only_ours("F2", values).against("Alg*")[0] == "better"  # 158.67 ± 4.8, and five runs are enough to say so
    assert only_ours("F2", [150.0, 151.0, 152.0, 149.0, 148.0]).against("Alg*")[0] == "worse"


def test_without_any_spread_means_are_compared():
    assert only_ours("F1", [625.0] * 5).against("Alg*") == only_ours("F1", [625.0] * 5).against("mark") == ("equal", 1.0)
    assert only_ours("F1", [624.0] * 5).against("Alg*") == ("worse", 0.0)


def test_a_published_mean_may_be_zero(monkeypatch):
    monkeypatch.setitem(pbo_table.PUBLISHED, "Alg*", lambda function: Sample(0.0, 1.0, 30))
    assert only_ours("F2", [9.0, 9.5, 10.0]).against("Alg*")[0] == "better"


@pytest.mark.parametrize(("ours", "said"), [(300.0, "**302 ± 1.49**"), (90.0, "92 ± 1.49"), (100.0, "102 ± 1.49")])
def test_bold_is_better(ours, said):
    text = sheet(example(ours), Scale("quick", 2, 5)).text
    assert f"| {said} " in text
    assert ("better than ILS" in text, "worse than ILS" in text, "equal to ILS" in text) == (ours == 300, ours == 90, ours == 100)


@pytest.mark.slow
def test_the_table_is_what_the_runs_say_and_a_killed_experiment_goes_on(tmp_path):
    """Recomputed from the file of runs by nothing but the standard library."""
    whole = tmp_path / "whole"
    assert CliRunner().invoke(app, [*WORDS, "--out", str(whole), "--write", str(tmp_path / "page.md")]).exit_code == 0
    runs: dict[tuple[str, str], list[float]] = {}
    with (whole / "pbo-table-runs.csv").open() as file:
        for line in csv.DictReader(file):
            runs.setdefault((line["problem"], line["algorithm"]), []).append(float(line["value"]))
    for row in json.loads((whole / "pbo-table.json").read_text())["rows"]:
        instances = ("1",) if row["place"] == "instance 1" else ("51", "52")
        for algorithm, said in row["means"].items():
            values = [value for each in instances for value in runs[f"pbo:{row['function']}@625#{each}", algorithm]]
            assert said == pytest.approx(mean(values))
        ours = [value for each in instances for value in runs[f"pbo:{row['function']}@625#{each}", "designs"]]
        assert row["std"] == pytest.approx(stdev(ours))
    page = (tmp_path / "page.md").read_text()
    kept, design = whole / "pbo-table.jsonl", whole / "F2-ppo-0" / "design.json"
    lines = kept.read_text().splitlines(keepends=True)
    kept.write_text("".join(lines[:20]) + lines[20][:30])  # killed while it wrote, and before that while it designed
    design.unlink()
    assert CliRunner().invoke(app, [*WORDS, "--out", str(whole), "--write", str(tmp_path / "again.md")]).exit_code == 0
    assert (tmp_path / "again.md").read_text().split("\n## ")[1:] == page.split("\n## ")[1:]
    assert sorted(kept.read_text().splitlines()) == sorted("".join(lines).splitlines())


def test_what_is_known_is_not_run_again(tmp_path, monkeypatch):
    problem = ms.problem("pbo:F1@30#51")
    first = Records(tmp_path / "runs.jsonl").of("RLS", "rls", problem, 200, 3)
    assert first.values == [problem.original(ms.solve("rls", problem, evaluations=200, seed=seed).fun) for seed in range(3)]
    monkeypatch.setattr("metasmith.experiments.records.solve_all", None)
    again = Records(tmp_path / "runs.jsonl")
    assert again.of("RLS", "rls", problem, 200, 3) == first
    assert again.of("the same by another name", str(ms.algorithm("rls")), problem, 200, 3, trial=2).values == first.values


def test_wrong_words_are_one_line(tmp_path):
    for words, said in (
        (["--only", "F24"], "no function 'F24'"),
        (["--scale", "huge"], "no scale 'huge'"),
        (["--trials", "0"], "got --trials 0"),
    ):
        result = CliRunner().invoke(app, ["reproduce", "pbo-table", "--out", str(tmp_path), *words])
        assert said in str(result.exception)


def test_a_scale_that_is_declared_counts_its_steps():
    assert pbo_table.steps(["F1", "F2"], Scale("quick", 3, 5)) == 2 * (2 * 3 + 9)
