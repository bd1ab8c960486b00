"""Designs that experiments need, and the pages that show them."""

import json
from pathlib import Path

import pytest

from metasmith.api import find_task
from metasmith.experiments import algorithms, one_off_curves
from metasmith.experiments.shared import making
from metasmith.experiments.shared.making import Wanted, core_seconds, made_all, wanted
from metasmith.experiments.shared.scales import Scale
from metasmith.runs.folder import NEEDED, Folder
from metasmith.runs.spec import specify

LEDGER = {"running_seconds": 90.0, "measuring_seconds": 50.0, "proposing_seconds": 30.0}  # two runs side by side


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """Two designs for F1 and two for F2 that are there already."""
    for each in wanted(["F1", "F2"], 2, tmp_path, "quick"):
        folder = Folder(each.run)
        task = find_task(each.task, each.evaluations)
        folder.create(specify(task, name=each.task, designer=each.designer, seed=each.seed, effort=each.effort))
        for batch in range(12):
            folder.append({"step": "batch", "mean": 0.1 * batch + each.seed, "best": 0.9})
        folder.finish({
            "task": each.task, "evaluations": each.evaluations, "seed": each.seed, "representation": "bits",
            "score": 0.5 + each.seed / 4, "program": "population 1\nreset_n(n=1)    when a\npairwise_select",
            "pseudocode": "flip a bit", "ledger": LEDGER,
        })  # fmt: skip
    return tmp_path


def test_the_bar_moves_on_if_all_designs_are_there(there):
    ticks: list[None] = []
    assert len(made_all(wanted(["F1", "F2"], 2, there, "quick"), lambda: ticks.append(None))) == 4
    assert len(ticks) == 4


def test_a_design_may_say_what_it_spends(tmp_path):
    each = Wanted(tmp_path / "run", "pbo:F1", 1000, "random", 3, "default", 50_000)
    assert not each.done
    folder = Folder(each.run)
    folder.create(specify(find_task("pbo:F1", 1000), designer="random", seed=3, spend=50_000))
    assert not each.done
    folder.finish({**dict.fromkeys(NEEDED, 0), "program": "population 1"})
    assert each.done
    for other in (each._replace(spend=60_000), each._replace(spend=None), each._replace(evaluations=2000)):
        with pytest.raises(ValueError, match="holds a design for another spec; choose another folder with --out"):
            _ = other.done


@pytest.mark.parametrize(("measuring", "expected"), [(50.0, 120.0), (100.0, 130.0)])
def test_time_is_of_all_cores_together(measuring, expected):
    assert core_seconds({"ledger": {**LEDGER, "measuring_seconds": measuring}}) == expected


def test_the_algorithms_are_a_table_too(there):
    sheet = algorithms.sheet(["F1", "F2"], Scale("quick", 2, 5), there, lambda: None)
    table = sheet.tables()["algorithms"]
    program = "population 1; reset_n(n=1) when a; pairwise_select"
    assert table.head == ["function", "seed", "score", "program"]
    assert table.rows == [
        [function, seed, score, program]
        for function in ("F1", "F2")
        for seed, score in (("1", "0.7500"), ("0", "0.5000"))
    ]
    assert sheet.text.count("flip a bit") == 4
    assert sheet.cost == "All calls together took 8 core-minutes: 8 for the designs."
    json.dumps(sheet.record)


def test_the_curves_name_their_seeds_and_their_cost(there):
    sheet = one_off_curves.sheet(["F1"], Scale("quick", 2, 5), there, lambda: None)
    assert "designs with the seeds 0 to 1, bands" in sheet.text
    assert sheet.cost == "All calls together took 4 core-minutes: 4 for the designs."


def test_designs_that_were_made_where_nobody_sees_them_are_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(making, "side_by_side", lambda function, items, tick: None)
    with pytest.raises(ValueError, match="was made, but is not here; --out must be a folder that all workers share"):
        made_all(wanted(["F1"], 1, tmp_path, "quick"), lambda: None)
