"""A folder as it grows: it is read again when something has changed, and only then."""

import shutil
from pathlib import Path

import pytest
from watching_helpers import Told

from metasmith.runs.folder import Folder
from metasmith.watching import tail
from metasmith.watching.tail import Tail


@pytest.fixture(autouse=True)
def readings(monkeypatch: pytest.MonkeyPatch) -> list[Folder]:
    """Which folders were read. Every look is at the files, however short the time since the last."""
    read: list[Folder] = []
    state_of = tail.state_of

    def counted(folder: Folder) -> dict[str, object]:
        read.append(folder)
        return state_of(folder)

    monkeypatch.setattr(tail, "state_of", counted)
    monkeypatch.setattr(tail, "POLL", 0.0)
    monkeypatch.setattr(tail, "SHARE", float("inf"))
    return read


def test_a_folder_is_read_again_when_it_has_changed(run: Path, told: Told, readings: list[Folder]) -> None:
    steps = Folder(run).history()
    watched = Tail(told(steps[:2]).path)
    before = watched.look()
    assert watched.look() == watched.look() == before
    assert len(readings) == 1
    told(steps[:3])
    after = watched.look()
    assert after.number == before.number + 1
    assert (before.state["batches"], after.state["batches"], len(readings)) == (1, 2, 2)


def test_who_is_at_work_is_noticed_without_a_new_step(run: Path, told: Told) -> None:
    folder = told(Folder(run).history()[:2])
    watched = Tail(folder.path)
    with folder.claimed():
        assert watched.look().state["state"] == "running"
    assert watched.look().state["state"] == "interrupted"


def test_a_long_history_is_not_read_all_the_time(
    run: Path, told: Told, readings: list[Folder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "SHARE", 1e-9)
    steps = Folder(run).history()
    watched = Tail(told(steps[:2]).path)
    watched.look()
    told(steps[:3])
    assert (watched.look().state["batches"], len(readings)) == (1, 1)
    assert (watched.look(last=True).state["batches"], len(readings)) == (2, 2)


def test_a_folder_may_come_later(run: Path, tmp_path: Path) -> None:
    watched = Tail(tmp_path / "later")
    assert watched.look().state == {"run": str(tmp_path / "later"), "state": "waiting"}
    assert watched.age() is None
    shutil.copytree(run, tmp_path / "later")
    assert watched.look().state["state"] == "finished"
    age = watched.age()
    assert age is not None
    assert age >= 0


def test_a_folder_that_goes_away_is_said_to_be_gone(run: Path, told: Told) -> None:
    folder = told(Folder(run).history()[:2])
    watched = Tail(folder.path)
    assert watched.look().state["state"] == "interrupted"
    shutil.rmtree(folder.path)
    state = watched.look().state
    assert state["state"] == "unreadable"
    assert "is not the folder of a run" in state["error"]


def test_a_relative_folder_stays_the_same_one(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run.parent)
    watched = Tail("run")
    monkeypatch.chdir(tmp_path)
    assert watched.look().state["state"] == "finished"
