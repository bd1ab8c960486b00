"""A run may be ended early: what is there is raced, and whoever is killed meanwhile ends with the same bits."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from design_helpers import SMALL, designed, kept, tiny

import metasmith as ms
from metasmith.analysis.history import leader, spent
from metasmith.designers.training import PAPER
from metasmith.measuring import Measuring, Race
from metasmith.runs.folder import Folder
from metasmith.runs.forecast import Plan, Progress
from metasmith.runs.layout import RACE_SHARE


class DiedError(Exception):
    """The process is no more."""


def dying(step: int) -> Callable[[Plan | Progress], None]:
    """To be told how it goes, until after so many batches and rounds; 0: until the references are measured."""
    told = iter(range(step + 1))

    def tell(event: Plan | Progress) -> None:
        begun = not isinstance(event, Plan) or event.seconds is not None
        if begun and next(told, None) == step:
            raise DiedError

    return tell


def stopped(step: int, path: Path, **others: object) -> Path:
    with pytest.raises(DiedError):
        designed(out=path, tell=dying(step), **others)
    return path


def steps(path: Path) -> list[str]:
    return [line["step"] for line in Folder(path).history()]


@pytest.mark.parametrize("batches", [1, 2])
def test_what_is_there_is_raced_and_the_run_has_ended(batches, tmp_path):
    path = stopped(batches, tmp_path / "run")
    before = spent(Folder(path).history())
    design = ms.finish(path, tiny())
    assert steps(path)[: batches + 2] == ["references", *["batch"] * batches, "finish"]
    assert set(steps(path)[batches + 2 :]) == {"race"}
    record = Folder(path).design()
    assert record is not None
    assert record["finished_early"]
    assert ms.algorithm(path) == design.program
    noted = Folder(path).history()[batches + 1]
    assert noted["batches"] == batches
    assert tuple(noted["race"]["rounds"]) <= SMALL["race"].rounds
    race = design.ledger["evaluations"] - before
    assert race <= max(before * RACE_SHARE / (1 - RACE_SHARE), 2 * 600)
    assert design.ledger["evaluations"] < design.spec.spend
    finalists = [program for program, *_ in Folder(path).history()[batches + 2]["standing"]]
    assert Folder(path).history()[batches]["leader"] in finalists


def test_it_is_not_said_of_a_run_that_ended_by_itself(tmp_path):
    design = designed(out=tmp_path / "run")
    assert design.record()["finished_early"] is False


@pytest.mark.parametrize("again", [ms.finish, ms.resume], ids=["finish", "resume"])
@pytest.mark.parametrize("death", [1, 2])
def test_death_while_it_ends_changes_nothing(death, again, tmp_path):
    path = stopped(2, tmp_path / "run")
    whole = Path(shutil.copytree(path, tmp_path / "whole"))
    ms.finish(whole, tiny())
    with pytest.raises(DiedError):
        ms.finish(path, tiny(), tell=dying(death))
    assert "finish" in steps(path)
    again(path, tiny())
    assert kept(path) == kept(whole)


@pytest.mark.parametrize("lost", ["checkpoint-2.json", "checkpoint-*"])
def test_damage_before_it_ends_changes_nothing(lost, tmp_path):
    path = stopped(2, tmp_path / "run")
    whole = Path(shutil.copytree(path, tmp_path / "whole"))
    ms.finish(whole, tiny())
    for file in path.glob(lost):
        file.unlink()
    warnings: list[str] = []
    ms.finish(path, tiny(), warn=warnings.append)
    assert kept(path) == kept(whole)


def test_whatever_is_asked_of_a_run_that_was_finished_it_stays_the_same(tmp_path, monkeypatch):
    path = stopped(1, tmp_path / "run")
    ms.finish(path, tiny())
    before = kept(path)
    monkeypatch.setattr(
        "metasmith.engine.Local.run", lambda threads, jobs: [] if not jobs else pytest.fail("ran again")
    )
    for again in (ms.finish, ms.resume):
        again(path, tiny())
        assert kept(path) == before


def test_a_run_in_its_final_race_only_goes_on(tmp_path):
    designed(out=tmp_path / "whole")
    path = stopped(4, tmp_path / "run")
    assert steps(path)[-1] == "race"
    ms.finish(path, tiny())
    assert kept(path) == kept(tmp_path / "whole")


def test_a_run_that_has_no_batch_left_to_do_ends_as_it_would_have(tmp_path):
    designed(out=tmp_path / "whole")
    path = stopped(3, tmp_path / "run")
    ms.finish(path, tiny())
    assert kept(path) == kept(tmp_path / "whole")


@pytest.mark.parametrize("begun", [True, False], ids=["references", "nothing"])
def test_a_run_without_a_batch_cannot_be_ended(begun, tmp_path):
    path = stopped(0, tmp_path / "run")
    if not begun:
        (path / "history.jsonl").unlink()
    with pytest.raises(ValueError, match=r"has no batch yet to choose from; 'metasmith resume .*' goes on$"):
        ms.finish(path, tiny())
    ms.resume(path, tiny())
    designed(out=tmp_path / "whole")
    assert kept(path) == kept(tmp_path / "whole")


def test_a_design_without_a_race_is_what_the_designer_likes_best(tmp_path):
    own = {
        "training": PAPER,
        "measuring": Measuring(keep=1.0, runs=2, again=1, evaluations=200, instances=1),
        "race": Race(finalists=0, samples=0, rounds=()),
        "preset": "paper",
    }
    path = stopped(1, tmp_path / "run", **own)
    design = ms.finish(path, tiny())
    assert steps(path) == ["references", "batch", "finish", "inference"]
    assert design.record()["finished_early"]


def test_a_run_laid_out_for_what_may_be_spent_ends_early_too(tmp_path):
    task = ms.Task("one", (ms.problem("pbo:F2@20"),), (ms.problem("pbo:F2@20"),), 100)
    with pytest.raises(DiedError):
        ms.design(task, spend=100 * 100, out=tmp_path / "run", tell=dying(5))
    before = spent(Folder(tmp_path / "run").history())
    design = ms.finish(tmp_path / "run", task)
    assert design.ledger["evaluations"] <= before * 1.5 + 200
    (noted,) = (line for line in design.history if line["step"] == "finish")
    assert (design.spec.race.rest, noted["race"]["rest"]) == (True, False)


def test_the_leader_is_the_best_so_far_and_who_proposed_it():
    design = designed()
    assert leader(design.history[:1]) is None
    for count in (2, 3, 4):
        best = leader(design.history[:count])
        assert best is not None
        last = design.history[count - 1]
        assert (best.program, best.score, best.runs) == (last["leader"], last["best"], None)
        proposed = [
            source
            for line in design.history[1:count]
            for program, source in zip(line["programs"], line["sources"], strict=True)
            if program == best.program
        ]
        assert best.source == proposed[0]
    best = leader(design.history)
    assert best is not None
    assert (best.program, best.score, best.runs) == (str(design.program), design.score, 4)
    assert best.record()["pseudocode"] == ms.pseudocode(design.program)


def test_another_task_is_not_raced(tmp_path):
    path = stopped(1, tmp_path / "run")
    other = ms.Task("tiny", (ms.problem("pbo:F18@20"),), (ms.problem("pbo:F18@20"),), tiny().evaluations)
    with pytest.raises(ValueError, match="was begun on other problems"):
        ms.finish(path, other)


def test_a_run_of_an_earlier_version_is_not_ended(tmp_path):
    path = stopped(2, tmp_path / "run")
    spec = path / "design.toml"
    spec.write_bytes(spec.read_bytes().partition(b"\n")[2])
    before = (path / "history.jsonl").read_bytes()
    for again in (ms.finish, ms.resume):
        with pytest.raises(ValueError, match="has no checksum, so the run cannot go on"):
            again(path, tiny())
    assert (path / "history.jsonl").read_bytes() == before
