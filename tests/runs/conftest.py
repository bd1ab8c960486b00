"""Temporary files of a test's own: a design without a folder that fails is kept among them."""

import tempfile
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    return path
