"""The page of how different the designs are."""

from metasmith.experiments import diversity
from metasmith.experiments.shared.scales import Scale
from metasmith.program import named


def test_the_page_of_designs(monkeypatch, tmp_path):
    ledger = {"measuring_seconds": 55.0, "running_seconds": 50.0, "proposing_seconds": 5.0}
    made = [
        {"program": str(named(name)), "ledger": ledger, "commit": "0123456"} for name in ("ea", "rls", "umda", "umda")
    ]
    monkeypatch.setattr(diversity, "made_all", lambda wanted, tick: made)
    sheet = diversity.sheet(["F1", "F2"], Scale("quick", 2, 5), tmp_path, lambda: None)
    assert "- 4 designs are 3 programs, 3 in effect; 4 designs are known algorithms in effect.\n" in sheet.text
    assert [row[2] for row in sheet.tables()["diversity"].rows] == [
        "ea at 0.00", "rls at 0.00", "umda at 0.00", "umda at 0.00",
    ]  # fmt: skip
    assert (
        sheet.cost
        == "All calls together took 4 core-minutes: 4 for the designs. The designs were made with the commit 0123456."
    )
    assert [each["task"] for each in sheet.record["designs"]] == ["pbo:F1", "pbo:F1", "pbo:F2", "pbo:F2"]
