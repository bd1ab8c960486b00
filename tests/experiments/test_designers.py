"""Designers beside each other: what was declared is what is compared, and the numbers are those of the designs."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from metasmith.cli import app
from metasmith.experiments import designers as experiment
from metasmith.experiments.designers import (
    DEFAULT,
    EXPERIMENT,
    FUNCTIONS,
    INSTANCES,
    RIVALS,
    UNITS,
    Asked,
    Judged,
    declaration,
    declare,
    missing,
    sheet,
)
from metasmith.experiments.shared.contract import Request
from metasmith.experiments.shared.published import FUNCTIONS as PBO
from metasmith.problems.pbo import TEST, TRAINING
from metasmith.runs.folder import Folder

DECLARED = {"declared": {}, "day": "2026-01-02", "commit": "abc1234"}
THERE = ("random", "evolution", "ppo")


def asked(**options: Any) -> Asked:
    """What a request with these options asks for; by default all."""
    defaults = {each.name: each.default for each in EXPERIMENT.options}
    return Asked.of(Request({**defaults, **options}, EXPERIMENT.folder))


def judged(designer: str, quality: float, function: str = "F7", seed: int = 0, budget: int = 2) -> Judged:
    """A design with a quality, whose source says who designed it."""
    known, best = UNITS[function]
    values = {f"pbo:{function}@625#{instance}": [known + quality * (best - known)] * 6 for instance in INSTANCES}
    return Judged(
        function, designer, budget, seed, "population 1", f"{designer}'s", 0.5, 1_990_000 * budget // 2, 30.0, values
    )


def drawn(*names: str, budget: int = 2) -> list[Judged]:
    """Designs of the default and of others; the later a rival is named, the worse it is."""
    rng = np.random.default_rng(budget)
    return [
        judged(name, rng.normal(-0.25 * worse, 0.3), function, seed, budget)
        for function in FUNCTIONS
        for seed in range(8)
        for worse, name in enumerate((DEFAULT, *names))
    ]


def test_the_instances_are_the_test_instances_and_two_that_nothing_has_used():
    assert INSTANCES[:3] == TEST
    learned = {instance for instances in TRAINING.values() for instance in instances}
    choosing = {91, 92}  # design note 4
    elsewhere = {21, 71}  # further instances of reports
    assert not set(INSTANCES[3:]) & (learned | choosing | elsewhere | set(TEST))
    assert set(FUNCTIONS) == set(UNITS) <= set(PBO)
    assert all(known < best for known, best in UNITS.values())


def test_a_declaration_is_written_once_and_another_is_refused(tmp_path, monkeypatch):
    first = declare(tmp_path / "new")
    assert first["declared"] == declaration()
    assert json.loads((tmp_path / "new" / "declared.json").read_text()) == first == declare(tmp_path / "new")
    monkeypatch.setattr(experiment, "SEEDS", 9)
    monkeypatch.setattr(experiment, "RUNS", 3)
    with pytest.raises(ValueError, match=r"declares another comparison \(seeds, runs\); choose another folder"):
        declare(tmp_path / "new")


def test_options_choose_a_part_and_nothing_beyond():
    part = asked(only="F14,F7", seeds=2, budgets="16", designers="evolution,mixture,random")
    assert (part.functions, part.seeds, part.budgets, part.rivals) == (("F7", "F14"), 2, (16,), ("random", "evolution"))
    assert part.said == (
        "This is a part of what was declared: 2 of 8 functions (F7, F14); 2 of 8 seeds (0, 1); 1 of 3 budgets (16); "
        "2 of 8 rivals (random, evolution)."
    )
    for options, said in (
        ({"only": "F1"}, "no function 'F1' was declared"),
        ({"budgets": "3"}, "no budget '3' was declared"),
        ({"designers": "rondom"}, "no designer 'rondom' was declared; did you mean 'random'"),
        ({"designers": ","}, "name designers such as .*, got ','"),
        ({"seeds": 9}, "the seeds 0 to 7 are declared; expected --seeds 1 to 8"),
    ):
        with pytest.raises(ValueError, match=said):
            asked(**options)


def test_pairs_are_made_together_and_a_part_where_one_is_declared(monkeypatch):
    monkeypatch.setattr(experiment, "missing", lambda name: "")
    every = asked()
    assert every.said == ""
    todo = every.designs(Path("out"))
    assert [(each.run.as_posix(), each.spend) for each in todo[:2]] == [
        ("out/2M/F7-mixture-0", 2_000_000),
        (f"out/2M/F7-{RIVALS[2][0]}-0", 2_000_000),
    ]
    counts = {budget: sum(each.spend == budget * 1_000_000 for each in todo) for budget in RIVALS}
    assert counts == {2: 64 * 9, 16: 64 * 8 + 32, 95: 64 * 4}
    smac = {each.task for each in todo if each.designer == "smac" and each.spend == 16_000_000}
    assert smac == {"pbo:F7", "pbo:F14", "pbo:F22", "pbo:F23"}


def test_who_cannot_work_here_is_left_out_with_a_line(monkeypatch):
    monkeypatch.setattr(experiment, "missing", lambda name: "" if name in THERE else "not installed")
    part = asked(budgets="95", designers=f"{RIVALS[95][0]},random")
    assert part.rivals == ("random",)
    assert part.said.endswith(f"Left out, because they cannot work here: {RIVALS[95][0]} (not installed).")
    assert {each.designer for each in part.designs(Path("out"))} == {DEFAULT, "random"}
    monkeypatch.undo()
    assert missing("random") == ""
    assert missing("nobody") == "there is no such designer"


def test_the_page_says_what_the_designs_say():
    results = [*drawn(*THERE), *drawn("random", budget=16)]
    shown = sheet(results, asked(budgets="2,16", designers=",".join(THERE)), DECLARED)
    table = shown.tables()["designers-at-2-million"]
    lines = {row[0]: row[1:] for row in table.rows}
    ours = np.array([each.quality for each in results if (each.designer, each.budget) == (DEFAULT, 2)])
    for rank, name in enumerate(THERE):
        theirs = np.array([each.quality for each in results if (each.designer, each.budget) == (name, 2)])
        p_value = stats.wilcoxon(ours - theirs).pvalue
        wins = int((ours > theirs).sum())
        cells = lines[name]
        assert cells[:2] == ["64", f"{wins}:0:{64 - wins}"]
        assert float(cells[2].split()[0]) == pytest.approx(np.median(ours - theirs), abs=0.006)
        assert cells[5] == f"{p_value:.2g}"
        assert float(cells[6]) == pytest.approx((len(RIVALS[2]) - (len(THERE) - 1 - rank)) * p_value, rel=0.06)
        assert cells[7] == "better"
    assert f"At 2 million evaluations `{DEFAULT}` is better than random, evolution, ppo." in shown.text
    assert shown.record["rivalries"][-1]["budget"] == 16
    assert len(shown.record["designs"]) == len(results)
    json.dumps(shown.record)


def test_means_and_sources_are_over_the_designs():
    results = [
        judged(DEFAULT, 1.0), judged(DEFAULT, 2.0, seed=1), judged("random", 0.0), judged("random", 1.0, seed=1)
    ]  # fmt: skip
    text = sheet(results, asked(only="F7", seeds=2, budgets="2", designers="random"), DECLARED).text
    known, best = UNITS["F7"]
    assert f"| F7 OneMax epistasis | {known} | {best} | **{known + 1.5 * (best - known):.1f}** |" in squeezed(text)
    assert "| median quality | 0 | 1 | 1.50 | 0.50 |" in squeezed(text)
    assert f"| {DEFAULT} | 2 | 2 | {DEFAULT}'s 2 | 99.5% to 99.5% | 30 |" in squeezed(text)
    assert "| F7 OneMax epistasis | 2:0:0 |" in squeezed(text)
    assert "not told apart from random" in text  # two pairs


def test_a_function_that_a_rival_lacks_is_no_pair_and_no_mean():
    results = [judged(DEFAULT, 1.0), judged(DEFAULT, 1.0, "F14"), judged("random", 0.0)]
    shown = sheet(results, asked(only="F7,F14", seeds=1, budgets="2", designers="random"), DECLARED)
    assert shown.record["rivalries"][0]["pairs"] == 1
    (row,) = [line for line in shown.text.splitlines() if line.startswith("| F14")]
    assert row.split("|")[-2].strip() == ""


def test_the_picture_has_a_panel_for_every_function_and_one_for_all(tmp_path):
    results = [*drawn(*THERE), *drawn("random", budget=16)]
    shown = sheet(results, asked(budgets="2,16", designers=",".join(THERE)), DECLARED)
    shown.draw(tmp_path)
    text = (tmp_path / "designers.svg").read_text()
    assert all(name in text for name in (DEFAULT, *THERE, "all 8", "F22 Maximum independent vertex set", "16M"))


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two functions, two seeds, short runs."""
    for name, value in {
        "FUNCTIONS": ("F1", "F2"), "SEEDS": 2, "RIVALS": {1: ("random", "nobody")}, "PARTS": {}, "INSTANCES": (1, 73),
        "RUNS": 2, "DIMENSION": 30, "EVALUATIONS": 500, "MILLION": 60_000,
        "UNITS": {"F1": (20.0, 30.0), "F2": (10.0, 30.0)},
    }.items():  # fmt: skip
        monkeypatch.setattr(experiment, name, value)


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_killed_and_called_again_it_has_the_same_numbers_and_runs_nothing_twice(tmp_path, monkeypatch):
    out = tmp_path / "runs"
    words = ["reproduce", "designers", "--only", "F1,F2", "--budgets", "1", "--seeds", "2", "--out", str(out), "--json"]
    first = CliRunner().invoke(app, words)
    assert first.exit_code == 0, first.exception
    printed = json.loads(first.stdout)
    assert printed["absent"] == {"nobody": "there is no such designer"}
    assert [(each["function"], each["designer"], each["seed"]) for each in printed["designs"]] == [
        (function, designer, seed) for seed in (0, 1) for function in ("F1", "F2") for designer in (DEFAULT, "random")
    ]
    for each in printed["designs"]:
        design = Folder(out / "1M" / f"{each['function']}-{each['designer']}-{each['seed']}").design()
        assert design is not None
        assert (design["program"], design["ledger"]["evaluations"]) == (each["program"], each["evaluations"])
        assert each["evaluations"] <= 60_000
        assert [len(values) for values in each["values"].values()] == [2, 2]
    declared, kept = (out / "declared.json").read_bytes(), out / "designers.jsonl"
    lines = kept.read_text().splitlines(keepends=True)
    kept.write_text("".join(lines[:3]) + lines[3][:20])  # killed while it judged, and before that while it designed
    (out / "1M" / "F2-random-1" / "design.json").unlink()
    again = CliRunner().invoke(app, words)
    assert timeless(json.loads(again.stdout)) == timeless(printed)
    assert (out / "declared.json").read_bytes() == declared
    monkeypatch.setattr("metasmith.experiments.shared.records.solve_all", None)
    monkeypatch.setattr("metasmith.experiments.shared.making.side_by_side", None)
    assert timeless(json.loads(CliRunner().invoke(app, words).stdout)) == timeless(printed)


def timeless(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "designs": [{**each, "seconds": None} for each in record["designs"]]}
