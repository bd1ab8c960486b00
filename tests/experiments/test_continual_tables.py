"""Continual design: what the numbers mean, and that an experiment goes on where it stopped."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from metasmith import reproduce
from metasmith.cli import app
from metasmith.experiments import continual_2, transfer_curves
from metasmith.experiments.shared import continual
from metasmith.experiments.shared.continual import ALONE, SERIES, VARIANTS, Outcome, Series, Stage, learned, wanted
from metasmith.experiments.shared.continual_tables import continual_sheet, transfer_sheet
from metasmith.experiments.shared.published import mark_of
from metasmith.experiments.shared.scales import Scale
from metasmith.report.sheet import Sheet

FUNCTIONS = ("F2", "F14", "F18")


def sheet(outcome: Outcome) -> Sheet:
    return continual_sheet(outcome, continual_2.NAME, continual_2.TITLE)


def report(outcome: Outcome) -> str:
    return sheet(outcome).text


def stage(variant: str, function: str, outcome: dict[str, float], seed: int = 0, start: float = 0.5) -> Stage:
    """Two runs each, one better and one worse than `outcome`. The training takes two epochs of a million."""
    values = {name: [value - 1, value + 1] for name, value in outcome.items()}
    programs = dict.fromkeys(outcome, "population 1\nreset_n(n=1)\ngreedy_select")
    return Stage(variant, seed, function, programs, values, values, [start, 0.9], [0.3, 0.8], [1_000_000, 2_000_000])


def example() -> Outcome:
    """On F2 random search reaches 11.2 and the mark is 231.2, so that 2.2 are a percent."""
    stages = [stage(f"{ALONE}-{function}", function, {function: 40}) for function in FUNCTIONS[1:]]
    for variant, kept in (("EWC", 209.2), ("fine-tuning", 121.2), ("replay", 231.2)):
        stages += [
            stage(variant, "F2", {"F2": 231.2}),
            stage(variant, "F14", {"F2": 220, "F14": 30}, start=0.6),
            stage(variant, "F18", {"F2": kept, "F14": 30, "F18": 4}, start=0.4),
        ]
    return Outcome(FUNCTIONS, stages, {"F2": 11.2, "F14": 10.0, "F18": 2.0})


def test_forgetting_is_what_was_lost_in_percent_of_the_way_to_the_mark():
    outcome = example()
    assert mark_of("F2") == 231.2
    assert outcome.share(11.2, "F2") == 0
    assert outcome.share(231.2, "F2") == pytest.approx(100)
    assert outcome.forgetting("EWC") == pytest.approx({"F2": 10, "F14": 0})
    assert outcome.forgetting("fine-tuning") == pytest.approx({"F2": 50, "F14": 0})


def test_where_random_search_is_penalised_the_way_begins_at_nothing():
    outcome = Outcome(("F23",), [], {"F23": -90_000.0})
    assert outcome.share(0, "F23") == 0
    assert outcome.share(mark_of("F23") / 2, "F23") == pytest.approx(50)


def test_the_page_names_its_seeds_and_what_its_cost_leaves_out():
    assert "The series were learned with the seed 0; every design\nran with the seeds 0 to 1." in report(example())
    cost = sheet(example()).cost
    assert cost == "Learning took 0.0 core-minutes in all calls together; the runs and races after it are not counted."


def test_runs_of_the_likeliest_programs_are_logged_once(tmp_path, monkeypatch):
    monkeypatch.setattr(continual, "EVALUATIONS", 50)
    monkeypatch.setattr(continual, "SERIES", {"continual-2": FUNCTIONS})
    stages = [stage("EWC", function, dict.fromkeys(FUNCTIONS, 4.0)) for function in FUNCTIONS]
    continual.said_by("continual-2", Scale("quick", 1, 2), stages, tmp_path)
    assert len(list(tmp_path.glob("*/*.json"))) == 2 * len(
        FUNCTIONS
    )  # the one program of all stages, and random search


def test_the_report_says_whether_forgetting_was_halved():
    assert "at most half of that without (5.0 and 25.0, likeliest tokens)" in report(example())
    worse = example()
    swapped = {"EWC": "fine-tuning", "fine-tuning": "EWC"}
    stages = [each._replace(variant=swapped.get(each.variant, each.variant)) for each in worse.stages]
    assert "**more than half** of that without (25.0 and 5.0, likeliest tokens)" in report(
        Outcome(FUNCTIONS, stages, worse.random)
    )


def test_the_report_says_whether_the_last_problem_is_learned():
    """One-off reaches 40 on F18, the series 4."""
    assert (
        "**not within** 5% of one-off (likeliest tokens), **not within** 5% of one-off (winner of a race)."
        in report(example())
    )
    outcome = example()
    near = [
        each._replace(raced={**each.raced, "F18": [39.0, 39.0]}) if each.function == "F18" else each
        for each in outcome.stages
    ]
    assert "**not within** 5% of one-off (likeliest tokens), within 5% of one-off (winner of a race)." in report(
        Outcome(FUNCTIONS, near, outcome.random)
    )


def test_where_nothing_is_forgotten_there_is_nothing_to_halve():
    outcome = example()
    kept = [
        each._replace(reached={**each.reached, "F2": [231.2]}) if "F2" in each.reached else each
        for each in outcome.stages
    ]
    assert "nothing to halve (0.0 and 0.0, likeliest tokens)" in report(Outcome(FUNCTIONS, kept, outcome.random))


def test_transfer_compares_the_start_with_training_from_scratch():
    outcome = example()
    assert outcome.start(ALONE, "F14") == pytest.approx(0.7)
    assert outcome.start("EWC", "F14") == pytest.approx(0.75)
    table = sheet(outcome).tables()["continual-2-forward-transfer"]
    assert [(row[0], row[3]) for row in table.rows] == [("F14", "yes"), ("F18", "no")]


def test_evaluations_until_as_good_as_one_off():
    outcome = example()
    assert outcome.spent_until_as_good("EWC", "F14") == [2_000_000]
    poor = [each._replace(best=[0.1, 0.2]) if each.variant == "EWC" else each for each in outcome.stages]
    assert Outcome(FUNCTIONS, poor, outcome.random).spent_until_as_good("EWC", "F14") == [None]


def test_pictures_are_drawn(tmp_path):
    """Of seven functions, as in the series."""
    functions = SERIES["continual-2"]
    stages = [stage(f"{ALONE}-{each}", each, {each: 3}) for each in functions[1:]]
    stages += [
        stage(variant, each, dict.fromkeys(functions[: number + 1], 3.0))
        for variant in VARIANTS
        for number, each in enumerate(functions)
    ]
    outcome = Outcome(functions, stages, dict.fromkeys(functions, 1.0))
    made = [sheet(outcome), transfer_sheet(outcome, transfer_curves.NAME, transfer_curves.TITLE, transfer_curves.SHOWN)]
    for each in made:
        each.draw(tmp_path)
    names = ["continual-2-kept.svg", "continual-2-curves.svg", "transfer-curves.svg"]
    before = [(tmp_path / name).read_bytes() for name in names]
    assert all(text.startswith(b"<svg") and len(text) < 100_000 for text in before)
    for each in made:
        each.draw(tmp_path)
    assert [(tmp_path / name).read_bytes() for name in names] == before


def test_what_is_learned():
    """Every variant and every function but the first alone, with every seed."""
    series = wanted(SERIES["continual-2"], Scale("quick", 3, 2), Path("runs"))
    assert len(series) == 3 * 3 + 6 * 3
    assert SERIES["continual-2"] == ("F1", "F2", "F11", "F18", "F19", "F22", "F23")
    assert SERIES["continual-1"] == ("F1", "F2", "F3", "F4", "F5", "F6", "F7")
    assert {each.variant: dict(each.training) for each in series if len(each.functions) == 7} == VARIANTS


@pytest.mark.slow
def test_a_series_goes_on_where_it_stopped(tmp_path):
    series = Series("EWC", 0, ("F1", "F2"), Scale("quick", 1, 2), tmp_path)
    whole = learned([series])
    assert [list(each.reached) for each in whole] == [["F1"], ["F1", "F2"]]
    assert all(len(values) == 2 for each in whole for values in each.reached.values())
    last = series.folder / "2-F2"
    for name in (
        "raced.json",
        "stage.json",
        "after.safetensors",
        "design.json",
    ):  # as if killed at the end of the second
        (last / name).unlink()
    again = learned([series])
    assert [each._replace(seconds=0.0) for each in again] == [each._replace(seconds=0.0) for each in whole]
    assert again[0].seconds == whole[0].seconds > 0
    with pytest.raises(ValueError, match="learned otherwise; choose another folder"):
        learned([replace(series, scale=Scale("quick", 1, 3))])


@pytest.mark.parametrize("name", ["continual-1", "continual-2", "transfer-curves", "one-off-curves", "algorithms"])
def test_no_trials_are_too_few(name, tmp_path):
    result = CliRunner().invoke(app, ["reproduce", name, "--trials", "0", "--out", str(tmp_path)])
    assert "at least 1 design of each kind is needed, got --trials 0" in str(result.exception)


def test_what_proves_optima_has_an_extra_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduce, "find_spec", lambda name: None)
    result = CliRunner().invoke(app, ["reproduce", "restoration", "--out", str(tmp_path)])
    assert "highspy must be installed for this: pip install 'metasmith[milp]'" in str(result.exception)


def test_a_scale_that_is_not_there(tmp_path):
    result = CliRunner().invoke(app, ["reproduce", "continual-2", "--scale", "smal", "--out", str(tmp_path)])
    assert "did you mean 'small'?" in str(result.exception)


def test_the_record_is_json():
    assert json.loads(json.dumps(example().record()))["functions"] == list(FUNCTIONS)


def test_a_series_that_fails_ends_all_at_once(tmp_path):
    """The first cannot write; the others, which would take long, are not waited for."""
    (tmp_path / "file").write_text("")
    bad = Series("EWC", 0, ("F1",), Scale("quick", 1, 2), tmp_path / "file")
    slow = [Series("EWC", seed, ("F18",), Scale("thorough", 1, 2), tmp_path) for seed in range(8)]
    with pytest.raises(ValueError, match="cannot write a run"):
        learned([bad, *slow])
