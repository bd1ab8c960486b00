"""A user's file, and runs of it, finished and not."""

from pathlib import Path

import pytest
from cli_helpers import SMALL, SOURCE, small_design

from metasmith.runs.efforts import EFFORTS


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's file of problems and tasks."""
    path = tmp_path_factory.mktemp("mine") / "mine.py"
    path.write_text(SOURCE)
    return path


@pytest.fixture(scope="module")
def run(file: Path) -> Path:
    """The folder of a finished run."""
    small_design(f"{file}:small", out=file.parent / "run")
    return file.parent / "run"


@pytest.fixture(scope="module")
def unfinished(run: Path) -> Path:
    """The folder of a run that was killed after its first batch."""

    def tell(event: object) -> None:
        if getattr(event, "step", 0) == 1:
            raise KeyboardInterrupt

    path = run.parent / "unfinished"
    with pytest.raises(KeyboardInterrupt):
        small_design(f"{run.parent}/mine.py:small", out=path, tell=tell)
    return path


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """What to say for a design that takes a moment."""
    monkeypatch.setitem(EFFORTS, "quick", SMALL)
    return "--effort", "quick"
