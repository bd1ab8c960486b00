"""A design begins with the known algorithms, and its final race has some of them: it is no worse than what is known."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from design_helpers import SMALL, dead_after, designed, facts, tiny

import metasmith as ms
from metasmith.designers.known import known
from metasmith.measuring import Race
from metasmith.runs.costs import Costs
from metasmith.runs.design import Design
from metasmith.runs.spec import specify
from metasmith.space import Space

LIBRARY = {str(proposal.program) for proposal in known(Space.named("full").on("bits"), "bits")}
TRAINING = replace(SMALL["training"], known=True)


def spend(batches: int) -> int:
    costs = Costs.of(tiny(), SMALL["measuring"], SMALL["race"], looks=False, known=len(LIBRARY))
    return costs.total(batches, TRAINING.batch)


def begun_with_them(batches: int = 2, **others: Any) -> Design:
    return designed(training=TRAINING, spend=spend(batches), **others)


@pytest.fixture(scope="module")
def design() -> Design:
    return begun_with_them()


def test_the_first_batch_is_the_library_and_the_next_are_the_designers(design: Design) -> None:
    first, *others = [step for step in design.history if step["step"] == "batch"]
    assert set(first["programs"]) == LIBRARY
    assert set(first["sources"]) == {"library"}
    assert len(others) >= 2
    for batch in others:
        assert len(set(batch["programs"])) <= TRAINING.batch
        assert "library" not in batch["sources"]


def test_they_are_within_what_may_be_spent(design: Design) -> None:
    assert design.ledger["evaluations"] <= spend(2)
    assert design.history[1]["ledger"]["evaluations"] <= spend(0)


@pytest.mark.parametrize("designer", ["random", "evolution", "mixture", "guided"])
@pytest.mark.parametrize("finalists", [1, 4, 16])
def test_known_algorithms_are_in_the_final_race(designer: str, finalists: int) -> None:
    race = Race(finalists=finalists, samples=1, rounds=(1, 1))
    costs = Costs.of(tiny(), SMALL["measuring"], race, looks=False, known=len(LIBRARY))
    made = designed(training=TRAINING, race=race, designer=designer, spend=costs.total(2, TRAINING.batch))
    standing = next(step for step in made.history if step["step"] == "race")
    raced = [program for program, _, _ in standing["standing"]]
    assert len(raced) <= race.programs
    assert LIBRARY & set(raced)


def test_death_after_them_changes_nothing(design: Design, tmp_path: Path) -> None:
    path = dead_after(2, tmp_path / "run", training=TRAINING, spend=spend(2))
    assert facts(ms.resume(path, tiny())) == facts(design)


def test_the_paper_and_those_who_say_so_begin_without_them() -> None:
    assert not specify(tiny(), preset="paper").training.known
    made = designed(batches=1)
    assert all("library" not in step["sources"] for step in made.history if step["step"] == "batch")
