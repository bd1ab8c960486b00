"""A run that is finished, and its steps, to be told again with other numbers."""

from pathlib import Path
from typing import Any

import pytest
from watching_helpers import NAME, SPEND, Told

import metasmith as ms
from metasmith.designers.training import Training
from metasmith.measuring import Measuring, Race
from metasmith.runs.folder import Folder


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run of some batches, with a race of 2 rounds."""
    path = tmp_path_factory.mktemp("watched") / "run"
    training = tuple(map(ms.problem, ("pbo:F1@30", "pbo:F2@40", "pbo:F1@40#2")))
    task = ms.Task(NAME, training=training, test=(ms.problem("pbo:F2@40#3"),), evaluations=600)
    ms.design(
        task, spend=SPEND, out=path, training=Training(batch=6, mutants=2, immigrants=1, known=False),
        measuring=Measuring(keep=0.5, runs=1, again=2), race=Race(finalists=4, samples=2, rounds=(2, 2)),
    )  # fmt: skip
    return path


@pytest.fixture
def told(run: Path, tmp_path: Path) -> Told:
    """What makes a folder of the same run that is not finished, with the steps that it is given."""

    def tell(steps: list[dict[str, Any]]) -> Folder:
        folder = Folder(tmp_path / "told")
        if not folder.exists:
            folder.create(Folder(run).spec())
        folder.rewind(steps)
        return folder

    return tell
