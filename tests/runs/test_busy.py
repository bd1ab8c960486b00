"""Whether anybody is at work on a run, asked by those who only look and may be in nobody's way."""

import time
from pathlib import Path

import pytest

from metasmith.runs.busy import is_busy
from metasmith.runs.folder import Folder

fcntl = pytest.importorskip("fcntl", reason="there are no such locks on Windows")


def test_a_folder_is_busy_while_it_is_claimed(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert not is_busy(folder)
    assert list(tmp_path.iterdir()) == []
    with folder.claimed():
        assert is_busy(folder)
        assert is_busy(Folder(tmp_path))
    assert not is_busy(folder)


def test_who_looks_keeps_nobody_from_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look holds the lock for a moment; a claim in that moment tries again."""
    with Folder(tmp_path).claimed():
        pass
    with (tmp_path / "lock").open("rb") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH | fcntl.LOCK_NB)
        monkeypatch.setattr(time, "sleep", lambda seconds: fcntl.flock(looking, fcntl.LOCK_UN))
        with Folder(tmp_path).claimed():
            assert is_busy(Folder(tmp_path))


def test_a_run_that_stays_claimed_is_refused(tmp_path: Path) -> None:
    with (
        Folder(tmp_path).claimed(),
        pytest.raises(ValueError, match="another process is at work"),
        Folder(tmp_path).claimed(),
    ):
        pass
