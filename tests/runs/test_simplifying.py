"""A design whose winner is simplified: within what may be spent, with the same bits whoever is killed, and said so."""

from pathlib import Path

import pytest
from design_helpers import DiedError, dying, facts, kept, tiny
from typer.testing import CliRunner

import metasmith as ms
from metasmith.analysis.history import leader, shortened
from metasmith.cli import app
from metasmith.designers.training import Training
from metasmith.measuring import Measuring, Race, Simplification
from metasmith.measuring.simplification import variants
from metasmith.program.parts import size
from metasmith.runs.folder import Folder
from metasmith.runs.spec import specify
from metasmith.watching.state import state_of

OWN = {
    "training": Training(batch=6, mutants=2, immigrants=1, known=False),
    "measuring": Measuring(keep=0.5, runs=1, again=2),
    "race": Race(finalists=4, samples=2, rounds=(2, 2)),
    "simplification": Simplification(40),
    "spend": 100_000,
}


def steps(path: Path) -> list[str]:
    return [line["step"] for line in Folder(path).history()]


@pytest.mark.parametrize("designer", ["mixture", "evolution", "local_search", "random"])
@pytest.mark.parametrize("rest", [True, False])
def test_it_is_within_what_may_be_spent_and_never_longer(designer, rest):
    race = Race(finalists=4, samples=2, rounds=(2, 2), rest=rest)
    design = ms.design(tiny(), designer=designer, **{**OWN, "race": race})
    assert design.ledger["evaluations"] <= design.spec.spend
    looks = [step for step in design.history if step["step"] == "simplify"]
    record = design.record()
    if not looks:
        assert not rest
        assert not variants(design.program)  # nothing can be left out
        assert record["simplified"] is None
        return
    simplified = record["simplified"]
    assert simplified["program"] == str(design.program) == looks[-1]["program"]
    assert simplified["winner"] == record["finalists"][0][0] == record["descent"][0]["program"]
    assert simplified["parts"] == size(design.program) <= simplified["parts_before"]
    assert simplified["score"] == design.score
    spent = looks[-1]["ledger"]["evaluations"] - design.history[-1 - len(looks)]["ledger"]["evaluations"]
    assert rest or spent <= 40 * 600
    if rest:
        assert design.spec.spend - 600 < design.ledger["evaluations"]


@pytest.mark.parametrize("death", [1, 2, 3])
def test_death_while_it_is_simplified_changes_nothing(death, tmp_path):
    whole = ms.design(tiny(), designer="evolution", out=tmp_path / "whole", **OWN)
    before = sum(step["step"] != "simplify" for step in whole.history)
    assert len(whole.history) - before >= 3
    with pytest.raises(DiedError):
        ms.design(tiny(), designer="evolution", out=tmp_path / "run", tell=dying(before - 1 + death), **OWN)
    assert steps(tmp_path / "run").count("simplify") == death
    ms.resume(tmp_path / "run", tiny())
    assert kept(tmp_path / "run") == kept(tmp_path / "whole")


def test_with_the_same_seed_it_is_the_same():
    one, other = (ms.design(tiny(), designer="evolution", seed=4, **OWN) for _ in range(2))
    assert facts(one) == facts(other)


def test_ended_early_it_is_simplified_with_less(tmp_path):
    with pytest.raises(DiedError):
        ms.design(tiny(), designer="evolution", out=tmp_path / "run", tell=dying(4), **OWN)
    before = Folder(tmp_path / "run").history()[-1]["ledger"]["evaluations"]
    design = ms.finish(tmp_path / "run", tiny())
    (noted,) = (step for step in design.history if step["step"] == "finish")
    assert noted["simplification"]["runs"] <= 40
    assert design.ledger["evaluations"] <= before * 1.5 + 2 * 600


def test_the_preset_paper_and_a_race_of_ones_own_have_none():
    design = ms.design(tiny(), designer="evolution", **{**OWN, "simplification": None})
    assert design.spec.simplification.runs == 0
    assert design.record()["simplified"] is None
    paper = specify(tiny(), preset="paper")
    assert paper.simplification.runs == 0


def test_what_is_laid_out_reserves_a_share_of_the_final_third():
    design = ms.design(tiny(), spend=400 * 600, designer="evolution")
    runs = design.spec.simplification.runs
    assert runs == int(0.08 * 400)
    costs = design.spec.costs(tiny())
    assert costs.simplification == runs * 600
    assert costs.final <= 400 * 600 / 3
    assert design.ledger["evaluations"] > 0.99 * 400 * 600


def test_it_is_told_and_shown(tmp_path):
    told = []
    design = ms.design(tiny(), designer="evolution", out=tmp_path / "run", tell=told.append, **OWN)
    looks = [step for step in design.history if step["step"] == "simplify"]
    assert [event.step for event in told[2:] if event.what == "look"] == [step["look"] for step in looks]
    best = leader(design.history)
    assert best is not None
    assert (best.program, best.score, best.runs) == (str(design.program), design.score, looks[-1]["runs"])
    shown = CliRunner().invoke(app, ["show", str(tmp_path / "run")]).stdout
    assert f"simplified: {shortened(design.record()['simplified'])}" in shown
    assert state_of(Folder(tmp_path / "run"))["best"]["program"] == str(design.program)


def test_in_words():
    simplified = {
        "winner": "a", "program": "b", "parts_before": 9, "parts": 6, "score_before": 0.5, "score": 0.51, "runs": 30
    }  # fmt: skip
    assert shortened(simplified) == "3 of 9 parts went, score 0.5000 to 0.5100 in 30 runs each"
    assert shortened({**simplified, "program": "a"}) == "nothing could be left out of its 9 parts"
