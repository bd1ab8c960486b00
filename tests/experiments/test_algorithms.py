"""The designed algorithms, printed, and what they are made of."""

import pytest

from metasmith.components import COMPONENTS
from metasmith.experiments import algorithms
from metasmith.experiments.shared.scales import Scale
from metasmith.program import Program, pseudocode

PROGRAMS = (
    "population 1\nreset_sweep\ngreedy_select",
    "population 2\nreset_sweep iterate until 5%\nreset_sweep\npairwise_select",
)


@pytest.fixture
def designs(monkeypatch):
    """Two for each function, the second one better."""
    seconds = {"measuring_seconds": 1.0, "running_seconds": 1.0, "proposing_seconds": 0.5}
    found = [
        {"task": f"pbo:{function}", "seed": seed, "score": 0.5 + seed / 10, "program": program, "ledger": seconds,
         "pseudocode": pseudocode(Program.parse(program))}
        for function in ("F1", "F2")
        for seed, program in enumerate(PROGRAMS)
    ]  # fmt: skip
    monkeypatch.setattr(algorithms, "made_all", lambda wanted, tick: found)
    return found


def test_the_best_of_a_function_comes_first(designs, tmp_path):
    sheet = algorithms.sheet(["F1", "F2"], Scale("quick", 2, 5), tmp_path, lambda: None)
    assert [row[:3] for row in sheet.tables()["algorithms"].rows] == [
        ["F1", "1", "0.6000"], ["F1", "0", "0.5000"], ["F2", "1", "0.6000"], ["F2", "0", "0.5000"],
    ]  # fmt: skip
    assert all(each["pseudocode"] in sheet.text for each in designs)
    assert [each["program"] for each in sheet.record] == [*PROGRAMS, *PROGRAMS]


def test_the_picture_has_the_share_of_designs_with_each_component(designs):
    axes = algorithms.drawn_components(designs, ["F1", "F2"]).axes[0]
    rows = [label.get_text() for label in axes.get_yticklabels()]
    assert sorted(rows) == sorted(name for name, component in COMPONENTS.items() if component.kernel("bits"))
    shares = {name: [0.0, 0.0] for name in rows}
    for cell in axes.patches:
        row, column = (round(float(middle)) for middle in (cell.get_y() + 0.5, cell.get_x() + 0.5))
        shares[rows[row]][column] = cell.get_facecolor()[3]
    assert shares["reset_sweep"] == [1.0, 1.0]
    assert shares["greedy_select"] == shares["pairwise_select"] == [0.5, 0.5]
    assert sum(map(sum, shares.values())) == 4.0
