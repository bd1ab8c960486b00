"""Whether the landscape factors tell functions apart."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from metasmith.cli import app
from metasmith.experiments.identification import (
    ACROSS,
    WITHIN,
    Record,
    accuracies,
    confused,
    identify,
    merged,
    record,
    sheet,
)

PAGE = Path(__file__).parents[2] / "docs" / "results" / "landscape.md"
SOME = [
    *(Record("F1", 100, seed, 100, "F1") for seed in range(18)),
    *(Record("F3", 100, seed, 100, "F1") for seed in range(2)),
    *(Record("F11", 100, seed, 225, "F2") for seed in range(4)),
    Record("F1", 100, 9, 225, "F7"),
]
"""Of twenty samples looked for in their own dimension 18 are right, of five looked for in the other one 4."""


def test_functions_that_are_the_same_on_random_points_count_as_one():
    assert merged("F2") == merged("F11") == merged("F12") != merged("F13")
    assert Record("F11", 100, 0, 100, "F2").right
    assert not Record("F20", 100, 0, 100, "F21").right


def test_accuracies_are_by_dimension():
    records = [Record("F1", 100, 0, 225, "F1"), Record("F3", 100, 0, 225, "F1"), Record("F1", 100, 0, 100, "F1")]
    assert accuracies(records) == {(100, 225): 0.5, (100, 100): 1.0}
    assert records[1].record() == {
        "function": "F3",
        "dimension": 100,
        "seed": 0,
        "among": 225,
        "nearest": "F1",
        "right": False,
    }


def test_one_seed_is_too_few():
    with pytest.raises(ValueError, match="give at least 2, got 1"):
        identify(seeds=[1])


def test_two_functions_are_told_apart():
    ticks = []
    records = identify(["F1", "F18"], [36], [0, 1], lambda: ticks.append(0))
    assert len(records) == len(ticks) == 4
    assert accuracies(records) == {(36, 36): 1.0}


def test_the_report_says_what_is_met_and_what_is_confused():
    assert (WITHIN, ACROSS) == (0.95, 0.80)
    told = sheet(SOME).tables()
    assert told["identification-recognised"].rows == [
        ["100", "100", "0.900", "0.95", "no"],
        ["100", "225", "0.800", "0.80", "yes"],
    ]
    assert "| **no** |" in sheet(SOME).text
    assert told["identification-confused"].rows == [
        ["F3", "F1", "100", "100", "2 of 2"],
        ["F1", "F7", "100", "225", "1 of 1"],
    ]
    assert confused([each for each in SOME if each.right]) == "No function is taken for another."


def test_the_record_for_machines():
    found = record(SOME)
    assert found["accuracies"] == [
        {"dimension": 100, "among": 100, "accuracy": 0.9, "wanted": 0.95, "met": False},
        {"dimension": 100, "among": 225, "accuracy": 0.8, "wanted": 0.8, "met": True},
    ]
    assert found["samples"] == [each.record() for each in SOME]


def test_the_command(tmp_path):
    file = tmp_path / "page.md"
    words = ["reproduce", "identification", "--samples", "2", "--only", "F1,F18", "--out", str(tmp_path / "runs")]
    told = CliRunner().invoke(app, [*words, "--write", str(file)])
    assert told.exit_code == 0, told.output
    assert "4 samples of 2 functions in each dimension" in told.stdout
    assert f"`metasmith {' '.join(words)} --write {file}`" in file.read_text()
    assert file.read_text().startswith("# Landscapes\n")
    assert file.read_text().endswith(told.stdout.removesuffix("\n"))
    found = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert [each["accuracy"] for each in found["accuracies"]] == [1.0] * 4
    assert {(each["function"], each["dimension"], each["seed"], each["among"]) for each in found["samples"]} == {
        (function, dimension, seed, among)
        for function in ("F1", "F18")
        for dimension in (100, 225)
        for seed in (100, 101)
        for among in (100, 225)
    }


def test_the_page_is_of_this_experiment():
    text = PAGE.read_text()
    assert "metasmith reproduce identification" in text
    assert "230 samples of 23 functions" in text
    assert sheet(SOME).page("Made.").splitlines()[:2] == text.splitlines()[:2]


@pytest.mark.slow
def test_functions_are_recognised_within_and_across_dimensions():
    found = accuracies(identify())
    assert min(found[100, 100], found[225, 225]) >= 0.95
    assert min(found[100, 225], found[225, 100]) >= 0.8
