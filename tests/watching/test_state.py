"""Where a run stands, by what is in its folder."""

import json
from pathlib import Path
from typing import Any

import pytest
from watching_helpers import NAME, SPEND, Told

from metasmith.program import Program, pseudocode
from metasmith.runs.folder import Folder
from metasmith.watching.state import BEST, POINTS, state_of

Step = dict[str, Any]


def steps_of(run: Path, *kinds: str) -> list[Step]:
    return [step for step in Folder(run).history() if not kinds or step["step"] in kinds]


def ledger(evaluations: int, seconds: float) -> Step:
    times = {"running_seconds": 2 * seconds, "measuring_seconds": seconds, "proposing_seconds": 0.0}
    return {"runs": 7, "evaluations": evaluations, "cached": 1, **times}


def test_a_finished_run(run: Path) -> None:
    state, design, batches = state_of(Folder(run)), Folder(run).design(), steps_of(run, "batch")
    assert design is not None
    assert (state["state"], state["progress"], state["left"]) == ("finished", 1.0, 0.0)
    assert (state["task"], state["spend"], state["evaluations"]) == (NAME, SPEND, 600)
    assert state["ledger"] == design["ledger"]
    assert state["seconds"] == design["ledger"]["measuring_seconds"] + design["ledger"]["proposing_seconds"]
    assert {name: state["best"][name] for name in ("program", "pseudocode", "score")} == {
        name: design[name] for name in ("program", "pseudocode", "score")
    }
    assert state["batches"] == len(state["curve"]) == len(batches) >= 3
    assert [point["best"] for point in state["curve"]] == [step["best"] for step in batches]
    assert [point["evaluations"] for point in state["curve"]] == [step["ledger"]["evaluations"] for step in batches]
    assert (state["race"]["round"], state["race"]["rounds"]) == (2, 2)
    first = state["race"]["standing"][0]
    assert Program.parse(first["program"]) == Program.parse(design["program"])
    assert (first["score"], first["runs"]) == (design["score"], 4)
    json.dumps(state, allow_nan=False)


def test_every_program_has_a_source(run: Path) -> None:
    state, batches = state_of(Folder(run)), steps_of(run, "batch")
    scores = [score for step in batches for score in step["scores"]]
    reached = {
        program
        for step in batches
        for program, score in zip(step["programs"], step["scores"], strict=True)
        if score is not None
    }
    totals = {name: sum(row[name] for row in state["sources"]) for name in ("proposed", "went_on", "among_best")}
    assert totals["proposed"] == len(scores)
    assert totals["went_on"] == sum(score is not None for score in scores)
    assert totals["among_best"] == min(BEST, len(reached))
    assert {row["source"] for row in state["sources"]} == {"network", "mutant", "immigrant"}


def test_a_program_among_the_best_counts_for_who_proposed_it_first(run: Path, told: Told) -> None:
    references, batch = steps_of(run)[:2]
    fields = {"programs": ["a", "b", "c"], "sources": ["network", "network", "mutant"], "scores": [0.5, None, 0.25]}
    again = {"programs": ["a", "b", "d"], "sources": ["mutant", "mutant", "mutant"], "scores": [0.75, 0.5, None]}
    sources = state_of(told([references, {**batch, **fields}, {**batch, **again, "leader": batch["leader"]}]))[
        "sources"
    ]
    assert sources == [
        {"source": "mutant", "proposed": 4, "went_on": 3, "among_best": 1},
        {"source": "network", "proposed": 2, "went_on": 1, "among_best": 2},
    ]


def test_a_run_is_running_while_a_process_is_at_work_on_it(run: Path, told: Told) -> None:
    steps = steps_of(run, "references", "batch")
    folder = told(steps)
    assert state_of(folder)["state"] == "interrupted"
    with folder.claimed():
        state = state_of(folder)
    assert state["state"] == "running"
    assert state["race"] is None
    assert state["progress"] == steps[-1]["ledger"]["evaluations"] / SPEND < 1
    best = state["best"]
    assert (best["program"], best["score"]) == (steps[-1]["leader"], steps[-1]["best"])
    assert best["pseudocode"] == pseudocode(Program.parse(steps[-1]["leader"]))
    assert best["program"] in steps[best["batch"]]["programs"]
    assert state_of(folder)["state"] == "interrupted"


def test_a_run_without_a_step_waits_for_its_first(told: Told) -> None:
    folder = told([])
    with folder.claimed():
        state = state_of(folder)
    assert (state["state"], state["best"], state["left"], state["curve"], state["sources"]) == (
        "waiting", None, None, [], [],
    )  # fmt: skip
    assert state["ledger"]["evaluations"] == state["progress"] == 0


def test_what_is_left_takes_as_long_as_what_was_done(run: Path, told: Told) -> None:
    """Without the references, in which the engine is compiled."""
    references, batch = steps_of(run)[:2]
    folder = told([{**references, "ledger": ledger(2_000, 90.0)}, {**batch, "ledger": ledger(12_000, 100.0)}])
    state = state_of(folder)
    assert state["left"] == pytest.approx((SPEND - 12_000) / 1_000)
    assert state["rate"] == pytest.approx(1_000.0)
    assert state["at_once"] == pytest.approx(2.0)
    assert state["seconds"] == pytest.approx(100.0)


def test_what_is_left_of_the_final_race(run: Path, told: Told) -> None:
    steps = steps_of(run)
    first = next(step for step in steps if step["step"] == "race")
    before = steps[steps.index(first) - 1]
    standing, sources = [first["standing"][0]] * 7, ["network"] * 7
    raced = {**first, "standing": standing, "sources": sources, "ledger": ledger(30_000, 128.0)}
    state = state_of(told([*steps[: steps.index(first) - 1], {**before, "ledger": ledger(20_000, 100.0)}, raced]))
    assert state["left"] == pytest.approx(12.0)  # 14 runs took 28 s; three programs go on, with 2 runs each
    assert (state["race"]["round"], len(state["race"]["standing"])) == (1, 7)
    assert state["best"]["program"] == first["standing"][0][0]


def test_a_long_curve_is_thinned_out_but_for_its_end(run: Path, told: Told) -> None:
    references, batch = steps_of(run)[:2]
    many = [{**batch, "batch": number, "ledger": ledger(number, number)} for number in range(1, 3 * POINTS + 2)]
    curve = state_of(told([references, *many]))["curve"]
    assert POINTS / 2 < len(curve) <= POINTS
    assert curve[-1]["evaluations"] == 3 * POINTS + 1


def test_what_is_not_finite_is_null(run: Path, told: Told) -> None:
    references, batch = steps_of(run)[:2]
    state = state_of(told([references, {**batch, "mean": float("-inf"), "best": float("nan")}]))
    assert (state["curve"][0]["mean"], state["best"]["score"]) == (None, None)
    json.dumps(state, allow_nan=False)


@pytest.mark.parametrize("harm", [{"ledger": 3}, {"ledger": {}}, {"sources": None}, {"leader": 7}])
def test_a_damaged_history_is_one_line(run: Path, told: Told, harm: Step) -> None:
    references, batch = steps_of(run)[:2]
    with pytest.raises(ValueError, match="cannot be understood") as raised:
        state_of(told([references, {**batch, **harm}]))
    assert "\n" not in str(raised.value)


def test_a_folder_that_is_no_run_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not the folder of a run"):
        state_of(Folder(tmp_path))
