"""Configurators in the loop of a design: their runs, their ledger, their history, their end, and after a kill the same
bits.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from configurator_helpers import HALVER, Halver
from design_helpers import SOURCE, DiedError, dying, facts, tiny

import metasmith as ms
from metasmith.analysis.history import leader, learning
from metasmith.designers import designers, find_designer, smac
from metasmith.engine import Local
from metasmith.measuring import Measuring, Race
from metasmith.runs.folder import Folder
from metasmith.watching.state import state_of

SPEND = 30_000


@pytest.fixture(autouse=True)
def halver(monkeypatch):
    monkeypatch.setitem(designers(), "halver", HALVER)


def asked(**others: Any) -> dict[str, Any]:
    return {"designer": "halver", "spend": SPEND, "effort": "quick", "seed": 3, **others}


def if_installed(name: str) -> Any:
    try:
        find_designer(name).check()
    except ValueError as error:
        return pytest.param(name, marks=[pytest.mark.slow, pytest.mark.skip(reason=str(error))])
    takes_long = find_designer(name).configures or find_designer(name).learns
    return pytest.param(name, marks=pytest.mark.slow) if takes_long else name


FEW_RUNS: dict[str, Any] = {
    "spend": 12_000,
    "measuring": Measuring(runs=1, evaluations=600),
    "race": Race(finalists=2, samples=0, rounds=(1,), rest=True),
}
"""For SMAC, which thinks for a while before each run."""


@pytest.mark.parametrize("name", [if_installed(name) for name in designers()])
def test_the_ledger_of_every_designer_ends_within_a_hundredth_of_what_may_be_spent(name):
    wanted = asked(designer=name, **(FEW_RUNS if name == "smac" else {}))
    spend, design = wanted["spend"], ms.design(tiny(), **wanted)
    assert 0.99 * spend <= design.ledger["evaluations"] <= spend


def test_every_measurement_is_a_batch_of_the_history(tmp_path):
    design = ms.design(tiny(), **asked(out=tmp_path / "run", spend=120_000, measuring=Measuring(runs=1)))
    batches = [batch for batch in learning(design.history) if "halver" in batch["sources"]]
    assert len(batches) > 6
    assert [batch["batch"] for batch in learning(design.history)][-len(batches) :] == [
        batch["batch"] for batch in batches
    ]
    lengths = {len(batch[name]) for batch in batches[:1] for name in ("programs", "rewards", "first", "scores")}
    assert lengths == {8}
    assert {source for batch in batches for source in batch["sources"]} == {"halver"}
    assert {row[2] for batch in batches for row in batch["measured"]} == {"trial"}
    assert design.history[-1]["step"] == "simplify"
    race = [step for step in design.history if step["step"] == "race"]
    assert "halver" in race[-1]["sources"]
    best = leader([step for step in design.history if step["step"] not in ("race", "simplify")])
    assert best is not None
    assert best.source == "halver"
    state = state_of(Folder(tmp_path / "run"))
    (source,) = [each for each in state["sources"] if each["source"] == "halver"]
    assert source["proposed"] == sum(len(batch["programs"]) for batch in batches)
    assert 0 < source["went_on"] < source["proposed"]
    assert len(state["curve"]) == len(learning(design.history))


def test_the_final_race_has_the_rest_and_proposing_no_more_than_is_for_it():
    design = ms.design(tiny(), **asked())
    spec, proposed = design.spec, learning(design.history)[-1]["ledger"]["evaluations"]
    assert proposed <= SPEND - spec.costs(tiny()).final
    assert design.ledger["evaluations"] > SPEND - min(row[2] for row in design.history[0]["cases"])


def test_what_the_configurator_likes_is_in_the_race(monkeypatch):
    monkeypatch.setattr(Halver, "rounds", 2)
    configured: list[Any] = []
    original = Halver.configure
    monkeypatch.setattr(
        Halver,
        "configure",
        lambda *args: configured.extend(original(*args)) or configured[:],  # type: ignore[func-returns-value]
    )
    design = ms.design(tiny(), **asked(race=Race(finalists=1, samples=0, rounds=(2,), rest=True)))
    race = next(step for step in design.history if step["step"] == "race")
    assert [program for program, _, _ in race["standing"]].count(str(configured[0].program)) == 1
    assert design.ledger["evaluations"] > 0.97 * SPEND


def test_without_a_race_it_is_what_the_configurator_likes_best(monkeypatch):
    monkeypatch.setattr(Halver, "rounds", 1)
    design = ms.design(tiny(), **asked(race=Race(finalists=0, samples=0, rounds=())))
    assert design.history[-1]["step"] == "inference"
    assert str(design.program) in learning(design.history)[-1]["programs"]


def test_too_few_evaluations_are_told(monkeypatch):
    monkeypatch.setattr(Halver, "configure", lambda self, measure, budget: [])
    with pytest.raises(ValueError, match="evaluations before the final race are too few for halver; give more"):
        ms.design(tiny(), **asked())


def test_an_error_of_the_function_ends_the_configurator():
    def broken(x):
        if x.sum() > 12:
            raise RuntimeError("broken")
        return float(x.sum())

    problem = ms.Problem(broken, ms.Bits(20), name="broken")
    with pytest.raises(ms.EvaluationError, match="broken"):
        ms.design(problem, evaluations=100, designer="halver", effort="quick", spend=10_000)


@pytest.mark.parametrize("step", [0, 1, 4, 9, 14])
def test_who_dies_and_goes_on_ends_with_the_same_bits_and_does_no_run_twice(step, tmp_path, monkeypatch):
    whole = ms.design(tiny(), **asked())
    with pytest.raises(DiedError):
        ms.design(tiny(), **asked(out=tmp_path / "run", tell=dying(step)))
    logged = Folder(tmp_path / "run").history()[-1]["ledger"]["runs"]
    done: list[int] = []
    run = Local.run
    monkeypatch.setattr(Local, "run", lambda self, jobs: done.append(len(jobs)) or run(self, jobs))
    design = ms.resume(tmp_path / "run", tiny())
    assert facts(design) == facts(whole)
    assert sum(done) == whole.ledger["runs"] - logged
    assert facts(ms.resume(tmp_path / "run", tiny())) == facts(whole)


def test_workers_make_no_difference():
    assert facts(ms.design(tiny(), **asked(workers=1))) == facts(ms.design(tiny(), **asked(workers=3)))


def test_a_run_that_is_ended_early_races_what_was_tried(tmp_path):
    with pytest.raises(DiedError):
        ms.design(tiny(), **asked(out=tmp_path / "run", tell=dying(5)))
    batches = len(learning(Folder(tmp_path / "run").history()))
    design = ms.finish(tmp_path / "run", tiny())
    assert len(learning(design.history)) == batches
    assert design.record()["finished_early"]
    assert str(design.program) in {program for step in learning(design.history) for program in step["programs"]}
    assert facts(ms.resume(tmp_path / "run", tiny())) == facts(design)


def test_a_design_that_was_saved_can_be_resumed(tmp_path):
    design = ms.design(tiny(), **asked())
    design.save(tmp_path / "run")
    assert facts(ms.resume(tmp_path / "run", tiny()))["record"] == facts(design)["record"]


def test_what_is_not_installed_is_told_before_anything_is_done(tmp_path, monkeypatch):
    monkeypatch.setattr(smac, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="the designer smac needs SMAC"):
        ms.design(tiny(), **asked(designer="smac", out=tmp_path / "run"))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", [if_installed("irace")])
def test_irace_has_the_same_bits_every_time_and_after_a_death(name, tmp_path):
    whole = ms.design(tiny(), **asked(designer=name, workers=1))
    assert facts(ms.design(tiny(), **asked(designer=name))) == facts(whole)
    with pytest.raises(DiedError):
        ms.design(tiny(), **asked(designer=name, out=tmp_path / "run", tell=dying(7)))
    assert facts(ms.resume(tmp_path / "run", tiny())) == facts(whole)


@pytest.mark.parametrize("name", [if_installed("smac")])
def test_smac_has_the_same_bits_after_a_death(name, tmp_path):
    wanted = asked(designer=name, workers=1, **FEW_RUNS)
    whole = ms.design(tiny(), **wanted)
    with pytest.raises(DiedError):
        ms.design(tiny(), **wanted, out=tmp_path / "run", tell=dying(6))
    assert facts(ms.resume(tmp_path / "run", tiny())) == facts(whole)


@pytest.mark.parametrize("name", [if_installed("irace")])
def test_an_interrupt_ends_r_and_says_how_to_go_on(name, tmp_path):
    (tmp_path / "mine.py").write_text(SOURCE)
    run, task = tmp_path / "run", f"{tmp_path / 'mine.py'}:small"
    words = ["design", task, "--designer", name, "--spend", "200000", "--effort", "quick", "--out", str(run), "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "metasmith", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    while len(Folder(run).history()) < 4:
        assert process.poll() is None
        time.sleep(0.02)
    ours = [pid for pid in children(process.pid) if "tune.R" in command(pid)]
    assert ours
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, f"metasmith: interrupted; 'metasmith resume {run}' goes on\n")
    assert not any("tune.R" in command(pid) for pid in ours)


def children(parent: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False)
    return [int(word) for word in listed.stdout.split()]


def command(process: int) -> str:
    path = Path(f"/proc/{process}/cmdline")
    return path.read_bytes().replace(b"\0", b" ").decode() if path.exists() else ""
