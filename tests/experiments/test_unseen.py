"""Designing at once for a problem that was never seen."""

from dataclasses import replace

import pytest
from typer.testing import CliRunner

from metasmith.cli import app
from metasmith.experiments import unseen
from metasmith.experiments.shared.continual import SERIES
from metasmith.experiments.unseen import FAMILIES, Unseen, sheet

FOUND = Unseen("Ising", ("F1",), "F20", "population 1\nreset_sweep", 2.0, 100.0, 90.0, [10.0, 80.0, 99.5], 70.0)


def test_families_left_out_are_in_the_series():
    for left_out, _ in FAMILIES.values():
        assert set(left_out) < set(SERIES["continual-2"])


@pytest.mark.parametrize(
    "worse", [{"design": 75.0}, {"raced": 100.0}, {"search": 101.0}, {"random": [101.0, 102.0, 1.0]}, {"seconds": 10.5}]
)
def test_good_is_better_than_all_and_quick(worse):
    assert FOUND.good
    assert not replace(FOUND, **worse).good
    assert sheet([replace(FOUND, **worse)]).tables()["unseen"].rows[0][-1] == "no"


@pytest.mark.slow
def test_the_command(tmp_path, monkeypatch):
    """The writer learns one function only, and there are few random programs."""
    monkeypatch.setattr(unseen, "FAMILIES", {"all but OneMax": (SERIES["continual-2"][1:], "F2")})
    monkeypatch.setattr(unseen, "RANDOM", 3)
    words = [
        "reproduce",
        "unseen",
        "--scale",
        "small",
        "--out",
        str(tmp_path / "runs"),
        "--write",
        str(tmp_path / "page.md"),
    ]
    assert CliRunner().invoke(app, words).exit_code == 0
    page = (tmp_path / "page.md").read_text()
    assert "| all but OneMax | F2 " in page
