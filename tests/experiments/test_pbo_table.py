"""The paper's table I: its numbers are those of the runs, and an experiment that was killed goes on."""

import csv
import json
import math
import os
import re
from collections.abc import Iterable
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, ttest_ind, ttest_ind_from_stats
from typer.testing import CliRunner

import metasmith as ms
from metasmith.analysis.statistics import Sample
from metasmith.cli import app
from metasmith.experiments import pbo_table
from metasmith.experiments.pbo_table import COLUMNS, Comparison, Row, compared, judged, rows, shown
from metasmith.experiments.shared import published
from metasmith.experiments.shared.published import mark_of
from metasmith.experiments.shared.records import Record, Records, tidy
from metasmith.experiments.shared.scales import Scale
from metasmith.program import names
from metasmith.version import commit

WORDS = ["reproduce", "pbo-table", "--scale", "small", "--only", "F7,F14"]  # where designs are none of the columns


def record(algorithm: str, instance: int, values: list[float], trial: int = 0, function: str = "F2") -> Record:
    seeds = list(range(trial * len(values), (trial + 1) * len(values)))
    return Record(
        algorithm,
        trial,
        f"pbo:{function}@625#{instance}",
        "population 1",
        50_000,
        seeds,
        values,
        [1] * len(values),
        30.0,
        commit(),
    )


def example(ours: float) -> list[Record]:
    """ILS finds 100 to 104, every other column 9; the designs `ours` to `ours` + 4."""
    runs = [record(name, instance, [9.0] * 5) for name in COLUMNS for instance in (1, 51, 52) if name != "ILS"]
    runs += [record("ILS", instance, [100.0 + k for k in range(5)]) for instance in (1, 51, 52)]
    return runs + [
        record("designs", instance, [ours + k for k in range(5)], trial) for trial in (0, 1) for instance in (1, 51, 52)
    ]


def test_columns_are_known_programs():
    assert set(COLUMNS.values()) <= set(names())


def test_rows_pool_permuted_instances_and_keep_designs_apart():
    first, permuted = rows(example(300.0))
    assert (first.instances, permuted.instances) == ("instance 1", "permuted instances")
    assert [len(first.ours), len(permuted.ours), len(permuted.values["EA"])] == [10, 20, 10]
    assert (first.designs, [len(runs) for runs in permuted.designs]) == (
        [[300.0, 301.0, 302.0, 303.0, 304.0]] * 2,
        [10] * 2,
    )
    assert (first.best, permuted.best) == ("Alg*", "ILS")
    (each,) = judged([first])
    assert each.against["gHC"].verdict == each.against["Alg*"].verdict == each.against["mark"].verdict == "better"


def beside_ea(designs: list[list[float]], theirs: list[float]) -> Row:
    return Row("F2", "permuted instances", {"designs": [*chain(*designs)], "EA": theirs}, designs)


def test_a_designer_has_as_many_samples_as_designs():
    """One design in three is far better, in all of its 30 runs: by runs that is sure, by designs it is not."""
    ours, theirs = [[100.0, 102.0] * 15, [100.0, 102.0] * 15, [150.0, 152.0] * 15], [99.0, 101.0] * 15
    row = beside_ea(ours, theirs)
    (tested,) = compared([row], ["EA"])
    expected = ttest_ind([101.0, 101.0, 151.0], theirs, equal_var=False).pvalue
    assert tested == ("equal", pytest.approx(expected), pytest.approx(expected))
    assert mannwhitneyu(row.ours, theirs).pvalue < 1e-4


def test_functions_of_a_table_are_corrected_for_their_number():
    """A p-value of 0.02 is small by chance on one of three functions too often."""
    theirs = [9.0, 10.0, 11.0] * 10
    groups = [[[each] * 2 for each in means] for means in ([10.4, 10.6, 10.5], [12.0, 12.1, 11.9], [10.0, 9.9, 10.2])]
    first, second, third = compared([beside_ea(ours, theirs) for ours in groups], ["EA"] * 3)
    assert [each.verdict for each in (first, second, third)] == ["better", "better", "equal"]
    assert first.corrected == pytest.approx(2 * first.p_value)
    assert second.corrected == pytest.approx(3 * second.p_value)
    assert third.corrected == third.p_value


def only_ours(function: str, values: list[float]) -> Row:
    return Row(function, "instance 1", {"designs": values}, [values])


def against(row: Row, name: str) -> Comparison:
    (tested,) = compared([row], [name])
    return tested


def test_what_is_published_has_a_spread_too():
    """The mark on F2 is 231.2 ± 28.2 in five runs: our mean is above, but not more than chance does."""
    values = [240.0, 241.0, 242.0, 243.0, 244.0]
    word, p_value, _ = against(only_ours("F2", values), "mark")
    assert word == "equal"
    assert p_value == pytest.approx(
        ttest_ind_from_stats(242, stdev(values), 5, 231.2, 28.2082, 5, equal_var=False).pvalue, rel=1e-4
    )
    assert (
        against(only_ours("F2", values), "Alg*").verdict == "better"
    )  # 158.67 ± 4.8, and five runs are enough to say so
    assert against(only_ours("F2", [150.0, 151.0, 152.0, 149.0, 148.0]), "Alg*").verdict == "worse"


def test_without_any_spread_means_are_compared():
    best = only_ours("F1", [625.0] * 5)
    assert against(best, "Alg*") == against(best, "mark") == ("equal", 1.0, 1.0)
    assert against(only_ours("F1", [624.0] * 5), "Alg*") == ("worse", 0.0, 0.0)


def test_a_published_mean_may_be_zero(monkeypatch):
    monkeypatch.setitem(pbo_table.PUBLISHED, "Alg*", lambda function: Sample(0.0, 1.0, 30))
    assert against(only_ours("F2", [9.0, 9.5, 10.0]), "Alg*").verdict == "better"


@pytest.mark.parametrize(("ours", "said"), [(300.0, "**302 ± 0**"), (90.0, "92 ± 0"), (100.0, "102 ± 0")])
def test_bold_is_better(ours, said):
    text = shown(example(ours), Scale("quick", 2, 5), 60.0).text
    assert f"| {said} " in text
    assert ("better than ILS" in text, "worse than ILS" in text, "equal to ILS" in text) == (
        ours == 300,
        ours == 90,
        ours == 100,
    )
    assert ("better than Alg*" in text, "worse than Alg*" in text) == (ours == 300, ours != 300)


def recomputed(lines: Iterable[str]) -> tuple[list[dict[str, Any]], dict[tuple[str, str], list[int]]]:
    """The rows and the summary from nothing but the file of runs, what was published, and scipy.

    Words: better, equal, worse.
    """
    runs: dict[tuple[str, str, str], list[float]] = {}
    designs: dict[tuple[str, str], dict[int, list[float]]] = {}
    for line in map(json.loads, lines):
        function, instance = line["problem"].removeprefix("pbo:").split("@625#")
        instances = "instance 1" if instance == "1" else "permuted instances"
        runs.setdefault((instances, function, line["algorithm"]), []).extend(line["values"])
        if line["algorithm"] == "designs":
            designs.setdefault((instances, function), {}).setdefault(line["trial"], []).extend(line["values"])
    numbers = json.loads((Path(published.__file__).parent / "data" / "pbo_d625.json").read_text())["functions"]
    rows = []
    for instances, function in dict.fromkeys(
        key[:2] for key in sorted(runs, key=lambda key: (key[0], int(key[1][1:])))
    ):
        everything = runs.pop((instances, function, "designs"))
        trials = list(designs[instances, function].values())
        ours = [mean(trial) for trial in trials] if len(trials) > 1 else everything
        others = {
            name: runs[instances, function, name]
            for name in ("ILS", "SA", "TS", "GA", "GA-irace", "RLS", "EA", "fGA", "UMDA", "gHC")
        }
        means = {name: mean(values) for name, values in others.items()}
        samples = {name: [mean(values), stdev(values), len(values)] for name, values in others.items()}
        if instances == "instance 1":
            value, variance, number = numbers[function]["paper"]["aldes"]
            means["Alg*"] = value
            samples["Alg*"] = [value, math.sqrt(variance), number]
            rest = [numbers[function]["reference"][name] for name in ("rls", "ea", "fga", "umda")]
            samples["mark"] = sorted([*reversed(rest), samples["Alg*"]], key=lambda each: each[0])[-1]
        best = max(means, key=lambda name: means[name])
        p_values = {}
        for name, theirs in samples.items():
            test = ttest_ind_from_stats(mean(ours), stdev(ours), len(ours), *theirs, equal_var=False)
            p_values[name] = float(test.pvalue if stdev(ours) or theirs[1] else mean(ours) == theirs[0])
        more = None if best == "Alg*" else mannwhitneyu(everything, others[best]).statistic
        rows.append({
            "function": function, "instances": instances, "best": best, "other means": means, "p_value": p_values,
            "ahead": {name: mean(ours) > theirs[0] for name, theirs in samples.items()},
            "means": {name: mean(values) for name, values in {**others, "designs": everything}.items()},
            "std": stdev(ours), "effect": more and more / len(everything) / len(others[best]),
        })  # fmt: skip
    return rows, judged_by_hand(rows)


def judged_by_hand(rows: list[dict[str, Any]]) -> dict[tuple[str, str], list[int]]:
    """Adds verdicts to the rows, by p-values corrected over the functions on the same instances; counts them."""
    counts: dict[tuple[str, str], list[int]] = {}
    for instances in ("instance 1", "permuted instances"):
        here = [row for row in rows if row["instances"] == instances]
        for name in (*here[0]["p_value"], "best"):
            columns = [row["best"] if name == "best" else name for row in here]
            p_values = [row["p_value"][column] for row, column in zip(here, columns, strict=True)]
            for row, column, p_value in zip(here, columns, p_values, strict=True):
                # Holm: a hypothesis is rejected if every smaller one is, each at its own level
                smaller = [each for each in p_values if each <= p_value]
                corrected = max(
                    min(1.0, each * (len(p_values) - sum(other < each for other in p_values))) for each in smaller
                )
                word = 1 if corrected >= 0.05 else 0 if row["ahead"][column] else 2
                row.setdefault("corrected", {})[name] = corrected
                if name == "best":
                    row["verdict"] = ("better", "equal", "worse")[word]
                else:
                    counts.setdefault((name, instances), [0, 0, 0])[word] += 1
    return counts


def check_cells(mine: dict[str, Any], cells: dict[str, str]) -> None:
    """Whether a line of the table, as it is printed, says what the runs say."""

    def close(printed: str, exactly: float) -> bool:
        """The same to half a unit of the last digit printed, of which there are two after the point, or one from ten
        on.
        """
        return abs(float(printed) - exactly) <= (0.005 if abs(exactly) < 9.99 else 0.05) + 1e-9

    assert cells.pop("function").split()[0] == mine["function"]
    ours, spread = cells.pop("designs").strip("*").split(" ± ")
    assert close(ours, mine["means"]["designs"])
    assert close(spread, mine["std"])
    word, how, name, p_value = re.fullmatch(r"(\w+) (to|than) (\S+) \((.+)\)", cells.pop("at 5%")).groups()
    assert (word, how, name) == (mine["verdict"], "to" if mine["verdict"] == "equal" else "than", mine["best"])
    assert float(p_value) == pytest.approx(float(f"{mine['corrected']['best']:.1g}"))
    effect = cells.pop("A")
    assert effect == "" if mine["effect"] is None else close(effect, mine["effect"])
    assert cells.keys() == mine["other means"].keys()
    for column, printed in cells.items():
        assert close(printed, mine["other means"][column]), column


def check(lines: Iterable[str], record: dict[str, Any], text: str) -> None:
    """Whether a table, for machines and as it is printed, says what the runs say."""
    expected, counts = recomputed(lines)
    assert len(expected) == len(record["rows"])
    for mine, row in zip(expected, record["rows"], strict=True):
        assert [mine[name] for name in ("function", "instances", "best", "verdict")] == [
            row[name] for name in ("function", "instances", "best", "verdict")
        ]
        assert row["means"] == pytest.approx(mine["means"])
        assert row["std"] == pytest.approx(mine["std"])
        assert row["effect"] == (mine["effect"] if mine["effect"] is None else pytest.approx(mine["effect"]))
        assert {name: test["p_value"] for name, test in row["against"].items()} == pytest.approx(
            mine["p_value"], rel=1e-4, abs=1e-12
        )
        corrected = {name: test["corrected"] for name, test in row["against"].items()}
        assert {**corrected, "best": row["corrected"]} == pytest.approx(mine["corrected"], rel=1e-4, abs=1e-12)
        assert row["p_value"] == row["against"][row["best"]]["p_value"]
    for instances in ("instance 1", "permuted instances"):
        head, *lines = printed_table(text, instances.capitalize())
        for mine, cells in zip([each for each in expected if each["instances"] == instances], lines, strict=True):
            check_cells(mine, dict(zip(head, cells, strict=True)))
    _, *summary = printed_table(text, "Summary")
    assert {(name, where): [int(each) for each in words] for name, where, *words, _ in summary} == counts


def printed_table(text: str, heading: str) -> list[list[str]]:
    """The rows of the table below a heading of a page, its head first."""
    lines = [line for line in text.split(f"## {heading}\n")[1].split("\n## ")[0].splitlines() if line[:1] == "|"]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    return [rows[0], *rows[2:]]


@pytest.mark.parametrize("trials", [1, 4])
def test_the_table_is_what_the_runs_say(trials):
    """Made-up runs, some with ties and some without, near what was published."""
    rng = np.random.default_rng(trials)
    runs = []
    for function in ("F1", "F2", "F6", "F10", "F18", "F23"):
        mark = mark_of(function)
        for name in (*COLUMNS, "designs"):
            centre = mark * rng.choice([0.9, 1.0, 1.0, 1.1])
            for trial in range(trials if name == "designs" else 1):
                for instance in (1, 51, 52):
                    values = np.round(centre + rng.normal(0, 0.03 * mark, 5), int(rng.integers(0, 3)))
                    runs.append(record(name, instance, values.tolist(), trial, function))
    sheet = shown(runs, Scale("quick", trials, 5), 0.0)
    check([json.dumps(asdict(each)) for each in runs], sheet.record, sheet.text)


@pytest.mark.slow
def test_a_killed_experiment_goes_on(tmp_path):
    whole = tmp_path / "whole"
    assert CliRunner().invoke(app, [*WORDS, "--out", str(whole), "--write", str(tmp_path / "page.md")]).exit_code == 0
    page, kept, design = (
        (tmp_path / "page.md").read_text(),
        whole / "pbo-table.jsonl",
        whole / "F14-mixture-0" / "design.json",
    )
    lines = kept.read_text().splitlines(keepends=True)
    check(lines, json.loads((whole / "pbo-table.json").read_text()), page)
    kept.write_text("".join(lines[:20]) + lines[20][:30])  # killed while it wrote, and before that while it designed
    design.unlink()
    assert CliRunner().invoke(app, [*WORDS, "--out", str(whole), "--write", str(tmp_path / "again.md")]).exit_code == 0
    assert (tmp_path / "again.md").read_text().split("\n## ")[1:] == page.split("\n## ")[1:]

    def runs(lines: Iterable[str]) -> list[dict[str, Any]]:
        return [{**json.loads(line), "seconds": None} for line in lines]

    assert runs(kept.read_text().splitlines()) == runs(lines)


def test_what_is_known_is_not_run_again(tmp_path, monkeypatch):
    problem = ms.problem("pbo:F1@30#51")
    first = Records(tmp_path / "runs.jsonl").of("RLS", "rls", problem, 200, 3)
    assert first.values == [
        problem.original(ms.solve("rls", problem, evaluations=200, seed=seed).fun) for seed in range(3)
    ]
    assert first.commit == commit()
    assert first.seconds > 0
    monkeypatch.setattr("metasmith.experiments.shared.records.solve_all", None)
    again = Records(tmp_path / "runs.jsonl")
    assert again.of("RLS", "rls", problem, 200, 3) == first
    assert again.of("the same by another name", str(ms.algorithm("rls")), problem, 200, 3) == replace(
        first, algorithm="the same by another name"
    )


def test_every_trial_has_seeds_of_its_own(tmp_path):
    """Two designs may be the same program."""
    problem, kept = ms.problem("pbo:F2@100#1"), Records(tmp_path / "runs.jsonl")
    runs = [kept.of("designs", "ea", problem, 500, 4, trial=trial) for trial in (0, 1)]
    assert [each.seeds for each in runs] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert runs[1].values == ms.solve_all("ea", problem, evaluations=500, seeds=range(4, 8)).best != runs[0].values
    seeds = [(line["trial"], line["seed"]) for line in csv.DictReader(tidy(runs).splitlines())]
    assert seeds == [(str(seed // 4), str(seed)) for seed in range(8)]
    assert len((tmp_path / "runs.jsonl").read_text().splitlines()) == 2


def test_records_are_rewritten_whole_and_only_if_a_line_is_not(tmp_path, monkeypatch):
    file = tmp_path / "runs.jsonl"
    Records(file).of("RLS", "rls", ms.problem("pbo:F1@30#51"), 200, 3)
    text = file.read_text()
    os.utime(file, (0, 0))
    assert len(Records(file).cache) == 1
    assert file.stat().st_mtime == 0
    old = json.loads(text)
    del old["seconds"]
    for rest in (text[:40], json.dumps(old) + "\n"):  # killed; or written before seconds were
        file.write_text(text + rest)
        assert len(Records(file).cache) == 1
        assert file.read_text() == text
    file.write_text(text + text[:40])
    monkeypatch.setattr("pathlib.Path.replace", None)  # killed at the last moment
    with pytest.raises(TypeError):
        Records(file)
    assert file.read_text() == text + text[:40]


@pytest.mark.parametrize(
    ("trials", "made", "last"), [(1, "made with the seed 0,", 4), (3, "made with the seeds 0 to 2,", 14)]
)
def test_the_page_names_all_seeds(trials, made, last):
    text = shown(example(300.0), Scale("quick", trials, 5), 0.0).text
    assert "evaluations, with the seeds 0 to 4; of the designs" in text
    assert made in text
    assert f"over runs with the seeds 0 to {last}." in text
    assert ("about designs for a function" in text, "this one design for a function" in text) == (
        trials > 1,
        trials == 1,
    )


@pytest.mark.slow
def test_the_page_says_what_all_calls_cost_and_which_commits_ran():
    runs = example(300.0)  # 36 records of 30 seconds
    assert (
        shown(runs, Scale("quick", 2, 5), 120.0).cost
        == "All calls together took 20 core-minutes: 2 for the designs and 18 for the runs."
    )
    runs[0] = replace(runs[0], commit="0123456")
    cost = shown(runs, Scale("quick", 2, 5), 120.0).cost
    assert cost.endswith(f" The runs were done with the commits {', '.join(sorted(['0123456', commit()]))}.")
    runs = [replace(each, commit="0123456") for each in runs]
    assert shown(runs, Scale("quick", 2, 5), 120.0).cost.endswith(" The runs were done with the commit 0123456.")
    assert (
        shown(runs, Scale("quick", 2, 5), 120.0)
        .page("Made.")
        .startswith("# Designs for the 23 PBO functions (table I)\n\nMade.\nAll calls")
    )


def test_wrong_words_are_one_line(tmp_path):
    for words, said in (
        (["--only", "F24"], "no function 'F24'"),
        (["--scale", "huge"], "no scale 'huge'"),
        (["--trials", "0"], "got --trials 0"),
    ):
        result = CliRunner().invoke(app, ["reproduce", "pbo-table", "--out", str(tmp_path), *words])
        assert said in str(result.exception)


def test_a_scale_that_is_declared_counts_its_steps():
    assert pbo_table.steps(["F1", "F2"], Scale("quick", 3, 5)) == 2 * (2 * 3 + 10)
