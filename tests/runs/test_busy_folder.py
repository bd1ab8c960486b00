"""Whether anybody is at work on a run, asked by those who only look and may be in nobody's way."""

from pathlib import Path

import pytest

from metasmith.runs import folder as module
from metasmith.runs.folder import Folder

fcntl = pytest.importorskip("fcntl", reason="there are no such locks on Windows")


def test_a_folder_is_busy_while_it_is_claimed(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert not folder.busy
    assert list(tmp_path.iterdir()) == []
    with folder.claimed():
        assert folder.busy
        assert Folder(tmp_path).busy
    assert not folder.busy


def test_who_looks_keeps_nobody_from_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look holds the lock for a moment; a claim in that moment tries again."""
    with Folder(tmp_path).claimed():
        pass
    with (tmp_path / "lock").open("rb") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH | fcntl.LOCK_NB)
        monkeypatch.setattr(module.time, "sleep", lambda seconds: fcntl.flock(looking, fcntl.LOCK_UN))
        with Folder(tmp_path).claimed():
            assert Folder(tmp_path).busy


def test_a_run_that_stays_claimed_is_refused(tmp_path: Path) -> None:
    with (
        Folder(tmp_path).claimed(),
        pytest.raises(ValueError, match="another process is at work"),
        Folder(tmp_path).claimed(),
    ):
        pass


def test_the_version_changes_with_every_step(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    versions = [folder.version]
    for number in range(3):
        folder.append({"step": "batch", "batch": number})
        versions.append(folder.version)
    folder.rewind(folder.history()[:1])
    versions.append(folder.version)
    assert len(set(versions)) == 5
    assert folder.version == versions[-1]
